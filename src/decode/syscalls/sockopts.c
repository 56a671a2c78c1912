// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sockopts.c - options of sockets: their names by level, their values.
 *
 * Most are a number. The table lists the others. A value that is not as long as expected is shown
 * as bytes.
 * getsockopt() also says how long the value is, in memory of the call's end.
 */
#include "decode/syscalls/text_int.h"

#include "base/array.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <inttypes.h>

SYSXLAT_DECLARE(sock_options);
SYSXLAT_DECLARE(ip_options);
SYSXLAT_DECLARE(ipv6_options);
SYSXLAT_DECLARE(tcp_options);
SYSXLAT_DECLARE(udp_options);
SYSXLAT_DECLARE(raw_options);
SYSXLAT_DECLARE(icmpv6_options);
SYSXLAT_DECLARE(packet_options);
SYSXLAT_DECLARE(netlink_options);

enum { SOL_SOCKET_LEVEL = 1 };

static const struct {
	uint32_t level;
	const struct sysxlat *names;
} levels[] = {
	{0, SYSXLAT(ip_options)},	{1, SYSXLAT(sock_options)},
	{6, SYSXLAT(tcp_options)},	{17, SYSXLAT(udp_options)},
	{41, SYSXLAT(ipv6_options)},	{58, SYSXLAT(icmpv6_options)},
	{136, SYSXLAT(udp_options)},	{255, SYSXLAT(raw_options)},
	{263, SYSXLAT(packet_options)}, {270, SYSXLAT(netlink_options)},
};

/* Options that are not numbers. n: bytes. */
static const struct option {
	uint32_t level, name;
	enum { STRUCT, TEXT, FILTER, LIST, NAME } kind;
	const struct sysstruct *of;
} options[] = {
	{1, 13, STRUCT, &struct_linger},
	{1, 17, STRUCT, &struct_ucred},
	{1, 25, TEXT, NULL},
	{1, 26, FILTER, NULL},
	{1, 51, FILTER, NULL},
	{0, 35, STRUCT, &struct_ip_mreq},
	{0, 36, STRUCT, &struct_ip_mreq},
	{41, 20, STRUCT, &struct_ipv6_mreq},
	{41, 21, STRUCT, &struct_ipv6_mreq},
	{6, 13, TEXT, NULL},
	{1, 31, TEXT, NULL},
	{1, 59, LIST, NULL},
	{6, 31, TEXT, NULL},
};

static const struct option *option_find(struct printing *p)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		if (options[i].level == (uint32_t)arg_of(p, 1) &&
		    options[i].name == (uint32_t)arg_of(p, 2))
			return &options[i];
	return NULL;
}

void sysfmt_sockopt(struct printing *p, const struct systype *t, uint64_t v)
{
	for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
		if (levels[i].level != (uint32_t)arg_of(p, 1))
			continue;
		fmt_enum(p, levels[i].names, (uint32_t)v);
		return;
	}
	textbuf_add_dec(p->tb, (uint32_t)v);
}

static void fmt_filter_program(struct printing *p, uint64_t v)
{
	const uint8_t *b = peek_or_addr(p, v, 16);

	if (!b)
		return;
	textbuf_addf(p->tb, "{len=%u, filter=", load16(b));
	fmt_addr(p, load64(b + 8));
	add(p, "}");
}

static void fmt_number(struct printing *p, uint64_t v)
{
	uint32_t n;

	if (peek_u32(p, v, &n))
		textbuf_addf(p->tb, "[%d]", (int)n);
	else
		fmt_addr(p, v);
}

static void fmt_list(struct printing *p, uint64_t address)
{
	uint32_t n = 0;

	if (peek_u32(p, address, &n))
		textbuf_add_dec(p->tb, n);
}

static void fmt_value_of(struct printing *p, uint64_t v, uint32_t n, bool get)
{
	const struct option *o = option_find(p);

	if (o && o->kind == STRUCT && n >= o->of->size) {
		fmt_struct_or_addr(p, o->of, v);
	} else if (o && o->kind == TEXT) {
		fmt_bytes(p, v, n);
	} else if (o && o->kind == FILTER && n >= 16 && !get) {
		fmt_filter_program(p, v);
	} else if (o && o->kind == LIST && n % 4 == 0) {
		fmt_elements(p, v, n / 4, 4, fmt_list);
	} else if (n == 4) {
		fmt_number(p, v);
	} else if (n < 4 && (uint32_t)arg_of(p, 1) == SOL_SOCKET_LEVEL) {
		fmt_addr(p, v);
	} else {
		fmt_bytes(p, v, n);
	}
}

void sysfmt_setoptval(struct printing *p, const struct systype *t, uint64_t v)
{
	if (!v)
		add(p, "NULL");
	else
		fmt_value_of(p, v, (uint32_t)arg_of(p, 4), false);
}

void sysfmt_getoptval(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t len = arg_of(p, 4);
	uint32_t n;

	entry_ends(p);
	p->when = SYSCALLEVENTS_AT_EXIT;
	if (!v || !wrote(p) || !len || !peek_u32(p, len, &n))
		fmt_addr(p, v);
	else
		fmt_value_of(p, v, n, true);
}
