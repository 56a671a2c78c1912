// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * userevents.c - the texts that describe user functions in a trace file.
 *
 * The print formats use only what trace-cmd 3.1.6 and KernelShark's library print well: %ps with
 * the function's address, which kallsyms names. Indentation is "%*s" with the depth.
 *
 *	kallsyms   0000000000000010 t main	[prog]
 *	           0000000000000020 t parse_value	[prog]
 *
 * The addresses are below those of any kernel, and 16 apart, so that a reader which looks for the
 * last symbol before an address finds the right one.
 */
#include "store/events/userevents.h"

#include "base/array.h"
#include "base/textbuf.h"
#include "store/events/eventformats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

_Static_assert(offsetof(struct userevents_record, func) == 8, "as in the formats");
_Static_assert(offsetof(struct userevents_record, duration_ns) == USEREVENTS_SHORT_BYTES,
	       "as in the formats");
_Static_assert(sizeof(struct userevents_record) == USEREVENTS_CALL_BYTES, "as in the formats");

#define FUNC_NAME "(void *)(unsigned long)REC->func"
/* Deeper calls are not indented further: a line is not longer than a screen is wide. */
#define INDENT	  "(REC->depth < 50 ? REC->depth * 2 : 100), \"\""

#define DURATION  "REC->duration / 1000, REC->duration % 1000"

static const struct {
	const char *name;
	enum userevents_id id;
	bool has_duration, has_args, has_ret;
	const char *print;
	bool has_text;
} events[] = {
	{"user_entry", USEREVENTS_ENTRY, false, false, false,
	 "\"%*s%ps() {\", " INDENT ", " FUNC_NAME},
	{"user_exit", USEREVENTS_EXIT, false, false, false,
	 "\"%*s} /* %ps */\", " INDENT ", " FUNC_NAME},
	{"user_call", USEREVENTS_CALL, true, false, false,
	 "\"%*s%ps(); /* %u.%03u us */\", " INDENT ", " FUNC_NAME ", " DURATION},
	{"user_entry_args", USEREVENTS_ENTRY_ARGS, false, true, false,
	 "\"%*s%ps(%s) {\", " INDENT ", " FUNC_NAME ", __get_str(args)"},
	{"user_exit_value", USEREVENTS_EXIT_VALUE, false, false, true,
	 "\"%*s} = %s; /* %ps */\", " INDENT ", __get_str(ret), " FUNC_NAME},
	{"user_call_args", USEREVENTS_CALL_ARGS, true, true, false,
	 "\"%*s%ps(%s); /* %u.%03u us */\", " INDENT ", " FUNC_NAME ", __get_str(args), " DURATION},
	{"user_call_value", USEREVENTS_CALL_VALUE, true, true, true,
	 "\"%*s%ps(%s) = %s; /* %u.%03u us */\", " INDENT ", " FUNC_NAME
	 ", __get_str(args), __get_str(ret), " DURATION},
	{"user_switch", USEREVENTS_SWITCH, .has_text = true,
	 .print = "\"%ps %s\", " FUNC_NAME ", __get_str(text)"},
	{"user_stack", USEREVENTS_STACK, .has_text = true, .print = "\"%s\", __get_str(text)"},
	{"user_counters", USEREVENTS_COUNTERS, .has_text = true,
	 .print = "\"%ps: %s\", " FUNC_NAME ", __get_str(text)"},
	{"user_mark", USEREVENTS_MARK, .has_text = true, .print = "\"%s\", __get_str(text)"},
};

/* Places of texts are counted from the beginning of the record. */
static uint32_t put_text(uint8_t *record, uint32_t place_at, uint32_t at, const char *text,
			 uint32_t len)
{
	uint32_t place = (len + 1) << 16 | at;

	memcpy(record + place_at, &place, sizeof(place));
	memcpy(record + at, text, len);
	record[at + len] = 0;
	return at + len + 1;
}

uint32_t userevents_fill_texts(struct userevents_long *record, const char *args, uint32_t args_len,
			       const char *ret, uint32_t ret_len)
{
	bool is_call = record->head.type == USEREVENTS_CALL, has_args = args_len, has_ret = ret_len;
	uint32_t places = is_call ? USEREVENTS_CALL_BYTES : USEREVENTS_SHORT_BYTES, at;
	uint8_t *bytes = (uint8_t *)record;

	if (is_call) {
		record->head.type = has_ret ? USEREVENTS_CALL_VALUE : USEREVENTS_CALL_ARGS;
		has_args = true;
	} else if (record->head.type != USEREVENTS_STACK &&
		   record->head.type != USEREVENTS_COUNTERS) {
		record->head.type = has_ret ? USEREVENTS_EXIT_VALUE : USEREVENTS_ENTRY_ARGS;
	}
	at = places + 4 * (has_args + has_ret);
	if (has_args)
		at = put_text(bytes, places, at, args, args_len);
	if (has_ret)
		at = put_text(bytes, places + 4 * has_args, at, ret, ret_len);
	return at;
}

void userevents_fmt_header_page(struct textbuf *tb, uint32_t page_size)
{
	textbuf_addf(tb,
		     "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		     "\tfield: local_t commit;\toffset:8;\tsize:%zu;\tsigned:1;\n"
		     "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		     "\tfield: char data;\toffset:%zu;\tsize:%zu;\tsigned:1;\n",
		     sizeof(long), 8 + sizeof(long), page_size - 8 - sizeof(long));
}

void userevents_fmt_header_event(struct textbuf *tb)
{
	textbuf_add_str(tb, "# compressed entry header\n"
			    "\ttype_len    :    5 bits\n"
			    "\ttime_delta  :   27 bits\n"
			    "\tarray       :   32 bits\n"
			    "\n"
			    "\tpadding     : type == 29\n"
			    "\ttime_extend : type == 30\n"
			    "\ttime_stamp : type == 31\n"
			    "\tdata max type_len  == 28\n");
}

static void add_format(struct textbuf *tb, size_t i)
{
	struct eventformats f;

	eventformats_begin(&f, tb, events[i].name, events[i].id);
	eventformats_add_field(&f, "u32 func", 4, false);
	eventformats_add_field(&f, "u32 depth", 4, false);
	if (events[i].has_duration)
		eventformats_add_field(&f, "u32 duration", 4, false);
	if (events[i].has_args)
		eventformats_add_field(&f, "__data_loc char[] args", 4, true);
	if (events[i].has_ret)
		eventformats_add_field(&f, "__data_loc char[] ret", 4, true);
	if (events[i].has_text)
		eventformats_add_field(&f, "__data_loc char[] text", 4, true);
	eventformats_end(&f, events[i].print);
}

void userevents_add_formats(struct textbuf *tb)
{
	eventformats_add_system(tb, "user", ARRAY_LEN(events));
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		add_format(tb, i);
}

uint32_t userevents_fmt_note(struct userevents_note *note, enum userevents_id type, uint32_t func,
			     const char *text)
{
	uint32_t at = offsetof(struct userevents_note, text), len = strlen(text);

	if (len >= USEREVENTS_TEXT_BYTES)
		len = USEREVENTS_TEXT_BYTES - 1;
	*note = (struct userevents_note){.type = type, .pid = getpid(), .func = func};
	memcpy(note->text, text, len);
	note->text_loc = (len + 1) << 16 | at;
	return (at + len + 4) / 4 * 4;
}

void userevents_add_symbol(struct textbuf *tb, uint32_t number, const char *name, const char *file)
{
	eventformats_add_symbol(tb, userevents_func(number), name, file);
}
