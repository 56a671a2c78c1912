// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replaytext.c - items of a replay as lines, in the layout of uftrace, or as JSON.
 *
 *	  column 11   9         3
 *	┌────────────┬─────────┬───┬────────────────────────────────────────────────┐
 *	│   0.500 us │ [   100]│ | │ two blanks for each level, and what happens    │
 *	└────────────┴─────────┴───┴────────────────────────────────────────────────┘
 *
 * There may be millions of lines, so each is written with few copies. The text of the task's number
 * is made once per task, and whether a name needs brackets is decided once per function.
 */
#include "present/calls/replaytext.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/escaper.h"
#include "base/json/jsonwriter.h"
#include "decode/print/print.h"
#include "present/calls/duration.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define LONG_NS	   1000000 /* durations from here on are red */
#define INDENT_MAX 1024	   /* deeper calls are not shifted further */
#define LINE_MAX   (TEXTBUF_SCRATCH_BYTES)

static const struct field_row {
	const char *name, *head;
	unsigned width;
} field_rows[] = {
	[REPLAY_DURATION] = {"duration", " DURATION ", 11},
	[REPLAY_TID] = {"tid", "    TID  ", 9},
	[REPLAY_ADDR] = {"addr", "    ADDRESS  ", 13},
	[REPLAY_TIME] = {"time", "      TIMESTAMP    ", 19},
	[REPLAY_DELTA] = {"delta", "  TIMEDELTA", 11},
	[REPLAY_ELAPSED] = {"elapsed", "   ELAPSED ", 11},
	[REPLAY_TASK] = {"task", "       TASK NAME", 16},
	[REPLAY_MODULE] = {"module", "      MODULE NAME", 17},
};

/* What was worked out for a task, by its order of appearance. */
struct text_task {
	const struct flow_task *task;
	uint64_t last_ts;
	uint32_t column;
	uint32_t head_len;
	char head[20]; /* " [   100]" */
};

struct replaytext {
	const struct replaytext_config *config;
	struct printer printer;
	struct textbuf event;
	struct map tasks; /* struct text_task by struct flow_task */
	struct text_task *last;
	const struct flow_task *last_line; /* whose line was the last one */
	uint64_t first_ts, n_lines;
	bool has_first;
	uint32_t n_tasks;
	char blanks[INDENT_MAX];
};

/*
 * --- fields ------------------------------------------------------------------------------------
 */

static int add_field(const char *word, size_t len, struct replaytext_config *config,
		     struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_LEN(field_rows); i++) {
		if (strlen(field_rows[i].name) != len || memcmp(field_rows[i].name, word, len) != 0)
			continue;
		for (size_t k = 0; k < config->n_fields; k++)
			if (config->fields[k] == i)
				return 0;
		config->fields[config->n_fields++] = (enum replay_field)i;
		return 0;
	}
	return errmsg_set(err, -EINVAL,
			  "-f knows duration, tid, addr, time, delta, elapsed, task, module and "
			  "none, not '%.*s'",
			  (int)len, word);
}

int replaytext_fields_parse(const char *words, struct replaytext_config *config, struct errmsg *err)
{
	config->n_fields = 0;
	if (!strcmp(words, "none"))
		return 0;
	if (*words == '+') {
		config->fields[0] = REPLAY_DURATION;
		config->fields[1] = REPLAY_TID;
		config->n_fields = 2;
		words++;
	}
	while (*words) {
		size_t len = strcspn(words, ",");

		if (add_field(words, len, config, err) < 0)
			return err->code;
		words += len + (words[len] == ',');
	}
	return 0;
}

void replaytext_fmt_head(struct replaytext *rt, struct textbuf *tb)
{
	const struct replaytext_config *c = rt->config;

	if (c->json || c->flat || !c->n_fields)
		return;
	textbuf_add_char(tb, '#');
	for (size_t i = 0; i < c->n_fields; i++) {
		const char *head = field_rows[c->fields[i]].head;

		/* the # takes the place of a blank */
		if (!i && c->fields[0] != REPLAY_DURATION)
			head++;
		textbuf_add_str(tb, head);
	}
	textbuf_add_str(tb, "   FUNCTION\n");
}

/*
 * --- a line ------------------------------------------------------------------------------------
 */

static struct text_task *find_task(struct replaytext *rt, const struct flow_task *t)
{
	struct text_task *task;
	void **slot;
	char *p;
	int pid;

	if (rt->last && rt->last->task == t)
		return rt->last;
	slot = map_take(&rt->tasks, (uintptr_t)t, 1u << 20);
	if (!slot)
		return NULL;
	if (!*slot) {
		task = calloc(1, sizeof(*task));
		*slot = task;
		if (!task)
			return NULL;
		pid = t->task ? t->task->pid : 0;
		task->task = t;
		task->column = rt->n_tasks++;
		p = task->head;
		*p++ = ' ';
		*p++ = '[';
		for (int width = (int)number_dec_width((uint64_t)pid); width < 6; width++)
			*p++ = ' ';
		p = number_emit_dec(p, (uint64_t)pid);
		*p++ = ']';
		task->head_len = (uint32_t)(p - task->head);
	}
	rt->last = *slot;
	return *slot;
}

static char *emit_blanks(char *p, size_t n)
{
	memset(p, ' ', n);
	return p + n;
}

static char *emit_colour(const struct replaytext *rt, char *p, const char *code)
{
	size_t len = strlen(code);

	if (!rt->config->colour)
		return p;
	memcpy(p, code, len);
	return p + len;
}

static char *emit_duration(struct replaytext *rt, char *p, const struct replay_item *item)
{
	bool is_long = item->duration >= LONG_NS && rt->config->in_time;

	if (!item->has_duration)
		return emit_blanks(p, 11);
	*p++ = ' ';
	if (is_long)
		p = emit_colour(rt, p, ESCAPER_RED);
	p = duration_emit(p, item->duration, rt->config->in_time);
	return is_long ? emit_colour(rt, p, ESCAPER_OFF) : p;
}

/* A text at the right end of a column. */
static char *emit_right(char *p, const char *text, unsigned width)
{
	size_t len = text ? strlen(text) : 0;

	if (len > 64)
		len = 64;
	if (len < width)
		p = emit_blanks(p, width - len);
	else
		*p++ = ' ';
	return len ? (char *)memcpy(p, text, len) + len : p;
}

static char *emit_number(char *p, uint64_t v, bool is_hex, unsigned width)
{
	unsigned n = is_hex ? number_hex_width(v) : number_dec_width(v);

	*p++ = ' ';
	if (n + 1 < width)
		p = emit_blanks(p, width - 1 - n);
	return is_hex ? number_emit_hex(p, v) : number_emit_dec(p, v);
}

static char *emit_time(const struct replaytext *rt, char *p, uint64_t ts)
{
	uint64_t s = ts / 1000000000;
	uint32_t ns = (uint32_t)(ts % 1000000000);

	if (!rt->config->in_time)
		return emit_number(p, ts, false, 19);
	p = emit_number(p, s, false, 9);
	*p++ = '.';
	for (uint32_t unit = 100000000; unit; unit /= 10)
		*p++ = (char)('0' + ns / unit % 10);
	return p;
}

static char *emit_span(const struct replaytext *rt, char *p, uint64_t ns)
{
	*p++ = ' ';
	return duration_emit(p, ns, rt->config->in_time);
}

static char *emit_field(struct replaytext *rt, char *p, enum replay_field field,
			const struct replay_item *item, const struct text_task *task)
{
	const struct task *who = item->task ? item->task->task : NULL;

	switch (field) {
	case REPLAY_DURATION:
		return emit_duration(rt, p, item);
	case REPLAY_TID:
		if (!task)
			return emit_blanks(p, 9);
		p = emit_colour(rt, p, ESCAPER_DIM);
		memcpy(p, task->head, sizeof(task->head)); /* more than needed, but one copy */
		return emit_colour(rt, p + task->head_len, ESCAPER_OFF);
	case REPLAY_ADDR:
		return item->func ? emit_number(p, item->func->addr, true, 13) : emit_blanks(p, 13);
	case REPLAY_TIME:
		return emit_time(rt, p, item->ts);
	case REPLAY_DELTA:
		return task && task->last_ts && item->ts >= task->last_ts
			       ? emit_span(rt, p, item->ts - task->last_ts)
			       : emit_blanks(p, 11);
	case REPLAY_ELAPSED:
		return emit_span(rt, p, item->ts - rt->first_ts);
	case REPLAY_TASK:
		return emit_right(p, who ? who->comm : NULL, 16);
	case REPLAY_MODULE:
		return emit_right(p,
				  !item->func		? NULL
				  : item->func->module	? item->func->module
				  : item->func->is_user ? NULL
							: "kernel",
				  17);
	default:
		return p;
	}
}

/* The fields and the bar. */
static void add_fields(struct replaytext *rt, const struct replay_item *item,
		       const struct text_task *task, struct textbuf *tb)
{
	const struct replaytext_config *c = rt->config;
	char *p = textbuf_reserve(tb, LINE_MAX);

	for (size_t i = 0; i < c->n_fields; i++)
		p = emit_field(rt, p, c->fields[i], item, task);
	if (c->n_fields) {
		memcpy(p, " | ", 3);
		p += 3;
	}
	textbuf_commit(tb, p);
}

static void add_indent(struct replaytext *rt, const struct replay_item *item,
		       const struct text_task *task, struct textbuf *tb)
{
	size_t n = (size_t)item->level * 2;

	if (rt->config->column_view && task)
		n += (size_t)task->column * (size_t)rt->config->column_offset;
	textbuf_add(tb, rt->blanks, n < INDENT_MAX ? n : INDENT_MAX);
}

static void add_name(const struct replaytext *rt, const struct flow_func *fn, struct textbuf *tb)
{
	textbuf_add(tb, fn->name, fn->name_len);
	if (rt->config->module_names && fn->module) {
		textbuf_add_char(tb, '@');
		textbuf_add_str(tb, fn->module);
	}
}

static void add_coloured(const struct replaytext *rt, const char *code, struct textbuf *tb)
{
	if (rt->config->colour)
		textbuf_add_str(tb, code);
}

/* An event's own text, on one line. */
static const char *event_text(struct replaytext *rt, const struct replay_item *item)
{
	char *p;

	textbuf_clear(&rt->event);
	rt->printer.out = &rt->event;
	printer_print(&rt->printer, item->record, false);
	p = (char *)textbuf_text(&rt->event);
	for (char *c = p; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	return p;
}

static void add_comment(struct replaytext *rt, const struct replay_item *item, struct textbuf *tb)
{
	add_coloured(rt, item->kind == REPLAY_LOST ? ESCAPER_RED : ESCAPER_GREEN, tb);
	textbuf_add(tb, "/* ", 3);
	switch (item->kind) {
	case REPLAY_EVENT:
		textbuf_addf(tb, "%s: %s", item->record->event->name, event_text(rt, item));
		break;
	case REPLAY_BACK:
		textbuf_add_str(tb, "runs again");
		break;
	case REPLAY_LOST:
		if (item->n_lost)
			textbuf_addf(tb, "%" PRIu64 " events lost on CPU %u", item->n_lost,
				     item->cpu);
		else
			textbuf_addf(tb, "events lost on CPU %u", item->cpu);
		break;
	default:
		add_name(rt, item->func, tb);
		textbuf_add_str(tb, ": no return");
		break;
	}
	textbuf_add(tb, " */", 3);
	add_coloured(rt, ESCAPER_OFF, tb);
}

/*
 * The name with the arguments: "work(3)". A C++ name may have parameters already; if arguments are
 * known, they take their place.
 */
static void add_name_with_args(struct replaytext *rt, const struct replay_item *item,
			       struct textbuf *tb)
{
	struct flow_func bare = *item->func;

	if (!item->args) {
		add_name(rt, item->func, tb);
		textbuf_add_str(tb, call_brackets(item->func->name, item->func->name_len));
		return;
	}
	bare.name_len = (uint32_t)call_bare_len(bare.name, bare.name_len);
	add_name(rt, &bare, tb);
	textbuf_add_char(tb, '(');
	add_coloured(rt, ESCAPER_CYAN, tb);
	textbuf_add_str(tb, item->args);
	add_coloured(rt, ESCAPER_OFF, tb);
	textbuf_add_char(tb, ')');
}

static void add_ret(struct replaytext *rt, const struct replay_item *item, struct textbuf *tb)
{
	if (!item->ret)
		return;
	textbuf_add(tb, " = ", 3);
	add_coloured(rt, ESCAPER_CYAN, tb);
	textbuf_add_str(tb, item->ret);
	add_coloured(rt, ESCAPER_OFF, tb);
}

static void add_source(struct replaytext *rt, const struct replay_item *item, struct textbuf *tb)
{
	if (!rt->config->sources || !item->func->source)
		return;
	add_coloured(rt, ESCAPER_DIM, tb);
	textbuf_addf(tb, " /* %s */", item->func->source);
	add_coloured(rt, ESCAPER_OFF, tb);
}

/* A call that lasts longer than the range that is shown. */
static void add_cut(struct replaytext *rt, const struct replay_item *item, struct textbuf *tb)
{
	bool is_after = item->is_after && item->kind == REPLAY_LEAF;

	if (!item->is_before && !is_after)
		return;
	add_coloured(rt, ESCAPER_GREEN, tb);
	textbuf_addf(tb, " /* %s%s%s */", item->is_before ? "began before the range" : "",
		     item->is_before && is_after ? ", " : "",
		     is_after ? "returned after the range" : "");
	add_coloured(rt, ESCAPER_OFF, tb);
}

static void add_call(struct replaytext *rt, const struct replay_item *item, struct textbuf *tb)
{
	switch (item->kind) {
	case REPLAY_ENTER:
		add_name_with_args(rt, item, tb);
		textbuf_add(tb, " {", 2);
		add_source(rt, item, tb);
		add_cut(rt, item, tb);
		break;
	case REPLAY_LEAF:
		add_name_with_args(rt, item, tb);
		add_ret(rt, item, tb);
		textbuf_add_char(tb, ';');
		add_source(rt, item, tb);
		add_cut(rt, item, tb);
		break;
	case REPLAY_LEAVE:
		textbuf_add_char(tb, '}');
		add_ret(rt, item, tb);
		if (item->ret)
			textbuf_add_char(tb, ';');
		if (rt->config->no_comment && !item->is_after)
			break;
		add_coloured(rt, ESCAPER_DIM, tb);
		textbuf_add(tb, " /* ", 4);
		add_name(rt, item->func, tb);
		if (item->is_after)
			textbuf_add_str(tb, ": returned after the range");
		textbuf_add(tb, " */", 3);
		add_coloured(rt, ESCAPER_OFF, tb);
		break;
	default:
		add_comment(rt, item, tb);
		break;
	}
}

/* A line without anything, when the task changes. */
static void add_gap(struct replaytext *rt, const struct replay_item *item, struct textbuf *tb)
{
	unsigned width = 0;

	if (rt->last_line && item->task && rt->last_line != item->task) {
		for (size_t i = 0; i < rt->config->n_fields; i++)
			width += field_rows[rt->config->fields[i]].width;
		textbuf_add_fill(tb, ' ', width);
		textbuf_add_str(tb, rt->config->n_fields ? " |\n" : "\n");
	}
	if (item->task)
		rt->last_line = item->task;
}

/*
 * --- other forms -------------------------------------------------------------------------------
 */

static void fmt_flat(struct replaytext *rt, const struct replay_item *item, struct textbuf *tb)
{
	int pid = item->task && item->task->task ? item->task->task->pid : 0;
	bool enters = item->kind == REPLAY_ENTER || item->kind == REPLAY_LEAF;

	if (enters)
		textbuf_addf(tb, "[%" PRIu64 "] ==> %d/%u: ip (%s), time (%" PRIu64 ")\n",
			     rt->n_lines++, pid, item->level, item->func->name, item->ts);
	if (item->kind == REPLAY_LEAF || item->kind == REPLAY_LEAVE)
		textbuf_addf(tb,
			     "[%" PRIu64 "] <== %d/%u: ip (%s), time (%" PRIu64 ":%" PRIu64 ")\n",
			     rt->n_lines++, pid, item->level, item->func->name,
			     item->ts + (item->kind == REPLAY_LEAF ? item->duration : 0),
			     item->has_duration ? item->duration : 0);
	if (enters || item->kind == REPLAY_LEAVE)
		return;
	textbuf_addf(tb, "[%" PRIu64 "] %d/%u: ", rt->n_lines++, pid, item->level);
	add_comment(rt, item, tb);
	textbuf_addf(tb, ", time (%" PRIu64 ")\n", item->ts);
}

static void fmt_json(struct replaytext *rt, const struct replay_item *item, struct textbuf *tb)
{
	static const char *const kinds[] = {
		[REPLAY_ENTER] = "enter", [REPLAY_LEAVE] = "leave", [REPLAY_LEAF] = "call",
		[REPLAY_EVENT] = "event", [REPLAY_BACK] = "back",   [REPLAY_LOST] = "lost",
		[REPLAY_OPEN] = "open",
	};
	const struct task *task = item->task ? item->task->task : NULL;
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_uint(&w, "ts", item->ts);
	jsonwriter_add_string(&w, "kind", kinds[item->kind]);
	jsonwriter_add_uint(&w, "cpu", item->cpu);
	if (task) {
		jsonwriter_add_int(&w, "pid", task->pid);
		jsonwriter_add_string(&w, "comm", task->comm);
		jsonwriter_add_uint(&w, "depth", item->level);
	}
	if (item->func) {
		jsonwriter_add_string(&w, "function", item->func->name);
		jsonwriter_add_string(&w, "module",
				      item->func->module    ? item->func->module
				      : item->func->is_user ? NULL
							    : "kernel");
		if (rt->config->sources)
			jsonwriter_add_string(&w, "source", item->func->source);
	}
	if (item->has_duration)
		jsonwriter_add_uint(&w, "duration", item->duration);
	if (item->is_before)
		jsonwriter_add_bool(&w, "before", true);
	if (item->is_after)
		jsonwriter_add_bool(&w, "after", true);
	if (item->args && item->kind != REPLAY_LEAVE)
		jsonwriter_add_string(&w, "args", item->args);
	if (item->ret && item->kind != REPLAY_ENTER)
		jsonwriter_add_string(&w, "ret", item->ret);
	if (item->kind == REPLAY_LOST && item->n_lost)
		jsonwriter_add_uint(&w, "missed", item->n_lost);
	if (item->kind == REPLAY_EVENT) {
		jsonwriter_add_string(&w, "system", item->record->event->system);
		jsonwriter_add_string(&w, "event", item->record->event->name);
		jsonwriter_add_string(&w, "info", event_text(rt, item));
	}
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

void replaytext_fmt(struct replaytext *rt, const struct replay_item *item, struct textbuf *tb)
{
	struct text_task *task = item->task ? find_task(rt, item->task) : NULL;

	if (!rt->has_first) {
		rt->first_ts = item->ts;
		rt->has_first = true;
	}
	if (rt->config->json) {
		fmt_json(rt, item, tb);
		return;
	}
	if (rt->config->flat) {
		fmt_flat(rt, item, tb);
		return;
	}
	if (rt->config->task_newline)
		add_gap(rt, item, tb);
	add_fields(rt, item, task, tb);
	add_indent(rt, item, task, tb);
	add_call(rt, item, tb);
	textbuf_add_char(tb, '\n');
	if (task)
		task->last_ts = item->ts;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

int replaytext_new(struct replaytext **ret, struct formats *f,
		   const struct replaytext_config *config)
{
	struct replaytext *rt = calloc(1, sizeof(*rt));

	if (!rt)
		return -ENOMEM;
	rt->config = config;
	memset(rt->blanks, ' ', sizeof(rt->blanks));
	textbuf_init(&rt->event, 1u << 20);
	if (printer_init(&rt->printer, f, &rt->event) < 0) {
		textbuf_release(&rt->event);
		free(rt);
		return -ENOMEM;
	}
	*ret = rt;
	return 0;
}

void replaytext_free(struct replaytext *rt)
{
	if (!rt)
		return;
	for (size_t i = 0; i < rt->tasks.n_slots; i++)
		free(rt->tasks.slots[i].value);
	map_release(&rt->tasks);
	printer_release(&rt->printer);
	textbuf_release(&rt->event);
	free(rt);
}
