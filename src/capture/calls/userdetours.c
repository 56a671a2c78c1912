// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userdetours.c - functions of the C library that jump to the runtime instead.
 *
 *	_dl_debug_state    the dynamic linker calls it when libraries come and go; it does nothing
 *	_dl_find_object    unwinders find their tables with these two; a preloaded library replaces
 *	dl_iterate_phdr    them by its symbols, but a running process has bound them already
 *
 * They are hooked like functions that the user chooses, with other thunks (runtime/opened.c). They
 * have no numbers in the recording: their calls are not recorded.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "capture/calls/plans/plans_int.h"
#include "capture/user/choice.h"
#include "runtime/snrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct detour {
	const char *file; /* how the file's name begins */
	const char *function;
	enum snrt_detour which;
	bool when_attached; /* only then */
} detours[] = {
	{"ld-", "_dl_debug_state", SNRT_DEBUG_STATE, false},
	{"libc.", "_dl_find_object", SNRT_FIND_OBJECT, true},
	{"libc.", "dl_iterate_phdr", SNRT_ITERATE, true},
};

static bool is_wanted(const struct detour *d, const char *name, bool is_attached)
{
	return !strncmp(name, d->file, strlen(d->file)) && (is_attached || !d->when_attached);
}

static bool any_wanted(const char *name, bool is_attached)
{
	for (size_t i = 0; i < ARRAY_LEN(detours); i++)
		if (is_wanted(&detours[i], name, is_attached))
			return true;
	return false;
}

static int add_rules(struct userchoice *c, const char *name, bool is_attached, struct errmsg *err)
{
	char rule[64];
	int r = 0;

	for (size_t i = 0; i < ARRAY_LEN(detours) && r >= 0; i++) {
		if (!is_wanted(&detours[i], name, is_attached))
			continue;
		snprintf(rule, sizeof(rule), "%s@*", detours[i].function);
		r = userchoice_add(c, rule, false, err);
	}
	return r;
}

/* It stays in the list even if it cannot be hooked, so that it is not tried again. */
static void analyse(struct userfile *f, int fd, const char *name, bool is_attached)
{
	struct userchoice choice = {.is_detour = true};
	struct errmsg err = {0};

	if (add_rules(&choice, name, is_attached, &err) < 0 ||
	    userimage_open(&f->image, f->path, fd, &choice, &err) < 0)
		f->image = NULL;
	userchoice_release(&choice);
}

static struct userfile *find(const struct userplans *p, const struct stat *st)
{
	for (size_t i = 0; i < ARRAY_LEN(p->detours) && p->detours[i]; i++)
		if (p->detours[i]->dev == st->st_dev && p->detours[i]->ino == st->st_ino)
			return p->detours[i];
	return NULL;
}

static struct userfile *add(struct userplans *p, int fd, const struct stat *st, const char *path,
			    bool is_attached)
{
	size_t n = 0;

	while (n < ARRAY_LEN(p->detours) && p->detours[n])
		n++;
	if (n == ARRAY_LEN(p->detours))
		return NULL;
	p->detours[n] = calloc(1, sizeof(**p->detours));
	if (!p->detours[n])
		return NULL;
	p->detours[n]->dev = st->st_dev;
	p->detours[n]->ino = st->st_ino;
	p->detours[n]->path = strdup(path);
	if (p->detours[n]->path)
		analyse(p->detours[n], fd, strrchr(path, '/') + 1, is_attached);
	return p->detours[n];
}

struct userfile *userdetours_take(struct userplans *p, pid_t pid, const struct mapped *m,
				  bool is_attached)
{
	struct userfile *f = NULL;
	struct stat st;
	int fd;

	if (!m->has_code || m->is_program || !any_wanted(strrchr(m->path, '/') + 1, is_attached))
		return NULL;
	fd = mapped_open(pid, m);
	if (fd >= 0 && !fstat(fd, &st)) {
		f = find(p, &st);
		if (!f)
			f = add(p, fd, &st, m->path, is_attached);
	}
	if (fd >= 0)
		close(fd);
	return f && f->image && userimage_n_hooks(f->image) ? f : NULL;
}

unsigned userdetours_which(struct userfile *f, size_t hook)
{
	const char *name = userimage_name(f->image, userimage_hooked(f->image, hook));

	for (size_t i = 0; i < ARRAY_LEN(detours); i++)
		if (!strcmp(detours[i].function, name))
			return detours[i].which;
	return SNRT_NO_DETOUR;
}

void userdetours_release(struct userplans *p)
{
	for (size_t i = 0; i < ARRAY_LEN(p->detours) && p->detours[i]; i++) {
		userimage_close(p->detours[i]->image);
		free(p->detours[i]->path);
		free(p->detours[i]);
		p->detours[i] = NULL;
	}
}
