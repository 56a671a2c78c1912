// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sourcetext.c - reads a source file line by line.
 *
 * The file is mapped and read once, from its first line on: lines are requested in increasing
 * order, as they are printed, so no table of lines is needed. A file that cannot be read has only
 * empty lines, because their numbers are still printed. Its name comes from a program file, so only
 * a regular file of limited size is read. The last line may lack its newline.
 */
#include "probe/look/sourcetext.h"

#include "base/errmsg.h"

#include <string.h>

#define SOURCE_MAX_BYTES ((size_t)256 << 20) /* generated sources have some MB */

void sourcetext_open(struct sourcetext *s, const char *path)
{
	struct errmsg ignored = {0};

	*s = (struct sourcetext){.line = 1};
	s->is_open = path && mapfile_open_regular(&s->map, path, SOURCE_MAX_BYTES, &ignored) >= 0;
}

void sourcetext_close(struct sourcetext *s)
{
	if (s->is_open)
		mapfile_release(&s->map);
	s->is_open = false;
}

struct piece sourcetext_line(struct sourcetext *s, unsigned line)
{
	struct piece p = PIECE_EMPTY;

	while (s->is_open && s->pos < s->map.n_bytes && s->line <= line) {
		const uint8_t *begin = s->map.data + s->pos;
		const uint8_t *end = memchr(begin, '\n', s->map.n_bytes - s->pos);
		size_t len = end ? (size_t)(end - begin) : s->map.n_bytes - s->pos;

		p = (struct piece){begin, len};
		s->pos += len + 1;
		s->line++;
	}
	return s->line == line + 1 ? p : PIECE_EMPTY;
}
