// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * eventformats.c - the text of event formats and symbols for events that sonde makes.
 *
 * The lengths in front of the texts are written when a text is complete. Readers look an address up
 * in kallsyms, so every function that sonde's events name has a line there. A reader that finds no
 * line for an address takes the one before it: the caller adds a line for unknown functions, too.
 */
#include "store/events/eventformats.h"

#include "base/textbuf.h"

#include <string.h>

void eventformats_add_system(struct textbuf *tb, const char *name, uint32_t n_events)
{
	uint32_t n = 0;

	if (!textbuf_len(tb))
		textbuf_add(tb, (const char *)&n, 4);
	textbuf_add(tb, name, strlen(name) + 1);
	textbuf_add(tb, (const char *)&n_events, 4);
	if (tb->overflow)
		return;
	memcpy(&n, tb->start, 4);
	n++;
	memcpy(tb->start, &n, 4);
}

void eventformats_begin(struct eventformats *f, struct textbuf *tb, const char *name, uint32_t id)
{
	uint64_t length = 0;

	*f = (struct eventformats){
		.tb = tb, .at = textbuf_len(tb), .offset = EVENTFORMATS_COMMON_BYTES};
	textbuf_add(tb, (const char *)&length, 8);
	textbuf_addf(tb,
		     "name: %s\n"
		     "ID: %u\n"
		     "format:\n"
		     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		     "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		     "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		     "\n",
		     name, id);
}

void eventformats_add_field(struct eventformats *f, const char *declaration, uint32_t n_bytes,
			    bool is_signed)
{
	textbuf_addf(f->tb, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", declaration,
		     f->offset, n_bytes, is_signed);
	f->offset += n_bytes;
}

void eventformats_end(struct eventformats *f, const char *print)
{
	uint64_t length;

	textbuf_addf(f->tb, "\nprint fmt: %s\n", print);
	if (f->tb->overflow)
		return;
	length = textbuf_len(f->tb) - f->at - 8;
	memcpy(f->tb->start + f->at, &length, 8);
}

static void add_word(struct textbuf *tb, const char *word)
{
	for (; *word; word++) {
		unsigned char c = *word;

		if (c == ' ' || (c >= '\t' && c <= '\r'))
			textbuf_add_str(tb, "\302\240"); /* a no-break space */
		else if (c < ' ' || c == 127)
			textbuf_add_char(tb, '?');
		else
			textbuf_add_char(tb, (char)c);
	}
}

void eventformats_add_symbol(struct textbuf *tb, uint64_t address, const char *name,
			     const char *file)
{
	textbuf_addf(tb, "%016llx t ", (unsigned long long)address);
	add_word(tb, name);
	if (file) {
		textbuf_add_str(tb, "\t[");
		for (; *file; file++) /* a name in brackets ends at the first one that closes */
			textbuf_add_char(tb,
					 (unsigned char)*file <= ' ' || *file == ']' ? '_' : *file);
		textbuf_add_str(tb, "]");
	}
	textbuf_add_char(tb, '\n');
}
