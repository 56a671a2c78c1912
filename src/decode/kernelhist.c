// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kernelhist.c - parses the text of a hist file.
 *
 *	# event histogram
 *	#
 *	# trigger info:
 *	hist:keys=stacktrace,common_pid:vals=hitcount,bytes_req:sort=hitcount:size=2048 [active] #
 *
 *	{ stacktrace:
 *	         alloc_bprm+0x32/0x2d0
 *	         do_execveat_common.isra.0+0x67/0x220
 *	, common_pid:        160} hitcount:          1  bytes_req:        432
 *	{ … }
 *		max:         21  next_comm: ksoftirqd/0             a note: what onmax() saved
 *
 *	Totals:
 *	    Hits: 2142
 *	    Entries: 46
 *	    Dropped: 0
 *
 * The value of a key may contain anything, including commas and braces (a task's name may be "}
 * hitcount: 1"). So the names of the keys are taken from the trigger and searched in order, and the
 * keys end at the last "} hitcount:" of the entry, because no text after the keys can contain it. A
 * value is split wrongly only if it contains ", " and the name of the next key with a colon.
 */
#include "decode/kernelhist.h"
#include "base/scope.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX	(1u << 18) /* the kernel's maximum is 2^17 */
#define ENTRY_MAX_BYTES (64u << 10)

struct span {
	const char *at;
	size_t len;
};

static struct span next_line(struct span *text)
{
	const char *nl = memchr(text->at, '\n', text->len);
	struct span line = {text->at, nl ? (size_t)(nl - text->at) : text->len};
	size_t step = line.len + !!nl;

	text->at += step;
	text->len -= step;
	return line;
}

static bool starts(struct span s, const char *with)
{
	size_t len = strlen(with);

	return s.len >= len && !memcmp(s.at, with, len);
}

static struct span trim(struct span s)
{
	while (s.len && isspace((unsigned char)*s.at))
		s.at++, s.len--;
	while (s.len && isspace((unsigned char)s.at[s.len - 1]))
		s.len--;
	return s;
}

/* Returns the position of `what` in s, or NULL. */
static const char *find(struct span s, const char *what)
{
	return s.len ? memmem(s.at, s.len, what, strlen(what)) : NULL;
}

static const char *find_last(struct span s, const char *what)
{
	size_t len = strlen(what);

	for (size_t i = s.len < len ? 0 : s.len - len + 1; i--;)
		if (!memcmp(s.at + i, what, len))
			return s.at + i;
	return NULL;
}

/*
 * --- the trigger -------------------------------------------------------------------------------
 */

/* Reads the words of "…:NAME=a,b.hex,c:…", without what follows a point, and as many as fit. */
static size_t take_words(struct span trigger, const char *name, const char **words,
			 struct arena *arena)
{
	const char *p = find(trigger, name), *end = trigger.at + trigger.len;
	size_t n = 0;

	if (!p)
		return 0;
	p += strlen(name);
	while (p < end && n < KERNELHIST_COLUMNS_MAX) {
		size_t len = 0, bare;

		while (p + len < end && !strchr(":, ", p[len]))
			len++;
		bare = memchr(p, '.', len) ? (size_t)((const char *)memchr(p, '.', len) - p) : len;
		words[n] = arena_strndup(arena, p, bare);
		if (!words[n])
			break;
		n++;
		p += len;
		if (p == end || *p != ',')
			break;
		p++;
	}
	return n;
}

static struct kernelhist *hist_new(struct span trigger, struct arena *arena)
{
	struct kernelhist *h = arena_alloc(arena, sizeof(*h));
	const char *open = find_last(trigger, " [");
	const char *sort[KERNELHIST_COLUMNS_MAX] = {0};
	struct span state = {"", 0};

	if (!h)
		return NULL;
	if (open && trigger.at[trigger.len - 1] == ']') {
		state = (struct span){open + 2, trigger.at + trigger.len - 1 - (open + 2)};
		trigger.len = open - trigger.at;
	}
	h->trigger = arena_strndup(arena, trigger.at, trigger.len);
	h->state = arena_strndup(arena, state.at, state.len);
	h->n_keys = take_words(trigger, ":keys=", h->keys, arena);
	h->n_values = take_words(trigger, ":vals=", h->values, arena);
	/* with nohitcount, or in an unusual kernel, take the names from the rows */
	if (!h->n_values) {
		h->values[0] = "hitcount";
		h->n_values = 1;
	}
	if (take_words(trigger, ":sort=", sort, arena))
		for (size_t i = 0; i < h->n_values; i++)
			if (!strcmp(h->values[i], sort[0]))
				h->main_value = i;
	return h->trigger && h->state ? h : NULL;
}

/*
 * --- an entry ----------------------------------------------------------------------------------
 */

/* Copies a key. Leading blanks of the lines of a stack are removed. */
static char *dup_key(struct span s, struct arena *arena)
{
	char *copy, *to;

	s = trim(s);
	copy = to = arena_strndup(arena, s.at, s.len);
	for (const char *from = copy; from && *from; from++) {
		*to++ = *from;
		if (*from == '\n')
			while (isspace((unsigned char)from[1]))
				from++;
	}
	if (to)
		*to = 0;
	return copy;
}

/* Finds "NAME:" of a key where it is valid: at the beginning, or after ", ". */
static const char *find_key(struct span s, const char *name, bool is_first)
{
	size_t len = strlen(name);

	while (s.len > len) {
		const char *p = find(s, name);

		if (!p || (size_t)(p - s.at) + len >= s.len)
			return NULL;
		if (p[len] == ':' &&
		    (is_first ? p == s.at : p - s.at >= 2 && p[-1] == ' ' && p[-2] == ','))
			return p;
		if (is_first)
			return NULL;
		s.len -= p + 1 - s.at;
		s.at = p + 1;
	}
	return NULL;
}

static int parse_keys(const struct kernelhist *h, struct kernelhist_row *row, struct span s,
		      struct arena *arena)
{
	s = trim(s);
	for (size_t i = 0; i < h->n_keys; i++) {
		const char *p = find_key(s, h->keys[i], i == 0), *end;
		struct span rest;

		row->keys[i] = "";
		if (!p)
			continue;
		p += strlen(h->keys[i]) + 1;
		rest = (struct span){p, s.at + s.len - p};
		end = i + 1 < h->n_keys ? find_key(rest, h->keys[i + 1], false) : NULL;
		row->keys[i] =
			dup_key((struct span){p, end ? (size_t)(end - 2 - p) : rest.len}, arena);
		if (!row->keys[i])
			return -ENOMEM;
		s = rest;
		if (end) { /* the value ends before the ", " */
			s.at = end - 2;
			s.len = rest.at + rest.len - s.at;
		}
	}
	return 0;
}

/* Parses values such as "hitcount:          1  bytes_req:        432". */
static int parse_values(const struct kernelhist *h, struct kernelhist_row *row, struct span s,
			struct arena *arena)
{
	for (size_t i = 0; i < h->n_values; i++) {
		const char *p = find(s, h->values[i]);
		struct span value = {"", 0};

		if (p)
			p = memchr(p, ':', s.at + s.len - p);
		if (p) {
			value = trim((struct span){p + 1, s.at + s.len - (p + 1)});
			s = value;
			for (size_t n = 0; n < value.len; n++)
				if (isspace((unsigned char)value.at[n]))
					value.len = n;
			s.at += value.len;
			s.len -= value.len;
		}
		row->values[i] = arena_strndup(arena, value.at, value.len);
		if (!row->values[i])
			return -ENOMEM;
		row->numbers[i] = strtoull(row->values[i], NULL, 10);
	}
	return 0;
}

static struct kernelhist_row *row_add(struct kernelhist *h, size_t *max, struct arena *arena)
{
	struct kernelhist_row *row;

	if (!ARENA_ONE_MORE(arena, h->rows, h->n_rows, *max, ROWS_MAX))
		return NULL;
	row = &h->rows[h->n_rows];
	row->keys = arena_alloc_array(arena, h->n_keys + 1, sizeof(*row->keys));
	row->values = arena_alloc_array(arena, h->n_values, sizeof(*row->values));
	row->numbers = arena_alloc_array(arena, h->n_values, sizeof(*row->numbers));
	if (!row->keys || !row->values || !row->numbers)
		return NULL;
	h->n_rows++;
	return row;
}

/*
 * Parses an entry, which begins at "{", and moves *text after its line. Ignores text without an
 * end, which is not an entry.
 */
static int parse_entry(struct kernelhist *h, size_t *max, struct span entry, struct span *text,
		       struct arena *arena)
{
	struct kernelhist_row *row;
	const char *end;

	while (!(end = find_last(entry, "} hitcount:")) && text->len && *text->at != '{' &&
	       entry.len < ENTRY_MAX_BYTES)
		entry.len += next_line(text).len + 1;
	if (!end)
		return 0;
	row = row_add(h, max, arena);
	if (!row)
		return -ENOMEM;
	TRY(parse_keys(h, row, (struct span){entry.at + 1, end - entry.at - 1}, arena));
	return parse_values(h, row, (struct span){end + 2, entry.at + entry.len - (end + 2)},
			    arena);
}

/* Adds a line below an entry; several lines are joined. */
static int add_note(struct kernelhist_row *row, struct span line, struct arena *arena)
{
	size_t old = row->notes ? strlen(row->notes) : 0;
	char *notes;

	line = trim(line);
	notes = arena_alloc(arena, old + line.len + 2);
	if (!notes)
		return -ENOMEM;
	if (old) {
		memcpy(notes, row->notes, old);
		notes[old++] = '\n';
	}
	memcpy(notes + old, line.at, line.len);
	row->notes = notes;
	return 0;
}

static bool parse_total(struct span line, const char *name, uint64_t *ret_n)
{
	struct span s = trim(line);
	char digits[24] = {0};

	if (!starts(s, name))
		return false;
	s.at += strlen(name);
	s.len -= strlen(name);
	s = trim(s);
	memcpy(digits, s.at, s.len < sizeof(digits) - 1 ? s.len : sizeof(digits) - 1);
	*ret_n = strtoull(digits, NULL, 10);
	return true;
}

int kernelhist_parse(const char *text, size_t len, struct arena *arena,
		     struct kernelhist **ret_first)
{
	struct kernelhist *first = NULL, **tail = &first, *h = NULL;
	struct span left = {text, len};
	size_t max = 0;

	while (left.len) {
		struct span line = next_line(&left);

		if (starts(line, "# trigger info: ")) {
			line.at += strlen("# trigger info: ");
			line.len -= strlen("# trigger info: ");
			h = hist_new(trim(line), arena);
			if (!h)
				return -ENOMEM;
			*tail = h;
			tail = &h->next;
			max = 0;
		} else if (h && starts(line, "{")) {
			TRY(parse_entry(h, &max, line, &left, arena));
		} else if (h && starts(line, "\t") && h->n_rows) {
			TRY(add_note(&h->rows[h->n_rows - 1], line, arena));
		} else if (h) {
			(void)(parse_total(line, "Hits:", &h->n_hits) ||
			       parse_total(line, "Entries:", &h->n_entries) ||
			       parse_total(line, "Dropped:", &h->n_dropped));
		}
	}
	*ret_first = first;
	return 0;
}
