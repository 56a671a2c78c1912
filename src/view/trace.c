// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace.c - opens the files of `sonde view` and `sonde export` as a stage.
 *
 *	paths ─▶ inputs_open ─▶ inputs_sources_list ─▶ assign machines ─▶ stage_new
 *
 * Tasks are numbered per machine, so this code finds the files of each machine. The first file is
 * machine 0. A file that the first lists as its guest is a separate machine below it. Files with
 * the same uname, which contains the host name, belong to the same machine; any other file is
 * another machine. Files that are compared (VIEWTRACE_ALIGNED) are machines of their own.
 */
#include "view/trace.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/order/guests.h"
#include "format/bytes.h"
#include "inputs/foreign/formats.h"
#include "inputs/inputs.h"
#include "inputs/taskwalk.h"
#include "store/tracefile.h"
#include "timeline/timeline.h"
#include "view/queries.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns the file's name without directories, unless another file has the same name. */
static const char *file_name(const struct viewtrace *vt, size_t file)
{
	const char *path = vt->inputs.files[file].tf->path, *name = basename(path);

	for (size_t i = 0; i < vt->inputs.n_files; i++)
		if (i != file && !strcmp(basename(vt->inputs.files[i].tf->path), name))
			return path;
	return name;
}

static struct piece uname_of(const struct tracefile *tf)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_UNAME);

	return o ? o->data : (struct piece){0};
}

static bool is_same_machine(const struct tracefile *a, const struct tracefile *b)
{
	struct piece x = uname_of(a), y = uname_of(b);

	return x.len && x.len == y.len && !memcmp(x.data, y.data, x.len);
}

/* Returns 1 if file i is a guest of the first file. Then it becomes machine m. */
static int try_guest(struct viewtrace *vt, size_t i, size_t m)
{
	struct guest_cpu *cpus;
	const char *name;
	size_t n, n_known = 0;
	int r = i ? guest_find(vt->inputs.files[0].tf, vt->inputs.files[i].tf, &name, &cpus, &n)
		  : 0;

	if (r <= 0)
		return r;
	vt->vcpus[m] = calloc(n + 1, sizeof(**vt->vcpus));
	for (size_t k = 0; vt->vcpus[m] && k < n; k++)
		if ((int)cpus[k].host_pid > 0) /* if not, its thread was not found */
			vt->vcpus[m][n_known++] =
				(struct stage_vcpu){cpus[k].cpu, cpus[k].host_pid};
	free(cpus);
	vt->machines[m] = (struct stage_machine){
		.name = name, .guest_of = 0, .vcpus = vt->vcpus[m], .n_vcpus = n_known};
	return vt->vcpus[m] ? 1 : -ENOMEM;
}

/* Assigns a machine number to each file. Returns the number of machines. */
static int find_machines(struct viewtrace *vt, uint32_t *machine_of, bool are_alone)
{
	const struct inputs *in = &vt->inputs;
	size_t n = 0;

	for (size_t i = 0; i < in->n_files; i++) {
		int r = are_alone ? 0 : try_guest(vt, i, n);
		size_t same = i;

		TRY(r);
		for (size_t k = 0; !r && !are_alone && k < i && same == i; k++)
			if (vt->machines[machine_of[k]].guest_of < 0 &&
			    is_same_machine(in->files[k].tf, in->files[i].tf))
				same = k;
		if (same < i) {
			machine_of[i] = machine_of[same];
			continue;
		}
		if (!r)
			vt->machines[n] =
				(struct stage_machine){.name = file_name(vt, i), .guest_of = -1};
		machine_of[i] = n++;
	}
	return n;
}

/* Makes "trace.dat" or "trace.dat:instance". */
static char *source_name(const char *file, const char *buffer)
{
	size_t size = strlen(file) + strlen(buffer) + 2;
	char *text = malloc(size);

	if (text)
		snprintf(text, size, "%s%s%s", file, buffer[0] ? ":" : "", buffer);
	return text;
}

static int fill_list(struct viewtrace *vt, const uint32_t *machine_of, bool is_live)
{
	for (size_t i = 0; i < vt->sources.n; i++) {
		const struct source_config *sc = &vt->sources.list[i].config;
		size_t file = 0;

		while (vt->inputs.files[file].tf != sc->tf)
			file++;
		vt->names[i] = source_name(file_name(vt, file), sc->buffer->name);
		if (!vt->names[i])
			return -ENOMEM;
		vt->list[i] = (struct timeline_source){.tf = sc->tf,
						       .formats = sc->formats,
						       .buffer = sc->buffer,
						       .time = sc->time,
						       .name = vt->names[i],
						       .file = file_name(vt, file),
						       .machine = machine_of[file],
						       .is_live = is_live &&
								  file + 1 == vt->inputs.n_files};
	}
	return 0;
}

static bool find_first(const struct inputs_sources *src, const struct inputs_file *file,
		       uint64_t *ret)
{
	uint64_t first = UINT64_MAX, ts;

	for (size_t i = 0; i < src->n; i++) {
		struct inputs_sources one = {.in = src->in, .list = &src->list[i], .n = 1};

		if (src->list[i].file == file && taskwalk_find_edges(&one, &ts, NULL) && ts < first)
			first = ts;
	}
	if (first == UINT64_MAX)
		return false;
	*ret = first;
	return true;
}

/* Shifts the times of each file: its first event is at the time of the first file's. */
static void align(struct inputs_sources *src)
{
	const struct inputs *in = src->in;
	uint64_t begin, first;

	if (!find_first(src, &in->files[0], &begin))
		return;
	for (size_t f = 1; f < in->n_files; f++) {
		if (!find_first(src, &in->files[f], &first))
			continue;
		for (size_t i = 0; i < src->n; i++)
			if (src->list[i].file == &in->files[f])
				src->list[i].config.time.offset += begin - first;
	}
}

static int make_stage(struct viewtrace *vt, enum viewtrace_use use, struct errmsg *err)
{
	bool is_live = use == VIEWTRACE_LIVE;
	size_t n_files = vt->inputs.n_files;
	uint32_t *machine_of = calloc(n_files + 1, sizeof(*machine_of));
	int n, r;

	vt->list = calloc(vt->sources.n + 1, sizeof(*vt->list));
	vt->names = calloc(vt->sources.n + 1, sizeof(*vt->names));
	vt->machines = calloc(n_files + 1, sizeof(*vt->machines));
	vt->vcpus = calloc(n_files + 1, sizeof(*vt->vcpus));
	vt->files = calloc(n_files + 1, sizeof(*vt->files));
	if (!machine_of || !vt->list || !vt->names || !vt->machines || !vt->vcpus || !vt->files) {
		free(machine_of);
		return errmsg_set_errno(err, -ENOMEM, "cannot open the trace");
	}
	for (size_t i = 0; i < n_files; i++)
		vt->files[i] = vt->inputs.files[i].tf;
	n = find_machines(vt, machine_of, use == VIEWTRACE_ALIGNED);
	r = n < 0 ? n : fill_list(vt, machine_of, is_live);
	free(machine_of);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot open the trace");
	snprintf(vt->title, sizeof(vt->title), n_files > 1 ? "%s and %zu more" : "%s",
		 basename(vt->inputs.files[0].tf->path), n_files - 1);
	return stage_new(&vt->stage,
			 &(struct stage_config){.title = vt->title,
						.sources = vt->list,
						.lines = vt->lines.list,
						.n_sources = vt->sources.n,
						.machines = vt->machines,
						.n_machines = n,
						.files = vt->files,
						.n_files = n_files,
						.queries = vt->queries,
						.n_threads = use == VIEWTRACE_EXPORT ? 1 : 0,
						.is_live = is_live},
			 err);
}

/* A pipe cannot be opened twice, and a file of another format would be converted twice. */
static bool can_open_again(const struct viewtrace *vt)
{
	struct stat st;

	for (size_t i = 0; i < vt->spec.n_paths; i++)
		if (stat(vt->spec.paths[i].path, &st) < 0 || !S_ISREG(st.st_mode) ||
		    foreign_find(vt->spec.paths[i].path))
			return false;
	return true;
}

static int open_queries(struct viewtrace *vt, enum viewtrace_use use, struct errmsg *err)
{
	const char *why = NULL;

	if (use == VIEWTRACE_LIVE)
		why = "the recording still runs; queries can be asked when it has ended";
	else if (use == VIEWTRACE_ALIGNED)
		why = "the files are shifted to begin together, and queries would have their own "
		      "times; open them without --align";
	else if (!can_open_again(vt))
		why = "queries need a trace.dat; write one with sonde convert, and open that";
	return use == VIEWTRACE_EXPORT ? 0 : queries_new(&vt->queries, &vt->spec, why, err);
}

int viewtrace_open(struct viewtrace *vt, const char *const *paths, size_t n, enum viewtrace_use use,
		   struct errmsg *err)
{

	*vt = (struct viewtrace){0};
	vt->spec.n_paths = n;
	vt->spec.paths = calloc(n + 1, sizeof(*vt->spec.paths));
	if (!vt->spec.paths)
		return errmsg_set_errno(err, -ENOMEM, "cannot open the trace");
	for (size_t i = 0; i < n; i++)
		vt->spec.paths[i].path = paths[i];
	if (inputs_open(&vt->inputs, &vt->spec, err) < 0 ||
	    inputs_sources_list(&vt->sources, &vt->inputs, err) < 0)
		return errmsg_code(err);
	if (!vt->sources.n)
		return errmsg_set(err, -ENODATA,
				  "%s has no events to show; 'sonde report' prints its content",
				  paths[0]);
	if (use == VIEWTRACE_ALIGNED)
		align(&vt->sources);
	TRY(open_queries(vt, use, err));
	if (lines_init(&vt->lines, &vt->sources, true, err) < 0)
		return errmsg_code(err);
	return make_stage(vt, use, err);
}

void viewtrace_close(struct viewtrace *vt)
{
	stage_free(vt->stage);
	queries_free(vt->queries);
	for (size_t i = 0; vt->names && i < vt->sources.n; i++)
		free(vt->names[i]);
	for (size_t i = 0; vt->vcpus && i < vt->inputs.n_files; i++)
		free(vt->vcpus[i]);
	free(vt->names);
	free(vt->vcpus);
	free(vt->machines);
	free(vt->files);
	free(vt->list);
	lines_release(&vt->lines);
	inputs_sources_release(&vt->sources);
	inputs_close(&vt->inputs);
	free(vt->spec.paths);
	*vt = (struct viewtrace){0};
}
