/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pushdown.h - the conditions of a query that a table tests itself, instead of SQLite.
 *
 *	xBestIndex: pushdown_plan()   which conditions, as a text:    ts >= ? and cpu in ? by ts
 *	xFilter:    pushdown_read()   the same with their values
 *
 * The text is the plan that SQLite keeps as idxStr, and what .explain shows. SQLite tests every row
 * again, so a condition that a table cannot use (a text compared with a number) is just ignored.
 */
#ifndef SONDE_QUERY_PUSHDOWN_H
#define SONDE_QUERY_PUSHDOWN_H

#include "base/textbuf.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PUSHDOWN_MAX	 16
#define PUSHDOWN_ORDERS	 8
#define PUSHDOWN_SET_MAX 100000

enum pushdown_op { PUSH_EQ, PUSH_LT, PUSH_LE, PUSH_GT, PUSH_GE, PUSH_NE, PUSH_IN };

struct pushed_value {
	bool is_text;
	int64_t number;
	char *text; /* owned */
	size_t len;
};

struct pushed {
	int column;
	enum pushdown_op op;
	struct pushed_value *values; /* one, or those of IN; sorted numbers before texts */
	size_t n;
};

struct pushdown {
	struct pushed list[PUSHDOWN_MAX];
	size_t n;
	struct {
		int column;
		bool desc;
	} orders[PUSHDOWN_ORDERS];
	size_t n_orders;
	bool is_none; /* something is compared with NULL: no row matches */
};

/* Can a column be tested so by the table? */
typedef bool pushdown_can(void *ctx, int column, enum pushdown_op op);

/*
 * Sets argvIndex of the conditions that the table takes. *ret_ops: bits of the operators by column,
 * for columns below 64 (1 << column in ret_ops[op]). Returns SQLite's code.
 */
int pushdown_plan(sqlite3_index_info *info, pushdown_can *can, void *ctx,
		  uint64_t ret_columns[PUSH_IN + 1], struct textbuf *tb);
/* Adds " by COLUMN [desc], …": the order in which the table returns its rows. */
void pushdown_add_order(const sqlite3_index_info *info, struct textbuf *tb);

/* Reads the plan and its values. Returns SQLite's code. Release it after a failure, too. */
int pushdown_read(struct pushdown *p, const char *plan, int argc, sqlite3_value **argv);
void pushdown_release(struct pushdown *p);

bool pushed_match_number(const struct pushed *p, int64_t v);
bool pushed_match_text(const struct pushed *p, const char *text, size_t len);
/* Do all values of the condition have that type? */
bool pushed_is_numbers(const struct pushed *p);
bool pushed_is_texts(const struct pushed *p);

/* Writes the conditions as a plan, which pushdown_add_words() reads. */
void pushdown_fmt(const struct pushdown *p, struct textbuf *plan);
/*
 * Adds "|how: …" to a plan: the plan in words, with names of columns, for .explain.
 * column_name(ctx, i): the name of column i.
 */
void pushdown_add_words(struct textbuf *plan, const char *how,
			const char *(*column_name)(const void *ctx, size_t i), const void *ctx);

#endif
