// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolvedefs.c - resolves definitions as on a kernel that can do what Debian 12's does, whatever this one
 * can: for tests/btf/suite and tests/bench.
 *
 *	resolvedefs < DEFINITIONS          a line for each: what the kernel would be told, or "! why not"
 *	resolvedefs -q < DEFINITIONS       only how many were resolved
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "probe/probe.h"

#include <stdio.h>
#include <string.h>

static bool resolve(struct prober *prober, const char *text, struct textbuf *tb)
{
	struct definition *d = NULL;
	struct errmsg err = {0};
	struct probe *p = NULL;
	bool good =
		definition_parse(&d, text, &err) >= 0 && probe_resolve(prober, d, &p, &err) >= 0;

	textbuf_clear(tb);
	if (good)
		probe_fmt_line(p, 0, NULL, NULL, tb);
	else
		textbuf_addf(tb, "! %.*s", (int)strcspn(err.text, "\n"), err.text);
	probe_free(p);
	definition_free(d);
	return good;
}

int main(int argc, char **argv)
{
	struct probe_world world = {.kernel = &probe_kernel_usual};
	char line[DEFINITION_MAX_BYTES + 2];
	struct errmsg err = {0};
	struct prober *prober;
	struct textbuf tb;
	unsigned n = 0;

	if (prober_new(&prober, &world, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	textbuf_init(&tb, 1 << 16);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		n += resolve(prober, line, &tb);
		if (argc == 1)
			printf("%.*s\n", (int)textbuf_len(&tb), tb.start);
	}
	if (argc > 1)
		printf("%u\n", n);
	textbuf_release(&tb);
	prober_free(prober);
	return 0;
}
