// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * latesymbols.c - learns symbols that a growing file got after it was opened: functions of programs
 * that the recorded command has started.
 *
 * A recorder writes a new section with all symbols, and the file's last option says where it is. If
 * that place has changed, the names of functions that are not known yet are added.
 */
#include "base/textbuf.h"
#include "decode/formats/formats.h"
#include "format/bytes.h"
#include "format/tracedat.h"
#include "store/tracefile.h"
#include "symbols/kallsyms.h"
#include "timeline/timeline_int.h"

#include <stdlib.h>
#include <string.h>

#define SYMBOLS_MAX_BYTES ((size_t)64 << 20)
#define PROGRAMS_ADDR_MAX UINT32_MAX /* functions of programs; those of the kernel are higher */

static uint64_t place_of(const struct tracefile *tf)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_KALLSYMS);

	return o && o->data.len >= 8 ? bytes_get64(o->data.data, tf->swap) : 0;
}

/* Copies the lines of functions of programs that the table does not have. */
static void pick(const struct kallsyms *ks, struct piece text, struct textbuf *ret)
{
	const char *p = (const char *)text.data, *end = p + text.len;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *next = nl ? nl + 1 : end;
		char digits[20] = "";
		uint64_t addr;

		memcpy(digits, p, next - p < 17 ? (size_t)(next - p) : 17);
		addr = strtoull(digits, NULL, 16);
		if (addr && addr <= PROGRAMS_ADDR_MAX) {
			const struct ksym *sym = kallsyms_find(ks, addr);

			if (!sym || sym->addr != addr)
				textbuf_add(ret, p, (size_t)(next - p));
		}
		p = next;
	}
}

int latesymbols_learn(struct timeline *tl, size_t source, struct tracefile *now)
{
	struct source_state *st = &tl->source_states[source];
	struct formats *f = tl->sources[source].formats;
	uint64_t at = place_of(now), before = st->symbols_at;
	TEXTBUF(fresh, SYMBOLS_MAX_BYTES);
	int r = 0;

	if (!before)
		before = place_of(tl->sources[source].tf);
	st->symbols_at = at;
	if (!at || at == before)
		return 0;
	timeline_lock_formats(tl);
	pick(formats_kallsyms(f), tracefile_text(now, TRACEFILE_KALLSYMS), &fresh);
	if (textbuf_len(&fresh) && !fresh.overflow) {
		r = formats_add_symbols(f, PIECE_OF_TEXT(&fresh));
		atomic_fetch_add(&tl->n_symbol_texts, 1);
	}
	timeline_unlock_formats(tl);
	return r;
}

uint32_t timeline_symbols_version(const struct timeline *tl)
{
	return atomic_load(&tl->n_symbol_texts);
}
