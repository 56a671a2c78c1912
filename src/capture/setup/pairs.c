// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pairs.c - records a return with the arguments of its call, and its duration.
 *
 *	-e 'vfs_read%return($retval, count, $duration)'
 *
 * When a function returns, its parameters are no longer in their registers, and kernels before 6.9
 * (for programs: all) do not store them. So sonde defines two probes, and the kernel joins them by
 * call with hist triggers:
 *
 *  p:sonde_1234/vfs_read__return_in vfs_read count=%dx:u64 sonde_frame=%sp:u64
 *  sonde_skip=\8:u64
 *      hist:keys=common_pid,sonde_frame+sonde_skip:sonde0t=common_timestamp,sonde0v0=count
 *  r:sonde_1234/vfs_read__return_out vfs_read ret=$retval:s64 sonde_frame=%sp:u64
 *      hist:keys=common_pid,sonde_frame:sonde0d=common_timestamp-$sonde0t
 *          :onmatch(sonde_1234.vfs_read__return_in)
 *              .trace(sonde_1234_vfs_read__return,ret,$sonde0v0,$sonde0d)
 *  s:sonde_1234_vfs_read__return s64 ret; u64 count; u64 duration
 *      hist:keys=common_pid                counts the events
 *
 * Only the last event, a synthetic event, is recorded; in the file it is
 * synthetic:vfs_read__return. A call is identified by its task and by its caller's stack pointer
 * after the return: if a function calls itself, each call has another one. If the stack pointer is
 * unavailable (no registers, or the frame after a prologue is unknown), only the task identifies a
 * call; then an inner call overwrites the data of the outer one. The number of calls that were not
 * joined is the number of returns minus the number of events. Triggers keep strings up to the
 * kernel's limit of 64 bytes. pair_text.c makes the texts.
 */
#include "base/array.h"
#include "capture/setup/pair_int.h"
#include "base/files/regular.h"
#include "base/scope.h"

#include "capture/tracefs/eventdir.h"
#include "probe/definition/definition.h"
#include "symbols/arch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define VARS_MAX 14 /* variables of the kernel's 16 that can be used; the time takes one */

/*
 * --- who needs it ------------------------------------------------------------------------------
 */

static const struct expression *root_of(const struct expression *e)
{
	while (e->left)
		e = e->left;
	return e;
}

/*
 * Returns true for values that are known at the return: the return value, and values that do not
 * depend on the call.
 */
static bool is_of_return(const struct definition_arg *a)
{
	enum expression_kind kind = root_of(a->value)->kind;

	return kind != EXPRESSION_NAME && kind != EXPRESSION_ARGUMENT &&
	       kind != EXPRESSION_PARAMS && kind != EXPRESSION_DURATION;
}

/*
 * Returns true if the entry is needed. Newer kernels keep the arguments until the return, but not
 * the data behind pointers: a name may be freed, a position may have changed.
 */
bool setup_wants_pair(const struct setup *s, const struct setup_probe *sp)
{
	const struct probe_kernel *k = s->site ? &s->site->kernel : NULL;
	const struct definition *d = sp->definition;
	bool has_entry = false;

	if (!d || d->form != DEFINITION_PLACE || !d->is_return)
		return false;
	for (size_t i = 0; i < d->n_args; i++) {
		if (setup_pair_is_duration(&d->args[i]))
			return true;
		has_entry |= !is_of_return(&d->args[i]);
	}
	return has_entry && (!sp->probe || (s->journal && k && k->hist && k->synthetic &&
					    probe_reads_late(sp->probe)));
}

/*
 * --- two definitions ---------------------------------------------------------------------------
 */

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

/* Collects the arguments of both, in the order of the definition, with unique names. */
static int gather(struct setup_pair *pair, const struct definition *d, struct probe *out,
		  struct errmsg *err)
{
	struct probe *in = pair->in;
	size_t n = in->n_args + out->n_args, i = 0, k = 0;

	pair->shown = *out;
	pair->shown.args = calloc(n + 1, sizeof(*pair->shown.args));
	pair->shown.n_args = 0;
	pair->field_names = calloc(n + 1, sizeof(*pair->field_names));
	if (!pair->shown.args || !pair->field_names)
		return setup_pair_no_memory(err);
	setup_pair_choose_duration(pair, d);
	while (i < in->n_args || k < out->n_args) {
		bool first = k == out->n_args ||
			     (i < in->n_args && in->args[i].span.at < out->args[k].span.at);
		struct probe_arg *a = first ? &in->args[i++] : &out->args[k++];

		setup_pair_choose_field(pair, d, a, pair->field_names[pair->shown.n_args]);
		pair->shown.args[pair->shown.n_args] = *a;
		setup_pair_choose_show(&pair->shown.args[pair->shown.n_args++]);
	}
	return 0;
}

/*
 * --- which call it was -------------------------------------------------------------------------
 */

static char frame_name[] = "sonde_frame", skip_name[] = "sonde_skip";

/*
 * Opens the program of a probe if it is for the kernel's own processor, not its 32-bit variant.
 * Returns -1 otherwise.
 */
static int open_program(const struct probe *p, ElfW(Ehdr) * ret_header)
{
	const char *place = p->places[0].text, *colon = strrchr(place, ':');
	char path[TRACEFS_PATH_MAX];
	int fd;

	if (!colon || colon - place >= (ptrdiff_t)sizeof(path))
		return -1;
	snprintf(path, sizeof(path), "%.*s", (int)(colon - place), place);
	fd = regular_open(path, UINT64_MAX);
	if (fd >= 0 && pread(fd, ret_header, sizeof(*ret_header), 0) == sizeof(*ret_header) &&
	    ret_header->e_ident[EI_CLASS] == (sizeof(long) == 8 ? ELFCLASS64 : ELFCLASS32))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool is_of_program(const struct probe *p)
{
	return p->kind == PROBE_UPROBE || p->kind == PROBE_URETPROBE;
}

bool setup_is_like_kernel(const struct probe *p)
{
	ElfW(Ehdr) header;
	int fd;

	if (!is_of_program(p))
		return true;
	fd = open_program(p, &header);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool setup_find_frame(const struct setup *s, const struct probe *in, const char **ret_reg,
		      int64_t *ret_offset)
{
	const struct arch *arch = s->site->kernel.arch;

	if (!arch || !s->site->kernel.immediates || !in->n_places || !setup_is_like_kernel(in))
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

/*
 * --- texts that cannot be read ------------------------------------------------------------------
 */

/*
 * Before 6.2 a text that cannot be read has no bytes, but a position: that of the next text of the
 * record, or the record's end. The triggers read the bytes at that position up to a NUL. So a known
 * text follows each text that may fail:
 *
 *	name=+0(%si):string sonde_guard0=\"(fault)":string          in the kernel
 *	name=+0(%si):string sonde_guard0=@+9:string                 in a program: a zero byte of its
 *	                                                            file's header, an empty text
 */
static char kernel_guard[] = "\\\"(fault)\":string", program_guard[] = "@+9:string";
static char guard_names[][16] = {"sonde_guard0",  "sonde_guard1", "sonde_guard2",  "sonde_guard3",
				 "sonde_guard4",  "sonde_guard5", "sonde_guard6",  "sonde_guard7",
				 "sonde_guard8",  "sonde_guard9", "sonde_guard10", "sonde_guard11",
				 "sonde_guard12", "sonde_guard13"};

#define N_GUARDS ARRAY_LEN(guard_names)

_Static_assert(N_GUARDS == VARS_MAX, "one for each argument that is taken along");

/*
 * Returns true if the file's header is mapped before the code. The address is relative to where
 * offset 0 would be if everything were mapped like the code.
 */
static bool has_head_before_code(int fd, const ElfW(Ehdr) * header, uint64_t code)
{
	bool has_head = false, has_code = false;
	uint64_t head_at = 0, code_at = 1;

	if (header->e_phentsize != sizeof(ElfW(Phdr)))
		return false;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		ElfW(Phdr) ph;

		if (pread(fd, &ph, sizeof(ph), header->e_phoff + i * sizeof(ph)) != sizeof(ph))
			return false;
		if (ph.p_type != PT_LOAD)
			continue;
		if (!ph.p_offset && ph.p_filesz >= EI_NIDENT) {
			has_head = true;
			head_at = ph.p_vaddr;
		}
		if (code >= ph.p_offset && code - ph.p_offset < ph.p_filesz) {
			has_code = true;
			code_at = ph.p_vaddr - ph.p_offset;
		}
	}
	return has_head && has_code && head_at == code_at;
}

/* Returns NULL if nothing is known to be readable there. */
static char *guard_of(const struct setup *s, const struct probe *p)
{
	ElfW(Ehdr) header;
	bool has_head;
	SCOPED(scope_close) int fd = -1;

	if (!is_of_program(p))
		return s->site->kernel.immediates ? kernel_guard : NULL;
	fd = open_program(p, &header);
	if (fd < 0)
		return NULL;
	has_head = !header.e_ident[EI_NIDENT - 1] && !header.e_ident[9] &&
		   has_head_before_code(fd, &header,
					strtoull(strrchr(p->places[0].text, ':') + 1, NULL, 0));
	return has_head ? program_guard : NULL;
}

/*
 * --- both, with what else they need -------------------------------------------------------------
 */

static void add_arg(struct probe *p, char *name, char *fetch)
{
	p->args[p->n_args++] = (struct probe_arg){.name = name, .fetch = fetch};
}

/*
 * Copies the probe with more arguments. Its own arguments are shared. If frame is NULL, adds only
 * guards.
 */
static bool extend(const struct setup *s, struct probe *full, const struct probe *p, char *frame,
		   char *skip)
{
	char *guard = NULL;
	size_t n_guards = 0;

	*full = *p;
	full->n_args = 0;
	full->args = calloc(2 * p->n_args + 2, sizeof(*full->args));
	if (!full->args)
		return false;
	for (size_t i = 0; i < p->n_args; i++) {
		bool is_text = setup_pair_is_text(&p->args[i]) && n_guards < N_GUARDS;

		full->args[full->n_args++] = p->args[i];
		guard = is_text && !guard ? guard_of(s, p) : guard;
		if (is_text && guard)
			add_arg(full, guard_names[n_guards++], guard);
	}
	if (!frame)
		return true;
	add_arg(full, frame_name, frame);
	if (skip)
		add_arg(full, skip_name, skip);
	/* the function tracer's hook does not provide the stack pointer */
	probe_use_breakpoint(full);
	return true;
}

/* Makes both ends as they are tried first. If out of memory, they stay as the user wrote them. */
static void complete(const struct setup *s, struct setup_pair *pair, const struct probe *out)
{
	const struct arch *arch = s->site->kernel.arch;
	const char *reg = NULL;
	int64_t offset = 0;

	for (size_t i = 0; i < pair->in->n_places; i++)
		if (pair->in->places[i].fetches)
			return;
	for (size_t i = 0; i < out->n_places; i++)
		if (out->places[i].fetches)
			return;
	pair->has_frames = setup_find_frame(s, pair->in, &reg, &offset) && reg;
	pair->has_skip = pair->has_frames && offset;
	if (pair->has_frames) {
		snprintf(pair->frame_fetch[0], sizeof(pair->frame_fetch[0]), "%%%s:u64", reg);
		snprintf(pair->frame_fetch[1], sizeof(pair->frame_fetch[1]), "%%%s:u64",
			 arch_register(arch, arch->stack_reg));
		snprintf(pair->skip_fetch, sizeof(pair->skip_fetch), "\\%" PRId64 ":u64", offset);
	}
	pair->is_full =
		extend(s, &pair->full_in, pair->in, pair->has_frames ? pair->frame_fetch[0] : NULL,
		       pair->has_skip ? pair->skip_fetch : NULL) &&
		extend(s, &pair->full_out, out, pair->has_frames ? pair->frame_fetch[1] : NULL,
		       NULL);
	pair->has_frames &= pair->is_full;
}

/*
 * --- defining ----------------------------------------------------------------------------------
 */

static int refuse_kernel(struct setup *s, const struct setup_probe *sp,
			 const struct errmsg *why_not, struct errmsg *err)
{
	const struct definition *d = sp->definition;

	if (why_not && (why_not->code != -EOPNOTSUPP || !s->journal))
		return errmsg_set(err, why_not->code, "%s", why_not->text);
	for (size_t i = 0; i < d->n_args; i++)
		if (setup_pair_is_duration(&d->args[i]))
			return definition_refuse(
				d->text, d->args[i].span, err, -ENOTSUP,
				s->journal ? "the duration of a call needs hist triggers and "
					     "synthetic events, which this kernel does not have; "
					     "record %s and %s%%return, and use 'sonde latency'"
					   : "the duration of a call needs two probes and "
					     "triggers, which only a recording sets up: sonde "
					     "record -e (%s, %s%%return)",
				d->function, d->function);
	for (size_t i = 0; i < d->n_args; i++)
		if (!is_of_return(&d->args[i]))
			return definition_refuse(
				d->text, d->args[i].span, err, -ENOTSUP,
				"this is known only at the entry, and joining entry and return "
				"needs hist triggers and synthetic events, which this kernel "
				"does not have; record %s(…) and %s%%return",
				d->function, d->function);
	return -ENOTSUP;
}

static int define_synth(struct setup *s, const struct setup_pair *pair, const struct definition *d,
			struct errmsg *err)
{
	char name[2 * TRACEFS_NAME_MAX];
	SCOPED(textbuf_release) struct textbuf line = {.max_bytes = PAIR_LINE_BYTES};

	TRY(setup_pair_fmt_synth(pair, d, &line, err));
	snprintf(name, sizeof(name), "synthetic/%s", pair->synth);
	TRY(journal_add_probe(s->journal, name, err));
	return tracefs_write(&s->t, "", "dynamic_events", line.start, TRACEFS_APPEND, err);
}

static int resolve(struct setup *s, struct setup_probe *sp, struct errmsg *err)
{
	struct setup_pair *pair = sp->pair;

	TRY(split(pair, sp->definition, err));
	if (sp->probe) { /* the probe has that name already, and passes it on */
		snprintf(pair->shown_name, sizeof(pair->shown_name), "%s", sp->probe->event);
		pair->out_def.event = pair->shown_name;
	}
	probe_free(sp->probe);
	sp->probe = NULL;
	TRY(probe_resolve(s->prober, &pair->out_def, &sp->probe, err));
	/* keep the name of the entry free for an event that is an entry */
	snprintf(pair->in_name, sizeof(pair->in_name), "%.40s_in", sp->probe->event);
	pair->in_def.event = pair->in_name;
	TRY(probe_resolve(s->prober, &pair->in_def, &pair->in, err));
	if (pair->in->n_args > VARS_MAX)
		return definition_refuse(
			sp->definition->text, pair->in->args[VARS_MAX].span, err, -E2BIG,
			"at most %d arguments can be passed on to the return; record the "
			"others at the entry",
			VARS_MAX);
	return gather(pair, sp->definition, sp->probe, err);
}

static void choose_names(struct setup *s, struct setup_probe *sp)
{
	struct setup_pair *pair = sp->pair;

	snprintf(sp->group, sizeof(sp->group), "sonde_%d", (int)getpid());
	snprintf(pair->shown_name, sizeof(pair->shown_name), "%.40s", sp->probe->event);
	snprintf(sp->name, sizeof(sp->name), "%.40s_out", sp->probe->event);
	snprintf(pair->synth, sizeof(pair->synth), "sonde_%d_%.40s", (int)getpid(),
		 sp->probe->event);
	pair->number = s->n_probes;
}

/* Defines both ends, with the stack pointer and guards if the kernel accepts them. */
static int define_ends(struct setup *s, struct setup_probe *sp, struct errmsg *err)
{
	struct setup_pair *pair = sp->pair;
	struct errmsg ignored = {0};
	char name[2 * TRACEFS_NAME_MAX];

	if (pair->is_full) {
		if (probes_add(&s->t, s->journal, &pair->full_in, sp->group, pair->in_name,
			       &ignored) >= 0 &&
		    probes_add(&s->t, s->journal, &pair->full_out, sp->group, sp->name, &ignored) >=
			    0)
			return 0;
		snprintf(name, sizeof(name), "%s:%s", sp->group, pair->in_name);
		probes_remove(&s->t, name, &ignored);
		pair->has_frames = false;
	}
	TRY(probes_add(&s->t, s->journal, pair->in, sp->group, pair->in_name, err));
	return probes_add(&s->t, s->journal, sp->probe, sp->group, sp->name, err);
}

int setup_pair(struct setup *s, struct setup_probe *sp, const struct errmsg *why_not,
	       struct errmsg *err)
{
	struct setup_pair *pair;
	SCOPED(scope_free) char *filter = NULL;

	if (!s->journal || !s->site->kernel.hist || !s->site->kernel.synthetic)
		return refuse_kernel(s, sp, why_not, err);
	sp->pair = pair = calloc(1, sizeof(*pair));
	if (!pair)
		return setup_pair_no_memory(err);
	TRY(resolve(s, sp, err));
	choose_names(s, sp);
	complete(s, pair, sp->probe);
	if (sp->definition->filter)
		TRY(setup_pair_fmt_filter(pair, sp->definition, &filter, err));
	TRY(setup_take_filter(sp, &pair->shown, setup_pair_duration(pair, sp->definition), err));
	TRY(define_ends(s, sp, err));
	TRY(setup_pair_fmt_triggers(pair, sp, err));
	TRY(define_synth(s, pair, sp->definition, err));
	return setup_set_event(sp, "synthetic", pair->synth, filter, err);
}

/*
 * --- switching on and off ----------------------------------------------------------------------
 */

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

	if (!sp)
		return 0;
	if (arm(s, b->instance, sp->group, pair->in_name, pair->in_trigger, &ignored) < 0) {
		/* this kernel does not support sums as keys */
		pair->has_frames = false;
		TRY(setup_pair_fmt_triggers(pair, sp, err));
		TRY(arm(s, b->instance, sp->group, pair->in_name, pair->in_trigger, err));
	}
	TRY(arm(s, b->instance, sp->group, sp->name, pair->out_trigger, err));
	/* counting sets its own trigger there, and this one would use the same table */
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

/* Disarms the pair. Removes the trigger that refers to the other one first. */
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

const struct probe *setup_pair_entry(const struct setup_probe *sp)
{
	return sp->pair ? sp->pair->in : NULL;
}

void setup_pair_release(struct setup_probe *sp)
{
	struct setup_pair *pair = sp->pair;

	if (!pair)
		return;
	probe_free(pair->in);
	free(pair->in_args);
	free(pair->out_args);
	free(pair->field_names);
	free(pair->shown.args);
	free(pair->full_in.args);
	free(pair->full_out.args);
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

bool setup_find_ends(const struct setup *s, const char *event, const char **ret_group,
		     const char **ret_entry, const char **ret_return)
{
	for (size_t i = 0; i < s->n_probes; i++) {
		const struct setup_probe *sp = s->probes[i];

		if (!sp->pair || strcmp(sp->pair->synth, event))
			continue;
		*ret_group = sp->group;
		*ret_entry = sp->pair->in_name;
		*ret_return = sp->name;
		return true;
	}
	return false;
}

void setup_leave_pairs(struct setup *s)
{
	for (size_t i = 0; i < s->n_probes; i++)
		setup_pair_disarm(s, s->probes[i]);
}
