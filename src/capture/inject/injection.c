// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * injection.c - configures the kernel's fail_function.
 *
 *	/sys/kernel/debug/fail_function/
 *	    inject              the functions: NAME adds one, !NAME removes it
 *	    NAME/retval         the value to return, as an unsigned number
 *	    probability         in percent; 0: no call fails
 *	    interval            every N-th call fails
 *	    times               number of calls that may still fail; counts down, -1: no limit
 *	    space               counts down first; no call fails while it is above 1
 *	    task-filter         Y: only in marked tasks (taskmarks.h)
 *	    verbose             amount of messages in the kernel's log: 2 is a message with a stack
 *	    require-start …     only if a caller is in this range of addresses; newer kernels
 *
 * The order matters: probability may still be 100 and task-filter N, and then an added function
 * would fail for the whole machine. So the order is
 *
 *	probability 0 ─▶ conditions ─▶ mark the process ─▶ functions, values ─▶ probability P
 *
 * The journal undoes the newest change first, so it removes the functions before it restores the
 * conditions.
 *
 * The kernel does not count failures, but it counts `times` down: without a limit it starts at
 * 2^31-1, and the difference is the number. These files count all failures together, so several
 * functions share one number.
 *
 * The counter behind `interval` cannot be reset: which of the first N calls fails is unknown.
 */
#include "capture/inject/injection.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/kernel/kconfig.h"
#include "capture/kernel/lockdown.h"
#include "capture/inject/taskmarks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#define DEBUGFS_TYPE 0x64626720 /* DEBUGFS_MAGIC */
#define FAILING_MAX  65536
#define PATH_BYTES   TRACEFS_PATH_MAX

/*
 * --- what there is -----------------------------------------------------------------------------
 */

static const char *const options[] = {
	"CONFIG_DEBUG_FS",
	"CONFIG_KPROBES",
	"CONFIG_FUNCTION_ERROR_INJECTION",
	"CONFIG_FAULT_INJECTION",
	"CONFIG_FAULT_INJECTION_DEBUG_FS",
	"CONFIG_FAIL_FUNCTION",
};

bool injection_fmt_missing(const struct kconfig *k, char *buf, size_t n_bytes)
{
	size_t len = 0;

	*buf = 0;
	for (size_t i = 0; i < ARRAY_LEN(options) && len < n_bytes; i++)
		if (kconfig_get(k, options[i]) == 'n')
			len += snprintf(buf + len, n_bytes - len, "%s%s", len ? ", " : "",
					options[i]);
	return len;
}

static bool is_debugfs(const char *dir)
{
	struct statfs fs;

	return getenv("SONDE_DEBUGFS") || (!statfs(dir, &fs) && fs.f_type == DEBUGFS_TYPE);
}

static int refuse_missing(const char *dir, struct errmsg *err)
{
	char missing[INJECTION_MISSING_MAX];
	struct kconfig k;
	struct utsname u;
	bool known;

	if (uname(&u))
		memset(&u, 0, sizeof(u));
	kconfig_read(&k, "", u.release);
	known = injection_fmt_missing(&k, missing, sizeof(missing));
	kconfig_release(&k);
	if (known)
		return errmsg_set(err, -EOPNOTSUPP,
				  "this kernel cannot make functions fail: it is built without "
				  "%s; use a kernel with these options",
				  missing);
	if (!is_debugfs(dir))
		return errmsg_set(err, -ENOENT,
				  "debugfs, which has the kernel's error injection, is not "
				  "mounted; as root: mount -t debugfs nodev %s",
				  dir);
	return errmsg_set(err, -EOPNOTSUPP,
			  "this kernel cannot make functions fail: %s/fail_function is missing; it "
			  "seems to be built without CONFIG_FAIL_FUNCTION (which needs "
			  "CONFIG_FUNCTION_ERROR_INJECTION and CONFIG_FAULT_INJECTION_DEBUG_FS)",
			  dir);
}

static int refuse_access(const char *path, int code, struct errmsg *err)
{
	struct lockdown lock;

	if (geteuid())
		return errmsg_set(err, code,
				  "only root may make kernel functions fail (%s); run sonde as "
				  "root",
				  path);
	lockdown_read(&lock, "");
	if (lockdown_forbids_debugfs(&lock))
		return lockdown_refuse_debugfs(&lock, path, code, err);
	return errmsg_set_errno(err, code,
				"the kernel does not let root change %s: a container or security "
				"module forbids it",
				path);
}

int injection_find(struct injection *in, struct errmsg *err)
{
	const char *given = getenv("SONDE_DEBUGFS");
	char path[PATH_BYTES], *whole = given && *given ? realpath(given, NULL) : NULL;
	SCOPED(scope_close) int fd = -1;

	memset(in, 0, sizeof(*in));
	snprintf(in->dir, sizeof(in->dir), "%s", whole ? whole : "/sys/kernel/debug");
	free(whole);
	snprintf(path, sizeof(path), "%s/fail_function/inject", in->dir);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		return refuse_access(path, -errno, err);
	if (fd < 0)
		return refuse_missing(in->dir, err);
	return 0;
}

/*
 * --- who else is there -------------------------------------------------------------------------
 */

static char *fmt_path(const struct injection *in, const char *name, char *buf)
{
	snprintf(buf, PATH_BYTES, "%s/fail_function/%s", in->dir, name);
	return buf;
}

static int check_functions(const struct injection *in, struct errmsg *err)
{
	char path[PATH_BYTES];
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = FAILING_MAX};

	TRY(tracefs_read_text(&in->t, "", fmt_path(in, "inject", path), &text, err));
	if (*text.start) {
		text.start[strcspn(text.start, "\n")] = 0;
		return errmsg_set(err, -EBUSY,
				  "another program already makes '%.100s' fail (%s), and its "
				  "conditions would apply here, too; wait, or end it: echo > %s",
				  text.start, path, path);
	}
	return 0;
}

/*
 * Checks for failures of other kinds (memory, disks) in marked tasks, because our mark would
 * trigger them.
 */
static int check_others(const struct injection *in, struct errmsg *err)
{
	SCOPED(name_list_release) struct name_list dirs = {0};

	if (tracefs_directories(&in->t, "", in->dir, &dirs) < 0)
		return 0;
	for (size_t i = 0; i < dirs.n; i++) {
		char path[PATH_BYTES], filter[8];

		if (strncmp(dirs.names[i], "fail", 4) || !strcmp(dirs.names[i], "fail_function"))
			continue;
		snprintf(path, sizeof(path), "%s/%.200s/task-filter", in->dir, dirs.names[i]);
		if (tracefs_read_short(&in->t, "", path, filter, sizeof(filter)) <= 0 ||
		    *filter != 'Y')
			continue;
		snprintf(path, sizeof(path), "%s/%.200s/probability", in->dir, dirs.names[i]);
		if (tracefs_read_number(&in->t, "", path) > 0)
			return errmsg_set(
				err, -EBUSY,
				"%s/%.100s is set to fail in marked tasks, and sonde would "
				"mark the process; wait, or end it: echo 0 > %s",
				in->dir, dirs.names[i], path);
	}
	return 0;
}

static int check_marks(struct errmsg *err)
{
	int pid;

	if (!taskmarks_are_there())
		return errmsg_set(err, -EOPNOTSUPP,
				  "this kernel cannot restrict failures to a process "
				  "(/proc/PID/make-it-fail is missing): it is built without "
				  "CONFIG_FAULT_INJECTION");
	if (taskmarks_find(&pid))
		return errmsg_set(err, -EBUSY,
				  "process %d is already marked to fail "
				  "(/proc/%d/make-it-fail), so it would fail, too; wait, or "
				  "end it: echo 0 > /proc/%d/make-it-fail",
				  pid, pid, pid);
	return 0;
}

static int check_twice(const struct injection_config *c, struct errmsg *err)
{
	for (size_t i = 0; i < c->n_faults; i++)
		for (size_t k = 0; k < i; k++)
			if (c->faults[i].function == c->faults[k].function)
				return errmsg_set(err, -EINVAL,
						  "'%s' is given twice, but can return only "
						  "one value",
						  c->faults[i].function->name);
	return 0;
}

/*
 * --- arming ------------------------------------------------------------------------------------
 */

static int set(struct injection *in, struct journal *j, const char *name, const char *text,
	       struct errmsg *err)
{
	char path[PATH_BYTES];

	return journal_set(j, "", fmt_path(in, name, path), text, TRACEFS_SET, err);
}

static int set_number(struct injection *in, struct journal *j, const char *name, long long number,
		      struct errmsg *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", number);
	return set(in, j, name, text, err);
}

/*
 * Disables the filter by callers: the range that must be on the stack contains all addresses, and
 * the range that must not be is empty.
 */
static int set_ranges(struct injection *in, struct journal *j, struct errmsg *err)
{
	static const struct {
		const char *name, *text;
	} ranges[] = {{"reject-start", "0"},
		      {"reject-end", "0"},
		      {"require-start", "0"},
		      {"require-end", "0xffffffffffffffff"}};
	char path[PATH_BYTES];

	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (tracefs_exists(&in->t, "", fmt_path(in, ranges[i].name, path)))
			TRY(set(in, j, ranges[i].name, ranges[i].text, err));
	return 0;
}

static int set_conditions(struct injection *in, struct journal *j, const struct injection_config *c,
			  struct errmsg *err)
{
	const struct {
		const char *name;
		long long number;
	} rows[] = {
		{"probability", 0},	     {"interval", c->every},
		{"times", in->budget},	     {"space", c->after ? c->after + 1 : 0},
		{"verbose", c->log ? 2 : 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		TRY(set_number(in, j, rows[i].name, rows[i].number, err));
	TRY(set(in, j, "task-filter", "Y", err));
	return set_ranges(in, j, err);
}

static int add_fault(struct injection *in, struct journal *j, const struct fault *f,
		     struct errmsg *err)
{
	char path[PATH_BYTES], name[INJECTABLE_NAME_MAX + 16], text[32];

	TRY(journal_save(j, "", fmt_path(in, "inject", path), err));
	TRY(tracefs_write(&in->t, "", path, f->function->name, TRACEFS_APPEND, err));
	snprintf(name, sizeof(name), "%s/retval", f->function->name);
	snprintf(text, sizeof(text), "%#llx", (unsigned long long)f->value);
	/*
	 * the file is removed with the function, so it is not noted; 0 is written as "0", without
	 * an x
	 */
	return tracefs_write(&in->t, "", fmt_path(in, name, path), text, TRACEFS_SET, err);
}

static int check_others_use(struct injection *in, struct errmsg *err)
{
	TRY(check_functions(in, err));
	TRY(check_marks(err));
	return check_others(in, err);
}

/* Claims fail_function among all sondes first, then checks for other users. */
static int claim(struct injection *in, struct journal *j, int pid, struct errmsg *err)
{
	int r;

	TRY(journal_take_marks(j, pid, err));
	r = check_others_use(in, err);
	if (r < 0)
		journal_keep(j); /* other programs set the present marks, so do not remove them */
	return r;
}

int injection_start(struct injection *in, struct journal *j, const struct injection_config *c,
		    struct errmsg *err)
{
	char path[PATH_BYTES], text[32];

	TRY(check_twice(c, err));
	TRY(claim(in, j, c->pid, err));
	in->budget = c->times ? c->times : INJECTION_TIMES_MAX;
	TRY(set_conditions(in, j, c, err));
	TRY(taskmarks_set(c->pid, err));
	for (size_t i = 0; i < c->n_faults; i++)
		TRY(add_fault(in, j, &c->faults[i], err));
	snprintf(text, sizeof(text), "%lld", c->probability);
	return tracefs_write(&in->t, "", fmt_path(in, "probability", path), text, TRACEFS_SET, err);
}

long long injection_count(const struct injection *in)
{
	char path[PATH_BYTES];
	long long left = tracefs_read_number(&in->t, "", fmt_path(in, "times", path));

	return left < 0 ? -1 : in->budget - left;
}
