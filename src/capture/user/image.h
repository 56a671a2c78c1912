/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - a program or library: which of its functions can be hooked, how, and the finished code.
 *
 *	userimage_open ─▶ functions, each chosen or not, hookable or with a reason why not
 *	      │
 *	userimage_area_bytes, _n_hooks, _n_patches      how much room the code takes
 *	      │
 *	userarea_find (area.h)                          where in the process it can be
 *	      │
 *	userimage_build                                 thunks, bodies and patches, all addresses
 *	                                                final
 *
 * Everything is decided by userimage_open(), without a process; one image can be built for many
 * processes. The file is hostile: bounds are checked and everything that grows has a ceiling.
 *
 * Threads: an image belongs to one, except that userimage_build() may run in several at a time.
 */
#ifndef SONDE_CAPTURE_USER_IMAGE_H
#define SONDE_CAPTURE_USER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct snrt_patch;
struct snrt_rule;
struct userchoice;
struct userimage;

/* Why a function that was chosen has no hook. The sentences are in reason.c. */
enum userimage_why {
	USERIMAGE_HOOKED,
	USERIMAGE_STARTUP,   /* helpers of the compiler and the C library */
	USERIMAGE_RETURNS,   /* returns twice, or depends on its return address */
	USERIMAGE_RESOLVER,  /* an indirect function (IFUNC) */
	USERIMAGE_FRAGMENT,  /* a part of another function, such as .cold */
	USERIMAGE_UNCALLED,  /* nameless, and perhaps no function */
	USERIMAGE_OUTSIDE,   /* its bytes are not in the file, or not in the image's code */
	USERIMAGE_SHORT,     /* no room for a jump, and no padding near */
	USERIMAGE_UNKNOWN,   /* an unknown instruction at its beginning */
	USERIMAGE_FIXED,     /* an instruction at its beginning works only where it is */
	USERIMAGE_DISTANT,   /* an operand too far away for code elsewhere */
	USERIMAGE_LOOP,	     /* it jumps back to its own beginning */
	USERIMAGE_TARGET,    /* something jumps into its first bytes */
	USERIMAGE_TABLE,     /* an address in data leads into its first bytes */
	USERIMAGE_GO,	     /* the program is written in Go */
	USERIMAGE_V8,	     /* of V8, or called by JavaScript */
	USERIMAGE_UNWINDER,  /* unwinds stacks, loads libraries, or is sonde's own */
	USERIMAGE_SANITIZER, /* of a sanitizer's runtime */
	USERIMAGE_EMPTY,     /* its first instruction is a return (only probes) */
	USERIMAGE_MANY,	     /* more functions than a recording can number */
	USERIMAGE_N_WHY,
};

struct userimage_function {
	uint64_t address; /* as in the file, before relocation */
	uint32_t n_bytes;
	uint32_t hook; /* number among the hooked functions; its id is the first id + this */
	bool is_chosen;
	bool is_stub;		/* through it the program calls a library's function of that name */
	enum userimage_why why; /* USERIMAGE_HOOKED: it has a hook, if chosen */
};

/*
 * Reads the file and decides everything. fd: an open descriptor of it, which stays the caller's, or
 * -1; with fd, path is for messages and for separate debug files. Errors: -EINVAL for what is no
 * program or library of a supported processor, others as of open(2).
 */
int userimage_open(struct userimage **ret_image, const char *path, int fd,
		   const struct userchoice *choice, struct errmsg *err);
void userimage_close(struct userimage *img);

/* By address, without doubles. */
size_t userimage_n_functions(const struct userimage *img);
const struct userimage_function *userimage_function(const struct userimage *img, size_t i);
/*
 * As in the source ("ns::Box::get"); "func_1a2b" after its address if it has no symbol. The name
 * lives as long as the image. It is made at the first call: not for several threads.
 */
const char *userimage_name(struct userimage *img, size_t i);
/* A plain sentence, without a full stop: "it is shorter than a jump". */
const char *userimage_reason(enum userimage_why why);

size_t userimage_n_hooks(const struct userimage *img);
/* The function that a hook belongs to. */
size_t userimage_hooked(const struct userimage *img, size_t hook);
size_t userimage_n_patches(const struct userimage *img);
/* Whether the program can take the hook out of its code while it runs (runtime/remove.c). */
bool userimage_is_removable(const struct userimage *img, size_t hook);
/*
 * Gives a hook a program (snrt.h) that fetches values: n_bytes, a multiple of 8. Before the area's
 * size is asked for. -ENOMEM.
 */
bool userimage_takes_programs(const struct userimage *img); /* only on x86-64 */
int userimage_set_program(struct userimage *img, size_t hook, const void *program, size_t n_bytes);
/* Rules of hooks (callrules.h), which the plan's file must have. */
size_t userimage_n_rules(const struct userimage *img);
const struct snrt_rule *userimage_rules(const struct userimage *img);
/* As in the symbol table; NULL: it has none. */
const char *userimage_symbol(const struct userimage *img, size_t i);
const char *userimage_path(const struct userimage *img);
/* Whole pages. */
size_t userimage_area_bytes(const struct userimage *img);
/* From the first to the last byte of everything that is loaded; as in the file. */
/* Does the file name this library, libz.so.1.2.13, among those that it needs (libz.so.1)? */
bool userimage_needs(const struct userimage *img, const char *name);
void userimage_span(const struct userimage *img, uint64_t *ret_low, uint64_t *ret_high);
/* The pages that get patched; as in the file. n_bytes 0: none. */
void userimage_text(const struct userimage *img, uint64_t *ret_address, uint64_t *ret_bytes);

/*
 * Where the kernel's probes see the calls of a hook, and returns of any function, if
 * userchoice.is_probed is set. By offset, each once. Such an image has no code and no patches.
 */
struct userimage_point {
	uint64_t offset; /* in the file */
	uint32_t hook;
	bool is_return;
};
size_t userimage_points(const struct userimage *img, const struct userimage_point **ret);
/* Functions without debug information were left out, because nothing was chosen by name. */
bool userimage_leaves_out(const struct userimage *img);

struct userimage_place {
	uint64_t bias;	   /* what the loader adds to addresses of the file */
	uint64_t area;	   /* address of the area in the process, at a page */
	uint32_t first_id; /* id of the first hook */
};

/*
 * What is at an offset of an area, and whose: a hook's number. `back` lies inside of the call of
 * the body: a return address minus 1 is there while the function runs.
 */
enum userimage_part {
	USERIMAGE_COMMON, /* hooks that all functions share */
	USERIMAGE_THUNK,
	USERIMAGE_BACK,
	USERIMAGE_MOVED, /* instructions of the function itself */
	USERIMAGE_NO_CODE,
};
enum userimage_part userimage_part_of(const struct userimage *img, uint64_t offset,
				      size_t *ret_hook);

/*
 * Writes the area (userimage_area_bytes(); the first SNRT_HOOK_BYTES stay untouched) and the
 * patches (userimage_n_patches()). -ERANGE: the area is too far from the code.
 */
int userimage_build(const struct userimage *img, const struct userimage_place *place, uint8_t *area,
		    struct snrt_patch *patches);

#endif
