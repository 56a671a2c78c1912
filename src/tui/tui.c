// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tui.c - the loop of `sonde tui`: keys and signals in, screens out.
 *
 *	poll ─▶ signals: the window changed, or the end
 *	     ─▶ all keys that are waiting ─▶ one new screen
 *
 * All keys are taken before the screen is drawn, so a key that is held never gets ahead of the
 * picture. Everything is computed in this thread, except the index, which the timeline makes in the
 * background: while it grows, the screen is drawn again every GROWING_MS.
 *
 * SIGHUP, SIGTERM and SIGINT end the program as q does, and so does a terminal that is gone.
 */
#include "tui/tui.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "timeline/timeline.h"
#include "tui/tui_int.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GROWING_MS 200
#define FIRST_MS   300 /* a small trace is indexed before its first screen */
#define STEP_MS	   10
#define TEXT_MAX   (64u << 20)

/*
 * Passes a signal on to the first thread. The threads of the index exist already, and the kernel
 * may choose one of them; the first thread blocks the signal, and reads it from the descriptor.
 * ncurses installs its own handlers only where there is none.
 */
static void pass_on(int sig)
{
	syscall(SYS_tgkill, getpid(), getpid(), sig);
}

int tui_catch_signals(struct errmsg *err)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGWINCH};
	const struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return errmsg_set_errno(err, -errno, "cannot catch signals");
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return errmsg_set_errno(err, -errno, "cannot catch signals");
	return fd;
}

static int take_signals(struct tui *t)
{
	struct signalfd_siginfo info;

	while (read(t->config->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGWINCH)
			t->is_over = true;
		else
			TRY(screen_fit(t->screen, &t->canvas));
	}
	return 0;
}

static void take_keys(struct tui *t)
{
	int key;

	while (!t->is_over && (key = screen_read(t->screen)) != SCREEN_NOTHING) {
		if (key == SCREEN_CLOSED)
			t->is_over = true;
		else if (t->prompt != PROMPT_NONE)
			prompt_key(t, key);
		else
			commands_key(t, key);
	}
}

/* Follows the index: new data makes other tiles, and at its end the first tracks are known. */
static int follow(struct tui *t)
{
	float progress = timeline_progress(t->st->tl);

	if (progress == t->progress)
		return 0;
	t->progress = progress;
	tile_cache_clear(t->tiles);
	t->list.is_found = false;
	return progress >= 1 ? tracks_choose(t, t->kind) : 0;
}

static int wait_for_more(struct tui *t)
{
	struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
			       {.fd = t->config->signals, .events = POLLIN}};
	int n = poll(fds, 2, t->progress < 1 ? GROWING_MS : -1);

	if (n < 0 && errno != EINTR)
		return -errno;
	if (n > 0 && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		t->is_over = true;
	return 0;
}

static int loop(struct tui *t)
{
	while (!t->is_over) {
		TRY(follow(t));
		layout_draw(t);
		TRY(wait_for_more(t));
		TRY(take_signals(t));
		take_keys(t);
	}
	return 0;
}

static int start(struct tui *t, struct errmsg *err)
{
	const struct tui_config *c = t->config;

	for (int ms = 0; ms < FIRST_MS && timeline_progress(t->st->tl) < 1; ms += STEP_MS)
		usleep(STEP_MS * 1000);
	t->progress = timeline_progress(t->st->tl);
	t->end = timeline_duration(t->st->tl);
	t->end = t->end ? t->end : 1;
	t->to = t->end;
	if (tile_cache_new(&t->tiles) < 0 ||
	    tracks_choose(t, t->progress < 1 ? TRACKS_CPUS : TRACKS_FIRST) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot show the trace");
	t->kind = TRACKS_FIRST;
	t->panel = t->panel_before = PANEL_EVENTS;
	TRY(screen_open(&t->screen, err));
	if (screen_fit(t->screen, &t->canvas) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot show the trace");
	if (c->from < c->to)
		view_go(t, c->from, c->to);
	t->cursor = t->from;
	return 0;
}

static void finish(struct tui *t)
{
	screen_close(t->screen);
	if (t->tiles) {
		found_clear(t, &t->search);
		found_clear(t, &t->filter);
	}
	tile_cache_free(t->tiles);
	canvas_release(&t->canvas);
	textbuf_release(&t->text.tb);
	free(t->tracks);
	free(t);
}

int tui_run(const struct tui_config *config, struct errmsg *err)
{
	struct tui *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return errmsg_set_errno(err, -ENOMEM, "cannot show the trace");
	t->config = config;
	t->st = config->stage;
	t->text.tb = (struct textbuf){.max_bytes = TEXT_MAX};
	r = start(t, err);
	if (r >= 0)
		r = loop(t);
	finish(t);
	return r < 0 ? errmsg_set_errno(err, r, "the screen cannot be shown") : 0;
}
