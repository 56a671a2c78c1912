// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_reset.c - `sonde reset`: restores the tracing settings after boot.
 *
 *	sonde reset                       the top level, and all probes
 *	sonde reset -b 100                … with buffers of 100 KB a CPU
 *	sonde reset -B one -b 4096 -B two -d
 *	                                  one is reset and resized, two is removed; the top level
 *	                                  stays
 *	sonde reset -t -a -d              everything
 *
 * -b and -d belong to the -B, -a or -t before them, as in trace-cmd. Buffers that a running sonde
 * uses are kept and reported, unless they are named (-B, -t) or -a is given.
 * capture/tracefs/reset.c defines what a reset is.
 */
#include "base/scope.h"
#include "capture/tracefs/journal/journal.h"
#include "capture/tracefs/reset.h"
#include "cli/kernel/instances.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define TARGETS_MAX 256

struct target {
	const char *name; /* NULL: all instances; "": the top level */
	long long buffer_kb;
	bool remove;
};

struct reset_options {
	struct target targets[TARGETS_MAX];
	size_t n_targets; /* -b and -d apply to the last target */
	unsigned keep;
	long long top_kb; /* value of a -b before any target */
};

static int add_target(struct reset_options *o, const char *name, struct errmsg *err)
{
	if (o->n_targets == TARGETS_MAX)
		return errmsg_set(err, -EINVAL, "more than %d instances; use -a", TARGETS_MAX);
	o->targets[o->n_targets++] = (struct target){.name = name};
	return 0;
}

static int apply_name(void *opts, const char *value, struct errmsg *err)
{
	if (!*value)
		return errmsg_set(err, -EINVAL, "-B needs the name of an instance");
	return add_target(opts, value, err);
}

static int apply_all(void *opts, const char *value, struct errmsg *err)
{
	return add_target(opts, NULL, err);
}

static int apply_top(void *opts, const char *value, struct errmsg *err)
{
	return add_target(opts, "", err);
}

static int apply_size(void *opts, const char *value, struct errmsg *err)
{
	struct reset_options *o = opts;
	char *end;
	long long kb = strtoll(value, &end, 10);

	if (*end || kb <= 0)
		return errmsg_set(err, -EINVAL, "-b takes a size in kilobytes, not '%s'", value);
	if (o->n_targets)
		o->targets[o->n_targets - 1].buffer_kb = kb;
	else
		o->top_kb = kb;
	return 0;
}

static int apply_remove(void *opts, const char *value, struct errmsg *err)
{
	struct reset_options *o = opts;
	struct target *last = o->n_targets ? &o->targets[o->n_targets - 1] : NULL;

	if (!last || (last->name && !*last->name))
		return errmsg_set(err, -EINVAL,
				  "-d removes instances: it follows -B NAME or -a; the top level "
				  "cannot be removed");
	last->remove = true;
	return 0;
}

static int apply_keep(void *opts, const char *value, struct errmsg *err)
{
	struct reset_options *o = opts;
	unsigned kind = dynamic_kind_parse(value);

	if (!kind)
		return errmsg_set(err, -EINVAL, "-k takes one of %s, not '%s'", DYNAMIC_WORDS,
				  value);
	o->keep |= kind;
	return 0;
}

static const struct option_row rows[] = {
	ROW_CALL('B', "buffer", "INSTANCE",
		 "reset this instance instead of the top level; repeatable", apply_name),
	ROW_CALL('a', "all", NULL, "reset all instances, but not the top level", apply_all),
	ROW_CALL('t', "top", NULL, "with -B or -a: also use the top level", apply_top),
	ROW_CALL('b', "size", "KB", "set this buffer size per CPU, for the preceding -B, -a or -t",
		 apply_size),
	ROW_CALL('d', "delete", NULL, "remove the instances of the preceding -B or -a",
		 apply_remove),
	ROW_CALL('k', "keep", "TYPE", "keep probes of this type; repeatable", apply_keep,
		 .complete = DYNAMIC_WORDS),
	ROW_END,
};

/* --- doing it --------------------------------------------------------------------------------- */

static void tell(void *ctx, const char *sentence)
{
	fprintf(stderr, "sonde: %s\n", sentence);
}

static int treat_one(struct reset *reset, const char *instance, const struct target *target,
		     struct errmsg *err)
{
	return target->remove ? tracefs_remove_instance(reset->t, instance, err)
			      : reset_instance(reset, instance, target->buffer_kb, err);
}

static int treat_all(struct reset *reset, const struct target *target, struct errmsg *err)
{
	SCOPED(name_list_release) struct name_list list = {0};
	int r = 0;

	tracefs_instances(reset->t, &list);
	for (size_t i = 0; i < list.n; i++) {
		int r2 = treat_one(reset, list.names[i], target, err);

		r = r < 0 ? r : r2;
	}
	return r;
}

static int check_names(const struct tracefs *t, const struct reset_options *o, struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < o->n_targets; i++)
		r = o->targets[i].name ? tracefs_find_instance(t, o->targets[i].name, err) : 0;
	return r;
}

/* Adds the default target without -B, -a or -t: the top level, if no running recorder needs it. */
static int add_default(struct reset_options *o, struct errmsg *err)
{
	int pid;

	if (!o->n_targets) {
		if (journals_find_owner("", &pid))
			return errmsg_set(err, -EBUSY,
					  "process %d, a sonde, records with the top level now; "
					  "wait for its end, or reset it anyway with -t",
					  pid);
		add_target(o, "", err);
	}
	for (size_t i = 0; o->top_kb && i < o->n_targets; i++)
		if (o->targets[i].name && !*o->targets[i].name && !o->targets[i].buffer_kb)
			o->targets[i].buffer_kb = o->top_kb;
	return 0;
}

/* Reports instances in use, which a plain reset ignores. */
static void tell_left_alone(const struct tracefs *t, const struct reset_options *o)
{
	struct name_list list = {0};
	int pid;

	for (size_t i = 0; i < o->n_targets; i++)
		if (!o->targets[i].name || *o->targets[i].name)
			return;
	tracefs_instances(t, &list);
	for (size_t i = 0; i < list.n; i++)
		if (journals_find_owner(list.names[i], &pid))
			fprintf(stderr,
				"sonde: unchanged: the instance %s, into which process %d "
				"records\n",
				list.names[i], pid);
	name_list_release(&list);
}

static int treat(struct reset *reset, struct reset_options *o, struct errmsg *err)
{
	bool top = false;
	int r;

	TRY(check_names(reset->t, o, err));
	r = add_default(o, err);
	TRY(r);
	for (size_t i = 0; i < o->n_targets; i++) {
		const struct target *target = &o->targets[i];
		int r2 = target->name ? treat_one(reset, target->name, target, err)
				      : treat_all(reset, target, err);

		top |= r2 >= 0 && target->name && !*target->name;
		r = r < 0 ? r : r2;
	}
	if (top) /* after the instances, which may use the probes */
		reset_dynamic_events(reset, o->keep);
	tell_left_alone(reset->t, o);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct reset_options o = {0};
	struct tracefs t;
	struct reset reset = {.t = &t, .tell = tell};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (instances_refuse_words(cmd, n, argv, err) < 0 || tracefs_open(&t, err) < 0 ||
	    treat(&reset, &o, err) < 0)
		return errmsg_code(err);
	return reset.n_failed ? 1 : 0;
}

const struct command cmd_reset = {
	.name = "reset",
	.summary = "switch all tracing off and restore the defaults",
	.usage = "[options]",
	.options = rows,
	.run = run,
};
