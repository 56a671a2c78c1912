/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * eventcolumns.h - the columns of a table of events, and their values in a record.
 *
 * All such tables begin with id, ts, cpu, utid, tid and comm: the record itself and the task that
 * it happened in. The table of one kind of event then has its fields. A field that has the name of
 * a common column takes it, and the common column is called common_NAME.
 */
#ifndef SONDE_QUERY_EVENTCOLUMNS_H
#define SONDE_QUERY_EVENTCOLUMNS_H

#include "analyse/keys.h"
#include "base/textbuf.h"
#include "format/bytes.h"
#include "query/scan.h"

#include <sqlite3.h>

enum event_column_kind {
	COLUMN_ID,
	COLUMN_TS,
	COLUMN_CPU,
	COLUMN_UTID,
	COLUMN_TID,
	COLUMN_COMM,
	COLUMN_SYSTEM,
	COLUMN_NAME,
	COLUMN_TEXT,
	COLUMN_MISSED,
	COLUMN_FIELD, /* as report shows it */
	COLUMN_RAW,   /* hidden: the number of a field that is shown as text */
};

enum value_form {
	FORM_NONE, /* the file's event has no such field */
	FORM_INTEGER,
	FORM_REAL,
	FORM_STRING, /* bytes up to a NUL */
	FORM_ARRAY,
	FORM_SHOWN, /* a number shown as text: a name, letters, a symbol, an address */
};

/* A field in the format of one file. */
struct column_place {
	enum value_form form;
	struct key_slot slot;
};

struct event_column {
	enum event_column_kind kind;
	char *name;
	struct column_place *places; /* by file; NULL: not a field */
	struct map shown;	     /* struct pooled_name by number */
};

struct event_columns {
	struct query_trace *trace;
	struct event_column *list;
	size_t n;
	struct keyreader *readers; /* by file */
	struct textbuf text;
};

/* name NULL: the table of all events. The tables of all files have the columns of the first. */
int event_columns_init(struct event_columns *c, struct query_trace *t, const char *system,
		       const char *name);
void event_columns_release(struct event_columns *c);
/* Writes "CREATE TABLE …" for sqlite3_declare_vtab(). */
void event_columns_fmt(const struct event_columns *c, struct textbuf *tb);

/* Sets the result to the value of a column. */
void event_columns_result(struct event_columns *c, size_t column, struct scan *s,
			  sqlite3_context *to);
/* The value as a number, if the column has numbers; for conditions. */
bool event_columns_number(const struct event_columns *c, size_t column, const struct scan *s,
			  int64_t *ret);
/* The value as a text, if the column has strings. */
bool event_columns_string(struct event_columns *c, size_t column, struct scan *s,
			  struct piece *ret);

#endif
