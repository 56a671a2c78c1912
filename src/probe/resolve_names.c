// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolve_names.c - how events and fields are called, and conditions on them.
 *
 *	vfs_read              probe:vfs_read               as perf names them
 *	vfs_read%return       probe:vfs_read__return
 *	work:12               probe:work_L12
 *	bash:readline         probe_bash:readline
 *	the second of them    …_1
 *
 * A condition is written over what is recorded. The kernel's filters know fields, so $retval and
 * file->f_flags become the names of theirs:
 *
 *	vfs_read%return($retval) if $retval > 4096      ─▶   ret > 4096
 *
 * and the name of an enumerator becomes its number.
 */
#include "base/spelling.h"
#include "probe/resolve_int.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define MAX_NUMBER 1000

/* --- groups and events --------------------------------------------------------------------------- */

/* Letters, digits and _; what stands behind '.' or '@' is the compiler's or the linker's. */
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

/* "name", "name_1", "name_2" …: the first that is free. */
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

/* --- fields -------------------------------------------------------------------------------------- */

static bool is_field(const struct probe *p, const char *name, size_t len)
{
	for (size_t i = 0; i < p->n_args; i++)
		if (strlen(p->args[i].name) == len && !strncmp(p->args[i].name, name, len))
			return true;
	return false;
}

/* Names that a later argument was given by hand count as well. */
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
	for (size_t i = 0; i < d->n_args; i++) /* by hand: it was checked */
		if (d->args[i].name == wanted)
			return;
	for (unsigned n = 2; is_given(p, name); n++)
		snprintf(name, FETCH_NAME_BYTES, "%.26s_%u", wanted, n);
}

/* --- conditions ---------------------------------------------------------------------------------- */

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The argument whose text stands at s; its length in *ret_len. The longest wins. */
static const struct probe_arg *match_arg(const struct probe *p, const char *s, size_t *ret_len)
{
	const struct definition *d = p->definition;
	const struct probe_arg *found = NULL;

	*ret_len = 0;
	for (size_t i = 0; i < p->n_args; i++)
		for (size_t k = 0; k < d->n_args; k++) {
			const struct expression *e = d->args[k].value;

			if (d->args[k].span.at != p->args[i].span.at || e->span.len <= *ret_len ||
			    strncmp(d->text + e->span.at, s, e->span.len) ||
			    is_name_char(s[e->span.len]))
				continue;
			*ret_len = e->span.len;
			found = &p->args[i];
		}
	return found;
}

/* Fields that every event has, and what filters know beside them. */
static bool is_common(const char *s, size_t len)
{
	static const char *const words[] = {
		"CPU",	      "cpu",	    "COMM",	    "comm",	      "stacktrace",
		"STACKTRACE", "__probe_ip", "__probe_func", "__probe_ret_ip", "ip"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == len && !strncmp(words[i], s, len))
			return true;
	return len > 7 && !strncmp(s, "common_", 7);
}

static bool find_enumerator(const struct probe *p, const char *s, size_t len, int64_t *ret)
{
	for (size_t i = 0; i < p->n_args; i++) {
		struct type_enumerator e;

		for (unsigned k = 0; type_enumerator(p->args[i].type, k, &e) >= 0; k++)
			if (!strncmp(e.name, s, len) && !e.name[len]) {
				*ret = e.value;
				return true;
			}
	}
	return false;
}

static int refuse_word(struct resolution *r, size_t at, size_t len)
{
	const struct probe *p = &r->out->probe;
	struct span span = {r->d->filter_span.at + at, len};
	struct spelling sp;

	spelling_init(&sp, r->d->filter + at, len);
	for (size_t i = 0; i < p->n_args; i++)
		spelling_add(&sp, p->args[i].name);
	if (sp.nearest)
		return RESOLVE_REFUSE(r, span, -ENOENT,
				      "'%.*s' is not recorded; the nearest field is %s", (int)len,
				      r->d->filter + at, sp.nearest);
	return RESOLVE_REFUSE(r, span, -ENOENT,
			      "'%.*s' is not recorded, and a condition knows only what is: add it "
			      "to the arguments",
			      (int)len, r->d->filter + at);
}

/* A word of the condition: a field, an expression that has one, an enumerator. */
static int take_word(struct resolution *r, size_t *at, struct textbuf *tb)
{
	const struct probe *p = &r->out->probe;
	const char *s = r->d->filter + *at;
	const struct probe_arg *arg;
	size_t len, n = *s == '$';
	int64_t value;

	while (is_name_char(s[n]))
		n++;
	arg = match_arg(p, s, &len);
	if (arg) {
		textbuf_add_str(tb, arg->name);
		*at += len;
		return 0;
	}
	if (p->wants_duration && n == 9 && !strncmp(s, "$duration", n)) {
		textbuf_add_str(tb, "duration");
	} else if (!is_field(p, s, n) && !is_common(s, n)) {
		if (!find_enumerator(p, s, n, &value))
			return refuse_word(r, *at, n);
		textbuf_add_signed(tb, value);
	} else {
		textbuf_add(tb, s, n);
	}
	*at += n;
	/* a modifier of the kernel: name.ustring, ip.function */
	if (r->d->filter[*at] == '.')
		do
			textbuf_add_char(tb, r->d->filter[(*at)++]);
		while (is_name_char(r->d->filter[*at]));
	return 0;
}

/* Copies what is no word: numbers, texts, operators. */
static void take_other(const char *filter, size_t *at, struct textbuf *tb)
{
	char c = filter[*at];
	size_t end = *at + 1;

	if (c == '"' || c == '\'') {
		while (filter[end] && filter[end] != c)
			end++;
		end += filter[end] == c;
	} else if (isdigit((unsigned char)c)) {
		while (is_name_char(filter[end]))
			end++;
	}
	textbuf_add(tb, filter + *at, end - *at);
	*at = end;
}

/* After == != ~ a bare word is a text to the kernel: comm == bash. */
static bool is_text_next(const char *filter, size_t at, const struct probe *p)
{
	size_t n = 0;
	int64_t value;

	while (at && filter[at - 1] == ' ')
		at--;
	if (!at || !strchr("=~", filter[at - 1]))
		return false;
	while (filter[at] == ' ')
		at++;
	while (is_name_char(filter[at + n]))
		n++;
	return !find_enumerator(p, filter + at, n, &value);
}

int resolve_filter(struct resolution *r)
{
	const char *filter = r->d->filter;
	struct textbuf *tb = &r->out->scratch;
	struct probe *p = &r->out->probe;
	int result = 0;

	if (!filter)
		return 0;
	textbuf_clear(tb);
	for (size_t at = 0; filter[at] && result >= 0;) {
		bool is_word = isalpha((unsigned char)filter[at]) || strchr("_$*(", filter[at]);
		size_t len;

		if (r->d->form == DEFINITION_RAW || !is_word ||
		    (strchr("*(", filter[at]) && !match_arg(p, filter + at, &len)))
			take_other(filter, &at, tb);
		else if (isalpha((unsigned char)filter[at]) && is_text_next(filter, at, p))
			while (is_name_char(filter[at]) ||
			       strchr("*?", filter[at] ? filter[at] : ' '))
				textbuf_add_char(tb, filter[at++]);
		else
			result = take_word(r, &at, tb);
	}
	if (result < 0)
		return result;
	p->filter = arena_strndup(&r->out->memory, tb->start, textbuf_len(tb));
	return p->filter ? 0 : resolve_no_memory(r);
}
