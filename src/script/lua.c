// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lua.c - scripts in Lua, which run inside this process.
 *
 * A function of the script is kept as a reference in Lua's registry. A call builds its table on the
 * stack: function, table, and the lists and tables that are open.
 *
 * An error in the script comes back through lua_pcall() as "FILE:LINE: why". Lua's own failures, of
 * memory, come the same way. While arguments are built there is no protected call: Lua would end
 * the process if memory ran out there. So there is a reserve, which takes over then, and the next
 * call fails instead. LuaJIT takes no memory from others; it has none.
 *
 * os.exit() ends this process, as in any Lua program.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "script/language.h"
#include "script/luaapi.h"
#include "script/script.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTING_MAX   16
#define RESERVE_BYTES (1u << 20) /* far more than Lua's libraries and one call's arguments */

/* A table or list that is being filled. */
struct open_value {
	const char *key; /* where it belongs in the one around it; NULL: that is a list */
	int n;		 /* values of a list */
};

struct lua_run {
	struct luaapi api;
	struct lua_State *L;
	const struct script_spec *spec;
	int n_args;			     /* of the call that is being built */
	struct open_value open[NESTING_MAX]; /* the argument itself is the first */
	int n_open;
	char *reserve;
	size_t n_reserved; /* bytes of it that are taken; they do not come back */
};

/*
 * --- memory ------------------------------------------------------------------------------------
 */

static bool is_reserve(const struct lua_run *l, const char *p)
{
	return p >= l->reserve && p < l->reserve + RESERVE_BYTES;
}

static void *take_reserve(struct lua_run *l, size_t n_bytes)
{
	size_t rounded = (n_bytes + 15) & ~(size_t)15;
	char *p = l->reserve + l->n_reserved;

	if (rounded < n_bytes || rounded > RESERVE_BYTES - l->n_reserved)
		return NULL;
	l->n_reserved += rounded;
	return p;
}

/* lua_Alloc: old_bytes is no length if there is no old. */
static void *allocate(void *ctx, void *old, size_t old_bytes, size_t n_bytes)
{
	struct lua_run *l = ctx;
	bool was_reserve = old && is_reserve(l, old);
	void *p;

	if (!n_bytes) {
		if (!was_reserve)
			free(old);
		return NULL;
	}
	if (was_reserve && n_bytes <= old_bytes)
		return old;
	p = was_reserve ? malloc(n_bytes) : realloc(old, n_bytes);
	if (p && !was_reserve)
		return p;
	if (!p)
		p = take_reserve(l, n_bytes);
	if (!p || !old)
		return p;
	memcpy(p, old, old_bytes < n_bytes ? old_bytes : n_bytes);
	if (!was_reserve)
		free(old);
	return p;
}

static int check_memory(const struct lua_run *l, struct errmsg *err)
{
	return l->n_reserved ? errmsg_set_errno(err, -ENOMEM, "cannot run %s", l->spec->path) : 0;
}

/* Pops the message. */
static int fail(struct lua_run *l, struct errmsg *err)
{
	const char *text = l->api.lua_tolstring(l->L, -1, NULL);

	errmsg_set(err, -EBADMSG, "%s",
		   text ? text : "the script failed with an error that is no text");
	l->api.lua_settop(l->L, 0);
	return -EBADMSG;
}

/* The global `arg`, as the program lua sets it. */
static void set_arguments(struct lua_run *l)
{
	const struct script_spec *spec = l->spec;
	struct lua_State *L = l->L;

	l->api.lua_createtable(L, (int)spec->n_args, 1);
	for (size_t i = 0; i <= spec->n_args; i++) {
		const char *text = i ? spec->args[i - 1] : spec->path;

		l->api.lua_pushlstring(L, text, strlen(text));
		if (l->api.is_51)
			l->api.lua_rawseti(L, -2, (int)i);
		else
			l->api.lua_rawseti_53(L, -2, (long long)i);
	}
	luaapi_set_global(&l->api, L, "arg");
}

static void lua_shut(void *run)
{
	struct lua_run *l = run;

	if (l->L)
		l->api.lua_close(l->L);
	fflush(stdout);
	free(l->reserve);
	free(l);
}

static int load(struct lua_run *l, struct errmsg *err)
{
	TRY(luaapi_load(&l->api, err));
	l->L = l->api.is_51 ? l->api.luaL_newstate() : l->api.lua_newstate(allocate, l);
	if (!l->L)
		return errmsg_set_errno(err, -ENOMEM, "cannot start Lua");
	l->api.luaL_openlibs(l->L);
	set_arguments(l);
	TRY(check_memory(l, err));
	if (luaapi_load_file(&l->api, l->L, l->spec->path))
		return fail(l, err);
	return luaapi_call(&l->api, l->L, 0) ? fail(l, err) : 0;
}

static int lua_open(void **ret, const struct script_spec *spec, struct errmsg *err)
{
	struct lua_run *l = calloc(1, sizeof(*l));
	int r;

	if (l)
		l->reserve = malloc(RESERVE_BYTES);
	if (!l || !l->reserve) {
		free(l);
		return errmsg_set_errno(err, -ENOMEM, "cannot start Lua");
	}
	l->spec = spec;
	r = load(l, err);
	if (r < 0) {
		lua_shut(l);
		return r;
	}
	*ret = l;
	return 0;
}

static int lua_find(void *run, const char *name)
{
	struct lua_run *l = run;

	luaapi_get_global(&l->api, l->L, name);
	if (l->api.lua_type(l->L, -1) != LUA_TFUNCTION) {
		l->api.lua_settop(l->L, -2);
		return LANGUAGE_NONE;
	}
	return l->api.luaL_ref(l->L, luaapi_registry(&l->api));
}

static bool is_event_name(const char *name)
{
	const char *mid = strstr(name, "__");

	return mid && mid > name && mid[2];
}

static bool lua_has_event_functions(void *run)
{
	struct lua_run *l = run;
	bool found = false;

	luaapi_push_globals(&l->api, l->L);
	l->api.lua_pushnil(l->L);
	while (!found && l->api.lua_next(l->L, -2)) {
		found = l->api.lua_type(l->L, -1) == LUA_TFUNCTION &&
			l->api.lua_type(l->L, -2) == LUA_TSTRING &&
			is_event_name(l->api.lua_tolstring(l->L, -2, NULL));
		l->api.lua_settop(l->L, -2);
	}
	l->api.lua_settop(l->L, 0);
	return found;
}

static void lua_each(void *run, const char *name, void (*add)(void *ctx, const char *text),
		     void *ctx)
{
	struct lua_run *l = run;

	luaapi_get_global(&l->api, l->L, name);
	if (l->api.lua_type(l->L, -1) == LUA_TTABLE) {
		l->api.lua_pushnil(l->L);
		while (l->api.lua_next(l->L, -2)) {
			if (l->api.lua_type(l->L, -1) == LUA_TSTRING)
				add(ctx, l->api.lua_tolstring(l->L, -1, NULL));
			l->api.lua_settop(l->L, -2);
		}
	}
	l->api.lua_settop(l->L, 0);
}

/*
 * --- a call ------------------------------------------------------------------------------------
 */

static void push_function(struct lua_run *l, int function)
{
	if (l->api.is_51)
		l->api.lua_rawgeti(l->L, luaapi_registry(&l->api), function);
	else
		l->api.lua_rawgeti_53(l->L, luaapi_registry(&l->api), function);
}

static void lua_start(void *run, int function, bool has_argument, int n_keys)
{
	struct lua_run *l = run;

	push_function(l, function);
	l->n_args = has_argument;
	l->n_open = 0;
	l->open[0] = (struct open_value){0};
	if (has_argument)
		l->api.lua_createtable(l->L, 0, n_keys);
}

/* The value on top of the stack goes into the table or list below it. */
static void put(struct lua_run *l, const char *key)
{
	if (key)
		l->api.lua_setfield(l->L, -2, key);
	else if (l->api.is_51)
		l->api.lua_rawseti(l->L, -2, ++l->open[l->n_open].n);
	else
		l->api.lua_rawseti_53(l->L, -2, ++l->open[l->n_open].n);
}

static void lua_put_int(void *run, const char *key, int64_t v)
{
	struct lua_run *l = run;

	l->api.lua_pushinteger(l->L, (ptrdiff_t)v);
	put(l, key);
}

/* LuaJIT's numbers are floating point, without a sign problem; Lua 5.4 prints %x of any number. */
static void lua_put_uint(void *run, const char *key, uint64_t v)
{
	struct lua_run *l = run;

	if (l->api.is_51)
		l->api.lua_pushnumber(l->L, (double)v);
	else
		l->api.lua_pushinteger(l->L, (ptrdiff_t)v);
	put(l, key);
}

static void lua_put_real(void *run, const char *key, double v)
{
	struct lua_run *l = run;

	l->api.lua_pushnumber(l->L, v);
	put(l, key);
}

static void lua_put_bool(void *run, const char *key, bool v)
{
	struct lua_run *l = run;

	l->api.lua_pushboolean(l->L, v);
	put(l, key);
}

static void lua_put_text(void *run, const char *key, const char *text, size_t len)
{
	struct lua_run *l = run;

	l->api.lua_pushlstring(l->L, text, len);
	put(l, key);
}

/* In a table nil is nothing; in a list it would end it, so there it is false. */
static void lua_put_none(void *run, const char *key)
{
	if (!key)
		lua_put_bool(run, key, false);
}

static void open_value(struct lua_run *l, const char *key, int n_list, int n_keys)
{
	assert(l->n_open + 1 < NESTING_MAX);
	l->api.lua_createtable(l->L, n_list, n_keys);
	l->open[++l->n_open] = (struct open_value){.key = key};
}

static void lua_open_table(void *run, const char *key, int n_keys)
{
	open_value(run, key, 0, n_keys);
}

static void lua_open_list(void *run, const char *key, int n)
{
	open_value(run, key, n, 0);
}

static void lua_close_value(void *run)
{
	struct lua_run *l = run;

	put(l, l->open[l->n_open--].key);
}

static int lua_call(void *run, struct errmsg *err)
{
	struct lua_run *l = run;

	TRY(check_memory(l, err));
	return luaapi_call(&l->api, l->L, l->n_args) ? fail(l, err) : 0;
}

static int lua_end(void *run, int *ret_status, struct errmsg *err)
{
	*ret_status = 0;
	return fflush(stdout) == EOF && errno != EPIPE
		       ? errmsg_set_errno(err, -errno, "cannot write the output")
		       : 0;
}

static const char example[] =
	"-- Counts the calls of each function, and sums their time.\n"
	"-- Try: sonde record -u ./prog && sonde script FILE.lua trace.dat\n"
	"\n"
	"local calls, time = {}, {}\n"
	"\n"
	"-- Before the first event. ctx: record, version, trace, cmds\n"
	"function sonde_begin(ctx)\n"
	"  print('functions in ' .. ctx.trace)\n"
	"end\n"
	"\n"
	"-- A function is called. ctx: timestamp, cpu, tid, pid, task, depth, name, address, "
	"module, source, args\n"
	"function sonde_entry(ctx)\n"
	"  calls[ctx.name] = (calls[ctx.name] or 0) + 1\n"
	"end\n"
	"\n"
	"-- It returns. ctx: the same with duration (ns) and retval; open: it did not return\n"
	"function sonde_exit(ctx)\n"
	"  time[ctx.name] = (time[ctx.name] or 0) + (ctx.duration or 0)\n"
	"end\n"
	"\n"
	"-- Any other event. ctx: timestamp, cpu, tid, task, name, system, event, info, fields\n"
	"function sonde_event(ctx)\n"
	"end\n"
	"\n"
	"-- Only this event, instead of sonde_event.\n"
	"function sched__sched_switch(ctx)\n"
	"  -- print(ctx.task .. ' -> ' .. ctx.fields.next_comm)\n"
	"end\n"
	"\n"
	"function sonde_end()\n"
	"  local names = {}\n"
	"  for name in pairs(calls) do names[#names + 1] = name end\n"
	"  table.sort(names, function(a, b)\n"
	"    return calls[a] > calls[b] or calls[a] == calls[b] and a < b\n"
	"  end)\n"
	"  for _, name in ipairs(names) do\n"
	"    print(string.format('%8d calls %12.3f us  %s', calls[name], (time[name] or 0) / 1000, "
	"name))\n"
	"  end\n"
	"end\n";

const struct language language_lua = {
	.ending = ".lua",
	.example = example,
	.open = lua_open,
	.shut = lua_shut,
	.find = lua_find,
	.has_event_functions = lua_has_event_functions,
	.each = lua_each,
	.start = lua_start,
	.put_int = lua_put_int,
	.put_uint = lua_put_uint,
	.put_real = lua_put_real,
	.put_bool = lua_put_bool,
	.put_text = lua_put_text,
	.put_name = lua_put_text,
	.put_none = lua_put_none,
	.open_table = lua_open_table,
	.open_list = lua_open_list,
	.open_tuple = lua_open_list,
	.close = lua_close_value,
	.call = lua_call,
	.end = lua_end,
};
