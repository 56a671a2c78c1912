// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * futex.c - sys_enter_futex: the operation by name, and the arguments that it uses.
 *
 *	op=FUTEX_WAIT|FUTEX_PRIVATE_FLAG uaddr=0x7f9f2c000b78 val=0x00000002 utime=0x00000000
 *
 * The fourth argument is a pointer to a time-out or a second number, depending on the operation.
 * For an operation without a row the print format is used.
 */
#include "base/array.h"
#include "decode/handlers/handler_int.h"

#include <linux/futex.h>

enum { UADDR, OP, VAL, UTIME, UADDR2, VAL3, N_FIELDS }; /* order of the fields in a row */

static const char *const field_names[] = {"uaddr", "op", "val", "utime", "uaddr2", "val3"};

enum look { ABSENT, HEX, DEC, DEC_VAL2 };

static const struct futex_row {
	const char *name;
	uint8_t val, utime, uaddr2, val3; /* enum look */
} rows[] = {
	[FUTEX_WAIT] = {"FUTEX_WAIT", HEX, HEX, ABSENT, ABSENT},
	[FUTEX_WAKE] = {"FUTEX_WAKE", DEC, ABSENT, ABSENT, ABSENT},
	[FUTEX_FD] = {"FUTEX_FD", DEC, ABSENT, ABSENT, ABSENT},
	[FUTEX_REQUEUE] = {"FUTEX_REQUEUE", DEC, DEC_VAL2, HEX, ABSENT},
	[FUTEX_CMP_REQUEUE] = {"FUTEX_CMP_REQUEUE", DEC, DEC_VAL2, HEX, HEX},
	[FUTEX_WAKE_OP] = {"FUTEX_WAKE_OP", DEC, DEC_VAL2, HEX, HEX},
	[FUTEX_LOCK_PI] = {"FUTEX_LOCK_PI", ABSENT, HEX, ABSENT, ABSENT},
	[FUTEX_UNLOCK_PI] = {"FUTEX_UNLOCK_PI", ABSENT, ABSENT, ABSENT, ABSENT},
	[FUTEX_TRYLOCK_PI] = {"FUTEX_TRYLOCK_PI", ABSENT, ABSENT, ABSENT, ABSENT},
	[FUTEX_WAIT_BITSET] = {"FUTEX_WAIT_BITSET", HEX, HEX, ABSENT, HEX},
	[FUTEX_WAKE_BITSET] = {"FUTEX_WAKE_BITSET", DEC, ABSENT, ABSENT, HEX},
	[FUTEX_WAIT_REQUEUE_PI] = {"FUTEX_WAIT_REQUEUE_PI", HEX, HEX, HEX, HEX},
	[FUTEX_CMP_REQUEUE_PI] = {"FUTEX_CMP_REQUEUE_PI", DEC, DEC_VAL2, HEX, HEX},
};

static void add_argument(struct printer *p, const char *name, enum look look, uint64_t v)
{
	char digits[NUMBER_MAX_BYTES];
	size_t len;

	if (look == ABSENT)
		return;
	textbuf_add_char(p->out, ' ');
	textbuf_add_str(p->out, look == DEC_VAL2 ? "val2" : name);
	textbuf_add_char(p->out, '=');
	if (look != HEX) {
		textbuf_add_dec(p->out, v);
		return;
	}
	len = number_emit_hex(digits, v) - digits;
	textbuf_add(p->out, "0x", 2);
	if (len < 8)
		textbuf_add_fill(p->out, '0', 8 - len);
	textbuf_add(p->out, digits, len);
}

int handle_futex(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t v[N_FIELDS], command;
	const struct futex_row *row;

	for (int i = 0; i < N_FIELDS; i++)
		if (!handler_number(p, ev, i, field_names[i], &v[i]))
			return 1;
	command = v[OP] & ~(uint64_t)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
	if (command >= ARRAY_LEN(rows))
		return 1;
	row = &rows[command];
	textbuf_add(p->out, "op=", 3);
	textbuf_add_str(p->out, row->name);
	if (v[OP] & FUTEX_PRIVATE_FLAG)
		textbuf_add_str(p->out, "|FUTEX_PRIVATE_FLAG");
	if (v[OP] & FUTEX_CLOCK_REALTIME)
		textbuf_add_str(p->out, "|FUTEX_CLOCK_REALTIME");
	add_argument(p, "uaddr", HEX, v[UADDR]);
	add_argument(p, "val", row->val, v[VAL]);
	add_argument(p, "utime", row->utime, v[UTIME]);
	add_argument(p, "uaddr2", row->uaddr2, v[UADDR2]);
	add_argument(p, "val3", row->val3, v[VAL3]);
	return 0;
}
