// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_setup_guest.c - `sonde setup-guest`: creates pipes between a virtual machine and its host for
 * trace data.
 *
 * This file parses and checks the options; wire/guest/setup.h makes the pipes. The directory is
 * trace-cmd's, so either program finds the pipes of the other. With -a the pipes become devices of
 * a libvirt machine.
 */
#include "base/options.h"
#include "base/scope.h"
#include "cli/command.h"
#include "wire/guest/fifos.h"
#include "wire/guest/setup.h"

#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 4096

struct setup_options {
	long long n_cpus;
	const char *permissions, *group, *dir;
	bool attach;
};

static const struct option_row rows[] = {
	ROW_NUMBER('c', "cpus", "N", "number of virtual CPUs of the guest (default: ask libvirt)",
		   offsetof(struct setup_options, n_cpus)),
	ROW_STRING('p', "permissions", "MODE", "permissions of the FIFOs, octal (default: 0660)",
		   offsetof(struct setup_options, permissions)),
	ROW_STRING('g', "group", "GROUP", "group of the FIFOs and their directory",
		   offsetof(struct setup_options, group)),
	ROW_FLAG('a', "attach", "attach the FIFOs to the guest with libvirt",
		 offsetof(struct setup_options, attach)),
	ROW_STRING(0, "dir", "DIR", "directory of all guests (default: " FIFOS_HOST_DIR ")",
		   offsetof(struct setup_options, dir), .complete = "dir"),
	ROW_END,
};

/* Checks the name, which becomes a directory and must not lead elsewhere. */
static bool is_name(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._-+@ ", *p))
			return false;
	return *name && *name != '.' && *name != '-' && strlen(name) < NAME_MAX;
}

static int read_options(const struct setup_options *o, struct guest_setup *g, struct errmsg *err)
{
	char *end;
	unsigned long mode = strtoul(o->permissions, &end, 8);
	struct group *group = o->group ? getgrnam(o->group) : NULL;
	long long n = o->n_cpus;

	if (!is_name(g->name))
		return errmsg_set(err, -EINVAL,
				  "setup-guest: '%s' is no name of a guest: letters, digits and "
				  "._-+@ are",
				  g->name);
	if (*end || !*o->permissions || mode > 0777)
		return errmsg_set(err, -EINVAL, "setup-guest: -p '%s' is no mode like 0660",
				  o->permissions);
	if (o->group && !group)
		return errmsg_set(err, -EINVAL, "setup-guest: there is no group '%s'", o->group);
	TRY(n ? 0 : guest_setup_ask_cpus(g->name, &n, err));
	if (n < 1 || n > CPUS_MAX)
		return errmsg_set(err, -EINVAL, "setup-guest: a guest has 1 to %d CPUs, not %lld",
				  CPUS_MAX, n);
	g->mode = mode;
	g->gid = group ? group->gr_gid : (gid_t)-1;
	g->n_cpus = n;
	g->dir = o->dir;
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct setup_options o = {.permissions = "0660", .dir = FIFOS_HOST_DIR};
	struct guest_setup g = {0};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (n != 1)
		return errmsg_set(err, -EINVAL, "setup-guest: name one guest");
	g.name = argv[1];
	TRY(read_options(&o, &g, err));
	TRY(guest_setup_make(&g, err));
	return o.attach ? guest_setup_attach(&g, err) : 0;
}

const struct command cmd_setup_guest = {
	.name = "setup-guest",
	.summary = "create FIFOs for the trace data of a guest",
	.usage = "[-c CPUS] [-p MODE] [-g GROUP] [-a] NAME",
	.options = rows,
	.run = run,
};
