// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * latency.c - matches starts with ends.
 *
 *  A ──▶ values that must match ──▶ start { time, CPU, values of groups }
 *  B ──▶ values that must match ──▶ start found and removed ──▶ latencies_add(time B - time A)
 *
 * Starts are in a hash table with open addressing. Their slots are reused at once, without
 * tombstones: a trace may have a million request numbers, but only few of them are open at a time.
 * Idle tasks share pid 0, so the CPU identifies them.
 *
 * Functions: if the kernel writes both times into funcgraph_exit, the exit alone is used;
 * otherwise it is matched with the last entry. The return of a probe contains the address of the
 * function (__probe_func). Its entry contains the address of the probe (__probe_ip), and the
 * symbol there is the function. User probes use the name of the event. The open calls of a thread
 * form a stack. If a trace has events of both tracers and probes, the kind that comes first is
 * measured.
 *
 * Cost: 20 to 40 ns for a relevant event, nothing for others (latency_events()).
 */
#include "analyse/latency/latency_int.h"

#include "base/array.h"
#include "base/hash.h"
#include "decode/filter/filter.h"
#include "format/bytes.h"
#include "symbols/tasks.h"

#include <stdlib.h>

#define STARTS_MAX   (1u << 20)
#define STARTS_FIRST 1024
#define CALLS_MAX    (1u << 16) /* limit of nested calls of the same function, over all threads */

/*
 * --- what is under way -------------------------------------------------------------------------
 */

static size_t home_of(const struct latency *l, const uint64_t *keys, size_t n_starts)
{
	uint64_t h = 0;

	for (size_t i = 0; i < l->n_keys; i++) {
		h = (h ^ keys[i]) * l->seed;
		h ^= h >> 32;
	}
	return hash_number(l->seed, h, n_starts);
}

static bool has_keys(const struct latency *l, const struct start *s, const uint64_t *keys)
{
	return !ARRAY_ANY(l->n_keys, i, s->keys[i] != keys[i]);
}

static struct start *find_start(const struct latency *l, const uint64_t *keys)
{
	size_t at = home_of(l, keys, l->n_starts);

	while (l->starts[at].is_used && !has_keys(l, &l->starts[at], keys))
		at = (at + 1) & (l->n_starts - 1);
	return &l->starts[at];
}

static bool starts_grow(struct latency *l)
{
	struct start *old = l->starts;
	size_t n_old = l->n_starts;

	if (l->n_used * 2 < l->n_starts)
		return true;
	if (n_old >= STARTS_MAX * 2)
		return false;
	l->n_starts = n_old ? n_old * 2 : STARTS_FIRST;
	l->starts = calloc(l->n_starts, sizeof(*l->starts));
	if (!l->starts) {
		l->starts = old;
		l->n_starts = n_old;
		return false;
	}
	for (size_t i = 0; i < n_old; i++)
		if (old[i].is_used)
			*find_start(l, old[i].keys) = old[i];
	free(old);
	return true;
}

/* Moves later starts into the gap, so that a search from the home slot still finds them. */
static void remove_start(struct latency *l, struct start *s)
{
	size_t mask = l->n_starts - 1, hole = s - l->starts, at = hole;

	for (;;) {
		size_t home;

		at = (at + 1) & mask;
		if (!l->starts[at].is_used)
			break;
		home = home_of(l, l->starts[at].keys, l->n_starts);
		if (((at - home) & mask) >= ((at - hole) & mask)) {
			l->starts[hole] = l->starts[at];
			hole = at;
		}
	}
	l->starts[hole].is_used = false;
	l->n_used--;
}

static void drop_calls(struct latency *l, struct start *s)
{
	while (s->outer) {
		struct call *c = s->outer;

		s->outer = c->outer;
		c->outer = l->free_calls;
		l->free_calls = c;
		l->n_calls--;
	}
}

/* Saves the outer call until the inner one has returned. */
static bool push_call(struct latency *l, struct start *s)
{
	struct call *c = l->free_calls;

	if (c)
		l->free_calls = c->outer;
	else if (l->n_calls < CALLS_MAX)
		c = arena_alloc(&l->arena, sizeof(*c));
	if (!c)
		return false;
	l->n_calls++;
	*c = (struct call){.point = s->point, .outer = s->outer};
	s->outer = c;
	return true;
}

static void pop_call(struct latency *l, struct start *s)
{
	struct call *c = s->outer;

	l->n_left_out -= s->point.is_left_out;
	if (!c)
		return remove_start(l, s);
	s->point = c->point;
	s->outer = c->outer;
	c->outer = l->free_calls;
	l->free_calls = c;
	l->n_calls--;
}

static uint64_t count_under_way(const struct latency *l)
{
	return l->n_used + l->n_calls - l->n_left_out;
}

uint64_t latency_clear_starts(struct latency *l)
{
	uint64_t n = count_under_way(l);

	for (size_t i = 0; i < l->n_starts && l->n_used; i++)
		if (l->starts[i].is_used) {
			drop_calls(l, &l->starts[i]);
			l->starts[i].is_used = false;
		}
	l->n_used = l->n_left_out = 0;
	return n;
}

static void give_up(struct latency *l)
{
	l->counts.n_gaps++;
	l->counts.n_given_up += latency_clear_starts(l);
	if (l->early)
		latency_note_gap(l);
}

struct start *latency_find_start(struct latency *l, const uint64_t *keys)
{
	return starts_grow(l) ? find_start(l, keys) : NULL;
}

bool latency_put_point(struct latency *l, struct start *s, const uint64_t *keys,
		       const struct point *point)
{
	if (s->is_used) {
		if (!push_call(l, s))
			return false;
	} else {
		memcpy(s->keys, keys, sizeof(keys[0]) * l->n_keys);
		s->is_used = true;
		s->outer = NULL;
		l->n_used++;
	}
	s->point = *point;
	l->n_left_out += point->is_left_out;
	return true;
}

void latency_remove_start(struct latency *l, struct start *s)
{
	l->n_left_out -= s->point.is_left_out;
	drop_calls(l, s);
	remove_start(l, s);
}

/*
 * --- matching ----------------------------------------------------------------------------------
 */

static bool read_address(const struct latency *l, const struct field *f, const struct record *rec,
			 uint64_t *ret)
{
	if (!f || (uint64_t)f->offset + f->size > rec->size || (f->size != 4 && f->size != 8))
		return false;
	*ret = bytes_get(rec->data + f->offset, f->size, l->keys.printer.swap);
	return true;
}

static uint64_t read_frame(const struct latency *l, const struct latency_event *le,
			   const struct record *rec)
{
	uint64_t frame = 0, skip = 0;

	read_address(l, le->frame, rec, &frame);
	read_address(l, le->skip, rec, &skip);
	return frame + skip;
}

void latency_read_keys(struct latency *l, const struct latency_event *le,
		       const struct key_slot *slots, const struct record *rec, uint64_t *keys)
{
	int pid;

	if (l->config->n_calls)
		keys[l->n_keys - 1] = le->call;
	if (l->has_frames)
		keys[1] = read_frame(l, le, rec);
	switch (l->config->function ? LATENCY_BY_THREAD : l->config->match) {
	case LATENCY_BY_THREAD:
		pid = rec->task ? rec->task->pid : -1;
		keys[0] = pid ? (uint64_t)pid : ~(uint64_t)rec->cpu << 32;
		return;
	case LATENCY_BY_CPU:
		keys[0] = rec->cpu;
		return;
	case LATENCY_BY_FIELD:
		for (size_t i = 0; i < l->config->n_fields; i++)
			keys[i] = key_read(&l->keys, &slots[i], rec);
	}
}

static void read_groups(struct latency *l, const struct latency_event *le, enum latency_side side,
			const struct record *rec, uint64_t *values, const struct key_slot **slots)
{
	for (size_t i = 0; i < l->config->n_groups; i++) {
		if (l->sides[i] != side)
			continue;
		values[i] = key_read(&l->keys, &le->groups[i], rec);
		slots[i] = &le->groups[i];
	}
}

static void begin(struct latency *l, const struct latency_event *le, const struct record *rec,
		  bool is_left_out)
{
	uint64_t keys[START_KEYS_MAX];
	struct start *s;

	l->counts.n_from += !is_left_out;
	if (!starts_grow(l)) {
		l->counts.n_dropped++;
		return;
	}
	latency_read_keys(l, le, le->from_keys, rec, keys);
	s = find_start(l, keys);
	if (l->early)
		latency_note_begin(l, rec, keys);
	if (!s->is_used) {
		memcpy(s->keys, keys, sizeof(keys[0]) * l->n_keys);
		s->is_used = true;
		s->outer = NULL;
		l->n_used++;
	} else if (l->config->keeps_first) {
		return;
	} else if (!latency_nests(l)) {
		l->counts.n_again++; /* the call ended without a return */
		l->n_left_out -= s->point.is_left_out;
	} else if (!push_call(l, s)) {
		l->counts.n_dropped++;
		l->n_left_out -= s->point.is_left_out;
	}
	l->n_left_out += is_left_out;
	s->point.is_left_out = is_left_out;
	s->point.ts = rec->ts;
	s->point.cpu = rec->cpu;
	read_groups(l, le, LATENCY_FROM, rec, s->point.values, s->point.slots);
}

static void add_time(struct latency *l, const struct latency_event *le, const struct record *rec,
		     struct point *point, uint64_t ns)
{
	struct latency_place place = {.ns = ns,
				      .from_ts = point->ts,
				      .to_ts = rec->ts,
				      .from_cpu = point->cpu,
				      .to_cpu = rec->cpu,
				      .task = rec->task};
	struct latency_group *group = NULL;

	if (l->config->n_groups) {
		read_groups(l, le, LATENCY_TO, rec, point->values, point->slots);
		group = latencies_group(&l->result, point->values, point->slots);
	}
	place.group = group;
	latencies_add(&l->result, group, ns, 1, &place);
}

void latency_end(struct latency *l, const struct latency_event *le, const struct record *rec,
		 bool is_left_out)
{
	uint64_t keys[START_KEYS_MAX];
	struct start *s = NULL;

	if (l->n_used) {
		latency_read_keys(l, le, le->to_keys, rec, keys);
		s = find_start(l, keys);
	}
	if (!s || !s->is_used) {
		if (l->early && latency_is_early_end(l, le, rec, is_left_out))
			return;
		l->counts.n_to += !is_left_out;
		l->counts.n_alone += !is_left_out;
		return;
	}
	is_left_out |= s->point.is_left_out;
	l->counts.n_to += !is_left_out;
	if (is_left_out)
		l->counts.n_from -= !s->point.is_left_out; /* the whole call is excluded */
	else if (rec->ts < s->point.ts)
		l->counts.n_backwards++;
	else
		add_time(l, le, rec, &s->point, rec->ts - s->point.ts);
	pop_call(l, s);
}

/*
 * --- functions ---------------------------------------------------------------------------------
 */

/*
 * Processes a record that describes a whole call of a user function (user_call). The time of the
 * record is the start of the call.
 */
static void take_whole(struct latency *l, const struct latency_event *le, const struct record *rec,
		       bool is_left_out)
{
	struct point point = {.ts = rec->ts, .cpu = rec->cpu};
	struct record at_end = *rec;
	uint64_t ns;

	if (is_left_out || !read_address(l, le->duration, rec, &ns))
		return;
	l->counts.n_from++;
	l->counts.n_to++;
	at_end.ts += ns;
	read_groups(l, le, LATENCY_FROM, rec, point.values, point.slots);
	add_time(l, le, &at_end, &point, ns);
}

/* Processes an exit that contains both times, or the duration. Such an exit needs no entry. */
static bool take_whole_call(struct latency *l, const struct latency_event *le,
			    const struct record *rec)
{
	struct point point = {.cpu = rec->cpu};
	uint64_t from = 0, to, ns;

	if (le->duration ? !read_address(l, le->duration, rec, &to)
			 : !read_address(l, le->calltime, rec, &from) ||
				   !read_address(l, le->rettime, rec, &to))
		return false;
	ns = to > from ? to - from : 0;
	point.ts = rec->ts > ns ? rec->ts - ns : 0;
	l->counts.n_from++;
	l->counts.n_to++;
	read_groups(l, le, LATENCY_FROM, rec, point.values, point.slots);
	add_time(l, le, rec, &point, ns);
	return true;
}

static void follow_function(struct latency *l, const struct latency_event *le,
			    const struct record *rec, bool is_left_out)
{
	bool is_graph = le->roles & (ROLE_GRAPH_ENTRY | ROLE_GRAPH_EXIT | ROLE_WHOLE);
	uint64_t address;

	if (l->kind && l->kind != (is_graph ? KIND_GRAPH : KIND_PROBE))
		return;
	if (!le->by_name && (!read_address(l, le->address, rec, &address) ||
			     !latency_is_function(l, address, !is_graph)))
		return;
	l->kind = is_graph ? KIND_GRAPH : KIND_PROBE;
	if (le->roles & ROLE_WHOLE)
		return take_whole(l, le, rec, is_left_out);
	if (is_left_out &&
	    (le->duration || (le->roles & ROLE_GRAPH_EXIT && !le->is_user && l->has_whole_calls)))
		return;
	if ((le->roles & ROLE_GRAPH_EXIT || le->duration) && take_whole_call(l, le, rec))
		return;
	if ((le->roles & ROLE_GRAPH_ENTRY && !le->is_user && l->has_whole_calls) ||
	    (le->roles & (ROLE_ENTRY | ROLE_RETURN) && l->has_durations))
		return;
	if (le->roles & (ROLE_ENTRY | ROLE_GRAPH_ENTRY))
		begin(l, le, rec, is_left_out);
	else
		latency_end(l, le, rec, is_left_out);
}

/*
 * --- sonde itself ------------------------------------------------------------------------------
 */

/*
 * Returns true if the event belongs to sonde. Only tasks that are identified by their pids can be
 * recognised.
 */
static bool is_own(struct latency *l, const struct key_slot *slots, const struct record *rec)
{
	const struct latency_config *c = l->config;

	if (!l->own.processes || c->match == LATENCY_BY_CPU)
		return false;
	if (c->match == LATENCY_BY_THREAD)
		return rec->task && own_is_task(&l->own, rec->task->pid);
	return ARRAY_ANY(c->n_fields, i,
			 (slots[i].kind == KEY_PID ||
			  (slots[i].field && own_is_field(slots[i].field->name))) &&
				 own_is_task(&l->own, (int)key_read(&l->keys, &slots[i], rec)));
}

/*
 * --- the door ----------------------------------------------------------------------------------
 */

static bool passes(struct latency *l, const struct record *rec)
{
	return !ARRAY_ANY(l->config->n_filters, i,
			  filter_match(l->config->filters[i], rec) == FILTER_MISS);
}

static bool passes_side(struct filter *filter, const struct record *rec)
{
	return !filter || filter_match(filter, rec) != FILTER_MISS;
}

void latency_add(struct latency *l, const struct record *rec)
{
	const struct latency_event *le;
	bool is_left_out;

	if (__builtin_expect(rec->flags & RECORD_MISSED, 0))
		give_up(l);
	if (!rec->event || (size_t)rec->event->id >= l->n_events)
		return;
	le = l->events[rec->event->id];
	if (!le || own_is_only(&l->own, rec))
		return;
	is_left_out = l->config->n_filters && !passes(l, rec);
	if (l->config->function)
		return follow_function(l, le, rec, is_left_out);
	if (is_left_out && !l->config->is_call)
		return;
	if (le->roles & ROLE_SPAN) {
		if (passes_side(l->config->from_filter, rec) && !is_own(l, le->from_keys, rec))
			l->counts.n_whole += take_whole_call(l, le, rec);
		return;
	}
	if (le->roles & ROLE_TO && passes_side(l->config->to_filter, rec) &&
	    !is_own(l, le->to_keys, rec))
		latency_end(l, le, rec, is_left_out);
	if (le->roles & ROLE_FROM && passes_side(l->config->from_filter, rec) &&
	    !is_own(l, le->from_keys, rec))
		begin(l, le, rec, is_left_out);
}

int latency_finish(struct latency *l)
{
	l->counts.n_open = count_under_way(l);
	return latencies_finish(&l->result);
}

const uint8_t *latency_events(const struct latency *l, size_t *ret_n)
{
	*ret_n = l->n_events;
	return l->wanted;
}

struct latencies *latency_result(struct latency *l)
{
	return &l->result;
}

const struct latency_counts *latency_counts(const struct latency *l)
{
	return &l->counts;
}

struct keyreader *latency_keys(struct latency *l)
{
	return &l->keys;
}
