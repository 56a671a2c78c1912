// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_doctor.c - `sonde doctor`: reports what this kernel can trace for this user.
 *
 *	Functions
 *	  yes  ftrace-enabled  the master switch
 *	  no   function_graph  with what they call, and how long it takes
 *	                       why:    the kernel is built without CONFIG_FUNCTION_GRAPH_TRACER
 *	                       remedy: a kernel with CONFIG_FUNCTION_GRAPH_TRACER=y
 *
 * With names of abilities, only these are shown, and the exit status is 0 if the kernel has them
 * all, so that a script can check them. capture/kernel/ability/ability.c contains the checks.
 */
#include "base/escaper.h"
#include "base/json/jsonwriter.h"
#include "base/scope.h"
#include "capture/kernel/ability/ability.h"
#include "cli/command.h"
#include "cli/screen/output.h"

#include <unistd.h>

#define TEXT_MAX_BYTES (1u << 20)
#define NAME_WIDTH     14

struct doctor_options {
	const char *colour;
	bool json;
};

static const struct option_row rows[] = {
	ROW_FLAG(0, "json", "print one JSON object", offsetof(struct doctor_options, json)),
	ROW_STRING(0, "color", "WHEN", "use colours: always, never or auto (on a terminal)",
		   offsetof(struct doctor_options, colour), .complete = "auto always never"),
	ROW_END,
};

static const struct answer_look {
	const char *word, *colour, *json;
} looks[] = {
	[ABILITY_NO] = {"no", ESCAPER_RED, "no"},
	[ABILITY_YES] = {"yes", ESCAPER_GREEN, "yes"},
	[ABILITY_UNKNOWN] = {"?", ESCAPER_YELLOW, "unknown"},
};

static bool is_wanted(const struct ability *row, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], row->name))
			return true;
	return !n;
}

/* --- text ------------------------------------------------------------------------------------- */

static void fmt_head(const struct abilities *a, struct textbuf *tb)
{
	textbuf_addf(tb, "%s, as %s%s\n", a->kernel, a->is_root ? "root" : "an ordinary user",
		     a->in_container ? ", in a container" : "");
	textbuf_addf(tb, "options of the kernel: %s\n",
		     a->config[0] ? a->config
				  : "not found (/proc/config.gz, /boot/config-RELEASE)");
	textbuf_addf(tb, "lockdown: %s\n",
		     a->lockdown[0] ? a->lockdown : "unknown (securityfs is not mounted)");
}

static void fmt_detail(const char *head, const char *text, struct textbuf *tb)
{
	if (text[0])
		textbuf_addf(tb, "  %*s  %-7s %s\n", 5 + NAME_WIDTH, "", head, text);
}

static void fmt_row(const struct ability *row, bool colour, struct textbuf *tb)
{
	const struct answer_look *look = &looks[row->answer];

	textbuf_addf(tb, "  %s%-3s%s  %-*s  %s", colour ? look->colour : "", look->word,
		     colour ? ESCAPER_OFF : "", NAME_WIDTH, row->name, row->what);
	if (row->answer == ABILITY_YES && row->why[0])
		textbuf_addf(tb, " (%s)", row->why);
	textbuf_add_char(tb, '\n');
	if (row->answer != ABILITY_YES)
		fmt_detail("why:", row->why, tb);
	if (row->answer != ABILITY_YES)
		fmt_detail("remedy:", row->remedy, tb);
}

static void fmt_text(const struct abilities *a, char **names, int n, bool colour,
		     struct textbuf *tb)
{
	const char *group = "";

	if (!n)
		fmt_head(a, tb);
	for (size_t i = 0; i < a->n; i++) {
		if (!is_wanted(&a->rows[i], names, n))
			continue;
		if (!n && strcmp(group, a->rows[i].group))
			textbuf_addf(tb, "\n%s%s%s\n", colour ? ESCAPER_BOLD : "", a->rows[i].group,
				     colour ? ESCAPER_OFF : "");
		group = a->rows[i].group;
		fmt_row(&a->rows[i], colour, tb);
	}
}

/* --- JSON ------------------------------------------------------------------------------------- */

static const char *or_null(const char *s)
{
	return *s ? s : NULL;
}

static void fmt_json(const struct abilities *a, char **names, int n, struct textbuf *tb)
{
	struct jsonwriter w;

	jsonwriter_init(&w, tb);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_string(&w, "kernel", a->kernel);
	jsonwriter_add_bool(&w, "root", a->is_root);
	jsonwriter_add_bool(&w, "container", a->in_container);
	jsonwriter_add_string(&w, "config", or_null(a->config));
	jsonwriter_add_string(&w, "lockdown", or_null(a->lockdown));
	jsonwriter_add_string(&w, "directory", or_null(a->directory));
	jsonwriter_open(&w, "abilities", '[');
	for (size_t i = 0; i < a->n; i++) {
		const struct ability *row = &a->rows[i];

		if (!is_wanted(row, names, n))
			continue;
		jsonwriter_open(&w, NULL, '{');
		jsonwriter_add_string(&w, "name", row->name);
		jsonwriter_add_string(&w, "group", row->group);
		jsonwriter_add_string(&w, "what", row->what);
		jsonwriter_add_string(&w, "answer", looks[row->answer].json);
		jsonwriter_add_bool(&w, "tried", row->tried);
		jsonwriter_add_string(&w, "why", or_null(row->why));
		jsonwriter_add_string(&w, "remedy", or_null(row->remedy));
		jsonwriter_close(&w);
	}
	jsonwriter_close(&w);
	jsonwriter_close(&w);
	textbuf_add_char(tb, '\n');
}

/* --- the command ------------------------------------------------------------------------------ */

/* Returns 0 if the kernel has all abilities. */
static int status_of(const struct abilities *a, char **names, int n, struct errmsg *err)
{
	int status = 0;

	for (int i = 0; i < n; i++) {
		const struct ability *row = abilities_find(a, names[i]);

		if (!row)
			return abilities_refuse(a, names[i], err);
		if (row->answer != ABILITY_YES)
			status = 1;
	}
	return status;
}

static int print(const struct abilities *a, const struct doctor_options *o, char **names, int n,
		 struct errmsg *err)
{
	struct output out;
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int r;

	TRY(output_open(&out, o->json ? "never" : o->colour, o->json, err));
	if (o->json)
		fmt_json(a, names, n, &tb);
	else
		fmt_text(a, names, n, out.colour, &tb);
	r = output_write(&out, tb.start, textbuf_len(&tb));
	output_close(&out);
	return r;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct doctor_options o = {0};
	struct abilities a;
	int n = command_parse(cmd, &o, argc, argv, err), r, status;

	TRY(n);
	TRY(abilities_probe(&a, "", err));
	status = status_of(&a, argv + 1, n, err);
	r = status < 0 ? status : print(&a, &o, argv + 1, n, err);
	abilities_release(&a);
	return r < 0 ? r : status;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "show what this kernel can trace, and how to get the rest",
	.usage = "[options] [ABILITY]...",
	.options = rows,
	.run = run,
};
