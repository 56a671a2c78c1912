// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpufiles.c - finds the CPU and the buffer of a file of raw sub-buffers, and its undamaged data.
 *
 *	trace.dat.cpu0 trace.dat.cpu1                   the top buffer
 *	trace.dat.probes.cpu0 trace.dat.probes.cpu1     the instance "probes"
 *
 * The CPU is taken from a file's name: the last "cpu" followed by digits. Files of a buffer
 * instance are named FILE.INSTANCE.cpuN beside the FILE.cpuN of the top buffer; the shortest stem
 * is FILE. A recorder that was killed while it wrote a sub-buffer leaves a partial one; its
 * complete events are kept.
 */
#include "rewrite/cpufiles.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/walker.h"
#include "format/bytes.h"
#include "store/pagebuilder.h"
#include "store/writer.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CPU_MAX (1u << 20)

/* --- names ------------------------------------------------------------------------------------ */

/* Returns where "cpu12" begins in the file's name, or NULL. */
static const char *find_cpu(const char *path, uint32_t *ret_cpu)
{
	const char *slash = strrchr(path, '/'), *found = NULL;

	for (const char *p = slash ? slash + 1 : path; (p = strstr(p, "cpu")); p += 3)
		if (isdigit((unsigned char)p[3])) {
			unsigned long cpu = strtoul(p + 3, NULL, 10);

			found = p;
			*ret_cpu = cpu < CPU_MAX ? cpu : CPU_MAX;
		}
	return found;
}

ARRAY_ORDER(file_compare, struct cpu_file,
	    strcmp(x->instance, y->instance) ?: COMPARE(x->cpu, y->cpu))

static const char *keep_name(struct cpu_files *cf, const char *name, size_t len)
{
	for (size_t i = 0; i < cf->n_names; i++)
		if (strlen(cf->names[i]) == len && !memcmp(cf->names[i], name, len))
			return cf->names[i];
	if (!ARRAY_ROOM(cf->names, cf->cap_names, cf->n_names + 1, ARRAY_NO_MAX))
		return NULL;
	cf->names[cf->n_names] = strndup(name, len);
	return cf->names[cf->n_names] ? cf->names[cf->n_names++] : NULL;
}

/*
 * Names the instances: the shortest stem belongs to the top buffer; the rest of a longer stem is
 * the instance's name.
 */
static int name_instances(struct cpu_files *cf)
{
	const struct cpu_file *top = &cf->files[0];

	for (size_t i = 1; i < cf->n; i++)
		if (cf->files[i].stem_len < top->stem_len)
			top = &cf->files[i];
	for (size_t i = 0; i < cf->n; i++) {
		struct cpu_file *f = &cf->files[i];
		bool is_instance = f->stem_len > top->stem_len + 1 &&
				   !strncmp(f->path, top->path, top->stem_len) &&
				   f->path[top->stem_len] == '.';

		f->instance = is_instance ? keep_name(cf, f->path + top->stem_len + 1,
						      f->stem_len - top->stem_len - 1)
					  : keep_name(cf, "", 0);
		if (!f->instance)
			return -ENOMEM;
	}
	return 0;
}

static int check_files(struct cpu_files *cf, struct errmsg *err)
{
	if (name_instances(cf) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the names of the files");
	qsort(cf->files, cf->n, sizeof(*cf->files), file_compare);
	for (size_t i = 1; i < cf->n; i++)
		if (!file_compare(&cf->files[i - 1], &cf->files[i]))
			return errmsg_set(err, -EINVAL, "%s and %s are both of CPU %u",
					  cf->files[i - 1].path, cf->files[i].path,
					  cf->files[i].cpu);
	return 0;
}

int cpu_files_open(struct cpu_files *cf, size_t n, char *const *paths, struct errmsg *err)
{
	cf->files = calloc(n, sizeof(*cf->files));
	if (!cf->files)
		return errmsg_set_errno(err, -ENOMEM, "cannot open %s", paths[0]);
	for (size_t i = 0; i < n; i++) {
		struct cpu_file *f = &cf->files[i];
		const char *cpu = find_cpu(paths[i], &f->cpu);

		if (!cpu || f->cpu >= CPU_MAX)
			return errmsg_set(err, -EINVAL,
					  "%s is neither a trace nor the data of a CPU: its name "
					  "has no 'cpuN'",
					  paths[i]);
		f->path = paths[i];
		f->stem_len = cpu - paths[i] - (cpu > paths[i] && cpu[-1] == '.');
		TRY(mapfile_open(&f->map, paths[i], err));
		cf->n++;
	}
	return check_files(cf, err);
}

void cpu_files_close(struct cpu_files *cf)
{
	for (size_t i = 0; i < cf->n; i++)
		mapfile_release(&cf->files[i].map);
	for (size_t i = 0; i < cf->n_names; i++)
		free(cf->names[i]);
	free(cf->files);
	free(cf->names);
}

uint32_t cpu_files_count(const struct cpu_files *cf)
{
	uint32_t n = 0;

	for (size_t i = 0; i < cf->n; i++)
		if (cf->files[i].cpu >= n)
			n = cf->files[i].cpu + 1;
	return n;
}

/* --- pages ------------------------------------------------------------------------------------ */

struct raw_source {
	const struct cpu_file *file, *end;
	size_t pos;
	struct page_layout layout;
	struct pagebuilder builder;
	unsigned n_damaged;
	const char *damaged; /* the first damaged file */
};

static struct piece sound_page(struct raw_source *src, struct piece page)
{
	const uint8_t *good;
	struct walked rec;
	struct walker w = {0};

	good = walker_start(&w, page.data, page.len, &src->layout) ? w.start : NULL;
	while (good && walker_next(&w, &rec))
		good = w.pos;
	if (good && !w.damaged && page.len == src->builder.page_size)
		return page;
	if (!good || w.damaged)
		src->damaged = src->n_damaged++ ? src->damaged : src->file->path;
	return good ? pagebuilder_trim(&src->builder, page.data, good - w.start, w.missed)
		    : (struct piece){0};
}

static int next_page(void *ctx, uint32_t *ret_cpu, struct piece *ret_page)
{
	struct raw_source *src = ctx;

	for (; src->file < src->end; src->file++, src->pos = 0) {
		const struct mapfile *map = &src->file->map;

		while (src->pos < map->n_bytes) {
			size_t left = map->n_bytes - src->pos, page = src->builder.page_size;
			struct piece p = {map->data + src->pos, left < page ? left : page};

			src->pos += p.len;
			*ret_page = sound_page(src, p);
			*ret_cpu = src->file->cpu;
			if (ret_page->len)
				return 1;
		}
	}
	return 0;
}

static void note_damage(const struct raw_source *src, const struct rewrite_notes *notes)
{
	if (src->n_damaged == 1)
		rewrite_note(
			notes,
			"a sub-buffer in %s is truncated or damaged; its whole events are kept",
			src->damaged);
	else if (src->n_damaged)
		rewrite_note(
			notes,
			"%u sub-buffers, the first in %s, are truncated or damaged; their whole "
			"events are kept",
			src->n_damaged, src->damaged);
}

/* Returns the first file of the next instance. */
static size_t skip_instance(const struct cpu_files *cf, size_t i)
{
	const char *instance = cf->files[i].instance;

	while (i < cf->n && cf->files[i].instance == instance)
		i++;
	return i;
}

int cpu_files_write(const struct cpu_files *cf, struct writer *w, const char *clock,
		    const struct cpu_files_layout *l, const struct rewrite_notes *notes,
		    struct errmsg *err)
{
	struct raw_source src = {
		.layout = {l->swap, l->big_endian, l->long_size, l->data_offset},
		.builder = {.swap = l->swap,
			    .big_endian = l->big_endian,
			    .long_size = l->long_size,
			    .data_offset = l->data_offset,
			    .page_size = l->page_size},
	};
	int r = 0;

	for (size_t i = 0; i < cf->n && r >= 0; i = skip_instance(cf, i))
		r = writer_add_buffer(
			w, &(struct writer_buffer){cf->files[i].instance, clock, l->page_size},
			err);
	if (r >= 0 && pagebuilder_init(&src.builder) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot restore");
	for (size_t i = 0, end, n = 0; i < cf->n && r >= 0; i = end) {
		end = skip_instance(cf, i);
		src.file = &cf->files[i];
		src.end = &cf->files[end];
		src.pos = 0;
		r = writer_write_buffer(w, n++, &(struct writer_source){&src, next_page}, err);
	}
	pagebuilder_release(&src.builder);
	TRY(r);
	note_damage(&src, notes);
	return 0;
}
