/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userlibrary.h - the runtime library as a file that programs can preload, and the programs that
 * cannot.
 */
#ifndef SONDE_CAPTURE_CALLS_USERLIBRARY_H
#define SONDE_CAPTURE_CALLS_USERLIBRARY_H

#include <stdbool.h>
#include <sys/types.h>

struct errmsg;

struct userlibrary {
	char *dir, *path; /* NULL: not made */
	pid_t keeper;	  /* the process that removes it if we are killed; 0: none */
	int keeper_fd;
};

/* Before there are threads. -ENOTSUP if the runtime does not exist for this processor. */
int userlibrary_open(struct userlibrary *lib, struct errmsg *err);
/* Removes it. Programs that have loaded it go on. */
void userlibrary_close(struct userlibrary *lib);

/* Returns the directory where the library would be stored, or NULL. */
#define USERLIBRARY_PLACES "/tmp, /var/tmp, /dev/shm and /run"
const char *userlibrary_find_place(void);

/*
 * Checks whether the library can be preloaded into this program. -ENOEXEC with a message: it
 * cannot, but the kernel's probes can trace it (userprobes.h); -ENOTSUP: nor can these.
 * file: the command's file. is_root: it will run as root.
 */
int userlibrary_check_program(const char *file, bool is_root, struct errmsg *err);

#endif
