// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * function_scsi.c - scsi_trace_parse_cdb(): decodes a SCSI command block.
 *
 *	28 00 00 03 a0 08 00 00 20 00      READ(10)      lba=237576 txlen=32 protect=0
 *	9e 10 00 … 00 20                   READ_CAPACITY_16 lba=0 alloc_len=32
 *	7f 00 … 00 09 …                    READ_32 lba=… txlen=… protect=0 ei_lbrt=…
 *
 * Byte 0 is the operation. It determines where block address, length and flags are, so commands of
 * one size are one row. All numbers in a command are big-endian. Unknown operations are shown as
 * "-". Bytes beyond the end of the record count as 0.
 *
 * libtraceevent sign-extends four-byte numbers, so that a block beyond 2^31 becomes one near 2^64;
 * here it is the requested block.
 */
#include "base/array.h"
#include "decode/formats/functions_int.h"
#include "decode/print/print.h"

#define CDB_MAX 32 /* bytes of the longest supported command */

enum {
	READ_6 = 0x08,
	WRITE_6 = 0x0a,
	READ_10 = 0x28,
	WRITE_10 = 0x2a,
	VERIFY_10 = 0x2f,
	WRITE_SAME_10 = 0x41,
	UNMAP = 0x42,
	VARIABLE_LENGTH = 0x7f,
	READ_16 = 0x88,
	WRITE_16 = 0x8a,
	VERIFY_16 = 0x8f,
	WRITE_SAME_16 = 0x93,
	SERVICE_ACTION_IN_16 = 0x9e,
	READ_12 = 0xa8,
	WRITE_12 = 0xaa,
	VERIFY_12 = 0xaf,
};

/*
 * The layout of a command: offset and size of the block address and of the length, and its flags.
 */
struct cdb_layout {
	uint8_t lba, lba_bytes, length, length_bytes, flags;
};

static const struct cdb_layout rw10 = {2, 4, 7, 2, 1}, rw12 = {2, 4, 6, 4, 1},
			       rw16 = {2, 8, 10, 4, 1}, rw32 = {12, 8, 28, 4, 10};

static uint64_t number_at(const uint8_t *cdb, unsigned offset, unsigned n_bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n_bytes; i++)
		v = v << 8 | cdb[offset + i];
	return v;
}

static void add_rw6(struct textbuf *out, const uint8_t *cdb)
{
	textbuf_addf(out, "lba=%u txlen=%u", (unsigned)number_at(cdb, 1, 3) & 0x1fffff, cdb[4]);
}

static void add_rw(struct textbuf *out, const uint8_t *cdb, const struct cdb_layout *at)
{
	textbuf_addf(out, "lba=%llu txlen=%llu protect=%u",
		     (unsigned long long)number_at(cdb, at->lba, at->lba_bytes),
		     (unsigned long long)number_at(cdb, at->length, at->length_bytes),
		     cdb[at->flags] >> 5);
}

static void add_unmap_flag(struct textbuf *out, uint8_t flags)
{
	textbuf_addf(out, " unmap=%u", flags >> 3 & 1);
}

/* Shows a variable length command, whose operation is in bytes 8 and 9. */
static void add_variable(struct textbuf *out, const uint8_t *cdb)
{
	static const struct {
		unsigned action;
		const char *name;
	} rows[] = {{0x09, "READ"}, {0x0a, "VERIFY"}, {0x0b, "WRITE"}, {0x0d, "WRITE_SAME"}};
	unsigned action = number_at(cdb, 8, 2);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].action != action)
			continue;
		textbuf_addf(out, "%s_32 ", rows[i].name);
		add_rw(out, cdb, &rw32);
		textbuf_addf(out, " ei_lbrt=%u", (unsigned)number_at(cdb, 20, 4));
		if (action == 0x0d)
			add_unmap_flag(out, cdb[10]);
		return;
	}
	textbuf_add_char(out, '-');
}

static void add_service_action(struct textbuf *out, const uint8_t *cdb)
{
	unsigned action = cdb[1] & 0x1f;
	const char *name = action == 0x10   ? "READ_CAPACITY_16"
			   : action == 0x12 ? "GET_LBA_STATUS"
					    : NULL;

	if (!name) {
		textbuf_add_str(out, "UNKNOWN");
		return;
	}
	textbuf_addf(out, "%s lba=%llu alloc_len=%u", name,
		     (unsigned long long)number_at(cdb, 2, 8), (unsigned)number_at(cdb, 10, 4));
}

static void add_command(struct textbuf *out, const uint8_t *cdb)
{
	switch (cdb[0]) {
	case READ_6:
	case WRITE_6:
		add_rw6(out, cdb);
		break;
	case READ_10:
	case WRITE_10:
	case VERIFY_10:
		add_rw(out, cdb, &rw10);
		break;
	case WRITE_SAME_10:
		add_rw(out, cdb, &rw10);
		add_unmap_flag(out, cdb[1]);
		break;
	case READ_12:
	case WRITE_12:
	case VERIFY_12:
		add_rw(out, cdb, &rw12);
		break;
	case READ_16:
	case WRITE_16:
	case VERIFY_16:
		add_rw(out, cdb, &rw16);
		break;
	case WRITE_SAME_16:
		add_rw(out, cdb, &rw16);
		add_unmap_flag(out, cdb[1]);
		break;
	case UNMAP: /* the list of regions has a header of 8 bytes and 16 bytes for each region */
		textbuf_addf(out, "regions=%u", ((unsigned)number_at(cdb, 7, 2) - 8) / 16);
		break;
	case SERVICE_ACTION_IN_16:
		add_service_action(out, cdb);
		break;
	case VARIABLE_LENGTH:
		add_variable(out, cdb);
		break;
	default:
		textbuf_add_char(out, '-');
	}
}

/*
 * Prints a command. args: the kernel's trace_seq, the position of the command in the record, its
 * length.
 */
uint64_t call_scsi_trace_parse_cdb(struct printer *p, const uint64_t *args)
{
	uint8_t cdb[CDB_MAX] = {0};
	uint64_t at = args[1], left = at < p->size ? p->size - at : 0;

	memcpy(cdb, p->data + (left ? at : 0), left < CDB_MAX ? left : CDB_MAX);
	add_command(p->out, cdb);
	return 0;
}
