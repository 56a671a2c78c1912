// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * debuginfo.c - opens a program and finds its debug information.
 *
 *	the file ─────▶ libdwfl ─┬─▶ .debug_* in the file itself
 *	                         ├─▶ a debug file, and an alternate one that several share: files.c
 *	                         └─▶ .gnu_debugdata: only symbols, compressed with xz
 *
 * Modules may be compressed (.ko.xz): unpacked.c. libdwfl applies their relocations: a module has
 * no addresses yet, so its sections are laid out sequentially from MODULE_BASE. Programs and
 * libraries keep the addresses of the file (bias 0).
 *
 *	debuginfo.c            this file: open, close, properties of the file
 *	unpacked.c   compressed files, up to a size
 *	files.c      finds the debug information outside the file
 *	units.c      the compile units that may contain a name: a search through bytes, no parsing
 *	walk.c       functions and their code in one unit
 *	symbols.c    functions of the symbol table
 *	functions.c  functions by name
 *	lines.c      lines and sources
 *	points.c     the instructions of a definition; points_symbols.c: of a symbol
 *	scope.c      the variables visible at an instruction
 *	location.c   where a variable is there
 *	types.c      types; typenames.c finds them by name
 *	usdt.c                 USDT marks
 *
 * Speed: nothing is read before it is needed. A look-up of one function parses only the units that
 * contain its name as bytes, one or two of hundreds.
 *
 * Our own code treats files as hostile: depth, cycles and sizes are bounded. libdw itself trusts
 * the file more. If a file makes it crash, only one command ends, which has changed no settings.
 */
#include "base/scope.h"
#include "format/bytes.h"
#include "symbols/dwarf/debuginfo_int.h"
#include "base/errmsg.h"
#include "base/files/regular.h"
#include "symbols/arch.h"
#include "symbols/dwarf/unpacked.h"
#include "symbols/package.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARENA_MAX_BYTES (2ull << 30)
#define MODULE_BASE	0x10000 /* so that no function of a module is at address 0 */
#define DEBUG_DIR	"/usr/lib/debug"

/*
 * --- opening -----------------------------------------------------------------------------------
 */

/* Returns true if the file has addresses. Modules have none yet. */
static bool is_laid_out(int fd)
{
	unsigned char head[18];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	bool is_elf = n == sizeof(head) && !memcmp(head, ELFMAG, SELFMAG);

	return is_elf && head[16] != ET_REL && head[17] != ET_REL;
}

static bool is_elf(int fd)
{
	char head[SELFMAG];

	return pread(fd, head, sizeof(head), 0) == sizeof(head) && !memcmp(head, ELFMAG, SELFMAG);
}

/*
 * Returns fd, or a descriptor of the uncompressed contents. In the second case, and on failure,
 * closes fd.
 */
static int unpack_file(int fd, const char *path, struct errmsg *err)
{
	int r = unpacked_open(fd, UNPACKED_FILE_MAX_BYTES);

	if (r >= 0 && is_elf(r))
		return r;
	close(r < 0 ? fd : r);
	switch (r) {
	case -EFBIG:
		return errmsg_set(err, r,
				  "%s is larger than 1 GB when uncompressed; uncompress it and "
				  "name the result",
				  path);
	case -EOPNOTSUPP:
		return errmsg_set(err, r,
				  "%s is compressed with bzip2; uncompress it and name the result",
				  path);
	case -EBADMSG:
		return errmsg_set(err, r,
				  "%s is compressed but damaged: sonde cannot uncompress it", path);
	}
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot unpack %s", path);
	return errmsg_set(err, -EINVAL,
			  "%s is not a program, library or kernel: not a valid ELF file", path);
}

static int open_file(const char *path, struct errmsg *err)
{
	int fd = regular_open(path, DEBUGINFO_FILE_MAX_BYTES);

	if (fd == -EINVAL)
		return errmsg_set(err, fd, "%s is not a file; name a program or a library", path);
	if (fd == -ENODATA)
		return errmsg_set(err, fd, "%s is empty; name a program or a library", path);
	if (fd == -EFBIG)
		return errmsg_set(err, fd,
				  "%s is larger than 8 GB; sonde does not read its "
				  "symbols",
				  path);
	return fd < 0 ? errmsg_set_errno(err, fd, "cannot open %s", path)
		      : unpack_file(fd, path, err);
}

static void note_build_id(struct debuginfo *d)
{
	const unsigned char *id;
	GElf_Addr where;
	int len = dwfl_module_build_id(d->module, &id, &where);

	for (int i = 0; i < len && i < 64; i++)
		snprintf(d->build_id + 2 * i, 3, "%02x", id[i]);
}

/* Opens the file as a module of libdwfl. Takes fd. */
static int open_module(struct debuginfo *d, int fd, struct errmsg *err)
{
	uint64_t base = is_laid_out(fd) ? 0 : MODULE_BASE;
	const GElf_Ehdr *eh;
	GElf_Ehdr mem;
	Dwarf_Addr bias;
	void **userdata;

	d->callbacks = (Dwfl_Callbacks){.find_debuginfo = debuginfo_find_file,
					.find_elf = dwfl_build_id_find_elf,
					.debuginfo_path = &d->search_path,
					.section_address = dwfl_offline_section_address};
	d->dwfl = dwfl_begin(&d->callbacks);
	if (!d->dwfl) {
		close(fd);
		return errmsg_set_errno(err, -ENOMEM, "cannot read %s", d->path);
	}
	dwfl_report_begin(d->dwfl);
	d->module = dwfl_report_elf(d->dwfl, d->path, d->path, fd, base, true);
	dwfl_report_end(d->dwfl, NULL, NULL);
	if (!d->module) {
		close(fd); /* libdwfl owns fd only after it created a module */
		return errmsg_set(err, -EINVAL, "%s is not a program, library or kernel: %s",
				  d->path, dwfl_errmsg(-1));
	}
	dwfl_module_info(d->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = d;
	d->elf = dwfl_module_getelf(d->module, &bias);
	eh = d->elf ? gelf_getehdr(d->elf, &mem) : NULL;
	if (!eh)
		return errmsg_set(err, -EINVAL, "%s is not a program, library or kernel: %s",
				  d->path, dwfl_errmsg(-1));
	if (!unpacked_sections_fit(d->elf))
		return errmsg_set(err, -EFBIG,
				  "the compressed sections of %s have more than 4 GB; sonde "
				  "does not read its symbols",
				  d->path);
	d->elf_bias = bias;
	d->arch = arch_by_machine(eh->e_machine);
	d->is_relocatable = eh->e_type == ET_REL;
	d->types.pointer_bytes = eh->e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	return 0;
}

static void open_dwarf(struct debuginfo *d)
{
	const char *main_file, *debug_file;
	Dwarf_Addr bias;

	d->dwarf = dwfl_module_getdwarf(d->module, &bias);
	if (!d->dwarf)
		return;
	/*
	 * refuse a debug file whose addresses differ from its program's; current tools do not make
	 * such files
	 */
	if (bias != d->elf_bias) {
		d->dwarf = NULL;
		return;
	}
	dwfl_module_info(d->module, NULL, NULL, NULL, NULL, NULL, &main_file, &debug_file);
	d->debug_path = strdup(debug_file ? debug_file : d->path);
	debuginfo_open_alternate(d);
}

static bool has_section(Elf *elf, const char *name)
{
	size_t names;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *s = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (s && !strcmp(s, name))
			return true;
	}
	return false;
}

static int open_all(struct debuginfo *d, const struct debuginfo_paths *paths, struct errmsg *err)
{
	int r;

	/*
	 * /proc/PID/root leads to the files of another process; realpath() would resolve it to our
	 * own
	 */
	d->path = strncmp(paths->path, "/proc/", 6) ? realpath(paths->path, NULL)
						    : strdup(paths->path);
	/* the library accepts only absolute paths */
	d->debug_dir = paths->debug_dir ? realpath(paths->debug_dir, NULL) : strdup(DEBUG_DIR);
	if (!d->debug_dir && paths->debug_dir)
		return errmsg_set_errno(err, -errno, "cannot look into %s (--debug-dir)",
					paths->debug_dir);
	d->source_dir = paths->source_dir ? strdup(paths->source_dir) : NULL;
	if (!d->path)
		return errmsg_set_errno(err, -errno, "cannot open %s", paths->path);
	if (!d->debug_dir || asprintf(&d->search_path, ":.debug:%s", d->debug_dir) < 0) {
		d->search_path = NULL;
		return errmsg_set_errno(err, -ENOMEM, "cannot read %s", d->path);
	}
	r = open_file(d->path, err);
	if (r >= 0)
		r = open_module(d, r, err);
	TRY(r);
	note_build_id(d);
	if (!paths->only_symbols)
		open_dwarf(d);
	/* only kernels and modules have these sections */
	d->is_kernel = has_section(d->elf, ".modinfo") || has_section(d->elf, "__ksymtab");
	return 0;
}

int debuginfo_open(struct debuginfo **ret_info, const struct debuginfo_paths *paths,
		   struct errmsg *err)
{
	struct debuginfo *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return errmsg_set_errno(err, -ENOMEM, "cannot read %s", paths->path);
	d->alternate_fd = -1;
	arena_init(&d->arena, ARENA_MAX_BYTES);
	types_init(d);
	elf_version(EV_CURRENT);
	r = open_all(d, paths, err);
	if (r < 0)
		debuginfo_close(d);
	else
		*ret_info = d;
	return r;
}

void debuginfo_close(struct debuginfo *d)
{
	if (!d)
		return;
	if (d->dwfl)
		dwfl_end(d->dwfl);
	debuginfo_close_alternate(d);
	types_release(d);
	for (size_t i = 0; i < d->n_units; i++) {
		free(d->units[i].functions);
		free(d->units[i].instances);
	}
	free(d->units);
	free(d->symbols);
	arena_release(&d->arena);
	free(d->path);
	free(d->debug_path);
	free(d->debug_dir);
	free(d->source_dir);
	free(d->search_path);
	free(d);
}

/*
 * --- what it is --------------------------------------------------------------------------------
 */

bool debuginfo_has_name(const struct debuginfo *d, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(d->elf, scn))) {
		Elf_Data *data = NULL;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_STRTAB)
			data = elf_getdata(scn, NULL);
		if (data && data->d_buf &&
		    memmem(data->d_buf, data->d_size, name, strlen(name) + 1))
			return true;
	}
	return false;
}

bool debuginfo_has_more_symbols(struct debuginfo *d)
{
	const char *debug_file = NULL;

	if (has_section(d->elf, ".gnu_debugdata"))
		return true;
	dwfl_module_getsymtab(d->module); /* this call searches for a symbol table */
	dwfl_module_info(d->module, NULL, NULL, NULL, NULL, NULL, NULL, &debug_file);
	return debug_file;
}

bool debuginfo_has_dwarf(const struct debuginfo *d)
{
	return d->dwarf;
}

const char *debuginfo_dwarf_path(const struct debuginfo *d)
{
	return d->debug_path;
}

const char *debuginfo_build_id(const struct debuginfo *d)
{
	return d->build_id;
}

const struct arch *debuginfo_arch(const struct debuginfo *d)
{
	return d->arch;
}

const struct types *debuginfo_types(const struct debuginfo *d)
{
	return &d->types;
}

const char *debuginfo_remedy(struct debuginfo *d)
{
	char remedy[PACKAGE_REMEDY_MAX + 32], package[PACKAGE_REMEDY_MAX];

	if (d->remedy)
		return d->remedy;
	if (*d->build_id)
		package_fmt_remedy(NULL, d->path, package);
	snprintf(remedy, sizeof(remedy), "%s%sbuild it with -g", *d->build_id ? package : "",
		 *d->build_id ? ", or " : "");
	d->remedy = debuginfo_strdup(d, remedy);
	return d->remedy ? d->remedy : "build it with -g";
}

int debuginfo_refuse_dwarf(struct debuginfo *d, struct errmsg *err)
{
	if (!*d->build_id)
		return errmsg_set(err, -ENODATA,
				  "%s has no debug information and no build id to find it; %s",
				  d->path, debuginfo_remedy(d));
	return errmsg_set(err, -ENODATA,
			  "%s has no debug information; %s; sonde searches it by build id, as "
			  "%s/.build-id/%.2s/%s.debug",
			  d->path, debuginfo_remedy(d), d->debug_dir, d->build_id, d->build_id + 2);
}

int debuginfo_file_offset(const struct debuginfo *d, uint64_t address, uint64_t *ret_offset)
{
	size_t n;

	if (elf_getphdrnum(d->elf, &n) < 0)
		return -ENOENT;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(d->elf, i, &ph) || ph.p_type != PT_LOAD)
			continue;
		if (address < ph.p_vaddr || address - ph.p_vaddr >= ph.p_filesz)
			continue;
		*ret_offset = address - ph.p_vaddr + ph.p_offset;
		return 0;
	}
	return -ENOENT;
}

/*
 * Returns true if the address is in a code section. A file without sections has only segments, and
 * the segment of the code may contain headers.
 */
static bool is_code(const struct debuginfo *d, uint64_t address)
{
	Elf_Scn *scn = NULL;
	bool any = false;

	while ((scn = elf_nextscn(d->elf, scn))) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR))
			continue;
		any = true;
		if (address >= sh.sh_addr && address - sh.sh_addr < sh.sh_size)
			return true;
	}
	return !any;
}

int debuginfo_code_offset(const struct debuginfo *d, uint64_t address, uint64_t *ret_offset)
{
	uint64_t back;
	int r = debuginfo_file_offset(d, address, ret_offset);

	if (r >= 0 && (debuginfo_address(d, *ret_offset, &back) < 0 || !is_code(d, address)))
		r = -ENOENT;
	return r;
}

struct piece debuginfo_section(struct debuginfo *d, const char *name)
{
	Elf *elf = d->dwarf ? dwarf_getelf(d->dwarf) : NULL;
	Elf_Scn *scn = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) < 0)
		return PIECE_EMPTY;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *s = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		Elf_Data *data;

		if (!s || strcmp(s, name) || sh.sh_type == SHT_NOBITS ||
		    sh.sh_flags & SHF_COMPRESSED)
			continue;
		data = elf_getdata(scn, NULL); /* the data of a module is relocated */
		if (data && data->d_buf)
			return (struct piece){data->d_buf, data->d_size};
	}
	return PIECE_EMPTY;
}

bool debuginfo_has_our_order(struct debuginfo *d)
{
	const char *ident = elf_getident(d->elf, NULL);

	return ident && ident[EI_DATA] == (bytes_host_is_big() ? ELFDATA2MSB : ELFDATA2LSB);
}

const char *debuginfo_strdup(struct debuginfo *d, const char *s)
{
	return arena_strndup(&d->arena, s, strlen(s));
}
