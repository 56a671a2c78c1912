/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kallsyms.h - resolves kernel addresses to names.
 *
 * This is a table over texts in the form of /proc/kallsyms; the names stay in those texts, which
 * the caller keeps. One thread adds symbols; after that, look-ups are read-only and may run in any
 * thread.
 */
#ifndef SONDE_SYMBOLS_KALLSYMS_H
#define SONDE_SYMBOLS_KALLSYMS_H

#include "base/arena.h"
#include "format/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct programs;

struct ksym {
	uint64_t addr;
	const char *name;   /* not terminated */
	const char *module; /* NULL: the kernel itself */
	uint32_t order;	    /* order of appearance */
	uint16_t name_len, module_len;
};

struct kallsyms {
	struct ksym *syms; /* sorted by address after kallsyms_sort() */
	size_t n, cap;
	uint32_t *by_name; /* maps hashes of names to index + 1; built after INDEX_AFTER look-ups */
	size_t n_by_name;
	uint64_t seed;
	unsigned n_asked;
	/* programs whose functions are also found (programs.h); NULL: none */
	struct programs *programs;
	/* symbols that came later (kallsyms_add_late()), the newest first; NULL: none */
	struct kallsyms *late;
	void *text;	    /* text of the late symbols; owned */
	struct arena names; /* those that are not as in the text; has_names: it is used */
	bool has_names;
	bool short_names; /* of programs: without template arguments; set before kallsyms_add() */
};

/* Adds lines up to the first one of another form. Returns 0 or -ENOMEM. */
int kallsyms_add(struct kallsyms *ks, struct piece text);
/* Call it once, after the last kallsyms_add() and before the first look-up. */
int kallsyms_sort(struct kallsyms *ks);
void kallsyms_release(struct kallsyms *ks);
/*
 * Adds a text while other threads look up: symbols of a trace that is still being recorded. Its
 * symbols are found at their own addresses only. The text is copied. One thread at a time. Returns
 * 0 or -ENOMEM.
 */
int kallsyms_add_late(struct kallsyms *ks, struct piece text);

/*
 * Returns the symbol that covers addr, or NULL. The last symbol covers only its own address, and
 * one of a program's file no address of another file.
 */
const struct ksym *kallsyms_find(const struct kallsyms *ks, uint64_t addr);
/* Returns the first symbol of that name by address, or NULL. For one thread. */
const struct ksym *kallsyms_find_name(struct kallsyms *ks, const char *name, size_t len);

/*
 * A small cache in front of kallsyms_find() for one thread, direct-mapped. Traces repeat the same
 * few addresses; a hit costs one cache line instead of seventeen, with the text to print.
 */
#define KSYM_CACHE_BITS 10

struct ksym_slot {
	uint64_t addr;
	const struct ksym *sym; /* NULL: no symbol covers addr */
	/* lengths in text of the name and of "name+0xoffset"; 0: does not fit */
	uint8_t name_len, full_len;
	char text[46];
};

struct ksym_cache {
	struct ksym_slot slots[1 << KSYM_CACHE_BITS];
};

/* Fills slot 0: an empty slot means "address 0 has no symbol", which must be true. */
void ksym_cache_init(struct ksym_cache *cache, const struct kallsyms *ks);
void ksym_slot_fill(struct ksym_slot *slot, const struct kallsyms *ks, uint64_t addr);

static inline const struct ksym_slot *kallsyms_find_slot(const struct kallsyms *ks,
							 struct ksym_cache *cache, uint64_t addr)
{
	struct ksym_slot *slot =
		&cache->slots[(addr * 0x9e3779b97f4a7c15u) >> (64 - KSYM_CACHE_BITS)];

	if (__builtin_expect(slot->addr != addr, 0))
		ksym_slot_fill(slot, ks, addr);
	return slot;
}

static inline const struct ksym *kallsyms_find_cached(const struct kallsyms *ks,
						      struct ksym_cache *cache, uint64_t addr)
{
	return kallsyms_find_slot(ks, cache, addr)->sym;
}

#endif
