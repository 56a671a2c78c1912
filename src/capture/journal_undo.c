// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal_undo.c - puts back what a journal says.
 *
 * Order: first every buffer of ours stops (nothing more is recorded while the rest goes on) and our tracers
 * end (one whose list of functions is emptied before it would begin to trace all there are). Then files
 * are put back from the last to the first, marks taken off tasks, instances removed, and after them probes: an event that is on
 * somewhere cannot be removed. An instance is removed with everything in it; the kernel refuses while one of its files is open,
 * so the owner closes them before, and a dead owner has. A trace file comes last: finishing it may take a
 * while, and the machine should be free by then.
 *
 * A failure does not stop the rest. Undoing twice is harmless: what is as it was is not written.
 */
#include "base/errmsg.h"
#include "capture/journal_int.h"
#include "capture/setting.h"
#include "capture/taskmarks.h"
#include "store/livefile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define CMDLINES_MAX_BYTES (16u << 20)
#define BUSY_PATIENCE_MS   1000
#define BUSY_STEP_MS	   10

/*
 * A probe is in use as long as its owner has a descriptor of it, and of a process that was killed the one that the
 * guardian listens to may be closed before that.
 */
static int remove_probe(const struct tracefs *t, const char *file, const char *line)
{
	struct timespec pause = {0, BUSY_STEP_MS * 1000000};
	int r;

	for (int ms = 0;; ms += BUSY_STEP_MS) {
		r = tracefs_try_write(t, "", file, line, TRACEFS_APPEND);
		if (r != -EBUSY || ms >= BUSY_PATIENCE_MS)
			return r;
		nanosleep(&pause, NULL);
	}
}

static int undo_file(const struct tracefs *t, const struct note *n, struct errmsg *err)
{
	int r = setting_restore(t, n->instance, n->name, n->text);

	/* gone with a module or an instance: nothing to put back */
	if (r >= 0 || r == -ENOENT || r == -ENODEV)
		return 0;
	return errmsg_set_errno(
		err, r, "cannot put %s%s%s back to '%.*s'", n->instance, *n->instance ? "/" : "",
		n->name, (int)strcspn(n->text, "\n") < 200 ? (int)strcspn(n->text, "\n") : 200,
		n->text);
}

static int undo_live(const struct tracefs *t, const struct note *n, struct errmsg *err)
{
	struct textbuf names;
	int r;

	textbuf_init(&names, CMDLINES_MAX_BYTES);
	if (tracefs_read(t, "", "saved_cmdlines", &names) < 0)
		textbuf_clear(&names);
	r = livefile_repair(n->name,
			    (struct piece){(const uint8_t *)names.start, textbuf_len(&names)}, err);
	textbuf_release(&names);
	return r == -ENOENT ? 0 : r;
}

/* Events of every kind are removed through one file, or on old kernels each through its own. */
static int undo_probe(const struct tracefs *t, const struct note *n, struct errmsg *err)
{
	static const char *const files[] = {"dynamic_events", "kprobe_events", "uprobe_events"};
	char line[TRACEFS_NAME_MAX * 2];
	int r = 0;

	snprintf(line, sizeof(line), "-:%s", n->name);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		r = remove_probe(t, files[i], line);
		if (r >= 0)
			return 0;
		if (r != -ENOENT) /* no such file, or no such event in it */
			break;
	}
	return r == -ENOENT ? 0 : errmsg_set_errno(err, r, "cannot remove the probe %s", n->name);
}

int notes_remove(const struct tracefs *t, const struct notes *notes, struct errmsg *err)
{
	int r = 0, r2;

	for (size_t i = notes->n; i-- > 0;)
		if (notes->list[i].kind == NOTE_INSTANCE) {
			r2 = tracefs_remove_instance(t, notes->list[i].name, err);
			r = r2 < 0 && !r ? r2 : r;
		}
	for (size_t i = notes->n; i-- > 0;)
		if (notes->list[i].kind == NOTE_PROBE) {
			r2 = undo_probe(t, &notes->list[i], err);
			r = r2 < 0 && !r ? r2 : r;
		}
	return r;
}

/* "PID SINCE" */
static int undo_marks(const struct note *n, struct errmsg *err)
{
	unsigned long long since;
	int pid, r = 0;

	if (sscanf(n->name, "%d %llu", &pid, &since) == 2)
		r = taskmarks_clear(pid, since);
	return r < 0 ? errmsg_set_errno(err, r,
					"cannot take the marks (/proc/PID/make-it-fail) off all "
					"children of process %d",
					pid)
		     : 0;
}

/* Not if it is what was there before: then it is not ours, or has been put back. */
static void end_tracer(const struct tracefs *t, const struct note *n)
{
	size_t len = strcspn(n->text, "\n");
	char now[64];

	if (tracefs_read_short(t, n->instance, n->name, now, sizeof(now)) > 0 &&
	    (strlen(now) != len || strncmp(now, n->text, len)))
		tracefs_try_write(t, n->instance, n->name, "nop", TRACEFS_SET);
}

int notes_undo(const struct tracefs *t, const struct notes *notes, struct errmsg *err)
{
	int r = 0, r2;

	for (size_t i = 0; i < notes->n; i++) {
		const struct note *n = &notes->list[i];

		if (n->kind == NOTE_INSTANCE)
			tracefs_try_write(t, n->name, "tracing_on", "0", TRACEFS_SET);
		else if (n->kind == NOTE_FILE && !strcmp(n->name, "tracing_on"))
			tracefs_try_write(t, n->instance, "tracing_on", "0", TRACEFS_SET);
		else if (n->kind == NOTE_FILE && !strcmp(n->name, "current_tracer"))
			end_tracer(t, n);
	}
	for (size_t i = notes->n; i-- > 0;)
		if (notes->list[i].kind == NOTE_FILE) {
			r2 = undo_file(t, &notes->list[i], err);
			r = r2 < 0 && !r ? r2 : r;
		}
	for (size_t i = 0; i < notes->n; i++)
		if (notes->list[i].kind == NOTE_MARKS) {
			r2 = undo_marks(&notes->list[i], err);
			r = r2 < 0 && !r ? r2 : r;
		}
	r2 = notes_remove(t, notes, err);
	r = r2 < 0 && !r ? r2 : r;
	for (size_t i = 0; i < notes->n; i++)
		if (notes->list[i].kind == NOTE_LIVE) {
			r2 = undo_live(t, &notes->list[i], err);
			r = r2 < 0 && !r ? r2 : r;
		}
	return r;
}
