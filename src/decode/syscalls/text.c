// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * text.c - the line of a system call: name, arguments, result.
 *
 *	newfstatat(3, "", {st_mode=S_IFREG|0644, st_size=26, ...}, AT_EMPTY_PATH) = 0
 *	└ name     └ by the types of symbols/syscalls, printer by printer        └ result, note
 *
 * strace writes an argument when it is known: at the entry, or at the exit if the call writes it.
 * Here the whole call is known, and the text remembers how far an entry would have come (n_entry).
 */
#include "base/textbuf.h"
#include "decode/syscalls/text_int.h"

#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <errno.h>
#include <linux/audit.h>
#include <stdlib.h>

#define ERRNO_MAX      4095
#define RESTART_FIRST  512
#define RESTART_LAST   516
#define STRING_DEFAULT 32
#define MACHINE_64_BIT 0x80000000u /* __AUDIT_ARCH_64BIT */

int syscalltext_new(struct syscalltext **ret, const struct syscalltext_options *o)
{
	struct syscalltext *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	if (o)
		t->o = *o;
	if (!t->o.string_limit)
		t->o.string_limit = t->o.no_strings ? 0 : STRING_DEFAULT;
	t->fds = syscallfds_new();
	t->sockets = t->o.paths > 1 ? syscallsockets_new() : NULL;
	t->comms = t->o.comms ? syscallcomms_new() : NULL;
	if (!t->fds || (t->o.paths > 1 && !t->sockets) || (t->o.comms && !t->comms)) {
		syscalltext_free(t);
		return -ENOMEM;
	}
	*ret = t;
	return 0;
}

bool syscalltext_shows_devices(const struct syscalltext *t)
{
	return t->o.paths > 1;
}

void syscalltext_free(struct syscalltext *t)
{
	if (!t)
		return;
	syscallfds_free(t->fds);
	syscallsockets_free(t->sockets);
	syscallcomms_free(t->comms);
	free(t);
}

int syscalltext_add_path(struct syscalltext *t, int32_t tgid, int fd, const char *path,
			 bool cloexec)
{
	return syscallfds_add(t->fds, tgid, fd, path, cloexec);
}

void syscalltext_distrust(struct syscalltext *t, int32_t tgid)
{
	syscallfds_distrust(t->fds, tgid);
}

void syscalltext_lose(struct syscalltext *t)
{
	syscallfds_clear(t->fds);
}

static bool has_bit(const struct printing *p, const uint64_t *calls)
{
	uint32_t nr = p->call->nr;

	return calls && p->call->machine & MACHINE_64_BIT && nr < SYSCALLTEXT_CALL_WORDS * 64 &&
	       calls[nr / 64] >> nr % 64 & 1;
}

/* -e raw=, abbrev=, verbose= */
static void choose_form(struct printing *p)
{
	bool is_call = p->call->type == SYSCALLEVENTS_CALL || p->call->type == SYSCALLEVENTS_OPEN;

	p->is_raw = is_call && has_bit(p, p->o->raw);
	p->no_structures = is_call && has_bit(p, p->o->pointers);
	p->is_verbose = p->o->verbose || (is_call && has_bit(p, p->o->unabbreviated));
}

/* What every printing of a record begins with. */
static bool begin(struct printing *p, struct syscalltext *t, const struct syscallevents_call *call,
		  size_t n_bytes, struct textbuf *tb)
{
	p->state = t;
	p->o = &t->o;
	p->tb = tb;
	p->start = tb ? textbuf_len(tb) : 0;
	p->n_entry = 0;
	p->arg = 0;
	p->when = SYSCALLEVENTS_AT_ENTRY;
	p->last = false;
	p->depth = 0;
	p->n_note = 0;
	if (memory_parse(p, call, n_bytes) < 0)
		return false;
	p->returned = call->type != SYSCALLEVENTS_OPEN;
	p->failed = p->returned && call->ret < 0 && call->ret >= -ERRNO_MAX;
	p->type = syscalltype_of(call->machine, call->nr);
	p->result = p->type ? p->type->result : SYSRESULT_dec;
	choose_form(p);
	return true;
}

static void fmt_name(struct printing *p)
{
	const char *name =
		p->type ? p->type->name : syscallnames_find(p->call->machine, p->call->nr);

	if (name)
		add(p, name);
	else
		textbuf_addf(p->tb, "syscall_%#x", p->call->nr);
}

static void fmt_args(struct printing *p)
{
	if (!p->type || p->is_raw) {
		unsigned n = p->type ? p->type->n : 6;

		for (unsigned i = 0; i < n; i++) {
			if (i)
				add(p, ", ");
			fmt_hex(p, p->call->args[i]);
		}
		return;
	}
	for (unsigned i = 0; i < p->type->n && !p->last; i++) {
		const struct systype *t = &p->type->args[i];

		if (i && !(t->flags & SYSTYPE_OPTIONAL))
			add(p, ", ");
		p->arg = i;
		p->when = SYSCALLEVENTS_AT_ENTRY;
		sysfmt_table[t->kind](p, t, p->call->args[i]);
	}
}

static void fmt_error(struct printing *p)
{
	unsigned e = -p->call->ret;
	const char *name = errno_name(e), *text = errno_text(e);

	if (e >= RESTART_FIRST && e <= RESTART_LAST && name) {
		textbuf_addf(p->tb, "? %s (%s)", name, text);
		return;
	}
	if (!name) {
		textbuf_addf(p->tb, "-1 (errno %u)", e);
		return;
	}
	add(p, "-1 ");
	add(p, name);
	if (text) {
		add(p, " (");
		add(p, text);
		textbuf_add_char(p->tb, ')');
	}
}

SYSXLAT_DECLARE(schedulers);

/* What a number means that no argument explains: = 0 (SCHED_OTHER) */
static void note_result(struct printing *p)
{
	size_t start = textbuf_len(p->tb);
	uint64_t ret = (uint64_t)p->call->ret;

	switch (p->result) {
	case SYSRESULT_sched:
		fmt_enum(p, SYSXLAT(schedulers), ret);
		break;
	case SYSRESULT_personality:
		sysfmt_personality(p, NULL, ret);
		break;
	case SYSRESULT_ioprio:
		sysfmt_ioprio(p, NULL, ret);
		break;
	case SYSRESULT_time:
		fmt_time(p, (int64_t)ret, 0, 0);
		break;
	default:
		return;
	}
	fmt_note(p, start);
}

static void fmt_result(struct printing *p)
{
	int64_t ret = p->call->ret;

	if (p->result == SYSRESULT_none) {
		textbuf_add_char(p->tb, '?');
		return;
	}
	if (p->failed) {
		fmt_error(p);
		return;
	}
	if (p->is_raw) {
		fmt_hex(p, (uint64_t)ret);
		return;
	}
	switch (p->result) {
	case SYSRESULT_hex:
	case SYSRESULT_hexl:
	case SYSRESULT_personality:
		if (ret)
			add(p, "0x");
		textbuf_add_hex(p->tb, ret);
		break;
	case SYSRESULT_octal:
		fmt_octal(p, (unsigned)ret);
		break;
	case SYSRESULT_fd:
		fmt_fd(p, (int)ret);
		break;
	case SYSRESULT_pid:
		fmt_pid_result(p);
		break;
	default:
		textbuf_add_signed(p->tb, ret);
	}
	note_result(p);
	if (p->n_note) {
		add(p, " (");
		textbuf_add(p->tb, p->note, p->n_note);
		textbuf_add_char(p->tb, ')');
	}
}

/* Descriptors close before their line is printed, and are opened after it. */
static void fmt_call(struct printing *p, struct syscalltext_parts *parts)
{
	fmt_name(p);
	parts->n_name = textbuf_len(p->tb) - p->start;
	textbuf_add_char(p->tb, '(');
	fmt_args(p);
	parts->n_entry = (p->n_entry ? p->n_entry : textbuf_len(p->tb)) - p->start;
	if (!p->returned) {
		if (!p->tb->overflow)
			p->tb->pos = p->tb->start + p->start + parts->n_entry;
		parts->n_args = parts->n_entry;
		return;
	}
	textbuf_add_char(p->tb, ')');
	parts->n_args = textbuf_len(p->tb) - p->start;
	parts->failed = p->failed;
	add(p, " = ");
	syscallfds_learn(p->state->fds, p->state->sockets, p);
	syscallcomms_learn_child(p->state->comms, p);
	fmt_result(p);
	syscallcomms_learn(p->state->comms, p);
}

static void fmt_signal_line(struct printing *p)
{
	const uint8_t *info = peek(p, 0, 128);

	add(p, "--- ");
	fmt_signal(p, (int)p->call->nr);
	textbuf_add_char(p->tb, ' ');
	if (info)
		fmt_siginfo(p, info);
	else
		textbuf_addf(p->tb, "{si_signo=%u}", p->call->nr);
	add(p, " ---");
}

static void fmt_exit_line(struct printing *p)
{
	unsigned status = (unsigned)p->call->ret;

	add(p, "+++ ");
	if (status & 0x7f) {
		add(p, "killed by ");
		fmt_signal(p, status & 0x7f);
		if (status & 0x80)
			add(p, " (core dumped)");
	} else {
		textbuf_addf(p->tb, "exited with %u", status >> 8 & 0xff);
	}
	add(p, " +++");
}

void syscalltext_fmt(struct syscalltext *t, const struct syscallevents_call *call, size_t n_bytes,
		     struct textbuf *tb, struct syscalltext_parts *parts)
{
	struct printing p;

	*parts = (struct syscalltext_parts){0};
	if (!begin(&p, t, call, n_bytes, tb))
		return;
	switch (call->type) {
	case SYSCALLEVENTS_SIGNAL:
		fmt_signal_line(&p);
		return;
	case SYSCALLEVENTS_EXIT:
		fmt_exit_line(&p);
		syscallcomms_forget(t->comms, call->pid);
		return;
	default:
		fmt_call(&p, parts);
	}
}

void syscalltext_see(struct syscalltext *t, const struct syscallevents_call *call, size_t n_bytes)
{
	struct printing p;

	if (!begin(&p, t, call, n_bytes, NULL) || call->type != SYSCALLEVENTS_CALL)
		return;
	syscallfds_learn(t->fds, t->sockets, &p);
	syscallcomms_learn_child(t->comms, &p);
	syscallcomms_learn(t->comms, &p);
}

void syscalltext_see_child(struct syscalltext *t, const struct syscallevents_call *call,
			   size_t n_bytes)
{
	struct printing p;

	if (t->comms && begin(&p, t, call, n_bytes, NULL))
		syscallcomms_learn_child(t->comms, &p);
}

void syscalltext_see_name(struct syscalltext *t, const struct syscallevents_call *call,
			  size_t n_bytes)
{
	struct printing p;

	if (t->comms && begin(&p, t, call, n_bytes, NULL))
		syscallcomms_learn(t->comms, &p);
}

void syscalltext_add_comm(struct syscalltext *t, int pid, const char *comm)
{
	syscallcomms_add(t->comms, pid, comm);
}

void syscalltext_fmt_comm(struct syscalltext *t, int pid, struct textbuf *tb)
{
	struct printing p = {.state = t, .o = &t->o, .tb = tb};

	fmt_name_of(&p, pid);
}

bool syscalltext_changes_names(uint32_t machine, uint32_t nr)
{
	const struct syscalltype *type = syscalltype_of(machine, nr);

	return type && syscallcomms_matter(type->name);
}

void syscalltext_fmt_dump(struct syscalltext *t, const struct syscallevents_call *call,
			  size_t n_bytes, struct textbuf *tb)
{
	struct printing p;

	if (begin(&p, t, call, n_bytes, tb) && call->type == SYSCALLEVENTS_CALL)
		sysdump_fmt(&p);
}

bool syscalltext_fmt_arg(struct syscalltext *t, const struct syscallevents_call *call,
			 size_t n_bytes, unsigned arg, struct textbuf *tb, const char **ret_name)
{
	const struct systype *type;
	struct printing p;
	size_t start = textbuf_len(tb);

	if (!begin(&p, t, call, n_bytes, tb) || arg >= 6 || (p.type && arg >= p.type->n))
		return false;
	*ret_name = p.type && p.type->names[arg] ? p.type->names[arg] : "";
	if (!p.type) {
		fmt_hex(&p, call->args[arg]);
		return true;
	}
	type = &p.type->args[arg];
	p.arg = arg;
	sysfmt_table[type->kind](&p, type, call->args[arg]);
	/* an argument that decides for itself whether it is there begins with a comma */
	if (type->flags & SYSTYPE_OPTIONAL && !tb->overflow && textbuf_len(tb) >= start + 2 &&
	    !memcmp(tb->start + start, ", ", 2)) {
		memmove(tb->start + start, tb->start + start + 2, textbuf_len(tb) - start - 2);
		tb->pos -= 2;
	}
	return textbuf_len(tb) > start;
}

const char *syscalltext_errno(unsigned e)
{
	return errno_name(e);
}

void syscalltext_fmt_result(struct syscalltext *t, const struct syscallevents_call *call,
			    size_t n_bytes, struct textbuf *tb)
{
	struct printing p;

	if (!begin(&p, t, call, n_bytes, tb) || !p.returned)
		return;
	/* the arguments' printers know what the result means */
	fmt_args(&p);
	if (!tb->overflow)
		tb->pos = tb->start + p.start;
	fmt_result(&p);
}
