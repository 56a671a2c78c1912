// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kallsyms.c - parses, sorts and searches kernel symbols.
 *
 *	ffffffff81000000 T _text
 *	ffffffffc0123000 t do_it	[module]
 *
 * Skipped: type A and a (per-CPU offsets on x86-64) and names that begin with '$' (mapping symbols
 * on arm). Reading stops at the first line of another form.
 *
 * If several symbols have the same address, the same one as in libtraceevent must be shown. So
 * symbols with equal addresses are in reverse order of appearance, and the search is the binary
 * search of bsearch(3), mid = (low + high) / 2, which returns its first match. 130 000 symbols (5
 * MB of text) take about 10 ms; kernel text is sorted already, so sorting merges a few hundred
 * runs.
 */
#include "symbols/kallsyms.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/number.h"
#include "symbols/cxx/shorten.h"
#include "symbols/programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SYMS_MAX	(1u << 20) /* 32 MB; large kernels have 250 000 */
/* number of look-ups by name, 0.2 ms each, before an index is built */
#define INDEX_AFTER	16
#define NAMES_MAX_BYTES (64u << 20)
#define NO_BREAK	"\302\240" /* a no-break space */

static inline int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline bool is_blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Parses "ADDR T NAME[\t[MODULE]]". Returns false if the line has another form. */
static bool parse_line(const char *p, const char *end, struct ksym *ret, char *ret_type)
{
	int digits = 0, d;

	memset(ret, 0, sizeof(*ret));
	while (p < end && is_blank(*p))
		p++;
	while (p < end && digits < 16 && (d = hex_digit(*p)) >= 0) {
		ret->addr = ret->addr << 4 | d;
		digits++;
		p++;
	}
	while (p < end && is_blank(*p))
		p++;
	if (!digits || p == end)
		return false;
	*ret_type = *p++;
	while (p < end && is_blank(*p))
		p++;
	ret->name = p;
	while (p < end && !is_blank(*p))
		p++;
	if (p == ret->name || p - ret->name > UINT16_MAX)
		return false;
	ret->name_len = p - ret->name;
	if (end - p < 3 || p[0] != '\t' || p[1] != '[')
		return true;
	ret->module = p += 2;
	while (p < end && !is_blank(*p))
		p++;
	ret->module_len = p - ret->module > UINT16_MAX ? 0 : p - ret->module - (p != ret->module);
	return true;
}

/*
 * A name of a program's function may have blanks: "operator new(unsigned long)". The text has a
 * no-break space for each of them (store/events/userevents.c), because a blank would end the name.
 * If memory is short, it stays, and so do template arguments.
 */
static void restore_name(struct kallsyms *ks, struct ksym *s)
{
	size_t n = 0;
	char *name;

	bool is_long = ks->short_names && memchr(s->name, '<', s->name_len);

	if (s->addr >> 63 || (!is_long && !memmem(s->name, s->name_len, NO_BREAK, 2)))
		return;
	if (!ks->has_names)
		arena_init(&ks->names, NAMES_MAX_BYTES);
	ks->has_names = true;
	name = arena_strndup(&ks->names, s->name, s->name_len);
	for (size_t i = 0; name && i < s->name_len; i++) {
		bool is_blank = !strncmp(name + i, NO_BREAK, 2);

		name[n++] = is_blank ? ' ' : name[i];
		i += is_blank;
	}
	if (name) {
		s->name = name;
		s->name_len = (uint16_t)(ks->short_names ? shorten_name(name, n) : n);
	}
}

int kallsyms_add(struct kallsyms *ks, struct piece text)
{
	const char *p = (const char *)text.data, *end = p + text.len;
	size_t n_guess = text.len / 40 + 64;

	if (!ks->cap &&
	    !ARRAY_ROOM(ks->syms, ks->cap, n_guess < SYMS_MAX ? n_guess : SYMS_MAX, SYMS_MAX))
		return -ENOMEM;
	while (p < end && *p) {
		const char *nl = memchr(p, '\n', end - p), *stop = nl ? nl : end;
		char type = 0;

		if (!ARRAY_ROOM(ks->syms, ks->cap, ks->n + 1, SYMS_MAX))
			return -ENOMEM;
		if (stop != p) {
			struct ksym *s = &ks->syms[ks->n];

			if (!parse_line(p, stop, s, &type))
				break;
			s->order = ks->n;
			restore_name(ks, s);
			if (s->name[0] != '$' && type != 'A' && type != 'a')
				ks->n++;
		}
		p = stop + 1;
	}
	return 0;
}

static inline bool ksym_before(const struct ksym *a, const struct ksym *b)
{
	return a->addr < b->addr || (a->addr == b->addr && a->order > b->order);
}

static void merge_runs(const struct ksym *a, size_t n_a, const struct ksym *b, size_t n_b,
		       struct ksym *out)
{
	while (n_a && n_b) {
		if (ksym_before(b, a)) {
			*out++ = *b++;
			n_b--;
		} else {
			*out++ = *a++;
			n_a--;
		}
	}
	memcpy(out, a, n_a * sizeof(*a));
	memcpy(out + n_a, b, n_b * sizeof(*b));
}

/* Reverses groups of equal addresses, so that each ascending run is in ksym_before() order. */
static void reverse_equals(struct ksym *s, size_t n)
{
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && s[j].addr == s[i].addr; j++)
			;
		for (size_t a = i, b = j - 1; a < b; a++, b--) {
			struct ksym t = s[a];

			s[a] = s[b];
			s[b] = t;
		}
	}
}

static size_t run_end(const struct ksym *s, size_t from, size_t n)
{
	size_t i = from + 1;

	while (i < n && !ksym_before(&s[i], &s[i - 1]))
		i++;
	return i < n ? i : n;
}

int kallsyms_sort(struct kallsyms *ks)
{
	struct ksym *from = ks->syms, *to;
	bool sorted;

	if (ks->n < 2)
		return 0;
	reverse_equals(from, ks->n);
	if (run_end(from, 0, ks->n) == ks->n)
		return 0;
	to = malloc(ks->cap * sizeof(*to));
	if (!to)
		return -ENOMEM;
	do {
		struct ksym *swap = from;

		sorted = true;
		for (size_t i = 0, mid, end; i < ks->n; i = end) {
			mid = run_end(from, i, ks->n);
			end = mid < ks->n ? run_end(from, mid, ks->n) : mid;
			merge_runs(from + i, mid - i, from + mid, end - mid, to + i);
			sorted &= i == 0 && end == ks->n;
		}
		from = to;
		to = swap;
	} while (!sorted);
	ks->syms = from;
	free(to);
	return 0;
}

/*
 * Adds late symbols. They are published in one step and freed only with the table, so a reader sees
 * all of them or none.
 */
int kallsyms_add_late(struct kallsyms *ks, struct piece text)
{
	struct kallsyms *late = calloc(1, sizeof(*late));

	if (!late)
		return -ENOMEM;
	late->short_names = ks->short_names;
	late->text = malloc(text.len + 1);
	if (late->text)
		memcpy(late->text, text.data, text.len);
	if (!late->text || kallsyms_add(late, (struct piece){late->text, text.len}) < 0 ||
	    kallsyms_sort(late) < 0) {
		kallsyms_release(late);
		free(late);
		return -ENOMEM;
	}
	late->late = ks->late;
	__atomic_store_n(&ks->late, late, __ATOMIC_RELEASE);
	return 0;
}

void kallsyms_release(struct kallsyms *ks)
{
	while (ks->late) {
		struct kallsyms *next = ks->late->late;

		ks->late->late = NULL;
		kallsyms_release(ks->late);
		free(ks->late);
		ks->late = next;
	}
	if (ks->has_names)
		arena_release(&ks->names);
	free(ks->text);
	free(ks->syms);
	free(ks->by_name);
	memset(ks, 0, sizeof(*ks));
}

/* Returns a symbol that begins at this address, or NULL. */
static const struct ksym *find_exactly(const struct kallsyms *ks, uint64_t addr)
{
	size_t low = 0, high = ks->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (ks->syms[mid].addr == addr)
			return &ks->syms[mid];
		if (addr < ks->syms[mid].addr)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

static const struct ksym *find_late(const struct kallsyms *ks, uint64_t addr)
{
	const struct ksym *found = NULL;

	for (const struct kallsyms *late = __atomic_load_n(&ks->late, __ATOMIC_ACQUIRE);
	     late && !found; late = late->late)
		found = find_exactly(late, addr);
	return found;
}

/*
 * Addresses of programs have the number of their file in bits 48 to 62
 * (store/events/sampleevents.h). A function of one file does not reach into the next.
 */
static bool is_of_other_file(uint64_t start, uint64_t addr)
{
	return start >> 48 && !(start >> 63) && start >> 48 != addr >> 48;
}

const struct ksym *kallsyms_find(const struct kallsyms *ks, uint64_t addr)
{
	const struct ksym *late = find_late(ks, addr);
	const struct ksym *of_program = programs_find(ks->programs, addr);
	size_t low = 0, high = of_program ? 0 : ks->n;

	if (late)
		return late;
	while (low < high) {
		size_t mid = (low + high) / 2;
		uint64_t start = ks->syms[mid].addr;
		/* in libtraceevent the table ends with an extra address of 0 */
		uint64_t next = mid + 1 < ks->n ? ks->syms[mid + 1].addr : 0;

		if (addr == start || (addr > start && addr < next))
			return is_of_other_file(start, addr) ? NULL : &ks->syms[mid];
		if (addr < start)
			high = mid;
		else
			low = mid + 1;
	}
	return of_program;
}

/* Returns the slot that has the symbol of the name, or the free slot for it. */
static uint32_t *name_slot(const struct kallsyms *ks, const char *name, size_t len)
{
	size_t i = hash_text(ks->seed, name, len, ks->n_by_name);

	for (; ks->by_name[i]; i = (i + 1) & (ks->n_by_name - 1)) {
		const struct ksym *sym = &ks->syms[ks->by_name[i] - 1];

		if (sym->name_len == len && !memcmp(sym->name, name, len))
			break;
	}
	return &ks->by_name[i];
}

static void index_names(struct kallsyms *ks)
{
	ks->n_by_name = 1024;
	while (ks->n_by_name < ks->n * 2)
		ks->n_by_name *= 2;
	ks->seed = hash_seed();
	ks->by_name = calloc(ks->n_by_name, sizeof(*ks->by_name));
	for (size_t i = 0; ks->by_name && i < ks->n; i++) {
		uint32_t *slot = name_slot(ks, ks->syms[i].name, ks->syms[i].name_len);

		if (!*slot)
			*slot = i + 1;
	}
}

/*
 * Finds a symbol by name. Usually only a few names are looked up, so the index is built after
 * INDEX_AFTER look-ups.
 */
const struct ksym *kallsyms_find_name(struct kallsyms *ks, const char *name, size_t len)
{
	if (!ks->by_name && ks->n_asked++ == INDEX_AFTER)
		index_names(ks);
	if (ks->by_name) {
		uint32_t found = *name_slot(ks, name, len);

		if (found)
			return &ks->syms[found - 1];
	}
	for (size_t i = 0; i < ks->n && !ks->by_name; i++)
		if (ks->syms[i].name_len == len && !memcmp(ks->syms[i].name, name, len))
			return &ks->syms[i];
	return ks->late ? kallsyms_find_name(ks->late, name, len) : NULL;
}

void ksym_slot_fill(struct ksym_slot *slot, const struct kallsyms *ks, uint64_t addr)
{
	const struct ksym *sym = kallsyms_find(ks, addr);
	char *end;

	slot->addr = addr;
	slot->sym = sym;
	slot->name_len = slot->full_len = 0;
	if (!sym || sym->name_len + 3u + 16u > sizeof(slot->text))
		return;
	memcpy(slot->text, sym->name, sym->name_len);
	memcpy(slot->text + sym->name_len, "+0x", 3);
	end = number_emit_hex(slot->text + sym->name_len + 3, addr - sym->addr);
	slot->name_len = sym->name_len;
	slot->full_len = end - slot->text;
}

void ksym_cache_init(struct ksym_cache *cache, const struct kallsyms *ks)
{
	memset(cache, 0, sizeof(*cache));
	ksym_slot_fill(&cache->slots[0], ks, 0);
}
