/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h - finds the kernel's functions by name or pattern: those that can be traced, and
 * reasons why others cannot.
 *
 *  kfunctions_new ─▶ kfunctions_check, kfunctions_each, kfunctions_substitute … ─▶ kfunctions_free
 *
 * A pattern is what set_ftrace_filter accepts: a name or a glob (value*, *value, *value*, a*b, ?,
 * [abc]). A leading '!' is ignored, and so is everything after a ':', except ":mod:NAME", which
 * selects the functions of that module.
 *
 * Files are read when they are first needed: every check reads the list of traceable functions (45
 * 000 lines); symbols and other files are read only to explain a failure. Only one thread may use
 * it at a time.
 */
#ifndef SONDE_CAPTURE_KERNEL_FUNCTIONS_FUNCTIONS_H
#define SONDE_CAPTURE_KERNEL_FUNCTIONS_FUNCTIONS_H

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

/*
 * Creates an object. paths may be NULL; it must stay valid, with its strings. Returns NULL if out
 * of memory.
 */
struct kfunctions *kfunctions_new(const struct tracefs *t, const struct kfunctions_paths *paths);
void kfunctions_free(struct kfunctions *f);

/*
 * Returns the number of functions that match, at least 1. Returns -ENOENT if there is none, or
 * another negative errno if the list cannot be read; err has the reason and names the nearest
 * traceable function.
 */
int kfunctions_check(struct kfunctions *f, const char *pattern, struct errmsg *err);

/* Returns true if exactly this function can be traced. Does not search for reasons. */
bool kfunctions_can(struct kfunctions *f, const char *name);

/* Like kfunctions_check(), for a single name. Returns 0, or a negative errno with a message. */
int kfunctions_explain(const struct tracefs *t, const char *pattern, struct errmsg *err);

/*
 * Explains why the kernel refused a kprobe on the function: it is on the blacklist, data, inlined
 * everywhere, not loaded, missing, or notrace. Returns 0 if it finds no reason. Call it only after
 * a refusal: some kernels can probe functions that cannot be traced.
 */
int kfunctions_explain_probe(const struct tracefs *t, const char *name, struct errmsg *err);

/* Calls visit with the name (ended by NUL) of each match until visit returns a negative value. */
int kfunctions_each(struct kfunctions *f, const char *pattern,
		    int (*visit)(void *ctx, const char *name), void *ctx, struct errmsg *err);

/*
 * Returns the name in this kernel for a function of another kernel: sys_read, do_IRQ, vfs_x.isra.0.
 * Returns the name itself if it can be traced, NULL if no replacement is known. The name is valid
 * until kfunctions_free().
 */
const char *kfunctions_substitute(struct kfunctions *f, const char *name);

#endif
