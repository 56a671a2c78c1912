// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * serving.c - starts the server in a safe order of steps.
 *
 *	listen ─▶ fork the child for the browser ─▶ become the caller ─▶ open the files ─▶ serve
 *
 * Access to files is restricted before threads exist, so the socket and the cache come first. A
 * child that was forked before starts the browser (browser.c), as the server itself can no longer
 * start programs. Under sudo, the server becomes the user who called it before it opens a trace:
 * that user can replace a file by a link to one of root's files at any moment. A user who logged in
 * as root stays root, without any capability.
 */
#include "view/serve/serving.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/caller.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "store/live/livefile.h"
#include "timeline/timeline.h"
#include "view/httpd.h"
#include "view/sandbox.h"
#include "view/serve/cachedir.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOTE_BYTES     5000 /* paths may be long */
#define FINISH_MS      60000
#define FINISH_STEP_MS 100

static void __attribute__((format(printf, 2, 3))) note(struct serving *s, const char *fmt, ...)
{
	char sentence[NOTE_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	s->config->note(s->config->ctx, sentence);
}

/* --- rights ----------------------------------------------------------------------------------- */

/*
 * Becomes the caller under sudo or a similar program, permanently, before any trace is opened.
 * Wherever a path or a link leads, the server can only read what the caller can. This also applies
 * without the sandbox.
 */
static int become_caller(struct errmsg *err)
{
	struct caller c;
	int r;

	if (!geteuid() && !caller_is_secure() && caller_is_raised() && !caller_find(&c))
		return errmsg_set(err, -EPERM,
				  "cannot tell which user called sonde view: SUDO_UID, PKEXEC_UID "
				  "or DOAS_USER names no user; run it without sudo");
	r = caller_become();
	return r < 0 ? errmsg_set_errno(err, r, "cannot switch to the calling user") : 0;
}

static int drop_capabilities(struct errmsg *err)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0};

	if (syscall(SYS_capset, &head, none) < 0)
		return errmsg_set_errno(err, -errno, "cannot give up capabilities");
	return 0;
}

/*
 * Checks whether the files are readable. This is only for the remedy in the message: the kernel
 * decides when the files are opened.
 */
int serving_check_readable(const struct serving *s, struct errmsg *err)
{
	unsigned uid = getuid();

	for (size_t i = 0; i < s->n && s->was_raised; i++)
		if (access(s->paths[i], R_OK) < 0 && errno == EACCES)
			return errmsg_set(
				err, -EACCES,
				"user %u may not read %s, and sonde view serves with that "
				"user's rights; make a copy for the user: "
				"sudo install -o %u -m 600 %s COPY",
				uid, s->paths[i], uid, s->paths[i]);
	return 0;
}

/* Does everything that needs more privileges than the caller's, and then drops them. */
int serving_prepare(struct serving *s, struct errmsg *err)
{
	bool was_root = !geteuid();
	int r;

	if (!s->config->no_cache)
		s->cache =
			viewcache_dir(s->config->beside ? s->paths[0] : NULL, s->config->cache_dir);
	r = httpd_listen(&s->hd, s->config->port, *s->config->token ? s->config->token : NULL, err);
	if (r >= 0 && !s->config->no_browser)
		viewbrowser_prepare(&s->browser, httpd_address(s->hd));
	s->was_raised = caller_is_raised();
	if (r >= 0)
		r = become_caller(err);
	s->is_lowered = was_root && geteuid();
	return r;
}

void serving_drop_cache(struct serving *s)
{
	free(s->cache);
	s->cache = NULL;
}

/* --- serving ---------------------------------------------------------------------------------- */

/*
 * Returns true if all paths are files. Pipes are read completely, into files without a name.
 * Opening reports a path that is not a file.
 */
static bool are_files(const char *const *paths, size_t n)
{
	struct stat st;

	return !ARRAY_ANY(n, i, stat(paths[i], &st) == 0 && !S_ISREG(st.st_mode));
}

/* Reports a missing protection. done is 0 if the kernel does not support it. */
static int note_hole(struct serving *s, int done, const char *what, const char *then)
{
	if (!done)
		note(s, "this kernel has no %s, so the viewer's server %s", what, then);
	return done;
}

static int start(struct serving *s, struct errmsg *err)
{
	if (!s->config->no_sandbox) {
		TRY(drop_capabilities(err));
		TRY(note_hole(s, sandbox_calls(s->cache || s->is_live, err), "seccomp",
			      "can make any system call"));
	}
	TRY(stage_start(s->vt.stage, s->cache, err));
	/* a missing format or name would be missing in every answer */
	TRY(shortage_check(err, "cannot show the trace"));
	return httpd_start(s->hd, s->vt.stage, err);
}

static int serve(struct serving *s, struct errmsg *err)
{
	int r;

	TRY(start(s, err));
	s->config->answers(s->config->ctx, httpd_address(s->hd));
	if (viewbrowser_start(&s->browser) < 0)
		note(s, "no browser could be started");
	s->config->wait(s->config->ctx);
	r = timeline_error(s->vt.stage->tl);
	return r < 0 ? errmsg_set_errno(err, r, "the index is incomplete") : 0;
}

int serving_run(struct serving *s, struct errmsg *err)
{
	enum viewtrace_use use = s->is_live	    ? VIEWTRACE_LIVE
				 : s->config->align ? VIEWTRACE_ALIGNED
						    : VIEWTRACE_VIEW;

	if (serving_check_readable(s, err) < 0)
		return errmsg_code(err);
	if (s->is_lowered)
		note(s, "serving as user %u, no longer as root", (unsigned)geteuid());
	if (!s->config->no_sandbox && are_files(s->paths, s->n) &&
	    note_hole(s, sandbox_paths(s->paths, s->n, s->cache, err), "Landlock",
		      "can open any file that you can") < 0)
		return errmsg_code(err);
	if (viewtrace_open(&s->vt, s->paths, s->n, use, err) < 0)
		return errmsg_code(err);
	s->config->opened(s->config->ctx);
	return serve(s, err);
}

void serving_stop(struct serving *s)
{
	viewbrowser_end(&s->browser);
	httpd_stop(s->hd);
	viewtrace_close(&s->vt);
	serving_drop_cache(s);
}

/* Waits for a recorder that finishes its file, because it moves the data in the file. */
static enum livefile_stage await_recorder(struct serving *s, const char *path)
{
	enum livefile_stage stage = LIVEFILE_DONE;
	/* a pipe is opened once, because its writer fails if a reader opens and closes it */
	int fd = are_files(&path, 1) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

	for (int ms = 0; fd >= 0 && ms < FINISH_MS; ms += FINISH_STEP_MS) {
		stage = livefile_ask(fd);
		if (stage != LIVEFILE_MOVES)
			break;
		if (!ms)
			note(s, "waiting until %s is complete", path);
		usleep(FINISH_STEP_MS * 1000);
	}
	if (fd >= 0)
		close(fd);
	return stage;
}

bool serving_await_recorders(struct serving *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (await_recorder(s, s->paths[i]) != LIVEFILE_DONE && s->n > 1)
			note(s, "%s is being recorded: what comes from now on is not shown",
			     s->paths[i]);
	return s->n == 1 && await_recorder(s, s->paths[0]) != LIVEFILE_DONE;
}

/* --- while it runs ---------------------------------------------------------------------------- */

void serving_tick(struct serving *s)
{
	httpd_tick(s->hd);
}

/*
 * Waits until the threads have read the present data. The recorder waits for this only a short
 * time.
 */
static void let_index(struct timeline *tl)
{
	for (int i = 0; i < 100 && timeline_progress(tl) < 1; i++)
		usleep(5000);
}

int serving_refresh(struct serving *s, struct errmsg *err)
{
	struct timeline *tl = s->vt.stage->tl;
	int r = timeline_refresh(tl, err);

	let_index(tl);
	return r < 0 ? r : r == 0 && timeline_progress(tl) >= 1;
}

void serving_end_live(struct serving *s)
{
	stage_end_live(s->vt.stage);
}

bool serving_follows(const struct serving *s)
{
	return s->vt.stage->is_live;
}

void serving_add_damage(struct serving *s, const char *sentence)
{
	struct timeline *tl = s->vt.stage->tl;

	timeline_lock_formats(tl);
	tracefile_add_damage(s->vt.files[0], "%s", sentence);
	timeline_unlock_formats(tl);
}
