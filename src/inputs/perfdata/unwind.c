// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * unwind.c - the user's part of a call chain, from the copy of the stack in a sample (DWARF).
 *
 *  registers, copy of the stack ─▶ symbols/unwind: rules of each file ─▶ frames, innermost first
 *
 * A frame is shown where its call is, not where it returns to: the address is one less, as in perf.
 * The walk ends where no rules are found, where the copy ends, or in memory that nobody mapped.
 * Code without rules (made at run time) is tried by its frame pointer. Samples of another
 * architecture, and of 32-bit programs, keep only their innermost frame.
 */
#include "base/array.h"
#include "base/files/regular.h"
#include "base/scope.h"
#include "format/bytes.h"
#include "inputs/perfdata/session_int.h"
#include "store/perfdata/perfdata.h"
#include "symbols/unwind/unwind.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#define ELF_MAX_BYTES  (8ull << 30)
#define VDSO_MAX_BYTES (64u << 10)

/* Numbers of registers: the kernel's in samples, DWARF's. */
static const struct {
	uint8_t perf, dwarf;
} registers[] = {
#if defined(__x86_64__)
	{0, 0},	 {1, 3},  {2, 2},   {3, 1},   {4, 4},	{5, 5},	  {6, 6},   {7, 7},   {8, 16},
	{16, 8}, {17, 9}, {18, 10}, {19, 11}, {20, 12}, {21, 13}, {22, 14}, {23, 15},
#elif defined(__aarch64__)
	{0, 0},	  {1, 1},   {2, 2},   {3, 3},	{4, 4},	  {5, 5},   {6, 6},   {7, 7},	{8, 8},
	{9, 9},	  {10, 10}, {11, 11}, {12, 12}, {13, 13}, {14, 14}, {15, 15}, {16, 16}, {17, 17},
	{18, 18}, {19, 19}, {20, 20}, {21, 21}, {22, 22}, {23, 23}, {24, 24}, {25, 25}, {26, 26},
	{27, 27}, {28, 28}, {29, 29}, {30, 30}, {31, 31}, {32, 32},
#else
	{0, 0},
#endif
};

/* Does the file come from a machine like this one? */
static bool is_like_here(struct perfsession *s)
{
	const char *arch = perfdata_text(&s->data, SNF_PERF_FEAT_ARCH);
	struct utsname now;

	return !arch || (uname(&now) >= 0 && !strcmp(arch, now.machine));
}

static struct cfi *open_vdso(void)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	SCOPED(scope_close) int fd = memfd_create("sonde-vdso", MFD_CLOEXEC);
	Elf64_Ehdr head;
	uint64_t n;

	if (!image || fd < 0)
		return NULL;
	memcpy(&head, image, sizeof(head));
	n = head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize;
	if (n > VDSO_MAX_BYTES || write(fd, image, n) != (ssize_t)n)
		return NULL;
	return cfi_open(fd);
}

static struct cfi *cfi_of(struct perfdso *d)
{
	const char *path = d->symbols ? symtable_path(d->symbols) : NULL;

	if (d->tried_cfi)
		return d->cfi;
	d->tried_cfi = true;
	if (d->kind == PERFDSO_VDSO) {
		d->cfi = open_vdso();
	} else if (d->kind == PERFDSO_FILE && path) {
		SCOPED(scope_close) int fd = regular_open(path, ELF_MAX_BYTES);

		d->cfi = fd < 0 ? NULL : cfi_open(fd);
	}
	return d->cfi;
}

static bool set_registers(const struct perfdata_sample *s, struct unwind_frame *f)
{
	uint64_t mask = s->event->attr.sample_regs_user;

	*f = (struct unwind_frame){.is_exact = true};
	for (size_t i = 0; i < ARRAY_LEN(registers); i++) {
		uint64_t bit = UINT64_C(1) << registers[i].perf;
		size_t at = 8 * (size_t)__builtin_popcountll(mask & (bit - 1));

		if (!(mask & bit) || at + 8 > s->regs.len)
			continue;
		f->regs[registers[i].dwarf] = bytes_get64(s->regs.data + at, false);
		f->known |= UINT64_C(1) << registers[i].dwarf;
	}
	return f->known >> UNWIND_IP & 1 && f->known >> UNWIND_SP & 1;
}

/* Goes to the caller. Returns as unwind_step(). */
static int step(struct unwind_frame *f, const struct unwind_memory *m, const struct perfplace *at)
{
	const struct cfi *cfi = at->dso ? cfi_of((struct perfdso *)at->dso) : NULL;
	struct cfi_row row;

	if (cfi && cfi_find_row(cfi, at->address, &row) >= 0)
		return unwind_step(f, m, cfi, &row);
	return unwind_step_fp(f, m);
}

size_t perfsession_unwind(struct perfsession *s, const struct perfsample *sample,
			  struct perfplace *ret, size_t max)
{
	struct unwind_memory m = {.bytes = sample->s.stack};
	struct unwind_frame f;
	size_t n = 0;
	int r = 1;

	if (!sample->s.regs_abi || !is_like_here(s) || !set_registers(&sample->s, &f))
		return 0;
	m.start = f.regs[UNWIND_SP];
	while (r > 0 && n < max) {
		uint64_t ip = unwind_ip(&f) - !f.is_exact;

		perfsession_resolve(s, sample->thread, ip, false, &ret[n]);
		if (!ret[n].dso && n)
			break; /* not code: the frame before was the last that is right */
		ret[n].is_unwound = true;
		r = sample->s.regs_abi == PERF_SAMPLE_REGS_ABI_64 ? step(&f, &m, &ret[n]) : 0;
		n++;
	}
	return n;
}

void perfsession_free_unwind(struct perfsession *s)
{
	for (struct perfdso *d = s->dsos; d; d = d->next)
		if (d->cfi)
			cfi_close(d->cfi);
}
