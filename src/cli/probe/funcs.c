// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * funcs.c - `sonde probe funcs`: the functions that can be probed.
 *
 *	$ sonde probe funcs -x ./prog 'w*'
 *	walk
 *	work	(symbol work.isra.0)
 *	wrap	(inlined 3 times)
 *
 * One name per line; remarks follow after a tab. With -v the place in the file and in the source,
 * too. Without a target the functions of the running kernel are listed from /proc/kallsyms, which
 * needs no debug information; -v and -k VMLINUX have more. --marks lists the marks that the author
 * put into a program.
 */
#include "base/json/jsonwriter.h"
#include "base/scope.h"
#include "cli/screen/output.h"
#include "cli/probe/commands.h"
#include "cli/probe/targetrows.h"
#include "probe/look/kernelfuncs.h"
#include "symbols/dwarf/debuginfo.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES     (64u << 10) /* write when this much text has accumulated */
#define TEXT_MAX_BYTES (16u << 20)
#define NAME_MAX_BYTES 1024

struct funcs_options {
	struct probe_target target;
	bool verbose, marks;
};

static const struct option_row rows[] = {
	PROBETARGET_ROWS(struct funcs_options, target),
	ROW_FLAG('v', "verbose", "also show addresses, symbols, files and lines",
		 offsetof(struct funcs_options, verbose)),
	ROW_FLAG(0, "marks",
		 "list the program's static probes (USDT); probe them as %PROVIDER:NAME",
		 offsetof(struct funcs_options, marks)),
	ROW_END,
};

struct funcs_run {
	const struct funcs_options *o;
	const char *pattern;
	struct output out;
	struct textbuf tb;
	struct jsonwriter json;
	char before[NAME_MAX_BYTES]; /* the last printed line, which is not repeated */
	uint64_t n;
	bool is_stripped;
	uint64_t entry; /* an address with code, for a program without symbols */
};

static int flush(struct funcs_run *run, size_t from_bytes)
{
	int r = 0;

	if (textbuf_len(&run->tb) >= from_bytes) {
		r = output_write(&run->out, run->tb.start, textbuf_len(&run->tb));
		textbuf_clear(&run->tb);
	}
	return r;
}

static void fmt_json(struct funcs_run *run, const struct debuginfo_function *f)
{
	struct jsonwriter *w = &run->json;

	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "name", f->name);
	if (f->choice)
		jsonwriter_add_string(w, "choice", f->choice);
	jsonwriter_add_string(w, "symbol", f->symbol);
	if (f->address) {
		jsonwriter_add_hex(w, "address", f->address);
		jsonwriter_add_uint(w, "bytes", f->n_bytes);
	}
	if (f->file) {
		jsonwriter_add_string(w, "file", f->file);
		jsonwriter_add_uint(w, "line", f->line);
	}
	jsonwriter_add_uint(w, "inlined", f->n_inlined);
	jsonwriter_close(w);
}

static void fmt_remarks(struct funcs_run *run, const struct debuginfo_function *f)
{
	struct textbuf *tb = &run->tb;
	char sep = '\t';

	if (f->symbol && f->is_alias) {
		textbuf_addf(tb, "%c(symbol %s)", sep, f->symbol);
		sep = ' ';
	}
	if (!f->address || (run->o->verbose && f->n_inlined))
		textbuf_addf(tb, "%c(%sinlined %u time%s)", sep, f->address ? "also " : "",
			     f->n_inlined, f->n_inlined == 1 ? "" : "s");
}

static void fmt_verbose(struct funcs_run *run, const struct debuginfo_function *f)
{
	struct textbuf *tb = &run->tb;

	if (f->address)
		textbuf_addf(tb, "%16llx %6llu  %s", (unsigned long long)f->address,
			     (unsigned long long)f->n_bytes, f->choice ? f->choice : f->name);
	else
		textbuf_addf(tb, "%16s %6s  %s", "-", "-", f->name);
	if (f->symbol && strcmp(f->symbol, f->name) && !f->is_alias)
		textbuf_addf(tb, "\t(symbol %s)", f->symbol);
	fmt_remarks(run, f);
	if (f->file)
		textbuf_addf(tb, "\t%s:%u", f->file, f->line);
	textbuf_add_char(tb, '\n');
}

static int print_function(void *ctx, const struct debuginfo_function *f)
{
	struct funcs_run *run = ctx;
	size_t begin = textbuf_len(&run->tb), len;

	run->n++;
	if (run->o->target.json) {
		fmt_json(run, f);
	} else if (run->o->verbose) {
		fmt_verbose(run, f);
	} else {
		textbuf_add_str(&run->tb, f->choice ? f->choice : f->name);
		fmt_remarks(run, f);
		textbuf_add_char(&run->tb, '\n');
		len = textbuf_len(&run->tb) - begin;
		if (len < sizeof(run->before)) {
			if (!memcmp(run->before, run->tb.start + begin, len) && !run->before[len])
				run->tb.pos = run->tb.start + begin;
			memcpy(run->before, run->tb.start + begin, len);
			run->before[len] = 0;
		}
	}
	return flush(run, TEXT_BYTES);
}

/* Prints "%libc:setjmp", and where its arguments are, as the author's compiler wrote it. */
static int print_mark(void *ctx, const struct debuginfo_mark *m)
{
	struct funcs_run *run = ctx;
	struct jsonwriter *w = &run->json;
	char name[NAME_MAX_BYTES];

	snprintf(name, sizeof(name), "%%%s:%s", m->provider, m->name);
	if (run->pattern && fnmatch(run->pattern, name, 0) && fnmatch(run->pattern, m->name, 0))
		return 0;
	run->n++;
	if (!run->o->target.json) {
		textbuf_addf(&run->tb, *m->arguments ? "%s\t%s\n" : "%s\n", name, m->arguments);
		return flush(run, TEXT_BYTES);
	}
	jsonwriter_open(w, NULL, '{');
	jsonwriter_add_string(w, "provider", m->provider);
	jsonwriter_add_string(w, "name", m->name);
	jsonwriter_add_string(w, "arguments", m->arguments);
	jsonwriter_add_hex(w, "address", m->address);
	jsonwriter_add_bool(w, "semaphore", m->semaphore);
	jsonwriter_close(w);
	return flush(run, TEXT_BYTES);
}

/* --- all -------------------------------------------------------------------------------------- */

static int list_file(struct funcs_run *run, struct errmsg *err)
{
	SCOPED(debuginfo_close_scoped) struct debuginfo *d = NULL;
	int r;

	TRY(probetarget_open(&run->o->target, NULL, &d, err));
	r = run->o->marks ? debuginfo_marks(d, print_mark, run, err)
			  : debuginfo_functions(d, run->pattern, print_function, run, err);
	if (r >= 0 && !run->o->marks && !debuginfo_has_dwarf(d) && run->o->verbose)
		fprintf(stderr,
			"sonde: there is no debug information%s%s; these are the symbols only\n",
			*debuginfo_build_id(d) ? " for build id " : "", debuginfo_build_id(d));
	run->is_stripped = !run->o->marks && run->o->target.program && !debuginfo_has_symbols(d) &&
			   (run->entry = debuginfo_entry(d));
	return r;
}

static int list_all(struct funcs_run *run, struct errmsg *err)
{
	const struct probe_target *t = &run->o->target;
	int r;

	if (t->json) {
		jsonwriter_open(&run->json, NULL, '{');
		jsonwriter_open(&run->json, run->o->marks ? "marks" : "functions", '[');
	}
	if (probefuncs_are_loaded(t) && (!t->module || !run->o->verbose))
		r = probefuncs_loaded(t->module, run->pattern, print_function, run, err);
	else
		r = list_file(run, err);
	TRY(r);
	if (!run->n && run->is_stripped)
		return errmsg_set(err, -ENODATA,
				  "%s has no symbols, so its functions have no names; an address "
				  "works in place of one: '%s:0x%llx'",
				  t->program, t->program, (unsigned long long)run->entry);
	if (!run->n && !t->json)
		return errmsg_set(err, -ENOENT, "there is no %s%s%s%s",
				  run->o->marks ? "mark" : "function", run->pattern ? " '" : "",
				  run->pattern ? run->pattern : "", run->pattern ? "'" : "");
	if (t->json) {
		jsonwriter_close(&run->json);
		jsonwriter_close(&run->json);
		textbuf_add_char(&run->tb, '\n');
	}
	return flush(run, 0);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct funcs_options o = {0};
	struct funcs_run run = {.o = &o};
	int n = command_parse(cmd, &o, argc, argv, err), r;

	TRY(n);
	if (n > 1)
		return errmsg_set(err, -EINVAL, "%s: '%s' is one pattern too many", cmd->name,
				  argv[2]);
	run.pattern = n ? argv[1] : NULL;
	if (o.marks && !o.target.program)
		return errmsg_set(err, -EINVAL,
				  "%s: marks are in programs and libraries; -x says which",
				  cmd->name);
	TRY(output_open(&run.out, "never", false, err));
	textbuf_init(&run.tb, TEXT_MAX_BYTES);
	jsonwriter_init(&run.json, &run.tb);
	r = list_all(&run, err);
	textbuf_release(&run.tb);
	output_close(&run.out);
	return r;
}

const struct command probe_funcs = {
	.name = "probe funcs",
	.summary = "list the functions that can be probed",
	.usage = "[options] [PATTERN]",
	.options = rows,
	.run = run,
	.args = "@function",
};
