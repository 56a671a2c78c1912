// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * add.c - `sonde probe add`: resolves definitions and leaves them in the kernel.
 *
 *	resolve all ─▶ define all ─▶ say how to use them
 *
 * All or none: nothing is defined before all are resolved (draft.h).
 */
#include "base/textbuf.h"
#include "cli/probe/commands.h"
#include "capture/tracefs/draft.h"
#include "cli/probe/opts.h"
#include "probe/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct add_options {
	struct probe_options where;
	char **texts; /* of -a */
	size_t n_texts;
	bool dry_run, only_lines, force, quiet;
};

static int take_text(void *opts, const char *value, struct errmsg *err)
{
	struct add_options *o = opts;
	char **texts = o->n_texts < PROBEOPTS_DEFINITIONS_MAX
			       ? realloc(o->texts, (o->n_texts + 1) * sizeof(*texts))
			       : NULL;

	if (texts)
		o->texts = texts;
	if (!texts || !(texts[o->n_texts] = strdup(value)))
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the definitions");
	o->n_texts++;
	return 0;
}

static const struct option_row rows[] = {
	{OPTION_CALL, 'a', "add", "DEFINITION", "define this probe; repeatable",
	 .apply = take_text},
	{OPTION_FLAG, 'n', "dry-run", NULL, "define nothing; only show what would be defined",
	 offsetof(struct add_options, dry_run)},
	{OPTION_FLAG, 'D', "definition", NULL,
	 "define nothing; print the definitions in the kernel's syntax",
	 offsetof(struct add_options, only_lines)},
	{OPTION_FLAG, 'f', "force", NULL, "if the given name is in use, append _1, _2 …",
	 offsetof(struct add_options, force)},
	{OPTION_FLAG, 'q', "quiet", NULL, "print only errors", offsetof(struct add_options, quiet)},
	PROBEOPTS_ROWS(struct add_options, where),
	{OPTION_END},
};

static int resolve_one(struct probe_drafts *a, struct prober *prober, const char *text,
		       struct errmsg *err)
{
	struct probe_draft *list = realloc(a->list, (a->n + 1) * sizeof(*list)), *one;
	int r;

	if (!list)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the definitions");
	a->list = list;
	one = &list[a->n++];
	*one = (struct probe_draft){0};
	r = definition_parse(&one->d, text, err);
	return r < 0 ? r : probe_draft_resolve(one, prober, err);
}

static int resolve(struct probe_drafts *a, struct prober *prober, char **texts, size_t n,
		   bool quiet, struct errmsg *err)
{
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++) {
		struct probe_expansion x = {0};

		r = probeopts_expand(prober, texts[i], quiet, &x, err);
		for (size_t k = 0; k < x.n && r >= 0; k++)
			r = resolve_one(a, prober, x.texts[k], err);
		probe_expansion_release(&x);
	}
	return r;
}

/* --- names ------------------------------------------------------------------------------------- */

/* Two in one command that have no name of their own part by a number; with -f any. */
static void choose_names(const struct probe_opened *opened, struct probe_drafts *a, bool force)
{
	const struct tracefs *t = opened->has_tracefs ? &opened->t : NULL;

	for (size_t i = 0; i < a->n; i++)
		if (force ||
		    (!a->list[i].d->event && probe_drafts_taken(a, NULL, i, a->list[i].event)))
			probe_drafts_add_suffix(a, t, i);
}

/* --- showing ----------------------------------------------------------------------------------- */

static void print_lines(const struct probe_drafts *a)
{
	struct textbuf tb;

	textbuf_init(&tb, 1 << 24);
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < a->list[i].p->n_places; k++) {
			probe_fmt_line(a->list[i].p, k, NULL, a->list[i].event, &tb);
			textbuf_add_char(&tb, '\n');
		}
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	textbuf_release(&tb);
}

/* Whether one before has the same: what is true of many is told once. */
static bool is_told(const struct probe_drafts *a, size_t n, const char *note)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < a->list[i].p->n_notes; k++)
			if (!strcmp(a->list[i].p->notes[k], note))
				return true;
	return false;
}

/* What the kernel does not know of it; told once, also if it is the same of many. */
static void print_lost(const struct probe *p, struct textbuf *told)
{
	struct textbuf tb;

	textbuf_init(&tb, 1 << 16);
	probe_fmt_lost(p, &tb);
	textbuf_add_char(&tb, 0);
	if (!tb.overflow && textbuf_len(&tb) > 1 &&
	    (textbuf_len(&tb) != textbuf_len(told) ||
	     memcmp(tb.start, told->start, textbuf_len(&tb)))) {
		fprintf(stderr, "sonde: %s\n", tb.start);
		textbuf_clear(told);
		textbuf_add(told, tb.start, textbuf_len(&tb));
	}
	textbuf_release(&tb);
}

static void print_notes(const struct probe_drafts *a)
{
	struct textbuf lost;

	textbuf_init(&lost, 1 << 16);
	for (size_t i = 0; i < a->n; i++) {
		for (size_t k = 0; k < a->list[i].p->n_notes; k++)
			if (!is_told(a, i, a->list[i].p->notes[k]))
				fprintf(stderr, "sonde: %s\n", a->list[i].p->notes[k]);
		print_lost(a->list[i].p, &lost);
	}
	textbuf_release(&lost);
}

static void print_one(const struct probe_draft *one)
{
	const struct probe *p = one->p;

	printf("  %s:%s  (%s on %s", p->group, one->event, probe_kind_word(p->kind),
	       p->places[0].text);
	if (p->n_places > 1)
		printf(" and %zu more place%s", p->n_places - 1, p->n_places > 2 ? "s" : "");
	for (size_t i = 0; i < p->n_args; i++)
		printf("%s%s", i ? ", " : ", with ", p->args[i].name);
	puts(")");
}

/* Advice, for a person: not on standard output, where a script reads the names. */
static void print_hints(const struct probe_drafts *a)
{
	fprintf(stderr, "\nto use %s:     sonde record", a->n > 1 ? "them" : "it");
	for (size_t i = 0; i < a->n; i++)
		fprintf(stderr, " -e %s:%s", a->list[i].p->group, a->list[i].event);
	fputs(" sleep 1\n", stderr);
	fprintf(stderr, "to remove %s:  sonde probe del", a->n > 1 ? "them" : "it");
	for (size_t i = 0; i < a->n; i++)
		fprintf(stderr, " %s:%s", a->list[i].p->group, a->list[i].event);
	fputc('\n', stderr);
}

static void print_added(const struct probe_drafts *a, bool dry)
{
	printf("%s:\n", dry ? "would be defined" : "defined");
	for (size_t i = 0; i < a->n; i++)
		print_one(&a->list[i]);
	fflush(stdout);
	if (!dry)
		print_hints(a);
}

/* --- the whole --------------------------------------------------------------------------------- */

static int add(const struct add_options *o, char **texts, size_t n, struct errmsg *err)
{
	bool dry = o->dry_run || o->only_lines;
	struct probe_opened opened;
	struct probe_drafts all = {0};
	int r = probeopts_open(&opened, &o->where, dry, err);

	if (r >= 0)
		r = resolve(&all, opened.prober, texts, n, o->quiet, err);
	if (r >= 0)
		choose_names(&opened, &all, o->force);
	if (r >= 0 && !dry)
		r = probe_drafts_define(&all, &opened.t, err);
	if (r >= 0) {
		if (!o->quiet)
			print_notes(&all);
		if (o->only_lines)
			print_lines(&all);
		else if (!o->quiet)
			print_added(&all, dry);
	}
	probe_drafts_release(&all);
	probeopts_close(&opened);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct add_options o = {0};
	size_t n_more = 0;
	char **more = NULL;
	int n = command_parse(cmd, &o, argc, argv, err), r = n < 0 ? n : 0;

	if (r >= 0)
		r = probeopts_join(argv + 1, n, &more, &n_more, err);
	for (size_t i = 0; r >= 0 && i < n_more; i++)
		r = take_text(&o, more[i], err);
	if (r >= 0 && !o.n_texts)
		r = errmsg_set(err, -EINVAL,
			       "probe add needs a definition, as 'vfs_read(file, count)' or "
			       "'bash:readline%%return($retval:string)'");
	if (r >= 0)
		r = add(&o, o.texts, o.n_texts, err);
	probeopts_free_texts(more, n_more);
	probeopts_free_texts(o.texts, o.n_texts);
	return r;
}

const struct command probe_add = {
	.name = "probe add",
	.summary = "define probes that stay until they are deleted",
	.usage = "[options] DEFINITION…",
	.options = rows,
	.run = run,
	.args = "@function",
};
