// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_filter.c - the filters of `sonde report`: -F, -v, --pid and --comm.
 *
 * Every file gets its own, because a filter is bound to the file's event formats. --pid and --comm
 * are one more filter: ".*:(common_pid==P)||(pid==P)||(next_pid==P)" over all the pids, so that an
 * event is shown when it happens in a task and when it is about it.
 */
#include "cli/report.h"

#include "base/textbuf.h"
#include "decode/filter/filter.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* report -T: how a filter was understood. */
static void print_filter(struct filter *flt)
{
	struct textbuf tb;

	textbuf_init(&tb, 64 << 20);
	filter_fmt(flt, &tb);
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	textbuf_release(&tb);
}

/* One event may have the field and another not; but if none has it, it is a slip of the pen. */
static void tell_unknown(struct filter *flt)
{
	struct errmsg err = {0};

	if (filter_check_fields(flt, &err) < 0)
		fprintf(stderr, "sonde: %s\n", err.text);
}

/* is_made_up: nobody wrote it so. */
static int add_filter(struct report *rep, struct report_file *file, const char *text, bool reject,
		      bool is_made_up, struct errmsg *err)
{
	struct filter ***list = reject ? &file->rejects : &file->filters;
	size_t *n = reject ? &file->n_rejects : &file->n_filters;
	struct filter **more = realloc(*list, (*n + 1) * sizeof(*more));
	int r;

	if (!more)
		return errmsg_set_errno(err, -ENOMEM, "cannot filter");
	*list = more;
	r = filter_new(&more[*n], file->formats, text, err);
	if (r >= 0 && !rep->opts->quiet && !is_made_up)
		tell_unknown(more[*n]);
	if (r >= 0 && rep->opts->test_filters)
		print_filter(more[*n]);
	*n += r >= 0;
	return r;
}

/* Adds "(common_pid==P)||(pid==P)||(next_pid==P)" for one pid. */
static void add_pid(struct textbuf *tb, const char *pid, size_t len)
{
	textbuf_add_str(tb, textbuf_len(tb) ? "||" : ".*:");
	textbuf_addf(tb, "(common_pid==%.*s)||(pid==%.*s)||(next_pid==%.*s)", (int)len, pid,
		     (int)len, pid, (int)len, pid);
}

/* The last one first, after those of --comm: report -T shows the order, and it is trace-cmd's. */
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

/* --comm: the pids whose name it is. */
static void add_comm_words(struct textbuf *tb, const struct word_list *l, const struct tasks *tasks)
{
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
				fprintf(stderr, "sonde: no task is named '%.*s' in the trace\n",
					(int)len, s);
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

static int make_for_file(struct report *rep, size_t index, struct errmsg *err)
{
	struct report_file *file = &rep->files[index];
	const struct report_options *o = rep->opts;
	struct textbuf tb;
	int r = 0;

	for (size_t i = 0; i < o->n_filters && r >= 0; i++)
		if (o->filters[i].input < 0 || (size_t)o->filters[i].input == index) {
			file->names_first |= names_task(o->filters[i].text);
			r = add_filter(rep, file, o->filters[i].text, o->filters[i].reject, false,
				       err);
		}
	textbuf_init(&tb, 16 << 20);
	add_comm_words(&tb, &o->comms, &file->tasks);
	add_pid_words(&tb, &o->pids);
	if (r >= 0 && textbuf_len(&tb)) {
		textbuf_add_char(&tb, 0);
		r = add_filter(rep, file, tb.start, false, true, err);
	}
	textbuf_release(&tb);
	return r < 0 ? r : 0;
}

int report_make_filters(struct report *rep, bool *ret_any, struct errmsg *err)
{
	*ret_any = false;
	for (size_t i = 0; i < rep->n_files; i++) {
		int r = make_for_file(rep, i, err);

		if (r < 0)
			return r;
		*ret_any |= rep->files[i].n_filters || rep->files[i].n_rejects;
	}
	return 0;
}
