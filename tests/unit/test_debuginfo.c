// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_debuginfo.c - what debug information says of this very program, and the notes of marks.
 *
 * The file is built with -g, whatever the rest is built with. tests/targets has programs of every make.
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "symbols/dwarf/debuginfo.h"
#include "symbols/usdt.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define KEPT __attribute__((noinline, noclone, used, externally_visible))

enum shade { SHADE_NONE, SHADE_DARK = 7, SHADE_BELOW = -2 };

struct inner {
	int first;
	union {
		long word;
		char bytes[8];
	};
};

typedef struct {
	const char *name;
	struct inner in;
	unsigned low : 3, high : 7;
	int grid[2][5];
	enum shade shade;
	int (*call)(int, char *);
} thing_t;

volatile int sink;
__attribute__((used, externally_visible)) int shared_number = 17;

int probed_function(const thing_t *thing, unsigned char small, long big);
void empty_function(void);

KEPT int probed_function(const thing_t *thing, unsigned char small, long big)
{
	sink = small + (int)big;
	return thing ? thing->in.first : sink;
}

KEPT void empty_function(void)
{
	sink = 0;
}

static struct debuginfo *open_self(void)
{
	struct debuginfo_paths paths = {.path = "/proc/self/exe"};
	struct errmsg err = {0};
	struct debuginfo *d = NULL;

	assert_int_equal(debuginfo_open(&d, &paths, &err), 0);
	if (!debuginfo_has_dwarf(d)) {
		debuginfo_close(d);
		skip();
	}
	return d;
}

static struct debuginfo_points points_of(struct debuginfo *d, struct debuginfo_where where)
{
	struct debuginfo_points points = {0};
	struct errmsg err = {0};
	int r = debuginfo_points(d, &where, &points, &err);

	if (r < 0)
		print_error("%s\n", err.text);
	assert_int_equal(r, 0);
	return points;
}

static struct variable variable_of(const struct debuginfo_point *p, const char *name)
{
	struct variable v;

	assert_non_null(p->scope);
	assert_int_equal(p->scope->ops->find(p->scope, name, strlen(name), &v), 0);
	return v;
}

static void assert_type(struct type t, const char *text)
{
	struct textbuf tb;

	textbuf_init(&tb, 1000);
	type_fmt(t, &tb);
	textbuf_add_char(&tb, 0);
	assert_string_equal(tb.start, text);
	textbuf_release(&tb);
}

/* --- places -------------------------------------------------------------------------------------- */

static void entry_has_parameters(void **state)
{
	struct debuginfo *d = open_self();
	struct debuginfo_points points =
		points_of(d, (struct debuginfo_where){.function = "probed_function"});
	uint64_t offset;
	struct type result;

	assert_int_equal(points.n, 1);
	assert_string_equal(points.list[0].function, "probed_function");
	assert_null(points.list[0].inlined_into);
	assert_string_equal(points.list[0].symbol, "probed_function");
	assert_int_equal(points.list[0].symbol_offset, 0);
	assert_int_equal(debuginfo_file_offset(d, points.list[0].address, &offset), 0);
	assert_type(variable_of(&points.list[0], "thing").type, "const thing_t*");
	assert_type(variable_of(&points.list[0], "small").type, "unsigned char");
	assert_true(variable_of(&points.list[0], "big").is_parameter);
	assert_int_equal(points.list[0].scope->ops->result(points.list[0].scope, &result), 0);
	assert_type(result, "int");
	assert_int_equal(variable_of(&points.list[0], "shared_number").place.kind, PLACE_ADDRESS);
	debuginfo_points_release(&points);
	points = points_of(d, (struct debuginfo_where){.function = "empty_function"});
	assert_int_equal(points.list[0].scope->ops->result(points.list[0].scope, &result), -ENOENT);
	debuginfo_points_release(&points);
	debuginfo_close(d);
}

static int count_parameters(void *ctx, const struct variable *v)
{
	static const char *const names[] = {"thing", "small", "big"};
	unsigned *n = ctx;

	assert_true(*n < 3);
	assert_string_equal(v->name, names[(*n)++]);
	return 0;
}

static void parameters_come_in_order(void **state)
{
	struct debuginfo *d = open_self();
	struct debuginfo_points points =
		points_of(d, (struct debuginfo_where){.function = "probed_function"});
	struct scope *s = points.list[0].scope;
	unsigned n = 0;

	assert_int_equal(s->ops->each(s, true, count_parameters, &n), 0);
	assert_int_equal(n, 3);
	debuginfo_points_release(&points);
	debuginfo_close(d);
}

static void lines_have_points(void **state)
{
	struct debuginfo *d = open_self();
	struct debuginfo_source src;
	struct errmsg err = {0};
	unsigned probeable = 0;

	assert_int_equal(debuginfo_source(d, "probed_function", NULL, 0, 0, &src, &err), 0);
	assert_string_equal(src.function, "probed_function");
	assert_int_equal(src.first, src.function_line);
	for (size_t i = 0; i < src.n_lines; i++) {
		struct debuginfo_where where = {
			.file = "test_debuginfo.c", .line = src.lines[i].line, .has_line = true};
		struct debuginfo_points points;

		if (!src.lines[i].is_probeable)
			continue;
		probeable++;
		points = points_of(d, where);
		assert_true(points.n > 0);
		assert_int_equal(points.list[0].line, src.lines[i].line);
		debuginfo_points_release(&points);
	}
	assert_true(probeable >= 3);
	debuginfo_source_release(&src);
	debuginfo_close(d);
}

static void what_is_not_there_is_refused(void **state)
{
	static const struct {
		struct debuginfo_where where;
		const char *words;
	} rows[] = {
		{{.function = "probed_functoin"}, "did you mean 'probed_function'?"},
		{{.function = "probed_function", .line = 900, .has_line = true},
		 "the nearest that"},
		{{.function = "probed_function", .offset = 1 << 20}, "shorter than 1048576 bytes"},
		{{.file = "no_such_file.c", .line = 3, .has_line = true}, "has no code from"},
	};
	struct debuginfo *d = open_self();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct debuginfo_points points;
		struct errmsg err = {0};

		assert_int_equal(debuginfo_points(d, &rows[i].where, &points, &err), -ENOENT);
		assert_non_null(strstr(err.text, rows[i].words));
	}
	debuginfo_close(d);
}

/* --- types --------------------------------------------------------------------------------------- */

static void assert_member(struct type t, const char *name, const char *type, uint64_t bit_offset,
			  unsigned n_bits)
{
	struct type_member m;

	assert_int_equal(type_find_member(t, name, strlen(name), &m), 0);
	assert_type(m.type, type);
	assert_int_equal(m.bit_offset, bit_offset);
	assert_int_equal(m.n_bits, n_bits);
}

static void types_have_members(void **state)
{
	struct debuginfo *d = open_self();
	struct type thing;
	struct type_facts f;
	struct type_member m;

	assert_int_equal(types_parse(debuginfo_types(d), "thing_t", 7, &thing), 0);
	type_get(thing, &f);
	assert_int_equal(f.kind, TYPE_STRUCT);
	assert_int_equal(f.n_bytes, sizeof(thing_t));
	assert_string_equal(f.name, "thing_t");
	assert_member(thing, "name", "const char*", 0, 0);
	assert_member(thing, "in", "struct inner", offsetof(thing_t, in) * 8, 0);
	assert_member(thing, "high", "unsigned int", (offsetof(thing_t, in) + 16) * 8 + 3, 7);
	assert_member(thing, "grid", "int[2][5]", offsetof(thing_t, grid) * 8, 0);
	assert_member(thing, "call", "int(*)(int, char*)", offsetof(thing_t, call) * 8, 0);
	assert_int_equal(type_find_member(thing, "in", 2, &m), 0);
	assert_member(m.type, "bytes", "char[8]", 64, 0); /* inside of an anonymous union */
	assert_int_equal(type_find_member(thing, "nothing", 7, &m), -ENOENT);
	assert_int_equal(type_find_member(thing, "grid", 4, &m), 0);
	type_get(m.type, &f);
	assert_int_equal(f.n_elements, 2);
	assert_int_equal(f.n_bytes, 40);
	type_get(f.target, &f);
	assert_int_equal(f.n_elements, 5);
	assert_int_equal(f.n_bytes, 20);
	debuginfo_close(d);
}

static void enums_have_names(void **state)
{
	struct debuginfo *d = open_self();
	struct type t;
	struct type_facts f;
	struct type_enumerator e;

	assert_int_equal(types_parse(debuginfo_types(d), "enum shade", 10, &t), 0);
	type_get(t, &f);
	assert_int_equal(f.kind, TYPE_ENUM);
	assert_int_equal(f.n_members, 3);
	assert_true(f.is_signed);
	assert_int_equal(type_enumerator(t, 1, &e), 0);
	assert_string_equal(e.name, "SHADE_DARK");
	assert_int_equal(e.value, 7);
	assert_int_equal(type_enumerator(t, 2, &e), 0);
	assert_int_equal(e.value, -2);
	assert_int_equal(type_enumerator(t, 3, &e), -ENOENT);
	assert_int_equal(types_parse(debuginfo_types(d), "struct no_such", 14, &t), -ENOENT);
	debuginfo_close(d);
}

/* --- functions ----------------------------------------------------------------------------------- */

static int note_function(void *ctx, const struct debuginfo_function *f)
{
	unsigned *n = ctx;

	++*n;
	assert_non_null(strstr(f->name, "_function"));
	return 0;
}

static void functions_match_a_pattern(void **state)
{
	struct debuginfo *d = open_self();
	struct errmsg err = {0};
	unsigned n = 0;

	assert_int_equal(debuginfo_functions(d, "*d_function", note_function, &n, &err), 0);
	assert_true(n >= 1);
	debuginfo_close(d);
}

static void no_program_is_refused(void **state)
{
	static const char *const paths[] = {"/no/such/file", "/", "/proc/self/maps"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct debuginfo_paths p = {.path = paths[i]};
		struct errmsg err = {0};
		struct debuginfo *d;

		assert_true(debuginfo_open(&d, &p, &err) < 0);
		assert_true(err.text[0]);
	}
}

/* --- marks --------------------------------------------------------------------------------------- */

static const uint8_t notes[] =
	/* another owner's note, skipped */
	"\4\0\0\0\4\0\0\0\1\0\0\0GNU\0abcd"
	"\10\0\0\0\46\0\0\0\3\0\0\0stapsdt\0"
	"\x10\x20\0\0\0\0\0\0\x00\x30\0\0\0\0\0\0\x40\x50\0\0\0\0\0\0"
	"libc\0setjmp\0\0\0\0\0";

static int note_mark(void *ctx, const struct usdt_note *n)
{
	*(struct usdt_note *)ctx = *n;
	return 0;
}

static void marks_are_read(void **state)
{
	struct usdt_note n = {0};

	/* 24 bytes of addresses, "libc", "setjmp", "": 37 bytes, and one of padding inside */
	assert_int_equal(
		usdt_parse((struct piece){notes, sizeof(notes) - 1}, false, 8, note_mark, &n), 0);
	assert_int_equal(n.address, 0x2010);
	assert_int_equal(n.base, 0x3000);
	assert_int_equal(n.semaphore, 0x5040);
	assert_string_equal(n.provider, "libc");
	assert_string_equal(n.name, "setjmp");
	assert_string_equal(n.arguments, "");
}

static void cut_marks_are_left_out(void **state)
{
	for (size_t len = 0; len < sizeof(notes) - 1; len++) {
		struct usdt_note n = {0};
		uint8_t *copy = malloc(len ? len : 1);

		memcpy(copy, notes, len);
		assert_int_equal(usdt_parse((struct piece){copy, len}, false, 8, note_mark, &n), 0);
		if (len < 20 + 20 + 38)
			assert_null(n.provider);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entry_has_parameters),
		cmocka_unit_test(parameters_come_in_order),
		cmocka_unit_test(lines_have_points),
		cmocka_unit_test(what_is_not_there_is_refused),
		cmocka_unit_test(types_have_members),
		cmocka_unit_test(enums_have_names),
		cmocka_unit_test(functions_match_a_pattern),
		cmocka_unit_test(no_program_is_refused),
		cmocka_unit_test(marks_are_read),
		cmocka_unit_test(cut_marks_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
