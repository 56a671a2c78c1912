// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_mem.c - `sonde mem`: kernel memory by the function that allocated it.
 *
 * Records must come in the order of time, because a free follows its allocation on whatever CPU;
 * they are taken from the top buffer, or from the one that -B names: two buffers may have recorded
 * the same allocations.
 */
#include "analyse/kmem.h"
#include "base/options.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "cli/screen/output.h"
#include "decode/order/sequence.h"
#include "inputs/sources.h"
#include "present/result/kmemtext.h"

#include <errno.h>
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
	struct inputs in;
	struct kmem *kmem;
};

/* The buffer that is asked for must have events. */
static int check_buffer(const struct mem_run *run, struct errmsg *err)
{
	const struct tracefile *tf = run->in.files[0].tf;
	const char *name = run->opts->buffer ? run->opts->buffer : "";

	for (size_t i = 0; i < tf->n_buffers; i++) {
		if (strcmp(tf->buffers[i].name, name))
			continue;
		if (!tf->buffers[i].is_text)
			return 0;
		return errmsg_set(
			err, -ENOTSUP,
			"%s holds the text of a latency tracer, which has no allocations; 'sonde "
			"report' prints it",
			tf->path);
	}
	if (run->opts->buffer)
		return errmsg_set(err, -ENOENT,
				  "there is no buffer '%s' in %s; 'sonde info' names them", name,
				  tf->path);
	return errmsg_set(err, -ENODATA, "there are no events in %s", tf->path);
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

static int add_buffer(struct mem_run *run, struct errmsg *err)
{
	const char *path = run->in.files[0].tf->path;
	struct sequence_config config = inputs_sequence_config(run->in.spec);
	struct inputs_sources src;
	int r;

	config.raw = true;
	r = inputs_sources_init(&src, &run->in, &config, err);
	if (r >= 0)
		r = add_records(run, src.seq);
	inputs_sources_release(&src);
	if (r == -ENODATA)
		return errmsg_set(
			err, r,
			"there are no events in %s of %s; 'sonde info' shows where they are",
			run->opts->buffer && *run->opts->buffer ? run->opts->buffer
								: "the top buffer",
			path);
	return r < 0 ? errmsg_set_errno(err, r, "cannot read the events of %s", path) : 0;
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
	struct inputs_file *file = &run->in.files[0];
	int r = check_buffer(run, err);

	if (r < 0)
		return r;
	run->kmem = kmem_new(file->formats);
	r = run->kmem ? add_buffer(run, err)
		      : errmsg_set_errno(err, -ENOMEM, "cannot count memory");
	if (r >= 0 && kmem_finish(run->kmem) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot sort the functions");
	if (r >= 0)
		r = print_rows(run, err);
	if (r >= 0 && kmem_n_dropped(run->kmem))
		tracefile_add_damage(
			file->tf,
			"%s has more allocations at one time than can be followed; %llu "
			"are left out",
			file->tf->path, (unsigned long long)kmem_n_dropped(run->kmem));
	return r;
}

/* An empty -B is the top-level buffer, too. */
static int mem(const struct mem_options *o, struct errmsg *err)
{
	const char *buffer = o->buffer && *o->buffer ? o->buffer : "-";
	struct inputs_spec spec = INPUTS_ONE(o->input ? o->input : "trace.dat");
	struct mem_run run = {.opts = o};
	int r;

	spec.buffers = (struct word_list){&buffer, 1};
	r = inputs_open(&run.in, &spec, err);
	if (r >= 0) {
		r = mem_file(&run, err);
		if (r != -EPIPE && notes_print_damage(&run.in, false) && r >= 0)
			r = 1;
	}
	kmem_free(run.kmem);
	inputs_close(&run.in);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct mem_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err), r = n < 0 ? n : 0;

	if (n > 0 && (n > 1 || o.input))
		r = errmsg_set(err, -EINVAL, "%s: '%s' is one file too many", cmd->name,
			       argv[o.input ? 1 : 2]);
	else if (n > 0)
		o.input = argv[1];
	return r < 0 ? r : mem(&o, err);
}

const struct command cmd_mem = {
	.name = "mem",
	.summary = "sum up kernel memory by allocating function",
	.usage = "[options] [FILE]",
	.options = rows,
	.args = "file",
	.run = run,
};
