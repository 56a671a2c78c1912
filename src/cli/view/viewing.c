// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * viewing.c - waits for signals while the server answers, and gives it new data.
 *
 *	SIGINT, SIGTERM, SIGHUP   end the server
 *	SIGBUS                    a mapped file became shorter: see cutfile.h
 *	every TICK_MS             a growing file is checked for new data
 *
 * view and live do not know each other, and only cli has flags for signals, so this file is in cli.
 */
#include "cli/view/viewing.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "cli/screen/notes.h"
#include "cli/view/cutfile.h"

/* --- serving ---------------------------------------------------------------------------------- */

#define TICK_MS	   300
#define FAILED_MAX 100 /* limit of consecutive failures to read a file */

static volatile sig_atomic_t was_ended;

static void on_end(int sig)
{
	was_ended = 1;
}

/*
 * Catches signals from now on, so that they end the server. While files are opened, signals have
 * their usual effect, because opening a pipe may block forever. Threads that were started earlier
 * may receive them, too, and set the flag.
 */
void viewing_opened(void *ctx)
{
	struct viewing *v = ctx;
	const struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_RESTART};
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

	sigemptyset(&v->ends);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		sigaddset(&v->ends, ends[i]);
		sigaction(ends[i], &action, NULL);
	}
	pthread_sigmask(SIG_BLOCK, &v->ends, NULL);
}

/* Indexes new data. The last check is after the recorder's end, so that no data is missing. */
static void follow(struct viewing *v)
{
	struct errmsg err = {0};
	bool is_on;
	int r;

	if (!growing_begin(&v->live, &is_on))
		return;
	r = serving_refresh(&v->serving, &err);
	growing_done(&v->live);
	/* while the recorder finishes the file, the file may be unreadable */
	v->n_failed = r < 0 ? v->n_failed + 1 : 0;
	if (v->n_failed == FAILED_MAX)
		notes_print(NULL, err.text);
	if ((r == 1 && !is_on) || v->n_failed == FAILED_MAX)
		serving_end_live(&v->serving);
}

void viewing_wait(void *ctx)
{
	const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
	struct viewing *v = ctx;

	while (!was_ended && sigtimedwait(&v->ends, NULL, &tick) <= 0) {
		serving_tick(&v->serving);
		if (serving_follows(&v->serving)) {
			follow(v);
		} else if (!v->live.path && cutfile_happened()) {
			/* a recorder that ends makes its file shorter, too */
			serving_add_damage(
				&v->serving,
				"the file was truncated while it was being read: its end is "
				"missing here; if it is complete now, start sonde view again");
		}
	}
}

int viewing_prepare(struct viewing *v, struct errmsg *err)
{
	signal(SIGPIPE, SIG_IGN);
	cutfile_survive();
	return serving_prepare(&v->serving, err);
}

int viewing_run(struct viewing *v, struct errmsg *err)
{
	v->serving.is_live = v->live.path;
	return serving_run(&v->serving, err);
}

int viewing_close(struct viewing *v)
{
	serving_stop(&v->serving);
	return growing_end(&v->live);
}
