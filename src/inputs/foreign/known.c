// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * known.c - the table of the kernel's events whose fields other parts of sonde read: the scheduler,
 * interrupts, system calls.
 *
 *	prev_comm=bash prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=make next_pid=9 …   kernel
 *	bash:7 [120] S ==> make:9 [120]                                                        reports
 *
 * A form is a text in which %N stands for field N, and %* for anything that no field has. Formats
 * are those of Linux 6.1. The letters of a task's state differ: the kernel's are those of its
 * format, the reports of trace-cmd and sonde have older ones for the same bits.
 *
 * Only names of tasks and of interrupts can contain what follows them in a form. They are tried
 * from short to long; as they are short and at most two, that takes no time.
 */
#include "inputs/foreign/known.h"

#include "base/array.h"
#include "base/textbuf.h"
#include "store/events/eventformats.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COMM	  16
#define TEXT_MAX  512
#define PREEMPTED 0x100 /* "+" after the state */

enum field_form { NUMBER, HEX, NAME, STATE, TEXT };

struct field_row {
	const char *declaration; /* NULL: a further element of the array before it */
	uint32_t n_bytes;	 /* of the whole declaration */
	enum field_form form;
	uint32_t each; /* bytes of this element; 0: n_bytes */
};

struct form {
	const char *text;
	const char *letters; /* of the bits of a state */
	int64_t constant;    /* of the last field, if the text has none */
};

struct known_event {
	const char *name, *system;
	struct field_row fields[KNOWN_FIELDS_MAX];
	struct form forms[4];
	const char *print;
};

/* clang-format off */
#define KERNEL_LETTERS "SDTtXZPI"
#define REPORT_LETTERS "SDTtZXxW"

#define WAKEUP(event)                                                                        \
	{event, "sched",                                                                     \
	 {{"char comm[16]", COMM, NAME}, {"pid_t pid", 4, NUMBER}, {"int prio", 4, NUMBER},  \
	  {"int target_cpu", 4, NUMBER}},                                                    \
	 {{.text = "comm=%0 pid=%1 prio=%2 target_cpu=%3"},                                  \
	  {.text = "%0:%1 [%2] CPU:%3"},                                                     \
	  {.text = "comm=%0 pid=%1 prio=%2 success=%* target_cpu=%3"},                       \
	  {.text = "%0:%1 [%2] success=%* CPU:%3"}},                                         \
	 "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, "      \
	 "REC->target_cpu"}

#define SOFTIRQ(event)                                                                       \
	{event, "irq", {{"unsigned int vec", 4, NUMBER}}, {{.text = "vec=%0 [action=%*]"}},  \
	 "\"vec=%u [action=%s]\", REC->vec, __print_symbolic(REC->vec, { 0, \"HI\" }, "      \
	 "{ 1, \"TIMER\" }, { 2, \"NET_TX\" }, { 3, \"NET_RX\" }, { 4, \"BLOCK\" }, "        \
	 "{ 5, \"IRQ_POLL\" }, { 6, \"TASKLET\" }, { 7, \"SCHED\" }, { 8, \"HRTIMER\" }, "   \
	 "{ 9, \"RCU\" })"}

#define ARGUMENT {NULL, 0, HEX, 8}

static const struct known_event events[] = {
	{"sched_switch", "sched",
	 {{"char prev_comm[16]", COMM, NAME}, {"pid_t prev_pid", 4, NUMBER},
	  {"int prev_prio", 4, NUMBER}, {"long prev_state", 8, STATE},
	  {"char next_comm[16]", COMM, NAME}, {"pid_t next_pid", 4, NUMBER},
	  {"int next_prio", 4, NUMBER}},
	 {{.text = "prev_comm=%0 prev_pid=%1 prev_prio=%2 prev_state=%3 ==> next_comm=%4 "
		   "next_pid=%5 next_prio=%6", .letters = KERNEL_LETTERS},
	  {.text = "%0:%1 [%2] %3 ==> %4:%5 [%6]", .letters = REPORT_LETTERS}},
	 "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d "
	 "next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
	 "(REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, \"|\", "
	 "{ 0x01, \"S\" }, { 0x02, \"D\" }, { 0x04, \"T\" }, { 0x08, \"t\" }, { 0x10, \"X\" }, "
	 "{ 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }) : \"R\", "
	 "REC->prev_state & 0x100 ? \"+\" : \"\", REC->next_comm, REC->next_pid, "
	 "REC->next_prio"},
	WAKEUP("sched_wakeup"),
	WAKEUP("sched_wakeup_new"),
	WAKEUP("sched_waking"),
	{"irq_handler_entry", "irq",
	 {{"int irq", 4, NUMBER}, {"__data_loc char[] name", 4, TEXT}},
	 {{.text = "irq=%0 name=%1"}},
	 "\"irq=%d name=%s\", REC->irq, __get_str(name)"},
	{"irq_handler_exit", "irq",
	 {{"int irq", 4, NUMBER}, {"int ret", 4, NUMBER}},
	 {{.text = "irq=%0 ret=handled", .constant = 1}, {.text = "irq=%0 ret=unhandled"}},
	 "\"irq=%d ret=%s\", REC->irq, REC->ret ? \"handled\" : \"unhandled\""},
	SOFTIRQ("softirq_raise"),
	SOFTIRQ("softirq_entry"),
	SOFTIRQ("softirq_exit"),
	{"sys_enter", "raw_syscalls",
	 {{"long id", 8, NUMBER}, {"unsigned long args[6]", 48, HEX, 8}, ARGUMENT, ARGUMENT,
	  ARGUMENT, ARGUMENT, ARGUMENT},
	 {{.text = "NR %0 (%1, %2, %3, %4, %5, %6)"}, {.text = "NR %0 %* (%1, %2, %3, %4, %5, %6)"}},
	 "\"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], REC->args[1], "
	 "REC->args[2], REC->args[3], REC->args[4], REC->args[5]"},
	{"sys_exit", "raw_syscalls",
	 {{"long id", 8, NUMBER}, {"long ret", 8, NUMBER}},
	 {{.text = "NR %0 = %1"}, {.text = "NR %0 %* = %1"}},
	 "\"NR %ld = %ld\", REC->id, REC->ret"},
};
/* clang-format on */

const struct known_event *known_find(const char *name, size_t len)
{
	return ARRAY_FIND(events, ARRAY_LEN(events), i,
			  strlen(events[i].name) == len && !memcmp(events[i].name, name, len));
}

const char *known_system(const struct known_event *ev)
{
	return ev->system;
}

/*
 * --- from the text -----------------------------------------------------------------------------
 */

struct match {
	const struct known_event *ev;
	const struct form *form;
	struct known_values *v;
	const char *end;
};

static bool match(struct match *m, const char *form, const char *at);

/* Returns the end of the number, NULL if there is none. */
static const char *take_number(const char *at, const char *end, bool is_hex, int64_t *ret)
{
	bool is_negative = !is_hex && at < end && *at == '-';
	const char *start = at += is_negative;
	uint64_t v = 0;

	for (; at < end && at - start < (is_hex ? 16 : 19); at++) {
		unsigned char c = *at;

		if (is_hex ? !isxdigit(c) : !isdigit(c))
			break;
		v = is_hex ? v << 4 | (isdigit(c) ? c - '0' : (c | 32) - 'a' + 10)
			   : v * 10 + (c - '0');
	}
	*ret = (int64_t)(is_negative ? -v : v);
	return at > start ? at : NULL;
}

/* Reads S, R+, D|T; NULL: a letter is unknown. */
static const char *take_state(const struct form *form, const char *at, const char *end,
			      int64_t *ret)
{
	const char *start = at;

	*ret = 0;
	for (; at < end && *at != ' '; at++) {
		const char *letter = strchr(form->letters, *at);

		if (*at == '|' || *at == 'R')
			continue;
		if (*at == '+')
			*ret |= PREEMPTED;
		else if (*at && letter)
			*ret |= 1 << (letter - form->letters);
		else
			return NULL;
	}
	return at > start ? at : NULL;
}

static bool match_text(struct match *m, const char *form, const char *at, size_t max,
		       struct piece *ret)
{
	size_t left = (size_t)(m->end - at);

	for (size_t len = 0; len <= max && len <= left; len++) {
		if (!match(m, form, at + len))
			continue;
		if (ret)
			*ret = (struct piece){(const uint8_t *)at, len};
		return true;
	}
	return false;
}

static bool match_field(struct match *m, unsigned i, const char *form, const char *at)
{
	int64_t *number = &m->v->numbers[i];
	enum field_form kind = m->ev->fields[i].form;

	switch (kind) {
	case NAME:
	case TEXT:
		return match_text(m, form, at, kind == NAME ? COMM - 1 : TEXT_MAX, &m->v->texts[i]);
	case STATE:
		at = take_state(m->form, at, m->end, number);
		break;
	case NUMBER:
	case HEX:
		at = take_number(at, m->end, kind == HEX, number);
	}
	return at && match(m, form, at);
}

static bool match(struct match *m, const char *form, const char *at)
{
	for (; *form; form++, at++) {
		if (*form == '%' && form[1] == '*')
			return match_text(m, form + 2, at, TEXT_MAX, NULL);
		if (*form == '%')
			return match_field(m, (unsigned)(form[1] - '0'), form + 2, at);
		if (at >= m->end || *at != *form)
			return false;
	}
	return at == m->end;
}

static size_t n_fields(const struct known_event *ev)
{
	size_t n = 0;

	while (n < KNOWN_FIELDS_MAX && ev->fields[n].form + ev->fields[n].n_bytes)
		n++;
	return n;
}

bool known_match(const struct known_event *ev, struct piece text, struct known_values *ret)
{
	const char *start = (const char *)text.data, *end = start + text.len;

	while (end > start && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	for (size_t i = 0; i < ARRAY_LEN(ev->forms) && ev->forms[i].text; i++) {
		struct match m = {ev, &ev->forms[i], ret, end};

		*ret = (struct known_values){0};
		ret->numbers[n_fields(ev) - 1] = ev->forms[i].constant;
		if (match(&m, ev->forms[i].text, start))
			return true;
	}
	return false;
}

/*
 * --- into the trace ----------------------------------------------------------------------------
 */

void known_add_format(const struct known_event *ev, struct textbuf *tb, uint32_t id)
{
	struct eventformats f;

	eventformats_begin(&f, tb, ev->name, id);
	for (size_t i = 0; i < n_fields(ev); i++)
		if (ev->fields[i].declaration)
			eventformats_add_field(&f, ev->fields[i].declaration, ev->fields[i].n_bytes,
					       strncmp(ev->fields[i].declaration, "unsigned", 8));
	eventformats_end(&f, ev->print);
}

uint32_t known_fill(const struct known_event *ev, const struct known_values *v, uint8_t *record,
		    uint32_t max_bytes)
{
	uint32_t at = EVENTFORMATS_COMMON_BYTES, text_at = at, place;

	for (size_t i = 0; i < n_fields(ev); i++)
		text_at += ev->fields[i].n_bytes;
	memset(record + at, 0, text_at - at);
	for (size_t i = 0; i < n_fields(ev); i++) {
		const struct field_row *f = &ev->fields[i];
		uint32_t n = f->each ? f->each : f->n_bytes, len = (uint32_t)v->texts[i].len;

		if (f->form == NAME) {
			memcpy(record + at, v->texts[i].data, len < n ? len : n - 1);
		} else if (f->form == TEXT && text_at + len + 1 <= max_bytes) {
			place = (len + 1) << 16 | text_at;
			memcpy(record + at, &place, 4);
			memcpy(record + text_at, v->texts[i].data, len);
			record[text_at + len] = 0;
			text_at += len + 1;
		} else if (f->form != TEXT) { /* the low bytes of the number */
			const uint8_t *bytes = (const uint8_t *)&v->numbers[i];

			memcpy(record + at, bytes + (bytes_host_is_big() ? 8 - n : 0), n);
		}
		at += n;
	}
	return text_at;
}
