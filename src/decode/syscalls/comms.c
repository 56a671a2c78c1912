// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * comms.c - names of threads beside their numbers, for -Y: kill(812<sleep>, SIGTERM).
 *
 * /proc has the name of a thread only while it lives, and as it is now. So names are learned from
 * calls: a child has its parent's name, execve() gives that of the file, prctl(PR_SET_NAME) another
 * one. Only of a thread of which nothing is known yet /proc is asked. After its end a thread has no
 * name: its number may be another's.
 */
#include "base/array.h"
#include "base/map.h"
#include "decode/syscalls/text_int.h"
#include "store/events/syscallevents.h"

#include <stdlib.h>
#include <sys/prctl.h>

#define COMMS_MAX  65536
#define COMM_BYTES 16

struct comm {
	char text[COMM_BYTES];
};

struct syscallcomms {
	struct map by_pid;
};

struct syscallcomms *syscallcomms_new(void)
{
	return calloc(1, sizeof(struct syscallcomms));
}

void syscallcomms_free(struct syscallcomms *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->by_pid.n_slots; i++)
		free(s->by_pid.slots[i].value);
	map_release(&s->by_pid);
	free(s);
}

static void set(struct syscallcomms *s, int32_t pid, const char *text, size_t n)
{
	void **place = map_take(&s->by_pid, (uint32_t)pid, COMMS_MAX);
	struct comm *comm;

	if (place && !*place)
		*place = calloc(1, sizeof(struct comm));
	comm = place ? *place : NULL;
	if (!comm)
		return;
	n = n < COMM_BYTES - 1 ? n : COMM_BYTES - 1;
	memcpy(comm->text, text, n);
	comm->text[n] = 0;
}

void syscallcomms_add(struct syscallcomms *s, int32_t pid, const char *comm)
{
	if (s)
		set(s, pid, comm, strlen(comm));
}

/* NULL: unknown. Asks /proc about a thread of which nothing is known. */
static const char *find(struct printing *p, int32_t pid)
{
	struct syscallcomms *s = p->state->comms;
	const struct comm *comm = map_find(&s->by_pid, (uint32_t)pid);
	char text[64];
	size_t n;

	if (!comm && p->o->find_comm) {
		n = p->o->find_comm(pid, text, sizeof(text));
		if (n)
			set(s, pid, text, n);
		comm = map_find(&s->by_pid, (uint32_t)pid);
	}
	return comm ? comm->text : NULL;
}

/* --- learning --------------------------------------------------------------------------------- */

static const char *string_of(struct printing *p, uint64_t address, size_t *ret_len)
{
	uint8_t flags, when = p->when;
	const char *s;
	size_t n;

	p->when = SYSCALLEVENTS_AT_ENTRY;
	s = (const char *)peek_some(p, address, 4096, &n, &flags);
	p->when = when;
	if (s)
		*ret_len = strnlen(s, n);
	return s;
}

static void learn_exec(struct syscallcomms *s, struct printing *p, unsigned arg)
{
	size_t n;
	const char *path = string_of(p, arg_of(p, arg), &n);
	const char *slash = path ? memrchr(path, '/', n) : NULL;

	if (slash)
		set(s, p->call->pid, slash + 1, n - (size_t)(slash + 1 - path));
	else if (path)
		set(s, p->call->pid, path, n);
}

static bool is_call(const struct printing *p, const char *name)
{
	return p->type && !strcmp(p->type->name, name);
}

static bool is_fork(const struct printing *p)
{
	return is_call(p, "clone") || is_call(p, "clone3") || is_call(p, "fork") ||
	       is_call(p, "vfork");
}

bool syscallcomms_matter(const char *call)
{
	static const char *const names[] = {"clone", "clone3", "execve", "execveat",
					    "fork",  "prctl",  "vfork"};

	return ARRAY_ANY(ARRAY_LEN(names), i, !strcmp(call, names[i]));
}

void syscallcomms_learn_child(struct syscallcomms *s, struct printing *p)
{
	const char *comm;

	if (!s || p->call->type != SYSCALLEVENTS_CALL || p->failed || !is_fork(p) ||
	    p->call->ret <= 0 || map_find(&s->by_pid, (uint32_t)p->call->ret))
		return;
	comm = find(p, p->call->pid);
	if (comm)
		set(s, (int32_t)p->call->ret, comm, strlen(comm));
}

void syscallcomms_learn(struct syscallcomms *s, struct printing *p)
{
	const char *name;
	size_t n;

	if (!s || p->call->type != SYSCALLEVENTS_CALL || p->failed)
		return;
	if (is_call(p, "execve"))
		learn_exec(s, p, 0);
	else if (is_call(p, "execveat"))
		learn_exec(s, p, 1);
	else if (is_call(p, "prctl") && arg_of(p, 0) == PR_SET_NAME &&
		 (name = string_of(p, arg_of(p, 1), &n)))
		set(s, p->call->pid, name, n);
}

void syscallcomms_forget(struct syscallcomms *s, int32_t pid)
{
	if (s)
		free(map_remove(&s->by_pid, (uint32_t)pid));
}

/* --- text ------------------------------------------------------------------------------------- */

void fmt_name_of(struct printing *p, int32_t pid)
{
	const char *comm = p->state->comms && pid > 0 ? find(p, pid) : NULL;

	if (!comm)
		return;
	textbuf_add_char(p->tb, '<');
	for (; *comm; comm++)
		if (*comm < ' ' || *comm == 0x7f || strchr("<>\\", *comm))
			textbuf_addf(p->tb, "\\%o", (unsigned char)*comm);
		else
			textbuf_add_char(p->tb, *comm);
	textbuf_add_char(p->tb, '>');
}

void fmt_pid(struct printing *p, int32_t pid)
{
	textbuf_add_signed(p->tb, pid);
	fmt_name_of(p, pid);
}

/* Results that are numbers of threads; those of process groups and sessions get no names. */
void fmt_pid_result(struct printing *p)
{
	textbuf_add_signed(p->tb, p->call->ret);
	if (is_fork(p) || is_call(p, "getpid") || is_call(p, "getppid") || is_call(p, "gettid") ||
	    is_call(p, "set_tid_address") || is_call(p, "wait4") || is_call(p, "waitpid"))
		fmt_name_of(p, (int32_t)p->call->ret);
}
