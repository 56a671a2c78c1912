// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal.c - the file of the journal, and the changes that go through it.
 *
 * The file is in /run/sonde (for a user who is not root: in the user's runtime directory; or in
 * $SONDE_RUN_DIR). A reboot empties that directory and the tracing directory. notes.c
 * describes the format.
 *
 * A note is one write(), and is in the page cache before the change is made. A machine that crashes
 * has no settings to restore. If a note is truncated, its change was not made.
 *
 * The owner keeps the file locked (flock). The lock belongs to the open file, which the guardian
 * inherits: a process that gets the lock knows that both owner and guardian have ended, and may
 * undo the changes. So sonde does not have to trust a pid.
 *
 * Only changes that cannot be undone (an instance in use, an unmounted tracing directory) stay in
 * the file. Every later sonde tries again, until it succeeds or the machine reboots. Settings of
 * the top level wait while a living sonde uses it.
 *
 * Some features exist only once (the function graph tracer, most latency tracers, the graph
 * functions, error injection), so only one sonde can use them. A note records this, too:
 * journal_take_top() and journal_take_marks() lock the directory, search the journals of living
 * processes, and write the note into their own journal.
 */
#include "capture/tracefs/journal/journal.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/tracefs/journal/journal_int.h"
#include "capture/tracefs/setting.h"
#include "capture/inject/taskmarks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE_MAX_BYTES (16u << 20)
#define SAME_PID_MAX   100

/*
 * --- the directory -----------------------------------------------------------------------------
 */

/*
 * Opens a directory that nobody else can write to; otherwise anybody could make root write files.
 */
static int open_dir(char *path, size_t n_bytes, struct errmsg *err)
{
	const char *given = getenv("SONDE_RUN_DIR"), *runtime = getenv("XDG_RUNTIME_DIR");
	struct stat st;

	if (given && *given)
		snprintf(path, n_bytes, "%s", given);
	else if (!geteuid())
		snprintf(path, n_bytes, "/run/sonde");
	else if (runtime && *runtime && strlen(runtime) < n_bytes / 2)
		snprintf(path, n_bytes, "%s/sonde", runtime);
	else
		snprintf(path, n_bytes, "/tmp/sonde-%u", (unsigned)geteuid());
	if (mkdir(path, 0700) && errno != EEXIST)
		return errmsg_set_errno(err, -errno,
					"cannot create the directory %s for the journal of changes",
					path);
	if (lstat(path, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 022))
		return errmsg_set(
			err, -EPERM,
			"%s must be a directory that only this user can write to; remove it", path);
	return 0;
}

static int lock_dir(const char *dir)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/lock", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX)) {
		close(fd);
		return -EIO;
	}
	return fd;
}

void journal_leave(const struct notes *notes, const char *path)
{
	char dir[256];
	SCOPED(scope_close) int lock = -1;

	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(path, '/') - path), path);
	lock = lock_dir(dir);
	notes_leave(notes, path);
}

static int is_journal(const struct dirent *e)
{
	return !strncmp(e->d_name, "journal.", 8);
}

/*
 * --- notes -------------------------------------------------------------------------------------
 */

/* Writes the note into the file; the caller makes the change afterwards. */
static int journal_note(struct journal *j, enum note_kind kind, const char *instance,
			const char *name, const char *text, struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = NOTE_MAX_BYTES};
	int r;

	note_fmt(&tb, kind, instance, name, text);
	r = notes_add(&j->notes, kind, instance, name, text, strlen(text));
	if (tb.overflow)
		r = -EFBIG;
	else if (!r && write(j->fd, tb.start, textbuf_len(&tb)) != (ssize_t)textbuf_len(&tb))
		r = errno == EINTR ? -EIO : -errno;
	return r < 0 ? errmsg_set_errno(err, r,
					"cannot write to the journal %s, so sonde changes nothing",
					j->path)
		     : 0;
}

/*
 * --- changes -----------------------------------------------------------------------------------
 */

int journal_add_instance(struct journal *j, const char *name, struct errmsg *err)
{
	/* an instance that exists already is not ours */
	if (tracefs_exists(&j->t, name, ""))
		return -EEXIST;
	TRY(journal_note(j, NOTE_INSTANCE, "", name, "", err));
	return tracefs_add_instance(&j->t, name, err);
}

/*
 * Returns true if removing the instance also removes this setting. Triggers are the exception: a
 * hist trigger with variables keeps its instance busy, so sonde removes triggers one by one, the
 * last one first.
 */
static bool goes_with_instance(const struct journal *j, const char *instance, const char *file)
{
	size_t len = strlen(file);

	if (!*instance || file[0] == '/' || !notes_find(&j->notes, NOTE_INSTANCE, "", instance))
		return false;
	return len < 8 || strcmp(file + len - 8, "/trigger");
}

int journal_save(struct journal *j, const char *instance, const char *file, struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = NOTE_MAX_BYTES};
	int r;

	if (goes_with_instance(j, instance, file) ||
	    notes_find(&j->notes, NOTE_FILE, instance, file))
		return 0;
	r = setting_save(&j->t, instance, file, &text);
	textbuf_add(&text, "", 1);
	if (r == -ENOENT)
		r = 0;
	else if (r < 0 || text.overflow)
		r = errmsg_set_errno(err, r < 0 ? r : -EFBIG,
				     "cannot read %s%s%s to restore it later", instance,
				     *instance ? "/" : "", file);
	else
		r = journal_note(j, NOTE_FILE, instance, file, text.start, err);
	return r;
}

int journal_set(struct journal *j, const char *instance, const char *file, const char *text,
		enum tracefs_how how, struct errmsg *err)
{
	TRY(journal_save(j, instance, file, err));
	return tracefs_write(&j->t, instance, file, text, how, err);
}

int journal_add_probe(struct journal *j, const char *name, struct errmsg *err)
{
	char file[TRACEFS_PATH_MAX];

	if (notes_find(&j->notes, NOTE_PROBE, "", name))
		return 0;
	snprintf(file, sizeof(file), "events/%s", name);
	if (tracefs_exists(&j->t, "", file))
		return errmsg_set(err, -EEXIST,
				  "the event %s exists already and is not ours; give the probe "
				  "another name",
				  name);
	return journal_note(j, NOTE_PROBE, "", name, "", err);
}

int journal_add_live(struct journal *j, const char *path, const struct livefile_id *id,
		     struct errmsg *err)
{
	char text[LIVE_ID_BYTES], *whole = *path == '/' ? NULL : getcwd(NULL, 0), *name = NULL;
	int r;

	if (asprintf(&name, "%s%s%s", whole ? whole : "", whole ? "/" : "", path) < 0)
		name = NULL;
	r = name ? journal_note(j, NOTE_LIVE, "", name, live_id_fmt(id, text), err)
		 : errmsg_set_errno(err, -ENOMEM, "cannot store the name of %s", path);
	free(name);
	free(whole);
	return r;
}

void journal_end_live(struct journal *j, const struct livefile_id *id)
{
	char text[LIVE_ID_BYTES];

	live_id_fmt(id, text);
	for (size_t i = 0; i < j->notes.n; i++)
		if (j->notes.list[i].kind == NOTE_LIVE && !strcmp(j->notes.list[i].text, text))
			j->notes.list[i].is_done = true;
}

/*
 * --- the journals of others --------------------------------------------------------------------
 */

/*
 * Calls visit() for each journal until visit() returns true. is_dead: owner and guardian have
 * ended, and sonde holds the lock.
 */
static bool visit_journals(const char *dir,
			   bool (*visit)(void *ctx, const char *path, int fd, bool is_dead),
			   void *ctx)
{
	SCOPED(scope_free) struct dirent **entries = NULL;
	int n = scandir(dir, &entries, is_journal, alphasort);
	bool stopped = false;

	for (int i = 0; i < n; i++) {
		char path[600];
		int fd;

		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		fd = stopped ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		if (fd >= 0) {
			stopped = visit(ctx, path, fd, !flock(fd, LOCK_EX | LOCK_NB));
			close(fd);
		}
		free(entries[i]);
	}
	return stopped;
}

struct recovery {
	const struct tracefs *t;
	bool has_top_owner; /* a living sonde uses the top level */
	int n;
	struct errmsg *err;
};

static bool sets_top(const struct notes *notes)
{
	return ARRAY_ANY(notes->n, i,
			 notes->list[i].kind == NOTE_FILE && !*notes->list[i].instance);
}

static bool recover_one(void *ctx, const char *path, int fd, bool is_dead)
{
	struct recovery *rec = ctx;
	struct notes notes;

	if (!is_dead || notes_read(fd, &notes) < 0)
		return false;
	if (!rec->has_top_owner || !sets_top(&notes)) {
		notes_undo(rec->t, &notes, rec->err);
		notes_leave(&notes, path);
		rec->n++;
	}
	notes_release(&notes);
	return false;
}

struct owner_search {
	enum note_kind kind;
	const char *name; /* name in the note; NULL: any */
	int pid;
};

static bool find_owner(void *ctx, const char *path, int fd, bool is_dead)
{
	struct owner_search *search = ctx;
	struct notes notes;
	bool found = false;

	if (is_dead || notes_read(fd, &notes) < 0)
		return false;
	for (size_t i = 0; i < notes.n && !found; i++)
		found = notes.list[i].kind == search->kind &&
			(!search->name || !strcmp(notes.list[i].name, search->name));
	notes_release(&notes);
	if (found)
		search->pid = atoi(strrchr(path, '.') + 1);
	return found;
}

int journals_recover(const struct tracefs *t, struct errmsg *err)
{
	struct recovery rec = {.t = t, .err = err};
	struct owner_search top = {NOTE_TOP, NULL, 0};
	struct errmsg ignored = {0};
	char dir[200];
	SCOPED(scope_close) int lock = -1;

	if (open_dir(dir, sizeof(dir), &ignored) < 0)
		return 0;
	lock = lock_dir(dir);
	if (lock < 0)
		return 0;
	rec.has_top_owner = visit_journals(dir, find_owner, &top);
	visit_journals(dir, recover_one, &rec);
	return rec.n;
}

bool journals_find_owner(const char *instance, int *ret_pid)
{
	struct owner_search search = {*instance ? NOTE_INSTANCE : NOTE_TOP,
				      *instance ? instance : NULL, 0};
	struct errmsg ignored = {0};
	char dir[200];

	if (open_dir(dir, sizeof(dir), &ignored) < 0 || !visit_journals(dir, find_owner, &search))
		return false;
	*ret_pid = search.pid;
	return true;
}

/*
 * Adds a note, unless a living process has a note of that kind. what: the word for the feature in
 * the message.
 */
static int take_single(struct journal *j, enum note_kind kind, const char *name, const char *what,
		       struct errmsg *err)
{
	struct owner_search search = {kind, NULL, 0};
	char dir[200];
	int r = open_dir(dir, sizeof(dir), err), lock;

	TRY(r);
	lock = lock_dir(dir);
	if (lock < 0)
		return errmsg_set_errno(err, lock, "cannot lock %s", dir);
	if (visit_journals(dir, find_owner, &search))
		r = errmsg_set(err, -EBUSY,
			       "another sonde (pid %d) uses %s, which this command needs, too; "
			       "wait until it ends",
			       search.pid, what);
	else
		r = journal_note(j, kind, "", name, "", err);
	close(lock);
	return r;
}

int journal_take_top(struct journal *j, struct errmsg *err)
{
	char pid[16];
	int r;

	if (j->has_top)
		return 0;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	r = take_single(j, NOTE_TOP, pid, "the top level of the tracing directory", err);
	j->has_top = r >= 0;
	return r;
}

int journal_take_marks(struct journal *j, int pid, struct errmsg *err)
{
	char name[64];

	snprintf(name, sizeof(name), "%d %llu", pid, (unsigned long long)taskmarks_now());
	return take_single(j, NOTE_MARKS, name, "the kernel's error injection", err);
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

/*
 * Creates the file. The file gets its name only after it is locked; otherwise it would look like
 * the journal of a dead owner.
 */
static int make_file(struct journal *j, struct errmsg *err)
{
	char dir[200];
	SCOPED(scope_close) int lock = -1;

	TRY(open_dir(dir, sizeof(dir), err));
	lock = lock_dir(dir);
	if (lock < 0)
		return errmsg_set_errno(err, lock, "cannot lock %s", dir);
	/* a dead sonde with our pid may have left a journal that still has to be undone */
	for (int i = 0; i < SAME_PID_MAX; i++) {
		snprintf(j->path, sizeof(j->path), "%s/journal.%d.%d", dir, i, (int)getpid());
		j->fd = open(j->path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
		if (j->fd >= 0 || errno != EEXIST)
			break;
	}
	if (j->fd < 0 || flock(j->fd, LOCK_EX | LOCK_NB))
		return errmsg_set_errno(err, -errno, "cannot create the journal %s", j->path);
	return 0;
}

int journal_open(struct journal **ret_journal, const struct tracefs *t, struct errmsg *err)
{
	struct journal *j = calloc(1, sizeof(*j));
	int r;

	if (!j)
		return errmsg_set_errno(err, -ENOMEM, "cannot begin");
	j->t = *t;
	j->fd = j->pipe = -1;
	journals_recover(t, &j->left);
	r = make_file(j, err);
	if (r >= 0)
		r = guardian_start(j, err);
	if (r < 0) {
		if (j->fd >= 0) {
			unlink(j->path);
			close(j->fd);
		}
		free(j);
		return r;
	}
	*ret_journal = j;
	return 0;
}

const char *journal_left(const struct journal *j)
{
	return j->left.code ? j->left.text : NULL;
}

int journal_undo(struct journal *j, struct errmsg *err)
{
	struct errmsg why = {0};
	int r = notes_undo(&j->t, &j->notes, &why);

	notes_drop_done(&j->notes);
	if (!j->notes.n)
		journal_keep(j);
	if (r >= 0)
		return 0;
	return errmsg_set(err, r, "%s%s", why.text,
			  j->notes.n ? "; the next sonde that traces will try again" : "");
}

void journal_keep(struct journal *j)
{
	notes_release(&j->notes);
	if (ftruncate(j->fd, 0))
		unlink(j->path);
}

void journal_close(struct journal *j)
{
	struct errmsg ignored = {0};

	if (!j)
		return;
	if (j->notes.n)
		journal_undo(j, &ignored);
	journal_leave(&j->notes, j->path);
	guardian_stop(j);
	close(j->fd);
	notes_release(&j->notes);
	free(j);
}
