// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernelinfo.c - reads the files of a tracing directory, live or saved.
 *
 *	events/header_page, header_event     the layout of sub-buffers and of event headers
 *	events/ftrace/EVENT/format           the tracers' own events
 *	events/SYSTEM/EVENT/format           all others, sorted by system and event
 *	printk_formats, saved_cmdlines, trace_clock
 *
 * The directory may be a copy (restore -t), so the only other things read from this machine are
 * /proc/kallsyms and uname. Each text is read whole, up to TEXT_MAX_BYTES.
 */
#include "capture/kernel/kernelinfo.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (256u << 20)
#define PAGE_MAX_BYTES (1u << 27)

static int read_file(const char *path, struct textbuf *out)
{
	SCOPED(scope_close) int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : textbuf_add_file(out, fd);
}

static int read_below(const char *dir, const char *name, struct textbuf *out)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	return n < (int)sizeof(path) ? read_file(path, out) : -ENAMETOOLONG;
}

/*
 * --- formats -----------------------------------------------------------------------------------
 */

static int is_entry(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void put(struct textbuf *tb, size_t at, const void *data, size_t n)
{
	if (!tb->overflow)
		memcpy(tb->start + at, data, n);
}

/* Replaces the text that was read last, from `at` on, by another form. */
static void reformat(const struct kernelinfo_config *c, const char *system, const char *event,
		     struct textbuf *out, size_t at)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = TEXT_MAX_BYTES};

	if (!c->reformat || out->overflow)
		return;
	if (c->reformat(c->ctx, system, event, out->start + at, textbuf_len(out) - at, &text) &&
	    !text.overflow) {
		out->pos = out->start + at;
		textbuf_add(out, text.start, textbuf_len(&text));
	}
}

/* Adds u32 count, then u64 length and text of every format below events/SYSTEM. */
static uint32_t add_system(const struct kernelinfo_config *c, const char *events,
			   const char *system, struct textbuf *out)
{
	size_t count_at = textbuf_len(out);
	struct dirent **entries;
	char path[4096];
	uint32_t count = 0;
	int n;

	textbuf_add(out, (const char *)&count, 4);
	snprintf(path, sizeof(path), "%s/%s", events, system);
	n = scandir(path, &entries, is_entry, alphasort);
	for (int i = 0; i < n; i++) {
		size_t length_at = textbuf_len(out);
		uint64_t length = 0;
		char name[4096];

		if (c->wants && strcmp(system, "ftrace") &&
		    !c->wants(c->ctx, system, entries[i]->d_name)) {
			free(entries[i]);
			continue;
		}
		textbuf_add(out, (const char *)&length, 8);
		snprintf(name, sizeof(name), "%s/%s/format", system, entries[i]->d_name);
		if (read_below(events, name, out) < 0) {
			if (!out->overflow)
				out->pos = out->start + length_at;
		} else {
			reformat(c, system, entries[i]->d_name, out, length_at + 8);
			length = textbuf_len(out) - length_at - 8;
			put(out, length_at, &length, 8);
			count++;
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	put(out, count_at, &count, 4);
	return count;
}

static void add_all_systems(const struct kernelinfo_config *c, const char *events,
			    struct textbuf *out)
{
	struct dirent **entries;
	uint32_t n_systems = 0;
	int n = scandir(events, &entries, is_entry, alphasort);

	textbuf_add(out, (const char *)&n_systems, 4);
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		size_t before = textbuf_len(out);

		if (strcmp(name, "ftrace")) {
			const char *shown = c->rename ? c->rename(c->ctx, name) : name;

			textbuf_add(out, shown, strlen(shown) + 1);
			if (add_system(c, events, name, out))
				n_systems++;
			else if (!out->overflow)
				out->pos = out->start + before; /* this is a file, not a system */
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	put(out, 0, &n_systems, 4);
}

/*
 * --- the layout --------------------------------------------------------------------------------
 */

static bool find_field(const char *text, const char *name, unsigned *ret_offset, unsigned *ret_size)
{
	const char *p = strstr(text, name);

	return p && sscanf(p + strlen(name), "; offset:%u; size:%u", ret_offset, ret_size) == 2;
}

static bool read_layout(struct kernelinfo *ki)
{
	struct textbuf *tb = &ki->texts[TRACEFILE_HEADER_PAGE];
	unsigned offset, size;
	char text[4096];

	snprintf(text, sizeof(text), "%.*s", (int)textbuf_len(tb), tb->start ? tb->start : "");
	if (!find_field(text, " commit", &offset, &size) || (size != 4 && size != 8))
		return false;
	ki->long_size = size;
	if (!find_field(text, " data", &offset, &size) || offset > 64 ||
	    offset < 8u + ki->long_size || size > PAGE_MAX_BYTES)
		return false;
	ki->data_offset = offset;
	ki->page_size = offset + size;
	return true;
}

static void read_clock(struct kernelinfo *ki, const char *dir)
{
	const char *open, *close;

	if (read_below(dir, "trace_clock", &ki->clock) < 0)
		return;
	textbuf_add(&ki->clock, "", 1);
	if (ki->clock.overflow)
		return;
	open = strchr(ki->clock.start, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		snprintf(ki->clock_name, sizeof(ki->clock_name), "%.*s", (int)(close - open - 1),
			 open + 1);
}

static void read_uname(struct kernelinfo *ki)
{
	struct utsname u;

	if (!uname(&u))
		snprintf(ki->uname, sizeof(ki->uname), "%s %s %s %s", u.sysname, u.nodename,
			 u.release, u.machine);
}

static const char *find_mounted(void)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/events", places[i]);
		if (!access(path, X_OK))
			return places[i];
	}
	return NULL;
}

int kernelinfo_read(struct kernelinfo *ki, const struct kernelinfo_config *config,
		    struct errmsg *err)
{
	const char *dir = config->dir, *kallsyms = config->kallsyms;
	char events[4096];
	int r;

	for (int i = 0; i < TRACEFILE_TEXT_KINDS; i++)
		textbuf_init(&ki->texts[i], TEXT_MAX_BYTES);
	textbuf_init(&ki->clock, 65536);
	ki->clock_name[0] = ki->uname[0] = 0;
	dir = dir ? dir : find_mounted();
	if (!dir)
		return errmsg_set(
			err, -ENOENT,
			"no tracing directory can be read; mount tracefs (as root: mount -t "
			"tracefs nodev /sys/kernel/tracing) or name one with -t");
	snprintf(events, sizeof(events), "%s/events", dir);
	r = read_below(events, "header_page", &ki->texts[TRACEFILE_HEADER_PAGE]);
	if (r < 0)
		return errmsg_set_errno(err, r,
					"%s is not a tracing directory: cannot read "
					"%s/header_page",
					dir, events);
	if (!read_layout(ki))
		return errmsg_set(err, -EBADMSG, "%s/header_page does not describe a sub-buffer",
				  events);
	read_below(events, "header_event", &ki->texts[TRACEFILE_HEADER_EVENT]);
	add_system(config, events, "ftrace", &ki->texts[TRACEFILE_FTRACE_FORMATS]);
	if (!config->no_formats)
		add_all_systems(config, events, &ki->texts[TRACEFILE_EVENT_FORMATS]);
	read_below(dir, "printk_formats", &ki->texts[TRACEFILE_PRINTK]);
	read_below(dir, "saved_cmdlines", &ki->texts[TRACEFILE_CMDLINES]);
	read_clock(ki, dir);
	read_uname(ki);
	r = read_file(kallsyms ? kallsyms : "/proc/kallsyms", &ki->texts[TRACEFILE_KALLSYMS]);
	if (r < 0 && kallsyms)
		return errmsg_set_errno(err, r, "cannot read the symbols in %s", kallsyms);
	for (int i = 0; i < TRACEFILE_TEXT_KINDS; i++)
		if (ki->texts[i].overflow)
			return errmsg_set(err, -EFBIG,
					  "%s has more text than a tracing "
					  "directory can have",
					  dir);
	return 0;
}

void kernelinfo_release(struct kernelinfo *ki)
{
	for (int i = 0; i < TRACEFILE_TEXT_KINDS; i++)
		textbuf_release(&ki->texts[i]);
	textbuf_release(&ki->clock);
}

/*
 * --- names of tasks ----------------------------------------------------------------------------
 */

#define NAMES_MAX      (1u << 20)
#define NAME_MAX_BYTES 64
#define COMM_BYTES     15 /* maximum length of a name in the kernel */

struct task_name {
	uint32_t pid, age; /* the lowest age is the newest name */
	char name[NAME_MAX_BYTES];
};

struct task_names {
	struct task_name *list;
	size_t n, cap;
};

static void add_name(struct task_names *names, uint32_t pid, uint32_t age, const char *name,
		     size_t len)
{
	if (!ARRAY_ROOM(names->list, names->cap, names->n + 1, NAMES_MAX))
		return; /* the task is then shown by its pid */
	names->list[names->n] = (struct task_name){.pid = pid, .age = age};
	snprintf(names->list[names->n++].name, NAME_MAX_BYTES, "%.*s", (int)len, name);
}

/* Adds "PID NAME" lines. The tracer writes <...> for an unknown name. */
static void add_lines(struct task_names *names, uint32_t age, const struct textbuf *text)
{
	const char *p = text->start, *end = text->pos;

	while (p && p < end) {
		const char *eol = memchr(p, '\n', end - p);
		size_t len = (eol ? eol : end) - p;
		const char *blank = memchr(p, ' ', len);

		if (blank && blank[1] != '<')
			add_name(names, strtoul(p, NULL, 10), age, blank + 1, p + len - blank - 1);
		p += len + 1;
	}
}

size_t kernelinfo_bare_name(const char *name, size_t len)
{
	if (len <= 8 || memcmp(name, "kworker/", 8))
		return len;
	/* "kworker/R-kblockd" is a whole name, truncated at the kernel's limit */
	if (name[8] == 'R')
		return len < COMM_BYTES ? len : COMM_BYTES;
	for (size_t i = 8; i < len; i++)
		if (name[i] == '-' || name[i] == '+')
			return i;
	return len;
}

static void add_task(struct task_names *names, const char *process, const char *task)
{
	char path[600], name[NAME_MAX_BYTES];
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%s/task/%s/comm", process, task);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, name, sizeof(name)));
	if (fd >= 0)
		close(fd);
	if (n > 1)
		add_name(names, strtoul(task, NULL, 10), 0, name,
			 kernelinfo_bare_name(name, n - 1));
}

static void add_living(struct task_names *names)
{
	SCOPED(closedir_scoped) DIR *proc = opendir("/proc");
	struct dirent *e, *e2;

	while (proc && (e = readdir(proc))) {
		char path[300];
		SCOPED(closedir_scoped) DIR *tasks = NULL;

		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task", e->d_name);
		tasks = opendir(path);
		while (tasks && (e2 = readdir(tasks)))
			if (e2->d_name[0] != '.')
				add_task(names, e->d_name, e2->d_name);
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct task_name *x = a, *y = b;

	return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : (int)x->age - (int)y->age;
}

void kernelinfo_read_names(const char *dir, const struct textbuf *earlier,
			   const struct textbuf *last, struct textbuf *out)
{
	struct task_names names = {0};
	SCOPED(textbuf_release) struct textbuf saved = {.max_bytes = TEXT_MAX_BYTES};

	dir = dir ? dir : find_mounted();
	if (dir && read_below(dir, "saved_cmdlines", &saved) >= 0)
		add_lines(&names, 2, &saved);
	if (earlier)
		add_lines(&names, 3, earlier);
	if (last)
		add_lines(&names, 1, last);
	add_living(&names);
	if (names.n)
		qsort(names.list, names.n, sizeof(*names.list), compare_names);
	for (size_t i = 0; i < names.n; i++)
		if (names.list[i].pid && (!i || names.list[i].pid != names.list[i - 1].pid))
			textbuf_addf(out, "%u %s\n", names.list[i].pid, names.list[i].name);
	free(names.list);
}
