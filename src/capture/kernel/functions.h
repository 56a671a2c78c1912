/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h - the kernel's functions by name or pattern: which can be traced, and why others
 * cannot.
 *
 *	kfunctions_new ─▶ kfunctions_check, kfunctions_each, kfunctions_substitute … ─▶ kfunctions_free
 *
 * A pattern is what set_ftrace_filter accepts: a name or a glob (value*, *value, *value*, a*b, ?,
 * [abc]). A leading '!' is ignored, and so is everything after a ':', except ":mod:NAME", which
 * selects the functions of that module.
 *
 * Files are read when they are first needed: every check reads the list of traceable functions (45
 * 000 lines); symbols and other files are read only to explain a failure. One owner.
 */
#ifndef SONDE_CAPTURE_KERNEL_FUNCTIONS_H
#define SONDE_CAPTURE_KERNEL_FUNCTIONS_H

#include "capture/tracefs/tracefs.h"

struct errmsg;
struct kfunctions;

/* Replacements for files of this machine; NULL: use the machine's own. */
struct kfunctions_paths {
	const char *kallsyms;  /* /proc/kallsyms */
	const char *blacklist; /* /sys/kernel/debug/kprobes/blacklist */
	const char *btf;       /* /sys/kernel/btf/vmlinux */
	const char *modules;   /* the directory of modules.symbols: /lib/modules/RELEASE */
	const char *loaded;    /* /proc/modules */
};

/* paths may be NULL; it must stay valid, with its strings. Returns NULL if out of memory. */
struct kfunctions *kfunctions_new(const struct tracefs *t, const struct kfunctions_paths *paths);
void kfunctions_free(struct kfunctions *f);

/*
 * Returns the number of functions that match, at least 1. Returns negative if there is none
 * (-ENOENT), or if the list cannot be read; err says why and names the nearest traceable function.
 */
int kfunctions_check(struct kfunctions *f, const char *pattern, struct errmsg *err);

/* True if exactly this function can be traced; does not look for reasons. */
bool kfunctions_can(struct kfunctions *f, const char *name);

/* kfunctions_check() for a single question: returns 0, or negative with a message. */
int kfunctions_explain(const struct tracefs *t, const char *pattern, struct errmsg *err);

/*
 * Explains why the kernel refused a kprobe on the function: on its blacklist, data, inlined
 * everywhere, not loaded, not there, notrace. Returns 0 if it finds no reason. Call it only after a
 * refusal: some kernels can probe functions that cannot be traced.
 */
int kfunctions_explain_probe(const struct tracefs *t, const char *name, struct errmsg *err);

/* Calls visit with the name (ended by NUL) of each match until visit returns negative. */
int kfunctions_each(struct kfunctions *f, const char *pattern,
		    int (*visit)(void *ctx, const char *name), void *ctx, struct errmsg *err);

/*
 * The name in this kernel for a function of another kernel: sys_read, do_IRQ, vfs_x.isra.0. Returns
 * the name itself if it can be traced, NULL if no replacement is known. Valid until
 * kfunctions_free().
 */
const char *kfunctions_substitute(struct kfunctions *f, const char *name);

#endif
