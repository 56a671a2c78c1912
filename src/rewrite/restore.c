// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * restore.c - assembles a trace from one of three kinds of sources.
 *
 *	description of a kernel                    partial trace      restore_partial()
 *	description, or partial trace + CPU files  whole trace        restore_cpu_files(),
 *	                                                              cpufiles.c
 *	damaged trace                              whole trace        restore_trace(), tracecopy.c
 *
 * A partial trace has no buffers; it was written while the kernel still ran. Damage is reported but
 * is not a failure: it is the reason for restoring.
 */
#include "rewrite/restore.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "format/tracedat.h"
#include "rewrite/cpufiles.h"
#include "rewrite/tracecopy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --- with a description of the kernel --------------------------------------------------------- */

static int add_text_option(struct writer *w, uint16_t id, const char *text, struct errmsg *err)
{
	return *text ? writer_add_option(
			       w, id, (struct piece){(const uint8_t *)text, strlen(text) + 1}, err)
		     : 0;
}

static int write_description(struct writer *w, const struct restore_kernel *k, struct errmsg *err)
{
	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS; kind++)
		TRY(writer_add_text(w, kind, k->texts[kind], err));
	TRY(add_text_option(w, SNF_OPTION_TRACECLOCK, k->clocks, err));
	TRY(add_text_option(w, SNF_OPTION_UNAME, k->uname, err));
	return add_text_option(w, SNF_OPTION_VERSION, "sonde " SONDE_VERSION, err);
}

static int write_raw(const struct restore_config *config, const struct restore_kernel *k,
		     const struct cpu_files *cf, struct writer *w, struct errmsg *err)
{
	struct cpu_files_layout layout = {.big_endian = bytes_host_is_big(),
					  .long_size = k->long_size,
					  .data_offset = k->data_offset,
					  .page_size = k->page_size};

	writer_set_cpu_count(w, cpu_files_count(cf));
	return cpu_files_write(cf, w, *k->clock_name ? k->clock_name : NULL, &layout,
			       &config->notes, err);
}

/* Restores from a description of the kernel. If cf is NULL, writes only the description. */
static int restore_described(const struct restore_config *config, const struct cpu_files *cf,
			     struct errmsg *err)
{
	SCOPED(writer_free_scoped) struct writer *w = NULL;
	struct restore_kernel k;

	TRY(config->describe(config->ctx, &k, err));
	TRY(writer_open(&w,
			&(struct writer_config){.path = config->output,
						.version = 7,
						.compression = COMPRESSION_ZSTD,
						.big_endian = bytes_host_is_big(),
						.long_size = sizeof(long),
						.page_size = k.page_size,
						.is_copy = true},
			err));
	TRY(write_description(w, &k, err));
	if (cf)
		TRY(write_raw(config, &k, cf, w, err));
	return writer_close(TAKE(w), err);
}

int restore_partial(const struct restore_config *config, struct errmsg *err)
{
	return restore_described(config, NULL, err);
}

/* --- with a partial or a damaged trace -------------------------------------------------------- */

/* Finds the name in brackets of "[mono]" or "local [global] …"; "" if there is none. */
static void clock_name(const struct tracefile *tf, char *buf, size_t size)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_TRACECLOCK);
	const char *text = o ? (const char *)o->data.data : "";
	const char *open = o && o->data.len ? memchr(text, '[', o->data.len) : NULL;
	const char *close = open ? memchr(open, ']', o->data.len - (open - text)) : NULL;

	snprintf(buf, size, "%.*s", close ? (int)(close - open - 1) : 0, close ? open + 1 : "");
}

struct raw_fill {
	const struct restore_config *config;
	const struct cpu_files *cf;
};

static int fill_raw(void *ctx, struct tracecopy *tc, struct writer *w, struct errmsg *err)
{
	const struct raw_fill *fill = ctx;
	const struct tracefile *tf = tc->tf;
	struct cpu_files_layout layout = {tf->swap, tf->big_endian, tf->long_size, tf->data_offset,
					  tf->page_size};
	char clock[64];

	clock_name(tf, clock, sizeof(clock));
	if (cpu_files_count(fill->cf) > tf->cpu_count)
		writer_set_cpu_count(w, cpu_files_count(fill->cf));
	return cpu_files_write(fill->cf, w, *clock ? clock : NULL, &layout, &fill->config->notes,
			       err);
}

/* Restores from a trace. If cf is NULL, uses the undamaged events of the trace itself. */
static int restore_from(const struct restore_config *config, struct tracefile *tf,
			const struct cpu_files *cf, struct errmsg *err)
{
	struct raw_fill fill = {config, cf};
	struct writer_config target;
	struct tracecopy tc;
	int r;

	TRY(tracecopy_init(&tc, tf, tf->version, err));
	tc.repair = true;
	target = tracecopy_config(&tc, config->output, tracecopy_compression(tf));
	r = tracecopy_write(&tc, &target, cf ? fill_raw : tracecopy_all_buffers, &fill, err);
	tracecopy_release(&tc);
	return r;
}

int restore_trace(const struct restore_config *config, const char *path, struct errmsg *err)
{
	SCOPED(tracefile_close_scoped) struct tracefile *tf = NULL;

	TRY(tracefile_open(&tf, path, err));
	TRY(restore_from(config, tf, NULL, err));
	rewrite_note_damage(&config->notes, tf);
	return 0;
}

static int restore_with(const struct restore_config *config, const char *partial,
			const struct cpu_files *cf, struct errmsg *err)
{
	struct tracefile *tf;
	int r = tracefile_open(&tf, partial, err);

	TRY(r);
	if (!tracefile_text(tf, TRACEFILE_HEADER_PAGE).len)
		r = errmsg_set(err, -EBADMSG,
			       "%s does not describe a kernel: it has no header_page", tf->path);
	else
		r = restore_from(config, tf, cf, err);
	/*
	 * a partial trace: skip the first entry, which reports the missing buffer and is not damage
	 */
	for (size_t i = !tf->n_buffers; !r && i < tf->n_damage; i++)
		rewrite_note(&config->notes, "%s", tf->damage[i]);
	tracefile_close(tf);
	return r;
}

int restore_cpu_files(const struct restore_config *config, const char *partial, size_t n_paths,
		      char *const *paths, struct errmsg *err)
{
	SCOPED(cpu_files_close) struct cpu_files cf = {0};

	TRY(cpu_files_open(&cf, n_paths, paths, err));
	return partial ? restore_with(config, partial, &cf, err)
		       : restore_described(config, &cf, err);
}

bool restore_is_trace(const char *path)
{
	SCOPED(fclose_scoped) FILE *f = fopen(path, "re");
	char magic[SNF_MAGIC_BYTES];
	bool yes = f && fread(magic, 1, sizeof(magic), f) == sizeof(magic) &&
		   !memcmp(magic, SNF_MAGIC, SNF_MAGIC_BYTES);

	return yes;
}
