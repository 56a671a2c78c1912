// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * data.c - opens a uftrace.data directory with everything that belongs to it.
 *
 * The records of a task are mapped, not read: a directory may have gigabytes. A task without a file
 * has no records. perf-cpuN.dat and kernel-cpuN.dat are tried from 0 on.
 */
#include "inputs/uftrace/data.h"

#include "analyse/uftrace/perfdata.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "format/uftrace.h"
#include "symbols/uftrace/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX	 4096
#define GAP_MAX		 64 /* CPUs without a file, in a row */
#define EVENTS_MAX_BYTES (16u << 20)

static int read_text(void *ctx, const char *name, char **ret, size_t *ret_len)
{
	return uftdir_read(ctx, name, ret, ret_len);
}

char *uftdata_text(const struct uftdata *d, const char *name)
{
	char *text = NULL;
	size_t len;

	return uftdir_read(&d->dir, name, &text, &len) < 0 ? NULL : text;
}

static int map_tasks(struct uftdata *d)
{
	const struct uftinfo *info = &d->dir.info;

	d->streams = calloc(info->n_tids + 1, sizeof(*d->streams));
	d->maps = calloc(info->n_tids + 2 * CPUS_MAX + 1, sizeof(*d->maps));
	if (!d->streams || !d->maps)
		return -ENOMEM;
	for (size_t i = 0; i < info->n_tids; i++) {
		struct uft_stream *s = &d->streams[d->n_streams++];
		struct mapfile *m = &d->maps[d->n_maps];
		char name[32];

		s->tid = info->tids[i];
		snprintf(name, sizeof(name), "%d.dat", s->tid);
		if (uftdir_map(&d->dir, name, m) < 0)
			continue;
		d->n_maps++;
		s->data = m->data;
		s->n_bytes = m->n_bytes;
	}
	return 0;
}

/*
 * Maps NAME0.dat, NAME1.dat … Returns up to which number there are files. A CPU without records may
 * have no file, so some may be missing.
 */
static size_t map_cpu_files(struct uftdata *d, const char *form, struct mapfile *maps)
{
	char name[32];
	size_t n = 0;

	for (size_t i = 0; i < CPUS_MAX && i < n + GAP_MAX; i++) {
		snprintf(name, sizeof(name), form, i);
		if (uftdir_map(&d->dir, name, &maps[i]) >= 0)
			n = i + 1;
		else
			maps[i] = (struct mapfile){0};
	}
	return n;
}

static int map_cpus(struct uftdata *d)
{
	const struct mapfile *maps = &d->maps[d->n_maps];

	d->perfs = calloc(CPUS_MAX, sizeof(*d->perfs));
	if (!d->perfs)
		return -ENOMEM;
	d->n_perfs = map_cpu_files(d, "perf-cpu%zu.dat", &d->maps[d->n_maps]);
	d->n_maps += d->n_perfs;
	for (size_t i = 0; i < d->n_perfs; i++)
		d->perfs[i] = (struct uft_perf){.data = maps[i].data, .n_bytes = maps[i].n_bytes};
	return 0;
}

/* Without a header, or without symbols, the kernel's records cannot be read: they are not there. */
static int open_kernel(struct uftdata *d)
{
	SCOPED(scope_free) char *symbols = NULL;
	size_t n_header = 0, n_symbols = 0, n_cpus = 0, first = d->n_maps;
	int r;

	if (!(d->dir.info.features & UFT_FEATURE_KERNEL) ||
	    uftdir_read(&d->dir, "kernel_header", &d->kernel_header, &n_header) < 0 ||
	    uftdir_read(&d->dir, "kallsyms", &symbols, &n_symbols) < 0)
		return 0;
	n_cpus = map_cpu_files(d, "kernel-cpu%zu.dat", d->maps + first);
	d->n_maps += n_cpus;
	TRY(uft_names_add_kernel(&d->names, symbols, n_symbols));
	r = uft_kernel_new(&d->kernel, (struct piece){(uint8_t *)d->kernel_header, n_header},
			   (struct piece){(uint8_t *)symbols, n_symbols}, n_cpus);
	for (size_t i = 0; r >= 0 && i < n_cpus; i++) {
		d->kernel->cpus[i].data = d->maps[first + i].data;
		d->kernel->cpus[i].n_bytes = d->maps[first + i].n_bytes;
	}
	return r == -EINVAL ? 0 : r;
}

char *uftdata_events(const struct uftdata *d)
{
	TEXTBUF(tb, EVENTS_MAX_BYTES);
	SCOPED(scope_free) char *own = uftdata_text(d, "events.txt");

	textbuf_add_str(&tb, own ? own : "");
	if (d->kernel)
		uft_kernel_add_names(d->kernel, &tb);
	return textbuf_take(&tb);
}

/* The values that the recorder was asked for. */
static int add_values(struct uftdata *d)
{
	const struct uftinfo *info = &d->dir.info;
	struct uft_triggers *t = &d->triggers;

	if (info->argspec && uft_triggers_add(t, &d->names, UFT_WORDS_ARGS, info->argspec) < 0)
		return -ENOMEM;
	if (info->retspec && uft_triggers_add(t, &d->names, UFT_WORDS_RETVAL, info->retspec) < 0)
		return -ENOMEM;
	if (info->enum_auto && uft_enums_parse(&d->names.enums, &d->names.arena, info->enum_auto,
					       strlen(info->enum_auto)) < 0)
		return -ENOMEM;
	if (!info->has_auto_args)
		return 0;
	return uft_triggers_add_auto(t, &d->names, info->arg_auto, info->ret_auto);
}

int uftdata_open(struct uftdata *d, const char *path, enum uft_names_how how, bool is_glob,
		 struct errmsg *err)
{
	bool recorded_glob;

	*d = (struct uftdata){.dir.fd = -1};
	uft_triggers_init(&d->triggers, is_glob);
	TRY(uftdir_open(&d->dir, path, err));
	d->reader = (struct uft_names_reader){&d->dir, read_text};
	d->has_names = true;
	TRY(uft_names_init(&d->names, &d->reader, how, err));
	recorded_glob = d->dir.info.pattern && !strcmp(d->dir.info.pattern, "glob");
	d->triggers.is_glob = recorded_glob;
	if (map_tasks(d) < 0 || map_cpus(d) < 0 || open_kernel(d) < 0 || add_values(d) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot open %s", path);
	d->triggers.is_glob = is_glob;
	return 0;
}

void uftdata_close(struct uftdata *d)
{
	for (size_t i = 0; i < d->n_maps; i++)
		mapfile_release(&d->maps[i]);
	free(d->maps);
	free(d->streams);
	free(d->perfs);
	uft_kernel_free(d->kernel);
	free(d->kernel_header);
	if (d->has_names)
		uft_names_release(&d->names);
	uft_triggers_release(&d->triggers);
	uftdir_close(&d->dir);
}

void uftdata_walk_config(struct uftdata *d, struct uft_walk_config *ret)
{
	*ret = (struct uft_walk_config){
		.names = &d->names,
		.streams = d->streams,
		.n_streams = d->n_streams,
		.perfs = d->perfs,
		.n_perfs = d->n_perfs,
		.kernel = d->kernel,
		.triggers = &d->triggers,
		.max_stack = d->dir.info.max_stack,
		.swaps = d->dir.swaps,
		.estimates_return = d->dir.info.features & UFT_FEATURE_ESTIMATE_RETURN,
		.depth = 1024,
	};
	if (d->kernel)
		uft_kernel_rewind(d->kernel);
	for (size_t i = 0; i < d->n_perfs; i++) {
		d->perfs[i].pos = 0;
		d->perfs[i].is_valid = false;
	}
}

void uftdata_learn_names(struct uftdata *d)
{
	for (size_t i = 0; i < d->n_perfs; i++) {
		struct uft_perf p = d->perfs[i];

		for (p.pos = 0, p.is_valid = false; uft_perf_read(&p, d->dir.swaps);
		     p.is_valid = false) {
			struct uft_task *t = uft_task_find(&d->names, p.tid);

			if (t && p.rec.addr == UFT_EVENT_TASK_NAME)
				memcpy(t->comm, p.comm, sizeof(t->comm));
		}
	}
}
