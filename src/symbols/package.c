// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * package.c - finds the package with the debug information of a file.
 *
 * dpkg keeps a list of files for each installed package:
 *
 *	/var/lib/dpkg/info/bash.list           /.
 *	/var/lib/dpkg/info/libc6:amd64.list    /bin
 *	                                       /bin/bash
 *
 * A thousand packages have 10 MB of lists. Reading them takes some hundredths of a second, but only
 * for an error message. /bin is a link to /usr/bin today, and a package may list its files under
 * either name, so both are searched. The debug information is in PACKAGE-dbgsym, in a separate
 * archive; the table has the packages that are older than that convention. rpm's database is not
 * text, so on such systems the message does not name a package.
 */
#include "symbols/package.h"

#include "base/array.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define N_SPELLINGS 4

/* Packages whose debug information has another name: a prefix, and the text to append. */
static const struct debug_name {
	const char *prefix, *suffix;
	bool is_whole; /* the prefix is the whole name */
} debug_names[] = {
	{"libc6", "-dbg", true},
	{"linux-image-", "-dbg", false},
};

struct spellings {
	char paths[N_SPELLINGS][PATH_MAX];
	size_t n;
};

static void add_spelling(struct spellings *s, const char *prefix, const char *path)
{
	char text[PATH_MAX];

	if (s->n == N_SPELLINGS ||
	    snprintf(text, sizeof(text), "%s%s", prefix, path) >= (int)sizeof(text))
		return;
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->paths[i], text))
			return;
	memcpy(s->paths[s->n++], text, sizeof(text));
}

/* Adds the path itself, and the path with or without /usr: /bin/bash, /usr/bin/bash. */
static void add_both(struct spellings *s, const char *path)
{
	add_spelling(s, "", path);
	if (!strncmp(path, "/usr/", 5))
		add_spelling(s, "", path + 4);
	else
		add_spelling(s, "/usr", path);
}

static bool list_has(const char *list, const struct spellings *s)
{
	FILE *f = fopen(list, "re");
	char line[PATH_MAX];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		for (size_t i = 0; i < s->n && !found; i++)
			found = !strcmp(line, s->paths[i]);
	}
	if (f)
		fclose(f);
	return found;
}

/* Takes the package from the name of its list: "libc6:amd64.list" belongs to libc6. */
static bool take_name(const char *file, char name[PACKAGE_NAME_MAX])
{
	const char *end = strrchr(file, '.');
	size_t len = strcspn(file, ":");

	if (!end || strcmp(end, ".list"))
		return false;
	if (len > (size_t)(end - file))
		len = end - file;
	return len < PACKAGE_NAME_MAX &&
	       snprintf(name, PACKAGE_NAME_MAX, "%.*s", (int)len, file) > 0;
}

/*
 * Finds the package of a file, from the lists in info_dir (NULL: /var/lib/dpkg/info). Returns false
 * if no list has the file, or if there are no lists.
 */
static bool package_find(const char *info_dir, const char *path, char name[PACKAGE_NAME_MAX])
{
	const char *where = info_dir ? info_dir : "/var/lib/dpkg/info";
	char full[PATH_MAX], *real = realpath(path, NULL);
	struct spellings s = {.n = 0};
	DIR *dir = opendir(where);
	struct dirent *e;
	bool found = false;

	if (real)
		add_both(&s, real);
	if (*path == '/')
		add_both(&s, path);
	free(real);
	while (dir && s.n && !found && (e = readdir(dir)))
		if (take_name(e->d_name, name) &&
		    snprintf(full, sizeof(full), "%s/%s", where, e->d_name) < (int)sizeof(full))
			found = list_has(full, &s);
	if (dir)
		closedir(dir);
	return found;
}

static const char *suffix_of(const char *package)
{
	for (size_t i = 0; i < ARRAY_LEN(debug_names); i++) {
		const struct debug_name *d = &debug_names[i];

		if (d->is_whole ? !strcmp(package, d->prefix)
				: !strncmp(package, d->prefix, strlen(d->prefix)))
			return d->suffix;
	}
	return "-dbgsym";
}

void package_fmt_remedy(const char *info_dir, const char *path, char remedy[PACKAGE_REMEDY_MAX])
{
	char name[PACKAGE_NAME_MAX];
	const char *suffix;

	if (!package_find(info_dir, path, name)) {
		snprintf(remedy, PACKAGE_REMEDY_MAX,
			 "install the package with its debug symbols (PACKAGE-dbgsym on "
			 "Debian, debuginfo-install PACKAGE with rpm)");
		return;
	}
	suffix = suffix_of(name);
	snprintf(remedy, PACKAGE_REMEDY_MAX, "install %s%s%s", name, suffix,
		 strcmp(suffix, "-dbgsym") ? "" : " (from the debug archive)");
}

void package_fmt_kernel_remedy(char remedy[PACKAGE_REMEDY_MAX])
{
	struct utsname u;

	if (uname(&u))
		u.release[0] = 0;
	snprintf(remedy, PACKAGE_REMEDY_MAX,
		 "install the kernel's debug package (linux-image-%s-dbg on Debian, "
		 "debuginfo-install kernel with rpm), or name the file: --vmlinux FILE",
		 u.release);
}
