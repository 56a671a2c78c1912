// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * polling.c - waiting for descriptors: poll, select, epoll.
 *
 * The descriptors that became ready are behind the result: = 1 ([{fd=3, revents=POLLIN}]).
 * The descriptors to wait for are memory of the call's beginning; what became ready, and the time
 * that was left, is memory of its end.
 */
#include "base/textbuf.h"
#include "decode/syscalls/text_int.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <inttypes.h>

SYSXLAT_DECLARE(poll_events);

static void fmt_pollfd(struct printing *p, uint64_t address)
{
	const uint8_t *b = peek(p, address, 8);

	if (!b)
		return;
	add(p, "{fd=");
	fmt_fd(p, (int)load32(b));
	if ((int)load32(b) >= 0) {
		add(p, ", events=");
		fmt_flags(p, SYSXLAT(poll_events), load16(b + 4));
	}
	add(p, "}");
}

/* Those that are ready, into the note. */
static void note_ready(struct printing *p, uint64_t v, uint64_t n)
{
	size_t start = textbuf_len(p->tb);
	uint64_t shown = 0;

	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *b = peek(p, v + 8 * i, 8);

		if (!b)
			break; /* the rest was not copied */
		if (!load16(b + 6))
			continue;
		add(p, shown ? ", " : "[");
		if (!p->is_verbose && shown >= p->o->string_limit) {
			add(p, "...");
			shown++;
			break;
		}
		shown++;
		add(p, "{fd=");
		fmt_fd(p, (int)load32(b));
		add(p, ", revents=");
		fmt_flags(p, SYSXLAT(poll_events), load16(b + 6));
		add(p, "}");
	}
	if (shown)
		add(p, "]");
	fmt_note(p, start);
}

void sysfmt_pollfds(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t n = (uint32_t)arg_of(p, 1);

	fmt_elements(p, v, n, 8, fmt_pollfd);
	entry_ends(p);
	p->n_entry = 0; /* the rest is known at the entry, too */
	if (!wrote(p))
		return;
	p->when = SYSCALLEVENTS_AT_EXIT;
	if (p->call->ret) {
		note_ready(p, v, n);
	} else {
		size_t start = textbuf_len(p->tb);

		add(p, "Timeout");
		fmt_note(p, start);
	}
}

/* The time that is left is added to the note. */
static void note_left(struct printing *p, const struct sysstruct *s, uint64_t v)
{
	size_t start = textbuf_len(p->tb);

	p->when = SYSCALLEVENTS_AT_EXIT;
	if (!v || !wrote(p) || !p->call->ret || !peek(p, v, s->size))
		return;
	textbuf_add(p->tb, p->note, p->n_note);
	if (p->n_note)
		add(p, ", ");
	add(p, "left ");
	fmt_struct(p, s, v);
	fmt_note(p, start);
}

void sysfmt_ppolltime(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_struct_or_addr(p, &struct_timespec, v);
	note_left(p, &struct_timespec, v);
}

/* [0 1 2]: the descriptors of a set below n; false: not copied. */
static bool fmt_fdset(struct printing *p, uint64_t v, uint64_t n, bool *ret_any)
{
	uint64_t bytes = (n + 63) / 64 * 8;
	const uint8_t *b;

	*ret_any = false;
	if (n > 65536)
		return false;
	b = peek(p, v, bytes);
	if (!b)
		return false;
	add(p, "[");
	for (uint64_t i = 0; i < n; i++) {
		if (!(b[i / 8] >> (i % 8) & 1))
			continue;
		if (*ret_any)
			add(p, " ");
		*ret_any = true;
		fmt_fd(p, (int)i);
	}
	add(p, "]");
	return true;
}

static void note_set(struct printing *p, uint64_t v, uint64_t n)
{
	static const char *const names[] = {"in ", "out ", "except "};
	size_t start = textbuf_len(p->tb);
	bool any;

	p->when = SYSCALLEVENTS_AT_EXIT;
	textbuf_add(p->tb, p->note, p->n_note);
	if (p->n_note)
		add(p, ", ");
	add(p, names[p->arg - 1]);
	if (!fmt_fdset(p, v, n, &any) || !any) {
		if (!p->tb->overflow)
			p->tb->pos = p->tb->start + start;
		return;
	}
	fmt_note(p, start);
}

void sysfmt_selectset(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t n = (int32_t)arg_of(p, 0) < 0 ? 0 : (uint32_t)arg_of(p, 0);
	bool any;

	if (!v || !fmt_fdset(p, v, n, &any)) {
		fmt_addr(p, v);
		return;
	}
	if (wrote(p) && p->call->ret)
		note_set(p, v, n);
}

static void fmt_select_time(struct printing *p, const struct sysstruct *s, uint64_t v)
{
	fmt_struct_or_addr(p, s, v);
	if (wrote(p) && !p->call->ret) {
		size_t start = textbuf_len(p->tb);

		add(p, "Timeout");
		fmt_note(p, start);
	}
	note_left(p, s, v);
}

void sysfmt_selecttime(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_select_time(p, &struct_timeval, v);
}

void sysfmt_selecttimespec(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_select_time(p, &struct_timespec, v);
}

void sysfmt_epolldata(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek(p, v, 8);

	if (b)
		textbuf_addf(p->tb, "{u32=%u, u64=%" PRIu64 "}", load32(b), load64(b));
}

SYSXLAT_DECLARE(epoll_events);

/* x86-64 packs the structure, other machines do not. */
static size_t event_bytes(const struct printing *p)
{
	return p->aarch64 ? 16 : 12;
}

static void fmt_epoll_event(struct printing *p, uint64_t address)
{
	const uint8_t *b = peek(p, address, event_bytes(p));
	size_t data = event_bytes(p) - 8;

	if (!b)
		return;
	add(p, "{events=");
	fmt_flags(p, SYSXLAT(epoll_events), load32(b));
	textbuf_addf(p->tb, ", data={u32=%u, u64=%" PRIu64 "}}", load32(b + data),
		     load64(b + data));
}

void sysfmt_epollevents(struct printing *p, const struct systype *t, uint64_t v)
{
	if (!begin_written(p, v))
		return;
	fmt_elements(p, v, p->call->ret, event_bytes(p), fmt_epoll_event);
}

#define EPOLL_DELETE 2

void sysfmt_epollctl(struct printing *p, const struct systype *t, uint64_t v)
{
	if (arg_of(p, 1) == EPOLL_DELETE || !v || !peek(p, v, event_bytes(p)))
		fmt_addr(p, v);
	else
		fmt_epoll_event(p, v);
}
