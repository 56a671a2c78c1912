// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * codelines.c - puts together what is known about a function: instructions (objdump), lines
 * (DWARF), source texts (files), samples.
 *
 *  place of the function ─▶ file with the recorded build id ─▶ symbol: where it ends
 *                        ─▶ objdump of that range ─▶ line of each instruction ─▶ text of the line
 *
 * A sample inside of an instruction (there should be none) counts for this instruction. For a
 * kernel function only the addresses are shown: its code is seldom in a file, and /proc/kcore has
 * the patched code.
 */
#include "inputs/samples/codelines.h"

#include "analyse/calls/callflow.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/samples/sampleevent.h"
#include "decode/samples/sampleinfo.h"
#include "symbols/dwarf/debuginfo.h"
#include "symbols/insn/disassembly.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES_MAX	 (1u << 20)
#define FUNCTION_MAX	 (16u << 20) /* bytes of code */
#define SOURCE_MAX_BYTES (32u << 20)
#define ARENA_MAX_BYTES	 (256u << 20)
#define FRAMES_MAX	 16

/* A source file, cut into lines. */
struct source {
	struct source *next;
	const char *path;
	const char **lines;
	size_t n, cap;
};

struct codelines_own {
	struct arena arena;
	struct disassembly code;
	struct debuginfo *debuginfo;
	struct source *sources;
};

/*
 * --- source texts ------------------------------------------------------------------------------
 */

static void cut_lines(struct codelines_own *own, struct source *s, const struct textbuf *text)
{
	const char *p = text->start, *end = text->start + textbuf_len(text);

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t len = newline ? (size_t)(newline - p) : (size_t)(end - p);

		if (!ARRAY_ROOM(s->lines, s->cap, s->n + 1, LINES_MAX))
			return;
		s->lines[s->n] = arena_strndup(&own->arena, p, len);
		if (!s->lines[s->n])
			return;
		s->n++;
		p += len + (newline != NULL);
	}
}

static struct source *find_source(struct codelines_own *own, const char *path)
{
	struct source *s = own->sources;
	TEXTBUF(text, SOURCE_MAX_BYTES);
	int fd;

	while (s && strcmp(s->path, path) != 0)
		s = s->next;
	if (s)
		return s;
	s = arena_alloc(&own->arena, sizeof(*s));
	if (!s)
		return NULL;
	s->path = arena_strndup(&own->arena, path, strlen(path));
	if (!s->path)
		return NULL;
	s->next = own->sources;
	own->sources = s;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && textbuf_add_file(&text, fd) >= 0)
		cut_lines(own, s, &text);
	if (fd >= 0)
		close(fd);
	return s;
}

static void add_source(struct codelines_own *own, struct codeline *l)
{
	struct debuginfo_frame frames[FRAMES_MAX];
	struct source *s;

	if (!own->debuginfo || !debuginfo_frames(own->debuginfo, l->address, frames, FRAMES_MAX) ||
	    !frames[0].file)
		return;
	l->line = frames[0].line;
	s = find_source(own, frames[0].file);
	if (!s)
		return;
	l->path = s->path;
	if (l->line && l->line <= s->n)
		l->source = s->lines[l->line - 1];
}

/*
 * --- code --------------------------------------------------------------------------------------
 */

struct extent {
	uint64_t address, end;
};

static int visit_symbol(void *ctx, const char *name, uint64_t address, uint64_t n_bytes)
{
	struct extent *e = ctx;

	if (address > e->address || e->address - address >= n_bytes)
		return 0;
	e->end = address + n_bytes;
	return -1; /* found */
}

/* Opens the file of the function if it is the recorded one. */
static int open_file(struct codelines *c, const struct sample_file *file)
{
	struct debuginfo_paths paths = {.path = file->path};
	struct debuginfo *d;

	if (file->pid >= 0 || file->path[0] != '/')
		return errmsg_set(&c->why, -ENOENT, "the code of %s is in no file",
				  file->path[0] ? file->path : "this function");
	TRY(debuginfo_open(&d, &paths, &c->why));
	if (file->build_id[0] && strcmp(file->build_id, debuginfo_build_id(d)) != 0) {
		debuginfo_close(d);
		return errmsg_set(&c->why, -ESTALE,
				  "%s is another build than the recorded one (build id %s)",
				  file->path, file->build_id);
	}
	c->own->debuginfo = d;
	return 0;
}

static int read_code(struct codelines *c, const struct annotation *a, const struct sampleinfo *info)
{
	const struct sample_file *file = sampleinfo_find_file(info, place_file(a->func->addr));
	struct extent e = {.address = place_address(a->func->addr)};

	if (place_is_kernel(a->func->addr))
		return errmsg_set(&c->why, -ENOTSUP,
				  "instructions of the kernel are not shown, only addresses");
	if (!file)
		return errmsg_set(&c->why, -ENOENT, "the file of the function is unknown");
	TRY(open_file(c, file));
	debuginfo_each_symbol(c->own->debuginfo, visit_symbol, &e);
	if (!e.end || e.end - e.address > FUNCTION_MAX)
		return errmsg_set(&c->why, -ENOENT, "%s does not say where the function ends",
				  file->path);
	return disassembly_read(&c->own->code, file->path, e.address, e.end, &c->why);
}

/*
 * --- together ----------------------------------------------------------------------------------
 */

static int add_code(struct codelines *c)
{
	const struct disassembly *d = &c->own->code;

	if (!ARRAY_ROOM(c->list, c->cap, d->n, LINES_MAX))
		return -ENOMEM;
	for (size_t i = 0; i < d->n; i++) {
		struct codeline *l = &c->list[c->n++];

		*l = (struct codeline){.address = d->list[i].address, .text = d->list[i].text};
		add_source(c->own, l);
	}
	return 0;
}

/* Adds the samples to the instructions around them. */
static int add_samples(struct codelines *c, const struct annotation *a)
{
	for (size_t i = 0; i < a->n_places; i++) {
		uint64_t address = place_address(a->places[i].place);
		size_t at = ARRAY_BISECT(c->n, k, c->list[k].address <= address);
		struct codeline *l;

		if (!c->has_code || !at) {
			if (!ARRAY_ROOM(c->list, c->cap, c->n + 1, LINES_MAX))
				return -ENOMEM;
			memmove(c->list + at + 1, c->list + at, (c->n - at) * sizeof(*c->list));
			c->list[at] = (struct codeline){.address = address};
			add_source(c->own, &c->list[at]);
			c->n++;
			at++;
		}
		l = &c->list[at - 1];
		l->n += a->places[i].n;
		l->weight += a->places[i].weight;
	}
	return 0;
}

int codelines_read(struct codelines *c, const struct annotation *a, const struct sampleinfo *info)
{
	*c = (struct codelines){.start = place_address(a->func->addr),
				.own = calloc(1, sizeof(*c->own))};
	if (!c->own)
		return -ENOMEM;
	arena_init(&c->own->arena, ARENA_MAX_BYTES);
	c->has_code = read_code(c, a, info) >= 0 && c->own->code.n;
	if (c->has_code)
		TRY(add_code(c));
	return add_samples(c, a);
}

void codelines_release(struct codelines *c)
{
	struct source *s = c->own ? c->own->sources : NULL;

	for (; s; s = s->next)
		free(s->lines);
	if (c->own) {
		disassembly_release(&c->own->code);
		debuginfo_close(c->own->debuginfo);
		arena_release(&c->own->arena);
	}
	free(c->own);
	free(c->list);
	*c = (struct codelines){0};
}
