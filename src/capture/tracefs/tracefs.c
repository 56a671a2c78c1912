// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefs.c - finds and mounts the tracing directory, reads and writes its files.
 *
 *	/sys/kernel/tracing/            the top level
 *	    FILE                        a setting: reading shows it, writing changes it
 *	    events/SYSTEM/EVENT/FILE
 *	    instances/NAME/             buffers of their own, with most of the same files
 *
 * Why not libtracefs: a recorder that must undo its changes has to see every single write
 * (journal.h), but that library also writes on its own. The rest of the library is only open, read,
 * write and close.
 *
 * A write is one system call: the kernel parses each write() separately, so a text in two pieces
 * would be two commands. When the kernel refuses a write, errno says little ("Invalid argument").
 * Since Linux 5.2 the file error_log of the instance has a message and a caret for filters,
 * triggers and probes:
 *
 *	[   12.345678] event filter parse error: error: Field not found
 *	  Command: nosuch == 1
 *	           ^
 */
#include "capture/tracefs/tracefs.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/plain.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "capture/kernel/lockdown.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOG_MAX_BYTES	65536
#define NAMES_MAX	65536
#define REMOVE_TRIES	100
#define REMOVE_PAUSE_NS 10000000

/*
 * --- where it is -------------------------------------------------------------------------------
 */

static bool is_tracing_dir(const char *path)
{
	char file[TRACEFS_PATH_MAX + 32];
	struct stat st;

	snprintf(file, sizeof(file), "%s/trace_clock", path);
	return !stat(file, &st);
}

/*
 * Finds a mounted tracing directory. On kernels that support it, accessing the directory in debugfs
 * mounts tracefs there automatically.
 */
static bool find_mounted(char *root)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char line[4096], dir[TRACEFS_PATH_MAX], type[64];
	SCOPED(fclose_scoped) FILE *mounts = NULL;
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (is_tracing_dir(places[i])) {
			snprintf(root, TRACEFS_PATH_MAX, "%s", places[i]);
			return true;
		}
	mounts = fopen("/proc/mounts", "re");
	while (mounts && !found && fgets(line, sizeof(line), mounts))
		if (sscanf(line, "%*s %1023s %63s", dir, type) == 2 && !strcmp(type, "tracefs") &&
		    is_tracing_dir(dir)) {
			snprintf(root, TRACEFS_PATH_MAX, "%s", dir);
			found = true;
		}
	return found;
}

static int refuse_no_dir(int code, struct errmsg *err)
{
	struct lockdown lock;
	struct stat st;

	lockdown_read(&lock, "");
	if (lockdown_forbids_tracing(
		    &lock)) /* the kernel was locked down at boot: the directory is empty */
		return lockdown_refuse_tracing(&lock, -EPERM, err);
	if (!stat("/sys/kernel/tracing", &st) && code == -EACCES)
		return errmsg_set(
			err, code,
			"this user cannot read the tracing directory /sys/kernel/tracing; run "
			"sonde as root (sudo); for reading only, root can open it to a group: "
			"mount -o remount,mode=750,gid=GROUP /sys/kernel/tracing");
	if (code == -EPERM || code == -EACCES)
		return errmsg_set(
			err, code,
			"tracefs is not mounted and only root may mount it; as root: mount -t "
			"tracefs nodev /sys/kernel/tracing");
	return errmsg_set_errno(err, code,
				"this kernel has no tracing directory (tracefs; it needs "
				"CONFIG_TRACING)");
}

static int find_or_mount(struct tracefs *t, struct errmsg *err)
{
	const char *given = getenv("SONDE_TRACEFS");
	int code;

	memset(t, 0, sizeof(*t));
	if (given && *given) {
		if (strlen(given) >= sizeof(t->root) || !is_tracing_dir(given))
			return errmsg_set(err, -ENOENT,
					  "SONDE_TRACEFS names %s, which is not a tracing "
					  "directory",
					  given);
		snprintf(t->root, sizeof(t->root), "%s", given);
		return 0;
	}
	if (find_mounted(t->root))
		return 0;
	if (!access("/sys/kernel/tracing", F_OK) && access("/sys/kernel/tracing", X_OK))
		return refuse_no_dir(-EACCES, err);
	code = mount("nodev", "/sys/kernel/tracing", "tracefs", 0, NULL) ? -errno : 0;
	if (code < 0)
		return refuse_no_dir(code, err);
	t->is_ours = true;
	return find_mounted(t->root) ? 0 : refuse_no_dir(-ENOENT, err);
}

/*
 * Checks that the kernel is not locked down. Only a lockdown refuses tracing_on with EPERM to a
 * user who could otherwise read it. The check costs one open().
 */
static int check_not_locked(const struct tracefs *t, struct errmsg *err)
{
	int fd = tracefs_open_file(t, "", "tracing_on", O_RDONLY);
	struct lockdown lock;

	if (fd >= 0)
		close(fd);
	if (fd != -EPERM)
		return 0;
	lockdown_read(&lock, "");
	return lockdown_forbids_tracing(&lock) ? lockdown_refuse_tracing(&lock, fd, err) : 0;
}

int tracefs_open(struct tracefs *t, struct errmsg *err)
{
	TRY(find_or_mount(t, err));
	return check_not_locked(t, err);
}

bool tracefs_is_there(const struct tracefs *t)
{
	return is_tracing_dir(t->root);
}

bool tracefs_find_again(const struct tracefs *t, struct tracefs *ret)
{
	const char *given = getenv("SONDE_TRACEFS");

	*ret = *t;
	return tracefs_is_there(t) || (!(given && *given) && find_mounted(ret->root));
}

/*
 * Returns true if neither name leaves its directory: names come from command lines, hosts and
 * journals.
 */
static bool stays_inside(const char *instance, const char *file)
{
	if (strchr(instance, '/') || !strcmp(instance, ".") || !strcmp(instance, ".."))
		return false;
	for (const char *p = file; (p = strstr(p, "..")); p += 2)
		if ((p == file || p[-1] == '/') && (!p[2] || p[2] == '/'))
			return false;
	return true;
}

char *tracefs_fmt_path(const struct tracefs *t, const char *instance, const char *file, char *buf)
{
	int n;

	*buf = 0;
	if (!stays_inside(instance, file))
		return buf;
	if (file[0] == '/') /* a setting outside tracefs: /proc/sys/kernel/… */
		n = snprintf(buf, TRACEFS_PATH_MAX, "%s", file);
	else if (*instance)
		n = snprintf(buf, TRACEFS_PATH_MAX, "%s/instances/%s/%s", t->root, instance, file);
	else
		n = snprintf(buf, TRACEFS_PATH_MAX, "%s/%s", t->root, file);
	/* a truncated path may name another file; an empty path names none */
	if (n >= TRACEFS_PATH_MAX)
		*buf = 0;
	return buf;
}

/*
 * --- reading -----------------------------------------------------------------------------------
 */

bool tracefs_exists(const struct tracefs *t, const char *instance, const char *file)
{
	char path[TRACEFS_PATH_MAX];

	return !access(tracefs_fmt_path(t, instance, file, path), F_OK);
}

int tracefs_open_file(const struct tracefs *t, const char *instance, const char *file, int flags)
{
	char path[TRACEFS_PATH_MAX];
	int fd = open(tracefs_fmt_path(t, instance, file, path), flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int tracefs_read(const struct tracefs *t, const char *instance, const char *file,
		 struct textbuf *out)
{
	SCOPED(scope_close) int fd = tracefs_open_file(t, instance, file, O_RDONLY);

	return fd < 0 ? fd : textbuf_add_file(out, fd);
}

static int refuse_unmounted(const struct tracefs *t, struct errmsg *err)
{
	return errmsg_set(err, -ENODEV, "the tracing directory %s was unmounted", t->root);
}

/* Returns the advice after a refusal, as a suffix of the message. */
static const char *remedy(int code)
{
	if (code == -EROFS)
		return " (the tracing directory is mounted read-only; as root: mount -o remount,rw "
		       "it)";
	return (code == -EACCES || code == -EPERM) && geteuid() ? " (run sonde as root)" : "";
}

int tracefs_refuse_read(const struct tracefs *t, const char *instance, const char *file, int code,
			struct errmsg *err)
{
	char path[TRACEFS_PATH_MAX];

	tracefs_fmt_path(t, instance, file, path);
	if (!tracefs_is_there(t))
		return refuse_unmounted(t, err);
	if (code == -ENOENT || code == -ENODEV)
		return errmsg_set(err, code, "this kernel has no %s", path);
	if (code == -EBUSY)
		return errmsg_set(err, code, "another program is reading %s", path);
	return errmsg_set_errno(err, code, "cannot read %s%s", path, remedy(code));
}

int tracefs_read_text(const struct tracefs *t, const char *instance, const char *file,
		      struct textbuf *out, struct errmsg *err)
{
	int r;

	textbuf_clear(out);
	r = tracefs_read(t, instance, file, out);
	textbuf_add(out, "", 1);
	if (r >= 0 && out->overflow)
		r = -EFBIG;
	return r < 0 ? tracefs_refuse_read(t, instance, file, r, err) : 0;
}

int tracefs_read_short(const struct tracefs *t, const char *instance, const char *file, char *buf,
		       size_t n_bytes)
{
	int fd = tracefs_open_file(t, instance, file, O_RDONLY);
	ssize_t n;

	TRY(fd);
	do
		n = read(fd, buf, n_bytes - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	while (n && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		n--;
	buf[n] = 0;
	return n;
}

long long tracefs_read_number(const struct tracefs *t, const char *instance, const char *file)
{
	char buf[64], *end;
	long long v;

	if (tracefs_read_short(t, instance, file, buf, sizeof(buf)) <= 0)
		return -1;
	v = strtoll(buf, &end, 10);
	return end == buf ? -1 : v;
}

/*
 * --- writing -----------------------------------------------------------------------------------
 */

/*
 * Returns true if the text is one command: each line would be a separate command. Callers check
 * most texts, but names of symbols come from program files and may contain newlines. A newline at
 * the end is allowed. Marks are data and may contain newlines.
 */
static bool is_one_command(const char *file, const char *text)
{
	const char *at = plain_find(text);

	return !at || (*at == '\n' && !at[1]) || !strcmp(file, "trace_marker");
}

int tracefs_try_write(const struct tracefs *t, const char *instance, const char *file,
		      const char *text, enum tracefs_how how)
{
	size_t len = strlen(text);
	int fd, r = 0;

	if (!is_one_command(file, text))
		return -EINVAL;
	fd = tracefs_open_file(t, instance, file,
			       O_WRONLY | (how == TRACEFS_SET ? O_TRUNC : O_APPEND));
	TRY(fd);
	/* opening with O_TRUNC has emptied a list already; other files need at least a newline */
	if (len) {
		ssize_t n;

		do
			n = write(fd, text, len);
		while (n < 0 && errno == EINTR);
		r = n < 0 ? -errno : 0;
	}
	if (close(fd) && !r) /* function filters take effect on close */
		r = -errno;
	return r;
}

/*
 * Finds the last entry of error_log. Returns false if the entry is not about this text. No entry is
 * about an empty text.
 */
static bool find_reason(const struct tracefs *t, const char *instance, const char *text, char *buf,
			size_t n_bytes)
{
	const char *last = NULL, *end, *command;
	SCOPED(textbuf_release) struct textbuf log = {.max_bytes = LOG_MAX_BYTES};
	size_t len = strcspn(text, "\n");
	bool found = false;

	if (len && tracefs_read(t, instance, "error_log", &log) >= 0 && textbuf_len(&log)) {
		textbuf_add(&log, "", 1);
		for (const char *p = log.start; !log.overflow && (p = strstr(p, ": error: ")); p++)
			last = p + strlen(": error: ");
	}
	end = last ? strchr(last, '\n') : NULL;
	command = end ? strstr(end, "Command: ") : NULL;
	if (command && !strncmp(command + strlen("Command: "), text, len < 32 ? len : 32)) {
		snprintf(buf, n_bytes, "%.*s", (int)(end - last), last);
		found = true;
	}
	return found;
}

int tracefs_write(const struct tracefs *t, const char *instance, const char *file, const char *text,
		  enum tracefs_how how, struct errmsg *err)
{
	int r = tracefs_try_write(t, instance, file, text, how);
	char path[TRACEFS_PATH_MAX], reason[256];
	int len = strcspn(text, "\n");

	if (r >= 0)
		return 0;
	if (!is_one_command(file, text)) {
		snprintf(reason, sizeof(reason), "the text for %.200s", file);
		return plain_check(reason, text, err);
	}
	tracefs_fmt_path(t, instance, file, path);
	if (find_reason(t, instance, text, reason, sizeof(reason)))
		return errmsg_set_cause(err, r, reason, "the kernel refuses '%.*s' for %s",
					len < 300 ? len : 300, text, path);
	if (!tracefs_is_there(t))
		return refuse_unmounted(t, err);
	if (r == -ENOENT || r == -ENODEV)
		return errmsg_set(err, r, "this kernel has no %s", path);
	if (r == -EACCES || r == -EPERM || r == -EROFS)
		return errmsg_set_errno(err, r, "cannot write to %s%s", path, remedy(r));
	return errmsg_set_errno(err, r, "the kernel refuses '%.*s' for %s", len < 300 ? len : 300,
				text, path);
}

/*
 * --- instances ---------------------------------------------------------------------------------
 */

int tracefs_add_instance(const struct tracefs *t, const char *name, struct errmsg *err)
{
	char path[TRACEFS_PATH_MAX];

	if (plain_find(name))
		return plain_check("the name of the instance", name, err);
	if (!*name || *name == '.' || strchr(name, '/') || strlen(name) >= TRACEFS_NAME_MAX)
		return errmsg_set(err, -EINVAL, "'%s' cannot be the name of an instance", name);
	if (!mkdir(tracefs_fmt_path(t, name, "", path), 0700))
		return 0;
	if (errno == EEXIST)
		return -EEXIST;
	if (errno == ENOENT)
		return errmsg_set(err, -ENOENT, "this kernel has no instances (%s/instances)",
				  t->root);
	return errmsg_set_errno(err, -errno, "cannot create the tracing instance %s%s", name,
				remedy(-errno));
}

int tracefs_remove_instance(const struct tracefs *t, const char *name, struct errmsg *err)
{
	char path[TRACEFS_PATH_MAX];

	tracefs_fmt_path(t, name, "", path);
	for (int i = 0;; i++) {
		if (!rmdir(path) || errno == ENOENT)
			return 0;
		if (errno != EBUSY || i == REMOVE_TRIES)
			break;
		nanosleep(&(struct timespec){0, REMOVE_PAUSE_NS}, NULL);
	}
	return errmsg_set_errno(err, -errno, "cannot remove the tracing instance %s%s", name,
				errno == EBUSY ? ", another program has its files open" : "");
}

void name_list_release(struct name_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct name_list){0};
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool name_list_find(const struct name_list *list, const char *name)
{
	return list->n && bsearch(&name, list->names, list->n, sizeof(*list->names), compare_names);
}

int name_list_add(struct name_list *list, const char *name, size_t len)
{
	if (!ARRAY_ROOM(list->names, list->cap, list->n + 1, NAMES_MAX))
		return -ENOMEM;
	list->names[list->n] = strndup(name, len);
	if (!list->names[list->n])
		return -ENOMEM;
	list->n++;
	return 0;
}

/* Sorts the list and gives it away, or frees it if r is an error. Returns r. */
static int finish_list(struct name_list *list, int r, struct name_list *ret_list)
{
	if (r < 0) {
		name_list_release(list);
		return r;
	}
	if (list->n)
		qsort(list->names, list->n, sizeof(*list->names), compare_names);
	*ret_list = *list;
	return 0;
}

static int list_entries(const struct tracefs *t, const char *instance, const char *dir, int type,
			struct name_list *ret_list)
{
	char path[TRACEFS_PATH_MAX];
	DIR *d = opendir(tracefs_fmt_path(t, instance, dir, path));
	struct name_list list = {0};
	struct dirent *e;
	int r = 0;

	if (!d)
		return -errno;
	while (!r && (e = readdir(d)))
		if (e->d_type == type && e->d_name[0] != '.')
			r = name_list_add(&list, e->d_name, strlen(e->d_name));
	closedir(d);
	return finish_list(&list, r, ret_list);
}

int tracefs_directories(const struct tracefs *t, const char *instance, const char *dir,
			struct name_list *ret_list)
{
	return list_entries(t, instance, dir, DT_DIR, ret_list);
}

int tracefs_files(const struct tracefs *t, const char *instance, const char *dir,
		  struct name_list *ret_list)
{
	return list_entries(t, instance, dir, DT_REG, ret_list);
}

int tracefs_instances(const struct tracefs *t, struct name_list *ret_list)
{
	return tracefs_directories(t, "", "instances", ret_list);
}

int tracefs_find_instance(const struct tracefs *t, const char *name, struct errmsg *err)
{
	struct name_list list = {0};
	struct spelling sp;
	char path[TRACEFS_PATH_MAX];
	int r = -ENOENT;

	if (!*name)
		return 0;
	if (*name != '.' && !strchr(name, '/') &&
	    !access(tracefs_fmt_path(t, name, "", path), F_OK))
		return 0;
	spelling_init(&sp, name, strlen(name));
	tracefs_instances(t, &list);
	for (size_t i = 0; i < list.n; i++)
		spelling_add(&sp, list.names[i]);
	if (sp.nearest)
		errmsg_set(err, r, "no tracing instance '%s'; did you mean '%s'?", name,
			   sp.nearest);
	else
		errmsg_set(err, r, "no tracing instance '%s'; %s", name,
			   list.n ? "'sonde list -B' lists them"
				  : "this kernel has no instances now");
	name_list_release(&list);
	return r;
}

int tracefs_words(const struct tracefs *t, const char *instance, const char *file,
		  struct name_list *ret_list)
{
	struct name_list list = {0};
	struct textbuf text;
	int r;

	textbuf_init(&text, 1 << 20);
	r = tracefs_read(t, instance, file, &text);
	textbuf_add(&text, "", 1);
	for (const char *p = text.start; r >= 0 && !text.overflow && *p;) {
		size_t len = strcspn(p, " \n[]");

		if (len)
			r = name_list_add(&list, p, len);
		p += len + !!p[len];
	}
	textbuf_release(&text);
	return finish_list(&list, r, ret_list);
}

int tracefs_chosen_word(const struct tracefs *t, const char *instance, const char *file, char *buf,
			size_t n_bytes)
{
	char text[4096], *from, *to;

	TRY(tracefs_read_short(t, instance, file, text, sizeof(text)));
	from = strchr(text, '[');
	to = from ? strchr(from, ']') : NULL;
	if (!to)
		return -ENOENT;
	snprintf(buf, n_bytes, "%.*s", (int)(to - from - 1), from + 1);
	return 0;
}

unsigned tracefs_cpu_count(const struct tracefs *t)
{
	struct name_list list;
	unsigned n = 1;

	if (tracefs_directories(t, "", "per_cpu", &list) < 0)
		return n;
	for (size_t i = 0; i < list.n; i++) {
		unsigned cpu;

		if (sscanf(list.names[i], "cpu%u", &cpu) == 1 && cpu < 65536 && cpu + 1 > n)
			n = cpu + 1;
	}
	name_list_release(&list);
	return n;
}
