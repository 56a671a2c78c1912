// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * processes.c - a table of threads by pid, and its text form in a trace file.
 *
 * A trace file has one line for each, numbers in decimal:
 *
 *	self 228                     a process of sonde itself
 *	thread 4711 4700             a thread and its process, if the two differ
 *	process 4700 sh -c a\x20b    a process and its command line: words separated by one blank; a
 *	                             byte that is a blank, a backslash or a control character is
 *	                             \xHH. Without words it is unknown.
 *	cut 4701 firefox -child      the same, if the command line is longer
 *
 * The option holds this text compressed, if that makes it shorter (store/packedtext.h).
 *
 * A hash of the pid finds a row; rows are kept in order of appearance. A command line is stored in
 * the text form above.
 */
#include "symbols/processes.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"
#include "base/textbuf.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX	(1u << 18)
#define ARENA_MAX_BYTES (32u << 20)
#define ENCODED_MAX	(4 * PROCESSES_COMMAND_MAX)

struct row {
	int tid, tgid;
	const char *command; /* NULL: unknown */
	bool is_cut, is_self;
};

struct processes {
	struct row *rows;
	size_t n, cap;
	struct map numbers; /* index of the row + 1, by thread id */
	bool has_self;
	struct arena arena;
};

struct processes *processes_new(void)
{
	struct processes *p = calloc(1, sizeof(*p));

	if (p)
		arena_init(&p->arena, ARENA_MAX_BYTES);
	return p;
}

void processes_free(struct processes *p)
{
	if (!p)
		return;
	arena_release(&p->arena);
	map_release(&p->numbers);
	free(p->rows);
	free(p);
}

/*
 * --- the table ---------------------------------------------------------------------------------
 */

static const struct row *find_row(const struct processes *p, int tid)
{
	uintptr_t number = p ? (uintptr_t)map_find(&p->numbers, (uint32_t)tid) : 0;

	return number ? &p->rows[number - 1] : NULL;
}

static struct row *take_row(struct processes *p, int tid)
{
	void **number;

	if (tid <= 0 || !ARRAY_ROOM(p->rows, p->cap, p->n + 1, ROWS_MAX))
		return NULL;
	number = map_take(&p->numbers, (uint32_t)tid, ROWS_MAX);
	if (!number)
		return NULL;
	if (!*number) {
		p->rows[p->n] = (struct row){.tid = tid, .tgid = tid};
		*number = (void *)(uintptr_t)++p->n;
	}
	return &p->rows[(uintptr_t)*number - 1];
}

int processes_add_thread(struct processes *p, int tid, int tgid)
{
	struct row *row = tgid > 0 ? take_row(p, tid) : NULL;

	if (!row)
		return -ENOMEM;
	if (row->tgid != tgid) /* the pid was reused */
		*row = (struct row){.tid = tid, .tgid = tgid};
	return 0;
}

int processes_add_self(struct processes *p, int tgid)
{
	struct row *row = take_row(p, tgid);

	if (!row)
		return -ENOMEM;
	row->tgid = tgid;
	row->is_self = true;
	p->has_self = true;
	return 0;
}

static int take_command(struct processes *p, int tgid, const char *encoded, size_t len, bool is_cut)
{
	struct row *row;
	char *copy;

	if (processes_add_thread(p, tgid, tgid) < 0)
		return -ENOMEM;
	row = take_row(p, tgid);
	row->is_cut = is_cut;
	if (row->command && strlen(row->command) == len && !memcmp(row->command, encoded, len))
		return 0;
	copy = arena_strndup(&p->arena, encoded, len);
	if (!copy)
		return -ENOMEM;
	row->command = copy;
	return 0;
}

/*
 * --- command lines -----------------------------------------------------------------------------
 */

static char *encode(char *to, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	if (c > ' ' && c != 0x7f && c != '\\') {
		*to++ = (char)c;
		return to;
	}
	*to++ = '\\';
	*to++ = 'x';
	*to++ = hex[c >> 4];
	*to++ = hex[c & 15];
	return to;
}

int processes_add_command(struct processes *p, int tgid, const char *words, size_t n_bytes,
			  bool is_cut)
{
	char encoded[ENCODED_MAX], *to = encoded;

	if (n_bytes > PROCESSES_COMMAND_MAX) {
		n_bytes = PROCESSES_COMMAND_MAX;
		is_cut = true;
	}
	if (n_bytes && !words[n_bytes - 1])
		n_bytes--;
	/* programs that overwrite their arguments leave NULs at the end */
	while (n_bytes && !words[n_bytes - 1])
		n_bytes--;
	if (!n_bytes)
		return processes_add_thread(p, tgid, tgid);
	for (size_t i = 0; i < n_bytes; i++) {
		if (words[i])
			to = encode(to, (unsigned char)words[i]);
		else
			*to++ = ' ';
	}
	return take_command(p, tgid, encoded, (size_t)(to - encoded), is_cut);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char decode(const char **at)
{
	const char *s = *at;

	if (s[0] == '\\' && s[1] == 'x' && hex_digit(s[2]) >= 0 && hex_digit(s[3]) >= 0) {
		*at = s + 4;
		return (char)(hex_digit(s[2]) << 4 | hex_digit(s[3]));
	}
	*at = s + 1;
	return *s;
}

static bool is_plain(const char *word, size_t len)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "%+,-./:=@_^~";

	for (size_t i = 0; i < len; i++)
		if (!strchr(plain, word[i]) && !((unsigned char)word[i] & 0x80))
			return false;
	return len > 0;
}

static void add_word(const char *word, size_t len, struct textbuf *tb)
{
	const char *end = word + len;

	if (is_plain(word, len)) {
		textbuf_add(tb, word, len);
		return;
	}
	textbuf_add(tb, "'", 1);
	while (word < end) {
		const char *from = word;
		char c = decode(&word);

		/* a control character must not reach a terminal */
		if ((unsigned char)c < ' ' || c == 0x7f)
			textbuf_add(tb, from, (size_t)(word - from));
		else if (c == '\'')
			textbuf_add(tb, "'\\''", 4);
		else
			textbuf_add(tb, &c, 1);
	}
	textbuf_add(tb, "'", 1);
}

bool processes_fmt_command(const struct processes *p, int tid, struct textbuf *tb)
{
	const struct row *row = find_row(p, tid);
	const char *at;

	if (row && row->tgid != tid)
		row = find_row(p, row->tgid);
	if (!row || !row->command)
		return false;
	for (at = row->command;;) {
		size_t len = strcspn(at, " ");

		add_word(at, len, tb);
		at += len;
		if (!*at)
			break;
		textbuf_add(tb, at++, 1);
	}
	if (row->is_cut)
		textbuf_add_str(tb, " …");
	return true;
}

/*
 * --- look-ups ----------------------------------------------------------------------------------
 */

int processes_find_tgid(const struct processes *p, int tid)
{
	const struct row *row = find_row(p, tid);

	return row ? row->tgid : -1;
}

bool processes_is_self(const struct processes *p, int tid)
{
	const struct row *row = find_row(p, tid);

	if (row && row->tgid != tid)
		row = find_row(p, row->tgid);
	return row && row->is_self;
}

bool processes_has_self(const struct processes *p)
{
	return p && p->has_self;
}

ARRAY_ORDER(compare_numbers, int, COMPARE(*x, *y))

int processes_each(const struct processes *p, int (*visit)(void *ctx, int tgid), void *ctx)
{
	size_t n = 0;
	int *numbers, r = 0;

	if (!p)
		return 0;
	numbers = calloc(p->n + 1, sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++)
		if (p->rows[i].tgid == p->rows[i].tid)
			numbers[n++] = p->rows[i].tid;
	qsort(numbers, n, sizeof(*numbers), compare_numbers);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = visit(ctx, numbers[i]);
	free(numbers);
	return r;
}

/*
 * --- the text ----------------------------------------------------------------------------------
 */

void processes_fmt(const struct processes *p, struct textbuf *tb)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct row *row = &p->rows[i];

		if (row->is_self)
			textbuf_addf(tb, "self %d\n", row->tid);
		if (row->tgid != row->tid)
			textbuf_addf(tb, "thread %d %d\n", row->tid, row->tgid);
		else
			textbuf_addf(tb, "%s %d%s%s\n", row->is_cut ? "cut" : "process", row->tid,
				     row->command ? " " : "", row->command ? row->command : "");
	}
}

/* Parses a number and the one blank after it. Returns NULL if one is missing. */
static const char *parse_number(const char *at, const char *end, int *ret)
{
	const char *start = at;
	long n = 0;

	for (; at < end && *at >= '0' && *at <= '9' && at - start < 10; at++)
		n = 10 * n + (*at - '0');
	if (at == start || n > INT32_MAX || (at < end && *at != ' '))
		return NULL;
	*ret = (int)n;
	return at < end ? at + 1 : at;
}

static int parse_row(struct processes *p, const char *word, size_t len, const char *at,
		     const char *end)
{
	int tid = 0, tgid = 0;

	at = parse_number(at, end, &tid);
	if (!at || tid <= 0)
		return 0;
	if (len == 4 && !memcmp(word, "self", 4))
		return processes_add_self(p, tid);
	if (len == 6 && !memcmp(word, "thread", 6))
		return parse_number(at, end, &tgid) && tgid > 0 ? processes_add_thread(p, tid, tgid)
								: 0;
	if ((len != 7 || memcmp(word, "process", 7)) && (len != 3 || memcmp(word, "cut", 3)))
		return 0;
	if (at == end || end - at > ENCODED_MAX || memchr(at, 0, (size_t)(end - at)))
		return processes_add_thread(p, tid, tid);
	return take_command(p, tid, at, (size_t)(end - at), len == 3);
}

int processes_parse(struct processes *p, struct piece text)
{
	const char *at = (const char *)text.data, *all = at + text.len;
	int r = 0;

	while (at < all && *at && r >= 0) {
		const char *nl = memchr(at, '\n', (size_t)(all - at)), *end = nl ? nl : all;
		const char *blank = memchr(at, ' ', (size_t)(end - at));

		if (blank)
			r = parse_row(p, at, (size_t)(blank - at), blank + 1, end);
		at = end + 1;
	}
	return r;
}
