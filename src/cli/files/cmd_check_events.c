// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_check_events.c - `sonde check-events`: checks whether all event formats can be parsed.
 *
 * The formats are those of a trace file, or of a tracing directory (of this machine, or a copy).
 * The texts of a directory become a file in memory, so that both are processed in the same way:
 *
 *  kernelinfo_read ─▶ kernelimage_add ─▶ inputs_open ─▶ formatcheck_init (which explains the kinds)
 */
#include "base/scope.h"
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
	struct file_option file; /* must be the first member; path NULL: a tracing directory */
	const char *dir;
	bool no_plugins, verbose;
};

static const struct option_row rows[] = {
	ROW_INPUT("check the formats in FILE, not those of the running kernel"),
	ROW_STRING('t', "tracing-dir", "DIR", "check the formats in this tracing directory",
		   offsetof(struct check_options, dir), .complete = "dir"),
	ROW_FLAG('N', NULL, "check without the functions and handlers of plugins",
		 offsetof(struct check_options, no_plugins)),
	ROW_FLAG('v', "verbose", "print the name of every format",
		 offsetof(struct check_options, verbose)),
	ROW_END,
};

/* --- the tracing directory as a file ---------------------------------------------------------- */

static int read_dir(struct textbuf *image, const char *dir, struct errmsg *err)
{
	SCOPED(kernelinfo_release) struct kernelinfo ki = {0};

	/* parsing formats needs no symbols, and the kernel takes long to list them */
	if (kernelinfo_read(&ki, &(struct kernelinfo_config){.dir = dir, .kallsyms = "/dev/null"},
			    err) < 0)
		return errmsg_code(err);
	kernelimage_add(&ki, image);
	return image->overflow ? errmsg_set(err, -EFBIG, "there is more text than fits") : 0;
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

/* Returns the exit status, or a negative errno. */
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
	struct inputs_path path = {.path = o->file.path};
	struct inputs_spec spec = {.paths = &path, .n_paths = 1, .no_plugins = o->no_plugins};
	TEXTBUF(image, IMAGE_MAX_BYTES);
	SCOPED(inputs_close) struct inputs in = {0};
	int r;

	if (!o->file.path) {
		if (read_dir(&image, o->dir, err) < 0)
			return errmsg_code(err);
		path.path = o->dir ? o->dir : "the running kernel";
		path.memory = PIECE_OF_TEXT(&image);
	}
	if (inputs_open(&in, &spec, err) < 0)
		return errmsg_code(err);
	r = check(&in.files[0], o, err);
	fflush(stdout);
	/* an image has no data after its texts, but a real file must have some */
	return r >= 0 && o->file.path && notes_print_damage(&in, false) ? 1 : r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct check_options o = {0};

	TRY(command_parse_file(cmd, &o.file, argc, argv, err));
	if (o.file.path && o.dir)
		return errmsg_set(err, -EINVAL, "check-events: -t and a file exclude each other");
	return check_inputs(&o, err);
}

const struct command cmd_check_events = {
	.name = "check-events",
	.summary = "check that all event formats can be parsed",
	.usage = "[options] [FILE]",
	.options = rows,
	.args = "file",
	.run = run,
};
