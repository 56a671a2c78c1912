// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * unpacked.c - uncompresses program files, and measures their compressed parts.
 *
 *	FILE.ko.xz, .gz, .zst      ─▶ a file in memory, which libdwfl reads as if it were FILE.ko
 *	.gnu_debugdata             ─▶ only measured: libdwfl uncompresses it itself
 *	SHF_COMPRESSED, .zdebug_*  ─▶ their headers give the size, and libelf uses no more than that
 *
 * A file is uncompressed in pieces, twice: the first pass only counts, so that a file that is too
 * large costs no memory. Modules without debug information have a few megabytes. libdwfl could also
 * uncompress bzip2 and the image of a kernel (vmlinuz); these are refused: nobody compresses
 * modules with bzip2, and the image has no symbols.
 */
#include "symbols/dwarf/unpacked.h"

#include "base/array.h"
#include "base/scope.h"
#include "base/shortage.h"

#include <errno.h>
#include <gelf.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define PIECE_BYTES	  (64u << 10)
#define XZ_MEMORY_BYTES	  (128ull << 20) /* xz -9 needs 65 MB */
#define MAGIC_MAX	  6
#define ZDEBUG_HEAD_BYTES 12 /* "ZLIB", and the size in 64 bits, big endian */
#define GZIP_OR_ZLIB	  (15 + 32)
#define DEBUGDATA	  ".gnu_debugdata"

/*
 * --- decoders ----------------------------------------------------------------------------------
 */

struct decoder {
	const uint8_t *in;
	size_t n_in;
	bool is_last; /* there is no input after `in` */
	uint8_t *out;
	size_t n_out;
	bool is_between; /* a part has ended; another one may follow */
	lzma_stream xz;
	z_stream gzip;
	ZSTD_DStream *zstd;
};

static bool xz_init(struct decoder *d)
{
	d->xz = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_auto_decoder(&d->xz, XZ_MEMORY_BYTES, LZMA_CONCATENATED) == LZMA_OK;
}

static int xz_step(struct decoder *d)
{
	lzma_ret r;

	d->xz.next_in = d->in;
	d->xz.avail_in = d->n_in;
	d->xz.next_out = d->out;
	d->xz.avail_out = d->n_out;
	r = lzma_code(&d->xz, d->is_last ? LZMA_FINISH : LZMA_RUN);
	d->in = d->xz.next_in;
	d->n_in = d->xz.avail_in;
	d->n_out = d->xz.avail_out;
	if (r == LZMA_MEM_ERROR)
		return -ENOMEM;
	return r == LZMA_OK ? 0 : r == LZMA_STREAM_END ? 1 : -EBADMSG;
}

static void xz_end(struct decoder *d)
{
	lzma_end(&d->xz);
}

static bool gzip_init(struct decoder *d)
{
	return inflateInit2(&d->gzip, GZIP_OR_ZLIB) == Z_OK;
}

static int gzip_step(struct decoder *d)
{
	int r;

	/* ignore what follows the end, as gzip does */
	if (d->is_between && (!d->n_in || *d->in != 0x1f))
		return d->n_in || d->is_last;
	if (d->is_between)
		inflateReset(&d->gzip);
	d->gzip.next_in = (uint8_t *)d->in;
	d->gzip.avail_in = d->n_in;
	d->gzip.next_out = d->out;
	d->gzip.avail_out = d->n_out;
	r = inflate(&d->gzip, Z_NO_FLUSH);
	d->in = d->gzip.next_in;
	d->n_in = d->gzip.avail_in;
	d->n_out = d->gzip.avail_out;
	d->is_between = r == Z_STREAM_END;
	if (r == Z_MEM_ERROR)
		return -ENOMEM;
	return r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR ? 0 : -EBADMSG;
}

static void gzip_end(struct decoder *d)
{
	inflateEnd(&d->gzip);
}

static bool zstd_init(struct decoder *d)
{
	d->zstd = ZSTD_createDStream();
	return d->zstd;
}

static int zstd_step(struct decoder *d)
{
	ZSTD_inBuffer in = {d->in, d->n_in, 0};
	ZSTD_outBuffer out = {d->out, d->n_out, 0};
	size_t left;

	if (d->is_between && !d->n_in)
		return d->is_last;
	left = ZSTD_decompressStream(d->zstd, &out, &in);
	d->in += in.pos;
	d->n_in -= in.pos;
	d->n_out -= out.pos;
	d->is_between = !left;
	if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
		return -ENOMEM;
	return ZSTD_isError(left) ? -EBADMSG : 0;
}

static void zstd_end(struct decoder *d)
{
	ZSTD_freeDStream(d->zstd);
}

static const struct packing {
	const char *magic;
	size_t n_magic;
	bool (*init)(struct decoder *d);
	/*
	 * Continues decoding. Returns 1 at the end, or a negative value if the data is damaged or
	 * memory is short.
	 */
	int (*step)(struct decoder *d);
	void (*end)(struct decoder *d);
} packings[] = {
	{"\xfd"
	 "7zXZ\0",
	 6, xz_init, xz_step, xz_end},
	{"\x1f\x8b", 2, gzip_init, gzip_step, gzip_end},
	{"\x28\xb5\x2f\xfd", 4, zstd_init, zstd_step, zstd_end},
	{"BZh", 3, NULL, NULL, NULL},
};

static const struct packing *packing_find(const void *head, size_t n)
{
	return ARRAY_FIND(packings, ARRAY_LEN(packings), i,
			  n >= packings[i].n_magic &&
				  !memcmp(head, packings[i].magic, packings[i].n_magic));
}

/*
 * --- from one place to another -----------------------------------------------------------------
 */

struct pour {
	int from_fd, to_fd; /* from_fd -1: all input is in memory; to_fd -1: only count */
	uint64_t n, max;
	uint8_t in[PIECE_BYTES], out[PIECE_BYTES];
};

static int refill(struct pour *p, struct decoder *d)
{
	ssize_t n = p->from_fd < 0 ? 0 : read(p->from_fd, p->in, sizeof(p->in));

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	d->in = p->in;
	d->n_in = n;
	d->is_last = !n;
	return 0;
}

static int put(struct pour *p, size_t n)
{
	const uint8_t *from = p->out;

	p->n += n;
	if (p->n > p->max)
		return -EFBIG;
	while (n && p->to_fd >= 0) {
		ssize_t done = write(p->to_fd, from, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		from += done > 0 ? done : 0;
		n -= done > 0 ? done : 0;
	}
	return 0;
}

static int pour_all(struct pour *p, const struct packing *packing, struct decoder *d)
{
	for (;;) {
		int r = d->n_in || d->is_last ? 0 : refill(p, d), r2;
		size_t n;

		TRY(r);
		d->out = p->out;
		d->n_out = sizeof(p->out);
		r = packing->step(d);
		n = sizeof(p->out) - d->n_out;
		r2 = r < 0 ? r : put(p, n);
		TRY(r2);
		if (r)
			return p->n ? 0 : -EBADMSG;
		if (!n && !d->n_in && d->is_last) /* the input is truncated */
			return -EBADMSG;
	}
}

/* Decodes input that begins with n_in bytes at `in` and continues in p->from_fd. */
static int pour(struct pour *p, const struct packing *packing, const void *in, size_t n_in)
{
	SCOPED(scope_free) struct decoder *d = calloc(1, sizeof(*d));
	int r = d && packing->init(d) ? 0 : -ENOMEM;

	if (!r) {
		d->in = in;
		d->n_in = n_in;
		r = pour_all(p, packing, d);
		packing->end(d);
	}
	if (r == -ENOMEM)
		shortage_note(ENOMEM); /* the library's allocations are not counted elsewhere */
	return r;
}

/* Decodes from_fd, from its beginning, to to_fd, which may be -1. */
static int pour_file(int from_fd, int to_fd, const struct packing *packing, uint64_t max)
{
	SCOPED(scope_free) struct pour *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	*p = (struct pour){.from_fd = from_fd, .to_fd = to_fd, .max = max};
	return lseek(from_fd, 0, SEEK_SET) < 0 ? -errno : pour(p, packing, NULL, 0);
}

int unpacked_open(int fd, uint64_t max_bytes)
{
	uint8_t head[MAGIC_MAX];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	const struct packing *packing = n < 0 ? NULL : packing_find(head, n);
	int to_fd, r;

	if (n < 0 || !packing)
		return n < 0 ? -errno : fd;
	if (!packing->step)
		return -EOPNOTSUPP;
	TRY(pour_file(fd, -1, packing, max_bytes));
	to_fd = memfd_create("sonde-unpacked", MFD_CLOEXEC);
	if (to_fd < 0)
		return -errno;
	r = pour_file(fd, to_fd, packing, max_bytes);
	if (r < 0) {
		close(to_fd);
		return r;
	}
	close(fd);
	return to_fd;
}

/*
 * --- sections ----------------------------------------------------------------------------------
 */

/*
 * Returns the uncompressed bytes of data, up to max. Damaged data counts as 0, because libdwfl does
 * not use it.
 */
static uint64_t measure(const Elf_Data *data, uint64_t max)
{
	const struct packing *packing =
		data && data->d_buf ? packing_find(data->d_buf, data->d_size) : NULL;
	SCOPED(scope_free) struct pour *p = packing && packing->step ? calloc(1, sizeof(*p)) : NULL;
	uint64_t n = 0;

	if (!p)
		return 0;
	*p = (struct pour){.from_fd = -1, .to_fd = -1, .max = max};
	pour(p, packing, data->d_buf, data->d_size);
	n = p->n;
	return n;
}

/* Returns the uncompressed bytes of a section, or 0 if it is not compressed. */
static uint64_t section_bytes(Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	Elf_Data *data;
	GElf_Chdr ch;
	uint64_t n = 0;

	if (sh->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &ch) ? ch.ch_size : 0;
	if (strncmp(name, ".zdebug", 7) || sh->sh_type == SHT_NOBITS)
		return 0;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || data->d_size < ZDEBUG_HEAD_BYTES)
		return 0;
	for (int i = 4; i < ZDEBUG_HEAD_BYTES; i++)
		n = n << 8 | ((const uint8_t *)data->d_buf)[i];
	return n;
}

bool unpacked_sections_fit(Elf *elf)
{
	Elf_Scn *scn = NULL;
	uint64_t n = 0;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return true;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		uint64_t more;

		if (!name)
			continue;
		more = section_bytes(scn, &sh, name);
		if (more > UNPACKED_SECTIONS_MAX_BYTES - n)
			return false;
		n += more;
		if (!strcmp(name, DEBUGDATA) &&
		    measure(elf_rawdata(scn, NULL), UNPACKED_FILE_MAX_BYTES) >
			    UNPACKED_FILE_MAX_BYTES)
			return false;
	}
	return true;
}
