// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * separate.c - strace -ff: a file for each process, without the interleaving of a common one.
 *
 *	414 read(3,  <unfinished ...>          FILE.414:  read(3, "x", 1) = 1
 *	415 close(4) = 0                       FILE.415:  close(4) = 0
 *	414 <... read resumed>"x", 1) = 1
 *
 * The lines come in order of time. The beginning of a call that was interrupted by another process
 * waits for its end.
 */
#include "cli/as/strace/strace_int.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES_MAX 65536
#define TEXT_MAX      (1u << 30)
#define UNFINISHED    " <unfinished ...>"
#define RESUMED	      " resumed>"
#define COLUMN	      40 /* of results */

struct part {
	int pid;
	struct textbuf text;
};

struct parts {
	struct part **list;
	size_t n, cap;
};

static struct part *part_of(struct parts *p, int pid)
{
	for (size_t i = p->n; i--;)
		if (p->list[i]->pid == pid)
			return p->list[i];
	if (!ARRAY_ROOM(p->list, p->cap, p->n + 1, PROCESSES_MAX))
		return NULL;
	p->list[p->n] = calloc(1, sizeof(struct part));
	if (!p->list[p->n])
		return NULL;
	p->list[p->n]->pid = pid;
	textbuf_init(&p->list[p->n]->text, TEXT_MAX);
	return p->list[p->n++];
}

/* The pid before the line was removed, and a call may be joined from two parts: moves its result to
 * the column. */
static void align(struct textbuf *tb)
{
	char *line = textbuf_len(tb) ? memrchr(tb->start, '\n', textbuf_len(tb)) : NULL;
	char *sign, *end;
	size_t width, n_rest;
	char rest[512];

	line = line ? line + 1 : tb->start;
	for (sign = tb->pos; sign > line + 3 && memcmp(sign - 3, " = ", 3);)
		sign--;
	if (tb->overflow || sign <= line + 3)
		return;
	sign -= 2; /* the = */
	for (end = sign; end > line && end[-1] == ' ';)
		end--;
	n_rest = tb->pos - sign;
	if (end == line || end[-1] != ')' || n_rest > sizeof(rest))
		return;
	memcpy(rest, sign, n_rest);
	tb->pos = end;
	width = end - line;
	textbuf_add_fill(tb, ' ', width < COLUMN - 1 ? COLUMN - width : 1);
	textbuf_add(tb, rest, n_rest);
}

static void add_line(struct textbuf *tb, const char *line, size_t n)
{
	const char *resumed =
		n > 5 && !memcmp(line, "<... ", 5) ? memmem(line, n, RESUMED, 9) : NULL;
	size_t cut = strlen(UNFINISHED);

	if (n > cut && !memcmp(line + n - cut, UNFINISHED, cut)) {
		textbuf_add(tb, line, n - cut);
		return;
	}
	if (resumed) {
		/* the beginning is at the end of the text */
		size_t skip = resumed + strlen(RESUMED) - line;

		line += skip;
		n -= skip;
	}
	textbuf_add(tb, line, n);
	align(tb);
	textbuf_add_char(tb, '\n');
}

static int write_part(struct part *p, const char *prefix, struct errmsg *err)
{
	char path[4096];
	FILE *f;
	bool ok;

	if ((size_t)snprintf(path, sizeof(path), "%s.%d", prefix, p->pid) >= sizeof(path))
		return errmsg_set(err, -ENAMETOOLONG, "Can't fopen '%s': File name too long",
				  prefix);
	f = fopen(path, "we");
	if (!f)
		return errmsg_set(err, -errno, "Can't fopen '%s': %s", path, strerror(errno));
	ok = !textbuf_len(&p->text) || fwrite(p->text.start, textbuf_len(&p->text), 1, f) == 1;
	if (fclose(f) || !ok)
		return errmsg_set(err, -EIO, "cannot write %s", path);
	return 0;
}

int strace_separate(const char *text, size_t len, const char *prefix, struct errmsg *err)
{
	struct parts parts = {0};
	int r = 0;

	for (const char *line = text, *end = text + len; line < end;) {
		const char *nl = memchr(line, '\n', end - line), *p = line;
		struct part *part;

		if (!nl)
			nl = end;
		while (p < nl && isdigit((unsigned char)*p))
			p++;
		part = part_of(&parts, atoi(line));
		while (p < nl && *p == ' ')
			p++;
		if (!part) {
			r = errmsg_set_errno(err, -ENOMEM, "cannot divide the output");
			break;
		}
		add_line(&part->text, p, nl - p);
		line = nl + 1;
	}
	for (size_t i = 0; i < parts.n; i++) {
		if (r >= 0)
			r = write_part(parts.list[i], prefix, err);
		textbuf_release(&parts.list[i]->text);
		free(parts.list[i]);
	}
	free(parts.list);
	return r;
}
