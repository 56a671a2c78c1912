// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * census.c - collects the processes from /proc and the kernel.
 *
 *	at the start       /proc/PID/task, /proc/PID/cmdline of all
 *	in between         threads: the kernel's saved_tgids, which the option record-tgid fills
 *	                   (setup/tasks.c) command lines: a BPF program at every exec (bpf/exec.c),
 *	                   if possible
 *	at the end         /proc again, for processes that changed their command line
 *
 * Later sources are newer and override earlier ones. The kernel never empties saved_tgids: it still
 * has thousands of threads of earlier recordings. So its lines are also read at the start, and
 * lines that are the same at the end are ignored. (A thread that got both the pid and the process
 * of an earlier thread is missed. A process that got the pid of an earlier process is known from
 * its exec.)
 *
 * In another pid namespace the pids mean other processes, so nothing is collected there.
 *
 * sonde's own processes are this process, its guardian, and the processes that started it to record
 * for them (view --live).
 */
#include "capture/kernel/census.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/bpf/exec.h"
#include "capture/kernel/pidspace.h"
#include "capture/plan.h"
#include "symbols/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TGIDS_MAX_BYTES (64u << 20)

struct census {
	struct processes *processes;
	struct processes *earlier; /* threads in saved_tgids at the start; NULL: not needed */
	bool no_commands;
	struct bpfexec exec;
};

/*
 * --- /proc -------------------------------------------------------------------------------------
 */

static void read_command(struct census *c, int tgid)
{
	char path[64], words[PROCESSES_COMMAND_MAX + 1];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", tgid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, words, sizeof(words)));
	if (fd >= 0)
		close(fd);
	if (n > 0)
		processes_add_command(c->processes, tgid, words, (size_t)n,
				      n > PROCESSES_COMMAND_MAX);
}

static void read_threads(struct census *c, int tgid)
{
	struct dirent *e;
	char path[64];
	SCOPED(closedir_scoped) DIR *dir = NULL;

	snprintf(path, sizeof(path), "/proc/%d/task", tgid);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (isdigit((unsigned char)e->d_name[0]))
			processes_add_thread(c->processes, atoi(e->d_name), tgid);
}

static void read_proc(struct census *c)
{
	SCOPED(closedir_scoped) DIR *proc = opendir("/proc");
	struct dirent *e;

	while (proc && (e = readdir(proc))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		read_threads(c, atoi(e->d_name));
		if (!c->no_commands)
			read_command(c, atoi(e->d_name));
	}
}

/*
 * --- meanwhile ---------------------------------------------------------------------------------
 */

/* Adds the kernel's "PID TGID" lines to *to, except those in `known`, which may be NULL. */
static void read_tgids(struct processes *to, const struct processes *known, const struct tracefs *t)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = TGIDS_MAX_BYTES};
	int tid, tgid;

	if (tracefs_read(t, "", "saved_tgids", &text) >= 0)
		textbuf_add(&text, "", 1);
	for (const char *p = text.overflow ? NULL : text.start; p && *p;) {
		if (sscanf(p, "%d %d", &tid, &tgid) == 2 &&
		    (!known || processes_find_tgid(known, tid) != tgid))
			processes_add_thread(to, tid, tgid);
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
}

static int take_command(void *ctx, int tgid, const char *words, size_t n_bytes, bool is_cut)
{
	const struct census *c = ctx;

	return processes_add_command(c->processes, tgid, words, n_bytes, is_cut);
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

/* Adds the command's process, which is a fork of our process until it runs the command. */
static void add_command(struct census *c, const struct census_config *config)
{
	SCOPED(textbuf_release) struct textbuf words = {.max_bytes = PROCESSES_COMMAND_MAX + 1};

	if (!config->command || !config->argv || c->no_commands)
		return;
	for (char *const *word = config->argv; *word; word++)
		textbuf_add(&words, *word, strlen(*word) + 1);
	processes_add_command(c->processes, config->command, words.start, textbuf_len(&words),
			      words.overflow);
}

struct census *census_open(const struct census_config *config)
{
	struct census *c = calloc(1, sizeof(*c));
	struct errmsg ignored = {0};

	if (c)
		c->processes = processes_new();
	if (!c || !c->processes) {
		free(c);
		return NULL;
	}
	c->no_commands = config->plan->no_commands;
	if (!pidspace_is_kernels())
		return c;
	if (config->is_live && !c->no_commands && !config->plan->tell_names)
		bpfexec_open(&c->exec, &ignored);
	if (config->is_live)
		c->earlier = processes_new();
	if (c->earlier)
		read_tgids(c->earlier, NULL, config->t);
	read_proc(c);
	add_command(c, config);
	processes_add_self(c->processes, getpid());
	if (config->guardian > 0)
		processes_add_self(c->processes, config->guardian);
	for (size_t i = 0; i < config->plan->n_own_pids; i++)
		processes_add_self(c->processes, config->plan->own_pids[i]);
	return c;
}

uint64_t census_powers(const struct census *c)
{
	int power = c && c->exec.is_open ? bpf_reading_needs_power() : -1;

	return power >= 0 ? UINT64_C(1) << power : 0;
}

void census_add_own(struct census *c)
{
	if (pidspace_is_kernels())
		read_threads(c, getpid());
}

void census_finish(struct census *c, const struct tracefs *t)
{
	struct errmsg ignored = {0};

	if (!pidspace_is_kernels())
		return;
	read_tgids(c->processes, c->earlier, t);
	bpfexec_each(&c->exec, take_command, c, &ignored);
	bpfexec_close(&c->exec);
	read_proc(c);
}

void census_close(struct census *c)
{
	if (!c)
		return;
	bpfexec_close(&c->exec);
	processes_free(c->earlier);
	processes_free(c->processes);
	free(c);
}

const struct processes *census_processes(const struct census *c)
{
	return c ? c->processes : NULL;
}
