// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernelimage.c - makes the bytes of a trace file from the contents of a tracing directory.
 *
 * The texts follow the head of a version 6 file, so that code that opens trace files can also read
 * a kernel. The file ends after its texts: it has no CPUs and no events.
 */
#include "capture/kernel/kernelimage.h"

#include "base/array.h"
#include "format/bytes.h"
#include "format/tracedat.h"
#include "store/tracefile.h"

#include <string.h>

static void add_number(struct textbuf *tb, uint64_t v, size_t n_bytes)
{
	uint32_t v32 = (uint32_t)v;

	if (n_bytes == sizeof(v))
		textbuf_add(tb, (const char *)&v, sizeof(v));
	else
		textbuf_add(tb, (const char *)&v32, sizeof(v32));
}

static void add_text(struct textbuf *tb, const struct textbuf *text, size_t length_bytes)
{
	if (length_bytes)
		add_number(tb, textbuf_len(text), length_bytes);
	textbuf_add(tb, text->start, textbuf_len(text));
}

void kernelimage_add(const struct kernelinfo *ki, struct textbuf *tb)
{
	static const struct {
		enum tracefile_text_kind kind;
		const char *tag;
		uint8_t length_bytes;
	} parts[] = {
		{TRACEFILE_HEADER_PAGE, "header_page", 8},
		{TRACEFILE_HEADER_EVENT, "header_event", 8},
		{TRACEFILE_FTRACE_FORMATS, NULL, 0},
		{TRACEFILE_EVENT_FORMATS, NULL, 0},
		{TRACEFILE_KALLSYMS, NULL, 4},
		{TRACEFILE_PRINTK, NULL, 4},
		{TRACEFILE_CMDLINES, NULL, 8},
	};
	char head[] = {'6', 0, bytes_host_is_big(), sizeof(long)};

	textbuf_add(tb, SNF_MAGIC, SNF_MAGIC_BYTES);
	textbuf_add(tb, head, sizeof(head));
	add_number(tb, ki->page_size, 4);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (parts[i].tag)
			textbuf_add(tb, parts[i].tag, strlen(parts[i].tag) + 1);
		add_text(tb, &ki->texts[parts[i].kind], parts[i].length_bytes);
	}
	add_number(tb, 0, 4); /* number of CPUs */
}
