// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * child.c - starts the traced command in two steps.
 *
 *  parent                               child
 *  child_start: fork ─────────────────▶ changes to the user, finds the file, waits for a byte
 *      settings for its pid …
 *  child_ready: the byte ─────────────▶ reports that it is ready, polls the gate in shared memory
 *      tracing begins
 *  child_go: opens the gate ──────────▶ execve()
 *      waits ◀─────────── the pipe closes (exec succeeded), or an errno arrives
 *
 * A missing command is refused before the fork, so that nothing is set or written for it. The child
 * does as much as possible before tracing begins, because all later work appears in the trace as
 * work of the command. So execve() is the only system call that the child makes after that.
 *
 * The kernel sends the child SIGTERM when the recorder dies, so that the workload of a killed
 * recorder ends, too. The child has the signal mask and handlers that the shell gave us.
 */
#include "capture/record/child.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_BYTES CHILD_FILE_BYTES
#define READY_MS   1000

enum gate { GATE_SHUT, GATE_OPEN, GATE_CALLED_OFF };

struct child_gate {
	int is_here; /* both are accessed with __atomic */
	int state;   /* enum gate */
};

static int find_user(const char *name, struct passwd **ret_user, struct errmsg *err)
{
	if (geteuid())
		return errmsg_set(err, -EPERM, "only root can run the command as another user");
	*ret_user = getpwnam(name);
	if (!*ret_user)
		return errmsg_set(err, -ENOENT, "there is no user '%s'", name);
	return 0;
}

/*
 * --- whether there is one ----------------------------------------------------------------------
 */

/* Returns 0, or the reason why the kernel would not run the file: -ENOENT, -EISDIR, -EACCES. */
static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return access(path, X_OK) ? -errno : 0;
}

/* Searches as execvp() does, for the first file in PATH that can be run. */
int child_find(const char *name, char file[CHILD_FILE_BYTES])
{
	const char *path = getenv("PATH");
	int found = -ENOENT;

	if (strchr(name, '/')) {
		snprintf(file, FILE_BYTES, "%s", name);
		return strlen(name) < FILE_BYTES ? check_file(name) : -ENAMETOOLONG;
	}
	for (const char *p = path ? path : "/bin:/usr/bin"; *name;) {
		size_t len = strcspn(p, ":");
		int r = -ENOENT;

		if (len + strlen(name) + 2 < FILE_BYTES) {
			snprintf(file, FILE_BYTES, "%.*s%s%s", (int)len, p, len ? "/" : "", name);
			r = check_file(file);
		}
		if (!r)
			return 0;
		if (r == -EACCES)
			found = r;
		if (!p[len])
			break;
		p += len + 1;
	}
	return found;
}

static int refuse_command(const char *name, int code, struct errmsg *err)
{
	if (code == -ENOENT || code == -ENOTDIR)
		return errmsg_set(err, code, "there is no command '%s'", name);
	if (code == -EISDIR)
		return errmsg_set(err, code, "cannot run '%s': it is a directory", name);
	return errmsg_set_errno(err, code, "cannot run '%s'", name);
}

/*
 * --- the process -------------------------------------------------------------------------------
 */

static int become(const struct passwd *user)
{
	if (initgroups(user->pw_name, user->pw_gid) || setgid(user->pw_gid) || setuid(user->pw_uid))
		return -errno;
	setenv("HOME", user->pw_dir, 1);
	setenv("USER", user->pw_name, 1);
	setenv("LOGNAME", user->pw_name, 1);
	return 0;
}

static void report_and_exit(int fd, int code)
{
	(void)!write(fd, &code, sizeof(code));
	_exit(127);
}

static int prepare(const struct child_config *config, const struct passwd *user, pid_t parent,
		   char file[FILE_BYTES])
{
	if (user)
		TRY(become(user));
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* after setuid(), which clears the signal */
	if (getppid() != parent)
		_exit(127); /* the parent died before the prctl() */
	for (const char *const *e = config->env; e && *e; e++)
		putenv((char *)*e);
	return child_find(config->argv[0], file);
}

/*
 * Makes the words for a text without #!, which the shell runs, as in execvp(). The result is never
 * freed.
 */
static char **shell_words(char *const *argv, char *file)
{
	size_t n = 0;
	char **words;

	while (argv[n])
		n++;
	words = calloc(n + 2, sizeof(*words));
	if (!words)
		return NULL;
	words[0] = (char *)"/bin/sh";
	words[1] = file;
	for (size_t i = 1; i < n; i++)
		words[i + 1] = argv[i];
	return words;
}

static void wait_at_gate(struct child_gate *gate)
{
	int state;

	__atomic_store_n(&gate->is_here, 1, __ATOMIC_RELEASE);
	while ((state = __atomic_load_n(&gate->state, __ATOMIC_ACQUIRE)) == GATE_SHUT)
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_pause();
#else
		;
#endif
	if (state == GATE_CALLED_OFF)
		_exit(127);
}

/*
 * Gives the process the command's name, because its work before exec belongs to the command, too.
 */
static void name_process(const char *command)
{
	const char *slash = strrchr(command, '/');

	prctl(PR_SET_NAME, slash && slash[1] ? slash + 1 : command);
}

static void run(const struct child_config *config, const struct passwd *user, pid_t parent,
		int go_fd, int error_fd, struct child_gate *gate)
{
	char file[FILE_BYTES], word, **shell;
	ssize_t n;
	int r;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	r = prepare(config, user, parent, file);
	name_process(config->argv[0]);
	shell = shell_words(config->argv, file);
	if (r >= 0 && !shell)
		r = -ENOMEM;
	do
		n = read(go_fd, &word, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127); /* the parent cancelled the command */
	wait_at_gate(gate);
	if (config->outlives) /* not before: a child at the gate must end with us */
		prctl(PR_SET_PDEATHSIG, 0);
	if (r < 0)
		report_and_exit(error_fd, r);
	execve(file, config->argv, environ);
	if (errno == ENOEXEC)
		execve(shell[0], shell, environ);
	report_and_exit(error_fd, -errno);
}

int child_start(struct child *ret_child, const struct child_config *config, struct errmsg *err)
{
	char file[FILE_BYTES];
	int go[2], error[2];
	struct child_gate *gate;
	struct passwd *user = NULL;
	pid_t parent = getpid();
	int r = config->user ? find_user(config->user, &user, err) : 0;
	pid_t pid;

	TRY(r);
	r = child_find(config->argv[0], file);
	if (r < 0)
		return refuse_command(config->argv[0], r, err);
	gate = mmap(NULL, sizeof(*gate), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (gate == MAP_FAILED)
		return errmsg_set_errno(err, -errno, "cannot start the command");
	if (pipe2(go, O_CLOEXEC)) {
		r = -errno;
		munmap(gate, sizeof(*gate));
		return errmsg_set_errno(err, r, "cannot start the command");
	}
	if (pipe2(error, O_CLOEXEC)) {
		r = -errno;
		close(go[0]);
		close(go[1]);
		munmap(gate, sizeof(*gate));
		return errmsg_set_errno(err, r, "cannot start the command");
	}
	pid = fork();
	if (!pid) {
		close(go[1]);
		run(config, user, parent, go[0], error[1], gate);
	}
	r = pid < 0 ? -errno : 0;
	close(go[0]);
	close(error[1]);
	if (r < 0) {
		close(go[1]);
		close(error[0]);
		munmap(gate, sizeof(*gate));
		return errmsg_set_errno(err, r, "cannot start the command");
	}
	*ret_child =
		(struct child){pid, go[1], error[0], (int)syscall(SYS_pidfd_open, pid, 0), gate};
	return 0;
}

static bool is_here(const struct child *c)
{
	return __atomic_load_n(&c->gate->is_here, __ATOMIC_ACQUIRE);
}

void child_ready(struct child *c)
{
	if (c->go_fd < 0 || is_here(c) || write(c->go_fd, "g", 1) != 1)
		return;
	for (int i = 0; i < READY_MS * 10 && !is_here(c); i++)
		usleep(100);
}

static void open_gate(struct child *c, enum gate state)
{
	__atomic_store_n(&c->gate->state, state, __ATOMIC_RELEASE);
	munmap(c->gate, sizeof(*c->gate));
	c->gate = NULL;
}

int child_go(struct child *c, const char *name, struct errmsg *err)
{
	char file[FILE_BYTES];
	int code = 0;
	ssize_t n;

	child_ready(c);
	open_gate(c, GATE_OPEN);
	close(c->go_fd);
	c->go_fd = -1;
	do
		n = read(c->error_fd, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	close(c->error_fd);
	c->error_fd = -1;
	if (n == sizeof(code))
		return code == -ENOENT && !child_find(name, file)
			       ? errmsg_set(err, code,
					    "cannot run '%s': the interpreter in its first "
					    "line (#!), or the loader that it needs, does not "
					    "exist",
					    name)
			       : refuse_command(name, code, err);
	return 0;
}

int child_end(struct child *c)
{
	int status = 0;

	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (c->pid_fd >= 0)
		close(c->pid_fd);
	c->pid = 0;
	return status;
}

void child_cancel(struct child *c)
{
	if (c->pid <= 0)
		return;
	if (c->gate)
		open_gate(c, GATE_CALLED_OFF);
	if (c->go_fd >= 0)
		close(c->go_fd);
	if (c->error_fd >= 0)
		close(c->error_fd);
	child_end(c);
}
