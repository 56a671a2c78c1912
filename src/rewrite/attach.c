// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attach.c - adds the options that connect the traces of a host and a guest.
 *
 *	host's file    gets GUEST: which of its threads ran which virtual CPU (vcpus.c)
 *	guest's file   gets TIME_SHIFT, the relation of its clock to the host's, and the host's
 *	               TSC2NSEC
 *	both           get a TRACEID if they have none; readers match the files by it
 *
 * Both files are written under other names and renamed at the end, the guest's first. Until then
 * neither file changes.
 *
 * trace-cmd gives all virtual CPUs the first shift, and numbers them in the order of their threads.
 * Here each shift applies to the next virtual CPU, and virtual CPUs keep their numbers.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "decode/timeconv.h"
#include "format/bytes.h"
#include "rewrite/attach_int.h"
#include "rewrite/tracecopy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPTION_MAX (1u << 20)

struct attach {
	const struct attach_config *config;
	struct tracefile *host, *guest;
	uint64_t host_id, guest_id;
	bool new_host_id, new_guest_id, is_mapped;
	struct vcpus vcpus;
};

static int add_option(struct writer *w, uint16_t id, const struct textbuf *tb, struct errmsg *err)
{
	if (tb->overflow)
		return errmsg_set(err, -EFBIG, "there are too many virtual CPUs");
	return writer_add_option(w, id, PIECE_OF_TEXT(tb), err);
}

static int add_id(struct writer *w, uint64_t id, bool swap, struct errmsg *err)
{
	id = swap ? __builtin_bswap64(id) : id;
	return writer_add_option(w, SNF_OPTION_TRACEID, (struct piece){(uint8_t *)&id, sizeof(id)},
				 err);
}

static int add_to_host(struct attach *a, struct writer *w, struct errmsg *err)
{
	int r = a->new_host_id ? add_id(w, a->host_id, a->host->swap, err) : 0;
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = OPTION_MAX};

	guestopts_fmt_guest(&tb, a->config->name, a->guest_id, a->vcpus.rows, a->vcpus.n,
			    a->host->swap);
	if (!r && !a->is_mapped)
		r = add_option(w, SNF_OPTION_GUEST, &tb, err);
	return r;
}

/*
 * Adds the host's clock factors to the guest: they apply after the conversion to the host's time.
 */
static int add_tsc2nsec(struct attach *a, struct writer *w, struct errmsg *err)
{
	const struct tracefile_option *o = tracefile_option_find(a->host, SNF_OPTION_TSC2NSEC);
	uint8_t data[16];
	struct {
		uint32_t mult, shift;
		uint64_t offset;
	} v;
	bool swap = a->guest->swap;

	if (!o || o->data.len < sizeof(data))
		return 0;
	v.mult = bytes_get32(o->data.data, a->host->swap);
	v.shift = bytes_get32(o->data.data + 4, a->host->swap);
	v.offset = bytes_get64(o->data.data + 8, a->host->swap);
	v.mult = swap ? __builtin_bswap32(v.mult) : v.mult;
	v.shift = swap ? __builtin_bswap32(v.shift) : v.shift;
	v.offset = swap ? __builtin_bswap64(v.offset) : v.offset;
	memcpy(data, &v, sizeof(data));
	return writer_add_option(w, SNF_OPTION_TSC2NSEC, (struct piece){data, sizeof(data)}, err);
}

static int add_to_guest(struct attach *a, struct writer *w, struct errmsg *err)
{
	const struct attach_config *c = a->config;
	uint32_t n = c->n_cpus ? c->n_cpus : a->guest->cpu_count;
	SCOPED(scope_free) struct sync_cpu *cpus = calloc(n ? n : 1, sizeof(*cpus));
	TEXTBUF(tb, OPTION_MAX);

	if (a->new_guest_id)
		TRY(add_id(w, a->guest_id, a->guest->swap, err));
	if (!cpus)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", a->guest->path);
	for (uint32_t i = 0; i < n; i++)
		cpus[i] = (struct sync_cpu){
			(struct sync_sample *)&c->shifts[i < c->n_shifts ? i : c->n_shifts - 1], 1};
	guestopts_fmt_shift(&tb, a->host_id, 0, cpus, n, a->guest->swap);
	TRY(add_option(w, SNF_OPTION_TIME_SHIFT, &tb, err));
	return add_tsc2nsec(a, w, err);
}

struct addition {
	struct attach *attach;
	int (*add)(struct attach *a, struct writer *w, struct errmsg *err);
};

static int fill(void *ctx, struct tracecopy *tc, struct writer *w, struct errmsg *err)
{
	struct addition *addition = ctx;

	TRY(addition->add(addition->attach, w, err));
	return tracecopy_all_buffers(NULL, tc, w, err);
}

/* Replaces the trace with a copy that has more options. */
static int rewrite(struct tracefile *tf, struct addition *addition, struct errmsg *err)
{
	struct writer_config target;
	struct tracecopy tc;
	int r;

	if (tf->compression == COMPRESSION_UNKNOWN)
		return errmsg_set(err, -ENOTSUP,
				  "%s is compressed with %s, which is not known here", tf->path,
				  tf->compression_name);
	TRY(tracecopy_init(&tc, tf, tf->version, err));
	target = tracecopy_config(&tc, tf->path, tf->compression);
	r = tracecopy_write(&tc, &target, fill, addition, err);
	tracecopy_release(&tc);
	return r;
}

static bool has_guest(const struct tracefile *host, uint64_t id)
{
	for (size_t i = 0; i < host->n_options; i++) {
		struct piece d = host->options[i].data;
		struct byte_reader r = {d.data, d.data + d.len, host->swap, false};

		if (host->options[i].id != SNF_OPTION_GUEST)
			continue;
		byte_reader_take_string(&r);
		if (byte_reader_take_number(&r, 8) == id && !r.failed)
			return true;
	}
	return false;
}

static void find_ids(struct attach *a)
{
	a->host_id = timeconv_trace_id(a->host);
	a->guest_id = timeconv_trace_id(a->guest);
	a->new_host_id = !a->host_id;
	a->new_guest_id = !a->guest_id;
	if (a->new_host_id)
		a->host_id = guestopts_make_id();
	if (a->new_guest_id)
		a->guest_id = guestopts_make_id();
	a->is_mapped = has_guest(a->host, a->guest_id);
}

static int attach(struct attach *a, struct errmsg *err)
{
	a->vcpus = (struct vcpus){a->host, a->config->threads, a->config->n_threads};
	TRY(vcpus_find(&a->vcpus, &a->config->notes, err));
	find_ids(a);
	if (!a->config->n_cpus && !a->guest->cpu_count)
		return errmsg_set(err, -EINVAL, "%s does not say how many CPUs it has: use -c",
				  a->guest->path);
	if (a->is_mapped)
		rewrite_note(&a->config->notes, "%s knows this guest already; only %s is changed",
			     a->host->path, a->guest->path);
	TRY(rewrite(a->guest, &(struct addition){a, add_to_guest}, err));
	if (!a->is_mapped || a->new_host_id)
		TRY(rewrite(a->host, &(struct addition){a, add_to_host}, err));
	return 0;
}

static void attach_release(struct attach *a)
{
	tracefile_close(a->host);
	tracefile_close(a->guest);
}

int attach_traces(const struct attach_config *config, struct errmsg *err)
{
	SCOPED(attach_release) struct attach a = {.config = config};

	TRY(tracefile_open(&a.host, config->host, err));
	TRY(tracefile_open(&a.guest, config->guest, err));
	TRY(attach(&a, err));
	return rewrite_note_damage(&config->notes, a.host) |
	       rewrite_note_damage(&config->notes, a.guest);
}
