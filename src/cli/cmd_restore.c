// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_restore.c - `sonde restore`: a whole trace out of what a recording left behind.
 *
 *	trace.dat.cpu0 trace.dat.cpu1     raw sub-buffers of each CPU; what they mean is taken from the
 *	                                  running kernel, a copy of its tracing directory (-t) or a
 *	                                  partial trace that was written in time (-c, then -i)
 *	trace.dat                         one that is cut off or damaged: everything sound in it
 *
 * The CPU is taken from a file's name: the last "cpu" followed by digits. Files of a buffer instance
 * are named FILE.INSTANCE.cpuN beside the FILE.cpuN of the top buffer, which is how they are told
 * apart. A recorder that died in the middle of a sub-buffer leaves a part of one: its whole events are
 * kept.
 */
#include "cli/command.h"
#include "cli/notes.h"
#include "rewrite/tracecopy.h"
#include "capture/kernel/kernelinfo.h"
#include "base/files/mapfile.h"
#include "decode/walker.h"
#include "store/pagebuilder.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_MAX (1u << 20)

struct restore_options {
	const char *output, *partial, *tracing_dir, *kallsyms;
	bool create;
};

static const struct option_row rows[] = {
	{OPTION_STRING, 'o', "output", "FILE",
	 "write this file (default: trace.dat, or trace-partial.dat with -c)",
	 offsetof(struct restore_options, output), .complete = "file"},
	{OPTION_FLAG, 'c', "create", NULL,
	 "write a partial trace: the description of this kernel, without events",
	 offsetof(struct restore_options, create)},
	{OPTION_STRING, 'i', "input", "FILE",
	 "read the description of the kernel from this partial trace",
	 offsetof(struct restore_options, partial), .complete = "file"},
	{OPTION_STRING, 't', "tracing-dir", "DIR",
	 "read the description of the kernel from this tracing directory",
	 offsetof(struct restore_options, tracing_dir), .complete = "dir"},
	{OPTION_STRING, 'k', "kallsyms", "FILE",
	 "read symbols from this file (default: /proc/kallsyms)",
	 offsetof(struct restore_options, kallsyms), .complete = "file"},
	{OPTION_END},
};

/* --- the files of CPUs ------------------------------------------------------------------------- */

struct cpu_file {
	const char *path;
	uint32_t cpu;
	size_t stem_len;      /* of the path before ".cpuN" */
	const char *instance; /* points into `names` */
	struct mapfile map;
};

struct cpu_files {
	struct cpu_file *files;
	size_t n;
	char **names; /* of instances: [0] is "" */
	size_t n_names;
};

/* Where "cpu12" begins in the file's name, or NULL. */
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

static int file_compare(const void *a, const void *b)
{
	const struct cpu_file *x = a, *y = b;
	int r = strcmp(x->instance, y->instance);

	return r ? r : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static const char *keep_name(struct cpu_files *cf, const char *name, size_t len)
{
	char **more;

	for (size_t i = 0; i < cf->n_names; i++)
		if (strlen(cf->names[i]) == len && !memcmp(cf->names[i], name, len))
			return cf->names[i];
	more = realloc(cf->names, (cf->n_names + 1) * sizeof(*more));
	if (!more)
		return NULL;
	cf->names = more;
	more[cf->n_names] = strndup(name, len);
	return more[cf->n_names] ? more[cf->n_names++] : NULL;
}

/* The shortest stem is the top buffer's; what others have more than it is an instance's name. */
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

static int open_files(struct cpu_files *cf, int n, char **paths, struct errmsg *err)
{
	cf->files = calloc(n, sizeof(*cf->files));
	if (!cf->files)
		return errmsg_set_errno(err, -ENOMEM, "cannot open %s", paths[0]);
	for (int i = 0; i < n; i++) {
		struct cpu_file *f = &cf->files[i];
		const char *cpu = find_cpu(paths[i], &f->cpu);
		int r;

		if (!cpu || f->cpu >= CPU_MAX)
			return errmsg_set(err, -EINVAL,
					  "%s is neither a trace nor the data of a CPU: its name "
					  "has no 'cpuN'",
					  paths[i]);
		f->path = paths[i];
		f->stem_len = cpu - paths[i] - (cpu > paths[i] && cpu[-1] == '.');
		r = mapfile_open(&f->map, paths[i], err);
		if (r < 0)
			return r;
		cf->n++;
	}
	return check_files(cf, err);
}

static void close_files(struct cpu_files *cf)
{
	for (size_t i = 0; i < cf->n; i++)
		mapfile_release(&cf->files[i].map);
	for (size_t i = 0; i < cf->n_names; i++)
		free(cf->names[i]);
	free(cf->files);
	free(cf->names);
}

/* --- their pages ------------------------------------------------------------------------------- */

struct raw_source {
	struct cpu_file *file, *end;
	size_t pos;
	struct page_layout layout;
	struct pagebuilder builder;
	unsigned n_damaged;
	const char *damaged; /* the first such file */
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

static int write_files(struct writer *w, struct cpu_files *cf, const char *clock,
		       const struct raw_source *model, struct errmsg *err)
{
	uint32_t page_size = model->builder.page_size;
	struct raw_source src = *model;
	int r = 0;

	for (size_t i = 0, k; i < cf->n && r >= 0; i = k) {
		for (k = i + 1; k < cf->n && cf->files[k].instance == cf->files[i].instance; k++)
			;
		r = writer_add_buffer(
			w, &(struct writer_buffer){cf->files[i].instance, clock, page_size}, err);
	}
	if (r >= 0)
		r = pagebuilder_init(&src.builder) < 0
			    ? errmsg_set_errno(err, -ENOMEM, "cannot restore")
			    : 0;
	for (size_t i = 0, k, n = 0; i < cf->n && r >= 0; i = k) {
		for (k = i + 1; k < cf->n && cf->files[k].instance == cf->files[i].instance; k++)
			;
		src.file = &cf->files[i];
		src.end = &cf->files[k];
		src.pos = 0;
		r = writer_write_buffer(w, n++, &(struct writer_source){&src, next_page}, err);
	}
	pagebuilder_release(&src.builder);
	if (r >= 0 && src.n_damaged == 1)
		fprintf(stderr,
			"sonde: a sub-buffer in %s is cut off or damaged; its whole events are "
			"kept\n",
			src.damaged);
	else if (r >= 0 && src.n_damaged)
		fprintf(stderr,
			"sonde: %u sub-buffers, the first in %s, are cut off or damaged; their "
			"whole events "
			"are kept\n",
			src.n_damaged, src.damaged);
	return r < 0 ? r : 0;
}

static uint32_t count_cpus(const struct cpu_files *cf)
{
	uint32_t n = 0;

	for (size_t i = 0; i < cf->n; i++)
		if (cf->files[i].cpu >= n)
			n = cf->files[i].cpu + 1;
	return n;
}

/* --- with the kernel's own description --------------------------------------------------------- */

static int add_text_option(struct writer *w, uint16_t id, const char *text, struct errmsg *err)
{
	return *text ? writer_add_option(
			       w, id, (struct piece){(const uint8_t *)text, strlen(text) + 1}, err)
		     : 0;
}

static int describe_kernel(struct writer *w, const struct kernelinfo *td, struct errmsg *err)
{
	int r = 0;

	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS && !r; kind++) {
		const struct textbuf *tb = &td->texts[kind];

		r = writer_add_text(
			w, kind, (struct piece){(const uint8_t *)tb->start, textbuf_len(tb)}, err);
	}
	if (!r && textbuf_len(&td->clock))
		r = add_text_option(w, SNF_OPTION_TRACECLOCK, td->clock.start, err);
	if (!r)
		r = add_text_option(w, SNF_OPTION_UNAME, td->uname, err);
	if (!r)
		r = add_text_option(w, SNF_OPTION_VERSION, "sonde " SONDE_VERSION, err);
	return r;
}

/* cf NULL: only the description. */
static int restore_here(const struct restore_options *o, struct cpu_files *cf, struct errmsg *err)
{
	struct raw_source src = {0};
	struct kernelinfo td;
	struct writer *w = NULL;
	int r = kernelinfo_read(
		&td, &(struct kernelinfo_config){.dir = o->tracing_dir, .kallsyms = o->kallsyms},
		err);

	if (r < 0) {
		kernelinfo_release(&td);
		return r;
	}
	src.layout = (struct page_layout){false, bytes_host_is_big(), td.long_size, td.data_offset};
	src.builder = (struct pagebuilder){.big_endian = bytes_host_is_big(),
					   .long_size = td.long_size,
					   .data_offset = td.data_offset,
					   .page_size = td.page_size};
	r = writer_open(&w,
			&(struct writer_config){.path = o->output,
						.version = 7,
						.compression = COMPRESSION_ZSTD,
						.big_endian = bytes_host_is_big(),
						.long_size = sizeof(long),
						.page_size = td.page_size,
						.is_copy = true},
			err);
	if (!r)
		r = describe_kernel(w, &td, err);
	if (!r && cf) {
		writer_set_cpu_count(w, count_cpus(cf));
		r = write_files(w, cf, *td.clock_name ? td.clock_name : NULL, &src, err);
	}
	if (!r) {
		r = writer_close(w, err);
		w = NULL;
	}
	writer_free(w);
	kernelinfo_release(&td);
	return r;
}

/* --- with a partial or a damaged trace --------------------------------------------------------- */

/* "[mono]" or "local [global] …" to the name in brackets; "" if there is none. */
static void clock_name(const struct tracefile *tf, char *buf, size_t size)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_TRACECLOCK);
	const char *text = o ? (const char *)o->data.data : "";
	const char *open = o && o->data.len ? memchr(text, '[', o->data.len) : NULL;
	const char *close = open ? memchr(open, ']', o->data.len - (open - text)) : NULL;

	snprintf(buf, size, "%.*s", close ? (int)(close - open - 1) : 0, close ? open + 1 : "");
}

/* cf NULL: the events are those of the trace itself, as far as they are sound. */
static int restore_from(const struct restore_options *o, struct tracefile *tf, struct cpu_files *cf,
			struct errmsg *err)
{
	struct raw_source src = {
		.layout = {tf->swap, tf->big_endian, tf->long_size, tf->data_offset},
		.builder = {.swap = tf->swap,
			    .big_endian = tf->big_endian,
			    .long_size = tf->long_size,
			    .data_offset = tf->data_offset,
			    .page_size = tf->page_size},
	};
	char clock[64];
	struct writer_config config;
	struct writer *w = NULL;
	struct tracecopy tc;
	int r = tracecopy_init(&tc, tf, tf->version, err);

	if (r < 0)
		return r;
	tc.repair = true;
	config = tracecopy_config(&tc, o->output,
				  tf->compression == COMPRESSION_UNKNOWN ? COMPRESSION_ZSTD
									 : tf->compression);
	clock_name(tf, clock, sizeof(clock));
	r = writer_open(&w, &config, err);
	if (!r)
		r = tracecopy_metadata(&tc, w, err);
	if (!r && cf && count_cpus(cf) > tf->cpu_count)
		writer_set_cpu_count(w, count_cpus(cf));
	if (!r)
		r = cf ? write_files(w, cf, *clock ? clock : NULL, &src, err)
		       : tracecopy_buffers(&tc, w, err);
	if (!r) {
		r = writer_close(w, err);
		w = NULL;
	}
	writer_free(w);
	tracecopy_release(&tc);
	return r;
}

static int restore_trace(const struct restore_options *o, const char *path, struct errmsg *err)
{
	struct tracefile *tf;
	int r = tracefile_open(&tf, path, err);

	if (r < 0)
		return r;
	r = restore_from(o, tf, NULL, err);
	if (!r)
		notes_print_damage(tf);
	tracefile_close(tf);
	return r;
}

static int restore_files(struct restore_options *o, int n, char **paths, struct errmsg *err)
{
	struct cpu_files cf = {0};
	struct tracefile *tf = NULL;
	int r = open_files(&cf, n, paths, err);

	if (!r && o->partial)
		r = tracefile_open(&tf, o->partial, err);
	if (!r && tf && !tracefile_text(tf, TRACEFILE_HEADER_PAGE).len)
		r = errmsg_set(err, -EBADMSG,
			       "%s does not describe a kernel: it has no header_page", tf->path);
	if (!r)
		r = tf ? restore_from(o, tf, &cf, err) : restore_here(o, &cf, err);
	/* that a partial trace has no buffer is no damage, and the first thing that is noticed */
	for (size_t i = tf && !tf->n_buffers; !r && tf && i < tf->n_damage; i++)
		fprintf(stderr, "sonde: %s\n", tf->damage[i]);
	tracefile_close(tf);
	close_files(&cf);
	return r;
}

/* --- the command ------------------------------------------------------------------------------- */

static bool is_trace(const char *path)
{
	FILE *f = fopen(path, "re");
	char magic[SNF_MAGIC_BYTES];
	bool yes = f && fread(magic, 1, sizeof(magic), f) == sizeof(magic) &&
		   !memcmp(magic, SNF_MAGIC, SNF_MAGIC_BYTES);

	if (f)
		fclose(f);
	return yes;
}

static int check_options(const struct restore_options *o, int n, char **argv, struct errmsg *err)
{
	if (o->create && o->partial)
		return errmsg_set(err, -EINVAL,
				  "restore: -c makes a partial trace, -i uses one; not both");
	if (o->create && n)
		return errmsg_set(err, -EINVAL, "restore: -c takes no data, so no '%s'", argv[1]);
	if (o->partial && (o->tracing_dir || o->kallsyms))
		return errmsg_set(err, -EINVAL,
				  "restore: with -i nothing is read from a tracing directory");
	if (!o->create && !n)
		return errmsg_set(
			err, -EINVAL,
			"restore: name what was left behind, like trace.dat.cpu0, or a damaged "
			"trace");
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct restore_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err), r;

	if (n < 0)
		return n;
	r = check_options(&o, n, argv, err);
	if (r < 0)
		return r;
	if (n == 1 && is_trace(argv[1])) {
		if (!o.output)
			return errmsg_set(err, -EINVAL,
					  "restore: name the file to write with -o; %s stays "
					  "as it is",
					  argv[1]);
		return restore_trace(&o, argv[1], err);
	}
	if (!o.output)
		o.output = o.create ? "trace-partial.dat" : "trace.dat";
	return o.create ? restore_here(&o, NULL, err) : restore_files(&o, n, argv + 1, err);
}

const struct command cmd_restore = {
	.name = "restore",
	.summary = "repair a trace file after a crash",
	.usage = "[options] CPU-FILE… | -c | -o TARGET DAMAGED-TRACE",
	.options = rows,
	.run = run,
	.args = "file",
};
