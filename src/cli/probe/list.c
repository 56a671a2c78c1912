// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list.c - `sonde probe list`: lists the defined probes, with their hits.
 *
 *	EVENT            KIND    HITS  MISSED      WHAT THE KERNEL WAS GIVEN
 *	probe:vfs_read   kprobe    12       0  on  vfs_read count=%dx:u64
 *
 * A probe with several places has a line for each. MISSED counts hits that were not recorded,
 * because too many calls were active, or because the hit was inside another probe.
 */
#include "base/json/jsonwriter.h"
#include "capture/tracefs/probes.h"
#include "cli/probe/commands.h"
#include "cli/probe/opts.h"
#include "probe/probe.h"

#include <stdio.h>

struct list_options {
	bool json;
};

static const struct option_row rows[] = {
	ROW_FLAG(0, "json", "print one JSON object per line", offsetof(struct list_options, json)),
	ROW_END,
};

static const char *place_of(const struct probe_defined *d)
{
	const char *blank = strchr(d->line, ' ');

	return blank ? blank + 1 : "";
}

static bool is_counted(const struct probe_defined *d)
{
	return d->kind != PROBE_FPROBE && d->kind != PROBE_FPROBE_EXIT && d->kind != PROBE_EPROBE &&
	       d->kind != PROBE_TPROBE;
}

static void fmt_json(const struct probe_defined *d, struct textbuf *tb)
{
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "group", d->group);
	jsonwriter_add_string(&w, "event", d->event);
	jsonwriter_add_string(&w, "kind", probe_kind_word(d->kind));
	jsonwriter_add_string(&w, "definition", d->line);
	jsonwriter_add_bool(&w, "on", d->is_on);
	if (is_counted(d)) {
		jsonwriter_add_uint(&w, "hits", d->n_hits);
		jsonwriter_add_uint(&w, "missed", d->n_missed);
	}
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

/* Widths of columns, as wide as their contents. A name longer than 60 shifts only its own line. */
struct widths {
	int name, kind, hits, missed;
};

static int fmt_hits(const struct probe_defined *d, char *buf, size_t n_bytes)
{
	if (!is_counted(d))
		return snprintf(buf, n_bytes, "-");
	return snprintf(buf, n_bytes, "%llu", (unsigned long long)d->n_hits);
}

static int fmt_missed(const struct probe_defined *d, char *buf, size_t n_bytes)
{
	buf[0] = 0;
	return d->n_missed
		       ? snprintf(buf, n_bytes, ", %llu missed", (unsigned long long)d->n_missed)
		       : 0;
}

static void widen(int *width, int len)
{
	len = len < 60 ? len : 60;
	*width = len > *width ? len : *width;
}

static void add_widths(struct widths *w, const struct probe_defined *d)
{
	char buf[32];

	widen(&w->name, strlen(d->group) + 1 + strlen(d->event));
	widen(&w->kind, strlen(probe_kind_word(d->kind)));
	widen(&w->hits, fmt_hits(d, buf, sizeof(buf)));
	widen(&w->missed, fmt_missed(d, buf, sizeof(buf)));
}

static void fmt_line(const struct probe_defined *d, const struct widths *w, struct textbuf *tb)
{
	char name[2 * TRACEFS_NAME_MAX], missed[32], hits[32];

	snprintf(name, sizeof(name), "%s:%s", d->group, d->event);
	fmt_hits(d, hits, sizeof(hits));
	fmt_missed(d, missed, sizeof(missed));
	textbuf_addf(tb, "%-*s  %-*s  %s  %*s hits%-*s  %s\n", w->name, name, w->kind,
		     probe_kind_word(d->kind), d->is_on ? "on " : "off", w->hits, hits, w->missed,
		     missed, place_of(d));
}

static bool is_wanted(const struct probe_defined *d, char **patterns, int n)
{
	for (int i = 0; i < n; i++)
		if (probe_defined_matches(d, patterns[i]))
			return true;
	return !n;
}

static int list(const struct list_options *o, char **patterns, int n, struct errmsg *err)
{
	struct probe_list l;
	TEXTBUF(tb, 1 << 24);
	struct tracefs t;
	struct widths widths = {.hits = 8};

	if (tracefs_open(&t, err) < 0 || probes_list(&t, &l, err) < 0)
		return errmsg_code(err);
	for (size_t i = 0; i < l.n; i++)
		if (is_wanted(&l.list[i], patterns, n))
			add_widths(&widths, &l.list[i]);
	for (size_t i = 0; i < l.n; i++) {
		if (!is_wanted(&l.list[i], patterns, n))
			continue;
		if (o->json)
			fmt_json(&l.list[i], &tb);
		else
			fmt_line(&l.list[i], &widths, &tb);
	}
	if (!textbuf_len(&tb) && !o->json)
		textbuf_add_str(&tb, n ? "no probe of that name is defined\n"
				       : "no probe is defined; 'sonde probe add' defines one\n");
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	probe_list_release(&l);
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct list_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err);

	return n < 0 ? n : list(&o, argv + 1, n, err);
}

const struct command probe_list = {
	.name = "probe list",
	.summary = "list the defined probes and their hits",
	.usage = "[--json] [[GROUP:]EVENT…]",
	.options = rows,
	.run = run,
	.args = "@probe",
};
