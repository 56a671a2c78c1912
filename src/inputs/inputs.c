// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * inputs.c - opens trace files with everything that decoding their events needs.
 *
 *	path ─▶ tracefile ─▶ formats ─▶ tasks       for each file
 *	            └── several files: guests that the first one names are matched with the others
 *
 * A truncated or damaged file can be opened; inputs_next_damage() reports what is missing. Opening
 * fails only if the file is not a trace file.
 */
#include "inputs/inputs.h"

#include "base/scope.h"
#include "decode/names.h"
#include "decode/timeconv.h"
#include "format/tracedat.h"
#include "inputs/foreign/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Marks the events whose name or system matches one of the words. */
static int mark_events(struct formats *f, const struct word_list *l, bool raw, struct errmsg *err)
{
	for (size_t i = 0; i < l->n; i++) {
		size_t len = strlen(l->words[i]);
		SCOPED(scope_free) char *anchored = malloc(len + 3);
		regex_t re;
		int r;

		if (!anchored)
			return errmsg_set_errno(err, -ENOMEM, "cannot match '%s'", l->words[i]);
		snprintf(anchored, len + 3, "^%s$", l->words[i]);
		r = regcomp(&re, anchored, REG_ICASE | REG_NOSUB);
		if (r)
			return errmsg_set(err, -EINVAL, "'%s' is not a regular expression",
					  l->words[i]);
		for (size_t k = 0; k < f->n_events; k++)
			if (!f->by_id[k]->is_made_up &&
			    (!regexec(&re, f->by_id[k]->name, 0, NULL, 0) ||
			     !regexec(&re, f->by_id[k]->system, 0, NULL, 0)))
				*(raw ? &f->by_id[k]->force_raw : &f->by_id[k]->no_handler) = true;
		regfree(&re);
	}
	return 0;
}

static int open_path(struct tracefile **ret, const struct inputs_path *p, struct errmsg *err)
{
	const struct foreign_format *foreign;

	if (p->memory.data)
		return tracefile_open_memory(ret, p->path, p->memory, err);
	if (p->fd)
		return tracefile_open_fd(ret, *p->fd, p->path, err);
	if (p->is_own)
		return tracefile_open_regular(ret, p->path, err);
	foreign = foreign_find(p->path);
	return foreign ? foreign_open(foreign, ret, p->path, err)
		       : tracefile_open(ret, p->path, err);
}

static int open_file(struct inputs_file *file, const struct inputs_spec *spec, struct errmsg *err)
{
	struct formats_config config = {.no_plugins = spec->no_plugins,
					.plugins = spec->plugins,
					.kallsyms_path = spec->kallsyms,
					.short_names = spec->short_names};
	int r = open_path(&file->tf, file->input, err);

	if (r < 0 || spec->no_events)
		return r;
	TRY(formats_new(&file->formats, file->tf, &config, err));
	r = tasks_init(&file->tasks, tracefile_text(file->tf, TRACEFILE_CMDLINES));
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read the command lines of %s",
					file->tf->path);
	tasks_set_processes(&file->tasks, file->formats->processes);
	r = mark_events(file->formats, &spec->raw_events, true, err);
	return r < 0 ? r : mark_events(file->formats, &spec->plain_events, false, err);
}

/*
 * Connects kvm events of the first file with the guests whose functions they name. The other files
 * are the guests' traces.
 */
static int link_guests(struct inputs *in, struct errmsg *err)
{
	SCOPED(scope_free) struct formats **list = calloc(in->n_files, sizeof(*list));
	int r;

	for (size_t i = 0; list && i < in->n_files; i++)
		list[i] = in->files[i].formats;
	r = list ? guests_init(&in->guests, list, in->n_files) : -ENOMEM;
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot match the guests' traces");
	for (size_t i = 0; i < in->n_files; i++)
		list[i]->guests = &in->guests;
	return 0;
}

bool inputs_is_trace(const char *path)
{
	char head[SNF_MAGIC_BYTES];
	bool is = false;
	int fd;

	if (foreign_find(path))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	is = TEMP_FAILURE_RETRY(read(fd, head, sizeof(head))) == sizeof(head) &&
	     !memcmp(head, SNF_MAGIC, sizeof(head));
	close(fd);
	return is;
}

int inputs_open(struct inputs *in, const struct inputs_spec *spec, struct errmsg *err)
{
	in->spec = spec;
	if (spec->kallsyms && access(spec->kallsyms, R_OK) < 0)
		return errmsg_set_errno(err, -errno, "cannot read the symbols in %s",
					spec->kallsyms);
	in->files = calloc(spec->n_paths + 1, sizeof(*in->files));
	if (!in->files)
		return errmsg_set_errno(err, -ENOMEM, "cannot open the inputs");
	for (size_t i = 0; i < spec->n_paths; i++) {

		in->n_files = i + 1;
		in->files[i].input = &spec->paths[i];
		TRY(open_file(&in->files[i], spec, err));
	}
	return in->n_files > 1 && !spec->no_events ? link_guests(in, err) : 0;
}

void inputs_close(struct inputs *in)
{
	inputs_release_filters(in);
	for (size_t i = 0; i < in->n_files; i++) {
		struct inputs_file *f = &in->files[i];

		tasks_release(&f->tasks);
		formats_free(f->formats);
		tracefile_close(f->tf);
	}
	guests_release(&in->guests);
	free(in->files);
	*in = (struct inputs){0};
}

int inputs_gather_names(struct inputs *in, struct errmsg *err)
{
	for (size_t i = 0; i < in->n_files && in->spec->all_names; i++)
		if (names_gather(in->files[i].tf, in->files[i].formats, &in->files[i].tasks) < 0)
			return errmsg_set_errno(err, -ENOMEM, "cannot gather names");
	return 0;
}

const char *inputs_next_damage(const struct inputs *in, size_t *pos)
{
	size_t skip = *pos;

	for (size_t i = 0; i < in->n_files; i++) {
		const struct tracefile *tf = in->files[i].tf;

		if (tf && skip < tf->n_damage) {
			(*pos)++;
			return tf->damage[skip];
		}
		skip -= tf ? tf->n_damage : 0;
	}
	return NULL;
}

void inputs_add_damage(struct inputs_file *file, const char *fmt, ...)
{
	char sentence[1000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	tracefile_add_damage(file->tf, "%s", sentence);
}

const char *inputs_path(const struct inputs_file *file)
{
	return file->tf->path;
}

size_t inputs_n_buffers(const struct inputs_file *file)
{
	return file->tf->n_buffers;
}

const struct tracefile_buffer *inputs_buffer(const struct inputs_file *file, size_t i)
{
	return &file->tf->buffers[i];
}

int inputs_check_buffer(const struct inputs_file *file, const char *name, const char *what,
			struct errmsg *err)
{
	const struct tracefile *tf = file->tf;

	for (size_t i = 0; i < tf->n_buffers; i++) {
		if (strcmp(tf->buffers[i].name, name ? name : ""))
			continue;
		if (!tf->buffers[i].is_text)
			return 0;
		return errmsg_set(err, -ENOTSUP,
				  "%s holds the text of a latency tracer, which has no %s; 'sonde "
				  "report' prints it",
				  tf->path, what);
	}
	if (name)
		return errmsg_set(err, -ENOENT,
				  "there is no buffer '%s' in %s; 'sonde info' names them", name,
				  tf->path);
	return errmsg_set(err, -ENODATA, "there are no events in %s", tf->path);
}

const char *inputs_file_name(const struct inputs_file *file)
{
	const char *slash = strrchr(file->tf->path, '/');

	return slash ? slash + 1 : file->tf->path;
}

struct timeconv inputs_timeconv(const struct inputs *in, const struct inputs_file *file,
				const struct tracefile_buffer *b, struct arena *arena)
{
	const struct inputs_spec *spec = in->spec;
	struct timeconv_config config = {.raw_ts = spec->raw_ts,
					 .no_date = spec->no_date,
					 .offset = file->input->ts_offset,
					 .ts2secs = file->input->ts2secs ? file->input->ts2secs
									 : spec->ts2secs};
	struct timeconv tc;

	timeconv_init(&tc, file->tf, b->clock, &config);
	tc.host =
		time_shift_read(file->tf, arena); /* converts a guest's times to the host's clock */
	timeconv_settle(&tc);
	return tc;
}

enum time_style inputs_time_style(const struct inputs *in, const struct timeconv *tc)
{
	if (!tc->in_time)
		return TIME_UNITS;
	return in->spec->nanoseconds ? TIME_NANOSECONDS : TIME_MICROSECONDS;
}

const struct tracefile_buffer *inputs_top_buffer(const struct inputs_file *file)
{
	const struct tracefile *tf = file->tf;

	return tf->n_buffers && !tf->buffers[0].name[0] && !tf->buffers[0].is_text ? &tf->buffers[0]
										   : NULL;
}

const struct inputs_file *inputs_find_text(const struct inputs *in)
{
	for (size_t i = 0; i < in->n_files; i++)
		for (size_t k = 0; k < in->files[i].tf->n_buffers; k++)
			if (in->files[i].tf->buffers[k].is_text)
				return &in->files[i];
	return NULL;
}
