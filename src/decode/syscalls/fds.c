// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fds.c - which file a descriptor of a process is, learned from its calls.
 *
 * A table per process, by tgid. open, dup, pipe, socket and their family add; close and close_range
 * remove; chdir changes the directory to which relative paths belong (descriptor AT_FDCWD). A new
 * process gets a copy of its parent's table when its parent's call returns. An exec closes what is
 * marked close-on-exec.
 *
 * A wrong path is worse than none. So a descriptor that was closed, or whose path is unknown, stays
 * with the path "", and a process whose calls are not all seen is not trusted any more.
 *
 *	"/etc/passwd"   known
 *	""              not known
 *	"socket:["      only the kind is known: /proc says the number
 *
 * Calls that make descriptors say what the kernel has behind them, if they were recorded so
 * (SYSCALLEVENTS_OF_FILE): the numbers of sockets and pipes, and of devices.
 */
#include "base/map.h"
#include "decode/syscalls/text_int.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define PROCESSES_MAX 65536
#define FDS_MAX	      65536
#define FD_CWD	      (-100)

#define CLOEXEC	      0x80000 /* O_CLOEXEC, SOCK_CLOEXEC, EFD_CLOEXEC … */
#define CLONE_FILES_  0x400
#define CLONE_THREAD_ 0x10000

struct open_file {
	bool cloexec;
	char path[];
};

struct process {
	struct map files; /* descriptor + 1000 to a struct open_file */
	bool has_execed;
	bool is_unsure; /* others change its descriptors, unseen */
};

struct syscallfds {
	struct map processes;
};

struct syscallfds *syscallfds_new(void)
{
	return calloc(1, sizeof(struct syscallfds));
}

static void process_free(struct process *q)
{
	for (size_t i = 0; i < q->files.n_slots; i++)
		free(q->files.slots[i].value);
	map_release(&q->files);
	free(q);
}

void syscallfds_clear(struct syscallfds *f)
{
	for (size_t i = 0; i < f->processes.n_slots; i++)
		if (f->processes.slots[i].value)
			process_free(f->processes.slots[i].value);
	map_release(&f->processes);
	f->processes = (struct map){0};
}

void syscallfds_free(struct syscallfds *f)
{
	if (!f)
		return;
	syscallfds_clear(f);
	free(f);
}

static uint64_t key_of(int fd)
{
	return (uint64_t)((int64_t)fd + 1000);
}

static struct process *process_take(struct syscallfds *f, int32_t tgid)
{
	void **slot = map_take(&f->processes, (uint32_t)tgid, PROCESSES_MAX);

	if (!slot)
		return NULL;
	if (!*slot)
		*slot = calloc(1, sizeof(struct process));
	return *slot;
}

static struct open_file *find(struct syscallfds *f, int32_t tgid, int fd)
{
	struct process *q = map_find(&f->processes, (uint32_t)tgid);

	return q && !q->is_unsure ? map_find(&q->files, key_of(fd)) : NULL;
}

const char *syscallfds_find(struct syscallfds *f, int32_t tgid, int fd)
{
	const struct open_file *file = find(f, tgid, fd);

	return file && *file->path ? file->path : NULL;
}

int syscallfds_add(struct syscallfds *f, int32_t tgid, int fd, const char *path, bool cloexec)
{
	struct process *q = process_take(f, tgid);
	size_t n = strlen(path) + 1;
	struct open_file *file = malloc(sizeof(*file) + n);
	void **slot = q && file ? map_take(&q->files, key_of(fd), FDS_MAX) : NULL;

	if (!slot) {
		free(file);
		return -ENOMEM;
	}
	file->cloexec = cloexec;
	memcpy(file->path, path, n);
	free(*slot);
	*slot = file;
	return 0;
}

void syscallfds_set_path(struct syscallfds *f, int32_t tgid, int fd, const char *path)
{
	const struct open_file *file = find(f, tgid, fd);

	if (file)
		syscallfds_add(f, tgid, fd, path, file->cloexec);
}

void syscallfds_distrust(struct syscallfds *f, int32_t tgid)
{
	struct process *q = process_take(f, tgid);

	if (q)
		q->is_unsure = true;
}

static void forget(struct syscallfds *f, int32_t tgid, int fd)
{
	syscallfds_add(f, tgid, fd, "", false);
}

/* A path relative to a directory, without "." and ".."; the result lies in `text`. */
static void join(char *text, size_t size, const char *dir, const char *path)
{
	size_t n;

	if (*path == '/' || !dir)
		snprintf(text, size, "%s", path);
	else
		snprintf(text, size, "%s/%s", strcmp(dir, "/") ? dir : "", path);
	if (*text != '/')
		return;
	n = 0;
	for (const char *s = text; *s;) {
		size_t len = strcspn(s + 1, "/");

		if (len == 2 && s[1] == '.' && s[2] == '.') {
			while (n && text[n - 1] != '/')
				n--;
			n -= n > 0;
		} else if (len && !(len == 1 && s[1] == '.')) {
			memmove(text + n, s, len + 1);
			n += len + 1;
		}
		s += len + 1;
	}
	if (!n)
		text[n++] = '/';
	text[n] = 0;
}

/* The path in argument `arg` relative to the directory dirfd; false: not copied. */
static bool path_of(struct syscallfds *f, struct printing *p, int dirfd, unsigned arg, char *text,
		    size_t size)
{
	uint8_t flags, when = p->when;
	const uint8_t *b;
	char *path;
	size_t n;

	p->when = SYSCALLEVENTS_AT_ENTRY;
	b = peek_some(p, p->call->args[arg], 4096, &n, &flags);
	p->when = when;
	if (!b || !memchr(b, 0, n))
		return false;
	path = strndup((const char *)b, n);
	if (!path)
		return false;
	join(text, size, syscallfds_find(f, p->call->tgid, dirfd), path);
	free(path);
	return true;
}

enum effect {
	OPEN,
	OPENAT,
	OPENAT2,
	DUP,
	DUP2,
	FCNTL,
	IOCTL,
	CLOSE,
	RANGE,
	CHDIR,
	FCHDIR,
	PIPE,
	NAMED,
	MEMFD,
	ADDRESS, /* of a socket */
	FORK,
	EXEC
};

/* Which argument has the bit CLOEXEC. */
enum { NEVER = 6, ALWAYS = 7 };

/* What a call does to descriptors. name: what such a descriptor is called; sorted by call. */
static const struct {
	const char *call;
	enum effect effect;
	uint8_t flags; /* number of the argument, NEVER or ALWAYS */
	const char *name;
} effects[] = {
	{"accept", NAMED, NEVER, "socket:["},
	{"accept4", NAMED, 3, "socket:["},
	{"bind", ADDRESS, NEVER, NULL},
	{"chdir", CHDIR, NEVER, NULL},
	{"clone", FORK, NEVER, NULL},
	{"clone3", FORK, NEVER, NULL},
	{"close", CLOSE, NEVER, NULL},
	{"close_range", RANGE, NEVER, NULL},
	{"connect", ADDRESS, NEVER, NULL},
	{"creat", OPEN, NEVER, NULL},
	{"dup", DUP, NEVER, NULL},
	{"dup2", DUP2, NEVER, NULL},
	{"dup3", DUP2, 2, NULL},
	{"epoll_create", NAMED, NEVER, "anon_inode:[eventpoll]"},
	{"epoll_create1", NAMED, 0, "anon_inode:[eventpoll]"},
	{"eventfd", NAMED, NEVER, "anon_inode:[eventfd]"},
	{"eventfd2", NAMED, 1, "anon_inode:[eventfd]"},
	{"execve", EXEC, NEVER, NULL},
	{"execveat", EXEC, NEVER, NULL},
	{"fchdir", FCHDIR, NEVER, NULL},
	{"fcntl", FCNTL, NEVER, NULL},
	{"fcntl64", FCNTL, NEVER, NULL},
	{"fork", FORK, NEVER, NULL},
	{"inotify_init", NAMED, NEVER, "anon_inode:inotify"},
	{"inotify_init1", NAMED, 0, "anon_inode:inotify"},
	{"io_uring_setup", NAMED, ALWAYS, "anon_inode:[io_uring]"},
	{"ioctl", IOCTL, NEVER, NULL},
	{"listen", ADDRESS, NEVER, NULL},
	{"memfd_create", MEMFD, NEVER, NULL},
	{"open", OPEN, 1, NULL},
	{"openat", OPENAT, 2, NULL},
	{"openat2", OPENAT2, NEVER, NULL},
	{"perf_event_open", NAMED, NEVER, "anon_inode:[perf_event]"},
	{"pidfd_open", NAMED, ALWAYS, "anon_inode:[pidfd]"},
	{"pipe", PIPE, NEVER, "pipe:["},
	{"pipe2", PIPE, 1, "pipe:["},
	{"signalfd", NAMED, NEVER, "anon_inode:[signalfd]"},
	{"signalfd4", NAMED, 3, "anon_inode:[signalfd]"},
	{"socket", NAMED, 1, "socket:["},
	{"socketpair", PIPE, 1, "socket:["},
	{"timerfd_create", NAMED, 1, "anon_inode:[timerfd]"},
	{"userfaultfd", NAMED, 0, "anon_inode:[userfaultfd]"},
	{"vfork", FORK, NEVER, NULL},
};

static int compare(const void *name, const void *row)
{
	return strcmp(name, *(const char *const *)row);
}

static const typeof(effects[0]) *effect_of(const char *name)
{
	return bsearch(name, effects, sizeof(effects) / sizeof(*effects), sizeof(*effects),
		       compare);
}

bool syscalltext_changes_files(uint32_t machine, uint32_t nr)
{
	const struct syscalltype *type = syscalltype_of(machine, nr);

	return type && effect_of(type->name);
}

static void copy_path(struct syscallfds *f, int32_t tgid, int from, int to, bool cloexec)
{
	const char *path = syscallfds_find(f, tgid, from);
	char *copy = path ? strdup(path) : NULL;

	syscallfds_add(f, tgid, to, copy ? copy : "", cloexec);
	free(copy);
}

/* A child process begins with its parent's descriptors. It may have made calls, even an exec. */
static void fork_process(struct syscallfds *f, int32_t from, int32_t to)
{
	struct process *q = map_find(&f->processes, (uint32_t)from);
	struct process *child = q ? process_take(f, to) : NULL;

	if (!child)
		return;
	for (size_t i = 0; i < q->files.n_slots; i++) {
		const struct open_file *file = q->files.slots[i].value;
		uint64_t key = q->files.slots[i].key;

		if (file && !map_find(&child->files, key) && !(file->cloexec && child->has_execed))
			syscallfds_add(f, to, (int)((int64_t)key - 1000), file->path,
				       file->cloexec);
	}
	if (q->is_unsure)
		child->is_unsure = true;
}

static uint64_t clone_flags(struct printing *p)
{
	const uint8_t *b;

	if (!strcmp(p->type->name, "clone"))
		return p->call->args[0];
	if (strcmp(p->type->name, "clone3"))
		return 0;
	p->when = SYSCALLEVENTS_AT_ENTRY;
	b = peek(p, p->call->args[0], 8);
	return b ? load32(b) : CLONE_FILES_; /* not known: nothing is certain */
}

static void learn_fork(struct syscallfds *f, struct printing *p)
{
	uint64_t flags = clone_flags(p);
	int32_t child = (int32_t)p->call->ret;

	if (child <= 0)
		return;
	if (!(flags & CLONE_THREAD_))
		fork_process(f, p->call->tgid, child);
	if (flags & CLONE_FILES_ && !(flags & CLONE_THREAD_)) {
		syscallfds_distrust(f, child);
		syscallfds_distrust(f, p->call->tgid);
	}
	if (flags & CLONE_THREAD_ && p->o->unseen_threads)
		syscallfds_distrust(f, p->call->tgid);
}

static void learn_exec(struct syscallfds *f, int32_t tgid)
{
	struct process *q = process_take(f, tgid);

	if (!q)
		return;
	q->has_execed = true;
	for (size_t i = 0; i < q->files.n_slots; i++) {
		struct open_file *file = q->files.slots[i].value;

		if (file && file->cloexec)
			*file->path = 0;
	}
}

static void set_cloexec(struct syscallfds *f, int32_t tgid, int fd, bool cloexec)
{
	struct open_file *file = find(f, tgid, fd);

	if (file)
		file->cloexec = cloexec;
}

static void learn_open(struct syscallfds *f, struct printing *p, int dirfd, unsigned arg, int fd,
		       bool cloexec)
{
	char text[4352];

	if (!path_of(f, p, dirfd, arg, text, sizeof(text)))
		*text = 0;
	syscallfds_add(f, p->call->tgid, fd, text, cloexec);
}

static bool open_how_cloexec(struct printing *p)
{
	const uint8_t *b;

	p->when = SYSCALLEVENTS_AT_ENTRY;
	b = peek(p, p->call->args[2], 8);
	return !b || load32(b) & CLOEXEC;
}

static void learn_pair(struct syscallfds *f, struct printing *p, const char *name, bool cloexec)
{
	unsigned arg = p->type->n == 4 ? 3 : 0; /* of socketpair, of pipe */
	const uint8_t *b;

	p->when = SYSCALLEVENTS_AT_EXIT;
	b = peek(p, p->call->args[arg], 8);
	for (unsigned i = 0; b && i < 2; i++)
		syscallfds_add(f, p->call->tgid, (int)load32(b + 4 * i), name, cloexec);
}

/* What /proc calls it: "/memfd:NAME (deleted)". */
static void learn_memfd(struct syscallfds *f, struct printing *p)
{
	uint8_t flags;
	const uint8_t *b;
	char text[300];
	size_t n;

	p->when = SYSCALLEVENTS_AT_ENTRY;
	b = peek_some(p, p->call->args[0], 256, &n, &flags);
	if (b && memchr(b, 0, n))
		snprintf(text, sizeof(text), "/memfd:%s (deleted)", (const char *)b);
	else
		*text = 0;
	syscallfds_add(f, p->call->tgid, (int)p->call->ret, text, p->call->args[1] & 1);
}

static void learn_range(struct syscallfds *f, const struct syscallevents_call *c)
{
	struct process *q = map_find(&f->processes, (uint32_t)c->tgid);

	for (size_t i = 0; q && i < q->files.n_slots; i++) {
		struct open_file *file = q->files.slots[i].value;
		int64_t fd = (int64_t)q->files.slots[i].key - 1000;

		if (!file || fd < (uint32_t)c->args[0] || fd > (uint32_t)c->args[1])
			continue;
		if (c->args[2] & 4) /* CLOSE_RANGE_CLOEXEC */
			file->cloexec = true;
		else
			*file->path = 0;
	}
}

static void learn_fcntl(struct syscallfds *f, const struct syscallevents_call *c)
{
	if (c->args[1] == 0 || c->args[1] == 1030) /* F_DUPFD, F_DUPFD_CLOEXEC */
		copy_path(f, c->tgid, (int)c->args[0], (int)c->ret, c->args[1] == 1030);
	else if (c->args[1] == 2) /* F_SETFD */
		set_cloexec(f, c->tgid, (int)c->args[0], c->args[2] & 1);
}

static uint64_t inode_of_socket(struct syscallfds *f, int32_t tgid, int fd)
{
	const char *path = syscallfds_find(f, tgid, fd);
	uint64_t inode;

	return path && sscanf(path, "socket:[%" SCNu64, &inode) == 1 ? inode : 0;
}

/* The descriptor is known by its call; the number of its inode or device makes it complete. */
static void complete(struct syscallfds *f, struct printing *p, int fd,
		     const struct syscallevents_file *file)
{
	const char *path = syscallfds_find(f, p->call->tgid, fd);
	unsigned major_nr = file->device >> 20, minor_nr = file->device & 0xfffff;
	char text[4400];

	if (!path)
		return;
	if (path[strlen(path) - 1] == '[')
		snprintf(text, sizeof(text), "%s%" PRIu64 "]", path, file->inode);
	else if (p->o->paths > 1 && *path == '/' && (S_ISCHR(file->mode) || S_ISBLK(file->mode)))
		snprintf(text, sizeof(text), "%s<%s %u:%u>", path,
			 S_ISCHR(file->mode) ? "char" : "block", major_nr, minor_nr);
	else
		return;
	syscallfds_set_path(f, p->call->tgid, fd, text);
}

static void learn_files(struct syscallfds *f, struct syscallsockets *sockets, struct printing *p)
{
	for (size_t i = 0; i < p->n_chunks; i++) {
		const struct syscallchunk *c = &p->chunks[i];
		struct syscallevents_file file;
		uint64_t listener = 0;

		if (c->when != SYSCALLEVENTS_OF_FILE || c->n != sizeof(file))
			continue;
		memcpy(&file, c->bytes, sizeof(file));
		complete(f, p, (int)c->address, &file);
		if (!sockets || !S_ISSOCK(file.mode))
			continue;
		if (!strncmp(p->type->name, "accept", 6))
			listener = inode_of_socket(f, p->call->tgid, (int)p->call->args[0]);
		syscallsockets_learn(sockets, p, &file, listener);
	}
}

static void learn_call(struct syscallfds *f, struct printing *p)
{
	const struct syscallevents_call *c = p->call;
	const typeof(effects[0]) *e;
	int fd = (int)c->ret;
	bool cloexec;

	e = effect_of(p->type->name);
	if (!e)
		return;
	cloexec = e->flags == ALWAYS || (e->flags < NEVER && c->args[e->flags] & CLOEXEC);
	switch (e->effect) {
	case OPEN:
		learn_open(f, p, FD_CWD, 0, fd, cloexec);
		break;
	case OPENAT:
		learn_open(f, p, (int)c->args[0], 1, fd, cloexec);
		break;
	case OPENAT2:
		learn_open(f, p, (int)c->args[0], 1, fd, open_how_cloexec(p));
		break;
	case CHDIR:
		learn_open(f, p, FD_CWD, 0, FD_CWD, false);
		break;
	case FCHDIR:
		copy_path(f, c->tgid, (int)c->args[0], FD_CWD, false);
		break;
	case DUP:
		copy_path(f, c->tgid, (int)c->args[0], fd, false);
		break;
	case DUP2:
		if (c->args[0] != c->args[1])
			copy_path(f, c->tgid, (int)c->args[0], (int)c->args[1], cloexec);
		break;
	case FCNTL:
		learn_fcntl(f, c);
		break;
	case IOCTL:
		if ((uint32_t)c->args[1] == 0x5451 || (uint32_t)c->args[1] == 0x5450) /* FIOCLEX */
			set_cloexec(f, c->tgid, (int)c->args[0], c->args[1] & 1);
		break;
	case CLOSE:
		forget(f, c->tgid, (int)c->args[0]);
		break;
	case RANGE:
		learn_range(f, c);
		break;
	case PIPE:
		learn_pair(f, p, e->name, cloexec);
		break;
	case NAMED:
		syscallfds_add(f, c->tgid, fd, e->name, cloexec);
		break;
	case MEMFD:
		learn_memfd(f, p);
		break;
	case ADDRESS:
		break; /* learn_files() */
	case FORK:
		learn_fork(f, p);
		break;
	case EXEC:
		learn_exec(f, c->tgid);
		break;
	}
}

void syscallfds_learn(struct syscallfds *f, struct syscallsockets *sockets, struct printing *p)
{
	if (!p->o->paths || !p->type || !p->returned)
		return;
	if (!p->failed)
		learn_call(f, p);
	learn_files(f, sockets, p); /* also of a connect() that goes on */
}
