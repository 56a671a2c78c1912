// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * filters.c - the filters of the inputs: the user's filters, pids and names of tasks.
 *
 * Every file gets its own filters, because a filter is bound to the file's event formats. Pids and
 * names are one more filter: ".*:(common_pid==P)||(pid==P)||(next_pid==P)" over all the pids, so
 * that an event is shown if it happens in the task or concerns the task.
 */
#include "inputs/inputs.h"

#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/filter/filter.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_note(struct inputs *in, enum inputs_note_kind kind, const char *text, size_t len)
{
	bool has_room = ARRAY_ROOM(in->notes, in->cap_notes, in->n_notes + 1, ARRAY_NO_MAX);
	char *copy = has_room ? strndup(text, len) : NULL;

	if (copy) /* if memory is short, this note is omitted */
		in->notes[in->n_notes++] = (struct inputs_note){.kind = kind, .text = copy};
}

/* Notes a field that no event has: probably a typing error. Single events may lack a field. */
static void note_unknown(struct inputs *in, struct filter *flt)
{
	struct errmsg err = {0};

	if (filter_check_fields(flt, &err) < 0)
		add_note(in, INPUTS_NO_FIELD, err.text, strlen(err.text));
}

/* Adds a filter. is_made_up: sonde made the filter, not the user. */
static int add_filter(struct inputs *in, struct inputs_file *file, const char *text, bool reject,
		      bool is_made_up, struct errmsg *err)
{
	struct filter ***list = reject ? &file->rejects : &file->filters;
	size_t *n = reject ? &file->n_rejects : &file->n_filters;
	size_t *cap = reject ? &file->cap_rejects : &file->cap_filters;
	size_t n_all = file->n_filters + file->n_rejects;

	if (!ARRAY_ROOM(*list, *cap, *n + 1, ARRAY_NO_MAX) ||
	    !ARRAY_ROOM(file->all_filters, file->cap_all, n_all + 1, ARRAY_NO_MAX))
		return errmsg_set_errno(err, -ENOMEM, "cannot filter");
	TRY(filter_new(&(*list)[*n], file->formats, text, err));
	file->all_filters[n_all] = (*list)[(*n)++];
	if (!is_made_up)
		note_unknown(in, file->all_filters[n_all]);
	return 0;
}

/* Adds "(common_pid==P)||(pid==P)||(next_pid==P)" for one pid. */
static void add_pid(struct textbuf *tb, const char *pid, size_t len)
{
	textbuf_add_str(tb, textbuf_len(tb) ? "||" : ".*:");
	textbuf_addf(tb, "(common_pid==%.*s)||(pid==%.*s)||(next_pid==%.*s)", (int)len, pid,
		     (int)len, pid, (int)len, pid);
}

/*
 * Adds the pids of the user after those of task names, the last pid first. report -T shows this
 * order, which is trace-cmd's.
 */
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

/* Adds the pids of the tasks with these names. */
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

/* Returns true if a filter uses the task's name (COMM, or comm if the event has no such field). */
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
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = 16 << 20};
	int r = 0;

	for (size_t i = 0; i < spec->n_filters && r >= 0; i++)
		if (spec->filters[i].input < 0 || (size_t)spec->filters[i].input == index) {
			file->names_first |= names_task(spec->filters[i].text);
			r = add_filter(in, file, spec->filters[i].text, spec->filters[i].reject,
				       false, err);
		}
	add_comm_words(&tb, in, &file->tasks);
	add_pid_words(&tb, &spec->pids);
	if (r >= 0 && textbuf_len(&tb)) {
		textbuf_add_char(&tb, 0);
		r = add_filter(in, file, tb.start, false, true, err);
	}
	return r < 0 ? r : 0;
}

int inputs_filter(struct inputs *in, bool *ret_any, struct errmsg *err)
{
	*ret_any = false;
	for (size_t i = 0; i < in->n_files; i++) {
		int r = make_for_file(in, i, err);

		TRY(r);
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
