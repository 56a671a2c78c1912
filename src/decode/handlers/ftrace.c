// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ftrace.c - events of the function tracers: function, funcgraph_entry and _exit, kernel_stack,
 * raw_data, func_repeats.
 *
 *	funcgraph_entry:      ! 131.178 us |  mutex_unlock();      entry and exit folded into one
 *	funcgraph_entry:                   |  do_sys_openat2() {
 *	funcgraph_exit:         4.846 us   |  }
 *
 * sequence.c, which knows the order of records, decides about folding: a record with RECORD_PAIR
 * has its exit. The indentation of function events also comes with the record, in aux.
 */
#include "base/textbuf.h"
#include "decode/handlers/handler_int.h"
#include "decode/timefmt.h"
#include "format/bytes.h"
#include "symbols/kallsyms.h"

#define DEPTH_MAX 2048 /* limit of indentation; the kernel's own limit is 50 */

static void add_symbol_offset(struct printer *p, const struct ksym *sym, uint64_t addr)
{
	textbuf_add(p->out, sym->name, sym->name_len);
	if (p->formats->config.plugins.ftrace_offset)
		textbuf_addf(p->out, "+0x%x ", (int)(addr - sym->addr));
}

static void add_function(struct printer *p, uint64_t addr)
{
	const struct ksym *sym = printer_symbol(p, addr);

	if (sym) {
		add_symbol_offset(p, sym, addr);
		return;
	}
	textbuf_add(p->out, "0x", 2);
	textbuf_add_hex(p->out, addr);
}

int handle_function(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t addr, parent;

	if (!handler_number(p, ev, 0, "ip", &addr))
		return handler_give_up(p);
	if (!handler_number(p, ev, 1, "parent_ip", &parent))
		return handler_give_up(p);
	textbuf_add_fill(p->out, ' ', (rec->aux < DEPTH_MAX ? rec->aux : DEPTH_MAX) * 3);
	add_function(p, addr);
	if (p->formats->config.plugins.ftrace_parent) {
		textbuf_add(p->out, " <-- ", 5);
		add_function(p, parent);
	}
	return 0;
}

int handle_func_repeats(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t count, top, bottom;
	char *s;

	handle_function(p, ev, rec);
	if (!handler_number(p, ev, 2, "count", &count) ||
	    !handler_number(p, ev, 3, "top_delta_ts", &top) ||
	    !handler_number(p, ev, 4, "bottom_delta_ts", &bottom))
		return handler_give_up(p);
	textbuf_addf(p->out, " (count: %lld  last_ts: ", (long long)count);
	s = textbuf_reserve(p->out, TIME_MAX_BYTES);
	s = time_emit(s, rec->ts - (top << 32 | bottom), p->formats->config.time_style);
	textbuf_commit(p->out, s);
	textbuf_add_char(p->out, ')');
	return 0;
}

int handle_stack(struct printer *p, const struct event *ev, const struct record *rec)
{
	unsigned step = p->formats->long_size;
	uint32_t pos;

	if (!ev->wanted[0]) {
		textbuf_add_str(p->out, "<CANT FIND FIELD caller>");
		return 0;
	}
	textbuf_add_str(p->out, "<stack trace >\n");
	for (pos = ev->wanted[0]->offset; pos <= p->size && p->size - pos >= step; pos += step) {
		uint64_t addr = bytes_get(p->data + pos, step, p->swap);
		const struct ksym *sym;

		if ((step == 8 && addr == UINT64_MAX) || (int)addr == -1)
			break;
		sym = printer_symbol(p, addr);
		textbuf_add(p->out, "=> ", 3);
		if (sym) {
			add_symbol_offset(p, sym, addr);
			textbuf_add(p->out, " (", 2);
		}
		textbuf_add_hex(p->out, addr);
		textbuf_add_str(p->out, sym ? ")\n" : "\n");
	}
	return 0;
}

/*
 * Prints the stack with names of the program's functions (symbols/programs.h), or else as the
 * kernel shows it. Callers are resolved at the call instruction: after a call that does not return,
 * another function may begin.
 */
int handle_user_stack(struct printer *p, const struct event *ev, const struct record *rec)
{
	const struct field *f = ev->wanted[0];
	unsigned step = p->formats->long_size;

	if (!f || !p->kallsyms || !p->kallsyms->programs)
		return 1;
	for (uint32_t i = 0; i < f->size / step && f->offset + (uint64_t)(i + 1) * step <= p->size;
	     i++) {
		uint64_t addr = bytes_get(p->data + f->offset + i * step, step, p->swap);
		const struct ksym *sym = addr ? printer_symbol(p, addr - (i > 0)) : NULL;

		if (!addr || (int)addr == -1)
			break;
		textbuf_add(p->out, "\t=> ", 4);
		if (!sym)
			textbuf_add(p->out, "0x", 2);
		if (sym)
			textbuf_add(p->out, sym->name, sym->name_len);
		else
			textbuf_add_hex(p->out, addr);
		textbuf_add_char(p->out, '\n');
	}
	return 0;
}

int handle_raw_data(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t id;

	if (!handler_number(p, ev, 0, "id", &id))
		return handler_give_up(p);
	textbuf_addf(p->out, "# %llx", (unsigned long long)id);
	if (!ev->wanted[1]) {
		textbuf_add_str(p->out, "<CANT FIND FIELD buf>");
		return 0;
	}
	for (uint32_t pos = ev->wanted[1]->offset; pos < p->size; pos++) {
		textbuf_add_char(p->out, ' ');
		textbuf_add(p->out, number_hex_pairs + p->data[pos] * 2, 2);
	}
	return 0;
}

/*
 * --- function graph ----------------------------------------------------------------------------
 */

static const char *overhead_mark(uint64_t duration)
{
	static const struct {
		uint64_t above_ns;
		const char *mark;
	} rows[] = {{1000000000, "$ "}, {1000000, "# "}, {100000, "! "}, {10000, "+ "}};

	for (int i = 0; i < 4; i++)
		if (duration > rows[i].above_ns)
			return rows[i].mark;
	return "  ";
}

/* Prints "! 131.178 us |  ": microseconds in seven characters, with as many decimals as fit. */
static void add_duration(struct printer *p, uint64_t duration)
{
	char *s = textbuf_reserve(p->out, 64), *start;

	memcpy(s, overhead_mark(duration), 2);
	start = s += 2;
	s = number_emit_dec(s, duration / 1000);
	if (s - start < 7) {
		unsigned ns = duration % 1000;

		*s++ = '.';
		*s++ = '0' + ns / 100;
		memcpy(s, number_pairs + ns % 100 * 2, 2);
		s += 2;
	}
	start += 7;
	memcpy(s, " us ", 4);
	s += 4;
	while (s < start + 4)
		*s++ = ' ';
	memcpy(s, "|  ", 3);
	textbuf_commit(p->out, s + 3);
}

static void add_graph_function(struct printer *p, uint64_t addr, const char *end)
{
	const struct ksym *sym = printer_symbol(p, addr);

	if (sym)
		textbuf_add(p->out, sym->name, sym->name_len);
	else
		textbuf_add_hex(p->out, addr);
	textbuf_add_str(p->out, end);
}

static void add_indent(struct printer *p, uint64_t depth)
{
	int n = (int)(depth * 2);

	if (n > 0)
		textbuf_add_fill(p->out, ' ', n < DEPTH_MAX * 2 ? n : DEPTH_MAX * 2);
}

static void add_depth(struct printer *p, uint64_t depth)
{
	if (p->formats->config.plugins.fgraph_depth)
		textbuf_addf(p->out, " (%lld)", (long long)depth);
}

/* Computes rettime - calltime of the given exit. Returns false if the fields are missing. */
static bool exit_duration(struct printer *p, const struct event *exit, uint64_t *ret)
{
	uint64_t rettime, calltime;

	if (!handler_number(p, exit, 0, "rettime", &rettime) ||
	    !handler_number(p, exit, 1, "calltime", &calltime))
		return false;
	*ret = rettime - calltime;
	return true;
}

static bool add_pair_duration(struct printer *p, const struct record *rec)
{
	const struct event *exit = p->formats->graph_exit;
	const uint8_t *data = p->data;
	uint32_t size = p->size;
	uint64_t duration;
	bool ok;

	p->data = rec->extra->pair;
	p->size = rec->extra->pair_size;
	ok = exit_duration(p, exit, &duration);
	p->data = data;
	p->size = size;
	if (ok)
		add_duration(p, duration);
	return ok;
}

int handle_graph_entry(struct printer *p, const struct event *ev, const struct record *rec)
{
	bool leaf = rec->flags & RECORD_PAIR;
	uint64_t depth, addr;

	if (!p->formats->graph_exit)
		return -1; /* there is no exit to fold, so the print format follows */
	if (leaf && !add_pair_duration(p, rec)) {
		textbuf_add_char(p->out, '!');
		return 0;
	}
	if (!leaf)
		textbuf_add_str(p->out, "             |  ");
	if (!handler_number(p, ev, 1, "depth", &depth)) {
		textbuf_add_char(p->out, '!');
		return 0;
	}
	add_indent(p, depth);
	if (!handler_number(p, ev, 0, "func", &addr)) {
		textbuf_add_char(p->out, '!');
		return 0;
	}
	add_graph_function(p, addr, leaf ? "();" : "() {");
	add_depth(p, depth);
	return 0;
}

int handle_graph_exit(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t duration, depth, addr;
	const struct ksym *sym;

	if (!exit_duration(p, ev, &duration))
		return handler_give_up(p);
	add_duration(p, duration);
	if (!handler_number(p, ev, 2, "depth", &depth))
		return handler_give_up(p);
	add_indent(p, depth);
	textbuf_add_char(p->out, '}');
	if (p->formats->config.plugins.fgraph_tailprint) {
		sym = printer_number(p, ev->wanted[3], &addr) ? printer_symbol(p, addr) : NULL;
		if (!sym)
			return 0;
		textbuf_add(p->out, " /* ", 4);
		textbuf_add(p->out, sym->name, sym->name_len);
		textbuf_add(p->out, " */", 3);
	}
	add_depth(p, depth);
	return 0;
}
