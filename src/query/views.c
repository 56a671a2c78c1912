// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * views.c - the views of the database.
 *
 * Queries that were written for Perfetto should run as they are. Where its table has another name
 * here, or is a part of a table, a view has its name and its columns. Views of its standard library
 * are here if queries often use them: they cost nothing until they are used.
 */
#include "query/views.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define SLICE_COLUMNS \
	"s.id, s.ts, s.dur, s.category, s.name, s.track_id, s.depth, s.parent_id, s.arg_set_id"
#define TASK_COLUMNS                                                             \
	"t.name AS thread_name, s.utid, t.tid, t.upid, p.name AS process_name, " \
	"p.pid, t.is_main_thread"
#define TASK_JOIN "JOIN thread t USING (utid) LEFT JOIN process p USING (upid)"

const struct query_view query_views[] = {
	{"ftrace_event", "Perfetto's name of event",
	 "SELECT id, ts, name, cpu, utid, id AS arg_set_id, cpu AS ucpu FROM event"},
	{"sched_slice", "Perfetto's name of sched", "SELECT * FROM sched"},
	{"slice", "functions, system calls, interrupts: category function, syscall, irq, softirq",
	 "SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, is_open "
	 "FROM slice_with_task"},
	{"slices", "an older name of slice", "SELECT * FROM slice"},
	{"thread_slice", "slices with the names of their tasks",
	 "SELECT " SLICE_COLUMNS ", " TASK_COLUMNS " FROM slice_with_task s " TASK_JOIN},
	{"thread_or_process_slice", "the same",
	 "SELECT " SLICE_COLUMNS ", " TASK_COLUMNS " FROM slice_with_task s " TASK_JOIN},
	{"sched_with_thread_process", "sched with the names of tasks",
	 "SELECT s.id, s.ts, s.dur, s.cpu, s.utid, t.name AS thread_name, t.upid, "
	 "p.name AS process_name, s.end_state, s.priority, t.tid, p.pid FROM sched s " TASK_JOIN},
	{"track", "all tracks: of tasks, of CPUs, of counters",
	 "SELECT id, name, type, category, NULL AS cpu, utid, machine_id FROM thread_track "
	 "UNION ALL SELECT id, name, type, category, cpu, NULL, machine_id FROM cpu_track "
	 "UNION ALL SELECT id, name, type, NULL, cpu, utid, machine_id FROM counter_track"},
	{"counters", "counter with the names of its tracks",
	 "SELECT c.id, c.ts, c.track_id, c.value, c.arg_set_id, t.name, t.unit, t.cpu, t.utid, "
	 "t.upid FROM counter c JOIN counter_track t ON t.id = c.track_id"},
	{"cpu_counter_track", "the counters of CPUs",
	 "SELECT id, name, type, unit, cpu, cpu AS ucpu, machine_id FROM counter_track "
	 "WHERE cpu NOT NULL"},
	{"thread_counter_track", "the counters of tasks",
	 "SELECT id, name, type, unit, utid, machine_id FROM counter_track WHERE utid NOT NULL"},
	{"process_counter_track", "the counters of processes",
	 "SELECT id, name, type, unit, upid, machine_id FROM counter_track WHERE upid NOT NULL"},
	{"perf_counter_track", "the counters of the processor",
	 "SELECT id, name, type, unit, cpu, utid, machine_id FROM counter_track "
	 "WHERE type = 'perf_counter'"},
	{"cpu_frequency_counters", "frequencies of CPUs and how long they lasted",
	 "SELECT c.id, c.track_id, c.ts, lead(c.ts, 1, (SELECT end_ts FROM trace_bounds)) OVER "
	 "(PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur, CAST(c.value AS INTEGER) AS freq, "
	 "t.cpu, t.cpu AS ucpu FROM counter c JOIN counter_track t ON t.id = c.track_id "
	 "WHERE t.name = 'cpufreq'"},
	{"perf_sample", "Perfetto's name of sample",
	 "SELECT id, ts, utid, cpu, NULL AS cpu_mode, callsite_id, NULL AS unwind_error, "
	 "0 AS perf_session_id FROM sample"},
};
const size_t query_n_views = sizeof(query_views) / sizeof(*query_views);

static const char *skip_blanks(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

const char *views_skip_include(const char *sql)
{
	static const char *const words[] = {"INCLUDE", "PERFETTO", "MODULE"};
	const char *s = skip_blanks(sql);

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t len = strlen(words[i]);

		if (strncasecmp(s, words[i], len) != 0 || !isspace((unsigned char)s[len]))
			return NULL;
		s = skip_blanks(s + len);
	}
	while (isalnum((unsigned char)*s) || (*s && strchr("_.*", *s)))
		s++;
	s = skip_blanks(s);
	return *s == ';' ? s + 1 : *s ? NULL : s;
}
