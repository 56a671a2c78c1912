// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maptext.c - who runs on which CPU, one line per switch.
 *
 *	  *A0        1096.139266 secs A0 => migration/0:18
 *	   A0 *.     1096.139290 secs .  => swapper:0
 *	  *B0  .     1096.139398 secs B0 => bash:812
 *
 * A task has a name of two letters: A0 … Z0, A1 …, from its first switch on, and after Z9 from A0
 * on again. The star marks the CPU of the switch, "." is idle, nothing is not known. A task is
 * named in full when it appears first, and when its name has changed.
 */
#include "present/sched/maptext.h"

#include "analyse/sched/schedflow.h"
#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX  65536
#define TASKS_MAX (1u << 20)

struct map_name {
	char text[3];
	char comm[SCHED_COMM_BYTES]; /* as it was shown last */
};

void sched_map_init(struct sched_map *m, const struct sched_view *view,
		    const struct map_config *config)
{
	*m = (struct sched_map){.view = *view, .config = *config, .next_name = {'A', '0'}};
}

void sched_map_release(struct sched_map *m)
{
	free(m->names);
	free(m->cpus);
	free(m->columns);
}

static void make_name(struct sched_map *m, const struct sched_task *t, struct map_name *name)
{
	if (!t->pid) {
		memcpy(name->text, ". ", 3);
		return;
	}
	if (m->config.has_task && !m->config.has_task(m->config.ctx, t)) {
		memcpy(name->text, "--", 3);
		return;
	}
	memcpy(name->text, m->next_name, 2);
	if (m->next_name[0] < 'Z') {
		m->next_name[0]++;
	} else {
		m->next_name[0] = 'A';
		m->next_name[1] = m->next_name[1] < '9' ? m->next_name[1] + 1 : '0';
	}
}

/*
 * Returns the name, and whether the task is to be named in full. shown: it will be, if so. NULL:
 * memory is short.
 */
static struct map_name *name_of(struct sched_map *m, const struct sched_task *t, bool shown,
				bool *ret_new)
{
	const char *comm = t->pid ? t->comm : "swapper";
	struct map_name *name;

	if (!ARRAY_ROOM(m->names, m->n_names, t->index + 1, TASKS_MAX)) {
		m->has_dropped = true;
		return NULL;
	}
	name = &m->names[t->index];
	/* the idle tasks of all CPUs are one */
	*ret_new = t->pid ? strcmp(name->comm, comm) != 0 : !m->has_idle;
	m->has_idle |= !t->pid;
	if (shown || !name->text[0])
		snprintf(name->comm, sizeof(name->comm), "%s", comm);
	if (!name->text[0])
		make_name(m, t, name);
	return name;
}

/* --- the line --------------------------------------------------------------------------------- */

static bool is_shown(const struct sched_map *m, uint32_t cpu)
{
	return !m->config.has_cpu || m->config.has_cpu(m->config.ctx, cpu);
}

static void fmt_column(struct sched_map *m, uint32_t cpu, uint32_t this_cpu, struct textbuf *tb)
{
	const struct sched_task *t = cpu < m->n_cpus ? m->cpus[cpu].task : NULL;
	bool marked = m->config.colour && t && m->config.is_marked &&
		      m->config.is_marked(m->config.ctx, t);
	bool cpu_marked = m->config.colour && m->config.is_cpu_marked &&
			  m->config.is_cpu_marked(m->config.ctx, cpu);

	if (cpu_marked)
		textbuf_add_str(tb, "\033[41m");
	textbuf_add_char(tb, cpu == this_cpu ? '*' : ' ');
	if (marked)
		textbuf_add_str(tb, "\033[34m");
	textbuf_addf(tb, "%2s", t && t->index < m->n_names ? m->names[t->index].text : "  ");
	textbuf_add_str(tb, marked || cpu_marked ? "\033[m " : " ");
}

static void fmt_columns(struct sched_map *m, uint32_t this_cpu, struct textbuf *tb)
{
	size_t n = m->config.compact ? m->n_columns : m->config.n_cpus;

	for (size_t i = 0; i < n; i++) {
		uint32_t cpu = m->config.compact ? m->columns[i] : (uint32_t)i;

		if (is_shown(m, cpu))
			fmt_column(m, cpu, this_cpu, tb);
	}
}

/* Notes who runs now. Returns false if memory is short. */
static bool take_turn(struct sched_map *m, const struct sched_turn *t, bool *ret_new_cpu)
{
	if (!ARRAY_ROOM(m->cpus, m->n_cpus, (size_t)t->cpu + 1, CPUS_MAX))
		return false;
	*ret_new_cpu = !m->cpus[t->cpu].is_seen;
	if (*ret_new_cpu) {
		if (!ARRAY_ROOM(m->columns, m->cap_columns, m->n_columns + 1, CPUS_MAX))
			return false;
		m->columns[m->n_columns++] = t->cpu;
	}
	m->cpus[t->cpu].is_seen = true;
	m->cpus[t->cpu].task = t->next;
	return true;
}

void sched_map_fmt_turn(struct sched_map *m, const struct sched_turn *t, struct textbuf *tb)
{
	struct map_name *name;
	bool is_new_cpu, is_new;

	if (!t->next || !take_turn(m, t, &is_new_cpu))
		return;
	name = name_of(m, t->next, is_shown(m, t->cpu), &is_new);
	if (!name || (!is_shown(m, t->cpu) && !m->config.all_lines))
		return;
	textbuf_add_str(tb, "  ");
	fmt_columns(m, t->cpu, tb);
	if (!is_shown(m, t->cpu)) {
		textbuf_add_char(tb, '\n');
		return;
	}
	textbuf_add_str(tb, "  ");
	sched_fmt_moment(&m->view, t->end, 12, tb);
	textbuf_add_str(tb, m->view.in_time ? " secs " : " ");
	if (is_new)
		textbuf_addf(tb, "%s => %s:%d", name->text, name->comm, t->next->pid);
	if (m->config.compact && is_new_cpu)
		textbuf_addf(tb, " (CPU %u)", t->cpu);
	textbuf_add_char(tb, '\n');
}
