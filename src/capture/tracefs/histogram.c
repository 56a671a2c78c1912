// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * histogram.c - hist triggers in the instance of a session.
 *
 *	events/SYSTEM/EVENT/trigger   ◀── hist:keys=…        the event may be off: the kernel counts
 *	                                                     it anyway,
 *	events/SYSTEM/EVENT/hist      ──▶ the table           and nothing goes into the buffer
 *	dynamic_events                ◀── s:NAME u64 lat      an event made of two others
 *	                                                      (synthetic)
 *
 * The journal notes every trigger before sonde sets it. A trigger that uses a variable of another
 * trigger keeps that trigger busy, and both keep the instance busy. So the journal removes triggers
 * in reverse order.
 */
#include "capture/tracefs/histogram.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/setup/setup_int.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* an event of every kernel that has events */
#define SOME_EVENT	 "events/sched/sched_switch"
#define FORMAT_MAX_BYTES (1u << 20)

bool histogram_is_there(const struct tracefs *t)
{
	return tracefs_exists(t, "", SOME_EVENT "/hist");
}

bool histogram_has_synthetic(const struct tracefs *t)
{
	return histogram_is_there(t) && tracefs_exists(t, "", "synthetic_events");
}

static const char *instance_of(const struct session *s)
{
	return s->setup->buffers[0].instance;
}

struct search {
	const char *pattern;
	struct event_name *list;
	size_t n, max;
};

static int take_event(void *ctx, const char *system, const char *event)
{
	struct search *search = ctx;
	struct event_name *name;

	if (!strcmp(system, "ftrace") || !setup_event_matches(search->pattern, system, event))
		return 0;
	if (search->n == search->max)
		return -E2BIG;
	name = &search->list[search->n++];
	snprintf(name->system, sizeof(name->system), "%s", system);
	snprintf(name->event, sizeof(name->event), "%s", event);
	return 0;
}

int histogram_find(const struct session *s, const struct plan_event *planned,
		   struct event_name *list, size_t max, struct errmsg *err)
{
	struct search search = {
		.pattern = setup_event(s->setup, planned)->pattern, .list = list, .max = max};

	TRY(eventdir_each(&s->t, instance_of(s), take_event, &search, err));
	return (int)search.n;
}

static bool is_for_many(const char *pattern, const char *system)
{
	size_t len = strcspn(pattern, ":/");

	return strpbrk(pattern, "*?[") || !strcmp(pattern, "all") ||
	       (strlen(system) == len && !strncmp(pattern, system, len) &&
		(!pattern[len] || !pattern[len + 1]));
}

int histogram_share_filter(struct session *s, const struct plan_event *planned,
			   const struct event_name *list, size_t n, bool *ret_is_for,
			   struct errmsg *err)
{
	const struct plan_event *e = setup_event(s->setup, planned);
	struct setup_filter f = {0};

	for (size_t i = 0; i < n; i++) {
		ret_is_for[i] = !e->filter || !is_for_many(e->pattern, list[i].system) ||
				!setup_filter_lacks_field(s->setup, list[i].system, list[i].event,
							  e->filter);
		if (ret_is_for[i])
			f.n_taken++;
		else
			setup_filter_leave(&f, list[i].event);
	}
	return setup_filter_tell(s->setup, instance_of(s), e->pattern, "", e->filter, &f, err);
}

int histogram_leave_out_self(struct session *s, struct errmsg *err)
{
	char pid[16];

	if (s->config.plan->trace_self ||
	    !tracefs_exists(&s->t, instance_of(s), "set_event_notrace_pid"))
		return 0;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	return setup_write(s->setup, instance_of(s), "set_event_notrace_pid", pid, TRACEFS_APPEND,
			   err);
}

int histogram_set(struct session *s, const struct event_name *event, const char *trigger,
		  struct errmsg *err)
{
	char path[TRACEFS_PATH_MAX];

	/* counting starts now, even while tracing is off */
	if (s->has_child)
		child_ready(&s->child);
	return setup_write(s->setup, instance_of(s),
			   eventdir_fmt_path(event->system, event->event, "trigger", path), trigger,
			   TRACEFS_APPEND, err);
}

int histogram_add_synthetic(struct session *s, const char *name, const char *fields,
			    struct errmsg *err)
{
	char text[1024], note[TRACEFS_NAME_MAX];
	bool dynamic = tracefs_exists(&s->t, "", "dynamic_events");

	snprintf(note, sizeof(note), "synthetic/%s", name);
	TRY(journal_add_probe(s->journal, note, err));
	snprintf(text, sizeof(text), "%s%s %s", dynamic ? "s:" : "", name, fields);
	return tracefs_write(&s->t, "", dynamic ? "dynamic_events" : "synthetic_events", text,
			     TRACEFS_APPEND, err);
}

int histogram_read(const struct session *s, const struct event_name *event, struct textbuf *out,
		   struct errmsg *err)
{
	char path[TRACEFS_PATH_MAX];

	return tracefs_read_text(&s->t, instance_of(s),
				 eventdir_fmt_path(event->system, event->event, "hist", path), out,
				 err);
}

int histogram_read_format(const struct session *s, const struct event_name *event,
			  struct textbuf *out, struct errmsg *err)
{
	char path[TRACEFS_PATH_MAX];
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = FORMAT_MAX_BYTES};

	TRY(tracefs_read_text(&s->t, instance_of(s),
			      eventdir_fmt_path(event->system, event->event, "format", path), out,
			      err));
	/* for our own probes, the format has the names of enums */
	if (setup_fmt_format(s->setup, event->system, event->event, out->start, strlen(out->start),
			     &text)) {
		textbuf_clear(out);
		textbuf_add(out, text.start, textbuf_len(&text));
		textbuf_add(out, "", 1);
	}
	return 0;
}
