/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * userevents.h - the events of user functions as a trace file has them: ids, bytes, formats, names.
 *
 * Other readers see ordinary events of a system "user" in a buffer of that name. A function is
 * shown as its synthetic address, which has a line in the file's kallsyms.
 */
#ifndef SONDE_STORE_EVENTS_USEREVENTS_H
#define SONDE_STORE_EVENTS_USEREVENTS_H

#include <stdint.h>

struct textbuf;

#define USEREVENTS_BUFFER "user" /* the instance */
#define USEREVENTS_CLOCK  "mono_raw"

/*
 * KernelShark keeps an id in 16 bits with a sign, so larger ids have no name and no text there. The
 * kernel numbers its events from 1 on, and has some thousands.
 */
enum userevents_id {
	USEREVENTS_ENTRY = 32701, /* a call begins */
	USEREVENTS_EXIT,	  /* it ends */
	USEREVENTS_CALL, /* a call without traced calls inside; the time is its beginning */
	/* the same with texts of the arguments, of the return value; CALL_VALUE has both */
	USEREVENTS_ENTRY_ARGS,
	USEREVENTS_EXIT_VALUE,
	USEREVENTS_CALL_ARGS,
	USEREVENTS_CALL_VALUE,
	/* of the recording itself, with a text: a function is switched off or on; a mark */
	USEREVENTS_SWITCH = 32721,
	USEREVENTS_MARK,
	USEREVENTS_STACK,    /* the open calls of the thread, because a rule asks for them */
	USEREVENTS_COUNTERS, /* what the kernel has counted during a call, because a rule asks */
};

/* The bytes of a record. ENTRY and EXIT end before `duration_ns`. */
struct userevents_record {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid; /* of the thread */
	uint32_t func, depth;
	uint32_t duration_ns;
};
#define USEREVENTS_SHORT_BYTES 16
#define USEREVENTS_CALL_BYTES  20
#define USEREVENTS_TEXT_MAX    1024 /* of arguments, of a return value, with the NUL */

/*
 * The bytes of a record with texts: struct userevents_record, then for each text a word with its
 * place, then the texts. type: one of those without texts, it becomes the fitting one; or
 * USEREVENTS_STACK or USEREVENTS_COUNTERS, whose text is `args`.
 */
struct userevents_long {
	struct userevents_record head;
	uint8_t rest[8 + 2 * USEREVENTS_TEXT_MAX];
};
/* Returns the length. An empty text is none, except the arguments in USEREVENTS_CALL_VALUE. */
uint32_t userevents_fill_texts(struct userevents_long *record, const char *args, uint32_t args_len,
			       const char *ret, uint32_t ret_len);

/* The synthetic address of a function; numbers begin at 0. */
#define USEREVENTS_FUNCTIONS_MAX ((1u << 28) - 2)
static inline uint32_t userevents_func(uint32_t number)
{
	return (number + 1) << 4;
}

/* The number of an address that userevents_func() made; a large one for the address 0. */
static inline uint32_t userevents_number(uint32_t func)
{
	return (func >> 4) - 1;
}

/* The bytes of a SWITCH or a MARK; text: a string of at most USEREVENTS_TEXT_BYTES - 1. */
#define USEREVENTS_TEXT_BYTES 1024u
struct userevents_note {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	uint32_t func, depth;
	uint32_t text_loc;
	char text[USEREVENTS_TEXT_BYTES];
};
/* Returns how many bytes of the note count. A longer text is cut. */
uint32_t userevents_fmt_note(struct userevents_note *note, enum userevents_id type, uint32_t func,
			     const char *text);

/* header_page and header_event for a file without any of the kernel. */
void userevents_fmt_header_page(struct textbuf *tb, uint32_t page_size);
void userevents_fmt_header_event(struct textbuf *tb);
/* Adds the system "user" to the formats of events, which may be empty. */
void userevents_add_formats(struct textbuf *tb);
/* A line of kallsyms. file: its base name. Characters that end a name there are replaced. */
void userevents_add_symbol(struct textbuf *tb, uint32_t number, const char *name, const char *file);

#endif
