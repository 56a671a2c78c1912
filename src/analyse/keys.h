/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys.h - the words after --by: what they mean in an event, their value in a record, its text.
 *
 *	WORD is a field of the event, or one of $cpu $pid $comm $task $event (the $ may be left out where
 *	the event has no field of that name), or $syscall, the name of the call that an event is of, or $func, the function that a
 *	probe was hit in or a function tracer tells of.
 *
 *	key_bind ─▶ key_slot, once for each event ─▶ key_read, for each record: a number ─▶ key_fmt, once
 *
 * A value is always 64 bits: a number, sign-extended, or the address of a text that the reader keeps once.
 * So records are compared without making text. One owner.
 */
#ifndef SONDE_ANALYSE_KEYS_H
#define SONDE_ANALYSE_KEYS_H

#include "analyse/namepool.h"
#include "decode/print/print.h"

#define KEYS_MAX	 4
#define KEY_WORD_MAX	 96
#define KEY_TEXT_MAX_LEN 4096

struct errmsg;
struct spelling;
struct task;

enum key_kind {
	KEY_ABSENT, /* the event has nothing of that name */
	KEY_NUMBER,
	KEY_TEXT,
	KEY_CPU,
	KEY_PID,
	KEY_COMM,
	KEY_TASK,
	KEY_EVENT,
};

/* A word, found in one event. */
struct key_slot {
	enum key_kind kind;
	const struct field *field;
	const struct arg *names; /* what its print format calls the values; NULL: numbers */
	bool is_array;		 /* a text that the print format makes of several numbers */
	enum number_shown shown; /* what else the print format makes of it, by ev */
	const struct event *ev;
	bool is_syscall; /* its number is that of a system call */
};

struct keyreader {
	struct printer printer;
	struct textbuf text;
	struct namepool pool;
	const struct task *last_task;
	uint64_t last_comm, last_name;
	bool has_cut; /* key_of_cut_text() was called */
	struct {      /* addresses of functions of programs, as programs_unify() has them */
		uint64_t from, to;
	} unified[64];
};

int keyreader_init(struct keyreader *kr, struct formats *f);
/* Without a trace: only key_of_text(), key_of_number() and key_fmt(). */
void keyreader_init_texts(struct keyreader *kr);
void keyreader_release(struct keyreader *kr);

/* What a probe's arguments are called as fields: $retval becomes ret. Before it is bound. */
void key_take_argument(char word[KEY_WORD_MAX]);
struct key_slot key_bind(const struct event *ev, const char *word);
/*
 * Looks for what was meant by a word that is no field. Of an array of texts, which has a field for each, it is the first of
 * them.
 */
void key_spell_field(struct spelling *sp, const struct event *ev);
/* Is it one of the words that every event knows? */
bool key_is_general(const char *word);
/*
 * May events be matched by it? What every event knows must be written as that, $pid: a forgotten "next_" would match the
 * wrong task.
 */
bool key_can_match(const struct key_slot *slot, const char *word);

/* Is the value the address of a text? */
static inline bool key_is_text(const struct key_slot *slot)
{
	return slot->kind == KEY_TEXT || slot->kind >= KEY_COMM;
}

/* Does it point at code, so that its text is the name of a function? */
bool key_is_code(const struct key_slot *slot);
/* Can it be printed as a number, without loss? */
bool key_is_plain(const struct key_slot *slot);
/* … or, of values that have names, this one has none. */
bool key_is_nameless(const struct key_slot *slot, uint64_t value);

/* 0 for what is absent, cut off or does not fit into memory. */
uint64_t key_read(struct keyreader *kr, const struct key_slot *slot, const struct record *rec);

void key_fmt(struct keyreader *kr, const struct key_slot *slot, uint64_t value, struct textbuf *tb);

/* The kernel's symbol that covers an address, or NULL. The symbols are read when first asked for. */
const struct ksym *keyreader_symbol(struct keyreader *kr, uint64_t addr);

/* The value of a number that did not come from a record, as key_read() would have it. */
uint64_t key_of_number(struct keyreader *kr, const struct key_slot *slot, uint64_t number);
/* The value of a text that did not come from a record. */
uint64_t key_of_text(struct keyreader *kr, const char *text, size_t len);
/* … that is known to be longer: it ends in "…". */
uint64_t key_of_cut_text(struct keyreader *kr, const char *text, size_t len);

/* Does "EVENT", "SYSTEM", "SYSTEM:EVENT", "SYSTEM/EVENT", "all" or a glob name the event? */
bool key_event_matches(const char *pattern, const char *system, const char *name);

/* -ENOENT, with a sentence that names the nearest event of the trace. */
int key_refuse_event(const struct formats *f, const char *pattern, struct errmsg *err);

#endif
