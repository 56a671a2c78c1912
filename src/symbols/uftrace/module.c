// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * module.c - reads NAME.sym and NAME.dbg of a uftrace.data directory.
 *
 *	# symbols: 19                                     F: 11e9 c
 *	# path name: /tmp/abc                             L: 4 abc.c
 *	# build-id: bb09d885…                             A: @arg1,arg2/s
 *	0000000000001030 P getpid                         R: @retval
 *	00000000000011e9 t c                              E: enum colour {RED, GREEN = 5}
 *	00000000000012e9 ? __func_end
 *
 * uftrace 0.13 stores no sizes: a symbol ends where the next one begins, and a line of type '?'
 * ends the one before it. Since 0.14 a line has a size: "ADDR SIZE T name".
 */
#include "symbols/uftrace/module.h"

#include "base/array.h"
#include "base/scope.h"
#include "format/uftrace.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYMS_MAX (4u << 20)

/* The next line of a text without its newline; false at the end. */
static bool next_line(const char **pos, const char *end, const char **ret, size_t *ret_len)
{
	const char *nl;

	if (*pos >= end)
		return false;
	nl = memchr(*pos, '\n', end - *pos);
	*ret = *pos;
	*ret_len = (nl ? nl : end) - *pos;
	*pos = nl ? nl + 1 : end;
	return true;
}

static bool has_prefix(const char *line, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && !memcmp(line, prefix, strlen(prefix));
}

static const char *rest_of(struct arena *a, const char *line, size_t len, const char *prefix)
{
	size_t skip = strlen(prefix);

	while (skip < len && line[skip] == ' ')
		skip++;
	return arena_strndup(a, line + skip, len - skip);
}

static bool parse_head_line(struct uft_module *m, struct arena *a, const char *line, size_t len)
{
	if (has_prefix(line, len, "# path name:"))
		m->path = rest_of(a, line, len, "# path name:");
	else if (has_prefix(line, len, "# build-id:"))
		m->build_id = rest_of(a, line, len, "# build-id:");
	return len && line[0] == '#';
}

void uft_module_parse_head(struct uft_module *m, struct arena *a, const char *text, size_t len)
{
	const char *end = text + len, *line;
	size_t n;

	while (next_line(&text, end, &line, &n) && parse_head_line(m, a, line, n))
		;
}

struct sym_line {
	uint64_t addr;
	uint32_t size;
	char type;
	const char *name;
	size_t name_len;
};

/* "ADDR [SIZE] TYPE NAME" */
static bool parse_sym_line(const char *line, size_t len, struct sym_line *ret)
{
	char head[64];
	size_t n = len < sizeof(head) - 1 ? len : sizeof(head) - 1;
	unsigned long long addr;
	unsigned size = 0;
	int used = 0;

	memcpy(head, line, n);
	head[n] = 0;
	*ret = (struct sym_line){0};
	if (sscanf(head, "%16llx %8x %c %n", &addr, &size, &ret->type, &used) != 3 || used != 28) {
		used = size = 0;
		if (sscanf(head, "%16llx %c %n", &addr, &ret->type, &used) != 2 || !used)
			return false;
	}
	if ((size_t)used >= len)
		return false;
	ret->addr = addr;
	ret->size = size;
	ret->name = line + used;
	ret->name_len = len - used;
	return true;
}

static int compare_syms(const void *a, const void *b)
{
	const struct uft_sym *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int compare_by_name(const void *a, const void *b)
{
	const struct uft_sym *x = *(struct uft_sym *const *)a, *y = *(struct uft_sym *const *)b;
	int d = strcmp(x->name, y->name);

	return d ? d : x < y ? -1 : x > y;
}

static int sort_syms(struct uft_module *m, struct arena *a)
{
	m->by_name = arena_alloc_array(a, m->n_syms + 1, sizeof(struct uft_sym *));
	if (!m->by_name)
		return -ENOMEM;
	if (!m->n_syms)
		return 0;
	qsort(m->syms, m->n_syms, sizeof(*m->syms), compare_syms);
	for (size_t i = 0; i < m->n_syms; i++)
		m->by_name[i] = &m->syms[i];
	qsort(m->by_name, m->n_syms, sizeof(struct uft_sym *), compare_by_name);
	return 0;
}

static int add_sym(struct uft_module *m, struct arena *a, const struct sym_line *l, size_t *cap,
		   enum uft_names_how how)
{
	struct uft_sym *last = m->n_syms ? &m->syms[m->n_syms - 1] : NULL, *s;

	if (last && !last->size)
		last->size = l->addr > last->addr ? (uint32_t)(l->addr - last->addr) : 0;
	if (l->type == '?')
		return 0;
	if (!ARRAY_ROOM(m->syms, *cap, m->n_syms + 1, SYMS_MAX))
		return -ENOMEM;
	s = &m->syms[m->n_syms++];
	*s = (struct uft_sym){.addr = l->addr, .size = l->size, .type = l->type};
	s->raw = arena_strndup(a, l->name, l->name_len);
	s->name = s->raw ? uft_name_shown(a, s->raw, how) : NULL;
	return s->name ? 0 : -ENOMEM;
}

int uft_module_parse_syms(struct uft_module *m, struct arena *a, const char *text, size_t len,
			  enum uft_names_how how)
{
	const char *end = text + len, *line;
	struct uft_sym *heap = NULL;
	size_t n, cap = 0;
	int r = 0;

	m->syms = NULL;
	m->n_syms = 0;
	while (r >= 0 && next_line(&text, end, &line, &n)) {
		struct sym_line l;

		if (!parse_head_line(m, a, line, n) && parse_sym_line(line, n, &l))
			r = add_sym(m, a, &l, &cap, how);
	}
	heap = m->syms;
	if (r >= 0 && m->n_syms) {
		m->syms = arena_alloc_array(a, m->n_syms, sizeof(*m->syms));
		if (m->syms)
			memcpy(m->syms, heap, m->n_syms * sizeof(*heap));
	}
	free(heap);
	if (r < 0 || (m->n_syms && !m->syms)) {
		m->n_syms = 0;
		return -ENOMEM;
	}
	return sort_syms(m, a);
}

/* Names of one address: the last counts. A function ends where the next one begins. */
static void settle_kallsyms(struct uft_module *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_syms; i++) {
		if (n && m->syms[n - 1].addr == m->syms[i].addr)
			n--;
		if (n)
			m->syms[n - 1].size = (uint32_t)(m->syms[i].addr - m->syms[n - 1].addr);
		m->syms[n++] = m->syms[i];
	}
	m->n_syms = n;
	for (size_t i = 0; i < n; i++)
		m->by_name[i] = &m->syms[i];
	qsort(m->by_name, n, sizeof(struct uft_sym *), compare_by_name);
}

int uft_module_parse_kallsyms(struct uft_module *m, struct arena *a, const char *text, size_t len)
{
	const char *end = text + len, *line;
	size_t n, cap = 0, max = len / 20 + 1;

	*m = (struct uft_module){.path = "[kernel]", .build_id = ""};
	m->syms = arena_alloc_array(a, max, sizeof(*m->syms));
	if (!m->syms)
		return -ENOMEM;
	for (cap = max; next_line(&text, end, &line, &n);) {
		struct sym_line l;
		struct uft_sym *s = &m->syms[m->n_syms];

		if (m->n_syms == cap || !parse_sym_line(line, n, &l) || !strchr("tTwW", l.type))
			continue;
		*s = (struct uft_sym){.addr = l.addr & UFT_KERNEL_MASK, .type = l.type};
		s->raw = s->name = arena_strndup(a, l.name, strcspn(l.name, "\t\n"));
		if (!s->name)
			return -ENOMEM;
		m->n_syms++;
	}
	TRY(sort_syms(m, a));
	settle_kallsyms(m);
	return 0;
}

const struct uft_sym *uft_module_find(const struct uft_module *m, uint64_t addr)
{
	size_t low = 0, high = m->n_syms;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct uft_sym *s = &m->syms[mid];

		if (addr < s->addr)
			high = mid;
		else if (addr >= s->addr + s->size && addr != s->addr)
			low = mid + 1;
		else
			return s;
	}
	return NULL;
}

const struct uft_sym *uft_module_find_name(const struct uft_module *m, const char *name)
{
	size_t low = 0, high = m->n_syms;

	while (low < high) {
		size_t mid = (low + high) / 2;
		int d = strcmp(name, m->by_name[mid]->name);

		if (!d)
			return m->by_name[mid];
		if (d < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

/* A line of NAME.dbg that belongs to the function before it. */
static void parse_dbg_line(struct uft_dbg *d, struct arena *a, const char *line, size_t len)
{
	const char *space;

	if (len < 4)
		return;
	switch (line[0]) {
	case 'L':
		space = memchr(line + 3, ' ', len - 3);
		if (!space)
			return;
		d->line = atoi(line + 3);
		d->file = arena_strndup(a, space + 1, line + len - space - 1);
		break;
	case 'A':
		d->args = arena_strndup(a, line + 3, len - 3);
		break;
	case 'R':
		d->retval = arena_strndup(a, line + 3, len - 3);
		break;
	}
}

static int compare_dbgs(const void *a, const void *b)
{
	const struct uft_dbg *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Ties what is known about a function to its symbol. */
static void join_dbgs(struct uft_module *m)
{
	qsort(m->dbgs, m->n_dbgs, sizeof(*m->dbgs), compare_dbgs);
	for (size_t i = 0, k = 0; i < m->n_syms && k < m->n_dbgs; i++) {
		while (k < m->n_dbgs && m->dbgs[k].addr < m->syms[i].addr)
			k++;
		if (k < m->n_dbgs && m->dbgs[k].addr == m->syms[i].addr)
			m->syms[i].dbg = &m->dbgs[k];
	}
}

int uft_module_parse_dbg(struct uft_module *m, struct arena *a, const char *text, size_t len)
{
	const char *end = text + len, *line;
	struct uft_dbg *last = NULL;
	size_t n, n_functions = 0;

	for (const char *p = text; next_line(&p, end, &line, &n);)
		n_functions += has_prefix(line, n, "F: ");
	m->dbgs = arena_alloc_array(a, n_functions + 1, sizeof(*m->dbgs));
	if (!m->dbgs)
		return -ENOMEM;
	while (next_line(&text, end, &line, &n)) {
		char *name;

		if (has_prefix(line, n, "E: ")) {
			if (uft_enums_parse(&m->enums, a, line + 3, n - 3) < 0)
				return -ENOMEM;
		} else if (has_prefix(line, n, "F: ")) {
			last = &m->dbgs[m->n_dbgs++];
			last->addr = strtoull(line + 3, &name, 16);
			if (name < line + n)
				last->name = arena_strndup(a, name + 1, line + n - name - 1);
		} else if (last) {
			parse_dbg_line(last, a, line, n);
		}
	}
	if (m->n_dbgs)
		join_dbgs(m);
	return 0;
}
