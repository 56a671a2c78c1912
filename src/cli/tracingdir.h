/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracingdir.h - what a trace needs to know about the kernel, read from its tracing directory: the
 * layout of sub-buffers, the formats of all events, symbols, printk formats, task names, the clock.
 *
 * The texts have the forms that tracefile.h describes and stay until tracingdir_release().
 */
#ifndef SONDE_CLI_TRACINGDIR_H
#define SONDE_CLI_TRACINGDIR_H

#include "base/textbuf.h"
#include "store/tracefile.h"

struct errmsg;

struct tracingdir {
	struct textbuf texts[TRACEFILE_TEXT_KINDS];
	struct textbuf clock; /* "[local] global …" with its NUL */
	char clock_name[64];  /* "local" */
	char uname[400];      /* "Linux host 6.1.0 x86_64" */
	uint32_t page_size;
	uint8_t long_size, data_offset;
};

/*
 * dir NULL: where it is mounted. kallsyms NULL: /proc/kallsyms. Only the layout of sub-buffers must
 * be there; what else cannot be read stays empty.
 */
int tracingdir_read(struct tracingdir *td, const char *dir, const char *kallsyms,
		    struct errmsg *err);
void tracingdir_release(struct tracingdir *td);

#endif
