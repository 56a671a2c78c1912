// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sampleread.c - opens a file, chooses where its stacks come from, and collects them.
 *
 *	inputs_open ─▶ samplecollect_new ─▶ scan_run, or taskwalk ─▶ sampleset ─▶ stacknames
 *	a text      ─▶ folded_parse ──────────────────▶ sampleset ─▶ stacknames
 *
 *	asked for          taken from
 *	on-CPU             perf:sample of all events but off-cpu; without samples, stacks behind
 *	                   events
 *	-e EVENT           perf:sample of it; else stacks behind events of that name
 *	off-CPU            perf:sample of off-cpu; else sched_switch with stacks
 *	wakeups            sched_waking with stacks
 *
 * Samples lie in a buffer of their own, so that only this is read for them.
 */
#include "inputs/samples/sampleread.h"

#include "analyse/samples/folded.h"
#include "analyse/samples/sampleset.h"
#include "analyse/samples/sampletable.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "format/bytes.h"
#include "decode/order/order.h"
#include "inputs/scan.h"
#include "inputs/taskwalk.h"
#include "store/events/sampleevents.h"
#include "store/tracefile.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDED_MAX_BYTES (1u << 30)
#define HEAD_BYTES	 65536

bool sampleread_is_time(const char *event)
{
	static const char *const clocks[] = {"cpu-clock", "task-clock", SAMPLEREAD_OFF_CPU_EVENT};

	return ARRAY_ANY(ARRAY_LEN(clocks), i,
			 !strncmp(event, clocks[i], strlen(clocks[i])) &&
				 (!event[strlen(clocks[i])] || event[strlen(clocks[i])] == ':'));
}

/*
 * --- folded stacks -----------------------------------------------------------------------------
 */

bool sampleread_is_folded(const char *path)
{
	static const char magic[] = "\x17\x08\x44tracing";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	SCOPED(scope_free) char *head = malloc(HEAD_BYTES);
	struct stat st;
	ssize_t n = -1;

	if (fd >= 0 && head && !fstat(fd, &st) && S_ISREG(st.st_mode))
		n = TEMP_FAILURE_RETRY(read(fd, head, HEAD_BYTES));
	if (fd >= 0)
		close(fd);
	if (n <= 0 || ((size_t)n >= sizeof(magic) - 1 && !memcmp(head, magic, sizeof(magic) - 1)))
		return false;
	return folded_is((struct piece){(const uint8_t *)head, (size_t)n});
}

static int read_folded(struct sampleread *r, const struct sampleread_spec *spec, struct errmsg *err)
{
	TEXTBUF(text, FOLDED_MAX_BYTES);
	int fd = open(spec->path, O_RDONLY | O_CLOEXEC), e;

	if (fd < 0)
		return errmsg_set_errno(err, -errno, "cannot open %s", spec->path);
	e = textbuf_add_file(&text, fd);
	close(fd);
	if (e < 0)
		return errmsg_set_errno(err, e, "cannot read %s", spec->path);
	r->own_set = r->set = sampleset_new(0);
	if (!r->set)
		return errmsg_set_errno(err, -ENOMEM, "cannot read %s", spec->path);
	r->n_bad = folded_parse(r->set, PIECE_OF_TEXT(&text));
	r->event = "folded stacks";
	return 0;
}

/*
 * --- traces ------------------------------------------------------------------------------------
 */

bool sampleread_look(const char *path, struct sampleread_look *ret)
{
	struct inputs_spec spec = INPUTS_ONE(path);
	struct inputs in = {0};
	struct errmsg err = {0};
	bool is = inputs_open(&in, &spec, &err) >= 0;

	if (is) {
		struct formats *f = in.files[0].formats;
		struct samples_there there = samplecollect_look(f);

		*ret = (struct sampleread_look){.has_samples = there.taken,
						.has_stacks = there.stacks,
						.has_calls =
							formats_find_name(f, "user", "user_entry")};
	}
	inputs_close(&in);
	return is;
}

static bool has_event(struct formats *f, const char *name)
{
	const char *colon = strchr(name, ':');
	char system[128];

	if (!colon)
		return formats_find_name(f, NULL, name) || strpbrk(name, "*?[");
	snprintf(system, sizeof(system), "%.*s", (int)(colon - name), name);
	return formats_find_name(f, system, colon + 1) || strpbrk(name, "*?[");
}

/* Chooses the source of the stacks. */
static int choose(struct sampleread *r, const struct sampleread_spec *spec, struct errmsg *err)
{
	struct formats *f = r->in.files[0].formats;
	struct samples_there there = samplecollect_look(f);
	struct samplecollect_config *c = &r->config;

	c->event = spec->event;
	if (spec->what == SAMPLEREAD_WAKEUPS) {
		c->source = SAMPLES_WAKEUPS;
		c->event = NULL;
	} else if (spec->what == SAMPLEREAD_OFF_CPU) {
		bool is_taken = there.taken &&
				sampleinfo_find_event(&r->info, SAMPLEREAD_OFF_CPU_EVENT) >= 0;

		c->source = is_taken ? SAMPLES_TAKEN : SAMPLES_OFF_CPU;
		c->event = is_taken ? SAMPLEREAD_OFF_CPU_EVENT : NULL;
		if (!is_taken && !there.switches)
			return errmsg_set(
				err, -ENODATA,
				"%s has no times off the CPU; record them with --off-cpu, "
				"or with -T -e sched_switch",
				spec->path);
	} else if (spec->event && sampleinfo_find_event(&r->info, spec->event) < 0 &&
		   has_event(f, spec->event)) {
		c->source = SAMPLES_STACKS;
	} else if (!there.taken && there.stacks) {
		c->source = SAMPLES_STACKS;
	} else {
		c->source = SAMPLES_TAKEN;
		if (!spec->event && !spec->with_waits)
			c->not_event = SAMPLEREAD_OFF_CPU_EVENT;
	}
	return 0;
}

/* Samples lie in the buffer "perf", everything else elsewhere. */
static void choose_buffers(struct sampleread *r)
{
	static const char *perf[] = {SAMPLEEVENTS_BUFFER};
	bool taken = r->config.source == SAMPLES_TAKEN;
	size_t n = 0;

	for (size_t i = 0; i < r->src.n; i++) {
		bool is_perf = !strcmp(r->src.list[i].config.buffer->name, SAMPLEEVENTS_BUFFER);

		if (is_perf == taken)
			r->src.list[n++] = r->src.list[i];
	}
	if (!n)
		return;
	r->src.n = n;
	if (taken) /* for those who open the file again */
		r->inputs_spec.buffers = (struct word_list){perf, 1};
}

struct visitor {
	struct sampleread *r;
	struct order_state *names; /* learns the names of tasks as they change */
};

static void visit_sample(void *ctx, const struct record *rec)
{
	samplecollect_add(((struct visitor *)ctx)->r->collect, rec);
}

static void visit_event(void *ctx, const struct record *rec)
{
	struct visitor *v = ctx;
	struct inputs_file *file = &v->r->in.files[0];
	struct record named = *rec;

	/* the task gets the name that this record may bring */
	order_learn_skipped(v->names, file->formats, &file->tasks, rec);
	named.task = rec->task ? tasks_find(&file->tasks, rec->task->pid) : NULL;
	samplecollect_add(v->r->collect, &named);
}

/* --- on all CPUs ------------------------------------------------------------------------------ */

static void release_part(void *state)
{
	samplecollect_free(state);
}

static int init_part(void *ctx, struct formats *f, void **ret_state)
{
	struct sampleread *r = ctx;
	struct samplecollect *part;
	struct errmsg err = {0};

	TRY(samplecollect_new(&part, f, &r->info, &r->config, &err));
	*ret_state = part;
	return 0;
}

static const uint8_t *part_events(void *state, size_t *ret_n)
{
	return samplecollect_events(state, ret_n);
}

static void add_to_part(void *state, const struct record *rec)
{
	samplecollect_add(state, rec);
}

static int join_part(void *ctx, void *state, struct tasks *tasks)
{
	return samplecollect_join(((struct sampleread *)ctx)->collect, state, tasks);
}

/*
 * Collects the samples. Returns 1, or 0 if one thread has to do it; then there are none again. If
 * each sample is a row, the join would do all the work.
 */
static int fold(struct sampleread *r, struct errmsg *err)
{
	struct scan_fold how = {.ctx = r,
				.init = init_part,
				.events = part_events,
				.add = add_to_part,
				.join = join_part,
				.release = release_part};

	if (r->config.source != SAMPLES_TAKEN || r->config.keep & SAMPLESET_TIME)
		return 0;
	if (scan_run(&r->src, NULL, &how))
		return 1;
	samplecollect_free(r->collect);
	r->collect = NULL;
	TRY(samplecollect_new(&r->collect, r->in.files[0].formats, &r->info, &r->config, err));
	r->set = samplecollect_set(r->collect);
	return 0;
}

static int walk(struct sampleread *r, struct errmsg *err)
{
	SCOPED(order_free_scoped) struct order_state *names = order_new(true, true, true, false);
	struct visitor v = {r, names};
	struct taskwalk_spec spec = {.visit = visit_event, .ctx = &v, .to = UINT64_MAX};
	int e;

	if (!names)
		return errmsg_set_errno(err, -ENOMEM, "cannot read the samples");
	if (r->config.source == SAMPLES_TAKEN)
		spec.visit = visit_sample; /* samples have no names of tasks */
	e = fold(r, err);
	TRY(e);
	spec.events = samplecollect_events(r->collect, &spec.n_events);
	e = e ? 0 : taskwalk(&r->src, &spec);
	if (e < 0)
		return errmsg_set_errno(err, e, "cannot read the samples");
	samplecollect_end(r->collect);
	if (samplecollect_n_bad(r->collect))
		inputs_add_damage(&r->in.files[0], "%s: %llu samples are damaged",
				  inputs_path(&r->in.files[0]),
				  (unsigned long long)samplecollect_n_bad(r->collect));
	return 0;
}

static int find_range(struct sampleread *r, struct errmsg *err)
{
	struct taskwalk_spec spec;

	if (!r->inputs_spec.from && !r->inputs_spec.to)
		return 0;
	TRY(taskwalk_set_range(&spec, &r->src, err));
	r->from = spec.from;
	r->to = spec.to;
	return 0;
}

/* Notes the event if there is only one. */
static void name_event(struct sampleread *r)
{
	uint32_t event = 0, next;

	r->in_time = samplecollect_is_time(r->collect);
	if (r->config.source != SAMPLES_TAKEN) {
		r->event = r->config.source == SAMPLES_OFF_CPU	 ? SAMPLEREAD_OFF_CPU_EVENT
			   : r->config.source == SAMPLES_WAKEUPS ? "wakeup"
			   : r->config.event			 ? r->config.event
								 : "events";
		return;
	}
	if (!(r->config.keep & SAMPLESET_EVENT) || !sampletable_next_event(r->set, &event)) {
		r->event = r->config.event;
	} else {
		next = event + 1;
		if (!sampletable_next_event(r->set, &next))
			r->event = sampleinfo_event_name(&r->info, event);
	}
	r->in_time = r->event && sampleread_is_time(r->event);
}

/*
 * If the result has one unit, only one event can be read: the first one that has samples.
 */
static void choose_event(struct sampleread *r, const struct sampleread_spec *spec)
{
	const char *first = NULL;

	if (!spec->one_event || r->config.event || r->config.source != SAMPLES_TAKEN)
		return;
	for (size_t i = 0; i < r->info.n_events; i++) {
		const char *name = r->info.events[i];

		if (!name || (r->config.not_event && !strcmp(name, r->config.not_event)))
			continue;
		if (first) {
			r->other_event = name;
			break;
		}
		first = name;
	}
	r->config.event = first;
}

static int read_trace(struct sampleread *r, const struct sampleread_spec *spec, struct errmsg *err)
{
	struct inputs_file *file;
	int e;

	r->path.path = spec->path;
	r->inputs_spec = (struct inputs_spec){
		.paths = &r->path, .n_paths = 1, .from = spec->from, .to = spec->to};
	TRY(inputs_open(&r->in, &r->inputs_spec, err));
	file = &r->in.files[0];
	e = sampleinfo_read(&r->info, file->tf);
	if (e < 0)
		inputs_add_damage(file, "%s: the names of sampled events and files are damaged",
				  inputs_path(file));
	TRY(inputs_sources_list(&r->src, &r->in, err));
	if (!r->src.n)
		return errmsg_set(err, -ENODATA, "there are no events in %s", spec->path);
	TRY(find_range(r, err));
	r->config = (struct samplecollect_config){.from = r->from,
						  .to = r->to,
						  .tids = spec->tids,
						  .n_tids = spec->n_tids,
						  .comm = spec->comm,
						  .cpus = spec->cpus,
						  .n_cpus = spec->n_cpus,
						  .keep = spec->keep};
	TRY(choose(r, spec, err));
	choose_event(r, spec);
	choose_buffers(r);
	TRY(samplecollect_new(&r->collect, file->formats, &r->info, &r->config, err));
	r->set = samplecollect_set(r->collect);
	TRY(walk(r, err));
	name_event(r);
	return 0;
}

int sampleread_open(struct sampleread *r, const struct sampleread_spec *spec, struct errmsg *err)
{
	if (sampleread_is_folded(spec->path))
		TRY(read_folded(r, spec, err));
	else
		TRY(read_trace(r, spec, err));
	r->names_config =
		(struct stacknames_config){.formats = r->in.n_files ? r->in.files[0].formats : NULL,
					   .info = &r->info,
					   .set = r->set,
					   .inlines = spec->inlines,
					   .lines = spec->lines};
	r->names = stacknames_new(&r->names_config);
	if (!r->names)
		return errmsg_set_errno(err, -ENOMEM, "cannot read %s", spec->path);
	return 0;
}

void sampleread_close(struct sampleread *r)
{
	stacknames_free(r->names);
	samplecollect_free(r->collect);
	sampleset_free(r->own_set);
	inputs_sources_release(&r->src);
	inputs_close(&r->in);
	sampleinfo_release(&r->info);
	*r = (struct sampleread){0};
}
