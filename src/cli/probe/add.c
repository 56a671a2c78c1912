// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * add.c - `sonde probe add`: resolves definitions and adds them to the kernel permanently.
 *
 *	resolve all ─▶ define all ─▶ print hints how to use them
 *
 * No probe is defined before all are resolved (draft.h).
 */
#include "base/array.h"
#include "base/scope.h"
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

	if (!ARRAY_ONE_MORE(o->texts, o->n_texts, PROBEOPTS_DEFINITIONS_MAX) ||
	    !(o->texts[o->n_texts] = strdup(value)))
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the definitions");
	o->n_texts++;
	return 0;
}

static const struct option_row rows[] = {
	ROW_CALL('a', "add", "DEFINITION", "define this probe; repeatable", take_text),
	ROW_FLAG('n', "dry-run", "define nothing; only show what would be defined",
		 offsetof(struct add_options, dry_run)),
	ROW_FLAG('D', "definition", "define nothing; print the definitions in the kernel's syntax",
		 offsetof(struct add_options, only_lines)),
	ROW_FLAG('f', "force", "if the given name is in use, append _1, _2 …",
		 offsetof(struct add_options, force)),
	ROW_FLAG('q', "quiet", "print only errors", offsetof(struct add_options, quiet)),
	PROBEOPTS_ROWS(struct add_options, where),
	ROW_END,
};

static int resolve_one(struct probe_drafts *a, struct prober *prober, const char *text,
		       struct errmsg *err)
{
	struct probe_draft *one;
	int r;

	if (!ARRAY_ONE_MORE(a->list, a->n, ARRAY_NO_MAX))
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the definitions");
	one = &a->list[a->n++];
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

/* --- names ------------------------------------------------------------------------------------ */

/*
 * Chooses names. Adds a number to a name that the user did not choose, if a definition of the same
 * command has it. With -f adds a number to every name that is in use.
 */
static void choose_names(const struct probe_opened *opened, struct probe_drafts *a, bool force)
{
	const struct tracefs *t = opened->has_tracefs ? &opened->t : NULL;

	for (size_t i = 0; i < a->n; i++)
		if (force ||
		    (!a->list[i].d->event && probe_drafts_taken(a, NULL, i, a->list[i].event)))
			probe_drafts_add_suffix(a, t, i);
}

/* --- showing ---------------------------------------------------------------------------------- */

static void print_lines(const struct probe_drafts *a)
{
	TEXTBUF(tb, 1 << 24);

	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < a->list[i].p->n_places; k++) {
			probe_fmt_line(a->list[i].p, k, NULL, a->list[i].event, &tb);
			textbuf_add_char(&tb, '\n');
		}
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
}

/* Returns true if an earlier draft has the same note, because each note is printed once. */
static bool is_told(const struct probe_drafts *a, size_t n, const char *note)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < a->list[i].p->n_notes; k++)
			if (!strcmp(a->list[i].p->notes[k], note))
				return true;
	return false;
}

/* Reports what the kernel's format lacks. A repeated note is printed once. */
static void print_lost(const struct probe *p, struct textbuf *told)
{
	TEXTBUF(tb, 1 << 16);

	probe_fmt_lost(p, &tb);
	textbuf_add_char(&tb, 0);
	if (!tb.overflow && textbuf_len(&tb) > 1 &&
	    (textbuf_len(&tb) != textbuf_len(told) ||
	     memcmp(tb.start, told->start, textbuf_len(&tb)))) {
		fprintf(stderr, "sonde: %s\n", tb.start);
		textbuf_clear(told);
		textbuf_add(told, tb.start, textbuf_len(&tb));
	}
}

static void print_notes(const struct probe_drafts *a)
{
	TEXTBUF(lost, 1 << 16);

	for (size_t i = 0; i < a->n; i++) {
		for (size_t k = 0; k < a->list[i].p->n_notes; k++)
			if (!is_told(a, i, a->list[i].p->notes[k]))
				fprintf(stderr, "sonde: %s\n", a->list[i].p->notes[k]);
		print_lost(a->list[i].p, &lost);
	}
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

/* Prints hints for users to standard error, because scripts read the names on standard output. */
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

/* --- the whole -------------------------------------------------------------------------------- */

static int add_to(const struct add_options *o, struct probe_opened *opened,
		  struct probe_drafts *all, bool dry, struct errmsg *err)
{
	TRY(resolve(all, opened->prober, o->texts, o->n_texts, o->quiet, err));
	choose_names(opened, all, o->force);
	if (!dry)
		TRY(probe_drafts_define(all, &opened->t, err));
	if (!o->quiet)
		print_notes(all);
	if (o->only_lines)
		print_lines(all);
	else if (!o->quiet)
		print_added(all, dry);
	return 0;
}

static int add(const struct add_options *o, struct errmsg *err)
{
	bool dry = o->dry_run || o->only_lines;
	struct probe_opened opened;
	struct probe_drafts all = {0};
	int r = probeopts_open(&opened, &o->where, dry, err);

	r = r < 0 ? r : add_to(o, &opened, &all, dry, err);
	probe_drafts_release(&all);
	probeopts_close(&opened);
	return r;
}

static void release(struct add_options *o)
{
	probeopts_free_texts(o->texts, o->n_texts);
}

static int take_words(struct add_options *o, char **words, int n, struct errmsg *err)
{
	size_t n_more = 0;
	char **more = NULL;
	int r = probeopts_join(words, n, &more, &n_more, err);

	for (size_t i = 0; r >= 0 && i < n_more; i++)
		r = take_text(o, more[i], err);
	probeopts_free_texts(more, n_more);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	SCOPED(release) struct add_options o = {0};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	TRY(take_words(&o, argv + 1, n, err));
	if (!o.n_texts)
		return errmsg_set(err, -EINVAL,
				  "probe add needs a definition, as 'vfs_read(file, count)' or "
				  "'bash:readline%%return($retval:string)'");
	return add(&o, err);
}

const struct command probe_add = {
	.name = "probe add",
	.summary = "define probes that stay until they are deleted",
	.usage = "[options] DEFINITION…",
	.options = rows,
	.run = run,
	.args = "@function",
};
