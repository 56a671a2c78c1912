// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reading.c - opens a directory for a command, with uftrace's messages.
 *
 * The default directory is uftrace.data; if there is none but the current directory is a recording,
 * that is read, as uftrace does. Filters that match nothing are reported on standard output, and
 * the command goes on without them.
 */
#include "cli/as/uftrace/reading.h"

#include "analyse/uftrace/trigger.h"
#include "base/textbuf.h"
#include "store/uftrace/dir.h"
#include "symbols/uftrace/module.h"

#include <stdlib.h>
#include <string.h>

static const enum uft_names_how hows[] = {
	[UFT_DEMANGLE_SIMPLE] = UFT_NAMES_SIMPLE,
	[UFT_DEMANGLE_FULL] = UFT_NAMES_FULL,
	[UFT_DEMANGLE_NO] = UFT_NAMES_RAW,
};

static int write_out(void *ctx, const char *s, size_t len)
{
	return output_write(ctx, s, len);
}

static bool open_data(struct uft_reading *r, struct uft_opts *o, const char *dir)
{
	struct errmsg err = {0};

	if (!strcmp(dir, UFT_DIR_NAME) && !uftdir_is(dir) && uftdir_is("."))
		dir = ".";
	if (uftdata_open(&r->data, dir, hows[o->demangle], o->match_glob, &err) >= 0)
		return true;
	uft_warn(o, "cannot open record data: %s: %s", dir, strerror(-errmsg_code(&err)));
	return false;
}

static bool open_out(struct uft_reading *r, struct uft_opts *o)
{
	static const char *const words[] = {
		[UFT_AUTO] = "auto", [UFT_ON] = "always", [UFT_OFF] = "never"};
	struct errmsg err = {0};

	if (output_open(&r->out, words[o->colour], o->no_pager, &err) < 0) {
		uft_warn(o, "%s", err.text);
		return false;
	}
	r->has_out = true;
	uft_out_init(&r->text, r->out.colour, o->html, write_out, &r->out);
	return true;
}

bool uft_reading_open(struct uft_reading *r, struct uft_opts *o)
{
	char *defaults;

	*r = (struct uft_reading){.o = o};
	if (!open_data(r, o, o->dir))
		return false;
	defaults = uftdata_text(&r->data, "default.opts");
	if (defaults)
		uft_opts_add_text(o, defaults);
	free(defaults);
	r->events = uftdata_events(&r->data);
	/* what was printed so far must not come after what the pager shows */
	fflush(stdout);
	return open_out(r, o);
}

bool uft_reading_open_other(struct uft_reading *r, struct uft_opts *o, const char *dir)
{
	*r = (struct uft_reading){.o = o};
	return open_data(r, o, dir);
}

static void warn(void *ctx, const char *sentence)
{
	uft_warn(ctx, "%s", sentence);
}

/* The words of -F, -T, -C, -H and -L. False: some match nothing. */
static bool add_filters(struct uft_reading *r)
{
	const struct uft_opts *o = r->o;
	const struct {
		enum uft_word_kind kind;
		const char *words;
	} rows[] = {{UFT_WORDS_FILTER, o->filter},
		    {UFT_WORDS_TRIGGER, o->trigger},
		    {UFT_WORDS_CALLER, o->caller},
		    {UFT_WORDS_HIDE, o->hide},
		    {UFT_WORDS_FILE, o->loc_filter}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].words && uft_triggers_add(&r->data.triggers, &r->data.names,
						      rows[i].kind, rows[i].words) <= 0)
			return false;
	return true;
}

static void report_filters(struct uft_reading *r)
{
	const struct uft_opts *o = r->o;
	const char *words[] = {o->filter, o->trigger, o->caller, o->hide, o->loc_filter};
	const char *sep = "";

	textbuf_add_str(&r->text.tb, "Usage: failed to set filter or trigger: ");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!words[i])
			continue;
		textbuf_addf(&r->text.tb, "%s%s", sep, words[i]);
		sep = " or ";
	}
	textbuf_add_char(&r->text.tb, '\n');
}

bool uft_reading_walk(struct uft_reading *r)
{
	struct uft_opts *o = r->o;
	struct uft_walk_config c;

	if (!add_filters(r))
		report_filters(r);
	uftdata_walk_config(&r->data, &c);
	c.depth = o->depth;
	c.time_filter_ns = o->time_filter_ns;
	c.size_filter = (uint32_t)o->size_filter;
	c.range_start_ns = o->range.start_ns;
	c.range_stop_ns = o->range.stop_ns;
	c.range_start_elapsed = o->range.start_is_elapsed;
	c.range_stop_elapsed = o->range.stop_is_elapsed;
	c.tids = o->tid;
	c.disabled = o->disabled;
	c.no_libcall = o->no_libcall;
	c.event_full = o->event_full;
	c.no_event = o->no_event;
	c.keeps_events = o->event;
	c.no_sched = o->no_sched;
	c.no_sched_preempt = o->no_sched_preempt;
	c.kernel_only = o->kernel_only;
	c.kernel_full = !o->kernel_skip_out;
	c.warn = warn;
	c.warn_ctx = o;
	if (uft_walk_new(&r->walk, &c) >= 0)
		return true;
	uft_warn(o, "not enough memory to read %s", o->dir);
	return false;
}

int uft_reading_close(struct uft_reading *r, int status)
{
	if (r->has_out) {
		uft_out_flush(&r->text, true);
		if (r->text.status < 0 && r->text.status != -EPIPE) {
			uft_fail(r->o, "cannot write the output: %s", strerror(-r->text.status));
			status = 1;
		}
		uft_out_release(&r->text);
		output_close(&r->out);
	}
	uft_walk_free(r->walk);
	uftdata_close(&r->data);
	free(r->events);
	return status;
}
