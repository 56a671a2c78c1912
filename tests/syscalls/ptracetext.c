// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ptracetext.c - sonde's text of system calls, with records made by ptrace instead of BPF.
 *
 *	ptracetext [-o FILE] [-s N] [-v] [-x] [-y] [-X raw|abbrev|verbose] COMMAND…
 *
 * It makes the records that a recording would have: the memory is copied as symbols/syscalls/copies.h
 * prescribes, and no more. So the table of copies and the decoder are tested together, without root
 * and without BPF. Only the first thread is traced; its children run free, as with strace without -f.
 */
#include "base/array.h"
#include "base/textbuf.h"
#include "decode/syscalls/syscalltext.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/copies.h"

#include <errno.h>
#include <getopt.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define VECTORS_MAX 64
#define STRINGS_MAX 40

struct recorder {
	pid_t pid;
	uint32_t string_limit;
	struct {
		struct syscallevents_call call;
		uint8_t memory[SYSCALLEVENTS_MEMORY_MAX];
	} record;
	size_t n_memory;
	struct syscalltext *text;
	FILE *out;
};

static size_t read_memory(struct recorder *r, uint64_t address, void *to, size_t n)
{
	size_t done = 0;

	while (done < n) {
		size_t part = 4096 - (address + done) % 4096;
		struct iovec here, there;

		if (part > n - done)
			part = n - done;
		here = (struct iovec){(char *)to + done, part};
		there = (struct iovec){(void *)(address + done), part};
		if (process_vm_readv(r->pid, &here, 1, &there, 1, 0) != (ssize_t)part)
			break;
		done += part;
	}
	return done;
}

/* Adds a chunk; a string ends behind its NUL. */
static void copy(struct recorder *r, uint64_t address, uint64_t n, uint8_t when, bool string)
{
	struct syscallevents_chunk *c = (void *)(r->record.memory + r->n_memory);
	size_t room = sizeof(r->record.memory) - r->n_memory, got;

	if (!address || !n || room < sizeof(*c) + 8)
		return;
	room -= sizeof(*c);
	*c = (struct syscallevents_chunk){.address = address, .when = when};
	if (n > room) {
		n = room & ~7ul;
		c->flags = SYSCALLEVENTS_CUT;
	}
	got = read_memory(r, address, c + 1, n);
	if (got < n)
		c->flags = SYSCALLEVENTS_FAULT;
	if (string && memchr(c + 1, 0, got)) {
		got = strlen((char *)(c + 1)) + 1;
		c->flags = 0;
	} else if (string && got == n) {
		c->flags = SYSCALLEVENTS_CUT;
	}
	if (!got)
		return;
	c->n_bytes = got;
	r->n_memory += sizeof(*c) + ((got + 7) & ~7ul);
}

static uint64_t load(struct recorder *r, uint64_t address, size_t n)
{
	uint64_t v = 0;

	return read_memory(r, address, &v, n) == n ? v : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* n_bytes: of all vectors together */
static void copy_iovecs(struct recorder *r, uint64_t address, uint64_t n, uint64_t n_bytes,
			uint8_t when)
{
	n = least(n, VECTORS_MAX);
	copy(r, address, n * 16, when, false);
	for (uint64_t i = 0; i < n && n_bytes; i++) {
		uint64_t len = least(load(r, address + 16 * i + 8, 8), n_bytes);

		copy(r, load(r, address + 16 * i, 8), least(len, r->string_limit + 1), when, false);
		n_bytes -= len;
	}
}

static void copy_msghdr(struct recorder *r, uint64_t m, uint64_t n_bytes, uint8_t when, size_t size)
{
	copy(r, m, size, when, false);
	copy(r, load(r, m, 8), least(load(r, m + 8, 4), 128), when, false);
	copy_iovecs(r, load(r, m + 16, 8), load(r, m + 24, 8), n_bytes, when);
	copy(r, load(r, m + 32, 8), least(load(r, m + 40, 8), 512), when, false);
}

static void copy_strings(struct recorder *r, uint64_t address, uint64_t max, uint8_t when,
			 bool with_text)
{
	uint64_t n = 0;

	while (n < 1024 && load(r, address + 8 * n, 8))
		n++;
	copy(r, address, 8 * (n + 1), when, false);
	for (uint64_t i = 0; with_text && i < n && i < max; i++)
		copy(r, load(r, address + 8 * i, 8), r->string_limit + 1, when, true);
}

static void copy_ioctl(struct recorder *r, uint64_t address, uint32_t request, uint8_t when)
{
	uint32_t size = request >> 16 & 0x3fff, direction = request >> 30;
	uint32_t kind = request >> 8;

	if (!size && !direction)
		size = kind == 0x54 ? 60 : kind == 0x89 ? 40 : kind == 0x12 ? 16 : 0;
	else if (!(direction & (when == SYSCALLEVENTS_AT_ENTRY ? 1 : 2)))
		return;
	copy(r, address, size, when, false);
}

static void carry_out(struct recorder *r, const struct syscopy *c, uint8_t when)
{
	const struct syscallevents_call *call = &r->record.call;
	uint64_t a = call->args[c->arg], ret = call->ret > 0 ? call->ret : 0;
	uint64_t len = c->len_arg < 6 ? call->args[c->len_arg] : 0;

	if (c->if_arg < 6 && (call->args[c->if_arg] & c->if_mask) != c->if_value)
		return;
	switch ((enum syscopy_how)c->how) {
	case SYSCOPY_STRING:
		copy(r, a, c->size ? c->size : 4096, when, true);
		break;
	case SYSCOPY_FIXED:
		copy(r, a, c->size, when, false);
		break;
	case SYSCOPY_BYTES:
		copy(r, a, least(len, r->string_limit + 1), when, false);
		break;
	case SYSCOPY_ARRAY:
		copy(r, a, least((uint32_t)len, 65536) * c->size, when, false);
		break;
	case SYSCOPY_RETURNED:
		copy(r, a, c->size == 1 ? least(ret, r->string_limit + 1) : ret * c->size, when,
		     false);
		break;
	case SYSCOPY_RETURNED_ALL:
		copy(r, a, ret, when, false);
		break;
	case SYSCOPY_LENPTR:
		copy(r, len, 4, when, false);
		copy(r, a, least(load(r, len, 4), c->size), when, false);
		break;
	case SYSCOPY_IOVEC:
		copy_iovecs(r, a, len, UINT64_MAX, when);
		break;
	case SYSCOPY_IOVEC_IN:
		copy_iovecs(r, a, len, ret, when);
		break;
	case SYSCOPY_MSGHDR:
		copy_msghdr(r, a, when == SYSCALLEVENTS_AT_EXIT ? ret : UINT64_MAX, when, 56);
		break;
	case SYSCOPY_MMSGHDR:
		for (uint64_t i = 0; i < least(len, 8); i++)
			copy_msghdr(r, a + 64 * i, UINT64_MAX, when, 64);
		break;
	case SYSCOPY_STRINGS:
	case SYSCOPY_POINTERS:
		copy_strings(r, a, c->size ? c->size : STRINGS_MAX, when,
			     c->how == SYSCOPY_STRINGS);
		break;
	case SYSCOPY_BITS:
		copy(r, a, (least(len, 8192) + 63) / 64 * 8, when, false);
		break;
	case SYSCOPY_IOC:
		copy_ioctl(r, a, (uint32_t)call->args[1], when);
		break;
	case SYSCOPY_MSGBUF:
		copy(r, a, 8 + least(c->len_arg < 6 ? len : ret, r->string_limit + 1), when, false);
		break;
	case SYSCOPY_SIGSETPACK:
		copy(r, a, 16, when, false);
		copy(r, load(r, a, 8), 8, when, false);
		break;
	case SYSCOPY_SOCKFPROG:
		copy(r, a, 16, when, false);
		copy(r, load(r, a + 8, 8), least(load(r, a, 2), 64) * 8, when, false);
		break;
	case SYSCOPY_IFCONF:
		copy(r, a, 16, when, false);
		copy(r, load(r, a + 8, 8), load(r, a, 4), when, false);
		break;
	case SYSCOPY_MINCORE:
		copy(r, a, least((len + 4095) / 4096, 256), when, false);
		break;
	case SYSCOPY_IOCBS:
		copy(r, a, least(len, 16) * 8, when, false);
		for (uint64_t i = 0; i < least(len, 16); i++)
			copy(r, load(r, a + 8 * i, 8), 64, when, false);
		break;
	case SYSCOPY_HOWS:
		break;
	}
}

static void copies(struct recorder *r, bool exit)
{
	size_t n;
	const struct syscopy *c = syscopies_find(r->record.call.machine, r->record.call.nr, &n);
	bool failed = r->record.call.ret < 0 && r->record.call.ret >= -4095;

	for (size_t i = 0; i < n; i++) {
		if ((c[i].when == SYSCOPY_ENTRY) == exit ||
		    (c[i].when == SYSCOPY_EXIT_OK && failed))
			continue;
		carry_out(r, &c[i], exit ? SYSCALLEVENTS_AT_EXIT : SYSCALLEVENTS_AT_ENTRY);
	}
}

static void print(struct recorder *r)
{
	struct syscalltext_parts parts;
	size_t n = SYSCALLEVENTS_CALL_BYTES + r->n_memory;
	TEXTBUF(tb, 1 << 20);

	r->record.call.pid = r->record.call.tgid = r->pid;
	r->record.call.memory_loc = SYSCALLEVENTS_CALL_BYTES | (uint32_t)r->n_memory << 16;
	syscalltext_fmt(r->text, &r->record.call, n, &tb, &parts);
	if (parts.n_args)
		fprintf(r->out, "%-*.*s%s\n", parts.n_args < 39 ? 39 : (int)parts.n_args,
			(int)parts.n_args, textbuf_text(&tb), textbuf_text(&tb) + parts.n_args);
	else
		fprintf(r->out, "%s\n", textbuf_text(&tb));
	r->n_memory = 0;
}

static void on_syscall(struct recorder *r)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, r->pid, sizeof(info), &info) < 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		r->record.call = (struct syscallevents_call){
			.type = SYSCALLEVENTS_CALL,
			.nr = (uint32_t)info.entry.nr,
			.machine = info.arch,
		};
		for (unsigned i = 0; i < 6; i++)
			r->record.call.args[i] = info.entry.args[i];
		r->n_memory = 0;
		copies(r, false);
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
		r->record.call.ret = info.exit.rval;
		copies(r, true);
		print(r);
	}
}

static void on_signal(struct recorder *r, int sig)
{
	struct syscallevents_chunk *c = (void *)r->record.memory;
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, r->pid, NULL, &info) < 0)
		return;
	r->record.call = (struct syscallevents_call){.type = SYSCALLEVENTS_SIGNAL, .nr = sig};
	*c = (struct syscallevents_chunk){.n_bytes = 128};
	memcpy(c + 1, &info, 128);
	r->n_memory = sizeof(*c) + 128;
	print(r);
}

static int trace(struct recorder *r)
{
	int status, sig = 0;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, r->pid, NULL, sig) < 0 && errno != ESRCH)
			return -errno;
		if (waitpid(r->pid, &status, __WALL) < 0)
			return -errno;
		sig = 0;
		if (!WIFSTOPPED(status)) {
			if (r->record.call.nr == 231 || r->record.call.nr == 60)
				print(r); /* exit_group and exit do not return */
			r->n_memory = 0;
			r->record.call = (struct syscallevents_call){.type = SYSCALLEVENTS_EXIT,
								     .ret = status};
			print(r);
			return 0;
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			on_syscall(r);
		} else if (!(status >> 16)) {
			sig = WSTOPSIG(status);
			on_signal(r, sig);
		}
	}
}

int main(int argc, char **argv)
{
	struct syscalltext_options o = {.string_limit = 32};
	struct recorder r = {.out = stdout};
	int c, status;

	while ((c = getopt(argc, argv, "+o:s:vxyX:")) != -1) {
		switch (c) {
		case 'o':
			r.out = fopen(optarg, "we");
			break;
		case 's':
			o.string_limit = atoi(optarg);
			break;
		case 'v':
			o.verbose = true;
			break;
		case 'x':
			o.hex_strings++;
			break;
		case 'y':
			o.paths++;
			break;
		case 'X':
			o.constants = *optarg == 'r'   ? SYSCALLTEXT_RAW
				      : *optarg == 'v' ? SYSCALLTEXT_VERBOSE
						       : SYSCALLTEXT_ABBREV;
			break;
		default:
			return 2;
		}
	}
	if (!r.out || optind == argc || syscalltext_new(&r.text, &o) < 0)
		return 2;
	r.string_limit = o.string_limit;
	r.pid = fork();
	if (!r.pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[optind], argv + optind);
		_exit(127);
	}
	if (waitpid(r.pid, &status, __WALL) < 0 ||
	    ptrace(PTRACE_SETOPTIONS, r.pid, NULL,
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC) < 0)
		return 1;
	status = trace(&r);
	syscalltext_free(r.text);
	return status < 0 || fclose(r.out) ? 1 : 0;
}
