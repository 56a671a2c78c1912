// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_perfdata.c - the bytes of a perf.data: head, attributes, features, records, samples, chains.
 *
 * Files that the input names are not opened: places are looked up only in mappings without a file of
 * this machine, because a fuzzer would find /dev and /proc.
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "present/perfdata/bpf.h"
#include "store/perfdata/perfdata.h"

static int see(void *ctx, const struct perfdata_read_value *v)
{
	*(uint64_t *)ctx += v->value;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct errmsg err = {0};
	const struct perfdata_record *rec;
	struct perfdata_build_id id;
	struct perfdata pd;
	TEXTBUF(tb, 1u << 20);
	uint64_t sum = 0;
	size_t pos = 0;

	if (perfdata_open_memory(&pd, "input", (struct piece){input, n}, &err) < 0)
		return 0;
	for (int i = 0; i < SNF_PERF_FEATURES_MAX; i++)
		perfdata_text(&pd, (enum snf_perf_feature)i);
	for (size_t i = 0; i < pd.n_events; i++) {
		const char *name = NULL;

		sum += perfdata_group(&pd, i, &name);
		sum += name ? strlen(name) : 0;
	}
	perfbpf_add_lines(&pd, &tb);
	while (perfdata_next_build_id(&pd, &pos, &id))
		sum += id.n_bytes + strlen(id.path);
	while ((rec = perfdata_next(&pd))) {
		struct perfdata_trailer t;
		struct perfdata_sample s;

		perfdata_parse_trailer(&pd, rec->at, &t);
		if (perfdata_type(rec) != PERF_RECORD_SAMPLE ||
		    perfdata_parse_sample(&pd, rec, &s) < 0)
			continue;
		perfdata_each_value(&s, see, &sum);
		for (size_t i = 0; i < s.raw.len; i++)
			sum += s.raw.data[i];
		for (size_t i = 0; i < s.chain.len + s.stack.len; i++)
			sum += i < s.chain.len ? s.chain.data[i] : s.stack.data[i - s.chain.len];
	}
	perfdata_close(&pd);
	return sum == 1;
}
