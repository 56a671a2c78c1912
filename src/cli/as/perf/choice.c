// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * choice.c - opens a perf.data for the personality perf, and chooses its samples.
 *
 * Lists have commas between their words: --comm bash,make. A sample passes if it passes all lists.
 * Its file and function are those of its own address, not of its callers. Times are seconds, as
 * perf script prints them: --time 1043.5,1044.
 */
#include "cli/as/perf/choice.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/samples/perfexport.h"
#include "format/bytes.h"
#include "store/perfdata/perfdata.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPUS_MAX       65536
#define TEXT_MAX_BYTES (2000u << 20)

static bool is_trace(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size && inputs_is_trace(path);
}

/* A trace of sonde: the same samples as a perf.data in memory. */
static int open_trace(struct perfsession **ret, const char *path, struct errmsg *err)
{
	struct sampleread_spec spec = {.path = path};
	TEXTBUF(tb, TEXT_MAX_BYTES);
	struct piece bytes;
	char *heap;
	int r;

	TRY(perfexport_fmt(&spec, NULL, &tb, err));
	bytes.len = textbuf_len(&tb);
	heap = textbuf_take(&tb);
	bytes.data = (const uint8_t *)heap;
	r = perfsession_open_memory(ret, path, bytes, err);
	if (r < 0)
		free(heap);
	else
		perfsession_take(*ret, heap);
	return r;
}

int perf_open(struct perfsession **ret, const char *path, struct errmsg *err)
{
	const char *name = path ? path : "perf.data";

	if (!strcmp(name, "-"))
		name = "/dev/stdin";
	if (access(name, F_OK) < 0)
		return errmsg_set(err, -ENOENT, "failed to open %s: %s%s", name, strerror(errno),
				  path ? "" : "  (try 'perf record' first)");
	if (!perfdata_is_file(name) && access(name, R_OK) >= 0 && is_trace(name))
		return open_trace(ret, name, err);
	return perfsession_open(ret, name, err);
}

int perf_report_damage(struct perfsession *s)
{
	const struct perfdata *pd = perfsession_data(s);

	fflush(stdout);
	for (size_t i = 0; i < pd->n_damage; i++)
		fprintf(stderr, "%s\n", pd->damage[i]);
	return 0;
}

bool perf_choice_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	if (!list)
		return true;
	for (const char *w = list; *w;) {
		size_t n = strcspn(w, ",");

		if (n == len && !strncmp(w, word, n))
			return true;
		w += n + (w[n] == ',');
	}
	return false;
}

static int parse_seconds(const char *text, size_t len, uint64_t *ret, struct errmsg *err)
{
	char copy[64], *end;
	unsigned long long seconds, ns = 0;

	if (!len)
		return 0;
	snprintf(copy, sizeof(copy), "%.*s", (int)(len < sizeof(copy) ? len : sizeof(copy) - 1),
		 text);
	seconds = strtoull(copy, &end, 10);
	if (*end == '.') {
		unsigned long long scale = 100000000;

		for (end++; *end >= '0' && *end <= '9'; end++, scale /= 10)
			ns += scale * (unsigned)(*end - '0');
	}
	if (*end)
		return errmsg_set(err, -EINVAL, "Invalid time string");
	*ret = seconds * 1000000000ull + ns;
	return 0;
}

static int parse_cpus(struct perf_choice *f, struct errmsg *err)
{
	f->n_cpus = CPUS_MAX;
	f->cpu_bits = calloc(CPUS_MAX / 64, sizeof(*f->cpu_bits));
	if (!f->cpu_bits)
		return errmsg_set_errno(err, -ENOMEM, "cannot choose CPUs");
	for (const char *w = f->cpus; *w;) {
		char *end;
		unsigned long first = strtoul(w, &end, 10), last = first;

		if (end == w)
			return errmsg_set(err, -EINVAL, "Invalid cpu list: %s", f->cpus);
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long c = first; c <= last && c < CPUS_MAX; c++)
			f->cpu_bits[c / 64] |= 1ull << c % 64;
		if (*end && *end != ',')
			return errmsg_set(err, -EINVAL, "Invalid cpu list: %s", f->cpus);
		w = end + (*end == ',');
	}
	return 0;
}

int perf_choice_init(struct perf_choice *f, struct errmsg *err)
{
	if (f->cpus)
		TRY(parse_cpus(f, err));
	if (f->time) {
		size_t len = strcspn(f->time, ",");

		TRY(parse_seconds(f->time, len, &f->from_ns, err));
		if (f->time[len])
			TRY(parse_seconds(f->time + len + 1, strlen(f->time + len + 1), &f->to_ns,
					  err));
	}
	return 0;
}

int perf_choice_check(const struct perf_choice *f, struct perfsession *s, struct errmsg *err)
{
	const struct perfdata *pd = perfsession_data(s);

	for (size_t i = 0; f->cpus && i < pd->n_events; i++)
		if (!(pd->events[i].attr.sample_type & PERF_SAMPLE_CPU))
			return errmsg_set(err, -ENODATA,
					  "File does not contain CPU events. Remove -C option to "
					  "proceed.");
	return 0;
}

void perf_choice_release(struct perf_choice *f)
{
	free(f->cpu_bits);
	f->cpu_bits = NULL;
}

static bool takes_number(const char *list, int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	return perf_choice_has(list, text);
}

static bool takes_place(const struct perf_choice *f, struct perfsession *s,
			const struct perfsample *sample)
{
	struct perfplace p;

	if (!f->dsos && !f->symbols)
		return true;
	perfsession_place(s, sample, &p);
	if (f->dsos && !perf_choice_has(f->dsos, p.dso ? p.dso->short_name : "[unknown]") &&
	    !(p.dso && perf_choice_has(f->dsos, p.dso->path)))
		return false;
	return perf_choice_has(f->symbols, p.symbol ? p.symbol->name : "[unknown]");
}

bool perf_choice_takes(const struct perf_choice *f, struct perfsession *s,
		       const struct perfsample *sample)
{
	const struct perfdata_sample *d = &sample->s;

	if (f->cpu_bits && (d->cpu < 0 || (size_t)d->cpu >= f->n_cpus ||
			    !(f->cpu_bits[d->cpu / 64] >> d->cpu % 64 & 1)))
		return false;
	if (d->time_ns < f->from_ns || (f->to_ns && d->time_ns > f->to_ns))
		return false;
	if (f->pids && !takes_number(f->pids, d->pid))
		return false;
	if (f->tids && !takes_number(f->tids, d->tid))
		return false;
	return perf_choice_has(f->comms, sample->thread->comm) && takes_place(f, s, sample);
}
