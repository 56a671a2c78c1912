// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kernelapis.c - the kernel's larger interfaces: perf events, BPF, io_uring, asynchronous I/O.
 *
 * Their structures grow from version to version, and say how long they are. A field is shown only
 * if the caller's structure has it; what is behind the fields known here is shown as "...".
 */
#include "decode/syscalls/text_int.h"

#include "base/array.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <inttypes.h>

SYSXLAT_DECLARE(perf_types);
SYSXLAT_DECLARE(perf_hw);
SYSXLAT_DECLARE(perf_sw);
SYSXLAT_DECLARE(perf_sample);
SYSXLAT_DECLARE(perf_read);
SYSXLAT_DECLARE(perf_sizes);

static const char *const perf_bits[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	NULL,
	NULL,
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
};

static void fmt_perf_bits(struct printing *p, uint64_t bits)
{
	static const char *const skids[] = {"arbitrary skid", "constant skid",
					    "requested to have 0 skid", "must have 0 skid"};

	for (unsigned i = 0; i < ARRAY_LEN(perf_bits); i++) {
		if (i == 15)
			textbuf_addf(p->tb, ", precise_ip=%u /* %s */", (unsigned)(bits >> 15 & 3),
				     skids[bits >> 15 & 3]);
		if (!perf_bits[i])
			continue;
		if (p->is_verbose)
			textbuf_addf(p->tb, ", %s=%u", perf_bits[i], (unsigned)(bits >> i & 1));
		else if (bits >> i & 1)
			textbuf_addf(p->tb, ", %s=1", perf_bits[i]);
	}
}

static void fmt_perf_config(struct printing *p, uint32_t type, uint64_t config)
{
	add(p, ", config=");
	if (type == 0)
		fmt_enum(p, SYSXLAT(perf_hw), config);
	else if (type == 1)
		fmt_enum(p, SYSXLAT(perf_sw), config);
	else
		fmt_hex(p, config);
}

static void fmt_perf_tail(struct printing *p, const uint8_t *b, uint32_t size, uint64_t bits)
{
	textbuf_addf(p->tb, ", %s=%u", bits >> 14 & 1 ? "wakeup_watermark" : "wakeup_events",
		     load32(b + 48));
	add(p, ", config1=");
	fmt_hex(p, load64(b + 56));
	if (size < 72)
		return;
	add(p, ", config2=");
	fmt_hex(p, load64(b + 64));
	if (size < 96)
		return;
	add(p, ", sample_regs_user=");
	fmt_hex(p, load64(b + 80));
	if (size < 104)
		return;
	add(p, ", sample_regs_intr=");
	fmt_hex(p, load64(b + 96));
	if (size >= 112)
		textbuf_addf(p->tb, ", aux_watermark=%u, sample_max_stack=%u", load32(b + 104),
			     load16(b + 108));
	if (size >= 120)
		textbuf_addf(p->tb, ", aux_sample_size=%u", load32(b + 112));
	if (size >= 128) {
		add(p, ", sig_data=");
		fmt_hex(p, load64(b + 120));
	}
}

void sysfmt_perfattr(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = v ? peek(p, v, 64) : NULL;
	uint32_t size;
	uint64_t bits;

	if (!b) {
		fmt_addr(p, v);
		return;
	}
	size = load32(b + 4);
	bits = load64(b + 40);
	add(p, "{type=");
	fmt_enum(p, SYSXLAT(perf_types), load32(b));
	add(p, ", size=");
	fmt_enum(p, SYSXLAT(perf_sizes), size);
	fmt_perf_config(p, load32(b), load64(b + 8));
	textbuf_addf(p->tb, ", %s=%" PRIu64 ", sample_type=",
		     bits >> 10 & 1 ? "sample_freq" : "sample_period", load64(b + 16));
	fmt_flags(p, SYSXLAT(perf_sample), load64(b + 24));
	add(p, ", read_format=");
	fmt_flags(p, SYSXLAT(perf_read), load64(b + 32));
	fmt_perf_bits(p, bits);
	if (p->is_verbose && size <= 136 && peek(p, v, size))
		fmt_perf_tail(p, b, size, bits);
	else
		add(p, ", ...");
	add(p, "}");
}

SYSXLAT_DECLARE(bpf_map_types);
SYSXLAT_DECLARE(bpf_map_flags);
SYSXLAT_DECLARE(bpf_prog_types);
SYSXLAT_DECLARE(bpf_update_flags);

static void fmt_map_create(struct printing *p, const uint8_t *b, size_t n)
{
	add(p, "{map_type=");
	fmt_enum(p, SYSXLAT(bpf_map_types), load32(b));
	textbuf_addf(p->tb,
		     ", key_size=%u, value_size=%u, max_entries=%u, map_flags=", load32(b + 4),
		     load32(b + 8), load32(b + 12));
	fmt_flags(p, SYSXLAT(bpf_map_flags), load32(b + 16));
	textbuf_addf(p->tb, ", inner_map_fd=%d", (int)load32(b + 20));
	if (n >= 44) {
		add(p, ", map_name=");
		fmt_quoted(p, b + 28, strnlen((const char *)b + 28, 16));
	}
	if (n >= 48)
		textbuf_addf(p->tb, ", map_ifindex=%u", load32(b + 44));
	if (n >= 60)
		textbuf_addf(p->tb, ", btf_fd=%d, btf_key_type_id=%u, btf_value_type_id=%u",
			     (int)load32(b + 48), load32(b + 52), load32(b + 56));
	if (n >= 64)
		textbuf_addf(p->tb, ", btf_vmlinux_value_type_id=%u", load32(b + 60));
	if (n >= 72)
		textbuf_addf(p->tb, ", map_extra=%" PRIu64, load64(b + 64));
	add(p, n > 72 ? ", ...}" : "}");
}

static void fmt_prog_load(struct printing *p, const uint8_t *b, size_t n)
{
	uint32_t version = load32(b + 40);

	add(p, "{prog_type=");
	fmt_enum(p, SYSXLAT(bpf_prog_types), load32(b));
	textbuf_addf(p->tb, ", insn_cnt=%u, insns=", load32(b + 4));
	fmt_addr(p, load64(b + 8));
	add(p, ", license=");
	fmt_string(p, load64(b + 16), true);
	textbuf_addf(p->tb, ", log_level=%u, log_size=%u, log_buf=", load32(b + 24),
		     load32(b + 28));
	fmt_addr(p, load64(b + 32));
	textbuf_addf(p->tb, ", kern_version=KERNEL_VERSION(%u, %u, %u), prog_flags=", version >> 16,
		     version >> 8 & 0xff, version & 0xff);
	fmt_hex(p, load32(b + 44));
	if (n >= 64) {
		add(p, ", prog_name=");
		fmt_quoted(p, b + 48, strnlen((const char *)b + 48, 16));
	}
	add(p, n > 64 ? ", ...}" : "}");
}

static void fmt_element(struct printing *p, const uint8_t *b, uint32_t command)
{
	textbuf_addf(p->tb, "{map_fd=%d, key=", (int)load32(b));
	fmt_addr(p, load64(b + 8));
	if (command == 1 || command == 2) {
		add(p, ", value=");
		fmt_addr(p, load64(b + 16));
		add(p, ", flags=");
		fmt_flags(p, SYSXLAT(bpf_update_flags), load64(b + 24));
	} else if (command == 4) {
		add(p, ", next_key=");
		fmt_addr(p, load64(b + 16));
	}
	add(p, "}");
}

void sysfmt_bpfattr(struct printing *p, const struct systype *t, uint64_t v)
{
	static const uint32_t opens = 1u << 0 | 1u << 5 | 1u << 7 | 1u << 13 | 1u << 14 | 1u << 17 |
				      1u << 18 | 1u << 19 | 1u << 28 | 1u << 30;
	uint32_t command = (uint32_t)arg_of(p, 0);
	uint64_t n = (uint32_t)arg_of(p, 2);
	const uint8_t *b = v && n <= 256 ? peek(p, v, n) : NULL;

	if (command < 32 && opens >> command & 1)
		p->result = SYSRESULT_fd;
	if (b && command == 0 && n >= 24)
		fmt_map_create(p, b, n);
	else if (b && command >= 1 && command <= 4 && n >= 32)
		fmt_element(p, b, command);
	else if (b && command == 5 && n >= 48)
		fmt_prog_load(p, b, n);
	else
		fmt_addr(p, v);
}

SYSXLAT_DECLARE(uring_setup_flags);
SYSXLAT_DECLARE(uring_features);

static void fmt_uring_offsets(struct printing *p, const uint8_t *b)
{
	static const char *const sq[] = {"head",  "tail",    "ring_mask", "ring_entries",
					 "flags", "dropped", "array"};
	static const char *const cq[] = {"head",     "tail", "ring_mask", "ring_entries",
					 "overflow", "cqes", "flags"};

	for (unsigned i = 0; i < 7; i++)
		textbuf_addf(p->tb, "%s%s=%u", i ? ", " : ", sq_off={", sq[i],
			     load32(b + 40 + 4 * i));
	for (unsigned i = 0; i < 7; i++)
		textbuf_addf(p->tb, "%s%s=%u", i ? ", " : "}, cq_off={", cq[i],
			     load32(b + 80 + 4 * i));
	add(p, "}");
}

void sysfmt_io_uring_params(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = v ? peek(p, v, 120) : NULL;
	uint32_t flags;

	if (!b) {
		fmt_addr(p, v);
		return;
	}
	flags = load32(b + 8);
	add(p, "{flags=");
	fmt_flags(p, SYSXLAT(uring_setup_flags), flags);
	textbuf_addf(p->tb, ", sq_thread_cpu=%#x, sq_thread_idle=%u", load32(b + 12),
		     load32(b + 16));
	if (flags & 32)
		textbuf_addf(p->tb, ", wq_fd=%d", (int)load32(b + 24));
	if (p->when == SYSCALLEVENTS_AT_EXIT) {
		textbuf_addf(p->tb, ", sq_entries=%u, cq_entries=%u, features=", load32(b),
			     load32(b + 4));
		fmt_flags(p, SYSXLAT(uring_features), load32(b + 20));
		fmt_uring_offsets(p, b);
	}
	add(p, "}");
}

SYSXLAT_DECLARE(iocb_cmds);
SYSXLAT_DECLARE(iocb_flags);

static void fmt_iocb_operation(struct printing *p, const uint8_t *b)
{
	uint16_t op = load16(b + 16);

	switch (op) {
	case 0:
	case 1: /* PREAD, PWRITE */
		add(p, ", aio_buf=");
		if (op == 1)
			fmt_bytes(p, load64(b + 24), load64(b + 32));
		else
			fmt_addr(p, load64(b + 24));
		textbuf_addf(p->tb, ", aio_nbytes=%" PRIu64 ", aio_offset=%" PRId64, load64(b + 32),
			     (int64_t)load64(b + 40));
		break;
	case 7:
	case 8: /* PREADV, PWRITEV */
		add(p, ", aio_buf=");
		fmt_iovecs(p, load64(b + 24), load64(b + 32), op == 8 ? UINT64_MAX : 0, op == 8);
		textbuf_addf(p->tb, ", aio_offset=%" PRId64, (int64_t)load64(b + 40));
		break;
	default:
		break;
	}
}

/* brief: io_cancel shows only which request it is */
static void fmt_iocb(struct printing *p, uint64_t v, bool brief)
{
	const uint8_t *b = v ? peek(p, v, 64) : NULL;

	if (!b) {
		fmt_addr(p, v);
		return;
	}
	add(p, "{aio_data=");
	fmt_hex(p, load64(b));
	add(p, ", ");
	if (load32(b + 8)) {
		add(p, "aio_key=");
		textbuf_add_dec(p->tb, load32(b + 8));
		add(p, ", ");
	}
	add(p, "aio_lio_opcode=");
	fmt_enum(p, SYSXLAT(iocb_cmds), load16(b + 16));
	if (load16(b + 18))
		textbuf_addf(p->tb, ", aio_reqprio=%d", (int16_t)load16(b + 18));
	add(p, ", aio_fildes=");
	fmt_fd(p, (int)load32(b + 20));
	if (!brief) {
		fmt_iocb_operation(p, b);
		if (load32(b + 56)) {
			add(p, ", aio_flags=");
			fmt_flags(p, SYSXLAT(iocb_flags), load32(b + 56));
			if (load32(b + 56) & 1)
				textbuf_addf(p->tb, ", aio_resfd=%d", (int)load32(b + 60));
		}
	}
	add(p, "}");
}

void sysfmt_iocb(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_iocb(p, v, true);
}

static void fmt_iocb_pointer(struct printing *p, uint64_t address)
{
	uint64_t iocb = 0;

	peek_u64(p, address, &iocb);
	fmt_iocb(p, iocb, false);
}

void sysfmt_iocbs(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_elements(p, v, arg_of(p, 1), 8, fmt_iocb_pointer);
}
