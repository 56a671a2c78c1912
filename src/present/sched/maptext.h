/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maptext.h - one line per switch with a column for each CPU, as perf sched map prints them.
 *
 *	sched_map_init ─▶ sched_map_fmt_turn … ─▶ sched_map_release
 */
#ifndef SONDE_PRESENT_SCHED_MAPTEXT_H
#define SONDE_PRESENT_SCHED_MAPTEXT_H

#include "analyse/sched/schedflow.h"
#include "base/textbuf.h"
#include "present/sched/schedtext.h"

struct map_config {
	bool compact;	/* columns only for CPUs that were seen */
	bool all_lines; /* as perf: a line for switches on CPUs that are not shown, too */
	bool colour;
	unsigned n_cpus;
	bool (*has_cpu)(void *ctx, uint32_t cpu);
	/* is the task's name shown? others have "--" */
	bool (*has_task)(void *ctx, const struct sched_task *t);
	bool (*is_marked)(void *ctx, const struct sched_task *t); /* in colour */
	bool (*is_cpu_marked)(void *ctx, uint32_t cpu);
	void *ctx;
};

struct map_name;

struct sched_map {
	struct sched_view view;
	struct map_config config;
	struct map_name *names; /* by index of the task */
	size_t n_names;
	char next_name[2];
	struct {
		const struct sched_task *task; /* NULL: not known */
		bool is_seen;
	} * cpus;
	size_t n_cpus;
	uint32_t *columns; /* compact: CPUs in the order of appearance */
	size_t n_columns, cap_columns;
	bool has_dropped;
	bool has_idle; /* the idle task was named */
};

void sched_map_init(struct sched_map *m, const struct sched_view *view,
		    const struct map_config *config);
void sched_map_release(struct sched_map *m);
void sched_map_fmt_turn(struct sched_map *m, const struct sched_turn *t, struct textbuf *tb);

#endif
