// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ldcache.c - reads /etc/ld.so.cache.
 *
 *	"glibc-ld.so.cache1.1"  u32 number of libraries, u32 bytes of strings, 20 unused bytes
 *	for each library        i32 flags, u32 name, u32 path, u32 OS, u64 hardware     (24 bytes)
 *	strings                 name and path are offsets from the beginning of the file
 *
 * Before glibc 2.32, an older list could precede this one; then the magic is searched. Libraries of
 * other word sizes are in the same list: those for x86-64 have 0x0300 in their flags, for aarch64
 * 0x0a00.
 */
#include "probe/ldcache.h"

#include <string.h>

#define HEADER_BYTES  48
#define ENTRY_BYTES   24
#define MAX_LIBRARIES 65536

static const char magic[] = "glibc-ld.so.cache1.1";

static const char *string_at(struct piece cache, uint32_t offset)
{
	if (offset >= cache.len || !memchr(cache.data + offset, 0, cache.len - offset))
		return "";
	return (const char *)cache.data + offset;
}

/* Returns true if the name means the library: "libc.so.6", "libc" and "c" all mean "libc.so.6". */
static bool is_meant(const char *soname, const char *name)
{
	size_t len = strlen(name);

	if (!strcmp(soname, name) ||
	    (!strncmp(soname, name, len) && !strncmp(soname + len, ".so", 3)))
		return true;
	return !strncmp(soname, "lib", 3) && !strncmp(soname + 3, name, len) &&
	       !strncmp(soname + 3 + len, ".so", 3);
}

static bool is_64_bit(uint32_t flags)
{
	uint32_t kind = flags & 0xff00;

	return kind == 0x0300 || kind == 0x0a00 || kind == 0x1000;
}

const char *ldcache_find(struct piece cache, const char *name)
{
	const uint8_t *p = memmem(cache.data, cache.len, magic, sizeof(magic) - 1);
	const char *found = NULL;
	uint32_t n;

	if (!p || !*name)
		return NULL;
	cache = (struct piece){p, cache.len - (p - cache.data)};
	if (cache.len < HEADER_BYTES)
		return NULL;
	n = bytes_get32(p + 20, false);
	if (n > MAX_LIBRARIES || n > (cache.len - HEADER_BYTES) / ENTRY_BYTES)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *e = p + HEADER_BYTES + (size_t)i * ENTRY_BYTES;
		const char *soname = string_at(cache, bytes_get32(e + 4, false));
		const char *path = string_at(cache, bytes_get32(e + 8, false));

		if (!is_64_bit(bytes_get32(e, false)) || *path != '/' || !is_meant(soname, name))
			continue;
		if (!strcmp(soname, name))
			return path;
		found = found ? found : path;
	}
	return found;
}
