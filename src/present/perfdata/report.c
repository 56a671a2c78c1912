// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - the text of perf report --stdio.
 *
 *	# Overhead  Command  Symbol
 *	# ........  .......  ......
 *	#
 *	    65.82%  w        [.] spin
 *	            |
 *	            ---main                    a chain that all samples of the row share
 *	               |
 *	               |--60.00%--alpha        a branch: its share, and frames without a branch
 *	                                       below it
 *	               |          spin
 *	               |
 *	                --5.82%--gamma_        the last one has no line beside it
 *
 * Nodes of the tree with one child are joined, unless chains end there. The width of the column of
 * names of tasks is that of the last names that the threads had: a longer, earlier one is cut. perf
 * does so, and tests compare the bytes.
 */
#include "present/perfdata/report.h"

#include "analyse/perfhists/hists.h"
#include "base/array.h"
#include "base/textbuf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN		 "            "
#define DEPTH_MAX	 62 /* branches below each other; bits of a mask */

#define FOLDED_MAX	 (1u << 20) /* chains of a row */
#define FOLDED_MAX_BYTES (1u << 28)
#define FOLDED_DEPTH_MAX 4096u

static const char *const key_titles[PERFROWS_KEYS] = {
	[PERFROWS_COMM] = "Command",	    [PERFROWS_DSO] = "Shared Object",
	[PERFROWS_SYM] = "Symbol",	    [PERFROWS_PID] = "    Pid:Command",
	[PERFROWS_TID] = "    Tid:Command", [PERFROWS_CPU] = "CPU",
	[PERFROWS_TRACE] = "Trace output",  [PERFROWS_SRCLINE] = "Source:Line",
	[PERFROWS_SRCFILE] = "Source File", [PERFROWS_TIME] = "Time",
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/*
 * --- chains ------------------------------------------------------------------------------------
 */

struct drawing {
	struct textbuf *tb;
	const struct perfreport_config *config;
	size_t margin; /* behind MARGIN */
};

static void add_margin(struct drawing *d)
{
	textbuf_add_str(d->tb, MARGIN);
	textbuf_add_fill(d->tb, ' ', d->margin);
}

/* The last node of those that are shown as one. */
static const struct perfhists_node *last_joined(const struct perfhists_node *n)
{
	while (!n->hits && n->n_children == 1 && n->children)
		n = n->children;
	return n;
}

static void add_value(struct drawing *d, const struct perfhists_node *n, uint64_t total)
{
	if (d->config->values == PERFREPORT_PERIODS)
		textbuf_addf(d->tb, "%" PRIu64, n->cumul);
	else
		textbuf_addf(d->tb, "%.2f%%", percent(n->cumul, total));
}

/* One frame of a branch: the pipes of the branches that continue, and the frame's name. */
static void add_frame(struct drawing *d, const struct perfhists_node *branch,
		      const struct perfhists_node *frame, unsigned depth, uint64_t pipes,
		      uint64_t total)
{
	add_margin(d);
	for (unsigned i = 0; i < depth; i++) {
		textbuf_add_char(d->tb, pipes >> i & 1 ? '|' : ' ');
		if (frame == branch && i == depth - 1) {
			textbuf_add_str(d->tb, "--");
			add_value(d, branch, total);
			textbuf_add_str(d->tb, "--");
		} else {
			textbuf_add_str(d->tb, "          ");
		}
	}
	textbuf_add_str(d->tb, frame->frame.name);
	textbuf_add_char(d->tb, '\n');
}

static void add_line(struct drawing *d, unsigned depth, uint64_t pipes)
{
	add_margin(d);
	for (unsigned i = 0; i < depth; i++)
		textbuf_add_str(d->tb, pipes >> i & 1 ? "|          " : "           ");
	textbuf_add_char(d->tb, '\n');
}

static void add_rest(struct drawing *d, unsigned depth, uint64_t pipes, uint64_t rest,
		     uint64_t total)
{
	struct perfhists_node n = {.frame = {.name = "[...]"}, .cumul = rest};

	add_frame(d, &n, &n, depth, pipes & ~(UINT64_C(1) << (depth - 1)), total);
}

static void add_branches(struct drawing *d, const struct perfhists_node *parent, uint64_t total,
			 unsigned depth, uint64_t pipes)
{
	uint64_t below = pipes, rest = total;

	if (depth > DEPTH_MAX)
		return;
	for (const struct perfhists_node *c = parent->children; c; c = c->next) {
		const struct perfhists_node *last = last_joined(c), *f;

		rest -= c->cumul;
		if (!c->next && (!d->config->is_fractal || !rest))
			below &= ~(UINT64_C(1) << (depth - 1));
		add_line(d, depth, pipes);
		for (f = c;; f = f->children) {
			add_frame(d, c, f, depth, below, total);
			if (f == last)
				break;
		}
		add_branches(d, last, d->config->is_fractal ? last->cumul - last->hits : total,
			     depth + 1, below | UINT64_C(1) << depth);
	}
	if (d->config->is_fractal && rest && rest != total)
		add_rest(d, depth, pipes, rest, total);
}

/* The part that all samples of the row share. Returns where it ends. */
static const struct perfhists_node *add_trunk(struct drawing *d, const struct perfhists_node *first)
{
	const struct perfhists_node *last = last_joined(first), *n;
	bool is_first = true;

	for (n = first;; n = n->children) {
		bool is_hidden = n == first && d->config->hides_first;

		if (!is_hidden) {
			if (is_first) {
				add_margin(d);
				textbuf_add_str(d->tb, "|\n");
				add_margin(d);
				textbuf_add_str(d->tb, "---");
				d->margin += 3;
				is_first = false;
			} else {
				add_margin(d);
			}
			textbuf_add_str(d->tb, n->frame.name);
			textbuf_add_char(d->tb, '\n');
		}
		if (n == last)
			return last;
	}
}

static void add_chains(struct textbuf *tb, const struct perfreport_config *config,
		       const struct perfhists_row *row, uint64_t total)
{
	uint64_t parent = config->rows->children ? row->total : row->self;
	const struct perfhists_node *root = &row->chains;
	struct drawing d = {.tb = tb, .config = config};
	size_t before = textbuf_len(tb);

	if (root->children && !root->children->next && root->children->cumul == parent)
		root = add_trunk(&d, root->children);
	if (config->is_fractal)
		total = parent;
	add_branches(&d, root, total, 1, 1);
	if (textbuf_len(tb) > before)
		textbuf_add_char(tb, '\n');
}

/*
 * --- folded chains -----------------------------------------------------------------------------
 */

/* A chain that ends at a node. */
struct ended {
	const struct perfhists_node *node;
	size_t path, path_len; /* in the texts */
};

struct folding {
	struct textbuf texts;
	struct ended *list;
	size_t n, cap;
	uint64_t min_hits;
};

/* Adds all chains below a node, whose own text is given. */
static void fold_below(struct folding *f, const struct perfhists_node *parent, size_t path,
		       size_t path_len, unsigned depth)
{
	for (const struct perfhists_node *c = parent->children; c && depth; c = c->next) {
		size_t start = textbuf_len(&f->texts), len;

		if (!textbuf_grow(&f->texts, path_len + 1))
			return;
		textbuf_add(&f->texts, f->texts.start + path, path_len);
		textbuf_add_str(&f->texts, path_len ? ";" : "");
		textbuf_add_str(&f->texts, c->frame.name);
		len = textbuf_len(&f->texts) - start;
		if (c->hits && c->hits >= f->min_hits &&
		    ARRAY_ROOM(f->list, f->cap, f->n + 1, FOLDED_MAX))
			f->list[f->n++] = (struct ended){c, start, len};
		fold_below(f, c, start, len, depth - 1);
	}
}

static int compare_ended(const void *pa, const void *pb)
{
	const struct ended *a = pa, *b = pb;

	return COMPARE(b->node->hits, a->node->hits) ?: COMPARE(a->path, b->path);
}

static void add_folded(struct textbuf *tb, const struct perfreport_config *config,
		       const struct perfhists_row *row, uint64_t total)
{
	struct folding f = {.min_hits =
				    (uint64_t)((double)total * config->rows->min_percent / 100)};

	textbuf_init(&f.texts, FOLDED_MAX_BYTES);
	textbuf_add_char(&f.texts, '\0'); /* so that it has an address */
	fold_below(&f, &row->chains, 0, 0, FOLDED_DEPTH_MAX);
	if (f.n)
		qsort(f.list, f.n, sizeof(*f.list), compare_ended);
	for (size_t i = 0; i < f.n; i++) {
		if (config->values == PERFREPORT_PERIODS)
			textbuf_addf(tb, "%" PRIu64 " ", f.list[i].node->hits);
		else
			textbuf_addf(tb, "%.2f%% ", percent(f.list[i].node->hits, total));
		textbuf_add(tb, f.texts.start + f.list[i].path, f.list[i].path_len);
		textbuf_add_char(tb, '\n');
	}
	free(f.list);
	textbuf_release(&f.texts);
}

/*
 * --- rows --------------------------------------------------------------------------------------
 */

static const char *title_of(const struct perfreport_config *config, size_t cell, char *text,
			    size_t n_bytes)
{
	const struct perfrows_column *c = &config->rows->columns[cell];

	if (c->key != PERFROWS_FIELD)
		return key_titles[c->key];
	snprintf(text, n_bytes, "%.*s", (int)strcspn(c->field, ", "), c->field);
	return text;
}

/* The mark of an inlined function does not count. */
static size_t text_width(const char *text)
{
	static const char mark[] = " (inlined)";
	size_t len = strlen(text), n = sizeof(mark) - 1;

	return len > n && !strcmp(text + len - n, mark) ? len - n : len;
}

static size_t width_of_cell(const struct perfreport_config *config, size_t cell,
			    const struct perfhists_row *row)
{
	const struct perfthread *thread = row->user;

	if (config->rows->columns[cell].key == PERFROWS_COMM && thread)
		return strlen(thread->comm);
	return text_width(row->cells[cell].text);
}

static void find_widths(const struct perfreport_config *config, const struct perfrows *r,
			const struct perfhists *h, int *widths)
{
	size_t n_rows;
	struct perfhists_row *const *rows = perfhists_rows(h, &n_rows);
	bool has_unknown = false;

	for (size_t c = 0; c < config->rows->n_columns; c++) {
		char text[64];
		size_t width = strlen(title_of(config, c, text, sizeof(text)));

		if (config->rows->columns[c].key == PERFROWS_TIME)
			width = config->rows->ns ? 16 : 12;
		if (config->rows->columns[c].key == PERFROWS_FIELD &&
		    perfrows_field_width(r, c) > width)
			width = perfrows_field_width(r, c);

		for (size_t i = 0; i < n_rows; i++) {
			size_t w = width_of_cell(config, c, rows[i]);

			if (rows[i]->is_hidden)
				continue;
			if (w > width)
				width = w;
			if (config->rows->columns[c].key == PERFROWS_SYM &&
			    (!strncmp(rows[i]->cells[c].text + 4, "0x", 2) ||
			     !strcmp(rows[i]->cells[c].text + 4, "0000000000000000"))) {
				has_unknown = true;
				if (width < 22)
					width = 22;
			}
		}
		widths[c] = (int)width;
	}
	for (size_t c = 0; has_unknown && c < config->rows->n_columns; c++)
		if (config->rows->columns[c].key == PERFROWS_DSO && widths[c] < 16)
			widths[c] = 16;
}

static const struct {
	const char *title;
	int width;
} numbers[] = {
	[PERFREPORT_CHILDREN] = {"Children", 8}, [PERFREPORT_SELF] = {"Self", 8},
	[PERFREPORT_OVERHEAD] = {"Overhead", 8}, [PERFREPORT_SAMPLES] = {"Samples", 12},
	[PERFREPORT_PERIOD] = {"Period", 12},
};

static void add_titles(struct textbuf *tb, const struct perfreport_config *config,
		       const int *widths)
{
	TEXTBUF(dots, 1u << 16);

	textbuf_add_char(tb, '#');
	textbuf_add_char(&dots, '#');
	for (size_t i = 0, n = 0; i < config->n_columns; i++) {
		const struct perfreport_column *c = &config->columns[i];
		char text[64];

		if (c->is_elided)
			continue;
		textbuf_add_str(tb, n ? "  " : " ");
		textbuf_add_str(&dots, n++ ? "  " : " ");
		if (c->field == PERFREPORT_COLUMN) {
			textbuf_addf(tb,
				     config->rows->columns[c->cell].key == PERFROWS_FIELD ? "%*s"
											  : "%-*s",
				     widths[c->cell],
				     title_of(config, c->cell, text, sizeof(text)));
			textbuf_add_fill(&dots, '.', (size_t)widths[c->cell]);
		} else {
			textbuf_addf(tb, "%*s", numbers[c->field].width, numbers[c->field].title);
			textbuf_add_fill(&dots, '.', (size_t)numbers[c->field].width);
		}
	}
	textbuf_addf(tb, "\n%s\n#\n", textbuf_text(&dots));
}

/* Which columns are not padded at the end of a line. */
static bool is_bare(const struct perfreport_config *config, size_t i)
{
	static const bool are_bare[PERFROWS_KEYS] = {
		[PERFROWS_SYM] = true,	   [PERFROWS_TRACE] = true, [PERFROWS_SRCLINE] = true,
		[PERFROWS_SRCFILE] = true, [PERFROWS_TIME] = true,
	};

	if (!are_bare[config->rows->columns[config->columns[i].cell].key])
		return false;
	while (++i < config->n_columns)
		if (!config->columns[i].is_elided)
			return false;
	return true;
}

static void add_row(struct textbuf *tb, const struct perfreport_config *config, const int *widths,
		    const struct perfhists_row *row, uint64_t total)
{
	for (size_t i = 0, n = 0; i < config->n_columns; i++) {
		const struct perfreport_column *c = &config->columns[i];

		if (c->is_elided)
			continue;
		if (config->separator && n)
			textbuf_add_str(tb, config->separator);
		else
			textbuf_add_str(tb, "  ");
		n++;
		switch (c->field) {
		case PERFREPORT_CHILDREN:
			textbuf_addf(tb, "%*.2f%%", 7, percent(row->total, total));
			break;
		case PERFREPORT_SELF:
		case PERFREPORT_OVERHEAD:
			textbuf_addf(tb, "%*.2f%%", 7, percent(row->self, total));
			break;
		case PERFREPORT_SAMPLES:
			textbuf_addf(tb, "%12" PRIu64, row->n);
			break;
		case PERFREPORT_PERIOD:
			textbuf_addf(tb, "%12" PRIu64, row->self);
			break;
		case PERFREPORT_COLUMN:
			if (config->rows->columns[c->cell].key == PERFROWS_FIELD) {
				textbuf_addf(tb, "%*s", widths[c->cell], row->cells[c->cell].text);
				break;
			}
			if (is_bare(config, i))
				textbuf_add_str(tb, row->cells[c->cell].text);
			else
				textbuf_addf(tb, "%-*.*s", widths[c->cell], widths[c->cell],
					     row->cells[c->cell].text);
			break;
		}
	}
	textbuf_add_char(tb, '\n');
}

static void add_count(struct textbuf *tb, uint64_t n)
{
	static const char units[] = " KMGT";
	size_t i = 0;

	while (n > 1000 && units[i + 1]) {
		n /= 1000;
		i++;
	}
	textbuf_addf(tb, "%" PRIu64 "%c", n, units[i]);
}

void perfreport_add(struct textbuf *tb, const struct perfreport_config *config,
		    const struct perfrows *r, const struct perfhists *h, const char *event)
{
	uint64_t total = perfhists_period(h);
	int widths[PERFHISTS_CELLS_MAX];
	size_t n_rows;
	struct perfhists_row *const *rows = perfhists_rows(h, &n_rows);

	textbuf_add_str(tb, "# Samples: ");
	add_count(tb, perfhists_n(h));
	textbuf_addf(tb, " of event '%s'\n# Event count (approx.): %" PRIu64 "\n#\n", event, total);
	find_widths(config, r, h, widths);
	add_titles(tb, config, widths);
	for (size_t i = 0; i < n_rows; i++) {
		uint64_t weight = config->rows->children ? rows[i]->total : rows[i]->self;

		if (rows[i]->is_hidden || percent(weight, total) < config->percent_limit)
			continue;
		add_row(tb, config, widths, rows[i], total);
		if (config->rows->chains && config->is_folded)
			add_folded(tb, config, rows[i], total);
		else if (config->rows->chains)
			add_chains(tb, config, rows[i], total);
	}
	textbuf_add_str(tb, "\n\n");
}
