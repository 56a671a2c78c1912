/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scope.h - early returns that forget nothing.
 *
 *	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = TEXT_MAX_BYTES};
 *	SCOPED(scope_free) char *name = NULL;
 *
 *	TRY(name_of(event, &name, err));
 *	TRY(read_text(name, &text, err));
 *	return use_text(&text, err);
 *
 * SCOPED(release) calls release(&local) when the scope of the local ends, by any path. The local
 * must have a value from its first line on: zeros, or what the release function takes for empty.
 * Locals are released in reverse order. TAKE(pointer) moves ownership: it returns the pointer and
 * sets the local to NULL.
 *
 * TRY(call) returns from the function with the result of the call if that is negative. It is the
 * only macro that returns. A function uses it if it adds nothing to the failure.
 */
#ifndef SONDE_BASE_SCOPE_H
#define SONDE_BASE_SCOPE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SCOPED(release) __attribute__((cleanup(release)))

#define TRY(call)                      \
	do {                           \
		int try_r_ = (call);   \
		if (try_r_ < 0)        \
			return try_r_; \
	} while (0)

#define TAKE(pointer)                              \
	({                                         \
		typeof(pointer) take_ = (pointer); \
		(pointer) = NULL;                  \
		take_;                             \
	})

/* Takes a struct that is empty when it is zero. */
#define TAKE_STRUCT(object)                      \
	({                                       \
		typeof(object) take_ = (object); \
		(object) = (typeof(object)){0};  \
		take_;                           \
	})

static inline void scope_free(void *pointer)
{
	free(*(void **)pointer);
}

/* Closes a scoped descriptor, unless it is negative. */
static inline void scope_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* Makes NAME_scoped(), for a pointer to an object that NAME(pointer) frees. */
#define SCOPED_POINTER(type, name)                       \
	static inline void name##_scoped(type **pointer) \
	{                                                \
		if (*pointer)                            \
			name(*pointer);                  \
	}

SCOPED_POINTER(FILE, fclose)
SCOPED_POINTER(DIR, closedir)

#endif
