// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * bprint.c - trace_printk() records: a format by address, followed by packed values.
 *
 *	record: ip, fmt (address of the format string), buf: values
 *	buf:    numbers of 4 or 8 bytes, each at a multiple of 4; those of %h and %hh, and
 *	        characters, at a multiple of their own size; strings with their NUL, unaligned
 *
 * The text is "%ps: FORMAT" with ip first. The format is scanned with special rules to find what it
 * takes from buf (only letters that change the size of a value matter); then it is printed like any
 * format. The split format is kept by its address; the values are set for each record.
 */
#include "base/arena.h"
#include "decode/formats/event_int.h"
#include "decode/print/print_int.h"
#include "format/bytes.h"
#include "symbols/printkfmt.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS		256
#define VALUES_MAX	64
#define ARENA_MAX_BYTES (4u << 20)

struct bprint_format {
	uint64_t addr;
	bool used;
	const char *text; /* the format with "%ps: " before it */
	struct arg values[VALUES_MAX];
	unsigned n_values; /* number of values for which the format was split */
	struct segment *segments;
};

struct bprint_cache {
	struct arena arena;
	struct bprint_format *slots[SLOTS];
};

struct bprint_cache *bprint_cache_new(void)
{
	struct bprint_cache *c = calloc(1, sizeof(*c));

	if (c)
		arena_init(&c->arena, ARENA_MAX_BYTES);
	return c;
}

void bprint_cache_free(struct bprint_cache *c)
{
	if (c)
		arena_release(&c->arena);
	free(c);
}

/* The values that are read from buf. */
struct value_reader {
	struct printer *p;
	struct bprint_format *f;
	uint32_t pos;
	unsigned n;
};

static struct arg *add_value(struct value_reader *r)
{
	struct arg *a;

	if (r->n == VALUES_MAX)
		return NULL;
	a = &r->f->values[r->n++];
	memset(a, 0, sizeof(*a));
	if (r->n > 1)
		a[-1].next = a;
	return a;
}

static void take_number(struct value_reader *r, unsigned size)
{
	struct arg *a = add_value(r);

	r->pos = (r->pos + (size < 4 ? size : 4) - 1) & ~(size < 4 ? size - 1 : 3u);
	if (!a)
		return;
	a->kind = ARG_ATOM;
	a->atom.text = "";
	if (r->pos <= r->p->size && size <= r->p->size - r->pos)
		a->atom.value = bytes_get(r->p->data + r->pos, size, r->p->swap);
	r->pos += size;
}

static void take_string(struct value_reader *r)
{
	struct arg *a = add_value(r);
	const char *s = (const char *)r->p->data + r->pos;
	const char *nul = r->pos < r->p->size ? memchr(s, 0, r->p->size - r->pos) : NULL;

	if (!a)
		return;
	a->kind = ARG_BSTRING;
	a->atom.text = nul ? s : "";
	a->atom.len = nul ? nul - s : 0;
	r->pos = nul ? r->pos + (nul - s) + 1 : r->p->size;
}

static void take_char(struct value_reader *r)
{
	struct arg *a = add_value(r);

	if (!a)
		return;
	a->kind = ARG_BSTRING;
	a->atom.len = r->pos < r->p->size;
	a->atom.text = a->atom.len ? (const char *)r->p->data + r->pos++ : "";
}

/*
 * Reads the value of one conversion. f is after its '%'. Returns the position of its last
 * character.
 */
static const char *take_conversion(struct value_reader *r, const char *f)
{
	unsigned longs = 0, shorts = 0;

	for (;; f++) {
		if (*f == 'l') {
			longs++;
		} else if (*f == 'h') {
			shorts++;
		} else if (*f == 'L') {
			longs = 2;
		} else if (*f == 'z' || *f == 'Z') {
			longs = 1;
		} else if (*f == '*') {
			take_number(r, 4);
		} else if (!*f || (!strchr("#.-", *f) && !isdigit((unsigned char)*f))) {
			break;
		}
	}
	if (*f == 'p') {
		longs = 1;
		if (isalnum((unsigned char)f[1])) {
			f++;
			if (!strchr("sSx", *f) && !(strchr("fF", *f) && f[1] != 'w') &&
			    r->pos < r->p->size && isprint(r->p->data[r->pos])) {
				take_string(r);
				return f;
			}
		}
		take_number(r, r->p->formats->long_size);
	} else if (*f == 's') {
		take_string(r);
	} else if (*f == 'c') {
		take_char(r);
	} else if (*f && strchr("duixXo", *f)) {
		take_number(r, shorts	    ? (shorts == 1 ? 2 : 1)
			       : !longs	    ? 4
			       : longs == 1 ? r->p->formats->long_size
					    : 8);
	}
	return *f ? f : f - 1;
}

static void take_values(struct value_reader *r, const char *f)
{
	for (; *f && r->pos < r->p->size; f++)
		if (*f == '%')
			f = take_conversion(r, f + 1);
}

static struct bprint_format *format_find(struct printer *p, uint64_t addr)
{
	struct bprint_cache *c = p->bprint;
	struct bprint_format **slot = &c->slots[(addr * 0x9e3779b97f4a7c15u) >> 56];
	const char *text = printkfmts_find(&p->formats->printk, addr);
	char *full;

	/* clear the cache first: a format with varying values is split again each time */
	if (c->arena.used_bytes > ARENA_MAX_BYTES / 2) {
		arena_release(&c->arena);
		memset(c->slots, 0, sizeof(c->slots));
	}
	if (*slot && (*slot)->addr == addr)
		return *slot;
	if (!text)
		return NULL;
	*slot = arena_alloc(&c->arena, sizeof(**slot));
	full = arena_alloc(&c->arena, strlen(text) + 6);
	if (!*slot || !full) {
		*slot = NULL;
		return NULL;
	}
	memcpy(full, "%ps: ", 5);
	memcpy(full + 5, text, strlen(text));
	(*slot)->text = full;
	(*slot)->addr = addr;
	return *slot;
}

void bprint_print(struct printer *p)
{
	const struct field *ip = event_find_field(p->ev, "ip"),
			   *fmt = event_find_field(p->ev, "fmt");
	const struct field *buf = event_find_field(p->ev, "buf");
	struct value_reader r = {.p = p};
	uint64_t addr = 0, caller = 0;

	if (!ip || !fmt || !buf)
		return;
	printer_number(p, fmt, &addr);
	printer_number(p, ip, &caller);
	r.f = format_find(p, addr);
	if (!r.f) {
		struct arg a = {.kind = ARG_ATOM, .atom = {.value = caller, .text = ""}};

		print_pointer(p, "s", 1, &a);
		textbuf_addf(p->out, ": (NO FORMAT FOUND at %llx)\n", (unsigned long long)addr);
		return;
	}
	r.pos = buf->offset;
	add_value(&r)->kind = ARG_ATOM;
	r.f->values[0].atom.value = caller;
	r.f->values[0].atom.text = "";
	take_values(&r, r.f->text + 5);
	if (!r.f->segments || r.f->n_values != r.n) {
		r.f->n_values = r.n;
		r.f->segments = printfmt_split((struct event *)p->ev, r.f->text, r.f->values,
					       &p->bprint->arena, NULL);
	}
	for (const struct segment *s = r.f->segments; s; s = s->next)
		print_segment(p, s);
}
