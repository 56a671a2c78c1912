/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * countrun.h - counts events while a command, processes or the machine run: what `counters` does.
 *
 *	counttarget_init     finds the threads, CPUs and cgroups that the user means
 *	countrun             opens the counters, starts, waits, reads; once or several times
 *
 * The result is a countertable (analyse/counters). Threads: all runs in the caller's.
 */
#ifndef SONDE_LIVE_COUNTERS_COUNTRUN_H
#define SONDE_LIVE_COUNTERS_COUNTRUN_H

#include "analyse/counters/countertable.h"
#include "capture/perf/counters/countersource.h"
#include "capture/perf/counters/cpulist.h"
#include "capture/perf/events/perfevents.h"

struct errmsg;

/* What gets a row of its own. */
enum countparts {
	COUNTPARTS_ALL, /* one row for each event */
	COUNTPARTS_CPU,
	COUNTPARTS_CORE,
	COUNTPARTS_DIE,
	COUNTPARTS_SOCKET,
	COUNTPARTS_NODE,
	COUNTPARTS_THREAD,
};

struct countrun_config {
	const struct countersource *source; /* NULL: the kernel */
	const char *sysfs;		    /* NULL: "/sys" */
	const struct perfevents *events;
	size_t first_optional;	 /* events from here on are omitted if the machine has none */
	char **argv;		 /* NULL: no command */
	const char *pids, *tids; /* "12,34"; NULL: none */
	const char *cpus;	 /* "0,2-3"; NULL: all, with all_tasks */
	bool all_tasks;
	const char *cgroups; /* "a,b": each event for each cgroup; NULL: none */
	enum countparts parts;
	bool no_inherit, no_merge;
	long delay_ms;	  /* count only after it; -1: never start */
	long interval_ms; /* 0: only at the end */
	long n_intervals; /* end after so many; 0: no limit */
	long timeout_ms;  /* 0: none */
	long n_runs;	  /* 0: until a signal comes */
};

struct countrun_front {
	/* after each interval, with what was counted in it; since_s: since the start */
	int (*interval)(void *ctx, const struct countertable *t, double since_s);
	void (*delay_ends)(void *ctx); /* counting begins; may be NULL */
	void *ctx;
};

struct countrun_result {
	struct countertable *table; /* the caller frees it with countrun_release() */
	struct counterevent *events;
	size_t n_events;
	int status;		 /* of the command, as from wait(); 0 without a command */
	bool has_command_failed; /* to start */
	int signal;		 /* that ended the run; 0: none */
	bool is_user_only;	 /* an event was counted in user mode only, for want of rights */
	char *names;		 /* texts of events */
};

/* Returns a negative errno with a message; then there is nothing to release. */
int countrun(const struct countrun_config *config, const struct countrun_front *front,
	     struct countrun_result *ret, struct errmsg *err);
void countrun_release(struct countrun_result *r);

/*
 * The events that are counted if the user names none. detail: 0 to 3, as the letters d of -d -d -d.
 * Returns a list for perfevents_parse(); static text.
 */
const char *countrun_defaults(bool on_cpus);
const char *countrun_details(unsigned level); /* level 1 to 3: what this level adds */

#endif
