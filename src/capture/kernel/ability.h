/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ability.h - what this kernel can trace for this user: yes, or no, why, and what would change it.
 *
 *	abilities_probe ─▶ abilities.rows … ─▶ abilities_release
 *
 * Looking changes nothing of the machine's tracing. What only a try can tell is tried in an instance
 * that is made for it and removed before abilities_probe() returns. Signals that would end the program
 * are held back meanwhile.
 */
#ifndef SONDE_CAPTURE_KERNEL_ABILITY_H
#define SONDE_CAPTURE_KERNEL_ABILITY_H

#include <stdbool.h>
#include <stddef.h>

struct errmsg;

#define ABILITY_TEXT_MAX 400

enum ability_answer { ABILITY_NO, ABILITY_YES, ABILITY_UNKNOWN };

struct ability {
	const char *name;  /* "function" */
	const char *group; /* "Functions" */
	const char *what;  /* what it is good for; lower case, no full stop */
	enum ability_answer answer;
	bool tried;		       /* not only looked up */
	char why[ABILITY_TEXT_MAX];    /* no: the reason; yes: what there is to say, or "" */
	char remedy[ABILITY_TEXT_MAX]; /* what would change a no; "": nothing is known */
};

struct abilities {
	struct ability *rows;
	size_t n;
	char kernel[200];     /* "Linux 6.1.0 x86_64" */
	char config[600];     /* where the kernel's configuration was found; "": nowhere */
	char lockdown[40];    /* "none", "integrity", "confidentiality"; "": unknown */
	char directory[1024]; /* of tracing; "": none */
	bool is_root, in_container;
};

/* root is put before all paths but that of $SONDE_TRACEFS: "" usually. */
int abilities_probe(struct abilities *a, const char *root, struct errmsg *err);
void abilities_release(struct abilities *a);

/* NULL: there is no such ability. */
const struct ability *abilities_find(const struct abilities *a, const char *name);
/* -EINVAL, with a sentence that names the nearest. */
int abilities_refuse(const struct abilities *a, const char *name, struct errmsg *err);

#endif
