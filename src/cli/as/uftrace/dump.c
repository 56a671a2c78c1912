// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dump.c - `uftrace dump`: raw records, --chrome, --flame-graph, --graphviz, --mermaid.
 *
 * Raw records come file by file, JSON in the order of time. The other forms are trees of who calls
 * whom, of all sessions together; they share the counting of `uftrace graph`.
 */
#include "analyse/uftrace/graph.h"
#include "present/uftrace/dump.h"

#include "cli/as/uftrace/reading.h"
#include "cli/as/uftrace/uftrace.h"
#include "present/uftrace/graph.h"
#include "store/uftrace/dir.h"
#include "symbols/uftrace/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* When the recording was made: the time of its info file, as ctime() writes it. */
static void find_date(const struct uft_opts *o, char *buf, size_t n_bytes)
{
	char path[4096], text[32] = "";
	struct stat st;

	snprintf(path, sizeof(path), "%s/info", o->dir);
	if (!stat(path, &st))
		ctime_r(&st.st_mtime, text);
	text[strcspn(text, "\n")] = 0;
	snprintf(buf, n_bytes, "%s", text);
}

static int print_trees(struct uft_reading *r)
{
	const struct uftinfo *info = &r->data.dir.info;
	const char *title = uft_basename(info->exename ? info->exename : "");
	struct uft_graphs g;
	int status = 1;

	if (uft_graphs_init(&g, r->walk, NULL, true) >= 0) {
		g.sample_ns = r->o->flame_graph ? r->o->sample_time_ns : 0;
		if (uft_graphs_count(&g, r->walk) < 0)
			uft_warn(r->o, "inverted time: broken data?");
		if (r->o->flame_graph)
			uft_graphs_print_folded(&g, r->o->sample_time_ns, &r->text);
		else if (r->o->graphviz)
			uft_graphs_print_dot(&g, title, UFT_VERSION, info->cmdline, &r->text);
		else
			uft_graphs_print_mermaid(&g, title, &r->text);
		status = 0;
	}
	uft_graphs_release(&g);
	return status;
}

/* The longer the program ran, the longer is a sample: 1 us up to a second, 10 us up to ten … */
static uint64_t sample_of(const char *elapsed)
{
	double seconds = elapsed ? strtod(elapsed, NULL) : 0;
	uint64_t ns = 1000;

	for (unsigned limit = 1; seconds >= limit && limit <= 1000; limit *= 10)
		ns *= 10;
	return ns;
}

int uft_dump(struct uft_opts *o, int argc, char **argv)
{
	struct uft_reading r;
	char date[40];
	int status = UFT_FAILED;

	(void)argc, (void)argv;
	if (uft_reading_open(&r, o) && uft_reading_walk(&r)) {
		status = 0;
		if (o->flame_graph && !o->sample_time_ns)
			o->sample_time_ns = sample_of(r.data.dir.info.elapsed);
		if (o->chrome) {
			find_date(o, date, sizeof(date));
			uft_dump_print_chrome(&r.data, r.walk, o->no_args, UFT_VERSION, date,
					      &r.text);
		} else if (o->flame_graph || o->graphviz || o->mermaid) {
			status = print_trees(&r);
		} else {
			uft_dump_print(&r.data, r.walk, r.events, &r.text);
		}
	}
	return uft_reading_close(&r, status);
}
