// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_filter.c - any text as a filter, any bytes as the record it meets.
 *
 *	input:  filter text [ NUL  bytes of a record ]
 *
 * The text is read, and if it is a filter, shown and matched against a record of every event, in a
 * copy that ends where the record does. Matching twice must give the same verdict. The formats are
 * made once; nothing a filter does may change them.
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "decode/filter/filter.h"
#include "symbols/tasks.h"
#include "../lib/memtrace.h"

static const struct memtrace_format formats_table[] = {
	{"ftrace",
	 "name: function\nID: 1" COMMON "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	 "\nprint fmt: \"%lx\", REC->ip\n"},
	{"probe",
	 "name: values\nID: 10" COMMON "\tfield:u32 colour;\toffset:8;\tsize:4;\tsigned:0;\n"
	 "\tfield:be16 port;\toffset:12;\tsize:2;\tsigned:0;\n"
	 "\tfield:double x;\toffset:16;\tsize:8;\tsigned:0;\n"
	 "\nprint fmt: \"%s\", __print_symbolic(REC->colour, { 1, \"RED\" })\n"},
	{"sched", "name: sched_switch\nID: 2" COMMON
		  "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		  "\tfield:int pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		  "\tfield:long state;\toffset:32;\tsize:8;\tsigned:1;\n"
		  "\nprint fmt: \"%d\", REC->pid\n"},
	{"demo", "name: texts\nID: 70000" COMMON
		 "\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"
		 "\tfield:__rel_loc char[] rel;\toffset:12;\tsize:4;\tsigned:0;\n"
		 "\tfield:__data_loc char[] old;\toffset:16;\tsize:2;\tsigned:0;\n"
		 "\tfield:s8 tiny;\toffset:18;\tsize:1;\tsigned:1;\n"
		 "\tfield:char far[8];\toffset:4294967290;\tsize:8;\tsigned:0;\n"
		 "\tfield:u8 odd[3];\toffset:20;\tsize:3;\tsigned:0;\n"
		 "\nprint fmt: \"%s\", __get_str(name)\n"},
};

#define N_FORMATS (sizeof(formats_table) / sizeof(*formats_table))

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
	if (MEMTRACE_OPEN(&fx, formats_table, N_FORMATS,
			  "ffffffff81000000 T start\nffffffff81000100 T vfs_read\n",
			  "7 bash\n") < 0 ||
	    tasks_init(&fx.tasks, tracefile_text(fx.tf, TRACEFILE_CMDLINES)) < 0)
		abort();
	return &fx;
}

static void match_all(struct fixture *fx, struct filter *flt, const uint8_t *data, size_t size)
{
	static const int ids[] = {1, 2, 10, 70000, 9};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		struct record rec = {.data = data, .size = size, .cpu = 3};

		rec.event = formats_find(fx->formats, ids[i]);
		rec.task = i & 1 ? NULL : tasks_find(&fx->tasks, 7);
		if (filter_match(flt, &rec) != filter_match(flt, &rec))
			abort();
	}
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
	struct filter *flt;

	memcpy(text, input, len);
	text[len] = 0;
	memcpy(data, size ? nul + 1 : input, size);
	if (filter_new(&flt, fx->formats, text, &err) == 0) {
		struct textbuf tb;

		match_all(fx, flt, data, size);
		textbuf_init(&tb, 1 << 20);
		filter_fmt(flt, &tb);
		textbuf_release(&tb);
		filter_free(flt);
	} else if (!err.code || !err.text[0]) {
		abort(); /* refused without a reason */
	}
	free(data);
	free(text);
	return 0;
}
