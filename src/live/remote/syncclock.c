// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * syncclock.c - reads the trace clock from a program.
 *
 * A program cannot read a trace clock directly. But data written to trace_marker_raw becomes an
 * event (ftrace:raw_data: int id, char buf[]), which has a timestamp of that clock. The instance
 * has the clock of the recording, so its times are those of the events there. trace_pipe_raw has
 * them in full resolution; the text of `trace` has only microseconds.
 */
#include "live/remote/syncclock.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "format/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int clear(void *ctx)
{
	struct syncclock *sc = ctx;

	return tracefs_try_write(sc->t, sc->instance, "trace", "", TRACEFS_SET);
}

static int mark(void *ctx, const void *data, size_t n)
{
	struct syncclock *sc = ctx;

	return write(sc->marker_fd, data, n) == (ssize_t)n ? 0 : -errno;
}

static void walk_page(struct syncclock *sc, size_t n,
		      void (*take)(void *arg, uint64_t ts, struct piece data), void *arg)
{
	struct walked rec;
	struct walker w;

	if (!walker_start(&w, sc->page, n, &sc->layout))
		return;
	while (walker_next(&w, &rec))
		if (rec.size > sc->id_offset && bytes_get16(rec.data, false) == sc->event_id)
			take(arg, rec.ts,
			     (struct piece){rec.data + sc->id_offset, rec.size - sc->id_offset});
}

static int read_marks(void *ctx, void (*take)(void *arg, uint64_t ts, struct piece data), void *arg)
{
	struct syncclock *sc = ctx;

	for (unsigned cpu = 0; cpu < sc->n_cpus; cpu++) {
		char file[64];
		ssize_t n;
		SCOPED(scope_close) int fd = -1;

		snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
		fd = tracefs_open_file(sc->t, sc->instance, file, O_RDONLY | O_NONBLOCK);
		if (fd < 0)
			continue; /* the numbers have gaps */
		while ((n = read(fd, sc->page, sc->page_size)) > 0)
			walk_page(sc, n, take, arg);
	}
	return 0;
}

/* Reads the event's number, and the position of its id. */
static int read_format(struct syncclock *sc, const struct tracefs *t)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = 65536};
	const char *id, *field;
	int r;

	r = tracefs_read(t, "", "events/ftrace/raw_data/format", &text);
	textbuf_add(&text, "", 1);
	id = r < 0 ? NULL : strstr(text.start, "ID: ");
	field = r < 0 ? NULL : strstr(text.start, "int id;");
	field = field ? strstr(field, "offset:") : NULL;
	if (!id || !field)
		r = r < 0 ? r : -ENOTSUP;
	else {
		sc->event_id = strtoul(id + 4, NULL, 10);
		sc->id_offset = strtoul(field + 7, NULL, 10);
		r = 0;
	}
	return r;
}

int syncclock_open(struct syncclock *sc, struct session *s, const char *clock, unsigned number,
		   struct errmsg *err)
{
	int r;

	*sc = (struct syncclock){
		.clock = {sc, clear, mark, read_marks},
		.t = &s->t,
		.marker_fd = -1,
		.n_cpus = s->n_cpus,
		.page_size = s->kernel.page_size,
		.layout = {false, bytes_host_is_big(), s->kernel.long_size, s->kernel.data_offset},
	};
	snprintf(sc->instance, sizeof(sc->instance), "sonde.%d.sync%u", (int)getpid(), number);
	r = journal_add_instance(s->journal, sc->instance, err);
	if (r < 0) {
		if (r == -EEXIST)
			errmsg_set(err, r,
				   "there is an instance '%s' already; remove it: sonde reset -B "
				   "%s -d",
				   sc->instance, sc->instance);
		*sc->instance = 0; /* we must not remove it */
		return r;
	}
	r = read_format(sc, &s->t);
	if (!r)
		r = tracefs_try_write(&s->t, sc->instance, "trace_clock", clock, TRACEFS_SET);
	if (!r) {
		sc->page = malloc(sc->page_size);
		sc->marker_fd =
			tracefs_open_file(&s->t, sc->instance, "trace_marker_raw", O_WRONLY);
		r = !sc->page ? -ENOMEM : sc->marker_fd < 0 ? sc->marker_fd : 0;
	}
	if (r < 0) {
		syncclock_close(sc);
		return errmsg_set_errno(err, r, "cannot compare clocks");
	}
	return 0;
}

void syncclock_close(struct syncclock *sc)
{
	struct errmsg ignored = {0};

	if (sc->marker_fd >= 0)
		close(sc->marker_fd);
	free(sc->page);
	if (sc->t && *sc->instance)
		tracefs_remove_instance(sc->t, sc->instance, &ignored);
	*sc = (struct syncclock){.marker_fd = -1};
}
