// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wrapped.c - finds the pointer in classes of the C++ library that act as a pointer.
 *
 *	std::unique_ptr<int> owned      *owned is *owned._M_t._M_t._M_head_impl
 *	std::vector<int> list           list[1] is list._M_impl._M_start[1]
 *
 * The path goes through members and base classes. These are the names in libstdc++ and libc++; a
 * class without any of them is not a pointer.
 */
#include "base/array.h"
#include "probe/fetch/fetch_int.h"
#include "symbols/types.h"

#include <errno.h>
#include <string.h>

static const char *const pointers[] = {
	"_M_impl._M_start",
	"__begin_", /* std::vector */
	"_M_t._M_t._M_head_impl",
	"__ptr_.__value_", /* std::unique_ptr */
	"_M_ptr",
	"__ptr_",	    /* std::shared_ptr */
	"_M_dataplus._M_p", /* std::string */
	"_M_elems",
	"__elems_", /* std::array */
};

/*
 * One step of such a path. A class may inherit several members of one name; the last part is a
 * pointer.
 */
struct pointer_step {
	const char *name;
	size_t len;
	bool is_last;
	struct type_member found; /* name NULL: none */
};

static int match_step(void *ctx, const struct type_member *m)
{
	struct pointer_step *s = ctx;
	struct type_facts f;

	if (strncmp(m->name, s->name, s->len) || m->name[s->len])
		return 0;
	type_get(m->type, &f);
	if (s->is_last && f.kind != TYPE_POINTER && f.kind != TYPE_ARRAY)
		return 0;
	s->found = *m;
	return -EEXIST; /* ends the walk */
}

void value_enter_pointer(struct value *v)
{
	for (size_t i = 0; i < ARRAY_LEN(pointers); i++) {
		const char *path = pointers[i];
		struct value at = *v;

		while (*path) {
			struct pointer_step s = {path, strcspn(path, "."), !strchr(path, '.')};

			type_each_member(at.type, match_step, &s);
			if (!s.found.name)
				break;
			value_step_into(&at, &s.found);
			path += s.len + (path[s.len] == '.');
		}
		if (!*path) {
			*v = at;
			return;
		}
	}
}
