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
 * Strings are kept by the triggers up to the kernel's limit of 64 bytes.
 */
#include "capture/setup_int.h"

#include "capture/eventdir.h"
#include "symbols/arch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LINE_MAX_BYTES 8192
#define VARS_MAX       14 /* of the kernel's 16, the time is one */
#define CALLS_MAX      16384
#define HIST_MAX_BYTES (64u << 20)

struct setup_pair {
	struct definition in_def, out_def; /* the user's, each with its part of the arguments */
	struct definition_arg *in_args, *out_args;
	struct probe *in; /* the other one is setup_probe.probe */
	char in_name[TRACEFS_NAME_MAX], synth[TRACEFS_NAME_MAX], shown_name[TRACEFS_NAME_MAX];
	char *in_trigger, *out_trigger;
	struct probe shown; /* all arguments together, for the format; they belong to the probes */
	size_t number;
	/* both with the stack pointer behind the other arguments */
	bool has_frames;
	struct probe framed_in, framed_out;
	char frame_fetch[2][40], skip_fetch[40];
	const char *instance; /* where it was armed; NULL: it was not */
};

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

static bool is_duration(const struct definition_arg *a)
{
	return a->value->kind == EXPRESSION_DURATION;
}

bool setup_wants_pair(const struct setup_probe *sp)
{
	const struct definition *d = sp->definition;
	bool has_entry = false;

	if (!d || d->form != DEFINITION_PLACE || !d->is_return)
		return false;
	for (size_t i = 0; i < d->n_args; i++) {
		if (is_duration(&d->args[i]))
			return true;
		has_entry |= !is_of_return(&d->args[i]);
	}
	return has_entry && !sp->probe; /* this kernel does not remember them */
}

/* --- two definitions --------------------------------------------------------------------------- */

static int without_memory(struct errmsg *err)
{
	return errmsg_set_errno(err, -ENOMEM, "cannot define the probes");
}

static int split(struct setup_pair *pair, const struct definition *d, struct errmsg *err)
{
	pair->in_args = calloc(d->n_args, sizeof(*pair->in_args));
	pair->out_args = calloc(d->n_args, sizeof(*pair->out_args));
	if (!pair->in_args || !pair->out_args)
		return without_memory(err);
	pair->in_def = pair->out_def = *d;
	pair->in_def.args = pair->in_args;
	pair->out_def.args = pair->out_args;
	pair->in_def.n_args = pair->out_def.n_args = 0;
	pair->in_def.is_return = false;
	pair->in_def.max_active = 0;
	pair->in_def.filter = pair->out_def.filter = NULL;
	for (size_t i = 0; i < d->n_args; i++) {
		if (is_duration(&d->args[i]))
			continue;
		if (is_of_return(&d->args[i]))
			pair->out_args[pair->out_def.n_args++] = d->args[i];
		else
			pair->in_args[pair->in_def.n_args++] = d->args[i];
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

static const char *keys_of(const struct setup_pair *pair, bool at_entry)
{
	if (!pair->has_frames)
		return "common_pid";
	return at_entry && pair->framed_in.n_args == pair->in->n_args + 2
		       ? "common_pid,sonde_frame+sonde_skip"
		       : "common_pid,sonde_frame";
}

/* --- the synthetic event ----------------------------------------------------------------------- */

/* "+0(%di):string" as a type of a synthetic event; NULL if there is none for it. */
static const char *synth_type(const struct probe_arg *a)
{
	static const struct {
		const char *fetch, *synth;
	} rows[] = {
		{"string", "char[]"}, {"ustring", "char[]"}, {"symbol", "u64"},
		{"symstr", "char[]"}, {"char", "s8"},	     {"u8", "u8"},
		{"u16", "u16"},	      {"u32", "u32"},	     {"u64", "u64"},
		{"s8", "s8"},	      {"s16", "s16"},	     {"s32", "s32"},
		{"s64", "s64"},	      {"x8", "u8"},	     {"x16", "u16"},
		{"x32", "u32"},	      {"x64", "u64"},
	};
	const char *type = strrchr(a->fetch, ':');

	if (!type)
		return !strcmp(a->fetch, "$comm") ? "char[]" : "u64";
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(type + 1, rows[i].fetch))
			return rows[i].synth;
	return NULL;
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
		return without_memory(err);
	while (i < in->n_args || k < out->n_args) {
		bool first = k == out->n_args ||
			     (i < in->n_args && in->args[i].span.at < out->args[k].span.at);

		pair->shown.args[pair->shown.n_args++] = first ? in->args[i++] : out->args[k++];
	}
	return 0;
}

/* Which of the two an argument came from: the texts are shared. */
static bool is_from_entry(const struct setup_pair *pair, const struct probe_arg *a)
{
	for (size_t i = 0; i < pair->in->n_args; i++)
		if (pair->in->args[i].name == a->name)
			return true;
	return false;
}

static bool wants_duration(const struct definition *d)
{
	for (size_t i = 0; i < d->n_args; i++)
		if (is_duration(&d->args[i]))
			return true;
	return false;
}

static const char *duration_name(const struct definition *d)
{
	for (size_t i = 0; i < d->n_args; i++)
		if (is_duration(&d->args[i]) && d->args[i].name)
			return d->args[i].name;
	return "duration";
}

static int fmt_synth(const struct setup_pair *pair, const struct definition *d, struct textbuf *tb,
		     struct errmsg *err)
{
	textbuf_addf(tb, "s:%s", pair->synth);
	for (size_t i = 0; i < pair->shown.n_args; i++) {
		const struct probe_arg *a = &pair->shown.args[i];
		const char *type = synth_type(a);

		if (!type)
			return definition_refuse(
				d->text, a->span, err, -EINVAL,
				"arrays and bit fields cannot be taken along to the "
				"return; record them at the entry, with a probe of "
				"its own");
		if (!strcmp(type, "char[]"))
			textbuf_addf(tb, " char %s[];", a->name);
		else
			textbuf_addf(tb, " %s %s;", type, a->name);
	}
	if (wants_duration(d))
		textbuf_addf(tb, " u64 %s;", duration_name(d));
	tb->pos--; /* the last ';' */
	textbuf_add(tb, "", 1);
	return tb->overflow ? without_memory(err) : 0;
}

static char *fmt_in_trigger(const struct setup_pair *pair)
{
	struct textbuf tb;
	char *text;

	textbuf_init(&tb, LINE_MAX_BYTES);
	textbuf_addf(&tb, "hist:keys=%s:size=%d:sonde%zut=common_timestamp", keys_of(pair, true),
		     CALLS_MAX, pair->number);
	for (size_t i = 0; i < pair->in->n_args; i++)
		textbuf_addf(&tb, ",sonde%zuv%zu=%s", pair->number, i, pair->in->args[i].name);
	textbuf_add(&tb, "", 1);
	text = tb.overflow ? NULL : strdup(tb.start);
	textbuf_release(&tb);
	return text;
}

static char *fmt_out_trigger(const struct setup_pair *pair, const struct setup_probe *sp)
{
	size_t n_in = 0;
	struct textbuf tb;
	char *text;

	textbuf_init(&tb, LINE_MAX_BYTES);
	textbuf_addf(&tb,
		     "hist:keys=%s:size=%d:sonde%zud=common_timestamp-$sonde%zut:onmatch(%s.%s)."
		     "trace(%s",
		     keys_of(pair, false), CALLS_MAX, pair->number, pair->number, sp->group,
		     pair->in_name, pair->synth);
	for (size_t i = 0; i < pair->shown.n_args; i++) {
		const struct probe_arg *a = &pair->shown.args[i];

		if (is_from_entry(pair, a))
			textbuf_addf(&tb, ",$sonde%zuv%zu", pair->number, n_in++);
		else
			textbuf_addf(&tb, ",%s", a->name);
	}
	if (wants_duration(sp->definition))
		textbuf_addf(&tb, ",$sonde%zud", pair->number);
	textbuf_add_char(&tb, ')');
	textbuf_add(&tb, "", 1);
	text = tb.overflow ? NULL : strdup(tb.start);
	textbuf_release(&tb);
	return text;
}

/* --- the condition ----------------------------------------------------------------------------- */

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* What an argument of the definition is called as a field; NULL if none stands at s. */
static const char *field_at(const struct setup_pair *pair, const struct definition *d,
			    const char *s, size_t *ret_len)
{
	const char *name = NULL;

	*ret_len = 0;
	for (size_t i = 0; i < d->n_args; i++) {
		struct span span = d->args[i].value->span;

		if (span.len <= *ret_len || strncmp(s, d->text + span.at, span.len) ||
		    is_name_char(s[span.len]))
			continue;
		for (size_t k = 0; k < pair->shown.n_args; k++)
			if (pair->shown.args[k].span.at == d->args[i].span.at) {
				name = pair->shown.args[k].name;
				*ret_len = span.len;
			}
		if (is_duration(&d->args[i])) {
			name = duration_name(d);
			*ret_len = span.len;
		}
	}
	return name;
}

static char *fmt_filter(const struct setup_pair *pair, const struct definition *d)
{
	struct textbuf tb;
	char *text;

	textbuf_init(&tb, LINE_MAX_BYTES);
	for (const char *s = d->filter; *s;) {
		bool is_start = s == d->filter || !is_name_char(s[-1]);
		size_t len = 0;
		const char *name = is_start ? field_at(pair, d, s, &len) : NULL;

		if (name)
			textbuf_add_str(&tb, name);
		else
			textbuf_add_char(&tb, *s);
		s += name ? len : 1;
	}
	textbuf_add(&tb, "", 1);
	text = tb.overflow ? NULL : strdup(tb.start);
	textbuf_release(&tb);
	return text;
}

/* --- defining ---------------------------------------------------------------------------------- */

static int refuse_kernel(struct setup *s, const struct setup_probe *sp,
			 const struct errmsg *why_not, struct errmsg *err)
{
	const struct definition *d = sp->definition;

	if (why_not)
		return errmsg_set(err, why_not->code, "%s", why_not->text);
	for (size_t i = 0; i < d->n_args; i++)
		if (is_duration(&d->args[i]))
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

	textbuf_init(&line, LINE_MAX_BYTES);
	r = fmt_synth(pair, d, &line, err);
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

static int fmt_triggers(struct setup_pair *pair, const struct setup_probe *sp, struct errmsg *err)
{
	free(pair->in_trigger);
	free(pair->out_trigger);
	pair->in_trigger = fmt_in_trigger(pair);
	pair->out_trigger = fmt_out_trigger(pair, sp);
	return pair->in_trigger && pair->out_trigger ? 0 : without_memory(err);
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
		return without_memory(err);
	r = resolve(s, sp, err);
	if (r < 0)
		return r;
	choose_names(s, sp);
	add_frames(s, pair, sp->probe);
	filter = sp->definition->filter ? fmt_filter(pair, sp->definition) : NULL;
	if (sp->definition->filter && !filter)
		r = without_memory(err);
	if (r >= 0)
		r = define_ends(s, sp, err);
	if (r >= 0)
		r = fmt_triggers(pair, sp, err);
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
		r = fmt_triggers(pair, sp, err);
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
	char file[TRACEFS_PATH_MAX], text[LINE_MAX_BYTES];

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

/* --- what was not joined ----------------------------------------------------------------------- */

static uint64_t number_behind(const char *text, const char *word)
{
	const char *p = strstr(text, word);

	return p ? strtoull(p + strlen(word), NULL, 10) : 0;
}

/* How often the trigger was there, in its table or not; false if it cannot be read. */
static bool count_total(const struct setup *s, const char *instance, const char *group,
			const char *event, uint64_t *ret_n)
{
	char file[TRACEFS_PATH_MAX];
	struct textbuf text;
	const char *totals;

	textbuf_init(&text, HIST_MAX_BYTES);
	eventdir_fmt_path(group, event, "hist", file);
	if (tracefs_read(&s->t, instance, file, &text) < 0)
		textbuf_clear(&text);
	textbuf_add(&text, "", 1);
	totals = text.overflow ? NULL : strstr(text.start, "\nTotals:");
	if (totals)
		*ret_n = number_behind(totals, "Hits: ") + number_behind(totals, "Dropped: ");
	textbuf_release(&text);
	return totals;
}

uint64_t setup_pair_tell_unmatched(struct setup *s, const struct setup_probe *sp,
				   void (*tell)(const char *sentence))
{
	const struct setup_pair *pair = sp->pair;
	const char *function = sp->definition->function;
	uint64_t n_out, n_joined;
	char text[1024];

	if (!pair || !pair->instance ||
	    !count_total(s, pair->instance, sp->group, sp->name, &n_out) ||
	    !count_total(s, pair->instance, "synthetic", pair->synth, &n_joined) ||
	    n_out <= n_joined)
		return 0;
	if (pair->has_frames)
		snprintf(text, sizeof(text),
			 "%llu returns of %s are not recorded: there is no room to remember more "
			 "than %d calls, by task and stack; record %s and %s%%return",
			 (unsigned long long)(n_out - n_joined), function, CALLS_MAX, function,
			 function);
	else
		snprintf(text, sizeof(text),
			 "%llu returns of %s are not recorded: where a function calls itself only "
			 "the innermost call can be joined with its return here; record %s and "
			 "%s%%return",
			 (unsigned long long)(n_out - n_joined), function, function, function);
	if (tell)
		tell(text);
	return n_out - n_joined;
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

/* --- the format -------------------------------------------------------------------------------- */

/* "name: sonde_1234_vfs_read__return" loses what only the kernel needs. */
bool setup_pair_fmt_format(const struct setup *s, const char *event, const char *text, size_t len,
			   struct textbuf *out)
{
	static const char head[] = "name: ";

	for (size_t i = 0; i < s->n_probes; i++) {
		const struct setup_pair *pair = s->probes[i]->pair;
		const char *eol = memchr(text, '\n', len);

		if (!pair || strcmp(pair->synth, event) || !eol ||
		    strncmp(text, head, strlen(head)))
			continue;
		textbuf_addf(out, "%s%s", head, pair->shown_name);
		probe_fmt_format(&pair->shown, eol, len - (eol - text), out);
		return true;
	}
	return false;
}
