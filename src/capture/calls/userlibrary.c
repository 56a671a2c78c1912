// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userlibrary.c - puts libsonde-rt.so, which is part of this program, where LD_PRELOAD can name it.
 *
 *	/tmp/sonde-Xy12Zw/           0711: others can go through it, but not list it
 *	    libsonde-rt.so           0755
 *
 * A name below /proc/PID/fd would need no file, but programs of other users cannot open it, and
 * children that start later need the name, too. The directory must not be on a file system that is
 * mounted with noexec. Only we can write there, so root's programs can trust it.
 *
 * A recorder that is killed cannot remove directory and file. So a small process, the keeper, waits
 * until the other end of a pipe is closed, and then removes them. Without it they stay.
 *
 * The loader preloads nothing into programs that are linked statically, that gain rights when they
 * start, or that are of another kind than the library.
 */
#include "capture/calls/userlibrary.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "runtime/library.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define NAME	     "libsonde-rt.so"
#define SEGMENTS_MAX 1024

static bool allows_programs(const char *dir)
{
	struct statvfs st;

	return statvfs(dir, &st) == 0 && !(st.f_flag & ST_NOEXEC) && access(dir, W_OK | X_OK) == 0;
}

static int write_all(int fd, const unsigned char *data, size_t n_bytes)
{
	while (n_bytes) {
		ssize_t n = write(fd, data, n_bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data += n;
		n_bytes -= n;
	}
	return 0;
}

static int write_library(struct userlibrary *lib)
{
	int fd = open(lib->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700), r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, runtime_library, runtime_library_bytes);
	if (!r && (fchmod(fd, 0755) || chmod(lib->dir, 0711)))
		r = -errno;
	if (close(fd) && !r)
		r = -errno;
	return r;
}

/* The keeper closes everything that others may wait for: terminal, pipes, our descriptors. */
static void keep_watch(const struct userlibrary *lib, int fd)
{
	char byte;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	if (null < 0 || dup2(fd, 3) < 0)
		_exit(1);
	for (int i = 0; i < 3; i++)
		dup2(null, i);
	syscall(SYS_close_range, 4u, ~0u, 0);
	while (read(3, &byte, 1) < 0 && errno == EINTR)
		;
	unlink(lib->path);
	rmdir(lib->dir);
	_exit(0);
}

static void start_keeper(struct userlibrary *lib)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return;
	lib->keeper = fork();
	if (!lib->keeper) {
		close(fds[1]);
		keep_watch(lib, fds[0]);
	}
	close(fds[0]);
	lib->keeper_fd = fds[1];
	if (lib->keeper < 0) {
		lib->keeper = 0;
		close(lib->keeper_fd);
	}
}

/* In the first place where it works. */
static int make_in(struct userlibrary *lib, const char *place)
{
	int r;

	if (asprintf(&lib->dir, "%s/sonde-XXXXXX", place) < 0) {
		lib->dir = NULL;
		return -ENOMEM;
	}
	if (!mkdtemp(lib->dir)) {
		r = -errno;
		free(lib->dir);
		lib->dir = NULL;
		return r;
	}
	if (asprintf(&lib->path, "%s/%s", lib->dir, NAME) < 0) {
		lib->path = NULL;
		r = -ENOMEM;
	} else {
		r = write_library(lib);
	}
	if (r < 0)
		userlibrary_close(lib);
	return r;
}

/* USERLIBRARY_PLACES names them. */
static const char *const places[] = {"/tmp", "/var/tmp", "/dev/shm", "/run"};

const char *userlibrary_find_place(void)
{
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (allows_programs(places[i]))
			return places[i];
	return NULL;
}

int userlibrary_open(struct userlibrary *lib, struct errmsg *err)
{
	int r = -EACCES;

	*lib = (struct userlibrary){0};
	if (!runtime_library_bytes)
		return errmsg_set(err, -ENOTSUP,
				  "functions of programs (-u) cannot be traced on this processor");
	if (sysconf(_SC_PAGESIZE) != 4096)
		return errmsg_set(err, -ENOTSUP,
				  "functions of programs (-u) can be traced with memory pages of "
				  "4096 bytes only; this kernel has pages of %ld bytes",
				  sysconf(_SC_PAGESIZE));
	for (size_t i = 0; i < ARRAY_LEN(places) && r < 0; i++)
		if (allows_programs(places[i]))
			r = make_in(lib, places[i]);
	if (r >= 0)
		start_keeper(lib);
	return r < 0 ? errmsg_set_errno(err, r,
					"cannot store the library for -u in " USERLIBRARY_PLACES)
		     : 0;
}

void userlibrary_close(struct userlibrary *lib)
{
	if (lib->path)
		unlink(lib->path);
	if (lib->dir)
		rmdir(lib->dir);
	if (lib->keeper > 0) {
		close(lib->keeper_fd);
		while (waitpid(lib->keeper, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(lib->path);
	free(lib->dir);
	*lib = (struct userlibrary){0};
}

/*
 * --- programs ----------------------------------------------------------------------------------
 */

/* True if a header cannot be read: preloading does no harm. */
static bool has_loader(int fd, const Elf64_Ehdr *head)
{
	for (unsigned i = 0; i < head->e_phnum && i < SEGMENTS_MAX; i++) {
		Elf64_Phdr segment;

		if (pread(fd, &segment, sizeof(segment),
			  (off_t)(head->e_phoff + (uint64_t)i * head->e_phentsize)) !=
		    sizeof(segment))
			return true;
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static bool gains_rights(int fd, const char *file, bool is_root)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	if (((st.st_mode & S_ISUID) && st.st_uid != (is_root ? 0 : getuid())) ||
	    ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) &&
	     st.st_gid != (is_root ? 0 : getgid())))
		return true;
	return !is_root && getxattr(file, "security.capability", NULL, 0) > 0;
}

/* NULL: it can be preloaded, or it is a script, whose interpreter decides. */
static const char *why_not(int fd, const char *file, bool is_root, bool *ret_can_be_probed)
{
	Elf64_Ehdr head;
	static const unsigned char self_class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG))
		return NULL;
	if (head.e_ident[EI_CLASS] != self_class) {
		*ret_can_be_probed = false;
		return "it is not a 64-bit program";
	}
	if (head.e_phentsize != sizeof(Elf64_Phdr))
		return NULL;
	if (!has_loader(fd, &head))
		return "it is statically linked";
	if (gains_rights(fd, file, is_root))
		return "it gains rights when it starts (setuid, setgid or capabilities)";
	return NULL;
}

int userlibrary_check_program(const char *file, bool is_root, struct errmsg *err)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool can_be_probed = true;
	const char *why = fd < 0 ? NULL : why_not(fd, file, is_root, &can_be_probed);

	if (fd >= 0)
		close(fd);
	if (!why)
		return 0;
	return errmsg_set(err, can_be_probed ? -ENOEXEC : -ENOTSUP,
			  "-u cannot trace the functions of %s: %s%s", file, why,
			  can_be_probed ? "; root can, with probes of the kernel" : "");
}
