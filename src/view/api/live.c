// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live.c - api/live: whether the trace still grows, and holding the page still.
 *
 * Recording never stops for a page. While it is paused the trace grows as before, only the end that
 * the page is told stays where it was, so that nothing moves under the eyes of who reads; what was
 * recorded meanwhile is there when it goes on.
 */
#include "base/json/jsonreader.h"
#include "view/api/api.h"

#include <errno.h>

static int set_pause(struct stage *st, const struct request *req, struct errmsg *err)
{
	const struct jsonnode *pause;
	struct jsondoc doc;
	int r = jsondoc_parse(&doc, req->body, req->body_len, 16, err);

	if (r < 0)
		return r;
	pause = jsonnode_find(&doc, jsondoc_root(&doc), "pause");
	if (pause && pause->kind == JSON_BOOL) {
		pthread_mutex_lock(&st->lock);
		if (pause->number && !st->is_paused)
			st->paused_at = timeline_duration(st->tl);
		st->is_paused = pause->number;
		pthread_mutex_unlock(&st->lock);
	} else {
		r = errmsg_set(err, -EINVAL, "live is asked {\"pause\":true} or {\"pause\":false}");
	}
	jsondoc_release(&doc);
	return r;
}

/* What the trace itself says. Where nobody counted there may be more; nothing but that: null. */
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
	int r = req->is_post ? set_pause(st, req, err) : 0;

	if (r < 0)
		return r;
	pthread_mutex_lock(&st->lock);
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_bool(&w, "live", st->is_live);
	jsonwriter_add_bool(&w, "paused", st->is_paused);
	jsonwriter_add_uint(&w, "end", st->is_paused ? st->paused_at : timeline_duration(st->tl));
	add_lost(&w, st);
	jsonwriter_close(&w);
	pthread_mutex_unlock(&st->lock);
	return 0;
}
