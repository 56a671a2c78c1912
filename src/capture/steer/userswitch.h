/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userswitch.h - switches single functions off and on while programs run.
 *
 *	userswitch_take     the code of a process was built: keep it writable
 *	userswitch_set      a function, in all processes that run now or start later
 *	userswitch_set_all  all functions at once; what was off before stays off
 *
 * A function is known by its number in the recording (plans/plans.h). A function that a user has
 * switched off costs a jump. One that the budget has switched off costs nothing, if its hook can be
 * taken out of the code (runtime/remove.c); in a process that has done so it cannot be switched on
 * again. Calls that are under way are recorded to their end.
 *
 * Any thread may call any of these.
 */
#ifndef SONDE_CAPTURE_STEER_USERSWITCH_H
#define SONDE_CAPTURE_STEER_USERSWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct userimage;
struct userrings;
struct userswitch;

/* The thunks of one image in the plan's file. */
struct userswitch_area {
	uint64_t at; /* of the area, in the file; the thunks begin SNRT_HOOK_BYTES behind */
	uint32_t n_thunks;
	uint32_t first_number;	       /* of the function of the first thunk */
	const struct userimage *image; /* lives as long as the process's mapping is used */
};

/* Are there instructions for it on this processor? If not, nothing is kept and nothing changes. */
static inline bool userswitch_is_possible(void)
{
#if defined(__x86_64__)
	return true;
#else
	return false;
#endif
}

/* rings must live as long. NULL: out of memory. */
struct userswitch *userswitch_new(const struct userrings *rings);
void userswitch_free(struct userswitch *s);

/*
 * Takes the mapping of a plan's file, which its process does not run yet. If it cannot be kept, it
 * is unmapped, and the functions of that process stay as they are now.
 */
void userswitch_take(struct userswitch *s, pid_t pid, uint32_t plan, uint8_t *memory,
		     size_t n_bytes, const struct userswitch_area *areas, size_t n_areas);

enum userswitch_why {
	USERSWITCH_ASKED,  /* by a user (sonde ctl) */
	USERSWITCH_BUDGET, /* it was too expensive */
};

/* What was switched, and when. */
struct userswitch_change {
	uint64_t ns;	  /* CLOCK_MONOTONIC_RAW */
	uint64_t n_calls; /* of the function until then */
	uint32_t number;  /* USERSWITCH_ALL: all functions */
	bool on;
	enum userswitch_why why;
};
#define USERSWITCH_ALL UINT32_MAX

/* n_calls: until now, for the list of changes. 0, or -ENOMEM with nothing changed. */
int userswitch_set(struct userswitch *s, uint32_t number, bool on, enum userswitch_why why,
		   uint64_t n_calls);
bool userswitch_is_on(struct userswitch *s, uint32_t number);
/* The budget has switched it off, and programs may have taken its hook out of their code. */
bool userswitch_is_removed(struct userswitch *s, uint32_t number);
/* Programs have said that they cannot take hooks out of their code: lets thunks jump instead. */
void userswitch_note_stuck(struct userswitch *s);
/* It is on, and no user has asked for it. */
bool userswitch_may_end(struct userswitch *s, uint32_t number);
void userswitch_set_all(struct userswitch *s, bool on);
/* Copies changes, the oldest first, from the given one on; returns how many. */
size_t userswitch_changes(struct userswitch *s, size_t from, struct userswitch_change *ret,
			  size_t max);
bool userswitch_all_is_on(struct userswitch *s);
/* Functions that are switched off one by one. */
size_t userswitch_n_off(struct userswitch *s);

#endif
