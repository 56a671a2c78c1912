// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - `sonde as perf report`: where the samples of a perf.data are, as a table.
 *
 * This file has the options. inputs/perfdata/rows.h makes the rows, present/perfdata/report.h the
 * text. Only the text for pipes and files exists (--stdio); the windows of perf (--tui, --gtk) do
 * not.
 */
#include "base/array.h"
#include "base/options.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/as/perf.h"
#include "cli/as/perf/choice.h"
#include "cli/as/perf_words.h"
#include "cli/screen/output.h"
#include "inputs/perfdata/rows.h"
#include "present/perfdata/report.h"
#include "store/perfdata/perfdata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES (1u << 30)

struct options {
	struct perf_choice choice;
	struct perfrows_config rows;
	struct perfreport_config report;
	const char *input, *sort, *fields, *graph, *limit, *separator, *ignored;
	const char *percentage, *quantum;
	long long max_stack;
	bool show_n, no_children, children, header, header_only, unused, has_graph, order_set;
	bool no_call_graph, show_total_period;
};
#define AT(field) offsetof(struct options, field)

/* -g [print_type,threshold[,print_limit],order,sort_key[,branch],value] */
static int apply_graph(void *opts, const char *value, struct errmsg *err)
{
	struct options *o = opts;

	o->has_graph = true;
	for (const char *w = value ? value : ""; *w;) {
		size_t len = strcspn(w, ",");
		char word[32], *end;

		snprintf(word, sizeof(word), "%.*s", (int)(len < 31 ? len : 31), w);
		w += len + (w[len] == ',');
		if (!strcmp(word, "none") || !strcmp(word, "NULL")) {
			o->no_call_graph = true;
		} else if (!strcmp(word, "fractal")) {
			o->report.is_fractal = true;
		} else if (!strcmp(word, "folded")) {
			o->report.is_folded = true;
		} else if (!strcmp(word, "caller") || !strcmp(word, "callee")) {
			o->rows.caller_first = !strcmp(word, "caller");
			o->order_set = true;
		} else if (!strcmp(word, "period")) {
			o->report.values = PERFREPORT_PERIODS;
		} else if (strcmp(word, "graph") && strcmp(word, "function") &&
			   strcmp(word, "percent")) {
			o->rows.min_percent = strtod(word, &end);
			if (*end)
				return errmsg_set(err, -EINVAL,
						  "perf: sonde does not know '%s' of -g; it has "
						  "graph, fractal, folded, none, caller, callee, "
						  "a number",
						  word);
		}
	}
	return 0;
}

static const struct option_row rows[] = {
	ROW_STRING('i', "input", "file", "input file name", AT(input), .complete = "file"),
	ROW_FLAG('n', "show-nr-samples", "Show a column with the number of samples", AT(show_n)),
	ROW_FLAG(0, "show-total-period", "Show a column with the sum of periods",
		 AT(show_total_period)),
	ROW_FLAG(0, "stdio", "Use the stdio interface", AT(unused)),
	ROW_FLAG(0, "tui", "accepted; the report is text", AT(unused)),
	ROW_FLAG(0, "stdio2", "accepted; the same as --stdio", AT(unused)),
	ROW_STRING(0, "stdio-color", "mode", "accepted; the text has no colours", AT(ignored)),
	ROW_FLAG(0, "header", "Show data header.", AT(header)),
	ROW_FLAG(0, "header-only", "Show only data header.", AT(header_only)),
	ROW_STRING('s', "sort", "key[,key2...]", "sort by key(s): comm, dso, sym, pid, cpu …",
		   AT(sort)),
	ROW_STRING('F', "fields", "key[,keys...]", "output field(s): overhead, period, sample …",
		   AT(fields)),
	ROW_CALL('g', "call-graph",
		 "print_type,threshold[,print_limit],order,sort_key[,branch],value",
		 "Display call graph (stack chain/backtrace)", apply_graph, .arg_optional = true),
	ROW_FLAG(0, "children", "Accumulate callchains of children and show total overhead as well",
		 AT(children)),
	ROW_FLAG(0, "no-children", "Show only the overhead of the functions themselves",
		 AT(no_children)),
	ROW_FLAG(0, "inline", "Show inlined functions (default)", AT(unused)),
	ROW_FLAG(0, "no-inline", "Do not show inlined functions", AT(rows.no_inline)),
	ROW_FLAG('G', "inverted", "alias for inverted call graph", AT(rows.caller_first)),
	ROW_FLAG(0, "no-call-graph", "Do not show call graphs", AT(no_call_graph)),
	ROW_STRING('d', "dsos", "dso[,dso...]", "only consider symbols in these dsos",
		   AT(choice.dsos)),
	ROW_STRING('c', "comms", "comm[,comm...]", "only consider symbols in these comms",
		   AT(choice.comms)),
	ROW_STRING(0, "pid", "pid[,pid...]", "only consider symbols in these pids",
		   AT(choice.pids)),
	ROW_STRING(0, "tid", "tid[,tid...]", "only consider symbols in these tids",
		   AT(choice.tids)),
	ROW_STRING('S', "symbols", "symbol[,symbol...]", "only consider these symbols",
		   AT(choice.symbols)),
	ROW_STRING('C', "cpu", "cpu", "list of cpus to profile", AT(choice.cpus)),
	ROW_STRING(0, "time", "str", "Time span of interest (start,stop)", AT(choice.time)),
	ROW_STRING(0, "percent-limit", "percent", "Don't show entries under that percent",
		   AT(limit)),
	ROW_STRING(0, "symbol-filter", "filter",
		   "only show symbols that (partially) match with this filter",
		   AT(rows.symbol_filter)),
	ROW_FLAG('U', "hide-unresolved", "Only display entries resolved to a symbol",
		 AT(rows.hide_unresolved)),
	ROW_STRING(0, "percentage", "relative|absolute",
		   "How to display percentage of filtered entries", AT(percentage)),
	ROW_NUMBER(0, "max-stack", "n", "Set the maximum stack depth when parsing the callchain",
		   AT(max_stack)),
	ROW_STRING(0, "time-quantum", "time (ms|us|ns|s)",
		   "Set time quantum for time sort key (default 100ms)", AT(quantum)),
	ROW_FLAG(0, "ns", "Show times in nanosecs", AT(rows.ns)),
	ROW_FLAG('m', "modules", "accepted; modules of the kernel always have names", AT(unused)),
	ROW_FLAG(0, "demangle", "accepted; names of C++ and Rust are always plain", AT(unused)),
	ROW_STRING('M', "disassembler-style", "style", "accepted; the report has no instructions",
		   AT(ignored)),
	ROW_STRING(0, "objdump", "path", "accepted; the report has no instructions", AT(ignored)),
	ROW_STRING('t', "field-separator", "separator", "separator for columns, no spaces",
		   AT(separator)),
	ROW_FLAG('f', "force", "don't complain, do it", AT(unused)),
	ROW_FLAG('q', "quiet", "Do not show any warnings or messages", AT(unused)),
	ROW_FLAG('v', "verbose", "be more verbose (show symbol address, etc)", AT(unused)),
	ROW_END,
};

static const char *const usage_lines[] = {"perf report [<options>]", NULL};
static const struct perf_usage usage = {.lines = usage_lines, .rows = rows, .exclusive = ""};

/*
 * --- keys --------------------------------------------------------------------------------------
 */

/* perf's keys that sonde does not have. */
static const char *const missing[] = {
	"overhead_sys",
	"overhead_us",
	"overhead_guest_sys",
	"overhead_guest_us",
	"parent",
	"socket",
	"local_weight",
	"weight",
	"transaction",
	"symbol_size",
	"dso_size",
	"cgroup",
	"cgroup_id",
	"ipc_null",
	"code_page_size",
	"addr",
	"dso_from",
	"dso_to",
	"symbol_from",
	"symbol_to",
	"mispredict",
	"abort",
	"in_tx",
	"cycles",
	"srcline_from",
	"srcline_to",
	"symbol_daddr",
	"dso_daddr",
	"locked",
	"tlb",
	"mem",
	"snoop",
	"dcacheline",
	"symbol_iaddr",
	"phys_daddr",
};

/* Prints perf's message about a word of -s or -F, and ends with perf's status. */
static int refuse_key(bool is_sort, const char *word, struct errmsg *err)
{
	int len = (int)strcspn(word, ", ");
	bool is_missing = false;

	for (size_t i = 0; i < ARRAY_LEN(missing); i++)
		is_missing |= (int)strlen(missing[i]) == len && !strncmp(missing[i], word, len);
	fprintf(stderr, "Error:\n%s --%s key: `%.*s'",
		is_missing ? "sonde does not have the" : "Unknown", is_sort ? "sort" : "fields",
		len, word);
	perf_usage_print(&usage, is_sort ? "s" : "F", stderr);
	errmsg_set(err, -EPIPE, "unknown key");
	err->reason = PERF_USAGE;
	return -EPIPE;
}

/* A word that is no key must be a field of a tracepoint of the file. */
static int check_keys(const struct options *o, const struct perfrows *table, struct errmsg *err)
{
	for (size_t i = 0; i < o->rows.n_columns; i++) {
		const struct perfrows_column *c = &o->rows.columns[i];

		if (c->key == PERFROWS_FIELD && !perfrows_has_field(table, c->field))
			return refuse_key(true, c->field, err);
	}
	return 0;
}

/* "10ms": perf's units, and a number without one is of ns. */
static int parse_quantum(const char *text, uint64_t *ret_ns, struct errmsg *err)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}, {"", 1}};
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (n && end > text && !strcmp(end, units[i].name) &&
		    !__builtin_mul_overflow(n, units[i].ns, ret_ns))
			return 0;
	return errmsg_set(err, -EINVAL,
			  "time quantum cannot be '%s'; it is a number with s, ms, us or ns", text);
}

static int apply_words(struct options *o, struct errmsg *err)
{
	if (o->percentage && strcmp(o->percentage, "relative") && strcmp(o->percentage, "absolute"))
		return errmsg_set(err, -EINVAL, "--percentage is relative or absolute, not '%s'",
				  o->percentage);
	o->rows.is_filter_relative = o->percentage && !strcmp(o->percentage, "relative");
	o->rows.max_stack = o->max_stack > 0 ? (size_t)o->max_stack : 0;
	if (o->quantum)
		TRY(parse_quantum(o->quantum, &o->rows.quantum_ns, err));
	return 0;
}

/*
 * --- columns -----------------------------------------------------------------------------------
 */

static void add_column(struct options *o, enum perfreport_field field, size_t cell)
{
	if (o->report.n_columns < PERFREPORT_FIELDS_MAX)
		o->report.columns[o->report.n_columns++] =
			(struct perfreport_column){.field = field, .cell = cell};
}

static bool is_single(const char *list)
{
	return list && !strchr(list, ',');
}

static void hide_column(struct options *o, enum perfrows_key key)
{
	for (size_t i = 0; i < o->report.n_columns; i++) {
		struct perfreport_column *c = &o->report.columns[i];

		if (c->field == PERFREPORT_COLUMN && o->rows.columns[c->cell].key == key)
			c->is_elided = true;
	}
}

static int choose_fields(struct options *o, struct errmsg *err)
{
	static const struct {
		const char *name;
		enum perfreport_field field;
	} known[] = {{"overhead", PERFREPORT_OVERHEAD},
		     {"overhead_children", PERFREPORT_CHILDREN},
		     {"sample", PERFREPORT_SAMPLES},
		     {"period", PERFREPORT_PERIOD}};

	for (const char *w = o->fields; *w;) {
		size_t len = strcspn(w, ", ");
		size_t i = 0;

		while (i < ARRAY_LEN(known) &&
		       (strlen(known[i].name) != len || strncmp(known[i].name, w, len)))
			i++;
		if (i < ARRAY_LEN(known)) {
			add_column(o, known[i].field, 0);
		} else {
			char word[64];
			size_t before = o->rows.n_columns;

			snprintf(word, sizeof(word), "%.*s", (int)(len < 63 ? len : 63), w);
			TRY(perfrows_parse_keys(&o->rows, word, err));
			if (o->rows.columns[before].key == PERFROWS_FIELD)
				return refuse_key(false, word, err);
			add_column(o, PERFREPORT_COLUMN, before);
		}
		w += len + strspn(w + len, ", ");
	}
	return 0;
}

static bool is_traced_only(const struct perfdata *pd)
{
	for (size_t i = 0; i < pd->n_events; i++)
		if (pd->events[i].attr.type != PERF_TYPE_TRACEPOINT)
			return false;
	return true;
}

static int choose_columns(struct options *o, const struct perfdata *pd, struct errmsg *err)
{
	size_t first;

	if (o->fields)
		TRY(choose_fields(o, err));
	first = o->rows.n_columns;
	if (o->sort || !o->fields)
		TRY(perfrows_parse_keys(&o->rows,
					o->sort		     ? o->sort
					: is_traced_only(pd) ? "trace"
							     : "comm,dso,sym",
					err));
	if (!o->fields) {
		if (o->rows.children) {
			add_column(o, PERFREPORT_CHILDREN, 0);
			add_column(o, PERFREPORT_SELF, 0);
		} else {
			add_column(o, PERFREPORT_OVERHEAD, 0);
		}
		if (o->show_n)
			add_column(o, PERFREPORT_SAMPLES, 0);
		if (o->show_total_period)
			add_column(o, PERFREPORT_PERIOD, 0);
	}
	for (size_t i = first; i < o->rows.n_columns; i++)
		add_column(o, PERFREPORT_COLUMN, i);
	if (is_single(o->choice.comms))
		hide_column(o, PERFROWS_COMM);
	if (is_single(o->choice.dsos))
		hide_column(o, PERFROWS_DSO);
	if (is_single(o->choice.symbols))
		hide_column(o, PERFROWS_SYM);
	return 0;
}

static void choose_chains(struct options *o, const struct perfdata *pd)
{
	bool has_chains = false;

	for (size_t i = 0; i < pd->n_events; i++)
		has_chains |= !!(pd->events[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	o->rows.chains = has_chains && !o->no_call_graph;
	o->rows.children = has_chains && !o->no_children;
	if (!o->order_set && o->rows.children)
		o->rows.caller_first = true;
	o->report.hides_first = o->sort && !strncmp(o->sort, "sym", 3) && !o->fields;
	o->report.rows = &o->rows;
	o->rows.is_relative = o->report.is_fractal;
	o->report.separator = o->separator;
	o->report.percent_limit = o->limit ? strtod(o->limit, NULL) : 0;
}

/*
 * --- the report --------------------------------------------------------------------------------
 */

/* What columns would show that are left out because all rows have the same. */
static void add_filters(const struct options *o, struct textbuf *tb)
{
	for (size_t i = 0; i < o->report.n_columns; i++) {
		enum perfrows_key key = o->rows.columns[o->report.columns[i].cell].key;

		if (!o->report.columns[i].is_elided)
			continue;
		if (key == PERFROWS_COMM)
			textbuf_addf(tb, "# comm: %s\n", o->choice.comms);
		else if (key == PERFROWS_DSO)
			textbuf_addf(tb, "# dso: %s\n", o->choice.dsos);
		else
			textbuf_addf(tb, "# symbol: %s\n", o->choice.symbols);
	}
}

static int make_text(struct options *o, struct perfsession *s, struct textbuf *tb,
		     struct errmsg *err)
{
	const struct perfdata *pd = perfsession_data(s);
	SCOPED(perfrows_free_scoped) struct perfrows *table = perfrows_new(s, &o->rows);
	struct perfsample sample;
	int r = table ? 0 : -ENOMEM;

	if (table)
		TRY(check_keys(o, table, err));
	while (r >= 0 && (r = perfsession_next(s, &sample)) > 0)
		if (r == PERFSESSION_SAMPLE)
			r = perfrows_add(table, &sample, perf_choice_takes(&o->choice, s, &sample));
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read samples");
	perfrows_sort(table);
	if (!o->header)
		textbuf_add_str(tb, "# To display the perf.data header info, please use "
				    "--header/--header-only options.\n");
	if (!o->header)
		textbuf_add_str(tb, "#\n");
	add_filters(o, tb);
	textbuf_addf(tb, "#\n# Total Lost Samples: %llu\n#\n",
		     (unsigned long long)perfsession_counts(s)->n_lost);
	for (size_t i = 0; i < pd->n_events; i++)
		if (perfrows_table(table, i))
			perfreport_add(tb, &o->report, table, perfrows_table(table, i),
				       pd->events[i].name);
	textbuf_add_str(tb, "#\n# (Tip: sonde flame shows the same samples as a picture)\n#\n");
	return tb->overflow ? errmsg_set_errno(err, -ENOMEM, "cannot print the report") : 0;
}

static int run(struct options *o, struct errmsg *err)
{
	SCOPED(perfsession_close_scoped) struct perfsession *s = NULL;
	TEXTBUF(tb, TEXT_MAX_BYTES);
	struct output out;
	int r;

	TRY(perf_open(&s, o->input, err));
	TRY(perf_choice_init(&o->choice, err));
	TRY(perf_choice_check(&o->choice, s, err));
	TRY(apply_words(o, err));
	choose_chains(o, perfsession_data(s));
	TRY(choose_columns(o, perfsession_data(s), err));
	if (!o->header_only)
		TRY(make_text(o, s, &tb, err));
	TRY(output_open(&out, "never", false, err));
	r = o->header || o->header_only ? perf_print_header(s, &out) : 0;
	if (r >= 0 && textbuf_len(&tb))
		r = output_write(&out, tb.start, textbuf_len(&tb));
	output_close(&out);
	if (r < 0 && r != -EPIPE)
		return errmsg_set_errno(err, r, "cannot print the report");
	return perf_report_damage(s);
}

int perf_report(int argc, char **argv, struct errmsg *err)
{
	SCOPED(perf_words_release) struct perf_words words = {0};
	struct options o = {.rows.min_percent = 0.5};
	int n, r = perf_words_parse(&words, &usage, &o, 0, argc, argv, &n, err);

	if (!r && n && !o.choice.symbols) /* perf report SYMBOL */
		o.choice.symbols = words.argv[1];
	if (!r)
		r = run(&o, err);
	if (r < 0 && err->reason == PERF_USAGE)
		r = PERF_USAGE;
	perf_choice_release(&o.choice);
	return r;
}
