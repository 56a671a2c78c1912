/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - definitions resolved: the lines that the kernel takes, and what is needed to read the result.
 *
 *	definition ──▶ probe_resolve ──▶ struct probe: kind, place, fetch arguments, how to print them
 *	                    │
 *	                    └── BTF, DWARF, symbols, notes of the author: the best that is there
 *
 * capture/tracefs/probes.h writes the lines and removes them. Resolving changes nothing on the machine.
 */
#ifndef SONDE_PROBE_PROBE_H
#define SONDE_PROBE_PROBE_H

#include "probe/definition/definition.h"
#include "symbols/types.h"

struct arch;
struct errmsg;
struct prober;
struct textbuf;

enum probe_kind {
	PROBE_KPROBE,
	PROBE_KRETPROBE,
	PROBE_FPROBE, /* entry by the function tracer's hook: no breakpoint */
	PROBE_FPROBE_EXIT,
	PROBE_UPROBE,
	PROBE_URETPROBE,
	PROBE_EPROBE, /* on an event that exists */
	PROBE_TPROBE, /* on a raw tracepoint */
	PROBE_RAW,
};

/* What this kernel's probes can do; capture/probefeatures.h finds it out. */
struct probe_kernel {
	const struct arch *arch;
	bool kprobes, uprobes, fprobes, eprobes, tprobes;
	bool dynamic_events; /* one file for all kinds */
	bool arg_n;	     /* $argN at entry */
	bool return_args;    /* arguments in return probes (6.9) */
	bool user_strings;   /* ustring, +u0() */
	bool symbol_type, symstr_type, char_type, arrays, bitfields, immediates, comm;
	bool many_places;     /* several places in one event */
	bool refcounts;	      /* semaphores of marks */
	bool hist, synthetic; /* for durations and aggregation in the kernel */
	unsigned max_args;    /* 128 */
	bool prefers_kprobes; /* to fprobes: they cost the same here, or hits have to be known */
	/*
	 * No matter of the kernel but of who asks: without a type written, a pointer to text stays a pointer
	 * and what has no sign is recorded in hex, as perf probe does it.
	 */
	bool plain_types;
};

/* A kernel of these days, for definitions that are only tried; arch is NULL. */
extern const struct probe_kernel probe_kernel_usual;

/* How a field is shown, where the kernel's own print format says less. */
enum probe_show {
	PROBE_SHOW_AS_IS,
	PROBE_SHOW_ENUM,     /* by the names of its enumerators */
	PROBE_SHOW_FLAGS,    /* an enum whose values are single bits */
	PROBE_SHOW_FUNCTION, /* an address as a symbol, where the kernel has no type for it */
	PROBE_SHOW_BOOL,
	PROBE_SHOW_SIGNED,     /* bits of a signed number, which the kernel takes for unsigned */
	PROBE_SHOW_FLOAT,      /* bits of a floating point number */
	PROBE_SHOW_BIG_ENDIAN, /* as it is in memory: __be16, __be32, __be64 */
	PROBE_SHOW_HEX,	       /* where the kernel's format has it in decimal: a joined return */
	PROBE_SHOW_WORD,       /* of a mark, a pointer or a number: nobody says which */
};

/* What is recorded of a variable where it does not live, as perf probe has it. */
#define PROBE_GONE 0xdeade12du

struct probe_arg {
	char *name;	  /* of the field; "": the kernel calls it arg1, arg2 … by its place */
	char *fetch;	  /* "+40(+72(%di)):string" */
	struct type type; /* world NULL: not known */
	enum probe_show show;
	bool has_gaps; /* PROBE_GONE is recorded where it does not live, and is none of its values */
	struct span span; /* in the definition: which one to point at */
	bool is_guard;	  /* put in by probe_guard_texts(); nobody sees it */
};

/* One instruction where the event is raised. */
struct probe_place {
	char *text; /* "vfs_read+16", "kvm:irqfd_inject", "/bin/bash:0x1234(0x5678)", "sched/sched_switch" */
	char **fetches; /* one for each argument, if they differ from place to place; else NULL */
	char *about;	/* "inlined into vfs_readv at fs/read_write.c:345"; NULL */
	/* Behind a prologue: the stack as the caller left it, "bp" + 16; NULL: not known, or not moved. */
	const char *frame_reg;
	int64_t frame_offset;
};

struct probe {
	struct prober *prober; /* that made it: conditions ask it for the kernel's functions */
	const struct definition *definition;
	enum probe_kind kind;
	char *group, *event;
	struct probe_place *places;
	size_t n_places;
	struct probe_arg *args;
	size_t n_args;
	unsigned max_active;
	uint64_t entry; /* of the function, if a place was moved behind its prologue; else 0 */
	char *filter;
	bool wants_duration; /* $duration is among the arguments: it needs an entry probe and a trigger */
	char **notes; /* sentences for the person: "count is optimised away at 2 of 5 places" */
	size_t n_notes;
	bool is_limited; /* it means more places than are allowed; a note says how many */
};

/* Where things are looked for. NULL or 0: as this machine has it. */
struct probe_world {
	const struct probe_kernel *kernel;
	const char *program;	/* -x: the target of definitions that name none */
	const char *command;	/* what is run while it is recorded: unknown sources are its */
	const char *module;	/* -m */
	const char *vmlinux;	/* -k: DWARF of the kernel */
	const char *source_dir; /* -s */
	const char *debug_dir;	/* of separate debug information; NULL: /usr/lib/debug */
	const char *btf_dir, *kallsyms, *tracefs_events, *blacklist, *modules_dir; /* for tests */
	bool is_only_asked; /* nothing will be defined: programs of other processors can be asked about */
	bool only_kernel; /* for somebody else: no file of this machine is opened by a name that he gave */
	bool no_inlines;
	bool only_calls; /* the same, for entries that are paired with returns, which say it */
	/*
	 * Functions that BTF has are looked for among the kernel's symbols as well (60 ms): one that the compiler
	 * renamed is found, one without code is refused. Else the kernel refuses both.
	 */
	bool check_symbols;
	unsigned max_places; /* 128 */
	const char *group;   /* of definitions that name none; NULL: "probe", "probe_PROGRAM" */
};

/* Keeps what was opened (BTF, DWARF, symbols) for the next definition. */
struct prober;

int prober_new(struct prober **ret_prober, const struct probe_world *world, struct errmsg *err);
void prober_free(struct prober *p);

/* The definition must stay. The sentence in err points at the spot in its text. */
int probe_resolve(struct prober *p, const struct definition *d, struct probe **ret_probe,
		  struct errmsg *err);
void probe_free(struct probe *p);

/* The line for one place: "p:probe/vfs_read vfs_read count=%dx:u64". event NULL: as resolved. */
void probe_fmt_line(const struct probe *p, size_t place, const char *group, const char *event,
		    struct textbuf *tb);

/* Whether at the return something is read through a pointer that was passed, and may be gone or changed. */
bool probe_reads_late(const struct probe *p);

/* Makes an fprobe the kprobe that does the same, with a breakpoint; false: it is none. */
bool probe_use_breakpoint(struct probe *p);

/*
 * Puts an argument behind each text that the filter tests, so that one which cannot be read is not taken for another. Before the
 * probe is defined, and once. false: that cannot be done here.
 */
bool probe_guard_texts(struct probe *p, const char *filter, const struct probe_kernel *k);

/*
 * The kernel's format text of the probe's event, its print format changed so that enums, flags and
 * functions are shown by name, and without guards; what is not changed is copied.
 */
void probe_fmt_format(const struct probe *p, const char *format, size_t len, struct textbuf *tb);

/* Whether it is a part of a word with a sign of its own, also one that is shown by name: the kernel takes it for unsigned. */
bool probe_arg_is_signed_bits(const struct probe_arg *a);

/* Whether an event's print format shows the field as the symbol that it points at (%pS, %ps). */
bool probe_format_shows_code(const char *format, const char *field);

/* A sentence about what of it the kernel shows otherwise, if the probe is left in the kernel; or nothing. */
void probe_fmt_lost(const struct probe *p, struct textbuf *tb);

/*
 * The definition's condition over the fields of p, as the kernel's filters take it, with numbers for the names of
 * values. duration: what $duration is called there; NULL: it is not recorded. What is wrong is pointed at.
 */
int probe_fmt_condition(const struct probe *p, const struct definition *d, const char *duration,
			struct textbuf *tb, struct errmsg *err);
/* The same of a filter that stands elsewhere (-f). */
int probe_fmt_filter(const struct probe *p, const struct definition *d, const char *duration,
		     const char *filter, struct textbuf *tb, struct errmsg *err);

/*
 * Where in the definition the kernel's complaint about byte `at` of the line is: the argument or the place
 * that stood there.
 */
struct span probe_span_of(const struct probe *p, size_t place, const char *line, size_t at);

#endif
