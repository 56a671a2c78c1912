// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_recipe.c - any text as a recipe, any bytes as the records that its questions meet.
 *
 *	input:  text of a recipe [ NUL  bytes of a record ]
 *
 * The text is read; if it is a recipe, each of its questions is asked of a few records of every event, on two
 * CPUs, and the answers are printed as text and as JSON. What is refused must have a reason.
 */
#include "analyse/study/study.h"
#include "base/errmsg.h"
#include "base/json/jsonwriter.h"
#include "capture/recipe.h"
#include "present/result/studytext.h"
#include "symbols/tasks.h"
#include "../lib/memtrace.h"

static const struct memtrace_format formats_table[] = {
	{"ftrace", "name: kernel_stack\nID: 1" COMMON
		   "\tfield:unsigned long caller[8];\toffset:8;\tsize:64;\tsigned:0;\n"
		   "\nprint fmt: \"%lx\", REC->caller[0]\n"},
	{"ftrace", "name: funcgraph_entry\nID: 2" COMMON
		   "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
		   "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
		   "\nprint fmt: \"%d\", REC->depth\n"},
	{"ftrace", "name: funcgraph_exit\nID: 3" COMMON
		   "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
		   "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
		   "\nprint fmt: \"%d\", REC->depth\n"},
	{"sched", "name: sched_switch\nID: 4" COMMON
		  "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		  "\tfield:int pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		  "\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
		  "\tfield:long state;\toffset:32;\tsize:8;\tsigned:1;\n"
		  "\tfield:int sig;\toffset:40;\tsize:4;\tsigned:1;\n"
		  "\tfield:void * function;\toffset:48;\tsize:8;\tsigned:0;\n"
		  "\nprint fmt: \"%s\", __print_symbolic(REC->pid, { 0, \"zero\" })\n"},
};

struct fixture {
	uint8_t file[16384];
	struct tracefile *tf;
	struct formats *formats;
	struct tasks tasks;
};

static struct fixture *fixture_get(void)
{
	static struct fixture fx;

	if (fx.formats)
		return &fx;
	if (MEMTRACE_OPEN(&fx, formats_table, sizeof(formats_table) / sizeof(*formats_table),
			  "0000000000000000 T start\n0000000000001000 T vfs_read\n",
			  "7 bash\n") < 0 ||
	    tasks_init(&fx.tasks, tracefile_text(fx.tf, TRACEFILE_CMDLINES)) < 0)
		abort();
	return &fx;
}

static void feed(struct fixture *fx, struct study *s, const uint8_t *data, size_t size)
{
	static const int ids[] = {4, 1, 2, 3, 4, 9, 1, 3, 4};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		struct record rec = {.data = data,
				     .size = size,
				     .ts = i * 1000,
				     .cpu = i / 5,
				     .flags = i == 7 ? RECORD_MISSED : 0};

		rec.event = formats_find(fx->formats, ids[i]);
		rec.task = i == 4 ? NULL : tasks_find(&fx->tasks, i < 6 ? 7 : 0);
		study_add(s, &rec);
	}
}

static void ask(struct fixture *fx, const char *line, const uint8_t *data, size_t size)
{
	struct study_spec spec;
	struct errmsg err = {0};
	struct jsonwriter w;
	struct textbuf tb;
	struct study *s;

	if (study_parse(&spec, line, &err) < 0) {
		if (!err.code || !err.text[0])
			abort();
		return;
	}
	s = study_new(&spec, fx->formats);
	if (!s)
		return;
	feed(fx, s, data, size);
	textbuf_init(&tb, 1 << 20);
	jsonwriter_init(&w, &tb);
	if (study_finish(s) >= 0) {
		studytext_fmt(s, true, false, &tb);
		studytext_fmt_json(s, false, &w);
	}
	textbuf_release(&tb);
	study_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct fixture *fx = fixture_get();
	const uint8_t *nul = n ? memchr(input, 0, n) : NULL;
	size_t len = nul ? (size_t)(nul - input) : n, size = nul ? n - len - 1 : 0;
	char *text = malloc(len + 1);
	uint8_t *data = malloc(size + !size);
	struct errmsg err = {0};
	struct recipe r;

	memcpy(text, input, len);
	text[len] = 0;
	memcpy(data, size ? nul + 1 : input, size);
	if (recipe_parse(&r, text, "recipe", &err) >= 0) {
		for (size_t i = 0; i < r.n_lines; i++)
			if (r.lines[i].key == RECIPE_SHOW)
				ask(fx, r.lines[i].value, data, size);
		recipe_release(&r);
	} else if (!err.code || !err.text[0]) {
		abort(); /* refused without a reason */
	}
	free(data);
	free(text);
	return 0;
}
