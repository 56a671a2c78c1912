// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * setup_pairs.c - a return that knows what it was called with, and how long it took.
 *
 *	-e 'vfs_read%return($retval, count, $duration)'
 *
 * When a function returns, its parameters are gone from their registers, and kernels before 6.9 (in programs:
 * all) remember none. So two probes are defined, and the kernel joins them by call with hist triggers:
 *
 *	p:sonde_1234/vfs_read__return_in vfs_read count=%dx:u64 sonde_frame=%sp:u64 sonde_skip=\8:u64
 *	    hist:keys=common_pid,sonde_frame+sonde_skip:sonde0t=common_timestamp,sonde0v0=count
 *	r:sonde_1234/vfs_read__return_out vfs_read ret=$retval:s64 sonde_frame=%sp:u64
 *	    hist:keys=common_pid,sonde_frame:sonde0d=common_timestamp-$sonde0t
 *	        :onmatch(sonde_1234.vfs_read__return_in).trace(sonde_1234_vfs_read__return,ret,$sonde0v0,$sonde0d)
 *	s:sonde_1234_vfs_read__return s64 ret; u64 count; u64 duration
 *	    hist:keys=common_pid                how many there were
 *
 * Only the last, a synthetic event, is recorded; in the file it is synthetic:vfs_read__return. A call is known by its
 * task and by the stack pointer that its caller has behind it: a function that calls itself has another one each
 * time. Where that cannot be had (no registers, or the frame behind a prologue is not known) the task alone must
 * do; a call then overwrites what the one around it noted. What was not joined is counted: returns less events.
 * Strings are kept by the triggers up to the kernel's limit of 64 bytes. The texts are made in setup_pair_text.c.
 */
#include "capture/setup_pair_int.h"

#include "capture/eventdir.h"
#include "symbols/arch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define VARS_MAX 14 /* of the kernel's 16, the time is one */

/* --- who needs it ------------------------------------------------------------------------------ */

static const struct expression *root_of(const struct expression *e)
{
	while (e->left)
		e = e->left;
	return e;
}

/* Known at the return: what it returns, and what has nothing to do with the call. */
static bool is_of_return(const struct definition_arg *a)
{
	enum expression_kind kind = root_of(a->value)->kind;

	return kind != EXPRESSION_NAME && kind != EXPRESSION_ARGUMENT &&
	       kind != EXPRESSION_PARAMS && kind != EXPRESSION_DURATION;
}

bool setup_wants_pair(const struct setup_probe *sp)
{
	const struct definition *d = sp->definition;
	bool has_entry = false;

	if (!d || d->form != DEFINITION_PLACE || !d->is_return)
		return false;
	for (size_t i = 0; i < d->n_args; i++) {
		if (setup_pair_is_duration(&d->args[i]))
			return true;
		has_entry |= !is_of_return(&d->args[i]);
	}
	return has_entry && !sp->probe; /* this kernel does not remember them */
}

/* --- two definitions --------------------------------------------------------------------------- */

static int split(struct setup_pair *pair, const struct definition *d, struct errmsg *err)
{
	pair->in_args = calloc(d->n_args, sizeof(*pair->in_args));
	pair->out_args = calloc(d->n_args, sizeof(*pair->out_args));
	if (!pair->in_args || !pair->out_args)
		return setup_pair_no_memory(err);
	pair->in_def = pair->out_def = *d;
	pair->in_def.args = pair->in_args;
	pair->out_def.args = pair->out_args;
	pair->in_def.n_args = pair->out_def.n_args = 0;
	pair->in_def.is_return = false;
	pair->in_def.max_active = 0;
	pair->in_def.filter = pair->out_def.filter = NULL;
	for (size_t i = 0; i < d->n_args; i++) {
		if (setup_pair_is_duration(&d->args[i]))
			continue;
		if (is_of_return(&d->args[i]))
			pair->out_args[pair->out_def.n_args++] = d->args[i];
		else
			pair->in_args[pair->in_def.n_args++] = d->args[i];
	}
	return 0;
}

/* The arguments of both, in the order in which they were written. */
static int gather(struct setup_pair *pair, const struct probe *out, struct errmsg *err)
{
	const struct probe *in = pair->in;
	size_t n = in->n_args + out->n_args, i = 0, k = 0;

	pair->shown = *out;
	pair->shown.args = calloc(n + 1, sizeof(*pair->shown.args));
	pair->shown.n_args = 0;
	if (!pair->shown.args)
		return setup_pair_no_memory(err);
	while (i < in->n_args || k < out->n_args) {
		bool first = k == out->n_args ||
			     (i < in->n_args && in->args[i].span.at < out->args[k].span.at);

		pair->shown.args[pair->shown.n_args++] = first ? in->args[i++] : out->args[k++];
	}
	return 0;
}

/* --- which call it was ------------------------------------------------------------------------- */

static char frame_name[] = "sonde_frame", skip_name[] = "sonde_skip";

/* A program of the processor that the kernel is for, not of its smaller brother. */
static bool is_like_kernel(const struct probe *p)
{
	const char *place = p->places[0].text, *colon = strrchr(place, ':');
	unsigned char ident[EI_NIDENT] = {0};
	char path[TRACEFS_PATH_MAX];
	int fd;

	if (p->kind != PROBE_UPROBE)
		return true;
	if (!colon || colon - place >= (ptrdiff_t)sizeof(path))
		return false;
	snprintf(path, sizeof(path), "%.*s", (int)(colon - place), place);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, ident, sizeof(ident), 0) != sizeof(ident))
		ident[EI_CLASS] = ELFCLASSNONE;
	if (fd >= 0)
		close(fd);
	return ident[EI_CLASS] == (sizeof(long) == 8 ? ELFCLASS64 : ELFCLASS32);
}

/* The stack pointer behind the return, at the entry: a register and an offset, the same at all places. */
static bool find_frame(const struct setup *s, const struct probe *in, const char **ret_reg,
		       int64_t *ret_offset)
{
	const struct arch *arch = s->site->kernel.arch;

	if (!arch || !s->site->kernel.immediates || !in->n_places || !is_like_kernel(in))
		return false;
	for (size_t i = 0; i < in->n_places; i++) {
		const struct probe_place *p = &in->places[i];
		const char *reg = in->entry ? p->frame_reg : arch_register(arch, arch->stack_reg);
		int64_t offset = in->entry ? p->frame_offset : arch->entry_stack_skip;

		if (p->fetches || !reg || (i && (offset != *ret_offset || strcmp(reg, *ret_reg))))
			return false;
		*ret_reg = reg;
		*ret_offset = offset;
	}
	return true;
}

/* The probe with more arguments; its own are shared. */
static bool extend(struct probe *framed, const struct probe *p, char *frame, char *skip)
{
	*framed = *p;
	framed->args = calloc(p->n_args + 2, sizeof(*framed->args));
	if (!framed->args)
		return false;
	memcpy(framed->args, p->args, p->n_args * sizeof(*p->args));
	framed->args[framed->n_args++] = (struct probe_arg){.name = frame_name, .fetch = frame};
	if (skip)
		framed->args[framed->n_args++] =
			(struct probe_arg){.name = skip_name, .fetch = skip};
	probe_use_breakpoint(framed); /* the function tracer's hook has no stack pointer */
	return true;
}

static void add_frames(const struct setup *s, struct setup_pair *pair, const struct probe *out)
{
	const struct arch *arch = s->site->kernel.arch;
	const char *reg = NULL;
	int64_t offset = 0;

	for (size_t i = 0; i < out->n_places; i++)
		if (out->places[i].fetches)
			return;
	if (!find_frame(s, pair->in, &reg, &offset) || !reg)
		return;
	snprintf(pair->frame_fetch[0], sizeof(pair->frame_fetch[0]), "%%%s:u64", reg);
	snprintf(pair->frame_fetch[1], sizeof(pair->frame_fetch[1]), "%%%s:u64",
		 arch_register(arch, arch->stack_reg));
	snprintf(pair->skip_fetch, sizeof(pair->skip_fetch), "\\%" PRId64 ":u64", offset);
	pair->has_frames = extend(&pair->framed_in, pair->in, pair->frame_fetch[0],
				  offset ? pair->skip_fetch : NULL) &&
			   extend(&pair->framed_out, out, pair->frame_fetch[1], NULL);
}

/* --- defining ---------------------------------------------------------------------------------- */

static int refuse_kernel(struct setup *s, const struct setup_probe *sp,
			 const struct errmsg *why_not, struct errmsg *err)
{
	const struct definition *d = sp->definition;

	if (why_not)
		return errmsg_set(err, why_not->code, "%s", why_not->text);
	for (size_t i = 0; i < d->n_args; i++)
		if (setup_pair_is_duration(&d->args[i]))
			return definition_refuse(
				d->text, d->args[i].span, err, -ENOTSUP,
				s->journal
					? "the time of a call needs hist triggers and synthetic "
					  "events, which this kernel does not have; record %s and "
					  "%s%%return, and ask 'sonde latency'"
					: "the time of a call needs two probes and triggers, which "
					  "only "
					  "a recording sets up: sonde record -e (%s, %s%%return)",
				d->function, d->function);
	return -ENOTSUP;
}

static int define_synth(struct setup *s, const struct setup_pair *pair, const struct definition *d,
			struct errmsg *err)
{
	char name[2 * TRACEFS_NAME_MAX];
	struct textbuf line;
	int r;

	textbuf_init(&line, PAIR_LINE_BYTES);
	r = setup_pair_fmt_synth(pair, d, &line, err);
	snprintf(name, sizeof(name), "synthetic/%s", pair->synth);
	if (r >= 0)
		r = journal_add_probe(s->journal, name, err);
	if (r >= 0)
		r = tracefs_write(&s->t, "", "dynamic_events", line.start, TRACEFS_APPEND, err);
	textbuf_release(&line);
	return r;
}

static int resolve(struct setup *s, struct setup_probe *sp, struct errmsg *err)
{
	struct setup_pair *pair = sp->pair;
	int r = split(pair, sp->definition, err);

	probe_free(sp->probe);
	sp->probe = NULL;
	if (r >= 0)
		r = probe_resolve(s->prober, &pair->in_def, &pair->in, err);
	if (r >= 0)
		r = probe_resolve(s->prober, &pair->out_def, &sp->probe, err);
	if (r >= 0 && pair->in->n_args > VARS_MAX)
		r = definition_refuse(
			sp->definition->text, pair->in->args[VARS_MAX].span, err, -E2BIG,
			"at most %d arguments can be taken along to the return; record "
			"the others at the entry",
			VARS_MAX);
	return r < 0 ? r : gather(pair, sp->probe, err);
}

static void choose_names(struct setup *s, struct setup_probe *sp)
{
	struct setup_pair *pair = sp->pair;

	snprintf(sp->group, sizeof(sp->group), "sonde_%d", (int)getpid());
	snprintf(pair->shown_name, sizeof(pair->shown_name), "%.40s", sp->probe->event);
	snprintf(pair->in_name, sizeof(pair->in_name), "%.40s_in", sp->probe->event);
	snprintf(sp->name, sizeof(sp->name), "%.40s_out", sp->probe->event);
	snprintf(pair->synth, sizeof(pair->synth), "sonde_%d_%.40s", (int)getpid(),
		 sp->probe->event);
	pair->number = s->n_probes;
}

/* With the stack pointer if the kernel gives it. */
static int define_ends(struct setup *s, struct setup_probe *sp, struct errmsg *err)
{
	struct setup_pair *pair = sp->pair;
	struct errmsg ignored = {0};
	char name[2 * TRACEFS_NAME_MAX];
	int r;

	if (pair->has_frames) {
		r = probes_add(&s->t, s->journal, &pair->framed_in, sp->group, pair->in_name,
			       &ignored);
		if (r >= 0)
			r = probes_add(&s->t, s->journal, &pair->framed_out, sp->group, sp->name,
				       &ignored);
		if (r >= 0)
			return 0;
		snprintf(name, sizeof(name), "%s:%s", sp->group, pair->in_name);
		probes_remove(&s->t, name, &ignored);
		pair->has_frames = false;
	}
	r = probes_add(&s->t, s->journal, pair->in, sp->group, pair->in_name, err);
	return r < 0 ? r : probes_add(&s->t, s->journal, sp->probe, sp->group, sp->name, err);
}

int setup_pair(struct setup *s, struct setup_probe *sp, const struct errmsg *why_not,
	       struct errmsg *err)
{
	struct setup_pair *pair;
	char *filter = NULL;
	int r;

	if (!s->journal || !s->site->kernel.hist || !s->site->kernel.synthetic)
		return refuse_kernel(s, sp, why_not, err);
	sp->pair = pair = calloc(1, sizeof(*pair));
	if (!pair)
		return setup_pair_no_memory(err);
	r = resolve(s, sp, err);
	if (r < 0)
		return r;
	choose_names(s, sp);
	add_frames(s, pair, sp->probe);
	if (sp->definition->filter)
		r = setup_pair_fmt_filter(pair, sp->definition, &filter, err);
	if (r >= 0)
		r = define_ends(s, sp, err);
	if (r >= 0)
		r = setup_pair_fmt_triggers(pair, sp, err);
	if (r >= 0)
		r = define_synth(s, pair, sp->definition, err);
	if (r >= 0)
		r = setup_set_event(sp, "synthetic", pair->synth, filter, err);
	free(filter);
	return r;
}

/* --- switching on and off ---------------------------------------------------------------------- */

static const char count_trigger[] = "hist:keys=common_pid:size=2048";

static struct setup_probe *find_pair(const struct setup *s, const struct plan_event *e)
{
	for (size_t i = 0; i < s->n_probes; i++)
		if (s->probes[i]->planned == e && s->probes[i]->pair)
			return s->probes[i];
	return NULL;
}

static int arm(struct setup *s, const char *instance, const char *group, const char *event,
	       const char *trigger, struct errmsg *err)
{
	char file[TRACEFS_PATH_MAX];

	eventdir_fmt_path(group, event, "trigger", file);
	return setup_write(s, instance, file, trigger, TRACEFS_APPEND, err);
}

int setup_pair_arm(struct setup *s, const struct setup_buffer *b, const struct plan_event *e,
		   struct errmsg *err)
{
	struct setup_probe *sp = find_pair(s, e);
	struct setup_pair *pair = sp ? sp->pair : NULL;
	struct errmsg ignored = {0};
	int r;

	if (!sp)
		return 0;
	r = arm(s, b->instance, sp->group, pair->in_name, pair->in_trigger, &ignored);
	if (r < 0) { /* a kernel whose keys are no sums */
		pair->has_frames = false;
		r = setup_pair_fmt_triggers(pair, sp, err);
		if (r >= 0)
			r = arm(s, b->instance, sp->group, pair->in_name, pair->in_trigger, err);
	}
	if (r >= 0)
		r = arm(s, b->instance, sp->group, sp->name, pair->out_trigger, err);
	if (r < 0)
		return r;
	/* who only counts has a trigger of his own there, whose table would be read with this one */
	memset(&ignored, 0, sizeof(ignored));
	if (!s->plan->only_triggers &&
	    arm(s, b->instance, "synthetic", pair->synth, count_trigger, &ignored) >= 0)
		pair->instance = b->instance;
	return 0;
}

static void disarm(struct setup *s, const char *instance, const char *group, const char *event,
		   const char *trigger)
{
	char file[TRACEFS_PATH_MAX], text[PAIR_LINE_BYTES];

	snprintf(text, sizeof(text), "!%s", trigger);
	tracefs_try_write(&s->t, instance, eventdir_fmt_path(group, event, "trigger", file), text,
			  TRACEFS_APPEND);
}

/* The one that refers to the other goes first. */
void setup_pair_disarm(struct setup *s, struct setup_probe *sp)
{
	for (size_t i = 0; sp->pair && i < s->n_buffers; i++) {
		if (sp->pair->instance)
			disarm(s, s->buffers[i].instance, "synthetic", sp->pair->synth,
			       count_trigger);
		disarm(s, s->buffers[i].instance, sp->group, sp->name, sp->pair->out_trigger);
		disarm(s, s->buffers[i].instance, sp->group, sp->pair->in_name,
		       sp->pair->in_trigger);
	}
	if (sp->pair)
		sp->pair->instance = NULL;
}

void setup_pair_release(struct setup_probe *sp)
{
	struct setup_pair *pair = sp->pair;

	if (!pair)
		return;
	probe_free(pair->in);
	free(pair->in_args);
	free(pair->out_args);
	free(pair->shown.args);
	free(pair->framed_in.args);
	free(pair->framed_out.args);
	free(pair->in_trigger);
	free(pair->out_trigger);
	free(pair);
	sp->pair = NULL;
}

const char *setup_name_of_event(const struct setup *s, const char *system, const char *event)
{
	for (size_t i = 0; i < s->n_probes && !strcmp(system, "synthetic"); i++)
		if (s->probes[i]->pair && !strcmp(s->probes[i]->pair->synth, event))
			return s->probes[i]->pair->shown_name;
	return event;
}
