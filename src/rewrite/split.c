// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * split.c - writes the pieces of a trace.
 *
 * Each piece is a complete trace: it has the texts and options of the source (tracecopy.c), and its
 * events in new sub-buffers (splitter.c).
 *
 *	OUTPUT.1       the first piece only
 *	OUTPUT.0001 …  all of them (repeat)
 *
 * The limits of a piece are times as report shows them. A clock that does not count time has no
 * seconds, so such a trace can be split only by events or sub-buffers.
 */
#include "rewrite/split.h"

#include "base/array.h"
#include "base/conveyor.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/timearg.h"
#include "decode/timeconv.h"
#include "rewrite/tracecopy.h"
#include "store/pagestream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct kept_buffer {
	const struct tracefile_buffer *buffer;
	const char *name; /* name in the target */
};

struct split {
	const struct split_config *config;
	struct tracefile *tf;
	struct kept_buffer *buffers;
	size_t n_buffers;
	struct splitter *splitter;
};

/* --- what to keep ----------------------------------------------------------------------------- */

static int parse_range(const struct split_config *c, bool in_time, struct split_rule *rule,
		       struct errmsg *err)
{
	if (c->from) {
		rule->has_from = true;
		rule->from_first = c->from[0] == '+';
		TRY(timearg_parse("START", c->from, in_time, 0, &rule->from, err));
	}
	if (c->to) {
		rule->to_first = c->to[0] == '+';
		TRY(timearg_parse("END", c->to, in_time, 0, &rule->to, err));
	}
	if (rule->to_first == rule->from_first && rule->to < rule->from)
		return errmsg_set(err, -EINVAL, "the end %s comes before the start %s", c->to,
				  c->from);
	return 0;
}

static int make_rule(const struct split_config *c, const struct tracefile *tf,
		     struct split_rule *rule, struct errmsg *err)
{
	struct timeconv tc;

	*rule = (struct split_rule){.unit = c->unit,
				    .amount = c->amount,
				    .per_cpu = c->per_cpu,
				    .one_cpu = c->cpu >= 0,
				    .cpu = c->cpu >= 0 ? c->cpu : 0,
				    .to = UINT64_MAX};
	timeconv_init(&tc, tf, tracefile_main_clock(tf), &(struct timeconv_config){0});
	if (rule->unit == SPLIT_TIME && !tc.in_time)
		return errmsg_set(err, -EINVAL,
				  "the clock of %s does not count time; use -e or -p instead of %s",
				  tf->path, c->unit_option);
	/* sub-buffers belong to a CPU */
	rule->per_cpu |= rule->one_cpu || rule->unit == SPLIT_PAGES;
	return parse_range(c, tc.in_time, rule, err);
}

static const struct tracefile_buffer *find_buffer(const struct tracefile *tf, const char *name)
{
	return ARRAY_FIND(tf->buffers, tf->n_buffers, i,
			  !tf->buffers[i].is_text && !strcmp(tf->buffers[i].name, name));
}

static int choose_buffers(struct split *s, struct errmsg *err)
{
	const struct split_config *c = s->config;
	const struct tracefile *tf = s->tf;
	size_t n_top = 0;

	s->buffers = calloc(c->n_choices + tf->n_buffers + 1, sizeof(*s->buffers));
	if (!s->buffers)
		return errmsg_set_errno(err, -ENOMEM, "cannot split %s", tf->path);
	for (size_t i = 0; !c->n_choices && i < tf->n_buffers; i++)
		s->buffers[s->n_buffers++] =
			(struct kept_buffer){&tf->buffers[i], tf->buffers[i].name};
	for (size_t i = 0; i < c->n_choices; i++) {
		const struct tracefile_buffer *b = find_buffer(tf, c->choices[i].name);

		if (!b)
			return errmsg_set(err, -ENOENT,
					  "%s has no buffer '%s'; 'sonde list -B' shows them",
					  tf->path, c->choices[i].name);
		n_top += !*c->choices[i].target;
		s->buffers[s->n_buffers++] = (struct kept_buffer){b, c->choices[i].target};
	}
	if (n_top > 1)
		return errmsg_set(err, -EINVAL, "only one buffer can become the top-level buffer");
	return 0;
}

static int check_cpu(const struct split_config *c, const struct tracefile *tf, struct errmsg *err)
{
	if (c->cpu < 0)
		return 0;
	for (size_t i = 0; i < tf->n_buffers; i++)
		for (size_t k = 0; k < tf->buffers[i].n_cpus; k++)
			if (tf->buffers[i].cpus[k].cpu == c->cpu)
				return 0;
	return errmsg_set(err, -ENOENT, "%s has no events of CPU %lld", tf->path, c->cpu);
}

/* --- pieces ----------------------------------------------------------------------------------- */

static int write_buffers(void *ctx, struct tracecopy *tc, struct writer *w, struct errmsg *err)
{
	struct split *s = ctx;

	for (size_t i = 0; i < s->n_buffers; i++)
		TRY(writer_add_buffer(w,
				      &(struct writer_buffer){s->buffers[i].name,
							      s->buffers[i].buffer->clock,
							      s->buffers[i].buffer->page_size},
				      err));
	for (size_t i = 0; i < s->n_buffers; i++) {
		struct writer_source source = splitter_source(s->splitter, i);

		TRY(writer_write_buffer(w, i, &source, err));
	}
	return 0;
}

static int write_piece(struct split *s, const char *path, struct errmsg *err)
{
	struct writer_config target;
	struct tracecopy tc;
	int r;

	TRY(tracecopy_init(&tc, s->tf, s->tf->version, err));
	target = tracecopy_config(&tc, path, tracecopy_compression(s->tf));
	r = tracecopy_write(&tc, &target, write_buffers, s, err);
	tracecopy_release(&tc);
	return r;
}

/*
 * Each piece has all formats and symbols of the source, some megabytes, so a thousand short pieces
 * of a small trace take gigabytes. A note warns early, while the user can still stop.
 */
#define COSTLY_PIECES 64
#define COSTLY_TIMES  16

static void note_cost(const struct split *s, unsigned n, uint64_t *bytes, const char *path)
{
	struct stat source, piece;
	bool was_costly;

	if (stat(s->tf->path, &source) < 0 || stat(path, &piece) < 0)
		return;
	was_costly = n > COSTLY_PIECES && *bytes > (uint64_t)source.st_size * COSTLY_TIMES;
	*bytes += piece.st_size;
	if (was_costly || n < COSTLY_PIECES || *bytes <= (uint64_t)source.st_size * COSTLY_TIMES)
		return;
	rewrite_note(&s->config->notes,
		     "the first %u pieces take %llu times the space of %s, because each contains "
		     "all its metadata; to save space, make longer pieces, or first compress the "
		     "file with 'sonde convert --compression zstd'",
		     n, (unsigned long long)(*bytes / source.st_size), s->tf->path);
}

static int write_next(struct split *s, unsigned n, uint64_t *bytes, struct errmsg *err)
{
	const struct split_config *c = s->config;
	const char *base = c->output ? c->output : s->tf->path;
	SCOPED(scope_free) char *path = NULL;

	if (asprintf(&path, c->repeat ? "%s.%04u" : "%s.%u", base, n) < 0) {
		path = NULL;
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", base);
	}
	TRY(splitter_plan(s->splitter));
	TRY(write_piece(s, path, err));
	note_cost(s, n, bytes, path);
	return 0;
}

static int write_pieces(struct split *s, struct errmsg *err)
{
	const struct split_config *c = s->config;
	uint64_t n_events = 0, bytes = 0;
	unsigned n = 0;

	do {
		TRY(write_next(s, ++n, &bytes, err));
		n_events += splitter_n_events(s->splitter);
	} while (c->repeat && splitter_more(s->splitter));
	if (!n_events)
		rewrite_note(&c->notes, "no event of %s is in that part", s->tf->path);
	return 0;
}

static int start_splitter(struct split *s)
{
	if (!s->splitter)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_buffers; i++)
		TRY(splitter_keep(s->splitter, s->buffers[i].buffer));
	return splitter_start(s->splitter);
}

static int split_by(struct split *s, const struct split_rule *rule, struct errmsg *err)
{
	SCOPED(unpacker_free_scoped)
	struct unpacker *unpacker = unpacker_new(conveyor_default_threads() > 1,
						 2 * (s->n_buffers + 1) * s->tf->cpu_count);
	int r;

	s->splitter = unpacker ? splitter_new(s->tf, rule, unpacker) : NULL;
	r = start_splitter(s);
	if (r < 0)
		errmsg_set_errno(err, r, "cannot split %s", s->tf->path);
	else
		r = write_pieces(s, err);
	splitter_free(s->splitter);
	return r;
}

static int split(struct split *s, struct errmsg *err)
{
	struct split_rule rule;

	if (tracecopy_latency(s->tf))
		return errmsg_set(err, -ENOTSUP,
				  "%s cannot be split: it holds a latency tracer's text, not "
				  "events",
				  s->tf->path);
	TRY(make_rule(s->config, s->tf, &rule, err));
	TRY(check_cpu(s->config, s->tf, err));
	TRY(choose_buffers(s, err));
	return split_by(s, &rule, err);
}

static void split_release(struct split *s)
{
	tracefile_close(s->tf);
	free(s->buffers);
}

int split_trace(const struct split_config *config, struct errmsg *err)
{
	SCOPED(split_release) struct split s = {.config = config};

	TRY(tracefile_open(&s.tf, config->input, err));
	TRY(split(&s, err));
	return rewrite_note_damage(&config->notes, s.tf);
}
