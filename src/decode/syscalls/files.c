// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * files.c - files: how they are opened, what stat says, directories, attributes, mounts, handles.
 *
 * struct stat differs between machines; struct statx does not. Without -v only the mode and the
 * size are shown. Times are shown with a date in the reader's time zone, as strace does. A
 * directory listing is shown by the number of its entries; a record has room for about 120 of them.
 */
#include "base/textbuf.h"
#include "decode/syscalls/text_int.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <inttypes.h>
#include <time.h>

SYSXLAT_DECLARE(open_access);
SYSXLAT_DECLARE(open_flags);

#define O_CREAT_FLAG   0100u
#define O_TMPFILE_FLAG 020000000u

/* Flags, of which the lowest bits are an enumeration. */
void fmt_open_flags(struct printing *p, uint64_t v)
{
	static const char *const access[] = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};

	if (p->o->constants != SYSCALLTEXT_ABBREV) {
		fmt_hex(p, v);
		if (p->o->constants == SYSCALLTEXT_RAW)
			return;
		add(p, " /* ");
	}
	add(p, access[v & 3]);
	if (v & ~3ull) {
		struct syscalltext_options plain = *p->o;
		const struct syscalltext_options *o = p->o;

		plain.constants = SYSCALLTEXT_ABBREV;
		p->o = &plain;
		textbuf_add_char(p->tb, '|');
		fmt_flags(p, SYSXLAT(open_flags), v & ~3ull);
		p->o = o;
	}
	if (p->o->constants == SYSCALLTEXT_VERBOSE)
		add(p, " */");
}

void sysfmt_openflags(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_open_flags(p, (uint32_t)v);
}

void sysfmt_openmode(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t flags = arg_of(p, p->arg - 1);

	if (!(flags & (O_CREAT_FLAG | O_TMPFILE_FLAG)))
		return;
	add(p, ", ");
	fmt_octal(p, (uint16_t)v);
}

/* 2026-11-18T16:08:50.310466853+0000; digits: of the fraction. */
bool fmt_time(struct printing *p, int64_t sec, uint64_t fraction, int digits)
{
	char text[64], zone[16];
	time_t when = sec;
	struct tm tm;

	if (fraction > 999999999 || !localtime_r(&when, &tm) ||
	    !strftime(text, sizeof(text), "%FT%T", &tm) || !strftime(zone, sizeof(zone), "%z", &tm))
		return false;
	add(p, text);
	if (digits)
		textbuf_addf(p->tb, ".%0*" PRIu64, digits, fraction);
	add(p, zone);
	return true;
}

/* The same as a comment behind a time; nothing for 0. */
void fmt_time_comment(struct printing *p, int64_t sec, uint64_t fraction, int digits)
{
	size_t start = textbuf_len(p->tb);

	if (!sec && !fraction)
		return;
	add(p, " /* ");
	if (fmt_time(p, sec, fraction, digits))
		add(p, " */");
	else if (!p->tb->overflow)
		p->tb->pos = p->tb->start + start;
}

struct stat_layout {
	uint8_t nlink, nlink_bytes, mode, uid, gid, rdev, blksize_bytes;
};

static uint64_t load(const uint8_t *b, unsigned bytes)
{
	return bytes == 8 ? load64(b) : load32(b);
}

static void fmt_stat_times(struct printing *p, const uint8_t *b)
{
	static const char letters[] = "amc";

	for (unsigned i = 0; i < 3; i++) {
		int64_t sec = (int64_t)load64(b + 72 + 16 * i);
		uint64_t nsec = load64(b + 80 + 16 * i);

		textbuf_addf(p->tb, ", st_%ctime=%" PRId64, letters[i], sec);
		fmt_time_comment(p, sec, nsec, nsec ? 9 : 0);
		textbuf_addf(p->tb, ", st_%ctime_nsec=%" PRIu64, letters[i], nsec);
	}
}

void sysfmt_stat(struct printing *p, const struct systype *t, uint64_t v)
{
	static const struct stat_layout x86 = {16, 8, 24, 28, 32, 40, 8};
	static const struct stat_layout generic = {20, 4, 16, 24, 28, 32, 4};
	const struct stat_layout *l = p->aarch64 ? &generic : &x86;
	const uint8_t *b = peek_or_addr(p, v, 128);
	unsigned mode;

	if (!b)
		return;
	mode = load32(b + l->mode);
	add(p, "{");
	if (p->is_verbose) {
		add(p, "st_dev=");
		fmt_dev(p, load64(b));
		textbuf_addf(p->tb, ", st_ino=%" PRIu64 ", ", load64(b + 8));
	}
	add(p, "st_mode=");
	fmt_mode(p, mode);
	if (p->is_verbose) {
		textbuf_addf(p->tb, ", st_nlink=%" PRIu64 ", st_uid=%u, st_gid=%u",
			     load(b + l->nlink, l->nlink_bytes), load32(b + l->uid),
			     load32(b + l->gid));
		textbuf_addf(p->tb, ", st_blksize=%" PRIu64 ", st_blocks=%" PRIu64,
			     load(b + 56, l->blksize_bytes), load64(b + 64));
	}
	if ((mode & 0170000) == 0020000 || (mode & 0170000) == 0060000) {
		add(p, ", st_rdev=");
		fmt_dev(p, load64(b + l->rdev));
	} else {
		textbuf_addf(p->tb, ", st_size=%" PRIu64, load64(b + 48));
	}
	if (p->is_verbose)
		fmt_stat_times(p, b);
	else
		add(p, ", ...");
	add(p, "}");
}

SYSXLAT_DECLARE(statx_masks);
SYSXLAT_DECLARE(statx_attrs);
SYSXLAT_DECLARE(statx_sync);
SYSXLAT_DECLARE(at_flags);

void sysfmt_statxflags(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t sync = v & 0x6000, rest = v & ~0x6000u;

	if (p->o->constants == SYSCALLTEXT_RAW) {
		fmt_hex(p, (uint32_t)v);
		return;
	}
	fmt_flags(p, SYSXLAT(statx_sync), sync);
	if (rest) {
		add(p, "|");
		fmt_flags(p, SYSXLAT(at_flags), rest);
	}
}

static void fmt_statx_times(struct printing *p, const uint8_t *b)
{
	static const struct {
		const char *name;
		uint8_t offset;
		uint16_t bit; /* in the mask of what is known */
	} times[] = {{"atime", 64, 0x20},
		     {"btime", 80, 0x800},
		     {"ctime", 96, 0x80},
		     {"mtime", 112, 0x40}};

	for (unsigned i = 0; i < 4; i++) {
		int64_t sec = (int64_t)load64(b + times[i].offset);
		uint32_t nsec = load32(b + times[i].offset + 8);

		if (!(load32(b) & times[i].bit))
			continue;
		textbuf_addf(p->tb, ", stx_%s={tv_sec=%" PRId64 ", tv_nsec=%u}", times[i].name, sec,
			     nsec);
		fmt_time_comment(p, sec, nsec, 9);
	}
}

void sysfmt_statx(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek_or_addr(p, v, 256);
	bool verbose = p->is_verbose;

	if (!b)
		return;
	add(p, "{stx_mask=");
	fmt_flags(p, SYSXLAT(statx_masks), load32(b));
	if (verbose)
		textbuf_addf(p->tb, ", stx_blksize=%u", load32(b + 4));
	add(p, ", stx_attributes=");
	fmt_flags(p, SYSXLAT(statx_attrs), load64(b + 8));
	if (verbose)
		textbuf_addf(p->tb, ", stx_nlink=%u, stx_uid=%u, stx_gid=%u", load32(b + 16),
			     load32(b + 20), load32(b + 24));
	add(p, ", stx_mode=");
	fmt_mode(p, load16(b + 28));
	if (verbose)
		textbuf_addf(p->tb, ", stx_ino=%" PRIu64, load64(b + 32));
	textbuf_addf(p->tb, ", stx_size=%" PRIu64, load64(b + 40));
	if (!verbose) {
		add(p, ", ...}");
		return;
	}
	textbuf_addf(p->tb, ", stx_blocks=%" PRIu64 ", stx_attributes_mask=", load64(b + 48));
	fmt_flags(p, SYSXLAT(statx_attrs), load64(b + 56));
	fmt_statx_times(p, b);
	textbuf_addf(p->tb,
		     ", stx_rdev_major=%u, stx_rdev_minor=%u, stx_dev_major=%u, stx_dev_minor=%u",
		     load32(b + 128), load32(b + 132), load32(b + 136), load32(b + 140));
	if (load32(b) & 0x1000) {
		add(p, ", stx_mnt_id=");
		fmt_hex(p, load64(b + 144));
	}
	if (load32(b) & 0x2000)
		textbuf_addf(p->tb, ", stx_dio_mem_align=%u, stx_dio_offset_align=%u",
			     load32(b + 152), load32(b + 156));
	add(p, "}");
}

void sysfmt_fsid(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek(p, v, 8);

	if (!b)
		return;
	add(p, "{val=[");
	fmt_hex(p, load32(b));
	add(p, ", ");
	fmt_hex(p, load32(b + 4));
	add(p, "]}");
}

void sysfmt_mknodmode(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_mode(p, (uint16_t)v);
}

void sysfmt_mknoddev(struct printing *p, const struct systype *t, uint64_t v)
{
	unsigned type = arg_of(p, p->arg - 1) & 0170000;

	if (type != 0020000 && type != 0060000)
		return;
	add(p, ", ");
	fmt_dev(p, (uint32_t)v);
}

/*
 * One entry of getdents at b; n: the bytes that are left. Returns its length, 0 if it does not fit.
 */
static size_t dirent_bytes(const uint8_t *b, size_t n, size_t name)
{
	size_t len;

	if (n < name)
		return 0;
	len = load16(b + 16);
	return len >= name && len <= n ? len : 0;
}

SYSXLAT_DECLARE(dirent_types);

static void fmt_dirent(struct printing *p, const uint8_t *b, size_t len, bool is64)
{
	size_t name = is64 ? 19 : 18;
	size_t n = strnlen((const char *)b + name, len - name - !is64);

	textbuf_addf(p->tb, "{d_ino=%" PRIu64 ", d_off=%" PRId64 ", d_reclen=%u", load64(b),
		     (int64_t)load64(b + 8), load16(b + 16));
	if (is64) {
		add(p, ", d_type=");
		fmt_enum(p, SYSXLAT(dirent_types), b[18]);
	}
	add(p, ", d_name=");
	fmt_quoted(p, b + name, n);
	if (!is64) {
		add(p, ", d_type=");
		fmt_enum(p, SYSXLAT(dirent_types), b[len - 1]);
	}
	add(p, "}");
}

static void fmt_dirents(struct printing *p, uint64_t v, bool is64)
{
	size_t n = 0, pos = 0, len, min = is64 ? 20 : 20;
	uint64_t total = (uint64_t)p->call->ret;
	unsigned entries = 0;
	const uint8_t *b;
	uint8_t flags;

	if (!begin_written(p, v))
		return;
	b = total ? peek_some(p, v, total, &n, &flags) : NULL;
	if (!p->is_verbose)
		fmt_addr(p, v);
	else
		add(p, "[");
	for (; b && pos < n && (len = dirent_bytes(b + pos, n - pos, min)) > 0; pos += len) {
		if (p->is_verbose && entries)
			add(p, ", ");
		if (p->is_verbose)
			fmt_dirent(p, b + pos, len, is64);
		entries++;
	}
	if (p->is_verbose) {
		add(p, pos < total ? ", ...]" : "]");
		return;
	}
	if (total && !b)
		return;
	textbuf_addf(p->tb, " /* %u%s entries */", entries, pos < total ? "+" : "");
}

void sysfmt_dirents(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_dirents(p, v, false);
}

void sysfmt_dirents64(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_dirents(p, v, true);
}

void sysfmt_xattrval(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_bytes(p, v, arg_of(p, t->arg));
}

static void fmt_xattr_out(struct printing *p, uint64_t v, uint64_t size)
{
	entry_ends(p);
	p->when = SYSCALLEVENTS_AT_EXIT;
	if (!wrote(p) || !size)
		fmt_addr(p, v);
	else
		fmt_bytes(p, v, p->call->ret);
}

void sysfmt_outxattrval(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_xattr_out(p, v, arg_of(p, t->arg));
}

void sysfmt_xattrlist(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_xattr_out(p, v, arg_of(p, p->arg + 1u < 6 ? p->arg + 1 : 5));
}

SYSXLAT_DECLARE(mount_flags);
#define MS_MGC_VALUE   0xC0ED0000u
#define MS_IGNORE_TYPE (32 | 4096 | 8192 | 0x20000 | 0x40000 | 0x80000 | 0x100000)

void sysfmt_mountflags(struct printing *p, const struct systype *t, uint64_t v)
{
	if ((v & 0xffff0000) == MS_MGC_VALUE && p->o->constants == SYSCALLTEXT_ABBREV) {
		add(p, "MS_MGC_VAL");
		v &= ~(uint64_t)0xffff0000;
		if (!v)
			return;
		add(p, "|");
	}
	fmt_flags(p, SYSXLAT(mount_flags), v);
}

static bool is_bind(const struct printing *p)
{
	uint64_t flags = arg_of(p, 3);

	if ((flags & 0xffff0000) == MS_MGC_VALUE)
		flags &= 0xffff;
	return flags & (MS_IGNORE_TYPE & ~32);
}

void sysfmt_mounttype(struct printing *p, const struct systype *t, uint64_t v)
{
	if (is_bind(p))
		fmt_addr(p, v);
	else
		fmt_string(p, v, true);
}

/* A bind, move or propagation mount ignores the data. */
void sysfmt_mountdata(struct printing *p, const struct systype *t, uint64_t v)
{
	sysfmt_mounttype(p, t, v);
}

SYSXLAT_DECLARE(swap_flags);
void sysfmt_swapflags(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t flags = v & ~0x7fffu;

	if (flags || !(v & 0x7fff))
		fmt_flags(p, SYSXLAT(swap_flags), flags);
	if (v & 0x7fff)
		textbuf_addf(p->tb, flags ? "|%u" : "%u", (unsigned)(v & 0x7fff));
}

SYSXLAT_DECLARE(resolve_flags);
void sysfmt_open_how(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t size = arg_of(p, p->arg + 1), flags;
	const uint8_t *b = size >= 24 ? peek(p, v, 24) : NULL;

	if (!b) {
		fmt_addr(p, v);
		return;
	}
	flags = load64(b);
	add(p, "{flags=");
	fmt_open_flags(p, flags);
	if (flags & (O_CREAT_FLAG | O_TMPFILE_FLAG) || load64(b + 8)) {
		add(p, ", mode=");
		textbuf_addf(p->tb, "%#03" PRIo64, load64(b + 8));
	}
	add(p, ", resolve=");
	fmt_flags(p, SYSXLAT(resolve_flags), load64(b + 16));
	add(p, "}");
}

/* struct file_handle: how many bytes, a type, the bytes in hex */
static void fmt_handle(struct printing *p, const uint8_t *b, uint32_t before, bool with_bytes)
{
	uint32_t n = load32(b);

	textbuf_addf(p->tb, "{handle_bytes=%u", before);
	if (n != before)
		textbuf_addf(p->tb, " => %u", n);
	if (with_bytes) {
		textbuf_addf(p->tb, ", handle_type=%d, f_handle=\"", (int)load32(b + 4));
		for (uint32_t i = 0; i < n && i < 128; i++)
			textbuf_addf(p->tb, "\\x%02x", b[8 + i]);
		add(p, n > 128 ? "\"..." : "\"");
	}
	add(p, "}");
}

static const uint8_t *handle_at(struct printing *p, uint64_t v, uint8_t when)
{
	const uint8_t *b;

	p->when = when;
	b = peek(p, v, 8);
	return b && load32(b) <= 128 ? peek(p, v, 8 + load32(b)) : NULL;
}

void sysfmt_filehandlein(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = v ? handle_at(p, v, SYSCALLEVENTS_AT_ENTRY) : NULL;

	if (b)
		fmt_handle(p, b, load32(b), true);
	else
		fmt_addr(p, v);
}

void sysfmt_filehandle(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *before = v ? peek(p, v, 8) : NULL, *after;

	entry_ends(p);
	/* EOVERFLOW says how large a handle is */
	after = before && (wrote(p) || p->call->ret == -75) ? handle_at(p, v, SYSCALLEVENTS_AT_EXIT)
							    : NULL;
	if (after)
		fmt_handle(p, after, load32(before), wrote(p));
	else if (before)
		fmt_handle(p, before, load32(before), false);
	else
		fmt_addr(p, v);
}
