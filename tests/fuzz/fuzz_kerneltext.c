// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_kerneltext.c - any text in any option that reaches the kernel.
 *
 *	input:  a byte that says which option, and the text; what follows a NUL is not looked at
 *
 * A plan that is accepted has no control character. Whatever is written to a file of the tracing directory (here a
 * directory that looks like it) is one line. No name leads out of the directory. A name that is noted in a journal
 * comes back as one note, with the same bytes.
 */
#include "base/errmsg.h"
#include "base/plain.h"
#include "capture/tracefs/journal/journal_int.h"
#include "capture/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check(bool good)
{
	if (!good)
		abort();
}

static void fill(struct plan *p, unsigned which, const char *text, struct errmsg *err)
{
	struct plan_buffer *b = plan_buffer(p);
	struct plan_words *lists[] = {
		&b->functions, &b->no_functions, &b->graph_functions, &b->no_graph_functions,
		&b->modules,   &b->options,	 &p->probes};
	const size_t n_lists = sizeof(lists) / sizeof(*lists);

	plan_add_event(p, which == n_lists ? text : "sched", false);
	if (which < n_lists)
		plan_words_add(lists[which], text);
	else if (which == n_lists + 1)
		plan_add_filter(p, text, err);
	else if (which == n_lists + 2)
		plan_add_trigger(p, text, err);
	else if (which == n_lists + 3)
		plan_add_buffer(p, text);
	else if (which == n_lists + 4)
		b->tracer = strdup(text);
	else if (which == n_lists + 5)
		b->clock = strdup(text);
	else if (which == n_lists + 6)
		plan_words_split(&b->pids, text);
}

static void check_plan(unsigned which, const char *text)
{
	struct errmsg err = {0};
	struct plan p;
	int r;

	plan_init(&p);
	fill(&p, which, text, &err);
	r = plan_check(&p, &err);
	check((r < 0) == (err.code < 0));
	check((r < 0) == (which < 14 && plain_find(text)));
	check(!plain_find(err.text)); /* it goes to a terminal */
	plan_release(&p);
}

static struct tracefs t;

static void remove_directory(void)
{
	char path[TRACEFS_PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/instances", t.root);
	rmdir(path);
	rmdir(t.root);
}

/* Made once, and goes with the process. */
static const struct tracefs *directory(void)
{
	char path[TRACEFS_PATH_MAX + 32];

	if (*t.root)
		return &t;
	snprintf(t.root, sizeof(t.root), "/tmp/sonde-fuzz-XXXXXX");
	check(mkdtemp(t.root));
	snprintf(path, sizeof(path), "%s/instances", t.root);
	check(!mkdir(path, 0700));
	atexit(remove_directory);
	return &t;
}

static void check_write(const struct tracefs *dir, const char *text)
{
	struct errmsg err = {0};
	char path[TRACEFS_PATH_MAX];
	FILE *f = fopen(tracefs_fmt_path(dir, "", "file", path), "w");
	struct textbuf now;

	check(f && !fclose(f));
	textbuf_init(&now, 1 << 20);
	if (tracefs_write(dir, "", "file", text, TRACEFS_SET, &err) >= 0) {
		check(!tracefs_read_text(dir, "", "file", &now, &err));
		check(strchr(now.start, '\n') == NULL || !strchr(now.start, '\n')[1]);
	} else {
		check(!plain_find(err.text));
	}
	textbuf_release(&now);
	unlink(path);
}

static void check_names(const struct tracefs *dir, const char *text)
{
	char path[TRACEFS_PATH_MAX];
	struct errmsg err = {0};
	size_t len = strlen(dir->root);

	tracefs_fmt_path(dir, text, "file", path);
	check(!*path || (!strncmp(path, dir->root, len) && !strstr(path, "/../")));
	tracefs_fmt_path(dir, "", text, path);
	check(!*path || !strstr(path, "/../"));
	if (tracefs_add_instance(dir, text, &err) >= 0) {
		check(!plain_find(text) && !strchr(text, '/'));
		check(!tracefs_remove_instance(dir, text, &err));
	}
}

static void check_note(enum note_kind kind, const char *text)
{
	struct notes notes = {0};
	struct textbuf tb;

	textbuf_init(&tb, 1 << 20);
	note_fmt(&tb, kind, kind == NOTE_FILE ? text : "", text, kind == NOTE_FILE ? text : "");
	check(!notes_parse(tb.start, textbuf_len(&tb), &notes));
	check(notes.n == 1 && notes.list[0].kind == kind && !strcmp(notes.list[0].name, text));
	check(kind != NOTE_FILE ||
	      (!strcmp(notes.list[0].instance, text) && !strcmp(notes.list[0].text, text)));
	notes_release(&notes);
	textbuf_release(&tb);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	const struct tracefs *dir = directory();
	char *text;

	if (n < 2 || !input[1] || n > 4000)
		return 0;
	text = malloc(n);
	memcpy(text, input + 1, n - 1);
	text[n - 1] = 0;
	check_plan(input[0] % 16, text);
	check_write(dir, text);
	check_names(dir, text);
	check_note(input[0] % (NOTE_MARKS + 1), text);
	free(text);
	return 0;
}
