// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sampleevents.c - the texts that describe samples and counters in a trace file.
 *
 * The print formats name the event with __print_symbolic(), which all readers know, and the
 * function with %ps, which they look up in kallsyms.
 */
#include "store/events/sampleevents.h"

#include "base/textbuf.h"
#include "store/events/eventformats.h"

#include <stdlib.h>

_Static_assert(offsetof(struct sampleevents_sample, stack) == SAMPLEEVENTS_SAMPLE_BYTES, "no gaps");
_Static_assert(sizeof(struct sampleevents_counter) == SAMPLEEVENTS_COUNTER_BYTES, "no gaps");

uint32_t sampleevents_set_stack(struct sampleevents_sample *s, size_t n)
{
	uint32_t at = offsetof(struct sampleevents_sample, stack);

	if (n > SAMPLEEVENTS_STACK_MAX)
		n = SAMPLEEVENTS_STACK_MAX;
	s->stack_loc = (uint32_t)(n * 8) << 16 | at;
	return at + (uint32_t)n * 8;
}

/* A name inside of a C string inside of a print format. */
static void add_quoted(struct textbuf *tb, const char *name)
{
	for (; *name; name++)
		textbuf_add_char(tb, *name == '"' || *name == '\\' || (unsigned char)*name < ' ' ||
						     *name == '%'
					     ? '_'
					     : *name);
}

static void add_names(struct textbuf *tb, const char *const *names, size_t n_names)
{
	textbuf_add_str(tb, "__print_symbolic(REC->event");
	for (size_t i = 0; i < n_names; i++) {
		textbuf_addf(tb, ", { %zu, \"", i);
		add_quoted(tb, names[i]);
		textbuf_add_str(tb, "\" }");
	}
	if (!n_names)
		textbuf_add_str(tb, ", { 0, \"event\" }");
	textbuf_add_str(tb, ")");
}

static void end(struct eventformats *f, const char *before, const char *const *names,
		size_t n_names, const char *after)
{
	TEXTBUF(tb, 1u << 20);

	textbuf_add_str(&tb, before);
	add_names(&tb, names, n_names);
	textbuf_add_str(&tb, after);
	eventformats_end(f, tb.overflow ? "\"\"" : textbuf_text(&tb));
}

void sampleevents_add_formats(struct textbuf *tb, const char *const *names, size_t n_names)
{
	struct eventformats f;

	eventformats_add_system(tb, SAMPLEEVENTS_SYSTEM, 2);
	eventformats_begin(&f, tb, "sample", SAMPLEEVENTS_SAMPLE);
	eventformats_add_field(&f, "u64 ip", 8, false);
	eventformats_add_field(&f, "u64 period", 8, false);
	eventformats_add_field(&f, "u32 event", 4, false);
	eventformats_add_field(&f, "s32 tgid", 4, true);
	eventformats_add_field(&f, "u32 n_bytes", 4, false);
	eventformats_add_field(&f, "__data_loc u64[] stack", 4, false);
	end(&f, "\"%s: %llu %ps\", ", names, n_names, ", REC->period, (void *)REC->ip");

	eventformats_begin(&f, tb, "counter", SAMPLEEVENTS_COUNTER);
	eventformats_add_field(&f, "u64 value", 8, false);
	eventformats_add_field(&f, "u64 enabled", 8, false);
	eventformats_add_field(&f, "u64 running", 8, false);
	eventformats_add_field(&f, "u32 event", 4, false);
	eventformats_add_field(&f, "s32 of_cpu", 4, true);
	end(&f, "\"%s: %llu\", ", names, n_names, ", REC->value");
}
