// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script.c - `uftrace script`: calls the functions of a script for the calls of a directory.
 *
 *	uft_walk ─▶ struct replay_item ─▶ script_add
 *
 * With --record the program is recorded first, into a directory that is removed afterwards.
 */
#include "analyse/uftrace/valuetext.h"
#include "analyse/uftrace/walk.h"
#include "base/errmsg.h"
#include "base/files/caller.h"
#include "base/map.h"
#include "cli/as/uftrace/reading.h"
#include "cli/as/uftrace/uftrace.h"
#include "cli/calls/recordfirst.h"
#include "base/textbuf.h"
#include "format/uftrace.h"
#include "present/uftrace/values.h"
#include "store/uftrace/newdir.h"
#include "script/script.h"
#include "symbols/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS_MAX (1u << 22)
#define VALUES_MAX    (1u << 20) /* bytes of the values of a call */

struct running {
	struct uft_reading *reading;
	struct script *script;
	struct map functions; /* struct flow_func by struct uft_sym */
	uint32_t n_functions;
	struct textbuf values; /* of the current call */
	struct errmsg err;
	int result; /* 1: the script wants no more */
};

static const struct flow_func *function_of(struct running *run, const struct uft_sym *sym,
					   uint64_t addr)
{
	void **slot = map_take(&run->functions, sym ? (uintptr_t)sym : addr, FUNCTIONS_MAX);
	struct flow_func *fn;

	if (!slot || *slot)
		return slot ? *slot : NULL;
	fn = calloc(1, sizeof(*fn));
	if (!fn)
		return NULL;
	fn->name = sym ? sym->name : "unknown";
	fn->name_len = (uint32_t)strlen(fn->name);
	fn->number = run->n_functions++;
	fn->is_user = true;
	*slot = fn;
	return fn;
}

/* The arguments or the return value of the current record; NULL: it has none. */
static char *values_of(struct running *run, struct uft_lane *l)
{
	bool is_exit = l->rec.type == UFT_EXIT;

	if (!l->rec.more || run->reading->o->no_args)
		return NULL;
	textbuf_clear(&run->values);
	if (!uft_values_literals(l, is_exit, &run->values) || run->values.overflow)
		return NULL;
	textbuf_add_char(&run->values, '\0');
	return run->values.start;
}

static void add_event(struct running *run, struct uft_lane *l)
{
	struct task task = {.pid = l->tid, .tgid = -1};
	struct flow_task flow = {.task = &task};
	struct replay_item item = {
		.ts = l->rec.time_ns, .task = &flow, .level = l->rec.depth, .kind = REPLAY_EVENT};
	char name[200], data[1000] = "";
	struct script_event event = {name, data, l->rec.addr};

	uft_event_name(run->reading->events, l->rec.addr, name, sizeof(name));
	if (l->rec.addr < UFT_EVENT_USER)
		uft_event_data(run->reading->walk->c.kernel, l->rec.addr, &l->values, false, data,
			       sizeof(data));
	run->result = script_add_event(run->script, &item, &event, &run->err);
}

static void add_call(struct running *run, struct uft_lane *l)
{
	struct uft_walk *walk = run->reading->walk;
	const struct uft_call *call = uft_call_ended(l);
	struct task task = {.pid = l->tid, .tgid = -1};
	struct flow_task flow = {.task = &task};
	const struct flow_func *known =
		function_of(run, uft_walk_rec_sym(walk, l, &l->rec), l->rec.addr);
	struct flow_func fn;
	struct replay_item item = {.ts = l->rec.time_ns,
				   .task = &flow,
				   .level = l->rec.depth,
				   .func = &fn,
				   .kind = l->rec.type == UFT_ENTRY ? REPLAY_ENTER : REPLAY_LEAVE};

	if (!known)
		return;
	fn = *known;
	fn.addr = l->rec.addr;
	*(item.kind == REPLAY_ENTER ? &item.args : &item.ret) = values_of(run, l);
	if (item.kind == REPLAY_LEAVE && call) {
		item.has_duration = true;
		item.duration = uft_call_ns(call);
	}
	run->result = script_add(run->script, &item, &run->err);
}

static int walk(struct running *run)
{
	struct uft_walk *w = run->reading->walk;
	struct uft_lane *l;

	run->result = script_begin(run->script, &run->err);
	while (!run->result && (l = uft_walk_next(w))) {
		if (!uft_walk_wants(w, l))
			continue;
		if (l->rec.type == UFT_EVENT) /* filters of functions are not for them */
			add_event(run, l);
		if (!uft_decide(w, l, NULL))
			continue;
		if (l->rec.type == UFT_ENTRY || l->rec.type == UFT_EXIT)
			add_call(run, l);
		uft_settle(w, l);
	}
	return run->result;
}

static void free_functions(struct map *functions)
{
	for (size_t i = 0; i < functions->n_slots; i++)
		free(functions->slots[i].value);
	map_release(functions);
}

static int run_script(struct uft_reading *reading, int argc, char **argv)
{
	struct script_spec spec = {.path = reading->o->script,
				   .args = (const char *const *)argv,
				   .n_args = (size_t)argc,
				   .trace = reading->o->dir};
	struct running run = {.reading = reading};
	int status = 0;

	textbuf_init(&run.values, VALUES_MAX);
	if (caller_become() < 0 || script_open(&run.script, &spec, NULL, &run.err) < 0) {
		uft_warn(reading->o, "%s",
			 run.err.text[0] ? run.err.text : "cannot run as the calling user");
		return 1;
	}
	if (walk(&run) < 0 || script_end(run.script, &status, &run.err) < 0) {
		uft_warn(reading->o, "%s", run.err.text);
		status = 1;
	}
	script_close(run.script);
	textbuf_release(&run.values);
	free_functions(&run.functions);
	return status;
}

static int read_and_run(struct uft_opts *o, int argc, char **argv)
{
	struct uft_reading r;
	int status = UFT_FAILED;

	if (uft_reading_open(&r, o) && uft_reading_walk(&r))
		status = run_script(&r, argc, argv);
	return uft_reading_close(&r, status);
}

int uft_script(struct uft_opts *o, int argc, char **argv)
{
	char place[] = "/tmp/uftrace-script-XXXXXX", dir[sizeof(place) + 8];
	int status;

	if (!o->script) {
		puts("Usage: uftrace script (-S|--script) <script_file>");
		return UFT_FAILED;
	}
	if (!o->record)
		return read_and_run(o, argc, argv);
	if (!argc || recordfirst_make_dir(place) < 0) {
		uft_fail(o, "--record needs a program to record");
		return 1;
	}
	snprintf(dir, sizeof(dir), "%s/data", place);
	o->dir = dir;
	status = uft_record_into(o, argc, argv);
	if (!access(dir, F_OK))
		read_and_run(o, 0, argv);
	uftdir_remove(dir);
	rmdir(place);
	return status;
}
