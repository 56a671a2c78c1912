// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * guests.c - matches the trace of a host with those of its guests.
 *
 * When trace-cmd records a machine together with its virtual machines, every file gets an id
 * (option TRACEID), and the host's file lists its guests (option GUEST, one each):
 *
 *	name NUL   u64 the guest's id   u32 n   n × { u32 virtual CPU, u32 thread of the host }
 *
 * Events of kvm in the host's file contain addresses in the guest; the thread that recorded them
 * leads to the guest's symbols.
 */
#include "decode/order/guests.h"

#include "base/array.h"
#include "decode/timeconv.h"
#include "format/bytes.h"
#include "store/tracefile.h"
#include "symbols/kallsyms.h"

#include <errno.h>
#include <stdlib.h>

#define VCPUS_MAX (1u << 20) /* limit for all guests together */

static int take_cpus(struct byte_reader *r, struct guest_cpu **ret_cpus, size_t *ret_n)
{
	uint64_t n = byte_reader_take_number(r, 4);
	struct guest_cpu *cpus;

	if (r->failed || n > byte_reader_left(r) / 8 || n > VCPUS_MAX)
		n = 0;
	cpus = calloc(n + 1, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		cpus[i].cpu = byte_reader_take_number(r, 4);
		cpus[i].host_pid = byte_reader_take_number(r, 4);
	}
	*ret_cpus = cpus;
	*ret_n = n;
	return 1;
}

int guest_find(const struct tracefile *host, const struct tracefile *guest, const char **ret_name,
	       struct guest_cpu **ret_cpus, size_t *ret_n)
{
	uint64_t id = timeconv_trace_id(guest);

	for (size_t i = 0; i < host->n_options; i++) {
		struct piece data = host->options[i].data;
		struct byte_reader r = {data.data, data.data + data.len, host->swap, false};

		if (host->options[i].id != SNF_OPTION_GUEST)
			continue;
		*ret_name = byte_reader_take_string(&r);
		if (byte_reader_take_number(&r, 8) == id && !r.failed)
			return take_cpus(&r, ret_cpus, ret_n);
	}
	return 0;
}

/* Adds the virtual CPUs of one guest, if the host's file lists it. */
static int add_guest(struct guests *g, const struct tracefile *host, struct formats *guest)
{
	struct guest_cpu *cpus;
	struct guest_vcpu *more;
	const char *name;
	size_t n;
	int r = guest_find(host, guest->tf, &name, &cpus, &n);

	if (r <= 0)
		return r;
	if (n > VCPUS_MAX - g->n)
		n = 0;
	more = realloc(g->vcpus, (g->n + n + 1) * sizeof(*more));
	if (more) {
		const struct kallsyms *symbols = formats_kallsyms(guest);

		g->vcpus = more;
		for (size_t i = 0; i < n; i++)
			g->vcpus[g->n++] = (struct guest_vcpu){cpus[i].host_pid, symbols};
	}
	free(cpus);
	return more ? 0 : -ENOMEM;
}

ARRAY_ORDER(compare_pid, struct guest_vcpu, COMPARE(x->host_pid, y->host_pid))

int guests_init(struct guests *g, struct formats *const *files, size_t n_files)
{
	int r = 0;

	*g = (struct guests){0};
	for (size_t i = 1; i < n_files && !r; i++)
		r = add_guest(g, files[0]->tf, files[i]);
	if (r < 0)
		guests_release(g);
	else if (g->n)
		qsort(g->vcpus, g->n, sizeof(*g->vcpus), compare_pid);
	return r;
}

void guests_release(struct guests *g)
{
	free(g->vcpus);
	*g = (struct guests){0};
}

const struct kallsyms *guests_find(const struct guests *g, int host_pid)
{
	struct guest_vcpu key = {.host_pid = host_pid};
	const struct guest_vcpu *found =
		g->n ? bsearch(&key, g->vcpus, g->n, sizeof(key), compare_pid) : NULL;

	return found ? found->symbols : NULL;
}
