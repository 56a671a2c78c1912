// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target.c - checks a process before sonde changes anything in it.
 *
 * Refused are: programs of 32 bits; static ones (their unwinder cannot find our tables, so
 * exceptions would end the program); C libraries other than glibc (the runtime keeps its variables
 * in glibc's thread control block); processes with a seccomp filter (it may kill the process for an
 * unexpected system call) or a shadow stack. Probes work there, so the messages name them.
 */
#include "capture/attach/target.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATUS_BYTES   8192
#define MAPS_MAX_BYTES (16u << 20)
#define PIECES_MAX     4096u
#define CODE_STEP      (256u << 10)
#define INSTEAD	       TARGET_INSTEAD
#define PROBE	       "; a probe works: -e 'PROGRAM:FUNCTION'"

/*
 * --- status ------------------------------------------------------------------------------------
 */

static int read_text(const char *path, struct textbuf *tb)
{
	char buf[16384];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		textbuf_add(tb, buf, n);
	close(fd);
	return n < 0 ? -errno : 0;
}

/* The value of "Name:\tvalue"; "": there is none. */
static const char *status_value(const char *status, const char *name, char *value, size_t n_bytes)
{
	size_t len = strlen(name);

	*value = 0;
	for (const char *p = status; p && *p; p = strchr(p, '\n'), p += p ? 1 : 0)
		if (!strncmp(p, name, len) && p[len] == ':') {
			p += len + 1;
			p += strspn(p, " \t");
			snprintf(value, n_bytes, "%.*s", (int)strcspn(p, "\n"), p);
			break;
		}
	return value;
}

static long status_number(const char *status, const char *name)
{
	char value[64];

	return strtol(status_value(status, name, value, sizeof(value)), NULL, 10);
}

static void read_comm(long pid, char *comm, size_t n_bytes)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	f = fopen(path, "re");
	if (!f || !fgets(comm, (int)n_bytes, f))
		snprintf(comm, n_bytes, "?");
	if (f)
		fclose(f);
	comm[strcspn(comm, "\n")] = 0;
}

/* Its first thread has called pthread_exit(): the kernel shows no memory and no program of it. */
static bool has_other_threads(pid_t pid)
{
	char path[64];
	struct dirent *e;
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		n += atoi(e->d_name) > 0;
	if (dir)
		closedir(dir);
	return n > 1;
}

static int check_status(pid_t pid, const char *status, struct errmsg *err)
{
	char value[256], comm[32];
	long tracer = status_number(status, "TracerPid");

	status_value(status, "State", value, sizeof(value));
	if (*value == 'Z' && has_other_threads(pid))
		return errmsg_set(err, -ENOEXEC,
				  "the first thread of process %d has ended and others run: sonde "
				  "cannot attach to such a process" PROBE,
				  (int)pid);
	if (*value == 'Z' || *value == 'X')
		return errmsg_set(err, -ESRCH, "process %d has ended", (int)pid);
	if (tracer) {
		read_comm(tracer, comm, sizeof(comm));
		return errmsg_set(
			err, -EBUSY,
			"process %d is traced by process %ld (%s) already; end that first",
			(int)pid, tracer, comm);
	}
	if (status_number(status, "Seccomp"))
		return errmsg_set(err, -ENOTSUP,
				  "process %d runs in a seccomp sandbox, which might kill it for "
				  "system calls of sonde's library" INSTEAD,
				  (int)pid);
	if (strstr(status_value(status, "x86_Thread_features", value, sizeof(value)), "shstk"))
		return errmsg_set(err, -ENOTSUP,
				  "process %d has a shadow stack, which forbids hooks" INSTEAD,
				  (int)pid);
	return 0;
}

/*
 * --- the program -------------------------------------------------------------------------------
 */

/* A process that has just ended has no program, either. Linux 6.8 and later have "Kthread:". */
static bool is_kernels(pid_t pid)
{
	char path[64];
	SCOPED(textbuf_release) struct textbuf tb;
	const char *p;

	textbuf_init(&tb, STATUS_BYTES);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (read_text(path, &tb) < 0)
		return false;
	textbuf_add(&tb, "", 1);
	p = strstr(tb.start, "\nKthread:\t");
	return p ? p[10] == '1' : !strstr(tb.start, "\nState:\tZ");
}

static int check_program(pid_t pid, struct errmsg *err)
{
	char path[64];
	Elf64_Ehdr head;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && is_kernels(pid))
		return errmsg_set(err, -EINVAL,
				  "%d is a thread of the kernel: it has no user functions",
				  (int)pid);
	if (fd < 0)
		return target_tell_refused(pid, -errno, err);
	if (pread(fd, &head, sizeof(head), 0) != sizeof(head))
		memset(&head, 0, sizeof(head));
	close(fd);
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64)
		return errmsg_set(err, -ENOEXEC, "process %d is not a 64-bit x86 program" PROBE,
				  (int)pid);
	return 0;
}

static int read_status(pid_t *pid, struct textbuf *tb, struct errmsg *err)
{
	char path[64];

	textbuf_init(tb, STATUS_BYTES);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)*pid);
	if (read_text(path, tb) < 0)
		return errmsg_set(err, -ESRCH, "there is no process %d", (int)*pid);
	textbuf_add(tb, "", 1);
	if (status_number(tb->start, "Tgid") > 0)
		*pid = (pid_t)status_number(tb->start, "Tgid");
	return *pid == getpid() ? errmsg_set(err, -EINVAL, "sonde cannot attach to itself") : 0;
}

int target_find_process(pid_t *pid, struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf tb = {0};

	return read_status(pid, &tb, err);
}

int target_check(pid_t *pid, struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf tb = {0};
	int r;

	TRY(read_status(pid, &tb, err));
	r = check_status(*pid, tb.start, err);
	return r < 0 ? r : check_program(*pid, err);
}

#define KILL_PENDING (UINT64_C(1) << (SIGKILL - 1))

static uint64_t status_signals(const char *status, const char *name)
{
	char value[64];

	return strtoull(status_value(status, name, value, sizeof(value)), NULL, 16);
}

bool target_has_ended(pid_t pid)
{
	SCOPED(textbuf_release) struct textbuf tb;
	char path[64], value[64];

	textbuf_init(&tb, STATUS_BYTES);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (read_text(path, &tb) < 0)
		return true;
	textbuf_add(&tb, "", 1);
	return !*status_value(tb.start, "VmSize", value, sizeof(value)) ||
	       (status_signals(tb.start, "SigPnd") | status_signals(tb.start, "ShdPnd")) &
		       KILL_PENDING;
}

static long read_scope(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	long scope = 0;

	if (f && fscanf(f, "%ld", &scope) != 1)
		scope = 0;
	if (f)
		fclose(f);
	return scope;
}

int target_tell_refused(pid_t pid, int code, struct errmsg *err)
{
	long scope = read_scope();
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st))
		return errmsg_set(err, -ESRCH, "process %d has ended", (int)pid);
	if (code != -EPERM && code != -EACCES)
		return errmsg_set_errno(err, code, "cannot attach to process %d", (int)pid);
	if (geteuid() && st.st_uid != geteuid())
		return errmsg_set(err, code,
				  "process %d belongs to another user, or has gained rights; run "
				  "sonde as root",
				  (int)pid);
	if (scope >= 3)
		return errmsg_set(err, code,
				  "this system lets nobody attach to processes "
				  "(kernel.yama.ptrace_scope = %ld) until it is started again",
				  scope);
	if (scope && geteuid())
		return errmsg_set(err, code,
				  "this system lets only root attach to process %d "
				  "(kernel.yama.ptrace_scope = %ld); run sonde as root, or "
				  "'sysctl kernel.yama.ptrace_scope=0'",
				  (int)pid, scope);
	return errmsg_set(err, code, "the kernel does not let sonde attach to process %d",
			  (int)pid);
}

/*
 * --- the memory map ----------------------------------------------------------------------------
 */

static void find_code(struct target *t, uint64_t begin, uint64_t end)
{
	uint8_t *bytes = malloc(CODE_STEP + 16);

	for (uint64_t at = begin; bytes && at < end; at += CODE_STEP) {
		size_t n = end - at < CODE_STEP + 16 ? end - at : CODE_STEP + 16;

		if ((t->code.syscall_ret && t->code.sigreturn) ||
		    !tracees_read(t->pid, at, bytes, n))
			break;
		remote_code_find(&t->code, bytes, n, at);
	}
	free(bytes);
}

static void take_piece(struct target *t, uint64_t begin, uint64_t end, bool is_code)
{
	struct snrt_note note;

	if (!ARRAY_ROOM(t->pieces, t->pieces_cap, t->n_pieces + 1, PIECES_MAX))
		return;
	t->pieces[t->n_pieces++] = (struct target_piece){begin, end, is_code};
	if (is_code && tracees_read(t->pid, begin + SNRT_NOTE_AT, &note, sizeof(note)) &&
	    note.magic == SNRT_MAGIC)
		t->note = note;
}

static bool begins_with(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

/* "55d0c0a000-55d0c0b000 r-xp 00002000 fe:01 1234   /usr/bin/prog" */
static void take_line(struct target *t, const char *line, bool finds_code)
{
	unsigned long long begin, end;
	const char *name, *path;
	char modes[8];
	int at = 0;

	if (sscanf(line, "%llx-%llx %7s %*x %*x:%*x %*u %n", &begin, &end, modes, &at) < 3 || !at)
		return;
	path = line + at;
	name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	if (begins_with(path, "[stack]"))
		t->stack_end = end - 8;
	if (begins_with(path, "/memfd:sonde-plan"))
		take_piece(t, begin, end, modes[2] == 'x');
	t->has_library |= begins_with(name, "libsonde-rt.so");
	if (*path != '/' || modes[2] != 'x' || !begins_with(name, "libc.so.6"))
		return;
	t->has_libc = true;
	if (finds_code)
		find_code(t, begin, end);
}

int target_read(struct target *t, pid_t pid, bool finds_code, struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf tb;
	char path[64], *line;
	int r;

	*t = (struct target){.pid = pid};
	textbuf_init(&tb, MAPS_MAX_BYTES);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	r = read_text(path, &tb);
	if (r < 0)
		return target_tell_refused(pid, r, err);
	t->maps = strndup(tb.start ? tb.start : "", textbuf_len(&tb));
	if (!t->maps)
		return errmsg_set_errno(err, -ENOMEM, "cannot attach to process %d", (int)pid);
	for (char *p = t->maps; (line = strsep(&p, "\n"));) {
		take_line(t, line, finds_code);
		if (p)
			p[-1] = '\n';
	}
	return 0;
}

void target_release(struct target *t)
{
	free(t->pieces);
	free(t->maps);
	*t = (struct target){0};
}

bool target_find(const struct target *t, uint64_t address, uint64_t *ret_low, uint64_t *ret_high)
{
	for (const char *p = t->maps; p && *p; p = strchr(p, '\n'), p += p ? 1 : 0) {
		unsigned long long low, high;

		if (sscanf(p, "%llx-%llx", &low, &high) == 2 && address >= low && address < high) {
			*ret_low = low;
			*ret_high = high;
			return true;
		}
	}
	return false;
}
