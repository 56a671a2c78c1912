/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernelinfo.h - what a trace needs to know about the kernel, read from its tracing directory: the
 * layout of sub-buffers, the formats of all events, symbols, printk formats, task names, the clock.
 *
 * The texts have the forms that tracefile.h describes and stay until kernelinfo_release().
 */
#ifndef SONDE_CAPTURE_KERNEL_KERNELINFO_H
#define SONDE_CAPTURE_KERNEL_KERNELINFO_H

#include "base/textbuf.h"
#include "store/tracefile.h"

struct errmsg;

struct kernelinfo {
	struct textbuf texts[TRACEFILE_TEXT_KINDS];
	struct textbuf clock; /* "[local] global …" with its NUL */
	char clock_name[64];  /* "local" */
	char uname[400];      /* "Linux host 6.1.0 x86_64" */
	uint32_t page_size;
	uint8_t long_size, data_offset;
};

struct kernelinfo_config {
	const char *dir;      /* NULL: where it is mounted */
	const char *kallsyms; /* NULL: /proc/kallsyms */
	/* Which events' formats are wanted; NULL: all. Those of the tracers always are. */
	bool (*wants)(void *ctx, const char *system, const char *event);
	/* Another text for a format, and another name for a system; each may be NULL. */
	bool (*reformat)(void *ctx, const char *system, const char *event, const char *text,
			 size_t len, struct textbuf *out);
	const char *(*rename)(void *ctx, const char *system);
	void *ctx;
	bool no_formats; /* none at all but those of the tracers */
};

/* Only the layout of sub-buffers must be there; what else cannot be read stays empty. */
int kernelinfo_read(struct kernelinfo *ki, const struct kernelinfo_config *config,
		    struct errmsg *err);
void kernelinfo_release(struct kernelinfo *ki);

/*
 * The names of all tasks, "PID NAME" lines by number: those that the kernel's tracer saved, and those
 * that are alive (dir as above). earlier: the same text, read before; tasks that are gone since then
 * keep their name. May be NULL.
 */
void kernelinfo_read_names(const char *dir, const struct textbuf *earlier, struct textbuf *out);
/*
 * How much of what /proc says is the name: of "kworker/0:1-events", which tells what it works on, all before the
 * dash. It is what events have.
 */
size_t kernelinfo_bare_name(const char *name, size_t len);

#endif
