/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lane_int.h - the parts of a lane. lane.c describes its life cycle, tile.c its tiles. */
#ifndef SONDE_TIMELINE_LANES_LANE_INT_H
#define SONDE_TIMELINE_LANES_LANE_INT_H

#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/taskstate.h"
#include "timeline/lanes/calls_cache.h"
#include "timeline/index/passes.h"
#include "timeline/index/labels.h"
#include "timeline/lanes/lane.h"
#include "timeline/states/states_int.h"

#include <pthread.h>

#define LANE_ROWS_MAX 128 /* deeper nesting is not drawn */

/* --- spec ------------------------------------------------------------------------------------- */

enum lane_type {
	LANE_OF_CPU,
	LANE_OF_TASK,
	LANE_OF_IRQ,
	LANE_OF_SOFTIRQ,
	LANE_OF_CALLS,
	LANE_OF_CPUCALLS,
	LANE_OF_SYS,
	LANE_OF_EVENT,
	LANE_OF_FIELD,
	LANE_OF_PAIR,
	LANE_OF_FOUND,
	LANE_OF_ALL,
	LANE_OF_VCPU,
};

#define SPEC_NAME_BYTES 96

struct lane_spec {
	enum lane_type type;
	uint32_t machine;
	uint64_t number; /* a CPU, a pid or the id of a selection */
	struct spec_event {
		char system[SPEC_NAME_BYTES], name[SPEC_NAME_BYTES];
	} event, event_b;
	char field[SPEC_NAME_BYTES], field_b[SPEC_NAME_BYTES]; /* fields, or keys of a pair */
	/* FIELD[KEY=NUMBER~…]: only events whose KEY has this value; "": all */
	char where[SPEC_NAME_BYTES];
	uint64_t where_number;
	int only_pid, only_cpu; /* -1: all */
	/*
	 * Selects only a part of the lane: [window << bits, (window + 1) << bits). 0 selects the
	 * whole lane. See window.c.
	 */
	uint8_t window_bits;
	uint64_t window;
};

/* Returns -EINVAL with a message. */
int lane_spec_parse(struct lane_spec *s, const char *text, struct errmsg *err);

/* --- spans ------------------------------------------------------------------------------------ */

/* 16 bytes: 48 bits of start, 48 of length, 24 of value, 8 of enum tile_flags */
struct span {
	uint32_t start_low, length_low;
	uint16_t start_high, length_high;
	uint32_t value_flags;
};

static inline struct span span_make(uint64_t start, uint64_t end, uint32_t value, uint8_t flags)
{
	uint64_t length = end > start ? end - start : 0;

	return (struct span){start, length, start >> 32, length >> 32,
			     (value & 0xffffff) | (uint32_t)flags << 24};
}
static inline uint64_t span_start(const struct span *s)
{
	return (uint64_t)s->start_high << 32 | s->start_low;
}
static inline uint64_t span_end(const struct span *s)
{
	return span_start(s) + ((uint64_t)s->length_high << 32 | s->length_low);
}
static inline uint32_t span_value(const struct span *s)
{
	return s->value_flags & 0xffffff;
}
static inline uint8_t span_flags(const struct span *s)
{
	return s->value_flags >> 24;
}

/* The content of a bucket of a pyramid, for spans: */
struct span_bucket {
	/* any: the bucket has a span, even one without length */
	uint64_t busy : 48, flags : 8, any : 8;
	uint64_t dominant_ns : 40,
		value : 24; /* the value with the largest share, as far as known */
};
/* for states: the share of each state by its number; 65535 is all */
struct state_bucket {
	uint16_t share[STATES_N];
};
/* for ticks: */
struct tick_bucket {
	uint32_t n : 24, flags : 8; /* n stops at its maximum */
};
/* for counters: */
struct counter_bucket {
	float min, max, last;
	uint32_t n;
};

/*
 * Buckets of 2^base_level ns over the whole trace, then of 2^(base_level + 1) ns and so on, in one
 * array: level base_level + i begins at at[i] and has n[i] buckets.
 */
#define PYRAMID_LEVELS 24
struct pyramid {
	void *buckets;
	int base_level, n_levels; /* n_levels 0: no pyramid */
	size_t at[PYRAMID_LEVELS], n[PYRAMID_LEVELS];
};
size_t pyramid_lay_out(struct pyramid *p, uint64_t duration, unsigned n_base_bits);
/*
 * Returns the size of base buckets for n items, so that a tile below the base reads only few items.
 */
unsigned pyramid_bits(uint64_t n, uint64_t n_a_bucket);

/*
 * The content of one bucket, by value. If there are more values than it has room for, the smaller
 * ones are merged, so no time is lost.
 */
#define SHARES_MAX 12
struct shares {
	uint64_t busy;
	uint8_t flags, n;
	bool any;
	uint32_t values[SHARES_MAX];
	uint64_t ns[SHARES_MAX];
};
void shares_add(struct shares *s, uint32_t value, uint64_t ns, uint8_t flags);
/* Returns the index of the largest share. */
unsigned shares_largest(const struct shares *s);

struct sample {
	uint64_t ts;
	double number;
};

/* Packs the waker and the CPU of a state. */
static inline uint32_t state_aux(int32_t cpu, int32_t waker, bool in_irq)
{
	return (cpu < 0 ? 0xfff : cpu & 0xfff) << 17 | (uint32_t)in_irq << 16 |
	       (waker < 0 ? 0xffff : waker & 0xffff);
}

static inline uint8_t state_flags(const struct state_span *s)
{
	return (s->open_start ? TILE_OPEN_START : 0) | (s->open_end ? TILE_OPEN_END : 0) |
	       (s->state == STATE_RUNNABLE && s->waker >= 0 ? TILE_WAKER : 0) |
	       (s->state == STATE_PREEMPTED ? TILE_PREEMPTED : 0);
}

struct lane_row {
	struct span *spans; /* sorted, not overlapping */
	uint32_t *aux;	    /* LANE_STATES: state_aux(); otherwise CPU + 1 or NULL */
	size_t n, cap;
	uint64_t last_end;
	bool is_mixed; /* while the row is filled: the spans are not sorted */
	/*
	 * live: the number of dropped spans and the time of the last; the pyramid contains them,
	 * and states_pass() finds them again
	 */
	size_t n_gone;
	uint64_t gone_until;
	struct pyramid pyramid;
};

struct walk_mask { /* masks for timeline_walk() */
	uint8_t *bits;
	size_t n;
};

struct lane {
	struct lanes *owner;
	struct lane_spec spec;
	enum lane_kind kind;
	int n_refs; /* protected by lanes->lock */
	uint64_t version, built_at_ns, build_ns;
	bool is_whole; /* the index was complete when the lane was built */
	uint64_t end;  /* end of the trace when the lane was built; a live trace has grown since */
	size_t n_bytes;
	uint64_t *until; /* live: by stream, the number of the first event not in the lane */
	size_t n_until;
	uint32_t n_drops; /* number of dropped segments of the timeline */
	/* live: content before this time is final; the next version of the lane copies it */
	uint64_t settled;
	/* LANE_OF_CPU: the task that ran at `settled`, and its start */
	struct switch_entry settled_by;
	/* while the lane is built: the previous version; NULL: none */
	const struct lane *taken_from;
	uint64_t taken_until; /* `settled` of the previous version */
	/* end of the copied sums; the state at taken_until may have been a guess */
	uint64_t sums_until;

	struct lane_row *rows;
	unsigned n_rows;
	bool has_aux;
	bool has_lost; /* LANE_STATES: some state is unknown because data was lost */

	int sched_stream;  /* LANE_OF_CPU: spans are in the index; -1: they are in rows */
	uint16_t *streams; /* ticks: streams to walk */
	size_t n_streams;
	struct walk_mask kinds, ends; /* masks of the events that begin and end the drawn spans */
	struct walk_mask tasks;	      /* bits NULL: all */
	struct selection *found;
	struct pyramid ticks;

	struct sample *samples;
	size_t n_samples;
	struct pyramid counters;
	double min, max;
};

/*
 * Returns the flags of a state. TILE_MISSED: the state is unknown because data was lost
 * (machine_lost_within()).
 */
uint8_t lane_state_flags(const struct lane *ln, const struct state_span *s);

/* --- lanes ------------------------------------------------------------------------------------ */

#define LANE_HASH     1024
/* one thread each to extend lanes, to rebuild lanes, and to build new lanes */
#define LANE_BUILDERS 3

struct lane_slot {
	struct lane_slot *next;
	struct lane *lane; /* NULL: being built for the first time */
	bool is_building;
	bool is_wanted, has_failed; /* set by and for lanes.builders */
	bool is_too_many;	    /* too many events for one lane: only windows are possible */
	uint64_t wanted_ns;
	uint64_t used;
	char text[];
};

struct lane_selection {
	uint64_t id;
	struct selection *sel;
};
#define LANE_SELECTIONS_MAX 64

#define LANE_FORMS_MAX	    64

struct shared_forms; /* build_forms.c */

struct lanes {
	struct timeline *tl;
	struct labels labels;
	/* what the kinds of events mean; the same for all lanes of a sort (build_forms.c) */
	struct shared_forms *forms[LANE_FORMS_MAX];
	size_t n_forms;
	struct states_cache *states;
	struct calls_cache *calls;
	pthread_mutex_t lock;
	pthread_cond_t built;
	struct lane_slot *slots[LANE_HASH];
	size_t n_slots, n_bytes;
	size_t bytes_max; /* if exceeded, the least recently used lanes are freed */
	uint64_t clock;	  /* counts uses */
	/* minimum pause before a live lane is rebuilt, or rest_times its build time */
	uint64_t rest_ns;
	unsigned rest_times;
	size_t events_max; /* maximum of events gathered for one lane at a time */
	/* maximum of spans copied from the previous version; if exceeded, half of it is copied */
	size_t live_spans_max;
	struct lane_selection selections[LANE_SELECTIONS_MAX];
	size_t n_selections;
	pthread_t builders[LANE_BUILDERS]; /* see lanes_follow() */
	pthread_cond_t wanted;
	bool has_builder, stop;
	_Atomic bool is_final; /* the trace no longer grows: lanes are rebuilt, not extended */
};

/* --- building --------------------------------------------------------------------------------- */

/* Frees ls->forms. */
void lanes_release_forms(struct lanes *ls);

/* Builds a lane. ln->taken_from may be a previous version to extend. */
typedef int (*lane_build)(struct lane *ln, struct errmsg *err);

int lane_build_cpu(struct lane *ln, struct errmsg *err);
int lane_build_task(struct lane *ln, struct errmsg *err);
int lane_build_found(struct lane *ln, struct errmsg *err);

/*
 * A lane that needs events of the trace is built in three steps: plan, which selects the events or
 * reports an error in the spec; a pass, which many lanes share; and finish. release always follows
 * plan, with or without finish.
 */
struct lane_plan {
	struct lane *ln;
	const struct lane *before; /* live: a previous version to extend; NULL: none */
	struct gatherer g;
	bool is_wanting; /* there are events to gather */
	uint64_t from;	 /* time from which to gather; earlier content is copied from `before` */
	uint64_t to;	 /* time until which to gather */
	void *own;	 /* private data of the builder */
	int result;
};
int lane_plan_forms(struct lane_plan *p,
		    struct errmsg *err); /* irq softirq calls cpucalls sys vcpu */
int lane_finish_forms(struct lane_plan *p, struct errmsg *err);
void lane_release_forms(struct lane_plan *p);
int lane_plan_ticks(struct lane_plan *p, struct errmsg *err); /* event all */
int lane_finish_ticks(struct lane_plan *p, struct errmsg *err);
int lane_plan_field(struct lane_plan *p, struct errmsg *err);
int lane_finish_field(struct lane_plan *p, struct errmsg *err);
void lane_release_field(struct lane_plan *p);
int lane_plan_pair(struct lane_plan *p, struct errmsg *err);
int lane_finish_pair(struct lane_plan *p, struct errmsg *err);
void lane_release_pair(struct lane_plan *p);

/* Reports too many events for one lane. Returns -E2BIG. */
int lane_refuse_many(struct errmsg *err);
/*
 * window.c: computes the range to gather for a window, with margins; for a whole lane, the whole
 * trace.
 */
void lane_window_range(const struct lane_spec *spec, uint64_t *ret_from, uint64_t *ret_to);

/* Returns true if the plan can extend the previous version of the lane. */
bool lane_goes_on(const struct lane_plan *p);
/* Sets taken_from if a lane of a CPU or task can extend the previous version. */
void lane_go_on(struct lane *ln, const struct lane *before);
enum lane_kind lane_kind_of(enum lane_type type);
/* Builds one lane. before is the version that it replaces, or NULL. */
int lane_build_one(struct lane *ln, const struct lane *before, struct errmsg *err);

/* Allocates a lane to be built. Returns NULL if out of memory. */
struct lane *lane_new(struct lanes *ls, const struct lane_spec *spec);
/* Completes a lane after it was built, and measures its memory. */
void lane_settle(struct lane *ln, uint64_t begin_ns);
void lane_free(struct lane *ln);
SCOPED_POINTER(struct lane, lane_free)
/* Returns a number that changes when the index has grown. */
uint64_t lanes_version(struct timeline *tl);
/* Returns a monotonic time. */

struct prepared_lane {
	struct lane_slot *slot;
	struct lane_spec spec;
	struct lane *before; /* the version that the new one replaces, held; NULL: none */
	struct lane *lane;   /* the new lane; NULL: building failed */
};
/* Builds lanes in as few passes as possible, and skips lanes that fail. */
void lanes_build_many(struct lanes *ls, struct prepared_lane *list, size_t n);
/* Builds lanes of tasks of one machine. */
void lane_build_tasks(struct lanes *ls, uint32_t machine, struct prepared_lane *list, size_t n);

/* Adds a span to a row, which grows as needed. lane_finish_rows() cuts overlaps. */
int lane_add_span(struct lane *ln, unsigned row, uint64_t start, uint64_t end, uint32_t value,
		  uint8_t flags, uint32_t aux);
/*
 * Copies the spans of ln->taken_from that ended before taken_until. If there are very many states,
 * copies only the later ones.
 */
int lane_take_spans(struct lane *ln);
/* Finishes the rows after the last span of a lane. */
int lane_finish_rows(struct lane *ln);
/* Finishes a lane whose spans are not in rows. */
int lane_finish_switches(struct lane *ln);

/* Finds the streams of a machine, or of one of its CPUs (cpu >= 0). */
int lane_take_streams(struct lane *ln, uint32_t machine, int cpu);
/* Sets the bits of all kinds of that name. n is the number of kinds. */
int mask_add_kind(struct walk_mask *m, size_t bit);
void mask_release(struct walk_mask *m);
int lane_take_kinds(struct lane *ln, struct walk_mask *m, const struct spec_event *e,
		    size_t *ret_n);
int lane_take_task(struct lane *ln, int pid);
/* Visits each machine once. The code that opened the files numbers the machines. */
bool lanes_next_machine(const struct timeline *tl, size_t *source, uint32_t *ret);
/* Reports an unknown CPU, task or event. */
int lane_check_machine(struct lane *ln, struct errmsg *err);

/* --- reading ---------------------------------------------------------------------------------- */

/* A span in the form that tiles need. */
struct drawn_span {
	uint64_t start, end;
	uint32_t value, aux;
	uint8_t flags;
};
/* Visits the spans of a row that touch [from, to), in order. */
void lane_each_span(const struct lane *ln, unsigned row, uint64_t from, uint64_t to,
		    bool (*each)(void *ctx, const struct drawn_span *s), void *ctx);
/* Returns the maximum number of such spans, or 0 if it is unknown. */
size_t lane_count_spans(const struct lane *ln, unsigned row, uint64_t from, uint64_t to);
/* Returns the index of the first span that ends after t. */
size_t row_search(const struct lane_row *row, uint64_t t);
/* finds the first sample at or after t */
size_t lane_search_sample(const struct lane *ln, uint64_t t);

/* Finds the events that begin and end a span. */
void lane_fill_refs(const struct lane *ln, struct lane_span *s);
/* Returns false for an event of a call that is not in this row of a lane. */
bool lane_is_call_at(const struct timeline *tl, const struct walk_event *ev, unsigned row);

struct tick {
	uint64_t ts;
	event_ref ref;
	bool missed;
};
/* Visits the ticks of [from, to], ordered within each stream, but not between streams. */
int lane_each_tick(const struct lane *ln, uint64_t from, uint64_t to,
		   bool (*each)(void *ctx, const struct tick *t), void *ctx);

#endif
