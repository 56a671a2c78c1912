/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * types.h - what the arguments of system calls are: types, structures, names of flags.
 *
 * The build makes the tables from calls.list, structs.list and xlat.list in this folder. A type
 * says how a value is shown; decode/syscalls has a printer for each kind. Everything is constant.
 */
#ifndef SONDE_SYMBOLS_SYSCALLS_TYPES_H
#define SONDE_SYMBOLS_SYSCALLS_TYPES_H

#include <stddef.h>
#include <stdint.h>

/*
 * The kinds of values. The first row are numbers as C prints them, the second numbers with a
 * meaning, the third what a pointer leads to, the others belong to single calls.
 */
/* clang-format off */
#define SYSKINDS(X) \
	X(int) X(uint) X(long) X(ulong) X(short) X(ushort) X(byte) X(hex) X(hexl) X(octal) \
	X(addr) X(flags) X(enum) X(pid) X(fd) X(dirfd) X(mode) X(uid) X(gid) X(sig) X(dev) X(dev64) \
	X(clockid) X(key) X(rlim) X(time) X(capmask) X(inaddr) X(in6addr) X(ifindex) \
	X(mountfd) X(ticks) X(lenptr) X(pointer) X(array) X(struct) X(str) X(path) X(chars) X(hexbuf) \
	X(fsid) X(intp) X(uintp) X(ulongp) X(addrp) X(openflags) X(openmode) X(stat) X(statx) \
	X(pollfds) X(mmapflags) X(sigaction) X(sigset) X(ioctlarg) X(iovec) X(iovecaddr) \
	X(iovecremote) X(fdpair) X(selectset) X(selecttime) X(selecttimespec) X(mincorevec) \
	X(shmgetflags) X(ipccmd) X(semun) X(msgds) X(remtime) X(inoutoff) X(socktype) \
	X(sockproto) X(sockaddr) X(outsockaddr) X(msghdr) X(mmsghdr) X(outmmsghdr) X(sockopt) \
	X(setoptval) X(getoptval) X(clone3args) X(argv) X(envp) X(waitstatus) X(ipcflags) \
	X(msgbuf) X(fcntlarg) X(dirents) X(dirents64) X(cwd) X(syslogbuf) X(groups) X(caphdr) \
	X(capdata) X(siginfo) X(siginfoout) X(mknodmode) X(mknoddev) X(personality) \
	X(prctlargs) X(archprctl) X(timex) X(mountflags) X(mountdata) X(swapflags) \
	X(rebootarg) X(quotacmd) X(quotaid) X(quotaaddr) X(xattrval) X(outxattrval) \
	X(xattrlist) X(timep) X(futexargs) X(cpuset) X(aioctx) X(iocbs) X(iocb) X(restart) \
	X(sigevent) X(timerid) X(epollevents) X(epollctl) X(epolldata) X(timevals2) \
	X(utimens2) X(mpolmode) X(nodemask) X(outnodemask) X(mpolp) X(mqattr) X(kexecflags) \
	X(waitid) X(keyserial) X(keyctlargs) X(ioprio) X(sigsetpack) X(ppolltime) X(pagelist) \
	X(nodelist) X(statuslist) X(perfattr) X(recvmmsgtime) X(fanflags) X(filehandle) \
	X(filehandlein) X(ucpup) X(kcmpargs) X(seccompargs) X(memfdflags) X(bpfattr) \
	X(statxflags) X(io_uring_params) X(fsconfigargs) X(open_how) X(landlockattr) \
	X(landlockrule) X(mremapaddr) X(hidden) X(longp) X(mounttype) X(ttychar) X(evversion) \
	X(termios) X(termio) X(ifconf) X(schedattr) X(buf) X(ioctlcmd) X(fsflags) X(ushortp) \
	X(ifreq) X(shmds) X(ptraceargs) X(membarriercpu) X(waitvs) X(fandirfd) X(cloneargs)
/* clang-format on */

enum syskind {
#define SYSKIND_ROW(kind) SYSKIND_##kind,
	SYSKINDS(SYSKIND_ROW)
#undef SYSKIND_ROW
		SYSKINDS_N
};

/* How the result is shown. */
enum sysresult {
	SYSRESULT_dec,
	SYSRESULT_hex,
	SYSRESULT_hexl,
	SYSRESULT_octal,
	SYSRESULT_fd,
	SYSRESULT_pid,
	SYSRESULT_uid,
	SYSRESULT_none, /* never returns */
	SYSRESULT_sched,
	SYSRESULT_personality,
	SYSRESULT_ioprio,
	SYSRESULT_time,
	SYSRESULT_keyserial,
	SYSRESULT_other, /* a printer of the arguments says it */
};

#define SYSTYPE_SIGNED	 1
#define SYSTYPE_OUT	 2 /* a pointer: the call writes */
#define SYSTYPE_INOUT	 4
#define SYSTYPE_OPTIONAL 8  /* its printer writes the comma, if there is such an argument */
#define SYSTYPE_VERBOSE	 16 /* a field that is shown only unabbreviated */
#define SYSTYPE_BY_RET	 32 /* an array: the result counts its elements */
#define SYSTYPE_INLINE	 64 /* lies in memory itself: a printer gets its address */

struct systype {
	uint8_t kind;	/* enum syskind */
	uint8_t flags;	/* SYSTYPE_… */
	uint8_t arg;	/* the argument that says how many */
	uint8_t bytes;	/* of a number in memory */
	uint16_t n;	/* fixed number of elements; bytes of chars */
	uint16_t size;	/* bytes of what a pointer leads to, of an element */
	const void *of; /* struct systype, sysstruct or sysxlat */
};

struct sysfield {
	const char *name;
	uint16_t offset;
	struct systype type;
};

#define SYSSTRUCT_ABBREVIATED 1
#define SYSSTRUCT_BARE	      2 /* one field in brackets, without its name */

struct sysstruct {
	const struct sysfield *fields;
	uint16_t n, size;
	uint8_t flags;
};

struct sysxlat_row {
	uint64_t value;
	const char *name;
};

struct sysxlat {
	const char *unknown; /* what strace says about other values: "O_???" */
	const struct sysxlat_row *rows, *rows_aarch64; /* the second if it has other numbers */
	uint16_t n;
};

struct syscalltype {
	const char *name;
	uint32_t sets; /* bits: see sets.h */
	uint8_t n, result;
	struct systype args[6];
	const char *names[6];
};

struct sysioctl {
	uint32_t number;
	uint8_t has_arg, typed; /* without a type it is shown in hex */
	const char *name;
	struct systype type;
};

/* NULL: unknown. */
const struct sysioctl *sysioctl_find(uint32_t number);

/* By the call's name; NULL: unknown. */
const struct syscalltype *syscalltype_find(const char *name);
/* machine: AUDIT_ARCH_…; NULL: unknown. */
const struct syscalltype *syscalltype_of(uint32_t machine, uint32_t nr);
/* The name of a call, NULL if unknown. */
const char *syscallnames_find(uint32_t machine, uint32_t nr);

/* Tables by their names in the lists, for printers: SYSXLAT(open_flags). */
#define SYSXLAT(name)	      (&sysxlat_##name)
#define SYSXLAT_DECLARE(name) extern const struct sysxlat sysxlat_##name

#endif
