// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probes.c - defines probes in the kernel, and explains refusals.
 *
 *	dynamic_events                          kprobe_events, uprobe_events on kernels before 5.0
 *	    p:probe/vfs_read vfs_read count=%dx:u64      one line for each place
 *	    p:probe/vfs_read vfs_read+64 count=%dx:u64   the same event, another place (5.4)
 *	    -:probe/vfs_read                             written: removes the event, all places
 *
 * An event with several places is defined completely or not at all. When the kernel refuses a line,
 * the last entry of error_log has its reason, with a caret under the line that we wrote:
 *
 *	[  12.34] trace_kprobe: error: Invalid register name
 *	  Command: p:probe/x vfs_read a=%zz
 *	                                ^
 *
 * The user never saw that line, so the caret is moved to the corresponding part of the definition.
 * For some reasons kernel/functions/functions.h explains more than the kernel does.
 */
#include "capture/tracefs/probes.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "capture/kernel/functions/functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LOG_MAX_BYTES  65536
#define LINE_MAX_BYTES 65536
/*
 * The number of concurrent calls that a return probe can follow: the kernel's maximum, and the
 * minimum for each of many functions.
 */
#define CALLS_MAX      4096
#define CALLS_MIN      64

static bool is_user(const struct probe *p)
{
	return p->kind == PROBE_UPROBE || p->kind == PROBE_URETPROBE ||
	       (p->kind == PROBE_RAW && strchr("pr", p->definition->letter) &&
		strchr(p->definition->function, '/'));
}

static bool is_in_kernel_text(const struct probe *p)
{
	return p->kind <= PROBE_FPROBE_EXIT ||
	       (p->kind == PROBE_RAW && strchr("prf", p->definition->letter) && !is_user(p));
}

static const char *file_for(const struct tracefs *t, const struct probe *p)
{
	if (tracefs_exists(t, "", "dynamic_events"))
		return "dynamic_events";
	return is_user(p) ? "uprobe_events" : "kprobe_events";
}

/*
 * --- why not -----------------------------------------------------------------------------------
 */

struct reason {
	char words[160];
	size_t at; /* offset in the line, in bytes */
	bool has_at;
};

/* Finds the last entry of error_log. Returns false if the entry is not about this line. */
static bool find_reason(const struct tracefs *t, const char *line, struct reason *ret)
{
	static const char command[] = "\n  Command: ";
	const char *last = NULL, *words, *caret;
	SCOPED(textbuf_release) struct textbuf log = {.max_bytes = LOG_MAX_BYTES};
	bool found = false;

	if (tracefs_read(t, "", "error_log", &log) < 0)
		textbuf_clear(&log);
	textbuf_add(&log, "", 1);
	for (const char *p = log.start; !log.overflow && (p = strstr(p, ": error: ")); p++)
		last = p;
	words = last ? last + strlen(": error: ") : NULL;
	last = last ? strstr(last, command) : NULL;
	if (last && !strncmp(last + strlen(command), line, strlen(line))) {
		snprintf(ret->words, sizeof(ret->words), "%.*s", (int)strcspn(words, "\n"), words);
		last = strchr(last + 1, '\n');
		caret = last ? strchr(last, '^') : NULL;
		ret->has_at = caret && caret - last > (long)strlen(command) - 1;
		ret->at = ret->has_at ? caret - last - strlen(command) : 0;
		found = true;
	}
	return found;
}

/* The advice for each error message of the kernel. */
static const struct {
	const char *words, *remedy;
} remedies[] = {
	{"Failed to find the given file", "give the full path of the program"},
	{"Not a regular file", "name the program's file"},
	{"Invalid uprobe offset", "the program was changed meanwhile; try again"},
	{"Maxactive is too big", "use a smaller number"},
	{"Invalid probed address or symbol", "'sonde probe funcs' lists what can be probed"},
	{"Retprobe address must be an function entry", "omit the offset or the %return"},
	{"Given group/event name is already used", "give it another name: NAME=…"},
	{"Invalid register name", "'sonde probe vars' shows where variables are"},
	{"Symbol is not available with uprobe", "@SYMBOL is for the kernel"},
	{"File offset is not available with kprobe", "@+OFFSET is for programs"},
	{"Dereference is too much nested", "record a pointer on the way instead"},
	{"Invalid $-variable",
	 "there are $argN (of the kernel's functions), $retval, $comm, $stack, $stackN"},
	{"String accepts only memory argument", "a string needs a pointer or an array"},
	{"This argument name is already used", "give one of them another name: NAME=…"},
	{"Probe point is not an instruction boundary",
	 "'sonde probe lines' shows lines that can be probed if there is DWARF; a disassembler "
	 "(gdb, objdump -d) shows where instructions begin"},
	{"Probe type is different", "remove the old one first: 'sonde probe del'"},
	{"Probe argument type or name is different",
	 "remove the old one first ('sonde probe del'), or give this one another name: NAME=…"},
	{"There is already the exact same probe", "use the existing one"},
	{"Attached event does not exist", "'sonde list -e' lists the events"},
	{"Attached event does not have this field", "'sonde list -e EVENT -F' lists its fields"},
};

/* The types that every kernel knows after ':'; bitfields are "b3@2/32". */
static const char *const types[] = {"u8",   "u16",    "u32",	 "u64",	   "s8",    "s16",
				    "s32",  "s64",    "x8",	 "x16",	   "x32",   "x64",
				    "char", "string", "ustring", "symbol", "symstr"};

/* Returns the advice about a type. at: the text that the kernel points at. */
static const char *remedy_for_type(const struct probe *p, const char *at, char *buf, size_t n_bytes)
{
	size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
	struct spelling sp;

	if (is_user(p) && (!strncmp(at, "symbol", 6) || !strncmp(at, "symstr", 6)))
		return "the kernel knows only its own symbols, not those of a program; omit "
		       "the type";
	spelling_init(&sp, at, len);
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (len == strlen(types[i]) && !strncmp(at, types[i], len))
			return "this kernel is too old for this type";
		spelling_add(&sp, types[i]);
	}
	if (!sp.nearest)
		return "types are u8 to u64, s8 to s64, x8 to x64, char, string, ustring, symbol "
		       "and b3@2/32";
	snprintf(buf, n_bytes, "did you mean %s?", sp.nearest);
	return buf;
}

static const char *remedy_for(const char *words)
{
	for (size_t i = 0; i < ARRAY_LEN(remedies); i++)
		if (!strncmp(words, remedies[i].words, strlen(remedies[i].words)))
			return remedies[i].remedy;
	return "";
}

/*
 * Copies the name of the function in "kvm:irqfd_inject+36". Returns false if the place is an
 * address.
 */
static bool function_of(const char *place, char *buf, size_t n_bytes)
{
	const char *colon = strchr(place, ':');
	const char *name = colon ? colon + 1 : place;
	size_t len = strcspn(name, "+%");

	if (!strncmp(name, "0x", 2) || !len || len >= n_bytes)
		return false;
	snprintf(buf, n_bytes, "%.*s", (int)len, name);
	return true;
}

/*
 * Explains a refusal that concerns the function: the kernel lists it as a function that must not be
 * probed.
 */
static bool explain_function(const struct tracefs *t, const struct probe *p, size_t place, int code,
			     struct errmsg *err)
{
	const struct definition *d = p->definition;
	const char *text = p->kind == PROBE_RAW ? d->function : p->places[place].text;
	struct errmsg why = {0};
	char name[256];

	if (!is_in_kernel_text(p) || !function_of(text, name, sizeof(name)) ||
	    kfunctions_explain_probe(t, name, &why) >= 0)
		return false;
	definition_refuse(d->text, d->function_span, err, code, "%s", why.text);
	return true;
}

static int refuse_line(const struct tracefs *t, const struct probe *p, size_t place,
		       const char *line, int code, struct errmsg *err)
{
	const struct definition *d = p->definition;
	struct reason why = {0};
	struct span span = d->form == DEFINITION_RAW ? d->rest_span : d->function_span;
	bool has_words = find_reason(t, line, &why);
	const char *remedy = remedy_for(why.words);
	char buf[64];

	if (why.has_at && why.at < strlen(line) && !strncmp(why.words, "Unknown type", 12))
		remedy = remedy_for_type(p, line + why.at, buf, sizeof(buf));
	if (has_words && why.has_at)
		span = probe_span_of(p, place, line, why.at);
	if ((!has_words || !strncmp(why.words, "Failed to register", 18) ||
	     !strncmp(why.words, "Invalid probed address", 22)) &&
	    explain_function(t, p, place, code, err))
		return code;
	if (has_words)
		return definition_refuse(d->text, span, err, code, "the kernel refuses it: %s%s%s",
					 why.words, *remedy ? "; " : "", remedy);
	if (code == -EPERM || code == -EACCES)
		return definition_refuse(
			d->text, span, err, code, "the kernel does not let %s define probes%s",
			geteuid() ? "this user" : "anybody",
			geteuid() ? "; run sonde as root"
				  : "; a security module or a container forbids it ('sonde doctor "
				    "kprobes' says more)");
	if (code == -ENOENT || code == -ENODEV)
		return definition_refuse(d->text, span, err, code,
					 "this kernel has no %s; 'sonde doctor' says which option "
					 "it was built without",
					 is_user(p) ? "probes in programs (uprobes)"
						    : "probes of this kind");
	return definition_refuse(d->text, span, err, code,
				 "the kernel refuses it: %s (it was given '%s')", strerror(-code),
				 line);
}

/*
 * --- adding ------------------------------------------------------------------------------------
 */

static void remove_event(const struct tracefs *t, const char *file, const char *group,
			 const char *event)
{
	char line[2 * TRACEFS_NAME_MAX];

	snprintf(line, sizeof(line), "-:%s/%s", group, event);
	tracefs_try_write(t, "", file, line, TRACEFS_APPEND);
}

static int refuse_name(const struct probe *p, const char *group, const char *event,
		       struct errmsg *err)
{
	const struct definition *d = p->definition;

	return definition_refuse(d->text, d->event ? d->event_span : d->function_span, err, -EEXIST,
				 "the event %s:%s exists already; give this one another name "
				 "(NAME=…), or remove the old one: 'sonde probe del %s:%s'",
				 group, event, group, event);
}

/* Defines all places of an event, or none. */
static int write_places(const struct tracefs *t, const struct probe *p, const char *file,
			const char *group, const char *event, struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf line = {.max_bytes = LINE_MAX_BYTES};
	size_t i;
	int r = 0;

	for (i = 0; i < p->n_places && r >= 0; i++) {
		textbuf_clear(&line);
		probe_fmt_line(p, i, group, event, &line);
		textbuf_add(&line, "", 1);
		if (line.overflow)
			r = errmsg_set(err, -E2BIG,
				       "the definition is too long for the kernel; "
				       "record less in one probe");
		else
			r = tracefs_try_write(t, "", file, line.start, TRACEFS_APPEND);
		if (r < 0 && !err->code)
			refuse_line(t, p, i, line.start, r, err);
	}
	if (r < 0 && i > 1)
		remove_event(t, file, group, event);
	return r;
}

/*
 * Returns the number of nodes for a return probe. Every call that has not returned yet holds a node
 * of some 80 bytes, which the kernel allocates beforehand. When none is free, the probe misses the
 * return. The kernel's default, 10 or two per CPU, is too small for functions that sleep.
 */
unsigned probes_room(const struct probe *p)
{
	size_t n = CALLS_MAX / (p->n_places ? p->n_places : 1);

	if (p->max_active || (p->kind != PROBE_KRETPROBE && p->kind != PROBE_FPROBE_EXIT))
		return p->max_active;
	return n < CALLS_MIN ? CALLS_MIN : n;
}

/*
 * Defines an event. If the kernel takes no number of nodes (before 4.12), or has no memory for so
 * many, the kernel chooses the number.
 */
static int write_event(const struct tracefs *t, const struct probe *p, const char *file,
		       const char *group, const char *event, struct errmsg *err)
{
	struct probe roomy = *p;
	struct errmsg ignored = {0};

	roomy.max_active = probes_room(p);
	if (roomy.max_active != p->max_active &&
	    write_places(t, &roomy, file, group, event, &ignored) >= 0)
		return 0;
	return write_places(t, p, file, group, event, err);
}

int probes_add(const struct tracefs *t, struct journal *journal, struct probe *p, const char *group,
	       const char *event, struct errmsg *err)
{
	const char *file = file_for(t, p);
	char name[2 * TRACEFS_NAME_MAX], path[3 * TRACEFS_NAME_MAX];
	struct probe with_breakpoint = *p;
	struct errmsg first = {0};
	int r = 0;

	group = group ? group : p->group;
	event = event ? event : p->event;
	snprintf(name, sizeof(name), "%s/%s", group, event);
	snprintf(path, sizeof(path), "events/%s", name);
	if (tracefs_exists(t, "", path))
		return refuse_name(p, group, event, err);
	if (journal)
		r = journal_add_probe(journal, name, err);
	TRY(r);
	/* a function that the function tracer cannot hook may accept a breakpoint */
	if (!probe_use_breakpoint(&with_breakpoint))
		return write_event(t, p, file, group, event, err);
	r = write_event(t, p, file, group, event, &first);
	if (r >= 0)
		return r;
	r = write_event(t, &with_breakpoint, file, group, event, err);
	if (r >= 0)
		p->kind = with_breakpoint.kind;
	return r;
}
