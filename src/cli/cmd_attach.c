// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_attach.c - `sonde attach`: ties a host's trace and a guest's together that were recorded apart.
 *
 *	host's file    gets GUEST: which of its threads ran which virtual CPU
 *	guest's file   gets TIME_SHIFT: how its clock relates to the host's, and the host's TSC2NSEC
 *	both           get a TRACEID where they have none: it is how they find each other
 *
 * Which thread was which virtual CPU is in the host's kvm_entry and kvm_exit events. Both files are
 * written anew and change their place at the end, the guest's first: until then nothing has happened.
 *
 * trace-cmd gives all virtual CPUs the first -s and numbers them by their order among the threads that
 * it saw; here each -s is for the next virtual CPU, and they keep their numbers.
 */
#include "cli/command.h"
#include "cli/notes.h"
#include "rewrite/tracecopy.h"
#include "base/conveyor.h"
#include "decode/order/sequence.h"
#include "decode/timeconv.h"
#include "store/guestopts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHIFTS_MAX 1024
#define CPUS_MAX   4096
#define OPTION_MAX (1u << 20)

struct attach_options {
	long long n_cpus;
	const char *name;
	struct sync_sample shifts[SHIFTS_MAX];
	size_t n_shifts;
};

struct attach {
	const struct attach_options *opts;
	struct tracefile *host, *guest;
	uint64_t host_id, guest_id;
	bool new_host_id, new_guest_id, is_mapped;
	struct guest_vcpu_pid *vcpus; /* vcpu is UINT32_MAX until an event names it */
	size_t n_vcpus;
};

/* --- the command line -------------------------------------------------------------------------- */

static int parse_number(const char *text, size_t len, int64_t *ret)
{
	char word[32], *end;

	if (!len)
		return 0; /* left out: as it was */
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
	{OPTION_NUMBER, 'c', "cpus", "N",
	 "number of virtual CPUs of the guest (default: as in its trace)",
	 offsetof(struct attach_options, n_cpus)},
	{OPTION_CALL, 's', "shift", "OFFSET[,SCALE[,FRACTION[,TIME]]]",
	 "how to convert guest time to host time; repeat it per virtual CPU, the last one applies "
	 "to the rest",
	 .apply = apply_shift},
	{OPTION_STRING, 'n', "name", "NAME", "name of the guest (default: none)",
	 offsetof(struct attach_options, name)},
	{OPTION_END},
};

/* "PID" or "PID:VCPU" */
static int parse_pid(const char *text, struct guest_vcpu_pid *ret, struct errmsg *err)
{
	char *end;
	unsigned long pid, vcpu = UINT32_MAX;

	errno = 0;
	pid = strtoul(text, &end, 10);
	if (isdigit((unsigned char)*text) && *end == ':' && isdigit((unsigned char)end[1]))
		vcpu = strtoul(end + 1, &end, 10);
	if (errno || *end || !isdigit((unsigned char)*text) || !pid || pid > INT32_MAX ||
	    (vcpu >= CPUS_MAX && vcpu != UINT32_MAX))
		return errmsg_set(err, -EINVAL, "attach: '%s' is no PID, and no PID:VCPU", text);
	*ret = (struct guest_vcpu_pid){vcpu, pid};
	return 0;
}

/* --- which thread is which virtual CPU --------------------------------------------------------- */

static void note_record(struct attach *a, const struct record *rec)
{
	const struct event *ev = rec->event;
	const struct field *pid = event_find_common(ev, "common_pid"),
			   *vcpu = event_find_field(ev, "vcpu_id");
	bool swap = a->host->swap;
	uint32_t number;

	if (!pid || !vcpu || pid->offset + pid->size > rec->size ||
	    vcpu->offset + vcpu->size > rec->size)
		return;
	number = bytes_get(rec->data + vcpu->offset, vcpu->size, swap);
	for (size_t i = 0; i < a->n_vcpus; i++)
		if (a->vcpus[i].vcpu == UINT32_MAX && number < CPUS_MAX &&
		    (uint32_t)a->vcpus[i].pid ==
			    bytes_get(rec->data + pid->offset, pid->size, swap))
			a->vcpus[i].vcpu = number;
}

static size_t count_unknown(const struct attach *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_vcpus; i++)
		n += a->vcpus[i].vcpu == UINT32_MAX;
	return n;
}

static int walk(struct attach *a, struct sequence *seq, const struct event *const events[2])
{
	struct batch batch;
	int r = batch_init(&batch);

	if (r < 0)
		return r;
	while (count_unknown(a) && (r = sequence_fill(seq, &batch)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			if (batch.records[i].event && (batch.records[i].event == events[0] ||
						       batch.records[i].event == events[1]))
				note_record(a, &batch.records[i]);
	batch_release(&batch);
	return r < 0 ? r : 0;
}

static int walk_buffers(struct attach *a, struct formats *formats, struct tasks *tasks,
			const struct event *const events[2])
{
	struct sequence *seq =
		sequence_new(&(struct sequence_config){.raw = true, .to = UINT64_MAX});
	struct unpacker *unpacker = unpacker_new(conveyor_default_threads() > 1, 2);
	int r = seq && unpacker ? 0 : -ENOMEM;

	for (size_t i = 0; i < a->host->n_buffers && !r; i++) {
		struct source_config sc = {.tf = a->host,
					   .formats = formats,
					   .tasks = tasks,
					   .buffer = &a->host->buffers[i]};
		struct timeconv_config time = {0};

		if (a->host->buffers[i].is_text)
			continue;
		timeconv_init(&sc.time, a->host, sc.buffer->clock, &time);
		r = sequence_add_source(seq, &sc, unpacker);
	}
	if (!r)
		r = sequence_start(seq);
	if (r >= 0)
		r = walk(a, seq, events);
	sequence_free(seq);
	unpacker_free(unpacker);
	return r;
}

static int find_vcpus(struct attach *a, struct errmsg *err)
{
	struct formats_config config = {0};
	struct formats *formats;
	struct tasks tasks;
	const struct event *events[2];
	int r = formats_new(&formats, a->host, &config, err);

	if (r < 0)
		return r;
	events[0] = formats_find_name(formats, "kvm", "kvm_entry");
	events[1] = formats_find_name(formats, "kvm", "kvm_exit");
	if (!events[0] && !events[1])
		r = errmsg_set(err, -ENODATA,
			       "%s has no kvm_entry or kvm_exit events, which say what thread is "
			       "which virtual CPU: name them as PID:VCPU",
			       a->host->path);
	else if (tasks_init(&tasks, tracefile_text(a->host, TRACEFILE_CMDLINES)) < 0)
		r = errmsg_set_errno(err, -ENOMEM, "cannot read %s", a->host->path);
	else {
		r = walk_buffers(a, formats, &tasks, events);
		tasks_release(&tasks);
		if (r < 0)
			errmsg_set_errno(err, r, "cannot read the events of %s", a->host->path);
	}
	formats_free(formats);
	return r;
}

static int vcpu_compare(const void *x, const void *y)
{
	const struct guest_vcpu_pid *a = x, *b = y;

	return (a->vcpu > b->vcpu) - (a->vcpu < b->vcpu);
}

/* Leaves those that are known, by number. */
static int settle_vcpus(struct attach *a, struct errmsg *err)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_vcpus; i++)
		if (a->vcpus[i].vcpu != UINT32_MAX)
			a->vcpus[n++] = a->vcpus[i];
		else
			fprintf(stderr,
				"sonde: the thread %d runs no virtual CPU in %s; it is left out\n",
				a->vcpus[i].pid, a->host->path);
	a->n_vcpus = n;
	qsort(a->vcpus, n, sizeof(*a->vcpus), vcpu_compare);
	for (size_t i = 1; i < n; i++)
		if (a->vcpus[i].vcpu == a->vcpus[i - 1].vcpu)
			return errmsg_set(err, -EINVAL,
					  "the threads %d and %d are both virtual CPU %u: of one "
					  "guest there can be only one",
					  a->vcpus[i - 1].pid, a->vcpus[i].pid, a->vcpus[i].vcpu);
	return n ? 0
		 : errmsg_set(err, -ENODATA, "none of the threads runs a virtual CPU in %s",
			      a->host->path);
}

/* --- writing ----------------------------------------------------------------------------------- */

static int add_option(struct writer *w, uint16_t id, const struct textbuf *tb, struct errmsg *err)
{
	if (tb->overflow)
		return errmsg_set(err, -EFBIG, "there are too many virtual CPUs");
	return writer_add_option(w, id, (struct piece){(uint8_t *)tb->start, textbuf_len(tb)}, err);
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
	struct textbuf tb;

	textbuf_init(&tb, OPTION_MAX);
	guestopts_fmt_guest(&tb, a->opts->name, a->guest_id, a->vcpus, a->n_vcpus, a->host->swap);
	if (!r && !a->is_mapped)
		r = add_option(w, SNF_OPTION_GUEST, &tb, err);
	textbuf_release(&tb);
	return r;
}

/* The host's factors for its counter count for the guest's, too, once its time is the host's. */
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
	const struct attach_options *o = a->opts;
	uint32_t n = o->n_cpus ? o->n_cpus : a->guest->cpu_count;
	struct sync_cpu *cpus = calloc(n ? n : 1, sizeof(*cpus));
	int r = a->new_guest_id ? add_id(w, a->guest_id, a->guest->swap, err) : 0;
	struct textbuf tb;

	if (!cpus)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", a->guest->path);
	for (uint32_t i = 0; i < n; i++)
		cpus[i] = (struct sync_cpu){
			(struct sync_sample *)&o->shifts[i < o->n_shifts ? i : o->n_shifts - 1], 1};
	textbuf_init(&tb, OPTION_MAX);
	guestopts_fmt_shift(&tb, a->host_id, 0, cpus, n, a->guest->swap);
	if (!r)
		r = add_option(w, SNF_OPTION_TIME_SHIFT, &tb, err);
	if (!r)
		r = add_tsc2nsec(a, w, err);
	textbuf_release(&tb);
	free(cpus);
	return r;
}

/* The same trace with more options, in its place. */
static int rewrite(struct attach *a, struct tracefile *tf,
		   int (*add)(struct attach *, struct writer *, struct errmsg *),
		   struct errmsg *err)
{
	struct writer_config config;
	struct writer *w = NULL;
	struct tracecopy tc;
	int r;

	if (tf->compression == COMPRESSION_UNKNOWN)
		return errmsg_set(err, -ENOTSUP,
				  "%s is compressed with %s, which is not known here", tf->path,
				  tf->compression_name);
	r = tracecopy_init(&tc, tf, tf->version, err);
	if (r < 0)
		return r;
	config = tracecopy_config(&tc, tf->path, tf->compression);
	r = writer_open(&w, &config, err);
	if (!r)
		r = tracecopy_metadata(&tc, w, err);
	if (!r)
		r = add(a, w, err);
	if (!r)
		r = tracecopy_buffers(&tc, w, err);
	if (!r) {
		r = writer_close(w, err);
		w = NULL;
	}
	writer_free(w);
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
	int r = count_unknown(a) ? find_vcpus(a, err) : 0;

	if (!r)
		r = settle_vcpus(a, err);
	if (r < 0)
		return r;
	find_ids(a);
	if (!a->opts->n_cpus && !a->guest->cpu_count)
		return errmsg_set(err, -EINVAL, "%s does not say how many CPUs it has: use -c",
				  a->guest->path);
	if (a->is_mapped)
		fprintf(stderr, "sonde: %s knows this guest already; only %s is changed\n",
			a->host->path, a->guest->path);
	r = rewrite(a, a->guest, add_to_guest, err);
	if (!r && (!a->is_mapped || a->new_host_id))
		r = rewrite(a, a->host, add_to_host, err);
	return r;
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
	if (o->n_cpus < 0 || o->n_cpus > CPUS_MAX)
		return errmsg_set(err, -EINVAL, "attach: %lld is no number of CPUs", o->n_cpus);
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	static const struct attach_options none = {.name = ""};
	struct attach_options *o = malloc(sizeof(*o));
	struct attach a = {.opts = o};
	int n, r;

	if (!o)
		return errmsg_set_errno(err, -ENOMEM, "cannot attach");
	*o = none;
	n = command_parse(cmd, o, argc, argv, err);
	r = n < 0 ? n : check_options(o, n, err);
	if (!r) {
		a.vcpus = calloc(n, sizeof(*a.vcpus));
		r = a.vcpus ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot attach");
	}
	for (int i = 3; !r && i <= n; i++)
		r = parse_pid(argv[i], &a.vcpus[a.n_vcpus++], err);
	if (!r)
		r = tracefile_open(&a.host, argv[1], err);
	if (!r)
		r = tracefile_open(&a.guest, argv[2], err);
	if (!r)
		r = attach(&a, err);
	if (!r)
		r = notes_print_damage(a.host) | notes_print_damage(a.guest);
	tracefile_close(a.host);
	tracefile_close(a.guest);
	free(a.vcpus);
	free(o);
	return r;
}

const struct command cmd_attach = {
	.name = "attach",
	.summary = "link the traces of a host and a guest",
	.usage = "[-c CPUS] -s OFFSET[,SCALE[,FRACTION[,TIME]]] HOST-TRACE GUEST-TRACE PID…",
	.options = rows,
	.run = run,
	.args = "file",
};
