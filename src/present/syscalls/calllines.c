// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calllines.c - writes lines of system calls.
 *
 *	[pid  4711] 12:00:01.000123 read(3, "x", 1)         = 1 <0.000004>
 *	 pid         time            text, up to n_args      result, duration
 *
 * callorder.h says what comes next: a call, its beginning or its end. A beginning leaves its line
 * open; if the next item is its end, the line continues, as if the call were written at once. So a
 * terminal shows at once in which call a program waits.
 *
 * The pid is shown while more than one thread exists, as strace does.
 */
#include "present/syscalls/calllines.h"

#include "analyse/callsummary.h"
#include "base/json/jsonwriter.h"
#include "base/map.h"
#include "base/textbuf.h"
#include "decode/record.h"
#include "decode/syscalls/callorder.h"
#include "present/syscalls/perflines.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"
#include "symbols/tables/syscalls.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COLUMN		40
#define TASKS_MAX	(1u << 20)
#define SCRATCH_BYTES	(1u << 20)
#define ERRNO_MAX	4095
#define SECOND_NS	1000000000u
#define NO_CALL		UINT32_MAX
#define EVENT_MAX_BYTES 2048
#define MACHINE_64_BIT	0x80000000u /* __AUDIT_ARCH_64BIT */

struct calllines {
	const struct calllines_spec *spec;
	struct syscalltext *text, *with_paths; /* the second for -P */
	struct callorder order;
	struct map
		alive; /* threads that were shown and have not ended: number of the last call + 1 */
	int open_pid;  /* whose call is on the line that has no end yet; 0: none */
	size_t line;   /* where the current line begins in the text */
	size_t column; /* the part of this line that was in an earlier text */
	uint64_t previous; /* time of the call before, for -r */
	uint64_t n_lost;
	/* the day of the last time: localtime() is slow */
	int64_t second;
	char clock[16];
	struct textbuf scratch;
	struct perflines *perf; /* NULL: strace's form */
};

int calllines_new(struct calllines **ret, const struct calllines_spec *spec)
{
	struct calllines *c = calloc(1, sizeof(*c));
	struct syscalltext_options with_paths = spec->text;
	int r = c ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	c->spec = spec;
	c->second = -1;
	textbuf_init(&c->scratch, SCRATCH_BYTES);
	callorder_init(&c->order);
	r = syscalltext_new(&c->text, &spec->text);
	if (r >= 0 && spec->perf)
		r = (c->perf = perflines_new(spec->perf)) ? 0 : -ENOMEM;
	with_paths.paths = 1;
	if (r >= 0 && spec->n_paths)
		r = syscalltext_new(&c->with_paths, &with_paths);
	if (r < 0) {
		calllines_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void calllines_free(struct calllines *c)
{
	if (!c)
		return;
	perflines_free(c->perf);
	syscalltext_free(c->text);
	syscalltext_free(c->with_paths);
	callorder_release(&c->order);
	map_release(&c->alive);
	textbuf_release(&c->scratch);
	free(c);
}

struct syscalltext *calllines_text(struct calllines *c, unsigned index)
{
	return index ? c->with_paths : c->text;
}

/*
 * --- which calls -------------------------------------------------------------------------------
 */

static bool has_failed(const struct syscallevents_call *call)
{
	return call->ret < 0 && call->ret >= -ERRNO_MAX;
}

/* Numbers beyond the bits, which no kernel knows, share the last one, as in the BPF programs. */
static bool is_chosen(const struct calllines_spec *s, const struct syscallevents_call *call)
{
	const uint64_t *calls = call->machine & MACHINE_64_BIT ? s->calls : s->calls_32;
	uint32_t last = CALLLINES_CALL_WORDS * 64 - 1, nr = call->nr < last ? call->nr : last;

	return !calls || calls[nr / 64] >> nr % 64 & 1;
}

/* Arguments of a command, and data, may look like a path, but are none. */
static bool may_be_path(const struct syscallevents_call *call, unsigned arg)
{
	const struct syscalltype *type = syscalltype_of(call->machine, call->nr);

	if (!type || arg >= type->n)
		return true;
	switch (type->args[arg].kind) {
	case SYSKIND_argv:
	case SYSKIND_envp:
	case SYSKIND_buf:
		return false;
	default:
		return true;
	}
}

/* The call has the path as a string, or a descriptor of it. */
static bool has_path(struct calllines *c, const struct syscallevents_call *call, size_t n_bytes)
{
	const char *name;

	textbuf_clear(&c->scratch);
	for (unsigned i = 0; i < 6; i++) {
		textbuf_add_char(&c->scratch, ' ');
		if (may_be_path(call, i))
			syscalltext_fmt_arg(c->with_paths, call, n_bytes, i, &c->scratch, &name);
	}
	syscalltext_see(c->with_paths, call, n_bytes);
	for (size_t i = 0; i < c->spec->n_paths; i++) {
		const char *path = c->spec->paths[i], *p = textbuf_text(&c->scratch);
		size_t len = strlen(path);

		while (p && (p = strstr(p, path))) {
			if (p > c->scratch.start &&
			    ((p[-1] == '"' && p[len] == '"') || (p[-1] == '<' && p[len] == '>')))
				return true;
			p += len;
		}
	}
	return false;
}

static bool never_returns(const struct syscallevents_call *call)
{
	const char *name = syscall_name(syscalls_for_audit(call->machine), call->nr);

	return name && (!strcmp(name, "exit_group") || !strcmp(name, "exit"));
}

static bool is_signal_wanted(const struct calllines_spec *s, uint64_t sig)
{
	return !s->no_signals && !(sig - 1 < 64 && s->hidden_signals >> (sig - 1) & 1);
}

static bool is_wanted(struct calllines *c, const struct syscallevents_call *call, size_t n_bytes)
{
	const struct calllines_spec *s = c->spec;
	bool by_result = s->only_failed || s->only_ok || s->min_ns;
	bool is_open = call->type == SYSCALLEVENTS_OPEN;

	for (size_t i = 0; i < s->n_hidden_pids; i++)
		if (call->pid == s->hidden_pids[i] || call->tgid == s->hidden_pids[i])
			return false;
	/* the line about the end of the task shows SIGKILL: nothing happens between the two */
	if (call->type == SYSCALLEVENTS_SIGNAL)
		return call->nr != SIGKILL && is_signal_wanted(s, call->nr);
	if (call->type == SYSCALLEVENTS_EXIT)
		return !s->no_exits &&
		       (!(call->ret & 0x7f) || is_signal_wanted(s, call->ret & 0x7f));
	if (s->no_calls || !is_chosen(s, call))
		return false;
	if (s->only_open && (!is_open || !never_returns(call)) && !by_result)
		return false;
	if (by_result && is_open)
		return s->only_open && never_returns(call);
	if ((s->only_failed && !has_failed(call)) || (s->only_ok && has_failed(call)) ||
	    call->duration < s->min_ns)
		return false;
	return !s->n_paths || has_path(c, call, n_bytes);
}

/*
 * --- the beginning of a line -------------------------------------------------------------------
 */

/* "12:00:01" of a time in ns since 1970. */
static const char *clock_of(struct calllines *c, int64_t second)
{
	time_t t = second;
	struct tm tm;

	if (second != c->second && localtime_r(&t, &tm)) {
		c->second = second;
		strftime(c->clock, sizeof(c->clock), "%H:%M:%S", &tm);
	}
	return c->clock;
}

/* ".000123": what is below a second. */
static void add_fraction(struct textbuf *tb, uint64_t ns, enum calllines_precision precision)
{
	static const struct {
		int digits;
		uint64_t ns;
	} units[] = {
		[CALLLINES_DEFAULT_PRECISION] = {6, 1000},
		[CALLLINES_S] = {0, SECOND_NS},
		[CALLLINES_MS] = {3, 1000000},
		[CALLLINES_US] = {6, 1000},
		[CALLLINES_NS] = {9, 1},
	};
	char digits[12] = ".000000000";
	uint64_t n = ns / units[precision].ns;

	for (int i = units[precision].digits; n && i > 0; i--, n /= 10)
		digits[i] = (char)('0' + n % 10);
	if (units[precision].digits)
		textbuf_add(tb, digits, 1 + units[precision].digits);
}

/* The time since the line before; in brackets if the time of day is shown, too. */
static void add_relative(struct calllines *c, uint64_t ts, struct textbuf *tb)
{
	uint64_t ns = c->previous && ts > c->previous ? ts - c->previous : 0;
	bool brackets = c->spec->time != CALLLINES_NO_TIME;

	textbuf_addf(tb, "%s%6llu", brackets ? "(+" : "", (unsigned long long)(ns / SECOND_NS));
	add_fraction(tb, ns % SECOND_NS, c->spec->relative_digits);
	textbuf_add_str(tb, brackets ? ") " : " ");
	c->previous = ts;
}

static void add_time(struct calllines *c, uint64_t ts, struct textbuf *tb)
{
	const struct calllines_spec *s = c->spec;
	enum calllines_precision digits = s->time_digits;

	if (digits == CALLLINES_DEFAULT_PRECISION && s->time == CALLLINES_SECONDS)
		digits = CALLLINES_S;
	if (s->time == CALLLINES_EPOCH)
		textbuf_addf(tb, "%llu", (unsigned long long)(ts / SECOND_NS));
	else if (s->time != CALLLINES_NO_TIME)
		textbuf_add_str(tb, clock_of(c, (int64_t)(ts / SECOND_NS)));
	if (s->time != CALLLINES_NO_TIME) {
		add_fraction(tb, ts % SECOND_NS, digits);
		textbuf_add_char(tb, ' ');
	}
	if (s->relative)
		add_relative(c, ts, tb);
}

/* Remembers the thread; returns the number of its last call, or negative. */
static long see_task(struct calllines *c, const struct syscallevents_call *call)
{
	void **place = map_take(&c->alive, (uint64_t)call->pid, TASKS_MAX);
	bool is_call = call->type == SYSCALLEVENTS_CALL || call->type == SYSCALLEVENTS_OPEN;

	if (!place)
		return -1;
	if (is_call || !*place)
		*place = (void *)(uintptr_t)(is_call ? (uint64_t)call->nr + 1 : NO_CALL);
	/* calls that are not recorded may have come between */
	if ((uintptr_t)*place == NO_CALL || (!is_call && c->spec->calls))
		return -1;
	return (long)(uintptr_t)*place - 1;
}

static void begin_line(struct calllines *c, uint64_t ts, const struct syscallevents_call *call,
		       struct textbuf *tb)
{
	const struct calllines_spec *s = c->spec;
	long nr;

	if (c->open_pid) {
		textbuf_add_str(tb, " <unfinished ...>\n");
		c->open_pid = 0;
	}
	if (s->tells_threads && c->alive.n && !map_find(&c->alive, (uint64_t)call->pid))
		textbuf_addf(tb, "strace: Process %d attached\n", call->pid);
	c->line = textbuf_len(tb);
	c->column = 0;
	nr = see_task(c, call);
	if (s->pids == CALLLINES_PIDS_ALL)
		textbuf_addf(tb, "%-5d ", call->pid);
	else if (s->pids == CALLLINES_PIDS_AUTO && c->alive.n > 1)
		textbuf_addf(tb, "[pid %5d] ", call->pid);
	add_time(c, ts, tb);
	if (s->numbers && nr < 0)
		textbuf_add_str(tb, "[????] ");
	else if (s->numbers)
		textbuf_addf(tb, "[%4ld] ", nr);
}

/*
 * --- calls -------------------------------------------------------------------------------------
 */

static void add_duration(const struct calllines *c, uint64_t ns, struct textbuf *tb)
{
	textbuf_addf(tb, " <%llu", (unsigned long long)(ns / SECOND_NS));
	add_fraction(tb, ns % SECOND_NS, c->spec->duration_digits);
	textbuf_add_char(tb, '>');
}

/* The text up to the closing bracket is there; writes the result, " = 0", at its column. */
static void end_call(struct calllines *c, const struct syscallevents_call *call, const char *result,
		     size_t n_result, struct textbuf *tb)
{
	size_t column = c->column + (textbuf_len(tb) - c->line);
	size_t wanted = c->spec->column ? c->spec->column : COLUMN;

	if (n_result && *result == ' ') {
		textbuf_add_fill(tb, ' ', column < wanted ? wanted - column : 1);
		result++;
		n_result--;
	}
	textbuf_add(tb, result, n_result);
	if (c->spec->durations && call->type == SYSCALLEVENTS_CALL)
		add_duration(c, call->duration, tb);
	textbuf_add_char(tb, '\n');
	c->open_pid = 0;
}

static uint64_t start_of(const struct syscallevents_call *call, uint64_t ts)
{
	return call->duration < ts ? ts - call->duration : ts;
}

/* Formats into the scratch text: the caller takes parts of it. */
static const char *fmt(struct calllines *c, const struct callorder_item *item,
		       struct syscalltext_parts *parts)
{
	textbuf_clear(&c->scratch);
	syscalltext_fmt(c->text, item->call, item->n_bytes, &c->scratch, parts);
	return c->scratch.start ? c->scratch.start : "";
}

static void add_whole(struct calllines *c, const struct callorder_item *item, struct textbuf *tb)
{
	const struct syscallevents_call *call = item->call;
	bool is_call = call->type == SYSCALLEVENTS_CALL;
	struct syscalltext_parts parts = {0};
	const char *text;

	begin_line(c, is_call ? start_of(call, item->ts) : item->ts, call, tb);
	text = fmt(c, item, &parts);
	if (call->type == SYSCALLEVENTS_EXIT)
		map_remove(&c->alive, (uint64_t)call->pid);
	if (!is_call) {
		textbuf_add(tb, text, textbuf_len(&c->scratch));
		textbuf_add_char(tb, '\n');
		return;
	}
	textbuf_add(tb, text, parts.n_args);
	end_call(c, call, text + parts.n_args, textbuf_len(&c->scratch) - parts.n_args, tb);
}

static void add_beginning(struct calllines *c, const struct callorder_item *item,
			  struct textbuf *tb)
{
	struct syscalltext_parts parts = {0};
	const char *text;

	begin_line(c, item->ts, item->call, tb);
	text = fmt(c, item, &parts);
	textbuf_add(tb, text, parts.n_entry);
	if (never_returns(item->call)) {
		textbuf_add_char(tb, ')');
		end_call(c, item->call, " = ?", 4, tb);
		return;
	}
	c->open_pid = item->call->pid;
}

static void add_end(struct calllines *c, const struct callorder_item *item, struct textbuf *tb)
{
	const struct syscallevents_call *call = item->call;
	struct syscalltext_parts parts = {0};
	const char *text;

	if (c->open_pid != call->pid) {
		begin_line(c, item->ts, call, tb);
		text = fmt(c, item, &parts);
		textbuf_add_str(tb, "<... ");
		textbuf_add(tb, text, parts.n_name);
		textbuf_add_str(tb, " resumed>");
	} else {
		text = fmt(c, item, &parts);
	}
	textbuf_add(tb, text + parts.n_entry, parts.n_args - parts.n_entry);
	end_call(c, call, text + parts.n_args, textbuf_len(&c->scratch) - parts.n_args, tb);
}

static void add_item(struct calllines *c, const struct callorder_item *item, struct textbuf *tb)
{
	if (c->perf) {
		perflines_add(c->perf, item, c->text, tb);
	} else if (item->is_hidden) {
		if (item->part != CALLORDER_UNFINISHED)
			syscalltext_see(c->text, item->call, item->n_bytes);
	} else if (item->part == CALLORDER_WHOLE)
		add_whole(c, item, tb);
	else if (item->part == CALLORDER_UNFINISHED)
		add_beginning(c, item, tb);
	else
		add_end(c, item, tb);
}

/*
 * --- JSON --------------------------------------------------------------------------------------
 */

static void add_args(struct calllines *c, const struct syscallevents_call *call, size_t n_bytes,
		     struct jsonwriter *w)
{
	const char *name;

	jsonwriter_open(w, "args", '{');
	for (unsigned i = 0; i < 6; i++) {
		char number[8] = {'a', 'r', 'g', (char)('0' + i), 0};

		name = NULL;
		textbuf_clear(&c->scratch);
		if (!syscalltext_fmt_arg(c->text, call, n_bytes, i, &c->scratch, &name))
			break;
		jsonwriter_add_text(w, name && *name ? name : number, c->scratch.start,
				    textbuf_len(&c->scratch));
	}
	jsonwriter_close(w);
}

static void add_json(struct calllines *c, uint64_t ts, const struct syscallevents_call *call,
		     size_t n_bytes, struct textbuf *tb)
{
	static const char *const types[] = {"call", "unfinished", "signal", "exit"};
	bool is_call = call->type == SYSCALLEVENTS_CALL || call->type == SYSCALLEVENTS_OPEN;
	struct syscalltext_parts parts = {0};
	const char *name = syscall_name(syscalls_for_audit(call->machine), call->nr);
	uint64_t us = start_of(call, ts) / 1000;
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "type", types[(call->type - SYSCALLEVENTS_CALL) & 3]);
	jsonwriter_add_real(&w, "time", (double)us / 1e6, 6);
	jsonwriter_add_int(&w, "pid", call->tgid);
	jsonwriter_add_int(&w, "tid", call->pid);
	if (is_call) {
		jsonwriter_add_string(&w, "name", name);
		jsonwriter_add_uint(&w, "nr", call->nr);
		add_args(c, call, n_bytes, &w);
		jsonwriter_add_uint(&w, "duration_ns", call->duration);
	}
	if (call->type == SYSCALLEVENTS_CALL) {
		jsonwriter_add_int(&w, "ret", call->ret);
		jsonwriter_add_bool(&w, "failed", has_failed(call));
	}
	textbuf_clear(&c->scratch);
	syscalltext_fmt(c->text, call, n_bytes, &c->scratch, &parts);
	jsonwriter_add_text(&w, "text", c->scratch.start, textbuf_len(&c->scratch));
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

static void add_certain(struct calllines *c, struct textbuf *tb)
{
	struct callorder_item item;

	while (callorder_next(&c->order, &item))
		add_item(c, &item, tb);
}

static void count(struct calllines *c, uint64_t ts, const struct syscallevents_call *call,
		  size_t n_bytes)
{
	if (c->perf && c->spec->tables)
		perflines_count(c->perf, call, n_bytes, c->text);
	if (c->spec->summary && call->type == SYSCALLEVENTS_CALL)
		callsummary_add(c->spec->summary, call->machine, call->nr, call->duration,
				has_failed(call), ts);
}

/* Descriptors of later calls may come from a call that is not shown. */
static int add_hidden(struct calllines *c, uint64_t ts, const struct syscallevents_call *call,
		      size_t n_bytes, struct textbuf *tb)
{
	int r;

	if (c->with_paths)
		syscalltext_see(c->with_paths, call, n_bytes);
	if (!c->spec->text.paths || c->spec->no_lines)
		return 0;
	r = c->spec->json ? 1 : callorder_add_hidden(&c->order, ts, call, n_bytes);
	if (r > 0)
		syscalltext_see(c->text, call, n_bytes);
	else if (!r)
		add_certain(c, tb);
	return r < 0 ? r : 0;
}

int calllines_add(struct calllines *c, uint64_t ts, const struct syscallevents_call *call,
		  size_t n_bytes, struct textbuf *tb)
{
	struct callorder_item item = {CALLORDER_WHOLE, ts, call, n_bytes, false};
	int r;

	if (n_bytes < sizeof(*call))
		return 0;
	/* the beginning of a line that is still open is not in this text */
	if (!is_wanted(c, call, n_bytes))
		return call->type == SYSCALLEVENTS_CALL ? add_hidden(c, ts, call, n_bytes, tb) : 0;
	count(c, ts, call, n_bytes);
	if (c->spec->no_lines)
		return 0;
	if (c->spec->json) {
		if (call->type != SYSCALLEVENTS_OPEN)
			add_json(c, ts, call, n_bytes, tb);
		return 0;
	}
	r = callorder_add(&c->order, ts, call, n_bytes);
	if (r < 0)
		return r;
	if (r)
		add_item(c, &item, tb);
	else
		add_certain(c, tb);
	return 0;
}

int calllines_add_event(struct calllines *c, const struct record *rec, bool swap,
			struct textbuf *tb)
{
	union {
		struct syscallevents_call call;
		uint8_t bytes[sizeof(struct syscallevents_call) + EVENT_MAX_BYTES];
	} note = {.call = {.type = CALLORDER_NOTE, .pid = rec->task ? rec->task->pid : 0}};
	size_t n;
	int r;

	if (!c->perf || !c->spec->perf->events || c->spec->no_lines || !rec->event)
		return 0;
	for (size_t i = 0; i < c->spec->n_hidden_pids; i++)
		if (note.call.pid == c->spec->hidden_pids[i])
			return 0;
	textbuf_clear(&c->scratch);
	perflines_fmt_event(c->perf, rec, swap, &c->scratch);
	n = textbuf_len(&c->scratch) < EVENT_MAX_BYTES ? textbuf_len(&c->scratch) : EVENT_MAX_BYTES;
	memcpy(&note.call + 1, c->scratch.start, n);
	r = callorder_add(&c->order, rec->ts, &note.call, sizeof(note.call) + n);
	if (r >= 0)
		add_certain(c, tb);
	return r < 0 ? r : 0;
}

void calllines_name(struct calllines *c, int pid, const char *comm, size_t len)
{
	if (c->perf)
		perflines_name(c->perf, pid, comm, len);
}

bool calllines_is_full(const struct calllines *c)
{
	return c->perf && perflines_is_full(c->perf);
}

void calllines_pass(struct calllines *c, uint64_t ts, struct textbuf *tb)
{
	callorder_pass(&c->order, ts);
	add_certain(c, tb);
}

void calllines_add_lost(struct calllines *c, uint64_t n, struct textbuf *tb)
{
	c->n_lost += n;
	syscalltext_lose(c->text);
	if (c->with_paths)
		syscalltext_lose(c->with_paths);
	if (c->spec->summary)
		callsummary_lose(c->spec->summary, n);
	if (c->spec->no_lines)
		return;
	if (c->spec->json) {
		textbuf_addf(tb, "{\"type\":\"lost\",\"count\":%llu}\n", (unsigned long long)n);
		return;
	}
	add_certain(c, tb);
	if (c->open_pid)
		textbuf_add_str(tb, " <unfinished ...>\n");
	c->open_pid = 0;
	if (n)
		textbuf_addf(tb, "<... %llu system calls lost ...>\n", (unsigned long long)n);
	else
		textbuf_add_str(tb, "<... system calls lost ...>\n");
}

uint64_t calllines_n_lost(const struct calllines *c)
{
	return c->n_lost;
}

void calllines_finish(struct calllines *c, struct textbuf *tb)
{
	callorder_finish(&c->order);
	add_certain(c, tb);
	if (c->perf)
		perflines_finish(c->perf, tb);
	if (c->perf && c->spec->tables)
		perflines_fmt_tables(c->perf, c->spec->tables);
	if (c->open_pid)
		textbuf_add_str(tb, " <unfinished ...>\n");
	c->open_pid = 0;
}

void calllines_cut(struct calllines *c, const struct textbuf *tb)
{
	if (c->open_pid)
		c->column += textbuf_len(tb) - c->line;
	c->line = 0;
}
