// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_perfrecord.c - records of perf events, what they do to the tables of mappings and tasks, and maps
 * of JIT code.
 *
 *	input:  bits of the sample type (1 byte)  records, each in memory of exactly its size; the rest is a map
 */
#include "capture/perf/codefiles.h"
#include "capture/perf/jitmap.h"
#include "capture/perf/perfrecord.h"
#include "capture/perf/spaces.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

static const uint64_t types[] = {
	PERF_SAMPLE_CALLCHAIN,	  PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER, PERF_SAMPLE_READ,
	PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_RAW,	 PERF_SAMPLE_ADDR,	 PERF_SAMPLE_ID};

static volatile uint64_t sink;

static void use(const void *bytes, size_t n)
{
	for (size_t i = 0; bytes && i < n; i++)
		sink += ((const uint8_t *)bytes)[i];
}

static void try_sample(const struct perf_event_header *h, uint8_t bits, struct spaces *spaces)
{
	struct perfrecord_shape shape = {.sample_type = PERFRECORD_ALWAYS,
					 .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
					 .n_user_regs = 17};
	struct perfrecord_sample s;
	struct spaces_place place;

	for (unsigned i = 0; i < 8; i++)
		shape.sample_type |= bits >> i & 1 ? types[i] : 0;
	if (!perfrecord_read_sample(h, &shape, &s))
		return;
	use(s.chain, s.n_chain * 8);
	use(s.regs, s.regs_abi ? 17 * 8 : 0);
	use(s.stack.data, s.stack.len);
	use(s.read.data, s.read.len);
	use(s.branches, s.n_branches * sizeof(*s.branches));
	spaces_find(spaces, (int)s.pid, s.ip, &place);
}

static void try_record(const struct perf_event_header *h, uint8_t bits, struct spaces *spaces)
{
	struct perfrecord_trailer trailer;
	struct perfrecord_task task;
	struct perfrecord_map map;
	uint32_t pid = 0, tid = 0;
	const char *name = perfrecord_read_comm(h, &pid, &tid);

	perfrecord_time(h);
	perfrecord_id(h);
	perfrecord_read_lost(h);
	perfrecord_read_trailer(h, &trailer);
	try_sample(h, bits, spaces);
	if (name)
		use(name, strlen(name));
	if (name && h->misc & PERF_RECORD_MISC_COMM_EXEC)
		spaces_exec(spaces, (int)pid);
	if (perfrecord_read_map(h, &map)) {
		char path[] = "//anon"; /* no file of this machine is opened */

		use(map.path, strlen(map.path));
		map.path = path;
		spaces_map(spaces, &map);
	}
	if (perfrecord_read_task(h, &task) && h->type == PERF_RECORD_FORK)
		spaces_fork(spaces, (int)task.pid, (int)task.parent);
	else if (h->type == PERF_RECORD_EXIT)
		spaces_exit(spaces, (int)task.pid);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct codefiles *files = codefiles_new();
	struct spaces *spaces = spaces_new(files);
	struct jitmap *jit = jitmap_new(1);
	uint8_t bits = n ? input[0] : 0;
	size_t at = n ? 1 : 0;
	uint64_t start;

	while (n - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header h, *copy;

		memcpy(&h, input + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > n - at)
			break;
		copy = malloc(h.size);
		memcpy(copy, input + at, h.size);
		try_record(copy, bits, spaces);
		free(copy);
		at += h.size;
	}
	jitmap_parse(jit, (const char *)input + at, n - at);
	for (uint64_t address = 0; address < 0x4000; address += 13) {
		const char *name = jitmap_find(jit, address, &start);

		if (name && start > address)
			abort();
	}
	jitmap_free(jit);
	spaces_free(spaces);
	codefiles_free(files);
	return 0;
}
