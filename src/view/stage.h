/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stage.h - an opened trace with all data that answers need: its timeline, lanes, printers,
 * selections.
 *
 *	stage_new ─▶ stage_start ─▶ answers from any thread ─▶ stage_free
 */
#ifndef SONDE_VIEW_STAGE_H
#define SONDE_VIEW_STAGE_H

#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/record.h"
#include "present/line.h"
#include "store/tracefile.h"
#include "timeline/lanes/lane.h"

#include <pthread.h>

#define STAGE_SELECTIONS 16

struct queries;

struct stage_vcpu {
	uint32_t cpu; /* CPU of the guest */
	int pid;      /* thread of the host that runs the CPU */
};

struct stage_machine {
	const char *name;
	int guest_of; /* number of the machine's host, or -1 */
	const struct stage_vcpu *vcpus;
	size_t n_vcpus;
};

/*
 * The configuration. The caller owns everything that it points to, and keeps it until stage_free().
 */
struct stage_config {
	const char *title; /* "trace.dat", as shown to the user */
	const struct timeline_source *sources;
	const struct line_source *lines; /* format of lines for each source */
	size_t n_sources;
	const struct stage_machine *machines;
	size_t n_machines;
	struct tracefile *const *files;
	size_t n_files;
	struct queries *queries; /* NULL: none are asked (an export) */
	unsigned n_threads;	 /* 0: one per CPU */
	bool is_live;
};

struct stage_selection {
	uint64_t id; /* 0: the place is free */
	char *body;  /* the request that made the selection */
	size_t body_len;
	/* number of events of the timeline when the selection was made */
	uint64_t n_events;
	/* time when it was made (CLOCK_MONOTONIC), and the time that took */
	uint64_t made_ns, cost_ns;
	uint64_t used; /* last use, to choose which one to drop */
	unsigned users;
	bool is_gone; /* the last user of the selection frees it */
	bool is_old;  /* another selection has its number now */
	struct selection *sel;
};

struct stage_printer {
	struct line_printer lp;
	uint32_t symbols; /* timeline_symbols_version() when it was made */
	struct stage_printer *next;
};

struct stage {
	struct stage_config config;
	struct timeline *tl;
	struct lanes *lanes;
	struct line_style style;
	pthread_mutex_t lock; /* protects everything below */
	struct stage_printer *printers;
	struct stage_selection *selections[STAGE_SELECTIONS];
	uint64_t last_id, clock;
	bool is_live, is_paused;
	uint8_t *command;   /* tasks of the recorded command (recorded.c); NULL: not searched yet */
	int command_first;  /* first task of the recorded command, or -1 */
	uint64_t paused_at; /* the end that the page shows while it is paused */
};

int stage_new(struct stage **ret, const struct stage_config *config, struct errmsg *err);
/* Starts indexing. cache_dir: see timeline_start(). */
int stage_start(struct stage *st, const char *cache_dir, struct errmsg *err);
/* Notes that the live recording has ended, and that all of it has been read. */
void stage_end_live(struct stage *st);
void stage_free(struct stage *st);
SCOPED_POINTER(struct stage, stage_free)

/* Returns a printer for the caller alone, or NULL if out of memory. It prints to out. */
struct stage_printer *stage_printer_get(struct stage *st, struct textbuf *out);
void stage_printer_put(struct stage *st, struct stage_printer *p);

/*
 * Makes a printable record of an event. Returns false if the kind is unknown. Does not set the
 * task.
 */
bool stage_record(const struct stage *st, const struct walk_event *ev, struct record *ret,
		  struct record_extra *extra);

/*
 * Gets the selection of that number, which the caller holds. id 0 means all events: *ret is NULL.
 * In a live trace the selection grows: it is made again from time to time when there is more data.
 * Returns -ENOENT with a message if it is no longer kept.
 */
int stage_selection_get(struct stage *st, uint64_t id, struct stage_selection **ret,
			struct errmsg *err);
/*
 * Returns the selection that this request made, if it is still valid, or NULL. In a live trace it
 * grows.
 */
struct stage_selection *stage_selection_find(struct stage *st, const char *body, size_t len);
/*
 * Takes ownership of sel, also on failure. what has its request, times and n_events. If the id is
 * 0, adds a new selection; otherwise replaces that one.
 */
int stage_selection_add(struct stage *st, const struct stage_selection *what, struct selection *sel,
			struct stage_selection **ret, struct errmsg *err);
void stage_selection_put(struct stage *st, struct stage_selection *s);

/* A lane and, for found:ID, the selection that it shows. */
struct stage_lane {
	struct lane *lane;
	struct stage_selection *sel;
};
/*
 * Gets a window of a lane with very many events. It contains t and is correct up to *ret_to; see
 * lane_get_at().
 */
int stage_lane_get_at(struct stage *st, const char *spec, uint64_t t, struct stage_lane *ret,
		      uint64_t *ret_from, uint64_t *ret_to, struct errmsg *err);
int stage_lane_get(struct stage *st, const char *spec, struct stage_lane *ret, struct errmsg *err);
void stage_lane_put(struct stage *st, struct stage_lane *ln);

/* Reads a count of a kind or task, which may grow at the same time. */
static inline uint64_t stage_count(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* Returns a message if the trace exceeds a limit of the viewer, or NULL. */
static inline const char *stage_limit(const struct stage *st)
{
	return timeline_has_most_tasks(st->tl)
		       ? "This trace has 65 535 tasks or more. The viewer can tell apart no more: "
			 "others have no tracks and are in no table. 'sonde split' makes smaller "
			 "traces; report and count know all tasks."
		       : NULL;
}

static inline const struct selection *stage_selected(const struct stage_selection *s)
{
	return s ? s->sel : NULL;
}

#endif
