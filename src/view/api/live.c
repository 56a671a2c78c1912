// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live.c - api/live: reports whether the trace still grows, and pauses the page.
 *
 * Recording never stops for a page. While the page is paused the trace grows as before; only the
 * end that the page sees stays the same, so that nothing moves while the user reads. Newer data
 * appears when the page resumes.
 */
#include "base/json/jsonreader.h"
#include "base/lock.h"
#include "base/scope.h"
#include "timeline/timeline.h"
#include "view/api/api.h"

#include <errno.h>

static int set_pause(struct stage *st, const struct request *req, struct errmsg *err)
{
	const struct jsonnode *pause;
	struct jsondoc doc;
	int r = jsondoc_parse(&doc, req->body, req->body_len, 16, err);

	TRY(r);
	pause = jsonnode_find(&doc, jsondoc_root(&doc), "pause");
	if (pause && pause->kind == JSON_BOOL) {
		pthread_mutex_lock(&st->lock);
		if (pause->number && !st->is_paused)
			st->paused_at = timeline_duration(st->tl);
		st->is_paused = pause->number;
		pthread_mutex_unlock(&st->lock);
	} else {
		r = errmsg_set(err, -EINVAL, "live needs {\"pause\":true} or {\"pause\":false}");
	}
	jsondoc_release(&doc);
	return r;
}

/*
 * Adds the number of lost events. It is a minimum if some losses were not counted, and null if none
 * was counted.
 */
static void add_lost(struct jsonwriter *w, struct stage *st)
{
	bool is_all;
	uint64_t n = timeline_lost(st->tl, &is_all);

	if (st->config.is_live && (n || is_all))
		jsonwriter_add_uint(w, "lost", n);
	else
		jsonwriter_add_null(w, "lost");
}

int api_live(struct stage *st, const struct request *req, struct answer *a, struct errmsg *err)
{
	struct jsonwriter w;

	TRY(req->is_post ? set_pause(st, req, err) : 0);
	LOCKED(&st->lock);
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_bool(&w, "live", st->is_live);
	jsonwriter_add_bool(&w, "paused", st->is_paused);
	jsonwriter_add_uint(&w, "end", st->is_paused ? st->paused_at : timeline_duration(st->tl));
	add_lost(&w, st);
	jsonwriter_close(&w);
	return 0;
}
