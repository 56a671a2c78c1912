// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_view.c - `sonde view`: serves a trace to a browser on this machine until Ctrl-C.
 *
 *	listen ─▶ a child that will start the browser ─▶ become the caller ─▶ open the files ─▶ serve
 *
 * The order is for safety. What can be opened is restricted before threads exist, so the socket and
 * the cache come first; the browser is started by a child that was forked before (viewbrowser.c), as the
 * server itself cannot start programs any more. Started by sudo, the server becomes the user who called it before
 * it opens a trace: that user can replace a file by a link to a trace of root's at any moment. A root who
 * logged in as root stays root, without any capability.
 *
 * With --live the file is one that grows: ours (viewlive.c) or somebody else's. It is looked at anew a few
 * times a second. A single file that is being recorded is followed without being told to: its data moves when the
 * recorder finishes it.
 *
 * The address goes to standard output, when requests are answered; everything else to standard error.
 */
#include "base/files/caller.h"
#include "base/shortage.h"
#include "cli/command.h"
#include "cli/recordrun.h"
#include "cli/viewbrowser.h"
#include "cli/viewcache.h"
#include "cli/viewlive.h"
#include "view/trace.h"
#include "store/live/livefile.h"
#include "view/httpd.h"
#include "view/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct view_options {
	struct live_request record; /* first, for recordopts.h; --live */
	long long port;
	const char *token, *token_file, *cache_dir;
	bool no_browser, no_cache, beside, no_sandbox, live;
};

#define AT(member) offsetof(struct view_options, member)

static const struct option_row rows[] = {
	{.kind = OPTION_NUMBER,
	 .name = "port",
	 .arg = "N",
	 .help = "listen on this port of 127.0.0.1 (default: any free port)",
	 .offset = AT(port)},
	{.kind = OPTION_FLAG,
	 .name = "no-browser",
	 .help = "print the address, but do not start a browser",
	 .offset = AT(no_browser)},
	{.kind = OPTION_STRING,
	 .name = "token",
	 .arg = "HEX",
	 .help = "use this token (32 hex digits) instead of a random one; ps shows it to other "
		 "users for a moment",
	 .offset = AT(token)},
	{.kind = OPTION_STRING,
	 .name = "token-file",
	 .arg = "FILE",
	 .help = "read the token from the first line of a file that only you can read",
	 .offset = AT(token_file),
	 .complete = "file"},
	{.kind = OPTION_FLAG,
	 .name = "live",
	 .help = "follow FILE while it is being recorded; without FILE, record with the options "
		 "below",
	 .offset = AT(live)},
	{.kind = OPTION_FLAG,
	 .name = "no-sandbox",
	 .help = "run without a sandbox: for kernels that have none, and for debugging",
	 .offset = AT(no_sandbox)},
	{.kind = OPTION_HEADING, .help = "the index"},
	{.kind = OPTION_STRING,
	 .name = "cache-dir",
	 .arg = "DIR",
	 .help = "keep the index here (default: $XDG_CACHE_HOME/sonde or ~/.cache/sonde)",
	 .offset = AT(cache_dir),
	 .complete = "dir"},
	{.kind = OPTION_FLAG,
	 .name = "beside",
	 .help = "keep the index next to the first FILE",
	 .offset = AT(beside)},
	{.kind = OPTION_FLAG,
	 .name = "no-cache",
	 .help = "do not keep the index",
	 .offset = AT(no_cache)},
	RECORDOPTS_EVENTS,
	RECORDOPTS_FILE,
	RECORDOPTS_KERNEL,
	RECORDOPTS_RECORDER,
	{.kind = OPTION_END},
};

/* --- rights ------------------------------------------------------------------------------------ */

/*
 * Under sudo and its like, for good, before any trace is opened: whatever a path or a link leads to, the
 * server can only read what the caller can. Without the sandbox as well.
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
	return r < 0 ? errmsg_set_errno(err, r, "cannot become the user who called") : 0;
}

static int drop_capabilities(struct errmsg *err)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0};

	if (syscall(SYS_capset, &head, none) < 0)
		return errmsg_set_errno(err, -errno, "cannot give up capabilities");
	return 0;
}

/* Pipes are read whole, into files without a name; what is no file at all is told when it is opened. */
static bool are_files(const char *const *paths, size_t n)
{
	struct stat st;

	for (size_t i = 0; i < n; i++)
		if (stat(paths[i], &st) == 0 && !S_ISREG(st.st_mode))
			return false;
	return true;
}

/* --- a file that gets shorter -------------------------------------------------------------------- */

static volatile sig_atomic_t was_cut;

/*
 * Reading a mapped file behind its end, which came nearer: somebody cut it, or its recorder has closed
 * the holes in it. The page is replaced by one of zeros, which readers take for damage, and serving
 * goes on.
 */
static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)4095;

	was_cut = 1;
	if (info->si_code != BUS_ADRERR ||
	    mmap((void *)page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		    MAP_FAILED)
		_exit(1);
}

/* Once, as damage of the trace. */
static void tell_of_cut(struct viewtrace *vt)
{
	if (was_cut != 1)
		return;
	was_cut = 2;
	timeline_lock_formats(vt->stage->tl);
	tracefile_add_damage(vt->files[0],
			     "the file was cut while it was being read: what is gone is missing "
			     "here; if it is complete now, start sonde view again");
	timeline_unlock_formats(vt->stage->tl);
}

/* --- serving ----------------------------------------------------------------------------------- */

#define TOKEN_BYTES	128 /* longer than any that is right */
#define TICK_MS		300
#define LIVE_MMAP_BYTES (512 << 10)
#define LIVE_ARENAS	4
#define FINISH_MS	60000
#define FINISH_STEP_MS	100
#define FAILED_MAX	100 /* looks at a file that cannot be read, one after the other */

struct viewing {
	const struct view_options *o;
	char token[TOKEN_BYTES]; /* empty: a random one */
	const char *const *paths;
	size_t n;
	struct viewlive live; /* path NULL: nothing grows */
	struct viewtrace vt;
	struct httpd *hd;
	char *cache;
	struct viewbrowser browser;
	unsigned n_failed;
	bool was_raised; /* before we became the caller */
	bool is_lowered; /* from root to the caller */
	sigset_t ends;
};

/* Until the threads have read what they were given; the recorder waits for it, but not for long. */
static void let_index(struct timeline *tl)
{
	for (int i = 0; i < 100 && timeline_progress(tl) < 1; i++)
		usleep(5000);
}

/* Indexes what has come. The last look is after the recorder's end, so that nothing is missing. */
static void follow(struct viewing *v)
{
	struct stage *st = v->vt.stage;
	struct errmsg err = {0};
	bool is_on;
	int r;

	if (!viewlive_begin(&v->live, &is_on))
		return;
	r = timeline_refresh(st->tl, &err);
	let_index(st->tl);
	viewlive_done(&v->live);
	/* while its recorder finishes it, it may be no file that can be read */
	v->n_failed = r < 0 ? v->n_failed + 1 : 0;
	if (v->n_failed == FAILED_MAX)
		fprintf(stderr, "sonde: %s\n", err.text);
	if ((r == 0 && !is_on && timeline_progress(st->tl) >= 1) || v->n_failed == FAILED_MAX)
		stage_end_live(st);
}

static volatile sig_atomic_t was_ended;

static void on_end(int sig)
{
	was_ended = 1;
}

/*
 * While files are opened, signals have their usual effect: a pipe may let us wait forever. From now on
 * they end the serving. Threads that were started before may get them, too, and tell by the flag.
 */
static void catch_ends(struct viewing *v)
{
	const struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_RESTART};
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

	sigemptyset(&v->ends);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		sigaddset(&v->ends, ends[i]);
		sigaction(ends[i], &action, NULL);
	}
	pthread_sigmask(SIG_BLOCK, &v->ends, NULL);
}

/* Until somebody ends it. */
static void wait_for_end(struct viewing *v)
{
	const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};

	while (!was_ended && sigtimedwait(&v->ends, NULL, &tick) <= 0) {
		httpd_tick(v->hd);
		if (v->vt.stage->is_live)
			follow(v);
		else if (!v->live.path) /* a recorder that ends makes its file shorter */
			tell_of_cut(&v->vt);
	}
}

/* done: 0, and the kernel could not do it. */
static int tell_of_hole(int done, const char *what, const char *then)
{
	if (!done)
		fprintf(stderr, "sonde: this kernel has no %s, so the viewer's server %s\n", what,
			then);
	return done;
}

static int serve(struct viewing *v, struct errmsg *err)
{
	const struct view_options *o = v->o;
	int r = o->no_sandbox ? 0 : drop_capabilities(err);

	if (r >= 0 && !o->no_sandbox)
		r = tell_of_hole(sandbox_calls(v->cache || v->live.path, err), "seccomp",
				 "can make any system call");
	if (r >= 0)
		r = stage_start(v->vt.stage, v->cache, err);
	/* what is missing in the formats or names would be missing in every answer */
	if (r >= 0)
		r = shortage_check(err, "cannot show the trace");
	if (r >= 0)
		r = httpd_start(v->hd, v->vt.stage, err);
	if (r < 0)
		return r;
	printf("%s\n", httpd_address(v->hd));
	fflush(stdout);
	viewbrowser_start(&v->browser);
	wait_for_end(v);
	r = timeline_error(v->vt.stage->tl);
	return r < 0 ? errmsg_set_errno(err, r, "the index has holes") : 0;
}

/* Only for the remedy in the message: the kernel decides when the files are opened. */
static int check_readable(const struct viewing *v, struct errmsg *err)
{
	unsigned uid = getuid();

	for (size_t i = 0; i < v->n && v->was_raised; i++)
		if (access(v->paths[i], R_OK) < 0 && errno == EACCES)
			return errmsg_set(
				err, -EACCES,
				"user %u may not read %s, and sonde view serves with that "
				"user's rights; make a copy for the user: "
				"sudo install -o %u -m 600 %s COPY",
				uid, v->paths[i], uid, v->paths[i]);
	return 0;
}

/* What needs more rights than the caller's; afterwards we have no others. */
static int prepare(struct viewing *v, struct errmsg *err)
{
	const struct view_options *o = v->o;
	bool was_root = !geteuid();
	int r;

	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGBUS, &(struct sigaction){.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO},
		  NULL);
	if (!o->no_cache && !o->live)
		v->cache = viewcache_dir(o->beside ? v->paths[0] : NULL, o->cache_dir);
	r = httpd_listen(&v->hd, o->port, v->token[0] ? v->token : NULL, err);
	if (r >= 0 && !o->no_browser)
		viewbrowser_prepare(&v->browser, httpd_address(v->hd));
	v->was_raised = caller_is_raised();
	if (r >= 0)
		r = become_caller(err);
	v->is_lowered = was_root && geteuid();
	return r;
}

static int view(struct viewing *v, struct errmsg *err)
{
	const struct view_options *o = v->o;
	int r = check_readable(v, err);

	if (r >= 0 && v->is_lowered)
		fprintf(stderr, "sonde: serving as user %u, no longer as root\n",
			(unsigned)geteuid());
	if (r >= 0 && !o->no_sandbox && are_files(v->paths, v->n))
		r = tell_of_hole(sandbox_paths(v->paths, v->n, v->cache, err), "Landlock",
				 "can open any file that you can");
	if (r >= 0)
		r = viewtrace_open(&v->vt, v->paths, v->n,
				   v->live.path ? VIEWTRACE_LIVE : VIEWTRACE_VIEW, err);
	if (r >= 0)
		catch_ends(v);
	return r < 0 ? r : serve(v, err);
}

static void stop(struct viewing *v)
{
	viewbrowser_end(&v->browser);
	httpd_stop(v->hd);
	viewtrace_close(&v->vt);
	free(v->cache);
	v->cache = NULL;
}

/* Only the recorder keeps our rights; to the server its file is like any other, except that it grows. */
static int view_live(struct viewing *v, struct view_options *o, int n, char **argv,
		     struct errmsg *err)
{
	const char *path;
	bool records = plan_does_something(&o->record.plan) || !n;
	int r = 0, status;

	if (!records && n != 1)
		return errmsg_set(err, -EINVAL, "--live follows one file, or records (-e …)");
	/* what is made again and again, megabytes at a time, goes back to the system, and not to the heap's holes */
	mallopt(M_MMAP_THRESHOLD, LIVE_MMAP_BYTES);
	mallopt(M_ARENA_MAX, LIVE_ARENAS);
	if (records) {
		argv[n + 1] = NULL;
		r = recordopts_check(&o->record, n > 0, err);
		if (r >= 0 && !plan_does_something(&o->record.plan))
			r = live_request_add_defaults(&o->record, err);
	}
	if (r < 0)
		return r;
	path = argv[1];
	v->paths = &path;
	v->n = 1;
	if (records)
		r = viewlive_record(&v->live, &o->record, n ? argv + 1 : NULL, err);
	if (r >= 0)
		r = prepare(v, err);
	if (r >= 0 && !records)
		r = check_readable(v, err);
	if (r >= 0)
		r = records ? viewlive_wait(&v->live, err) : viewlive_follow(&v->live, path, err);
	path = v->live.path;
	if (r >= 0)
		r = view(v, err);
	stop(v);
	status = viewlive_end(&v->live);
	return r == -ECANCELED || (r >= 0 && status) ? status : r;
}

/* With no other rights than the caller's. */
static int open_as_caller(const char *path)
{
	struct caller_scope scope;
	struct caller c;
	int fd;

	if (!caller_enter(&scope) && caller_find(&c)) {
		errno = EPERM;
		return -1;
	}
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	caller_leave(&scope);
	return fd;
}

/* Whoever can read the file can look at the trace. */
static int read_token_file(const char *path, char token[TOKEN_BYTES], struct errmsg *err)
{
	int fd = open_as_caller(path);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0) {
		int r = errmsg_set_errno(err, -errno, "cannot read %s", path);

		if (fd >= 0)
			close(fd);
		return r;
	}
	n = S_ISREG(st.st_mode) && !(st.st_mode & 077) ? read(fd, token, TOKEN_BYTES - 1) : -1;
	close(fd);
	if (n < 0)
		return errmsg_set(
			err, -EPERM,
			"%s must be an ordinary file that only its owner can read; chmod 600 "
			"helps",
			path);
	token[n] = 0;
	token[strcspn(token, "\n")] = 0;
	return *token ? 0 : errmsg_set(err, -EINVAL, "%s has no token in its first line", path);
}

/* Takes the token out of the arguments, before there are other processes that show them as well. */
static int take_token(struct viewing *v, const struct view_options *o, struct errmsg *err)
{
	if (o->token && o->token_file)
		return errmsg_set(err, -EINVAL, "--token and --token-file exclude each other");
	if (o->token_file)
		return read_token_file(o->token_file, v->token, err);
	if (!o->token)
		return 0;
	if (caller_is_raised()) /* sudo's own command line, its log and SUDO_COMMAND keep it */
		return errmsg_set(
			err, -EPERM,
			"--token can be seen in the command line of sudo; use --token-file");
	snprintf(v->token, sizeof(v->token), "%s", o->token);
	memset((char *)o->token, 'x', strlen(o->token));
	return *v->token ? 0 : errmsg_set(err, -EINVAL, "--token is empty");
}

/* What can be told from the options alone. */
static int check_options(const struct view_options *o, struct errmsg *err)
{
	if (o->port < 0 || o->port > 65535)
		return errmsg_set(err, -EINVAL, "--port is a number up to 65535");
	if (o->no_cache + o->beside + !!o->cache_dir > 1)
		return errmsg_set(err, -EINVAL,
				  "--no-cache, --cache-dir and --beside exclude each other");
	if (!o->live && (plan_does_something(&o->record.plan) || o->record.output))
		return errmsg_set(err, -EINVAL, "options of a recording go with --live");
	return 0;
}

/* A command has options of its own: with --live ours end where it begins. */
static int parse(const struct command *cmd, struct view_options *o, int argc, char **argv,
		 struct errmsg *err)
{
	struct command stopping = *cmd;

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--live"))
			stopping.parse_flags = OPTIONS_STOP_AT_ARGUMENT;
	return command_parse(&stopping, o, argc, argv, err);
}

/* A recorder that finishes its file moves what is in it. */
static enum livefile_stage wait_for_recorder(const char *path)
{
	enum livefile_stage stage = LIVEFILE_DONE;
	/* a pipe is opened once: its writer fails if a reader comes and goes */
	int fd = are_files(&path, 1) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

	for (int ms = 0; fd >= 0 && ms < FINISH_MS; ms += FINISH_STEP_MS) {
		stage = livefile_ask(fd);
		if (stage != LIVEFILE_MOVES)
			break;
		if (!ms)
			fprintf(stderr, "sonde: waiting until %s is complete\n", path);
		usleep(FINISH_STEP_MS * 1000);
	}
	if (fd >= 0)
		close(fd);
	return stage;
}

/* One file: as if --live was given, if it grows. */
static int view_files(struct viewing *v, struct errmsg *err)
{
	const char *path = v->paths[0];
	int r = prepare(v, err);

	if (r >= 0)
		r = check_readable(v, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < v->n; i++)
		if (wait_for_recorder(v->paths[i]) != LIVEFILE_DONE && v->n > 1)
			fprintf(stderr,
				"sonde: %s is being recorded: what comes from now on is not "
				"shown\n",
				v->paths[i]);
	if (v->n > 1 || wait_for_recorder(path) == LIVEFILE_DONE)
		return view(v, err);
	fprintf(stderr, "sonde: %s is being recorded: following it, as with --live\n", path);
	free(v->cache); /* of what grows no index is kept */
	v->cache = NULL;
	r = viewlive_follow(&v->live, path, err);
	return r < 0 ? r : view(v, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	static const char *const first[] = {"trace.dat"};
	struct view_options o = {0};
	struct viewing v = {
		.o = &o, .paths = first, .n = 1, .live = VIEWLIVE_NONE, .browser = {.fd = -1}};
	int n, r;

	n = recordopts_init(&o.record);
	if (n >= 0)
		n = parse(cmd, &o, argc, argv, err);
	r = n < 0 ? n : check_options(&o, err);
	if (r >= 0)
		r = take_token(&v, &o, err);
	if (r >= 0 && n && !o.live) {
		v.paths = (const char *const *)argv + 1;
		v.n = n;
	}
	if (r >= 0 && o.live) {
		r = view_live(&v, &o, n, argv, err);
	} else if (r >= 0) {
		r = view_files(&v, err);
		stop(&v);
		viewlive_end(&v.live);
	}
	live_request_release(&o.record);
	return r;
}

const struct command cmd_view = {
	.name = "view",
	.summary = "show a trace in a browser",
	.usage = "[options] [FILE… | --live [FILE | COMMAND [ARGUMENT…]]]",
	.options = rows,
	.args = "file",
	.run = run,
};
