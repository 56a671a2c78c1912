// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c - prints the options of a trace file, for `sonde dump --options`.
 *
 * A table defines how each option is shown; the formats are those of trace-cmd dump, so that the
 * two can be compared. One option differs between the versions: BUFFER, which in version 7 is the
 * whole directory of a buffer. If the data of an option is too short, the complete part is shown,
 * and the option is marked as broken.
 */
#include "base/textbuf.h"
#include "format/tracedat.h"
#include "present/dump/dump_int.h"
#include "store/packedtext.h"
#include "symbols/processes.h"

#include <stdlib.h>

struct option_kind {
	const char *name;
	void (*print)(struct dump *d, const struct option_kind *kind, uint16_t id,
		      struct piece data);
	unsigned items; /* items that include the option's text, besides --options */
};

static struct byte_reader reader(const struct dump *d, struct piece data)
{
	return (struct byte_reader){data.data, data.data + data.len, d->tf->swap, false};
}

static void print_string(struct dump *d, const struct option_kind *kind, uint16_t id,
			 struct piece data)
{
	dump_print(d, DUMP_OPTIONS, "\t\t[Option %s, %zu bytes]\n", kind->name, data.len);
	if (data.len || kind->items)
		dump_print_text(d, DUMP_OPTIONS | kind->items, data);
}

/* Prints an option of sonde's own, which is compressed if that saves space. */
static void print_packed(struct dump *d, const struct option_kind *kind, uint16_t id,
			 struct piece data)
{
	struct textbuf plain;
	struct piece text;

	dump_print(d, DUMP_OPTIONS, "\t\t[Option %s, %zu bytes]\n", kind->name, data.len);
	textbuf_init(&plain, PROCESSES_MAX_BYTES);
	if (packedtext_read(data, &plain, &text) >= 0)
		dump_print_text(d, DUMP_OPTIONS, text);
	else
		dump_print(d, DUMP_OPTIONS, "\t\t[cannot be unpacked]\n");
	textbuf_release(&plain);
}

static void print_int(struct dump *d, const struct option_kind *kind, uint16_t id,
		      struct piece data)
{
	struct byte_reader r = reader(d, data);

	dump_print(d, DUMP_OPTIONS, "\t\t[Option %s, %zu bytes]\n", kind->name, data.len);
	dump_print(d, DUMP_OPTIONS, "%d\n", (int)byte_reader_take_number(&r, 4));
}

static void print_hex(struct dump *d, const struct option_kind *kind, uint16_t id,
		      struct piece data)
{
	struct byte_reader r = reader(d, data);

	dump_print(d, DUMP_OPTIONS, "\t\t[Option %s, %zu bytes]\n", kind->name, data.len);
	dump_print(d, DUMP_OPTIONS, "0x%llX\n", (unsigned long long)byte_reader_take_number(&r, 8));
}

static void print_pointer(struct dump *d, const struct option_kind *kind, uint16_t id,
			  struct piece data)
{
	struct byte_reader r = reader(d, data);

	dump_print(d, DUMP_OPTIONS, "\t\t[Option %s, %zu bytes] @ %lld\n", kind->name, data.len,
		   (long long)byte_reader_take_number(&r, 8));
}

/* --- buffers ---------------------------------------------------------------------------------- */

static void print_cpus(struct dump *d, struct byte_reader *r, const char *name, const char *clock)
{
	const unsigned items = DUMP_OPTIONS | DUMP_FLYRECORD;
	int page_size = byte_reader_take_number(r, 4), n_cpus = byte_reader_take_number(r, 4);
	uint64_t total = 0;

	dump_print(d, items, "%d [Page size, bytes]\n", page_size);
	dump_print(d, items, "%d [CPUs]:\n", n_cpus);
	for (int i = 0; i < n_cpus && !r->failed; i++) {
		int cpu = byte_reader_take_number(r, 4);
		uint64_t offset = byte_reader_take_number(r, 8);
		uint64_t n_bytes = byte_reader_take_number(r, 8);

		if (r->failed)
			break;
		total += n_bytes;
		dump_print(d, items, "   %d %lld\t%lld\t[id, data offset and size]\n", cpu,
			   (long long)offset, (long long)n_bytes);
	}
	dump_print(d, DUMP_SUMMARY,
		   "\t[buffer \"%s\", \"%s\" clock, %d page size, %d cpus, %lld bytes flyrecord "
		   "data]\n",
		   name, clock, page_size, n_cpus, (long long)total);
}

static void print_buffer(struct dump *d, const struct option_kind *kind, uint16_t id,
			 struct piece data)
{
	const unsigned items = DUMP_OPTIONS | DUMP_FLYRECORD;
	struct byte_reader r = reader(d, data);
	uint64_t offset = byte_reader_take_number(&r, 8);
	const char *name = byte_reader_take_string(&r), *clock;
	struct tracefile_section s;

	if (d->tf->version == 7)
		dump_section_header(d, DUMP_FLYRECORD, offset, &s);
	dump_print(d, items, "\t\t[Option BUFFER, %zu bytes]\n", data.len);
	dump_print(d, items, "%lld [offset]\n", (long long)offset);
	dump_print(d, items, "\"%s\" [name]\n", name);
	if (d->tf->version == 6)
		return;
	clock = byte_reader_take_string(&r);
	dump_print(d, items, "\"%s\" [clock]\n", clock);
	if (id == SNF_OPTION_BUFFER)
		print_cpus(d, &r, name, clock);
	else
		dump_print(d, DUMP_SUMMARY, "\t[buffer \"%s\", \"%s\" clock, latency data]\n", name,
			   clock);
	if (r.failed)
		tracefile_add_damage(d->tf,
				     "the directory entry of buffer '%.64s' in %s is damaged", name,
				     d->tf->path);
}

/* --- guests ----------------------------------------------------------------------------------- */

/*
 * The columns of one CPU's samples, with n numbers each. The fourth column comes after the other
 * columns of all CPUs.
 */
struct shift_cpu {
	struct piece times, offsets, scalings, fractions;
	uint32_t n;
};

static uint32_t read_shift_cpus(struct byte_reader *r, struct shift_cpu *cpus, uint32_t n_cpus)
{
	uint32_t n = 0;

	for (; n < n_cpus; n++) {
		struct shift_cpu *c = &cpus[n];

		*c = (struct shift_cpu){.n = byte_reader_take_number(r, 4)};
		c->times = byte_reader_take_piece(r, (uint64_t)c->n * 8);
		c->offsets = byte_reader_take_piece(r, (uint64_t)c->n * 8);
		c->scalings = byte_reader_take_piece(r, (uint64_t)c->n * 8);
		if (r->failed)
			return n;
	}
	for (uint32_t i = 0; i < n_cpus && byte_reader_left(r); i++)
		cpus[i].fractions = byte_reader_take_piece(r, (uint64_t)cpus[i].n * 8);
	return n;
}

static long long column(const struct dump *d, struct piece p, uint32_t i)
{
	return p.len ? (long long)bytes_get64(p.data + i * (size_t)8, d->tf->swap) : 0;
}

static void print_time_shift(struct dump *d, const struct option_kind *kind, uint16_t id,
			     struct piece data)
{
	struct byte_reader r = reader(d, data);
	uint64_t peer = byte_reader_take_number(&r, 8);
	uint32_t flags = byte_reader_take_number(&r, 4), n_cpus = byte_reader_take_number(&r, 4),
		 n = 0;
	/* each CPU has at least a number of samples */
	struct shift_cpu *cpus =
		n_cpus <= byte_reader_left(&r) / 4 ? calloc(n_cpus + 1, sizeof(*cpus)) : NULL;

	dump_print(d, DUMP_OPTIONS, "\t\t[Option TimeShift, %zu bytes]\n", data.len);
	dump_print(d, DUMP_OPTIONS, "0x%llX [peer's trace id]\n", (unsigned long long)peer);
	dump_print(d, DUMP_OPTIONS, "0x%X [peer's protocol flags]\n", flags);
	dump_print(d, DUMP_OPTIONS, "0x%X [peer's CPU count]\n", n_cpus);
	if (cpus)
		n = read_shift_cpus(&r, cpus, n_cpus);
	for (uint32_t c = 0; c < n; c++)
		dump_print(d, DUMP_OPTIONS, "%u [samples count for CPU %u]\n", cpus[c].n, c);
	for (uint32_t c = 0; c < n; c++)
		for (uint32_t i = 0; i < cpus[c].n; i++)
			dump_print(d, DUMP_OPTIONS,
				   "\t%lld %lld %llu %llu[offset * scaling >> fraction @ time]\n",
				   column(d, cpus[c].offsets, i), column(d, cpus[c].scalings, i),
				   (unsigned long long)column(d, cpus[c].fractions, i),
				   (unsigned long long)column(d, cpus[c].times, i));
	if (r.failed || n < n_cpus)
		dump_print(d, DUMP_OPTIONS, "Broken time shift option\n");
	free(cpus);
}

static void print_guest(struct dump *d, const struct option_kind *kind, uint16_t id,
			struct piece data)
{
	struct byte_reader r = reader(d, data);
	const char *name = byte_reader_take_string(&r);
	uint64_t trace_id = byte_reader_take_number(&r, 8);
	int n_cpus = byte_reader_take_number(&r, 4);

	dump_print(d, DUMP_OPTIONS, "\t\t[Option GUEST, %zu bytes]\n", data.len);
	dump_print(d, DUMP_OPTIONS, "%s [Guest name]\n", name);
	dump_print(d, DUMP_OPTIONS, "0x%llX [trace id]\n", (unsigned long long)trace_id);
	dump_print(d, DUMP_OPTIONS, "%d [Guest CPUs]\n", n_cpus);
	for (int i = 0; i < n_cpus && byte_reader_left(&r) >= 8; i++) {
		int cpu = byte_reader_take_number(&r, 4), pid = byte_reader_take_number(&r, 4);

		dump_print(d, DUMP_OPTIONS, "  %d %d [guest cpu, host pid]\n", cpu, pid);
	}
}

static void print_tsc(struct dump *d, const struct option_kind *kind, uint16_t id,
		      struct piece data)
{
	struct byte_reader r = reader(d, data);
	int mult = byte_reader_take_number(&r, 4), shift = byte_reader_take_number(&r, 4);

	dump_print(d, DUMP_OPTIONS, "\n\t\t[Option TSC2NSEC, %zu bytes]\n", data.len);
	dump_print(d, DUMP_OPTIONS, "%d %d %llu [multiplier, shift, offset]\n", mult, shift,
		   (unsigned long long)byte_reader_take_number(&r, 8));
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct option_kind kinds[SNF_OPTION_MAX] = {
	[SNF_OPTION_DATE] = {"DATE", print_string},
	[SNF_OPTION_CPUSTAT] = {"CPUSTAT", print_string},
	[SNF_OPTION_BUFFER] = {"BUFFER", print_buffer},
	[SNF_OPTION_TRACECLOCK] = {"TRACECLOCK", print_string, DUMP_CLOCK},
	[SNF_OPTION_UNAME] = {"UNAME", print_string},
	[SNF_OPTION_HOOK] = {"HOOK", print_string},
	[SNF_OPTION_OFFSET] = {"OFFSET", print_string},
	[SNF_OPTION_CPUCOUNT] = {"CPUCOUNT", print_int},
	[SNF_OPTION_VERSION] = {"VERSION", print_string},
	[SNF_OPTION_PROCMAPS] = {"PROCMAPS", print_string},
	[SNF_OPTION_TRACEID] = {"TRACEID", print_hex},
	[SNF_OPTION_TIME_SHIFT] = {"TimeShift", print_time_shift},
	[SNF_OPTION_GUEST] = {"GUEST", print_guest},
	[SNF_OPTION_TSC2NSEC] = {"TSC2NSEC", print_tsc},
	[SNF_OPTION_HEADER_INFO] = {"HEADERS", print_pointer},
	[SNF_OPTION_FTRACE_EVENTS] = {"FTRACE EVENTS", print_pointer},
	[SNF_OPTION_EVENT_FORMATS] = {"EVENT FORMATS", print_pointer},
	[SNF_OPTION_KALLSYMS] = {"KALLSYMS", print_pointer},
	[SNF_OPTION_PRINTK] = {"PRINTK", print_pointer},
	[SNF_OPTION_CMDLINES] = {"CMDLINES", print_pointer},
	[SNF_OPTION_BUFFER_TEXT] = {"BUFFER", print_buffer},
	[SNF_OPTION_BTF] = {"BTF", print_pointer},
	[SNF_OPTION_LAST_BOOT_INFO] = {"LAST_BOOT_INFO", print_string},
	[SNF_OPTION_MODULES] = {"MODULES", print_pointer},
};

void dump_option(struct dump *d, uint16_t id, struct piece data)
{
	static const struct option_kind programs = {"PROGRAMS", print_string};
	static const struct option_kind processes = {"PROCESSES", print_packed};
	static const struct option_kind stopped = {"STOPPED", print_string};
	const struct option_kind *kind = id < SNF_OPTION_MAX	      ? &kinds[id]
					 : id == SNF_OPTION_PROGRAMS  ? &programs
					 : id == SNF_OPTION_PROCESSES ? &processes
					 : id == SNF_OPTION_STOPPED   ? &stopped
								      : NULL;

	if (kind && kind->print)
		kind->print(d, kind, id, data);
	else
		dump_print(d, DUMP_OPTIONS, " %u %zu\t[Unknown option, size - skipping]\n", id,
			   data.len);
}
