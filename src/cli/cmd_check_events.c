// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_check_events.c - `sonde check-events`: can all event formats be understood?
 *
 * Of a trace file, or of a tracing directory (of this machine, or a copy). The texts of a directory
 * become a file in memory, so that both go the same way:
 *
 *	kernelinfo_read ─▶ kernelimage_add ─▶ inputs_open ─▶ formatcheck_init (which explains the kinds)
 */
#include "base/textbuf.h"
#include "capture/kernel/kernelimage.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "format/bytes.h"
#include "inputs/formatcheck.h"

#include <errno.h>
#include <stdio.h>

#define IMAGE_MAX_BYTES (512u << 20)

struct check_options {
	const char *input, *dir;
	bool no_plugins, verbose;
};

static int apply_input(void *opts, const char *value, struct errmsg *err)
{
	struct check_options *o = opts;

	if (o->input)
		return errmsg_set(err, -EINVAL, "'%s' is one file too many", value);
	o->input = value;
	return 0;
}

static const struct option_row rows[] = {
	{OPTION_CALL, 'i', "input", "FILE",
	 "check the formats in FILE, not those of the running kernel", .apply = apply_input,
	 .complete = "file"},
	{OPTION_STRING, 't', "tracing-dir", "DIR", "check the formats in this tracing directory",
	 offsetof(struct check_options, dir), .complete = "dir"},
	{OPTION_FLAG, 'N', NULL, .help = "check without the functions and handlers of plugins",
	 .offset = offsetof(struct check_options, no_plugins)},
	{OPTION_FLAG, 'v', "verbose", .help = "print the name of every format",
	 .offset = offsetof(struct check_options, verbose)},
	{OPTION_END},
};

/* --- the tracing directory as a file ---------------------------------------------------------- */

static int read_dir(struct textbuf *image, const char *dir, struct errmsg *err)
{
	struct kernelinfo ki;
	/* no format needs symbols to be understood, and the kernel takes long to list them */
	int r = kernelinfo_read(
		&ki, &(struct kernelinfo_config){.dir = dir, .kallsyms = "/dev/null"}, err);

	if (r >= 0) {
		kernelimage_add(&ki, image);
		if (image->overflow)
			r = errmsg_set(err, -EFBIG, "there is more text than fits");
	}
	kernelinfo_release(&ki);
	return r;
}

/* --- the result ------------------------------------------------------------------------------- */

static void print_row(const struct formatcheck_row *row, const char *word)
{
	char name[200];

	snprintf(name, sizeof(name), "%s:%s", row->system, row->name);
	if (row->kind != FORMATCHECK_COMPILED)
		printf("  %s%-36s  %s\n", word, name, row->why ? row->why : "no reason known");
	else
		printf("  %s%s\n", word, name);
}

static void print_kind(const struct formatcheck *fc, enum formatcheck_kind kind, const char *head)
{
	if (fc->n_of[kind])
		printf("\n%s\n", head);
	for (size_t i = 0; i < fc->n; i++)
		if (fc->rows[i].kind == kind)
			print_row(&fc->rows[i], "");
}

static void print_all(const struct formatcheck *fc)
{
	static const char *const words[FORMATCHECK_KINDS] = {"ok       ", "handled  ", "fields   "};

	for (size_t i = 0; i < fc->n; i++)
		print_row(&fc->rows[i], words[fc->rows[i].kind]);
}

static void print_sum(const struct formatcheck *fc, const char *of)
{
	size_t n = fc->n + fc->n_unreadable, n_compiled = fc->n_of[FORMATCHECK_COMPILED],
	       n_handled = fc->n_of[FORMATCHECK_HANDLED], n_fields = fc->n_of[FORMATCHECK_FIELDS];

	printf("%zu event format%s of %s: %zu compile%s", n, n == 1 ? "" : "s", of, n_compiled,
	       n_compiled == 1 ? "s" : "");
	if (n_handled)
		printf(", %zu %s printed by a handler", n_handled, n_handled == 1 ? "is" : "are");
	if (n_fields)
		printf(", %zu %s shown field by field", n_fields, n_fields == 1 ? "is" : "are");
	if (fc->n_unreadable)
		printf(", %zu cannot be read", fc->n_unreadable);
	putchar('\n');
}

/* The exit status, or negative. */
static int check(struct inputs_file *file, const struct check_options *o, struct errmsg *err)
{
	struct formatcheck fc;
	int r = formatcheck_init(&fc, file);

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot check the formats");
	if (o->verbose)
		print_all(&fc);
	print_sum(&fc, file->tf->path);
	if (!o->verbose) {
		print_kind(
			&fc, FORMATCHECK_HANDLED,
			"Print formats that neither libtraceevent nor sonde understands; a handler "
			"prints these events:");
		print_kind(&fc, FORMATCHECK_FIELDS,
			   "Print formats that neither libtraceevent nor sonde understands; report "
			   "shows these events\nfield by field, as trace-cmd does:");
	}
	r = fc.n_of[FORMATCHECK_COMPILED] < fc.n || fc.n_unreadable;
	formatcheck_release(&fc);
	return r;
}

static int check_inputs(const struct check_options *o, struct errmsg *err)
{
	struct inputs_path path = {.path = o->input};
	struct inputs_spec spec = {.paths = &path, .n_paths = 1, .no_plugins = o->no_plugins};
	struct inputs in = {0};
	struct textbuf image;
	int r = 0;

	textbuf_init(&image, IMAGE_MAX_BYTES);
	if (!o->input) {
		r = read_dir(&image, o->dir, err);
		path.path = o->dir ? o->dir : "the running kernel";
		path.memory = (struct piece){(uint8_t *)image.start, textbuf_len(&image)};
	}
	if (r >= 0)
		r = inputs_open(&in, &spec, err);
	if (r >= 0)
		r = check(&in.files[0], o, err);
	fflush(stdout);
	/* an image has no data behind its texts, which only a real file must have */
	if (r >= 0 && o->input && notes_print_damage(&in, false))
		r = 1;
	inputs_close(&in);
	textbuf_release(&image);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct check_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err), r = n < 0 ? n : 0;

	if (n > 0 && (n > 1 || o.input))
		r = errmsg_set(err, -EINVAL, "%s: '%s' is one file too many", cmd->name,
			       argv[o.input ? 1 : 2]);
	else if (n > 0)
		o.input = argv[1];
	if (r >= 0 && o.input && o.dir)
		r = errmsg_set(err, -EINVAL, "check-events: -t and a file exclude each other");
	return r < 0 ? r : check_inputs(&o, err);
}

const struct command cmd_check_events = {
	.name = "check-events",
	.summary = "check that all event formats can be parsed",
	.usage = "[options] [FILE]",
	.options = rows,
	.args = "file",
	.run = run,
};
