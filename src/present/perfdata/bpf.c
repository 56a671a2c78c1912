// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpf.c - the features BPF_PROG_INFO and BPF_BTF of a perf.data as lines.
 *
 * perf asks the kernel which BPF programs are loaded when a recording begins, so a file lists
 * programs that have nothing to do with it. Layout:
 *
 *	BPF_PROG_INFO   u32 number; for each: u32 bytes of info, u32 bytes of data, u64 arrays,
 *	                info, data
 *	BPF_BTF         u32 number; for each: u32 id, u32 bytes, BTF
 *
 * info is the kernel's struct bpf_prog_info. Its pointers to arrays are offsets in data; `arrays`
 * has a bit for each array that is there. A program has one function or several, each with an
 * address, a length and a tag (a hash of its instructions). The name of a function is in the
 * program's BTF.
 */
#include "present/perfdata/bpf.h"

#include "base/errmsg.h"
#include "base/textbuf.h"
#include "format/bytes.h"
#include "store/perfdata/perfdata.h"
#include "symbols/btf/btf.h"

#include <inttypes.h>
#include <linux/bpf.h>

/* bits of `arrays` */
enum {
	ARRAY_ADDRESSES = 3,
	ARRAY_LENGTHS = 4,
	ARRAY_FUNCTIONS = 5,
	ARRAY_TAGS = 8,
};

struct program {
	struct bpf_prog_info info; /* fields that the file does not have are 0 */
	uint64_t arrays;
	struct piece data;
	struct btf *btf; /* or NULL */
};

static struct byte_reader reader_of(struct piece p)
{
	return (struct byte_reader){p.data, p.data + p.len, false, false};
}

/* Element i of an array, or NULL if it is not there. */
static const uint8_t *element(const struct program *p, int array, uint64_t offset, uint64_t i,
			      uint64_t n_bytes)
{
	uint64_t at;

	if (!(p->arrays >> array & 1) || __builtin_mul_overflow(i, n_bytes, &at) ||
	    __builtin_add_overflow(at, offset, &at) || at > p->data.len ||
	    p->data.len - at < n_bytes)
		return NULL;
	return p->data.data + at;
}

/* Opens the BTF with this id, or returns NULL. */
static struct btf *open_btf(const struct perfdata *pd, uint32_t id)
{
	struct piece f = pd->features[SNF_PERF_FEAT_BPF_BTF];
	struct byte_reader r = reader_of(f);
	uint64_t n = f.data && id ? byte_reader_take_number(&r, 4) : 0;

	for (uint64_t i = 0; i < n && !r.failed; i++) {
		uint64_t have = byte_reader_take_number(&r, 4);
		struct piece bytes = byte_reader_take_piece(&r, byte_reader_take_number(&r, 4));
		struct errmsg ignored = {0};
		struct btf *b;

		if (have == id && !r.failed)
			return btf_open_bytes(&b, bytes, NULL, &ignored) < 0 ? NULL : b;
	}
	return NULL;
}

static const char *short_name(const struct program *p, uint32_t i)
{
	const struct bpf_prog_info *info = &p->info;
	const uint8_t *function;

	if (!p->btf)
		return info->nr_jited_ksyms == 1 ? info->name : "F";
	/* u32 offset of the instruction, u32 type */
	function = info->func_info_rec_size < 8 ? NULL
						: element(p, ARRAY_FUNCTIONS, info->func_info, i,
							  info->func_info_rec_size);
	return function ? btf_function_name(p->btf, bytes_get32(function + 4, false)) : "";
}

static void add_printable(struct textbuf *tb, const char *s, size_t len)
{
	for (; len && *s; s++, len--)
		textbuf_add_char(tb, (unsigned char)*s < ' ' || *s == 127 ? '?' : *s);
}

/* Returns false if the file does not have the function. */
static bool add_function(const struct program *p, uint32_t i, struct textbuf *tb)
{
	const uint8_t *address = element(p, ARRAY_ADDRESSES, p->info.jited_ksyms, i, 8);
	const uint8_t *length = element(p, ARRAY_LENGTHS, p->info.jited_func_lens, i, 4);
	const uint8_t *tag = element(p, ARRAY_TAGS, p->info.prog_tags, i, BPF_TAG_SIZE);
	const char *name = short_name(p, i);

	if (!address || !length || !tag)
		return false;
	textbuf_add_str(tb, " bpf_prog_");
	for (int k = 0; k < BPF_TAG_SIZE; k++)
		textbuf_addf(tb, "%02x", tag[k]);
	if (*name) {
		textbuf_add_char(tb, '_');
		add_printable(tb, name, name == p->info.name ? sizeof(p->info.name) : SIZE_MAX);
	}
	textbuf_addf(tb, " addr 0x%" PRIx64 " size %u\n", bytes_get64(address, false),
		     bytes_get32(length, false));
	return true;
}

static void add_program(const struct program *p, struct textbuf *tb)
{
	uint32_t n = p->info.nr_jited_ksyms;
	bool ok = true;

	if (n != p->info.nr_prog_tags || n != p->info.nr_jited_func_lens)
		return;
	textbuf_addf(tb, "# bpf_prog_info %u:", p->info.id);
	if (n == 1) {
		if (!add_function(p, 0, tb))
			textbuf_add_char(tb, '\n');
		return;
	}
	textbuf_add_char(tb, '\n');
	for (uint32_t i = 0; i < n && ok; i++) {
		ok = element(p, ARRAY_ADDRESSES, p->info.jited_ksyms, i, 8);
		if (ok) {
			textbuf_addf(tb, "# \tsub_prog %u:", i);
			ok = add_function(p, i, tb);
		}
	}
}

static void add_programs(const struct perfdata *pd, struct textbuf *tb)
{
	struct piece f = pd->features[SNF_PERF_FEAT_BPF_PROG_INFO];
	struct byte_reader r = reader_of(f);
	uint64_t n = f.data ? byte_reader_take_number(&r, 4) : 0;

	for (uint64_t i = 0; i < n; i++) {
		struct program p = {0};
		uint64_t info_bytes = byte_reader_take_number(&r, 4);
		uint64_t data_bytes = byte_reader_take_number(&r, 4);
		struct piece info;

		p.arrays = byte_reader_take_number(&r, 8);
		info = byte_reader_take_piece(&r, info_bytes);
		p.data = byte_reader_take_piece(&r, data_bytes);
		if (r.failed)
			return;
		memcpy(&p.info, info.data, info.len < sizeof(p.info) ? info.len : sizeof(p.info));
		p.btf = open_btf(pd, p.info.btf_id);
		add_program(&p, tb);
		btf_close(p.btf);
	}
}

void perfbpf_add_lines(const struct perfdata *pd, struct textbuf *tb)
{
	struct piece f = pd->features[SNF_PERF_FEAT_BPF_BTF];
	struct byte_reader r = reader_of(f);
	uint64_t n = f.data ? byte_reader_take_number(&r, 4) : 0;

	add_programs(pd, tb);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t id = (uint32_t)byte_reader_take_number(&r, 4);

		byte_reader_take_piece(&r, byte_reader_take_number(&r, 4));
		if (r.failed)
			return;
		textbuf_addf(tb, "# btf info of id %u\n", id);
	}
}
