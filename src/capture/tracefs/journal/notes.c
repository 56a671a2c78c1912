// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * notes.c - the notes of a journal, as a list and as lines of a file.
 *
 *	instance sonde.1234
 *	top 1234
 *	live-at <device:inode:birth, hex> /home/me/trace.dat
 *	live /home/me/trace.dat                             (older versions: any file of that name)
 *	probe sonde_1234/vfs_read
 *	marks 4711 360012
 *	file <instance or -> set_event 22
 *	sched:sched_switch
 *	…
 *
 * A note is one line; a note about a file is followed by the file's text, whose length is in the
 * line. Names come from command lines and may contain any byte. Characters that would end or split
 * the line are written as %NN (hex): control characters, '%', and in the line of a file also blanks
 * and an instance named "-".
 *
 * Root reads journals, so the reader trusts no length and no name. It ignores notes that are
 * truncated or unknown.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/tracefs/journal/journal_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOURNAL_MAX_BYTES (64u << 20)
#define FIELD_MAX_BYTES	  16384 /* a path of 4096 bytes, all of them escaped */

static const char *const note_words[] = {"instance", "file", "live", "top", "probe", "marks"};
#define LIVE_AT "live-at"

/*
 * --- the list ----------------------------------------------------------------------------------
 */

static void note_release(struct note *n)
{
	free(n->instance);
	free(n->name);
	free(n->text);
}

int notes_add(struct notes *notes, enum note_kind kind, const char *instance, const char *name,
	      const char *text, size_t text_bytes)
{
	struct note *n;

	if (!ARRAY_ROOM(notes->list, notes->cap, notes->n + 1, ARRAY_NO_MAX))
		return -ENOMEM;
	n = &notes->list[notes->n];
	*n = (struct note){kind, strdup(instance), strdup(name), strndup(text, text_bytes), false};
	if (!n->instance || !n->name || !n->text) {
		note_release(n);
		return -ENOMEM;
	}
	notes->n++;
	return 0;
}

void notes_release(struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		note_release(&notes->list[i]);
	free(notes->list);
	*notes = (struct notes){0};
}

bool notes_find(const struct notes *notes, enum note_kind kind, const char *instance,
		const char *name)
{
	return ARRAY_ANY(notes->n, i,
			 notes->list[i].kind == kind &&
				 !strcmp(notes->list[i].instance, instance) &&
				 !strcmp(notes->list[i].name, name));
}

void notes_drop_done(struct notes *notes)
{
	size_t n = 0;

	for (size_t i = 0; i < notes->n; i++)
		if (notes->list[i].is_done)
			note_release(&notes->list[i]);
		else
			notes->list[n++] = notes->list[i];
	notes->n = n;
}

/*
 * --- writing -----------------------------------------------------------------------------------
 */

static void add_escaped(struct textbuf *tb, const char *name, bool also_blanks)
{
	for (; *name; name++) {
		unsigned char c = *name;

		if (c < 0x20 || c == 0x7f || c == '%' || (also_blanks && c == ' '))
			textbuf_addf(tb, "%%%02x", c);
		else
			textbuf_add_char(tb, c);
	}
}

void note_fmt(struct textbuf *tb, enum note_kind kind, const char *instance, const char *name,
	      const char *text)
{
	size_t text_bytes = strlen(text);

	if (kind == NOTE_LIVE && *text)
		textbuf_addf(tb, LIVE_AT " %s ", text);
	else
		textbuf_addf(tb, "%s ", note_words[kind]);
	if (kind != NOTE_FILE) {
		add_escaped(tb, name, false);
		textbuf_add_char(tb, '\n');
		return;
	}
	if (!strcmp(instance, "-"))
		textbuf_add_str(tb, "%2d");
	else
		add_escaped(tb, *instance ? instance : "-", true);
	textbuf_add_char(tb, ' ');
	add_escaped(tb, name, true);
	textbuf_addf(tb, " %zu\n", text_bytes);
	textbuf_add(tb, text, text_bytes);
	textbuf_add_char(tb, '\n');
}

/*
 * --- reading -----------------------------------------------------------------------------------
 */

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Copies [p, end) without its escapes into buf of FIELD_MAX_BYTES. Returns false if the text does
 * not fit or contains a NUL.
 */
static bool unescape(const char *p, const char *end, char *buf)
{
	size_t n = 0;

	for (; p < end && n < FIELD_MAX_BYTES - 1; p++) {
		int high = end - p > 2 && *p == '%' ? hex_digit(p[1]) : -1;
		int low = high >= 0 ? hex_digit(p[2]) : -1;

		buf[n] = low >= 0 ? high << 4 | low : *p;
		p += low >= 0 ? 2 : 0;
		if (!buf[n++])
			return false;
	}
	buf[n] = 0;
	return p == end && n > 0;
}

/* Returns the end of the next word of a line, and moves *p past the blank that follows. */
static const char *take_word(const char **p, const char *eol)
{
	const char *end = memchr(*p, ' ', eol - *p);

	end = end ? end : eol;
	*p = end < eol ? end + 1 : eol;
	return end;
}

/* Reads a length. Accepts only digits, and at most n_there, the number of bytes that are left. */
static bool read_length(const char *p, const char *eol, size_t n_there, size_t *ret)
{
	const char *start = p;
	size_t n = 0;

	for (; p < eol && *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (*p - '0');
		if (n > n_there)
			return false;
	}
	*ret = n;
	return p == eol && p > start;
}

/*
 * Parses "INSTANCE NAME LENGTH" and the text that follows. Returns false if the text is truncated;
 * then no other note can follow.
 */
static bool parse_file(const char *line, const char *eol, const char **p, const char *end,
		       struct notes *notes, int *ret_code)
{
	char instance[FIELD_MAX_BYTES], name[FIELD_MAX_BYTES];
	const char *at = line, *word_end = take_word(&at, eol);
	bool is_top = word_end - line == 1 && *line == '-';
	bool is_good = unescape(line, word_end, instance);
	size_t text_bytes;

	line = at;
	word_end = take_word(&at, eol);
	is_good &= unescape(line, word_end, name);
	if (!is_good || !read_length(at, eol, end - *p, &text_bytes) ||
	    text_bytes >= (size_t)(end - *p)) /* a newline follows the text */
		return false;
	*ret_code = notes_add(notes, NOTE_FILE, is_top ? "" : instance, name, *p, text_bytes);
	*p += text_bytes + 1;
	return true;
}

static int parse_name(enum note_kind kind, const char *line, const char *eol, struct notes *notes)
{
	char name[FIELD_MAX_BYTES];

	return unescape(line, eol, name) ? notes_add(notes, kind, "", name, "", 0) : 0;
}

/* Parses "ID NAME". */
static int parse_live(const char *line, const char *eol, struct notes *notes)
{
	char name[FIELD_MAX_BYTES];
	const char *at = line, *end = take_word(&at, eol);

	for (const char *p = line; p < end; p++)
		if (*p != ':' && hex_digit(*p) < 0)
			return 0;
	return end > line && unescape(at, eol, name)
		       ? notes_add(notes, NOTE_LIVE, "", name, line, end - line)
		       : 0;
}

static bool is_word(const char *word, const char *word_end, const char *wanted)
{
	return strlen(wanted) == (size_t)(word_end - word) &&
	       !memcmp(word, wanted, word_end - word);
}

int notes_parse(const char *p, size_t n_bytes, struct notes *notes)
{
	const char *end = n_bytes ? p + n_bytes : p; /* p may be NULL if n_bytes is 0 */

	while (p < end) {
		const char *line = p, *eol = memchr(p, '\n', end - p), *word = p, *word_end;
		int r = 0;

		if (!eol)
			break;
		p = eol + 1;
		word_end = take_word(&line, eol);
		for (size_t i = 0; i < ARRAY_LEN(note_words) && r >= 0; i++) {
			if (!is_word(word, word_end, note_words[i]))
				continue;
			if (i != NOTE_FILE)
				r = parse_name(i, line, eol, notes);
			else if (!parse_file(line, eol, &p, end, notes, &r))
				return 0;
		}
		if (is_word(word, word_end, LIVE_AT))
			r = parse_live(line, eol, notes);
		TRY(r);
	}
	return 0;
}

int notes_read(int fd, struct notes *ret_notes)
{
	struct notes notes = {0};
	struct stat st;
	char *text;
	int r;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size > JOURNAL_MAX_BYTES)
		return -EFBIG;
	text = malloc(st.st_size + 1);
	if (!text)
		return -ENOMEM;
	r = pread(fd, text, st.st_size, 0) == st.st_size ? notes_parse(text, st.st_size, &notes)
							 : -EIO;
	free(text);
	if (r < 0) {
		notes_release(&notes);
		return r;
	}
	*ret_notes = notes;
	return 0;
}

/*
 * --- what could not be undone ------------------------------------------------------------------
 */

static int write_rest(int fd, const struct notes *notes)
{
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = JOURNAL_MAX_BYTES};
	size_t len;

	for (size_t i = 0; i < notes->n; i++) {
		const struct note *n = &notes->list[i];

		if (!n->is_done)
			note_fmt(&tb, n->kind, n->instance, n->name, n->text);
	}
	len = textbuf_len(&tb);
	if (tb.overflow)
		return -EFBIG;
	return write(fd, tb.start, len) == (ssize_t)len ? 0 : -EIO;
}

void notes_leave(const struct notes *notes, const char *path)
{
	const char *slash = strrchr(path, '/');
	bool is_done = true;
	char rest[600];
	int fd, r;

	for (size_t i = 0; i < notes->n; i++)
		is_done &= notes->list[i].is_done;
	if (is_done) {
		unlink(path);
		return;
	}
	/*
	 * write a second file first, so that nothing is lost if sonde is killed here; the old
	 * journal stays valid until the rename
	 */
	snprintf(rest, sizeof(rest), "%.*s/rest.%d", (int)(slash - path), path, (int)getpid());
	unlink(rest);
	fd = open(rest, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	r = write_rest(fd, notes);
	if (close(fd) || r < 0 || rename(rest, path))
		unlink(rest);
}
