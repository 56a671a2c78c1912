// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * luaapi.c - finds a Lua library and its functions.
 *
 * The versions differ here:
 *
 *	            5.1 (LuaJIT)                 5.3, 5.4
 *	call        lua_pcall                    lua_pcallk
 *	load        luaL_loadfile                luaL_loadfilex
 *	globals     fields of the index -10002   lua_getglobal, lua_setglobal; the registry's [2]
 *	registry    index -10000                 index -1001000 (-LUAI_MAXSTACK - 1000)
 *	indices     int                          long long, in rawgeti and rawseti
 *
 * On x86-64 and arm64 an int and a long long argument are passed in the same register, but the
 * upper half of an int is undefined; so there are two prototypes.
 */
#include "script/luaapi.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define REGISTRY_51  (-10000)
#define GLOBALS_51   (-10002)
#define REGISTRY_53  (-1001000)
#define GLOBALS_SLOT 2

static const struct {
	const char *name;
	bool is_51;
} libraries[] = {
	{"liblua5.4.so.0", false},    {"liblua.so.5.4", false}, {"liblua-5.4.so", false},
	{"liblua5.3.so.0", false},    {"liblua.so.5.3", false}, {"liblua-5.3.so", false},
	{"libluajit-5.1.so.2", true},
};

struct function {
	const char *name;
	size_t offset;
};

#define LUAAPI_ROW(result, name, arguments) {#name, offsetof(struct luaapi, name)},
static const struct function functions[] = {LUAAPI_FUNCTIONS(LUAAPI_ROW)};
#undef LUAAPI_ROW

static const struct function functions_51[] = {
	{"lua_pcall", offsetof(struct luaapi, lua_pcall)},
	{"luaL_loadfile", offsetof(struct luaapi, luaL_loadfile)},
};

static const struct function functions_53[] = {
	{"lua_pcallk", offsetof(struct luaapi, lua_pcallk)},
	{"luaL_loadfilex", offsetof(struct luaapi, luaL_loadfilex)},
	{"lua_getglobal", offsetof(struct luaapi, lua_getglobal)},
	{"lua_setglobal", offsetof(struct luaapi, lua_setglobal)},
	{"lua_rawseti", offsetof(struct luaapi, lua_rawseti_53)},
	{"lua_rawgeti", offsetof(struct luaapi, lua_rawgeti_53)},
};

static int find_all(struct luaapi *api, const struct function *list, size_t n, struct errmsg *err)
{
	for (size_t i = 0; i < n; i++) {
		void *function = dlsym(api->library, list[i].name);

		if (!function)
			return errmsg_set(err, -ENOSYS,
					  "this Lua library has no %s: install Lua 5.4",
					  list[i].name);
		memcpy((char *)api + list[i].offset, &function, sizeof(function));
	}
	return 0;
}

int luaapi_load(struct luaapi *api, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_LEN(libraries) && !api->library; i++) {
		/* global: libraries that a script loads look for Lua's functions */
		api->library = dlopen(libraries[i].name, RTLD_NOW | RTLD_GLOBAL);
		api->is_51 = libraries[i].is_51;
	}
	if (!api->library)
		return errmsg_set(err, -ENOENT,
				  "a Lua script needs a Lua library: install liblua5.4-0 (5.3 and "
				  "LuaJIT also serve)");
	TRY(find_all(api, functions, ARRAY_LEN(functions), err));
	return api->is_51 ? find_all(api, functions_51, ARRAY_LEN(functions_51), err)
			  : find_all(api, functions_53, ARRAY_LEN(functions_53), err);
}

int luaapi_registry(const struct luaapi *api)
{
	return api->is_51 ? REGISTRY_51 : REGISTRY_53;
}

int luaapi_call(const struct luaapi *api, struct lua_State *L, int n_args)
{
	return api->is_51 ? api->lua_pcall(L, n_args, 0, 0)
			  : api->lua_pcallk(L, n_args, 0, 0, 0, NULL);
}

int luaapi_load_file(const struct luaapi *api, struct lua_State *L, const char *path)
{
	return api->is_51 ? api->luaL_loadfile(L, path) : api->luaL_loadfilex(L, path, NULL);
}

void luaapi_get_global(const struct luaapi *api, struct lua_State *L, const char *name)
{
	if (api->is_51)
		api->lua_getfield(L, GLOBALS_51, name);
	else
		api->lua_getglobal(L, name);
}

void luaapi_set_global(const struct luaapi *api, struct lua_State *L, const char *name)
{
	if (api->is_51)
		api->lua_setfield(L, GLOBALS_51, name);
	else
		api->lua_setglobal(L, name);
}

void luaapi_push_globals(const struct luaapi *api, struct lua_State *L)
{
	if (api->is_51)
		api->lua_getfield(L, GLOBALS_51, "_G");
	else
		api->lua_rawgeti_53(L, REGISTRY_53, GLOBALS_SLOT);
}
