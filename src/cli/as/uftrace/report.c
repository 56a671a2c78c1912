// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - `uftrace report`: functions, tasks, or the difference of two recordings.
 *
 * With --diff the other recording is read without the filters of this one, as uftrace does. Exit
 * statuses: 255 if there is no recording or a sort key is unknown, 1 if options contradict each
 * other or a column is unknown.
 */
#include "analyse/uftrace/tally.h"
#include "base/textbuf.h"
#include "present/uftrace/report.h"

#include "cli/as/uftrace/reading.h"
#include "cli/as/uftrace/uftrace.h"

#include <stdio.h>

static int print_tally(struct uft_reading *r, struct uft_report_config *c)
{
	struct uft_tally t;
	int result, status;

	uft_tally_init(&t, c->srcline);
	result = c->is_task ? uft_tally_tasks(&t, r->walk) : uft_tally_functions(&t, r->walk);
	status = result >= 0 && uft_report_print(&t, NULL, c, &r->text) ? 0 : 1;
	uft_tally_release(&t);
	return status;
}

static int print_diff(struct uft_reading *r, struct uft_report_config *c)
{
	struct uft_opts *o = r->o, plain = *o;
	struct uft_reading other;
	struct uft_tally a, b;
	int status = UFT_FAILED;

	plain.filter = plain.trigger = plain.caller = plain.hide = plain.loc_filter = NULL;
	plain.tid = NULL;
	plain.event_full = true;
	plain.no_event = plain.no_sched = plain.no_sched_preempt = false;
	plain.time_filter_ns = 0;
	plain.range = (struct uft_range){0};
	uft_tally_init(&a, c->srcline);
	uft_tally_init(&b, false);
	if (uft_reading_open_other(&other, &plain, o->diff) && uft_reading_walk(&other) &&
	    uft_tally_functions(&a, r->walk) >= 0 && uft_tally_functions(&b, other.walk) >= 0) {
		c->base = o->dir;
		c->other = o->diff;
		c->base_command = r->data.dir.info.cmdline;
		c->other_command = other.data.dir.info.cmdline;
		status = uft_report_print(&a, &b, c, &r->text) ? 0 : 1;
	}
	uft_tally_release(&a);
	uft_tally_release(&b);
	uft_reading_close(&other, 0);
	return status;
}

int uft_report(struct uft_opts *o, int argc, char **argv)
{
	struct uft_report_config c = {.fields = o->fields,
				      .sort_keys = o->sort_keys,
				      .srcline = o->srcline,
				      .is_task = o->show_task,
				      .policy = o->diff_policy,
				      .sort_column = o->sort_column};
	struct uft_reading r;
	int status = UFT_FAILED;

	(void)argc, (void)argv;
	if (o->avg_total && o->avg_self) {
		puts("Usage: --avg-total and --avg-self options should not be used together.");
		return 1;
	}
	if (o->fields && (o->avg_self || o->avg_total))
		uft_warn(o, "--avg-total and --avg-self options are ignored when used with -f "
			    "option.");
	c.avg_total = o->avg_total && !o->fields;
	c.avg_self = o->avg_self && !o->fields;
	if (uft_reading_open(&r, o) && uft_reading_walk(&r)) {
		if (!uft_report_check_keys(&c, o->diff))
			textbuf_addf(&r.text.tb, "Usage: invalid sort key: %s\n", o->sort_keys);
		else
			status =
				o->diff && !o->show_task ? print_diff(&r, &c) : print_tally(&r, &c);
	}
	return uft_reading_close(&r, status);
}
