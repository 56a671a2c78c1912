// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * show.c - `sonde probe show`: describes one probe in full, defined or not.
 *
 *	show 'vfs_read(file->f_flags)'     resolves it: the line for the kernel, the type of each
 *	                                   argument and where it is read, the cost of a hit
 *	show probe:vfs_read                describes a defined probe: lines, fields, hits
 */
#include "base/json/jsonwriter.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/kernel/cost.h"
#include "cli/probe/commands.h"
#include "cli/probe/opts.h"
#include "probe/probe.h"
#include "symbols/types.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct show_options {
	struct probe_options where;
	bool json;
};

static const struct option_row rows[] = {
	ROW_FLAG(0, "json", "print JSON", offsetof(struct show_options, json)),
	PROBEOPTS_ROWS(struct show_options, where),
	ROW_END,
};

/* --- what it costs ---------------------------------------------------------------------------- */

/*
 * Returns the cost as an order of magnitude on bare metal; in a virtual machine a breakpoint can
 * take ten times as long.
 */
static const char *cost_of(enum probe_kind kind, bool at_entry, const char *place)
{
	bool is_quick =
		(kind == PROBE_UPROBE || kind == PROBE_URETPROBE) && place && cost_is_quick(place);

	switch (kind) {
	case PROBE_KPROBE:
		return at_entry ? "by the function tracer's hook where the kernel has it there, "
				  "else "
				  "a breakpoint: 0.1 to 0.5 us a hit"
				: "a breakpoint, or a jump if the kernel can put one there: 0.1 to "
				  "0.5 us a hit";
	case PROBE_KRETPROBE:
		return "entry and return are both caught: 0.2 to 1 us a call";
	case PROBE_FPROBE:
		return "by the function tracer's hook, no breakpoint: about 0.1 us a hit; the "
		       "kernel "
		       "counts no hits of it";
	case PROBE_FPROBE_EXIT:
		return "by the function tracer's hook, entry and return: about 0.2 us a call; the "
		       "kernel counts no hits of it";
	case PROBE_UPROBE:
		return is_quick ? "a breakpoint in the program: 1 to 3 us a hit, in every process "
				  "that runs "
				  "it"
				: "a breakpoint in the program, on an instruction that has to be "
				  "stepped over: 2 to "
				  "10 us a hit, in every process that runs it";
	case PROBE_URETPROBE:
		return is_quick ? "a breakpoint and a changed return: 2 to 5 us a call, in every "
				  "process that "
				  "runs it"
				: "a breakpoint on an instruction that has to be stepped over, and "
				  "a changed "
				  "return: 3 to 12 us a call, in every process that runs it";
	case PROBE_EPROBE:
	case PROBE_TPROBE:
		return "on top of an event: about 0.1 us a hit";
	case PROBE_RAW:
		break;
	}
	return "as what it is put on";
}

static bool is_at_entry(const struct definition *d)
{
	return !d->offset && !d->has_line && !d->pattern && !d->has_address;
}

static const char *cost_of_resolved(const struct probe *p)
{
	return cost_of(p->kind, is_at_entry(p->definition), p->n_places ? p->places[0].text : NULL);
}

/* Returns the cost of a line: "p:probe_a/work /tmp/a:0x1139 n=%di:s32". */
static const char *cost_of_line(const struct probe_defined *d)
{
	const char *place = strchr(d->line, ' ');
	char text[PATH_MAX];

	snprintf(text, sizeof(text), "%.*s", place ? (int)strcspn(place + 1, " ") : 0,
		 place ? place + 1 : "");
	return cost_of(d->kind, place && !strstr(place, "+"), text);
}

/* --- a definition ----------------------------------------------------------------------------- */

/* Returns how a value is shown, if the kernel would print only a number. */
static const char *shown_as(enum probe_show show)
{
	switch (show) {
	case PROBE_SHOW_FUNCTION:
		return ", shown as a symbol";
	case PROBE_SHOW_BOOL:
		return ", shown as true or false";
	case PROBE_SHOW_ENUM:
	case PROBE_SHOW_FLAGS:
		return ", shown by name";
	case PROBE_SHOW_FLOAT:
		return ", shown as the number that the bits are";
	case PROBE_SHOW_WORD:
		return ", shown in hex if it has more than 32 bits";
	case PROBE_SHOW_BIG_ENDIAN:
		return ", big endian, shown as the number that it is";
	default:
		return "";
	}
}

static void fmt_args(const struct probe *p, struct textbuf *tb)
{
	for (size_t i = 0; i < p->n_args; i++) {
		const struct probe_arg *a = &p->args[i];

		textbuf_addf(tb, "  %-20s ", a->name);
		if (a->type.world) {
			type_fmt(a->type, tb);
			textbuf_addf(tb, " (%s)", a->type.world->source);
		} else {
			textbuf_add_str(tb, "as written");
		}
		textbuf_addf(tb, ", read as %s%s\n", a->fetch, shown_as(a->show));
	}
}

static void fmt_places(const struct probe *p, struct textbuf *tb)
{
	for (size_t i = 0; i < p->n_places; i++) {
		textbuf_addf(tb, "  %s", p->places[i].text);
		if (p->places[i].about)
			textbuf_addf(tb, "  (%s)", p->places[i].about);
		textbuf_add_char(tb, '\n');
	}
}

static const char duration_note[] =
	"$duration takes a second probe, at the entry, and triggers, which a "
	"recording sets up: sonde record -e";

static void fmt_probe(const struct probe *p, struct textbuf *tb)
{
	textbuf_addf(tb, "%s:%s, %s\n", p->group, p->event, probe_kind_word(p->kind));
	textbuf_addf(tb, "place%s:\n", p->n_places == 1 ? "" : "s");
	fmt_places(p, tb);
	if (p->n_args) {
		textbuf_add_str(tb, "arguments:\n");
		fmt_args(p, tb);
	}
	if (p->filter)
		textbuf_addf(tb, "only if: %s\n", p->filter);
	textbuf_add_str(tb, "the kernel is given:\n");
	for (size_t i = 0; i < p->n_places; i++) {
		textbuf_add_str(tb, "  ");
		probe_fmt_line(p, i, NULL, NULL, tb);
		textbuf_add_char(tb, '\n');
	}
	textbuf_addf(tb, "cost: %s\n", cost_of_resolved(p));
	for (size_t i = 0; i < p->n_notes; i++)
		textbuf_addf(tb, "note: %s\n", p->notes[i]);
	if (p->wants_duration)
		textbuf_addf(tb, "note: %s\n", duration_note);
	if (p->kind == PROBE_KPROBE && p->definition->offset)
		textbuf_add_str(tb, "note: whether an instruction begins there is checked by the "
				    "kernel when it is defined\n");
}

/* --- the same as JSON ------------------------------------------------------------------------- */

static void json_args(const struct probe *p, struct jsonwriter *w)
{
	struct textbuf type;

	jsonwriter_open(w, "arguments", '[');
	for (size_t i = 0; i < p->n_args; i++) {
		const struct probe_arg *a = &p->args[i];

		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "name", a->name);
		if (a->type.world) {
			textbuf_init(&type, 1 << 16);
			type_fmt(a->type, &type);
			jsonwriter_add_text(w, "type", type.start, textbuf_len(&type));
			jsonwriter_add_string(w, "source", a->type.world->source);
			textbuf_release(&type);
		}
		jsonwriter_add_string(w, "fetch", a->fetch);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static void json_places(const struct probe *p, struct jsonwriter *w)
{
	struct textbuf line;

	jsonwriter_open(w, "places", '[');
	for (size_t i = 0; i < p->n_places; i++) {
		jsonwriter_open(w, NULL, '{');
		jsonwriter_add_string(w, "place", p->places[i].text);
		jsonwriter_add_string(w, "about", p->places[i].about);
		textbuf_init(&line, 1 << 20);
		probe_fmt_line(p, i, NULL, NULL, &line);
		jsonwriter_add_text(w, "line", line.start, textbuf_len(&line));
		textbuf_release(&line);
		jsonwriter_close(w);
	}
	jsonwriter_close(w);
}

static void json_probe(const struct probe *p, struct jsonwriter *w)
{
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "group", p->group);
	jsonwriter_add_string(w, "event", p->event);
	jsonwriter_add_string(w, "kind", probe_kind_word(p->kind));
	jsonwriter_add_bool(w, "defined", false);
	json_places(p, w);
	json_args(p, w);
	jsonwriter_add_string(w, "condition", p->filter);
	jsonwriter_add_string(w, "cost", cost_of_resolved(p));
	jsonwriter_open(w, "notes", '[');
	for (size_t i = 0; i < p->n_notes; i++)
		jsonwriter_add_string(w, NULL, p->notes[i]);
	if (p->wants_duration)
		jsonwriter_add_string(w, NULL, duration_note);
	jsonwriter_close(w);
	jsonwriter_close(w);
}

/* --- all of them ------------------------------------------------------------------------------ */

struct showing {
	const struct show_options *o;
	struct prober *prober;
	struct textbuf tb;
	struct jsonwriter json;
	size_t n;
};

static int show_one(struct showing *s, const char *text, struct errmsg *err)
{
	SCOPED(definition_free_scoped) struct definition *d = NULL;
	SCOPED(probe_free_scoped) struct probe *p = NULL;

	TRY(definition_parse(&d, text, err));
	TRY(probe_resolve(s->prober, d, &p, err));
	if (s->o->json) {
		json_probe(p, &s->json);
		return 0;
	}
	if (s->n++)
		textbuf_add_char(&s->tb, '\n');
	fmt_probe(p, &s->tb);
	return 0;
}

static int show_text(struct showing *s, const char *text, struct errmsg *err)
{
	SCOPED(probe_expansion_release) struct probe_expansion x = {0};
	int r = probeopts_expand(s->prober, text, false, &x, err);

	for (size_t i = 0; i < x.n && r >= 0; i++)
		r = show_one(s, x.texts[i], err);
	return r;
}

static void open_json(struct showing *s)
{
	textbuf_init(&s->tb, 1 << 24);
	jsonwriter_init(&s->json, &s->tb);
	if (!s->o->json)
		return;
	jsonwriter_open(&s->json, NULL, '{');
	jsonwriter_open(&s->json, "probes", '[');
}

static void print(struct showing *s)
{
	if (s->o->json) {
		jsonwriter_close(&s->json);
		jsonwriter_close(&s->json);
		textbuf_add_char(&s->tb, '\n');
	}
	fwrite(s->tb.start, 1, textbuf_len(&s->tb), stdout);
}

static int show_definitions(const struct show_options *o, char **texts, size_t n,
			    struct errmsg *err)
{
	struct probe_opened opened = {0};
	struct showing s = {.o = o};
	int r = probeopts_open(&opened, &o->where, true, err);

	TRY(r);
	s.prober = opened.prober;
	open_json(&s);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = show_text(&s, texts[i], err);
	if (r >= 0)
		print(&s);
	textbuf_release(&s.tb);
	probeopts_close(&opened);
	return r;
}

/* --- one that is there ------------------------------------------------------------------------ */

/* Writes "\tfield:unsigned long count;\toffset:…", without the fields that every event has. */
static void fmt_fields(const struct tracefs *t, const struct probe_defined *d, struct textbuf *tb)
{
	char path[3 * TRACEFS_NAME_MAX];
	struct errmsg ignored = {0};
	TEXTBUF(text, 1 << 20);

	snprintf(path, sizeof(path), "events/%s/%s/format", d->group, d->event);
	if (tracefs_read_text(t, "", path, &text, &ignored) >= 0) {
		textbuf_add_str(tb, "fields:\n");
		for (const char *p = text.start; (p = strstr(p, "field:"));) {
			p += strlen("field:");
			if (!strstr(p, "common_") ||
			    strcspn(p, ";") < (size_t)(strstr(p, "common_") - p))
				textbuf_addf(tb, "  %.*s\n", (int)strcspn(p, ";"), p);
		}
	}
}

static void json_defined(const struct probe_list *l, size_t first, struct jsonwriter *w)
{
	const struct probe_defined *d = &l->list[first];

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "group", d->group);
	jsonwriter_add_string(w, "event", d->event);
	jsonwriter_add_string(w, "kind", probe_kind_word(d->kind));
	jsonwriter_add_bool(w, "defined", true);
	jsonwriter_add_bool(w, "on", d->is_on);
	jsonwriter_open(w, "places", '[');
	for (size_t i = first; i < l->n; i++)
		if (!strcmp(l->list[i].event, d->event) && !strcmp(l->list[i].group, d->group)) {
			jsonwriter_open(w, NULL, '{');
			jsonwriter_add_string(w, "line", l->list[i].line);
			jsonwriter_add_uint(w, "hits", l->list[i].n_hits);
			jsonwriter_add_uint(w, "missed", l->list[i].n_missed);
			jsonwriter_close(w);
		}
	jsonwriter_close(w);
	jsonwriter_add_string(w, "cost", cost_of_line(d));
	jsonwriter_close(w);
}

static void fmt_defined(const struct tracefs *t, const struct probe_list *l, size_t first,
			struct textbuf *tb)
{
	const struct probe_defined *d = &l->list[first];

	textbuf_addf(tb, "%s:%s, %s, %s\nthe kernel was given:\n", d->group, d->event,
		     probe_kind_word(d->kind), d->is_on ? "on" : "off");
	for (size_t i = first; i < l->n; i++)
		if (!strcmp(l->list[i].event, d->event) && !strcmp(l->list[i].group, d->group))
			textbuf_addf(tb, "  %s  (%llu hits, %llu missed)\n", l->list[i].line,
				     (unsigned long long)l->list[i].n_hits,
				     (unsigned long long)l->list[i].n_missed);
	fmt_fields(t, d, tb);
	textbuf_addf(tb, "cost: %s\n", cost_of_line(d));
}

/* Returns 0 if there is no probe of that name. */
static int show_defined(const struct show_options *o, const char *name, struct errmsg *err)
{
	struct showing s = {.o = o};
	struct probe_list l;
	struct tracefs t;
	int r = 0;

	if (tracefs_open(&t, err) < 0 || probes_list(&t, &l, err) < 0) {
		*err = (struct errmsg){0};
		return 0;
	}
	for (size_t i = 0; i < l.n && !r; i++)
		if (probe_defined_matches(&l.list[i], name)) {
			open_json(&s);
			if (o->json)
				json_defined(&l, i, &s.json);
			else
				fmt_defined(&t, &l, i, &s.tb);
			print(&s);
			textbuf_release(&s.tb);
			r = 1;
		}
	probe_list_release(&l);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct show_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err), r = 0;
	char **texts;
	size_t n_texts;

	TRY(n);
	if (!n)
		return errmsg_set(err, -EINVAL,
				  "probe show needs a definition, or the name of a probe that is "
				  "defined (GROUP:EVENT)");
	if (n == 1 && !definition_is_one(argv[1]) && show_defined(&o, argv[1], err))
		return 0;
	TRY(probeopts_join(argv + 1, n, &texts, &n_texts, err));
	r = show_definitions(&o, texts, n_texts, err);
	probeopts_free_texts(texts, n_texts);
	return r;
}

const struct command probe_show = {
	.name = "probe show",
	.summary = "show one probe in detail: what it reads, where, and what it costs",
	.usage = "[options] DEFINITION | [GROUP:]EVENT",
	.options = rows,
	.run = run,
	.args = "@probe",
};
