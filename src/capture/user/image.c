// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * image.c - from a file to hooks: the order of the steps, and what others may ask.
 *
 *	functions.c   which functions there are
 *	choice.c      which of them are wanted; reason.c: which never
 *	frames.c      which are only parts of others; x86_64/proof.c: which may be
 *	x86_64/arch.c branches into first bytes; a hook for each function, or a reason
 *	image.c       this file: places for everything, then x86_64/ or arch_aarch64.c writes the
 *	              code
 *
 * The patched jump leads to the function's thunk, the thunk calls the body (snrt.h). Bodies have
 * different sizes and follow each other behind the thunks. Their sizes do not depend on addresses,
 * so an image is planned once and built for every process that maps it.
 */
#include "capture/user/image_int.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/steer/callrules.h"
#include "capture/user/choice.h"
#include "format/bytes.h"
#include "runtime/snrt.h"
#include "symbols/cxx/demangle.h"
#include "symbols/dwarf/debuginfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_MAX_BYTES	   (1ull << 30)
#define EDGES_MAX	   (1u << 22)
#define FIXES_MAX	   (1u << 22)
#define PAGE_BYTES	   4096ull
#define NAME_BYTES	   4096
#define PROGRAMS_MAX_BYTES (256u << 20)

static const struct userarch *const archs[] = {&userarch_x86_64, &userarch_aarch64};

/*
 * --- lists -------------------------------------------------------------------------------------
 */

uint64_t userimage_limit(const struct userimage *img, size_t function)
{
	uint64_t address = img->functions[function].pub.address, limit = img->elf.text.end;

	for (size_t i = 0; i < img->elf.n_codes; i++)
		if (address >= img->elf.codes[i].begin && address < img->elf.codes[i].end)
			limit = img->elf.codes[i].end;
	if (function + 1 < img->n_functions && img->functions[function + 1].pub.address < limit)
		limit = img->functions[function + 1].pub.address;
	return limit;
}

static int compare_edges(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

int userimage_add_edge(struct userimage *img, const struct edge *e)
{
	if (!ARRAY_ROOM(img->edges, img->edges_cap, img->n_edges + 1, EDGES_MAX))
		return -ENOMEM;
	img->edges[img->n_edges++] = *e;
	return 0;
}

size_t userimage_edges(const struct userimage *img, uint64_t begin, uint64_t end,
		       const struct edge **ret)
{
	size_t low = 0, high = img->n_edges, n = 0;

	while (low < high) { /* the first one at or behind begin */
		size_t mid = low + (high - low) / 2;

		if (img->edges[mid].to < begin)
			low = mid + 1;
		else
			high = mid;
	}
	*ret = img->edges ? img->edges + low : NULL;
	while (low + n < img->n_edges && img->edges[low + n].to < end)
		n++;
	return n;
}

static void note_patch(struct userimage *img, uint64_t address, unsigned n_bytes)
{
	if (!img->n_patches || address < img->patched.begin)
		img->patched.begin = address;
	if (address + n_bytes > img->patched.end)
		img->patched.end = address + n_bytes;
	img->n_patches++;
}

int userimage_add_hook(struct userimage *img, const struct hook *h, const struct fix *fixes)
{
	struct hook *new;
	uint64_t patch;

	if (!ARRAY_ROOM(img->hooks, img->hooks_cap, img->n_hooks + 1, SNRT_FUNC_MAX) ||
	    !ARRAY_ROOM(img->fixes, img->fixes_cap, img->n_fixes + h->n_fixes, FIXES_MAX))
		return -ENOMEM;
	new = &img->hooks[img->n_hooks];
	*new = *h;
	new->first_fix = img->n_fixes;
	new->body_at = img->bodies_bytes;
	img->bodies_bytes += h->body_bytes;
	patch = hook_patch(img, h);
	note_patch(img, patch, h->patch_bytes);
	if (h->is_short)
		note_patch(img, patch + 2 + h->hole, 5);
	for (size_t i = 0; i < h->n_fixes; i++) {
		img->fixes[img->n_fixes++] = fixes[i];
		note_patch(img, fixes[i].address, fixes[i].n_bytes ? fixes[i].n_bytes : 4);
	}
	img->functions[h->function].pub.hook = img->n_hooks++;
	return 0;
}

int userimage_add_probed(struct userimage *img, uint32_t function)
{
	if (!ARRAY_ROOM(img->hooks, img->hooks_cap, img->n_hooks + 1, SNRT_FUNC_MAX))
		return -ENOMEM;
	img->hooks[img->n_hooks] = (struct hook){.function = function};
	img->functions[function].pub.hook = img->n_hooks++;
	return 0;
}

int userimage_add_point(struct userimage *img, uint64_t address, uint32_t hook, bool is_return)
{
	uint64_t offset = (uint64_t)(userimage_code(img, address).data - img->elf.map.data);

	if (!ARRAY_ROOM(img->points, img->points_cap, img->n_points + 1, EDGES_MAX))
		return -ENOMEM;
	img->points[img->n_points++] = (struct userimage_point){offset, hook, is_return};
	return 0;
}

/*
 * --- opening -----------------------------------------------------------------------------------
 */

static void fmt_nameless(uint64_t address, char *text, size_t n_bytes)
{
	snprintf(text, n_bytes, "func_%llx", (unsigned long long)address);
}

/* What is known of an image as a whole. */
struct traits {
	bool has_v8, has_unwinder;
};

static enum userimage_why first_why(const struct userimage *img, const struct function *f,
				    const struct traits *t)
{
	if (userimage_is_v8(f->symbol, t->has_v8))
		return USERIMAGE_V8;
	if (f->is_resolver)
		return USERIMAGE_RESOLVER;
	if (f->symbol)
		return userimage_special(f->symbol);
	if (f->pub.address == img->elf.head.e_entry)
		return USERIMAGE_STARTUP;
	return t->has_unwinder ? USERIMAGE_UNWINDER : USERIMAGE_HOOKED;
}

/* Probes do not change return addresses. */
static bool needs_return_address(enum userimage_why why)
{
	return why == USERIMAGE_RETURNS || why == USERIMAGE_UNWINDER ||
	       why == USERIMAGE_SANITIZER || why == USERIMAGE_V8;
}

static bool contains_v8(const struct userimage *img)
{
	for (size_t i = 0; i < img->n_functions; i++)
		if (img->functions[i].symbol && userimage_shows_v8(img->functions[i].symbol))
			return true;
	return false;
}

static void choose(struct userimage *img, const struct userchoice *choice)
{
	enum userimage_why all = userimage_file_why(img);
	struct traits traits = {contains_v8(img), userimage_has_unwinder(img)};

	for (size_t i = 0; i < img->n_functions; i++) {
		struct function *f = &img->functions[i];
		struct snrt_rule rule;
		char nameless[32] = "";

		if (!f->symbol && (choice->n_rules || choice->calls))
			fmt_nameless(f->pub.address, nameless, sizeof(nameless));
		f->pub.is_stub = f->is_stub;
		f->pub.is_chosen =
			f->is_stub ? !choice->is_probed &&
					     userchoice_has_libcall(choice, img->file, f->symbol)
				   : userchoice_has_from(choice, img->file,
							 f->symbol ? f->symbol : nameless,
							 f->source, f->pub.n_bytes);
		if (!f->pub.is_chosen && choice->calls) {
			f->pub.is_chosen =
				callrules_find(choice->calls, img->file,
					       f->symbol ? f->symbol : nameless, f->source, &rule);
			f->is_hidden = f->pub.is_chosen && !(rule.flags & SNRT_RULE_TARGET);
		}
		if (f->pub.is_chosen && !choice->is_detour)
			f->pub.why = all != USERIMAGE_HOOKED ? all : first_why(img, f, &traits);
		if (choice->is_probed && needs_return_address(f->pub.why))
			f->pub.why = USERIMAGE_HOOKED;
	}
}

/* Functions and frames are both in order, so one pass over both. */
static void find_fragments(struct userimage *img)
{
	struct frames *frames = &img->frames;
	size_t next = 0;

	for (size_t i = 0; i < img->n_functions; i++) {
		struct userimage_function *f = &img->functions[i].pub;
		struct frame frame;

		while (next < frames->n && frames_begin(frames, next) <= f->address)
			next++;
		/* all stubs of a section share a frame */
		if (!next || !f->is_chosen || f->is_stub || f->why != USERIMAGE_HOOKED ||
		    !frames_read(frames, next - 1, &frame) ||
		    f->address - frame.begin >= frame.n_bytes)
			continue;
		if (!frame_is_entry(&frame, f->address, img->arch->stack_reg,
				    img->arch->stack_bytes))
			f->why = USERIMAGE_FRAGMENT;
	}
}

static void leave_counted(struct userimage *img)
{
	for (size_t i = 0; i < img->n_functions; i++) {
		struct function *f = &img->functions[i];

		f->pub.is_chosen &= f->is_stub || img->arch->is_counted(img, f);
	}
}

static int compare_points(const void *pa, const void *pb)
{
	const struct userimage_point *a = pa, *b = pb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Functions inside of others have the same returns. */
static void sort_points(struct userimage *img)
{
	size_t n = 0;

	if (img->n_points)
		qsort(img->points, img->n_points, sizeof(*img->points), compare_points);
	for (size_t i = 0; i < img->n_points; i++)
		if (!n || img->points[n - 1].offset != img->points[i].offset)
			img->points[n++] = img->points[i];
		else if (!img->points[i].is_return)
			img->points[n - 1] = img->points[i];
	img->n_points = n;
}

static enum userimage_why plan_one(struct userimage *img, const struct userchoice *choice,
				   size_t function)
{
	if (img->n_hooks == SNRT_FUNC_MAX)
		return USERIMAGE_MANY;
	return choice->is_probed ? img->arch->plan_points(img, function, false)
				 : img->arch->plan(img, function);
}

static int plan(struct userimage *img, const struct userchoice *choice)
{
	size_t n_wanted = 0;
	int r = img->arch->prove(img);

	if (r < 0)
		return r;
	for (size_t i = 0; i < img->n_functions; i++) {
		if (!userimage_is_wanted(&img->functions[i]))
			continue;
		img->functions[i].n_skipped = img->arch->skip(img, &img->functions[i]);
		n_wanted++;
	}
	r = n_wanted ? img->arch->scan(img) : 0;
	if (r < 0)
		return r;
	if (img->n_edges)
		qsort(img->edges, img->n_edges, sizeof(*img->edges), compare_edges);
	for (size_t i = 0; i < img->n_functions; i++) {
		struct userimage_function *f = &img->functions[i].pub;

		if (f->is_chosen && f->why == USERIMAGE_FRAGMENT && choice->is_probed)
			img->arch->plan_points(img, i, true);
		if (!f->is_chosen || f->why != USERIMAGE_HOOKED)
			continue;
		f->why = plan_one(img, choice, i);
	}
	sort_points(img);
	return 0;
}

/* Gives the hooks their rules. */
static int add_rules(struct userimage *img, const struct callrules *calls)
{
	img->is_ruled = callrules_are_general(calls);
	for (size_t i = 0; i < img->n_hooks; i++) {
		const struct function *f = &img->functions[img->hooks[i].function];
		struct snrt_rule rule;
		char nameless[32];

		fmt_nameless(f->pub.address, nameless, sizeof(nameless));
		if (!callrules_find(calls, img->file, f->symbol ? f->symbol : nameless, f->source,
				    &rule))
			continue;
		if (f->is_hidden)
			rule.flags |= SNRT_RULE_HIDDEN;
		if (!ARRAY_ROOM(img->rules, img->rules_cap, img->n_rules + 1, SNRT_FUNC_MAX))
			return -ENOMEM;
		img->rules[img->n_rules++] = rule;
		img->hooks[i].rule = (uint32_t)img->n_rules;
	}
	return 0;
}

static bool names_sources(const struct userchoice *choice)
{
	return userchoice_names_sources(choice) ||
	       (choice->calls && callrules_name_sources(choice->calls));
}

static int find_arch(struct userimage *img, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_LEN(archs); i++)
		if (archs[i]->machine == img->elf.head.e_machine)
			img->arch = archs[i];
	return img->arch ? 0
			 : errmsg_set(err, -EINVAL,
				      "%s is a program of a processor whose functions sonde cannot "
				      "hook",
				      img->path);
}

/*
 * A static program contains its libraries. Nobody asked for these; they have no debug information,
 * if the program has some.
 */
static void leave_libraries(struct userimage *img, const struct userchoice *choice)
{
	struct errmsg ignored = {0};

	if (choice->n_rules || elfview_segment(&img->elf, PT_INTERP) ||
	    userimage_find_sources(img, &ignored) < 0)
		return;
	for (size_t i = 0; i < img->n_functions; i++) {
		struct function *f = &img->functions[i];

		img->leaves_out |= f->pub.is_chosen && !f->source;
		f->pub.is_chosen &= f->source != NULL;
	}
}

static int plan_hooks(struct userimage *img, const struct userchoice *choice)
{
	TRY(userimage_find_counters(img));
	if (choice->only_counted)
		leave_counted(img);
	TRY(plan(img, choice));
	return choice->calls && !choice->is_detour ? add_rules(img, choice->calls) : 0;
}

static int open_all(struct userimage *img, int fd, const struct userchoice *choice,
		    struct errmsg *err)
{
	int r;

	TRY(elfview_open(&img->elf, img->path, fd, err));
	TRY(find_arch(img, err));
	if (choice->is_probed && !img->arch->plan_points)
		return errmsg_set(err, -ENOTSUP,
				  "probes for the functions of %s can be set on x86-64 only",
				  img->path);
	frames_init(&img->frames, &img->elf);
	TRY(userimage_list(img, userchoice_has_libcalls(choice, img->file), err));
	if (names_sources(choice))
		TRY(userimage_find_sources(img, err));
	choose(img, choice);
	if (choice->is_probed)
		leave_libraries(img, choice);
	find_fragments(img);
	r = plan_hooks(img, choice);
	return r < 0 ? errmsg_set_errno(err, r, "cannot plan hooks in %s", img->path) : 0;
}

int userimage_open(struct userimage **ret_image, const char *path, int fd,
		   const struct userchoice *choice, struct errmsg *err)
{
	struct userimage *img = calloc(1, sizeof(*img));
	const char *slash;
	int r;

	if (img)
		img->path = strdup(path);
	if (!img || !img->path) {
		free(img);
		return errmsg_set_errno(err, -ENOMEM, "cannot read %s", path);
	}
	slash = strrchr(img->path, '/');
	img->file = slash ? slash + 1 : img->path;
	arena_init(&img->arena, ARENA_MAX_BYTES);
	r = open_all(img, fd, choice, err);
	if (r < 0)
		userimage_close(img);
	else
		*ret_image = img;
	return r;
}

void userimage_close(struct userimage *img)
{
	if (!img)
		return;
	debuginfo_close(img->debuginfo);
	elfview_release(&img->elf);
	arena_release(&img->arena);
	free(img->functions);
	free(img->edges);
	free(img->hooks);
	free(img->fixes);
	free(img->points);
	free(img->programs);
	free(img->rules);
	free(img->path);
	free(img);
}

/*
 * --- questions ---------------------------------------------------------------------------------
 */

size_t userimage_n_functions(const struct userimage *img)
{
	return img->n_functions;
}

const struct userimage_function *userimage_function(const struct userimage *img, size_t i)
{
	return &img->functions[i].pub;
}

const char *userimage_name(struct userimage *img, size_t i)
{
	struct function *f = &img->functions[i];
	char name[NAME_BYTES];

	if (f->is_source)
		return f->symbol;
	if (!f->symbol)
		fmt_nameless(f->pub.address, name, sizeof(name));
	if (!f->symbol || demangle(f->symbol, name, sizeof(name))) {
		const char *copy = arena_strndup(&img->arena, name, strlen(name));

		f->mangled = copy ? f->symbol : NULL;
		f->symbol = copy ? copy : f->symbol ? f->symbol : "";
	}
	f->is_source = true;
	return f->symbol;
}

size_t userimage_n_hooks(const struct userimage *img)
{
	return img->n_hooks;
}

size_t userimage_hooked(const struct userimage *img, size_t hook)
{
	return img->hooks[hook].function;
}

size_t userimage_n_patches(const struct userimage *img)
{
	return img->n_patches;
}

bool userimage_is_removable(const struct userimage *img, size_t hook)
{
	return img->arch->is_removable && img->arch->is_removable(img, &img->hooks[hook]);
}

size_t userimage_points(const struct userimage *img, const struct userimage_point **ret)
{
	*ret = img->points;
	return img->n_points;
}

bool userimage_leaves_out(const struct userimage *img)
{
	return img->leaves_out;
}

bool userimage_takes_programs(const struct userimage *img)
{
	return img->arch == &userarch_x86_64;
}

int userimage_set_program(struct userimage *img, size_t hook, const void *program, size_t n_bytes)
{
	if (!ARRAY_ROOM(img->programs, img->programs_cap, img->programs_bytes + n_bytes,
			PROGRAMS_MAX_BYTES))
		return -ENOMEM;
	memcpy(img->programs + img->programs_bytes, program, n_bytes);
	img->hooks[hook].program = (uint32_t)img->programs_bytes + 1;
	img->programs_bytes += n_bytes;
	return 0;
}

size_t userimage_n_rules(const struct userimage *img)
{
	return img->n_rules;
}

const struct snrt_rule *userimage_rules(const struct userimage *img)
{
	return img->rules;
}

const char *userimage_symbol(const struct userimage *img, size_t i)
{
	const struct function *f = &img->functions[i];

	return f->mangled ? f->mangled : f->symbol;
}

const char *userimage_path(const struct userimage *img)
{
	return img->path;
}

size_t userimage_area_bytes(const struct userimage *img)
{
	uint64_t n_bytes = userimage_programs_at(img) + img->programs_bytes;

	return (n_bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

bool userimage_needs(const struct userimage *img, const char *name)
{
	const Elf64_Shdr *section = elfview_section_of_type(&img->elf, SHT_DYNAMIC);
	const Elf64_Shdr *linked = section ? elfview_linked(&img->elf, section) : NULL;
	struct piece strings, entries;

	if (!linked)
		return false;
	strings = elfview_contents(&img->elf, linked);
	entries = elfview_contents(&img->elf, section);
	for (size_t at = 0; at + sizeof(Elf64_Dyn) <= entries.len; at += sizeof(Elf64_Dyn)) {
		const char *needed;
		Elf64_Dyn d;
		size_t n;

		memcpy(&d, entries.data + at, sizeof(d));
		needed = d.d_tag == DT_NEEDED ? elfview_string(strings, d.d_un.d_val) : NULL;
		n = needed ? strlen(needed) : 0;
		if (n && !strncmp(name, needed, n) && (!name[n] || name[n] == '.'))
			return true;
	}
	return false;
}

void userimage_span(const struct userimage *img, uint64_t *ret_low, uint64_t *ret_high)
{
	*ret_low = img->elf.span.begin;
	*ret_high = img->elf.span.end;
}

void userimage_text(const struct userimage *img, uint64_t *ret_address, uint64_t *ret_bytes)
{
	uint64_t begin = img->patched.begin & ~(PAGE_BYTES - 1);

	*ret_address = begin;
	*ret_bytes = ((img->patched.end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1)) - begin;
}

enum userimage_part userimage_part_of(const struct userimage *img, uint64_t offset,
				      size_t *ret_hook)
{
	uint64_t thunks = img->n_hooks * SNRT_THUNK_BYTES;

	if (offset < SNRT_HOOK_BYTES)
		return USERIMAGE_COMMON;
	offset -= SNRT_HOOK_BYTES;
	if (offset < thunks) {
		*ret_hook = offset / SNRT_THUNK_BYTES;
		return offset % SNRT_THUNK_BYTES == SNRT_THUNK_BACK - 1 ? USERIMAGE_BACK
									: USERIMAGE_THUNK;
	}
	offset -= thunks;
	if (offset >= img->bodies_bytes)
		return USERIMAGE_NO_CODE;
	/* in the order of hooks; those without a body share the place of the next one */
	*ret_hook = ARRAY_BISECT(img->n_hooks, i, img->hooks[i].body_at <= offset) - 1;
	return USERIMAGE_MOVED;
}

/*
 * --- building ----------------------------------------------------------------------------------
 */

int userimage_build(const struct userimage *img, const struct userimage_place *place, uint8_t *area,
		    struct snrt_patch *patches)
{
	uint64_t low = img->elf.span.begin + place->bias, high = img->elf.span.end + place->bias;
	uint64_t end = place->area + userimage_area_bytes(img), reach = img->arch->reach;

	if (high < low || high - place->area + reach > 2 * reach || end - low + reach > 2 * reach ||
	    (img->n_hooks && place->first_id > SNRT_FUNC_MAX - (img->n_hooks - 1)))
		return -ERANGE;
	memset(area + SNRT_HOOK_BYTES, 0xcc, userimage_area_bytes(img) - SNRT_HOOK_BYTES);
	for (size_t i = 0; i < img->n_hooks; i++)
		img->arch->build(img, i, place, area, &patches);
	if (img->programs_bytes)
		memcpy(area + userimage_programs_at(img), img->programs, img->programs_bytes);
	return 0;
}
