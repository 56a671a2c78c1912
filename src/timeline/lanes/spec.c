// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * spec.c - parses the name of a lane: TYPE:MACHINE:REST, as listed in lane.h.
 *
 * The name of an event is SYSTEM/NAME. Neither contains a colon, so colons separate the parts. A
 * spec comes from an address that any web page may contain, so the length and form of each part are
 * checked.
 */
#include "base/array.h"
#include "timeline/lanes/lane_int.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PARTS_MAX 7

struct parts {
	char text[512];
	char *part[PARTS_MAX];
	size_t n;
	const char *whole;
};

enum spec_shape {
	SHAPE_NUMBER,
	SHAPE_EVENT,
	SHAPE_FIELD,
	SHAPE_PAIR,
	SHAPE_ID,
};

static const struct {
	const char *name;
	enum lane_type type;
	enum spec_shape shape;
	const char *form;
} types[] = {
	{"cpu", LANE_OF_CPU, SHAPE_NUMBER, "cpu:MACHINE:CPU"},
	{"task", LANE_OF_TASK, SHAPE_NUMBER, "task:MACHINE:PID"},
	{"irq", LANE_OF_IRQ, SHAPE_NUMBER, "irq:MACHINE:CPU"},
	{"softirq", LANE_OF_SOFTIRQ, SHAPE_NUMBER, "softirq:MACHINE:CPU"},
	{"calls", LANE_OF_CALLS, SHAPE_NUMBER, "calls:MACHINE:PID"},
	{"cpucalls", LANE_OF_CPUCALLS, SHAPE_NUMBER, "cpucalls:MACHINE:CPU"},
	{"sys", LANE_OF_SYS, SHAPE_NUMBER, "sys:MACHINE:PID"},
	{"event", LANE_OF_EVENT, SHAPE_EVENT, "event:MACHINE:SYSTEM/NAME"},
	{"field", LANE_OF_FIELD, SHAPE_FIELD, "field:MACHINE:SYSTEM/NAME:FIELD[:PID|cpuN]"},
	{"pair", LANE_OF_PAIR, SHAPE_PAIR, "pair:MACHINE:SYSTEM/A:SYSTEM/B:KEY[:KEY_OF_B]"},
	{"found", LANE_OF_FOUND, SHAPE_ID, "found:ID"},
	{"all", LANE_OF_ALL, SHAPE_NUMBER, "all:MACHINE:CPU"},
	{"vcpu", LANE_OF_VCPU, SHAPE_NUMBER, "vcpu:MACHINE:CPU"},
};

static int take_apart(struct parts *p, const char *text)
{
	size_t len = strlen(text);

	p->whole = text;
	p->n = 0;
	if (len >= sizeof(p->text))
		return -EINVAL;
	memcpy(p->text, text, len + 1);
	for (char *s = p->text; s;) {
		if (p->n == PARTS_MAX)
			return -EINVAL;
		p->part[p->n++] = s;
		s = strchr(s, ':');
		if (s)
			*s++ = 0;
	}
	return 0;
}

static bool take_number(const char *s, uint64_t max, uint64_t *ret)
{
	uint64_t v = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		if (!isdigit((unsigned char)*s) || v > max / 10)
			return false;
		v = v * 10 + (*s - '0');
	}
	*ret = v;
	return v <= max;
}

static bool take_name(const char *s, char *ret)
{
	size_t len = strlen(s);

	if (!len || len >= SPEC_NAME_BYTES)
		return false;
	memcpy(ret, s, len + 1);
	return true;
}

static bool take_event(char *s, struct spec_event *ret)
{
	char *slash = strchr(s, '/');

	if (!slash)
		return false;
	*slash = 0;
	return take_name(s, ret->system) && take_name(slash + 1, ret->name);
}

/* Parses [:PID|cpuN]. */
static bool take_only(const char *s, struct lane_spec *spec)
{
	bool is_cpu = !strncmp(s, "cpu", 3);
	uint64_t v;

	if (!take_number(is_cpu ? s + 3 : s, INT32_MAX, &v))
		return false;
	*(is_cpu ? &spec->only_cpu : &spec->only_pid) = v;
	return true;
}

/* Parses FIELD or FIELD[KEY=NUMBER~WORDS]: the words are for the page, which shows them. */
static bool take_field(char *s, struct lane_spec *spec)
{
	char *open = strchr(s, '['), *equals = open ? strchr(open, '=') : NULL, *end;

	if (!open)
		return take_name(s, spec->field);
	if (!equals || s[strlen(s) - 1] != ']')
		return false;
	end = equals + 1 + strcspn(equals + 1, "~]");
	*open = *equals = *end = 0;
	return take_name(s, spec->field) && take_name(open + 1, spec->where) &&
	       take_number(equals + 1, UINT32_MAX, &spec->where_number);
}

static bool take_pair(struct lane_spec *s, struct parts *p)
{
	if (p->n < 5 || p->n > 6 || !take_event(p->part[2], &s->event) ||
	    !take_event(p->part[3], &s->event_b) || !take_name(p->part[4], s->field))
		return false;
	return take_name(p->part[p->n - 1], s->field_b);
}

static bool take_shape(struct lane_spec *s, enum spec_shape shape, struct parts *p)
{
	uint64_t machine;

	if (shape == SHAPE_ID)
		return p->n == 2 && take_number(p->part[1], UINT64_MAX / 16, &s->number);
	if (p->n < 3 || !take_number(p->part[1], UINT32_MAX, &machine))
		return false;
	s->machine = machine;
	switch (shape) {
	case SHAPE_NUMBER:
		return p->n == 3 && take_number(p->part[2], INT32_MAX, &s->number);
	case SHAPE_EVENT:
		return p->n == 3 && take_event(p->part[2], &s->event);
	case SHAPE_FIELD:
		return p->n >= 4 && p->n <= 5 && take_event(p->part[2], &s->event) &&
		       take_field(p->part[3], s) && (p->n == 4 || take_only(p->part[4], s));
	default:
		return take_pair(s, p);
	}
}

/* Parses SPEC@BITS:WINDOW in place. Only window.c writes this form. */
static bool take_window(struct lane_spec *s, char *text)
{
	char *at = strrchr(text, '@'), *colon = at ? strchr(at, ':') : NULL;
	uint64_t bits;

	if (!at)
		return true;
	if (!colon)
		return false;
	*at = *colon = 0;
	if (!take_number(at + 1, 47, &bits) || !bits ||
	    !take_number(colon + 1, TIMELINE_TIME_MAX >> bits, &s->window))
		return false;
	s->window_bits = bits;
	return true;
}

int lane_spec_parse(struct lane_spec *s, const char *text, struct errmsg *err)
{
	char copy[sizeof(struct parts)];
	size_t len = strlen(text);
	struct parts p;

	*s = (struct lane_spec){.only_pid = -1, .only_cpu = -1};
	memcpy(copy, text, len < sizeof(copy) ? len + 1 : 0);
	if (len >= sizeof(copy) || !take_window(s, copy) || take_apart(&p, copy) < 0)
		return errmsg_set(err, -EINVAL,
				  "The name of a lane is empty or too long; "
				  "see the list of lanes in the help.");
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (strcmp(types[i].name, p.part[0]))
			continue;
		s->type = types[i].type;
		if (take_shape(s, types[i].shape, &p))
			return 0;
		return errmsg_set(err, -EINVAL, "\"%.200s\" is not the name of a lane; write %s.",
				  text, types[i].form);
	}
	return errmsg_set(err, -EINVAL,
			  "\"%.200s\" is not the name of a lane; "
			  "there are cpu, task, irq, softirq, calls, cpucalls, sys, event, field, "
			  "pair, found, all and vcpu.",
			  text);
}

int lane_check_name(const char *spec, struct errmsg *err)
{
	struct lane_spec s;

	return lane_spec_parse(&s, spec, err);
}
