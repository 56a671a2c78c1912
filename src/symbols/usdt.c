// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * usdt.c - reads USDT marks (user-level statically defined tracing).
 *
 * A mark is a nop in the code and a note in the section .note.stapsdt:
 *
 *  u32 name length (8) │ u32 description length │ u32 type (3) │ "stapsdt\0" │ description, padded
 *
 *	description:  address of the nop │ address of .stapsdt.base │ address of the semaphore or 0
 *	              provider\0 │ name\0 │ arguments\0        "-4@%eax 8@-8(%rbp)"
 *
 * Addresses have 4 or 8 bytes, like those of the program. Notes are not loaded, so a tool that
 * moves sections (prelink) does not correct them; the base gives the difference. The bytes may be
 * hostile: every text must end inside its note.
 */
#include "symbols/usdt.h"
#include "symbols/dwarf/debuginfo_int.h"
#include "base/errmsg.h"

#include <errno.h>
#include <string.h>

#define NOTE_TYPE   3
#define NOTE_OWNER  "stapsdt"
#define NOTES_MAX   (1u << 20)
#define HEADER_SIZE 12

static size_t padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* Removes and returns the text at the beginning, or returns NULL if it has no end. */
static const char *take_text(struct piece *p)
{
	const void *end = memchr(p->data, 0, p->len);
	const char *text = (const char *)p->data;
	size_t len;

	if (!end)
		return NULL;
	len = (const uint8_t *)end - p->data + 1;
	p->data += len;
	p->len -= len;
	return text;
}

static bool parse_note(struct piece d, bool swap, unsigned address_bytes, struct usdt_note *ret)
{
	uint64_t *const numbers[] = {&ret->address, &ret->base, &ret->semaphore};

	for (size_t i = 0; i < 3; i++) {
		if (d.len < address_bytes)
			return false;
		*numbers[i] = bytes_get(d.data, address_bytes, swap);
		d.data += address_bytes;
		d.len -= address_bytes;
	}
	ret->provider = take_text(&d);
	ret->name = ret->provider ? take_text(&d) : NULL;
	ret->arguments = ret->name ? take_text(&d) : NULL;
	return ret->arguments && *ret->provider && *ret->name;
}

int usdt_parse(struct piece notes, bool swap, unsigned address_bytes,
	       int (*visit)(void *ctx, const struct usdt_note *n), void *ctx)
{
	struct usdt_note note;
	int r = 0;

	for (unsigned i = 0; r >= 0 && i < NOTES_MAX && notes.len >= HEADER_SIZE; i++) {
		uint32_t n_name = bytes_get32(notes.data, swap);
		uint32_t n_desc = bytes_get32(notes.data + 4, swap);
		uint32_t type = bytes_get32(notes.data + 8, swap);
		size_t at = HEADER_SIZE + padded(n_name), size = at + padded(n_desc);

		/* 64-bit sizes: two lengths of 32 bits cannot overflow */
		if (at > notes.len || notes.len - at < n_desc)
			break;
		if (type == NOTE_TYPE && n_name == sizeof(NOTE_OWNER) &&
		    !memcmp(notes.data + HEADER_SIZE, NOTE_OWNER, sizeof(NOTE_OWNER)) &&
		    parse_note((struct piece){notes.data + at, n_desc}, swap, address_bytes, &note))
			r = visit(ctx, &note);
		if (size >= notes.len)
			break;
		notes.data += size;
		notes.len -= size;
	}
	return r;
}

/*
 * --- in a program ------------------------------------------------------------------------------
 */

struct marking {
	struct debuginfo *d;
	uint64_t base; /* address of .stapsdt.base; 0: the program has none */
	int (*visit)(void *ctx, const struct debuginfo_mark *m);
	void *ctx;
};

static int visit_note(void *ctx, const struct usdt_note *n)
{
	struct marking *m = ctx;
	uint64_t moved = m->base && n->base ? m->base - n->base : 0;
	struct debuginfo_mark mark = {n->provider, n->name, n->arguments, n->address + moved, 0};

	if (n->semaphore && debuginfo_file_offset(m->d, n->semaphore + moved, &mark.semaphore) < 0)
		mark.semaphore = 0;
	return m->visit(m->ctx, &mark);
}

int debuginfo_marks(struct debuginfo *d, int (*visit)(void *ctx, const struct debuginfo_mark *m),
		    void *ctx, struct errmsg *err)
{
	struct marking m = {d, 0, visit, ctx};
	struct piece notes = PIECE_EMPTY;
	const char *ident = elf_getident(d->elf, NULL);
	bool swap = ident && (ident[EI_DATA] == ELFDATA2MSB) != bytes_host_is_big();
	Elf_Scn *scn = NULL;
	size_t names;
	int r;

	if (elf_getshdrstrndx(d->elf, &names) < 0)
		return errmsg_set(err, -EINVAL,
				  "%s has no sections, so it has no marks; use a file that is not "
				  "stripped",
				  d->path);
	while ((scn = elf_nextscn(d->elf, scn))) {
		GElf_Shdr sh;
		const char *s =
			gelf_getshdr(scn, &sh) ? elf_strptr(d->elf, names, sh.sh_name) : NULL;
		Elf_Data *data;

		if (s && !strcmp(s, ".stapsdt.base"))
			m.base = sh.sh_addr;
		if (!s || strcmp(s, ".note.stapsdt") || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			notes = (struct piece){data->d_buf, data->d_size};
	}
	r = usdt_parse(notes, swap, d->types.pointer_bytes, visit_note, &m);
	return r < 0 ? r : 0;
}
