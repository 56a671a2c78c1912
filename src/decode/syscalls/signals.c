// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * signals.c - signals: names, sets, actions, what a signal carries, how a process ended.
 *
 * A set is shown without SIG, and as its complement if it contains most signals: ~[KILL STOP]. The
 * kernel's set has 64 bits. Number 32 is the first real-time signal: RTMIN, RT_1 …
 */
#include "decode/syscalls/text_int.h"

#include "base/array.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <inttypes.h>

#define RT_FIRST 32
#define RT_LAST	 64

static const char *const names[] = {
	NULL,	"HUP",	"INT",	"QUIT", "ILL",	  "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1",
	"SEGV", "USR2", "PIPE", "ALRM", "TERM",	  "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN",
	"TTOU", "URG",	"XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "IO",   "PWR",  "SYS",
};

static void add_short(struct printing *p, unsigned sig)
{
	if (sig > 0 && sig < ARRAY_LEN(names))
		add(p, names[sig]);
	else if (sig == RT_FIRST)
		add(p, "RTMIN");
	else if (sig > RT_FIRST && sig <= RT_LAST)
		textbuf_addf(p->tb, "RT_%u", sig - RT_FIRST);
	else
		textbuf_add_dec(p->tb, sig);
}

void fmt_signal(struct printing *p, int sig)
{
	if (sig <= 0 || sig > RT_LAST || p->o->constants == SYSCALLTEXT_RAW) {
		textbuf_add_signed(p->tb, sig);
		return;
	}
	if (p->o->constants == SYSCALLTEXT_VERBOSE)
		textbuf_addf(p->tb, "%d /* ", sig);
	add(p, "SIG");
	add_short(p, sig);
	if (p->o->constants == SYSCALLTEXT_VERBOSE)
		add(p, " */");
}

void sysfmt_sig(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_signal(p, (int)v);
}

void fmt_sigset(struct printing *p, const uint8_t *b, size_t n, bool brackets)
{
	unsigned n_bits = n * 8 < RT_LAST ? n * 8 : RT_LAST, n_set = 0;
	bool inverse, any = false;
	uint64_t bits = 0;

	memcpy(&bits, b, n < 8 ? n : 8);
	n_set = __builtin_popcountll(bits);
	inverse = n_set >= n_bits * 2 / 3;
	add(p, inverse ? "~[" : "[");
	for (unsigned i = 0; i < n_bits; i++) {
		if (((bits >> i & 1) != 0) == inverse)
			continue;
		if (any)
			textbuf_add_char(p->tb, ' ');
		add_short(p, i + 1);
		any = true;
	}
	textbuf_add_char(p->tb, ']');
}

void sysfmt_sigset(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t n = arg_of(p, t->arg);
	const uint8_t *b;

	if (n > 8)
		n = 8;
	b = n ? peek(p, v, n) : NULL;
	if (b)
		fmt_sigset(p, b, n, true);
	else
		fmt_addr(p, v);
}

/* { pointer to a set, its size }: the last argument of pselect6 */
void sysfmt_sigsetpack(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = v ? peek(p, v, 16) : NULL, *set;
	uint64_t n;

	if (!b) {
		fmt_addr(p, v);
		return;
	}
	n = load64(b + 8);
	add(p, "{sigmask=");
	set = load64(b) && n && n <= 8 ? peek(p, load64(b), n) : NULL;
	if (set)
		fmt_sigset(p, set, n, true);
	else
		fmt_addr(p, load64(b));
	textbuf_addf(p->tb, ", sigsetsize=%" PRIu64 "}", n);
}

SYSXLAT_DECLARE(sigaction_flags);
#define SA_RESTORER_FLAG 0x04000000

void sysfmt_sigaction(struct printing *p, const struct systype *t, uint64_t v)
{
	static const char *const handlers[] = {"SIG_DFL", "SIG_IGN"};
	const uint8_t *b = peek_or_addr(p, v, 32);
	uint64_t handler, flags;

	if (!b)
		return;
	handler = load64(b);
	flags = load64(b + 8);
	add(p, "{sa_handler=");
	if (handler < 2)
		add(p, handlers[handler]);
	else if (handler == UINT64_MAX)
		add(p, "SIG_ERR");
	else
		fmt_addr(p, handler);
	add(p, ", sa_mask=");
	fmt_sigset(p, b + 24, 8, true);
	add(p, ", sa_flags=");
	fmt_flags(p, SYSXLAT(sigaction_flags), flags);
	if (flags & SA_RESTORER_FLAG) {
		add(p, ", sa_restorer=");
		fmt_addr(p, load64(b + 16));
	}
	textbuf_add_char(p->tb, '}');
}

SYSXLAT_DECLARE(si_codes);
SYSXLAT_DECLARE(sigill_codes);
SYSXLAT_DECLARE(sigfpe_codes);
SYSXLAT_DECLARE(sigtrap_codes);
SYSXLAT_DECLARE(sigchld_codes);
SYSXLAT_DECLARE(sigpoll_codes);
SYSXLAT_DECLARE(sigsegv_codes);
SYSXLAT_DECLARE(sigbus_codes);
SYSXLAT_DECLARE(sigsys_codes);

#define SI_KERNEL_CODE 0x80

static const struct sysxlat *codes_of(int sig)
{
	switch (sig) {
	case 4:
		return SYSXLAT(sigill_codes);
	case 5:
		return SYSXLAT(sigtrap_codes);
	case 7:
		return SYSXLAT(sigbus_codes);
	case 8:
		return SYSXLAT(sigfpe_codes);
	case 11:
		return SYSXLAT(sigsegv_codes);
	case 17:
		return SYSXLAT(sigchld_codes);
	case 29:
		return SYSXLAT(sigpoll_codes);
	case 31:
		return SYSXLAT(sigsys_codes);
	default:
		return NULL;
	}
}

static void fmt_sender(struct printing *p, const uint8_t *info)
{
	add(p, ", si_pid=");
	fmt_pid(p, (int32_t)load32(info + 16));
	add(p, ", si_uid=");
	fmt_uid(p, load32(info + 20));
}

static void fmt_sigval(struct printing *p, const uint8_t *info)
{
	textbuf_addf(p->tb, ", si_int=%d, si_ptr=", (int)load32(info + 24));
	fmt_addr(p, load64(info + 24));
}

static void fmt_kernel_info(struct printing *p, const uint8_t *info, int sig, int code)
{
	const char *call;

	switch (sig) {
	case 17: /* SIGCHLD */
		fmt_sender(p, info);
		add(p, ", si_status=");
		if (code == 1) /* CLD_EXITED */
			textbuf_add_signed(p->tb, (int)load32(info + 24));
		else
			fmt_signal(p, (int)load32(info + 24));
		add(p, ", si_utime=");
		sysfmt_ticks(p, NULL, load64(info + 32));
		add(p, ", si_stime=");
		sysfmt_ticks(p, NULL, load64(info + 40));
		break;
	case 4:
	case 5:
	case 7:
	case 8:
	case 11:
		add(p, ", si_addr=");
		fmt_addr(p, load64(info + 16));
		break;
	case 29:
		textbuf_addf(p->tb, ", si_band=%" PRId64 ", si_fd=%d", (int64_t)load64(info + 16),
			     (int)load32(info + 24));
		break;
	case 31:
		add(p, ", si_call_addr=");
		fmt_addr(p, load64(info + 16));
		call = syscallnames_find(load32(info + 28), load32(info + 24));
		if (call)
			textbuf_addf(p->tb, ", si_syscall=__NR_%s", call);
		else
			textbuf_addf(p->tb, ", si_syscall=%u", load32(info + 24));
		add(p, ", si_arch=");
		add(p,
		    load32(info + 28) == 0xc000003e ? "AUDIT_ARCH_X86_64" : "AUDIT_ARCH_AARCH64");
		break;
	default:
		if (load32(info + 16) || load32(info + 20))
			fmt_sender(p, info);
		if (load64(info + 24))
			fmt_sigval(p, info);
	}
}

void fmt_siginfo(struct printing *p, const uint8_t *info)
{
	int sig = (int)load32(info), err = (int)load32(info + 4), code = (int)load32(info + 8);
	const struct sysxlat *codes = code > 0 && code < SI_KERNEL_CODE ? codes_of(sig) : NULL;

	if (!sig) {
		add(p, "{}");
		return;
	}
	add(p, "{si_signo=");
	fmt_signal(p, sig);
	add(p, ", si_code=");
	fmt_enum(p, codes ? codes : SYSXLAT(si_codes), (uint32_t)code);
	if (err) {
		add(p, ", si_errno=");
		if (errno_name(err))
			add(p, errno_name(err));
		else
			textbuf_add_signed(p->tb, err);
	}
	switch (code) {
	case 0:	 /* SI_USER */
	case -6: /* SI_TKILL */
		fmt_sender(p, info);
		break;
	case -2: /* SI_TIMER */
		textbuf_addf(p->tb, ", si_timerid=%#x, si_overrun=%d", load32(info + 16),
			     (int)load32(info + 20));
		fmt_sigval(p, info);
		break;
	case -1: /* SI_QUEUE */
	case -3: /* SI_MESGQ */
		fmt_sender(p, info);
		fmt_sigval(p, info);
		break;
	default:
		fmt_kernel_info(p, info, sig, code);
	}
	textbuf_add_char(p->tb, '}');
}

void sysfmt_siginfo(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek(p, v, 128);

	if (b)
		fmt_siginfo(p, b);
	else
		fmt_addr(p, v);
}

/* waitid writes it if it found a child */
void sysfmt_siginfoout(struct printing *p, const struct systype *t, uint64_t v)
{
	entry_ends(p);
	if (!v || !wrote(p)) {
		fmt_addr(p, v);
		return;
	}
	p->when = SYSCALLEVENTS_AT_EXIT;
	sysfmt_siginfo(p, t, v);
}

static void fmt_wait_status(struct printing *p, uint32_t status)
{
	unsigned sig = status & 0x7f;

	if (status == 0xffff) {
		add(p, "{WIFCONTINUED(s)}");
	} else if (sig == 0x7f) {
		add(p, "{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		if (status >> 8 & 0x80) {
			fmt_signal(p, status >> 8 & 0x7f);
			add(p, " | 0x80");
		} else {
			fmt_signal(p, status >> 8 & 0xff);
		}
		add(p, "}");
	} else if (sig) {
		add(p, "{WIFSIGNALED(s) && WTERMSIG(s) == ");
		fmt_signal(p, sig);
		add(p, status & 0x80 ? " && WCOREDUMP(s)}" : "}");
	} else {
		textbuf_addf(p->tb, "{WIFEXITED(s) && WEXITSTATUS(s) == %u}", status >> 8 & 0xff);
	}
}

void sysfmt_waitstatus(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t status;

	entry_ends(p);
	p->when = SYSCALLEVENTS_AT_EXIT;
	if (!v || !wrote(p) || !p->call->ret || !peek_u32(p, v, &status)) {
		fmt_addr(p, v);
		return;
	}
	textbuf_add_char(p->tb, '[');
	fmt_wait_status(p, status);
	textbuf_add_char(p->tb, ']');
}

SYSXLAT_DECLARE(sigev_value);
void sysfmt_sigevent(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek_or_addr(p, v, 64);
	uint32_t notify;

	if (!b)
		return;
	notify = load32(b + 12);
	add(p, "{");
	if (load64(b)) {
		textbuf_addf(p->tb, "sigev_value={sival_int=%d, sival_ptr=", (int)load32(b));
		fmt_addr(p, load64(b));
		add(p, "}, ");
	}
	add(p, "sigev_signo=");
	if (notify == 1 || notify == 2)
		textbuf_add_signed(p->tb, (int)load32(b + 8));
	else
		fmt_signal(p, (int)load32(b + 8));
	add(p, ", sigev_notify=");
	fmt_enum(p, SYSXLAT(sigev_value), notify);
	if (notify == 2) {
		add(p, ", sigev_notify_function=");
		fmt_addr(p, load64(b + 16));
		add(p, ", sigev_notify_attributes=");
		fmt_addr(p, load64(b + 24));
	} else if (notify == 4) {
		textbuf_addf(p->tb, ", sigev_notify_thread_id=%d", (int)load32(b + 16));
	}
	add(p, "}");
}
