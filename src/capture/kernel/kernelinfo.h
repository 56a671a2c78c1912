/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernelinfo.h - reads the description of the kernel for a trace file from the tracing directory:
 * the layout of sub-buffers, the formats of all events, symbols, printk formats, task names, the
 * clock.
 *
 * tracefile.h describes the forms of the texts; they are valid until kernelinfo_release().
 */
#ifndef SONDE_CAPTURE_KERNEL_KERNELINFO_H
#define SONDE_CAPTURE_KERNEL_KERNELINFO_H

#include "base/textbuf.h"
#include "store/tracefile.h"

struct errmsg;

struct kernelinfo {
	struct textbuf texts[TRACEFILE_TEXT_KINDS];
	struct textbuf clock; /* "[local] global …", ended by NUL */
	char clock_name[64];  /* "local" */
	char uname[400];      /* "Linux host 6.1.0 x86_64" */
	uint32_t page_size;
	uint8_t long_size, data_offset;
};

struct kernelinfo_config {
	const char *dir;      /* NULL: the mounted one */
	const char *kallsyms; /* NULL: /proc/kallsyms */
	/*
	 * Selects the events whose formats are read; NULL: all. Those of the tracers are always
	 * read.
	 */
	bool (*wants)(void *ctx, const char *system, const char *event);
	/* Replaces the text of a format and the name of a system; each may be NULL. */
	bool (*reformat)(void *ctx, const char *system, const char *event, const char *text,
			 size_t len, struct textbuf *out);
	const char *(*rename)(void *ctx, const char *system);
	void *ctx;
	bool no_formats; /* read no formats except those of the tracers */
};

/*
 * Reads the description. Only the layout of sub-buffers is required; all other files that cannot be
 * read stay empty.
 */
int kernelinfo_read(struct kernelinfo *ki, const struct kernelinfo_config *config,
		    struct errmsg *err);
void kernelinfo_release(struct kernelinfo *ki);

/*
 * Reads the names of all tasks, as "PID NAME" lines sorted by pid: those that the kernel's tracer
 * saved, and those of living tasks. dir is as in kernelinfo_config. earlier is the same text, read
 * before, or NULL; tasks that ended since then keep their name. last is such a text with the names
 * that tasks had at their end, or NULL: the tracer of the kernel may have seen them only before.
 */
void kernelinfo_read_names(const char *dir, const struct textbuf *earlier,
			   const struct textbuf *last, struct textbuf *out);
/*
 * Returns the length of the name in the text of /proc: for "kworker/0:1-events", whose end is the
 * current work, the part before the dash. Events have this name.
 */
size_t kernelinfo_bare_name(const char *name, size_t len);

#endif
