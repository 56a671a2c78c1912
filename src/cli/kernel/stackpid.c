// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stackpid.c - prints what stackshot.h found.
 *
 *	thread 4711 (worker), sleeping
 *	  kernel
 *	    futex_wait_queue+0x5c/0x90
 *	    …
 *	  user
 *	    __futex_abstimed_wait+0xc4           /usr/lib/x86_64-linux-gnu/libc.so.6
 *	    take_job (inlined)                   queue.c:41
 *	    work                                 worker.c:12
 */
#include "cli/kernel/stackpid.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/json/json.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/stacks/stackshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES (256u << 20)
#define NAME_WIDTH     40

static const char *state_word(char state)
{
	static const struct {
		char letter;
		const char *word;
	} states[] = {{'R', "running"}, {'S', "sleeping"}, {'D', "uninterruptible sleep"},
		      {'T', "stopped"}, {'t', "traced"},   {'Z', "zombie"},
		      {'X', "dead"},	{'I', "idle"}};

	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		if (states[i].letter == state)
			return states[i].word;
	return "unknown state";
}

static const char *user_problem(const struct stackshot_thread *t, pid_t tracer)
{
	switch (t->why) {
	case -EBUSY:
		return "it did not stop within 200 ms";
	case -ESRCH:
		return "it has ended";
	case -EPERM:
	case -EACCES:
		return tracer ? "another program traces it (TracerPid in /proc/PID/status)"
			      : "not allowed: become root";
	default:
		return strerror(-t->why);
	}
}

static void fmt_function(const struct stackshot_frame *f, char *buf, size_t n_bytes)
{
	if (!f->function)
		snprintf(buf, n_bytes, "0x%llx", (unsigned long long)f->address);
	else if (f->is_inlined)
		snprintf(buf, n_bytes, "%s (inlined)", f->function);
	else if (!f->line && f->offset)
		snprintf(buf, n_bytes, "%s+0x%llx", f->function, (unsigned long long)f->offset);
	else
		snprintf(buf, n_bytes, "%s", f->function);
}

static void add_frame(struct textbuf *tb, const struct stackshot_frame *f)
{
	char name[512];

	fmt_function(f, name, sizeof(name));
	textbuf_addf(tb, "    %-*s ", NAME_WIDTH, name);
	if (f->line && f->file)
		textbuf_addf(tb, "%s:%u", f->file, f->line);
	else
		textbuf_add_str(tb, f->module ? f->module : "unknown");
	textbuf_add_char(tb, '\n');
}

/* "[<0>] futex_wait_queue+0x5c/0x90" without the address, which is always 0. */
static void add_kernel(struct textbuf *tb, const struct stackshot_thread *t)
{
	const char *line = t->kernel;

	textbuf_add_str(tb, "  kernel\n");
	if (!line)
		textbuf_addf(tb, "    not readable: %s\n",
			     t->kernel_why == -ENOENT ? "this kernel has no /proc/PID/stack"
						      : strerror(-t->kernel_why));
	while (line && *line) {
		size_t len = strcspn(line, "\n");
		const char *word = memchr(line, ']', len);

		word = word ? word + 1 + (word[1] == ' ') : line;
		textbuf_addf(tb, "    %.*s\n", (int)(len - (size_t)(word - line)), word);
		line += len + (line[len] == '\n');
	}
	if (line && line == t->kernel)
		textbuf_add_str(tb, "    (running in user mode)\n");
}

static void add_user(struct textbuf *tb, const struct stackshot_thread *t, pid_t tracer)
{
	if (t->is_kernel_thread)
		return;
	textbuf_add_str(tb, "  user\n");
	if (t->why)
		textbuf_addf(tb, "    not readable: %s\n", user_problem(t, tracer));
	for (size_t i = 0; i < t->n_frames; i++)
		add_frame(tb, &t->frames[i]);
	if (t->is_cut)
		textbuf_add_str(tb, "    … its caller is unknown\n");
}

static void add_json_text(struct textbuf *tb, const char *key, const char *text)
{
	textbuf_addf(tb, ", \"%s\": ", key);
	json_add_string(tb, text, strlen(text));
}

static void add_json(struct textbuf *tb, const struct stackshot_thread *t, pid_t tracer)
{
	textbuf_addf(tb, "{\"tid\": %d", t->tid);
	add_json_text(tb, "comm", t->comm);
	add_json_text(tb, "state", state_word(t->state));
	if (t->kernel)
		add_json_text(tb, "kernel", t->kernel);
	if (t->why)
		add_json_text(tb, "problem", user_problem(t, tracer));
	textbuf_add_str(tb, ", \"user\": [");
	for (size_t i = 0; i < t->n_frames; i++) {
		const struct stackshot_frame *f = &t->frames[i];

		textbuf_addf(tb, "%s{\"address\": ", i ? ", " : "");
		json_add_hex(tb, f->address);
		if (f->function)
			add_json_text(tb, "function", f->function);
		if (f->file)
			add_json_text(tb, "file", f->file);
		if (f->line)
			textbuf_addf(tb, ", \"line\": %u", f->line);
		if (f->module)
			add_json_text(tb, "module", f->module);
		if (f->is_inlined)
			textbuf_add_str(tb, ", \"inlined\": true");
		textbuf_add_char(tb, '}');
	}
	textbuf_add_str(tb, "]}\n");
}

static void add_thread(struct textbuf *tb, const struct stackshot_thread *t,
		       const struct stackpid_choice *choice, pid_t tracer)
{
	bool has_stacks = t->state != 'Z' && t->state != 'X';

	textbuf_addf(tb, "thread %d (%s), %s\n", t->tid, t->comm, state_word(t->state));
	if (!has_stacks)
		textbuf_addf(tb, "  (%s: it has no stacks)\n", state_word(t->state));
	if (has_stacks && !choice->no_kernel)
		add_kernel(tb, t);
	if (has_stacks && !choice->no_user)
		add_user(tb, t, tracer);
	textbuf_add_char(tb, '\n');
}

static int show_one(pid_t pid, const struct stackpid_choice *choice, struct textbuf *tb,
		    struct errmsg *err)
{
	struct stackshot *shot;

	TRY(stackshot_take(&shot, pid, choice->no_user, err));
	for (size_t i = 0; i < stackshot_n(shot); i++) {
		const struct stackshot_thread *t = stackshot_at(shot, i);

		if (choice->is_json) {
			add_json(tb, t, stackshot_tracer(shot));
			continue;
		}
		add_thread(tb, t, choice, stackshot_tracer(shot));
	}
	stackshot_free(shot);
	return 0;
}

int stackpid_show(int n, char **pids, const struct stackpid_choice *choice, struct errmsg *err)
{
	TEXTBUF(tb, TEXT_MAX_BYTES);
	int r = 0;

	for (int i = 0; i < n && r >= 0; i++) {
		char *end;
		long pid = strtol(pids[i], &end, 10);

		if (end == pids[i] || *end || pid < 1 || pid > 1 << 22)
			return errmsg_set(err, -EINVAL, "stack: '%s' is not a process id", pids[i]);
		r = show_one((pid_t)pid, choice, &tb, err);
	}
	/* those before one that does not exist, too */
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	fflush(stdout);
	return r;
}
