/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plans.h - the plans of all processes of a recording, and the functions that they number.
 *
 *	userplans_prepare  a program that is going to run
 *	userplans_make     a process has started: its images, the code for them, a plan's number
 *	userplans_extend   it has loaded more libraries
 *	userplans_find     what the numbers of a plan mean
 *	userplans_fmt_…    at the end: names, and what could not be hooked
 *
 * A file is analysed once in a recording, even if many processes run it. Each of its
 * hooked functions has one number in the recording. A plan gives the functions of a process ids: 1,
 * 2 … as its hooks write them; a child by fork() keeps its parent's plan.
 *
 * Threads: make and extend belong to one thread, find and find_code may run in others at the same
 * time; the rest is for the end.
 */
#ifndef SONDE_CAPTURE_CALLS_PLANS_PLANS_H
#define SONDE_CAPTURE_CALLS_PLANS_PLANS_H

#include "capture/calls/usercollector.h"
#include "capture/perf/sampling.h"
#include "capture/user/choice.h"

#include <stdint.h>
#include <sys/types.h>

struct errmsg;
struct textbuf;
struct userimage;
struct userplans;
struct userswitch;
struct valuerules;

/* A plan as it goes to the program. */
struct userplans_answer {
	uint32_t plan, n_images;
	int fd; /* of the plan's file; the caller closes it */
	/* memory that can always be read, as in struct snrt_answer */
	uint32_t n_ranges;
	uint64_t ranges_at, heap;
};

/*
 * choice is used until the end, and changed for each image. values: which functions have values, or
 * NULL. The code of each process goes to switches, too, unless that is NULL. Returns NULL if out of
 * memory.
 */
struct userplans *userplans_new(struct userchoice *choice, const struct valuerules *values,
				struct userswitch *switches);
void userplans_free(struct userplans *p);

/*
 * Analyses a program before it runs, so that it need not wait, and its symbols are known early.
 * Errors are not reported here: they occur again later.
 */
void userplans_prepare(struct userplans *p, const char *path);
/* The same for a process that runs already, with its libraries. */
int userplans_prepare_process(struct userplans *p, pid_t pid, struct errmsg *err);

/* Files whose functions the kernel's probes trace. The id of hook k of a file is first_id + k. */
#define USERPLANS_PROBED_MAX 64
struct userplans_probed_file {
	const struct userimage *image; /* lives as long as the plans */
	int fd;
	uint32_t first_id;
};
struct userplans_probed {
	uint32_t plan;
	struct userplans_probed_file files[USERPLANS_PROBED_MAX];
	size_t n;
};
/* For the processes of a program. Release *ret, also after a failure. */
int userplans_make_probed(struct userplans *p, const char *path, struct userplans_probed *ret,
			  struct errmsg *err);
/* For a process that runs already, with its libraries. */
int userplans_make_probed_process(struct userplans *p, pid_t pid, struct userplans_probed *ret,
				  struct errmsg *err);
/* Closes the files. */
void userplans_probed_release(struct userplans_probed *l);

/* is_attached: the runtime was not preloaded. */
int userplans_make(struct userplans *p, pid_t pid, bool is_attached, struct userplans_answer *ret,
		   struct errmsg *err);
/* Only what is new or gone. */
int userplans_extend(struct userplans *p, pid_t pid, uint32_t plan, struct userplans_answer *ret,
		     struct errmsg *err);
/* The name of the process when it got its plan; "": unknown. */
const char *userplans_find_comm(const struct userplans *p, uint32_t plan);
bool userplans_find(struct userplans *p, uint32_t plan, struct usercollector_meaning *ret);

/* As sampling_finder: what the code that programs got from us stands for. Any thread. */
bool userplans_find_code(struct userplans *p, uint64_t inode, uint64_t offset,
			 struct sampling_hook *ret);

/* Functions that have numbers so far; any thread. */
uint32_t userplans_n_functions(const struct userplans *p);

/* A hooked function. */
struct userplans_function {
	uint32_t number, n_bytes;
	const char *name, *file; /* as in the source; the last part of the file's path */
};
/* Calls visit for every hooked function; any thread. Programs that ask for plans wait meanwhile. */
void userplans_visit(struct userplans *p,
		     void (*visit)(void *ctx, const struct userplans_function *f), void *ctx);

struct userplans_sum {
	uint32_t n_processes; /* that had a plan */
	uint32_t n_files;     /* with hooked functions */
	uint64_t n_functions; /* hooked */
	uint64_t n_without;   /* chosen, but not hooked */
	uint32_t n_failed;    /* images that could not be planned */
	char why[256];	      /* the first of these */
	char worst[160];      /* why most of those without a hook have none */
	/* the first program, and the library with most of its code; "": there is none untraced */
	char program[256], larger[256];
};
void userplans_get_sum(struct userplans *p, struct userplans_sum *ret);

/* As usercollector_config.fmt_values(). */
size_t userplans_fmt_values(struct userplans *p, const struct usercollector_meaning *meaning,
			    uint32_t id, bool is_ret, const uint64_t *words, size_t n_bytes,
			    char *out, size_t size);
/* "main > run > parse"; funcs: addresses as in events. Returns the length. */
size_t userplans_fmt_stack(struct userplans *p, const uint32_t *funcs, size_t n, char *out,
			   size_t size);
/* For people: values that are not recorded as wanted, a line each. */
void userplans_tell_values(const struct userplans *p, void (*tell)(const char *sentence));

/* Lines of kallsyms. */
void userplans_fmt_symbols(struct userplans *p, struct textbuf *tb);
/*
 * The same at any time and in any thread, of the files from number *n_files on; *n_files is then
 * the number of files.
 */
void userplans_fmt_new_symbols(struct userplans *p, size_t *n_files, struct textbuf *tb);
/* The text of SNF_OPTION_USER_FUNCTIONS; text.c describes it. */
void userplans_fmt_functions(struct userplans *p, struct textbuf *tb);
/* Adds the lines of the sources of functions that were called. */
void userplans_fmt_sources(struct userplans *p, const struct userstats *stats, struct textbuf *tb);
/* For people: each reason with its functions, a line each. */
void userplans_tell_reasons(struct userplans *p, void (*tell)(const char *sentence));

#endif
