// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filters.c - the filters of the inputs: those that a person wrote, pids and names of tasks.
 *
 * Every file gets its own, because a filter is bound to the file's event formats. Pids and names
 * are one more filter: ".*:(common_pid==P)||(pid==P)||(next_pid==P)" over all the pids, so that an
 * event is shown when it happens in a task and when it is about it.
 */
#include "inputs/inputs.h"

#include "base/textbuf.h"
#include "decode/filter/filter.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_note(struct inputs *in, enum inputs_note_kind kind, const char *text, size_t len)
{
	struct inputs_note *more = realloc(in->notes, (in->n_notes + 1) * sizeof(*more));
	char *copy = more ? strndup(text, len) : NULL;

	if (more)
		in->notes = more;
	if (copy) /* without memory there is one note less */
		more[in->n_notes++] = (struct inputs_note){.kind = kind, .text = copy};
}

/* One event may have the field and another not; but if none has it, it is a slip of the pen. */
static void note_unknown(struct inputs *in, struct filter *flt)
{
	struct errmsg err = {0};

	if (filter_check_fields(flt, &err) < 0)
		add_note(in, INPUTS_NO_FIELD, err.text, strlen(err.text));
}

/* is_made_up: nobody wrote it so. */
static int add_filter(struct inputs *in, struct inputs_file *file, const char *text, bool reject,
		      bool is_made_up, struct errmsg *err)
{
	struct filter ***list = reject ? &file->rejects : &file->filters;
	size_t *n = reject ? &file->n_rejects : &file->n_filters;
	size_t n_all = file->n_filters + file->n_rejects;
	struct filter **more = realloc(*list, (*n + 1) * sizeof(*more)), **all;
	int r;

	if (more)
		*list = more;
	all = more ? realloc(file->all_filters, (n_all + 1) * sizeof(*all)) : NULL;
	if (!all)
		return errmsg_set_errno(err, -ENOMEM, "cannot filter");
	file->all_filters = all;
	r = filter_new(&more[*n], file->formats, text, err);
	if (r < 0)
		return r;
	all[n_all] = more[(*n)++];
	if (!is_made_up)
		note_unknown(in, all[n_all]);
	return r;
}

/* Adds "(common_pid==P)||(pid==P)||(next_pid==P)" for one pid. */
static void add_pid(struct textbuf *tb, const char *pid, size_t len)
{
	textbuf_add_str(tb, textbuf_len(tb) ? "||" : ".*:");
	textbuf_addf(tb, "(common_pid==%.*s)||(pid==%.*s)||(next_pid==%.*s)", (int)len, pid,
		     (int)len, pid, (int)len, pid);
}

/* The last one first, after those of names: report -T shows the order, and it is trace-cmd's. */
static void add_pid_words(struct textbuf *tb, const struct word_list *l)
{
	for (size_t i = l->n; i-- > 0;)
		for (size_t end = strlen(l->words[i]), start; end; end = start ? start - 1 : 0) {
			for (start = end; start && l->words[i][start - 1] != ',';)
				start--;
			if (end > start)
				add_pid(tb, l->words[i] + start, end - start);
		}
}

static void note_absent(struct inputs *in, const char *comm, size_t len)
{
	char *text;
	int n = asprintf(&text, "no task is named '%.*s' in the trace", (int)len, comm);

	if (n < 0)
		return;
	add_note(in, INPUTS_NO_TASK, text, (size_t)n);
	free(text);
}

/* The pids whose name it is. */
static void add_comm_words(struct textbuf *tb, struct inputs *in, const struct tasks *tasks)
{
	const struct word_list *l = &in->spec->comms;

	for (size_t i = 0; i < l->n; i++)
		for (const char *s = l->words[i]; *s;) {
			size_t len = strcspn(s, ",");
			bool found = false;

			for (size_t k = 0; k < tasks->n_rows; k++) {
				char pid[16];

				if (tasks->rows[k].len != len ||
				    memcmp(tasks->rows[k].comm, s, len))
					continue;
				add_pid(tb, pid,
					snprintf(pid, sizeof(pid), "%d", tasks->rows[k].pid));
				found = true;
			}
			if (len && !found)
				note_absent(in, s, len);
			s += len + (s[len] == ',');
		}
}

/* Does a filter look at the task's name (COMM, or comm where the event has no such field)? */
static bool names_task(const char *text)
{
	for (const char *s = strcasestr(text, "comm"); s; s = strcasestr(s + 1, "comm"))
		if (s[4] != 'o' && (s == text || s[-1] != '_'))
			return true;
	return false;
}

static int make_for_file(struct inputs *in, size_t index, struct errmsg *err)
{
	struct inputs_file *file = &in->files[index];
	const struct inputs_spec *spec = in->spec;
	struct textbuf tb;
	int r = 0;

	for (size_t i = 0; i < spec->n_filters && r >= 0; i++)
		if (spec->filters[i].input < 0 || (size_t)spec->filters[i].input == index) {
			file->names_first |= names_task(spec->filters[i].text);
			r = add_filter(in, file, spec->filters[i].text, spec->filters[i].reject,
				       false, err);
		}
	textbuf_init(&tb, 16 << 20);
	add_comm_words(&tb, in, &file->tasks);
	add_pid_words(&tb, &spec->pids);
	if (r >= 0 && textbuf_len(&tb)) {
		textbuf_add_char(&tb, 0);
		r = add_filter(in, file, tb.start, false, true, err);
	}
	textbuf_release(&tb);
	return r < 0 ? r : 0;
}

int inputs_filter(struct inputs *in, bool *ret_any, struct errmsg *err)
{
	*ret_any = false;
	for (size_t i = 0; i < in->n_files; i++) {
		int r = make_for_file(in, i, err);

		if (r < 0)
			return r;
		*ret_any |= in->files[i].n_filters || in->files[i].n_rejects;
	}
	return 0;
}

void inputs_release_filters(struct inputs *in)
{
	for (size_t i = 0; i < in->n_files; i++) {
		struct inputs_file *f = &in->files[i];

		for (size_t k = 0; k < f->n_filters + f->n_rejects; k++)
			filter_free(f->all_filters[k]);
		free(f->all_filters);
		free(f->filters);
		free(f->rejects);
	}
	for (size_t i = 0; i < in->n_notes; i++)
		free(in->notes[i].text);
	free(in->notes);
}
