// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * injectables.c - reads error_injection/list and parses the arguments of `sonde inject`.
 *
 *	__x64_sys_openat	ERRNO            returns -1 … -4095
 *	open_ctree [btrfs]	ERRNO            a function of a module
 *	should_failslab	ERRNO
 *	io_ctl_init [btrfs]	ERRNO
 *	make_bio	NULL                     returns 0
 *	lookup	ERRNO_NULL                       either
 *	is_full	TRUE                             returns 1
 *
 * The kernel's source declares these functions with ALLOW_ERROR_INJECTION: their callers check the
 * result, and a function that fails at once has changed nothing. All system calls are on the list,
 * some 300 of the 400 entries of a usual kernel, so a system call may be named without its prefix.
 *
 * The C library names the errors that programs see; the table below has those that never leave the
 * kernel.
 */
#include "capture/inject/injectables.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "capture/tracefs/tracefs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define LIST_MAX_BYTES	  (4u << 20)
#define KALLSYMS_MAX_LINE 512
#define ERRNO_MAX	  4095 /* MAX_ERRNO of the kernel */
/* two names are similar if at least this many of their last letters are equal */
#define SAME_END_MIN	  6

static const struct {
	const char *word, *meaning, *example;
} kinds[] = {
	[INJECT_ERRNO] = {"ERRNO", "an error number such as -EIO", "-EIO"},
	[INJECT_NULL] = {"NULL", "NULL", "NULL"},
	[INJECT_ERRNO_NULL] = {"ERRNO_NULL", "an error number such as -EIO, or NULL", "-EIO"},
	[INJECT_TRUE] = {"TRUE", "true", "true"},
	[INJECT_UNKNOWN] = {"?", "a kind that sonde does not know", "?"},
};

/* Errors that are not in errno.h, from include/linux/errno.h of the kernel. */
static const struct {
	const char *name;
	int number;
} kernel_errors[] = {
	{"ERESTARTSYS", 512}, {"ERESTARTNOINTR", 513}, {"ERESTARTNOHAND", 514},
	{"ENOIOCTLCMD", 515}, {"EPROBE_DEFER", 517},   {"EOPENSTALE", 518},
	{"ENOPARAM", 519},    {"ENOTSUPP", 524},
};

const char *inject_kind_word(enum inject_kind kind)
{
	return kinds[kind].word;
}

const char *inject_kind_meaning(enum inject_kind kind)
{
	return kinds[kind].meaning;
}

/*
 * --- the list ----------------------------------------------------------------------------------
 */

static enum inject_kind kind_of(const char *word)
{
	for (int i = 0; i < INJECT_UNKNOWN; i++)
		if (!strcmp(word, kinds[i].word))
			return i;
	return INJECT_UNKNOWN;
}

/* Parses "NAME[ [MODULE]]\tKIND" in place. */
static bool parse_line(char *line, struct injectable *ret)
{
	char *tab = strchr(line, '\t'), *module;

	if (!tab || tab == line)
		return false;
	*tab = 0;
	*ret = (struct injectable){line, "", kind_of(tab + 1)};
	module = strstr(line, " [");
	if (module) {
		*module = 0;
		ret->module = module + 2;
		module[2 + strcspn(module + 2, "]")] = 0;
	}
	return strlen(line) < INJECTABLE_NAME_MAX;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct injectable *)a)->name, ((const struct injectable *)b)->name);
}

static int parse_list(struct injectables *in)
{
	size_t n_lines = 0;

	for (const char *p = in->text.start; *p; p++)
		n_lines += *p == '\n';
	in->list = calloc(n_lines + 1, sizeof(*in->list));
	if (!in->list)
		return -ENOMEM;
	for (char *p = in->text.start; *p;) {
		char *end = p + strcspn(p, "\n"), *next = end + !!*end;

		*end = 0;
		if (in->n <= n_lines && parse_line(p, &in->list[in->n]))
			in->n++;
		p = next;
	}
	qsort(in->list, in->n, sizeof(*in->list), by_name);
	return 0;
}

static int read_list(struct injectables *in, const char *path)
{
	const struct tracefs none = {0};

	TRY(tracefs_read(&none, "", path, &in->text));
	textbuf_add(&in->text, "", 1);
	return in->text.overflow ? -EFBIG : parse_list(in);
}

int injectables_read(struct injectables *in, const char *dir, struct errmsg *err)
{
	char path[TRACEFS_PATH_MAX];
	int r;

	memset(in, 0, sizeof(*in));
	textbuf_init(&in->text, LIST_MAX_BYTES);
	snprintf(path, sizeof(path), "%s/error_injection/list", dir);
	r = read_list(in, path);
	if (r < 0)
		injectables_release(in);
	return r < 0 ? errmsg_set_errno(err, r, "cannot read %s", path) : 0;
}

void injectables_release(struct injectables *in)
{
	free(in->list);
	textbuf_release(&in->text);
	memset(in, 0, sizeof(*in));
}

/*
 * --- finding -----------------------------------------------------------------------------------
 */

static const struct injectable *find_exact(const struct injectables *in, const char *name)
{
	const struct injectable key = {.name = name};

	return bsearch(&key, in->list, in->n, sizeof(*in->list), by_name);
}

/*
 * Finds the function of a system call, "openat" or "sys_openat". A 64-bit program calls one of
 * these; __do_sys_ is for calls without arguments, such as getpid.
 */
static const struct injectable *find_syscall(const struct injectables *in, const char *name)
{
	static const char *const prefixes[] = {"__x64_sys_",   "__arm64_sys_", "__riscv_sys_",
					       "__s390x_sys_", "__do_sys_",    "__se_sys_",
					       "sys_"};
	char whole[INJECTABLE_NAME_MAX + 16];

	if (!strncmp(name, "sys_", 4))
		name += 4;
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		const struct injectable *found;

		snprintf(whole, sizeof(whole), "%s%s", prefixes[i], name);
		found = find_exact(in, whole);
		if (found)
			return found;
	}
	return NULL;
}

static size_t same_end(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), n = 0;

	while (n < la && n < lb && a[la - 1 - n] == b[lb - 1 - n])
		n++;
	return n;
}

/*
 * Finds a similar name: one with a typing error, else one with the same end, __x64_sys_openat2 for
 * do_sys_openat2.
 */
static const char *find_nearest(const struct injectables *in, const char *name)
{
	const char *nearest = NULL;
	size_t most = SAME_END_MIN - 1;
	struct spelling sp;

	spelling_init(&sp, name, strlen(name));
	for (size_t i = 0; i < in->n; i++) {
		const char *sys = strstr(in->list[i].name, "_sys_");
		size_t same = same_end(in->list[i].name, name);

		spelling_add(&sp, in->list[i].name);
		if (sys)
			spelling_add(&sp, sys + strlen("_sys_"));
		if (same > most) {
			most = same;
			nearest = in->list[i].name;
		}
	}
	return sp.nearest ? sp.nearest : nearest;
}

/* Returns true if the kernel has a symbol of that name. */
static bool is_symbol(const char *name)
{
	char line[KALLSYMS_MAX_LINE], symbol[INJECTABLE_NAME_MAX];
	SCOPED(fclose_scoped) FILE *file = fopen("/proc/kallsyms", "re");
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%*s %*s %255s", symbol) == 1 && !strcmp(symbol, name);
	return found;
}

/*
 * Finds the function. A system call may be given by its own name: "openat" is __x64_sys_openat.
 * Returns -ENOENT, with the reason why it cannot fail and the nearest function that can.
 */
static int find_function(const struct injectables *in, const char *name,
			 const struct injectable **ret_function, struct errmsg *err)
{
	const struct injectable *found =
		strlen(name) < INJECTABLE_NAME_MAX ? find_exact(in, name) : NULL;
	const char *nearest;

	if (!found && strlen(name) < INJECTABLE_NAME_MAX)
		found = find_syscall(in, name);
	if (found) {
		*ret_function = found;
		return 0;
	}
	nearest = find_nearest(in, name);
	return errmsg_set(
		err, -ENOENT,
		is_symbol(name)
			? "'%.200s' cannot be made to fail: it is not among the %zu functions "
			  "that this kernel declares safe for that ('sonde inject list')%s%s%s"
			: "'%.200s' is not among the %zu functions that can be made to fail "
			  "('sonde inject list')%s%s%s",
		name, in->n, nearest ? "; the nearest is '" : "", nearest ? nearest : "",
		nearest ? "'" : "");
}

/*
 * --- values ------------------------------------------------------------------------------------
 */

static const char *name_of_error(int number)
{
	for (size_t i = 0; i < ARRAY_LEN(kernel_errors); i++)
		if (kernel_errors[i].number == number)
			return kernel_errors[i].name;
	return strerrorname_np(number);
}

/* Parses "ENOMEM" without a sign. Returns the number, or a negative errno with a message. */
static int parse_error_name(const char *word, struct errmsg *err)
{
	struct spelling sp;

	spelling_init(&sp, word, strlen(word));
	for (int i = 1; i <= ERRNO_MAX; i++) {
		const char *name = name_of_error(i);

		if (name && !strcmp(name, word))
			return i;
		if (name)
			spelling_add(&sp, name);
	}
	return errmsg_set(err, -EINVAL, "unknown error '%.60s'%s%s%s", word,
			  sp.nearest ? "; did you mean -" : "", sp.nearest ? sp.nearest : "",
			  sp.nearest ? "?" : " (see errno(3))");
}

/* Parses the value. The caller checks whether the function may return it. */
static int parse_value(const char *word, int64_t *ret_value, struct errmsg *err)
{
	const char *name = word + (*word == '-');
	char *end;
	long long v;

	if (!strcasecmp(word, "NULL") || !strcasecmp(word, "true")) {
		*ret_value = !strcasecmp(word, "true");
		return 0;
	}
	if (*name == 'E') {
		int r = parse_error_name(name, err);

		*ret_value = -r;
		return r < 0 ? r : 0;
	}
	errno = 0;
	v = strtoll(word, &end, 0);
	if (!*word || *end || errno)
		return errmsg_set(err, -EINVAL,
				  "'%.60s' is not a value to fail with; use an error such as "
				  "-ENOMEM or -12, NULL, or true",
				  word);
	*ret_value = v;
	return 0;
}

static bool may_return(enum inject_kind kind, int64_t value)
{
	bool is_error = value < 0 && value >= -ERRNO_MAX;

	switch (kind) {
	case INJECT_ERRNO:
		return is_error;
	case INJECT_NULL:
		return !value;
	case INJECT_ERRNO_NULL:
		return is_error || !value;
	case INJECT_TRUE:
		return value == 1;
	default:
		return false;
	}
}

static int refuse_value(const struct injectable *f, const char *word, int64_t value,
			struct errmsg *err)
{
	char hint[64] = "";

	if (f->kind == INJECT_UNKNOWN)
		return errmsg_set(err, -EOPNOTSUPP,
				  "'%s' fails in a way that this version of sonde does not "
				  "know, so sonde does not change it",
				  f->name);
	if (value > 0 && may_return(f->kind, -value))
		snprintf(hint, sizeof(hint), "; did you mean -%.40s?", word);
	return errmsg_set(err, -EINVAL, "'%s' cannot fail with %.40s: it returns %s then%s",
			  f->name, word, kinds[f->kind].meaning, hint);
}

int fault_parse(const struct injectables *in, const char *text, struct fault *ret_fault,
		struct errmsg *err)
{
	size_t len = strcspn(text, "=");
	char name[INJECTABLE_NAME_MAX + 1];
	struct fault f = {0};

	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name)), text);
	TRY(find_function(in, name, &f.function, err));
	if (!text[len]) {
		f.value = f.function->kind == INJECT_TRUE;
		if (!may_return(f.function->kind, f.value) || f.function->kind == INJECT_ERRNO_NULL)
			return errmsg_set(err, -EINVAL, "say what '%s' is to return: %s=%s", name,
					  name, kinds[f.function->kind].example);
		*ret_fault = f;
		return 0;
	}
	TRY(parse_value(text + len + 1, &f.value, err));
	if (!may_return(f.function->kind, f.value))
		return refuse_value(f.function, text + len + 1, f.value, err);
	*ret_fault = f;
	return 0;
}

void fault_fmt_value(const struct fault *f, char *buf, size_t n_bytes)
{
	const char *name = f->value < 0 ? name_of_error((int)-f->value) : NULL;

	if (f->function->kind == INJECT_TRUE)
		snprintf(buf, n_bytes, "true");
	else if (!f->value)
		snprintf(buf, n_bytes, "NULL");
	else if (!name)
		snprintf(buf, n_bytes, "%lld", (long long)f->value);
	else if (strerrorname_np((int)-f->value))
		snprintf(buf, n_bytes, "-%s (%s)", name, strerrordesc_np((int)-f->value));
	else
		snprintf(buf, n_bytes, "-%s", name);
}
