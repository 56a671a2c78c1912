// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sources.c - where called functions begin in their source, from DWARF.
 *
 *	F 10 1139 1a work          of the option (text.c)
 *	L 10 4 /home/me/prog.c     this file's: the function's address in events, its line, its file
 *
 * It runs when the recording has ended, because reading DWARF takes time, and only for functions
 * that were called: a program may have fifty thousand. A file that was replaced since it was traced
 * is left out; its lines would be of another program.
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "store/events/userevents.h"
#include "capture/calls/plans/plans_int.h"
#include "capture/steer/userstats.h"
#include "symbols/dwarf/debuginfo.h"

#include <sys/stat.h>

static struct debuginfo *open_info(const struct userfile *f)
{
	struct debuginfo_paths paths = {.path = f->path};
	struct debuginfo *info = NULL;
	struct errmsg ignored = {0};
	struct stat st;

	if (!f->path || stat(f->path, &st) || st.st_dev != f->dev || st.st_ino != f->ino ||
	    (uint64_t)st.st_size != f->n_bytes || debuginfo_open(&info, &paths, &ignored) < 0)
		return NULL;
	if (!debuginfo_has_dwarf(info)) {
		debuginfo_close(info);
		return NULL;
	}
	return info;
}

static void add_source(struct debuginfo *info, const struct userimage_function *fn, uint32_t number,
		       struct textbuf *tb)
{
	const char *file;
	unsigned line;

	if (fn->is_stub || debuginfo_find_source(info, fn->address, &file, &line) < 0)
		return;
	textbuf_addf(tb, "L %x %u ", userevents_func(number), line);
	userplans_add_line(tb, file);
}

static void add_sources(struct userfile *f, const struct userstats *stats, struct textbuf *tb)
{
	struct debuginfo *info = NULL;

	for (size_t k = 0; k < userimage_n_hooks(f->image); k++) {
		const struct userimage_function *fn =
			userimage_function(f->image, userimage_hooked(f->image, k));
		uint32_t number = f->first_number + k;

		if (!userstats_get(stats, number).n_calls)
			continue;
		if (!info && !(info = open_info(f)))
			return;
		add_source(info, fn, number, tb);
	}
	debuginfo_close(info);
}

void userplans_fmt_sources(struct userplans *p, const struct userstats *stats, struct textbuf *tb)
{
	for (size_t i = 0; i < p->n_files; i++)
		if (p->files[i]->image)
			add_sources(p->files[i], stats, tb);
}
