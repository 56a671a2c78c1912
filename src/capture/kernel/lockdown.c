// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lockdown.c - reads the lockdown level and explains what it forbids.
 *
 *	/sys/kernel/security/lockdown     none [integrity] confidentiality
 *
 * The word in brackets is the level. It is set at boot (lockdown=LEVEL, or by the distribution if
 * Secure Boot is on). A running kernel can raise it, never lower it. Effects on sonde:
 *
 *	integrity          closes debugfs: inject; the tracing directory stays open
 *	confidentiality    also closes the tracing directory: opening any of its files fails with
 *	                   EPERM, even for root. A kernel that boots in this mode leaves it empty.
 *	                   Kprobes and BPF access to kernel memory are forbidden, too; perf's
 *	                   counters still work.
 *
 * securityfs may not be mounted (a small initrd, a container). Root can still read it through a
 * detached mount, which disappears with its descriptor. Otherwise the kernel's command line may
 * have the level, but not one that Secure Boot has set.
 */
#include "capture/kernel/lockdown.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_BYTES 1024
#define TEXT_BYTES 4096
#define CREATE_COMMAND \
	6 /* FSCONFIG_CMD_CREATE, of <linux/mount.h>, which clashes with <sys/mount.h> */

static const char level_option[] = "lockdown=";

/*
 * --- the level ---------------------------------------------------------------------------------
 */

static void read_text(int fd, char *text)
{
	ssize_t n = fd < 0 ? 0 : TEMP_FAILURE_RETRY(read(fd, text, TEXT_BYTES - 1));

	text[n > 0 ? n : 0] = 0;
	if (fd >= 0)
		close(fd);
}

static void read_path(const char *root, const char *path, char *text)
{
	char full[PATH_BYTES];

	snprintf(full, sizeof(full), "%s%s", root, path);
	read_text(open(full, O_RDONLY | O_CLOEXEC), text);
}

/* Reads securityfs even if it is not mounted. Needs Linux 5.2 and root. */
static void read_unmounted(char *text)
{
	SCOPED(scope_close) int fs = syscall(SYS_fsopen, "securityfs", 1 /* FSOPEN_CLOEXEC */);
	SCOPED(scope_close) int mount = -1;

	*text = 0;
	if (fs >= 0 && !syscall(SYS_fsconfig, fs, CREATE_COMMAND, NULL, NULL, 0))
		mount = syscall(SYS_fsmount, fs, 1 /* FSMOUNT_CLOEXEC */, 0);
	if (mount >= 0)
		read_text(openat(mount, "lockdown", O_RDONLY | O_CLOEXEC), text);
}

static bool take_bracketed(struct lockdown *l, const char *text)
{
	const char *from = strchr(text, '['), *to = from ? strchr(from, ']') : NULL;

	if (!to)
		return false;
	snprintf(l->level, sizeof(l->level), "%.*s", (int)(to - from - 1), from + 1);
	return true;
}

void lockdown_read(struct lockdown *l, const char *root)
{
	char text[TEXT_BYTES];
	const char *word;

	*l = (struct lockdown){0};
	read_path(root, "/sys/kernel/security/lockdown", text);
	if (take_bracketed(l, text))
		return;
	if (!*root && !geteuid()) {
		read_unmounted(text);
		if (take_bracketed(l, text))
			return;
	}
	read_path(root, "/proc/cmdline", text);
	word = strstr(text, level_option);
	if (!word || (word != text && word[-1] != ' '))
		return;
	word += strlen(level_option);
	snprintf(l->level, sizeof(l->level), "%.*s", (int)strcspn(word, " \n"), word);
}

/*
 * --- what it forbids ---------------------------------------------------------------------------
 */

bool lockdown_forbids_tracing(const struct lockdown *l)
{
	return !strcmp(l->level, "confidentiality");
}

bool lockdown_forbids_debugfs(const struct lockdown *l)
{
	return *l->level && strcmp(l->level, "none") != 0;
}

const char *lockdown_remedy(const struct lockdown *l)
{
	return lockdown_forbids_tracing(l)
		       ? "boot without lockdown=confidentiality, or with Secure Boot off (with "
			 "lockdown=integrity everything except 'inject' works)"
		       : "boot without lockdown=, or with Secure Boot off";
}

int lockdown_refuse_tracing(const struct lockdown *l, int code, struct errmsg *err)
{
	return errmsg_set(err, code,
			  "this kernel is locked down (%s), which forbids tracing even for "
			  "root: events, functions, probes, the buffers; %s; 'sonde doctor' "
			  "shows what still works",
			  l->level, lockdown_remedy(l));
}

int lockdown_refuse_debugfs(const struct lockdown *l, const char *path, int code,
			    struct errmsg *err)
{
	return errmsg_set(err, code,
			  "this kernel is locked down (%s), which forbids access to %s even "
			  "for root; %s",
			  l->level, path, lockdown_remedy(l));
}
