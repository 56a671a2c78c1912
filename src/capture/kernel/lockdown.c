// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lockdown.c - reads the level of lockdown and words what it forbids.
 *
 *	/sys/kernel/security/lockdown     none [integrity] confidentiality
 *
 * The word in brackets is the level. It is chosen at boot (lockdown=LEVEL, or by the distribution where
 * Secure Boot is on) and can be raised while the kernel runs, never lowered. Of what sonde does
 *
 *	integrity          closes debugfs: inject; the tracing directory stays open
 *	confidentiality    closes the tracing directory as well: opening any of its files is refused with
 *	                   EPERM, root or not. A kernel that boots so does not even fill it. Kprobes and
 *	                   reading kernel memory by BPF go with it; perf's counters stay.
 *
 * securityfs may not be mounted (a small initrd, a container). Root can look at it all the same, in a mount
 * that hangs nowhere and goes with its descriptor. Failing that, the kernel's command line may tell; a
 * level that Secure Boot has set is not on it.
 */
#include "capture/kernel/lockdown.h"

#include "base/errmsg.h"

#include <errno.h>
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

/* --- the level --------------------------------------------------------------------------------- */

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

/* securityfs where nobody has mounted it: Linux 5.2, root. */
static void read_unmounted(char *text)
{
	int fs = syscall(SYS_fsopen, "securityfs", 1 /* FSOPEN_CLOEXEC */), mount = -1;

	*text = 0;
	if (fs >= 0 && !syscall(SYS_fsconfig, fs, CREATE_COMMAND, NULL, NULL, 0))
		mount = syscall(SYS_fsmount, fs, 1 /* FSMOUNT_CLOEXEC */, 0);
	if (mount >= 0)
		read_text(openat(mount, "lockdown", O_RDONLY | O_CLOEXEC), text);
	if (mount >= 0)
		close(mount);
	if (fs >= 0)
		close(fs);
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

/* --- what it forbids --------------------------------------------------------------------------- */

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
		       ? "boot without lockdown=confidentiality, or with Secure Boot off (under "
			 "lockdown=integrity everything but 'inject' works)"
		       : "boot without lockdown=, or with Secure Boot off";
}

int lockdown_refuse_tracing(const struct lockdown *l, int code, struct errmsg *err)
{
	return errmsg_set(err, code,
			  "this kernel is locked down (%s), which closes its tracing to everybody, "
			  "also root: events, functions, probes, the buffers; %s; 'sonde doctor' "
			  "says what is left",
			  l->level, lockdown_remedy(l));
}

int lockdown_refuse_debugfs(const struct lockdown *l, const char *path, int code,
			    struct errmsg *err)
{
	return errmsg_set(err, code,
			  "this kernel is locked down (%s), which closes %s to everybody, also "
			  "root; %s",
			  l->level, path, lockdown_remedy(l));
}
