// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * why.c - explains why a definition is refused, with perf's messages.
 *
 * perf has a message for each kind of error. sonde's own message, which marks the place and names
 * the remedy, follows below it. To find the kind of error, parts of the definition are tried
 * separately:
 *
 *	the place alone is refused       Probe point 'work' not found.
 *	an argument alone is refused     Failed to find the location of the 'n' variable at this
 *	                                 address.
 *
 * Errors in the grammar have a reason (enum definition_reason), which the table below translates.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/as/perfprobe/perfprobe.h"
#include "probe/definition/definition.h"
#include "symbols/dwarf/debuginfo.h"

#include <errno.h>
#include <stdio.h>

/* --- grammar ---------------------------------------------------------------------------------- */

static const struct {
	enum definition_reason reason;
	const char *sentence;
} sentences[] = {
	{DEFINITION_REASON_LINE, "There is non-digit char in line number."},
	{DEFINITION_REASON_OFFSET, "There is non-digit character in offset."},
	{DEFINITION_REASON_FILE_TWICE, "SRC@SRC is not allowed."},
	{DEFINITION_REASON_LINE_AND_PATTERN, "Lazy pattern can't be used with line number."},
	{DEFINITION_REASON_LINE_AND_OFFSET, "Offset can't be used with line number."},
	{DEFINITION_REASON_OFFSET_ALONE, "Offset requires an entry function."},
	{DEFINITION_REASON_RETURN_INSIDE,
	 "Offset/Line/Lazy pattern can't be used with return probe."},
	{DEFINITION_REASON_ADDRESS, "Invalid absolute address."},
};

/* Takes "1a" of "1a=work", or "ret" of "work%ret". */
static void take_part(const char *text, char begin, const char *ends, char *part, size_t n_bytes)
{
	const char *at = begin ? strchr(text, begin) : NULL;

	at = at ? at + 1 : text;
	snprintf(part, n_bytes, "%.*s", (int)strcspn(at, ends), at);
}

int perf_probe_say_semantic(const struct perf_probe_options *o, const char *text,
			    const struct errmsg *err)
{
	char part[100];

	switch (err->reason) {
	case DEFINITION_REASON_FILE_ALONE:
		perf_probe_say(o, "Probe point '%s' not found.\n%s\n", text, err->text);
		return -ENOENT; /* perf treats it as a function */
	case DEFINITION_REASON_NAME:
		take_part(text, 0, ":=", part, sizeof(part));
		perf_probe_say(o,
			       "Semantic error :%s is bad for event name -it must follow C "
			       "symbol-naming rule.\n%s\n",
			       part, err->text);
		return -EINVAL;
	case DEFINITION_REASON_SUFFIX:
		take_part(text, '%', ";:+@% \t(", part, sizeof(part));
		perf_probe_say(o, "Semantic error :%%%s is not supported.\n%s\n", part, err->text);
		return -ENOTSUP;
	}
	for (size_t i = 0; i < ARRAY_LEN(sentences); i++)
		if (sentences[i].reason == err->reason) {
			perf_probe_say(o, "Semantic error :%s\n%s\n", sentences[i].sentence,
				       err->text);
			return -EINVAL;
		}
	perf_probe_say(o, err->code == -1 ? "%s\n" : "Semantic error :%s\n", err->text);
	return errmsg_code(err);
}

/* --- what cannot be resolved ------------------------------------------------------------------ */

/* Tries the definition with these arguments only. */
static int try_part(const struct definition *d, struct prober *prober, size_t first, size_t n)
{
	struct definition part = *d;
	struct errmsg ignored = {0};
	SCOPED(probe_free_scoped) struct probe *p = NULL;

	part.args = d->args + first;
	part.n_args = n;
	part.filter = NULL;
	TRY(probe_resolve(prober, &part, &p, &ignored));
	return 0;
}

static bool has_debug_information(const struct perf_probe_options *o,
				  const struct perf_probe_target *target)
{
	struct probe_target where;
	struct errmsg ignored = {0};
	struct debuginfo *info;
	char path[PATH_MAX];
	bool has;

	perf_probe_where(o, target, path, &where);
	if (probetarget_open(&where, NULL, &info, &ignored) < 0)
		return false;
	has = debuginfo_has_dwarf(info);
	debuginfo_close(info);
	return has;
}

static bool needs_debug_information(const struct definition *d)
{
	for (size_t i = 0; i < d->n_args; i++) {
		const struct expression *e = d->args[i].value;

		while (e->left)
			e = e->left;
		if (e->kind == EXPRESSION_NAME || e->kind == EXPRESSION_VARS ||
		    e->kind == EXPRESSION_PARAMS)
			return true;
	}
	return d->file || d->line || d->pattern;
}

static int say_no_debug_information(const struct perf_probe_options *o, const char *program)
{
	perf_probe_say(o,
		       "The %s file has no debug information.\nRebuild with -g, or install "
		       "an appropriate debuginfo package.\n",
		       program);
	return -ENOENT;
}

static const char *shown_target(const struct perf_probe_target *target)
{
	if (target->program)
		return target->program;
	return target->module ? target->module : "kernel";
}

static void say_place(const struct perf_probe_options *o, const struct perf_probe_target *target,
		      const struct definition *d, bool has_dwarf, bool is_too_far)
{
	TEXTBUF(tb, 4096);

	if (d->offset && is_too_far) {
		perf_probe_say(o, "Offset %llu is bigger than the size of %s\n",
			       (unsigned long long)d->offset, d->function);
		return;
	}
	if (!has_dwarf || d->is_return) {
		perf_probe_say(o, "Failed to find symbol %s in %s\n",
			       d->function ? d->function : "", shown_target(target));
		return;
	}
	perf_probe_fmt_point(d, &tb);
	perf_probe_say(o, "Probe point '%.*s' not found.\n", (int)textbuf_len(&tb), tb.start);
}

/* Explains a number that is used as text: the argument is found, and only the type is wrong. */
static bool say_cast(const struct perf_probe_options *o, struct definition *d, size_t i,
		     struct prober *prober)
{
	struct definition_arg arg = d->args[i];
	struct definition part = *d;
	struct errmsg ignored = {0};
	TEXTBUF(type, 4096);
	SCOPED(probe_free_scoped) struct probe *p = NULL;
	size_t at;

	if (!arg.type || (strcmp(arg.type, "string") && strcmp(arg.type, "ustring")))
		return false;
	arg.type = NULL;
	part.args = &arg;
	part.n_args = 1;
	part.filter = NULL;
	if (probe_resolve(prober, &part, &p, &ignored) < 0)
		return false;
	if (p->n_args && p->args[0].type.world)
		type_fmt(p->args[0].type, &type);
	/* the form is NAME=VALUE:TYPE */
	at = arg.span.at + (arg.name ? strlen(arg.name) + 1 : 0);
	perf_probe_say(o, "Failed to cast into string: %.*s(%.*s) is not a pointer nor array.\n",
		       arg.type_span.at > at ? (int)(arg.type_span.at - 1 - at) : 0, d->text + at,
		       (int)textbuf_len(&type), type.start);
	return true;
}

/*
 * Reports that the variable does not exist; for a missing member, sonde's own message is enough.
 * Returns the error code.
 */
static int say_argument(const struct perf_probe_options *o, struct definition *d,
			struct prober *prober)
{
	for (size_t i = 0; i < d->n_args; i++) {
		struct expression *whole = d->args[i].value, *e = whole;
		int r;

		if (try_part(d, prober, i, 1) >= 0)
			continue;
		if (say_cast(o, d, i, prober))
			return -EINVAL;
		while (e->left)
			e = e->left;
		d->args[i].value = e;
		r = e == whole ? -ENOENT : try_part(d, prober, i, 1);
		d->args[i].value = whole;
		if ((r != -ENOENT && r != -ENODATA) || e->kind != EXPRESSION_NAME)
			return -EINVAL;
		perf_probe_say(o,
			       "Failed to find the location of the '%s' variable at this "
			       "address.\n Perhaps it has been optimized out.\n Use -V "
			       "with the --range option to show '%s' location range.\n",
			       e->text, e->text);
		return -ENOENT;
	}
	return -EINVAL;
}

int perf_probe_say_why(const struct perf_probe_options *o, const struct perf_probe_definition *of,
		       struct definition *d, struct prober *prober, int code)
{
	bool is_found = try_part(d, prober, 0, 0) >= 0;
	bool has_dwarf = has_debug_information(o, &of->target);
	struct definition entry = *d;

	if (code == -EOPNOTSUPP && !of->target.program) {
		perf_probe_say(o, "kprobe_events does not exist.\nPlease rebuild kernel with "
				  "CONFIG_KPROBE_EVENTS=y.\n");
		return -ENOENT;
	}
	if (d->form != DEFINITION_PLACE || d->target)
		return code;
	if (!has_dwarf && of->target.program && needs_debug_information(d))
		return say_no_debug_information(o, of->target.program);
	if (is_found)
		return say_argument(o, d, prober);
	entry.offset = 0;
	if (code == -ENOENT || code == -EINVAL)
		say_place(o, &of->target, d, has_dwarf,
			  code == -ENOENT && try_part(&entry, prober, 0, 0) >= 0);
	return -ENOENT;
}

/*
 * Checks the number of places. perf searches the debug information, then the symbols, where it
 * finds no variables and no inlined copies. Each has its own message. If only the inlined copies
 * are too many, perf probes the functions without them; sonde refuses that.
 */
int perf_probe_check_number(const struct perf_probe_options *o,
			    const struct perf_probe_definition *of, size_t n_functions,
			    size_t n_points)
{
	bool needs_dwarf = needs_debug_information(of->d);
	bool has_dwarf;

	if (n_points <= perf_probe_most(o))
		return 0;
	has_dwarf = has_debug_information(o, &of->target);
	if (!has_dwarf && needs_dwarf && of->target.program)
		return say_no_debug_information(o, of->target.program);
	if ((has_dwarf && !of->d->is_return) || needs_dwarf)
		perf_probe_say(o, "Too many( > %zu) probe point found.\n", perf_probe_most(o));
	if (needs_dwarf || n_functions <= perf_probe_most(o))
		return -ERANGE;
	perf_probe_say(o, "Too many functions matched in %s\n", shown_target(&of->target));
	return -E2BIG;
}
