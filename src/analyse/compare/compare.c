// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * compare.c - tests whether measures of two recordings differ by more than chance.
 *
 * Durations inside of a recording depend on each other: a cold cache, a busy neighbour or a phase
 * of the program slows many calls in a row. So calls are not counted as independent. The recording
 * is cut into blocks (measures.h), and the variation between blocks is the error of a mean:
 *
 *	mean R = sum / n        error² = B / (B - 1) * Σ (sum_b - R * n_b)² / n²
 *
 * Two recordings differ although nothing has changed: addresses, clock speed, the machine's other
 * work. A test that knows only the variation inside would report every function. So all measures of
 * a kind are compared together:
 *
 *	common     their median: the machine was faster, or the compiler better. It is reported
 *	           once. A slow machine slows long calls more than short ones, whose time is mostly
 *	           that of the hooks. So each measure has the median of NEAR others that take as
 *	           long
 *	between    their spread beyond what their errors explain: by so much measures change from
 *	           one recording to the next, for no reason
 *
 *	t = (difference - common) / √(error_a² + error_b² + between²)
 *
 * The difference is that of logarithms. With fewer than FEW measures nothing can be estimated:
 * common is 0, and `between` has a value that was seen between runs on virtual machines. All tests
 * together must pass config.max_chance (Bonferroni).
 *
 * Durations are compared by their mean logarithm (the typical call) and by their mean (rare long
 * calls count, too); the clearer one is reported. Counts and totals are compared block by block,
 * because the phases of a program lie in the same blocks of both recordings. Counts may differ
 * because a recording is longer: a change must show both in the number and in the number per
 * second, and the smaller one counts. Totals (CPU time, samples) are not scaled: a slower program
 * has a longer recording, and scaling would hide that it is slower. If recordings of a service have
 * different lengths, all measures change alike, and the common change shows it.
 *
 * A short call may take some nanoseconds more or less with each start of a program: the addresses
 * decide whether the processor predicts a branch. A branch that it does not predict costs about 7
 * ns; calls of 100 ns were seen to change by 7 and by 14 ns from run to run, and by nothing
 * between. No recording can tell that from a change of the code, so a duration must change by
 * LAYOUT_NS.
 *
 * A program that has another name in the second recording (program.old, program.new) is the same, if
 * it is the only one that the other recording does not have (modules.h).
 *
 * Tried and dropped: a rank test over single calls (everything differs with a million calls);
 * resampling of blocks (the same answers, a hundred times slower).
 */
#include "analyse/compare/compare.h"

#include "analyse/calls/modules.h"
#include "analyse/compare/chance.h"
#include "base/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW	       8    /* measures of a kind */
#define NEAR	       48   /* measures that take about as long */
#define BLOCKS_MIN     4    /* with events */
#define BETWEEN_MIN    0.01 /* recordings of the same program always differ by this much */
#define BETWEEN_FEW    0.02
#define BETWEEN_TOTALS 0.05
#define LAYOUT_NS      20 /* a call changes by less than this with the addresses */
#define ROWS_MAX       (1u << 20)

struct estimate {
	double log_ratio, error; /* of the natural logarithm */
	double df;
	double duration_ns; /* in B; 0: it is no duration */
	bool is_known;
};

/* One test that waits for what its kind has in common. */
struct test {
	const struct measure *a, *b;
	enum compare_what what;
	struct estimate typical, mean; /* of counts and totals only mean */
};

struct tests {
	struct test *list;
	size_t n, cap;
};

double measure_mean(const struct measure *m)
{
	return m && m->n ? m->total / (double)m->n : 0;
}

/*
 * --- estimates ---------------------------------------------------------------------------------
 */

struct mean {
	double value, error;
	unsigned n_blocks;
};

static double block_value(const struct measure_block *b, bool of_logs)
{
	return of_logs ? b->logs : b->sum;
}

static struct mean mean_of(const struct measure *m, bool of_logs)
{
	struct mean r = {0};
	double squares = 0;

	for (unsigned i = 0; i < MEASURES_BLOCKS; i++) {
		r.value += block_value(&m->blocks[i], of_logs) / (double)m->n;
		r.n_blocks += m->blocks[i].n > 0;
	}
	for (unsigned i = 0; i < MEASURES_BLOCKS; i++) {
		double e = block_value(&m->blocks[i], of_logs) - r.value * m->blocks[i].n;

		squares += e * e;
	}
	if (r.n_blocks > 1)
		r.error = sqrt(squares * r.n_blocks / (r.n_blocks - 1)) / (double)m->n;
	return r;
}

static struct estimate durations(const struct measure *a, const struct measure *b, bool of_logs)
{
	struct mean x = mean_of(a, of_logs), y = mean_of(b, of_logs);
	struct estimate e = {.df = x.n_blocks + y.n_blocks - 2};

	if (x.n_blocks < BLOCKS_MIN || y.n_blocks < BLOCKS_MIN || x.value <= 0 || y.value <= 0)
		return e;
	e.is_known = true;
	e.duration_ns = of_logs ? exp2(y.value) : y.value;
	e.log_ratio = of_logs ? (y.value - x.value) * M_LN2 : log(y.value / x.value);
	e.error = of_logs ? hypot(x.error, y.error) * M_LN2
			  : hypot(x.error / x.value, y.error / y.value);
	return e;
}

static double amount(const struct measure_block *b, bool of_time)
{
	return of_time ? b->sum : (double)b->n;
}

/* lengths: the length of B divided by that of A. */
static struct estimate amounts(const struct measure *a, const struct measure *b, bool of_time,
			       double lengths)
{
	double x = of_time ? a->total : (double)a->n, y = of_time ? b->total : (double)b->n;
	double squares = 0, in_all, per_second, alone = sqrt(1. / (double)a->n + 1. / (double)b->n);
	unsigned n_blocks = 0;

	if (x <= 0 || y <= 0)
		return (struct estimate){0};
	for (unsigned i = 0; i < MEASURES_BLOCKS; i++) {
		double e = amount(&b->blocks[i], of_time) - y / x * amount(&a->blocks[i], of_time);

		squares += e * e;
		n_blocks += a->blocks[i].n || b->blocks[i].n;
	}
	if (n_blocks < BLOCKS_MIN)
		return (struct estimate){0};
	in_all = log(y / x);
	per_second = of_time ? in_all : in_all - log(lengths);
	if ((in_all > 0) != (per_second > 0))
		in_all = 0;
	else if (fabs(per_second) < fabs(in_all))
		in_all = per_second;
	return (struct estimate){
		.log_ratio = in_all,
		.error = hypot(alone, sqrt(squares * n_blocks / (n_blocks - 1)) / y),
		.df = n_blocks - 1,
		.is_known = true};
}

/*
 * --- tests -------------------------------------------------------------------------------------
 */

static bool has_durations(enum measure_kind kind)
{
	return kind != MEASURE_RUN_TIME && kind != MEASURE_SAMPLES;
}

static int add_test(struct tests *t, const struct test *test)
{
	if (!ARRAY_ROOM(t->list, t->cap, t->n + 1, ROWS_MAX))
		return -ENOMEM;
	t->list[t->n++] = *test;
	return 0;
}

static int add_tests(struct tests *t, const struct measure *a, const struct measure *b,
		     double lengths)
{
	struct test test = {.a = a, .b = b};
	int r = 0;

	if (a->n < COMPARE_N_MIN || b->n < COMPARE_N_MIN)
		return 0;
	if (!has_durations(a->kind)) {
		test.what = COMPARE_TOTAL;
		test.mean = amounts(a, b, true, lengths);
		return test.mean.is_known ? add_test(t, &test) : 0;
	}
	test.what = COMPARE_DURATION;
	test.typical = durations(a, b, true);
	test.mean = durations(a, b, false);
	if (test.mean.is_known)
		r = add_test(t, &test);
	test = (struct test){a, b, COMPARE_COUNT, .mean = amounts(a, b, false, lengths)};
	return r >= 0 && test.mean.is_known ? add_test(t, &test) : r;
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Sorts the list. part 0.5 is the median. */
static double quantile(double *list, size_t n, double part)
{
	double at = part * (double)(n - 1);
	size_t i = (size_t)at;

	qsort(list, n, sizeof(*list), compare_numbers);
	return i + 1 < n ? list[i] + (at - (double)i) * (list[i + 1] - list[i]) : list[i];
}

static const struct estimate *estimate_of(const struct test *t, bool is_typical)
{
	return is_typical ? &t->typical : &t->mean;
}

/* Short ones first. */
static int compare_lengths(const void *a, const void *b)
{
	const struct test *x = *(const struct test *const *)a, *y = *(const struct test *const *)b;
	double m = measure_mean(x->a), n = measure_mean(y->a);

	if (m != n)
		return m < n ? -1 : 1;
	return strcmp(x->a->name, y->a->name);
}

/* The tests of a kind, and what they have in common. */
struct group {
	const struct test **list; /* by length */
	double *common;		  /* of each */
	double *numbers;	  /* room */
	size_t n;
	double median, between;
	bool is_known;
};

static void find_common(struct group *g, bool is_typical)
{
	for (size_t i = 0; i < g->n; i++) {
		size_t from = i > NEAR / 2 ? i - NEAR / 2 : 0, to = from + NEAR;

		if (to > g->n) {
			to = g->n;
			from = to > NEAR ? to - NEAR : 0;
		}
		for (size_t k = from; k < to; k++)
			g->numbers[k - from] = estimate_of(g->list[k], is_typical)->log_ratio;
		g->common[i] = quantile(g->numbers, to - from, 0.5);
	}
}

/*
 * By how much measures change from one recording to the next, for no reason: the spread of the
 * differences beyond what their errors explain. Large differences by chance are more frequent than
 * in a normal distribution: the place of a function in memory, a neighbour on the same core. So the
 * spread is estimated from several parts of the measures, those with the smallest differences, and
 * the largest estimate counts. At least two measures are outside of each part: they may really have
 * changed, and must not widen the spread.
 */
static double find_between(struct group *g, bool is_typical)
{
	static const struct {
		double part, sigmas; /* of a normal distribution, this part is within so many */
	} parts[] = {{0.8, 1.2816}, {0.9, 1.6449}, {0.95, 1.96}, {0.98, 2.3263}, {0.99, 2.5758}};
	double between = BETWEEN_MIN, error;

	for (size_t i = 0; i < g->n; i++)
		g->numbers[i] = estimate_of(g->list[i], is_typical)->error;
	error = quantile(g->numbers, g->n, 0.5);
	for (size_t i = 0; i < g->n; i++)
		g->numbers[i] = fabs(estimate_of(g->list[i], is_typical)->log_ratio - g->common[i]);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		double apart = quantile(g->numbers, g->n, parts[i].part) / parts[i].sigmas;
		double more = apart > error ? sqrt(apart * apart - error * error) : 0;

		if ((1 - parts[i].part) * (double)g->n >= 2 && more > between)
			between = more;
	}
	return between;
}

static void find_spread(struct group *g, enum compare_what what, bool is_typical)
{
	g->is_known = g->n >= FEW;
	g->between = what == COMPARE_DURATION ? BETWEEN_FEW : BETWEEN_TOTALS;
	g->median = 0;
	memset(g->common, 0, g->n * sizeof(*g->common));
	if (!g->is_known)
		return;
	find_common(g, is_typical);
	for (size_t i = 0; i < g->n; i++)
		g->numbers[i] = estimate_of(g->list[i], is_typical)->log_ratio;
	g->median = quantile(g->numbers, g->n, 0.5);
	g->between = find_between(g, is_typical);
}

/*
 * --- rows --------------------------------------------------------------------------------------
 */

static double cost_of(const struct test *t, double ratio)
{
	if (t->what == COMPARE_TOTAL)
		return t->b->total * (1 - 1 / ratio);
	if (t->what == COMPARE_DURATION)
		return t->b->total * (1 - 1 / ratio);
	return ((double)t->b->n - (double)t->b->n / ratio) * measure_mean(t->b);
}

static void judge(const struct estimate *e, double common, const struct group *g,
		  struct compare_row *row)
{
	double off = e->log_ratio - common, error = hypot(e->error, g->between);
	double reach = chance_t95(e->df) * error;
	double chance = chance_of_t(off / error, e->df);

	if (chance >= row->chance)
		return;
	row->chance = chance;
	row->ratio = exp(off);
	row->change_ns = e->duration_ns * (1 - exp(-off));
	row->low = exp(off - reach);
	row->high = exp(off + reach);
}

static int add_row(struct compare *c, const struct compare_row *row)
{
	if (!ARRAY_ROOM(c->rows, c->cap, c->n + 1, ROWS_MAX))
		return -ENOMEM;
	c->rows[c->n++] = *row;
	return 0;
}

/* Judges by one of the two estimates; rows: one for each test of the group. */
static void judge_group(struct group *g, enum compare_what what, bool is_typical,
			struct compare_row *rows)
{
	find_spread(g, what, is_typical);
	for (size_t i = 0; i < g->n; i++) {
		const struct estimate *e = estimate_of(g->list[i], is_typical);

		if (e->is_known)
			judge(e, g->common[i], g, &rows[i]);
	}
}

static int judge_kind(struct compare *c, const struct tests *t, enum measure_kind kind,
		      enum compare_what what, struct group *g)
{
	struct compare_row *rows;

	g->n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].a->kind == kind && t->list[i].what == what)
			g->list[g->n++] = &t->list[i];
	if (!g->n)
		return 0;
	if (!ARRAY_ROOM(c->rows, c->cap, c->n + g->n, ROWS_MAX))
		return -ENOMEM;
	qsort(g->list, g->n, sizeof(*g->list), compare_lengths);
	rows = c->rows + c->n;
	for (size_t i = 0; i < g->n; i++)
		rows[i] = (struct compare_row){.a = g->list[i]->a,
					       .b = g->list[i]->b,
					       .what = what,
					       .chance = 2,
					       .ratio = 1};
	if (what == COMPARE_DURATION)
		judge_group(g, what, true, rows);
	judge_group(g, what, false, rows);
	for (size_t i = 0; i < g->n; i++)
		rows[i].cost_ns = cost_of(g->list[i], rows[i].ratio);
	c->n += g->n;
	c->common[kind][what] = (struct compare_common){
		.n = g->n, .ratio = exp(g->median), .is_known = g->is_known};
	return 0;
}

/*
 * Something that only one recording has. That may be chance, too: if it is as likely in the other
 * one, block by block, the chance is that of a coin.
 */
static int add_alone(struct compare *c, const struct measure *m, bool is_new)
{
	struct compare_row row = {.a = is_new ? NULL : m,
				  .b = is_new ? m : NULL,
				  .what = has_durations(m->kind) ? COMPARE_COUNT : COMPARE_TOTAL,
				  .ratio = is_new ? INFINITY : 0,
				  .low = is_new ? 1 : 0,
				  .high = is_new ? INFINITY : 1,
				  .chance = 2,
				  .cost_ns = is_new ? m->total : -m->total};

	if (m->n < COMPARE_N_MIN)
		return 0;
	for (unsigned i = 0; i < MEASURES_BLOCKS; i++)
		row.chance /= m->blocks[i].n ? 2 : 1;
	return row.chance < 1 ? add_row(c, &row) : 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;
	const struct measure *m = x->b ? x->b : x->a, *n = y->b ? y->b : y->a;
	bool slower = x->cost_ns > 0;

	if (x->is_certain != y->is_certain)
		return x->is_certain ? -1 : 1;
	if (slower != (y->cost_ns > 0))
		return slower ? -1 : 1;
	if (fabs(x->cost_ns) != fabs(y->cost_ns))
		return fabs(x->cost_ns) > fabs(y->cost_ns) ? -1 : 1;
	if (m->kind != n->kind)
		return m->kind < n->kind ? -1 : 1;
	return strcmp(m->name, n->name);
}

static void decide(struct compare *c, const struct compare_config *config)
{
	size_t kept = 0;

	c->n_tested = c->n;
	for (size_t i = 0; i < c->n; i++) {
		struct compare_row *row = &c->rows[i];
		double change = row->ratio > 1 ? row->ratio - 1 : 1 / row->ratio - 1;

		row->chance *= (double)c->n_tested;
		row->chance = row->chance > 1 ? 1 : row->chance;
		row->is_certain =
			row->chance <= config->max_chance && change >= config->min_change &&
			(row->what != COMPARE_DURATION || fabs(row->change_ns) >= LAYOUT_NS);
		c->n_certain += row->is_certain;
		if (row->is_certain || config->all)
			c->rows[kept++] = *row;
	}
	c->n = kept;
	if (kept)
		qsort(c->rows, kept, sizeof(*c->rows), compare_rows);
}

/*
 * --- both recordings ---------------------------------------------------------------------------
 */

static struct modules modules_of(const struct measures *m)
{
	struct modules list = {0};

	for (size_t i = 0; i < m->n; i++)
		if (m->list[i]->kind == MEASURE_USER_FUNCTION ||
		    m->list[i]->kind == MEASURE_SAMPLES)
			modules_add(&list, m->list[i]->where);
	return list;
}

/* The same measure in the other recording, where the program `from` is called `to`. */
static struct measure *find_same(struct measures *in, const struct measure *m, const char *from,
				 const char *to)
{
	struct measure like = {.kind = m->kind, .name = m->name, .where = m->where};

	if (from && m->where && !strcmp(m->where, from))
		like.where = to;
	else if (from && m->kind == MEASURE_RUN_TIME && !strcmp(m->name, from))
		like.name = to;
	return measures_find(in, &like);
}

static int pair_all(struct compare *c, struct tests *t, struct measures *a, struct measures *b,
		    uint32_t kinds)
{
	struct modules here = modules_of(a), there = modules_of(b);
	struct module_twins twins = modules_find_twins(&here, &there);
	double lengths = (double)(b->to - b->from) / (double)(a->to - a->from);
	int r = 0;

	for (size_t i = 0; i < a->n && r >= 0; i++) {
		const struct measure *other;

		if (kinds && !(kinds >> a->list[i]->kind & 1))
			continue;
		if (!(b->kinds >> a->list[i]->kind & 1)) {
			c->n_left_out_a[a->list[i]->kind]++;
			continue;
		}
		other = find_same(b, a->list[i], twins.base, twins.other);
		r = other ? add_tests(t, a->list[i], other, lengths)
			  : add_alone(c, a->list[i], false);
	}
	for (size_t i = 0; i < b->n && r >= 0; i++) {
		const struct measure *m = b->list[i];

		if (kinds && !(kinds >> m->kind & 1))
			continue;
		if (!(a->kinds >> m->kind & 1))
			c->n_left_out_b[m->kind]++;
		else if (!find_same(a, m, twins.other, twins.base))
			r = add_alone(c, m, true);
	}
	return r;
}

static int judge_all(struct compare *c, const struct tests *t)
{
	struct group g = {.list = calloc(t->n + 1, sizeof(*g.list)),
			  .common = calloc(t->n + 1, sizeof(*g.common)),
			  .numbers = calloc(t->n + 1, sizeof(*g.numbers))};
	int r = g.list && g.common && g.numbers ? 0 : -ENOMEM;

	for (unsigned k = 0; k < MEASURE_N_KINDS; k++)
		for (unsigned w = 0; w < COMPARE_N_WHATS && r >= 0; w++)
			r = judge_kind(c, t, k, w, &g);
	free(g.list);
	free(g.common);
	free(g.numbers);
	return r;
}

int compare_init(struct compare *c, struct measures *a, struct measures *b,
		 const struct compare_config *config)
{
	struct tests t = {0};
	int r;

	*c = (struct compare){0};
	r = pair_all(c, &t, a, b, config->kinds);
	if (r >= 0)
		r = judge_all(c, &t);
	if (r >= 0)
		decide(c, config);
	free(t.list);
	if (r < 0)
		compare_release(c);
	return r;
}

void compare_release(struct compare *c)
{
	free(c->rows);
	*c = (struct compare){0};
}
