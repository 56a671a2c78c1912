// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record.c - `sonde as perf record`: sonde records a trace, and writes it as a perf.data.
 *
 *	perf record -g -F 999 -e cpu-clock ./x  ─▶  sonde sample --stacks fp -F 999 -e cpu-clock ./x
 *	perf record -e sched:* -a sleep 1       ─▶  sonde record -e sched:* sleep 1
 *	                                            └▶ a trace in a temporary directory ─▶ perf.data
 *
 * Tracepoints and probes are recorded as events of the kernel, with all their fields; other events
 * by perf_event_open(). Both together are one recording. With call graphs, tracepoints are recorded
 * in both ways, for the stacks, and are one record of the file again (present/perfdata/twins.h).
 * The file appears when the recording ends.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/options.h"
#include "base/scope.h"
#include "capture/perf/events/perfevents.h"
#include "cli/as/perf.h"
#include "cli/as/perf/choice.h"
#include "cli/as/perf_words.h"
#include "cli/command.h"
#include "cli/samples/perfexport.h"
#include "inputs/samples/sampleread.h"
#include "store/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WORDS_MAX	4096
#define CPUS_MAX	8192
#define TEXT_MAX_BYTES	(2000u << 20)
#define STACK_MAX_BYTES 65528u /* of the kernel: a record has 64 KB */

extern const struct command cmd_record, cmd_sample;

struct options {
	const char *events[256]; /* of perf_event_open() */
	const char *tracepoints[256], *filters[256];
	bool has_no_stack[256]; /* by tracepoint */
	size_t n_events, n_tracepoints;
	bool last_is_tracepoint;
	const char *freq, *count, *pids, *tids, *cpus, *output, *stacks, *pages, *user;
	bool all, all_user, all_kernel, graph, no_inherit, quiet, off_cpu, unused;
};
#define AT(field) offsetof(struct options, field)

static int refuse_value(const char *letters, struct errmsg *err);

/* Is SYSTEM:EVENT an event of the kernel's tracing directory? */
static bool is_tracepoint(const char *name)
{
	char path[300];
	size_t len = strcspn(name, ":");
	struct stat st;

	if (!name[len] || memchr(name, '/', len))
		return false;
	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%.*s", (int)len, name);
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int add_event(struct options *o, const char *name, struct errmsg *err)
{
	if (o->n_events == ARRAY_LEN(o->events) || o->n_tracepoints == ARRAY_LEN(o->tracepoints))
		return errmsg_set(err, -E2BIG, "perf: too many events");
	o->last_is_tracepoint = is_tracepoint(name);
	if (o->last_is_tracepoint)
		o->tracepoints[o->n_tracepoints++] = name;
	else
		o->events[o->n_events++] = name;
	return 0;
}

/* A list with commas; those in braces and between slashes do not end an event. */
static int apply_event(void *opts, const char *value, struct errmsg *err)
{
	SCOPED(perfevents_release) struct perfevents known = {0};
	char *copy = strdup(value), *start = copy;
	struct errmsg why = {0};
	bool in_braces = false, in_slashes = false;

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot read -e");
	if (perfevents_parse(value, &known, &why) < 0) {
		fprintf(stderr,
			"event syntax error: '%s'\n%*s\\___ %s\nRun 'perf list' for a list of "
			"valid "
			"events\n",
			value, 21, "", why.text);
		free(copy);
		return refuse_value("e", err);
	}
	for (char *c = copy;; c++) {
		bool is_end = !*c;

		in_braces = *c == '{' || (in_braces && *c != '}');
		in_slashes ^= *c == '/';
		if (!is_end && (*c != ',' || in_braces || in_slashes))
			continue;
		*c = '\0';
		TRY(add_event(opts, start, err));
		start = c + 1;
		if (is_end)
			return 0; /* the words live as long as the program */
	}
}

static int apply_filter(void *opts, const char *value, struct errmsg *err)
{
	struct options *o = opts;

	if (!o->last_is_tracepoint)
		return errmsg_set(
			err, -EINVAL,
			"--filter option should follow a -e tracepoint or HW tracer option");
	o->filters[o->n_tracepoints - 1] = value;
	return 0;
}

static int apply_graph(void *opts, const char *value, struct errmsg *err)
{
	struct options *o = opts;
	char *end = NULL;
	unsigned long n_bytes = strncmp(value, "dwarf,", 6) ? 0 : strtoul(value + 6, &end, 0);

	if (end && (*end || n_bytes > STACK_MAX_BYTES)) {
		fprintf(stderr, "callchain: Incorrect stack dump size (max %u): %s\n",
			STACK_MAX_BYTES, value + 6);
		return refuse_value("g", err);
	}
	if (!end && strcmp(value, "fp") && strcmp(value, "dwarf") && strcmp(value, "lbr")) {
		fprintf(stderr, "callchain: Unknown --call-graph option value: %s\n", value);
		return refuse_value("g", err);
	}
	o->graph = true;
	o->stacks = value;
	return 0;
}

static int refuse_branches(void *opts, const char *value, struct errmsg *err)
{
	return errmsg_set(err, -ENOTSUP,
			  "perf: sonde does not record branch stacks (-b, -j); --call-graph lbr "
			  "takes call chains from them");
}

static int refuse_cgroup(void *opts, const char *value, struct errmsg *err)
{
	return errmsg_set(
		err, -ENOTSUP,
		"perf: sonde does not sample a cgroup (-G); choose its processes with -p, "
		"or count with perf stat -G");
}

static const struct option_row rows[] = {
	ROW_CALL('e', "event", "event", "event selector. use 'perf list' to list available events",
		 apply_event),
	ROW_CALL(0, "filter", "filter", "event filter", apply_filter),
	ROW_STRING('p', "pid", "pid", "record events on existing process id", AT(pids)),
	ROW_STRING('t', "tid", "tid", "record events on existing thread id", AT(tids)),
	ROW_STRING('C', "cpu", "cpu", "list of cpus to monitor", AT(cpus)),
	ROW_FLAG('a', "all-cpus", "system-wide collection from all CPUs", AT(all)),
	ROW_STRING('c', "count", "n", "event period to sample", AT(count)),
	ROW_STRING('F', "freq", "freq or 'max'", "profile at this frequency", AT(freq)),
	ROW_STRING('o', "output", "file", "output file name", AT(output), .complete = "file"),
	ROW_FLAG('g', NULL, "enables call-graph recording", AT(graph)),
	ROW_CALL(0, "call-graph", "record_mode[,record_size]",
		 "setup and enables call-graph (stack chain/backtrace)", apply_graph),
	ROW_FLAG('i', "no-inherit", "child tasks do not inherit counters", AT(no_inherit)),
	ROW_STRING('m', "mmap-pages", "pages[,pages]", "number of mmap data pages", AT(pages)),
	ROW_FLAG('q', "quiet", "don't print any warnings or messages", AT(quiet)),
	ROW_STRING('k', "clockid", "clockid", "clockid to use for events; sonde uses mono_raw",
		   AT(user)),
	ROW_FLAG(0, "all-user", "Configure all used events to run in user space.", AT(all_user)),
	ROW_FLAG(0, "all-kernel", "Configure all used events to run in kernel space.",
		 AT(all_kernel)),
	ROW_FLAG(0, "per-thread", "use per-thread mmaps", AT(unused)),
	ROW_FLAG(0, "sample-cpu", "Record the sample cpu", AT(unused)),
	ROW_FLAG(0, "no-buffering", "collect data without buffering", AT(unused)),
	ROW_STRING('z', "compression-level", "n", "accepted; the file is not compressed", AT(user),
		   .arg_optional = true),
	ROW_FLAG('R', "raw-samples", "collect raw sample records from all opened counters",
		 AT(unused)),
	ROW_FLAG('T', "timestamp", "Record the sample timestamps", AT(unused)),
	ROW_FLAG('P', "period", "Record the sample period", AT(unused)),
	ROW_FLAG('d', "data", "Record the sample addresses", AT(unused)),
	ROW_FLAG('s', "stat", "per thread counts", AT(unused)),
	ROW_FLAG('N', "no-buildid-cache", "do not update the buildid cache", AT(unused)),
	ROW_FLAG('B', "no-buildid", "do not collect buildids in perf.data", AT(unused)),
	ROW_FLAG(0, "off-cpu", "also sample waits, with their lengths in ns", AT(off_cpu)),
	ROW_CALL('b', "branch-any", NULL, "refused: sonde records no branch stacks",
		 refuse_branches),
	ROW_CALL('j', "branch-filter", "branch filter mask",
		 "refused: sonde records no branch stacks", refuse_branches),
	ROW_CALL('G', "cgroup", "name", "refused: sonde samples no cgroups by name", refuse_cgroup),
	ROW_FLAG(0, "buildid-all", "accepted; sonde records the build ids of all files",
		 AT(unused)),
	ROW_FLAG(0, "buildid-mmap", "accepted; build ids are in the header", AT(unused)),
	ROW_FLAG(0, "sample-identifier", "accepted; samples always have an identifier", AT(unused)),
	ROW_FLAG(0, "timestamp-boundary", "accepted; has no effect", AT(unused)),
	ROW_FLAG(0, "no-bpf-event", "accepted; has no effect", AT(unused)),
	ROW_FLAG(0, "tail-synthesize", "accepted; has no effect", AT(unused)),
	ROW_STRING(0, "synth", "no|all|task|mmap|cgroup", "accepted; has no effect", AT(user)),
	ROW_STRING(0, "mmap-flush", "number", "accepted; has no effect", AT(user)),
	ROW_STRING(0, "affinity", "node|cpu", "accepted; has no effect", AT(user)),
	ROW_STRING(0, "aio", "n", "accepted; has no effect", AT(user), .arg_optional = true),
	ROW_STRING(0, "threads", "spec", "accepted; has no effect", AT(user), .arg_optional = true),
	ROW_STRING(0, "num-thread-synthesize", "n", "accepted; has no effect", AT(user)),
	ROW_STRING(0, "proc-map-timeout", "n", "accepted; has no effect", AT(user)),
	ROW_FLAG('v', "verbose", "be more verbose (show counter open errors, etc)", AT(unused)),
	ROW_END,
};

static const char *const usage_lines[] = {"perf record [<options>] [<command>]",
					  "perf record [<options>] -- <command> [<options>]", NULL};
static const struct perf_usage usage = {.lines = usage_lines, .rows = rows, .exclusive = ""};

/* A wrong value: perf's text, the row of its option, and perf's status. */
static int refuse_value(const char *letters, struct errmsg *err)
{
	perf_usage_print(&usage, letters, stderr);
	errmsg_set(err, -EPIPE, "wrong value");
	err->reason = PERF_USAGE;
	return -EPIPE;
}

/*
 * --- the command line of sonde -----------------------------------------------------------------
 */

struct words {
	char *list[WORDS_MAX];
	int n;
};

static void add(struct words *w, const char *word)
{
	if (word && w->n < WORDS_MAX - 1)
		w->list[w->n++] = (char *)word;
}

static void add_pair(struct words *w, const char *name, const char *value)
{
	if (!value)
		return;
	add(w, name);
	add(w, value);
}

/* One text of several, with commas; it lives as long as the program. */
static const char *join(const char *const *list, size_t n)
{
	TEXTBUF(tb, 1u << 20);

	for (size_t i = 0; i < n; i++)
		textbuf_addf(&tb, "%s%s", i ? "," : "", list[i]);
	return n ? strdup(textbuf_text(&tb)) : NULL;
}

static const char *max_rate(void)
{
	SCOPED(fclose_scoped) FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned rate;
	char text[16];

	if (!f || fscanf(f, "%u", &rate) != 1)
		return "4000";
	snprintf(text, sizeof(text), "%u", rate);
	return strdup(text);
}

/* Samples a second: perf's default, and not more than the kernel allows. */
static void settle_rate(struct options *o)
{
	const char *max = max_rate();

	if (!o->freq) {
		o->freq = "4000";
	} else if (!strcmp(o->freq, "max")) {
		fprintf(stderr, "info: Using a maximum frequency rate of %s Hz\n", max);
		o->freq = max;
	} else if (strtoull(o->freq, NULL, 0) > strtoull(max, NULL, 0)) {
		fprintf(stderr,
			"warning: Maximum frequency rate (%s Hz) exceeded, throttling from %s Hz "
			"to %s Hz.\n         The limit can be raised via "
			"/proc/sys/kernel/perf_event_max_sample_rate.\n",
			max, o->freq, max);
		o->freq = max;
	}
}

/* Samples alone. */
static void add_sampling(struct words *w, const struct options *o)
{
	add(w, "sample");
	add_pair(w, "-e", join(o->events, o->n_events));
	if (!o->count)
		add_pair(w, "-F", o->freq);
	add_pair(w, "-c", o->count);
	add_pair(w, "-p", o->pids);
	add_pair(w, "-t", o->tids);
	add_pair(w, "-C", o->cpus);
	if (o->all)
		add(w, "-a");
	if (o->no_inherit)
		add(w, "--no-inherit");
}

/* The threads of processes, for events of the kernel. */
static const char *threads_of(const char *pids)
{
	TEXTBUF(tb, 1u << 20);

	for (const char *p = pids; p && *p; p += strcspn(p, ",") + !!strchr(p, ',')) {
		SCOPED(closedir_scoped) DIR *dir = NULL;
		const struct dirent *d;
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/task", atoi(p));
		dir = opendir(path);
		while (dir && (d = readdir(dir)))
			if (d->d_name[0] != '.')
				textbuf_addf(&tb, "%s%s", textbuf_len(&tb) ? "," : "", d->d_name);
	}
	return pids ? strdup(textbuf_text(&tb)) : NULL;
}

/* Bits of CPUs as hex digits, with a comma behind each 32 bits, for -M. */
static const char *mask_of(const char *cpus)
{
	uint32_t bits[CPUS_MAX / 32] = {0};
	TEXTBUF(tb, CPUS_MAX);
	char *end;

	for (const char *c = cpus; c && *c; c = end + (*end == ',')) {
		unsigned long first = strtoul(c, &end, 10), last = first;

		if (end == c)
			return NULL;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last && first < CPUS_MAX; first++)
			bits[first / 32] |= 1u << first % 32;
	}
	for (size_t i = ARRAY_LEN(bits); i-- > 0;)
		if (bits[i] || textbuf_len(&tb) || !i)
			textbuf_addf(&tb, textbuf_len(&tb) ? ",%08x" : "%x", bits[i]);
	return cpus ? strdup(textbuf_text(&tb)) : NULL;
}

/* --sample=WHAT[,COUNT] */
static void add_sample(struct words *w, const char *what, const char *count)
{
	TEXTBUF(tb, 1u << 16);

	textbuf_addf(&tb, "--sample=%s%s%s", what, count ? "," : "", count ? count : "");
	add(w, strdup(textbuf_text(&tb)));
}

/* Samples beside events. With call graphs the events are sampled, too: present/perfdata/twins.h. */
static void add_samples(struct words *w, const struct options *o)
{
	if (o->n_events && !o->count)
		add_sample(w, o->freq, NULL);
	for (size_t i = 0; i < o->n_events; i++)
		add_sample(w, o->events[i], o->count);
	for (size_t i = 0; i < o->n_tracepoints && o->graph; i++)
		if (!o->has_no_stack[i])
			add_sample(w, o->tracepoints[i], NULL);
	if (!o->n_events && !o->graph)
		return;
	if (o->all || (o->cpus && !o->pids && !o->tids))
		add(w, "--sample-all");
	if (o->tids)
		add(w, "--sample-threads");
	if (o->no_inherit)
		add(w, "--no-inherit");
}

/* Events of the kernel, perhaps with samples beside them. */
static void add_recording(struct words *w, const struct options *o, bool has_command)
{
	add(w, "record");
	for (size_t i = 0; i < o->n_tracepoints; i++) {
		add_pair(w, "-e", o->tracepoints[i]);
		add_pair(w, "-f", o->filters[i]);
	}
	add_samples(w, o);
	add_pair(w, "-P", o->tids ? o->tids : threads_of(o->pids));
	add_pair(w, "-M", mask_of(o->cpus));
	if (!o->all && !o->cpus && !o->pids && !o->tids && has_command) {
		add(w, "-F"); /* only the command … */
		if (!o->no_inherit)
			add(w, "-c"); /* … and its children */
	}
}

/* An event with one more modifier: cycles:u, {cycles,faults}:Su, cpu/event=0x3c/u. */
static const char *with_mode(const char *event, char mode)
{
	const char *behind = strrchr(event, '}') ? strrchr(event, '}') : strrchr(event, '/');
	const char *modifiers = strchr(behind ? behind : event, ':');
	TEXTBUF(tb, 1u << 16);

	textbuf_addf(&tb, "%s%s%c", event, modifiers || (behind && *behind == '/') ? "" : ":",
		     mode);
	return strdup(textbuf_text(&tb));
}

/* --all-user, --all-kernel */
static void set_mode(struct options *o)
{
	if (!o->all_user && !o->all_kernel)
		return;
	if (!o->n_events && !o->n_tracepoints)
		o->events[o->n_events++] = "cycles";
	for (size_t i = 0; i < o->n_events; i++)
		o->events[i] = with_mode(o->events[i], o->all_user ? 'u' : 'k');
}

/*
 * Is SYSTEM:EVENT a probe in a program? Then: has it arguments? Its line: p:SYSTEM/EVENT
 * PATH:OFFSET a=%di
 */
static bool find_uprobe(const char *name, bool *ret_has_arguments)
{
	SCOPED(fclose_scoped) FILE *f = fopen("/sys/kernel/tracing/uprobe_events", "re");
	char line[8192], event[300], *slash;

	snprintf(event, sizeof(event), "%.290s ", name);
	slash = strchr(event, ':');
	if (slash)
		*slash = '/';
	while (f && fgets(line, sizeof(line), f)) {
		const char *at = strchr(line, ':');

		if (!at || strncmp(at + 1, event, strlen(event)) != 0)
			continue;
		*ret_has_arguments = strchr(at + 1 + strlen(event), ' ');
		return true;
	}
	return false;
}

/*
 * A probe in a program is recorded as an event, with its arguments, or sampled, with its stack: the
 * kernel refuses both together. With call graphs, one without arguments is sampled.
 */
static void part_uprobes(struct options *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_tracepoints && o->graph; i++) {
		const char *name = o->tracepoints[i];
		bool has_arguments = false, is_uprobe = find_uprobe(name, &has_arguments);

		if (is_uprobe && !has_arguments && !o->filters[i] &&
		    o->n_events < ARRAY_LEN(o->events)) {
			o->events[o->n_events++] = name;
			continue;
		}
		if (is_uprobe && !o->quiet)
			fprintf(stderr,
				"perf: '%s' has %s, so it is recorded without call graphs\n", name,
				has_arguments ? "arguments" : "a filter");
		o->tracepoints[n] = name;
		o->filters[n] = o->filters[i];
		o->has_no_stack[n++] = is_uprobe;
	}
	if (o->graph)
		o->n_tracepoints = n;
}

static int run_sonde(struct options *o, const char *trace, char **command, struct errmsg *err)
{
	struct words w = {.n = 0};
	const struct command *cmd;

	set_mode(o);
	part_uprobes(o);
	cmd = o->n_tracepoints ? &cmd_record : &cmd_sample;
	if (o->n_tracepoints)
		add_recording(&w, o, *command);
	else
		add_sampling(&w, o);
	if (!o->n_tracepoints || o->n_events || o->graph)
		add_pair(&w, "--stacks", !o->graph ? "none" : o->stacks ? o->stacks : "fp");
	if (o->off_cpu)
		add(&w, "--off-cpu");
	add_pair(&w, "-o", trace);
	add(&w, "-q");
	if (*command)
		add(&w, "--");
	for (; *command; command++)
		add(&w, *command);
	return cmd->run(cmd, w.n, w.list, err);
}

/*
 * --- the file ----------------------------------------------------------------------------------
 */

static int write_stdout(const struct textbuf *tb, struct errmsg *err)
{
	if (fwrite(tb->start, 1, textbuf_len(tb), stdout) != textbuf_len(tb) || fflush(stdout))
		return errmsg_set_errno(err, -errno, "cannot write the perf.data to stdout");
	return 0;
}

static int write_path(const struct textbuf *tb, const char *path, struct errmsg *err)
{
	struct outfile *file;
	char old[4096];

	snprintf(old, sizeof(old), "%.4000s.old", path);
	rename(path, old); /* perf keeps the one before */
	TRY(outfile_open(&file, path, err));
	outfile_write(file, tb->start, textbuf_len(tb));
	return outfile_commit(file, err);
}

static int write_file(const struct options *o, const char *trace, const char *const *command,
		      struct errmsg *err)
{
	const char *path = o->output ? o->output : "perf.data";
	struct perfexport_form form = {
		.command = command, .is_pipe = !strcmp(path, "-"), .may_be_empty = true};
	struct sampleread_spec spec = {.path = trace};
	TEXTBUF(tb, TEXT_MAX_BYTES);
	size_t n_samples = 0;
	char samples[64] = "";
	int r;

	form.ret_n_samples = &n_samples;
	r = perfexport_fmt(&spec, &form, &tb, err);
	if (r == -ENODATA)
		return errmsg_set(err, r, "perf: none of the events happened; %s was not written",
				  path);
	TRY(r);
	TRY(form.is_pipe ? write_stdout(&tb, err) : write_path(&tb, path, err));
	if (n_samples)
		snprintf(samples, sizeof(samples), " (%zu samples)", n_samples);
	if (!o->quiet)
		fprintf(stderr, "[ perf record: Captured and wrote %.3f MB %s%s ]\n",
			(double)textbuf_len(&tb) / 1048576.0, path, samples);
	return 0;
}

static int run(struct options *o, char **argv, char **command, struct errmsg *err)
{
	const char *tmp = getenv("TMPDIR");
	char place[256], trace[300];
	int r, status;

	snprintf(place, sizeof(place), "%.200s/sonde-perf-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(place))
		return errmsg_set_errno(err, -errno, "cannot make the directory %s", place);
	snprintf(trace, sizeof(trace), "%s/trace.dat", place);
	status = run_sonde(o, trace, command, err);
	r = status;
	if (r >= 0)
		r = write_file(o, trace, (const char *const *)argv, err);
	unlink(trace);
	rmdir(place);
	return r < 0 ? r : status;
}

int perf_record(int argc, char **argv, struct errmsg *err)
{
	SCOPED(perf_words_release) struct perf_words words = {0};
	struct options o = {0};
	int n, r = perf_words_parse(&words, &usage, &o, OPTIONS_STOP_AT_ARGUMENT, argc, argv, &n,
				    err);

	if (r)
		return r < 0 && err->reason == PERF_USAGE ? PERF_USAGE : r;
	settle_rate(&o);
	if (!n && !o.all && !o.pids && !o.tids && !o.cpus)
		o.all = true;	  /* the whole machine, until Ctrl-C */
	words.argv[1 + n] = NULL; /* what follows are options that were read */
	return run(&o, argv, words.argv + 1, err);
}
