/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * trigger.h - uftrace's language of filters and triggers: what happens at which function.
 *
 *	-F f            f@filter          only f and what it calls
 *	-N f            !f                neither f nor what it calls
 *	-C f, -H f      f@caller, f@hide
 *	-L place        place@loc         functions of a source file
 *	-T f@depth=2,time=1us,…           anything
 *	info file       f@arg1,retval/s   which values were recorded
 *
 * Words are joined with ';'. A name is a regular expression or a glob, or plain if it has none of
 * their characters. "f@libx.so,depth=1" is only f of that library.
 *
 * The result is a table from symbols to what happens there. Only one thread may use it at a time.
 * The symbols must stay valid.
 */
#ifndef SONDE_ANALYSE_UFTRACE_TRIGGER_H
#define SONDE_ANALYSE_UFTRACE_TRIGGER_H

#include "base/map.h"
#include "symbols/uftrace/argspec.h"
#include "symbols/uftrace/session.h"

/* What happens at a function. */
enum uft_action {
	/* it and what it calls */
	UFT_DO_SELECT = 1 << 0,
	UFT_DO_EXCLUDE = 1 << 1,
	UFT_DO_DEPTH = 1 << 2,
	UFT_DO_TIME = 1 << 3,
	UFT_DO_SIZE = 1 << 4,
	/* it alone */
	UFT_DO_HIDE = 1 << 5,
	UFT_DO_WANT_FILE = 1 << 6,
	UFT_DO_DROP_FILE = 1 << 7,
	UFT_DO_CALLER = 1 << 8,
	UFT_DO_KEEP = 1 << 9, /* however short it is */
	/* all that follows */
	UFT_DO_SWITCH_ON = 1 << 10,
	UFT_DO_SWITCH_OFF = 1 << 11,
	/* its line */
	UFT_DO_BACKTRACE = 1 << 12,
	UFT_DO_COLOUR = 1 << 13,
	UFT_DO_ARGS = 1 << 14,
	UFT_DO_RETVAL = 1 << 15,
	/* for recorders */
	UFT_DO_FINISH = 1 << 16,
	UFT_DO_NOTHING = 1 << 17,
};

struct uft_trigger {
	unsigned actions; /* enum uft_action */
	int depth;
	uint64_t time_ns;
	uint32_t size;
	char colour; /* r g b … as in uftrace's colours */
	struct uft_arg *args;
};

struct uft_triggers {
	struct map by_sym;
	struct arena arena;
	bool is_glob;
	bool has_selected, has_files; /* there is a -F, a -L that wants something */
	bool has_callers;
};

enum uft_word_kind {
	UFT_WORDS_FILTER,
	UFT_WORDS_TRIGGER,
	UFT_WORDS_CALLER,
	UFT_WORDS_HIDE,
	UFT_WORDS_FILE,
	UFT_WORDS_ARGS,
	UFT_WORDS_RETVAL,
};

void uft_triggers_init(struct uft_triggers *t, bool is_glob);
void uft_triggers_release(struct uft_triggers *t);

/*
 * Adds the words of one option. Returns how many functions they apply to, or -ENOMEM. is_auto: the
 * values are those of --auto-args.
 */
int uft_triggers_add(struct uft_triggers *t, const struct uft_names *names, enum uft_word_kind kind,
		     const char *words);
/* --auto-args: values by the debug information of functions, else by these tables. */
int uft_triggers_add_auto(struct uft_triggers *t, const struct uft_names *names, const char *args,
			  const char *retvals);

static inline const struct uft_trigger *uft_trigger_find(const struct uft_triggers *t,
							 const struct uft_sym *sym)
{
	return sym ? map_find(&t->by_sym, (uintptr_t)sym) : NULL;
}

#endif
