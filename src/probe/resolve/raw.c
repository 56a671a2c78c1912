// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * raw.c - resolves lines in the kernel's own grammar, which are passed through.
 *
 *	p:grp/ev vfs_read+0x10 count=%dx:u64        the kernel checks the whole line
 *	p:grp/ev /bin/bash:0x1234(0x5678) %di       PATH:OFFSET(SEMAPHORE); the offset is in the
 *	                                            file
 *
 * The kernel checks little of a place in a program: a name instead of the offset is an "Invalid
 * argument", and an offset beyond the end of the file is accepted and never hit. This code reports
 * both.
 */
#include "base/scope.h"
#include "probe/resolve/resolve_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns the part of the place that begins at s, without "(SEMAPHORE)" and "%return". */
static struct span span_of(const struct resolution *r, const char *s)
{
	return (struct span){r->d->function_span.at + (uint32_t)(s - r->d->function),
			     (uint32_t)strcspn(s, "(%")};
}

static int check_program(struct resolution *r)
{
	const char *place = r->d->function, *slash = strchr(place, '/');
	const char *colon = slash ? strrchr(slash, ':') : NULL;
	unsigned long long offset;
	char path[PATH_MAX], *end;
	struct stat st;

	if (!colon || !strchr("pr", r->d->letter) || (size_t)(colon - place) >= sizeof(path))
		return 0;
	memcpy(path, place, colon - place);
	path[colon - place] = 0;
	if (stat(path, &st)) {
		int code = -errno;
		struct span whole = {r->d->function_span.at, (uint32_t)strlen(path)};

		return RESOLVE_REFUSE(r, whole, code,
				      "cannot read a program or library %s; check the path", path);
	}
	offset = strtoull(colon + 1, &end, 0);
	if (end == colon + 1)
		return RESOLVE_REFUSE(
			r, span_of(r, colon + 1), -EINVAL,
			"in the kernel's own grammar a place in a program is an offset in its "
			"file, as in %s:0x1234; to use a name, omit '%c:' before it: '%s'",
			path, r->d->letter, place);
	if (offset >= (unsigned long long)st.st_size)
		return RESOLVE_REFUSE(r, span_of(r, colon + 1), -EINVAL,
				      "this is beyond the end of %s, which has %lld bytes; "
				      "'sonde probe add -D' shows the offset of a function",
				      path, (long long)st.st_size);
	return 0;
}

int resolve_raw(struct resolution *r)
{
	struct probe *p = &r->out->probe;
	int result = check_program(r);

	TRY(result);
	p->kind = PROBE_RAW;
	p->max_active = r->d->max_active;
	return resolve_add_place(r, r->d->function) ? 0 : resolve_no_memory(r);
}
