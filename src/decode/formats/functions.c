// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * functions.c - the table of helper functions.
 *
 * To add one, write the call (it may print to p->out and returns the value) and add a row. A call
 * in place of a text is shown by what it prints, a call in place of a number by what it returns.
 * Addresses of kernel memory are meaningless here; an address in the record (__get_dynamic_array)
 * is an offset from its start.
 */
#include "decode/formats/functions.h"
#include "base/textbuf.h"
#include "decode/formats/functions_int.h"
#include "decode/print/print.h"
#include "symbols/tables/hypercalls.h"

#include <string.h>

#define DEV_MINOR_BITS 20
#define PTE_WRITABLE   2 /* a bit of a page table entry, x86 */
#define DEV_MINOR_MASK ((1u << DEV_MINOR_BITS) - 1)

static uint64_t call_dev_to_name(struct printer *p, const uint64_t *args)
{
	uint32_t dev = args[0];

	textbuf_addf(p->out, "%u:%u", dev >> DEV_MINOR_BITS, dev & DEV_MINOR_MASK);
	return 0;
}

/* Returns the jiffies unchanged, because the file does not have the length of a jiffy. */
static uint64_t call_jiffies_to_msecs(struct printer *p, const uint64_t *args)
{
	textbuf_add_signed(p->out, args[0]);
	return args[0];
}

static uint64_t call_hypercall_name(struct printer *p, const uint64_t *args)
{
	const char *name = xen_hypercall_name(args[0]);

	if (name)
		textbuf_addf(p->out, "(%s)", name);
	return 0;
}

/* Reads two bytes of the record, little-endian on every machine. */
static uint64_t call_le16_to_cpup(struct printer *p, const uint64_t *args)
{
	uint64_t at = args[0];

	return at < p->size && p->size - at >= 2 ? p->data[at] | p->data[at + 1] << 8 : 0;
}

static uint64_t call_is_writable_pte(struct printer *p, const uint64_t *args)
{
	return args[0] & PTE_WRITABLE;
}

static const struct print_function functions[] = {
	{"jbd2_dev_to_name", 1, {PARAM_NUMBER}, call_dev_to_name},
	{"jiffies_to_msecs", 1, {PARAM_NUMBER}, call_jiffies_to_msecs},
	{"scsi_trace_parse_cdb",
	 3,
	 {PARAM_NUMBER, PARAM_NUMBER, PARAM_NUMBER},
	 call_scsi_trace_parse_cdb},
	{"xen_hypercall_name", 1, {PARAM_NUMBER}, call_hypercall_name},
	{"__le16_to_cpup", 1, {PARAM_NUMBER}, call_le16_to_cpup},
	{"is_writable_pte", 1, {PARAM_NUMBER}, call_is_writable_pte},
	{0},
};

const struct print_function *functions_find(const char *name)
{
	for (const struct print_function *f = functions; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
