// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * topopts.c - runs `top` on a terminal, where it redraws and reads keys, or into a pipe.
 *
 *	q      ends            K, U   hide the kernel's or the user's functions
 *	z      each picture alone
 *	s      the next keys: function and file, file, comm, thread, process
 *
 * The terminal is set to single keys without echo, and restored at the end.
 */
#include "cli/samples/topopts.h"

#include "base/array.h"
#include "base/escaper.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/perf/samplechoice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (16u << 20)
#define ROWS	       20
#define HEAD_ROWS      6
#define DELAY_S	       2

static struct topopts *of(void *opts)
{
	return opts;
}

int topopts_event(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_event(&of(opts)->samples, value, err);
}

int topopts_rate(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_rate(&of(opts)->samples, value, err);
}

int topopts_period(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_period(&of(opts)->samples, value, err);
}

int topopts_pids(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_pids(&of(opts)->samples, value, err);
}

int topopts_tids(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_tids(&of(opts)->samples, value, err);
}

int topopts_cpus(void *opts, const char *value, struct errmsg *err)
{
	return samplechoice_cpus(&of(opts)->samples, value, err);
}

int topopts_stacks(void *opts, const char *value, struct errmsg *err)
{
	of(opts)->has_stacks = true;
	return samplechoice_stacks(&of(opts)->samples, value, err);
}

int topopts_graph(void *opts, const char *value, struct errmsg *err)
{
	return topopts_stacks(opts, "fp", err);
}

int topopts_delay(void *opts, const char *value, struct errmsg *err)
{
	char *end;
	double s = strtod(value, &end);

	if (end == value || *end || !(s >= 0.01 && s <= 86400))
		return errmsg_set(err, -EINVAL, "the delay is a number of seconds, not '%s'",
				  value);
	of(opts)->run.delay_ms = (long)(s * 1000);
	return 0;
}

size_t topopts_n_rows(const struct topopts *o)
{
	struct winsize size;

	if (o->n_rows > 0)
		return (size_t)o->n_rows;
	if (o->is_screen && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_row > HEAD_ROWS + 4)
		return size.ws_row - HEAD_ROWS;
	return ROWS;
}

static int show(void *ctx, const struct toppicture *p)
{
	struct topopts *o = ctx;
	TEXTBUF(tb, TEXT_MAX_BYTES);

	/* to the first place, and clear what is below; a group has its events below each other */
	if (o->is_screen && p->config->event == 0)
		textbuf_add_str(&tb, "\033[H\033[2J");
	o->fmt(o, p, &tb);
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	return fflush(stdout) < 0 ? 1 : 0;
}

static int next_keys(struct topopts *o)
{
	static const char *const choices[] = {"function,file", "file", "comm", "thread", "process"};
	struct errmsg ignored = {0};
	size_t at = 0;

	for (size_t i = 0; o->keys && i < ARRAY_LEN(choices); i++)
		if (!strcmp(choices[i], o->keys))
			at = (i + 1) % ARRAY_LEN(choices);
	o->keys = choices[at ? at : !o->keys];
	return toptable_parse_keys(&o->run.table, o->keys, &ignored);
}

static int on_key(void *ctx)
{
	struct topopts *o = ctx;
	char key;

	if (read(STDIN_FILENO, &key, 1) != 1)
		return 1;
	switch (key) {
	case 'q':
	case 'Q':
		return 1;
	case 'K':
		o->run.table.no_kernel = !o->run.table.no_kernel;
		return 0;
	case 'U':
		o->run.table.no_user = !o->run.table.no_user;
		return 0;
	case 'z':
		o->run.zeroes = !o->run.zeroes;
		return 0;
	case 's':
		return next_keys(o);
	default:
		return 0;
	}
}

static int run_on_terminal(struct topopts *o, struct errmsg *err)
{
	struct termios before, now;
	int r;

	if (!o->is_screen || !isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &before) < 0)
		return toprun(&o->run, err);
	now = before;
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &now);
	o->run.input = on_key;
	o->run.input_fd = STDIN_FILENO;
	r = toprun(&o->run, err);
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	return r;
}

int topopts_run(struct topopts *o, struct errmsg *err)
{
	TRY(toptable_parse_keys(&o->run.table, o->keys ? o->keys : "function,file", err));
	if (!o->has_stacks)
		TRY(samplechoice_stacks(&o->samples, "none", err));
	o->samples.is_wanted = true;
	o->run.samples = &o->samples;
	o->run.table.has_callers = o->has_stacks;
	o->run.table.has_children = o->has_stacks && !o->no_children;
	o->run.show = show;
	o->run.ctx = o;
	o->run.input_fd = -1;
	if (!o->run.delay_ms)
		o->run.delay_ms = DELAY_S * 1000;
	o->is_screen = !o->run.n_pictures && isatty(STDOUT_FILENO);
	return run_on_terminal(o, err);
}

void topopts_release(struct topopts *o)
{
	samplechoice_release(&o->samples);
}
