// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_split.c - `sonde split`: a part of a trace, or all of it in pieces, as traces of their own.
 *
 * Each piece is a whole trace: texts and options are those of the source (tracecopy.c), its events are
 * packed anew (splitter.c). Options that describe buffers follow each other: -t belongs to the -B
 * before it, -b to the --top before it.
 *
 *	FILE.1       without -r: the first piece only
 *	FILE.0001 …  with -r
 */
#include "cli/command.h"
#include "rewrite/splitter.h"
#include "decode/timearg.h"
#include "cli/notes.h"
#include "rewrite/tracecopy.h"
#include "base/conveyor.h"
#include "decode/timeconv.h"
#include "store/pagestream.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CHOICES_MAX 1024

/* A buffer named with -B or --top, and what it becomes. */
struct choice {
	const char *name; /* in the source; "" the top one */
	const char *target;
};

struct split_options {
	const char *input, *output;
	char unit; /* the letter of the option that says how large a piece is, or 0 */
	unsigned long long amount;
	bool repeat, per_cpu;
	long long cpu;
	struct choice choices[CHOICES_MAX];
	size_t n_choices;
	const char *from, *to;
};

/* --- options ----------------------------------------------------------------------------------- */

static int apply_unit(struct split_options *o, char unit, const char *value, struct errmsg *err)
{
	char *end;

	if (o->unit)
		return errmsg_set(err, -EINVAL, "-%c and -%c: a piece has one measure", o->unit,
				  unit);
	errno = 0;
	o->amount = strtoull(value, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*value) || !o->amount)
		return errmsg_set(err, -EINVAL, "-%c needs a number above 0, not '%s'", unit,
				  value);
	o->unit = unit;
	return 0;
}

static int apply_seconds(void *opts, const char *value, struct errmsg *err)
{
	return apply_unit(opts, 's', value, err);
}

static int apply_milliseconds(void *opts, const char *value, struct errmsg *err)
{
	return apply_unit(opts, 'm', value, err);
}

static int apply_microseconds(void *opts, const char *value, struct errmsg *err)
{
	return apply_unit(opts, 'u', value, err);
}

static int apply_events(void *opts, const char *value, struct errmsg *err)
{
	return apply_unit(opts, 'e', value, err);
}

static int apply_pages(void *opts, const char *value, struct errmsg *err)
{
	return apply_unit(opts, 'p', value, err);
}

static int add_choice(struct split_options *o, const char *name, struct errmsg *err)
{
	if (o->n_choices == CHOICES_MAX)
		return errmsg_set(err, -EINVAL, "at most %d buffers can be named", CHOICES_MAX);
	o->choices[o->n_choices++] = (struct choice){name, name};
	return 0;
}

static int apply_buffer(void *opts, const char *value, struct errmsg *err)
{
	if (!*value)
		return errmsg_set(err, -EINVAL, "-B needs a name; --top is the buffer without one");
	return add_choice(opts, value, err);
}

static int apply_top(void *opts, const char *value, struct errmsg *err)
{
	return add_choice(opts, "", err);
}

static int apply_promote(void *opts, const char *value, struct errmsg *err)
{
	struct split_options *o = opts;

	if (!o->n_choices || !*o->choices[o->n_choices - 1].name)
		return errmsg_set(err, -EINVAL,
				  "-t must follow -B: it makes that buffer the top one");
	o->choices[o->n_choices - 1].target = "";
	return 0;
}

static int apply_rename(void *opts, const char *value, struct errmsg *err)
{
	struct split_options *o = opts;

	if (!o->n_choices || *o->choices[o->n_choices - 1].name)
		return errmsg_set(err, -EINVAL, "-b must follow --top: it names that buffer");
	o->choices[o->n_choices - 1].target = value;
	return 0;
}

static const struct option_row rows[] = {
	{OPTION_STRING, 'i', "input", "FILE", "read FILE (default: trace.dat)",
	 offsetof(struct split_options, input), .complete = "file"},
	{OPTION_STRING, 'o', "output", "FILE", "write FILE.1, or FILE.0001 and on (default: as -i)",
	 offsetof(struct split_options, output), .complete = "file"},
	{OPTION_HEADING, .help = "size of a piece"},
	{OPTION_CALL, 's', "seconds", "N", "N seconds", .apply = apply_seconds},
	{OPTION_CALL, 'm', "milliseconds", "N", "N milliseconds", .apply = apply_milliseconds},
	{OPTION_CALL, 'u', "microseconds", "N", "N microseconds", .apply = apply_microseconds},
	{OPTION_CALL, 'e', "events", "N", "N events", .apply = apply_events},
	{OPTION_CALL, 'p', "pages", "N", "N sub-buffers of each CPU", .apply = apply_pages},
	{OPTION_FLAG, 'r', "repeat", NULL, "split the whole trace, one file per piece",
	 offsetof(struct split_options, repeat)},
	{OPTION_FLAG, 'c', "per-cpu", NULL, "measure each CPU separately",
	 offsetof(struct split_options, per_cpu)},
	{OPTION_HEADING, .help = "what to keep"},
	{OPTION_STRING, 0, "from", "TIME", "the same as START",
	 offsetof(struct split_options, from)},
	{OPTION_STRING, 0, "to", "TIME", "the same as END", offsetof(struct split_options, to)},
	{OPTION_NUMBER, 'C', "cpu", "CPU", "keep only the events of this CPU",
	 offsetof(struct split_options, cpu)},
	{OPTION_CALL, 'B', "buffer", "NAME", "keep only this instance; repeatable",
	 .apply = apply_buffer},
	{OPTION_CALL, 't', NULL, NULL, "make the instance of the preceding -B the top-level buffer",
	 .apply = apply_promote},
	{OPTION_CALL, 0, "top", NULL, "keep only the top-level buffer, and those given with -B",
	 .apply = apply_top},
	{OPTION_CALL, 'b', NULL, "NAME",
	 "turn the top-level buffer of the preceding --top into the instance NAME",
	 .apply = apply_rename},
	{OPTION_END},
};

/* --- times ------------------------------------------------------------------------------------- */

static int make_rule(const struct split_options *o, const struct tracefile *tf,
		     struct split_rule *rule, struct errmsg *err)
{
	static const struct {
		char letter;
		enum split_unit unit;
		uint64_t factor;
	} units[] = {{0, SPLIT_ALL, 1},		 {'s', SPLIT_TIME, 1000000000},
		     {'m', SPLIT_TIME, 1000000}, {'u', SPLIT_TIME, 1000},
		     {'e', SPLIT_EVENTS, 1},	 {'p', SPLIT_PAGES, 1}};
	struct timeconv tc;
	int r = 0;

	*rule = (struct split_rule){.per_cpu = o->per_cpu, .to = UINT64_MAX};
	timeconv_init(&tc, tf, tf->n_buffers ? tf->buffers[0].clock : NULL,
		      &(struct timeconv_config){0});
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (units[i].letter != o->unit)
			continue;
		rule->unit = units[i].unit;
		if (__builtin_mul_overflow(o->amount, units[i].factor, &rule->amount))
			rule->amount = UINT64_MAX;
	}
	if (rule->unit == SPLIT_TIME && !tc.in_time)
		return errmsg_set(
			err, -EINVAL,
			"the clock of %s does not count time; use -e or -p instead of -%c",
			tf->path, o->unit);
	if (o->cpu >= 0) {
		rule->one_cpu = true;
		rule->cpu = o->cpu;
	}
	/* sub-buffers belong to a CPU */
	rule->per_cpu |= rule->one_cpu || rule->unit == SPLIT_PAGES;
	if (o->from) {
		rule->has_from = true;
		rule->from_first = o->from[0] == '+';
		r = timearg_parse("START", o->from, tc.in_time, 0, &rule->from, err);
	}
	if (!r && o->to) {
		rule->to_first = o->to[0] == '+';
		r = timearg_parse("END", o->to, tc.in_time, 0, &rule->to, err);
	}
	if (!r && rule->to_first == rule->from_first && rule->to < rule->from)
		r = errmsg_set(err, -EINVAL, "the end %s comes before the start %s", o->to,
			       o->from);
	return r;
}

/* --- buffers ----------------------------------------------------------------------------------- */

struct target { /* a buffer that is kept */
	const struct tracefile_buffer *buffer;
	const char *name;
};

struct targets {
	struct target rows[CHOICES_MAX];
	size_t n;
};

static const struct tracefile_buffer *find_buffer(const struct tracefile *tf, const char *name)
{
	for (size_t i = 0; i < tf->n_buffers; i++)
		if (!tf->buffers[i].is_text && !strcmp(tf->buffers[i].name, name))
			return &tf->buffers[i];
	return NULL;
}

static int choose_buffers(const struct split_options *o, const struct tracefile *tf,
			  struct targets *t, struct errmsg *err)
{
	size_t n_top = 0;

	for (size_t i = 0; !o->n_choices && i < tf->n_buffers && t->n < CHOICES_MAX; i++)
		t->rows[t->n++] = (struct target){&tf->buffers[i], tf->buffers[i].name};
	for (size_t i = 0; i < o->n_choices; i++) {
		const struct tracefile_buffer *b = find_buffer(tf, o->choices[i].name);

		if (!b)
			return errmsg_set(err, -ENOENT,
					  "%s has no buffer '%s'; 'sonde list -B' shows them",
					  tf->path, o->choices[i].name);
		n_top += !*o->choices[i].target;
		t->rows[t->n++] = (struct target){b, o->choices[i].target};
	}
	if (n_top > 1)
		return errmsg_set(err, -EINVAL, "only one buffer can be the top one");
	return 0;
}

static int check_cpu(const struct split_options *o, const struct tracefile *tf, struct errmsg *err)
{
	if (o->cpu < 0)
		return 0;
	for (size_t i = 0; i < tf->n_buffers; i++)
		for (size_t k = 0; k < tf->buffers[i].n_cpus; k++)
			if (tf->buffers[i].cpus[k].cpu == o->cpu)
				return 0;
	return errmsg_set(err, -ENOENT, "%s has no events of CPU %lld", tf->path, o->cpu);
}

/* --- pieces ------------------------------------------------------------------------------------ */

static int write_piece(struct tracefile *tf, struct splitter *s, const struct targets *t,
		       const char *path, struct errmsg *err)
{
	struct writer_config config;
	struct writer *w = NULL;
	struct tracecopy tc;
	int r = tracecopy_init(&tc, tf, tf->version, err);

	if (r < 0)
		return r;
	config = tracecopy_config(&tc, path,
				  tf->compression == COMPRESSION_UNKNOWN ? COMPRESSION_ZSTD
									 : tf->compression);
	r = writer_open(&w, &config, err);
	if (!r)
		r = tracecopy_metadata(&tc, w, err);
	for (size_t i = 0; i < t->n && r >= 0; i++)
		r = writer_add_buffer(w,
				      &(struct writer_buffer){t->rows[i].name,
							      t->rows[i].buffer->clock,
							      t->rows[i].buffer->page_size},
				      err);
	for (size_t i = 0; i < t->n && r >= 0; i++) {
		struct writer_source source = splitter_source(s, i);

		r = writer_write_buffer(w, i, &source, err);
	}
	if (r >= 0) {
		r = writer_close(w, err);
		w = NULL;
	}
	writer_free(w);
	tracecopy_release(&tc);
	return r < 0 ? r : 0;
}

/*
 * Each piece has all formats and symbols of the source, some megabytes: a thousand short pieces of a small
 * trace are gigabytes, and writing them takes as long. Said once, while there is time to stop.
 */
#define COSTLY_PIECES 64
#define COSTLY_TIMES  16

static void tell_cost(const struct tracefile *tf, unsigned n, uint64_t *bytes, const char *path)
{
	struct stat source, piece;
	bool was_costly;

	if (stat(tf->path, &source) < 0 || stat(path, &piece) < 0)
		return;
	was_costly = n > COSTLY_PIECES && *bytes > (uint64_t)source.st_size * COSTLY_TIMES;
	*bytes += piece.st_size;
	if (was_costly || n < COSTLY_PIECES || *bytes <= (uint64_t)source.st_size * COSTLY_TIMES)
		return;
	fprintf(stderr,
		"sonde: the first %u pieces are %llu times as large as %s, because each has all of "
		"its "
		"metadata; longer pieces need less, and so does a source that 'sonde convert "
		"--compression zstd' wrote\n",
		n, (unsigned long long)(*bytes / source.st_size), tf->path);
}

static int write_pieces(struct tracefile *tf, struct splitter *s, const struct targets *t,
			const struct split_options *o, struct errmsg *err)
{
	const char *base = o->output ? o->output : tf->path;
	uint64_t n_events = 0, bytes = 0;
	unsigned n = 0;
	int r;

	do {
		char *path;

		if (asprintf(&path, o->repeat ? "%s.%04u" : "%s.%u", base, ++n) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot write %s", base);
		r = splitter_plan(s);
		if (!r)
			r = write_piece(tf, s, t, path, err);
		if (!r)
			n_events += splitter_n_events(s);
		if (!r)
			tell_cost(tf, n, &bytes, path);
		free(path);
	} while (!r && o->repeat && splitter_more(s));
	if (!r && !n_events)
		fprintf(stderr, "sonde: no event of %s is in that part\n", tf->path);
	return r;
}

static int split(struct tracefile *tf, const struct split_options *o, struct targets *t,
		 struct errmsg *err)
{
	struct split_rule rule;
	struct unpacker *unpacker = NULL;
	struct splitter *s = NULL;
	int r = make_rule(o, tf, &rule, err);

	if (!r)
		r = check_cpu(o, tf, err);
	if (!r)
		r = choose_buffers(o, tf, t, err);
	if (r < 0)
		return r;
	unpacker = unpacker_new(conveyor_default_threads() > 1, 2 * (t->n + 1) * tf->cpu_count);
	s = unpacker ? splitter_new(tf, &rule, unpacker) : NULL;
	r = s ? 0 : -ENOMEM;
	for (size_t i = 0; i < t->n && !r; i++)
		r = splitter_keep(s, t->rows[i].buffer);
	if (!r)
		r = splitter_start(s);
	if (r < 0)
		errmsg_set_errno(err, r, "cannot split %s", tf->path);
	else
		r = write_pieces(tf, s, t, o, err);
	splitter_free(s);
	unpacker_free(unpacker);
	return r;
}

static int split_file(const struct split_options *o, struct errmsg *err)
{
	struct targets *t = calloc(1, sizeof(*t));
	struct tracefile *tf = NULL;
	int r = t ? tracefile_open(&tf, o->input ? o->input : "trace.dat", err) : -ENOMEM;

	if (!r && tracecopy_latency(tf))
		r = errmsg_set(err, -ENOTSUP,
			       "%s cannot be split: it holds a latency tracer's text, not "
			       "events",
			       tf->path);
	if (!r)
		r = split(tf, o, t, err);
	if (!r)
		r = notes_print_damage(tf);
	tracefile_close(tf);
	free(t);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct split_options *o = calloc(1, sizeof(*o));
	int r;

	if (!o)
		return -ENOMEM;
	o->cpu = -1;
	r = command_parse(cmd, o, argc, argv, err);
	if (r > 2)
		r = errmsg_set(err, -EINVAL,
			       "split: '%s' is one time too many: there is a start and an end",
			       argv[3]);
	if (r >= 0) {
		o->from = r > 0 ? argv[1] : o->from;
		o->to = r > 1 ? argv[2] : o->to;
		r = split_file(o, err);
	}
	free(o);
	return r;
}

const struct command cmd_split = {
	.name = "split",
	.summary = "cut a trace file into pieces",
	.usage = "[options] [START [END]]",
	.options = rows,
	.run = run,
};
