// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * caller.c - finds the caller, and switches to that user's rights.
 *
 * In a setuid program the environment belongs to the attacker, so only the real user counts.
 * Otherwise root's environment can be trusted: sudo, pkexec and doas overwrite these variables.
 *
 * To switch temporarily, for one thread, this uses setfsuid() and setfsgid(). The kernel then
 * checks files against that user and removes the capabilities that override file permissions from
 * the effective set. The system call setgroups affects only one thread; the C library's function
 * would change all. Every such change makes the kernel forget the parent-death signal and clear
 * the dumpable flag, so both are restored.
 *
 * A program that has capabilities but does not run as root already has the caller's uid; only its
 * capabilities are dropped.
 */
#include "base/files/caller.h"
#include "base/scope.h"

#include "base/array.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GROUPS_MAX 65536 /* the kernel's maximum */
#define BIT(cap)   (UINT64_C(1) << (cap))

#ifdef SYS_setgroups32
#define CALL_SETGROUPS SYS_setgroups32
#else
#define CALL_SETGROUPS SYS_setgroups
#endif

/* Capabilities that override the permissions of files. */
static const uint64_t file_capabilities = BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) |
					  BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_FOWNER) |
					  BIT(CAP_FSETID);

/*
 * --- who ---------------------------------------------------------------------------------------
 */

/* Accepts only decimal digits, and refuses (uid_t)-1, which means "no change" to the kernel. */
static bool parse_id(const char *text, uint32_t *ret)
{
	unsigned long long n;
	char *end;

	if (!text || !*text || strlen(text) > 10 || text[strspn(text, "0123456789")])
		return false;
	n = strtoull(text, &end, 10);
	if (n >= UINT32_MAX)
		return false;
	*ret = n;
	return true;
}

/* Finds the caller in the variables of sudo, pkexec or doas. */
static bool find_in_environment(struct caller *ret)
{
	const char *doas = getenv("DOAS_USER");
	const struct passwd *pw = NULL;

	if (getenv("SUDO_UID"))
		return parse_id(getenv("SUDO_UID"), &ret->uid) &&
		       parse_id(getenv("SUDO_GID"), &ret->gid);
	if (getenv("PKEXEC_UID")) {
		if (parse_id(getenv("PKEXEC_UID"), &ret->uid))
			pw = getpwuid(ret->uid);
	} else if (doas) {
		pw = getpwnam(doas);
	}
	if (!pw)
		return false;
	*ret = (struct caller){pw->pw_uid, pw->pw_gid};
	return true;
}

bool caller_is_secure(void)
{
	return getauxval(AT_SECURE) || geteuid() != getuid() || getegid() != getgid();
}

bool caller_find(struct caller *ret)
{
	struct caller c;

	if (geteuid())
		return false;
	if (caller_is_secure())
		c = (struct caller){getuid(), getgid()};
	else if (!find_in_environment(&c))
		return false;
	if (!c.uid)
		return false;
	*ret = c;
	return true;
}

static uint64_t effective_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	if (syscall(SYS_capget, &head, data) < 0)
		return 0;
	return data[0].effective | (uint64_t)data[1].effective << 32;
}

bool caller_is_raised(void)
{
	static const char *const names[] = {"SUDO_UID", "PKEXEC_UID", "DOAS_USER"};
	struct caller c;

	if (caller_is_secure() || (geteuid() && effective_capabilities()))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (getenv(names[i])) /* do not trust a variable with an invalid id */
			return !find_in_environment(&c) || c.uid != geteuid();
	return false;
}

/*
 * --- the switch --------------------------------------------------------------------------------
 */

static bool set_effective(uint64_t clear, uint64_t add)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &head, data) < 0)
		return false;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].effective &= ~(uint32_t)(clear >> 32 * i);
		data[i].effective |= (uint32_t)(add >> 32 * i);
	}
	return syscall(SYS_capset, &head, data) == 0;
}

/*
 * Finds the groups of the caller; an unknown user has one group. Returns their number, or -1. The
 * calling function frees them.
 */
static int find_groups(const struct caller *c, gid_t **ret)
{
	const struct passwd *pw = getpwuid(c->uid);
	int n = 64, room = n;
	gid_t *list = malloc(n * sizeof(*list)), *more;

	while (list && pw && getgrouplist(pw->pw_name, c->gid, list, &n) < 0) {
		room = n > room ? n : room * 2;
		n = room;
		more = room > GROUPS_MAX ? NULL : realloc(list, room * sizeof(*list));
		if (!more)
			free(list);
		list = more;
	}
	if (!list)
		return -1;
	if (!pw) {
		list[0] = c->gid;
		n = 1;
	}
	*ret = list;
	return n;
}

static bool keep_groups(struct caller_scope *s)
{
	s->n_groups = getgroups(0, NULL);
	s->groups = s->n_groups < 0 ? NULL : malloc((s->n_groups + 1) * sizeof(*s->groups));
	if (s->groups && getgroups(s->n_groups, s->groups) == s->n_groups)
		return true;
	free(s->groups);
	s->groups = NULL;
	return false;
}

static bool switch_to(const struct caller *c, struct caller_scope *s)
{
	gid_t *groups = NULL;
	int n = find_groups(c, &groups);
	bool good = n >= 0 && keep_groups(s);

	s->death_signal = 0;
	prctl(PR_GET_PDEATHSIG, &s->death_signal, 0, 0, 0);
	s->dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
	s->uid = setfsuid(-1);
	s->gid = setfsgid(-1);
	if (good)
		good = syscall(CALL_SETGROUPS, n, groups) == 0;
	free(groups);
	if (!good) {
		free(s->groups);
		s->groups = NULL;
		return false;
	}
	s->has_switched = true;
	setfsgid(c->gid);
	setfsuid(c->uid);
	/* setfsuid() and setfsgid() do not report failures */
	return (uid_t)setfsuid(-1) == c->uid && (gid_t)setfsgid(-1) == c->gid;
}

bool caller_enter(struct caller_scope *ret)
{
	struct caller c;

	*ret = (struct caller_scope){0};
	if (caller_find(&c)) {
		ret->is_entered = switch_to(&c, ret);
		if (!ret->is_entered)
			caller_leave(ret);
	} else if (geteuid()) {
		ret->capabilities = effective_capabilities() & file_capabilities;
		ret->is_entered = ret->capabilities && set_effective(ret->capabilities, 0);
	}
	return ret->is_entered;
}

void caller_leave(struct caller_scope *s)
{
	int kept = errno;

	if (s->has_switched) {
		setfsuid(s->uid);
		setfsgid(s->gid);
		syscall(CALL_SETGROUPS, s->n_groups, s->groups);
		prctl(PR_SET_PDEATHSIG, s->death_signal, 0, 0, 0);
		if (s->dumpable == 1)
			prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
		free(s->groups);
	} else if (s->is_entered) {
		set_effective(0, s->capabilities);
	}
	*s = (struct caller_scope){0};
	errno = kept;
}

int caller_become(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
	struct caller c = {getuid(), getgid()};
	bool is_other = caller_find(&c);
	gid_t *groups = NULL;
	int n, r = 0;

	if (!is_other && !caller_is_secure() && !(geteuid() && effective_capabilities()))
		return !geteuid() && caller_is_raised() ? -EPERM : 0;
	n = is_other ? find_groups(&c, &groups) : 0;
	if (n < 0 || (is_other && setgroups(n, groups) < 0) || setresgid(c.gid, c.gid, c.gid) < 0 ||
	    setresuid(c.uid, c.uid, c.uid) < 0)
		r = n < 0 ? -ENOMEM : -errno;
	free(groups);
	TRY(r);
	/* this also empties the ambient set, which the next program would inherit */
	return c.uid && syscall(SYS_capset, &head, none) < 0 ? -errno : 0;
}
