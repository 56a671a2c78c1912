// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event.c - resolves probes on existing events (eprobes): their fields, and the targets of
 * pointers.
 *
 *	sched:sched_switch(next_comm, next_pid)
 *	syscalls:sys_enter_openat(filename)         a pointer in the event becomes the text that it
 *	                                            points to
 *	kmem:kmem_cache_free(((struct kmem_cache *)ptr)->name)
 *
 * The fields are in the event's format file:
 *
 *	field:char next_comm[16];	offset:40;	size:16;	signed:0;
 *	field:__data_loc char[] name;	offset:8;	size:4;	signed:0;
 *
 * With BTF, C types in the format have members, too. System calls get pointers into the program.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "probe/resolve/resolve_int.h"
#include "symbols/place.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_FIELDS	 128
#define FORMAT_MAX_BYTES (1 << 20)
#define NAMES_MAX_BYTES	 (1 << 18) /* limit for all events of a system */

struct event_field {
	char type[96], name[64]; /* type is without the name, with [] if it is an array */
	unsigned n_bytes;
	bool is_signed, is_string, is_array; /* is_array: an array of anything but characters */
	bool is_code;			     /* the event shows the field as a symbol */
};

struct event_scope {
	struct scope scope; /* must be the first member */
	struct event_field fields[MAX_FIELDS];
	unsigned n_fields;
};

static const char *events_root(const struct prober *p)
{
	static const char *const roots[] = {"/sys/kernel/tracing/events",
					    "/sys/kernel/debug/tracing/events"};

	if (p->world.tracefs_events)
		return p->world.tracefs_events;
	return access(roots[0], F_OK) ? roots[1] : roots[0];
}

static void event_path(const struct prober *p, const struct definition *d, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s/%s/format", events_root(p), d->target, d->function);
}

bool resolve_find_system(const struct prober *p, const char *event, char system[PROBE_NAME_BYTES])
{
	const char *root = events_root(p);
	char path[PATH_MAX];
	bool found = false;
	struct dirent *e;
	SCOPED(closedir_scoped) DIR *dir = NULL;

	if (!*event || strpbrk(event, "./"))
		return false;
	dir = opendir(root);
	while (dir && !found && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/%s/format", root, e->d_name, event);
		found = e->d_name[0] != '.' && !access(path, F_OK);
		if (found)
			snprintf(system, PROBE_NAME_BYTES, "%.*s", PROBE_NAME_BYTES - 1, e->d_name);
	}
	return found;
}

bool resolve_is_event(const struct prober *p, const struct definition *d)
{
	char path[PATH_MAX];

	if (!d->target || !d->function || strchr(d->function, '/') || d->is_return || d->has_line ||
	    d->offset)
		return false;
	event_path(p, d, path);
	return !access(path, F_OK);
}

/* Adds the names in a directory of events to the spelling search. */
static void spell_directory(const char *path, struct spelling *sp, char *names, size_t size)
{
	SCOPED(closedir_scoped) DIR *dir = opendir(path);
	struct dirent *e;
	size_t len = 0;

	while (dir && (e = readdir(dir)) && len < size) {
		if (e->d_name[0] == '.' || strlen(e->d_name) + 1 > size - len)
			continue;
		/* spelling keeps the pointer, but readdir reuses its memory */
		memcpy(names + len, e->d_name, strlen(e->d_name) + 1);
		spelling_add(sp, names + len);
		len += strlen(e->d_name) + 1;
	}
}

bool resolve_refuse_event(struct resolution *r)
{
	const struct definition *d = r->d;
	char path[PATH_MAX], *names;
	struct spelling sp;
	bool is_system;

	if (!d->target || !d->function || d->is_return || d->has_line || d->offset)
		return false;
	event_path(r->prober, d, path);
	*strrchr(path, '/') = 0; /* remove the format */
	*strrchr(path, '/') = 0; /* remove the event */
	is_system = !access(path, F_OK);
	if (!is_system)
		*strrchr(path, '/') = 0;
	names = malloc(NAMES_MAX_BYTES);
	if (!names)
		return false;
	spelling_init(&sp, is_system ? d->function : d->target,
		      strlen(is_system ? d->function : d->target));
	spell_directory(path, &sp, names, NAMES_MAX_BYTES);
	if (is_system)
		RESOLVE_REFUSE(r, d->function_span, -ENOENT, "the system %s has no event '%s'%s%s",
			       d->target, d->function,
			       sp.nearest ? "; the nearest is " : "; 'sonde list -e' lists them",
			       sp.nearest ? sp.nearest : "");
	else if (sp.nearest)
		RESOLVE_REFUSE(r, d->target_span, -ENOENT,
			       "'%s' is not a loaded module, a program in PATH, a library, or a "
			       "system of events; the nearest system is %s",
			       d->target, sp.nearest);
	free(names);
	return r->err->code;
}

/*
 * --- the format ----------------------------------------------------------------------------------
 */

/* Parses "char next_comm[16]", "__data_loc char[] name", "unsigned long args[6]". */
static void read_declaration(const char *s, size_t len, struct event_field *f)
{
	size_t end = len, begin;
	bool is_array = false;

	if (end && s[end - 1] == ']') {
		while (end && s[end - 1] != '[')
			end--;
		end -= end > 0;
		is_array = true;
	}
	begin = end;
	while (begin && (isalnum((unsigned char)s[begin - 1]) || s[begin - 1] == '_'))
		begin--;
	snprintf(f->name, sizeof(f->name), "%.*s", (int)(end - begin), s + begin);
	while (begin && s[begin - 1] == ' ')
		begin--;
	snprintf(f->type, sizeof(f->type), "%.*s%s", (int)begin, s, is_array ? "[]" : "");
	f->is_string = strstr(f->type, "char") && strstr(f->type, "[]");
	f->is_array = strstr(f->type, "[]") && !f->is_string;
}

static unsigned number_after(const char *line, const char *end, const char *word)
{
	const char *p = memmem(line, end - line, word, strlen(word));

	return p ? strtoul(p + strlen(word), NULL, 10) : 0;
}

static void read_fields(const char *text, struct event_scope *s)
{
	for (const char *p = text; s->n_fields < MAX_FIELDS && (p = strstr(p, "\tfield:")); p++) {
		struct event_field *f = &s->fields[s->n_fields];
		const char *begin = p + strlen("\tfield:"), *end = strchr(begin, ';');
		const char *line_end = begin + strcspn(begin, "\n");

		if (!end || end > line_end)
			continue;
		read_declaration(begin, end - begin, f);
		f->n_bytes = number_after(end, line_end, "size:");
		f->is_signed = number_after(end, line_end, "signed:");
		f->is_code = f->n_bytes == sizeof(void *) && probe_format_shows_code(text, f->name);
		if (*f->name && strncmp(f->name, "common_", 7))
			s->n_fields++;
	}
}

static int read_format(struct resolution *r, struct event_scope *s)
{
	char path[PATH_MAX], *text;
	size_t len = 0;
	ssize_t n = 1;
	int fd;

	event_path(r->prober, r->d, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	text = fd < 0 ? NULL : malloc(FORMAT_MAX_BYTES + 1);
	while (text && n > 0 && len < FORMAT_MAX_BYTES) {
		n = read(fd, text + len, FORMAT_MAX_BYTES - len);
		len += n > 0 ? n : 0;
	}
	if (fd >= 0)
		close(fd);
	if (!text || n < 0) {
		free(text);
		return RESOLVE_REFUSE(r, r->d->function_span, -EACCES,
				      "cannot read the fields of %s:%s (%s); run sonde as root",
				      r->d->target, r->d->function, path);
	}
	text[len] = 0;
	read_fields(text, s);
	free(text);
	return 0;
}

/*
 * --- as a scope ----------------------------------------------------------------------------------
 */

static void to_variable(const struct event_scope *s, const struct event_field *f,
			struct variable *v)
{
	*v = (struct variable){.name = f->name, .place = {.kind = PLACE_FIELD, .symbol = f->name}};
	if (s->scope.types && types_parse(s->scope.types, f->type, strlen(f->type), &v->type) < 0)
		v->type = (struct type){0};
}

static const struct event_field *find_field(const struct event_scope *s, const char *name,
					    size_t len)
{
	return ARRAY_FIND(s->fields, s->n_fields, i,
			  !strncmp(s->fields[i].name, name, len) && !s->fields[i].name[len]);
}

static int event_find(const struct scope *scope, const char *name, size_t len, struct variable *ret)
{
	const struct event_scope *s = (const struct event_scope *)scope;
	const struct event_field *f = find_field(s, name, len);

	if (!f)
		return -ENOENT;
	to_variable(s, f, ret);
	return 0;
}

static int event_each(const struct scope *scope, bool only_parameters,
		      int (*visit)(void *ctx, const struct variable *v), void *ctx)
{
	const struct event_scope *s = (const struct event_scope *)scope;

	for (unsigned i = 0; i < s->n_fields; i++) {
		struct variable v;

		to_variable(s, &s->fields[i], &v);
		TRY(visit(ctx, &v));
	}
	return 0;
}

static int event_result(const struct scope *s, struct type *ret_type)
{
	return -ENOENT;
}

static const struct scope_ops event_ops = {event_find, event_each, event_result};

/*
 * --- arguments -----------------------------------------------------------------------------------
 */

/* Fetches a field unchanged, because the event has its type. */
static void fetch_field(const struct resolution *r, const struct event_field *f, const char *type,
			struct fetch *ret)
{
	bool is_user = !strcmp(r->d->target, "syscalls");
	bool is_symbol = f->is_code && r->prober->kernel.symbol_type;
	bool is_text = strstr(f->type, "char") && strchr(f->type, '*') && !strstr(f->type, "* *") &&
		       !strstr(f->type, "**");
	char own[16];

	*ret = (struct fetch){0};
	snprintf(own, sizeof(own), "%c%u",
		 strchr(f->type, '*') ? 'x'
		 : f->is_signed	      ? 's'
				      : 'u',
		 f->n_bytes == 1 || f->n_bytes == 2 || f->n_bytes == 4 ? 8 * f->n_bytes : 64);
	if (f->is_string && (!type || !strcmp(type, "string")))
		snprintf(ret->text, sizeof(ret->text), "$%.50s:string", f->name);
	else if ((type && strstr(type, "string")) || (!type && is_text))
		snprintf(ret->text, sizeof(ret->text), "+0($%.40s):%s", f->name,
			 type					     ? type
			 : is_user && r->prober->kernel.user_strings ? "ustring"
								     : "string");
	else
		snprintf(ret->text, sizeof(ret->text), "$%.40s:%.20s", f->name,
			 type	     ? type
			 : is_symbol ? "symbol"
				     : own);
	if (f->is_code && !type && !is_symbol)
		ret->show = PROBE_SHOW_FUNCTION;
}

static int take_arg(struct resolution *r, const struct event_scope *s,
		    const struct fetch_place *place, const struct definition_arg *arg)
{
	const struct event_field *f =
		arg->value->kind == EXPRESSION_NAME
			? find_field(s, arg->value->text, strlen(arg->value->text))
			: NULL;
	char name[FETCH_NAME_BYTES];
	struct fetch fetch;
	int result = 0;

	if (arg->value->kind == EXPRESSION_VARS || arg->value->kind == EXPRESSION_PARAMS) {
		for (unsigned i = 0; i < s->n_fields && result >= 0; i++) {
			if (s->fields[i].is_array)
				continue;
			fetch_field(r, &s->fields[i], NULL, &fetch);
			result = resolve_add_arg(r, &fetch, s->fields[i].name, arg->span);
		}
		return result;
	}
	if (f && f->is_array && !arg->type)
		return RESOLVE_REFUSE(
			r, arg->span, -EINVAL,
			"%s of %s:%s is an array, of which a probe on an event sees only the "
			"first element; record the event itself, -e %s:%s, or that element "
			"with a type, %s:x64",
			f->name, r->d->target, r->d->function, r->d->target, r->d->function,
			f->name);
	if (f)
		fetch_field(r, f, arg->type, &fetch);
	else
		result = fetch_resolve(place, arg, &fetch, r->err);
	TRY(result);
	fetch_name(arg->value, name);
	return resolve_add_arg(r, &fetch, arg->name ? arg->name : name, arg->span);
}

static int resolve_fields(struct resolution *r, struct event_scope *s)
{
	struct fetch_place place = {
		.definition = r->d,
		.kernel = &r->prober->kernel,
		.arch = r->prober->kernel.arch,
		.function = r->d->function,
		.scope = &s->scope,
		.is_event = true,
	};
	struct errmsg ignored = {0};
	struct btf *btf = NULL;
	int result = read_format(r, s);

	s->scope.ops = &event_ops;
	/* the kernel's types are needed only to follow pointers */
	for (size_t i = 0; i < r->d->n_args && !btf; i++)
		if (r->d->args[i].value->left)
			prober_btf(r->prober, NULL, &btf, &ignored);
	s->scope.types = btf ? btf_types(btf) : NULL;
	for (size_t i = 0; i < r->d->n_args && result >= 0; i++)
		result = take_arg(r, s, &place, &r->d->args[i]);
	return result;
}

int resolve_event(struct resolution *r)
{
	SCOPED(scope_free) struct event_scope *s = NULL;
	char text[256];
	int result;

	if (!r->prober->kernel.eprobes)
		return RESOLVE_REFUSE(
			r, r->d->target_span, -EOPNOTSUPP,
			"%s:%s is an event, and this kernel does not support probes on events "
			"(CONFIG_EPROBE_EVENTS, since 5.15); record the event itself: -e %s:%s",
			r->d->target, r->d->function, r->d->target, r->d->function);
	s = calloc(1, sizeof(*s));
	if (!s)
		return resolve_no_memory(r);
	r->out->probe.kind = PROBE_EPROBE;
	snprintf(text, sizeof(text), "%s/%s", r->d->target, r->d->function);
	result = resolve_add_place(r, text) ? resolve_fields(r, s) : resolve_no_memory(r);
	return result < 0 ? result : resolve_group_and_event(r, NULL, r->d->function, 0);
}
