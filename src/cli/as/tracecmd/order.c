// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order.c - makes a plan from the words of record, start, set and profile.
 *
 * sonde's record parses the words. Where trace-cmd behaves differently, the plan is changed
 * afterwards. Tracing uses the top-level buffer, even if another program uses it, or the instances
 * named with -B.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/plan.h"
#include "cli/as/tracecmd/record_int.h"
#include "cli/command.h"
#include "live/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct command cmd_record;

/* Returns true if only -B or -A was given; then the top level is not changed. */
static bool top_is_unused(const struct live_request *o)
{
	const struct plan_buffer *b = &o->plan.buffers[0];

	return (o->plan.n_buffers > 1 || o->agents->n) && !b->n_events && !b->tracer &&
	       !b->functions.n && !b->options.n && !b->size_kb && !b->clock && !b->pids.n;
}

static int check_options(struct live_request *o, bool has_command, struct errmsg *err)
{
	if (!has_command)
		o->plan.only_command = false; /* trace-cmd accepts -F alone, without an effect */
	o->is_peer = true;
	o->plan.take_over = true;
	o->plan.use_top = !top_is_unused(o);
	if (!o->compression && o->file_version == 7)
		o->compression = "any";
	return recordopts_check(o, has_command, err);
}

/*
 * Puts filters in parentheses, as trace-cmd does. In the plan, several joined filters already have
 * them.
 */
static int wrap_filters(const struct tc_line *line, struct plan *p)
{
	size_t buffer = 0, event = 0, n_filters;
	bool is_guests = false;

	for (size_t i = 0; i < line->n_words; i++) {
		char letter = line->words[i].option->letter;
		struct plan_event *e;
		char *text;

		if (letter == 'B') {
			buffer++;
			event = 0;
		}
		if (letter == 'A' || letter == 'B')
			is_guests = letter == 'A';
		if (is_guests || letter != 'e')
			continue;
		n_filters = 0;
		for (size_t k = i + 1; k < line->n_words; k++) {
			letter = line->words[k].option->letter;
			if (letter == 'e' || letter == 'B' || letter == 'A')
				break;
			n_filters += letter == 'f';
		}
		if (buffer >= p->n_buffers || event >= p->buffers[buffer].n_events)
			return 0;
		e = &p->buffers[buffer].events[event++];
		if (n_filters != 1 || !e->filter)
			continue;
		if (asprintf(&text, "(%s)", e->filter) < 0)
			return -ENOMEM;
		free(e->filter);
		e->filter = text;
	}
	return 0;
}

/* Checks options for guests: they are only for record, and --name is only for guests. */
static int check_guests(const struct tc_line *line, struct errmsg *err)
{
	bool is_guests = false;

	for (size_t i = 0; i < line->n_words; i++) {
		const struct tc_option *o = line->words[i].option;

		if (o->letter == 'A' && line->cmd->run != tc_run_record)
			return errmsg_set(err, -EINVAL, "guests (-A) can only be recorded");
		if (o->letter == 'A' || o->letter == 'B')
			is_guests = o->letter == 'A';
		if (!is_guests && o->name && !strcmp(o->name, "name"))
			return errmsg_set(err, -EINVAL, "--name is the name of a guest (-A)");
	}
	return 0;
}

int tc_order_init(struct tc_order *order, const struct tc_line *line, struct errmsg *err)
{
	struct live_request *o = &order->o;
	bool help = false;
	int argc, n;

	*order = (struct tc_order){.words = tc_words(line, NULL, &argc)};
	n = recordopts_init(o);
	o->agents = &order->guests;
	if (n < 0 || !order->words)
		return -ENOMEM;
	n = check_guests(line, err);
	if (n >= 0)
		n = guest_list_take(&order->guests, cmd_record.options, &argc, order->words, err);
	TRY(n);
	n = options_parse(cmd_record.options, o, argc, order->words, OPTIONS_STOP_AT_ARGUMENT,
			  &help, err);
	TRY(n);
	order->words[n + 1] = NULL;
	order->argv = n ? order->words + 1 : NULL;
	n = wrap_filters(line, &o->plan);
	return n < 0 ? n : check_options(o, order->argv != NULL, err);
}

void tc_order_release(struct tc_order *order)
{
	live_request_release(&order->o);
	guest_list_release(&order->guests);
	free(order->words);
}

void tc_tell_tracers(const struct live_request *o)
{
	for (size_t i = 0; i < o->plan.n_buffers && !o->quiet; i++)
		if (o->plan.buffers[i].tracer)
			fprintf(stderr, "  plugin '%s'\n", o->plan.buffers[i].tracer);
}

/* Prints notes about replacements. trace-cmd does not report events that -i excludes. */
void tc_tell_notes(const struct setup *s, const struct live_request *o)
{
	for (size_t i = 0; s && i < s->notes.n && !o->quiet && !o->plan.ignore_unknown; i++)
		fprintf(stderr, "  %s\n", s->notes.texts[i]);
}
