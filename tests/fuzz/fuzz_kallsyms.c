// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_kallsyms.c - the texts that name things: kernel symbols, printk formats, names of tasks, processes,
 * source lines.
 *
 *	input:  kallsyms NUL  printk formats NUL  names of tasks NUL  processes NUL  what to look up, 8 bytes each
 *
 * Every text lies in memory of exactly its size. What a look-up finds must fit what it asked for:
 * a symbol that covers the address, a format of that address, a task of that pid.
 */
#include "base/textbuf.h"
#include "symbols/kallsyms.h"
#include "symbols/printkfmt.h"
#include "symbols/processes.h"
#include "symbols/sources.h"
#include "symbols/tasks.h"

#include <stdlib.h>

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* The next text of the input, in memory of its own. */
static struct piece take_text(struct byte_reader *r)
{
	const uint8_t *nul = byte_reader_left(r) ? memchr(r->pos, 0, byte_reader_left(r)) : NULL;
	size_t len = nul ? (size_t)(nul - r->pos) : byte_reader_left(r);
	uint8_t *copy = malloc(len);

	memcpy(copy, byte_reader_take(r, len), len);
	if (nul)
		byte_reader_take(r, 1);
	return (struct piece){copy, len};
}

static void try_symbols(struct piece text, struct byte_reader asked)
{
	struct kallsyms ks = {0};
	struct ksym_cache *cache = malloc(sizeof(*cache));

	check(kallsyms_add(&ks, text) == 0 && kallsyms_add(&ks, text) == 0);
	check(kallsyms_sort(&ks) == 0);
	for (size_t i = 0; i < ks.n; i++) {
		check(!i || ks.syms[i - 1].addr <= ks.syms[i].addr);
		check(kallsyms_find(&ks, ks.syms[i].addr)->addr == ks.syms[i].addr);
		check(ks.syms[i].name_len &&
		      ks.syms[i].name + ks.syms[i].name_len <= (const char *)text.data + text.len);
	}
	ksym_cache_init(cache, &ks);
	while (byte_reader_left(&asked) >= 8) {
		uint64_t addr = byte_reader_take_number(&asked, 8);
		const struct ksym *sym = kallsyms_find_cached(&ks, cache, addr);

		check(sym == kallsyms_find(&ks, addr));
		check(!sym || sym->addr <= addr);
		check(!sym || sym->addr == addr || addr < ks.syms[ks.n - 1].addr);
		if (sym)
			check(kallsyms_find_name(&ks, sym->name, sym->name_len) != NULL);
	}
	free(cache);
	kallsyms_release(&ks);
}

static void try_printk(struct piece text, struct byte_reader asked)
{
	struct printkfmts formats;
	struct arena arena;

	arena_init(&arena, 16 << 20);
	if (printkfmts_read(&formats, text, &arena) == 0) {
		for (size_t i = 0; i < formats.n; i++)
			check(printkfmts_find(&formats, formats.rows[i].addr) != NULL);
		while (byte_reader_left(&asked) >= 8)
			printkfmts_find(&formats, byte_reader_take_number(&asked, 8));
	}
	arena_release(&arena);
}

/* A third of what is asked for is learned first, from a name of 5 bytes without an end. */
static void try_tasks(struct piece text, struct byte_reader asked)
{
	struct tasks tasks;

	check(tasks_init(&tasks, text) == 0);
	for (unsigned i = 0; byte_reader_left(&asked) >= 8; i++) {
		const uint8_t *bytes = asked.pos;
		int pid = byte_reader_take_number(&asked, 8);
		const struct task *task;

		if (i % 3 == 2)
			tasks_learn(&tasks, pid, (const char *)bytes, 5);
		task = tasks_find(&tasks, pid);
		check(task && task->pid == pid && strlen(task->comm) <= task->comm_len);
		check(task->head_len > task->comm_len && task->short_head_len >= 15);
		check(tasks_find(&tasks, pid) == task);
	}
	tasks_release(&tasks);
}

/* What was read is written, read and written again: the same text both times. */
static void try_processes(struct piece text, struct byte_reader asked)
{
	struct processes *p = processes_new(), *again = processes_new();
	struct textbuf tb, tb2;

	check(p && again && processes_parse(p, text) == 0);
	textbuf_init(&tb, 1 << 20);
	textbuf_init(&tb2, 1 << 20);
	processes_fmt(p, &tb);
	check(processes_parse(again, (struct piece){(const uint8_t *)tb.start, textbuf_len(&tb)}) ==
	      0);
	processes_fmt(again, &tb2);
	check(textbuf_len(&tb) == textbuf_len(&tb2) &&
	      (!textbuf_len(&tb) || !memcmp(tb.start, tb2.start, textbuf_len(&tb))));
	while (byte_reader_left(&asked) >= 8) {
		int tid = (int)byte_reader_take_number(&asked, 8) & 0xff;
		int tgid = processes_find_tgid(p, tid);

		textbuf_clear(&tb);
		check(tgid == -1 || tgid > 0);
		check(tgid > 0 || !processes_fmt_command(p, tid, &tb));
		processes_is_self(p, tid);
	}
	textbuf_release(&tb);
	textbuf_release(&tb2);
	processes_free(p);
	processes_free(again);
}

/* The text of symbols, read once more. */
static void try_sources(struct piece text, struct byte_reader asked)
{
	struct sources *s = sources_new();

	check(s && sources_parse(s, text) == 0);
	while (byte_reader_left(&asked) >= 8) {
		const char *found = sources_find(s, byte_reader_take_number(&asked, 8));

		check(!found || strchr(found, ':'));
	}
	sources_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct byte_reader r = {input, input + n, false, false};
	struct piece symbols = take_text(&r), printk = take_text(&r), names = take_text(&r),
		     processes = take_text(&r);

	try_symbols(symbols, r);
	try_sources(symbols, r);
	try_printk(printk, r);
	try_tasks(names, r);
	try_processes(processes, r);
	free((void *)symbols.data);
	free((void *)printk.data);
	free((void *)names.data);
	free((void *)processes.data);
	return 0;
}
