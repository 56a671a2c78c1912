/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study_int.h - what study.c and label.c share.
 */
#ifndef SONDE_ANALYSE_STUDY_STUDY_INT_H
#define SONDE_ANALYSE_STUDY_STUDY_INT_H

#include "analyse/namepool.h"
#include "analyse/own.h"
#include "analyse/study/study.h"
#include "base/arena.h"
#include "decode/print/print.h"

enum value_kind {
	VALUE_NONE,
	VALUE_FIELD,
	VALUE_CPU,
	VALUE_COMM,
	VALUE_PID,
	VALUE_TASK,
	VALUE_EVENT
};

/* A word of the question, found in one event. */
struct study_value {
	enum value_kind kind;
	const struct field *field;
	const struct arg *names; /* the names of its values in the print format; NULL: numbers */
};

enum study_role { ROLE_NONE, ROLE_FROM = 1, ROLE_TO = 2 };

/* The meaning of an event for the question. */
struct study_event {
	unsigned roles;
	struct study_value from_keys[STUDY_FIELDS_MAX], to_keys[STUDY_FIELDS_MAX];
	struct study_value groups[STUDY_FIELDS_MAX];
};

struct study_event *study_event_new(const struct study_spec *spec, const struct event *ev,
				    struct arena *arena);
bool study_event_matches(const char *pattern, const struct event *ev);

/* The values of rec, separated by tabs, into p->out; false if the event has none of that name. */
bool study_fmt_label(struct printer *p, const struct record *rec, const struct study_value *values,
		     size_t n);
/* A function's name or its address. */
void study_fmt_function(struct printer *p, uint64_t addr);

#endif
