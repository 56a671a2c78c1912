// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * hook.c - parses the text of a hook.
 *
 *	 sched:sched_switch , prev_pid , next_pid / sched:sched_wakeup , pid , p
 *	└──── event ──────┘ └ match ┘ └── pid ──┘ └───── event ──────┘ └match┘ └flags┘
 *
 * A slash separates start and end; in each half commas separate the words, and a colon the system
 * from the event. An error message shows the correct form.
 */
#include "analyse/profile/hook.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HALF_WORDS 3

static int refuse(struct errmsg *err, const char *text, size_t len, const char *why)
{
	return errmsg_set(err, -EINVAL,
			  "the hook '%.*s' %s; its form is "
			  "[SYSTEM:]EVENT,FIELD[,PIDFIELD]/[SYSTEM:]EVENT,FIELD[,FLAGS]",
			  (int)(len < 200 ? len : 200), text, why);
}

/* Splits "system:event". The system may be missing. */
static const char *split_event(char *word, const char **ret_system)
{
	char *colon = strchr(word, ':');

	*ret_system = NULL;
	if (!colon)
		return word;
	*colon = 0;
	*ret_system = word;
	return colon + 1;
}

/*
 * Splits one half at its commas. Returns the number of words, or -1 if there are too many or one is
 * empty.
 */
static int split_half(char *half, char *words[HALF_WORDS])
{
	int n = 0;

	for (char *s = half; s; n++) {
		char *comma = strchr(s, ',');

		if (n == HALF_WORDS)
			return -1;
		if (comma)
			*comma = 0;
		if (!*s)
			return -1;
		words[n] = s;
		s = comma ? comma + 1 : NULL;
	}
	return n;
}

static bool read_flags(struct profile_hook *h)
{
	for (const char *s = h->flags; s && *s; s++)
		switch (*s | 0x20) { /* either case */
		case 'p':
			h->pinned = true;
			break;
		case 'g':
			h->global = true;
			break;
		case 's':
			h->stack = true;
			break;
		default:
			return false;
		}
	return true;
}

int profile_hook_parse(struct profile_hook *ret, const char *text, size_t len, struct errmsg *err)
{
	char *start[HALF_WORDS] = {0}, *end[HALF_WORDS] = {0};
	struct profile_hook h = {.text = strndup(text, len)};
	char *slash;
	const char *why = NULL;

	if (!h.text)
		return errmsg_set_errno(err, -ENOMEM, "cannot read a hook");
	slash = strchr(h.text, '/');
	if (slash)
		*slash = 0;
	if (!slash)
		why = "has no '/' between its start and its end";
	else if (split_half(h.text, start) < 2)
		why = "does not say which event starts it, and by which field";
	else if (split_half(slash + 1, end) < 2)
		why = "does not say which event ends it, and by which field";
	if (!why) {
		h.start_event = split_event(start[0], &h.start_system);
		h.start_match = start[1];
		h.start_pid = start[2];
		h.end_event = split_event(end[0], &h.end_system);
		h.end_match = end[1];
		h.flags = end[2];
		if (!*h.start_event || !*h.end_event)
			why = "names no event";
		else if (!read_flags(&h))
			why = "has a flag that is none of p, g and s";
	}
	if (why) {
		free(h.text);
		return refuse(err, text, len, why);
	}
	*ret = h;
	return 0;
}

void profile_hook_release(struct profile_hook *hook)
{
	free(hook->text);
	*hook = (struct profile_hook){0};
}
