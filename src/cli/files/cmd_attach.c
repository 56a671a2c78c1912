// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_attach.c - `sonde attach`: links the traces of a host and a guest that were recorded
 * separately.
 *
 * This file parses the command line; rewrite/attach.h does the work.
 *
 *	-s OFFSET[,SCALE[,FRACTION[,TIME]]]     conversion of the guest's time
 *	PID or PID:VCPU                         a thread of the host that runs a virtual CPU
 */
#include "base/options.h"
#include "base/scope.h"
#include "cli/command.h"
#include "cli/screen/notes.h"
#include "rewrite/attach.h"
#include "store/guestopts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHIFTS_MAX 1024

struct attach_options {
	long long n_cpus;
	const char *name;
	struct sync_sample shifts[SHIFTS_MAX];
	size_t n_shifts;
};

static int parse_number(const char *text, size_t len, int64_t *ret)
{
	char word[32], *end;

	if (!len)
		return 0; /* an omitted value is not changed */
	if (len >= sizeof(word))
		return -EINVAL;
	memcpy(word, text, len);
	word[len] = 0;
	errno = 0;
	*ret = *word == '-' ? strtoll(word, &end, 0) : (int64_t)strtoull(word, &end, 0);
	return errno || *end || !(isdigit((unsigned char)*word) || *word == '-') ? -EINVAL : 0;
}

static int apply_shift(void *opts, const char *value, struct errmsg *err)
{
	struct attach_options *o = opts;
	struct sync_sample s = {.scaling = 1};
	int64_t *const columns[] = {&s.offset, &s.scaling, &s.fraction, &s.time};
	const char *p = value;

	if (o->n_shifts == SHIFTS_MAX)
		return errmsg_set(err, -EINVAL, "there are too many -s");
	for (size_t i = 0;; i++) {
		size_t len = strcspn(p, ",");

		if (i == 4 || parse_number(p, len, columns[i]) < 0 || (!i && !len))
			return errmsg_set(err, -EINVAL,
					  "-s '%s' is not OFFSET[,SCALE[,FRACTION[,TIME]]]", value);
		if (!p[len])
			break;
		p += len + 1;
	}
	if (s.fraction < 0 || s.fraction > 63)
		return errmsg_set(err, -EINVAL, "-s '%s': a fraction is 0 to 63 bits", value);
	o->shifts[o->n_shifts++] = s;
	return 0;
}

static const struct option_row rows[] = {
	ROW_NUMBER('c', "cpus", "N",
		   "number of virtual CPUs of the guest (default: as in its trace)",
		   offsetof(struct attach_options, n_cpus)),
	ROW_CALL('s', "shift", "OFFSET[,SCALE[,FRACTION[,TIME]]]",
		 "how to convert guest time to host time; repeat it per virtual CPU, the last one "
		 "applies to the rest",
		 apply_shift),
	ROW_STRING('n', "name", "NAME", "name of the guest (default: none)",
		   offsetof(struct attach_options, name)),
	ROW_END,
};

/* Parses "PID" or "PID:VCPU". */
static int parse_pid(const char *text, struct guest_vcpu_pid *ret, struct errmsg *err)
{
	char *end;
	unsigned long pid, vcpu = ATTACH_VCPU_UNKNOWN;

	errno = 0;
	pid = strtoul(text, &end, 10);
	if (isdigit((unsigned char)*text) && *end == ':' && isdigit((unsigned char)end[1]))
		vcpu = strtoul(end + 1, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*text) || !pid || pid > INT32_MAX ||
	    (vcpu >= ATTACH_CPUS_MAX && vcpu != ATTACH_VCPU_UNKNOWN))
		return errmsg_set(err, -EINVAL, "attach: '%s' is no PID, and no PID:VCPU", text);
	*ret = (struct guest_vcpu_pid){vcpu, pid};
	return 0;
}

static int check_options(const struct attach_options *o, int n, struct errmsg *err)
{
	if (n < 3)
		return errmsg_set(err, -EINVAL,
				  "attach: name the host's trace, the guest's, and the threads of "
				  "the host that run its virtual CPUs");
	if (!o->n_shifts)
		return errmsg_set(err, -EINVAL,
				  "attach: say with -s what to add to the guest's time");
	if (o->n_cpus < 0 || o->n_cpus > ATTACH_CPUS_MAX)
		return errmsg_set(err, -EINVAL, "attach: %lld is no number of CPUs", o->n_cpus);
	return 0;
}

/* Attaches the traces. argv: the host's trace, the guest's, and the threads. */
static int attach(const struct attach_options *o, int n, char **argv, struct errmsg *err)
{
	SCOPED(scope_free) struct guest_vcpu_pid *threads = calloc(n, sizeof(*threads));
	struct attach_config config = {.host = argv[0],
				       .guest = argv[1],
				       .name = o->name,
				       .n_cpus = o->n_cpus,
				       .shifts = o->shifts,
				       .n_shifts = o->n_shifts,
				       .threads = threads,
				       .notes = {notes_print, NULL}};

	if (!threads)
		return errmsg_set_errno(err, -ENOMEM, "cannot attach");
	for (int i = 2; i < n; i++)
		TRY(parse_pid(argv[i], &threads[config.n_threads++], err));
	return attach_traces(&config, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	static const struct attach_options none = {.name = ""};
	SCOPED(scope_free) struct attach_options *o = malloc(sizeof(*o));
	int n;

	if (!o)
		return errmsg_set_errno(err, -ENOMEM, "cannot attach");
	*o = none;
	n = command_parse(cmd, o, argc, argv, err);
	TRY(n);
	TRY(check_options(o, n, err));
	return attach(o, n, argv + 1, err);
}

const struct command cmd_attach = {
	.name = "attach",
	.summary = "link the traces of a host and a guest",
	.usage = "[-c CPUS] -s OFFSET[,SCALE[,FRACTION[,TIME]]] HOST-TRACE GUEST-TRACE PID…",
	.options = rows,
	.run = run,
	.args = "file",
};
