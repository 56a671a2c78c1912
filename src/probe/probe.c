// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probe.c - writes the line that defines a probe, and maps a byte of the line back to the
 * definition.
 *
 *	p:probe/vfs_read vfs_read count=%dx:u64 name=+0(+40(%di)):string
 *	└─ word 0 ─────┘ └ 1 ───┘ └ 2: the first argument
 *
 * The mapping counts words: blanks occur only between words and in quotes (\"a text").
 */
#include "base/textbuf.h"
#include "probe/probe.h"

#include <string.h>

const struct probe_kernel probe_kernel_usual = {
	.kprobes = true,
	.uprobes = true,
	.eprobes = true,
	.dynamic_events = true,
	.arg_n = true,
	.user_strings = true,
	.symbol_type = true,
	.char_type = true,
	.arrays = true,
	.bitfields = true,
	.immediates = true,
	.comm = true,
	.many_places = true,
	.refcounts = true,
	.max_args = 128,
};

/* The first letter of each kind, and the text after its place. */
static const struct {
	char letter;
	const char *after;
	bool has_max_active;
} kinds[] = {
	[PROBE_KPROBE] = {'p', ""}, [PROBE_KRETPROBE] = {'r', "", true},
	[PROBE_FPROBE] = {'f', ""}, [PROBE_FPROBE_EXIT] = {'f', "%return", true},
	[PROBE_UPROBE] = {'p', ""}, [PROBE_URETPROBE] = {'r', ""},
	[PROBE_EPROBE] = {'e', ""}, [PROBE_TPROBE] = {'t', ""},
};

static void fmt_head(const struct probe *p, char letter, bool has_max_active, const char *group,
		     const char *event, struct textbuf *tb)
{
	textbuf_add_char(tb, letter);
	if (has_max_active && p->max_active)
		textbuf_add_dec(tb, p->max_active);
	textbuf_addf(tb, ":%s/%s ", group ? group : p->group, event ? event : p->event);
}

void probe_fmt_line(const struct probe *p, size_t place, const char *group, const char *event,
		    struct textbuf *tb)
{
	const struct probe_place *at = &p->places[place];

	if (p->kind == PROBE_RAW) {
		fmt_head(p, p->definition->letter, true, group, event, tb);
		textbuf_add_str(tb, p->definition->rest);
		return;
	}
	fmt_head(p, kinds[p->kind].letter, kinds[p->kind].has_max_active, group, event, tb);
	textbuf_add_str(tb, at->text);
	textbuf_add_str(tb, kinds[p->kind].after);
	for (size_t i = 0; i < p->n_args; i++)
		textbuf_addf(tb, " %s%s%s", p->args[i].name, *p->args[i].name ? "=" : "",
			     at->fetches && at->fetches[i] ? at->fetches[i] : p->args[i].fetch);
}

bool probe_reads_late(const struct probe *p)
{
	bool is_return = p->kind == PROBE_KRETPROBE || p->kind == PROBE_FPROBE_EXIT;

	for (size_t i = 0; i < p->n_args && is_return; i++)
		if (strstr(p->args[i].fetch, "($arg"))
			return true;
	return false;
}

bool probe_use_breakpoint(struct probe *p)
{
	if (p->kind != PROBE_FPROBE && p->kind != PROBE_FPROBE_EXIT)
		return false;
	/* $argN, $stack and $retval have the same meaning for both kinds */
	p->kind = p->kind == PROBE_FPROBE ? PROBE_KPROBE : PROBE_KRETPROBE;
	return true;
}

/* Returns the index of the word that contains the byte, and where that word begins. */
static size_t find_word(const char *line, size_t at, size_t *ret_begin)
{
	size_t word = 0, begin = 0;
	bool is_quoted = false;

	for (size_t i = 0; i < at && line[i]; i++) {
		if (line[i] == '"')
			is_quoted = !is_quoted;
		if (line[i] == ' ' && !is_quoted) {
			word++;
			begin = i + 1;
		}
	}
	*ret_begin = begin;
	return word;
}

static struct span first_of(struct span a, struct span b, struct span c)
{
	return a.len ? a : b.len ? b : c;
}

struct span probe_span_of(const struct probe *p, size_t place, const char *line, size_t at)
{
	const struct definition *d = p->definition;
	size_t begin, word = find_word(line, at, &begin);

	if (!word)
		return first_of(d->event_span, d->function_span, d->file_span);
	if (p->kind == PROBE_RAW) {
		const char *rest = strchr(line, ' ');
		size_t offset = rest ? at - (rest + 1 - line) : 0;

		if (offset >= d->rest_span.len)
			return d->rest_span;
		return (struct span){d->rest_span.at + offset, 1};
	}
	if (word == 1)
		return first_of(d->function_span, d->file_span, d->line_span);
	return word - 2 < p->n_args ? p->args[word - 2].span : d->function_span;
}
