// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * choice.c - opens a perf.data for the personality perf, and chooses its samples.
 *
 * Lists have commas between their words: --comm bash,make. A sample passes if it passes all lists.
 * Its file and function are those of its own address, not of its callers. Times are seconds, as
 * perf script prints them: --time 1043.5,1044; or parts of the recording: 10%/2 is the second tenth,
 * 0%-10%,50%-60% are two stretches.
 */
#include "cli/as/perf/choice.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/samples/perfexport.h"
#include "format/bytes.h"
#include "store/perfdata/perfdata.h"

#include <errno.h>
#include <math.h>
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
	if (f->time && !strchr(f->time, '%')) {
		size_t len = strcspn(f->time, ",");

		TRY(parse_seconds(f->time, len, &f->from_ns, err));
		if (f->time[len])
			TRY(parse_seconds(f->time + len + 1, strlen(f->time + len + 1), &f->to_ns,
					  err));
	}
	return 0;
}

/* "10%", "10%/2", "10%-20%": the parts of 1 where it begins and ends. */
static bool parse_part(const char *text, size_t len, double *ret_from, double *ret_to)
{
	char copy[64], *end;
	double first, second;

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	first = strtod(copy, &end) / 100;
	if (end == copy || *end++ != '%')
		return false;
	if (*end == '-') {
		char *start = end + 1;

		second = strtod(start, &end) / 100;
		if (end == start || *end != '%' || end[1])
			return false;
		*ret_from = first;
		*ret_to = second;
	} else {
		long n = *end == '/' ? strtol(end + 1, &end, 10) : 1;

		if (*end)
			return false;
		*ret_from = first * (double)(n - 1);
		*ret_to = first * (double)n;
	}
	return *ret_from >= 0 && *ret_from < *ret_to && *ret_to <= 1.000001;
}

static int find_parts(struct perf_choice *f, const struct perfdata *pd, struct errmsg *err)
{
	struct piece times = pd->features[SNF_PERF_FEAT_SAMPLE_TIME];
	uint64_t first, last;

	if (!times.data || times.len < 16)
		return errmsg_set(err, -ENODATA,
				  "%s does not say when its first and last sample were; --time "
				  "takes seconds of it: 1043.5,1044",
				  pd->path);
	first = bytes_get64(times.data, false);
	last = bytes_get64(times.data + 8, false);
	for (const char *w = f->time; *w;) {
		size_t len = strcspn(w, ",");
		double from, to;

		if (last < first || f->n_ranges == PERF_CHOICE_RANGES_MAX ||
		    !parse_part(w, len, &from, &to))
			return errmsg_set(err, -EINVAL, "Invalid time string");
		f->ranges[f->n_ranges].from_ns = first + llround(from * (double)(last - first));
		f->ranges[f->n_ranges].to_ns = first + llround(to * (double)(last - first));
		if (f->ranges[f->n_ranges].to_ns != last)
			f->ranges[f->n_ranges].to_ns--;
		f->n_ranges++;
		w += len + (w[len] == ',');
	}
	return 0;
}

int perf_choice_check(struct perf_choice *f, struct perfsession *s, struct errmsg *err)
{
	const struct perfdata *pd = perfsession_data(s);

	if (f->time && strchr(f->time, '%'))
		TRY(find_parts(f, pd, err));

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

static bool takes_time(const struct perf_choice *f, uint64_t ns)
{
	if (ns < f->from_ns || (f->to_ns && ns > f->to_ns))
		return false;
	return !f->n_ranges ||
	       ARRAY_ANY(f->n_ranges, i, ns >= f->ranges[i].from_ns && ns <= f->ranges[i].to_ns);
}

bool perf_choice_sees(const struct perf_choice *f, const struct perfsample *sample)
{
	const struct perfdata_sample *d = &sample->s;

	if (f->cpu_bits && (d->cpu < 0 || (size_t)d->cpu >= f->n_cpus ||
			    !(f->cpu_bits[d->cpu / 64] >> d->cpu % 64 & 1)))
		return false;
	return takes_time(f, d->time_ns);
}

bool perf_choice_takes(const struct perf_choice *f, struct perfsession *s,
		       const struct perfsample *sample)
{
	const struct perfdata_sample *d = &sample->s;

	if (!perf_choice_sees(f, sample))
		return false;
	if (f->pids && !takes_number(f->pids, d->pid))
		return false;
	if (f->tids && !takes_number(f->tids, d->tid))
		return false;
	return perf_choice_has(f->comms, sample->thread->comm) && takes_place(f, s, sample);
}
