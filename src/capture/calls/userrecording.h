/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userrecording.h - records user functions, samples, or both, without events of the kernel: a
 * command or running processes, a file. Needs neither root nor the tracing directory.
 *
 *	userrecording_open     the command's process waits, the file exists
 *	userrecording_run      until the command ends or a signal comes
 *	userrecording_finish   the file is complete
 *
 * Call userrecording_open() before there are threads.
 */
#ifndef SONDE_CAPTURE_CALLS_USERRECORDING_H
#define SONDE_CAPTURE_CALLS_USERRECORDING_H

#include "capture/record/recording.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct errmsg;
struct livefile;
struct sampling;
struct textbuf;
struct userrecording;
struct usertrace;

struct userrecording_config {
	const struct recording_config *file;
	/* open; the caller closes them at the end; one of them may be NULL */
	struct usertrace *user;
	struct sampling *samples;
	char **argv;	    /* NULL: running processes, to which the trace is attached */
	bool waits;	    /* until all that the command has started has ended */
	const char *run_as; /* the user that runs the command; NULL: this one */
};

struct userrecording_end {
	int signal;	    /* that ended it; 0: none */
	int command_status; /* as from wait() */
	double seconds;
	unsigned n_cpus;
	pid_t running; /* the command, if the recording was asked to end before it; 0: none */
};

int userrecording_open(struct userrecording **ret, const struct userrecording_config *config,
		       struct errmsg *err);
/* Returns the failure of the recording; the command runs to its end in any case. */
int userrecording_run(struct userrecording *u, struct userrecording_end *ret_end,
		      struct errmsg *err);
/* A descriptor of the file, for the caller; -errno. */
int userrecording_dup(const struct userrecording *u);
/* Frees u. */
int userrecording_finish(struct userrecording *u, struct recording_sum *ret_sum,
			 struct errmsg *err);
void userrecording_free(struct userrecording *u);

/* The highest number of a CPU that may ever be there, plus 1. */
unsigned userrecording_count_cpus(void);
/*
 * For a recording with events of the kernel, too: the "user" buffer, and what comes at the end.
 * symbols: those that the file has already, to which the functions are added. user and samples may
 * be NULL.
 */
int userrecording_add_buffer(struct livefile *file, unsigned n_cpus, uint32_t page_size,
			     uint64_t max_bytes, struct errmsg *err);
int userrecording_add_end(struct usertrace *user, struct sampling *samples, struct livefile *file,
			  struct textbuf *symbols, struct errmsg *err);

#endif
