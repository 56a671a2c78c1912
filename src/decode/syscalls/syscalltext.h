/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * syscalltext.h - a recorded system call becomes a line, as strace writes it.
 *
 *	openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3
 *
 * The records come in order of time, because the decoder learns descriptors from them. What was not
 * copied is shown as an address. One thread may use it at a time.
 */
#ifndef SONDE_DECODE_SYSCALLS_SYSCALLTEXT_H
#define SONDE_DECODE_SYSCALLS_SYSCALLTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYSCALLTEXT_CALL_WORDS 16
#define SYSCALLTEXT_FDS	       4096

struct syscallevents_call;
struct syscalltext;
struct textbuf;

/* How constants are shown: O_RDONLY, 0, or 0 with the name in a comment (strace -X). */
enum syscalltext_constants {
	SYSCALLTEXT_ABBREV,
	SYSCALLTEXT_RAW,
	SYSCALLTEXT_VERBOSE,
};

struct syscalltext_options {
	uint32_t string_limit; /* -s; 0: 32 */
	bool no_strings;       /* -s 0 */
	uint8_t hex_strings;   /* -x: 1 if they are not ASCII, 2 always */
	uint8_t paths; /* -y: descriptors with their paths; 2 (-yy): also what devices and sockets */
	bool verbose;  /* -v: structures and environment unabbreviated */
	uint8_t constants; /* enum syscalltext_constants */
	/* Bits of numbers of 64-bit calls; NULL: none. */
	const uint64_t *raw;	       /* shown as numbers */
	const uint64_t *unabbreviated; /* as with `verbose` */
	const uint64_t *pointers;      /* addresses instead of structures */
	/* Bits of SYSCALLTEXT_FDS descriptors whose bytes are dumped; NULL: none. */
	const uint64_t *dumped_reads, *dumped_writes;
	bool comms; /* -Y: names of threads beside their numbers */
	/* Asked about a thread of which nothing is known: its name now, as live/names.h. Or NULL. */
	size_t (*find_comm)(int pid, char *buf, size_t size);
	bool unseen_threads; /* the calls of threads that a process starts do not come here */
	/*
	 * Asked once about a socket or pipe: writes its path into `path` (as readlink of
	 * /proc/PID/fd/FD) and returns its length, or negative. May be NULL.
	 */
	int (*find_path)(void *arg, int32_t tgid, int fd, char *path, size_t n);
	void *arg;
};

/* Offsets in the text that a call became. */
struct syscalltext_parts {
	size_t n_name;	/* the name ends */
	size_t n_entry; /* what is known when a call begins */
	size_t n_args;	/* behind the closing bracket */
	bool failed;	/* the call returned an error */
};

/* Returns 0 or -ENOMEM. */
int syscalltext_new(struct syscalltext **ret, const struct syscalltext_options *o);
void syscalltext_free(struct syscalltext *t);

/*
 * Adds the text of a record of n_bytes: a call with its result, a call that has not returned (only
 * up to n_entry), "--- SIGCHLD {…} ---", or "+++ exited with 0 +++". Nothing if the record is too
 * short.
 */
void syscalltext_fmt(struct syscalltext *t, const struct syscallevents_call *call, size_t n_bytes,
		     struct textbuf *tb, struct syscalltext_parts *parts);

/* Learns descriptors from a call that is not shown. */
void syscalltext_see(struct syscalltext *t, const struct syscallevents_call *call, size_t n_bytes);

/* A descriptor that was open before, e.g. from /proc. */
int syscalltext_add_path(struct syscalltext *t, int32_t tgid, int fd, const char *path,
			 bool cloexec);
/* Are numbers of devices shown behind paths, as in /dev/null<char 1:3>? */
bool syscalltext_shows_devices(const struct syscalltext *t);
/* Not all calls of the process come here: its descriptors get no paths. */
void syscalltext_distrust(struct syscalltext *t, int32_t tgid);
/* Calls were lost: what was known of descriptors is not certain any more. */
void syscalltext_lose(struct syscalltext *t);
/* Does the decoder learn descriptors from this call? */
bool syscalltext_changes_files(uint32_t machine, uint32_t nr);

/*
 * Adds one argument by itself, as in the line, and returns true; false if the call has no such
 * argument. *ret_name: the kernel's name of the argument, "" if unknown.
 */
bool syscalltext_fmt_arg(struct syscalltext *t, const struct syscallevents_call *call,
			 size_t n_bytes, unsigned arg, struct textbuf *tb, const char **ret_name);

/* The name that a thread has before its first call. */
void syscalltext_add_comm(struct syscalltext *t, int pid, const char *comm);
/* Adds "<name>" of the thread, if it is known and names are shown. */
void syscalltext_fmt_comm(struct syscalltext *t, int pid, struct textbuf *tb);
/* Learns names: of a child when the record of its parent comes, and what an exec or a name changed. */
void syscalltext_see_child(struct syscalltext *t, const struct syscallevents_call *call,
			   size_t n_bytes);
void syscalltext_see_name(struct syscalltext *t, const struct syscallevents_call *call,
			  size_t n_bytes);
/* Does the decoder learn names from this call? */
bool syscalltext_changes_names(uint32_t machine, uint32_t nr);

/* Adds the lines of -e read and -e write that follow the line of a call, if there are any. */
void syscalltext_fmt_dump(struct syscalltext *t, const struct syscallevents_call *call,
			  size_t n_bytes, struct textbuf *tb);

/* "ENOENT"; NULL: unknown. */
const char *syscalltext_errno(unsigned e);

/* Adds only the result: "3", "-1 ENOENT (No such file or directory)". */
void syscalltext_fmt_result(struct syscalltext *t, const struct syscallevents_call *call,
			    size_t n_bytes, struct textbuf *tb);

#endif
