/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h - the kernel's functions as a user names them: which can be traced, and why not.
 *
 *	kfunctions_new ─▶ kfunctions_check, kfunctions_each, kfunctions_substitute … ─▶ kfunctions_free
 *
 * A pattern is what set_ftrace_filter takes: a name or a glob (value*, *value, *value*, a*b, ?, [abc]),
 * with a leading '!' and with what follows a ':' ignored, but for ":mod:NAME", which asks for the
 * functions of that module.
 *
 * Files are read when they are first needed: the list of functions that can be traced (45 000 lines)
 * for every check, the symbols and the rest only when there is something to explain. One owner.
 */
#ifndef SONDE_CAPTURE_KERNEL_FUNCTIONS_H
#define SONDE_CAPTURE_KERNEL_FUNCTIONS_H

#include "capture/tracefs/tracefs.h"

struct errmsg;
struct kfunctions;

/* Where else to look; what is NULL is taken from this machine. */
struct kfunctions_paths {
	const char *kallsyms;  /* /proc/kallsyms */
	const char *blacklist; /* /sys/kernel/debug/kprobes/blacklist */
	const char *btf;       /* /sys/kernel/btf/vmlinux */
	const char *modules;   /* the directory of modules.symbols: /lib/modules/RELEASE */
	const char *loaded;    /* /proc/modules */
};

/* paths may be NULL; it and what it names must stay. NULL without memory. */
struct kfunctions *kfunctions_new(const struct tracefs *t, const struct kfunctions_paths *paths);
void kfunctions_free(struct kfunctions *f);

/*
 * The number of functions that match, at least 1. Negative if there is none (-ENOENT), or if the list
 * cannot be had, with a sentence that says why and names the nearest that can be traced.
 */
int kfunctions_check(struct kfunctions *f, const char *pattern, struct errmsg *err);

/* True if exactly this function can be traced; no reasons are looked for. */
bool kfunctions_can(struct kfunctions *f, const char *name);

/* kfunctions_check() for a caller with one question only: 0, or negative with the sentence. */
int kfunctions_explain(const struct tracefs *t, const char *pattern, struct errmsg *err);

/*
 * Why the kernel refused a probe (kprobe) on the function: on its blacklist, data, inlined everywhere, not
 * loaded, not there, notrace. 0 if nothing is known against it. Not to be asked before it refused: some
 * kernels probe functions that cannot be traced.
 */
int kfunctions_explain_probe(const struct tracefs *t, const char *name, struct errmsg *err);

/* Calls visit with the name (ended by NUL) of each match until it returns negative. */
int kfunctions_each(struct kfunctions *f, const char *pattern,
		    int (*visit)(void *ctx, const char *name), void *ctx, struct errmsg *err);

/*
 * The name that this kernel has for a function of another one: sys_read, do_IRQ, vfs_x.isra.0. The name
 * itself if it can be traced, NULL if nothing is known that could stand for it. Stays until
 * kfunctions_free().
 */
const char *kfunctions_substitute(struct kfunctions *f, const char *name);

#endif
