// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pointed.c - single numbers in memory, times, and pairs of descriptors.
 *
 * A number that a pointer leads to is shown in brackets: [5].
 * Times that the kernel counts in hundredths of seconds, and times of day, have a comment with the
 * same time for people.
 */
#include "base/textbuf.h"
#include "decode/syscalls/text_int.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/structs.h"

#include <inttypes.h>
#include <stdlib.h>

static void fmt_pointed(struct printing *p, uint64_t v, unsigned bytes, bool is_signed, bool hex)
{
	const uint8_t *b = peek_or_addr(p, v, bytes);
	uint64_t n = 0;

	if (!b)
		return;
	memcpy(&n, b, bytes);
	add(p, "[");
	if (hex)
		fmt_addr(p, n);
	else if (is_signed)
		textbuf_add_signed(p->tb, bytes == 4 ? (int32_t)n : (int64_t)n);
	else
		textbuf_add_dec(p->tb, n);
	add(p, "]");
}

#define POINTED(kind, bytes, is_signed, hex)                                        \
	void sysfmt_##kind(struct printing *p, const struct systype *t, uint64_t v) \
	{                                                                           \
		(void)t;                                                            \
		fmt_pointed(p, v, bytes, is_signed, hex);                           \
	}

POINTED(intp, 4, true, false)
POINTED(uintp, 4, false, false)
POINTED(ucpup, 4, false, false)
POINTED(longp, 8, true, false)
POINTED(ulongp, 8, false, false)
POINTED(addrp, 8, false, true)
POINTED(aioctx, 8, false, true)
POINTED(timerid, 4, true, false)

void sysfmt_timep(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek_or_addr(p, v, 8);

	if (!b)
		return;
	textbuf_addf(p->tb, "[%" PRId64, (int64_t)load64(b));
	fmt_time_comment(p, (int64_t)load64(b), 0, 0);
	add(p, "]");
}

void sysfmt_fdpair(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek_or_addr(p, v, 8);
	uint8_t when = p->when;

	if (!b)
		return;
	syscallfds_learn(p->state->fds, p->state->sockets, p); /* they are open by now */
	p->when = when;
	add(p, "[");
	fmt_fd(p, (int)load32(b));
	add(p, ", ");
	fmt_fd(p, (int)load32(b + 4));
	add(p, "]");
}

void sysfmt_time(struct printing *p, const struct systype *t, uint64_t v)
{
	textbuf_add_signed(p->tb, (int64_t)v);
	fmt_time_comment(p, (int64_t)v, 0, 0);
}

/* Where a call notes the time that is left when a signal ends it. */
void sysfmt_remtime(struct printing *p, const struct systype *t, uint64_t v)
{
	bool interrupted = p->call->ret == -4 || p->call->ret == -516 || p->call->ret == -514;

	entry_ends(p);
	p->when = SYSCALLEVENTS_AT_EXIT;
	if (p->returned && interrupted && !(t->arg && arg_of(p, t->arg) & 1))
		fmt_struct_or_addr(p, &struct_timespec, v);
	else
		fmt_addr(p, v);
}

/* A file position that the call moves: [5] => [9] if it moved. */
void sysfmt_inoutoff(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t before, after;

	p->when = SYSCALLEVENTS_AT_ENTRY;
	if (!v || !peek_u64(p, v, &before)) {
		fmt_addr(p, v);
		return;
	}
	textbuf_addf(p->tb, "[%" PRId64, (int64_t)before);
	entry_ends(p);
	p->when = SYSCALLEVENTS_AT_EXIT;
	if (wrote(p) && p->call->ret && peek_u64(p, v, &after))
		textbuf_addf(p->tb, "] => [%" PRId64, (int64_t)after);
	add(p, "]");
}

#define UTIME_NOW_NSEC	0x3fffffffu
#define UTIME_OMIT_NSEC 0x3ffffffeu

void sysfmt_utimens2(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek_or_addr(p, v, 32);

	if (!b)
		return;
	add(p, "[");
	for (unsigned i = 0; i < 2; i++) {
		uint64_t nsec = load64(b + 16 * i + 8);

		add(p, i ? ", " : "");
		if (nsec == UTIME_NOW_NSEC) {
			add(p, "UTIME_NOW");
		} else if (nsec == UTIME_OMIT_NSEC) {
			add(p, "UTIME_OMIT");
		} else {
			fmt_struct(p, &struct_timespec, v + 16 * i);
			fmt_time_comment(p, (int64_t)load64(b + 16 * i), nsec, 9);
		}
	}
	add(p, "]");
}

void sysfmt_timevals2(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek_or_addr(p, v, 32);

	if (!b)
		return;
	add(p, "[");
	for (unsigned i = 0; i < 2; i++) {
		add(p, i ? ", " : "");
		fmt_struct(p, &struct_timeval, v + 16 * i);
		fmt_time_comment(p, (int64_t)load64(b + 16 * i), load64(b + 16 * i + 8), 6);
	}
	add(p, "]");
}

static void fmt_group(struct printing *p, uint64_t address)
{
	uint32_t gid = 0;

	peek_u32(p, address, &gid);
	fmt_uid(p, gid);
}

void sysfmt_groups(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t n = (uint32_t)arg_of(p, 0);

	if (p->when == SYSCALLEVENTS_AT_EXIT) {
		if (!n) {
			if (v)
				add(p, "[]");
			else
				fmt_addr(p, v);
			return;
		}
		n = p->call->ret;
	}
	fmt_elements(p, v, n, 4, fmt_group);
}

SYSXLAT_DECLARE(adjtimex_modes);
SYSXLAT_DECLARE(adjtimex_status);
SYSXLAT_DECLARE(adjtimex_state);

void sysfmt_timex(struct printing *p, const struct systype *t, uint64_t v)
{
	static const char *const tail[] = {"jitter", "",       "stabil", "jitcnt",
					   "calcnt", "errcnt", "stbcnt"};
	const uint8_t *b = peek_or_addr(p, v, 208);
	size_t start;

	if (!b)
		return;
	add(p, "{modes=");
	fmt_flags(p, SYSXLAT(adjtimex_modes), load32(b));
	textbuf_addf(p->tb,
		     ", offset=%" PRId64 ", freq=%" PRId64 ", maxerror=%" PRIu64
		     ", esterror=%" PRIu64 ", status=",
		     (int64_t)load64(b + 8), (int64_t)load64(b + 16), load64(b + 24),
		     load64(b + 32));
	fmt_flags(p, SYSXLAT(adjtimex_status), load32(b + 40));
	textbuf_addf(p->tb,
		     ", constant=%" PRId64 ", precision=%" PRIu64 ", tolerance=%" PRId64 ", time=",
		     (int64_t)load64(b + 48), load64(b + 56), (int64_t)load64(b + 64));
	fmt_struct(p, &struct_timeval, v + 72);
	textbuf_addf(p->tb, ", tick=%" PRId64 ", ppsfreq=%" PRId64, (int64_t)load64(b + 88),
		     (int64_t)load64(b + 96));
	for (unsigned i = 0; i < 7; i++) {
		if (i == 1)
			textbuf_addf(p->tb, ", shift=%d", (int)load32(b + 112));
		else
			textbuf_addf(p->tb, ", %s=%" PRId64, tail[i],
				     (int64_t)load64(b + 104 + 8 * i));
	}
	textbuf_addf(p->tb, ", tai=%d}", (int)load32(b + 160));
	start = textbuf_len(p->tb);
	fmt_enum(p, SYSXLAT(adjtimex_state), (uint64_t)p->call->ret);
	fmt_note(p, start);
}

/* The kernel counts times of processes in hundredths of seconds. */
void sysfmt_ticks(struct printing *p, const struct systype *t, uint64_t v)
{
	textbuf_add_dec(p->tb, v);
	if (v)
		textbuf_addf(p->tb, " /* %" PRIu64 ".%02u s */", v / 100, (unsigned)(v % 100));
}

/* Its first field says how long it is; the last two came later. */
void sysfmt_schedattr(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b;
	bool any = false;

	if (!peek(p, v, struct_sched_attr.size)) {
		fmt_addr(p, v);
		return;
	}
	add(p, "{");
	fmt_fields(p, &struct_sched_attr, v, &any);
	b = peek(p, v, 56);
	if (b && load32(b) >= 56) {
		add(p, ", sched_util_min=");
		fmt_hex(p, load32(b + 48));
		add(p, ", sched_util_max=");
		fmt_hex(p, load32(b + 52));
	}
	add(p, "}");
}
