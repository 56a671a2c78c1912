// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * python.c - scripts in Python, which run in a process of their own.
 *
 *	sonde ──── batches of calls, in marshal's form ────▶ python3 driver.py SCRIPT
 *	      ◀─── functions of the script, errors, status ───
 *
 * The process is the python3 of $PATH, any version from 3.4 on, so a script has the packages of its
 * user's environment. A libpython in this process could be another version, and is often not
 * installed. Reading marshal's form costs as much as building the same dicts with the functions of
 * libpython, and both processes work at the same time.
 *
 * Calls are collected up to BATCH_BYTES. A script that fails ends its process; sonde notices when
 * it sends the next batch, and reads why.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "script/driver.h"
#include "script/language.h"
#include "script/marshal.h"
#include "script/script.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCH_BYTES	(64u << 10)
#define BATCH_MAX_BYTES (64u << 20)
#define ANSWER_MAX	(4u << 20)
#define FUNCTIONS_MAX	100000
#define NESTING_MAX	16
#define CHANNEL_FD	3 /* as driver.py expects it */

/* A dict or list that is being filled. */
struct open_value {
	size_t count_at; /* of a list: where its number of values is; 0: a dict */
	uint32_t n;
};

struct python_run {
	const struct script_spec *spec;
	pid_t pid;
	int fd;
	struct textbuf batch, answer;
	struct marshal m;
	size_t list_at;
	uint32_t n_values; /* of the batch: two for each call */
	bool has_argument;
	char **functions; /* names, in the order of their numbers */
	size_t n_functions, cap_functions;
	char *lists; /* the lines of the answer that are not about functions */
	struct open_value open[NESTING_MAX];
	int n_open;
	bool is_over; /* the process has ended or wants no more */
	int status;
};

/*
 * --- the process -------------------------------------------------------------------------------
 */

static void run_driver(int fd, const struct script_spec *spec)
{
	const char **argv = calloc(spec->n_args + 6, sizeof(*argv));
	size_t n = 0;

	if (!argv)
		_exit(126);
	argv[n++] = "python3";
	argv[n++] = "-c";
	argv[n++] = (const char *)script_driver;
	argv[n++] = spec->path;
	for (size_t i = 0; i < spec->n_args; i++)
		argv[n++] = spec->args[i];
	if (fd == CHANNEL_FD)
		fcntl(fd, F_SETFD, 0);
	else if (dup2(fd, CHANNEL_FD) < 0)
		_exit(126);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], (char **)argv);
	_exit(errno == ENOENT ? 127 : 126);
}

static int start_process(struct python_run *p, struct errmsg *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return errmsg_set_errno(err, -errno, "cannot start python3");
	fflush(NULL);
	p->pid = fork();
	if (!p->pid) {
		close(ends[0]);
		run_driver(ends[1], p->spec);
	}
	close(ends[1]);
	p->fd = ends[0];
	return p->pid < 0 ? errmsg_set_errno(err, -errno, "cannot start python3") : 0;
}

/* The exit status, as a shell has it. */
static int wait_for(struct python_run *p)
{
	int status = 0;

	if (p->pid <= 0)
		return p->status;
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
	p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return p->status;
}

/* Reads until an empty line, or until the process has closed its end. */
static void read_answer(struct python_run *p, bool until_gap)
{
	ssize_t n;

	for (;;) {
		char *to = textbuf_reserve(&p->answer, 4096);
		size_t len;

		n = p->answer.overflow ? 0 : read(p->fd, to, 4096);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		textbuf_commit(&p->answer, to + n);
		len = textbuf_len(&p->answer);
		if (until_gap && p->answer.start[len - 1] == '\n' &&
		    (len == 1 || p->answer.start[len - 2] == '\n'))
			return;
	}
}

/* The process has ended, or is about to: why? 1: by itself. */
static int settle(struct python_run *p, struct errmsg *err)
{
	const char *text, *line;
	int status;

	p->is_over = true;
	shutdown(p->fd, SHUT_WR); /* it may still wait for more: an answer was not read */
	read_answer(p, false);
	text = textbuf_text(&p->answer);
	status = wait_for(p);
	line = !strncmp(text, "error ", 6) ? text : strstr(text, "\nerror ");
	if (line) {
		line = strchr(line, ' ') + 1;
		return errmsg_set(err, -EBADMSG, "%.*s", (int)strcspn(line, "\n"), line);
	}
	if (strstr(text, "exit "))
		return 1;
	if (status == 127)
		return errmsg_set(err, -ENOENT, "a Python script needs python3: install it");
	if (status > 128)
		return errmsg_set(err, -EIO, "python3 was killed by signal %d", status - 128);
	return status ? errmsg_set(err, -EIO, "python3 ended with status %d", status) : 1;
}

/* 0; 1: the script has ended by itself. */
static int send_all(struct python_run *p, const char *data, size_t len, struct errmsg *err)
{
	while (len) {
		ssize_t n = send(p->fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return settle(p, err);
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/*
 * --- what the script has -----------------------------------------------------------------------
 */

static int take_function(struct python_run *p, char *name, struct errmsg *err)
{
	if (!ARRAY_ROOM(p->functions, p->cap_functions, p->n_functions + 1, FUNCTIONS_MAX))
		return errmsg_set_errno(err, -ENOMEM, "cannot run %s", p->spec->path);
	p->functions[p->n_functions++] = name;
	return 0;
}

static int take_answer(struct python_run *p, struct errmsg *err)
{
	char *line, *rest;

	read_answer(p, true);
	if (p->answer.overflow || !textbuf_len(&p->answer) || p->answer.pos[-1] != '\n' ||
	    (textbuf_len(&p->answer) > 1 && p->answer.pos[-2] != '\n')) {
		int r = settle(p, err);

		return r < 0 ? r : 0;
	}
	textbuf_text(&p->answer);
	p->lists = textbuf_take(&p->answer);
	textbuf_init(&p->answer, ANSWER_MAX);
	rest = p->lists;
	while ((line = strsep(&rest, "\n")))
		if (!strncmp(line, "def ", 4))
			TRY(take_function(p, line + 4, err));
	return 0;
}

static int python_find(void *run, const char *name)
{
	struct python_run *p = run;

	for (size_t i = 0; i < p->n_functions; i++)
		if (!strcmp(p->functions[i], name))
			return (int)i;
	return LANGUAGE_NONE;
}

static bool python_has_event_functions(void *run)
{
	const struct python_run *p = run;

	for (size_t i = 0; i < p->n_functions; i++) {
		const char *mid = strstr(p->functions[i], "__");

		if (mid && mid > p->functions[i] && mid[2])
			return true;
	}
	return false;
}

/* The lines that take_answer() has cut: they follow those of the functions. */
static void python_each(void *run, const char *name, void (*add)(void *ctx, const char *text),
			void *ctx)
{
	struct python_run *p = run;
	size_t len = strlen(name);

	for (const char *line = p->lists; line && *line; line += strlen(line) + 1)
		if (!strncmp(line, name, len) && line[len] == ' ')
			add(ctx, line + len + 1);
}

/*
 * --- a call ------------------------------------------------------------------------------------
 */

static void begin_batch(struct python_run *p)
{
	textbuf_clear(&p->batch);
	marshal_restart(&p->m);
	textbuf_add(&p->batch, "\0\0\0\0", 4); /* its length, later */
	marshal_open_tuple(&p->m, 2);
	marshal_put_none(&p->m);
	p->list_at = marshal_open_list(&p->m);
	p->n_values = 0;
}

static int send_batch(struct python_run *p, struct errmsg *err)
{
	uint32_t len = (uint32_t)textbuf_len(&p->batch) - 4;
	int r;

	if (p->is_over || !p->n_values)
		return p->is_over;
	if (p->batch.overflow)
		return errmsg_set(err, -E2BIG, "an event is too large for a script");
	marshal_set_count(&p->m, p->list_at, p->n_values);
	for (int i = 0; i < 4; i++)
		p->batch.start[i] = (char)(len >> 8 * i);
	r = send_all(p, p->batch.start, textbuf_len(&p->batch), err);
	begin_batch(p);
	return r;
}

static void python_start(void *run, int function, bool has_argument, int n_keys)
{
	struct python_run *p = run;

	marshal_put_int(&p->m, function);
	p->n_values += 2;
	p->has_argument = has_argument;
	p->n_open = 0;
	p->open[0] = (struct open_value){0};
	if (has_argument)
		marshal_open_dict(&p->m);
	else
		marshal_put_none(&p->m);
}

static void put_key(struct python_run *p, const char *key)
{
	if (key)
		marshal_put_name(&p->m, key, strlen(key));
	else
		p->open[p->n_open].n++;
}

static void python_put_int(void *run, const char *key, int64_t v)
{
	struct python_run *p = run;

	put_key(p, key);
	marshal_put_int(&p->m, v);
}

static void python_put_uint(void *run, const char *key, uint64_t v)
{
	struct python_run *p = run;

	put_key(p, key);
	marshal_put_uint(&p->m, v);
}

static void python_put_real(void *run, const char *key, double v)
{
	struct python_run *p = run;

	put_key(p, key);
	marshal_put_real(&p->m, v);
}

static void python_put_bool(void *run, const char *key, bool v)
{
	struct python_run *p = run;

	put_key(p, key);
	marshal_put_bool(&p->m, v);
}

static void python_put_none(void *run, const char *key)
{
	struct python_run *p = run;

	put_key(p, key);
	marshal_put_none(&p->m);
}

static void python_put_text(void *run, const char *key, const char *text, size_t len)
{
	struct python_run *p = run;

	put_key(p, key);
	marshal_put_text(&p->m, text, len);
}

static void python_put_name(void *run, const char *key, const char *name, size_t len)
{
	struct python_run *p = run;

	put_key(p, key);
	marshal_put_name(&p->m, name, len);
}

static void python_open_table(void *run, const char *key, int n_keys)
{
	struct python_run *p = run;

	assert(p->n_open + 1 < NESTING_MAX);
	put_key(p, key);
	marshal_open_dict(&p->m);
	p->open[++p->n_open] = (struct open_value){0};
}

static void python_open_list(void *run, const char *key, int n)
{
	struct python_run *p = run;

	assert(p->n_open + 1 < NESTING_MAX);
	put_key(p, key);
	p->open[++p->n_open] = (struct open_value){.count_at = marshal_open_list(&p->m)};
}

static void python_open_tuple(void *run, const char *key, int n)
{
	struct python_run *p = run;

	assert(p->n_open + 1 < NESTING_MAX);
	put_key(p, key);
	p->open[++p->n_open] = (struct open_value){.count_at = marshal_open_values(&p->m)};
}

static void python_close(void *run)
{
	struct python_run *p = run;
	const struct open_value *v = &p->open[p->n_open--];

	if (v->count_at)
		marshal_set_count(&p->m, v->count_at, v->n);
	else
		marshal_close_dict(&p->m);
}

static int python_call(void *run, struct errmsg *err)
{
	struct python_run *p = run;

	if (p->has_argument)
		marshal_close_dict(&p->m);
	return textbuf_len(&p->batch) < BATCH_BYTES && !p->batch.overflow ? p->is_over
									  : send_batch(p, err);
}

static int python_end(void *run, int *ret_status, struct errmsg *err)
{
	struct python_run *p = run;
	int r = send_batch(p, err);

	if (!r)
		r = send_all(p, "\0\0\0\0", 4, err);
	if (!r)
		r = settle(p, err);
	*ret_status = p->status;
	return r < 0 ? r : 0;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

static void python_shut(void *run)
{
	struct python_run *p = run;

	if (p->fd >= 0)
		close(p->fd); /* the process ends when it reads the end */
	wait_for(p);
	marshal_release(&p->m);
	textbuf_release(&p->batch);
	textbuf_release(&p->answer);
	free(p->functions);
	free(p->lists);
	free(p);
}

SCOPED_POINTER(struct python_run, python_shut)

static int python_open(void **ret, const struct script_spec *spec, struct errmsg *err)
{
	SCOPED(python_shut_scoped) struct python_run *p = calloc(1, sizeof(*p));

	if (!p)
		return errmsg_set_errno(err, -ENOMEM, "cannot start python3");
	p->spec = spec;
	p->fd = -1;
	textbuf_init(&p->batch, BATCH_MAX_BYTES);
	textbuf_init(&p->answer, ANSWER_MAX);
	p->m.out = &p->batch;
	begin_batch(p);
	TRY(start_process(p, err));
	TRY(take_answer(p, err));
	*ret = TAKE(p);
	return 0;
}

static const char example[] =
	"# Counts the calls of each function, and sums their time.\n"
	"# Try: sonde record -u ./prog && sonde script FILE.py trace.dat\n"
	"from collections import Counter\n"
	"\n"
	"calls, time = Counter(), Counter()\n"
	"\n"
	"\n"
	"def sonde_begin(ctx):\n"
	"    \"\"\"Before the first event. ctx: record, version, trace, cmds\"\"\"\n"
	"    print('functions in', ctx['trace'])\n"
	"\n"
	"\n"
	"def sonde_entry(ctx):\n"
	"    \"\"\"A function is called. ctx: timestamp, cpu, tid, pid, task, depth, name, "
	"address, module, source, args\"\"\"\n"
	"    calls[ctx['name']] += 1\n"
	"\n"
	"\n"
	"def sonde_exit(ctx):\n"
	"    \"\"\"It returns. ctx: the same with duration (ns) and retval; open: it did not "
	"return\"\"\"\n"
	"    time[ctx['name']] += ctx.get('duration', 0)\n"
	"\n"
	"\n"
	"def sonde_event(ctx):\n"
	"    \"\"\"Any other event. ctx: timestamp, cpu, tid, task, name, system, event, info, "
	"fields\"\"\"\n"
	"\n"
	"\n"
	"def sched__sched_switch(ctx):\n"
	"    \"\"\"Only this event, instead of sonde_event.\"\"\"\n"
	"    # print(ctx['task'], '->', ctx['fields']['next_comm'])\n"
	"\n"
	"\n"
	"def sonde_end():\n"
	"    for name, n in calls.most_common():\n"
	"        print(f'{n:8} calls {time[name] / 1000:12.3f} us  {name}')\n";

const struct language language_python = {
	.ending = ".py",
	.example = example,
	.open = python_open,
	.shut = python_shut,
	.find = python_find,
	.has_event_functions = python_has_event_functions,
	.each = python_each,
	.start = python_start,
	.put_int = python_put_int,
	.put_uint = python_put_uint,
	.put_real = python_put_real,
	.put_bool = python_put_bool,
	.put_text = python_put_text,
	.put_name = python_put_name,
	.put_none = python_put_none,
	.open_table = python_open_table,
	.open_list = python_open_list,
	.open_tuple = python_open_tuple,
	.close = python_close,
	.call = python_call,
	.end = python_end,
};
