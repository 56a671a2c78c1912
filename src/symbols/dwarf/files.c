// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * files.c - finds the files with a program's debug information.
 *
 *	DIR/.build-id/ab/cdef….debug                       by build id
 *	BESIDE/LINK, BESIDE/.debug/LINK, DIR/BESIDE/LINK   named by .gnu_debuglink; without one
 *	                                                   PROGRAM.debug
 *	DIR/PATH, DIR/PATH.debug                           as in the kernel's packages
 *	ALTLINK                                            named by .gnu_debugaltlink: strings and
 *	                                                   types of several files
 *
 * BESIDE is the program's directory, DIR that of --debug-dir. The order is libdwfl's. The search
 * is done here because libdwfl opens any file of that name, and reads all of it: a FIFO or a
 * device named by a program would block, or fill the memory. Every file goes through
 * regular_open(), and must have the program's build id, or, if the program has none, the checksum
 * of the link.
 *
 * libdw searches the alternate file by itself when a unit refers to it, unless it has been given
 * one. If ours is not found, libdw gets an empty one (struct nothing), so that it does not search.
 *
 * libdw alone opens the files of split units (.dwo). debuginfo_can_split() checks them before; it
 * does not notice a file that is replaced between the two.
 */
#include "base/files/regular.h"
#include "base/scope.h"
#include "format/bytes.h"
#include "symbols/dwarf/debuginfo_int.h"
#include "symbols/dwarf/unpacked.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define CRC_BYTES (64u << 10)

struct wanted {
	const unsigned char *id;
	int id_len; /* 0: the program has no build id */
	bool has_crc;
	uint32_t crc;
	const char *program; /* path of the program, which is never its own debug file */
};

/*
 * --- is it the right one? ----------------------------------------------------------------------
 */

/*
 * Returns true for a file with this build id that is not compressed: libdwfl would uncompress it,
 * whatever its size. id may be NULL.
 */
static bool is_sound(int fd, const void *id, ssize_t len)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *other;
	bool sound =
		elf && elf_kind(elf) == ELF_K_ELF && unpacked_sections_fit(elf) &&
		(!id || (dwelf_elf_gnu_build_id(elf, &other) == len && !memcmp(other, id, len)));

	elf_end(elf);
	return sound;
}

static bool same_crc(int fd, uint32_t crc)
{
	unsigned char buf[CRC_BYTES];
	uint32_t now = 0;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		now = crc32(now, buf, n);
		at += n;
	}
	return !n && now == crc;
}

static bool is_program_itself(int fd, const char *program)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(program, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static bool is_wanted(int fd, const struct wanted *w)
{
	if (is_program_itself(fd, w->program))
		return false;
	if (w->id_len > 0)
		return is_sound(fd, w->id, w->id_len);
	return (!w->has_crc || same_crc(fd, w->crc)) && is_sound(fd, NULL, 0);
}

/*
 * --- where it may be ---------------------------------------------------------------------------
 */

/* Opens the file and sets *ret_path, which the caller frees. Returns a descriptor or -1. */
__attribute__((format(printf, 3, 4))) static int try_name(const struct wanted *w, char **ret_path,
							  const char *fmt, ...)
{
	char *name;
	va_list args;
	int fd;

	va_start(args, fmt);
	if (vasprintf(&name, fmt, args) < 0)
		name = NULL;
	va_end(args);
	fd = name ? regular_open(name, DEBUGINFO_FILE_MAX_BYTES) : -1;
	if (fd >= 0 && is_wanted(fd, w)) {
		*ret_path = name;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	free(name);
	return -1;
}

static bool fmt_id_path(const char *dir, const unsigned char *id, ssize_t len, char path[PATH_MAX])
{
	int n = len > 2 && len <= 64 ? snprintf(path, PATH_MAX, "%s/.build-id/%02x/", dir, id[0])
				     : -1;

	if (n < 0 || n + 2 * len + 8 > PATH_MAX)
		return false;
	for (ssize_t i = 1; i < len; i++)
		n += snprintf(path + n, PATH_MAX - n, "%02x", id[i]);
	snprintf(path + n, PATH_MAX - n, ".debug");
	return true;
}

static int find_by_link(const struct debuginfo *d, const struct wanted *w, const char *link,
			char **ret_path)
{
	char *copy = strdup(d->path), *dir = copy ? dirname(copy) : NULL;
	int fd = -1;

	if (dir && *link)
		fd = try_name(w, ret_path, "%s/%s", dir, link);
	if (dir && *link && fd < 0)
		fd = try_name(w, ret_path, "%s/.debug/%s", dir, link);
	if (dir && *link && fd < 0)
		fd = try_name(w, ret_path, "%s%s/%s", d->debug_dir, dir, link);
	if (dir && *link && fd < 0)
		fd = try_name(w, ret_path, "%s/%s", d->debug_dir, link);
	free(copy);
	return fd;
}

/* Asks a debuginfod server, if the user has named one. libdwfl searches the build id once more. */
static int ask_server(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		      char **ret_path)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls ? dwfl_standard_find_debuginfo(mod, userdata, name, base, NULL, NULL,
							    0, ret_path)
			     : -1;
}

int debuginfo_find_file(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **ret_path)
{
	struct debuginfo *d = *userdata;
	struct wanted w = {.has_crc = link != NULL, .crc = crc, .program = d ? d->path : ""};
	char path[PATH_MAX], *invented = NULL;
	GElf_Addr where;
	int fd = -1;

	/*
	 * a link without a checksum names the alternate file, which debuginfo_open_alternate()
	 * finds
	 */
	if (!d || (link && !crc))
		return -1;
	w.id_len = dwfl_module_build_id(mod, &w.id, &where);
	if (fmt_id_path(d->debug_dir, w.id, w.id_len, path)) {
		fd = try_name(&w, ret_path, "%s", path);
		if (fd < 0 &&
		    /* an existing file is unusable, and libdwfl must not open it */
		    access(path, F_OK))
			fd = ask_server(mod, userdata, name, base, ret_path);
	}
	if (fd < 0 && !link && asprintf(&invented, "%s.debug", basename(d->path)) < 0)
		invented = NULL;
	if (fd < 0 && (link || invented))
		fd = find_by_link(d, &w, link ? link : invented, ret_path);
	free(invented);
	if (fd < 0 && w.id_len > 0)
		fd = try_name(&w, ret_path, "%s%s", d->debug_dir, d->path);
	if (fd < 0 && w.id_len > 0)
		fd = try_name(&w, ret_path, "%s%s.debug", d->debug_dir, d->path);
	return fd;
}

/*
 * --- the alternate file ------------------------------------------------------------------------
 */

/* An ELF file with two empty sections. */
struct nothing {
	Elf64_Ehdr eh;
	Elf64_Shdr sh[4];
	char names[48], zeros[16];
};

static void nothing_init(struct nothing *n)
{
	static const char names[] = "\0.debug_info\0.debug_str\0.shstrtab";
	static const uint8_t at[] = {0, 1, 13, 24};

	*n = (struct nothing){
		.eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64,
				   bytes_host_is_big() ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT},
		       .e_type = ET_REL,
		       .e_version = EV_CURRENT,
		       .e_shoff = offsetof(struct nothing, sh),
		       .e_ehsize = sizeof(Elf64_Ehdr),
		       .e_shentsize = sizeof(Elf64_Shdr),
		       .e_shnum = 4,
		       .e_shstrndx = 3}};
	memcpy(n->names, names, sizeof(names));
	for (int i = 1; i < 4; i++)
		n->sh[i] = (Elf64_Shdr){.sh_name = at[i],
					.sh_type = i == 3 ? SHT_STRTAB : SHT_PROGBITS,
					.sh_offset = i == 3 ? offsetof(struct nothing, names)
							    : offsetof(struct nothing, zeros),
					.sh_size = i == 3 ? sizeof(names) : 1,
					.sh_addralign = 1};
}

static int find_alternate(struct debuginfo *d, const char *link, const void *id, ssize_t len)
{
	struct wanted w = {.id = id, .id_len = (int)len, .program = ""};
	char path[PATH_MAX], *found = NULL, *copy = strdup(d->debug_path ? d->debug_path : d->path);
	int fd = -1;

	if (fmt_id_path(d->debug_dir, id, len, path))
		fd = try_name(&w, &found, "%s", path);
	if (fd < 0 && *link == '/')
		fd = try_name(&w, &found, "%s", link);
	else if (fd < 0 && copy && *link)
		fd = try_name(&w, &found, "%s/%s", dirname(copy), link);
	free(found);
	free(copy);
	return fd;
}

void debuginfo_open_alternate(struct debuginfo *d)
{
	const char *link;
	const void *id;
	ssize_t len = d->dwarf ? dwelf_dwarf_gnu_debugaltlink(d->dwarf, &link, &id) : 0;
	struct nothing *n;

	d->alternate_fd = -1;
	if (len <= 0)
		return;
	d->alternate_fd = find_alternate(d, link, id, len);
	d->alternate = d->alternate_fd >= 0 ? dwarf_begin(d->alternate_fd, DWARF_C_READ) : NULL;
	if (d->alternate) {
		dwarf_setalt(d->dwarf, d->alternate);
		return;
	}
	n = arena_alloc(&d->arena, sizeof(*n));
	if (n)
		nothing_init(n);
	d->nothing_elf = n ? elf_memory((char *)n, sizeof(*n)) : NULL;
	d->nothing = d->nothing_elf ? dwarf_begin_elf(d->nothing_elf, DWARF_C_READ, NULL) : NULL;
	if (d->nothing)
		dwarf_setalt(d->dwarf, d->nothing);
	else
		d->dwarf = NULL; /* otherwise libdw would search for the alternate file */
}

/* Closes the alternate file. Call it after libdwfl has released what refers to it. */
void debuginfo_close_alternate(struct debuginfo *d)
{
	dwarf_end(d->alternate);
	dwarf_end(d->nothing);
	elf_end(d->nothing_elf);
	if (d->alternate_fd >= 0)
		close(d->alternate_fd);
}

/*
 * --- split units -------------------------------------------------------------------------------
 */

static bool is_harmless(const char *dir, const char *sub, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s%s%s%s",
		 *name == '/'  ? ""
		 : *sub == '/' ? ""
			       : dir,
		 *name == '/' ? "" : "/", *name == '/' ? "" : sub, *name == '/' ? "" : "/", name);
	return stat(path, &st) || S_ISREG(st.st_mode);
}

bool debuginfo_can_split(const struct debuginfo *d, Dwarf_Die *skeleton)
{
	Dwarf_Attribute a;
	const char *name = dwarf_formstring(dwarf_attr(skeleton, DW_AT_dwo_name, &a));
	const char *sub = dwarf_formstring(dwarf_attr(skeleton, DW_AT_comp_dir, &a));
	SCOPED(scope_free) char *copy = strdup(d->debug_path ? d->debug_path : d->path);
	const char *dir = copy ? dirname(copy) : ".";

	if (!name)
		name = dwarf_formstring(dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &a));
	return copy &&
	       (!name || (is_harmless(dir, "", name) && is_harmless(dir, sub ? sub : "", name)));
}
