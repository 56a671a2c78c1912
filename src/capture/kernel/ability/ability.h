/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ability.h - checks what this kernel can trace for this user: yes or no, why, and the remedy.
 *
 *	abilities_probe ─▶ abilities.rows … ─▶ abilities_release
 *
 * The checks do not change the machine's tracing. Features that need a trial are tried in a
 * separate instance, which abilities_probe() creates and removes. Signals that would end the
 * program are blocked during the checks.
 */
#ifndef SONDE_CAPTURE_KERNEL_ABILITY_ABILITY_H
#define SONDE_CAPTURE_KERNEL_ABILITY_ABILITY_H

#include <stdbool.h>
#include <stddef.h>

struct errmsg;

#define ABILITY_TEXT_MAX 400

enum ability_answer { ABILITY_NO, ABILITY_YES, ABILITY_UNKNOWN };

struct ability {
	const char *name;  /* "function" */
	const char *group; /* "Functions" */
	const char *what;  /* its purpose; lower case, no full stop */
	enum ability_answer answer;
	bool tried;		       /* the feature was tried, not only looked up */
	char why[ABILITY_TEXT_MAX];    /* no: the reason; yes: a remark, or "" */
	char remedy[ABILITY_TEXT_MAX]; /* the remedy for a no; "": unknown */
};

struct abilities {
	struct ability *rows;
	size_t n;
	char kernel[200];     /* "Linux 6.1.0 x86_64" */
	char config[600];     /* the file with the kernel's configuration; "": not found */
	char lockdown[40];    /* "none", "integrity", "confidentiality"; "": unknown */
	char directory[1024]; /* the tracing directory; "": none */
	bool is_root, in_container;
};

/* Runs the checks. root is a prefix for all paths except $SONDE_TRACEFS, usually "". */
int abilities_probe(struct abilities *a, const char *root, struct errmsg *err);
void abilities_release(struct abilities *a);

/* Returns NULL if the ability is unknown. */
const struct ability *abilities_find(const struct abilities *a, const char *name);
/* Returns -EINVAL, with a message that names the nearest ability. */
int abilities_refuse(const struct abilities *a, const char *name, struct errmsg *err);

#endif
