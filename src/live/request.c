// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * request.c - creates and frees requests, and passes messages to the user.
 *
 * A count may first try to count in the kernel, and then read every event. Both attempts set the
 * machine up, and both setups have the same notes. The request stores the printed notes, so that
 * each is printed once.
 */
#include "live/request.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "capture/record/recording.h"
#include "capture/record/session.h"
#include "capture/setup/setup.h"
#include "capture/user/choice.h"
#include "store/compression.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 8192

int live_request_init(struct live_request *o, const struct live_front *front)
{
	*o = (struct live_request){.file_version = 7, .front = front};
	return plan_init(&o->plan);
}

void live_request_release(struct live_request *o)
{
	free(o->own_syscalls);
	plan_release(&o->plan);
	plan_words_release(&o->hooks);
	plan_words_release(&o->told);
	samplechoice_release(&o->samples);
	userchoice_release(&o->user_choice);
	valuerules_release(&o->user_values);
	callrules_release(&o->user_calls);
}

void (*live_request_tell(const struct live_request *o))(const char *sentence)
{
	return o->quiet ? NULL : o->front->tell;
}

void live_request_say(const struct live_request *o, const char *format, ...)
{
	char line[LINE_MAX_BYTES];
	va_list args;

	if (o->quiet)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	o->front->say(line);
}

void live_request_note(const struct live_request *o, const char *format, ...)
{
	char line[LINE_MAX_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	o->front->tell(line);
}

struct session_config live_request_session(struct live_request *o, char **argv)
{
	return (struct session_config){.plan = &o->plan,
				       .argv = argv,
				       .user = o->user,
				       .waits = o->waits_children,
				       .keep = o->keep,
				       .all_formats = o->all_formats,
				       .tell = live_request_tell(o)};
}

static bool was_told(const struct live_request *o, const char *note)
{
	return ARRAY_ANY(o->told.n, i, !strcmp(o->told.words[i], note));
}

void live_request_tell_notes(struct live_request *o, const struct setup_notes *notes)
{
	for (size_t i = 0; i < notes->n && !o->quiet; i++) {
		if (was_told(o, notes->texts[i]))
			continue;
		o->front->tell(notes->texts[i]);
		plan_words_add(&o->told,
			       notes->texts[i]); /* if memory is short, a note is printed twice */
	}
}

/* Adds the probes as events of the recording, if the user defines probes and names no events. */
static int add_probes(struct plan *plan, struct errmsg *err)
{
	struct plan_words probes = plan->probes;
	int r = 0;

	plan->probes = (struct plan_words){0};
	for (size_t i = 0; i < probes.n; i++) {
		if (r >= 0)
			r = plan_add_event(plan, probes.words[i], false);
		free(probes.words[i]);
	}
	free(probes.words);
	return r < 0 ? errmsg_set_errno(err, r, "cannot begin") : 0;
}

int live_request_set_clocks(struct live_request *o, const char *clock, const char *option,
			    struct errmsg *err)
{
	for (size_t i = 0; i < o->plan.n_buffers; i++) {
		struct plan_buffer *b = &o->plan.buffers[i];

		if (!b->clock)
			b->clock = strdup(clock);
		if (!b->clock)
			return errmsg_set_errno(err, -ENOMEM, "cannot begin");
		if (strcmp(b->clock, clock))
			return errmsg_set(err, -EINVAL, "with %s the clock is %s; leave out -C %s",
					  option, clock, b->clock);
	}
	return 0;
}

int live_request_add_defaults(struct live_request *o, struct errmsg *err)
{
	static const char *const events[] = {"sched", "irq", "raw_syscalls"};
	int r = 0;

	if (o->plan.probes.n)
		return add_probes(&o->plan, err);
	if (!o->quiet)
		o->front->tell("no event (-e) or tracer (-p) is named; recording sched, irq and "
			       "raw_syscalls");
	for (size_t i = 0; i < ARRAY_LEN(events) && r >= 0; i++)
		r = plan_add_default_event(&o->plan, events[i]);
	return r < 0 ? errmsg_set_errno(err, r, "cannot begin") : 0;
}

int live_request_check_output(const char *path, struct errmsg *err)
{
	if (path && !*path)
		return errmsg_set(err, -EINVAL, "-o needs the name of a file, not ''");
	if (path && !strcmp(path, "-"))
		return errmsg_set(err, -EINVAL,
				  "a recording cannot go to standard output; name a file with -o, "
				  "or use 'sonde stream' to print events");
	return 0;
}

int live_request_get_config(const struct live_request *o, const char *path,
			    struct recording_config *ret_config, struct errmsg *err)
{
	*ret_config = (struct recording_config){
		.path = path,
		.temp_dir = o->temp_dir,
		.version = o->file_version,
		.max_bytes = o->max_kb * 1024,
		.ts_offset = o->ts_offset,
		.date = o->date,
		.tsc2nsec = o->tsc2nsec,
		.proc_map = o->proc_map,
		.hooks = &o->hooks,
		.program = "sonde " SONDE_VERSION,
		.sleep_us = o->sleep_us,
		.rt_priority = o->rt_priority,
		.no_splice = o->no_splice,
		.busy = o->busy,
	};
	return compression_choose(o->compression, o->file_version, &ret_config->compression,
				  &ret_config->plain_data, err);
}
