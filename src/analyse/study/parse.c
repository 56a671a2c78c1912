// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * parse.c - parses the line of a question into a study_spec.
 *
 *	time irq:softirq_raise to irq:softirq_entry by CPU vec per vec top 10 as from raise to run
 *	^kind     ^from              ^to                ^keys     ^groups   ^top  ^title
 *
 *	count signal:signal_generate by TASK/sender sig comm/to
 *	                                ^group ^its heading
 *
 * Words are separated by blanks. A keyword defines the meaning of the words up to the next
 * keyword; "as" takes the rest of the line. A table lists the keywords of each kind of question.
 * Users write these lines by hand, so each kind of error has its own message.
 */
#include "analyse/study/study.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum place { PLACE_FROM, PLACE_TO, PLACE_KEYS, PLACE_GROUPS, PLACE_BEYOND, PLACE_TOP };

static const struct kind_row {
	const char *word;
	enum study_kind kind;
	bool has_to, has_by, has_per, has_beyond, needs_from;
} kinds[] = {
	{"count", STUDY_COUNT, .has_by = true, .needs_from = true},
	{"time", STUDY_TIME, .has_to = true, .has_by = true, .has_per = true, .needs_from = true},
	{"stacks", STUDY_STACKS, .has_beyond = true, .needs_from = true},
	{"graph", STUDY_GRAPH},
};

static const struct kind_row *find_kind(const char *word, size_t len)
{
	return ARRAY_FIND(kinds, ARRAY_LEN(kinds), i,
			  strlen(kinds[i].word) == len && !memcmp(kinds[i].word, word, len));
}

/* Returns true if the word is a keyword. Then *place shows where the next words go. */
static bool take_keyword(const struct kind_row *kind, const char *word, enum place *place)
{
	if (!strcmp(word, "to") && kind->has_to)
		*place = PLACE_TO;
	else if (!strcmp(word, "by") && kind->has_by)
		*place = kind->kind == STUDY_COUNT ? PLACE_GROUPS : PLACE_KEYS;
	else if (!strcmp(word, "per") && kind->has_per)
		*place = PLACE_GROUPS;
	else if (!strcmp(word, "beyond") && kind->has_beyond)
		*place = PLACE_BEYOND;
	else if (!strcmp(word, "top"))
		*place = PLACE_TOP;
	else
		return false;
	return true;
}

static int take_text(char (*list)[STUDY_WORD_MAX], size_t *n, size_t max, const char *word,
		     struct errmsg *err)
{
	if (*n == max)
		return errmsg_set(err, -EINVAL, "'%s' is one word too many (at most %zu there)",
				  word, max);
	memcpy(list[(*n)++], word, strlen(word) + 1);
	return 0;
}

static int take_key(struct study_spec *spec, const char *word, struct errmsg *err)
{
	struct study_key *key = &spec->keys[spec->n_keys];
	const char *equal = strchr(word, '=');

	if (spec->n_keys == STUDY_FIELDS_MAX)
		return errmsg_set(err, -EINVAL, "'%s' is one field too many (at most %d)", word,
				  STUDY_FIELDS_MAX);
	snprintf(key->from, sizeof(key->from), "%.*s", equal ? (int)(equal - word) : 90, word);
	snprintf(key->to, sizeof(key->to), "%s", equal ? equal + 1 : word);
	spec->n_keys++;
	return 0;
}

static int take_group(struct study_spec *spec, const char *word, struct errmsg *err)
{
	size_t i = spec->n_groups;
	int r = take_text(spec->groups, &spec->n_groups, STUDY_FIELDS_MAX, word, err);
	char *slash = r < 0 ? NULL : strchr(spec->groups[i], '/');

	TRY(r);
	memcpy(spec->headings[i], word, strlen(word) + 1);
	if (slash) {
		*slash = 0;
		memcpy(spec->headings[i], slash + 1, strlen(slash + 1) + 1);
	}
	for (char *p = spec->headings[i]; slash && *p; p++)
		*p = *p == '_' ? ' ' : *p;
	return 0;
}

static int take_top(struct study_spec *spec, const char *word, struct errmsg *err)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (*end || !n || n > 1000000)
		return errmsg_set(err, -EINVAL, "top takes a number of rows, not '%s'", word);
	spec->top = n;
	return 0;
}

static int take_word(struct study_spec *spec, enum place place, const char *word,
		     struct errmsg *err)
{
	switch (place) {
	case PLACE_FROM:
		return take_text(spec->from, &spec->n_from, STUDY_WORDS_MAX, word, err);
	case PLACE_TO:
		return take_text(spec->to, &spec->n_to, STUDY_WORDS_MAX, word, err);
	case PLACE_KEYS:
		return take_key(spec, word, err);
	case PLACE_GROUPS:
		return take_group(spec, word, err);
	case PLACE_BEYOND:
		return take_text(spec->beyond, &spec->n_beyond, STUDY_WORDS_MAX, word, err);
	default:
		return take_top(spec, word, err);
	}
}

static int check(const struct study_spec *spec, const struct kind_row *kind, const char *line,
		 struct errmsg *err)
{
	if (kind->needs_from && !spec->n_from)
		return errmsg_set(err, -EINVAL, "'%s' names no event", line);
	if (kind->has_to && !spec->n_to)
		return errmsg_set(err, -EINVAL, "'%s' needs the word 'to' and an event behind it",
				  line);
	return 0;
}

int study_parse(struct study_spec *spec, const char *line, struct errmsg *err)
{
	size_t len = strcspn(line, " \t");
	const struct kind_row *kind = find_kind(line, len);
	enum place place = PLACE_FROM;
	char word[STUDY_WORD_MAX];
	int r = 0;

	if (!kind)
		return errmsg_set(err, -EINVAL,
				  "'%.*s' is not a question; there are count, time, stacks and "
				  "graph",
				  (int)len, line);
	*spec = (struct study_spec){.kind = kind->kind};
	snprintf(spec->title, sizeof(spec->title), "%s", line);
	for (const char *p = line + len; r >= 0;) {
		p += strspn(p, " \t");
		len = strcspn(p, " \t");
		if (!len)
			break;
		if (len >= sizeof(word))
			return errmsg_set(err, -EINVAL, "'%.20s…' is too long", p);
		memcpy(word, p, len);
		word[len] = 0;
		p += len;
		if (!strcmp(word, "as")) {
			snprintf(spec->title, sizeof(spec->title), "%s", p + strspn(p, " \t"));
			break;
		}
		if (!take_keyword(kind, word, &place))
			r = take_word(spec, place, word, err);
	}
	return r < 0 ? r : check(spec, kind, line, err);
}
