// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * basics.c - numbers, and numbers that have names.
 *
 * A constant has three forms: its name, its number, or both (strace -X). Unknown bits of flags are
 * added in hex; if no bit is known, a comment says whose flags they are: 0x40 with O_??? in a
 * comment.
 */
#include "decode/syscalls/text_int.h"

#include "base/array.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <inttypes.h>
#include <stdio.h>

void fmt_addr(struct printing *p, uint64_t v)
{
	if (!v) {
		add(p, "NULL");
		return;
	}
	fmt_hex(p, v);
}

void fmt_hex(struct printing *p, uint64_t v)
{
	if (v)
		add(p, "0x");
	textbuf_add_hex(p->tb, v);
}

void entry_ends(struct printing *p)
{
	if (!p->n_entry)
		p->n_entry = textbuf_len(p->tb);
}

bool begin_written(struct printing *p, uint64_t address)
{
	entry_ends(p);
	if (wrote(p)) {
		p->when = SYSCALLEVENTS_AT_EXIT;
		return true;
	}
	fmt_addr(p, address);
	return false;
}

void fmt_note(struct printing *p, size_t start)
{
	size_t n = textbuf_len(p->tb) - start;

	if (p->tb->overflow || start > textbuf_len(p->tb))
		return;
	if (n > sizeof(p->note))
		n = sizeof(p->note);
	memcpy(p->note, p->tb->start + start, n);
	p->n_note = n;
	p->tb->pos = p->tb->start + start;
}

static const struct sysxlat_row *rows_of(struct printing *p, const struct sysxlat *x)
{
	return p->aarch64 ? x->rows_aarch64 : x->rows;
}

const char *xlat_find(struct printing *p, const struct sysxlat *x, uint64_t v)
{
	const struct sysxlat_row *rows = rows_of(p, x);

	for (size_t i = 0; i < x->n; i++)
		if (rows[i].value == v)
			return rows[i].name;
	return NULL;
}

static void comment(struct printing *p, const char *s)
{
	if (!s)
		return;
	add(p, " /* ");
	add(p, s);
	add(p, " */");
}

void fmt_enum(struct printing *p, const struct sysxlat *x, uint64_t v)
{
	const char *name = xlat_find(p, x, v);

	if (p->o->constants == SYSCALLTEXT_ABBREV && name) {
		add(p, name);
		return;
	}
	fmt_hex(p, v);
	if (p->o->constants != SYSCALLTEXT_RAW)
		comment(p, name ? name : x->unknown);
}

/* Adds the names; returns whether there were any. */
static bool flag_names(struct printing *p, const struct sysxlat *x, uint64_t v)
{
	const struct sysxlat_row *rows = rows_of(p, x);
	bool any = false;

	for (size_t i = 0; i < x->n; i++) {
		uint64_t bits = rows[i].value;

		if (v ? !bits || (v & bits) != bits : bits != 0)
			continue;
		if (any)
			textbuf_add_char(p->tb, '|');
		add(p, rows[i].name);
		any = true;
		if (!v)
			return true;
		v &= ~bits;
		if (!v)
			return true;
	}
	if (any && v) {
		textbuf_add_char(p->tb, '|');
		fmt_hex(p, v);
	}
	return any;
}

void fmt_flags(struct printing *p, const struct sysxlat *x, uint64_t v)
{
	size_t start;

	if (p->o->constants == SYSCALLTEXT_ABBREV) {
		if (flag_names(p, x, v))
			return;
		fmt_hex(p, v);
		if (v)
			comment(p, x->unknown);
		return;
	}
	fmt_hex(p, v);
	if (p->o->constants == SYSCALLTEXT_RAW)
		return;
	start = textbuf_len(p->tb);
	add(p, " /* ");
	if (!flag_names(p, x, v)) {
		p->tb->pos = p->tb->overflow ? p->tb->pos : p->tb->start + start;
		if (v)
			comment(p, x->unknown);
		return;
	}
	add(p, " */");
}

void sysfmt_flags(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_flags(p, t->of, t->bytes == 8 ? v : t->bytes == 2 ? (uint16_t)v : (uint32_t)v);
}

void sysfmt_enum(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_enum(p, t->of, t->bytes == 8 ? v : t->bytes == 2 ? (uint16_t)v : (uint32_t)v);
}

#define NUMBER(kind, expression)                                                    \
	void sysfmt_##kind(struct printing *p, const struct systype *t, uint64_t v) \
	{                                                                           \
		(void)t;                                                            \
		expression;                                                         \
	}

NUMBER(int, textbuf_add_signed(p->tb, (int32_t)v))
NUMBER(uint, textbuf_add_dec(p->tb, (uint32_t)v))
NUMBER(long, textbuf_add_signed(p->tb, (int64_t)v))
NUMBER(ulong, textbuf_add_dec(p->tb, v))
NUMBER(short, textbuf_add_signed(p->tb, (int16_t)v))
NUMBER(ushort, textbuf_add_dec(p->tb, (uint16_t)v))
NUMBER(byte, textbuf_add_dec(p->tb, (uint8_t)v))
NUMBER(hex, fmt_hex(p, (uint32_t)v))
NUMBER(hexl, fmt_hex(p, v))
NUMBER(octal, fmt_octal(p, v))
NUMBER(addr, fmt_addr(p, v))
NUMBER(mode, fmt_octal(p, (uint16_t)v))
NUMBER(uid, fmt_uid(p, v))
NUMBER(gid, fmt_uid(p, v))
NUMBER(dev, fmt_dev(p, (uint32_t)v))
NUMBER(dev64, fmt_dev(p, v))
NUMBER(pid, fmt_pid(p, (int)v))
NUMBER(fd, fmt_fd(p, (int)v))
NUMBER(mountfd, fmt_fd(p, (int)v))

void fmt_octal(struct printing *p, unsigned mode)
{
	textbuf_addf(p->tb, "%#03o", mode);
}

void fmt_uid(struct printing *p, uint32_t uid)
{
	if (uid == UINT32_MAX)
		add(p, "-1");
	else
		textbuf_add_dec(p->tb, uid);
}

void fmt_dev(struct printing *p, uint64_t dev)
{
	uint32_t major = (dev >> 8 & 0xfff) | (uint32_t)(dev >> 32 & ~0xfffu);
	uint32_t minor = (dev & 0xff) | (uint32_t)(dev >> 12 & ~0xffu);

	add(p, "makedev(");
	fmt_hex(p, major);
	add(p, ", ");
	fmt_hex(p, minor);
	add(p, ")");
}

void fmt_mode(struct printing *p, unsigned mode)
{
	static const struct {
		unsigned type;
		const char *name;
	} types[] = {
		{0100000, "S_IFREG"},  {0040000, "S_IFDIR"}, {0020000, "S_IFCHR"},
		{0060000, "S_IFBLK"},  {0010000, "S_IFIFO"}, {0120000, "S_IFLNK"},
		{0140000, "S_IFSOCK"},
	};
	const char *type = NULL;

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (types[i].type == (mode & 0170000))
			type = types[i].name;
	if (p->o->constants == SYSCALLTEXT_RAW || (!type && !(mode & 07000 && mode & 0170000))) {
		textbuf_addf(p->tb, "%#03o", mode);
		return;
	}
	if (p->o->constants == SYSCALLTEXT_VERBOSE)
		textbuf_addf(p->tb, "%#03o /* ", mode);
	if (type)
		add(p, type);
	else
		textbuf_addf(p->tb, "%#o", mode & 0170000);
	textbuf_addf(p->tb, "%s%s%s|%#03o", mode & 04000 ? "|S_ISUID" : "",
		     mode & 02000 ? "|S_ISGID" : "", mode & 01000 ? "|S_ISVTX" : "", mode & 0777);
	if (p->o->constants == SYSCALLTEXT_VERBOSE)
		add(p, " */");
}

/* "socket:[": asks for the number. What it is now may be something else than it was. */
static const char *find_number(struct printing *p, int fd, const char *kind)
{
	char text[4096];
	int n = -1;

	if (p->o->find_path)
		n = p->o->find_path(p->o->arg, p->call->tgid, fd, text, sizeof(text) - 1);
	if (n <= 0 || (size_t)n >= sizeof(text))
		return NULL;
	text[n] = 0;
	if (strncmp(text, kind, strlen(kind)))
		return NULL;
	syscallfds_set_path(p->state->fds, p->call->tgid, fd, text);
	return syscallfds_find(p->state->fds, p->call->tgid, fd);
}

/* -yy: what kind of socket, and its addresses. */
static bool add_socket(struct printing *p, const char *path)
{
	uint64_t inode;

	return p->state->sockets && sscanf(path, "socket:[%" SCNu64 "]", &inode) == 1 &&
	       syscallsockets_fmt(p->state->sockets, p, inode);
}

void fmt_fd(struct printing *p, int fd)
{
	static const char gone[] = " (deleted)";
	const char *path;
	size_t n;

	textbuf_add_signed(p->tb, fd);
	if (!p->o->paths || fd < 0)
		return;
	path = syscallfds_find(p->state->fds, p->call->tgid, fd);
	if (path && path[strlen(path) - 1] == '[')
		path = find_number(p, fd, path);
	if (!path)
		return;
	n = strlen(path);
	if (n > strlen(gone) && !strcmp(path + n - strlen(gone), gone))
		n -= strlen(gone);
	textbuf_add_char(p->tb, '<');
	if (!add_socket(p, path))
		textbuf_add(p->tb, path, n);
	add(p, path[n] ? ">(deleted)" : ">");
}

/* The upper half of a file position, which is 0 on 64-bit machines. */
void sysfmt_hidden(struct printing *p, const struct systype *t, uint64_t v)
{
}

#define FD_CWD (-100)

void sysfmt_dirfd(struct printing *p, const struct systype *t, uint64_t v)
{
	const char *path;

	if ((int)v != FD_CWD) {
		fmt_fd(p, (int)v);
		return;
	}
	switch (p->o->constants) {
	case SYSCALLTEXT_ABBREV:
		add(p, "AT_FDCWD");
		break;
	case SYSCALLTEXT_RAW:
		add(p, "-100");
		break;
	default:
		add(p, "-100 /* AT_FDCWD */");
	}
	path = p->o->paths ? syscallfds_find(p->state->fds, p->call->tgid, FD_CWD) : NULL;
	if (path)
		textbuf_addf(p->tb, "<%s>", path);
}

SYSXLAT_DECLARE(clocks);
void sysfmt_clockid(struct printing *p, const struct systype *t, uint64_t v)
{
	static const char *const kinds[] = {"CPUCLOCK_PROF", "CPUCLOCK_VIRT", "CPUCLOCK_SCHED",
					    "CLOCKFD"};
	int32_t id = (int32_t)v;

	if (id >= 0) {
		fmt_enum(p, SYSXLAT(clocks), (uint32_t)id);
		return;
	}
	if ((id & 7) == 3)
		textbuf_addf(p->tb, "FD_TO_CLOCKID(%d)", ~(id >> 3));
	else
		textbuf_addf(p->tb, "MAKE_%s_CPUCLOCK(%d, %s)", id & 4 ? "THREAD" : "PROCESS",
			     ~(id >> 3), kinds[id & 3]);
}

void sysfmt_key(struct printing *p, const struct systype *t, uint64_t v)
{
	if ((uint32_t)v)
		fmt_hex(p, (uint32_t)v);
	else
		add(p, p->o->constants == SYSCALLTEXT_RAW ? "0" : "IPC_PRIVATE");
}

void sysfmt_rlim(struct printing *p, const struct systype *t, uint64_t v)
{
	if (v == UINT64_MAX)
		add(p, "RLIM64_INFINITY");
	else if (v > 1024 && v % 1024 == 0)
		textbuf_addf(p->tb, "%" PRIu64 "*1024", v / 1024);
	else
		textbuf_add_dec(p->tb, v);
}
