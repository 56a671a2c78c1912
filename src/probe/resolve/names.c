// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c - chooses the names of events and fields.
 *
 *	vfs_read              probe:vfs_read               as in perf
 *	vfs_read%return       probe:vfs_read__return
 *	work:12               probe:work_L12
 *	bash:readline         probe_bash:readline
 *	the second one        …_1
 *
 * condition.c handles conditions on the recorded fields.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "probe/resolve/resolve_int.h"

#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

#define MAX_NUMBER 1000

/*
 * --- groups and events ---------------------------------------------------------------------------
 */

/*
 * Keeps letters, digits and _. Drops everything from '.' or '@' on, which the compiler or the
 * linker added.
 */
static void clean_name(const char *from, char *to, size_t size)
{
	size_t n = 0;

	while (*from == '.')
		from++;
	for (; *from && *from != '@' && *from != '.' && n + 1 < size; from++) {
		if (isalnum((unsigned char)*from) || *from == '_')
			to[n++] = *from;
		else if (n && to[n - 1] != '_')
			to[n++] = '_';
	}
	to[n] = 0;
	if (!n || isdigit((unsigned char)to[0]))
		snprintf(to, size, "probe");
}

static bool is_taken(const struct prober *p, const char *group, const char *event)
{
	char text[2 * PROBE_NAME_BYTES + 8], path[PATH_MAX];
	int len = snprintf(text, sizeof(text), "\n%s:%s\n", group, event);

	if (p->names.start && memmem(p->names.start, textbuf_len(&p->names), text, len))
		return true;
	snprintf(path, sizeof(path), "%s/%s/%s",
		 p->world.tracefs_events ? p->world.tracefs_events : "/sys/kernel/tracing/events",
		 group, event);
	return !access(path, F_OK);
}

static void choose_group(const struct resolution *r, const char *path, char group[PROBE_NAME_BYTES])
{
	const struct prober *p = r->prober;
	char name[PROBE_NAME_BYTES - 8];

	if (r->d->group) {
		snprintf(group, PROBE_NAME_BYTES, "%s", r->d->group);
	} else if (p->world.group) {
		snprintf(group, PROBE_NAME_BYTES, "%s", p->world.group);
	} else if (path) {
		const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
		size_t len = 0;

		while (isalnum((unsigned char)base[len]) || base[len] == '_')
			len++;
		snprintf(name, sizeof(name), "%.*s", (int)len, base);
		snprintf(group, PROBE_NAME_BYTES, "probe_%s", name);
	} else {
		snprintf(group, PROBE_NAME_BYTES, "probe");
	}
}

/* Chooses the first unused one of "name", "name_1", "name_2" …. */
static void choose_event(const struct resolution *r, const char *group, const char *function,
			 unsigned line, char event[PROBE_NAME_BYTES])
{
	char base[PROBE_NAME_BYTES - 4], part[PROBE_NAME_BYTES - 16]; /* room for __return_999 */

	if (r->d->event) {
		snprintf(event, PROBE_NAME_BYTES, "%s", r->d->event);
		return;
	}
	clean_name(function, part, sizeof(part));
	if (line)
		snprintf(base, sizeof(base), "%s_L%u", part, line);
	else
		snprintf(base, sizeof(base), "%s%s", part, r->d->is_return ? "__return" : "");
	snprintf(event, PROBE_NAME_BYTES, "%s", base);
	for (unsigned i = 1; i < MAX_NUMBER && is_taken(r->prober, group, event); i++)
		snprintf(event, PROBE_NAME_BYTES, "%s_%u", base, i);
}

int resolve_group_and_event(struct resolution *r, const char *path, const char *function,
			    unsigned line)
{
	struct probe *p = &r->out->probe;
	struct textbuf *names = &r->prober->names;
	char group[PROBE_NAME_BYTES], event[PROBE_NAME_BYTES];

	choose_group(r, path, group);
	choose_event(r, group, function, line, event);
	p->group = arena_strndup(&r->out->memory, group, strlen(group));
	p->event = arena_strndup(&r->out->memory, event, strlen(event));
	if (!p->group || !p->event)
		return resolve_no_memory(r);
	textbuf_addf(names, "%s:%s\n", group, event);
	return 0;
}

/*
 * --- fields --------------------------------------------------------------------------------------
 */

static bool is_field(const struct probe *p, const char *name, size_t len)
{
	return ARRAY_ANY(p->n_args, i,
			 strlen(p->args[i].name) == len && !strncmp(p->args[i].name, name, len));
}

/* Returns true if the name is in use. Names that the user gave to later arguments count as well. */
static bool is_given(const struct probe *p, const char *name)
{
	const struct definition *d = p->definition;

	for (size_t i = 0; i < d->n_args; i++)
		if (d->args[i].name && !strcmp(d->args[i].name, name))
			return true;
	return is_field(p, name, strlen(name));
}

void resolve_field_name(const struct probe *p, const char *wanted, char name[FETCH_NAME_BYTES])
{
	const struct definition *d = p->definition;

	snprintf(name, FETCH_NAME_BYTES, "%.31s", wanted);
	for (size_t i = 0; i < d->n_args; i++) /* the user's names were checked before */
		if (d->args[i].name == wanted)
			return;
	for (unsigned n = 2; is_given(p, name); n++)
		snprintf(name, FETCH_NAME_BYTES, "%.26s_%u", wanted, n);
}

/*
 * --- conditions ----------------------------------------------------------------------------------
 */

int resolve_filter(struct resolution *r)
{
	struct textbuf *tb = &r->out->scratch;
	struct probe *p = &r->out->probe;
	const char *duration = p->wants_duration ? "duration" : NULL;
	int result;

	if (!r->d->filter)
		return 0;
	for (size_t i = 0; i < r->d->n_args; i++)
		if (r->d->args[i].value->kind == EXPRESSION_DURATION && r->d->args[i].name)
			duration = r->d->args[i].name;
	textbuf_clear(tb);
	result = probe_fmt_condition(p, r->d, duration, tb, r->err);
	TRY(result);
	p->filter = arena_strndup(&r->out->memory, tb->start, textbuf_len(tb));
	return p->filter ? 0 : resolve_no_memory(r);
}
