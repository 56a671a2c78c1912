// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_mem.c - `sonde mem`: kernel memory by the function that allocated it.
 *
 * Records must come in the order of time, because a free follows its allocation on whatever CPU;
 * they are taken from the top buffer, or from the one that -B names: two buffers may have recorded
 * the same allocations.
 */
#include "analyse/kmem.h"
#include "base/conveyor.h"
#include "cli/command.h"
#include "cli/output.h"
#include "decode/order/sequence.h"
#include "present/kmemtext.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX_BYTES (64u << 20)

struct mem_options {
	const char *input, *buffer;
	bool json;
};

static int apply_input(void *opts, const char *value, struct errmsg *err)
{
	struct mem_options *o = opts;

	if (o->input)
		return errmsg_set(err, -EINVAL, "'%s' is one file too many", value);
	o->input = value;
	return 0;
}

static const struct option_row rows[] = {
	{OPTION_CALL, 'i', "input", "FILE", "read FILE (default: trace.dat)", .apply = apply_input,
	 .complete = "file"},
	{OPTION_STRING, 'B', "buffer", "NAME",
	 "use the events of this instance, not of the top-level buffer",
	 offsetof(struct mem_options, buffer)},
	{OPTION_FLAG, 0, "json", .help = "print one JSON object per function",
	 .offset = offsetof(struct mem_options, json)},
	{OPTION_END},
};

struct mem_run {
	const struct mem_options *opts;
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
	struct unpacker *unpacker;
	struct kmem *kmem;
};

static const struct tracefile_buffer *find_buffer(const struct mem_run *run, struct errmsg *err)
{
	const char *name = run->opts->buffer ? run->opts->buffer : "";

	for (size_t i = 0; i < run->tf->n_buffers; i++) {
		const struct tracefile_buffer *b = &run->tf->buffers[i];

		if (strcmp(b->name, name))
			continue;
		if (!b->is_text)
			return b;
		errmsg_set(
			err, -ENOTSUP,
			"%s holds the text of a latency tracer, which has no allocations; 'sonde "
			"report' prints it",
			run->tf->path);
	}
	if (run->opts->buffer)
		errmsg_set(err, -ENOENT, "there is no buffer '%s' in %s; 'sonde info' names them",
			   name, run->tf->path);
	errmsg_set(err, -ENODATA, "there are no events in %s", run->tf->path);
	return NULL;
}

/* Walks the events; -ENODATA if there is none at all. */
static int add_records(struct mem_run *run, struct sequence *seq)
{
	struct batch batch;
	int r = batch_init(&batch);

	if (r < 0)
		return r;
	while ((r = sequence_fill(seq, &batch)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			kmem_add(run->kmem, &batch.records[i]);
	batch_release(&batch);
	if (r < 0)
		return r;
	return sequence_stats(seq)->n_records ? 0 : -ENODATA;
}

static int add_buffer(struct mem_run *run, const struct tracefile_buffer *b, struct errmsg *err)
{
	struct sequence_config config = {.raw = true, .to = UINT64_MAX};
	struct timeconv_config time_config = {0};
	struct source_config sc = {
		.tf = run->tf, .formats = run->formats, .tasks = &run->tasks, .buffer = b};
	struct sequence *seq = sequence_new(&config);
	int r = seq ? 0 : -ENOMEM;

	timeconv_init(&sc.time, run->tf, b->clock, &time_config);
	if (r >= 0)
		r = sequence_add_source(seq, &sc, run->unpacker);
	if (r >= 0)
		r = sequence_start(seq);
	if (r >= 0)
		r = add_records(run, seq);
	sequence_free(seq);
	if (r == -ENODATA)
		return errmsg_set(
			err, r,
			"there are no events in %s of %s; 'sonde info' shows where they are",
			b->name[0] ? b->name : "the top buffer", run->tf->path);
	return r < 0 ? errmsg_set_errno(err, r, "cannot read the events of %s", run->tf->path) : 0;
}

static int print_rows(const struct mem_run *run, struct errmsg *err)
{
	struct output out;
	struct textbuf tb;
	size_t n;
	struct kmem_row *const *list = kmem_rows(run->kmem, &n);
	int r = output_open(&out, "never", false, err);

	if (r < 0)
		return r;
	textbuf_init(&tb, TEXT_MAX_BYTES);
	if (!run->opts->json)
		kmemtext_fmt_head(&tb);
	for (size_t i = 0; i < n; i++)
		if (run->opts->json)
			kmemtext_fmt_json(list[i], &tb);
		else
			kmemtext_fmt_row(list[i], &tb);
	r = tb.overflow ? errmsg_set(err, -EFBIG, "there are more functions than can be printed")
			: output_write(&out, tb.start, textbuf_len(&tb));
	textbuf_release(&tb);
	output_close(&out);
	return r;
}

static int mem_file(struct mem_run *run, struct errmsg *err)
{
	const struct tracefile_buffer *b = find_buffer(run, err);
	struct formats_config config = {0};
	unsigned n_threads = conveyor_default_threads();
	int r = b ? formats_new(&run->formats, run->tf, &config, err) : err->code;

	if (r >= 0 && tasks_init(&run->tasks, tracefile_text(run->tf, TRACEFILE_CMDLINES)) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot read the command lines of %s",
				     run->tf->path);
	if (r < 0)
		return r;
	if (b->compressed && n_threads > 1)
		run->unpacker = unpacker_new(n_threads - 1, b->n_cpus);
	run->kmem = kmem_new(run->formats);
	r = run->kmem ? add_buffer(run, b, err)
		      : errmsg_set_errno(err, -ENOMEM, "cannot count memory");
	if (r >= 0 && kmem_finish(run->kmem) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot sort the functions");
	if (r >= 0)
		r = print_rows(run, err);
	if (r >= 0 && kmem_n_dropped(run->kmem))
		tracefile_add_damage(
			run->tf,
			"%s has more allocations at one time than can be followed; %llu "
			"are left out",
			run->tf->path, (unsigned long long)kmem_n_dropped(run->kmem));
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct mem_options o = {0};
	struct mem_run run = {.opts = &o};
	int n = command_parse(cmd, &o, argc, argv, err), r = n < 0 ? n : 0;

	if (n > 0 && (n > 1 || o.input))
		r = errmsg_set(err, -EINVAL, "%s: '%s' is one file too many", cmd->name,
			       argv[o.input ? 1 : 2]);
	else if (n > 0)
		o.input = argv[1];
	if (r >= 0)
		r = tracefile_open(&run.tf, o.input ? o.input : "trace.dat", err);
	if (r < 0)
		return r;
	r = mem_file(&run, err);
	for (size_t i = 0; i < run.tf->n_damage && r != -EPIPE; i++)
		fprintf(stderr, "sonde: %s\n", run.tf->damage[i]);
	if (r >= 0)
		r = run.tf->n_damage ? 1 : 0;
	kmem_free(run.kmem);
	unpacker_free(run.unpacker);
	tasks_release(&run.tasks);
	formats_free(run.formats);
	tracefile_close(run.tf);
	return r;
}

const struct command cmd_mem = {
	.name = "mem",
	.summary = "sum up kernel memory by allocating function",
	.usage = "[options] [FILE]",
	.options = rows,
	.args = "file",
	.run = run,
};
