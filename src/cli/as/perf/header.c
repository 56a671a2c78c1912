// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * header.c - `--header` of perf report and perf script: what a perf.data says of the machine.
 *
 * perf prints every feature in the order of their numbers. The lines here are those that people
 * read: the machine, the command, the events. Long tables (topology, caches, memory) are named as
 * available, which perf does, too, without -I.
 */
#include "base/array.h"
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "cli/as/perf/choice.h"
#include "cli/screen/output.h"
#include "format/perfdata.h"
#include "present/perfdata/bpf.h"
#include "store/perfdata/perfdata.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>

#define HEADER_MAX_BYTES (1u << 20)

static void add_text(struct perfdata *pd, enum snf_perf_feature f, const char *label,
		     struct textbuf *tb)
{
	const char *text = perfdata_text(pd, f);

	if (text)
		textbuf_addf(tb, "# %s : %s\n", label, text);
}

static void add_captured(const struct perfdata *pd, struct textbuf *tb)
{
	struct stat st;
	char text[64];

	if (stat(pd->path, &st) < 0)
		return;
	ctime_r(&st.st_ctime, text);
	textbuf_addf(tb, "# captured on    : %s", text);
	textbuf_addf(tb, "# header version : 1\n# data offset    : %" PRIu64 "\n", pd->data_offset);
	textbuf_addf(tb, "# data size      : %" PRIu64 "\n# feat offset    : %" PRIu64 "\n",
		     pd->data_bytes, pd->data_offset + pd->data_bytes);
}

static void add_cpus(const struct perfdata *pd, struct textbuf *tb)
{
	struct piece f = pd->features[SNF_PERF_FEAT_NRCPUS];

	if (f.data && f.len >= 8)
		textbuf_addf(tb, "# nrcpus online : %u\n# nrcpus avail : %u\n",
			     bytes_get32(f.data + 4, false), bytes_get32(f.data, false));
}

static void add_memory(const struct perfdata *pd, struct textbuf *tb)
{
	struct piece f = pd->features[SNF_PERF_FEAT_TOTAL_MEM];

	if (f.data && f.len >= 8)
		textbuf_addf(tb, "# total memory : %" PRIu64 " kB\n", bytes_get64(f.data, false));
}

static void add_command(const struct perfdata *pd, struct textbuf *tb)
{
	struct piece f = pd->features[SNF_PERF_FEAT_CMDLINE];
	struct byte_reader r = {f.data, f.data + f.len, false, false};
	uint64_t n = f.data ? byte_reader_take_number(&r, 4) : 0;

	if (!f.data)
		return;
	textbuf_add_str(tb, "# cmdline : ");
	for (uint64_t i = 0; i < n && !r.failed; i++) {
		struct piece word = byte_reader_take_piece(&r, byte_reader_take_number(&r, 4));

		textbuf_add(tb, (const char *)word.data,
			    strnlen((const char *)word.data, word.len));
		textbuf_add_char(tb, ' ');
	}
	textbuf_add_char(tb, '\n');
}

static void add_bits(struct textbuf *tb, const char *label, uint64_t bits, const char *const *names,
		     size_t n)
{
	const char *between = "";

	if (!bits)
		return;
	textbuf_addf(tb, ", %s = ", label);
	for (size_t i = 0; i < n; i++) {
		if (!(bits >> i & 1))
			continue;
		textbuf_addf(tb, "%s%s", between, names[i]);
		between = "|";
	}
}

static void add_attr(const struct perf_event_attr *a, struct textbuf *tb)
{
	static const char *const sampled[] = {"IP",
					      "TID",
					      "TIME",
					      "ADDR",
					      "READ",
					      "CALLCHAIN",
					      "ID",
					      "CPU",
					      "PERIOD",
					      "STREAM_ID",
					      "RAW",
					      "BRANCH_STACK",
					      "REGS_USER",
					      "STACK_USER",
					      "WEIGHT",
					      "DATA_SRC",
					      "IDENTIFIER",
					      "TRANSACTION",
					      "REGS_INTR",
					      "PHYS_ADDR",
					      "AUX",
					      "CGROUP",
					      "DATA_PAGE_SIZE",
					      "CODE_PAGE_SIZE",
					      "WEIGHT_STRUCT"};
	static const char *const read[] = {"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID",
					   "GROUP", "LOST"};
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = {{"disabled", a->disabled},
		    {"inherit", a->inherit},
		    {"exclude_user", a->exclude_user},
		    {"exclude_kernel", a->exclude_kernel},
		    {"exclude_hv", a->exclude_hv},
		    {"mmap", a->mmap},
		    {"comm", a->comm},
		    {"freq", a->freq},
		    {"enable_on_exec", a->enable_on_exec},
		    {"task", a->task},
		    {"watermark", a->watermark},
		    {"precise_ip", a->precise_ip},
		    {"mmap_data", a->mmap_data},
		    {"sample_id_all", a->sample_id_all},
		    {"exclude_host", a->exclude_host},
		    {"exclude_guest", a->exclude_guest},
		    {"exclude_callchain_kernel", a->exclude_callchain_kernel},
		    {"exclude_callchain_user", a->exclude_callchain_user},
		    {"mmap2", a->mmap2},
		    {"comm_exec", a->comm_exec},
		    {"use_clockid", a->use_clockid},
		    {"context_switch", a->context_switch},
		    {"write_backward", a->write_backward},
		    {"namespaces", a->namespaces},
		    {"ksymbol", a->ksymbol},
		    {"bpf_event", a->bpf_event}};

	textbuf_addf(tb, "type = %u, size = %u", a->type, a->size);
	if (a->config)
		textbuf_addf(tb, ", config = 0x%llx", (unsigned long long)a->config);
	if (a->sample_period)
		textbuf_addf(tb, ", { sample_period, sample_freq } = %llu",
			     (unsigned long long)a->sample_period);
	add_bits(tb, "sample_type", a->sample_type, sampled, ARRAY_LEN(sampled));
	add_bits(tb, "read_format", a->read_format, read, ARRAY_LEN(read));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].value)
			textbuf_addf(tb, ", %s = %llu", rows[i].name,
				     (unsigned long long)rows[i].value);
	if (a->sample_regs_user)
		textbuf_addf(tb, ", sample_regs_user = 0x%llx",
			     (unsigned long long)a->sample_regs_user);
	if (a->sample_stack_user)
		textbuf_addf(tb, ", sample_stack_user = %u", a->sample_stack_user);
}

static void add_events(const struct perfdata *pd, struct textbuf *tb)
{
	for (size_t i = 0; i < pd->n_events; i++) {
		const struct perfdata_event *e = &pd->events[i];

		textbuf_addf(tb, "# event : name = %s, , id = { ", e->name);
		for (size_t k = 0; k < e->n_ids; k++)
			textbuf_addf(tb, "%s%" PRIu64, k ? ", " : "", e->ids[k]);
		textbuf_add_str(tb, " }, ");
		add_attr(&e->attr, tb);
		textbuf_add_char(tb, '\n');
	}
}

/* u32 number; then u32 type and a name, each. */
static void add_pmus(const struct perfdata *pd, struct textbuf *tb)
{
	struct piece f = pd->features[SNF_PERF_FEAT_PMU_MAPPINGS];
	struct byte_reader r = {f.data, f.data + f.len, false, false};
	uint64_t n = f.data ? byte_reader_take_number(&r, 4) : 0;

	if (!f.data)
		return;
	textbuf_add_str(tb, "# pmu mappings: ");
	for (uint64_t i = 0; i < n && !r.failed; i++) {
		uint32_t type = (uint32_t)byte_reader_take_number(&r, 4);
		struct piece name = byte_reader_take_piece(&r, byte_reader_take_number(&r, 4));

		if (!r.failed)
			textbuf_addf(tb, "%s%.*s = %u", i ? ", " : "",
				     (int)strnlen((const char *)name.data, name.len),
				     (const char *)name.data, type);
	}
	textbuf_add_char(tb, '\n');
}

/* Long tables are only mentioned. */
static void add_available(const struct perfdata *pd, enum snf_perf_feature f, const char *name,
			  struct textbuf *tb)
{
	if (pd->features[f].data)
		textbuf_addf(tb, "# %s info available, use -I to display\n", name);
}

static void add_missing(const struct perfdata *pd, struct textbuf *tb)
{
	static const char *const names[] = {
		"TRACING_DATA", "BUILD_ID",	"HOSTNAME",	"OSRELEASE",	 "VERSION",
		"ARCH",		"NRCPUS",	"CPUDESC",	"CPUID",	 "TOTAL_MEM",
		"CMDLINE",	"EVENT_DESC",	"CPU_TOPOLOGY", "NUMA_TOPOLOGY", "BRANCH_STACK",
		"PMU_MAPPINGS", "GROUP_DESC",	"AUXTRACE",	"STAT",		 "CACHE",
		"SAMPLE_TIME",	"MEM_TOPOLOGY", "CLOCKID",	"DIR_FORMAT",	 "BPF_PROG_INFO",
		"BPF_BTF",	"COMPRESSED",	"CPU_PMU_CAPS", "CLOCK_DATA",	 "HYBRID_TOPOLOGY",
		"PMU_CAPS"};

	textbuf_add_str(tb, "# missing features: ");
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!pd->features[i + 1].data)
			textbuf_addf(tb, "%s ", names[i]);
	textbuf_add_char(tb, '\n');
}

static void add_times(const struct perfdata *pd, struct textbuf *tb)
{
	struct piece f = pd->features[SNF_PERF_FEAT_SAMPLE_TIME];
	uint64_t first, last;

	if (!f.data || f.len < 16)
		return;
	first = bytes_get64(f.data, false);
	last = bytes_get64(f.data + 8, false);
	textbuf_addf(tb, "# time of first sample : %" PRIu64 ".%06" PRIu64 "\n", first / 1000000000,
		     first % 1000000000 / 1000);
	textbuf_addf(tb, "# time of last sample : %" PRIu64 ".%06" PRIu64 "\n", last / 1000000000,
		     last % 1000000000 / 1000);
	textbuf_addf(tb, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

int perf_print_header(struct perfsession *s, struct output *out)
{
	struct perfdata *pd = perfsession_data(s);
	TEXTBUF(tb, HEADER_MAX_BYTES);

	textbuf_add_str(&tb, "# ========\n");
	add_captured(pd, &tb);
	add_text(pd, SNF_PERF_FEAT_HOSTNAME, "hostname", &tb);
	add_text(pd, SNF_PERF_FEAT_OSRELEASE, "os release", &tb);
	add_text(pd, SNF_PERF_FEAT_VERSION, "perf version", &tb);
	add_text(pd, SNF_PERF_FEAT_ARCH, "arch", &tb);
	add_cpus(pd, &tb);
	add_text(pd, SNF_PERF_FEAT_CPUDESC, "cpudesc", &tb);
	add_text(pd, SNF_PERF_FEAT_CPUID, "cpuid", &tb);
	add_memory(pd, &tb);
	add_command(pd, &tb);
	add_events(pd, &tb);
	add_available(pd, SNF_PERF_FEAT_CPU_TOPOLOGY, "CPU_TOPOLOGY", &tb);
	add_available(pd, SNF_PERF_FEAT_NUMA_TOPOLOGY, "NUMA_TOPOLOGY", &tb);
	add_pmus(pd, &tb);
	add_available(pd, SNF_PERF_FEAT_CACHE, "CACHE", &tb);
	add_times(pd, &tb);
	add_available(pd, SNF_PERF_FEAT_MEM_TOPOLOGY, "MEM_TOPOLOGY", &tb);
	perfbpf_add_lines(pd, &tb);
	add_missing(pd, &tb);
	textbuf_add_str(&tb, "# ========\n#\n");
	return output_write(out, tb.start, textbuf_len(&tb));
}
