// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * info.c - collects what `sonde info` shows: header, options, texts, counts.
 *
 * The options of a trace describe how it was recorded (format/tracedat.h numbers them). This file
 * reads the options for the user; decode/ reads the same options to convert times. The kernel's
 * loss counters are texts, one option per CPU, as in tracefs' per_cpu/cpuN/stats:
 *
 *	CPU: 0                       instances: a separate option before it has "\nBuffer: NAME\n\n"
 *	entries: 0
 *	overrun: 1851                overwritten before anybody read them
 *	commit overrun: 0            nested in interrupts until the buffer was full
 *	dropped events: 0            not written because the buffer was full
 *	read events: 26011
 *
 * The kinds of recorded data are derived from the events that occur. Symbols are not parsed; at
 * most their lines are counted. Everything is allocated in the caller's arena, whose limit bounds
 * the cost of a hostile file. Lists are truncated at LIST_MAX.
 */
#include "analyse/tally.h"
#include "base/array.h"
#include "base/scope.h"
#include "format/tracedat.h"
#include "inputs/info/info.h"
#include "base/textbuf.h"
#include "decode/timeconv.h"
#include "store/pagestream.h"
#include "symbols/processes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX	  4096
#define ARENA_MAX_BYTES	  (128u << 20)
#define COMMAND_MAX_BYTES (4u * PROCESSES_COMMAND_MAX)

struct gather {
	struct traceinfo *info;
	struct tracefile *tf;
	struct formats *f;
	struct tasks *tasks;
	const struct info_counts *counts;
	struct arena *arena;
	bool count_symbols;
};

/* --- small things ----------------------------------------------------------------------------- */

/* Copies a text up to its first NUL, without blanks and line breaks around it. */
static const char *text_of(struct gather *g, struct piece p)
{
	const char *s = (const char *)p.data;
	size_t len = strnlen(s, p.len);

	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	for (; len && isspace((unsigned char)*s); len--)
		s++;
	return arena_strndup(g->arena, s, len);
}

static const char *option_text(struct gather *g, unsigned id)
{
	const struct tracefile_option *o = tracefile_option_find(g->tf, id);

	return o ? text_of(g, o->data) : NULL;
}

static struct byte_reader option_reader(const struct gather *g, struct piece data)
{
	return (struct byte_reader){data.data, data.data + data.len, g->tf->swap, false};
}

static size_t count_lines(struct piece text)
{
	const uint8_t *p = text.data, *end = p + text.len, *nl;
	size_t n = 0;

	for (; p < end && (nl = memchr(p, '\n', end - p)); p = nl + 1)
		n++;
	return n + (p < end && *p);
}

static size_t count_options(const struct gather *g, unsigned id)
{
	size_t n = 0;

	for (size_t i = 0; i < g->tf->n_options; i++)
		n += g->tf->options[i].id == id;
	return n < LIST_MAX ? n : LIST_MAX;
}

/* --- the head and the options ----------------------------------------------------------------- */

static void gather_head(struct gather *g)
{
	struct traceinfo *info = g->info;
	const struct tracefile *tf = g->tf;

	info->path = tf->path;
	info->n_bytes = tf->map.len;
	info->version = tf->version;
	info->big_endian = tf->big_endian;
	info->long_bits = tf->long_size * 8;
	info->page_size = tf->page_size;
	info->compression = tf->compression_name;
	info->compression_version = tf->compression_version;
	info->n_machine_cpus = tf->cpu_count;
}

static void gather_recorder(struct gather *g)
{
	const char *version = option_text(g, SNF_OPTION_VERSION);
	char name[200];

	g->info->machine = option_text(g, SNF_OPTION_UNAME);
	g->info->recorder = version;
	/* trace-cmd writes only its version number */
	if (version && isdigit((unsigned char)*version)) {
		size_t n = snprintf(name, sizeof(name), "trace-cmd %s", version);

		g->info->recorder = arena_strndup(g->arena, name, strnlen(name, n));
	}
}

static void gather_clock(struct gather *g)
{
	struct traceinfo *info = g->info;
	const struct tracefile_option *tsc = tracefile_option_find(g->tf, SNF_OPTION_TSC2NSEC);
	const char *date = option_text(g, SNF_OPTION_DATE), *offset;

	info->clocks = option_text(g, SNF_OPTION_TRACECLOCK);
	info->clock = tracefile_main_clock(g->tf);
	if (tsc && tsc->data.len >= 8) {
		info->tsc_mult = bytes_get32(tsc->data.data, g->tf->swap);
		info->tsc_shift = bytes_get32(tsc->data.data + 4, g->tf->swap);
	}
	if (date && *date) {
		info->has_date = true;
		info->date_us = strtoll(date, NULL, 0);
	}
	offset = option_text(g, SNF_OPTION_OFFSET);
	if (offset)
		info->time_offset = strtoll(offset, NULL, 0);
}

static void gather_relatives(struct gather *g)
{
	struct time_shift *shift = time_shift_read(g->tf, g->arena);
	struct traceinfo *info = g->info;
	size_t n = count_options(g, SNF_OPTION_GUEST);

	info->trace_id = timeconv_trace_id(g->tf);
	if (shift) {
		info->peer_id = shift->peer_id;
		info->n_peer_cpus = shift->n_cpus;
		for (uint32_t i = 0; i < shift->n_cpus; i++)
			info->n_peer_samples += shift->cpus[i].n;
	}
	info->guests = n ? arena_alloc_array(g->arena, n, sizeof(*info->guests)) : NULL;
	for (size_t i = 0; info->guests && i < g->tf->n_options && info->n_guests < n; i++) {
		struct info_guest *guest = &info->guests[info->n_guests];
		struct byte_reader r = option_reader(g, g->tf->options[i].data);

		if (g->tf->options[i].id != SNF_OPTION_GUEST)
			continue;
		guest->name = byte_reader_take_string(&r);
		guest->trace_id = byte_reader_take_number(&r, 8);
		guest->n_cpus = byte_reader_take_number(&r, 4);
		info->n_guests++;
	}
}

static void gather_hooks(struct gather *g)
{
	struct traceinfo *info = g->info;
	size_t n = count_options(g, SNF_OPTION_HOOK);

	info->hooks = n ? arena_alloc_array(g->arena, n, sizeof(*info->hooks)) : NULL;
	for (size_t i = 0; info->hooks && i < g->tf->n_options && info->n_hooks < n; i++)
		if (g->tf->options[i].id == SNF_OPTION_HOOK) {
			info->hooks[info->n_hooks] = text_of(g, g->tf->options[i].data);
			info->n_hooks += info->hooks[info->n_hooks] != NULL;
		}
}

/* Reads "PID COUNT NAME" in hexadecimal, then COUNT lines of mappings of that process. */
static void gather_maps(struct gather *g)
{
	struct traceinfo *info = g->info;
	size_t n = count_options(g, SNF_OPTION_PROCMAPS);

	info->maps = n ? arena_alloc_array(g->arena, n, sizeof(*info->maps)) : NULL;
	for (size_t i = 0; info->maps && i < g->tf->n_options && info->n_maps < n; i++) {
		struct info_maps *m = &info->maps[info->n_maps];
		struct piece data = g->tf->options[i].data;
		const uint8_t *nl = data.len ? memchr(data.data, '\n', data.len) : NULL;
		const char *line;
		char *end;

		if (g->tf->options[i].id != SNF_OPTION_PROCMAPS || !nl)
			continue;
		line = arena_strndup(g->arena, (const char *)data.data, nl - data.data);
		if (!line)
			return;
		m->pid = strtol(line, &end, 16);
		m->n = strtoul(end, &end, 16);
		m->comm = *end == ' ' ? end + 1 : end;
		info->n_maps++;
	}
}

/* Finds the uncompressed size of the symbols' text, without uncompressing it. */
static uint64_t symbols_bytes(const struct gather *g)
{
	const struct tracefile *tf = g->tf;
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_KALLSYMS);
	uint64_t offset = o && o->data.len >= 8 ? bytes_get64(o->data.data, tf->swap) : 0;

	if (tf->version == 6)
		return tracefile_text(g->tf, TRACEFILE_KALLSYMS).len;
	for (size_t i = 0; o && i < tf->n_sections; i++) {
		const struct tracefile_section *s = &tf->sections[i];
		uint64_t body = s->offset + SNF_SECTION_HEADER_BYTES;

		if (s->offset != offset || tf->map.len - body < 8)
			continue;
		/* compressed and uncompressed size; or the length of the text */
		return bytes_get32(tf->map.data + body +
					   (s->flags & SNF_SECTION_COMPRESSED ? 4 : 0),
				   tf->swap);
	}
	return 0;
}

/* Counts the symbols, only on demand: unpacking them would take longer than all other steps. */
static void gather_symbols(struct gather *g)
{
	g->info->n_symbol_bytes = symbols_bytes(g);
	if (!g->count_symbols)
		return;
	g->info->symbols_counted = true;
	g->info->n_symbols = count_lines(tracefile_text(g->tf, TRACEFILE_KALLSYMS));
}

static void gather_texts(struct gather *g)
{
	struct traceinfo *info = g->info;
	struct piece formats = tracefile_text(g->tf, TRACEFILE_EVENT_FORMATS);
	bool ftrace = false;

	for (size_t i = 0; i < g->f->n_events; i++) {
		info->n_formats += !g->f->by_id[i]->is_made_up;
		ftrace |= g->f->by_id[i]->is_ftrace && !g->f->by_id[i]->is_made_up;
	}
	if (formats.len >= 4)
		info->n_systems = bytes_get32(formats.data, g->tf->swap);
	info->n_systems += ftrace;
	gather_symbols(g);
	info->n_printk = count_lines(tracefile_text(g->tf, TRACEFILE_PRINTK));
	info->n_cmdlines = count_lines(tracefile_text(g->tf, TRACEFILE_CMDLINES));
}

/* --- buffers ---------------------------------------------------------------------------------- */

static void loss_add(struct info_loss *to, const struct info_loss *from)
{
	to->n_gaps += from->n_gaps;
	to->n_missed += from->n_missed;
	to->n_gaps_unknown += from->n_gaps_unknown;
	to->has_stat |= from->has_stat;
	to->n_overrun += from->n_overrun;
	to->n_commit_overrun += from->n_commit_overrun;
	to->n_dropped += from->n_dropped;
	to->n_entries += from->n_entries;
	to->n_read += from->n_read;
	to->n_hits_missed += from->n_hits_missed;
}

static void span_add(struct info_span *to, const struct info_span *from)
{
	if (!from->known)
		return;
	if (!to->known) {
		*to = *from;
		return;
	}
	to->first = from->first < to->first ? from->first : to->first;
	to->last = from->last > to->last ? from->last : to->last;
}

static void span_settle(struct info_span *span)
{
	if (span->known && span->in_time)
		span->seconds = (double)(span->last - span->first) / 1e9;
}

static double rate_of(const struct gather *g, uint64_t n, const struct info_span *span)
{
	return g->counts->counted && span->known && span->seconds > 0 ? (double)n / span->seconds
								      : -1;
}

static struct info_cpu *find_cpu(struct info_buffer *b, uint32_t cpu)
{
	size_t low = 0, high = b->n_cpus;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (b->cpus[mid].cpu == cpu)
			return &b->cpus[mid];
		if (cpu < b->cpus[mid].cpu)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

static struct info_buffer *find_buffer(const struct gather *g, const char *name, size_t len)
{
	return ARRAY_FIND(g->info->buffers, g->info->n_buffers, i,
			  strlen(g->info->buffers[i].name) == len &&
				  !memcmp(g->info->buffers[i].name, name, len));
}

/* Adds a line of the kernel's statistics: "overrun: 1851". */
static void add_stat_line(struct info_loss *l, const char *line, size_t len)
{
	const struct {
		const char *name;
		uint64_t *to;
	} rows[] = {{"entries: ", &l->n_entries},
		    {"overrun: ", &l->n_overrun},
		    {"commit overrun: ", &l->n_commit_overrun},
		    {"dropped events: ", &l->n_dropped},
		    {"read events: ", &l->n_read},
		    {"missed hits of probes: ", &l->n_hits_missed}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t n = strlen(rows[i].name);

		if (len <= n || memcmp(line, rows[i].name, n))
			continue;
		for (; n < len && isdigit((unsigned char)line[n]); n++)
			*rows[i].to = *rows[i].to * 10 + (line[n] - '0');
		l->has_stat = true;
	}
}

/*
 * Returns the counters of the CPU. For a CPU without data in the file, only the missed hits are
 * kept: they are the sum over all CPUs.
 */
static struct info_loss *loss_of(struct info_buffer *b, struct info_cpu *cpu, const char *line,
				 size_t len, struct info_loss *nobody)
{
	static const char hits[] = "missed hits of probes: ";

	if (cpu)
		return &cpu->loss;
	if (b && b->n_cpus && len >= sizeof(hits) && !memcmp(line, hits, sizeof(hits) - 1))
		return &b->cpus[0].loss;
	return nobody;
}

static void gather_stat(struct gather *g)
{
	struct info_buffer *b = find_buffer(g, "", 0);

	for (size_t i = 0; i < g->tf->n_options; i++) {
		const char *p = (const char *)g->tf->options[i].data.data, *nl;
		const char *end = p + g->tf->options[i].data.len;
		struct info_cpu *cpu = NULL;
		struct info_loss nobody = {0};

		if (g->tf->options[i].id != SNF_OPTION_CPUSTAT)
			continue;
		for (; p < end; p = nl + 1) {
			nl = memchr(p, '\n', end - p);
			nl = nl ? nl : end;
			if (nl - p > 8 && !memcmp(p, "Buffer: ", 8))
				b = find_buffer(g, p + 8, nl - p - 8);
			else if (nl - p > 5 && !memcmp(p, "CPU: ", 5))
				cpu = b ? find_cpu(b, strtoul(p + 5, NULL, 10)) : NULL;
			else
				add_stat_line(loss_of(b, cpu, p, nl - p, &nobody), p, nl - p);
		}
	}
}

static void gather_cpu(struct gather *g, struct info_cpu *c, size_t buffer, size_t index,
		       const struct timeconv *tc)
{
	const struct tracefile_buffer *b = &g->tf->buffers[buffer];
	const struct tally_span *s = &g->counts->spans[buffer][index];

	c->cpu = b->cpus[index].cpu;
	c->n_bytes = pagestream_plain_bytes(g->tf, b, index);
	g->info->n_stored_bytes += b->cpus[index].n_bytes;
	g->info->n_data_bytes += c->n_bytes;
	c->n_events = s->n_records;
	c->loss.n_gaps = s->n_gaps;
	c->loss.n_missed = s->n_missed;
	c->loss.n_gaps_unknown = s->n_gaps_unknown;
	c->span.in_time = tc->in_time;
	if (!s->n_records)
		return;
	c->span.known = true;
	c->span.is_date = tc->in_time && g->info->has_date;
	c->span.first = timeconv(tc, s->first_ts, c->cpu);
	c->span.last = timeconv(tc, s->last_ts, c->cpu);
	span_settle(&c->span);
}

static int gather_buffer(struct gather *g, size_t index)
{
	const struct tracefile_buffer *from = &g->tf->buffers[index];
	struct info_buffer *b = &g->info->buffers[index];
	struct timeconv_config config = {0};
	struct timeconv tc;

	timeconv_init(&tc, g->tf, from->clock, &config);
	b->name = from->name;
	b->clock = from->clock;
	b->page_size = from->page_size;
	b->is_text = from->is_text;
	b->n_bytes = from->text.len;
	b->span.in_time = tc.in_time;
	b->cpus = arena_alloc_array(g->arena, from->n_cpus + 1, sizeof(*b->cpus));
	if (!b->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < from->n_cpus; i++)
		gather_cpu(g, &b->cpus[b->n_cpus++], index, i, &tc);
	return 0;
}

/* Adds sums after all CPUs are known. CPUs without data and losses get no row. */
static void settle_buffer(struct gather *g, struct info_buffer *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n_cpus; i++) {
		struct info_cpu *c = &b->cpus[i];

		loss_add(&b->loss, &c->loss);
		span_add(&b->span, &c->span);
		b->n_events += c->n_events;
		b->n_bytes += c->n_bytes;
		if (c->n_bytes || c->loss.n_overrun || c->loss.n_commit_overrun ||
		    c->loss.n_dropped)
			b->cpus[n++] = *c;
	}
	b->n_cpus = n;
	span_settle(&b->span);
	b->per_second = rate_of(g, b->n_events, &b->span);
	for (size_t i = 0; i < n; i++)
		b->cpus[i].per_second = rate_of(g, b->cpus[i].n_events, &b->span);
}

/* Returns true if all buffers have the same clock. Times of different clocks cannot be compared. */
static bool same_clocks(const struct traceinfo *info)
{
	const struct info_buffer *first = NULL;

	for (size_t i = 0; i < info->n_buffers; i++) {
		const struct info_buffer *b = &info->buffers[i];

		if (!b->span.known)
			continue;
		if (!first)
			first = b;
		if (strcmp(b->clock ? b->clock : "", first->clock ? first->clock : ""))
			return false;
	}
	return true;
}

static int gather_buffers(struct gather *g)
{
	struct traceinfo *info = g->info;

	info->buffers = arena_alloc_array(g->arena, g->tf->n_buffers + 1, sizeof(*info->buffers));
	if (!info->buffers)
		return -ENOMEM;
	for (size_t i = 0; i < g->tf->n_buffers; i++)
		if (gather_buffer(g, info->n_buffers++) < 0)
			return -ENOMEM;
	gather_stat(g);
	for (size_t i = 0; i < info->n_buffers; i++) {
		settle_buffer(g, &info->buffers[i]);
		info->n_events += info->buffers[i].n_events;
		loss_add(&info->loss, &info->buffers[i].loss);
	}
	for (size_t i = 0; i < info->n_buffers && same_clocks(info); i++)
		span_add(&info->span, &info->buffers[i].span);
	span_settle(&info->span);
	info->per_second = rate_of(g, info->n_events, &info->span);
	if (info->n_stored_bytes && info->n_stored_bytes != info->n_data_bytes)
		info->ratio = (double)info->n_data_bytes / (double)info->n_stored_bytes;
	return 0;
}

/* --- events and tasks ------------------------------------------------------------------------- */

static const struct event *event_of(const struct gather *g, int64_t id)
{
	size_t low = 0, high = g->f->n_events;

	if (id >= 0 && (uint64_t)id < g->f->n_table)
		return g->f->table[id];
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (g->f->by_id[mid]->id == id)
			return g->f->by_id[mid];
		if (id < g->f->by_id[mid]->id)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

static int gather_events(struct gather *g)
{
	struct traceinfo *info = g->info;
	size_t n;
	SCOPED(scope_free) struct count *list = tally_list_ids(&g->counts->tally, &n);

	info->events = list ? arena_alloc_array(g->arena, n + 1, sizeof(*info->events)) : NULL;
	for (size_t i = 0; info->events && i < n; i++) {
		const struct event *ev = event_of(g, list[i].key);
		struct info_event *e = &info->events[info->n_events_kinds++];

		e->id = list[i].key;
		e->n = list[i].n;
		e->n_bytes = list[i].n_bytes;
		e->percent = 100.0 * (double)e->n / (double)info->n_events;
		e->per_second = rate_of(g, e->n, &info->span);
		if (ev) {
			e->system = ev->system;
			e->name = ev->name;
		}
	}
	return info->events ? 0 : -ENOMEM;
}

static const char *command_of(struct gather *g, int pid)
{
	const char *copy = NULL;
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = COMMAND_MAX_BYTES};

	if (processes_fmt_command(g->f->processes, pid, &tb) && !tb.overflow)
		copy = arena_strndup(g->arena, tb.start, textbuf_len(&tb));
	return copy;
}

static int gather_tasks(struct gather *g)
{
	struct traceinfo *info = g->info;
	size_t n;
	SCOPED(scope_free) struct count *list = tally_list_pids(&g->counts->tally, &n);

	info->tasks = list ? arena_alloc_array(g->arena, n + 1, sizeof(*info->tasks)) : NULL;
	for (size_t i = 0; info->tasks && i < n; i++) {
		const struct task *task = tasks_find(g->tasks, list[i].key);
		struct info_task *t = &info->tasks[info->n_tasks++];

		t->pid = list[i].key;
		t->comm = task ? task->comm : "<...>";
		t->tgid = g->f->processes && task ? task->tgid : -1;
		t->command = command_of(g, t->pid);
		t->n = list[i].n;
		t->percent = 100.0 * (double)t->n / (double)info->n_events;
	}
	info->n_uncounted = g->counts->tally.pids.n_dropped;
	return info->tasks ? 0 : -ENOMEM;
}

/* The kinds of recorded data that events reveal. name NULL: any event of the system. */
static const struct {
	const char *system, *name, *text;
} tells[] = {
	{"ftrace", "function", "functions (tracer function)"},
	{"ftrace", "funcgraph_entry", "function calls (tracer function_graph)"},
	{"ftrace", "wakeup", "wakeups (a latency tracer)"},
	{"ftrace", "hwlat", "hardware latencies (tracer hwlat)"},
	{"ftrace", "osnoise", "noise (tracer osnoise)"},
	{"ftrace", "timerlat", "timer latencies (tracer timerlat)"},
	{"ftrace", "mmiotrace_rw", "device accesses (tracer mmiotrace)"},
	{"ftrace", "branch", "branches (tracer branch)"},
	{"ftrace", "kernel_stack", "kernel stacks"},
	{"ftrace", "user_stack", "user stacks"},
	{"ftrace", "print", "trace_marker messages"},
	{"ftrace", "raw_data", "raw trace_marker data"},
	{"ftrace", "bprint", "trace_printk messages"},
	{"ftrace", "bputs", "trace_puts messages"},
	{"kprobes", NULL, "kernel probes"},
	{"uprobes", NULL, "user probes"},
	{"eprobes", NULL, "event probes"},
	{"synthetic", NULL, "synthetic events"},
};

#define N_TELLS ARRAY_LEN(tells)

static int gather_seen(struct gather *g)
{
	struct traceinfo *info = g->info;
	bool seen[N_TELLS] = {0}, tracepoints = false;

	for (size_t i = 0; i < info->n_events_kinds; i++) {
		const struct info_event *e = &info->events[i];
		size_t k = 0;

		if (!e->name)
			continue;
		while (k < N_TELLS && (strcmp(tells[k].system, e->system) ||
				       (tells[k].name && strcmp(tells[k].name, e->name))))
			k++;
		if (k < N_TELLS)
			seen[k] = true;
		else
			tracepoints |= strcmp(e->system, "ftrace") != 0;
	}
	info->seen = arena_alloc_array(g->arena, N_TELLS + 1, sizeof(*info->seen));
	if (!info->seen)
		return -ENOMEM;
	if (tracepoints)
		info->seen[info->n_seen++] = "tracepoints";
	for (size_t k = 0; k < N_TELLS; k++)
		if (seen[k])
			info->seen[info->n_seen++] = tells[k].text;
	return 0;
}

static int gather(struct gather *g)
{
	bool counted = g->counts->counted;

	*g->info = (struct traceinfo){.counted = counted};
	gather_head(g);
	gather_recorder(g);
	gather_clock(g);
	gather_relatives(g);
	gather_hooks(g);
	gather_maps(g);
	gather_texts(g);
	TRY(gather_buffers(g));
	if (counted) {
		TRY(gather_events(g));
		TRY(gather_tasks(g));
	}
	TRY(gather_seen(g));
	g->info->damage = g->tf->damage;
	g->info->n_damage = g->tf->n_damage;
	return 0;
}

static bool is_big(const struct tracefile *tf)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < tf->n_buffers; i++)
		for (size_t k = 0; k < tf->buffers[i].n_cpus; k++)
			sum += tf->buffers[i].cpus[k].n_bytes;
	return sum > INFO_BIG_BYTES;
}

int info_init(struct info *info, struct inputs_file *file, const struct info_config *config,
	      struct errmsg *err)
{
	struct tracefile *tf = file->tf;
	bool fast = config->fast || (is_big(tf) && !config->count);
	struct gather g = {&info->facts,  tf,		file->formats,	&file->tasks,
			   &info->counts, &info->arena, config->symbols};
	int r;

	*info = (struct info){0};
	arena_init(&info->arena, ARENA_MAX_BYTES);
	TRY(fast ? info_edges(&info->counts, tf, file->formats, err)
		 : info_count(&info->counts, tf, file->formats, err));
	r = gather(&g);
	return r < 0 ? errmsg_set_errno(err, r, "cannot describe %s", tf->path) : 0;
}

void info_release(struct info *info)
{
	info_counts_release(&info->counts);
	arena_release(&info->arena);
}
