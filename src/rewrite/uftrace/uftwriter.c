// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uftwriter.c - the directory and the records of tasks.
 *
 *	TID.dat    16 bytes for each record: the time, and
 *	           ┌ address or count: 48 bits ┬ depth: 10 ┬ magic 5: 3 ┬ more: 1 ┬ type: 2 ┐
 *
 * uftrace writes the beginning of a call when something inside it has returned, so a function that
 * never returns and calls nothing is not there; readers depend on it. So entries wait here, except
 * those of library functions that are known not to return, such as exit().
 */
#include "rewrite/uftrace/uftwriter.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/hash.h"
#include "base/scope.h"
#include "format/uftrace.h"
#include "rewrite/uftrace/uftwriter_int.h"
#include "store/uftrace/newdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SID_OF_COPY	  UINT64_C(0x736f6e6465000001) /* session id, without the time */
#define TASKS_MAX	  (1u << 18)
#define ARENA_MAX_BYTES	  (1ull << 30)
#define PIECE_BYTES	  (256u << 10)
#define WAITING_MAX_BYTES (16u << 20) /* values of calls of one task that have not returned */
#define RECORDS_MAX_BYTES (PIECE_BYTES + WAITING_MAX_BYTES + 65536)
#define MORE		  4 /* in a record's word: values follow */

/*
 * --- the directory -----------------------------------------------------------------------------
 */

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_to(const struct uftwriter *w, const char *name, int flags, const char *data,
		    size_t len, struct errmsg *err)
{
	SCOPED(scope_close)
	int fd = openat(w->dir, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
	int r = fd < 0 ? -errno : write_all(fd, data, len);

	if (r < 0 && fd >= 0) /* a half of info would make it look like a recording */
		unlinkat(w->dir, name, 0);
	return r < 0 ? errmsg_set_errno(err, r, "cannot write %s/%s", w->path, name) : 0;
}

int uftwriter_append(const struct uftwriter *w, const char *name, bool is_new, const char *data,
		     size_t len, struct errmsg *err)
{
	return write_to(w, name, is_new ? O_CREAT | O_EXCL : O_APPEND, data, len, err);
}

int uftwriter_write_file(const struct uftwriter *w, const char *name, const char *data, size_t len,
			 struct errmsg *err)
{
	return write_to(w, name, O_CREAT | O_EXCL, data, len, err);
}

int uftwriter_write_text(const struct uftwriter *w, const char *name, struct textbuf *tb,
			 struct errmsg *err)
{
	const char *text = textbuf_text(tb);

	if (tb->overflow)
		return errmsg_set(err, -ENOMEM, "cannot write %s/%s: no memory, or too much text",
				  w->path, name);
	return uftwriter_write_file(w, name, text, textbuf_len(tb), err);
}

/*
 * --- tasks -------------------------------------------------------------------------------------
 */

static int no_memory(struct errmsg *err)
{
	return errmsg_set_errno(err, -ENOMEM, "cannot write the calls");
}

static struct uft_task *find_task(struct uftwriter *w, const struct uftwriter_call *c)
{
	void **slot = map_take(&w->tasks, (uint64_t)c->tid + 1, TASKS_MAX);
	struct uft_task *t;

	if (!slot || *slot)
		return slot ? *slot : NULL;
	t = calloc(1, sizeof(*t));
	if (!t || !ARRAY_ROOM(w->order, w->cap_tasks, w->n_tasks + 1, TASKS_MAX)) {
		free(t);
		return NULL;
	}
	t->tid = c->tid;
	t->tgid = c->tgid > 0 ? c->tgid : c->tid;
	t->first_ts = c->ts;
	if (!w->n_tasks)
		w->first_ts = c->ts;
	textbuf_init(&t->records, RECORDS_MAX_BYTES);
	textbuf_init(&t->waiting, WAITING_MAX_BYTES);
	w->order[w->n_tasks++] = t;
	*slot = t;
	return t;
}

static int flush_task(struct uftwriter *w, struct uft_task *t, struct errmsg *err)
{
	char name[32];
	bool is_new = !t->is_created;

	if (t->records.overflow || t->waiting.overflow)
		return no_memory(err);
	if (!textbuf_len(&t->records) && t->is_created)
		return 0;
	snprintf(name, sizeof(name), "%d.dat", t->tid);
	t->is_created = true;
	TRY(uftwriter_append(w, name, is_new, t->records.start, textbuf_len(&t->records), err));
	textbuf_clear(&t->records);
	return 0;
}

/* uftrace takes a duration of 0 for an unknown one; a clock may be coarser than a call. */
static void put_record(struct uft_task *t, uint64_t ts, uint64_t word)
{
	char *p = textbuf_reserve(&t->records, 16);

	if (ts && ts <= t->last_ts)
		ts = t->last_ts + 1;
	if (ts)
		t->last_ts = ts;
	memcpy(p, &ts, 8);
	memcpy(p + 8, &word, 8);
	textbuf_commit(&t->records, p + 16);
}

static uint64_t make_word(enum uft_type type, uint32_t depth, uint64_t address)
{
	return type | UFT_RECORD_MAGIC << 3 | (uint64_t)depth << 6 | address << 16;
}

static void put_loss(struct uftwriter *w, struct uft_task *t)
{
	if (w->n_lost)
		put_record(t, 0, make_word(UFT_LOST, 0, w->n_lost));
	w->n_lost = 0;
}

static void put_pending(struct uftwriter *w, struct uft_task *t)
{
	put_loss(w, t);
	for (size_t i = 0; i < t->n_pending; i++) {
		const struct uft_pending *p = &t->pending[i];

		put_record(t, p->ts, p->word | (p->len ? MORE : 0));
		textbuf_add(&t->records, t->waiting.start + p->at, p->len);
	}
	t->n_pending = 0;
	textbuf_clear(&t->waiting);
}

int uftwriter_enter(struct uftwriter *w, const struct uftwriter_call *c, struct errmsg *err)
{
	uint64_t address = uftwriter_address(w, c);
	struct uft_task *t;
	size_t at;

	w->counts.n_calls++;
	if (c->depth > UFT_DEPTH_MAX) {
		w->counts.n_deep++;
		return 0;
	}
	t = find_task(w, c);
	if (!t || !address ||
	    !ARRAY_ROOM(t->pending, t->cap_pending, t->n_pending + 1, UFT_DEPTH_MAX + 1))
		return no_memory(err);
	/* calls of that depth or deeper that wait have never returned */
	while (t->n_pending && (t->pending[t->n_pending - 1].word >> 6 & UFT_DEPTH_MAX) >= c->depth)
		t->n_pending--;
	at = textbuf_len(&t->waiting);
	t->pending[t->n_pending++] =
		(struct uft_pending){c->ts, make_word(UFT_ENTRY, c->depth, address), at,
				     uftwriter_put_values(w, c, false, &t->waiting)};
	if (map_find(&w->leavers, address))
		put_pending(w, t);
	return 0;
}

int uftwriter_leave(struct uftwriter *w, const struct uftwriter_call *c, struct errmsg *err)
{
	uint64_t address = uftwriter_address(w, c);
	struct uft_task *t;
	bool has_values;

	if (c->depth > UFT_DEPTH_MAX)
		return 0;
	t = find_task(w, c);
	if (!t || !address)
		return no_memory(err);
	if (c->ts > w->last_ts)
		w->last_ts = c->ts;
	put_pending(w, t);
	has_values = uftwriter_put_values(w, c, true, &t->waiting);
	put_record(t, c->ts, make_word(UFT_EXIT, c->depth, address) | (has_values ? MORE : 0));
	textbuf_add(&t->records, t->waiting.start, textbuf_len(&t->waiting));
	textbuf_clear(&t->waiting);
	return textbuf_len(&t->records) >= PIECE_BYTES ? flush_task(w, t, err) : 0;
}

int uftwriter_mark(struct uftwriter *w, int tid, uint64_t ts, uint32_t i, struct errmsg *err)
{
	struct uft_task *t = map_find(&w->tasks, (uint64_t)tid + 1);

	if (!t)
		return 0;
	put_pending(w, t);
	put_record(t, ts, make_word(UFT_EVENT, 0, UFT_EVENT_USER + i));
	return textbuf_len(&t->records) >= PIECE_BYTES ? flush_task(w, t, err) : 0;
}

void uftwriter_lose(struct uftwriter *w, uint64_t n)
{
	w->n_lost += n ? n : 1;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

struct uftwriter_counts uftwriter_counts(const struct uftwriter *w)
{
	return w->counts;
}

int uftwriter_new(struct uftwriter **ret, const struct uftwriter_config *config, struct errmsg *err)
{
	struct uftwriter *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return no_memory(err);
	w->path = config->dir;
	w->dir = -1;
	w->with_sources = config->with_sources;
	w->source_dir = config->source_dir;
	arena_init(&w->arena, ARENA_MAX_BYTES);
	w->dir = uftdir_make(w->path, config->must_be_new, err);
	r = w->dir < 0 ? w->dir : uftwriter_read_modules(w, config->functions, err);
	if (r < 0) {
		uftwriter_free(w);
		return r;
	}
	*ret = w;
	return 0;
}

int uftwriter_finish(struct uftwriter *w, const struct uftwriter_run *run, struct errmsg *err)
{
	/* a copy of a trace is the same each time */
	uint64_t sid = run->is_here ? hash_seed() : SID_OF_COPY ^ w->first_ts;

	for (size_t i = 0; i < w->n_tasks; i++) {
		if (run->keeps_open)
			put_pending(w, w->order[i]);
		TRY(flush_task(w, w->order[i], err));
	}
	TRY(uftwriter_write_kernel(w, err));
	TRY(uftwriter_write_modules(w, sid, run->has_auto_values, err));
	return uftwriter_write_texts(w, run, sid, err);
}

void uftwriter_free(struct uftwriter *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n_tasks; i++) {
		textbuf_release(&w->order[i]->records);
		textbuf_release(&w->order[i]->waiting);
		free(w->order[i]->pending);
		free(w->order[i]);
	}
	free(w->order);
	map_release(&w->tasks);
	map_release(&w->parents);
	uftwriter_free_modules(w);
	uftwriter_free_kernel(w);
	arena_release(&w->arena);
	if (w->dir >= 0)
		close(w->dir);
	free(w);
}
