// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probefeatures.c - finds the features of this kernel's probes.
 *
 * The tracing directory has a README in which the kernel describes its features. Sonde looks for
 * the words that came with each feature; the kernel's own tests look for the same words:
 *
 *	   Format: p[:[<group>/][<event>]] <place> [<args>]
 *	           e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>] [if <filter>]
 *	 fetcharg: …, $comm, $arg<N>, +|-[u]<offset>(<fetcharg>), \imm-value, \"imm-string"
 *	     kernel return probes support: $retval, $arg<N>, $comm
 *
 * The README is wrong in one place: the line for event probes (e) is there even without
 * CONFIG_EPROBE_EVENTS. So sonde tries to define an event probe on an event that does not exist. A
 * kernel that supports event probes answers ENODEV, other kernels answer EINVAL. Neither defines
 * anything.
 */
#include "base/array.h"
#include "base/scope.h"
#include "capture/tracefs/probes.h"

#include "probe/probe.h"
#include "symbols/arch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define README_MAX_BYTES 262144

static const struct {
	const char *words;
	size_t offset;
} features[] = {
	{"\tf[", offsetof(struct probe_kernel, fprobes)},
	{" f[", offsetof(struct probe_kernel, fprobes)},
	{" t[", offsetof(struct probe_kernel, tprobes)},
	{" e[", offsetof(struct probe_kernel, eprobes)},
	{"$arg<N>", offsetof(struct probe_kernel, arg_n)},
	{"return probes support:", offsetof(struct probe_kernel, return_args)},
	{"ustring", offsetof(struct probe_kernel, user_strings)},
	{", symbol", offsetof(struct probe_kernel, symbol_type)},
	{"symstr", offsetof(struct probe_kernel, symstr_type)},
	{", char", offsetof(struct probe_kernel, char_type)},
	{"<array-size>", offsetof(struct probe_kernel, arrays)},
	{"b<bit-width>", offsetof(struct probe_kernel, bitfields)},
	{"\\imm-value", offsetof(struct probe_kernel, immediates)},
	{"$comm", offsetof(struct probe_kernel, comm)},
	{"Create/append", offsetof(struct probe_kernel, many_places)},
	{"(ref_ctr_offset)", offsetof(struct probe_kernel, refcounts)},
	{"hist:keys=", offsetof(struct probe_kernel, hist)},
};

static bool log_is_empty(const struct tracefs *t)
{
	SCOPED(textbuf_release) struct textbuf log = {.max_bytes = README_MAX_BYTES};

	return tracefs_read(t, "", "error_log", &log) >= 0 && !textbuf_len(&log);
}

/*
 * Tries to define an event probe. The refusal is no error, so this function removes it from the
 * kernel's error log.
 */
static bool try_eprobe(const struct tracefs *t)
{
	bool was_empty = log_is_empty(t);
	int r = tracefs_try_write(t, "", "dynamic_events", "e:sonde/try sonde.no_such_event",
				  TRACEFS_APPEND);

	if (was_empty)
		tracefs_try_write(t, "", "error_log", "", TRACEFS_SET);
	return r != -EINVAL;
}

void probe_features(const struct tracefs *t, struct probe_kernel *ret_kernel)
{
	struct probe_kernel k = {.arch = arch_of_this_kernel(), .max_args = 128};
	struct textbuf readme;

	textbuf_init(&readme, README_MAX_BYTES);
	if (tracefs_read(t, "", "README", &readme) < 0)
		textbuf_clear(&readme);
	textbuf_add(&readme, "", 1);
	for (size_t i = 0; i < ARRAY_LEN(features) && !readme.overflow; i++)
		if (strstr(readme.start, features[i].words))
			*(bool *)((char *)&k + features[i].offset) = true;
	textbuf_release(&readme);
	k.prefers_kprobes = k.arch && k.arch->has_hooked_kprobes;
	k.dynamic_events = tracefs_exists(t, "", "dynamic_events");
	k.kprobes = tracefs_exists(t, "", "kprobe_events");
	k.uprobes = tracefs_exists(t, "", "uprobe_events");
	k.synthetic = tracefs_exists(t, "", "synthetic_events");
	k.eprobes = k.eprobes && k.dynamic_events && try_eprobe(t);
	*ret_kernel = k;
}

void probe_site_init(struct probe_site *s, const struct tracefs *t)
{
	memset(s, 0, sizeof(*s));
	probe_features(t, &s->kernel);
	snprintf(s->events, sizeof(s->events), "%s/events", t->root);
	s->world = (struct probe_world){
		.kernel = &s->kernel,
		.btf_dir = getenv("SONDE_BTF"),
		.kallsyms = getenv("SONDE_KALLSYMS"),
		.blacklist = getenv("SONDE_BLACKLIST"),
		.tracefs_events = s->events,
		.check_symbols = true,
	};
}
