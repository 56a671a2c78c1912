// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * makesamples.c - writes a trace.dat with samples, for tests and the bench.
 *
 *	makesamples FILE < TEXT         the samples of the text, in its order
 *	makesamples FILE N              N samples with stacks by chance, always the same ones
 *
 *	E 0 cpu-clock                   lines of SNF_OPTION_SAMPLES, as they are: E, F, J, C, L
 *	S ADDRESS NAME [MODULE]         a symbol; addresses and places are in hex
 *	T PID COMM                      a task
 *	s CPU TIME TID TGID EVENT PERIOD PLACE,…    a sample, the innermost place first
 *	c CPU TIME TID EVENT VALUE      a counter
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "store/events/eventformats.h"
#include "store/packedtext.h"
#include "store/pagebuilder.h"
#include "store/events/sampleevents.h"
#include "store/events/userevents.h"
#include "store/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SIZE 4096
#define CPUS	  2
#define NAMES_MAX 64
#define STACKS	  20000 /* different ones, by chance */

struct pages {
	uint8_t *data;
	size_t n, cap;
	struct pagebuilder pb;
	bool is_open;
};

struct making {
	struct pages cpus[CPUS];
	struct textbuf info, kallsyms, cmdlines, formats, header_page, header_event, ftrace;
	const char *names[NAMES_MAX];
	size_t n_names;
	uint32_t next_cpu;
	size_t next_page;
};

static void fail(const char *what)
{
	fprintf(stderr, "makesamples: %s\n", what);
	exit(1);
}

static void close_page(struct pages *p)
{
	struct piece page;

	if (!p->is_open)
		return;
	page = pagebuilder_end(&p->pb);
	if (p->n == p->cap) {
		p->cap = p->cap ? p->cap * 2 : 64;
		p->data = realloc(p->data, p->cap * PAGE_SIZE);
		if (!p->data)
			fail("no memory");
	}
	memset(p->data + p->n * PAGE_SIZE, 0, PAGE_SIZE);
	memcpy(p->data + p->n++ * PAGE_SIZE, page.data, page.len);
	p->is_open = false;
}

static void put(struct making *m, uint32_t cpu, uint64_t ts, const void *data, uint32_t n_bytes)
{
	struct pages *p = &m->cpus[cpu % CPUS];

	if (p->is_open && pagebuilder_add(&p->pb, ts, data, n_bytes))
		return;
	close_page(p);
	pagebuilder_begin(&p->pb, ts, 0);
	p->is_open = true;
	if (!pagebuilder_add(&p->pb, ts, data, n_bytes))
		fail("a record does not fit");
}

static void put_sample(struct making *m, uint32_t cpu, uint64_t ts, struct sampleevents_sample *s,
		       size_t n)
{
	uint32_t len = sampleevents_set_stack(s, n);

	s->type = SAMPLEEVENTS_SAMPLE;
	s->ip = n ? s->stack[0] : 0;
	put(m, cpu, ts, s, len);
}

/*
 * --- from a text -------------------------------------------------------------------------------
 */

static void read_sample(struct making *m, char *line)
{
	struct sampleevents_sample s = {0};
	uint32_t cpu;
	uint64_t ts;
	int at;
	size_t n = 0;
	char *p;

	if (sscanf(line, "s %" SCNu32 " %" SCNu64 " %d %d %" SCNu32 " %" SCNu64 " %n", &cpu, &ts,
		   &s.pid, &s.tgid, &s.event, &s.period, &at) != 6)
		fail(line);
	for (p = line + at; *p && *p != '\n' && n < SAMPLEEVENTS_STACK_MAX; n++) {
		s.stack[n] = strtoull(p, &p, 16);
		p += *p == ',';
	}
	put_sample(m, cpu, ts, &s, n);
}

static void read_counter(struct making *m, const char *line)
{
	struct sampleevents_counter c = {.type = SAMPLEEVENTS_COUNTER, .of_cpu = -1};
	uint32_t cpu;
	uint64_t ts;

	if (sscanf(line, "c %" SCNu32 " %" SCNu64 " %d %" SCNu32 " %" SCNu64, &cpu, &ts, &c.pid,
		   &c.event, &c.value) != 5)
		fail(line);
	c.enabled = c.running = 1000;
	put(m, cpu, ts, &c, SAMPLEEVENTS_COUNTER_BYTES);
}

static void read_symbol(struct making *m, char *line)
{
	char *words[4] = {0}, *rest = NULL;
	size_t n = 0;

	for (char *w = strtok_r(line, " \n", &rest); w && n < 4; w = strtok_r(NULL, " \n", &rest))
		words[n++] = w;
	if (n < 3)
		fail("a symbol needs an address and a name");
	eventformats_add_symbol(&m->kallsyms, strtoull(words[1], NULL, 16), words[2], words[3]);
}

static void read_name(struct making *m, const char *line)
{
	unsigned number;
	char name[128];

	if (sscanf(line, "E %u %127s", &number, name) == 2 && number < NAMES_MAX) {
		m->names[number] = strdup(name);
		m->n_names = number + 1 > m->n_names ? number + 1 : m->n_names;
	}
}

static void read_text(struct making *m)
{
	static char line[16384];

	while (fgets(line, sizeof(line), stdin)) {
		if (line[0] == 's')
			read_sample(m, line);
		else if (line[0] == 'c')
			read_counter(m, line);
		else if (line[0] == 'S')
			read_symbol(m, line);
		else if (line[0] == 'T')
			textbuf_add_str(&m->cmdlines, line + 2);
		else if (line[0] != '#' && line[0] != '\n')
			textbuf_add_str(&m->info, line);
		if (line[0] == 'E')
			read_name(m, line);
	}
}

/*
 * --- by chance ---------------------------------------------------------------------------------
 */

static uint32_t chance(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*state >> 33) % below);
}

/* A walk through 1000 functions, in which a function calls one of a few others. */
static void make_many(struct making *m, uint64_t n_samples)
{
	uint64_t state = 42, ts = 1000000000000u;

	textbuf_add_str(&m->info,
			"E 0 cpu-clock\nF 1 - /usr/bin/demo\nF 2 - /usr/lib/libdemo.so\n");
	m->names[0] = "cpu-clock";
	m->n_names = 1;
	for (unsigned i = 0; i < 1001; i++) {
		char name[32];

		snprintf(name, sizeof(name), "function_%u", i);
		eventformats_add_symbol(&m->kallsyms,
					sampleevents_place(1 + i % 2, 0x1000 + i * 0x100), name,
					i % 2 ? "libdemo.so" : "demo");
	}
	eventformats_add_symbol(&m->kallsyms, 0xffffffff81000000, "do_syscall_64", NULL);
	eventformats_add_symbol(&m->kallsyms, 0xffffffff82000000, "end_of_kernel", NULL);
	for (int i = 0; i < 4; i++)
		textbuf_addf(&m->cmdlines, "%d worker-%d\n", 100 + i, i);
	for (uint64_t k = 0; k < n_samples; k++) {
		/* small numbers are more frequent: a program has hot paths */
		uint64_t which = (uint64_t)chance(&state, STACKS) * chance(&state, STACKS) / STACKS;
		uint64_t of_stack = which * 977 + 1;
		uint32_t depth = 8 + chance(&of_stack, 20), at = 0, thread = chance(&state, 4);
		struct sampleevents_sample s = {
			.pid = (int)(100 + thread), .tgid = 100, .period = 1000000};
		bool in_kernel = !chance(&of_stack, 10);
		uint32_t n = depth + in_kernel;

		for (uint32_t d = 0; d < depth; d++) {
			at = (at * 7 + chance(&of_stack, d < 10 ? 2 : 4) + 1) % 1000;
			s.stack[n - 1 - d] = sampleevents_place(
				1 + at % 2, 0x1000 + at * 0x100 + (d + 1 < depth ? 0x10 : 4));
		}
		if (in_kernel)
			s.stack[0] = 0xffffffff81000010;
		ts += 500000 + chance(&state, 1000);
		put_sample(m, chance(&state, CPUS), ts, &s, n);
	}
}

/*
 * --- the file ----------------------------------------------------------------------------------
 */

static int next_page(void *ctx, uint32_t *ret_cpu, struct piece *ret_page)
{
	struct making *m = ctx;

	while (m->next_cpu < CPUS && m->next_page == m->cpus[m->next_cpu].n) {
		m->next_cpu++;
		m->next_page = 0;
	}
	if (m->next_cpu == CPUS)
		return 0;
	*ret_cpu = m->next_cpu;
	*ret_page =
		(struct piece){m->cpus[m->next_cpu].data + m->next_page++ * PAGE_SIZE, PAGE_SIZE};
	return 1;
}

static void add_text(struct writer *w, enum tracefile_text_kind kind, struct textbuf *tb,
		     struct errmsg *err)
{
	if (writer_add_text(w, kind, PIECE_OF_TEXT(tb), err) < 0)
		fail(err->text);
}

static void write_file(struct making *m, const char *path)
{
	struct writer_config config = {.path = path,
				       .version = 7,
				       .compression = COMPRESSION_ZSTD,
				       .long_size = 8,
				       .page_size = PAGE_SIZE,
				       .is_copy = true};
	struct writer_buffer top = {"", SAMPLEEVENTS_CLOCK, PAGE_SIZE};
	struct writer_buffer perf = {SAMPLEEVENTS_BUFFER, SAMPLEEVENTS_CLOCK, PAGE_SIZE};
	struct writer_source source = {m, next_page};
	struct errmsg err = {0};
	struct writer *w;
	TEXTBUF(packed, 64u << 20);
	int index;

	if (writer_open(&w, &config, &err) < 0)
		fail(err.text);
	writer_set_cpu_count(w, CPUS);
	add_text(w, TRACEFILE_HEADER_PAGE, &m->header_page, &err);
	add_text(w, TRACEFILE_HEADER_EVENT, &m->header_event, &err);
	add_text(w, TRACEFILE_FTRACE_FORMATS, &m->ftrace, &err);
	add_text(w, TRACEFILE_EVENT_FORMATS, &m->formats, &err);
	add_text(w, TRACEFILE_KALLSYMS, &m->kallsyms, &err);
	add_text(w, TRACEFILE_CMDLINES, &m->cmdlines, &err);
	packedtext_fmt(PIECE_OF_TEXT(&m->info), &packed);
	if (writer_add_option(w, SNF_OPTION_SAMPLES, PIECE_OF_TEXT(&packed), &err) < 0 ||
	    writer_add_buffer(w, &top, &err) < 0)
		fail(err.text);
	index = writer_add_buffer(w, &perf, &err);
	if (index < 0 || writer_write_buffer(w, index, &source, &err) < 0 ||
	    writer_close(w, &err) < 0)
		fail(err.text);
}

int main(int argc, char **argv)
{
	static struct making m;
	static const uint32_t n_formats = 0;

	if (argc < 2)
		fail("usage: makesamples FILE [N]");
	textbuf_init(&m.info, 64u << 20);
	textbuf_init(&m.kallsyms, 64u << 20);
	textbuf_init(&m.cmdlines, 1u << 20);
	textbuf_init(&m.formats, 1u << 20);
	textbuf_init(&m.header_page, 1u << 16);
	textbuf_init(&m.header_event, 1u << 16);
	textbuf_init(&m.ftrace, 1u << 16);
	for (int i = 0; i < CPUS; i++) {
		m.cpus[i].pb = (struct pagebuilder){
			.long_size = 8, .data_offset = 16, .page_size = PAGE_SIZE};
		if (pagebuilder_init(&m.cpus[i].pb) < 0)
			fail("no memory");
	}
	if (argc > 2)
		make_many(&m, strtoull(argv[2], NULL, 10));
	else
		read_text(&m);
	for (int i = 0; i < CPUS; i++)
		close_page(&m.cpus[i]);
	userevents_fmt_header_page(&m.header_page, PAGE_SIZE);
	userevents_fmt_header_event(&m.header_event);
	textbuf_add(&m.ftrace, (const char *)&n_formats, 4);
	sampleevents_add_formats(&m.formats, m.names, m.n_names);
	write_file(&m, argv[1]);
	return 0;
}
