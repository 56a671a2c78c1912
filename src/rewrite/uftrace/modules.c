// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * modules.c - programs and libraries in a uftrace.data directory: the map of a session and the
 * symbols of each file.
 *
 *	sid-SID.map    START-END r-xp 00000000 00:00 0   PATH build-id:HEX
 *	NAME.sym       # symbols: N, # path name: PATH, # build-id: HEX
 *	               ADDRESS TYPE NAME             from START on; T a function, P a stub (PLT),
 *	               ADDRESS ? __sym_end           the end of the symbol before, where a gap
 *	                                             follows
 *
 * The trace has addresses of files, not of processes. So a program that can be anywhere is put
 * where the kernel puts them without randomization, libraries follow each other further up.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/mapfile.h"
#include "base/scope.h"
#include "format/bytes.h"
#include "rewrite/uftrace/uftwriter_int.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULES_MAX   4096
#define SYMBOLS_MAX   (1u << 22)
#define FUNCS_MAX     (1u << 22)
#define PAGE_BYTES    4096ull
#define PROGRAM_BASE  0x555555554000ull
#define LIBRARY_BASE  0x7f0000000000ull
#define INVENTED_BASE 0x100000000000ull
#define INVENTED_SPAN 0x10000000ull
#define FILE_MAX      (4ull << 30)
#define LINE_MAX_LEN  8192
#define START_BYTES   16 /* of _start, at least */

/*
 * --- the program's file ------------------------------------------------------------------------
 */

static void take_build_id(struct uft_module *m, const uint8_t *note, size_t left)
{
	while (left >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr head;
		size_t name, desc, all;

		memcpy(&head, note, sizeof(head));
		name = ((size_t)head.n_namesz + 3) & ~(size_t)3;
		desc = ((size_t)head.n_descsz + 3) & ~(size_t)3;
		all = sizeof(head) + name + desc;
		if (all > left)
			return;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
		    !memcmp(note + sizeof(head), "GNU", 4) && head.n_descsz <= 32) {
			for (size_t i = 0; i < head.n_descsz; i++)
				snprintf(m->build_id + 2 * i, 3, "%02x",
					 note[sizeof(head) + name + i]);
			return;
		}
		note += all;
		left -= all;
	}
}

static void take_segment(struct uft_module *m, const struct mapfile *map, const Elf64_Phdr *p)
{
	uint64_t begin = p->p_vaddr & ~(PAGE_BYTES - 1);
	uint64_t end = (p->p_vaddr + p->p_memsz + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);

	if (p->p_type == PT_NOTE && p->p_offset < map->n_bytes &&
	    p->p_filesz <= map->n_bytes - p->p_offset)
		take_build_id(m, map->data + p->p_offset, p->p_filesz);
	if (p->p_type != PT_LOAD || end <= begin)
		return;
	if (begin < m->low)
		m->low = begin;
	if (end > m->high)
		m->high = end;
}

/* The file may be gone, or another one: then the symbols say how large it was. */
static void read_elf(struct uft_module *m)
{
	struct errmsg ignored = {0};
	struct mapfile map;
	Elf64_Ehdr head;

	if (mapfile_open_regular(&map, m->path, FILE_MAX, &ignored) < 0)
		return;
	if (map.n_bytes >= sizeof(head)) {
		memcpy(&head, map.data, sizeof(head));
		m->entry = memcmp(head.e_ident, ELFMAG, SELFMAG) ? 0 : head.e_entry;
		for (size_t i = 0; !memcmp(head.e_ident, ELFMAG, SELFMAG) && i < head.e_phnum;
		     i++) {
			uint64_t at = head.e_phoff + i * sizeof(Elf64_Phdr);
			Elf64_Phdr p;

			if (at > map.n_bytes || map.n_bytes - at < sizeof(p))
				break;
			memcpy(&p, map.data + at, sizeof(p));
			take_segment(m, &map, &p);
		}
	}
	mapfile_release(&map);
}

/* uftrace's graph -D looks for this symbol of the program; it is not recorded. */
static void add_start(struct uft_module *m)
{
	for (size_t i = 0; i < m->n_symbols; i++)
		if (m->entry - m->symbols[i].address < m->symbols[i].n_bytes)
			return;
	if (m->entry && ARRAY_ROOM(m->symbols, m->cap_symbols, m->n_symbols + 1, SYMBOLS_MAX))
		m->symbols[m->n_symbols++] = (struct uft_symbol){
			.address = m->entry, .n_bytes = START_BYTES, .type = 'T', .name = "_start"};
}

static void place(struct uftwriter *w, struct uft_module *m)
{
	static const uint64_t gap = 1ull << 20;
	const struct uft_module *before = m > w->modules + 1 ? m - 1 : NULL;

	m->low = UINT64_MAX;
	read_elf(m);
	if (m == w->modules)
		add_start(m);
	if (m->low == UINT64_MAX)
		m->low = 0;
	for (size_t i = 0; i < m->n_symbols; i++)
		if (m->symbols[i].address + m->symbols[i].n_bytes > m->high)
			m->high = (m->symbols[i].address + m->symbols[i].n_bytes + PAGE_BYTES) &
				  ~(PAGE_BYTES - 1);
	if (m->low) /* it runs only there */
		m->base = m->low;
	else if (m == w->modules)
		m->base = PROGRAM_BASE;
	else
		m->base = before && before->base >= LIBRARY_BASE
				  ? before->base + (before->high - before->low) + gap
				  : LIBRARY_BASE;
}

/*
 * --- the option --------------------------------------------------------------------------------
 */

static const char *choose_sym_name(struct uftwriter *w, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char name[300];
	unsigned n = 0;

	for (size_t i = 0; i < w->n_modules; i++) {
		const char *other = strrchr(w->modules[i].path, '/');

		n += !strcmp(other ? other + 1 : w->modules[i].path, base);
	}
	if (n)
		snprintf(name, sizeof(name), "%.250s-%04x.sym", base, n);
	else
		snprintf(name, sizeof(name), "%.250s.sym", base);
	return arena_strndup(&w->arena, name, strlen(name));
}

static int add_module(struct uftwriter *w, const char *path)
{
	struct uft_module *m;

	if (!ARRAY_ROOM(w->modules, w->cap_modules, w->n_modules + 1, MODULES_MAX))
		return -ENOMEM;
	m = &w->modules[w->n_modules];
	m->path = arena_strndup(&w->arena, path, strlen(path));
	m->sym_name = choose_sym_name(w, path);
	if (!m->path || !m->sym_name)
		return -ENOMEM;
	w->n_modules++;
	return 0;
}

/* *ret_func: 0 if the line has none. */
static int add_symbol(struct uftwriter *w, const char *line)
{
	struct uft_module *m = w->n_modules ? &w->modules[w->n_modules - 1] : NULL;
	unsigned long long func, address;
	unsigned n_bytes;
	int name_at = 0;
	const char *name;

	if (!m || sscanf(line, "F %llx %llx %x %n", &func, &address, &n_bytes, &name_at) < 3 ||
	    !name_at)
		return 0;
	name = arena_strndup(&w->arena, line + name_at, strlen(line + name_at));
	if (!name || !ARRAY_ROOM(m->symbols, m->cap_symbols, m->n_symbols + 1, SYMBOLS_MAX))
		return -ENOMEM;
	m->symbols[m->n_symbols++] = (struct uft_symbol){
		.address = address, .n_bytes = n_bytes, .type = 'T', .name = name};
	return 0;
}

static int add_mangled(struct uftwriter *w, struct uft_symbol *s, const char *name)
{
	s->mangled = arena_strndup(&w->arena, name, strlen(name));
	return s->mangled ? 0 : -ENOMEM;
}

static int add_enum(struct uftwriter *w, struct uft_module *m, const char *text)
{
	struct uft_line *line;

	for (line = m->enums; line; line = line->next)
		if (!strcmp(line->text, text))
			return 0;
	line = arena_alloc(&w->arena, sizeof(*line));
	if (!line)
		return -ENOMEM;
	line->text = arena_strndup(&w->arena, text, strlen(text));
	line->next = m->enums;
	m->enums = line;
	return line->text ? 0 : -ENOMEM;
}

static int read_line(struct uftwriter *w, const char *line)
{
	struct uft_module *m = w->n_modules ? &w->modules[w->n_modules - 1] : NULL;

	if (line[0] == 'I' && line[1] == ' ')
		return add_module(w, line + 2);
	if (line[0] == 'F')
		return add_symbol(w, line);
	if (!m || !m->n_symbols || line[0] == '\0' || line[1] != ' ')
		return 0;
	switch (line[0]) {
	case 'P':
		m->symbols[m->n_symbols - 1].type = 'P';
		return 0;
	case 'M':
		return add_mangled(w, &m->symbols[m->n_symbols - 1], line + 2);
	case 'A':
	case 'R':
		return uftwriter_add_forms(w, &m->symbols[m->n_symbols - 1], line);
	case 'E':
		return add_enum(w, m, line + 2);
	default:
		return 0;
	}
}

/* Calls visit for each line. */
static int each_line(struct uftwriter *w, struct piece text,
		     int (*visit)(struct uftwriter *w, const char *line))
{
	char line[LINE_MAX_LEN];

	for (size_t at = 0; at < text.len;) {
		const uint8_t *end = memchr(text.data + at, '\n', text.len - at);
		size_t len = end ? (size_t)(end - (text.data + at)) : text.len - at;
		size_t kept = len < sizeof(line) - 1 ? len : sizeof(line) - 1;

		memcpy(line, text.data + at, kept);
		line[kept] = '\0';
		TRY(visit(w, line));
		at += len + 1;
	}
	return 0;
}

/* uftrace writes the call of such a library function at once. name: behind a blank. */
static bool may_not_return(const char *name)
{
	static const char *const names[] = {
		"daemon",  "execl",  "execle",	"execlp",	 "execv",
		"execve",  "execvp", "execvpe", "exit",		 "longjmp",
		"fexecve", "fork",   "vfork",	"__longjmp_chk", "siglongjmp",
	};

	for (size_t i = 0; name && i < ARRAY_LEN(names); i++)
		if (!strcmp(name + 1, names[i]))
			return true;
	return false;
}

static int note_leaver(struct uftwriter *w, uint64_t address)
{
	void **slot = map_take(&w->leavers, address, FUNCS_MAX);

	if (!slot)
		return -ENOMEM;
	*slot = w;
	return 0;
}

/* The second pass: modules have their places. Uses base as a mark of where it is. */
static int note_address(struct uftwriter *w, const char *line)
{
	static const char head[] = "I ";
	unsigned long long func, address;
	void **slot;

	if (!strncmp(line, head, 2)) {
		w->n_lost++; /* counts modules here */
		return 0;
	}
	if (line[0] == 'L' && w->with_sources)
		return uftwriter_add_source(w, line);
	if (line[0] != 'F' || sscanf(line, "F %llx %llx", &func, &address) < 2 || !w->n_lost)
		return 0;
	slot = map_take(&w->addresses, func, FUNCS_MAX);
	if (!slot)
		return -ENOMEM;
	address += w->modules[w->n_lost - 1].base - w->modules[w->n_lost - 1].low;
	*slot = (void *)(uintptr_t)address;
	return may_not_return(strrchr(line, ' ')) ? note_leaver(w, address) : 0;
}

int uftwriter_read_modules(struct uftwriter *w, struct piece functions, struct errmsg *err)
{
	int r = each_line(w, functions, read_line);

	for (size_t i = 0; i < w->n_modules; i++)
		place(w, &w->modules[i]);
	if (r >= 0)
		r = each_line(w, functions, note_address);
	w->n_lost = 0;
	return r < 0 ? errmsg_set_errno(err, r, "cannot read the functions of the trace") : 0;
}

/*
 * --- functions that the option does not list ---------------------------------------------------
 */

static struct uft_module *take_invented(struct uftwriter *w, const char *path)
{
	struct uft_module *m;

	for (size_t i = 0; i < w->n_modules; i++)
		if (w->modules[i].is_invented && !strcmp(w->modules[i].path, path))
			return &w->modules[i];
	if (add_module(w, path) < 0)
		return NULL;
	m = &w->modules[w->n_modules - 1];
	m->is_invented = true;
	m->base = INVENTED_BASE + (w->n_modules - 1) * INVENTED_SPAN;
	return m;
}

static uint64_t invent_address(struct uftwriter *w, const struct uftwriter_call *c)
{
	struct uft_module *m = take_invented(w, c->module ? c->module : "program");
	const char *name = arena_strndup(&w->arena, c->name, strlen(c->name));
	struct uft_symbol *s;

	if (!m || !name ||
	    !ARRAY_ROOM(m->symbols, m->cap_symbols, m->n_symbols + 1, INVENTED_SPAN / 16))
		return 0;
	s = &m->symbols[m->n_symbols];
	*s = (struct uft_symbol){
		.address = 16 * m->n_symbols, .n_bytes = 16, .type = 'T', .name = name};
	m->n_symbols++;
	m->high = (s->address + 16 + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	return m->base + s->address;
}

uint64_t uftwriter_address(struct uftwriter *w, const struct uftwriter_call *c)
{
	uint64_t address = (uintptr_t)map_find(&w->addresses, c->func);
	void **slot;

	if (address)
		return address;
	slot = map_take(&w->addresses, c->func, FUNCS_MAX);
	if (slot)
		*slot = (void *)(uintptr_t)invent_address(w, c);
	return slot ? (uintptr_t)*slot : 0;
}

/*
 * --- the files ---------------------------------------------------------------------------------
 */

static int compare_symbols(const void *pa, const void *pb)
{
	const struct uft_symbol *a = pa, *b = pb;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void fmt_symbols(struct uft_module *m, struct textbuf *tb)
{
	textbuf_addf(tb, "# symbols: %zu\n# path name: %s\n", m->n_symbols, m->path);
	if (m->build_id[0])
		textbuf_addf(tb, "# build-id: %s\n", m->build_id);
	for (size_t i = 0; i < m->n_symbols; i++) {
		const struct uft_symbol *s = &m->symbols[i];
		/* a stub has 16 bytes, of which the jump is the first */
		uint64_t end = s->address + (s->type == 'P' ? 16 : s->n_bytes);

		textbuf_addf(tb, "%016llx %c %s\n", (unsigned long long)(s->address - m->low),
			     s->type, s->mangled ? s->mangled : s->name);
		if (i + 1 == m->n_symbols || m->symbols[i + 1].address > end)
			textbuf_addf(tb, "%016llx ? __sym_end\n",
				     (unsigned long long)(end - m->low));
	}
}

static void fmt_map_line(const struct uft_module *m, struct textbuf *tb)
{
	unsigned long long end = m->base + (m->high - m->low);

	textbuf_addf(tb, "%08llx-%08llx r-xp 00000000 00:00 0                          %s",
		     (unsigned long long)m->base, end, m->path);
	if (m->build_id[0])
		textbuf_addf(tb, " build-id:%s", m->build_id);
	textbuf_add_char(tb, '\n');
}

static int write_debug(const struct uftwriter *w, const struct uft_module *m, bool with_values,
		       struct textbuf *tb, struct errmsg *err)
{
	char name[320];

	snprintf(name, sizeof(name), "%.*s.dbg", (int)strlen(m->sym_name) - 4, m->sym_name);
	textbuf_clear(tb);
	uftwriter_fmt_debug(w, m, with_values, tb);
	return uftwriter_write_file(w, name, tb->start, textbuf_len(tb), err);
}

int uftwriter_write_modules(struct uftwriter *w, uint64_t sid, bool with_values, struct errmsg *err)
{
	bool with_debug = (w->has_values && with_values) || w->sources.n;
	TEXTBUF(tb, 256u << 20);
	char name[64];

	for (size_t i = 0; i < w->n_modules; i++) {
		struct uft_module *m = &w->modules[i];

		if (m->n_symbols)
			qsort(m->symbols, m->n_symbols, sizeof(*m->symbols), compare_symbols);
		textbuf_clear(&tb);
		fmt_symbols(m, &tb);
		TRY(uftwriter_write_text(w, m->sym_name, &tb, err));
		if (with_debug)
			TRY(write_debug(w, m, with_values, &tb, err));
	}
	textbuf_clear(&tb);
	for (size_t i = 0; i < w->n_modules; i++)
		fmt_map_line(&w->modules[i], &tb);
	/* uftrace takes what is above the stack for the kernel */
	textbuf_add_str(&tb, "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0                      "
			     "    [stack]\n");
	snprintf(name, sizeof(name), "sid-%016llx.map", (unsigned long long)sid);
	return uftwriter_write_text(w, name, &tb, err);
}

void uftwriter_free_modules(struct uftwriter *w)
{
	for (size_t i = 0; i < w->n_modules; i++)
		free(w->modules[i].symbols);
	free(w->modules);
	map_release(&w->addresses);
	map_release(&w->leavers);
	map_release(&w->sources);
	map_release(&w->forms);
	map_release(&w->by_name);
}
