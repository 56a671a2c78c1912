// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tasktext.c - reads task.txt, sid-X.map and the symbol files that the maps name.
 *
 *	55ac7adf4000-55ac7adf9000 r-xp 00000000 00:00 0    /tmp/abc build-id:bb09d88512fd…
 *
 * A symbol file is named after the last part of the path. If two files have that name, the second
 * one has the first four digits of its build id in its name: "libx.so-3f2a.sym". The header of a
 * symbol file says whose it is.
 */
#include "symbols/uftrace/session_int.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SESSIONS_MAX 65536
#define TASKS_MAX    (1u << 20)
#define MODULES_MAX  65536
#define REFS_MAX     65536
#define MAPS_MAX     65536

/* The value of " key=" in a line, or NULL. */
static const char *find_value(const char *line, const char *key)
{
	size_t len = strlen(key);

	for (const char *p = strchr(line, ' '); p; p = strchr(p + 1, ' '))
		if (!strncmp(p + 1, key, len) && p[1 + len] == '=')
			return p + 2 + len;
	return NULL;
}

static long parse_number(const char *line, const char *key)
{
	const char *v = find_value(line, key);

	return v ? strtol(v, NULL, 10) : 0;
}

/* "13556.935210331" */
static uint64_t parse_time(const char *line)
{
	const char *v = find_value(line, "timestamp");
	char *end;
	uint64_t ns = v ? strtoull(v, &end, 10) * 1000000000u : 0;

	if (v && *end == '.')
		ns += strtoull(end + 1, NULL, 10);
	return ns;
}

/* A name in quotes, which may contain blanks. */
static const char *parse_quoted(struct uft_names *n, const char *line, const char *key)
{
	const char *v = find_value(line, key), *end;

	if (!v || *v != '"')
		return arena_strndup(&n->arena, "", 0);
	end = strrchr(v + 1, '"');
	return arena_strndup(&n->arena, v + 1, end ? (size_t)(end - v - 1) : strlen(v + 1));
}

static struct uft_module *find_module(struct uft_names *n, const char *path, const char *build_id)
{
	for (size_t i = 0; i < n->n_modules; i++)
		if (!strcmp(n->modules[i]->path, path) &&
		    !strcmp(n->modules[i]->build_id, build_id))
			return n->modules[i];
	return NULL;
}

/* Is the symbol file the one of this path? */
static bool is_file_of(struct uft_names *n, const char *text, size_t len, const char *path,
		       const char *build_id)
{
	struct uft_module head = {0};

	uft_module_parse_head(&head, &n->arena, text, len);
	if (head.build_id && *head.build_id && *build_id)
		return !strcmp(head.build_id, build_id);
	return !head.path || !strcmp(head.path, path);
}

/* Reads NAME.sym or NAME-ABCD.sym. Returns false if there is none; *ret_stem for NAME.dbg. */
static bool read_syms(struct uft_names *n, const char *path, const char *build_id, char *stem,
		      size_t n_stem, char **ret, size_t *ret_len)
{
	for (int i = 0; i < 2; i++) {
		char name[600];

		snprintf(stem, n_stem, "%s%s%.4s", uft_basename(path), i ? "-" : "",
			 i ? build_id : "");
		snprintf(name, sizeof(name), "%s.sym", stem);
		if (n->reader->read(n->reader->ctx, name, ret, ret_len) < 0)
			continue;
		if (is_file_of(n, *ret, *ret_len, path, build_id))
			return true;
		free(*ret);
		*ret = NULL;
	}
	return false;
}

static int read_dbg(struct uft_names *n, struct uft_module *m, const char *stem)
{
	char name[600], *text = NULL;
	size_t len;
	int r;

	snprintf(name, sizeof(name), "%s.dbg", stem);
	if (n->reader->read(n->reader->ctx, name, &text, &len) < 0)
		return 0;
	r = uft_module_parse_dbg(m, &n->arena, text, len);
	free(text);
	return r;
}

/* The symbols of a file, read once. *ret is NULL if the directory has none. */
static int take_module(struct uft_names *n, const char *path, const char *build_id, size_t *cap,
		       struct uft_module **ret)
{
	char stem[512], *text = NULL;
	struct uft_module *m = find_module(n, path, build_id);
	size_t len;
	int r;

	*ret = m;
	if (m || !read_syms(n, path, build_id, stem, sizeof(stem), &text, &len))
		return 0;
	m = arena_alloc(&n->arena, sizeof(*m));
	r = m && ARRAY_ROOM(n->modules, *cap, n->n_modules + 1, MODULES_MAX) ? 0 : -ENOMEM;
	if (r >= 0)
		r = uft_module_parse_syms(m, &n->arena, text, len, n->how);
	free(text);
	if (r < 0)
		return r;
	m->path = path;
	m->build_id = build_id;
	n->modules[n->n_modules++] = m;
	*ret = m;
	return read_dbg(n, m, stem);
}

/* One line of a map file. False: it is no map with a file. */
static bool parse_map(struct uft_names *n, const char *line, struct uft_map *ret)
{
	unsigned long long start, end;
	int at = 0;
	const char *id;

	if (sscanf(line, "%llx-%llx %*s %*s %*s %*s %n", &start, &end, &at) < 2 || !at)
		return false;
	if (!line[at] || line[at] == '[' || end < start)
		return false;
	id = strstr(line + at, " build-id:");
	*ret = (struct uft_map){.start = start, .end = end};
	ret->path = arena_strndup(&n->arena, line + at,
				  id ? (size_t)(id - line - at) : strlen(line + at));
	ret->build_id = arena_strndup(&n->arena, id ? id + 10 : "", id ? strcspn(id + 10, " ") : 0);
	return ret->path && ret->build_id;
}

static void take_lines_end(char *text)
{
	text[strcspn(text, "\n")] = 0;
}

/* Reads the maps of a session from a text, which is taken apart. */
static int parse_maps(struct uft_names *n, struct uft_session *s, char *text, size_t *modules_cap)
{
	struct uft_map *maps = NULL, m;
	size_t cap = 0;
	int r = 0;

	for (char *line = text, *next; r >= 0 && *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		take_lines_end(line);
		if (!parse_map(n, line, &m))
			continue;
		if (!ARRAY_ROOM(maps, cap, s->n_maps + 1, MAPS_MAX))
			r = -ENOMEM;
		else
			r = take_module(n, m.path, m.build_id, modules_cap, &m.module);
		if (r >= 0)
			maps[s->n_maps++] = m;
	}
	s->maps = s->n_maps ? arena_alloc_array(&n->arena, s->n_maps, sizeof(*maps)) : NULL;
	if (s->maps)
		memcpy(s->maps, maps, s->n_maps * sizeof(*maps));
	else
		s->n_maps = 0;
	free(maps);
	for (size_t i = 0; i < s->n_maps; i++)
		if (!s->exec_map && !strcmp(s->maps[i].path, s->exename))
			s->exec_map = &s->maps[i];
	return r;
}

struct caps {
	size_t sessions, tasks, modules;
};

static int add_session(struct uft_names *n, const char *line, struct caps *caps)
{
	struct uft_session *s = arena_alloc(&n->arena, sizeof(*s));
	const char *sid = find_value(line, "sid");
	char name[64], *text = NULL;
	size_t len;
	int r;

	if (!s || !ARRAY_ROOM(n->sessions, caps->sessions, n->n_sessions + 1, SESSIONS_MAX))
		return -ENOMEM;
	s->sid = arena_strndup(&n->arena, sid ? sid : "", sid ? strcspn(sid, " /") : 0);
	s->pid = (int)parse_number(line, "pid");
	s->start_ns = parse_time(line);
	s->exename = parse_quoted(n, line, "exename");
	if (!s->sid || !s->exename)
		return -ENOMEM;
	n->sessions[n->n_sessions++] = s;
	if (!n->first)
		n->first = s;
	snprintf(name, sizeof(name), "sid-%.32s.map", s->sid);
	if (n->reader->read(n->reader->ctx, name, &text, &len) < 0)
		return 0;
	r = parse_maps(n, s, text, &caps->modules);
	free(text);
	return r;
}

static int add_ref(struct uft_task *t, struct uft_session *s, uint64_t time_ns)
{
	size_t cap = t->n_refs;

	if (!s)
		return 0;
	if (!ARRAY_ROOM(t->refs, cap, t->n_refs + 1, REFS_MAX))
		return -ENOMEM;
	if (t->n_refs)
		t->refs[t->n_refs - 1].end_ns = time_ns;
	t->refs[t->n_refs++] = (struct uft_session_ref){s, time_ns, UINT64_MAX};
	snprintf(t->comm, sizeof(t->comm), "%s", uft_basename(s->exename));
	return 0;
}

static void add_child(struct uft_names *n, struct uft_task *t)
{
	struct uft_task *parent = uft_task_find(n, t->ppid ? t->ppid : t->pid);

	if (!parent || parent == t)
		return;
	t->parent = parent;
	if (parent->last_child)
		parent->last_child->sibling = t;
	else
		parent->first_child = t;
	parent->last_child = t;
}

static int add_task(struct uft_names *n, const char *line, bool is_fork, struct caps *caps)
{
	int tid = (int)parse_number(line, is_fork ? "pid" : "tid");
	int pid = (int)parse_number(line, is_fork ? "ppid" : "pid");
	uint64_t time_ns = parse_time(line);
	struct uft_session *s = uft_session_of_pid(n, pid, time_ns);
	void **slot = map_take(&n->by_tid, (uint32_t)tid, TASKS_MAX);
	struct uft_task *t;

	if (!slot)
		return -ENOMEM;
	if (*slot)
		return is_fork ? 0 : add_ref(*slot, s, time_ns);
	t = arena_alloc(&n->arena, sizeof(*t));
	if (!t || !ARRAY_ROOM(n->tasks, caps->tasks, n->n_tasks + 1, TASKS_MAX))
		return -ENOMEM;
	*t = (struct uft_task){.tid = tid, .pid = is_fork ? tid : pid, .ppid = is_fork ? pid : 0};
	add_child(n, t);
	if (!s && t->parent)
		memcpy(t->comm, t->parent->comm, sizeof(t->comm));
	*slot = n->tasks[n->n_tasks++] = t;
	return add_ref(t, s, time_ns);
}

static int add_dlopen(struct uft_names *n, const char *line, struct caps *caps)
{
	const char *sid = find_value(line, "sid"), *base = find_value(line, "base");
	struct uft_session *s = NULL;
	struct uft_dlopen *list, d = {.time_ns = parse_time(line)};

	for (size_t i = 0; sid && i < n->n_sessions; i++)
		if (!strncmp(n->sessions[i]->sid, sid, strlen(n->sessions[i]->sid)))
			s = n->sessions[i];
	d.path = parse_quoted(n, line, "libname");
	if (!s || !base || s->n_dlopens >= MODULES_MAX)
		return 0;
	d.base = strtoull(base, NULL, 16);
	if (take_module(n, d.path, "", &caps->modules, &d.module) < 0)
		return -ENOMEM;
	list = arena_alloc_array(&n->arena, s->n_dlopens + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	if (s->n_dlopens)
		memcpy(list, s->dlopens, s->n_dlopens * sizeof(*list));
	list[s->n_dlopens++] = d;
	s->dlopens = list;
	return 0;
}

int uft_names_parse_tasks(struct uft_names *n, const char *text)
{
	struct caps caps = {0};
	int r = 0;

	while (r >= 0 && *text) {
		size_t len = strcspn(text, "\n");
		char *line = arena_strndup(&n->arena, text, len);

		if (!line)
			return -ENOMEM;
		if (!strncmp(line, "SESS ", 5))
			r = add_session(n, line, &caps);
		else if (!strncmp(line, "TASK ", 5))
			r = add_task(n, line, false, &caps);
		else if (!strncmp(line, "FORK ", 5))
			r = add_task(n, line, true, &caps);
		else if (!strncmp(line, "DLOP ", 5))
			r = add_dlopen(n, line, &caps);
		text += len + (text[len] == '\n');
	}
	return r;
}
