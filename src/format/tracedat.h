/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tracedat.h - the numbers of the trace.dat format, versions 6 and 7.
 *
 *	head      17 08 44 "tracing" version\0 endian:1 long_size:1 page_size:4
 *	          version 7 continues: compression\0 its-version\0 first-options-offset:8
 *
 *	version 6: header_page, header_event, ftrace formats, event formats, kallsyms, printk
 *	formats,
 *	          command lines, cpu count, then tags: "options  \0", "latency  \0" or "flyrecord\0"
 *	version 7: sections to the end of the file, each with a 16-byte header
 *	          id:2 flags:2 description:4 size:8; section ids are the option ids below
 *
 * All integers after the endian byte have the file's byte order; strings end with NUL; offsets
 * count from the start of the file. This header does no I/O and needs none.
 */
#ifndef SONDE_FORMAT_TRACEDAT_H
#define SONDE_FORMAT_TRACEDAT_H

#define SNF_MAGIC	"\x17\x08\x44tracing"
#define SNF_MAGIC_BYTES 10

/* Options; for version 7 also the ids of sections. */
enum snf_option {
	SNF_OPTION_DONE = 0, /* 7: u64 offset of the next options section */
	SNF_OPTION_DATE = 1,
	SNF_OPTION_CPUSTAT = 2,
	SNF_OPTION_BUFFER = 3,
	SNF_OPTION_TRACECLOCK = 4,
	SNF_OPTION_UNAME = 5,
	SNF_OPTION_HOOK = 6,
	SNF_OPTION_OFFSET = 7,
	SNF_OPTION_CPUCOUNT = 8,
	SNF_OPTION_VERSION = 9,
	SNF_OPTION_PROCMAPS = 10,
	SNF_OPTION_TRACEID = 11,
	SNF_OPTION_TIME_SHIFT = 12,
	SNF_OPTION_GUEST = 13,
	SNF_OPTION_TSC2NSEC = 14,
	SNF_OPTION_STRINGS = 15,
	SNF_OPTION_HEADER_INFO = 16,
	SNF_OPTION_FTRACE_EVENTS = 17,
	SNF_OPTION_EVENT_FORMATS = 18,
	SNF_OPTION_KALLSYMS = 19,
	SNF_OPTION_PRINTK = 20,
	SNF_OPTION_CMDLINES = 21,
	SNF_OPTION_BUFFER_TEXT = 22,
	SNF_OPTION_BTF = 23,
	SNF_OPTION_LAST_BOOT_INFO = 24,
	SNF_OPTION_MODULES = 25,
	SNF_OPTION_MAX,
	/* ours: functions of programs to which recorded pointers point, symbols/programs.h */
	SNF_OPTION_PROGRAMS = 0x5340,
	/* ours: processes, their threads and command lines, symbols/processes.h */
	SNF_OPTION_PROCESSES = 0x5341,
	/* ours: functions of programs that were recorded, capture/calls/plans/text.c */
	SNF_OPTION_USER_FUNCTIONS = 0x5342,
	/* ours: why the recording ended before what it recorded, a text */
	SNF_OPTION_STOPPED = 0x5343,
	/* ours: events that were sampled, files of their code: store/events/sampleevents.h */
	SNF_OPTION_SAMPLES = 0x5344,
	/* ours: how system calls were recorded: store/events/syscallevents.h */
	SNF_OPTION_SYSCALLS = 0x5345,
};

#define SNF_SECTION_OPTIONS	 0
#define SNF_SECTION_HEADER_BYTES 16
#define SNF_SECTION_COMPRESSED	 1 /* a flag of a section */

/* The 10-byte tags of version 6. */
#define SNF_TAG_BYTES		 10
#define SNF_TAG_OPTIONS		 "options  "
#define SNF_TAG_LATENCY		 "latency  "
#define SNF_TAG_FLY		 "flyrecord"

#define SNF_CHUNK_PAGES		 10 /* sub-buffers per compressed chunk, as trace-cmd writes them */

/*
 * The header of a sub-buffer has a u64 time and the commit word (4 or 8 bytes). Only the low 32
 * bits of the commit word count.
 */
#define SNF_COMMIT_MASK		 ((1u << 27) - 1)
#define SNF_COMMIT_MISSED	 (1u << 31)
#define SNF_COMMIT_MISSED_STORED (1u << 30)

/* The header of an event is a u32: type_len in 5 bits, time_delta in 27. */
enum snf_type_len {
	SNF_TYPE_LONG = 0,
	SNF_TYPE_DATA_MAX = 28,
	SNF_TYPE_PADDING = 29,
	SNF_TYPE_TIME_EXTEND = 30,
	SNF_TYPE_TIME_STAMP = 31,
};
#define SNF_DELTA_BITS		27

/* common_flags */
#define SNF_FLAG_IRQS_OFF	0x01
#define SNF_FLAG_IRQS_NOSUPPORT 0x02
#define SNF_FLAG_NEED_RESCHED	0x04
#define SNF_FLAG_HARDIRQ	0x08
#define SNF_FLAG_SOFTIRQ	0x10

#endif
