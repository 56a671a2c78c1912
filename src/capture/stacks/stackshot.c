// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stackshot.c - the stacks of a process in one moment.
 *
 *	/proc/PID/task             the threads, their names and states
 *	/proc/PID/task/TID/stack   kernel stacks: what each thread waits for, before it is disturbed
 *	threadstops                registers and copies of stacks; the threads continue
 *	spaces, cfi, unwind        addresses of callers
 *	debuginfo_frames           names, inlined copies, lines
 *
 * Files are opened through /proc/PID/root, so those of containers and deleted ones are read, too
 * (capture/perf/codefiles). Where a function has no unwind rules, the frame pointer leads to its
 * caller, as in samples.
 */
#include "capture/stacks/stackshot.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/perf/codefiles.h"
#include "capture/perf/events/pmufiles.h"
#include "capture/perf/jitmap.h"
#include "capture/perf/spaces.h"
#include "capture/stacks/threadstops.h"
#include "symbols/cxx/demangle.h"
#include "symbols/dwarf/debuginfo.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX	 (1u << 18)
#define FRAMES_MAX	 1024u
#define INLINED_MAX	 32u
#define FILES_MAX	 4096u
#define NAME_BYTES	 4096
#define KERNEL_MAX_BYTES 16384
#define ARENA_MAX_BYTES	 (1u << 30)

struct named {
	struct codefile *file;
	struct debuginfo *info;
	struct jitmap *jit;
};

struct stackshot {
	pid_t pid, tracer;
	struct stackshot_thread *threads;
	size_t n, cap;
	struct arena arena; /* texts and frames */
	struct codefiles *files;
	struct spaces *spaces;
	struct named *named;
	size_t n_named, cap_named;
};

static const char *keep(struct stackshot *s, const char *text)
{
	return arena_strndup(&s->arena, text, strlen(text));
}

/*
 * --- what /proc says ----------------------------------------------------------------------------
 */

static int read_status_number(pid_t pid, const char *key)
{
	char path[64], line[256];
	SCOPED(fclose_scoped) FILE *f = NULL;
	size_t len = strlen(key);

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, key, len) == 0 && line[len] == ':')
			return atoi(line + len + 1);
	return -1;
}

static void read_state(struct stackshot_thread *t, const char *dir)
{
	char text[1024];
	const char *end;

	if (pmufiles_read(dir, "comm", t->comm, sizeof(t->comm)) < 0)
		t->comm[0] = '\0';
	if (pmufiles_read(dir, "stat", text, sizeof(text)) < 0)
		return;
	end = strrchr(text, ')');
	t->state = end && end[1] ? end[2] : '?';
}

static void read_kernel(struct stackshot *s, struct stackshot_thread *t, const char *dir)
{
	char text[KERNEL_MAX_BYTES];
	int n = pmufiles_read(dir, "stack", text, sizeof(text));

	if (n < 0)
		t->kernel_why = n;
	else
		t->kernel = keep(s, text);
}

static int add_thread(struct stackshot *s, pid_t tid)
{
	struct stackshot_thread *t;
	char dir[96];

	if (!ARRAY_ROOM(s->threads, s->cap, s->n + 1, THREADS_MAX))
		return -ENOMEM;
	t = &s->threads[s->n++];
	*t = (struct stackshot_thread){.tid = tid, .state = '?'};
	snprintf(dir, sizeof(dir), "/proc/%d/task/%d", s->pid, tid);
	read_state(t, dir);
	read_kernel(s, t, dir);
	return 0;
}

static int add_threads(struct stackshot *s, struct errmsg *err)
{
	char path[64];
	struct dirent **entries;
	int n, r = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", s->pid);
	n = scandir(path, &entries, NULL, versionsort);
	if (n < 0)
		return errmsg_set(err, -ESRCH, "there is no process %d", s->pid);
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.' && r >= 0)
			r = add_thread(s, atoi(entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	return r;
}

/*
 * --- names --------------------------------------------------------------------------------------
 */

static struct named *find_named(struct stackshot *s, struct codefile *f)
{
	struct named *n = ARRAY_FIND(s->named, s->n_named, i, s->named[i].file == f);
	struct debuginfo_paths paths = {0};
	struct errmsg quiet = {0};
	char path[4096];

	if (n)
		return n;
	if (!ARRAY_ROOM(s->named, s->cap_named, s->n_named + 1, FILES_MAX))
		return NULL;
	n = &s->named[s->n_named++];
	*n = (struct named){.file = f};
	if (f->state == CODEFILE_MEMORY) {
		n->jit = jitmap_new(s->pid);
		if (n->jit)
			jitmap_look(n->jit);
		return n;
	}
	if (f->fd < 0)
		return n;
	codefile_fmt_path(f, path, sizeof(path));
	paths.path = path;
	if (debuginfo_open(&n->info, &paths, &quiet) < 0)
		n->info = NULL;
	return n;
}

struct framelist {
	struct stackshot_frame frames[FRAMES_MAX];
	size_t n;
};

static struct stackshot_frame *add_frame(struct framelist *l)
{
	return l->n < FRAMES_MAX ? &l->frames[l->n++] : NULL;
}

static bool add_by_dwarf(struct stackshot *s, struct framelist *l, struct debuginfo *info,
			 const struct spaces_place *at, uint64_t address, const char *module)
{
	struct debuginfo_frame found[INLINED_MAX];
	size_t n = debuginfo_frames(info, at->address, found, INLINED_MAX);

	for (size_t i = 0; i < n; i++) {
		struct stackshot_frame *f = add_frame(l);

		if (!f)
			break;
		*f = (struct stackshot_frame){
			.address = address,
			.function = found[i].function ? keep(s, found[i].function) : NULL,
			.file = found[i].file ? keep(s, found[i].file) : NULL,
			.line = found[i].line,
			.module = module,
			.is_inlined = found[i].is_inlined,
		};
	}
	return n;
}

/* The name of a symbol as programmers write it: names of C++ and Rust are encoded. */
static const char *keep_symbol(struct stackshot *s, const char *symbol)
{
	char name[NAME_BYTES];

	return keep(s, demangle(symbol, name, sizeof(name)) ? name : symbol);
}

static void add_by_symbol(struct stackshot *s, struct framelist *l, struct named *n,
			  const struct spaces_place *at, uint64_t address, const char *module)
{
	struct stackshot_frame *f = add_frame(l);
	struct debuginfo_at found;
	uint64_t start = 0;
	const char *name;

	if (!f)
		return;
	*f = (struct stackshot_frame){.address = address, .module = module};
	if (n && n->info && debuginfo_at(n->info, at->address, &found) >= 0) {
		name = found.function ? found.function : found.symbol;
		f->function = name ? keep_symbol(s, name) : NULL;
		f->offset = found.symbol_offset;
	} else if (n && n->jit) {
		name = jitmap_find(n->jit, address, &start);
		f->function = name ? keep(s, name) : NULL;
		f->offset = name ? address - start : 0;
	}
}

static void add_named(struct stackshot *s, struct framelist *l, const struct spaces_place *at,
		      uint64_t address)
{
	struct named *n = at->file ? find_named(s, at->file) : NULL;
	const char *module = at->file ? keep(s, at->file->path) : NULL;

	if (!n || !n->info || !add_by_dwarf(s, l, n->info, at, address, module))
		add_by_symbol(s, l, n, at, address, module);
}

/*
 * --- unwinding ----------------------------------------------------------------------------------
 */

static struct cfi *cfi_of(struct codefile *f)
{
	if (!f->has_cfi) {
		f->has_cfi = true;
		f->cfi = f->fd >= 0 ? cfi_open(f->fd) : NULL;
	}
	return f->cfi;
}

static int step(struct unwind_frame *f, const struct unwind_memory *m,
		const struct spaces_place *at)
{
	const struct cfi *cfi = at->file ? cfi_of(at->file) : NULL;
	struct cfi_row row;

	if (cfi && cfi_find_row(cfi, at->address, &row) >= 0)
		return unwind_step(f, m, cfi, &row);
	return unwind_step_fp(f, m);
}

static int unwind(struct stackshot *s, struct stackshot_thread *t, struct threadstop *stop,
		  struct framelist *l)
{
	struct unwind_frame f = stop->frame;
	struct stackshot_frame *frames;
	int r = 1;

	l->n = 0;
	while (r > 0 && l->n < FRAMES_MAX) {
		uint64_t address = unwind_ip(&f) - !f.is_exact;
		struct spaces_place at;

		spaces_find(s->spaces, s->pid, address, &at);
		if (!at.place && !f.is_exact)
			break; /* not code: the frame before was the last that is right */
		add_named(s, l, &at, address);
		r = step(&f, &stop->memory, &at);
	}
	t->is_cut = r < 0 || l->n == FRAMES_MAX;
	frames = arena_alloc_array(&s->arena, l->n, sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	memcpy(frames, l->frames, l->n * sizeof(*frames));
	t->frames = frames;
	t->n_frames = l->n;
	return 0;
}

static int unwind_all(struct stackshot *s, struct threadstop *stops)
{
	SCOPED(scope_free) struct framelist *list = malloc(sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		s->threads[i].why = stops[i].why;
		if (!stops[i].why)
			TRY(unwind(s, &s->threads[i], &stops[i], list));
	}
	return 0;
}

/* A kernel thread has no memory of its own, and so no program. */
static bool is_kernel_thread(pid_t pid)
{
	char path[64], target[16];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, target, sizeof(target)) < 0 && errno == ENOENT;
}

static int take_user(struct stackshot *s)
{
	SCOPED(scope_free) struct threadstop *stops = calloc(s->n + 1, sizeof(*stops));
	int r;

	if (!stops)
		return -ENOMEM;
	if (is_kernel_thread(s->pid)) {
		for (size_t i = 0; i < s->n; i++)
			s->threads[i].is_kernel_thread = true;
		return 0;
	}
	for (size_t i = 0; i < s->n; i++)
		stops[i].tid = s->threads[i].tid;
	spaces_read_proc(s->spaces, s->pid);
	threadstops_copy(s->pid, stops, s->n);
	r = unwind_all(s, stops);
	threadstops_release(stops, s->n);
	return r;
}

/*
 * --- the whole ----------------------------------------------------------------------------------
 */

static int take(struct stackshot *s, pid_t pid, bool only_kernel, struct errmsg *err)
{
	int tgid = read_status_number(pid, "Tgid");

	if (tgid < 0)
		return errmsg_set(err, -ESRCH, "there is no process %d", pid);
	s->pid = tgid;
	s->tracer = read_status_number(pid, "TracerPid");
	s->files = codefiles_new();
	s->spaces = s->files ? spaces_new(s->files) : NULL;
	arena_init(&s->arena, ARENA_MAX_BYTES);
	if (!s->spaces)
		return -ENOMEM;
	TRY(tgid == pid ? add_threads(s, err) : add_thread(s, pid));
	return only_kernel ? 0 : take_user(s);
}

int stackshot_take(struct stackshot **ret, pid_t pid, bool only_kernel, struct errmsg *err)
{
	struct stackshot *s = calloc(1, sizeof(*s));
	int r = s ? take(s, pid, only_kernel, err) : -ENOMEM;

	if (r < 0) {
		stackshot_free(s);
		return r == -ENOMEM ? errmsg_code(err) : r;
	}
	*ret = s;
	return 0;
}

void stackshot_free(struct stackshot *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_named; i++) {
		debuginfo_close(s->named[i].info);
		jitmap_free(s->named[i].jit);
	}
	spaces_free(s->spaces);
	codefiles_free(s->files);
	arena_release(&s->arena);
	free(s->named);
	free(s->threads);
	free(s);
}

size_t stackshot_n(const struct stackshot *s)
{
	return s->n;
}

const struct stackshot_thread *stackshot_at(const struct stackshot *s, size_t i)
{
	return &s->threads[i];
}

pid_t stackshot_tracer(const struct stackshot *s)
{
	return s->tracer > 0 ? s->tracer : 0;
}
