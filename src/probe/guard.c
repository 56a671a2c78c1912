// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guard.c - prevents a condition from being true for a text that could not be read.
 *
 * The texts of a record follow its numbers, in the order of the arguments. A text that could not be
 * read has length 0, which means "up to the next NUL" to the kernel's filters. So the filters
 * compare the bytes at its position: the next text of the same record, or remains of an earlier
 * record.
 *
 *	work(name) if name == "text"        text, (fault), text      intended: text, text
 *
 * So a text that is always readable is put after each text that a condition tests, and the filter
 * finds this text:
 *
 *	name=+0(%si):string sonde_guard0=\"(fault)":string           in the kernel
 *	name=+0(%si):string sonde_guard0=@+0x11a5:string             in a program
 *
 * Constant texts do not work in programs, where every text is read from the program's memory. But
 * the page with the probed instruction is in memory, so its bytes can be used: a byte that is not a
 * letter, followed by a zero. It differs from any text that a user would search for.
 * probe_fmt_format() hides the guards from readers.
 */
#include "probe/resolve/resolve_int.h"
#include "base/array.h"
#include "base/files/regular.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PAGE_BYTES 4096u /* no machine has smaller pages */

static bool is_of_program(const struct probe *p)
{
	return p->kind == PROBE_UPROBE || p->kind == PROBE_URETPROBE;
}

static bool is_text(const struct probe_arg *a)
{
	const char *type = strrchr(a->fetch, ':');

	return type && (!strcmp(type, ":string") || !strcmp(type, ":ustring")) &&
	       strncmp(a->fetch, "$comm", 5);
}

/* Returns true if the filter contains the name as a separate word. */
static bool tests(const char *filter, const char *name)
{
	size_t len = strlen(name);

	for (const char *s = filter; len && (s = strstr(s, name)); s += len)
		if ((s == filter || !(isalnum((unsigned char)s[-1]) || s[-1] == '_')) &&
		    !(isalnum((unsigned char)s[len]) || s[len] == '_'))
			return true;
	return false;
}

/*
 * --- what is read
 * ----------------------------------------------------------------------------------
 */

/* Parses "/usr/bin/prog:0x1190(0x2000)": the offset, and the end of the path. */
static uint64_t offset_of(const char *place, size_t *ret_path_len)
{
	const char *colon = strrchr(place, ':');

	*ret_path_len = colon ? (size_t)(colon - place) : 0;
	return colon ? strtoull(colon + 1, NULL, 0) : 0;
}

static bool has_place_at(const struct probe *p, uint64_t offset)
{
	size_t len;

	return ARRAY_ANY(p->n_places, i, offset_of(p->places[i].text, &len) == offset);
}

/* Finds suitable bytes. A breakpoint of ours may replace a byte of the file in memory. */
static bool find_bytes(const struct probe *p, const uint8_t *page, size_t n, uint64_t page_at,
		       uint64_t *ret)
{
	for (size_t i = 0; i + 1 < n; i++)
		if ((page[i] >= 0x80 || (page[i] && page[i] < ' ')) && !page[i + 1] &&
		    !has_place_at(p, page_at + i) && !has_place_at(p, page_at + i + 1)) {
			*ret = page_at + i;
			return true;
		}
	return false;
}

/*
 * Finds such bytes in the page of the place. Within a page, distances in memory equal those in the
 * file.
 */
static bool fmt_bytes(const struct probe *p, size_t place, char fetch[64])
{
	const char *text = p->places[place].text;
	uint8_t page[PAGE_BYTES];
	char path[PATH_MAX];
	size_t path_len;
	uint64_t offset = offset_of(text, &path_len), page_at = offset & ~(PAGE_BYTES - 1ull), at;
	ssize_t n;
	int fd;

	if (!path_len || path_len >= sizeof(path))
		return false;
	snprintf(path, sizeof(path), "%.*s", (int)path_len, text);
	fd = regular_open(path, UINT64_MAX);
	if (fd < 0)
		return false;
	n = pread(fd, page, sizeof(page), page_at);
	close(fd);
	if (n <= 0 || !find_bytes(p, page, n, page_at, &at))
		return false;
	snprintf(fetch, 64, "@+0x%llx:string", (unsigned long long)at);
	return true;
}

/*
 * --- where it goes
 * ---------------------------------------------------------------------------------
 */

struct guarding {
	struct probe *p;
	struct arena *memory;
	const char *filter;
	char **guards; /* one guard for each place */
	struct probe_arg *args;
	char ***fetches; /* for each place, the fetches of the new arguments */
	size_t n;
};

static bool find_guards(struct guarding *g, const struct probe_kernel *k)
{
	char fetch[64] = "\\\"(fault)\":string";

	if (!is_of_program(g->p) && !k->immediates)
		return false;
	g->guards = arena_alloc_array(g->memory, g->p->n_places, sizeof(*g->guards));
	for (size_t i = 0; g->guards && i < g->p->n_places; i++) {
		if (is_of_program(g->p) && !fmt_bytes(g->p, i, fetch))
			return false;
		g->guards[i] = arena_strndup(g->memory, fetch, strlen(fetch));
		if (!g->guards[i])
			return false;
	}
	return g->guards;
}

static bool find_room(struct guarding *g)
{
	size_t n_places = g->p->n_places, most = 2 * g->p->n_args;

	g->args = arena_alloc_array(g->memory, most, sizeof(*g->args));
	g->fetches = arena_alloc_array(g->memory, n_places, sizeof(*g->fetches));
	for (size_t i = 0; g->fetches && i < n_places; i++) {
		g->fetches[i] = arena_alloc_array(g->memory, most, sizeof(**g->fetches));
		if (!g->fetches[i])
			return false;
	}
	return g->args && g->fetches;
}

static void take_arg(struct guarding *g, size_t i)
{
	g->args[g->n] = g->p->args[i];
	for (size_t k = 0; k < g->p->n_places; k++)
		g->fetches[k][g->n] = g->p->places[k].fetches ? g->p->places[k].fetches[i] : NULL;
	g->n++;
}

static bool add_guard(struct guarding *g, struct span span, unsigned number)
{
	char name[32];

	snprintf(name, sizeof(name), "sonde_guard%u", number);
	g->args[g->n] = (struct probe_arg){
		.name = arena_strndup(g->memory, name, strlen(name)),
		.fetch = g->guards[0],
		.span = span,
		.is_guard = true,
	};
	for (size_t k = 0; k < g->p->n_places; k++)
		g->fetches[k][g->n] = g->guards[k];
	return g->args[g->n++].name;
}

static size_t count_tested(const struct guarding *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->p->n_args; i++)
		n += is_text(&g->p->args[i]) && tests(g->filter, g->p->args[i].name);
	return n;
}

bool probe_guard_texts(struct probe *p, const char *filter, const struct probe_kernel *k)
{
	struct guarding g = {.p = p, .memory = &((struct resolved *)p)->memory, .filter = filter};
	size_t n_tested = p->kind == PROBE_RAW ? 0 : count_tested(&g);
	unsigned n_guards = 0;

	if (!n_tested)
		return true;
	if ((k->max_args && p->n_args + n_tested > k->max_args) || !find_guards(&g, k) ||
	    !find_room(&g))
		return false;
	for (size_t i = 0; i < p->n_args; i++) {
		take_arg(&g, i);
		if (is_text(&p->args[i]) && tests(filter, p->args[i].name) &&
		    !add_guard(&g, p->args[i].span, n_guards++))
			return false;
	}
	p->args = g.args;
	p->n_args = g.n;
	for (size_t i = 0; i < p->n_places; i++)
		p->places[i].fetches = g.fetches[i];
	return true;
}
