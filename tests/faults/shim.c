// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shim.c - makes the Nth call of a kind fail; preloaded into the program by tests/faults/suite.
 *
 * Memory and threads are taken by name: malloc() and its like are defined here, and reach the C
 * library's under the names __libc_*. Calls to the system are not, because stdio makes them inside the
 * C library. For those a seccomp filter turns each call that is made from the C library's code into a
 * SIGSYS, whose handler makes the call itself, from here, or makes it fail:
 *
 *	fwrite() ▶ write() in libc ▶ filter: SIGSYS ▶ on_call(): count ▶ the call, or -ENOSPC
 *
 * A command that the program starts has its C library elsewhere, so that the filter does not see it.
 *
 * The environment says what to do:
 *	FAULTS_KIND   memory, thread, write, read, open or map
 *	FAULTS_LIST   a file: which calls there are. A line "N HASH" for the first call of each path; the
 *	              hash is of the return addresses, and the same in another run
 *	FAULTS_AT     the number of the call that fails, from 1
 *	FAULTS_ERROR  its errno, as a number; 0: a read or write gets half of what it asks for
 *	FAULTS_STICKY also every later call fails
 *	FAULTS_TRACE  a file: where the call that failed came from, "MODULE+0xOFFSET" per line
 *
 * Nothing here allocates. Counting is atomic; the list is protected by a spinning lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>
#include <dlfcn.h>

enum kind { MEMORY = 1, THREAD = 2, WRITE = 4, READ = 8, OPEN = 16, MAP = 32 };

#define DEPTH	    7 /* return addresses that tell one path from another */
#define TRACE_DEPTH 24
#define PATHS_MAX   65536
#define MODULES_MAX 64

struct module {
	uintptr_t start, end, base;
	char name[64];
};

static struct {
	unsigned kinds;
	unsigned long at;
	int error;
	bool sticky, listing;
	const char *list_path, *trace_path;
	pid_t pid;
	atomic_ulong n_calls;
	atomic_flag lock;
	struct module modules[MODULES_MAX];
	size_t n_modules;
	uint64_t seen[PATHS_MAX];
	struct {
		unsigned long n;
		uint64_t hash;
	} paths[PATHS_MAX / 2];
	size_t n_paths;
	uintptr_t own_start, own_end, libc_start, libc_end;
} faults = {.lock = ATOMIC_FLAG_INIT};

static __thread int inside __attribute__((tls_model("initial-exec")));

/* --- calls that no filter sees ------------------------------------------------------------------ */

static long raw_call(long nr, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
#error "the fault injection knows x86-64 and aarch64"
#endif
}

static void put_file(const char *path, const char *text, size_t len, int flags)
{
	long fd =
		raw_call(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_CREAT | flags, 0600, 0, 0);

	if (fd < 0)
		return;
	raw_call(SYS_write, fd, (long)text, len, 0, 0, 0);
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* --- where a call comes from -------------------------------------------------------------------- */

struct walk {
	uintptr_t at[TRACE_DEPTH];
	size_t n, max;
};

static const struct module *module_of(uintptr_t ip)
{
	for (size_t i = 0; i < faults.n_modules; i++)
		if (ip >= faults.modules[i].start && ip < faults.modules[i].end)
			return &faults.modules[i];
	return NULL;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *ctx, void *arg)
{
	struct walk *w = arg;
	uintptr_t ip = _Unwind_GetIP(ctx);

	if (ip < faults.own_start || ip >= faults.own_end)
		w->at[w->n++] = ip;
	return w->n == w->max ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static struct walk walk_back(size_t max)
{
	struct walk w = {.max = max};

	_Unwind_Backtrace(step, &w);
	return w;
}

static uint64_t path_hash(void)
{
	struct walk w = walk_back(DEPTH);
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < w.n; i++) {
		const struct module *m = module_of(w.at[i]);

		/* where a library that came later lies is not the same each time */
		h ^= m ? w.at[i] - m->base + (m - faults.modules) : w.at[i] & 0xfff;
		h *= 0x100000001b3u;
	}
	return h ? h : 1;
}

static void list_path(unsigned long n)
{
	uint64_t h = path_hash();
	size_t i = h % PATHS_MAX;

	while (atomic_flag_test_and_set(&faults.lock))
		;
	while (faults.seen[i] && faults.seen[i] != h)
		i = (i + 1) % PATHS_MAX;
	if (!faults.seen[i] && faults.n_paths < PATHS_MAX / 2) {
		faults.seen[i] = h;
		faults.paths[faults.n_paths].n = n;
		faults.paths[faults.n_paths++].hash = h;
	}
	atomic_flag_clear(&faults.lock);
}

static void tell_trace(void)
{
	struct walk w = walk_back(TRACE_DEPTH);
	char text[8192];
	size_t len = 0;

	for (size_t i = 0; i < w.n; i++) {
		const struct module *m = module_of(w.at[i]);

		len += snprintf(text + len, sizeof(text) - len, "%s+0x%lx\n", m ? m->name : "?",
				(unsigned long)(w.at[i] - (m ? m->base : 0)));
	}
	put_file(faults.trace_path, text, len, O_APPEND);
}

/* Is this the call that fails? */
static bool is_hit(void)
{
	unsigned long n;

	if (inside)
		return false;
	inside++;
	n = atomic_fetch_add(&faults.n_calls, 1) + 1;
	if (faults.listing)
		list_path(n);
	if (n == faults.at && faults.trace_path)
		tell_trace();
	inside--;
	return faults.at && (n == faults.at || (faults.sticky && n > faults.at));
}

/* --- memory and threads ------------------------------------------------------------------------- */

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t each);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);

static bool refuses_memory(void)
{
	if (!(faults.kinds & MEMORY) || !is_hit())
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	return refuses_memory() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t each)
{
	return refuses_memory() ? NULL : __libc_calloc(n, each);
}

void *realloc(void *p, size_t n)
{
	return n && refuses_memory() ? NULL : __libc_realloc(p, n);
}

void *memalign(size_t align, size_t n)
{
	return refuses_memory() ? NULL : __libc_memalign(align, n);
}

void *aligned_alloc(size_t align, size_t n)
{
	return refuses_memory() ? NULL : __libc_memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
	if (refuses_memory())
		return ENOMEM;
	*p = __libc_memalign(align, n);
	return *p ? 0 : ENOMEM;
}

int pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (faults.kinds & THREAD && is_hit())
		return EAGAIN;
	if (!real)
		real = dlsym(RTLD_NEXT, "pthread_create");
	return real(t, attr, run, arg);
}

pid_t fork(void)
{
	static pid_t (*real)(void);

	if (faults.kinds & THREAD && is_hit()) {
		errno = EAGAIN;
		return -1;
	}
	if (!real)
		real = dlsym(RTLD_NEXT, "fork");
	return real();
}

/* --- calls to the system ------------------------------------------------------------------------ */

static const struct {
	int nr, kind;
} calls[] = {
	{SYS_write, WRITE},	{SYS_pwrite64, WRITE},
	{SYS_writev, WRITE},	{SYS_pwritev, WRITE},
	{SYS_pwritev2, WRITE},	{SYS_sendfile, WRITE},
	{SYS_splice, WRITE},	{SYS_copy_file_range, WRITE},
	{SYS_ftruncate, WRITE}, {SYS_fsync, WRITE},
	{SYS_fdatasync, WRITE}, {SYS_fallocate, WRITE},
	{SYS_renameat, WRITE},	{SYS_renameat2, WRITE},
	{SYS_read, READ},	{SYS_pread64, READ},
	{SYS_readv, READ},	{SYS_preadv, READ},
	{SYS_getdents64, READ}, {SYS_openat, OPEN},
	{SYS_socket, OPEN},	{SYS_pipe2, OPEN},
	{SYS_dup3, OPEN},	{SYS_mmap, MAP},
#ifdef SYS_open
	{SYS_open, OPEN},	{SYS_pipe, OPEN},
	{SYS_rename, WRITE},
#endif
};

/* Half of what is asked for, but not nothing; of what has no length that is the call itself. */
static long do_half(long nr, long *a)
{
	struct iovec v;

	switch (nr) {
	case SYS_write:
	case SYS_read:
	case SYS_pread64:
	case SYS_pwrite64:
	case SYS_sendfile:
	case SYS_splice:
	case SYS_copy_file_range: {
		long *len = nr == SYS_sendfile				    ? &a[3]
			    : nr == SYS_splice || nr == SYS_copy_file_range ? &a[4]
									    : &a[2];
		*len = (*len + 1) / 2;
		break;
	}
	case SYS_writev:
	case SYS_readv:
		v = *(struct iovec *)a[1];
		v.iov_len = (v.iov_len + 1) / 2;
		return raw_call(nr, a[0], (long)&v, 1, 0, 0, 0);
	}
	return raw_call(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void on_call(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	int saved = errno;
#if defined(__x86_64__)
	greg_t *r = uc->uc_mcontext.gregs;
	long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
	long *ret = (long *)&r[REG_RAX];
#else
	unsigned long long *r = uc->uc_mcontext.regs;
	long a[6] = {r[0], r[1], r[2], r[3], r[4], r[5]};
	long *ret = (long *)&r[0];
#endif
	long nr = info->si_syscall;

	/* what goes wrong must be said somewhere */
	if ((nr == SYS_write && a[0] == STDERR_FILENO) || !is_hit())
		*ret = raw_call(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	else if (!faults.error)
		*ret = do_half(nr, a);
	else
		*ret = -faults.error;
	errno = saved;
}

/* Traps the chosen calls if they are made from the C library's code; see the top. */
static void install_filter(void)
{
	struct sock_filter f[128];
	struct sock_fprog prog = {.filter = f};
	uint32_t high = faults.libc_start >> 32;
	size_t n = 0, n_calls = sizeof(calls) / sizeof(*calls);
	struct sigaction sa = {.sa_sigaction = on_call,
			       .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};

	if (!faults.libc_start || high != faults.libc_end >> 32)
		return;
	sigaction(SIGSYS, &sa, NULL);
#define STMT(code, value) (f[n++] = (struct sock_filter)BPF_STMT(code, value))
#define JUMP(op, value, yes, no) \
	(f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | (op) | BPF_K, value, yes, no))
#define LOAD(at) STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define ALLOW()	 STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	/* little endian: the low half of the address comes first */
	LOAD(offsetof(struct seccomp_data, instruction_pointer));
	JUMP(BPF_JGE, (uint32_t)faults.libc_start, 1, 0);
	ALLOW();
	JUMP(BPF_JGE, (uint32_t)faults.libc_end, 0, 1);
	ALLOW();
	LOAD(offsetof(struct seccomp_data, instruction_pointer) + 4);
	JUMP(BPF_JEQ, high, 1, 0);
	ALLOW();
	LOAD(offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n_calls; i++) {
		if (!(calls[i].kind & faults.kinds))
			continue;
		JUMP(BPF_JEQ, calls[i].nr, 0, 1);
		STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
	}
	ALLOW();
	prog.len = n;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}

/* A blocked SIGSYS would end the program. */
static const sigset_t *without_sigsys(const sigset_t *set, sigset_t *copy)
{
	if (!set || !(faults.kinds & ~(MEMORY | THREAD)))
		return set;
	*copy = *set;
	sigdelset(copy, SIGSYS);
	return copy;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;

	return pthread_sigmask(how, set ? without_sigsys(set, &copy) : NULL, old);
}

/* --- begin and end ------------------------------------------------------------------------------ */

static int add_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct module *m = &faults.modules[faults.n_modules];
	const char *name = strrchr(info->dlpi_name, '/');

	for (size_t i = 0; i < info->dlpi_phnum && faults.n_modules < MODULES_MAX; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		m->base = info->dlpi_addr;
		m->start = m->base + ph->p_vaddr;
		m->end = m->start + ph->p_memsz;
		snprintf(m->name, sizeof(m->name), "%s", name ? name + 1 : "sonde");
		if (!strncmp(m->name, "libc.so", 7)) {
			faults.libc_start = m->start;
			faults.libc_end = m->end;
		}
		if ((uintptr_t)add_module >= m->start && (uintptr_t)add_module < m->end) {
			faults.own_start = m->start;
			faults.own_end = m->end;
		}
		faults.n_modules++;
		return 0;
	}
	return 0;
}

static unsigned parse_kind(const char *text)
{
	static const struct {
		const char *name;
		unsigned kind;
	} names[] = {{"memory", MEMORY}, {"thread", THREAD}, {"write", WRITE},
		     {"read", READ},	 {"open", OPEN},     {"map", MAP}};
	for (size_t i = 0; text && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i].name))
			return names[i].kind;
	return 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAULTS_AT"), *error = getenv("FAULTS_ERROR");
	unsigned kinds = parse_kind(getenv("FAULTS_KIND"));

	if (!kinds)
		return;
	faults.list_path = getenv("FAULTS_LIST");
	faults.trace_path = getenv("FAULTS_TRACE");
	faults.listing = faults.list_path;
	faults.at = at ? strtoul(at, NULL, 10) : 0;
	faults.error = error ? atoi(error) : ENOMEM;
	faults.sticky = getenv("FAULTS_STICKY");
	faults.pid = getpid();
	dl_iterate_phdr(add_module, NULL);
	inside++;
	walk_back(1); /* the first time it looks around */
	inside--;
	/* what the program starts is not to be tried */
	unsetenv("LD_PRELOAD");
	unsetenv("FAULTS_KIND");
	faults.kinds = kinds;
	if (kinds & ~(MEMORY | THREAD))
		install_filter();
}

__attribute__((destructor)) static void end(void)
{
	static char text[PATHS_MAX / 2 * 32];
	size_t len = 0;

	if (!faults.listing || getpid() != faults.pid)
		return;
	inside++;
	for (size_t i = 0; i < faults.n_paths; i++)
		len += snprintf(text + len, sizeof(text) - len, "%lu %llx\n", faults.paths[i].n,
				(unsigned long long)faults.paths[i].hash);
	len += snprintf(text + len, sizeof(text) - len, "%lu all\n", faults.n_calls);
	put_file(faults.list_path, text, len, O_TRUNC);
	faults.listing = false;
	inside--;
}
