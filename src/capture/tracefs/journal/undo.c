// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * undo.c - undoes the changes that a journal notes.
 *
 * Changes are undone in this order. First the marks of tasks are removed. Then all our buffers
 * stop, so that nothing more is recorded, and our tracers end. A tracer must end before its
 * function list is emptied, or it would trace all functions. Then files are restored from the last
 * to the first. Then instances are removed, with everything in them. The kernel refuses to remove
 * an instance while one of its files is open, so the owner closes these files first (a dead owner
 * has closed them). Then probes are removed: the kernel does not remove an event that is enabled
 * somewhere. Trace files come last: completing one may take a while, and the machine should be free
 * by then.
 *
 * A failure does not stop the rest. Undoing twice is harmless: a file that has its old value is not
 * written. A note whose change could not be undone is not marked as done, and the next sonde tries
 * again (notes_leave()). Two kinds are tried only once, because a later try could damage something
 * else: a trace file, whose name another recording may use by then, and marks of tasks. If the
 * tracing directory was unmounted, nothing can be restored, although every file seems to be
 * missing.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/regular.h"
#include "base/scope.h"
#include "capture/tracefs/journal/journal_int.h"
#include "capture/tracefs/setting.h"
#include "capture/inject/taskmarks.h"
#include "format/tracedat.h"
#include "store/live/livefile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CMDLINES_MAX_BYTES (16u << 20)
#define BUSY_PATIENCE_MS   1000
#define BUSY_STEP_MS	   10

/*
 * Removes a probe. A probe is in use while its owner has a descriptor of it. When the owner is
 * killed, the pipe to the guardian may be closed before that descriptor, so this function tries
 * again.
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

static int refuse_unmounted(const struct tracefs *t, struct errmsg *err)
{
	return errmsg_set(err, -ENODEV,
			  "the tracing directory %s was unmounted, so sonde cannot restore its "
			  "settings; mount it: mount -t tracefs nodev %s",
			  t->root, t->root);
}

static int undo_file(const struct tracefs *t, const struct note *n, struct errmsg *err)
{
	int r = setting_restore(t, n->instance, n->name, n->text);

	/* the file disappeared with a module or an instance: there is nothing to restore */
	if (r >= 0 || r == -ENOENT || r == -ENODEV)
		return 0;
	return errmsg_set_errno(
		err, r, "cannot restore %s%s%s to '%.*s'", n->instance, *n->instance ? "/" : "",
		n->name, (int)strcspn(n->text, "\n") < 200 ? (int)strcspn(n->text, "\n") : 200,
		n->text);
}

/*
 * Returns true if path is still a regular trace file: another file may have replaced it, and
 * opening a FIFO would block.
 */
static bool is_trace_file(const char *path)
{
	char head[SNF_MAGIC_BYTES];
	SCOPED(scope_close) int fd = regular_open(path, UINT64_MAX);
	bool is = fd >= 0 &&
		  TEMP_FAILURE_RETRY(read(fd, head, sizeof(head))) == (ssize_t)sizeof(head) &&
		  !memcmp(head, SNF_MAGIC, sizeof(head));

	return is;
}

const char *live_id_fmt(const struct livefile_id *id, char *buf)
{
	snprintf(buf, LIVE_ID_BYTES, "%llx:%llx:%llx", (unsigned long long)id->dev,
		 (unsigned long long)id->ino, (unsigned long long)id->born_ns);
	return buf;
}

/* Returns false if text is no id, as in journals of older versions. */
static bool live_id_parse(const char *text, struct livefile_id *ret)
{
	unsigned long long dev, ino, born_ns;

	if (sscanf(text, "%llx:%llx:%llx", &dev, &ino, &born_ns) != 3)
		return false;
	*ret = (struct livefile_id){dev, ino, born_ns};
	return true;
}

static int undo_live(const struct tracefs *t, const struct note *n, struct errmsg *err)
{
	struct livefile_id id;
	bool has_id = live_id_parse(n->text, &id);
	SCOPED(textbuf_release) struct textbuf names = {.max_bytes = CMDLINES_MAX_BYTES};
	int r;

	if ((has_id && !livefile_is_at(n->name, &id)) || !is_trace_file(n->name))
		return 0;
	if (tracefs_read(t, "", "saved_cmdlines", &names) < 0)
		textbuf_clear(&names);
	r = livefile_repair_only(n->name, has_id ? &id : NULL, PIECE_OF_TEXT(&names), err);
	return r == -ENOENT ? 0 : r;
}

/*
 * Removes a probe. One file removes events of every kind; on old kernels each kind has its own
 * file.
 */
static int undo_probe(const struct tracefs *t, const struct note *n, struct errmsg *err)
{
	static const char *const files[] = {"dynamic_events", "kprobe_events", "uprobe_events"};
	char line[TRACEFS_NAME_MAX * 2];
	int r = 0;

	snprintf(line, sizeof(line), "-:%s", n->name);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		r = remove_probe(t, files[i], line);
		if (r >= 0)
			return 0;
		if (r != -ENOENT) /* no such file, or no such event in it */
			break;
	}
	return r == -ENOENT ? 0 : errmsg_set_errno(err, r, "cannot remove the probe %s", n->name);
}

/* Marks a note as done, or records the failure. The first failure is the result. */
static void settle(struct note *n, int code, int *result)
{
	n->is_done = code >= 0;
	if (code < 0 && !*result)
		*result = code;
}

int notes_remove(const struct tracefs *t, struct notes *notes, struct errmsg *err)
{
	int r = 0;

	if (!tracefs_is_there(t))
		return refuse_unmounted(t, err);
	for (size_t i = notes->n; i-- > 0;)
		if (notes->list[i].kind == NOTE_INSTANCE && !notes->list[i].is_done)
			settle(&notes->list[i],
			       tracefs_remove_instance(t, notes->list[i].name, err), &r);
	for (size_t i = notes->n; i-- > 0;)
		if (notes->list[i].kind == NOTE_PROBE && !notes->list[i].is_done)
			settle(&notes->list[i], undo_probe(t, &notes->list[i], err), &r);
	return r;
}

/* Removes the marks that "PID SINCE" names. */
static int undo_marks(const struct note *n, struct errmsg *err)
{
	unsigned long long since;
	int pid, r = 0;

	if (sscanf(n->name, "%d %llu", &pid, &since) == 2)
		r = taskmarks_clear(pid, since);
	return r < 0 ? errmsg_set_errno(err, r,
					"cannot remove the marks (/proc/PID/make-it-fail) from "
					"all children of process %d",
					pid)
		     : 0;
}

/*
 * Ends our tracer. Does nothing if the current tracer is the one from before: it is not ours, or is
 * restored already.
 */
static void end_tracer(const struct tracefs *t, const struct note *n)
{
	size_t len = strcspn(n->text, "\n");
	char now[64];

	if (tracefs_read_short(t, n->instance, n->name, now, sizeof(now)) > 0 &&
	    (strlen(now) != len || strncmp(now, n->text, len)))
		tracefs_try_write(t, n->instance, n->name, "nop", TRACEFS_SET);
}

static void stop_all(const struct tracefs *t, const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		const struct note *n = &notes->list[i];

		if (n->kind == NOTE_INSTANCE) {
			/*
			 * if this option is on while tracing is off, markers of all programs fail
			 * (markers.c)
			 */
			tracefs_try_write(t, n->name, MARKERS_COPY_OPTION, "0", TRACEFS_SET);
			tracefs_try_write(t, n->name, "tracing_on", "0", TRACEFS_SET);
		} else if (n->kind == NOTE_FILE && !strcmp(n->name, "tracing_on"))
			tracefs_try_write(t, n->instance, "tracing_on", "0", TRACEFS_SET);
		else if (n->kind == NOTE_FILE && !strcmp(n->name, "current_tracer"))
			end_tracer(t, n);
	}
}

/* Undoes the notes about the tracing directory. */
static int undo_tracing(const struct tracefs *t, struct notes *notes, struct errmsg *err)
{
	int r = 0, r2;

	if (!tracefs_is_there(t))
		return refuse_unmounted(t, err);
	stop_all(t, notes);
	for (size_t i = notes->n; i-- > 0;)
		if (notes->list[i].kind == NOTE_FILE)
			settle(&notes->list[i], undo_file(t, &notes->list[i], err), &r);
	r2 = notes_remove(t, notes, err);
	return r < 0 ? r : r2;
}

int notes_undo(const struct tracefs *was, struct notes *notes, struct errmsg *err)
{
	struct tracefs now, *t = &now;
	int r = 0, r2;

	tracefs_find_again(was, &now); /* if tracefs is mounted nowhere, undo_tracing() notices */

	for (size_t i = 0; i < notes->n; i++) {
		struct note *n = &notes->list[i];

		if (n->kind == NOTE_MARKS)
			settle(n, undo_marks(n, err), &r);
		if (n->kind != NOTE_LIVE) /* the recorder may have completed the trace file */
			n->is_done = n->kind == NOTE_MARKS || n->kind == NOTE_TOP;
	}
	r2 = undo_tracing(t, notes, err);
	r = r < 0 ? r : r2;
	for (size_t i = 0; i < notes->n; i++)
		if (notes->list[i].kind == NOTE_LIVE && !notes->list[i].is_done) {
			settle(&notes->list[i], undo_live(t, &notes->list[i], err), &r);
			notes->list[i].is_done = true;
		}
	return r;
}
