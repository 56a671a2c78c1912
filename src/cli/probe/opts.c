// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opts.c - opens all files that are needed to resolve definitions.
 *
 * Without permission for the tracing directory, or with the BTF of another machine ($SONDE_BTF),
 * definitions can still be tested (-n, -D, show). Then a current kernel is assumed.
 */
#include "cli/probe/opts.h"

#include "base/scope.h"
#include "probe/findprogram.h"
#include "symbols/arch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int open_kernel(struct probe_opened *p, bool dry, struct errmsg *err)
{
	struct errmsg why = {0};
	bool for_another = dry && getenv("SONDE_BTF") && !getenv("SONDE_TRACEFS");

	if (!for_another && tracefs_open(&p->t, &why) >= 0 && tracefs_exists(&p->t, "", "README")) {
		p->has_tracefs = true;
		probe_site_init(&p->site, &p->t);
		return 0;
	}
	if (!dry)
		return errmsg_set(err, why.code ? why.code : -EACCES, "%s",
				  why.code ? why.text
					   : "the tracing directory cannot be read; run sonde as "
					     "root");
	p->site.kernel = probe_kernel_usual;
	p->site.kernel.arch = arch_of_this_kernel();
	p->site.world = (struct probe_world){.kernel = &p->site.kernel,
					     .btf_dir = getenv("SONDE_BTF"),
					     .kallsyms = getenv("SONDE_KALLSYMS")};
	if (!for_another)
		fprintf(stderr,
			"sonde: %s; the kernel may be able to do less than is assumed here\n",
			why.code == -EPERM ? why.text
					   : "the tracing directory is closed to this user");
	return 0;
}

int probeopts_open(struct probe_opened *p, const struct probe_options *o, bool dry,
		   struct errmsg *err)
{
	struct probe_world *world = &p->site.world;
	int r;

	memset(p, 0, sizeof(*p));
	if (o->max_places < 0 || o->max_places > 4096)
		return errmsg_set(err, -EINVAL, "--max-probes takes a number from 1 to 4096");
	r = open_kernel(p, dry, err);
	world->check_symbols = true;
	world->is_only_asked = dry;
	TRY(r);
	world->program =
		o->program && findprogram(o->program, true, p->program) ? p->program : o->program;
	world->module = o->module;
	world->vmlinux = o->vmlinux;
	world->source_dir = o->source_dir;
	world->debug_dir = o->debug_dir;
	world->no_inlines = o->no_inlines;
	world->max_places = o->max_places;
	p->site.kernel.plain_types = o->plain_types;
	return prober_new(&p->prober, world, err);
}

void probeopts_close(struct probe_opened *p)
{
	prober_free(p->prober);
	p->prober = NULL;
}

/* --- the words -------------------------------------------------------------------------------- */

static int keep(char ***texts, size_t *n, char *text, struct errmsg *err)
{
	if (!text)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the definitions");
	(*texts)[(*n)++] = text;
	return 0;
}

static char *join(char **argv, int n)
{
	TEXTBUF(tb, 1 << 20);
	char *text;

	for (int i = 0; i < n; i++) {
		if (i)
			textbuf_add_char(&tb, ' ');
		textbuf_add_str(&tb, argv[i]);
	}
	textbuf_add(&tb, "", 1);
	text = tb.overflow ? NULL : strdup(tb.start);
	return text;
}

int probeopts_join(char **argv, int n, char ***ret_texts, size_t *ret_n, struct errmsg *err)
{
	bool each = n > 0 && strpbrk(argv[0], "( \t");
	char **texts = calloc(n + 1, sizeof(*texts));
	size_t n_texts = 0;
	int r = texts ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot keep the definitions");

	for (int i = 0; each && i < n && r >= 0; i++)
		r = keep(&texts, &n_texts, strdup(argv[i]), err);
	if (!each && n && r >= 0)
		r = keep(&texts, &n_texts, join(argv, n), err);
	if (r < 0) {
		probeopts_free_texts(texts, n_texts);
		return r;
	}
	*ret_texts = texts;
	*ret_n = n_texts;
	return 0;
}

void probeopts_free_texts(char **texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
}

int probeopts_expand(struct prober *p, const char *text, bool quiet, struct probe_expansion *ret,
		     struct errmsg *err)
{
	struct definition *d;
	int r;

	TRY(definition_parse(&d, text, err));
	r = probe_expand(p, d, ret, err);
	definition_free(d);
	if (r < 0 || ret->n) {
		if (r >= 0 && ret->note && !quiet)
			fprintf(stderr, "sonde: %s\n", ret->note);
		return r;
	}
	ret->texts = calloc(1, sizeof(*ret->texts));
	if (!ret->texts || !(ret->texts[0] = strdup(text)))
		r = errmsg_set_errno(err, -ENOMEM, "cannot keep the definitions");
	ret->n = r >= 0;
	if (r < 0)
		probe_expansion_release(ret);
	return r;
}

const char *probe_kind_word(enum probe_kind kind)
{
	static const char *const words[] = {
		[PROBE_KPROBE] = "kprobe",  [PROBE_KRETPROBE] = "kretprobe",
		[PROBE_FPROBE] = "fprobe",  [PROBE_FPROBE_EXIT] = "fprobe exit",
		[PROBE_UPROBE] = "uprobe",  [PROBE_URETPROBE] = "uretprobe",
		[PROBE_EPROBE] = "eprobe",  [PROBE_TPROBE] = "tprobe",
		[PROBE_RAW] = "as written",
	};

	return words[kind];
}
