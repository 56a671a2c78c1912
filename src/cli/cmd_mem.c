// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_mem.c - `sonde mem`: prints kernel memory by the function that allocated it.
 *
 * Records are needed in time order, because a free may happen on another CPU than its allocation.
 * They come from the top-level buffer, or from the one that -B names: two buffers may have recorded
 * the same allocations.
 */
#include "analyse/kmem.h"
#include "base/options.h"
#include "base/scope.h"
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
	struct file_option file; /* must be the first member */
	const char *buffer;
	bool json;
};

static const struct option_row rows[] = {
	ROW_INPUT("read FILE (default: trace.dat)"),
	ROW_STRING('B', "buffer", "NAME",
		   "use the events of this instance, not of the top-level buffer",
		   offsetof(struct mem_options, buffer)),
	ROW_FLAG(0, "json", "print one JSON object per function",
		 offsetof(struct mem_options, json)),
	ROW_END,
};

struct mem_run {
	const struct mem_options *opts;
	struct inputs in;
	struct kmem *kmem;
};

static void add_record(void *ctx, const struct record *rec)
{
	kmem_add(((struct mem_run *)ctx)->kmem, rec);
}

static int add_buffer(struct mem_run *run, struct errmsg *err)
{
	struct sequence_config config = inputs_sequence_config(run->in.spec);
	SCOPED(inputs_sources_release) struct inputs_sources src = {0};

	config.raw = true;
	if (inputs_sources_init(&src, &run->in, &config, err) < 0 ||
	    inputs_sources_each(&src, add_record, run, err) < 0)
		return errmsg_code(err);
	if (sequence_stats(src.seq)->n_records)
		return 0;
	return errmsg_set(
		err, -ENODATA, "there are no events in %s of %s; 'sonde info' shows where they are",
		run->opts->buffer && *run->opts->buffer ? run->opts->buffer : "the top buffer",
		inputs_path(&run->in.files[0]));
}

static int print_rows(const struct mem_run *run, struct errmsg *err)
{
	TEXTBUF(tb, TEXT_MAX_BYTES);
	size_t n;
	struct kmem_row *const *list = kmem_rows(run->kmem, &n);

	if (!run->opts->json)
		kmemtext_fmt_head(&tb);
	for (size_t i = 0; i < n; i++)
		if (run->opts->json)
			kmemtext_fmt_json(list[i], &tb);
		else
			kmemtext_fmt_row(list[i], &tb);
	return output_print(&tb, "never", false, err);
}

static int mem_file(struct mem_run *run, struct errmsg *err)
{
	struct inputs_file *file = &run->in.files[0];
	int r;

	if (inputs_check_buffer(file, run->opts->buffer, "allocations", err) < 0)
		return errmsg_code(err);
	run->kmem = kmem_new(file->formats);
	if (!run->kmem)
		return errmsg_set_errno(err, -ENOMEM, "cannot count memory");
	if (add_buffer(run, err) < 0)
		return errmsg_code(err);
	if (kmem_finish(run->kmem) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot sort the functions");
	r = print_rows(run, err);
	if (r >= 0 && kmem_n_dropped(run->kmem))
		inputs_add_damage(file,
				  "%s has more allocations at one time than can be followed; %llu "
				  "are left out",
				  inputs_path(file), (unsigned long long)kmem_n_dropped(run->kmem));
	return r;
}

static void mem_run_release(struct mem_run *run)
{
	kmem_free(run->kmem);
	inputs_close(&run->in);
}

/* Prints the memory. An empty -B also means the top-level buffer. */
static int mem(const struct mem_options *o, struct errmsg *err)
{
	const char *buffer = o->buffer && *o->buffer ? o->buffer : "-";
	struct inputs_spec spec = INPUTS_ONE(o->file.path);
	SCOPED(mem_run_release) struct mem_run run = {.opts = o};
	int r;

	spec.buffers = (struct word_list){&buffer, 1};
	TRY(inputs_open(&run.in, &spec, err));
	r = mem_file(&run, err);
	return r != -EPIPE && notes_print_damage(&run.in, false) && r >= 0 ? 1 : r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct mem_options o = {.file.path = "trace.dat"};
	int r = command_parse_file(cmd, &o.file, argc, argv, err);

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
