// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plans.c - from /proc/PID/maps to a plan's file.
 *
 *	/proc/PID/maps ─▶ mapped files ─▶ userfile: analysed, or known ─▶ place in the process
 *	      │                                                              │
 *	      └────────────── gaps near the code (area.h) ──────────────────┤
 *	                                                                     ▼
 *	plan's file (a memfd)    snrt_image[] │ patches │ … │ areas, each at a page
 *
 * The program waits for our answer, so its memory does not change meanwhile. Its maps are hostile
 * all the same, as is every file that it maps.
 *
 * A file is known again by device, inode, length and time of change: a shell script that runs a
 * program ten thousand times pays for the analysis once. The code is built for each process,
 * because its addresses differ.
 */
#include "capture/calls/plans/plans.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "store/events/userevents.h"
#include "capture/calls/userpids.h"
#include "capture/calls/plans/plans_int.h"
#include "capture/steer/userswitch.h"
#include "capture/user/area.h"
#include "capture/user/values.h"
#include "runtime/snrt.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAPS_MAX_BYTES (16u << 20)
#define FILES_MAX      16384u
#define PLANS_MAX      (1u << 20)
#define PLAN_FILES_MAX SNRT_IMAGES_MAX
#define PLAN_MAX_BYTES ((uint64_t)1 << 30)
#define PAGE_BYTES     4096u
#define LARGER_FACTOR  2 /* a library with that many times the program's code is worth a hint */
#define LIBRARY_NAME   "libsonde-rt.so"
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

/* Whose plan is made. */
struct owner {
	pid_t pid;
	uint32_t plan;
	bool is_attached;
};

/* An image with its place, on the way into the plan's file. */
struct placed {
	struct userfile *file;
	struct userimage_place place;
	uint64_t patches_at, rules_at, area_at;
	enum snrt_image_what what;
	bool is_detour;
	uint64_t low;
};

/* Whose functions it counts. */
static bool is_numbered(const struct placed *pl)
{
	return pl->what == SNRT_IMAGE_NEW && !pl->is_detour;
}

struct userplans *userplans_new(struct userchoice *choice, const struct valuerules *values,
				struct userswitch *switches)
{
	struct userplans *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->choice = choice;
	p->switches = switches;
	p->values = values;
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->files_lock, NULL);
	return p;
}

void userplans_free(struct userplans *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_files; i++) {
		userimage_close(p->files[i]->image);
		uservalues_free(p->files[i]->values);
		free(p->files[i]->path);
		free(p->files[i]);
	}
	for (size_t i = 0; i < p->n_plans; i++) {
		free(p->plans[i]->funcs);
		free(p->plans[i]->entries);
		free((void *)p->plans[i]->values);
		free(p->plans[i]);
	}
	for (size_t i = 0; i < p->n_old; i++)
		free(p->old[i]);
	userplans_release_codes(p);
	userdetours_release(p);
	free(p->files);
	free(p->plans);
	free(p->old);
	pthread_mutex_destroy(&p->lock);
	pthread_mutex_destroy(&p->files_lock);
	free(p);
}

/*
 * --- files -------------------------------------------------------------------------------------
 */

static struct userfile *find_file(const struct userplans *p, const struct stat *st, bool is_program)
{
	uint64_t changed_ns = (uint64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;

	for (size_t i = 0; i < p->n_files; i++) {
		struct userfile *f = p->files[i];

		if (f->dev == st->st_dev && f->ino == st->st_ino &&
		    f->n_bytes == (uint64_t)st->st_size && f->changed_ns == changed_ns &&
		    f->is_program == is_program)
			return f;
	}
	return NULL;
}

static void note_failure(struct userplans *p, const char *why)
{
	if (!p->n_failed++)
		snprintf(p->why, sizeof(p->why), "%s", why);
}

static void analyse(struct userplans *p, struct userfile *f, int fd)
{
	struct errmsg err = {0};
	size_t n;

	p->choice->is_program = f->is_program;
	if (userimage_open(&f->image, f->path, fd, p->choice, &err) < 0) {
		f->image = NULL;
		note_failure(p, err.text);
		return;
	}
	userplans_plan_values(p, f, &err);
	n = userimage_n_hooks(f->image);
	if (n > USEREVENTS_FUNCTIONS_MAX - p->n_functions) {
		userimage_close(f->image);
		f->image = NULL;
		note_failure(p, "there are more functions than a recording can number");
		return;
	}
	f->first_number = p->n_functions;
	__atomic_store_n(&p->n_functions, p->n_functions + n, __ATOMIC_RELEASE);
}

/* The file, analysed; NULL: there is no memory. */
static struct userfile *add_file_locked(struct userplans *p, int fd, const char *path,
					bool is_program)
{
	struct userfile *f;
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	f = find_file(p, &st, is_program);
	if (f || !ARRAY_ROOM(p->files, p->files_cap, p->n_files + 1, FILES_MAX))
		return f;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->n_bytes = st.st_size;
	f->changed_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	f->is_program = is_program;
	f->path = strdup(path);
	p->files[p->n_files++] = f;
	if (f->path)
		analyse(p, f, fd);
	return f;
}

/* Others may list the files meanwhile. */
struct userfile *userplans_add_file(struct userplans *p, int fd, const char *path, bool is_program)
{
	struct userfile *f;

	pthread_mutex_lock(&p->files_lock);
	f = add_file_locked(p, fd, path, is_program);
	pthread_mutex_unlock(&p->files_lock);
	return f;
}

/* NULL: it does not count. */
static struct userfile *take_file(struct userplans *p, pid_t pid, const struct mapped *m)
{
	int fd = mapped_open(pid, m);
	struct userfile *f;

	if (fd < 0) {
		char why[PATH_MAX + 64];

		snprintf(why, sizeof(why), "cannot open %s: %s", m->path, strerror(-fd));
		note_failure(p, why);
		return NULL;
	}
	f = userplans_add_file(p, fd, m->path, m->is_program);
	close(fd);
	return f && f->image ? f : NULL;
}

/* A script's interpreter is found when it runs. */
struct userfile *userplans_add_program(struct userplans *p, const char *path, int *ret_fd)
{
	char full[PATH_MAX], magic[4];
	int fd = realpath(path, full) ? open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
				      : -1;
	struct userfile *f = NULL;

	if (fd < 0)
		return NULL;
	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	    !memcmp(magic, "\177ELF", sizeof(magic)))
		f = userplans_add_file(p, fd, full, true);
	if (f && ret_fd)
		*ret_fd = fd;
	else
		close(fd);
	return f;
}

void userplans_prepare(struct userplans *p, const char *path)
{
	userplans_add_program(p, path, NULL);
}

bool userplans_want(const struct userplans *p, const struct mapped *m)
{
	const char *name = strrchr(m->path, '/') + 1;

	if (!m->has_code || !strcmp(name, LIBRARY_NAME))
		return false;
	p->choice->is_program = m->is_program;
	return m->is_program || userchoice_wants(p->choice, m->path);
}

int userplans_prepare_process(struct userplans *p, pid_t pid, struct errmsg *err)
{
	struct mapped_list l = {0};
	int r;

	textbuf_init(&l.maps, MAPS_MAX_BYTES);
	r = mapped_list_read(pid, &l, err);
	for (size_t i = 0; i < l.n && r >= 0; i++) {
		if (userplans_want(p, &l.list[i]))
			take_file(p, pid, &l.list[i]);
		userdetours_take(p, pid, &l.list[i], true);
	}
	mapped_list_release(&l);
	return r;
}

/*
 * --- a plan's file -----------------------------------------------------------------------------
 */

static uint64_t page_up(uint64_t n)
{
	return (n + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static int open_memory(size_t n_bytes, uint8_t **ret_memory)
{
	int fd = memfd_create("sonde-plan", MFD_CLOEXEC | MFD_EXEC | MFD_ALLOW_SEALING), code;

	if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
		fd = memfd_create("sonde-plan", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	*ret_memory = MAP_FAILED;
	/* we keep the mapping: a program that shortened the file would kill us (SIGBUS) */
	if (TEMP_FAILURE_RETRY(ftruncate(fd, n_bytes)) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
		*ret_memory = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*ret_memory != MAP_FAILED)
		return fd;
	code = -errno;
	close(fd);
	return code;
}

static void fill_image(struct snrt_image *to, const struct placed *pl)
{
	const struct userimage *image = pl->file->image;
	uint64_t text, text_bytes;

	userimage_text(image, &text, &text_bytes);
	*to = (struct snrt_image){
		.area = pl->place.area,
		.area_bytes = userimage_area_bytes(image),
		.area_at = pl->area_at,
		.text = text + pl->place.bias,
		.text_bytes = text_bytes,
		.patches_at = pl->patches_at,
		.n_patches = userimage_n_patches(image),
		.n_thunks = userimage_n_hooks(image),
		.what = pl->what,
		.rules_at = pl->rules_at,
		.n_rules = userimage_n_rules(image),
	};
	for (size_t i = 0; i < to->n_thunks && i < SNRT_DETOURS_MAX && pl->is_detour; i++)
		to->detours[i] = userdetours_which(pl->file, i);
}

/* The mapping stays, so that functions can be switched off and on. */
static void keep_memory(struct userplans *p, const struct owner *owner, const struct placed *placed,
			size_t n, uint8_t *memory, size_t n_bytes)
{
	struct userswitch_area areas[PLAN_FILES_MAX];
	size_t n_areas = 0;

	if (!p->switches) {
		munmap(memory, n_bytes);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (is_numbered(&placed[i]))
			areas[n_areas++] = (struct userswitch_area){
				.at = placed[i].area_at,
				.n_thunks = userimage_n_hooks(placed[i].file->image),
				.first_number = placed[i].file->first_number,
				.image = placed[i].file->image,
			};
	userswitch_take(p->switches, owner->pid, owner->plan, memory, n_bytes, areas, n_areas);
}

/* For those who find addresses in it. */
static void keep_code(struct userplans *p, const struct placed *placed, size_t n, int fd)
{
	struct usercode *code = usercode_new(n);
	struct stat st;

	for (size_t i = 0; i < n && code; i++)
		usercode_set(code, i, placed[i].area_at, placed[i].place.bias,
			     placed[i].file->image);
	if (fstat(fd, &st))
		free(code);
	else
		userplans_keep_code(p, st.st_ino, code);
}

static int write_plan(struct userplans *p, const struct owner *owner, struct placed *placed,
		      size_t n, struct mapped_list *l, struct userplans_answer *ret,
		      struct errmsg *err)
{
	struct snrt_range ranges[SNRT_RANGES_MAX];
	uint64_t at = (n + 1) * sizeof(struct snrt_image), n_bytes;
	uint8_t *memory = NULL;
	int fd, r = 0;

	for (size_t i = 0; i < n; i++) {
		placed[i].patches_at = at;
		at += userimage_n_patches(placed[i].file->image) * sizeof(struct snrt_patch);
		placed[i].rules_at = at;
		at += userimage_n_rules(placed[i].file->image) * sizeof(struct snrt_rule);
	}
	ret->n_ranges = userplans_list_memory(textbuf_text(&l->maps), ranges, &ret->heap);
	ret->ranges_at = at;
	at += ret->n_ranges * sizeof(*ranges);
	for (size_t i = 0; i < n; i++) {
		placed[i].area_at = page_up(at);
		at = placed[i].area_at + userimage_area_bytes(placed[i].file->image);
	}
	n_bytes = page_up(at);
	fd = n_bytes > PLAN_MAX_BYTES ? -EFBIG : open_memory(n_bytes, &memory);
	if (fd < 0)
		return errmsg_set_errno(err, fd, "cannot make the code of user functions");
	for (size_t i = 0; i < n && r >= 0; i++) {
		fill_image((struct snrt_image *)memory + i, &placed[i]);
		if (userimage_n_rules(placed[i].file->image))
			memcpy(memory + placed[i].rules_at, userimage_rules(placed[i].file->image),
			       userimage_n_rules(placed[i].file->image) * sizeof(struct snrt_rule));
		r = userimage_build(placed[i].file->image, &placed[i].place,
				    memory + placed[i].area_at,
				    (struct snrt_patch *)(memory + placed[i].patches_at));
	}
	memcpy(memory + ret->ranges_at, ranges, ret->n_ranges * sizeof(*ranges));
	if (r < 0) {
		munmap(memory, n_bytes);
		close(fd);
		return errmsg_set_errno(err, r, "cannot make the code of user functions");
	}
	keep_code(p, placed, n, fd);
	keep_memory(p, owner, placed, n, memory, n_bytes);
	ret->fd = fd;
	return 0;
}

/*
 * --- plans -------------------------------------------------------------------------------------
 */

/* The code that the process has for a file at an address; NULL: none. */
static struct userplan_entry *find_entry(const struct userplan *plan, const struct mapped_list *l,
					 const struct userfile *f, uint64_t low)
{
	for (size_t i = 0; i < plan->n_entries; i++) {
		struct userplan_entry *e = &plan->entries[i];

		if (e->file == f && e->low == low && mapped_has_area(l, e->area))
			return e;
	}
	return NULL;
}

/* Finds a place for an image near its code. False: it is left out. */
static bool place_image(struct userplans *p, const struct mapped_list *l, const struct mapped *m,
			struct userfile *f, struct placed *ret, struct userarea *areas,
			size_t n_areas)
{
	size_t n_bytes = userimage_area_bytes(f->image);
	uint64_t low, high, address;
	int r;

	userimage_span(f->image, &low, &high);
	ret->file = f;
	ret->place.bias = m->low - low / PAGE_BYTES * PAGE_BYTES;
	r = userarea_find(l->maps.start, textbuf_len(&l->maps), low + ret->place.bias,
			  high + ret->place.bias, n_bytes, areas, n_areas, &address);
	if (r < 0) {
		char why[PATH_MAX + 100];

		snprintf(why, sizeof(why), "there is no room for code near %s", m->path);
		note_failure(p, why);
		return false;
	}
	ret->place.area = address;
	areas[n_areas] = (struct userarea){address, address + n_bytes};
	return true;
}

/* A library that is back where it was. */
static void place_again(struct userplan_entry *e, const struct owner *owner, struct placed *ret)
{
	uint64_t low, high;

	userimage_span(e->file->image, &low, &high);
	*ret = (struct placed){
		.file = e->file,
		.place = {e->low - low / PAGE_BYTES * PAGE_BYTES, e->area, e->first_id},
		.what = SNRT_IMAGE_AGAIN,
		.low = e->low};
	if (e->gone_from == owner->pid)
		e->gone_from = 0;
}

static bool is_mapped_at(const struct mapped_list *l, uint64_t low, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->list[i].low == low && !strcmp(l->list[i].path, path))
			return true;
	return false;
}

/* Libraries that the process has closed. */
static size_t place_gone(struct userplan *plan, const struct owner *owner,
			 const struct mapped_list *l, struct placed *placed)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_entries && n < PLAN_FILES_MAX; i++) {
		struct userplan_entry *e = &plan->entries[i];

		if (e->gone_from == owner->pid || !mapped_has_area(l, e->area) ||
		    is_mapped_at(l, e->low, e->file->path))
			continue;
		place_again(e, owner, &placed[n]);
		placed[n++].what = SNRT_IMAGE_GONE;
		e->gone_from = owner->pid;
	}
	return n;
}

/* What is being placed. */
struct placing {
	struct placed *placed;
	size_t n;
	struct userarea areas[PLAN_FILES_MAX];
	uint32_t next_id;
};

static void place_new(struct userplans *p, const struct mapped_list *l, const struct mapped *m,
		      struct userfile *f, bool is_detour, struct placing *to)
{
	struct placed *pl = &to->placed[to->n];

	if (userimage_n_hooks(f->image) > SNRT_FUNC_MAX + 1 - to->next_id) {
		note_failure(p, "a process has more functions than the runtime can number");
		return;
	}
	*pl = (struct placed){.is_detour = is_detour, .low = m->low};
	if (!place_image(p, l, m, f, pl, to->areas, to->n))
		return;
	pl->place.first_id = to->next_id;
	if (!is_detour)
		to->next_id += userimage_n_hooks(f->image);
	to->n++;
}

static void place_mapped(struct userplans *p, const struct owner *owner,
			 const struct mapped_list *l, const struct userplan *plan,
			 const struct mapped *m, struct placing *to)
{
	struct userfile *f = userplans_want(p, m) ? take_file(p, owner->pid, m) : NULL;
	struct userfile *detour =
		plan->n ? NULL : userdetours_take(p, owner->pid, m, owner->is_attached);
	struct userplan_entry *e = f ? find_entry(plan, l, f, m->low) : NULL;

	if (detour)
		place_new(p, l, m, detour, true, to);
	if (!f || !userimage_n_hooks(f->image) || to->n == PLAN_FILES_MAX ||
	    (e && e->gone_from != owner->pid))
		return;
	if (e) {
		place_again(e, owner, &to->placed[to->n]);
		to->areas[to->n++] = (struct userarea){0};
	} else if (plan->n_entries + to->n < PLAN_FILES_MAX) {
		place_new(p, l, m, f, false, to);
	} else {
		note_failure(p, "a process has loaded more libraries than the runtime can keep");
	}
}

/* What has changed: closed, mapped and chosen. */
static size_t place_images(struct userplans *p, const struct owner *owner,
			   const struct mapped_list *l, struct userplan *plan,
			   struct placed *placed)
{
	struct placing to = {.placed = placed, .next_id = plan->n ? plan->n : 1};

	to.n = place_gone(plan, owner, l, placed);
	for (size_t i = 0; i < l->n && to.n < PLAN_FILES_MAX; i++)
		place_mapped(p, owner, l, plan, &l->list[i], &to);
	return to.n;
}

/* Every program has these libraries; they need no hint. */
static bool is_common(const char *name)
{
	static const char *const names[] = {"ld-",     "libc.",	   "libm.",	 "libpthread.",
					    "libasan", "libgcc_s", "libstdc++.", "libsonde-rt"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static const struct mapped *find_program(const struct mapped_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->list[i].is_program)
			return &l->list[i];
	return NULL;
}

/*
 * Notes the library that has most of the first program's code, if it is not traced: one of those
 * that the program itself names, not of those that its libraries need.
 */
static void note_larger(struct userplans *p, pid_t pid, const struct mapped_list *l)
{
	const struct mapped *program = find_program(l), *most = NULL;
	struct userfile *f =
		program && userplans_want(p, program) ? take_file(p, pid, program) : NULL;

	for (size_t i = 0; f && i < l->n; i++) {
		const struct mapped *m = &l->list[i];
		const char *name = strrchr(m->path, '/') + 1;

		if (m->has_code && !m->is_program && !is_common(name) && !userplans_want(p, m) &&
		    m->code_bytes / LARGER_FACTOR >= program->code_bytes &&
		    (!most || m->code_bytes > most->code_bytes) && userimage_needs(f->image, name))
			most = m;
	}
	if (!most)
		return;
	snprintf(p->program, sizeof(p->program), "%s", strrchr(program->path, '/') + 1);
	snprintf(p->larger, sizeof(p->larger), "%s", strrchr(most->path, '/') + 1);
}

/* A longer array; the old one stays, because the other thread may look at it. */
bool userplans_grow(struct userplans *p, struct userplan *plan, uint32_t need)
{
	const struct uservalues **values = NULL;
	uint32_t *funcs;

	if (need <= plan->cap)
		return true;
	if (!ARRAY_ROOM(p->old, p->old_cap, p->n_old + 2, ARRAY_NO_MAX))
		return false;
	funcs = calloc(need, sizeof(*funcs));
	if (p->values)
		values = calloc(need, sizeof(const struct uservalues *));
	if (!funcs || (p->values && !values)) {
		free(funcs);
		free((void *)values);
		return false;
	}
	if (plan->n)
		memcpy(funcs, plan->funcs, plan->n * sizeof(*funcs));
	if (plan->n && values)
		memcpy((void *)values, (const void *)plan->values, plan->n * sizeof(*values));
	p->old[p->n_old++] = plan->funcs;
	p->old[p->n_old++] = (void *)plan->values;
	plan->funcs = funcs;
	plan->values = values;
	plan->cap = need;
	return true;
}

/* The ids that the new images have. */
static int number_functions(struct userplans *p, struct userplan *plan, const struct placed *placed,
			    size_t n)
{
	uint32_t need = plan->n ? plan->n : 1;
	bool ok;

	for (size_t i = 0; i < n; i++)
		need += is_numbered(&placed[i]) ? userimage_n_hooks(placed[i].file->image) : 0;
	pthread_mutex_lock(&p->lock);
	ok = ARRAY_ROOM(plan->entries, plan->entries_cap, plan->n_entries + n, ARRAY_NO_MAX) &&
	     userplans_grow(p, plan, need);
	for (size_t i = 0; i < n && ok; i++) {
		uint32_t id = placed[i].place.first_id;

		if (!is_numbered(&placed[i]))
			continue;
		for (uint32_t k = 0; k < userimage_n_hooks(placed[i].file->image); k++) {
			plan->funcs[id + k] = userevents_func(placed[i].file->first_number + k);
			if (plan->values)
				plan->values[id + k] = uservalues_find(placed[i].file->values, k);
		}
		plan->entries[plan->n_entries++] =
			(struct userplan_entry){.file = placed[i].file,
						.low = placed[i].low,
						.bias = placed[i].place.bias,
						.area = placed[i].place.area,
						.first_id = id};
	}
	if (ok)
		plan->n = need;
	pthread_mutex_unlock(&p->lock);
	return ok ? 0 : -ENOMEM;
}

static int plan_process(struct userplans *p, const struct owner *owner, struct userplan *plan,
			struct userplans_answer *ret, struct errmsg *err)
{
	struct placed placed[PLAN_FILES_MAX];
	SCOPED(mapped_list_release) struct mapped_list l = {0};
	int r;

	textbuf_init(&l.maps, MAPS_MAX_BYTES);
	TRY(mapped_list_read(owner->pid, &l, err));
	if (!p->n_plans)
		note_larger(p, owner->pid, &l);
	ret->n_images = place_images(p, owner, &l, plan, placed);
	TRY(write_plan(p, owner, placed, ret->n_images, &l, ret, err));
	r = number_functions(p, plan, placed, ret->n_images);
	if (r < 0) {
		close(ret->fd);
		return errmsg_set_errno(err, r, "cannot keep the plan of a process");
	}
	return r;
}

static void read_comm(pid_t pid, char comm[16])
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, comm, 16);
	if (fd >= 0)
		close(fd);
	comm[n > 0 ? n - 1 : 0] = 0;
	comm[strcspn(comm, "\n")] = 0;
}

const char *userplans_find_comm(const struct userplans *p, uint32_t plan)
{
	return plan && plan <= p->n_plans ? p->plans[plan - 1]->comm : "";
}

int userplans_make(struct userplans *p, pid_t pid, bool is_attached, struct userplans_answer *ret,
		   struct errmsg *err)
{
	struct userplan *plan = calloc(1, sizeof(*plan));
	bool ok = plan;
	int r;

	if (!plan)
		return errmsg_set_errno(err, -ENOMEM, "cannot plan");
	plan->pid_ns = userpids_namespace(pid);
	read_comm(pid, plan->comm);
	r = plan_process(p, &(struct owner){pid, p->n_plans + 1, is_attached}, plan, ret, err);
	pthread_mutex_lock(&p->lock);
	ok = r >= 0 && ARRAY_ROOM(p->plans, p->plans_cap, p->n_plans + 1, PLANS_MAX);
	if (ok)
		p->plans[p->n_plans++] = plan;
	ret->plan = p->n_plans;
	pthread_mutex_unlock(&p->lock);
	if (ok)
		return 0;
	if (r >= 0) {
		close(ret->fd);
		r = errmsg_set_errno(err, -ENOMEM, "cannot keep the plan of a process");
	}
	free(plan->funcs);
	free((void *)plan->values);
	free(plan->entries);
	free(plan);
	return r;
}

struct userplan *userplans_add_plan(struct userplans *p)
{
	struct userplan *plan = calloc(1, sizeof(*plan));

	if (plan && ARRAY_ROOM(p->plans, p->plans_cap, p->n_plans + 1, PLANS_MAX)) {
		p->plans[p->n_plans++] = plan;
		return plan;
	}
	free(plan);
	return NULL;
}

int userplans_extend(struct userplans *p, pid_t pid, uint32_t plan, struct userplans_answer *ret,
		     struct errmsg *err)
{
	if (!plan || plan > p->n_plans)
		return errmsg_set(err, -EINVAL, "there is no plan %u", plan);
	ret->plan = plan;
	return plan_process(p, &(struct owner){.pid = pid, .plan = plan}, p->plans[plan - 1], ret,
			    err);
}

bool userplans_find(struct userplans *p, uint32_t plan, struct usercollector_meaning *ret)
{
	bool found;

	pthread_mutex_lock(&p->lock);
	found = plan && plan <= p->n_plans;
	if (found)
		*ret = (struct usercollector_meaning){.funcs = p->plans[plan - 1]->funcs,
						      .values = p->plans[plan - 1]->values,
						      .plan = p->plans[plan - 1],
						      .n = p->plans[plan - 1]->n,
						      .pid_ns = p->plans[plan - 1]->pid_ns};
	pthread_mutex_unlock(&p->lock);
	return found;
}
