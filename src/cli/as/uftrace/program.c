// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c - looks at the program before it is recorded, with uftrace's messages.
 *
 * A compiler's call shows as a name in a string table of the file: "mcount", ended by zeros. So the
 * bytes are searched, without reading tables.
 */
#include "cli/as/uftrace/program.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/mapfile.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM_MAX_BYTES (4ull << 30)

static bool is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static bool find(const char *name, char *path, size_t n_bytes)
{
	const char *list = getenv("PATH");
	char found[4096];

	if (strchr(name, '/')) {
		if (!is_executable(name) || !realpath(name, found))
			return false;
		snprintf(path, n_bytes, "%s", found);
		return true;
	}
	for (const char *at = list; at && *at;) {
		size_t len = strcspn(at, ":");

		snprintf(path, n_bytes, "%.*s/%s", (int)len, at, name);
		if (len && is_executable(path))
			return true;
		at += len + (at[len] == ':');
	}
	return false;
}

static bool has_name(const struct mapfile *map, const char *name, size_t len)
{
	return memmem(map->data, map->n_bytes, name, len);
}

static enum uft_program_kind kind_of(const struct mapfile *map)
{
	static const struct {
		const char *name;
		size_t len;
		enum uft_program_kind kind;
	} rows[] = {
		{"\0mcount", 8, UFT_PROGRAM_COUNTED},
		{"\0_mcount", 9, UFT_PROGRAM_COUNTED},
		{"\0__fentry__", 12, UFT_PROGRAM_COUNTED},
		{"\0__cyg_profile_func_enter", 26, UFT_PROGRAM_CYG},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (has_name(map, rows[i].name, rows[i].len))
			return rows[i].kind;
	return UFT_PROGRAM_PLAIN;
}

/* False after a message. */
static bool look_at(const struct uft_opts *o, const char *name, const struct mapfile *map,
		    enum uft_program_kind *ret_kind)
{
	if (map->n_bytes >= 2 && !memcmp(map->data, "#!", 2)) {
		if (o->force)
			return true;
		uft_fail(o,
			 "Cannot trace script file: %s\n"
			 "\tTo trace binaries run by the script, use --force option.",
			 name);
		return false;
	}
	if (map->n_bytes < SELFMAG || memcmp(map->data, ELFMAG, SELFMAG) != 0) {
		uft_fail(o,
			 "Cannot trace '%s': Invalid file\n"
			 "\tThis file doesn't look like an executable ELF file.\n"
			 "\tPlease check whether it's a kind of script or shell functions.",
			 name);
		return false;
	}
	*ret_kind = kind_of(map);
	if (*ret_kind != UFT_PROGRAM_PLAIN || o->patch || o->force || o->nest_libcall)
		return true;
	uft_fail(o,
		 "Can't find 'mcount' symbol in the '%s'.\n"
		 "\tIt seems not to be compiled with -pg or -finstrument-functions flag.\n"
		 "\tYou can rebuild your program with it or use -P option for dynamic tracing.",
		 name);
	return false;
}

bool uft_program_check(const struct uft_opts *o, const char *name, char *path, size_t n_bytes,
		       enum uft_program_kind *ret_kind)
{
	struct errmsg err = {0};
	struct mapfile map;
	bool good;

	*ret_kind = UFT_PROGRAM_PLAIN;
	if (!find(name, path, n_bytes)) {
		uft_fail(o, "Cannot trace '%s': No such executable file.", name);
		return false;
	}
	if (mapfile_open_regular(&map, path, PROGRAM_MAX_BYTES, &err) < 0) {
		uft_fail(o, "Cannot trace '%s': %s", name, err.text);
		return false;
	}
	good = look_at(o, name, &map, ret_kind);
	mapfile_release(&map);
	return good;
}
