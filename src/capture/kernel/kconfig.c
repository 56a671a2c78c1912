// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kconfig.c - finds and reads the configuration of the running kernel.
 *
 *	/proc/config.gz                 the kernel itself, if built with CONFIG_IKCONFIG_PROC
 *	/boot/config-RELEASE            Debian, Fedora, …
 *	/lib/modules/RELEASE/config     some distributions put it with the modules
 *	/lib/modules/RELEASE/build/.config
 *
 * Lines are "CONFIG_X=y", "CONFIG_X=m", "CONFIG_X=\"text\"" or "# CONFIG_X is not set". An option
 * that does not occur depends on one that is not set (or the kernel does not know it); this is an
 * 'n', too. gzread() reads plain and compressed files. A configuration has 300 kB; the limit
 * protects against other files.
 */
#include "capture/kernel/kconfig.h"

#include "base/array.h"
#include "base/shortage.h"

#include <errno.h>
#include <stdio.h>
#include <zlib.h>

#define CONFIG_MAX_BYTES (4u << 20)

/* Reads the configuration. zlib allocates and reads on its own, so its failures are noted here. */
static bool read_config(struct kconfig *k)
{
	gzFile file;
	char buf[16384];
	int n;

	errno = 0;
	file = gzopen(k->path, "re");
	if (!file) {
		shortage_note(errno ? errno : ENOMEM);
		return false;
	}
	textbuf_clear(&k->text);
	while ((n = gzread(file, buf, sizeof(buf))) > 0)
		textbuf_add(&k->text, buf, n);
	if (n < 0) {
		gzerror(file, &n);
		shortage_note(n == Z_MEM_ERROR ? ENOMEM : n == Z_ERRNO ? EIO : 0);
		n = -1;
	}
	gzclose(file);
	textbuf_add(&k->text, "", 1);
	return n == 0 && !k->text.overflow && strstr(k->text.start, "CONFIG_");
}

void kconfig_read(struct kconfig *k, const char *root, const char *release)
{
	static const struct {
		const char *before, *after;
	} places[] = {{"/proc/config.gz", NULL},
		      {"/boot/config-", ""},
		      {"/lib/modules/", "/config"},
		      {"/lib/modules/", "/build/.config"}};

	textbuf_init(&k->text, CONFIG_MAX_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		const char *after = places[i].after;

		if (snprintf(k->path, sizeof(k->path), "%s%s%s%s", root, places[i].before,
			     after ? release : "", after ? after : "") < sizeof(k->path) &&
		    read_config(k))
			return;
	}
	k->path[0] = 0;
}

void kconfig_release(struct kconfig *k)
{
	textbuf_release(&k->text);
}

char kconfig_get(const struct kconfig *k, const char *name)
{
	size_t len = strlen(name);

	if (!k->path[0] || !len)
		return '?';
	for (const char *p = k->text.start; (p = strstr(p, name)); p += len)
		if ((p == k->text.start || p[-1] == '\n') && p[len] == '=')
			return p[len + 1] == 'm' ? 'm' : 'y';
	return 'n';
}
