// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_check_events.c - `sonde check-events`: can all event formats be understood?
 *
 * Of a trace file, or of a tracing directory (of this machine, or a copy). The texts of a directory
 * are put behind the head of a version 6 file, in memory, so that both go the same way:
 *
 *	kernelinfo_read ─▶ image of a file ─▶ tracefile_open_memory ─▶ formats_new ─▶ parse, compile
 *
 * A format falls into one of four kinds:
 *	compiled     printed by our own code as its print format says
 *	handled      its print format is beyond libtraceevent, but a handler prints it anyway
 *	fields only  beyond libtraceevent: report shows name=value for each field. It must print
 *	             what trace-cmd prints, so these are not ours to improve there.
 *	unreadable   not even name and id are there
 */
#include "base/textbuf.h"
#include "cli/command.h"
#include "capture/kernel/kernelinfo.h"
#include "decode/formats/formats.h"
#include "decode/print/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void add_number(struct textbuf *tb, uint64_t v, size_t n_bytes)
{
	uint32_t v32 = (uint32_t)v;

	if (n_bytes == sizeof(v))
		textbuf_add(tb, (const char *)&v, sizeof(v));
	else
		textbuf_add(tb, (const char *)&v32, sizeof(v32));
}

static void add_text(struct textbuf *tb, const struct textbuf *text, size_t length_bytes)
{
	if (length_bytes)
		add_number(tb, textbuf_len(text), length_bytes);
	textbuf_add(tb, text->start, textbuf_len(text));
}

static void make_image(const struct kernelinfo *td, struct textbuf *tb)
{
	static const struct {
		enum tracefile_text_kind kind;
		const char *tag;
		uint8_t length_bytes;
	} parts[] = {
		{TRACEFILE_HEADER_PAGE, "header_page", 8},
		{TRACEFILE_HEADER_EVENT, "header_event", 8},
		{TRACEFILE_FTRACE_FORMATS, NULL, 0},
		{TRACEFILE_EVENT_FORMATS, NULL, 0},
		{TRACEFILE_KALLSYMS, NULL, 4},
		{TRACEFILE_PRINTK, NULL, 4},
		{TRACEFILE_CMDLINES, NULL, 8},
	};
	char head[] = {'6', 0, bytes_host_is_big(), sizeof(long)};

	textbuf_add(tb, SNF_MAGIC, SNF_MAGIC_BYTES);
	textbuf_add(tb, head, sizeof(head));
	add_number(tb, td->page_size, 4);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (parts[i].tag)
			textbuf_add(tb, parts[i].tag, strlen(parts[i].tag) + 1);
		add_text(tb, &td->texts[parts[i].kind], parts[i].length_bytes);
	}
	add_number(tb, 0, 4); /* CPUs */
}

static int open_dir(struct tracefile **ret, struct textbuf *image, const char *dir,
		    struct errmsg *err)
{
	struct kernelinfo td;
	/* no format needs symbols to be understood, and the kernel takes long to list them */
	int r = kernelinfo_read(
		&td, &(struct kernelinfo_config){.dir = dir, .kallsyms = "/dev/null"}, err);

	if (r >= 0) {
		make_image(&td, image);
		r = image->overflow ? errmsg_set(err, -EFBIG, "there is more text than fits")
				    : tracefile_open_memory(ret, dir ? dir : "the running kernel",
							    (struct piece){(uint8_t *)image->start,
									   textbuf_len(image)},
							    err);
	}
	kernelinfo_release(&td);
	return r;
}

/* --- the check -------------------------------------------------------------------------------- */

enum kind { KIND_COMPILED, KIND_HANDLED, KIND_FIELDS, KINDS };

static enum kind kind_of(struct formats *f, struct event *ev)
{
	formats_parse(f, ev);
	event_compile(ev);
	return !ev->failed ? KIND_COMPILED : ev->handler ? KIND_HANDLED : KIND_FIELDS;
}

static void print_event(const struct event *ev, const char *word)
{
	char name[200];

	snprintf(name, sizeof(name), "%s:%s", ev->system, ev->name);
	if (ev->failed)
		printf("  %s%-36s  %s\n", word, name,
		       ev->why_failed ? ev->why_failed : "no reason known");
	else
		printf("  %s%s\n", word, name);
}

static void print_kind(struct event **list, const uint8_t *kinds, size_t n, enum kind kind,
		       const char *head)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (kinds[i] != kind)
			continue;
		if (!any)
			printf("\n%s\n", head);
		any = true;
		print_event(list[i], "");
	}
}

static void print_all(struct event **list, const uint8_t *kinds, size_t n)
{
	static const char *const words[KINDS] = {"ok       ", "handled  ", "fields   "};

	for (size_t i = 0; i < n; i++)
		print_event(list[i], words[kinds[i]]);
}

static void print_sum(const struct formats *f, const size_t *count, size_t n, const char *of)
{
	printf("%zu event format%s of %s: %zu compile%s", n + f->n_bad,
	       n + f->n_bad == 1 ? "" : "s", of, count[KIND_COMPILED],
	       count[KIND_COMPILED] == 1 ? "s" : "");
	if (count[KIND_HANDLED])
		printf(", %zu %s printed by a handler", count[KIND_HANDLED],
		       count[KIND_HANDLED] == 1 ? "is" : "are");
	if (count[KIND_FIELDS])
		printf(", %zu %s shown field by field", count[KIND_FIELDS],
		       count[KIND_FIELDS] == 1 ? "is" : "are");
	if (f->n_bad)
		printf(", %zu cannot be read", f->n_bad);
	putchar('\n');
}

/* The exit status, or negative. */
static int check(struct formats *f, const struct check_options *o, const char *of,
		 struct errmsg *err)
{
	struct event **list = formats_list(f);
	uint8_t *kinds = calloc(f->n_events + 1, sizeof(*kinds));
	size_t count[KINDS] = {0}, n = 0;

	if (!list || !kinds) {
		free(list);
		free(kinds);
		return errmsg_set_errno(err, -ENOMEM, "cannot check the formats");
	}
	for (size_t i = 0; i < f->n_events; i++)
		if (!list[i]->is_made_up) {
			kinds[n] = kind_of(f, list[i]);
			count[kinds[n]]++;
			list[n++] = list[i];
		}
	if (o->verbose)
		print_all(list, kinds, n);
	print_sum(f, count, n, of);
	if (!o->verbose) {
		print_kind(
			list, kinds, n, KIND_HANDLED,
			"Print formats that neither libtraceevent nor sonde understands; a handler "
			"prints these events:");
		print_kind(list, kinds, n, KIND_FIELDS,
			   "Print formats that neither libtraceevent nor sonde understands; report "
			   "shows these events\nfield by field, as trace-cmd does:");
	}
	free(list);
	free(kinds);
	return count[KIND_HANDLED] || count[KIND_FIELDS] || f->n_bad ? 1 : 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct check_options o = {0};
	struct formats_config config = {0};
	struct formats *f = NULL;
	struct tracefile *tf = NULL;
	struct textbuf image;
	int n = command_parse(cmd, &o, argc, argv, err), r = n < 0 ? n : 0;

	if (n > 0 && (n > 1 || o.input))
		r = errmsg_set(err, -EINVAL, "%s: '%s' is one file too many", cmd->name,
			       argv[o.input ? 1 : 2]);
	else if (n > 0)
		o.input = argv[1];
	if (r >= 0 && o.input && o.dir)
		r = errmsg_set(err, -EINVAL, "check-events: -t and a file exclude each other");
	if (r < 0)
		return r;
	textbuf_init(&image, IMAGE_MAX_BYTES);
	config.no_plugins = o.no_plugins;
	r = o.input ? tracefile_open(&tf, o.input, err) : open_dir(&tf, &image, o.dir, err);
	if (r >= 0)
		r = formats_new(&f, tf, &config, err);
	if (r >= 0)
		r = check(f, &o, tf->path, err);
	fflush(stdout);
	/* an image has no data behind its texts, which only a real file must have */
	for (size_t i = 0; r >= 0 && o.input && i < tf->n_damage; i++) {
		fprintf(stderr, "sonde: %s\n", tf->damage[i]);
		r = 1;
	}
	formats_free(f);
	tracefile_close(tf);
	textbuf_release(&image);
	return r;
}

const struct command cmd_check_events = {
	.name = "check-events",
	.summary = "check that all event formats can be parsed",
	.usage = "[options] [FILE]",
	.options = rows,
	.args = "file",
	.run = run,
};
