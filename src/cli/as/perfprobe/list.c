// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list.c - `perf probe -l` and `-d`: lists and deletes all defined probes.
 *
 *	p:probe_prog/work /tmp/prog:0x1139 a=%di:s32
 *	  ─▶  probe_prog:work      (on work@/tmp/prog.c in /tmp/prog with a)
 *
 * Debug information, or else symbols, translate the place back to the source: for programs by the
 * offset into the file, for the kernel by the name in the line, or by kallsyms if the place is
 * relative to _text, as perf writes functions whose names are not unique. Probes of the kernel come
 * first; each part is sorted by line.
 */
#include "base/array.h"
#include "capture/tracefs/probes.h"
#include "cli/as/perf_filter.h"
#include "cli/as/perfprobe/perfprobe.h"
#include "format/bytes.h"
#include "probe/probe.h"
#include "symbols/kallsyms.h"

#include "base/files/mapfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_MAX_BYTES (64u << 20)

static bool is_user(const struct probe_defined *d)
{
	return d->kind == PROBE_UPROBE || d->kind == PROBE_URETPROBE;
}

ARRAY_ORDER(compare_lines, struct probe_defined,
	    COMPARE(is_user(x), is_user(y)) ?: strcmp(x->line, y->line))

static int compare_names(const void *pa, const void *pb)
{
	const struct probe_defined *a = pa, *b = pb;
	int r = strcmp(a->group, b->group);

	if (is_user(a) != is_user(b))
		return is_user(a) ? 1 : -1;
	return r ? r : strcmp(a->event, b->event);
}

static bool is_wanted(const struct perf_probe_options *o, const struct probe_defined *d)
{
	char name[2 * TRACEFS_NAME_MAX];

	snprintf(name, sizeof(name), "%s:%s", d->group, d->event);
	return perf_filter_matches(o->filter, d->event) || perf_filter_matches(o->filter, name);
}

/* --- the way back to the source --------------------------------------------------------------- */

/* Files that stay open for the next line. */
struct listing {
	struct debuginfo *info;
	char path[PATH_MAX];
	struct kallsyms symbols;
	struct mapfile map;
	bool has_symbols;
	struct textbuf tb;
};

static struct debuginfo *open_program(struct listing *l, const char *path)
{
	struct errmsg ignored = {0};

	if (!strcmp(l->path, path))
		return l->info;
	debuginfo_close(l->info);
	l->info = NULL;
	snprintf(l->path, sizeof(l->path), "%s", path);
	if (debuginfo_open(&l->info, &(struct debuginfo_paths){.path = path}, &ignored) < 0)
		l->info = NULL;
	return l->info;
}

static void fmt_at(const struct debuginfo_at *at, bool is_return, struct textbuf *tb)
{
	if (!at->function) {
		textbuf_add_str(tb, at->symbol);
		if (at->symbol_offset)
			textbuf_addf(tb, "+%llu", (unsigned long long)at->symbol_offset);
	} else {
		textbuf_add_str(tb, at->is_entry && at->linkage ? at->linkage : at->function);
		if (at->begins_line && at->line > at->function_line)
			textbuf_addf(tb, ":%u", at->line - at->function_line);
		else if (!at->is_entry && at->symbol)
			textbuf_addf(tb, "+%llu", (unsigned long long)at->symbol_offset);
	}
	if (is_return)
		textbuf_add_str(tb, "%return");
	if (at->function && at->file)
		textbuf_addf(tb, "@%s", perf_probe_short_path(at->file));
}

/* Writes the place "/tmp/prog:0x1139(0x4010)" of a program. */
static void fmt_program(struct listing *l, char *place, bool is_return)
{
	char *colon = strrchr(place, ':');
	struct debuginfo *info = NULL;
	struct debuginfo_at at;
	uint64_t address;

	if (!colon) {
		textbuf_add_str(&l->tb, place);
		return;
	}
	*colon = 0;
	info = open_program(l, place);
	if (info && debuginfo_address(info, strtoull(colon + 1, NULL, 0), &address) >= 0 &&
	    debuginfo_at(info, address, &at) >= 0)
		fmt_at(&at, is_return, &l->tb);
	else
		textbuf_addf(&l->tb, "0x%llx%s", strtoull(colon + 1, NULL, 0),
			     is_return ? "%return" : "");
	textbuf_addf(&l->tb, " in %s", place);
}

static const struct ksym *find_symbol(struct listing *l, uint64_t offset, uint64_t *ret_offset)
{
	const char *path = getenv("SONDE_KALLSYMS");
	struct errmsg ignored = {0};
	const struct ksym *text, *found;

	if (!l->has_symbols) {
		l->has_symbols = true;
		if (mapfile_open(&l->map, path ? path : "/proc/kallsyms", &ignored) < 0 ||
		    kallsyms_add(&l->symbols, (struct piece){l->map.data, l->map.n_bytes}) < 0 ||
		    kallsyms_sort(&l->symbols) < 0)
			return NULL;
	}
	text = kallsyms_find_name(&l->symbols, "_text", 5);
	found = text && text->addr ? kallsyms_find(&l->symbols, text->addr + offset) : NULL;
	if (found)
		*ret_offset = text->addr + offset - found->addr;
	return found;
}

/*
 * Writes the place of the kernel: "vfs_read+16", "kvm:irqfd_inject+0", "_text+7044944",
 * "vfs_read%return".
 */
static void fmt_kernel(struct listing *l, char *place, bool is_return)
{
	char *colon = strchr(place, ':'), *name = colon ? colon + 1 : place;
	char *plus = strchr(name, '+'), *percent = strchr(name, '%');
	uint64_t offset = plus ? strtoull(plus + 1, NULL, 0) : 0;
	const struct ksym *s = NULL;

	if (plus)
		*plus = 0;
	if (percent)
		*percent = 0;
	if (!strcmp(name, "_text") || !strcmp(name, "_stext"))
		s = find_symbol(l, offset, &offset);
	if (s)
		textbuf_add(&l->tb, s->name, s->name_len);
	else
		textbuf_add_str(&l->tb, name);
	if (offset)
		textbuf_addf(&l->tb, "+%llu", (unsigned long long)offset);
	else if (is_return)
		textbuf_add_str(&l->tb, "%return");
	if (colon)
		textbuf_addf(&l->tb, " in %.*s", (int)(colon - place), place);
}

static void fmt_args(struct listing *l, char *args)
{
	char *word, *rest = args;
	bool first = true;

	while ((word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		textbuf_add_str(&l->tb, first ? " with " : " ");
		textbuf_add(&l->tb, word, strcspn(word, "="));
		first = false;
	}
}

static int fmt_line(struct listing *l, const struct probe_defined *d)
{
	char name[2 * TRACEFS_NAME_MAX], *copy = strdup(d->line), *place, *args;
	bool is_return = d->kind == PROBE_KRETPROBE || d->kind == PROBE_URETPROBE ||
			 d->kind == PROBE_FPROBE_EXIT;

	if (!copy)
		return -ENOMEM;
	place = strchr(copy, ' ');
	place = place ? place + 1 : copy + strlen(copy);
	args = place + strcspn(place, " ");
	if (*args)
		*args++ = 0;
	snprintf(name, sizeof(name), "%s:%s", d->group, d->event);
	textbuf_addf(&l->tb, "  %-20s (on ", name);
	(is_user(d) ? fmt_program : fmt_kernel)(l, place, is_return);
	fmt_args(l, args);
	textbuf_add_str(&l->tb, ")\n");
	free(copy);
	return 0;
}

static void listing_release(struct listing *l)
{
	debuginfo_close(l->info);
	kallsyms_release(&l->symbols);
	if (l->has_symbols)
		mapfile_release(&l->map);
	textbuf_release(&l->tb);
}

/* --- the commands ----------------------------------------------------------------------------- */

static int read_list(struct tracefs *t, struct probe_list *l, struct errmsg *err)
{
	if (tracefs_open(t, err) < 0 || probes_list(t, l, err) < 0)
		return errmsg_code(err);
	if (l->n)
		qsort(l->list, l->n, sizeof(*l->list), compare_lines);
	return 0;
}

int perf_probe_list(const struct perf_probe_options *o)
{
	struct listing listing = {0};
	struct errmsg err = {0};
	struct probe_list l = {0};
	struct tracefs t;
	int r = read_list(&t, &l, &err);

	textbuf_init(&listing.tb, TEXT_MAX_BYTES);
	for (size_t i = 0; i < l.n && r >= 0; i++)
		if (is_wanted(o, &l.list[i]))
			r = fmt_line(&listing, &l.list[i]);
	if (r >= 0)
		fwrite(listing.tb.start, 1, textbuf_len(&listing.tb), stdout);
	listing_release(&listing);
	probe_list_release(&l);
	return r < 0 ? perf_probe_fail(o, "Failed to show event list.", r, &err) : 0;
}

/*
 * Returns true for probes of a running recording (sonde_PID), which are deleted only by their full
 * name.
 */
static bool is_protected(const struct perf_probe_options *o, const struct probe_defined *d)
{
	return !strncmp(d->group, "sonde_", 6) && !strstr(o->filter, d->group);
}

static bool is_again(const struct probe_list *l, size_t i)
{
	return i && !strcmp(l->list[i].event, l->list[i - 1].event) &&
	       !strcmp(l->list[i].group, l->list[i - 1].group);
}

static int remove_one(const struct perf_probe_options *o, const struct tracefs *t,
		      const struct probe_defined *d, struct errmsg *err)
{
	char name[2 * TRACEFS_NAME_MAX];
	int r;

	snprintf(name, sizeof(name), "%s:%s", d->group, d->event);
	r = probes_remove(t, name, err);
	if (r < 0)
		perf_probe_say(o, "Failed to delete event: %s\n", strerror(-r));
	else
		perf_probe_say(o, "Removed event: %s\n", name);
	return r;
}

int perf_probe_del(const struct perf_probe_options *o)
{
	struct probe_list l = {0};
	struct errmsg err = {0};
	struct tracefs t;
	size_t n = 0;
	int r = read_list(&t, &l, &err);

	if (l.n)
		qsort(l.list, l.n, sizeof(*l.list), compare_names);
	for (size_t i = 0; i < l.n && r >= 0; i++) {
		if (!is_wanted(o, &l.list[i]) || is_protected(o, &l.list[i]) || is_again(&l, i))
			continue;
		r = remove_one(o, &t, &l.list[i], &err);
		n++;
	}
	probe_list_release(&l);
	if (r >= 0 && !n) {
		perf_probe_say(o, "\"%s\" does not hit any event.\n", o->filter);
		r = -ENOENT;
	}
	return r < 0 ? perf_probe_fail(o, "Failed to delete events.", r, &err) : 0;
}
