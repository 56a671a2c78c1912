// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * annotate.c - `sonde as perf annotate --stdio`: instructions with the share of samples on each.
 *
 *	 Percent |	Source code & Disassembly of w for cpu-clock (472 samples, percent: local
 *	                period)
 *	   93.01 :   120f:   xor    %rax,%rdx
 *
 * The samples and the code are those of sonde annotate (analyse/samples/annotation.h,
 * inputs/samples/codelines.h); only the text is perf's. Lines of the source have their number in
 * the file: perf counts lines of the disassembly there. Functions whose code is not on this machine
 * are omitted, as in perf.
 */
#include "analyse/calls/callflow.h"
#include "analyse/samples/annotation.h"
#include "analyse/samples/sampleset.h"
#include "analyse/samples/stacknames.h"
#include "base/options.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/as/perf.h"
#include "cli/as/perf/choice.h"
#include "cli/as/perf_words.h"
#include "cli/screen/output.h"
#include "inputs/samples/codelines.h"
#include "inputs/samples/sampleread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (256u << 20)
#define RULE_MORE      16 /* the line below the title is longer than the title's text */

struct options {
	const char *input, *symbol, *dsos, *ignored;
	bool no_source, show_n, show_period, unused;
};
#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
	ROW_STRING('i', "input", "file", "input file name", AT(input), .complete = "file"),
	ROW_STRING('s', "symbol", "symbol", "symbol to annotate", AT(symbol)),
	ROW_STRING('d', "dsos", "dso[,dso...]", "only consider symbols in these dsos", AT(dsos)),
	ROW_FLAG(0, "stdio", "Use the stdio interface", AT(unused)),
	ROW_FLAG(0, "no-source", "Interleave no source code with assembly code", AT(no_source)),
	ROW_FLAG(0, "source", "Interleave source code with assembly code (default)", AT(unused)),
	ROW_FLAG('n', "show-nr-samples", "Show a column with the number of samples", AT(show_n)),
	ROW_FLAG(0, "show-total-period", "Show a column with the sum of periods", AT(show_period)),
	ROW_FLAG(0, "stdio2", "accepted; the same as --stdio", AT(unused)),
	ROW_FLAG(0, "tui", "accepted; the output is text", AT(unused)),
	ROW_STRING(0, "stdio-color", "mode", "accepted; the text has no colours", AT(ignored)),
	ROW_STRING(0, "objdump", "path", "accepted; sonde needs no objdump", AT(ignored)),
	ROW_FLAG(0, "skip-missing", "accepted; symbols without code are always skipped",
		 AT(unused)),
	ROW_FLAG('m', "modules", "accepted; modules of the kernel always have names", AT(unused)),
	ROW_FLAG('l', "print-line", "print matching source lines (may be slow)", AT(unused)),
	ROW_FLAG('f', "force", "don't complain, do it", AT(unused)),
	ROW_FLAG('q', "quiet", "do now show any warnings or messages", AT(unused)),
	ROW_FLAG('v', "verbose", "be more verbose (show symbol address, etc)", AT(unused)),
	ROW_END,
};

static const char *const usage_lines[] = {"perf annotate [<options>]", NULL};
static const struct perf_usage usage = {
	.lines = usage_lines, .rows = rows, .exclusive = "", .has_options_behind = true};

/* The first column: its title, and its width. */
static const char *column_of(const struct options *o, int *ret_width)
{
	*ret_width = o->show_period ? 12 : 8;
	return o->show_period ? "Period" : o->show_n ? "Samples" : "Percent";
}

static void add_share(struct textbuf *tb, const struct options *o, const struct annotation *a,
		      const struct codeline *c)
{
	if (o->show_period)
		textbuf_addf(tb, "%12" PRIu64, c->weight);
	else if (o->show_n)
		textbuf_addf(tb, "%8" PRIu64, c->n);
	else
		textbuf_addf(tb, "%8.2f",
			     a->weight ? 100.0 * (double)c->weight / (double)a->weight : 0);
}

static void add_title(struct textbuf *tb, const struct options *o, const struct annotation *a,
		      const char *event)
{
	size_t at, len;
	int width;
	const char *column = column_of(o, &width);

	textbuf_addf(tb, " %-*s|\t", width, column);
	at = textbuf_len(tb);
	textbuf_addf(tb,
		     "Source code & Disassembly of %s for %s (%" PRIu64
		     " samples, percent: local period)",
		     stacknames_file(a->func), event, a->n);
	len = textbuf_len(tb) - at + (size_t)width + RULE_MORE - 8;
	textbuf_add_char(tb, '\n');
	textbuf_add_fill(tb, '-', len);
	textbuf_add_char(tb, '\n');
}

static void add_function(struct textbuf *tb, const struct options *o, const struct annotation *a,
			 const struct codelines *code, const char *event)
{
	unsigned line = 0;
	int width;

	column_of(o, &width);
	add_title(tb, o, a, event);
	textbuf_addf(tb, "%*s :\n%*s :      %016" PRIx64 " <%s>:\n", width, "", width, "",
		     code->start, a->func->name);
	for (size_t i = 0; i < code->n; i++) {
		const struct codeline *c = &code->list[i];

		if (!o->no_source && c->source && c->line != line)
			textbuf_addf(tb, "%*s : %-4u %s\n", width, "", c->line, c->source);
		line = c->line;
		add_share(tb, o, a, c);
		textbuf_addf(tb, " :   %" PRIx64 ":   %s\n", c->address, c->text ? c->text : "");
	}
}

static int annotate(const struct options *o, const struct sampleread *r, struct textbuf *tb,
		    struct errmsg *err)
{
	SCOPED(annotations_release) struct annotations all = {0};
	int e = annotations_init(&all, r->set, r->names, o->symbol ? o->symbol : "*");

	if (e == -ENOENT) /* perf is silent, too */
		return 0;
	if (e < 0)
		return errmsg_set_errno(err, e, "cannot annotate");
	for (size_t i = 0; i < all.n; i++) {
		SCOPED(codelines_release) struct codelines code = {0};

		if (!perf_choice_has(o->dsos, stacknames_file(all.list[i].func)))
			continue;
		if (codelines_read(&code, &all.list[i], &r->info) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot annotate");
		if (code.has_code)
			add_function(tb, o, &all.list[i], &code,
				     r->event ? r->event : "all events");
	}
	return 0;
}

static int run(const struct options *o, struct errmsg *err)
{
	SCOPED(sampleread_close) struct sampleread r = {0};
	struct sampleread_spec spec = {.path = o->input ? o->input : "perf.data",
				       .one_event = true};
	TEXTBUF(tb, TEXT_MAX_BYTES);

	if (access(spec.path, F_OK) < 0)
		return errmsg_set(err, -ENOENT, "failed to open %s: %s%s", spec.path,
				  strerror(errno), o->input ? "" : "  (try 'perf record' first)");
	TRY(sampleread_open(&r, &spec, err));
	TRY(annotate(o, &r, &tb, err));
	return output_print(&tb, "never", false, err);
}

int perf_annotate(int argc, char **argv, struct errmsg *err)
{
	SCOPED(perf_words_release) struct perf_words words = {0};
	struct options o = {0};
	int n, r = perf_words_parse(&words, &usage, &o, 0, argc, argv, &n, err);

	if (r)
		return r;
	if (n && !o.symbol) /* perf annotate SYMBOL */
		o.symbol = words.argv[1];
	return run(&o, err);
}
