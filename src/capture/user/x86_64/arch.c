// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arch.c - hooks functions of x86-64: where the patch goes, and what it replaces.
 *
 *	entry                                   the patch           what moves
 *	endbr64; …                              behind endbr64      as below
 *	nops (-fpatchable-function-entry)       over them           nothing
 *	call __fentry__ (-mfentry)              over it             nothing: the call disappears
 *	jmp +9; 9-byte nop (XRay)               over both           nothing
 *	push; mov; call mcount (-pg)            at the beginning    push, mov; a call further behind
 *	                                                            becomes a nop
 *	anything else                           at the beginning    the instructions that the patch
 *	                                                            touches
 *
 * The patch is `jmp rel32`, 5 bytes. Several ways are tried, the best first:
 *
 *	1. move the first 5 bytes or more, without calls
 *	2. move 2 bytes or more: `jmp rel8` to 5 bytes of padding between functions, where `jmp
 *	   rel32` is. For short functions, calls near the beginning, and jumps to the bytes behind
 *	3. move the whole function, if it is small and calls nothing: loops to the beginning
 *	4. as 1., with a call; see x86_64/move.c for its price
 *
 * Jumps from the function itself into the patched bytes, or to them, are redirected to the moved
 * copy if they have 4 bytes for the distance.
 *
 * The code behind the first bytes need not be decoded: x86_64/scan.c searches bytes, not
 * instructions, for jumps into the patch. Landing pads of exceptions are never in the first bytes,
 * because they are behind a call.
 */
#include "capture/user/x86_64/arch_int.h"
#include "base/array.h"
#include "format/bytes.h"
#include "runtime/snrt.h"
#include "symbols/insn/instruction.h"

#include <string.h>

#define FIXES_MAX	  16 /* of one function */
#define XRAY_BYTES	  11
#define COUNTER_REACH	  64 /* bytes in which -pg's call is searched */
#define PADDING_MAX_BYTES 4096
#define FETCH_BLOCK	  16

/* One way to hook a function. */
struct way {
	unsigned n_patched;  /* bytes at the beginning that are overwritten */
	bool calls_may_move; /* … and the function's calls with them */
	bool is_whole;
};

static const struct way ways[] = {
	{JUMP_BYTES, false, false},
	{SHORT_JUMP_BYTES, false, false},
	{JUMP_BYTES, false, true},
	{JUMP_BYTES, true, false},
};

struct attempt {
	struct userimage *img;
	struct function *f;
	size_t index;
	uint64_t start, end, limit; /* of the patch, of the function, of what may follow it */
	struct moved moved;
	struct fix fixes[FIXES_MAX];
	struct hook hook;
};

static unsigned skip_entry(const struct userimage *img, const struct function *f)
{
	struct piece code = userimage_code(img, f->pub.address);

	return code.len >= 4 && !memcmp(code.data, "\xf3\x0f\x1e\xfa", 4) ? 4 : 0;
}

/*
 * --- padding -----------------------------------------------------------------------------------
 */

/*
 * Returns true if the function certainly ends before the padding. Assembler functions may continue
 * through the padding into the next one (memmove of the C library). A call at the end does not
 * return.
 */
static bool is_closed(const struct userimage *img, const struct userimage_function *f)
{
	struct piece code = userimage_code(img, f->address);
	struct x86_parts p = {0};

	for (uint64_t at = 0; at < f->n_bytes; at += p.n_bytes)
		if (code.len < f->n_bytes || !x86_parts(code.data + at, f->n_bytes - at, &p))
			return false;
	return p.branch != X86_PLAIN && p.branch != X86_CONDITION && p.branch != X86_LOOP;
}

/* Sets free_begin and free_end: the padding between the function and the next one, if any. */
static void find_padding(const struct userimage *img, size_t index)
{
	struct function *f = &img->functions[index];
	uint64_t at = function_end(f), limit = userimage_limit(img, index);

	if (f->knows_padding)
		return;
	f->knows_padding = true;
	f->free_begin = f->free_end = 0;
	if (at >= limit || limit - at > PADDING_MAX_BYTES || !is_closed(img, &f->pub))
		return;
	while (at < limit) {
		struct piece code = userimage_code(img, at);
		struct x86_parts p;

		if (code.len && *code.data == 0xcc)
			at++;
		else if (x86_parts(code.data, limit - at, &p) && x86_is_nop(code.data, &p))
			at += p.n_bytes;
		else
			return;
	}
	f->free_end = limit - function_end(f);
}

/* Takes 5 bytes behind the function that a short jump at `from` reaches; 0: there are none. */
static uint64_t take_padding(const struct userimage *img, size_t index, uint64_t from)
{
	struct function *f = &img->functions[index];
	uint64_t end = function_end(f), at, next = from + SHORT_JUMP_BYTES;

	find_padding(img, index);
	if (f->free_end < f->free_begin + JUMP_BYTES)
		return 0;
	at = end + f->free_end -
	     JUMP_BYTES; /* the last ones: a short function may need the first */
	if (at > next + INT8_MAX)
		at = next + INT8_MAX;
	if (at < end + f->free_begin || (int64_t)(at - next) < INT8_MIN)
		return 0;
	f->free_end = at - end;
	return at;
}

/* Behind this function, the next ones, the ones before. */
static uint64_t find_hole(const struct attempt *a)
{
	const struct userimage *img = a->img;
	uint64_t hole = 0;

	for (size_t i = a->index; i < img->n_functions && !hole; i++) {
		if (img->functions[i].pub.address > a->start + 256)
			break;
		hole = take_padding(img, i, a->start);
	}
	for (size_t i = a->index; i-- && !hole;) {
		if (function_end(&img->functions[i]) + 256 < a->start)
			break;
		hole = take_padding(img, i, a->start);
	}
	return hole;
}

/*
 * --- one way -----------------------------------------------------------------------------------
 */

/* The patch may cover padding behind a short function. */
static bool take_rest(struct attempt *a, unsigned n_patched)
{
	if (moved_is_open(&a->moved) || !a->moved.n)
		return false;
	find_padding(a->img, a->index);
	if (a->f->free_begin || a->end != function_end(a->f) ||
	    a->start + n_patched > a->end + a->f->free_end)
		return false;
	a->f->free_begin = a->start + n_patched - a->end;
	return true;
}

static bool is_xray(struct piece code)
{
	return code.len >= XRAY_BYTES && !memcmp(code.data, "\xeb\x09\x66\x0f\x1f\x84", 6);
}

/* Nops that follow need not be executed. */
static void skip_nops(struct attempt *a)
{
	for (struct moved *m = &a->moved; m->n < MOVED_MAX;) {
		struct piece code = userimage_code(a->img, m->address + m->n_bytes);
		struct x86_parts p;

		if (m->address + m->n_bytes >= a->end || m->new_at[m->n] ||
		    !x86_parts(code.data, code.len, &p) || !x86_is_nop(code.data, &p))
			return;
		m->parts[m->n] = p;
		m->at[++m->n] = m->n_bytes += p.n_bytes;
		m->new_at[m->n] = 0;
	}
}

static bool is_movable_whole(const struct moved *m)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->parts[i].branch == X86_CALL || m->parts[i].branch == X86_CALL_INDIRECT ||
		    m->parts[i].branch == X86_JUMP_INDIRECT)
			return false;
	return !moved_is_open(m);
}

static enum userimage_why take_instructions(struct attempt *a, const struct way *way)
{
	uint64_t n_bytes = way->is_whole ? a->end - a->start : way->n_patched;
	enum userimage_why why, fits = USERIMAGE_HOOKED;

	if (is_xray(userimage_code(a->img, a->start)) && a->end - a->start >= XRAY_BYTES &&
	    way->n_patched == JUMP_BYTES && !way->is_whole) {
		a->moved.address = a->start;
		a->moved.n = 0;
		a->moved.n_bytes = XRAY_BYTES;
		return USERIMAGE_HOOKED;
	}
	if (way->is_whole && n_bytes > WHOLE_MAX_BYTES)
		return USERIMAGE_FIXED;
	why = moved_take(&a->moved, a->img, a->start, a->end, n_bytes);
	if (why == USERIMAGE_SHORT)
		fits = why;
	else if (why != USERIMAGE_HOOKED)
		return why;
	why = moved_check(&a->moved, way->n_patched, way->calls_may_move);
	if (why != USERIMAGE_HOOKED)
		return why;
	if (way->is_whole && !is_movable_whole(&a->moved))
		return USERIMAGE_FIXED;
	skip_nops(a);
	if (way->is_whole && a->moved.n_bytes < way->n_patched)
		fits = USERIMAGE_SHORT;
	return fits == USERIMAGE_SHORT && !take_rest(a, way->n_patched) ? fits : USERIMAGE_HOOKED;
}

/* A jump into the patched bytes: is it moved itself, or can it be redirected? */
static enum userimage_why handle_edge(struct attempt *a, const struct edge *e)
{
	struct hook *h = &a->hook;
	bool is_own = e->owner == a->index && !e->is_data;

	if (is_own && e->from >= a->start && e->from < a->start + a->moved.n_bytes &&
	    moved_place(&a->moved, e->from) >= 0)
		return USERIMAGE_HOOKED;
	if (!e->is_data && e->distance_at && e->distance_bytes == 4 && h->n_fixes < FIXES_MAX &&
	    moved_place(&a->moved, e->to) >= 0) {
		a->fixes[h->n_fixes++] =
			(struct fix){.address = e->from + e->distance_at, .to = e->to};
		return USERIMAGE_HOOKED;
	}
	return e->is_data ? USERIMAGE_TABLE : e->to == a->start ? USERIMAGE_LOOP : USERIMAGE_TARGET;
}

static enum userimage_why handle_edges(struct attempt *a, unsigned n_patched)
{
	const struct edge *edges;
	size_t n = userimage_edges(a->img, a->start, a->start + n_patched, &edges);
	enum userimage_why why = USERIMAGE_HOOKED;

	for (size_t i = 0; i < n && why == USERIMAGE_HOOKED; i++)
		why = handle_edge(a, &edges[i]);
	return why;
}

/* The call of mcount or __fentry__ in the first bytes from `at` on; 0: there is none. */
static uint64_t find_counter(const struct userimage *img, uint64_t at, uint64_t start, uint64_t end,
			     struct x86_parts *ret)
{
	while (img->n_counters && at < end && at < start + COUNTER_REACH) {
		struct piece code = userimage_code(img, at);

		if (!x86_parts(code.data, code.len, ret))
			return 0;
		if (x86_calls_counter(img, at, code.data, ret))
			return at;
		if (ret->branch != X86_PLAIN)
			return 0;
		at += ret->n_bytes;
	}
	return 0;
}

static bool is_counted(const struct userimage *img, const struct function *f)
{
	struct x86_parts p;

	return find_counter(img, f->pub.address, f->pub.address, function_end(f), &p);
}

/* -pg: the call of mcount behind what moves becomes a nop. */
static void drop_counter(struct attempt *a)
{
	struct x86_parts p;
	uint64_t at = find_counter(a->img, a->start + a->moved.n_bytes, a->start, a->end, &p);

	if (at && a->hook.n_fixes < FIXES_MAX)
		a->fixes[a->hook.n_fixes++] = (struct fix){.address = at, .n_bytes = p.n_bytes};
}

static enum userimage_why try_way(struct attempt *a, const struct way *way)
{
	uint16_t free_begin = a->f->knows_padding ? a->f->free_begin : 0;
	enum userimage_why why = take_instructions(a, way);
	uint64_t hole;

	a->hook = (struct hook){.function = a->index, .patch_bytes = way->n_patched};
	if (why == USERIMAGE_HOOKED)
		why = handle_edges(a, way->n_patched);
	if (why == USERIMAGE_HOOKED && way->n_patched == SHORT_JUMP_BYTES) {
		hole = find_hole(a);
		a->hook.is_short = true;
		a->hook.hole = hole - (a->start + SHORT_JUMP_BYTES);
		if (!hole)
			why = USERIMAGE_SHORT;
	}
	if (why != USERIMAGE_HOOKED) {
		a->f->free_begin = free_begin;
		return why;
	}
	drop_counter(a);
	a->hook.n_moved = a->moved.n_bytes;
	a->hook.body_bytes = moved_body_bytes(&a->moved);
	return USERIMAGE_HOOKED;
}

static enum userimage_why plan_function(struct userimage *img, size_t index)
{
	struct function *f = &img->functions[index];
	enum userimage_why why = USERIMAGE_SHORT;
	struct attempt a; /* large, and most of it stays unused */

	a.img = img;
	a.f = f;
	a.index = index;
	a.start = function_start(f);
	a.end = function_end(f);
	a.limit = userimage_limit(img, index);
	if (a.end > a.limit)
		a.end = a.limit; /* another function begins inside it */
	if (a.start >= a.end)
		return USERIMAGE_SHORT;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		why = try_way(&a, &ways[i]);
		if (why == USERIMAGE_HOOKED)
			return userimage_add_hook(img, &a.hook, a.fixes) < 0 ? USERIMAGE_MANY : why;
	}
	return why; /* every way has failed: the reason is that of the last one */
}

/*
 * --- building ----------------------------------------------------------------------------------
 */

static void put_rel32(uint8_t *out, uint64_t target, uint64_t next)
{
	uint32_t distance = target - next;

	memcpy(out, &distance, sizeof(distance));
}

static void put_jump(uint8_t *out, uint64_t address, uint64_t target)
{
	out[0] = 0xe9;
	put_rel32(out + 1, target, address + JUMP_BYTES);
}

/* The layout is in snrt.h. */
static void put_thunk(uint8_t *out, uint64_t address, uint64_t area, uint64_t body, unsigned enter,
		      uint32_t program)
{
	memset(out, 0, SNRT_THUNK_BYTES);
	out[0] = 0xe8;
	put_rel32(out + 1, area + (program ? SNRT_ENTER_VALUES : enter), address + 5);
	memcpy(out + 5, "\x48\x8d\x64\x24\x08", 5); /* lea 8(%rsp),%rsp */
	out[SNRT_X86_64_CALL] = 0xe8;
	put_rel32(out + SNRT_X86_64_CALL + 1, body, address + SNRT_X86_64_BACK);
	put_jump(out + SNRT_X86_64_BACK, address + SNRT_X86_64_BACK,
		 area + (program ? SNRT_LEAVE_VALUES : SNRT_LEAVE));
	memcpy(out + SNRT_THUNK_PROGRAM, &program, sizeof(program));
}

/* A patch of n_bytes at the file's address; the caller fills in what is new. */
static uint8_t *next_patch(const struct userimage *img, struct snrt_patch **patches,
			   uint64_t address, uint64_t bias, unsigned n_bytes)
{
	struct snrt_patch *p = (*patches)++;

	*p = (struct snrt_patch){.addr = address + bias, .n_bytes = n_bytes};
	memcpy(p->old, userimage_code(img, address).data, n_bytes);
	return p->new_;
}

static const uint8_t nops[][6] = {{0x0f, 0x1f, 0x44, 0, 0}, {0x66, 0x0f, 0x1f, 0x44, 0, 0}};

static void build_fixes(const struct userimage *img, const struct hook *h, const struct moved *m,
			uint64_t bias, uint64_t body, struct snrt_patch **patches)
{
	for (size_t i = 0; i < h->n_fixes; i++) {
		const struct fix *f = &img->fixes[h->first_fix + i];
		uint8_t *new =
			next_patch(img, patches, f->address, bias, f->n_bytes ? f->n_bytes : 4);
		int place;

		if (f->n_bytes) {
			memcpy(new, nops[f->n_bytes == 6], f->n_bytes);
			continue;
		}
		place = h->body_bytes ? moved_place(m, f->to) : 0;
		put_rel32(new, body + place, f->address + bias + 4);
	}
}

static void build(const struct userimage *img, size_t hook, const struct userimage_place *place,
		  uint8_t *area, struct snrt_patch **patches)
{
	const struct hook *h = &img->hooks[hook];
	size_t thunk_at = SNRT_HOOK_BYTES + hook * SNRT_THUNK_BYTES;
	size_t body_at = SNRT_HOOK_BYTES + img->n_hooks * SNRT_THUNK_BYTES + h->body_at;
	uint64_t thunk = place->area + thunk_at, body = place->area + body_at;
	uint64_t patch = hook_patch(img, h), hole = patch + SHORT_JUMP_BYTES + h->hole;
	uint32_t id = place->first_id + hook;
	uint8_t *new;
	struct moved m;

	if (h->body_bytes) {
		moved_take(&m, img, patch, patch + h->n_moved, h->n_moved);
		moved_check(&m, 0, true);
		moved_emit(&m, place, body, area + body_at);
	} else {
		body = hook_resume(img, h) + place->bias;
	}
	put_thunk(area + thunk_at, thunk, place->area, body, userimage_enter(img, h),
		  h->program ? userimage_programs_at(img) + h->program - 1 - thunk_at : 0);
	memcpy(area + thunk_at + SNRT_THUNK_ID, &id, sizeof(id));
	memcpy(area + thunk_at + SNRT_THUNK_RULE, &h->rule, sizeof(h->rule));
	if (h->is_short) {
		new = next_patch(img, patches, hole, place->bias, JUMP_BYTES);
		put_jump(new, hole + place->bias, thunk);
		new = next_patch(img, patches, patch, place->bias, SHORT_JUMP_BYTES);
		new[0] = 0xeb;
		new[1] = h->hole;
	} else {
		new = next_patch(img, patches, patch, place->bias, JUMP_BYTES);
		put_jump(new, patch + place->bias, thunk);
	}
	build_fixes(img, h, &m, place->bias, body, patches);
}

/*
 * --- taking a hook out of running code (runtime/remove.c) ----------------------------------------
 */

/* A branch to the moved bytes of another function, whose distance was changed. */
static bool is_fixed(const struct userimage *img, uint64_t begin, uint64_t end)
{
	return ARRAY_ANY(img->n_fixes, i,
			 img->fixes[i].address < end &&
				 img->fixes[i].address + (img->fixes[i].n_bytes
								  ? img->fixes[i].n_bytes
								  : 4) >
					 begin);
}

/*
 * The bytes must lie in a block that processors fetch at once. A call of mcount or __fentry__ among
 * the moved bytes would come back: the jump over it costs less.
 */
static bool is_removable(const struct userimage *img, const struct hook *h)
{
	uint64_t patch = hook_patch(img, h);
	struct x86_parts p;

	return patch % FETCH_BLOCK + h->patch_bytes <= FETCH_BLOCK &&
	       !find_counter(img, patch, patch, patch + h->n_moved, &p) &&
	       !is_fixed(img, patch, patch + h->patch_bytes);
}

const struct userarch userarch_x86_64 = {
	.machine = EM_X86_64,
	.reach = 0x7fff0000, /* 2 GB, less a margin */
	.stack_reg = 7,
	.stack_bytes = 8, /* the return address */
	.find_main = x86_find_main,
	.prove = x86_prove,
	.is_counted = is_counted,
	.skip = skip_entry,
	.scan = x86_scan,
	.plan = plan_function,
	.plan_points = x86_plan_points,
	.is_removable = is_removable,
	.build = build,
};
