// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probed.c - plans for programs that the kernel's probes trace (userprobes.h).
 *
 *	a command            its file
 *	a running process    its file, and the libraries that were chosen and are mapped now
 *
 * Nothing is built: such an image has places instead of code. All processes of the recording share
 * one plan, because the kernel knows places by file, not by process.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/calls/plans/plans_int.h"
#include "capture/user/image.h"
#include "runtime/snrt.h"
#include "store/events/userevents.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAPS_MAX_BYTES (16u << 20)

void userplans_probed_release(struct userplans_probed *l)
{
	for (size_t i = 0; i < l->n; i++)
		close(l->files[i].fd);
	l->n = 0;
}

static struct userplan *begin_plan(struct userplans *p, struct userplans_probed *ret)
{
	struct userplan *plan = userplans_add_plan(p);

	*ret = (struct userplans_probed){.plan = (uint32_t)p->n_plans};
	return plan;
}

/* Takes the descriptor. */
static int add(struct userplans *p, struct userplan *plan, const struct userfile *f, int fd,
	       struct userplans_probed *l)
{
	uint32_t first = plan->n ? plan->n : 1, n = (uint32_t)userimage_n_hooks(f->image);

	if (l->n == ARRAY_LEN(l->files) || n > SNRT_FUNC_MAX - first) {
		close(fd);
		return -E2BIG;
	}
	l->files[l->n++] = (struct userplans_probed_file){f->image, fd, first};
	if (!userplans_grow(p, plan, first + n))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		plan->funcs[first + i] = userevents_func(f->first_number + i);
	plan->n = first + n;
	return 0;
}

static int tell(const struct userplans *p, const char *path, int code, struct errmsg *err)
{
	if (code == -ENOEXEC)
		return errmsg_set(err, code,
				  "cannot plan probes in %s: it is no program in the ELF format, "
				  "but a script or a text",
				  path);
	if (code == -EINVAL)
		return errmsg_set(err, -ENOEXEC, "cannot plan probes in %s: %s", path, p->why);
	return errmsg_set_errno(err, code, "cannot plan probes in %s", path);
}

int userplans_make_probed(struct userplans *p, const char *path, struct userplans_probed *ret,
			  struct errmsg *err)
{
	struct userplan *plan = begin_plan(p, ret);
	struct userfile *f;
	int fd = -1, r;

	if (!plan)
		return tell(p, path, -ENOMEM, err);
	p->choice->is_probed = true;
	f = userplans_add_program(p, path, &fd);
	p->choice->is_probed = false;
	if (!f || !f->image) {
		if (fd >= 0)
			close(fd);
		return tell(p, path, f ? -EINVAL : -ENOEXEC, err);
	}
	snprintf(plan->comm, sizeof(plan->comm), "%.15s", strrchr(f->path, '/') + 1);
	r = add(p, plan, f, fd, ret);
	return r < 0 ? tell(p, path, r, err) : 0;
}

static int add_mapped(struct userplans *p, struct userplan *plan, pid_t pid, const struct mapped *m,
		      struct userplans_probed *l, struct errmsg *err)
{
	int fd = mapped_open(pid, m), r;
	struct userfile *f;

	if (fd < 0)
		return errmsg_set_errno(err, fd, "cannot open %s", m->path);
	f = userplans_add_file(p, fd, m->path, m->is_program);
	if (!f || !f->image || (!m->is_program && !userimage_n_hooks(f->image))) {
		close(fd);
		return f && !m->is_program ? 0 : tell(p, m->path, f ? -EINVAL : -ENOMEM, err);
	}
	r = add(p, plan, f, fd, l);
	return r < 0 ? tell(p, m->path, r, err) : 0;
}

/* With rules that name only libraries, the program itself has no functions to trace. */
static void drop_empty(struct userplans_probed *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (userimage_n_hooks(l->files[i].image) || (!n && i + 1 == l->n))
			l->files[n++] = l->files[i];
		else
			close(l->files[i].fd);
	}
	l->n = n;
}

int userplans_make_probed_process(struct userplans *p, pid_t pid, struct userplans_probed *ret,
				  struct errmsg *err)
{
	SCOPED(mapped_list_release) struct mapped_list l = {0};
	struct userplan *plan = begin_plan(p, ret);
	int r;

	if (!plan)
		return errmsg_set_errno(err, -ENOMEM, "cannot plan probes");
	textbuf_init(&l.maps, MAPS_MAX_BYTES);
	r = mapped_list_read(pid, &l, err);
	p->choice->is_probed = true;
	for (size_t i = 0; i < l.n && r >= 0; i++)
		if (userplans_want(p, &l.list[i]))
			r = add_mapped(p, plan, pid, &l.list[i], ret, err);
	p->choice->is_probed = false;
	TRY(r);
	drop_empty(ret);
	return ret->n ? 0
		      : errmsg_set(err, -ENOENT, "process %d has no program that can be traced",
				   (int)pid);
}
