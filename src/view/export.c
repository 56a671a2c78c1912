// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export.c - writes a trace in the formats of other programs.
 *
 *	CTF                every event, through present/export/ctf.c, as a directory of two files
 *	Perfetto, Chrome   every event, in order, through present/export/perfetto.c and chrome.c;
 *	                   for Chrome, which does not understand switches, also the states of tasks
 *	                   from the index (timeline/states/states.h)
 *	SVG, HTML          the given lanes as the viewer shows them, through picture/svg.c and
 *	                   html.c
 *
 * The first three are written batch by batch, so a trace may have any size; a picture is made in
 * memory. A file gets its name only when it is complete.
 */
#include "view/export.h"

#include "base/files/outplace.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "decode/timearg.h"
#include "inputs/sources.h"
#include "present/export/traceexport.h"
#include "store/outfile.h"
#include "store/uftrace/newdir.h"
#include "timeline/states/states.h"
#include "view/picture/lanewords.h"
#include "view/picture/picture.h"
#include "view/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CTF_STREAM    "stream"
#define CTF_METADATA  "metadata"
#define OUT_MAX_BYTES (256u << 20)
#define WIDTH_FIRST   1600
#define STATES_BYTES  (1u << 20) /* write states in pieces of this size */

/* --- output ----------------------------------------------------------------------------------- */

struct sink {
	struct outfile *file; /* NULL: use put() */
	const struct export_config *config;
};

static int sink_open(struct sink *s, const struct export_config *o, struct errmsg *err)
{
	*s = (struct sink){.config = o};
	if (!o->output)
		return 0;
	TRY(outplace_check_input(o->output, err));
	return outfile_open(&s->file, o->output, err);
}

static int sink_write(struct sink *s, struct textbuf *tb)
{
	size_t n = textbuf_len(tb);
	int r = 0;

	if (tb->overflow)
		return -EFBIG;
	if (s->file)
		r = outfile_write(s->file, tb->start, n);
	else if (n)
		r = s->config->put(s->config->ctx, tb->start, n);
	textbuf_clear(tb);
	return r;
}

/* Gives the file its name if it is complete. */
static int sink_close(struct sink *s, int r, struct errmsg *err)
{
	if (!s->file && !r)
		r = s->config->put(s->config->ctx, "", 0);
	if (s->file && !r)
		r = shortage_check(err, "cannot write the export");
	if (r < 0 && r != -EPIPE)
		errmsg_set_errno(err, r, "cannot write the export");
	if (!s->file)
		return r;
	if (r < 0)
		outfile_free(s->file);
	else
		r = outfile_commit(s->file, err);
	return r;
}

/* --- the range -------------------------------------------------------------------------------- */

/* Parses the range, as times of the trace's own clock. */
static int find_range(const struct export_config *o, const struct viewtrace *vt, uint64_t *ret_from,
		      uint64_t *ret_to, struct errmsg *err)
{
	bool in_time = vt->list[0].time.in_time,
	     /* report prints the clock boot as a bare number, but a difference can have a unit */
		is_ns = timeline_unit(vt->stage->tl).ns == 1;
	uint64_t first = timeline_origin(vt->stage->tl);

	*ret_from = 0;
	*ret_to = UINT64_MAX;
	if (o->from)
		TRY(timearg_parse("--from", o->from, in_time || (is_ns && o->from[0] == '+'), first,
				  ret_from, err));
	if (o->to)
		TRY(timearg_parse("--to", o->to, in_time || (is_ns && o->to[0] == '+'), first,
				  ret_to, err));
	if (*ret_from > *ret_to)
		return errmsg_set(err, -EINVAL, "--from %s is later than --to %s", o->from, o->to);
	return 0;
}

/* --- all events ------------------------------------------------------------------------------- */

struct state_writer {
	struct timeline *tl;
	const struct trace_export_kind *kind;
	struct trace_export *x;
	struct sink *sink;
	struct textbuf *out;
	int error;
};

static void write_state(void *ctx, uint16_t task, const struct state_span *span)
{
	struct state_writer *w = ctx;
	const struct timeline_task *t = timeline_task(w->tl, task);
	uint64_t origin = timeline_origin(w->tl);
	struct export_state s = {.machine = t->machine,
				 .pid = t->pid,
				 .cpu = span->cpu,
				 .start = origin + span->start,
				 .end = origin + span->end,
				 .state = task_state_name(span->state),
				 .comm = t->comm,
				 .comm_max = sizeof(t->comm),
				 .waker = -1};

	if (w->error < 0)
		return;
	if (span->waker >= 0)
		s.waker = timeline_task(w->tl, span->waker)->pid;
	w->kind->add_state(w->x, &s, w->out);
	if (textbuf_len(w->out) > STATES_BYTES)
		w->error = sink_write(w->sink, w->out);
}

static int write_states(struct timeline *tl, const struct trace_export_kind *kind,
			struct trace_export *x, struct sink *s, struct textbuf *out)
{
	struct state_writer w = {tl, kind, x, s, out, 0};
	int r = task_states_each(tl, 0, TIMELINE_TIME_MAX, write_state, &w);

	return r < 0 ? r : w.error;
}

static int write_batches(struct sequence *seq, struct timeline *tl,
			 const struct trace_export_kind *kind, struct trace_export *x,
			 struct sink *s)
{
	TEXTBUF(out, OUT_MAX_BYTES);
	SCOPED(batch_release) struct batch b = {0};
	int r;

	TRY(batch_init(&b));
	while ((r = sequence_fill(seq, &b)) == 1) {
		kind->add(x, &b, &out);
		TRY(sink_write(s, &out));
	}
	TRY(r);
	if (kind->add_state)
		TRY(write_states(tl, kind, x, s, &out));
	kind->finish(x, &out);
	return sink_write(s, &out);
}

static int index_trace(struct viewtrace *vt, struct errmsg *err)
{
	int r = stage_start(vt->stage, NULL, err);

	return r < 0 ? r : timeline_wait(vt->stage->tl);
}

/* The description of the stream lies beside it. */
static int write_description(const struct export_config *o, const struct trace_export_kind *kind,
			     struct trace_export *x, struct errmsg *err)
{
	TEXTBUF(out, OUT_MAX_BYTES);
	SCOPED(scope_free) char *path = NULL;
	struct export_config beside = *o;
	struct sink s;

	if (asprintf(&path, "%.*s%s", (int)(strlen(o->output) - strlen(CTF_STREAM)), o->output,
		     CTF_METADATA) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot export");
	beside.output = path;
	kind->describe(x, &out);
	TRY(sink_open(&s, &beside, err));
	return sink_close(&s, sink_write(&s, &out), err);
}

static int export_events(const struct export_config *o, struct viewtrace *vt,
			 const struct trace_export_kind *kind, struct errmsg *err)
{
	struct sequence_config sc = inputs_sequence_config(&vt->spec);
	struct line_style style = {0};
	struct trace_export_config config = {.style = &style};
	struct trace_export *x;
	SCOPED(inputs_sources_release) struct inputs_sources src = {0};
	SCOPED(lines_release) struct lines lines = {0};
	SCOPED(scope_free) uint32_t *machines = calloc(vt->sources.n + 1, sizeof(*machines));
	struct sink s;
	int r;

	if (!machines)
		return errmsg_set_errno(err, -ENOMEM, "cannot export");
	TRY(find_range(o, vt, &sc.from, &sc.to, err));
	sc.raw = true;
	sc.all_names = true;
	sc.tgids = true;
	for (size_t i = 0; i < vt->sources.n; i++)
		machines[i] = vt->list[i].machine;
	config.machines = machines;
	if (kind->add_state)
		TRY(index_trace(vt, err));
	TRY(inputs_sources_init(&src, &vt->inputs, &sc, err));
	TRY(lines_init(&lines, &src, true, err));
	style.sources = lines.list;
	style.n_sources = lines.n;
	if (kind->new (&x, &config) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot export");
	r = sink_open(&s, o, err);
	if (r >= 0)
		r = sink_close(&s, write_batches(src.seq, vt->stage->tl, kind, x, &s), err);
	if (r >= 0 && kind->describe)
		r = write_description(o, kind, x, err);
	kind->free(x);
	return r;
}

/* A directory with the stream and its description. */
static int export_directory(const struct export_config *o, struct viewtrace *vt, struct errmsg *err)
{
	struct export_config stream = *o;
	SCOPED(scope_free) char *path = NULL;
	int fd = uftdir_make(o->output, true, err), r;

	TRY(fd);
	close(fd);
	if (asprintf(&path, "%s/%s", o->output, CTF_STREAM) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot export");
	stream.output = path;
	r = export_events(&stream, vt, &export_ctf, err);
	if (r < 0)
		uftdir_remove(o->output);
	return r;
}

/* --- pictures --------------------------------------------------------------------------------- */

static void add_first(void *ctx, const char *spec)
{
	textbuf_addf(ctx, "%s,", spec);
}

/* Lists the lanes that the page shows first. */
static int first_lanes(struct stage *st, char **ret)
{
	TEXTBUF(tb, 1 << 16);

	first_lanes_find(st, add_first, &tb);
	textbuf_add_char(&tb, 0);
	*ret = tb.overflow ? NULL : strdup(tb.start);
	return *ret ? 0 : -ENOMEM;
}

/* Parses the time of an option, relative to the trace's start. */
static int parse_time(const struct viewtrace *vt, const char *option, const char *text,
		      uint64_t *ret, struct errmsg *err)
{
	struct timeline *tl = vt->stage->tl;
	bool in_time = vt->list[0].time.in_time || (timeline_unit(tl).ns == 1 && text[0] == '+');
	uint64_t origin = timeline_origin(tl);

	if (timearg_parse(option, text, in_time, origin, ret, err) < 0)
		return errmsg_code(err);
	*ret = *ret > origin ? *ret - origin : 0;
	return 0;
}

static int add_range(const struct export_config *o, const struct viewtrace *vt, struct picture *pic,
		     struct errmsg *err)
{
	SCOPED(scope_free) char *range = strdup(o->range);
	char *comma = range ? strchr(range, ',') : NULL;

	if (!range)
		return errmsg_set_errno(err, -ENOMEM, "cannot draw the picture");
	if (!comma)
		return errmsg_set(err, -EINVAL,
				  "--range needs two times, like +10ms,+20ms, not '%s'", o->range);
	*comma++ = 0;
	TRY(parse_time(vt, "--range", range, &pic->range_from, err));
	return parse_time(vt, "--range", comma, &pic->range_to, err);
}

static int add_marks(const struct export_config *o, const struct viewtrace *vt,
		     struct picture_mark *marks, struct picture *pic, struct errmsg *err)
{
	pic->marks = marks;
	for (; pic->n_marks < o->n_marks; pic->n_marks++) {
		picture_name_mark(&marks[pic->n_marks], pic->n_marks);
		TRY(parse_time(vt, "--mark", o->marks[pic->n_marks], &marks[pic->n_marks].t, err));
	}
	return o->range ? add_range(o, vt, pic, err) : 0;
}

static int make_picture(const struct export_config *o, struct viewtrace *vt, char *lanes,
			struct textbuf *out, struct errmsg *err)
{
	struct timeline *tl = vt->stage->tl;
	const char *specs[PICTURE_LANES_MAX];
	struct picture pic = {.specs = specs, .width = o->width ? o->width : WIDTH_FIRST};
	uint64_t origin = timeline_origin(tl), from, to;
	struct picture_mark marks[PICTURE_MARKS_MAX];

	if (find_range(o, vt, &from, &to, err) < 0 || add_marks(o, vt, marks, &pic, err) < 0)
		return errmsg_code(err);
	pic.n_specs = picture_split(lanes, specs, PICTURE_LANES_MAX);
	pic.from = from > origin ? from - origin : 0;
	pic.to = to <= origin ? 0 : to - origin;
	if (pic.to > timeline_duration(tl))
		pic.to = timeline_duration(tl);
	if (pic.from >= pic.to)
		return errmsg_set(err, -EINVAL, "the trace has no data in this range");
	return o->form == EXPORT_SVG ? picture_add_svg(vt->stage, &pic, out, err)
				     : picture_add_html(vt->stage, &pic, out, err);
}

static int draw_picture(const struct export_config *o, struct viewtrace *vt, struct errmsg *err)
{
	TEXTBUF(out, OUT_MAX_BYTES);
	SCOPED(scope_free) char *lanes = o->lanes ? strdup(o->lanes) : NULL;
	struct sink s;

	TRY(index_trace(vt, err));
	if (!lanes)
		TRY(first_lanes(vt->stage, &lanes));
	TRY(make_picture(o, vt, lanes, &out, err));
	TRY(sink_open(&s, o, err));
	return sink_close(&s, sink_write(&s, &out), err);
}

static int export_picture(const struct export_config *o, struct viewtrace *vt, struct errmsg *err)
{
	int r = draw_picture(o, vt, err);

	return r < 0 && r != -EPIPE ? errmsg_set_errno(err, r, "cannot draw the picture") : r;
}

int export_write(struct viewtrace *vt, const struct export_config *config, struct errmsg *err)
{
	switch (config->form) {
	case EXPORT_PERFETTO:
		return export_events(config, vt, &export_perfetto, err);
	case EXPORT_CHROME:
		return export_events(config, vt, &export_chrome, err);
	case EXPORT_CTF:
		return export_directory(config, vt, err);
	default:
		return export_picture(config, vt, err);
	}
}
