/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * keys.h - interprets the words after --by: finds them in an event, reads their values from
 * records, and formats the values.
 *
 *	WORD is a field of the event, or one of $cpu $pid $comm $task $event (the $ may be omitted
 *	if the event has no field of that name), or $syscall, the name of the event's system call,
 *	or $func, the function that a probe hit or that a function tracer names.
 *
 *  key_bind ─▶ key_slot, once for each event ─▶ key_read, for each record: a number
 *      ─▶ key_fmt, once
 *
 * A value always has 64 bits: a number, sign-extended, or the address of a text that the reader
 * stores once. So records are compared without making text. Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_KEYS_H
#define SONDE_ANALYSE_KEYS_H

#include "analyse/namepool.h"
#include "base/textbuf.h"
#include "decode/print/print.h"
#include "symbols/kallsyms.h"

#define KEYS_MAX	 4
#define KEY_WORD_MAX	 96
#define KEY_TEXT_MAX_LEN 4096

struct errmsg;
struct spelling;
struct task;

enum key_kind {
	KEY_ABSENT, /* the event has no field of that name */
	KEY_NUMBER,
	KEY_TEXT,
	KEY_CPU,
	KEY_PID,
	KEY_COMM,
	KEY_TASK,
	KEY_EVENT,
};

/* The meaning of a word in one event. */
struct key_slot {
	enum key_kind kind;
	const struct field *field;
	/* names of the field's values in the print format; NULL: numbers */
	const struct arg *names;
	bool is_array; /* the print format makes one text of several numbers */
	/* any other form in which the print format of ev shows the number */
	enum number_shown shown;
	const struct event *ev;
	bool is_syscall; /* the number is that of a system call */
};

struct keyreader {
	struct printer printer;
	struct textbuf text;
	struct namepool pool;
	const struct task *last_task;
	uint64_t last_comm, last_name;
	bool has_cut; /* key_of_cut_text() was called */
	struct {      /* addresses of functions of programs, unified by programs_unify() */
		uint64_t from, to;
	} unified[64];
};

int keyreader_init(struct keyreader *kr, struct formats *f);
/*
 * Initialises a reader without a trace, which supports only key_of_text(), key_of_number() and
 * key_fmt().
 */
void keyreader_init_texts(struct keyreader *kr);
void keyreader_release(struct keyreader *kr);

/* Converts a probe's argument to its field name: $retval becomes ret. Call it before binding. */
void key_take_argument(char word[KEY_WORD_MAX]);
struct key_slot key_bind(const struct event *ev, const char *word);
/*
 * Searches for a similar word among the fields. An array of texts has a field for each element; the
 * first one is used.
 */
void key_spell_field(struct spelling *sp, const struct event *ev);
/*
 * Returns true if the word can match events. A general word must be written with the $, as in $pid:
 * if a user forgets "next_", "pid" would match the wrong task.
 */
bool key_can_match(const struct key_slot *slot, const char *word);

/* Returns the value of the same text in another reader: what key_of_text() returns for it. */
uint64_t key_of_same_text(struct keyreader *kr, uint64_t value);

/* Returns true if the value is the address of a text. */
static inline bool key_is_text(const struct key_slot *slot)
{
	return slot->kind == KEY_TEXT || slot->kind >= KEY_COMM;
}

/* Returns true if the value points to code, so that its text is the name of a function. */
bool key_is_code(const struct key_slot *slot);
/* Returns true if the value can be printed as a number, without loss. */
bool key_is_plain(const struct key_slot *slot);
/* Returns true if key_is_plain(), or if the field has names for values, but none for this value. */
bool key_is_nameless(const struct key_slot *slot, uint64_t value);

/* Reads a value. Returns 0 for a value that is absent, truncated or does not fit into memory. */
uint64_t key_read(struct keyreader *kr, const struct key_slot *slot, const struct record *rec);

void key_fmt(struct keyreader *kr, const struct key_slot *slot, uint64_t value, struct textbuf *tb);

/*
 * Returns the kernel's symbol that covers an address, or NULL. The symbols are read when first
 * needed.
 */
const struct ksym *keyreader_symbol(struct keyreader *kr, uint64_t addr);

/* Returns the value of a number from outside a record, like key_read(). */
uint64_t key_of_number(struct keyreader *kr, const struct key_slot *slot, uint64_t number);
/* Returns the value of a text from outside a record. */
uint64_t key_of_text(struct keyreader *kr, const char *text, size_t len);
/* Like key_of_text(), for a text that is known to be longer: it ends with "…". */
uint64_t key_of_cut_text(struct keyreader *kr, const char *text, size_t len);

/*
 * Returns true if "EVENT", "SYSTEM", "SYSTEM:EVENT", "SYSTEM/EVENT", "all" or a glob matches the
 * event.
 */
bool key_event_matches(const char *pattern, const char *system, const char *name);

/* Returns -ENOENT with a message that names the nearest event of the trace. */
int key_refuse_event(const struct formats *f, const char *pattern, struct errmsg *err);

#endif
