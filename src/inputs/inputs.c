// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inputs.c - opens trace files, with all that is needed to decode their events.
 *
 *	path ─▶ tracefile ─▶ formats ─▶ tasks       for each file
 *	            └── several files: guests that the first one names are matched with the others
 *
 * A file that is cut off or damaged opens; inputs_next_damage() tells what is missing. Only what is no trace
 * file at all fails.
 */
#include "inputs/inputs.h"

#include "decode/names.h"
#include "decode/timeconv.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Marks the events whose name or system matches one of the words. */
static int mark_events(struct formats *f, const struct word_list *l, bool raw, struct errmsg *err)
{
	for (size_t i = 0; i < l->n; i++) {
		size_t len = strlen(l->words[i]);
		char *anchored = malloc(len + 3);
		regex_t re;
		int r;

		if (!anchored)
			return errmsg_set_errno(err, -ENOMEM, "cannot match '%s'", l->words[i]);
		snprintf(anchored, len + 3, "^%s$", l->words[i]);
		r = regcomp(&re, anchored, REG_ICASE | REG_NOSUB);
		free(anchored);
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
	if (p->memory.data)
		return tracefile_open_memory(ret, p->path, p->memory, err);
	if (p->fd)
		return tracefile_open_fd(ret, *p->fd, p->path, err);
	return p->is_own ? tracefile_open_regular(ret, p->path, err)
			 : tracefile_open(ret, p->path, err);
}

static int open_file(struct inputs_file *file, const struct inputs_spec *spec, struct errmsg *err)
{
	struct formats_config config = {.no_plugins = spec->no_plugins,
					.plugins = spec->plugins,
					.kallsyms_path = spec->kallsyms};
	int r = open_path(&file->tf, file->input, err);

	if (r < 0 || spec->no_events)
		return r;
	r = formats_new(&file->formats, file->tf, &config, err);
	if (r < 0)
		return r;
	r = tasks_init(&file->tasks, tracefile_text(file->tf, TRACEFILE_CMDLINES));
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read the command lines of %s",
					file->tf->path);
	tasks_set_processes(&file->tasks, file->formats->processes);
	r = mark_events(file->formats, &spec->raw_events, true, err);
	return r < 0 ? r : mark_events(file->formats, &spec->plain_events, false, err);
}

/* Events of kvm in the first file may name functions of guests, whose traces the others are. */
static int link_guests(struct inputs *in, struct errmsg *err)
{
	struct formats **list = calloc(in->n_files, sizeof(*list));
	int r = list ? 0 : -ENOMEM;

	for (size_t i = 0; list && i < in->n_files; i++)
		list[i] = in->files[i].formats;
	if (!r)
		r = guests_init(&in->guests, list, in->n_files);
	for (size_t i = 0; !r && i < in->n_files; i++)
		list[i]->guests = &in->guests;
	free(list);
	return r < 0 ? errmsg_set_errno(err, r, "cannot match the guests' traces") : 0;
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
		int r;

		in->n_files = i + 1;
		in->files[i].input = &spec->paths[i];
		r = open_file(&in->files[i], spec, err);
		if (r < 0)
			return r;
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
	tc.host = time_shift_read(file->tf, arena); /* a guest's, on the host's clock */
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
