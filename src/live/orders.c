// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * orders.c - a table of orders, each a word and a function.
 *
 * They run in the control's thread while the recording goes on. What they touch is made for that:
 * files of the tracing directory, switches of functions, atomic counters.
 */
#include "live/orders.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/steer/usercontrol.h"
#include "capture/calls/usertrace.h"
#include "capture/record/control.h"
#include "capture/record/endsignals.h"
#include "capture/record/session.h"
#include "capture/setup/setup.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MARK_MAX_BYTES 1000

/* words: behind the order; they end with NULL. */
struct order {
	const char *name;
	bool needs_user; /* functions of programs */
	size_t min, max; /* words */
	int (*run)(struct orders *o, char **words, size_t n, struct textbuf *out,
		   struct errmsg *err);
};

/* Of all buffers of the kernel; false: none, or one is off. */
static bool is_kernel_on(const struct orders *o)
{
	bool on = o->session->setup->n_buffers > 0;

	for (size_t i = 0; i < o->session->setup->n_buffers; i++)
		on &= tracefs_read_number(&o->session->t, o->session->setup->buffers[i].instance,
					  "tracing_on") == 1;
	return on;
}

static int switch_kernel(const struct orders *o, bool on, struct errmsg *err)
{
	for (size_t i = 0; i < o->session->setup->n_buffers; i++)
		TRY(tracefs_write(&o->session->t, o->session->setup->buffers[i].instance,
				  "tracing_on", on ? "1" : "0", TRACEFS_SET, err));
	return 0;
}

static int do_switch(struct orders *o, char **words, size_t n, bool on, struct textbuf *out,
		     struct errmsg *err)
{
	if (n && !o->user)
		return errmsg_set(err, -EINVAL,
				  "this recording has no functions of programs (-u) to switch %s",
				  on ? "on" : "off");
	if (!n && o->session) {
		TRY(switch_kernel(o, on, err));
		textbuf_addf(out, "events of the kernel are switched %s\n", on ? "on" : "off");
	}
	return o->user ? usercontrol_switch(o->user, words, n, on, out, err) : 0;
}

static int run_on(struct orders *o, char **words, size_t n, struct textbuf *out, struct errmsg *err)
{
	return do_switch(o, words, n, true, out, err);
}

static int run_off(struct orders *o, char **words, size_t n, struct textbuf *out,
		   struct errmsg *err)
{
	return do_switch(o, words, n, false, out, err);
}

static int run_functions(struct orders *o, char **words, size_t n, struct textbuf *out,
			 struct errmsg *err)
{
	return usercontrol_functions(o->user, words, n, out, err);
}

static void add_file(const struct orders *o, struct textbuf *out)
{
	char *full = o->path ? realpath(o->path, NULL) : NULL;

	textbuf_addf(out, "recording  %d, for %.1f s, to %s\n", (int)getpid(),
		     (clock_now_ns() - o->start_ns) / 1e9, full ? full : o->path);
	free(full);
}

static int run_status(struct orders *o, char **words, size_t n, struct textbuf *out,
		      struct errmsg *err)
{
	(void)words, (void)n, (void)err;
	add_file(o, out);
	if (o->argv) {
		textbuf_add_str(out, "command   ");
		for (char *const *word = o->argv; *word; word++)
			textbuf_addf(out, " %s", *word);
		textbuf_add_char(out, '\n');
	}
	if (o->session)
		textbuf_addf(out, "kernel     %s\n", is_kernel_on(o) ? "on" : "off");
	if (o->user)
		usercontrol_status(o->user, out);
	return 0;
}

static int run_mark(struct orders *o, char **words, size_t n, struct textbuf *out,
		    struct errmsg *err)
{
	TEXTBUF(text, MARK_MAX_BYTES);

	for (size_t i = 0; i < n; i++)
		textbuf_addf(&text, "%s%s", i ? " " : "", words[i]);
	if (text.overflow)
		return errmsg_set(err, -E2BIG, "the mark has more than %d bytes", MARK_MAX_BYTES);
	if (!o->session)
		return usertrace_add_mark(o->user, textbuf_text(&text), err);
	return tracefs_write(&o->session->t, o->session->setup->buffers[0].instance, "trace_marker",
			     textbuf_text(&text), TRACEFS_SET, err);
}

static int run_stop(struct orders *o, char **words, size_t n, struct textbuf *out,
		    struct errmsg *err)
{
	(void)words, (void)n, (void)err;
	textbuf_addf(out, "the recording ends%s\n", o->argv ? "; the command runs on" : "");
	endsignals_raise();
	return 0;
}

static const struct order orders[] = {
	{"status", false, 0, 0, run_status},
	{"functions", true, 0, CONTROL_WORDS_MAX, run_functions},
	{"on", false, 0, CONTROL_WORDS_MAX, run_on},
	{"off", false, 0, CONTROL_WORDS_MAX, run_off},
	{"mark", false, 1, CONTROL_WORDS_MAX, run_mark},
	{"stop", false, 0, 0, run_stop},
};

static int refuse(const char *name, struct errmsg *err)
{
	TEXTBUF(list, 1024);

	for (size_t i = 0; i < ARRAY_LEN(orders); i++)
		textbuf_addf(&list, "%s%s", i ? ", " : "", orders[i].name);
	return errmsg_set(err, -EINVAL, "unknown order '%s'; there are %s", name,
			  textbuf_text(&list));
}

static int handle(void *ctx, char **words, size_t n, struct textbuf *out, struct errmsg *err)
{
	struct orders *o = ctx;

	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		const struct order *order = &orders[i];

		if (strcmp(order->name, words[0]))
			continue;
		if (n - 1 < order->min)
			return errmsg_set(err, -EINVAL, "'%s' needs an argument", order->name);
		if (n - 1 > order->max)
			return errmsg_set(err, -EINVAL, "'%s' is one word too much for '%s'",
					  words[1 + order->max], order->name);
		if (order->needs_user && !o->user)
			return errmsg_set(err, -EINVAL,
					  "this recording has no functions of programs (-u)");
		return order->run(o, words + 1, n - 1, out, err);
	}
	return refuse(words[0], err);
}

void orders_open(struct orders *o)
{
	struct control_config config = {.ctx = o, .handle = handle};
	struct errmsg ignored = {0};

	o->start_ns = clock_now_ns();
	o->control = NULL;
	control_open(&o->control, &config, &ignored);
}

void orders_close(struct orders *o)
{
	control_close(o->control);
	o->control = NULL;
}
