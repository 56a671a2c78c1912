// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probecmd_list.c - `sonde probe list`: the probes that are defined, with their hits.
 *
 *	EVENT            KIND    HITS  MISSED      WHAT THE KERNEL WAS GIVEN
 *	probe:vfs_read   kprobe    12       0  on  vfs_read count=%dx:u64
 *
 * A probe with several places has a line for each. Missed: the kernel had no room to follow so many calls
 * at once, or was inside a probe already.
 */
#include "base/jsonwriter.h"
#include "cli/probecmd.h"
#include "cli/probeopts.h"

#include <errno.h>
#include <stdio.h>

struct list_options {
	bool json;
};

static const struct option_row rows[] = {
	{OPTION_FLAG, 0, "json", NULL, "one JSON object for each line",
	 offsetof(struct list_options, json)},
	{OPTION_END},
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

static int name_width(const struct probe_list *l)
{
	int width = 0;

	for (size_t i = 0; i < l->n; i++) {
		int len = strlen(l->list[i].group) + 1 + strlen(l->list[i].event);

		width = len > width ? len : width;
	}
	return width < 60 ? width : 60;
}

static void fmt_line(const struct probe_defined *d, int width, struct textbuf *tb)
{
	char name[2 * TRACEFS_NAME_MAX], missed[32] = "", hits[32] = "-";

	snprintf(name, sizeof(name), "%s:%s", d->group, d->event);
	if (is_counted(d))
		snprintf(hits, sizeof(hits), "%llu", (unsigned long long)d->n_hits);
	if (d->n_missed)
		snprintf(missed, sizeof(missed), ", %llu missed", (unsigned long long)d->n_missed);
	textbuf_addf(tb, "%-*s  %-9s  %s  %8s hits%s  %s\n", width, name, probe_kind_word(d->kind),
		     d->is_on ? "on " : "off", hits, missed, place_of(d));
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
	struct textbuf tb;
	struct tracefs t;
	int r = tracefs_open(&t, err), width;

	if (r >= 0)
		r = probes_list(&t, &l, err);
	if (r < 0)
		return r;
	textbuf_init(&tb, 1 << 24);
	width = name_width(&l);
	for (size_t i = 0; i < l.n; i++) {
		if (!is_wanted(&l.list[i], patterns, n))
			continue;
		if (o->json)
			fmt_json(&l.list[i], &tb);
		else
			fmt_line(&l.list[i], width, &tb);
	}
	if (!textbuf_len(&tb) && !o->json)
		textbuf_add_str(&tb, n ? "no probe of that name is defined\n"
				       : "no probe is defined; 'sonde probe add' defines one\n");
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	textbuf_release(&tb);
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
	.summary = "the probes that are defined, with their hits",
	.usage = "[--json] [[GROUP:]EVENT…]",
	.options = rows,
	.run = run,
};
