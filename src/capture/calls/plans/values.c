// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * values.c - what plans know of values: their texts, functions by address, and the memory
 * of a process that can always be read.
 *
 * The texts are made by the thread that reads rings, while the other one plans. So a plan's arrays
 * are never moved while they are read (plans.c keeps old ones), files stay until the end, and
 * the names of functions are made when a file is analysed.
 */
#include "capture/calls/plans/plans_int.h"

#include "store/events/userevents.h"
#include "capture/user/values.h"
#include "runtime/snrt.h"

#include <stdio.h>
#include <string.h>

#define INODES_MAX 256u

/*
 * --- texts -------------------------------------------------------------------------------------
 */

/* The function of the file that has the address, as in the file. */
static bool find_in_file(const struct userfile *f, uint64_t address, char *out, size_t size)
{
	size_t low = 0, high = userimage_n_functions(f->image);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (userimage_function(f->image, middle)->address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || userimage_function(f->image, low - 1)->address != address)
		return false;
	snprintf(out, size, "%s", userimage_name(f->image, low - 1));
	return true;
}

struct finding {
	struct userplans *plans;
	const struct userplan *plan;
};

static bool find_function(void *ctx, uint64_t address, char *out, size_t size)
{
	struct finding *f = ctx;
	bool found = false;

	pthread_mutex_lock(&f->plans->lock);
	for (size_t i = 0; i < f->plan->n_entries && !found; i++)
		found = find_in_file(f->plan->entries[i].file, address - f->plan->entries[i].bias,
				     out, size);
	pthread_mutex_unlock(&f->plans->lock);
	return found;
}

size_t userplans_fmt_values(struct userplans *p, const struct usercollector_meaning *meaning,
			    uint32_t id, bool is_ret, const uint64_t *words, size_t n_bytes,
			    char *out, size_t size)
{
	struct finding f = {p, meaning->plan};
	struct uservalues_names names = {&f, find_function};

	if (!meaning->values || id >= meaning->n || !meaning->values[id])
		return 0;
	return uservalues_fmt(meaning->values[id], is_ret, words, n_bytes, &names, out, size);
}

/* Names are made when they are first asked for, so the files are locked. */
static const char *name_of(struct userplans *p, uint32_t number)
{
	for (size_t i = 0; i < p->n_files; i++) {
		const struct userfile *f = p->files[i];
		uint32_t at = number - f->first_number;

		if (f->image && at < userimage_n_hooks(f->image))
			return userimage_name(f->image, userimage_hooked(f->image, at));
	}
	return "?";
}

size_t userplans_fmt_stack(struct userplans *p, const uint32_t *funcs, size_t n, char *out,
			   size_t size)
{
	size_t len = 0;

	pthread_mutex_lock(&p->files_lock);
	for (size_t i = 0; i < n && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%s", i ? " > " : "",
					name_of(p, userevents_number(funcs[i])));
	pthread_mutex_unlock(&p->files_lock);
	return len < size ? len : size - 1;
}

void userplans_plan_values(struct userplans *p, struct userfile *f, struct errmsg *err)
{
	if (!p->values || uservalues_plan(&f->values, f->image, p->values, err) < 0 || !f->values)
		return;
	for (size_t i = 0; i < userimage_n_functions(f->image); i++)
		userimage_name(f->image, i);
}

void userplans_tell_values(const struct userplans *p, void (*tell)(const char *sentence))
{
	const char *note;

	for (size_t i = 0; i < p->n_files; i++)
		for (size_t k = 0; (note = uservalues_note(p->files[i]->values, k)); k++)
			tell(note);
}

/*
 * --- memory ------------------------------------------------------------------------------------
 */

struct maps_line {
	unsigned long long start, end, inode;
	char modes[8];
	bool is_file, is_heap;
};

static bool read_line(const char *line, struct maps_line *ret)
{
	unsigned long long offset;
	int at = 0;

	if (sscanf(line, "%llx-%llx %7s %llx %*x:%*x %llu %n", &ret->start, &ret->end, ret->modes,
		   &offset, &ret->inode, &at) < 5 ||
	    !at)
		return false;
	ret->is_file = line[at] == '/';
	ret->is_heap = !strncmp(line + at, "[heap]", 6);
	return true;
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* The files with code: programs and libraries. Others may be unmapped at any time. */
static size_t list_code(const char *maps, unsigned long long *inodes)
{
	struct maps_line l;
	size_t n = 0;

	for (const char *p = maps; *p && n < INODES_MAX; p = next_line(p))
		if (read_line(p, &l) && l.is_file && l.modes[2] == 'x')
			inodes[n++] = l.inode;
	return n;
}

static bool is_listed(const unsigned long long *inodes, size_t n, unsigned long long inode)
{
	for (size_t i = 0; i < n; i++)
		if (inodes[i] == inode)
			return true;
	return false;
}

size_t userplans_list_memory(const char *maps, struct snrt_range *ranges, uint64_t *ret_heap)
{
	unsigned long long inodes[INODES_MAX];
	size_t n_inodes = list_code(maps, inodes), n = 0;
	struct maps_line l;

	*ret_heap = 0;
	for (const char *p = maps; *p; p = next_line(p)) {
		if (!read_line(p, &l) || l.modes[0] != 'r')
			continue;
		if (l.is_heap)
			*ret_heap = l.start;
		if (!l.is_file || !is_listed(inodes, n_inodes, l.inode))
			continue;
		if (n && ranges[n - 1].high == l.start)
			ranges[n - 1].high = l.end;
		else if (n < SNRT_RANGES_MAX)
			ranges[n++] = (struct snrt_range){l.start, l.end};
	}
	return n;
}
