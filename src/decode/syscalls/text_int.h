/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * text_int.h - what the printers of this folder share.
 *
 * A printer, sysfmt_KIND(), adds one value to p->tb. It gets a number, or the address of what is in
 * memory. It reads memory with peek() only, which knows what was copied.
 */
#ifndef SONDE_DECODE_SYSCALLS_TEXT_INT_H
#define SONDE_DECODE_SYSCALLS_TEXT_INT_H

#include "base/textbuf.h"
#include "decode/syscalls/syscalltext.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/structs.h"
#include "symbols/syscalls/types.h"

#define PRINTING_CHUNKS_MAX 96 /* a record of 4 KB has room for 160 empty ones */
#define PRINTING_NOTE_BYTES 512

struct syscallfds;
struct syscallsockets;
struct syscallcomms;

struct syscallchunk {
	uint64_t address;
	const uint8_t *bytes;
	uint32_t n;
	uint8_t when, flags;
};

struct syscalltext {
	struct syscalltext_options o;
	struct syscallfds *fds;
	struct syscallsockets *sockets;
	struct syscallcomms *comms;
};

/* A call that is being printed. */
struct printing {
	struct syscalltext *state;
	const struct syscalltext_options *o;
	const struct syscallevents_call *call;
	const struct syscalltype *type;
	struct textbuf *tb;
	size_t start;	/* in tb, of the whole text */
	size_t n_entry; /* in tb; 0: not yet known */
	uint8_t arg;	/* which argument */
	uint8_t when;	/* enum syscallevents_when: whose memory peek() reads */
	bool returned;	/* the call is over */
	bool failed;	/* with an error */
	bool aarch64;
	bool is_raw;	    /* arguments and result are numbers */
	bool no_structures; /* peek() finds nothing */
	bool is_verbose;    /* -v */
	bool last;	    /* the printer showed all further arguments, too */
	uint8_t result;	    /* enum sysresult */
	uint8_t depth;
	uint16_t n_note;
	char note[PRINTING_NOTE_BYTES]; /* shown in brackets behind the result */
	size_t n_chunks;
	struct syscallchunk chunks[PRINTING_CHUNKS_MAX];
};

typedef void sysfmt_fn(struct printing *p, const struct systype *t, uint64_t v);
#define SYSFMT_DECLARE(kind) sysfmt_fn sysfmt_##kind;
SYSKINDS(SYSFMT_DECLARE)
#undef SYSFMT_DECLARE
extern sysfmt_fn *const sysfmt_table[SYSKINDS_N];

/* memory.c */
int memory_parse(struct printing *p, const struct syscallevents_call *call, size_t n_bytes);
/* The n bytes at an address, NULL if they were not copied. */
const uint8_t *peek(struct printing *p, uint64_t address, size_t n);
/* The same, and prints the address if they were not copied. */
const uint8_t *peek_or_addr(struct printing *p, uint64_t address, size_t n);
/* The bytes from an address on, as many as there are, at most max; NULL: none. */
const uint8_t *peek_some(struct printing *p, uint64_t address, size_t max, size_t *ret_n,
			 uint8_t *ret_flags);
bool peek_u64(struct printing *p, uint64_t address, uint64_t *ret);
bool peek_u32(struct printing *p, uint64_t address, uint32_t *ret);
static inline uint16_t load16(const uint8_t *b)
{
	uint16_t v;

	memcpy(&v, b, sizeof(v));
	return v;
}
static inline uint32_t load32(const uint8_t *b)
{
	uint32_t v;

	memcpy(&v, b, sizeof(v));
	return v;
}
static inline uint64_t load64(const uint8_t *b)
{
	uint64_t v;

	memcpy(&v, b, sizeof(v));
	return v;
}

/* basics.c */
void fmt_addr(struct printing *p, uint64_t v);
void fmt_hex(struct printing *p, uint64_t v); /* 0x…, and 0 for 0 */
void fmt_flags(struct printing *p, const struct sysxlat *x, uint64_t v);
void fmt_enum(struct printing *p, const struct sysxlat *x, uint64_t v);
const char *xlat_find(struct printing *p, const struct sysxlat *x, uint64_t v);
void fmt_fd(struct printing *p, int fd);
void fmt_mode(struct printing *p, unsigned mode); /* S_IFREG|0644 */
void fmt_octal(struct printing *p, unsigned mode);
void fmt_dev(struct printing *p, uint64_t dev);
void fmt_uid(struct printing *p, uint32_t uid);
void fmt_note(struct printing *p, size_t start); /* moves the text from `start` on into the note */
static inline uint64_t arg_of(const struct printing *p, unsigned i)
{
	return p->call->args[i];
}
static inline void add(struct printing *p, const char *s)
{
	textbuf_add_str(p->tb, s);
}
/* true if what the call wrote can be shown: it returned without an error */
static inline bool wrote(const struct printing *p)
{
	return p->returned && !p->failed;
}
/* From here on only the end of the call knows the text. */
void entry_ends(struct printing *p);
/*
 * Begins an argument that the call writes: from here on, peek() reads the memory at its end.
 * Returns false if the call wrote nothing; then the address was printed.
 */
bool begin_written(struct printing *p, uint64_t address);

/* strings.c */
void fmt_quoted(struct printing *p, const uint8_t *bytes, size_t n);
/* n bytes at an address, abbreviated to the limit; the address if they are unknown. */
void fmt_bytes(struct printing *p, uint64_t address, uint64_t n);
void fmt_string(struct printing *p, uint64_t address, bool abbreviated);

/* files.c */
void fmt_open_flags(struct printing *p, uint64_t v);
bool fmt_time(struct printing *p, int64_t sec, uint64_t fraction, int digits);
void fmt_time_comment(struct printing *p, int64_t sec, uint64_t fraction, int digits);

/* composite.c */
void fmt_value(struct printing *p, const struct systype *t, uint64_t v);
void fmt_at(struct printing *p, const struct systype *t, uint64_t address);
void fmt_struct(struct printing *p, const struct sysstruct *s, uint64_t address);
void fmt_fields(struct printing *p, const struct sysstruct *s, uint64_t address, bool *ret_any);
/* A structure at an address, or the address if it was not copied. */
void fmt_struct_or_addr(struct printing *p, const struct sysstruct *s, uint64_t address);
/* n elements [a, b]; each by fn(p, address of the element). */
void fmt_elements(struct printing *p, uint64_t address, uint64_t n, size_t size,
		  void (*fn)(struct printing *p, uint64_t address));

/* signals.c */
void fmt_signal(struct printing *p, int sig);
void fmt_sigset(struct printing *p, const uint8_t *bytes, size_t n, bool brackets);
void fmt_siginfo(struct printing *p, const uint8_t *info);

/* network.c */
void fmt_sockaddr(struct printing *p, uint64_t address, size_t n);
void fmt_failed_message(struct printing *p, uint64_t address); /* of recvmsg */
void fmt_iovecs(struct printing *p, uint64_t address, uint64_t n, uint64_t n_bytes, bool decode);

/* errors.c */
const char *errno_name(unsigned e);
const char *errno_text(unsigned e);

/* fds.c */
struct syscallfds *syscallfds_new(void);
void syscallfds_free(struct syscallfds *f);
/* sockets: of -yy; NULL: none. */
void syscallfds_learn(struct syscallfds *f, struct syscallsockets *sockets, struct printing *p);
/* NULL: unknown. */
const char *syscallfds_find(struct syscallfds *f, int32_t tgid, int fd);
int syscallfds_add(struct syscallfds *f, int32_t tgid, int fd, const char *path, bool cloexec);
/* The descriptor is the same, but more is known of it. */
void syscallfds_set_path(struct syscallfds *f, int32_t tgid, int fd, const char *path);
/* Its calls are not all seen: no path of it is certain. */
void syscallfds_distrust(struct syscallfds *f, int32_t tgid);
/* Calls were lost: nothing is known. */
void syscallfds_clear(struct syscallfds *f);

/* comms.c: all take NULL, which has no names */
struct syscallcomms *syscallcomms_new(void);
void syscallcomms_free(struct syscallcomms *s);
/* What a call says of the names of threads; of a child, before its first call is shown. */
void syscallcomms_learn(struct syscallcomms *s, struct printing *p);
void syscallcomms_learn_child(struct syscallcomms *s, struct printing *p);
void syscallcomms_add(struct syscallcomms *s, int32_t pid, const char *comm);
void syscallcomms_forget(struct syscallcomms *s, int32_t pid);
bool syscallcomms_matter(const char *call);
void fmt_pid(struct printing *p, int32_t pid);
void fmt_name_of(struct printing *p, int32_t pid);
void fmt_pid_result(struct printing *p);

/* dump.c: lines with the bytes that the call read or wrote, if its descriptor is chosen. */
void sysdump_fmt(struct printing *p);

/* sockets.c */
struct syscallsockets *syscallsockets_new(void);
void syscallsockets_free(struct syscallsockets *s);
/* What the call says of a socket. listener: the inode of the one that accepted it; 0: none. */
void syscallsockets_learn(struct syscallsockets *s, struct printing *p,
			  const struct syscallevents_file *file, uint64_t listener);
/* Adds "TCP:[…]", or returns false if the socket is not known. */
bool syscallsockets_fmt(struct syscallsockets *s, struct printing *p, uint64_t inode);

#endif
