// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recipe.c - reads a recipe.
 *
 *	# a comment
 *	name: softirq
 *	summary: from the raising of a softirq to its end
 *	about: Words that explain it. A line that begins with a blank continues
 *	  the line before.
 *	event: irq:softirq_raise          repeatable; of several events, the first existing one is
 *	                                  used
 *	filter: vec != 9                  for the event before it
 *	tracer: function_graph
 *	function: vfs_*                   trace only these; no-function: all but these
 *	graph: do_IRQ                     trace these and the functions that they call; no-graph:
 *	                                  not these
 *	depth: 5                          of the call graph
 *	probe: p:mine vfs_read            a line for kprobe_events, removed at the end
 *	stacks: yes                       a kernel stack with every event
 *	tasks: ksoftirqd*                 only tasks of that name (a glob)
 *	only-command: yes                 if a command is given: trace only that command
 *	duration: 10                      seconds; without it until Ctrl-C
 *	live: yes                         print lines as events arrive
 *	show: count irq:softirq_entry by vec      a question about the recorded events
 *
 * recipe_fit.c applies the lines to this kernel; analyse/study/study.h defines the questions.
 * Lines, the number of lines and the whole text have size limits.
 */
#include "capture/recipe.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/spelling.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES (1u << 16)

static const struct key_row {
	const char *word;
	enum recipe_key key;
} keys[] = {
	{"name", RECIPE_NAME},	       {"summary", RECIPE_SUMMARY},
	{"about", RECIPE_ABOUT},       {"event", RECIPE_EVENT},
	{"filter", RECIPE_FILTER},     {"tracer", RECIPE_TRACER},
	{"function", RECIPE_FUNCTION}, {"no-function", RECIPE_NO_FUNCTION},
	{"graph", RECIPE_GRAPH},       {"no-graph", RECIPE_NO_GRAPH},
	{"depth", RECIPE_DEPTH},       {"stacks", RECIPE_STACKS},
	{"tasks", RECIPE_TASKS},       {"only-command", RECIPE_ONLY_COMMAND},
	{"probe", RECIPE_PROBE},       {"duration", RECIPE_DURATION},
	{"live", RECIPE_LIVE},	       {"show", RECIPE_SHOW},
};

static const struct key_row *find_key(const char *word, size_t len)
{
	return ARRAY_FIND(keys, ARRAY_LEN(keys), i,
			  strlen(keys[i].word) == len && !memcmp(keys[i].word, word, len));
}

static int refuse_key(const char *path, unsigned n_line, const char *word, size_t len,
		      struct errmsg *err)
{
	struct spelling sp;

	spelling_init(&sp, word, len);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		spelling_add(&sp, keys[i].word);
	return errmsg_set(err, -EINVAL, "%s, line %u: unknown recipe keyword '%.*s'%s%s", path,
			  n_line, len < 40 ? (int)len : 40, word,
			  sp.nearest ? "; did you mean " : "", sp.nearest ? sp.nearest : "");
}

/* Appends the continuation to the value of the last line. */
static bool continue_line(struct recipe *r, const char *p, size_t len)
{
	struct recipe_line *last = &r->lines[r->n_lines - 1];
	size_t before = strlen(last->value);
	char *value = arena_alloc(&r->arena, before + len + 2);

	if (!value)
		return false;
	memcpy(value, last->value, before);
	value[before] = ' ';
	memcpy(value + before + 1, p, len);
	last->value = value;
	return true;
}

static int take_number(const struct recipe_line *line, const char *path, unsigned *ret,
		       struct errmsg *err)
{
	char *end;
	unsigned long v = strtoul(line->value, &end, 10);

	if (!isdigit(*line->value) || *end || v > 1000000)
		return errmsg_set(err, -EINVAL, "%s: '%s' is not a number of seconds or levels",
				  path, line->value);
	*ret = v;
	return 0;
}

static int take_values(struct recipe *r, const char *path, struct errmsg *err)
{
	unsigned depth;
	int code = 0;

	for (size_t i = 0; i < r->n_lines && code >= 0; i++) {
		const struct recipe_line *line = &r->lines[i];

		if (line->key == RECIPE_NAME)
			r->name = line->value;
		else if (line->key == RECIPE_SUMMARY)
			r->summary = line->value;
		else if (line->key == RECIPE_DURATION)
			code = take_number(line, path, &r->duration_s, err);
		else if (line->key == RECIPE_DEPTH)
			code = take_number(line, path, &depth, err);
		else if (line->key == RECIPE_LIVE)
			r->is_live = !strcmp(line->value, "yes");
		else if (line->key == RECIPE_TRACER)
			r->has_tracer = true;
	}
	if (code >= 0 && !*r->name)
		code = errmsg_set(err, -EINVAL, "%s: the recipe has no name", path);
	return code;
}

static int take_line(struct recipe *r, const char *p, size_t len, const char *path, unsigned n_line,
		     struct errmsg *err)
{
	size_t key_len = strcspn(p, ": \t\n"), from = key_len;
	const struct key_row *key = find_key(p, key_len);
	char *value;

	if (key && p[key_len] != ':')
		return errmsg_set(err, -EINVAL, "%s, line %u: a ':' must follow '%s'", path, n_line,
				  key->word);
	if (!key)
		return refuse_key(path, n_line, p, key_len < len ? key_len : len, err);
	if (r->n_lines == RECIPE_LINES_MAX)
		return errmsg_set(err, -EFBIG, "%s has more than %d lines", path, RECIPE_LINES_MAX);
	for (from++; from < len && isblank(p[from]);)
		from++;
	value = arena_strndup(&r->arena, p + from, len > from ? len - from : 0);
	if (!value)
		return errmsg_set_errno(err, -ENOMEM, "cannot read %s", path);
	r->lines[r->n_lines++] = (struct recipe_line){key->key, value};
	return 0;
}

static int take_lines(struct recipe *r, const char *text, const char *path, struct errmsg *err)
{
	unsigned n_line = 0;
	int code = 0;

	for (const char *p = text; *p && code >= 0;) {
		size_t line = strcspn(p, "\n"), len = line, from = 0;

		n_line++;
		while (len && isspace(p[len - 1]))
			len--;
		while (from < len && isblank(p[from]))
			from++;
		if (from < len && p[from] != '#') {
			if (!from)
				code = take_line(r, p, len, path, n_line, err);
			else if (!r->n_lines || !continue_line(r, p + from, len - from))
				code = errmsg_set(err, -EINVAL,
						  "%s, line %u begins with a blank, but there "
						  "is no line before it to continue",
						  path, n_line);
		}
		p += line + !!p[line];
	}
	return code;
}

int recipe_parse(struct recipe *r, const char *text, const char *path, struct errmsg *err)
{
	int code;

	*r = (struct recipe){.name = "", .summary = ""};
	if (strlen(text) > TEXT_MAX_BYTES)
		return errmsg_set(err, -EFBIG, "%s is too long for a recipe", path);
	arena_init(&r->arena, 16 * TEXT_MAX_BYTES);
	code = take_lines(r, text, path, err);
	if (code >= 0)
		code = take_values(r, path, err);
	if (code < 0)
		recipe_release(r);
	return code;
}

void recipe_release(struct recipe *r)
{
	arena_release(&r->arena);
	r->n_lines = 0;
}
