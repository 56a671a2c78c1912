// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * texts.c - the text files of a uftrace.data directory: what was recorded, of which tasks, where.
 *
 *	info          40 bytes: "Ftrace!", version, features, which lines follow; then KEY:VALUE
 *	              lines
 *	events.txt    names of the program's events
 *	task.txt      SESS, TASK and FORK lines with the time of each
 *	default.opts  options that readers of the directory use
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "format/uftrace.h"
#include "rewrite/uftrace/uftwriter_int.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define INFO_MAX_BYTES (64u << 20)
#define ANCESTORS_MAX  1000 /* processes that are looked at, if they have no calls themselves */

#define VERSION	       4
#define ITEMS	       0x3bff /* all lines but those of argument specifications */
#define BUILD_ID       0x0002
#define SPECS	       0x0400 /* those */
#define HERE	       0x0370 /* those that describe this machine and the recorded processes */
#define UFTRACE	       "v0.13 ( x86_64 dwarf python3 luajit tui perf sched dynamic )"

/* Of the program; NULL: unknown. uftrace does not read an empty one. */
static const char *build_id(const struct uftwriter *w)
{
	return w->n_modules && w->modules[0].build_id[0] ? w->modules[0].build_id : NULL;
}

static void add_header(const struct uftwriter *w, const struct uftwriter_run *run,
		       struct textbuf *tb)
{
	uint8_t head[UFT_HEADER_BYTES] = UFT_MAGIC;
	uint32_t version = VERSION;
	uint16_t n_bytes = UFT_HEADER_BYTES, max_stack = (uint16_t)run->max_stack;
	uint64_t features = UFT_FEATURE_TASK_SESSION | UFT_FEATURE_SYM_REL_ADDR |
			    UFT_FEATURE_MAX_STACK | (run->has_libcalls ? UFT_FEATURE_PLTHOOK : 0),
		 items = run->is_here ? ITEMS : ITEMS & ~HERE;

	if (w->n_perf_cpus)
		features |= UFT_FEATURE_PERF_EVENT;
	if (run->n_marks)
		features |= UFT_FEATURE_EVENT;
	if (w->kernel.formats)
		features |= UFT_FEATURE_KERNEL | (w->kernel.n_events ? UFT_FEATURE_EVENT : 0);
	if (!build_id(w))
		items &= ~(uint64_t)BUILD_ID;
	if (w->sources.n)
		features |= UFT_FEATURE_DEBUG_INFO;
	if (w->has_values) {
		features |=
			UFT_FEATURE_ARGUMENT | UFT_FEATURE_RETVAL |
			(run->has_auto_values ? UFT_FEATURE_AUTO_ARGS | UFT_FEATURE_DEBUG_INFO : 0);
		items |= SPECS;
	}

	memcpy(head + 8, &version, 4);
	memcpy(head + 12, &n_bytes, 2);
	head[14] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	head[15] = ELFCLASS64;
	memcpy(head + 16, &features, 8);
	memcpy(head + 24, &items, 8);
	memcpy(head + 32, &max_stack, 2);
	textbuf_add(tb, (const char *)head, sizeof(head));
}

/* The value of a line "KEY : VALUE" or KEY="VALUE" of a text file; "unknown" if there is none. */
static void add_value(const char *path, const char *key, char separator, struct textbuf *tb)
{
	SCOPED(fclose_scoped) FILE *f = fopen(path, "re");
	char line[1024];

	while (f && fgets(line, sizeof(line), f)) {
		char *value = strchr(line, separator);

		if (strncmp(line, key, strlen(key)) != 0 || !value)
			continue;
		value++;
		value += strspn(value, " \t");
		textbuf_add(tb, value, strcspn(value, "\n"));
		textbuf_add_char(tb, '\n');
		return;
	}
	textbuf_add_str(tb, "unknown\n");
}

static double memory_gb(const char *key)
{
	SCOPED(fclose_scoped) FILE *f = fopen("/proc/meminfo", "re");
	unsigned long long kb = 0;
	char line[256], form[64];

	snprintf(form, sizeof(form), "%s: %%llu", key);
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, form, &kb) == 1)
			break;
	return (double)kb / (1 << 20);
}

static void add_machine(struct textbuf *tb)
{
	struct utsname name = {0};

	uname(&name);
	textbuf_addf(tb, "cpuinfo:lines=2\ncpuinfo:nr_cpus=%d / %d (online/possible)\n",
		     get_nprocs(), get_nprocs_conf());
	textbuf_add_str(tb, "cpuinfo:desc=");
	add_value("/proc/cpuinfo", "model name", ':', tb);
	textbuf_addf(tb, "meminfo:%.1f / %.1f GB (free / total)\n", memory_gb("MemFree"),
		     memory_gb("MemTotal"));
	textbuf_addf(tb, "osinfo:lines=3\nosinfo:kernel=%s %s\nosinfo:hostname=%s\nosinfo:distro=",
		     name.sysname, name.release, name.nodename);
	add_value("/etc/os-release", "PRETTY_NAME", '=', tb);
}

static void add_tasks(const struct uftwriter *w, struct textbuf *tb)
{
	textbuf_addf(tb, "taskinfo:lines=2\ntaskinfo:nr_tid=%zu\ntaskinfo:tids=", w->n_tasks);
	for (size_t i = 0; i < w->n_tasks; i++)
		textbuf_addf(tb, "%s%d", i ? "," : "", w->order[i]->tid);
	textbuf_add_char(tb, '\n');
}

static void add_usage(const struct uftwriter_run *run, struct textbuf *tb)
{
	const struct rusage *u = &run->usage;
	double load[3] = {0};

	if (getloadavg(load, 3) < 0)
		load[0] = 0;
	textbuf_addf(tb,
		     "usageinfo:lines=6\nusageinfo:systime=%ld.%06ld\nusageinfo:usrtime=%ld.%06ld\n"
		     "usageinfo:ctxsw=%ld / %ld (voluntary / involuntary)\nusageinfo:maxrss=%ld\n"
		     "usageinfo:pagefault=%ld / %ld (major / minor)\n"
		     "usageinfo:iops=%ld / %ld (read / write)\n",
		     u->ru_stime.tv_sec, u->ru_stime.tv_usec, u->ru_utime.tv_sec,
		     u->ru_utime.tv_usec, u->ru_nvcsw, u->ru_nivcsw, u->ru_maxrss, u->ru_majflt,
		     u->ru_minflt, u->ru_inblock, u->ru_oublock);
	textbuf_addf(tb, "loadinfo:%.02f / %.02f / %.02f\n", load[0], load[1], load[2]);
}

static const char *exename(const struct uftwriter *w, const struct uftwriter_run *run)
{
	return run->exename ? run->exename : w->n_modules ? w->modules[0].path : "program";
}

static int write_info(struct uftwriter *w, const struct uftwriter_run *run, struct errmsg *err)
{
	TEXTBUF(tb, INFO_MAX_BYTES);
	struct tm tm;
	char date[64], elapsed[48];
	unsigned long long ns = w->last_ts > w->first_ts ? w->last_ts - w->first_ts : 0;

	/* a copy of a trace is the same everywhere */
	if (run->is_here)
		localtime_r(&run->date, &tm);
	else
		gmtime_r(&run->date, &tm);
	strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y", &tm);
	add_header(w, run, &tb);
	textbuf_addf(&tb, "exename:%s\n", exename(w, run));
	if (build_id(w))
		textbuf_addf(&tb, "build_id:%s\n", build_id(w));
	textbuf_addf(&tb, "exit_status:%d\n", run->wait_status);
	textbuf_addf(&tb, "cmdline:%s\n", run->cmdline ? run->cmdline : "");
	if (run->is_here)
		add_machine(&tb);
	add_tasks(w, &tb);
	if (run->is_here)
		add_usage(run, &tb);
	if (!run->elapsed)
		snprintf(elapsed, sizeof(elapsed), "%llu.%09llu", ns / 1000000000, ns % 1000000000);
	if (w->has_values)
		uftwriter_fmt_specs(w, run->has_auto_values, &tb);
	textbuf_addf(&tb, "record_date:%s\nelapsed_time:%s sec\n", date,
		     run->elapsed ? run->elapsed : elapsed);
	textbuf_addf(&tb, "pattern_type:%s\nuftrace_version:%s\n", run->is_glob ? "glob" : "regex",
		     UFTRACE);
	/* without info it is no recording: so that one is not there if anything is missing */
	TRY(shortage_check(err, "cannot write %s", w->path));
	return uftwriter_write_text(w, "info", &tb, err);
}

/*
 * The nearest ancestor of a process that is in the directory. Where perf's records do not say who
 * created it, the first process counts as its parent.
 */
static int parent_of(const struct uftwriter *w, int pid)
{
	const struct uft_task *t = NULL;
	uintptr_t parent = (uintptr_t)pid;

	for (int i = 0; i < ANCESTORS_MAX && parent && !t; i++) {
		parent = (uintptr_t)map_find(&w->parents, parent + 1);
		t = parent ? map_find(&w->tasks, parent + 1) : NULL;
	}
	return t && t->tgid != pid ? t->tgid : w->order[0]->tgid;
}

static int write_tasks(struct uftwriter *w, const struct uftwriter_run *run, uint64_t sid,
		       struct errmsg *err)
{
	TEXTBUF(tb, INFO_MAX_BYTES);

	for (size_t i = 0; i < w->n_tasks; i++) {
		const struct uft_task *t = w->order[i];
		unsigned long long s = t->first_ts / 1000000000, ns = t->first_ts % 1000000000;

		if (!i)
			textbuf_addf(&tb,
				     "SESS timestamp=%llu.%09llu pid=%d sid=%016llx "
				     "exename=\"%s\"\n",
				     s, ns, t->tgid, (unsigned long long)sid, exename(w, run));
		if (i && t->tid == t->tgid)
			textbuf_addf(&tb, "FORK timestamp=%llu.%09llu pid=%d ppid=%d\n", s, ns,
				     t->tid, parent_of(w, t->tid));
		else
			textbuf_addf(&tb, "TASK timestamp=%llu.%09llu tid=%d pid=%d\n", s, ns,
				     t->tid, t->tgid);
	}
	return uftwriter_write_text(w, "task.txt", &tb, err);
}

static int write_events(const struct uftwriter *w, const struct uftwriter_run *run,
			struct errmsg *err)
{
	TEXTBUF(tb, INFO_MAX_BYTES);

	for (size_t i = 0; i < run->n_marks; i++)
		textbuf_addf(&tb, "EVENT: %zu %s\n", UFT_EVENT_USER + i, run->marks[i]);
	return run->n_marks ? uftwriter_write_text(w, "events.txt", &tb, err) : 0;
}

int uftwriter_write_texts(struct uftwriter *w, const struct uftwriter_run *run, uint64_t sid,
			  struct errmsg *err)
{
	const char *defaults = run->default_opts ? run->default_opts : "";

	TRY(write_tasks(w, run, sid, err));
	TRY(uftwriter_write_file(w, "default.opts", defaults, strlen(defaults), err));
	TRY(write_events(w, run, err));
	return write_info(w, run, err);
}
