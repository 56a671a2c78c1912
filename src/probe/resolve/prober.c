// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prober.c - keeps open all files that are needed to resolve definitions, so that the second
 * definition of a program costs only its own look-ups.
 *
 *	BTF of the kernel        opened when first needed; a failure is stored, too
 *	files[]                  BTF of modules by name, DWARF and symbols of programs by path
 *	lists[]                  kallsyms, the blacklist, the functions with a hook: texts, read
 *	                         once
 *
 * If files of another machine are used (probe_world: btf_dir, kallsyms …), there is no blacklist
 * unless it is named, because this kernel's does not apply.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "probe/resolve/resolve_int.h"
#include "symbols/arch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LIST_MAX_BYTES (64u << 20)

int prober_new(struct prober **ret_prober, const struct probe_world *world, struct errmsg *err)
{
	struct prober *p = calloc(1, sizeof(*p));

	if (!p)
		return errmsg_set(err, -ENOMEM, "not enough memory to resolve probes");
	p->world = *world;
	p->kernel = world->kernel ? *world->kernel : probe_kernel_usual;
	if (!p->kernel.arch)
		p->kernel.arch = arch_of_this_kernel();
	p->max_functions = p->world.max_places ? p->world.max_places : PROBE_MAX_FUNCTIONS;
	if (!p->world.max_places)
		p->world.max_places = PROBE_MAX_PLACES;
	if (!p->kernel.arch) {
		free(p);
		return errmsg_set(err, -EOPNOTSUPP,
				  "sonde does not know the registers of this processor; only "
				  "the kernel's own grammar can be used (p:…, r:…)");
	}
	textbuf_init(&p->names, 1 << 20);
	textbuf_add_char(&p->names, '\n');
	*ret_prober = p;
	return 0;
}

void prober_free(struct prober *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_files; i++) {
		btf_close(p->files[i].btf);
		debuginfo_close(p->files[i].info);
		free(p->files[i].name);
	}
	btf_close(p->btf);
	for (size_t i = 0; i < N_PROBER_LISTS; i++)
		if (p->lists[i].state)
			textbuf_release(&p->lists[i].text);
	textbuf_release(&p->names);
	free(p);
}

static struct prober_file *find_file(struct prober *p, const char *name, bool is_btf)
{
	return ARRAY_FIND(p->files, p->n_files, i,
			  !strcmp(p->files[i].name, name) && is_btf == !!p->files[i].btf);
}

/* Checks that there is room for one more file; sets the reason if there is none. */
static int check_room(const struct prober *p, struct errmsg *err)
{
	if (p->n_files < PROBER_MAX_OPEN)
		return 0;
	return errmsg_set(
		err, -EMFILE,
		"the definitions name more than %d programs and modules; use fewer at once",
		PROBER_MAX_OPEN);
}

static int keep_file(struct prober *p, const char *name, struct btf *btf, struct debuginfo *info,
		     struct errmsg *err)
{
	char *copy = strdup(name);

	if (!copy) {
		btf_close(btf);
		debuginfo_close(info);
		return errmsg_set(err, -ENOMEM, "not enough memory to resolve probes");
	}
	p->files[p->n_files++] = (struct prober_file){copy, btf, info};
	return 0;
}

int prober_btf(struct prober *p, const char *module, struct btf **ret, struct errmsg *err)
{
	struct prober_file *file;
	struct btf *b;
	int r;

	if (!p->btf_state) {
		r = btf_open_kernel(&p->btf, p->world.btf_dir, NULL, &p->btf_err);
		p->btf_state = r < 0 ? r : 1;
	}
	if (p->btf_state < 0)
		return errmsg_set(err, p->btf_state, "%s", p->btf_err.text);
	*ret = p->btf;
	if (!module)
		return 0;
	file = find_file(p, module, true);
	if (file) {
		*ret = file->btf;
		return 0;
	}
	TRY(check_room(p, err));
	TRY(btf_open_module(&b, p->world.btf_dir, module, p->btf, err));
	TRY(keep_file(p, module, b, NULL, err));
	*ret = b;
	return 0;
}

int prober_debuginfo(struct prober *p, const char *path, struct debuginfo **ret, struct errmsg *err)
{
	struct debuginfo_paths paths = {
		.path = path, .source_dir = p->world.source_dir, .debug_dir = p->world.debug_dir};
	struct prober_file *file = find_file(p, path, false);
	struct debuginfo *d;

	if (file) {
		*ret = file->info;
		return 0;
	}
	TRY(check_room(p, err));
	TRY(debuginfo_open(&d, &paths, err));
	TRY(keep_file(p, path, NULL, d, err));
	*ret = d;
	return 0;
}

static int read_file(const char *path, struct textbuf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (n > 0 && textbuf_grow(out, 1 << 16)) {
		n = read(fd, out->pos, 1 << 16);
		out->pos += n > 0 ? n : 0;
	}
	close(fd);
	textbuf_add(out, "", 1);
	return n < 0 || out->overflow ? -EIO : 0;
}

/* Finds the path of a list; "" if there is none for the other machine's kernel. */
static void list_path(const struct prober *p, enum prober_list which, char path[PATH_MAX])
{
	const struct probe_world *w = &p->world;
	static const char tracing[] = "/sys/kernel/tracing/events";
	const char *events = w->tracefs_events ? w->tracefs_events : tracing;

	switch (which) {
	case PROBER_BLACKLIST:
		snprintf(path, PATH_MAX, "%s",
			 w->blacklist ? w->blacklist
			 : w->btf_dir ? ""
				      : "/sys/kernel/debug/kprobes/blacklist");
		break;
	case PROBER_HOOKS:
		snprintf(path, PATH_MAX, "%s/../available_filter_functions", events);
		break;
	default:
		snprintf(path, PATH_MAX, "%s", w->kallsyms ? w->kallsyms : "/proc/kallsyms");
	}
}

const char *prober_list(struct prober *p, enum prober_list which)
{
	struct prober_text *l = &p->lists[which];
	char path[PATH_MAX];

	if (!l->state) {
		list_path(p, which, path);
		textbuf_init(&l->text, LIST_MAX_BYTES);
		l->state = read_file(path, &l->text) < 0 ? -1 : 1;
	}
	return l->state > 0 ? l->text.start : NULL;
}

bool prober_list_has(const char *text, char before, const char *name, const char *after)
{
	size_t len = strlen(name);

	for (const char *p = text; (p = strstr(p, name)); p++)
		if ((p == text ? '\n' : p[-1]) == before && p[len] && strchr(after, p[len]))
			return true;
	return false;
}
