// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functions.c - finds a name or pattern among the traceable functions.
 *
 * available_filter_functions has a line for each function with the tracer's hook:
 *
 *	vfs_read
 *	e1000_intr [e1000]
 *	__ftrace_invalid_address___64         a hook outside any function: not shown
 *
 * The kernel needs some 30 ms to produce it, so it is read once as a whole and then searched: 45
 * 000 lines, about 1 MB, a millisecond. explain.c explains why a name is not in the list,
 * and reads further files only for that.
 *
 * The patterns are those of the kernel's own parser: without a wildcard the whole name; else '*'
 * anywhere, '?' and '[abc]', as in fnmatch().
 */
#include "base/scope.h"
#include "capture/kernel/functions/functions_int.h"

#include "base/errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LIST_MAX_BYTES	      (64u << 20)
#define SYMBOLS_MAX_BYTES     (256u << 20)
#define SUBSTITUTES_MAX_BYTES (1u << 20)

/*
 * --- files -------------------------------------------------------------------------------------
 */

int kfunctions_read_file(const char *path, struct textbuf *out)
{
	SCOPED(scope_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : textbuf_add_file(out, fd);

	textbuf_add(out, "", 1);
	return out->overflow ? -EFBIG : r;
}

const char *kfunctions_next_line(const char *p, struct function_line *ret)
{
	size_t len = strcspn(p, " \t\n");

	if (!*p)
		return NULL;
	*ret = (struct function_line){.name = p, .name_len = len};
	p += len;
	while (*p == ' ' || *p == '\t')
		p++;
	if (*p == '[') {
		ret->module = p + 1;
		ret->module_len = strcspn(p + 1, "]\n");
	}
	p += strcspn(p, "\n");
	return p + !!*p;
}

static int refuse_list(int code, struct errmsg *err)
{
	if (code == -ENOENT || code == -ENODEV)
		return errmsg_set(
			err, code,
			"this kernel cannot trace functions: it has no list of them "
			"(available_filter_functions; it needs CONFIG_FUNCTION_TRACER and "
			"CONFIG_DYNAMIC_FTRACE)");
	return errmsg_set_errno(err, code,
				"cannot list the traceable functions: the kernel refuses "
				"available_filter_functions%s; 'sonde doctor function' says "
				"more",
				geteuid() ? " (run sonde as root)" : "");
}

int kfunctions_read_list(struct kfunctions *f, struct errmsg *err)
{
	if (!f->list_state) {
		int r = tracefs_read(f->t, "", "available_filter_functions", &f->list);

		textbuf_add(&f->list, "", 1);
		f->list_state = f->list.overflow ? -EFBIG : r < 0 ? r : 1;
	}
	return f->list_state < 0 ? refuse_list(f->list_state, err) : 0;
}

bool kfunctions_read_symbols(struct kfunctions *f)
{
	if (!f->symbols_state) {
		int r = kfunctions_read_file(f->paths.kallsyms, &f->symbols);

		f->symbols_state = r < 0 ? r : 1;
	}
	return f->symbols_state > 0;
}

/*
 * --- patterns ----------------------------------------------------------------------------------
 */

/* Returns false if the pattern is too long for a name. */
static bool kfunctions_parse_pattern(const char *pattern, struct function_pattern *ret)
{
	size_t len;

	pattern += *pattern == '!';
	len = strcspn(pattern, ":");
	if (len >= sizeof(ret->name) || strlen(pattern) - len >= sizeof(ret->module))
		return false;
	memcpy(ret->name, pattern, len);
	ret->name[len] = 0;
	ret->module[0] = 0;
	if (!strncmp(pattern + len, ":mod:", 5)) {
		const char *module = pattern + len + 5;

		snprintf(ret->module, sizeof(ret->module), "%.*s", (int)strcspn(module, ":"),
			 module);
		if (!len) /* ":mod:NAME" means all functions of the module */
			memcpy(ret->name, "*", 2);
	}
	ret->is_glob = strpbrk(ret->name, "*?[\\");
	return true;
}

static bool glob_matches(const char *glob, const char *s, size_t len)
{
	char name[FUNCTION_NAME_MAX];

	if (len >= sizeof(name))
		return false;
	memcpy(name, s, len);
	name[len] = 0;
	return !fnmatch(glob, name, 0);
}

bool kfunctions_match(const struct function_pattern *pattern, const struct function_line *line)
{
	if (pattern->module[0] &&
	    (!line->module || !glob_matches(pattern->module, line->module, line->module_len)))
		return false;
	if (!pattern->is_glob)
		return !strncmp(pattern->name, line->name, line->name_len) &&
		       !pattern->name[line->name_len];
	return strncmp(line->name, "__ftrace_invalid_address_", 25) &&
	       glob_matches(pattern->name, line->name, line->name_len);
}

/*
 * --- the door ----------------------------------------------------------------------------------
 */

struct kfunctions *kfunctions_new(const struct tracefs *t, const struct kfunctions_paths *paths)
{
	struct kfunctions *f = calloc(1, sizeof(*f));
	struct utsname u;

	if (!f)
		return NULL;
	f->t = t;
	if (paths)
		f->paths = *paths;
	snprintf(f->modules_dir, sizeof(f->modules_dir), "/lib/modules/%s",
		 uname(&u) ? "" : u.release);
	if (!f->paths.kallsyms)
		f->paths.kallsyms = "/proc/kallsyms";
	if (!f->paths.blacklist)
		f->paths.blacklist = "/sys/kernel/debug/kprobes/blacklist";
	if (!f->paths.btf)
		f->paths.btf = "/sys/kernel/btf/vmlinux";
	if (!f->paths.modules)
		f->paths.modules = f->modules_dir;
	if (!f->paths.loaded)
		f->paths.loaded = "/proc/modules";
	arena_init(&f->arena, SUBSTITUTES_MAX_BYTES);
	textbuf_init(&f->list, LIST_MAX_BYTES);
	textbuf_init(&f->symbols, SYMBOLS_MAX_BYTES);
	return f;
}

void kfunctions_free(struct kfunctions *f)
{
	if (!f)
		return;
	textbuf_release(&f->list);
	textbuf_release(&f->symbols);
	arena_release(&f->arena);
	free(f);
}

int kfunctions_each(struct kfunctions *f, const char *pattern,
		    int (*visit)(void *ctx, const char *name), void *ctx, struct errmsg *err)
{
	struct function_pattern parsed;
	struct function_line line;
	char name[FUNCTION_NAME_MAX];
	int n = 0, r = kfunctions_read_list(f, err);

	TRY(r);
	if (!kfunctions_parse_pattern(pattern, &parsed) || !parsed.name[0])
		return errmsg_set(err, -EINVAL, "'%.40s' is not a name or pattern of functions",
				  pattern);
	for (const char *p = f->list.start; r >= 0 && (p = kfunctions_next_line(p, &line));) {
		if (!kfunctions_match(&parsed, &line))
			continue;
		n++;
		if (!visit || line.name_len >= sizeof(name))
			continue;
		memcpy(name, line.name, line.name_len);
		name[line.name_len] = 0;
		r = visit(ctx, name);
	}
	TRY(r);
	return n ? n : kfunctions_refuse(f, &parsed, err);
}

bool kfunctions_can(struct kfunctions *f, const char *name)
{
	struct errmsg no_sentence = {0};
	struct function_line line;
	size_t len = strlen(name);

	if (kfunctions_read_list(f, &no_sentence) < 0)
		return false;
	for (const char *p = f->list.start; (p = kfunctions_next_line(p, &line));)
		if (line.name_len == len && !memcmp(line.name, name, len))
			return true;
	return false;
}

int kfunctions_check(struct kfunctions *f, const char *pattern, struct errmsg *err)
{
	return kfunctions_each(f, pattern, NULL, NULL, err);
}

int kfunctions_explain(const struct tracefs *t, const char *pattern, struct errmsg *err)
{
	struct kfunctions *f = kfunctions_new(t, NULL);
	int r = f ? kfunctions_check(f, pattern, err)
		  : errmsg_set_errno(err, -ENOMEM, "cannot look up the function %s", pattern);

	kfunctions_free(f);
	return r < 0 ? r : 0;
}
