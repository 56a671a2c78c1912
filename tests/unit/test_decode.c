// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_decode.c - page walker, print formats, times: from bytes to text.
 *
 * Each row of `formats` is a print format over one fixed record and the text it must give. The texts
 * are those of libtraceevent 1.7.1 (its surprises included); tests/identity compares thousands more
 * with the library itself.
 */
#include "base/errmsg.h"
#include "decode/formats/formats.h"
#include "decode/print/print.h"
#include "decode/timeconv.h"
#include "decode/timefmt.h"
#include "decode/walker.h"
#include "../lib/memtrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* --- print formats ----------------------------------------------------------------------------- */

#define FIELDS                                                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
	"\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"                              \
	"\tfield:u8 b;\toffset:12;\tsize:1;\tsigned:0;\n"                              \
	"\tfield:u16 h;\toffset:14;\tsize:2;\tsigned:0;\n"                             \
	"\tfield:void * p;\toffset:16;\tsize:8;\tsigned:0;\n"                          \
	"\tfield:char comm[8];\toffset:24;\tsize:8;\tsigned:1;\n"                      \
	"\tfield:__data_loc char[] s;\toffset:32;\tsize:4;\tsigned:1;\n"               \
	"\tfield:u8 mac[6];\toffset:36;\tsize:6;\tsigned:0;\n"                         \
	"\tfield:unsigned long flags;\toffset:48;\tsize:8;\tsigned:0;\n\n"

static const uint8_t record[64] = {
	[0] = 5,     [4] = 42,		      /* id 5, pid 42 */
	[8] = 0xfd,  0xff,	  0xff, 0xff, /* n = -3 */
	[12] = 200,  [14] = 0x34, 0x12,	      /* b, h = 0x1234 */
	[16] = 0x10, 0x20,	  0x81, 0xff, 0xff,	 0xff, 0xff,
	0xff, /* p = 0xffffffffff812010 */
	[24] = 'b',  'a',	  's',	'h',  [32] = 56, 0,    6,
	0,								    /* s at 56, 6 long */
	[36] = 1,    2,		  0xab, 0xcd, 0xef,	 0x10, [48] = 0x13, /* flags */
	[56] = 'h',  'e',	  'l',	'l',  'o',	 0,
};

static const struct {
	const char *fmt, *text;
} formats[] = {
	{"\"%d %u %x\", REC->n, REC->b, REC->h", "-3 200 1234"},
	{"\"%ld\", REC->n", "4294967293"}, /* fields are zero-extended */
	{"\"%5d|%-5d|%05d|%.3u\", REC->b, REC->b, REC->b, REC->b", "  200|200  |00200|200"},
	{"\"%#x %X %o %hhd\", REC->h, REC->h, REC->b, REC->b", "0x1234 1234 310 -56"},
	{"\"%s [%8s] %.2s\", REC->comm, REC->comm, REC->comm", "bash [    bash] ba"},
	{"\"%s %10s|\", __get_str(s), __get_str(s)", "hello      hello|"},
	{"\"%p\", REC->p", "0xffffffffff812010"},
	{"\"%pS %ps\", REC->p, REC->p", "do_it+0x10 do_it"},
	{"\"%pM %pMF\", REC->mac, REC->mac", "01:02:ab:cd:ef:10 01-02-ab-cd-ef-10"},
	{"\"%s\", __print_flags(REC->flags, \"|\", { 1, \"A\" }, { 2, \"B\" }, { 4, \"C\" })",
	 "A|B|0x10"},
	{"\"%s\", __print_symbolic(REC->b, { 1, \"one\" }, { 200, \"many\" })", "many"},
	{"\"%s\", __print_symbolic(REC->b, { 1, \"one\" })", "0xc8"},
	{"\"%s\", __print_hex(REC->mac, 6)", "01 02 ab cd ef 10"},
	{"\"%s\", __print_array(REC->mac, 3, 1)", "1 2 171"},
	{"\"%s\", REC->b > 100 ? \"big\" : \"small\"", "big"},
	{"\"%d\", REC->b - 10 - 5", "195"}, /* operators of one priority group to the right */
	{"\"%d\", (REC->b & 0xf) + 1 << 2", "36"},
	{"\"%u\", (u8)REC->h", "52"},
	{"\"%d\", REC->b / 0", "0"}, /* the library would die */
	{"\"%d\", sizeof(REC->h)", "2"},
	{"\"100%% \\\"%d\\\"\\n\", REC->b", "100% \"200\"\n"},
	{"\"a\" \"b\" \"%d\", REC->b", "ab200"},
	{"\"%k %d\", REC->b", ">k< 200"},
	{"\"%*d|\", 6, REC->b", "   200|"},
	{"\"%d %d\", REC->b", "[FAILED TO PARSE] n=-3 b=200 h=4660 p=0xffffffffff812010 comm=bash "
			      "s=hello mac=ARRAY[01, 02, ab, cd, ef, 10] flags=0x13"},
	{"\"%d\", unknown_function(REC->b)", "[FAILED TO PARSE] n=-3 b=200 h=4660 "
					     "p=0xffffffffff812010 comm=bash s=hello "
					     "mac=ARRAY[01, 02, ab, cd, ef, 10] flags=0x13"},
};

static char *print_fields(const char *fields, const char *fmt, bool raw, const uint8_t *data,
			  size_t size, struct textbuf *tb)
{
	static uint8_t image[65536];
	char text[4096];
	struct memtrace_format mf = {"test", text};
	struct formats_config config = {0};
	struct record rec = {.data = data, .size = size};
	struct errmsg err = {0};
	struct tracefile *tf;
	struct formats *f;
	struct printer p;
	size_t n;

	snprintf(text, sizeof(text), "name: test\nID: 5\nformat:\n%sprint fmt: %s\n", fields, fmt);
	n = memtrace_make(image, sizeof(image), &mf, 1,
			  "ffffffffff812000 T do_it\nffffffffff813000 T x\n", "42 bash\n");
	assert_int_equal(tracefile_open_memory(&tf, "memory", (struct piece){image, n}, &err), 0);
	assert_int_equal(formats_new(&f, tf, &config, &err), 0);
	rec.event = formats_find(f, 5);
	assert_non_null(rec.event);
	assert_int_equal(printer_init(&p, f, tb), 0);
	printer_print(&p, &rec, raw);
	textbuf_add_char(tb, 0);
	printer_release(&p);
	formats_free(f);
	tracefile_close(tf);
	return tb->start;
}

static char *print_with(const char *fmt, bool raw, struct textbuf *tb)
{
	return print_fields(FIELDS, fmt, raw, record, sizeof(record), tb);
}

/* Types that the recorder of a probe writes: the conversions are for readers that do not know them. */
static void types_of_probes_say_what_is_there(void **state)
{
	static const char fields[] =
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:double d;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:float f;\toffset:16;\tsize:4;\tsigned:0;\n"
		"\tfield:be16 port;\toffset:20;\tsize:2;\tsigned:0;\n"
		"\tfield:word w;\toffset:24;\tsize:8;\tsigned:0;\n\n";
	static const char fmt[] = "\"%#Lx %#x %Lu %Lu\", REC->d, REC->f, (((REC->port >> 0) & 255) "
				  "<< 8) | (((REC->port >> 8) & 255) << 0), REC->w";
	static const struct {
		double d;
		float f;
		uint64_t w;
		const char *text;
	} rows[] = {
		{1.5, 2.25f, 16, "1.5 2.25 80 16"},
		{0.1, 0.1f, UINT32_MAX, "0.1 0.1 80 4294967295"},
		{-1e300, -3e-30f, 0x7ffd00000010, "-1e+300 -3e-30 80 0x7ffd00000010"},
		{1.0 / 3, 1.0f / 3, 0, "0.3333333333333333 0.33333334 80 0"},
		{__builtin_nan(""), -__builtin_inff(), 1, "nan -inf 80 1"},
	};
	uint8_t data[32] = {[0] = 5, [21] = 80};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct textbuf tb;

		memcpy(data + 8, &rows[i].d, 8);
		memcpy(data + 16, &rows[i].f, 4);
		memcpy(data + 24, &rows[i].w, 8);
		textbuf_init(&tb, 1 << 16);
		assert_string_equal(print_fields(fields, fmt, false, data, sizeof(data), &tb),
				    rows[i].text);
		textbuf_release(&tb);
	}
}

/* A variable that does not live at all places of its probe; elements of arrays by name. */
static void what_is_not_known_is_a_question_mark(void **state)
{
	static const char fields[] =
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:maybe s32 n;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:maybe s5 low;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:maybe u64 p;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:maybe double d;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:s32 plain;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:s32 cols[2];\toffset:24;\tsize:8;\tsigned:1;\n"
		"\tfield:float f[2];\toffset:32;\tsize:8;\tsigned:0;\n\n";
	static const char fmt[] =
		"\"%d %d %#Lx %#Lx %u %s {%s,%s} {%#Lx,%#Lx}\", REC->n, (REC->low & 16) ? "
		"REC->low - 32 : REC->low, REC->p, REC->d, REC->plain, __print_symbolic(REC->n, "
		"{ 1, \"RED\" }), __print_symbolic(REC->cols[0], { 4294967293, \"LOW\" }), "
		"__print_symbolic(REC->cols[1], { 4294967293, \"LOW\" }), REC->f[0], REC->f[1]";
	static const int32_t cols[] = {-3, -4};
	static const float f[] = {1.5f, -2.25f};
	uint8_t data[40] = {[0] = 5, [8] = 0x2d, 0xe1, 0xad, 0xde, [16] = 0x2d, 0xe1, 0xad, 0xde};
	struct textbuf tb;

	memcpy(data + 24, cols, sizeof(cols));
	memcpy(data + 32, f, sizeof(f));
	textbuf_init(&tb, 1 << 16);
	assert_string_equal(print_fields(fields, fmt, false, data, sizeof(data), &tb),
			    "? ? ? ? 3735937325 ? {LOW,-4} {1.5,-2.25}");
	textbuf_release(&tb);
	data[8] = 1;
	memset(data + 9, 0, 15);
	textbuf_init(&tb, 1 << 16);
	assert_string_equal(print_fields(fields, fmt, false, data, sizeof(data), &tb),
			    "1 1 0 0 1 RED {LOW,-4} {1.5,-2.25}");
	textbuf_release(&tb);
}

/* In formats of the kernel itself, which may not say how many elements an array has. */
static void small_numbers_and_arrays_of_standing_probes(void **state)
{
	static const char fields[] =
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:s8 a[];\toffset:16;\tsize:2;\tsigned:1;\n"
		"\tfield:s16 b[];\toffset:18;\tsize:4;\tsigned:1;\n"
		"\tfield:u16 c[];\toffset:18;\tsize:4;\tsigned:0;\n"
		"\tfield:s32 d[];\toffset:24;\tsize:8;\tsigned:1;\n"
		"\tfield:s64 e[];\toffset:24;\tsize:16;\tsigned:1;\n"
		"\tfield:s8 one;\toffset:16;\tsize:1;\tsigned:1;\n"
		"\tfield:s16 two;\toffset:18;\tsize:2;\tsigned:1;\n"
		"\tfield:u32 odd[];\toffset:24;\tsize:7;\tsigned:0;\n\n";
	static const char fmt[] =
		"\"{%d,%d} {%d,%d} {%u,%u} {%d,%d} {%Ld,%Ld} {%u,%u} %d %3d %d\", REC->a[0], "
		"REC->a[1], REC->b[0], REC->b[1], REC->c[0], REC->c[1], "
		"REC->d[0], REC->d[1], REC->e[0], REC->e[1], REC->odd[0], REC->odd[1], REC->one, "
		"REC->one, REC->two";
	static const int16_t b[] = {-300, 300};
	static const int32_t d[] = {-70000, -1, 70000, 0};
	uint8_t data[40] = {[0] = 5, [16] = 0xff, 1};
	struct textbuf tb;

	memcpy(data + 18, b, sizeof(b));
	memcpy(data + 24, d, sizeof(d));
	textbuf_init(&tb, 1 << 16);
	assert_string_equal(
		print_fields(fields, fmt, false, data, sizeof(data), &tb),
		"{-1,1} {-300,300} {65236,300} {-70000,-1} {-70000,70000} {0,0} -1  -1 -300");
	textbuf_release(&tb);
}

static void print_formats_give_the_librarys_text(void **state)
{
	struct textbuf tb;

	textbuf_init(&tb, 1 << 20);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		textbuf_clear(&tb);
		assert_string_equal(print_with(formats[i].fmt, false, &tb), formats[i].text);
	}
	textbuf_release(&tb);
}

static void raw_fields_follow_the_format_where_it_shows_them(void **state)
{
	struct textbuf tb;

	textbuf_init(&tb, 1 << 20);
	print_with("\"n=0x%x p=%pS\", REC->n, REC->p", true, &tb);
	assert_string_equal(tb.start, " n=0xfffffffd b=200 h=4660 p=do_it+0x10 comm=bash s=hello "
				      "mac=ARRAY[01, 02, ab, cd, ef, 10] flags=0x13");
	textbuf_release(&tb);
}

/* --- pages ------------------------------------------------------------------------------------- */

static const struct page_layout layout = {.long_size = 8, .data_offset = 16};

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, 4);
}

static size_t make_page(uint8_t *page, uint64_t ts, uint64_t commit)
{
	memset(page, 0, 4096);
	memcpy(page, &ts, 8);
	memcpy(page + 8, &commit, 8);
	return 4096;
}

static void every_kind_of_record_moves_time(void **state)
{
	uint8_t page[4096];
	struct walker w;
	struct walked r;
	size_t len = make_page(page, 1000, 12 + 8 + 12 + 8 + 12 + 16);

	put32(page + 16, 2 | 5 << 5);  /* 8 bytes, +5 */
	put32(page + 28, 30 | 7 << 5); /* extend: + 7 + (1 << 27) */
	put32(page + 32, 1);
	put32(page + 36, 29 | 3 << 5); /* padding of 4 + 8 bytes, +3 */
	put32(page + 40, 8);
	put32(page + 48, 31 | 9 << 5); /* the time is 9 + (2 << 27) */
	put32(page + 52, 2);
	put32(page + 56, 0 | 1 << 5); /* a length word: 7 bytes, rounded up to 4 */
	put32(page + 60, 4 + 3);
	put32(page + 68, 3 | 0 << 5);
	assert_true(walker_start(&w, page, len, &layout));
	assert_true(walker_next(&w, &r));
	assert_int_equal(r.ts, 1005);
	assert_int_equal(r.size, 8);
	assert_ptr_equal(r.data, page + 20);
	assert_true(walker_next(&w, &r));
	assert_int_equal(r.ts, 9 + (2u << 27) + 1);
	assert_int_equal(r.size, 4);
	assert_true(walker_next(&w, &r));
	assert_int_equal(r.size, 12);
	assert_false(walker_next(&w, &r));
	assert_false(w.damaged);
}

static void lengths_that_lead_outside_end_the_walk(void **state)
{
	static const uint32_t bad[][2] = {{0, 0xffffffff},  {0, 0},  {0, 3},
					  {29, 0xfffffff0}, {28, 0}, {0, 4096}};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		uint8_t page[4096];
		struct walker w;
		struct walked r;
		unsigned n = 0;

		make_page(page, 1, 40);
		put32(page + 16, bad[i][0]);
		put32(page + 20, bad[i][1]);
		assert_true(walker_start(&w, page, sizeof(page), &layout));
		while (walker_next(&w, &r))
			assert_true(++n < 20);
		assert_true(w.damaged);
	}
}

static void lost_events_are_counted_where_the_kernel_did(void **state)
{
	uint8_t page[4096];
	struct walker w;
	uint64_t n = 1455;

	make_page(page, 1, 0xffffffffc0000000 | 8); /* as a sign-extended 32-bit value */
	memcpy(page + 24, &n, 8);
	assert_true(walker_start(&w, page, sizeof(page), &layout));
	assert_int_equal(w.missed, 1455);
	make_page(page, 1, 1u << 31 | 8);
	assert_true(walker_start(&w, page, sizeof(page), &layout));
	assert_int_equal(w.missed, WALKER_MISSED_UNKNOWN);
	make_page(page, 1, 5000); /* more than there is */
	assert_true(walker_start(&w, page, sizeof(page), &layout));
	assert_true(w.damaged);
	assert_ptr_equal(w.end, page + 4096);
	assert_false(walker_start(&w, page, 15, &layout));
}

/* --- times ------------------------------------------------------------------------------------- */

static void times_look_like_trace_cmds(void **state)
{
	static const struct {
		uint64_t ts;
		enum time_style style;
		const char *text;
	} rows[] = {
		{22188315078, TIME_MICROSECONDS, "   22.188315"},
		{999999500, TIME_MICROSECONDS, "    1.000000"}, /* rounds up into the next second */
		{22188315078, TIME_NANOSECONDS, "   22.188315078"},
		{123456000000005, TIME_NANOSECONDS, "123456.000000005"},
		{7, TIME_UNITS, "           7"},
		{252455259205000, TIME_UNITS, "252455259205000"},
	};
	char buf[TIME_MAX_BYTES + 1];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		*time_emit(buf, rows[i].ts, rows[i].style) = 0;
		assert_string_equal(buf, rows[i].text);
	}
}

static void a_guests_time_is_put_on_its_hosts_clock(void **state)
{
	struct time_sample s[] = {{100, 1000, 1, 0}, {200, 1100, 1, 0}, {300, 1100, 1, 0}};
	struct time_shift shift = {.interpolate = true, .n_cpus = 1};
	struct timeconv tc = {.host = &shift, .offset = 5};

	shift.cpus = calloc(1, sizeof(*shift.cpus));
	shift.cpus[0].samples = s;
	shift.cpus[0].n = 3;
	timeconv_settle(&tc);
	assert_int_equal(timeconv(&tc, 150, 0), 150 + 1050 + 5);
	assert_int_equal(timeconv(&tc, 250, 0), 250 + 1100 + 5);
	assert_int_equal(timeconv(&tc, 400, 0), 400 + 1100 + 5);
	assert_int_equal(timeconv(&tc, 150, 7), 150 + 5); /* a CPU without samples */
	free(shift.cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(print_formats_give_the_librarys_text),
		cmocka_unit_test(types_of_probes_say_what_is_there),
		cmocka_unit_test(small_numbers_and_arrays_of_standing_probes),
		cmocka_unit_test(what_is_not_known_is_a_question_mark),
		cmocka_unit_test(raw_fields_follow_the_format_where_it_shows_them),
		cmocka_unit_test(every_kind_of_record_moves_time),
		cmocka_unit_test(lengths_that_lead_outside_end_the_walk),
		cmocka_unit_test(lost_events_are_counted_where_the_kernel_did),
		cmocka_unit_test(times_look_like_trace_cmds),
		cmocka_unit_test(a_guests_time_is_put_on_its_hosts_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
