// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perflines.c - lines and tables of system calls in perf trace's form.
 *
 *       4.024 ( 0.017 ms): cat/27379 openat(dfd: CWD, filename: "/etc/x", flags: RDONLY) = 4
 *      32.719 (         ): sh/32234 wait4(upid: -1)                                   ...
 *      32.719 (21.822 ms): sh/32234  ... [continued]: wait4())                        = 32322 (cat)
 *
 * The first column is the time in ms since the first call, the second the duration. The call with
 * its arguments takes 70 columns. An argument has the kernel's name; one that is zero is not shown,
 * unless it is a descriptor. Constants lack the beginning that all of their kind have: O_RDONLY is
 * RDONLY.
 *
 * The beginning of a call waits here until something else happens. If that is its end, it is one
 * line.
 *
 * Names of threads: execve() sets the name, and a new thread has the name of its parent. A thread
 * for which neither was seen has the name that the trace has for it.
 */
#include "present/syscalls/perflines.h"

#include "analyse/threadcalls.h"
#include "base/array.h"
#include "base/map.h"
#include "base/textbuf.h"
#include "decode/syscalls/callorder.h"
#include "decode/syscalls/syscalltext.h"
#include "present/syscalls/perfevents.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_COLUMNS	 70
#define SCRATCH_BYTES	 (1u << 20)
#define NAMES_MAX	 (1u << 18)
#define ERRNO_MAX	 4095
#define RECORD_MAX_BYTES 4096
#define NS_PER_MS	 1e6

struct name {
	char comm[THREADCALLS_COMM_BYTES];
	bool is_certain; /* from a call; names that the trace has are not newer */
	bool has_ended;	 /* the thread has ended, and its number may be used again */
};

struct perflines {
	const struct perflines_spec *spec;
	struct threadcalls *threads;
	struct map names; /* struct name, by thread */
	uint64_t first_ns, n_lines;
	/* a call that has begun; its text waits for what comes next */
	int pending;
	uint64_t pending_ns;
	struct textbuf entry, scratch;
};

struct perflines *perflines_new(const struct perflines_spec *spec)
{
	struct perflines *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->spec = spec;
	textbuf_init(&p->entry, SCRATCH_BYTES);
	textbuf_init(&p->scratch, SCRATCH_BYTES);
	p->threads = threadcalls_new();
	if (!p->threads) {
		perflines_free(p);
		return NULL;
	}
	return p;
}

void perflines_free(struct perflines *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->names.n_slots; i++)
		free(p->names.slots[i].value);
	map_release(&p->names);
	threadcalls_free(p->threads);
	textbuf_release(&p->entry);
	textbuf_release(&p->scratch);
	free(p);
}

/*
 * --- names -------------------------------------------------------------------------------------
 */

static void set_name(struct perflines *p, int pid, const char *comm, size_t len, bool is_certain)
{
	void **place = map_take(&p->names, (uint32_t)pid, NAMES_MAX);
	struct name *name;

	if (!place)
		return;
	name = *place ? *place : calloc(1, sizeof(*name));
	if (!name || (name->is_certain && !is_certain && !name->has_ended))
		return;
	*place = name;
	name->has_ended = false;
	len = len < sizeof(name->comm) - 1 ? len : sizeof(name->comm) - 1;
	memcpy(name->comm, comm, len);
	name->comm[len] = '\0';
	name->is_certain = is_certain;
}

void perflines_name(struct perflines *p, int pid, const char *comm, size_t len)
{
	set_name(p, pid, comm, len, false);
}

static const char *name_of(struct perflines *p, int pid)
{
	const struct name *name = map_find(&p->names, (uint32_t)pid);
	char comm[64];
	size_t len;

	if (name || !p->spec->find_name)
		return name ? name->comm : "";
	len = p->spec->find_name(pid, comm, sizeof(comm));
	set_name(p, pid, comm, len, false);
	name = map_find(&p->names, (uint32_t)pid);
	return name ? name->comm : "";
}

static const char *call_name(const struct syscallevents_call *call)
{
	return syscallnames_find(call->machine, call->nr);
}

static bool is_call_of(const struct syscallevents_call *call, const char *const *names, size_t n)
{
	const char *name = call_name(call);

	return name && ARRAY_ANY(n, i, !strcmp(name, names[i]));
}

/* The last part of the quoted path is the name of the program. */
static void learn_program(struct perflines *p, const struct syscallevents_call *call,
			  size_t n_bytes, struct syscalltext *text, unsigned arg)
{
	const char *name, *start, *end, *slash;

	textbuf_clear(&p->scratch);
	if (!syscalltext_fmt_arg(text, call, n_bytes, arg, &p->scratch, &name))
		return;
	start = textbuf_text(&p->scratch);
	end = start ? strrchr(start, '"') : NULL;
	if (!end || *start != '"' || end == start)
		return;
	slash = memrchr(start, '/', end - start);
	start = slash ? slash + 1 : start + 1;
	set_name(p, call->pid, start, end - start, true);
}

static void learn(struct perflines *p, const struct syscallevents_call *call, size_t n_bytes,
		  struct syscalltext *text)
{
	static const char *const forks[] = {"clone", "clone3", "fork", "vfork"};
	static const char *const execs[] = {"execve"}, *const execs_at[] = {"execveat"};

	struct name *name = map_find(&p->names, (uint32_t)call->pid);

	if (call->type == SYSCALLEVENTS_EXIT && name)
		name->has_ended = true;
	if (call->type != SYSCALLEVENTS_CALL || call->ret < 0)
		return;
	if (is_call_of(call, execs, 1))
		learn_program(p, call, n_bytes, text, 0);
	else if (is_call_of(call, execs_at, 1))
		learn_program(p, call, n_bytes, text, 1);
	else if (call->ret && is_call_of(call, forks, ARRAY_LEN(forks)) && name)
		set_name(p, (int)call->ret, name->comm, strlen(name->comm), false);
}

/*
 * --- texts -------------------------------------------------------------------------------------
 */

/* Beginnings of constants that perf omits; of two that begin alike, the longer one first. */
static size_t prefix_of(const char *word, size_t len)
{
	static const char *const prefixes[] = {
		"AT_FD", "AT_",	    "O_",     "PROT_",	    "MAP_",  "MADV_", "CLONE_",
		"SEEK_", "F_",	    "SOCK_",  "AF_",	    "PF_",   "MSG_",  "SIG_",
		"SIG",	 "RLIMIT_", "FUTEX_", "EPOLL_CTL_", "ARCH_", "GRND_", "PR_",
		"LOCK_", "MREMAP_", "MS_",    "ITIMER_",    "FD_",
	};

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (len > n && !strncmp(word, prefixes[i], n))
			return n;
	}
	return 0;
}

/* Copies a value; constants outside of strings lose their beginnings. */
static void add_value(struct textbuf *tb, const char *s, size_t n)
{
	bool in_string = false;

	for (size_t i = 0; i < n;) {
		size_t len = 0, skip = 0;

		while (!in_string && i + len < n &&
		       (isupper((unsigned char)s[i + len]) || s[i + len] == '_' ||
			(len && isdigit((unsigned char)s[i + len]))))
			len++;
		if (len && (!i || (!isalnum((unsigned char)s[i - 1]))))
			skip = prefix_of(s + i, len);
		if (!len) {
			if (in_string && s[i] == '\\' && i + 1 < n)
				len = 2;
			else
				len = 1;
			in_string ^= s[i] == '"';
		}
		textbuf_add(tb, s + i + skip, len - skip);
		i += len;
	}
}

static bool is_descriptor(const struct syscallevents_call *call, unsigned arg)
{
	const char *name = call_name(call);
	const struct syscalltype *type = name ? syscalltype_find(name) : NULL;

	return type && arg < type->n &&
	       (type->args[arg].kind == SYSKIND_fd || type->args[arg].kind == SYSKIND_dirfd);
}

static void add_args(struct perflines *p, const struct syscallevents_call *call, size_t n_bytes,
		     struct syscalltext *text, struct textbuf *tb)
{
	const char *separator = "", *name = NULL;

	for (unsigned i = 0; i < 6; i++) {
		textbuf_clear(&p->scratch);
		if (!syscalltext_fmt_arg(text, call, n_bytes, i, &p->scratch, &name))
			continue;
		if ((int32_t)call->args[i] == -1 && is_descriptor(call, i))
			continue; /* none, of an anonymous mapping */
		if (!call->args[i] && !is_descriptor(call, i) &&
		    (!textbuf_len(&p->scratch) || !isupper((unsigned char)*p->scratch.start) ||
		     !strncmp(textbuf_text(&p->scratch), "NULL", 5)))
			continue;
		textbuf_add_str(tb, separator);
		if (name && *name)
			textbuf_addf(tb, "%s: ", name);
		else
			textbuf_addf(tb, "arg%u: ", i + 1);
		add_value(tb, p->scratch.start, textbuf_len(&p->scratch));
		separator = ", ";
	}
}

static void add_call_name(const struct syscallevents_call *call, struct textbuf *tb)
{
	const char *name = call_name(call);

	if (name)
		textbuf_add_str(tb, name);
	else
		textbuf_addf(tb, "syscall_%u", call->nr);
}

static void add_head(struct perflines *p, uint64_t start_ns, bool is_over, uint64_t ns, int pid,
		     struct textbuf *tb)
{
	uint64_t since = start_ns > p->first_ns && !p->spec->full_time ? start_ns - p->first_ns
			 : p->spec->full_time			       ? start_ns
								       : 0;

	textbuf_addf(tb, "%10.3f ", (double)since / NS_PER_MS);
	if (is_over)
		textbuf_addf(tb, "(%6.3f ms): ", (double)ns / NS_PER_MS);
	else
		textbuf_add_str(tb, "(         ): ");
	if (*name_of(p, pid))
		textbuf_addf(tb, "%.14s/%d ", name_of(p, pid), pid);
	else
		textbuf_addf(tb, ":%d/%d ", pid, pid);
	p->n_lines++;
}

static void add_result(struct perflines *p, const struct syscallevents_call *call, size_t n_bytes,
		       struct syscalltext *text, size_t from, struct textbuf *tb)
{
	const char *name = call_name(call);
	const struct syscalltype *type = name ? syscalltype_find(name) : NULL;
	size_t len = textbuf_len(tb) - from;

	textbuf_add_fill(tb, ' ', len < TEXT_COLUMNS ? TEXT_COLUMNS - len : 1);
	textbuf_add_str(tb, "= ");
	syscalltext_fmt_result(text, call, n_bytes, tb);
	if (type && type->result == SYSRESULT_pid && call->ret > 0 && *name_of(p, (int)call->ret))
		textbuf_addf(tb, " (%s)", name_of(p, (int)call->ret));
	textbuf_add_char(tb, '\n');
}

/* Something else happened: the call that waits gets a line of its own. */
static void flush(struct perflines *p, struct textbuf *tb)
{
	size_t len = textbuf_len(&p->entry);

	if (!p->pending)
		return;
	add_head(p, p->pending_ns, false, 0, p->pending, tb);
	textbuf_add(tb, p->entry.start, len);
	textbuf_add_char(tb, ')');
	len++;
	textbuf_add_fill(tb, ' ', len < TEXT_COLUMNS - 4 ? TEXT_COLUMNS - 4 - len : 0);
	textbuf_add_str(tb, " ...\n");
	p->pending = 0;
}

static void keep_beginning(struct perflines *p, const struct callorder_item *item,
			   struct syscalltext *text)
{
	union {
		uint64_t words[RECORD_MAX_BYTES / 8];
		struct syscallevents_call call;
	} begun;
	size_t n_bytes = item->n_bytes < sizeof(begun) ? item->n_bytes : sizeof(begun);

	/* what the call writes is not known yet */
	memcpy(&begun, item->call, n_bytes);
	begun.call.type = SYSCALLEVENTS_OPEN;
	textbuf_clear(&p->entry);
	add_call_name(item->call, &p->entry);
	textbuf_add_char(&p->entry, '(');
	add_args(p, &begun.call, n_bytes, text, &p->entry);
	p->pending = item->call->pid;
	p->pending_ns = item->ts;
}

static void add_end(struct perflines *p, const struct callorder_item *item,
		    struct syscalltext *text, struct textbuf *tb)
{
	const struct syscallevents_call *call = item->call;
	uint64_t start_ns = item->ts > call->duration ? item->ts - call->duration : 0;
	bool is_whole = item->part == CALLORDER_WHOLE || p->pending == call->pid;
	size_t from;

	if (p->pending == call->pid)
		p->pending = 0;
	flush(p, tb);
	add_head(p, start_ns, true, call->duration, call->pid, tb);
	from = textbuf_len(tb);
	if (!is_whole)
		textbuf_add_str(tb, " ... [continued]: ");
	add_call_name(call, tb);
	textbuf_add_char(tb, '(');
	if (is_whole)
		add_args(p, call, item->n_bytes, text, tb);
	else
		textbuf_add_char(tb, ')');
	textbuf_add_char(tb, ')');
	add_result(p, call, item->n_bytes, text, from, tb);
}

static const char *find_name(void *ctx, int pid)
{
	return name_of(ctx, pid);
}

void perflines_fmt_event(struct perflines *p, const struct record *rec, bool swap,
			 struct textbuf *tb)
{
	struct perfevents_names names = {find_name, p};

	perfevents_fmt(rec, swap, &names, tb);
}

/* A line whose text is ready, behind the struct. */
static void add_event(struct perflines *p, const struct callorder_item *item, struct textbuf *tb)
{
	if (perflines_is_full(p))
		return;
	if (!p->first_ns)
		p->first_ns = item->ts;
	flush(p, tb);
	add_head(p, item->ts, false, 0, item->call->pid, tb);
	textbuf_add(tb, (const char *)(item->call + 1), item->n_bytes - sizeof(*item->call));
	textbuf_add_char(tb, '\n');
}

void perflines_add(struct perflines *p, const struct callorder_item *item, struct syscalltext *text,
		   struct textbuf *tb)
{
	const struct syscallevents_call *call = item->call;

	if (call->type == CALLORDER_NOTE) {
		add_event(p, item, tb);
		return;
	}
	learn(p, call, item->n_bytes, text);
	if (item->is_hidden || perflines_is_full(p) ||
	    (call->type != SYSCALLEVENTS_CALL && call->type != SYSCALLEVENTS_OPEN))
		return;
	if (!p->first_ns)
		p->first_ns = item->part == CALLORDER_WHOLE && item->ts > call->duration
				      ? item->ts - call->duration
				      : item->ts;
	if (item->part == CALLORDER_UNFINISHED) {
		flush(p, tb);
		keep_beginning(p, item, text);
	} else {
		add_end(p, item, text, tb);
	}
}

void perflines_finish(struct perflines *p, struct textbuf *tb)
{
	flush(p, tb);
}

bool perflines_is_full(const struct perflines *p)
{
	return p->spec->max_lines && p->n_lines >= p->spec->max_lines;
}

/*
 * --- tables ------------------------------------------------------------------------------------
 */

void perflines_count(struct perflines *p, const struct syscallevents_call *call, size_t n_bytes,
		     struct syscalltext *text)
{
	bool failed = call->ret < 0 && call->ret >= -ERRNO_MAX;

	learn(p, call, n_bytes, text);
	if (call->type == SYSCALLEVENTS_CALL)
		threadcalls_add(p->threads, call->pid, name_of(p, call->pid), call->machine,
				call->nr, call->duration, failed ? (unsigned)-call->ret : 0);
}

static void add_row(const struct perflines *p, const struct threadcalls_row *row,
		    struct textbuf *tb)
{
	const char *name = syscallnames_find(row->machine, row->nr);

	if (name)
		textbuf_addf(tb, "   %-15s", name);
	else
		textbuf_addf(tb, "   syscall_%-7u", row->nr);
	textbuf_addf(tb, " %8" PRIu64 " %6" PRIu64 " %9.3f %9.3f %9.3f %9.3f %9.2f%%\n", row->n,
		     row->n_errors, (double)row->total / NS_PER_MS, (double)row->min / NS_PER_MS,
		     (double)row->total / NS_PER_MS / (double)row->n, (double)row->max / NS_PER_MS,
		     threadcalls_deviation(row));
	if (!p->spec->errnos || !row->errors)
		return;
	for (unsigned e = 1; e < THREADCALLS_ERRORS; e++)
		if (row->errors[e])
			textbuf_addf(tb, "\t\t\t\t%s: %u\n", syscalltext_errno(e), row->errors[e]);
}

void perflines_fmt_tables(struct perflines *p, struct textbuf *tb)
{
	size_t n;
	const struct threadcalls_thread *const *threads = threadcalls_threads(p->threads, &n);
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += threads[i]->n;
	textbuf_add_str(tb, "\n Summary of events:\n\n");
	for (size_t i = 0; i < n; i++) {
		const struct threadcalls_thread *t = threads[i];

		/* perf counts the beginning and the end of a call as an event each */
		textbuf_addf(tb, " %s (%d), %" PRIu64 " events, %.1f%%\n\n", t->comm, t->pid,
			     2 * t->n, 100 * (double)t->n / (double)all);
		textbuf_add_str(tb,
				"   syscall            calls  errors  total       min       avg "
				"      max       stddev\n"
				"                                     (msec)    (msec)    (msec) "
				"   (msec)        (%)\n"
				"   --------------- --------  ------ -------- --------- --------- "
				"---------     ------\n");
		for (size_t k = 0; k < t->n_rows; k++)
			add_row(p, &t->rows[k], tb);
		textbuf_add_str(tb, "\n\n");
	}
	if (threadcalls_n_dropped(p->threads))
		textbuf_addf(tb, " %" PRIu64 " calls are in no table: there are too many threads\n",
			     threadcalls_n_dropped(p->threads));
}
