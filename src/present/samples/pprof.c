// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof.c - samples as pprof's profile.proto, compressed with gzip.
 *
 *	Profile { sample_type = 1, sample = 2, mapping = 3, location = 4, function = 5,
 *	          string_table = 6, period_type = 11, period = 12 }
 *	sample    locations, the innermost first; values: samples, weight; labels: thread, tid
 *	location  a place; its lines: the innermost inlined function first
 *
 * Samples with the same stack of the same thread are one. String 0 is empty, ids begin with 1.
 */
#include "analyse/calls/callflow.h"
#include "analyse/samples/stacknames.h"
#include "analyse/samples/sampleset.h"
#include "base/array.h"
#include "base/map.h"
#include "base/scope.h"
#include "decode/samples/sampleevent.h"
#include "decode/samples/sampleinfo.h"
#include "present/export/protobuf.h"
#include "present/samples/profiles.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define TABLE_MAX   (16u << 20)
#define PROFILE_MAX (1u << 30)
#define GZIP_WINDOW (15 + 16) /* zlib's way to ask for gzip's head */

struct pprof {
	const struct profile_view *v;
	struct textbuf strings, functions, locations, mappings, samples;
	struct map string_ids;	 /* by the hash of the text: a list */
	struct map location_ids; /* by place and whether it is a return address */
	struct map function_ids; /* by function */
	struct map mapping_ids;	 /* by number of the file */
	uint64_t n_strings, n_locations, n_functions, n_mappings;
	struct string_entry *entries;
};

struct string_entry {
	struct string_entry *same_hash, *next;
	uint64_t id;
	size_t len;
	char text[];
};

static uint64_t take_string(struct pprof *p, const char *text)
{
	size_t len = strlen(text);
	void **slot = map_take(&p->string_ids, hash_of_text(HASH_ODD, text, len), TABLE_MAX);
	struct string_entry *e;

	for (e = slot ? *slot : NULL; e; e = e->same_hash)
		if (e->len == len && !memcmp(e->text, text, len))
			return e->id;
	e = slot ? malloc(sizeof(*e) + len) : NULL;
	if (!e)
		return 0;
	*e = (struct string_entry){
		.same_hash = *slot, .next = p->entries, .id = p->n_strings++, .len = len};
	memcpy(e->text, text, len);
	*slot = p->entries = e;
	protobuf_add_text(&p->strings, 6, text, len);
	return e->id;
}

static uint64_t take_function(struct pprof *p, const struct flow_func *f)
{
	void **slot = map_take(&p->function_ids, (uintptr_t)f, TABLE_MAX);
	uint64_t name, file;
	size_t at;

	if (!slot || *slot)
		return slot ? (uintptr_t)*slot : 0;
	*slot = (void *)(uintptr_t)++p->n_functions;
	name = take_string(p, f->name);
	file = take_string(p, stacknames_file(f));
	at = protobuf_open(&p->functions, 5);
	protobuf_add_uint(&p->functions, 1, p->n_functions);
	protobuf_add_uint(&p->functions, 2, name);
	protobuf_add_uint(&p->functions, 3, name);
	protobuf_add_uint(&p->functions, 4, file);
	protobuf_close(&p->functions, at);
	return p->n_functions;
}

static uint64_t take_mapping(struct pprof *p, uint64_t place)
{
	uint32_t number = place_file(place);
	const struct sample_file *file =
		p->v->info ? sampleinfo_find_file(p->v->info, number) : NULL;
	void **slot;
	uint64_t name, id;
	size_t at;

	if (!file && !place_is_kernel(place))
		return 0;
	slot = map_take(&p->mapping_ids, place_is_kernel(place) ? 0 : number, TABLE_MAX);
	if (!slot || *slot)
		return slot ? (uintptr_t)*slot : 0;
	*slot = (void *)(uintptr_t)++p->n_mappings;
	name = take_string(p, file ? file->path : "[kernel]");
	id = take_string(p, file ? file->build_id : "");
	at = protobuf_open(&p->mappings, 3);
	protobuf_add_uint(&p->mappings, 1, p->n_mappings);
	protobuf_add_uint(&p->mappings, 5, name);
	protobuf_add_uint(&p->mappings, 6, id);
	protobuf_add_uint(&p->mappings, 7, 1); /* has functions: do not look them up */
	protobuf_close(&p->mappings, at);
	return p->n_mappings;
}

static uint64_t take_location(struct pprof *p, uint64_t place, bool is_return)
{
	void **slot = map_take(&p->location_ids, place - is_return, TABLE_MAX);
	struct stacknames_frames f;
	uint64_t mapping, functions[STACKNAMES_FRAMES_MAX + 1];
	size_t at;

	if (!slot || *slot)
		return slot ? (uintptr_t)*slot : 0;
	*slot = (void *)(uintptr_t)++p->n_locations;
	f = stacknames_find(p->v->names, place, is_return);
	for (size_t i = 0; i < f.n; i++)
		functions[i] = take_function(p, f.funcs[i]);
	mapping = take_mapping(p, place);
	at = protobuf_open(&p->locations, 4);
	protobuf_add_uint(&p->locations, 1, p->n_locations);
	if (mapping)
		protobuf_add_uint(&p->locations, 2, mapping);
	protobuf_add_uint(&p->locations, 3, place_address(place));
	for (size_t i = 0; i < f.n; i++) {
		size_t line = protobuf_open(&p->locations, 4);

		protobuf_add_uint(&p->locations, 1, functions[i]);
		protobuf_close(&p->locations, line);
	}
	protobuf_close(&p->locations, at);
	return p->n_locations;
}

static void add_label(struct pprof *p, const char *key, const char *text, int64_t number)
{
	uint64_t k = take_string(p, key), s = text ? take_string(p, text) : 0;
	size_t at = protobuf_open(&p->samples, 3);

	protobuf_add_uint(&p->samples, 1, k);
	protobuf_add_uint(&p->samples, text ? 2 : 3, text ? s : (uint64_t)number);
	protobuf_close(&p->samples, at);
}

static void add_sample(struct pprof *p, const struct sampleset_row *r)
{
	struct sampleset_stack s = sampleset_stack(p->v->set, r->stack);
	size_t at = protobuf_open(&p->samples, 2), list;

	list = protobuf_open(&p->samples, 1);
	for (uint32_t i = 0; i < s.n; i++) {
		bool is_text = place_file(s.places[i]) == PLACE_NAMED;

		protobuf_add_varint(&p->samples,
				    take_location(p, s.places[i], i && i != s.user && !is_text));
	}
	protobuf_close(&p->samples, list);
	list = protobuf_open(&p->samples, 2);
	protobuf_add_varint(&p->samples, r->n);
	protobuf_add_varint(&p->samples, r->weight);
	protobuf_close(&p->samples, list);
	if (r->task) {
		add_label(p, "thread", r->task->comm, 0);
		add_label(p, "tid", NULL, r->task->pid);
	}
	protobuf_close(&p->samples, at);
}

static void add_type(struct textbuf *tb, unsigned number, uint64_t type, uint64_t unit)
{
	size_t at = protobuf_open(tb, number);

	protobuf_add_uint(tb, 1, type);
	protobuf_add_uint(tb, 2, unit);
	protobuf_close(tb, at);
}

static int pack(struct textbuf *plain, struct textbuf *tb)
{
	z_stream z = {0};
	size_t n;
	int r;

	if (plain->overflow)
		return -EFBIG;
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	n = deflateBound(&z, textbuf_len(plain));
	if (!textbuf_grow(tb, n)) {
		deflateEnd(&z);
		return -ENOMEM;
	}
	z.next_in = (Bytef *)plain->start;
	z.avail_in = (uInt)textbuf_len(plain);
	z.next_out = (Bytef *)tb->pos;
	z.avail_out = (uInt)n;
	r = deflate(&z, Z_FINISH);
	tb->pos += z.total_out;
	deflateEnd(&z);
	return r == Z_STREAM_END ? 0 : -ENOMEM;
}

static void pprof_release(struct pprof *p)
{
	while (p->entries) {
		struct string_entry *next = p->entries->next;

		free(p->entries);
		p->entries = next;
	}
	map_release(&p->string_ids);
	map_release(&p->location_ids);
	map_release(&p->function_ids);
	map_release(&p->mapping_ids);
	textbuf_release(&p->strings);
	textbuf_release(&p->functions);
	textbuf_release(&p->locations);
	textbuf_release(&p->mappings);
	textbuf_release(&p->samples);
}

static void add_all(struct pprof *p)
{
	size_t n;
	const struct sampleset_row *rows = sampleset_rows(p->v->set, &n);

	take_string(p, "");
	for (size_t i = 0; i < n; i++)
		add_sample(p, &rows[i]);
}

int pprof_fmt(const struct profile_view *v, struct textbuf *tb)
{
	SCOPED(pprof_release) struct pprof p = {.v = v};
	struct textbuf *parts[] = {&p.samples, &p.mappings, &p.locations, &p.functions, &p.strings};
	TEXTBUF(all, PROFILE_MAX);
	uint64_t samples, count, event, unit;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		textbuf_init(parts[i], PROFILE_MAX);
	add_all(&p);
	samples = take_string(&p, "samples");
	count = take_string(&p, "count");
	event = take_string(&p, v->event ? v->event : "weight");
	unit = v->in_time ? take_string(&p, "nanoseconds") : count;
	add_type(&all, 1, samples, count);
	add_type(&all, 1, event, unit);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		all.overflow |= parts[i]->overflow;
		textbuf_add(&all, parts[i]->start, textbuf_len(parts[i]));
	}
	add_type(&all, 11, event, unit);
	protobuf_add_uint(&all, 12, 1);
	return pack(&all, tb);
}
