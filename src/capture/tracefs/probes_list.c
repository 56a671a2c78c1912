// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probes_list.c - all probes defined on this machine, by any program.
 *
 *  dynamic_events                                  kprobe_profile                    hits  missed
 *      p:probe/vfs_read vfs_read count=%dx:u64         vfs_read                        12       0
 *      r4:probe/x__return x $retval                    x__return                        3       1
 *      p:probe_a/work /tmp/a:0x1139 n=%di:s32      uprobe_profile
 *      s:synthetic/y u64 lat                           /tmp/a work                      7
 *
 * The profiles do not name groups. But they walk the same kernel list as dynamic_events, so the
 * lines of one kind are in the same order in both: the n-th line belongs to the n-th probe. If a
 * name does not match (the list changed between two reads), the hits are unknown and shown as 0.
 * Synthetic events are not probes.
 */
#include "capture/tracefs/probes.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "probe/probe.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#define LIST_MAX_BYTES (16u << 20)
#define PROBES_MAX     65536

/*
 * --- lines -------------------------------------------------------------------------------------
 */

static bool kind_of(const char *line, enum probe_kind *ret_kind)
{
	const char *place = line + strcspn(line, " \n");
	/* the path may be relative */
	bool is_user = *place == ' ' && place[1 + strcspn(place + 1, "/ \n")] == '/';
	/* search in this line only: other lines follow */
	const char *percent =
		*place == ' ' ? memchr(place + 1, '%', strcspn(place + 1, " \n")) : NULL;
	bool is_return = percent && !strncmp(percent, "%return", 7);

	switch (*line) {
	case 'p':
		*ret_kind = is_user ? PROBE_UPROBE : PROBE_KPROBE;
		return true;
	case 'r':
		*ret_kind = is_user ? PROBE_URETPROBE : PROBE_KRETPROBE;
		return true;
	case 'f':
		*ret_kind = is_return ? PROBE_FPROBE_EXIT : PROBE_FPROBE;
		return true;
	case 'e':
		*ret_kind = PROBE_EPROBE;
		return true;
	case 't':
		*ret_kind = PROBE_TPROBE;
		return true;
	default:
		return false;
	}
}

/* Adds the probe of a line "p:GROUP/EVENT …"; the kernel always shows both names. */
static int add_line(struct probe_list *l, const char *line, size_t len)
{
	struct probe_defined d = {0};
	const char *colon = memchr(line, ':', len), *slash, *end;

	if (!colon || !kind_of(line, &d.kind))
		return 0;
	slash = memchr(colon, '/', len - (colon - line));
	end = memchr(colon, ' ', len - (colon - line));
	if (!slash || !end || slash > end || l->n == PROBES_MAX)
		return 0;
	if (!ARRAY_ROOM(l->list, l->cap, l->n + 1, PROBES_MAX))
		return -ENOMEM;
	d.group = strndup(colon + 1, slash - colon - 1);
	d.event = strndup(slash + 1, end - slash - 1);
	d.line = strndup(line, len);
	l->list[l->n++] = d;
	return d.group && d.event && d.line ? 0 : -ENOMEM;
}

static int read_lines(const struct tracefs *t, const char *file, struct probe_list *l)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = LIST_MAX_BYTES};
	int r;

	r = tracefs_read(t, "", file, &text);
	textbuf_add(&text, "", 1);
	if (r >= 0 && text.overflow)
		r = -EFBIG;
	for (const char *p = text.start; r >= 0 && *p;) {
		size_t len = strcspn(p, "\n");

		r = add_line(l, p, len);
		p += len + (p[len] != 0);
	}
	return r;
}

/*
 * --- hits --------------------------------------------------------------------------------------
 */

static bool is_in_profile(enum probe_kind kind, bool user)
{
	if (user)
		return kind == PROBE_UPROBE || kind == PROBE_URETPROBE;
	return kind == PROBE_KPROBE || kind == PROBE_KRETPROBE;
}

/* Reads "  [FILE] NAME  HITS  [MISSED]" for one probe. */
static void take_hits(struct probe_defined *d, const char *line, size_t len, bool user)
{
	char copy[4096], *p, *word, *words[4] = {0};
	size_t n = 0, name = user;

	snprintf(copy, sizeof(copy), "%.*s", (int)len, line);
	for (p = copy; n < 4 && (word = strtok_r(p, " \t", &p));)
		words[n++] = word;
	if (n < 2 + name || strcmp(words[name], d->event))
		return;
	d->n_hits = strtoull(words[name + 1], NULL, 10);
	if (!user && n > 2)
		d->n_missed = strtoull(words[2], NULL, 10);
}

static void read_hits(const struct tracefs *t, const char *file, bool user, struct probe_list *l)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = LIST_MAX_BYTES};
	size_t i = 0;

	if (tracefs_read(t, "", file, &text) < 0)
		textbuf_clear(&text);
	textbuf_add(&text, "", 1);
	for (const char *p = text.overflow ? "" : text.start; *p;) {
		size_t len = strcspn(p, "\n");

		while (i < l->n && !is_in_profile(l->list[i].kind, user))
			i++;
		if (i < l->n)
			take_hits(&l->list[i++], p, len, user);
		p += len + (p[len] != 0);
	}
}

static bool is_enabled(const struct tracefs *t, const char *instance, const struct probe_defined *d)
{
	char file[3 * TRACEFS_NAME_MAX], text[8];

	snprintf(file, sizeof(file), "events/%s/%s/enable", d->group, d->event);
	/*
	 * "0*": only triggers see the event, for example triggers that join entry and return of a
	 * call
	 */
	return tracefs_read_short(t, instance, file, text, sizeof(text)) > 0 &&
	       (text[0] == '1' || strchr(text, '*'));
}

/*
 * --- the door ----------------------------------------------------------------------------------
 */

int probes_list(const struct tracefs *t, struct probe_list *ret_list, struct errmsg *err)
{
	static const char *const files[] = {"dynamic_events", "kprobe_events", "uprobe_events"};
	bool has_all = tracefs_exists(t, "", files[0]);
	struct name_list instances = {0};
	struct probe_list l = {0};
	int r = 0, code;

	for (size_t i = has_all ? 0 : 1; i < (has_all ? 1 : 3) && r >= 0; i++) {
		code = read_lines(t, files[i], &l);
		if (code < 0 && (code != -ENOENT || has_all))
			r = tracefs_refuse_read(t, "", files[i], code, err);
	}
	if (r < 0) {
		probe_list_release(&l);
		return r;
	}
	read_hits(t, "kprobe_profile", false, &l);
	read_hits(t, "uprobe_profile", true, &l);
	tracefs_instances(t, &instances);
	for (size_t i = 0; i < l.n; i++) {
		l.list[i].is_on = is_enabled(t, "", &l.list[i]);
		for (size_t k = 0; k < instances.n && !l.list[i].is_on; k++)
			l.list[i].is_on = is_enabled(t, instances.names[k], &l.list[i]);
	}
	name_list_release(&instances);
	*ret_list = l;
	return 0;
}

void probe_list_release(struct probe_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->list[i].group);
		free(l->list[i].event);
		free(l->list[i].line);
	}
	free(l->list);
	*l = (struct probe_list){0};
}

bool probe_defined_matches(const struct probe_defined *d, const char *pattern)
{
	size_t split = strcspn(pattern, ":/");
	char group[TRACEFS_NAME_MAX];

	if (!pattern[split])
		return !fnmatch(pattern, d->event, 0);
	if (split >= sizeof(group))
		return false;
	snprintf(group, sizeof(group), "%.*s", (int)split, pattern);
	return !fnmatch(*group ? group : "*", d->group, 0) &&
	       !fnmatch(pattern[split + 1] ? pattern + split + 1 : "*", d->event, 0);
}

/* Returns true for a probe of a running recording (sonde_PID), which a glob does not remove. */
static bool is_protected(const struct probe_defined *d, const char *pattern)
{
	return !strncmp(d->group, "sonde_", 6) &&
	       strspn(d->group + 6, "0123456789") == strlen(d->group + 6) &&
	       strncmp(pattern, d->group, strlen(d->group));
}

/* Returns true if the event is in the list before i: an event has a line for each of its places. */
static bool is_seen(const struct probe_list *l, size_t i)
{
	return ARRAY_ANY(i, k,
			 !strcmp(l->list[k].event, l->list[i].event) &&
				 !strcmp(l->list[k].group, l->list[i].group));
}

static int remove_one(const struct tracefs *t, const struct probe_defined *d)
{
	bool is_user = d->kind == PROBE_UPROBE || d->kind == PROBE_URETPROBE;
	const char *file = tracefs_exists(t, "", "dynamic_events") ? "dynamic_events"
			   : is_user				   ? "uprobe_events"
								   : "kprobe_events";
	char line[2 * TRACEFS_NAME_MAX];

	snprintf(line, sizeof(line), "-:%s/%s", d->group, d->event);
	return tracefs_try_write(t, "", file, line, TRACEFS_APPEND);
}

int probes_remove(const struct tracefs *t, const char *pattern, struct errmsg *err)
{
	struct probe_list l;
	char busy[600] = "";
	int n = 0, code = 0, r = probes_list(t, &l, err);

	TRY(r);
	for (size_t i = 0; i < l.n; i++) {
		size_t len = strlen(busy);

		if (!probe_defined_matches(&l.list[i], pattern) || is_seen(&l, i) ||
		    is_protected(&l.list[i], pattern))
			continue;
		r = remove_one(t, &l.list[i]);
		n += r >= 0;
		if (r >= 0)
			continue;
		code = code ? code : r;
		snprintf(busy + len, sizeof(busy) - len, "%s%s:%s", len ? ", " : "",
			 l.list[i].group, l.list[i].event);
	}
	probe_list_release(&l);
	if (code == -EBUSY)
		return errmsg_set(err, code,
				  "%d removed, but these are in use and still there: %s; end the "
				  "recording that uses them, or disable them ('sonde reset' does)",
				  n, busy);
	if (code)
		return errmsg_set_errno(err, code,
					"%d removed, but the kernel did not remove "
					"%s",
					n, busy);
	return n;
}
