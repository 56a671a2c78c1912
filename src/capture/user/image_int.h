/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_int.h - inside an image: functions, branches that matter, hooks; and what a processor
 * provides.
 */
#ifndef SONDE_CAPTURE_USER_IMAGE_INT_H
#define SONDE_CAPTURE_USER_IMAGE_INT_H

#include "base/arena.h"
#include "capture/user/elfview.h"
#include "capture/user/frames.h"
#include "capture/user/image.h"
#include "format/bytes.h"
#include "runtime/snrt.h"

struct debuginfo;

struct function {
	struct userimage_function pub; /* what others see */
	const char *source;	       /* its file, if a rule needs it; NULL: unknown */
	const char *symbol;	       /* as in the symbol table, or as in the source; NULL: none */
	const char *mangled;	       /* what symbol was before it was demangled; else NULL */
	/* padding behind it that is free: from here to there, from its end on */
	uint16_t free_begin, free_end;
	uint8_t n_skipped; /* bytes at the beginning that stay: endbr64 */
	bool is_source;	   /* symbol is the name as in the source */
	bool is_resolver;
	bool is_stub;	    /* as pub.is_stub, before it is chosen */
	bool knows_padding; /* free_begin and free_end are set */
	bool is_hidden;	    /* chosen only because a rule names it (callrules.h) */
};

static inline uint64_t function_end(const struct function *f)
{
	return f->pub.address + f->pub.n_bytes;
}

/* Where the patch goes. */
static inline uint64_t function_start(const struct function *f)
{
	return f->pub.address + f->n_skipped;
}

/* A direct branch into the first bytes of a function that may get a hook. */
struct edge {
	uint64_t from, to;
	uint32_t owner;	     /* the function that contains it; NO_FUNCTION */
	uint8_t distance_at; /* in the instruction; 0: it cannot be changed */
	uint8_t distance_bytes;
	bool is_data; /* `from` is an address in data */
};

#define NO_FUNCTION UINT32_MAX

/* Small: there may be many. */
struct hook {
	uint32_t function;
	uint32_t body_at; /* among the bodies */
	uint32_t first_fix;
	uint32_t program;    /* where its program begins among the programs, + 1; 0: it has none */
	uint32_t rule;	     /* number of its rule, from 1 on; 0: it has none */
	uint16_t body_bytes; /* 0: the thunk calls what follows the moved bytes */
	uint16_t n_moved;    /* bytes from the patch on */
	uint8_t n_fixes;
	uint8_t patch_bytes;
	bool is_short; /* the patch is 2 bytes, a jump to padding */
	int8_t hole;   /* is_short: where, from the end of the patch on */
};

/* One more place to patch. */
struct fix {
	uint64_t address, to;
	uint8_t n_bytes; /* a call that becomes a nop; 0: a distance of 4 bytes to the moved `to` */
};

struct userimage {
	struct elfview elf;
	struct frames frames;
	struct debuginfo *debuginfo; /* names live there; NULL: not needed */
	struct arena arena;
	const struct userarch *arch;
	char *path;
	const char *file; /* the last part of path */
	struct function *functions;
	size_t n_functions, functions_cap;
	struct edge *edges; /* by target */
	size_t n_edges, edges_cap;
	struct hook *hooks;
	size_t n_hooks, hooks_cap;
	struct fix *fixes;
	size_t n_fixes, fixes_cap;
	struct userimage_point *points; /* by address; only if probed */
	size_t n_points, points_cap;
	size_t n_patches, bodies_bytes;
	uint8_t *programs; /* behind the bodies */
	size_t programs_bytes, programs_cap;
	struct snrt_rule *rules;
	size_t n_rules, rules_cap;
	bool leaves_out;
	bool is_ruled; /* something is to be done at every call */
	/* the calls that -pg and -mfentry insert: where they lead; see counters.c */
	uint64_t *counters;
	size_t n_counters;
	struct elfview_range patched; /* from the first patch to the end of the last */
};

/* What depends on the processor. */
struct userarch {
	unsigned machine; /* EM_… */
	uint64_t reach;	  /* bytes from an area to the code that it serves, at most */
	/* the caller's stack at an entry, as DWARF describes it: register + bytes */
	unsigned stack_reg, stack_bytes;
	/* Where main() of a program without symbols is; 0: unknown. NULL: not on this processor. */
	uint64_t (*find_main)(const struct userimage *img);
	/* Finds nameless pieces of code that are not known to be functions; -ENOMEM. */
	int (*prove)(struct userimage *img);
	/* Has the compiler put a call of mcount or __fentry__ at its beginning? */
	bool (*is_counted)(const struct userimage *img, const struct function *f);
	/* The bytes at the beginning of a function that must stay. */
	unsigned (*skip)(const struct userimage *img, const struct function *f);
	/* Collects the edges; -ENOMEM. */
	int (*scan)(struct userimage *img);
	/* Decides how to hook, and notes the hook with userimage_add_hook(). */
	enum userimage_why (*plan)(struct userimage *img, size_t function);
	/*
	 * The same for the kernel's probes, with userimage_add_point() and userimage_add_probed();
	 * NULL: not on this processor. is_fragment: only the returns of a part of a function.
	 */
	enum userimage_why (*plan_points)(struct userimage *img, size_t function, bool is_fragment);
	/* NULL: no hook can be taken out of running code. */
	bool (*is_removable)(const struct userimage *img, const struct hook *h);
	void (*build)(const struct userimage *img, size_t hook, const struct userimage_place *place,
		      uint8_t *area, struct snrt_patch **patches);
};

extern const struct userarch userarch_x86_64, userarch_aarch64;

/* --- functions.c --- */

/* Fills the list of functions; with_stubs: also stubs.c's. */
int userimage_list(struct userimage *img, bool with_stubs, struct errmsg *err);

/* --- sources.c --- */

/* Fills function.source; -ENODATA with a message: there is no debug information. */
int userimage_find_sources(struct userimage *img, struct errmsg *err);

/* --- stubs.c --- */

typedef int userimage_add_stub(void *ctx, const char *name, uint64_t address, uint32_t n_bytes);
/* Calls add for each stub; a negative result ends it and is returned. */
int userimage_each_stub(const struct elfview *v, userimage_add_stub *add, void *ctx);

/* --- counters.c --- */

/* Finds out where calls of mcount and __fentry__ lead. */
int userimage_find_counters(struct userimage *img);
/* address: of a function, or of the slot that a call or jump goes through. */
bool userimage_is_counter(const struct userimage *img, uint64_t address);

/* --- reason.c --- */

enum userimage_why userimage_special(const char *symbol);
/* A reason for all functions of an image; USERIMAGE_HOOKED: there is none. */
enum userimage_why userimage_file_why(const struct userimage *img);
/* Does the symbol show that V8 is in the image? Then userimage_is_v8() knows its functions. */
bool userimage_shows_v8(const char *symbol);
bool userimage_is_v8(const char *symbol, bool has_v8);
/* Is an unwinder linked in? Then each of its functions without a name may be a part of that. */
bool userimage_has_unwinder(const struct userimage *img);

/* --- image.c --- */

/* It is chosen, and nothing is known yet that prevents a hook. */
static inline bool userimage_is_wanted(const struct function *f)
{
	return f->pub.is_chosen && f->pub.why == USERIMAGE_HOOKED;
}

/* Code from an address on; empty if it is not in the text. */
static inline struct piece userimage_code(const struct userimage *img, uint64_t address)
{
	const struct elfview_range *t = &img->elf.text;

	return address >= t->begin && address < t->end
		       ? (struct piece){img->elf.text_bytes + (address - t->begin),
					t->end - address}
		       : PIECE_EMPTY;
}

static inline uint64_t hook_patch(const struct userimage *img, const struct hook *h)
{
	return function_start(&img->functions[h->function]);
}

/* Where the function continues behind what was moved. */
static inline uint64_t hook_resume(const struct userimage *img, const struct hook *h)
{
	return hook_patch(img, h) + h->n_moved;
}

/* The hook that the thunk calls, of those without values. */
static inline unsigned userimage_enter(const struct userimage *img, const struct hook *h)
{
	return img->is_ruled || h->rule ? SNRT_ENTER_RULED : SNRT_ENTER;
}

/* Where the programs begin in the area. */
static inline size_t userimage_programs_at(const struct userimage *img)
{
	size_t end = SNRT_HOOK_BYTES + img->n_hooks * SNRT_THUNK_BYTES + img->bodies_bytes;

	return (end + 7) / 8 * 8;
}

/* The end of what belongs to a function: the next one's beginning, or the end of the code. */
uint64_t userimage_limit(const struct userimage *img, size_t function);
/* The edges into [begin, end). */
size_t userimage_edges(const struct userimage *img, uint64_t begin, uint64_t end,
		       const struct edge **ret);
int userimage_add_edge(struct userimage *img, const struct edge *e);
int userimage_add_hook(struct userimage *img, const struct hook *h, const struct fix *fixes);
/* A hook without code, and the places of its probes; -ENOMEM. */
int userimage_add_probed(struct userimage *img, uint32_t function);
int userimage_add_point(struct userimage *img, uint64_t address, uint32_t hook, bool is_return);

#endif
