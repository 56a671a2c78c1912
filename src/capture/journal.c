// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal.c - the journal's file, and the changes that go through it.
 *
 * The file stands in /run/sonde (for a user who is not root: in his runtime directory; or in
 * $SONDE_RUN_DIR), which a reboot empties as it empties the tracing directory. One note is one line of words and, for a file, its text:
 *
 *	instance sonde.1234
 *	top 1234
 *	live /home/me/trace.dat
 *	probe sonde_1234/vfs_read
 *	marks 4711 360012
 *	file <instance or -> set_event 22
 *	sched:sched_switch
 *	…
 *
 * A note is one write() and is in the page cache before the change is made; a machine that crashes has
 * no settings to put back. A note that was cut off was not acted upon.
 *
 * The owner keeps the file locked (flock). The lock belongs to the open file, which the guardian
 * inherits: whoever gets the lock knows that owner and guardian are both gone, and may undo. No process
 * number has to be trusted.
 *
 * What exists once (the function graph tracer, most latency tracers, the graph functions; error injection)
 * can be used by one of us only. That is a note, too: journal_take_top() and journal_take_marks() hold the
 * lock of the directory, look for it in the journals of the living, and write it into their own.
 */
#include "capture/journal.h"

#include "base/errmsg.h"
#include "capture/journal_int.h"
#include "capture/setting.h"
#include "capture/taskmarks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE_MAX_BYTES	  (16u << 20)
#define JOURNAL_MAX_BYTES (64u << 20)

static const char *const note_words[] = {"instance", "file", "live", "top", "probe", "marks"};

/* --- the directory ----------------------------------------------------------------------------- */

/* A directory of our own that nobody else can write to, else anybody could make root write. */
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
		return errmsg_set_errno(
			err, -errno,
			"cannot make the directory %s, where sonde notes what it has to "
			"put back",
			path);
	if (lstat(path, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 022))
		return errmsg_set(
			err, -EPERM,
			"%s is not a directory that only this user can write to; remove it", path);
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

static int is_journal(const struct dirent *e)
{
	return !strncmp(e->d_name, "journal.", 8);
}

/* --- notes ------------------------------------------------------------------------------------- */

static int notes_add(struct notes *notes, enum note_kind kind, const char *instance,
		     const char *name, const char *text, size_t text_bytes)
{
	struct note *list = realloc(notes->list, (notes->n + 1) * sizeof(*list)), *n;

	if (!list)
		return -ENOMEM;
	notes->list = list;
	n = &list[notes->n];
	*n = (struct note){kind, strdup(instance), strdup(name), strndup(text, text_bytes)};
	if (!n->instance || !n->name || !n->text) {
		free(n->instance);
		free(n->name);
		free(n->text);
		return -ENOMEM;
	}
	notes->n++;
	return 0;
}

void notes_release(struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		free(notes->list[i].instance);
		free(notes->list[i].name);
		free(notes->list[i].text);
	}
	free(notes->list);
	*notes = (struct notes){0};
}

static bool notes_find(const struct notes *notes, enum note_kind kind, const char *instance,
		       const char *name)
{
	for (size_t i = 0; i < notes->n; i++)
		if (notes->list[i].kind == kind && !strcmp(notes->list[i].instance, instance) &&
		    !strcmp(notes->list[i].name, name))
			return true;
	return false;
}

static int parse_notes(const char *p, const char *end, struct notes *notes)
{
	while (p < end) {
		const char *eol = memchr(p, '\n', end - p);
		char line[2048], word[16], a[1024], b[1024];
		size_t text_bytes = 0;
		int r = 0;

		if (!eol || eol - p >= (ptrdiff_t)sizeof(line))
			break;
		memcpy(line, p, eol - p);
		line[eol - p] = 0;
		p = eol + 1;
		if (sscanf(line, "file %1023s %1023s %zu", a, b, &text_bytes) == 3) {
			if (text_bytes + 1 > (size_t)(end - p))
				break;
			r = notes_add(notes, NOTE_FILE, strcmp(a, "-") ? a : "", b, p, text_bytes);
			p += text_bytes + 1;
		} else if (sscanf(line, "%15s %1023[^\n]", word, a) == 2) {
			for (size_t i = 0; i < sizeof(note_words) / sizeof(*note_words); i++)
				if (!strcmp(word, note_words[i]))
					r = notes_add(notes, i, "", a, "", 0);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

int notes_read(int fd, struct notes *ret_notes)
{
	struct notes notes = {0};
	struct stat st;
	char *text;
	int r;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size > JOURNAL_MAX_BYTES)
		return -EFBIG;
	text = malloc(st.st_size + 1);
	if (!text)
		return -ENOMEM;
	r = pread(fd, text, st.st_size, 0) == st.st_size
		    ? parse_notes(text, text + st.st_size, &notes)
		    : -EIO;
	free(text);
	if (r < 0) {
		notes_release(&notes);
		return r;
	}
	*ret_notes = notes;
	return 0;
}

/* The note is in the file before the change it is about is made. */
static int journal_note(struct journal *j, enum note_kind kind, const char *instance,
			const char *name, const char *text, struct errmsg *err)
{
	size_t text_bytes = strlen(text);
	struct textbuf tb;
	int r;

	textbuf_init(&tb, NOTE_MAX_BYTES);
	if (kind == NOTE_FILE) {
		textbuf_addf(&tb, "file %s %s %zu\n", *instance ? instance : "-", name, text_bytes);
		textbuf_add(&tb, text, text_bytes);
		textbuf_add_char(&tb, '\n');
	} else {
		textbuf_addf(&tb, "%s %s\n", note_words[kind], name);
	}
	r = notes_add(&j->notes, kind, instance, name, text, text_bytes);
	if (tb.overflow)
		r = -EFBIG;
	else if (!r && write(j->fd, tb.start, textbuf_len(&tb)) != (ssize_t)textbuf_len(&tb))
		r = errno == EINTR ? -EIO : -errno;
	textbuf_release(&tb);
	return r < 0 ? errmsg_set_errno(
			       err, r,
			       "cannot note in %s what has to be put back, so nothing is changed",
			       j->path)
		     : 0;
}

/* --- changes ----------------------------------------------------------------------------------- */

int journal_add_instance(struct journal *j, const char *name, struct errmsg *err)
{
	int r;

	/* not ours if it is there already */
	if (tracefs_exists(&j->t, name, ""))
		return -EEXIST;
	r = journal_note(j, NOTE_INSTANCE, "", name, "", err);
	return r < 0 ? r : tracefs_add_instance(&j->t, name, err);
}

/*
 * An instance goes with all that is set in it. But a hist trigger with variables keeps its instance busy, so
 * triggers are removed one by one, the last one first.
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
	struct textbuf text;
	int r;

	if (goes_with_instance(j, instance, file) ||
	    notes_find(&j->notes, NOTE_FILE, instance, file))
		return 0;
	textbuf_init(&text, NOTE_MAX_BYTES);
	r = setting_save(&j->t, instance, file, &text);
	textbuf_add(&text, "", 1);
	if (r == -ENOENT)
		r = 0;
	else if (r < 0 || text.overflow)
		r = errmsg_set_errno(err, r < 0 ? r : -EFBIG,
				     "cannot read %s%s%s, which would have to be put back",
				     instance, *instance ? "/" : "", file);
	else
		r = journal_note(j, NOTE_FILE, instance, file, text.start, err);
	textbuf_release(&text);
	return r;
}

int journal_set(struct journal *j, const char *instance, const char *file, const char *text,
		enum tracefs_how how, struct errmsg *err)
{
	int r = journal_save(j, instance, file, err);

	return r < 0 ? r : tracefs_write(&j->t, instance, file, text, how, err);
}

int journal_add_probe(struct journal *j, const char *name, struct errmsg *err)
{
	char file[TRACEFS_PATH_MAX];

	if (notes_find(&j->notes, NOTE_PROBE, "", name))
		return 0;
	snprintf(file, sizeof(file), "events/%s", name);
	if (tracefs_exists(&j->t, "", file))
		return errmsg_set(err, -EEXIST,
				  "there is an event %s already, and it is not ours; give the "
				  "probe another name",
				  name);
	return journal_note(j, NOTE_PROBE, "", name, "", err);
}

int journal_add_live(struct journal *j, const char *path, struct errmsg *err)
{
	char *whole = *path == '/' ? NULL : getcwd(NULL, 0), *name = NULL;
	int r;

	if (asprintf(&name, "%s%s%s", whole ? whole : "", whole ? "/" : "", path) < 0)
		name = NULL;
	/* a name with a newline or beyond the line's length cannot be noted; then it is not repaired */
	r = !name || strchr(name, '\n') || strlen(name) > 1000
		    ? 0
		    : journal_note(j, NOTE_LIVE, "", name, "", err);
	free(name);
	free(whole);
	return r;
}

/* --- the journals of others -------------------------------------------------------------------- */

/*
 * Calls visit() for each journal. is_dead: its owner and guardian are gone, and we hold its lock.
 * Stops at the first that returns true.
 */
static bool visit_journals(const char *dir,
			   bool (*visit)(void *ctx, const char *path, int fd, bool is_dead),
			   void *ctx)
{
	struct dirent **entries;
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
	if (n >= 0)
		free(entries);
	return stopped;
}

struct recovery {
	const struct tracefs *t;
	int n;
};

static bool recover_one(void *ctx, const char *path, int fd, bool is_dead)
{
	struct recovery *rec = ctx;
	struct errmsg ignored = {0};
	struct notes notes;

	if (!is_dead || notes_read(fd, &notes) < 0)
		return false;
	notes_undo(rec->t, &notes, &ignored);
	notes_release(&notes);
	unlink(path);
	rec->n++;
	return false;
}

int journals_recover(const struct tracefs *t)
{
	struct recovery rec = {.t = t};
	struct errmsg ignored = {0};
	char dir[200];
	int lock;

	if (open_dir(dir, sizeof(dir), &ignored) < 0)
		return 0;
	lock = lock_dir(dir);
	if (lock < 0)
		return 0;
	visit_journals(dir, recover_one, &rec);
	close(lock);
	return rec.n;
}

struct owner_search {
	enum note_kind kind;
	const char *name; /* NULL: any */
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

/* Notes name, unless somebody alive has a note of that kind. what: how the sentence calls it. */
static int take_single(struct journal *j, enum note_kind kind, const char *name, const char *what,
		       struct errmsg *err)
{
	struct owner_search search = {kind, NULL, 0};
	char dir[200];
	int r = open_dir(dir, sizeof(dir), err), lock;

	if (r < 0)
		return r;
	lock = lock_dir(dir);
	if (lock < 0)
		return errmsg_set_errno(err, lock, "cannot lock %s", dir);
	if (visit_journals(dir, find_owner, &search))
		r = errmsg_set(err, -EBUSY,
			       "the sonde with process number %d is using %s, which this needs, "
			       "too; wait for its end",
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

/* --- life -------------------------------------------------------------------------------------- */

/* Nobody sees the file before it is locked: it would be taken for that of a dead owner. */
static int make_file(struct journal *j, const char *dir, struct errmsg *err)
{
	int lock = lock_dir(dir), r = 0;

	if (lock < 0)
		return errmsg_set_errno(err, lock, "cannot lock %s", dir);
	snprintf(j->path, sizeof(j->path), "%s/journal.%d", dir, (int)getpid());
	j->fd = open(j->path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (j->fd < 0 || flock(j->fd, LOCK_EX | LOCK_NB))
		r = errmsg_set_errno(err, -errno,
				     "cannot make %s, where sonde notes what it has to put back",
				     j->path);
	close(lock);
	return r;
}

int journal_open(struct journal **ret_journal, const struct tracefs *t, struct errmsg *err)
{
	struct journal *j = calloc(1, sizeof(*j));
	char dir[200];
	int r;

	if (!j)
		return errmsg_set_errno(err, -ENOMEM, "cannot begin");
	j->t = *t;
	j->fd = j->pipe = -1;
	journals_recover(t);
	r = open_dir(dir, sizeof(dir), err);
	if (r >= 0)
		r = make_file(j, dir, err);
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

int journal_undo(struct journal *j, struct errmsg *err)
{
	int r = notes_undo(&j->t, &j->notes, err);

	journal_keep(j);
	return r;
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
	guardian_stop(j);
	unlink(j->path);
	close(j->fd);
	free(j);
}
