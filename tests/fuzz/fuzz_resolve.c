// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_resolve.c - any definition of a probe, resolved against any BTF.
 *
 *	input:  the definition, NUL, BTF
 *
 * What is resolved must be one line that names nothing but what it should: no line break (the kernel takes
 * each line as an order), no argument longer than it takes. All of it is also looked through as the dynamic
 * linker's list of libraries. Targets of definitions that could be programs of this machine are left out.
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "probe/fetch/fetch.h"
#include "probe/ldcache.h"
#include "probe/probe.h"
#include "symbols/arch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

static const struct probe_kernel kernels[] = {
	{.kprobes = true, .max_args = 4},
	{.kprobes = true,
	 .eprobes = true,
	 .arg_n = true,
	 .comm = true,
	 .user_strings = true,
	 .symbol_type = true,
	 .arrays = true,
	 .bitfields = true,
	 .immediates = true,
	 .many_places = true,
	 .fprobes = true,
	 .return_args = true,
	 .max_args = 128},
};

static const char *directory(void)
{
	static char path[] = "/tmp/sonde-fuzz-XXXXXX";
	static bool made;

	if (!made && !mkdtemp(path))
		abort();
	made = true;
	return path;
}

static void put(const char *dir, const uint8_t *data, size_t n)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/vmlinux", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	close(fd);
}

static const char format[] =
	"name: x\n\tfield:u64 a;\toffset:8;\n\tfield:s32 b[];\toffset:16;\nprint fmt: \"a=0x%Lx %d "
	"s=%s\", REC->a, REC->b, __get_str(b)\n";

static void check(const struct probe *p)
{
	struct textbuf tb;

	textbuf_init(&tb, 1 << 16);
	for (size_t i = 0; i < p->n_places; i++) {
		textbuf_clear(&tb);
		probe_fmt_line(p, i, NULL, NULL, &tb);
		if (memchr(tb.start, '\n', textbuf_len(&tb)))
			abort();
		textbuf_add(&tb, "", 1);
		for (size_t at = 0; at < textbuf_len(&tb); at += 7)
			probe_span_of(p, i, tb.start, at);
	}
	for (size_t i = 0; i < p->n_args; i++)
		if (strlen(p->args[i].fetch) > FETCH_MAX_BYTES || strlen(p->args[i].name) > 31)
			abort();
	textbuf_clear(&tb);
	probe_fmt_format(p, format, strlen(format), &tb);
	if (p->filter && strchr(p->filter, '\n'))
		abort();
	textbuf_release(&tb);
}

static void resolve(const struct definition *d, const char *dir, unsigned i)
{
	static const char *const archs[] = {"x86_64", "aarch64", "riscv64"};
	struct probe_kernel kernel = kernels[i % 2];
	struct probe_world world = {
		.kernel = &kernel, .btf_dir = dir, .kallsyms = "/dev/null", .tracefs_events = dir};
	struct errmsg err = {0};
	struct prober *prober;
	struct probe *p;

	kernel.arch = arch_by_name(archs[i % 3]);
	if (prober_new(&prober, &world, &err) < 0)
		return;
	if (probe_resolve(prober, d, &p, &err) >= 0) {
		check(p);
		probe_free(p);
	} else if (!err.code) {
		abort(); /* refused without a word */
	}
	prober_free(prober);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	size_t len = strnlen((const char *)input, n);
	char *text = strndup((const char *)input, n);
	struct definition *d = NULL;
	struct errmsg err = {0};

	ldcache_find((struct piece){input, n}, "c");
	if (definition_parse(&d, text, &err) >= 0 && d->form != DEFINITION_MARK && !d->target) {
		put(directory(), input + len + (len < n), n - len - (len < n));
		for (unsigned i = 0; i < 3; i++)
			resolve(d, directory(), i);
	}
	definition_free(d);
	free(text);
	return 0;
}
