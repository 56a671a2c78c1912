// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kvm.c - virtual machines: why a CPU left the guest and where, emulated instructions, shadow page
 * tables.
 *
 *	kvm_exit:          reason EPT_VIOLATION rip 0xffffffff8a0f4c3c info 182 0
 *	kvm_entry:          vcpu 0 rip 0xffffffff8a0f4c3c
 *	kvm_emulate_insn:  0:ffffffff8a0f4c3c: 44 89 01
 *	kvm_mmu_get_page:  new sp gfn 1a3 2 q0 wux !pae nxe wp root 0 sync
 *
 * Events without the field that identifies the processor are treated as Intel's. Addresses are the
 * guest's; they get a name if the guest's trace was read together with the host's (guests.c):
 *
 *	kvm_entry:          vcpu 0 rip 0xffffffff8a0f4c3c native_safe_halt+0xc
 *
 * Instructions stay bytes.
 */
#include "base/textbuf.h"
#include "decode/order/guests.h"
#include "decode/handlers/handler_int.h"
#include "format/bytes.h"
#include "symbols/tables/kvmexits.h"

/* Order of the fields in the rows; reason and isa come first everywhere. */
enum { EXIT_REASON, ISA };
enum { EXIT_RIP = ISA + 1, EXIT_INFO1, EXIT_INFO2 };
enum { NESTED_INFO = ISA + 1, NESTED_RIP = NESTED_INFO + 4 };
enum { ENTRY_VCPU, ENTRY_RIP };
enum { INSN_RIP, INSN_CSBASE, INSN_LEN, INSN_FLAGS, INSN_FAILED, INSN_BYTES };
enum { PAGE_ROLE, PAGE_ROOT_COUNT, PAGE_UNSYNC, PAGE_CREATED, PAGE_GFN };

static bool add_reason(struct printer *p, const struct event *ev, const char *field)
{
	uint64_t reason, isa;
	const char *name;

	if (!handler_number(p, ev, EXIT_REASON, field, &reason))
		return false;
	if (!printer_number(p, ev->wanted[ISA], &isa))
		isa = KVM_ISA_VMX;
	name = kvm_exit_name(isa, reason);
	textbuf_add(p->out, "reason ", 7);
	if (name) {
		textbuf_add_str(p->out, name);
		return true;
	}
	textbuf_add_str(p->out, "UNKNOWN (");
	textbuf_add_dec(p->out, reason);
	textbuf_add_char(p->out, ')');
	return true;
}

/* Prints the address and, if the guest's trace was also read, its function. */
static void add_rip(struct printer *p, const char *before, uint64_t rip)
{
	const struct formats *f = p->formats;
	const struct kallsyms *symbols = NULL;
	const struct ksym *sym;

	textbuf_add_str(p->out, before);
	textbuf_add_hex(p->out, rip);
	if (f->guests)
		symbols = guests_find(f->guests, formats_common(f, &f->pid, p->data, p->size));
	sym = symbols ? kallsyms_find(symbols, rip) : NULL;
	if (!sym)
		return;
	textbuf_add_char(p->out, ' ');
	textbuf_add(p->out, sym->name, sym->name_len);
	if (rip != sym->addr) {
		textbuf_add(p->out, "+0x", 3);
		textbuf_add_hex(p->out, rip - sym->addr);
	}
}

int handle_kvm_exit(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t rip, info1, info2;

	if (!add_reason(p, ev, "exit_reason") ||
	    !handler_number(p, ev, EXIT_RIP, "guest_rip", &rip))
		return 1;
	add_rip(p, " rip 0x", rip);
	if (printer_number(p, ev->wanted[EXIT_INFO1], &info1) &&
	    printer_number(p, ev->wanted[EXIT_INFO2], &info2)) {
		textbuf_add(p->out, " info ", 6);
		textbuf_add_hex(p->out, info1);
		textbuf_add_char(p->out, ' ');
		textbuf_add_hex(p->out, info2);
	}
	return 0;
}

int handle_kvm_entry(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t v;

	if (handler_optional(p, ev, ENTRY_VCPU, "vcpu_id", &v)) {
		textbuf_add(p->out, " vcpu ", 6);
		textbuf_add_dec(p->out, (uint32_t)v);
	}
	if (!handler_number(p, ev, ENTRY_RIP, "rip", &v))
		return 1;
	add_rip(p, " rip 0x", v);
	return 0;
}

/* Prints the first n bytes of a field, but at most its size. */
static void add_bytes(struct printer *p, const struct field *f, uint64_t n)
{
	struct piece bytes = printer_field_bytes(p, f);

	for (size_t i = 0; i < n && i < bytes.len; i++) {
		if (i)
			textbuf_add_char(p->out, ' ');
		textbuf_add(p->out, number_hex_pairs + bytes.data[i] * 2, 2);
	}
}

int handle_kvm_insn(struct printer *p, const struct event *ev, const struct record *rec)
{
	static const char *const names[] = {"rip", "csbase", "len", "flags", "failed"};
	uint64_t v[INSN_BYTES];

	for (int i = 0; i < INSN_BYTES; i++)
		if (!handler_number(p, ev, i, names[i], &v[i]))
			return 1;
	if (!ev->wanted[INSN_BYTES]) {
		textbuf_add_str(p->out, "<CANT FIND FIELD insn>");
		return 1;
	}
	textbuf_add_hex(p->out, v[INSN_CSBASE]);
	add_rip(p, ":", v[INSN_RIP]);
	textbuf_add(p->out, ": ", 2);
	add_bytes(p, ev->wanted[INSN_BYTES], v[INSN_LEN]);
	if (v[INSN_FAILED])
		textbuf_add(p->out, " FAIL", 5);
	return 0;
}

int handle_kvm_nested_inject(struct printer *p, const struct event *ev, const struct record *rec)
{
	static const char *const fields[] = {"exit_info1", "exit_info2", "exit_int_info",
					     "exit_int_info_err"};

	if (!add_reason(p, ev, "exit_code"))
		return 1;
	for (int i = 0; i < 4; i++) {
		uint64_t v;

		if (!handler_optional(p, ev, NESTED_INFO + i, fields[i], &v))
			continue;
		textbuf_add_char(p->out, ' ');
		textbuf_add_str(p->out, fields[i] + strlen("exit_"));
		textbuf_add_char(p->out, ' ');
		textbuf_add_hex(p->out, v);
	}
	return 0;
}

int handle_kvm_nested(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t rip;

	if (!handler_number(p, ev, NESTED_RIP, "rip", &rip))
		return 1;
	add_rip(p, " rip ", rip);
	return handle_kvm_nested_inject(p, ev, rec);
}

/*
 * Prints the role of a shadow page, in the layout of older kernels (newer ones moved the bits, but
 * trace-cmd did not follow):
 *
 *	31      24 23   16  15   14  13  12    11     10  8    7     6  5   4   3  0
 *	   smm             smap smep  wp nxe invalid access direct quadrant pae level
 */
static void add_role(struct printer *p, uint32_t role)
{
	static const char *const access[] = {"---", "--x", "w--", "w-x",
					     "-u-", "-ux", "wu-", "wux"};

	/* bit fields cannot be byte-swapped, so trace-cmd ignores those of the other byte order */
	if (p->swap) {
		textbuf_addf(p->out, "WORD: %08x", role);
		return;
	}
	textbuf_addf(p->out, "%u q%u%s %s%s %spae %snxe %swp%s%s%s", role & 15, role >> 5 & 3,
		     role >> 7 & 1 ? " direct" : "", access[role >> 8 & 7],
		     role >> 11 & 1 ? " invalid" : "", role >> 4 & 1 ? "" : "!",
		     role >> 12 & 1 ? "" : "!", role >> 13 & 1 ? "" : "!",
		     role >> 14 & 1 ? " smep" : "", role >> 15 & 1 ? " smap" : "",
		     role >> 24 ? " smm" : "");
}

int handle_kvm_page(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t v;

	if (!handler_number(p, ev, PAGE_ROLE, "role", &v))
		return 1;
	add_role(p, v);
	if (handler_optional(p, ev, PAGE_ROOT_COUNT, "root_count", &v)) {
		textbuf_add(p->out, " root ", 6);
		textbuf_add_dec(p->out, (uint32_t)v);
		textbuf_add_char(p->out, ' ');
	}
	if (!handler_number(p, ev, PAGE_UNSYNC, "unsync", &v))
		return 1;
	textbuf_add_str(p->out, v ? "unsync" : "sync");
	return 0;
}

int handle_kvm_get_page(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t v;

	if (!handler_number(p, ev, PAGE_CREATED, "created", &v))
		return 1;
	textbuf_add_str(p->out, v ? "new " : "existing ");
	if (!handler_number(p, ev, PAGE_GFN, "gfn", &v))
		return 1;
	textbuf_addf(p->out, "sp gfn %llx ", (unsigned long long)v);
	return handle_kvm_page(p, ev, rec);
}
