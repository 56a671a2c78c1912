/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - resolved definitions: the lines for the kernel, and the data to interpret the results.
 *
 *  definition ──▶ probe_resolve ──▶ struct probe: kind, place, fetch arguments, how to print them
 *                      │
 *                      └── BTF, DWARF, symbols, USDT notes: the best available
 *
 * capture/tracefs/probes.h writes the lines and removes them. Resolving changes nothing on the
 * machine.
 */
#ifndef SONDE_PROBE_PROBE_H
#define SONDE_PROBE_PROBE_H

#include "base/scope.h"
#include "probe/definition/definition.h"
#include "symbols/types.h"

struct arch;
struct errmsg;
struct prober;
struct textbuf;

enum probe_kind {
	PROBE_KPROBE,
	PROBE_KRETPROBE,
	PROBE_FPROBE, /* entry through the function tracer's hook: no breakpoint */
	PROBE_FPROBE_EXIT,
	PROBE_UPROBE,
	PROBE_URETPROBE,
	PROBE_EPROBE, /* on an existing event */
	PROBE_TPROBE, /* on a raw tracepoint */
	PROBE_RAW,
};

/* The features of this kernel's probes; capture/tracefs/probefeatures.c finds them. */
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
	/* kprobes are preferred to fprobes: they cost the same here, or hits must be counted */
	bool prefers_kprobes;
	/*
	 * A request, not a feature of the kernel: without an explicit type, a pointer to text stays
	 * a pointer, and unsigned values are recorded in hex, as in perf probe.
	 */
	bool plain_types;
};

/* A current kernel, for definitions that are only checked. arch is NULL. */
extern const struct probe_kernel probe_kernel_usual;

/* How to show a field, if the kernel's print format is not sufficient. */
enum probe_show {
	PROBE_SHOW_AS_IS,
	PROBE_SHOW_ENUM,     /* by the names of its enumerators */
	PROBE_SHOW_FLAGS,    /* an enum whose values are single bits */
	PROBE_SHOW_FUNCTION, /* an address as a symbol, if the kernel has no type for it */
	PROBE_SHOW_BOOL,
	PROBE_SHOW_SIGNED,     /* bits of a signed number, which the kernel treats as unsigned */
	PROBE_SHOW_FLOAT,      /* bits of a floating point number */
	PROBE_SHOW_BIG_ENDIAN, /* in memory order: __be16, __be32, __be64 */
	PROBE_SHOW_HEX,	       /* the kernel's format has decimal: a joined return */
	PROBE_SHOW_WORD,       /* at a mark: a pointer or a number, unknown which */
};

/* The value that is recorded for a variable where it does not exist, as in perf probe. */
#define PROBE_GONE 0xdeade12du

struct probe_arg {
	char *name;  /* name of the field; "": the kernel names it arg1, arg2 … by position */
	char *fetch; /* "+40(+72(%di)):string" */
	struct type type; /* world NULL: unknown */
	enum probe_show show;
	/* PROBE_GONE is recorded where the variable does not exist, and is not one of its values */
	bool has_gaps;
	struct span span; /* in the definition, for error messages */
	bool is_guard;	  /* added by probe_guard_texts(); hidden from users */
};

/* One instruction where the event is raised. */
struct probe_place {
	/* "vfs_read+16", "kvm:irqfd_inject", "/bin/bash:0x1234(0x5678)", "sched/sched_switch" */
	char *text;
	char **fetches; /* one for each argument, if they differ between places; else NULL */
	char *about;	/* "inlined into vfs_readv at fs/read_write.c:345"; NULL */
	/*
	 * For a place after a prologue: the stack pointer before the call, such as "bp" + 16; NULL:
	 * unknown, or the place was not moved.
	 */
	const char *frame_reg;
	int64_t frame_offset;
};

struct probe {
	/* the prober that made the probe; conditions use it to find the kernel's functions */
	struct prober *prober;
	const struct definition *definition;
	enum probe_kind kind;
	char *group, *event;
	struct probe_place *places;
	size_t n_places;
	struct probe_arg *args;
	size_t n_args;
	unsigned max_active;
	uint64_t entry; /* entry of the function, if a place was moved after its prologue; else 0 */
	char *filter;
	bool wants_duration; /* $duration is an argument: it needs an entry probe and a trigger */
	char **notes;	     /* messages for the user: "count is optimised away at 2 of 5 places" */
	size_t n_notes;
	bool is_limited; /* there are more places than allowed; a note gives their number */
};

/* The files to search. NULL or 0: those of this machine. */
struct probe_world {
	const struct probe_kernel *kernel;
	const char *program;	/* -x: the target of definitions without one */
	const char *command;	/* the command to record, to which unknown sources belong */
	const char *module;	/* -m */
	const char *vmlinux;	/* -k: DWARF of the kernel */
	const char *source_dir; /* -s */
	const char *debug_dir;	/* directory of separate debug information; NULL: /usr/lib/debug */
	const char *btf_dir, *kallsyms, *tracefs_events, *blacklist, *modules_dir; /* for tests */
	/* no probe will be defined: programs for other processors are allowed */
	bool is_only_asked;
	/* the definition comes from another user: open no file of this machine by a name in it */
	bool only_kernel;
	bool no_inlines;
	bool only_calls; /* like no_inlines, for entries that are paired with returns */
	/*
	 * Searches functions in BTF also among the kernel's symbols (60 ms): a function that the
	 * compiler renamed is found, and one without code is refused. If false, the kernel refuses
	 * both.
	 */
	bool check_symbols;
	unsigned max_places; /* 128 */
	const char *group;   /* group of definitions without one; NULL: "probe", "probe_PROGRAM" */
};

/* Keeps the opened BTF, DWARF and symbols for the next definition. */
struct prober;

int prober_new(struct prober **ret_prober, const struct probe_world *world, struct errmsg *err);
void prober_free(struct prober *p);

/*
 * Resolves a definition, which must stay valid. On failure err points to the position in its text.
 */
int probe_resolve(struct prober *p, const struct definition *d, struct probe **ret_probe,
		  struct errmsg *err);
void probe_free(struct probe *p);
SCOPED_POINTER(struct probe, probe_free)

/*
 * Writes the line for one place: "p:probe/vfs_read vfs_read count=%dx:u64". event NULL: the
 * resolved one.
 */
void probe_fmt_line(const struct probe *p, size_t place, const char *group, const char *event,
		    struct textbuf *tb);

/*
 * Returns true if the return reads through a pointer argument, whose target may have been freed or
 * changed.
 */
bool probe_reads_late(const struct probe *p);

/*
 * Changes an fprobe into the equivalent kprobe, with a breakpoint. Returns false if it is not an
 * fprobe.
 */
bool probe_use_breakpoint(struct probe *p);

/*
 * Adds an argument after each text that the filter tests, so that an unreadable text is not
 * confused with another one. Call it once, before the probe is defined. Returns false if it is not
 * possible here.
 */
bool probe_guard_texts(struct probe *p, const char *filter, const struct probe_kernel *k);

/*
 * Copies the kernel's format text of the probe's event, with a print format that shows enums, flags
 * and functions by name, and without guards.
 */
void probe_fmt_format(const struct probe *p, const char *format, size_t len, struct textbuf *tb);

/* Returns NULL if the probe has no such argument. */
const struct probe_arg *probe_find_arg(const struct probe *p, const char *name, size_t len);

/* Returns the type of the kernel, "u32" or "string"; "" if the argument has none. */
const char *probe_fetch_type(const struct probe_arg *a);

/*
 * Returns true for a part of a word with its own sign, including one that is shown by name: the
 * kernel treats it as unsigned.
 */
bool probe_arg_is_signed_bits(const struct probe_arg *a);

/* Returns true if an event's print format shows the field as a symbol (%pS, %ps). */
bool probe_format_shows_code(const char *format, const char *field);

/*
 * Adds a sentence about what the kernel shows differently if the probe stays in the kernel, if
 * anything.
 */
void probe_fmt_lost(const struct probe *p, struct textbuf *tb);

/*
 * Translates the definition's condition on the fields of p for the kernel's filters, with numbers
 * for the names of values. duration is the name of $duration there; NULL: it is not recorded. An
 * error points to its position.
 */
int probe_fmt_condition(const struct probe *p, const struct definition *d, const char *duration,
			struct textbuf *tb, struct errmsg *err);
/* Like probe_fmt_condition(), for a filter given elsewhere (-f). */
int probe_fmt_filter(const struct probe *p, const struct definition *d, const char *duration,
		     const char *filter, struct textbuf *tb, struct errmsg *err);

/*
 * Returns the part of the definition, the argument or the place, to which the kernel's error at
 * byte `at` of the line refers.
 */
struct span probe_span_of(const struct probe *p, size_t place, const char *line, size_t at);

#endif
