/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * luaapi.h - the functions of the Lua library, loaded when the first script needs them.
 *
 * sonde does not depend on Lua: no header and no library of it is needed to build or to run other
 * commands. Lua 5.4, 5.3 and LuaJIT are taken, in this order. They differ in a few functions; the
 * macros of their headers are functions here.
 */
#ifndef SONDE_SCRIPT_LUAAPI_H
#define SONDE_SCRIPT_LUAAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct lua_State;

/* In every version. X(result, name, arguments) */
#define LUAAPI_FUNCTIONS(X)                                                                      \
	X(struct lua_State *, luaL_newstate, (void))                                             \
	X(struct lua_State *, lua_newstate, (void *(*)(void *, void *, size_t, size_t), void *)) \
	X(void, luaL_openlibs, (struct lua_State *))                                             \
	X(void, lua_close, (struct lua_State *))                                                 \
	X(int, lua_gettop, (struct lua_State *))                                                 \
	X(void, lua_settop, (struct lua_State *, int))                                           \
	X(int, lua_type, (struct lua_State *, int))                                              \
	X(int, lua_next, (struct lua_State *, int))                                              \
	X(int, lua_checkstack, (struct lua_State *, int))                                        \
	X(const char *, lua_tolstring, (struct lua_State *, int, size_t *))                      \
	X(void, lua_pushnil, (struct lua_State *))                                               \
	X(void, lua_pushboolean, (struct lua_State *, int))                                      \
	X(void, lua_pushnumber, (struct lua_State *, double))                                    \
	X(void, lua_pushinteger, (struct lua_State *, ptrdiff_t))                                \
	X(const char *, lua_pushlstring, (struct lua_State *, const char *, size_t))             \
	X(void, lua_createtable, (struct lua_State *, int, int))                                 \
	X(void, lua_setfield, (struct lua_State *, int, const char *))                           \
	X(void, lua_getfield, (struct lua_State *, int, const char *))                           \
	X(void, lua_rawseti, (struct lua_State *, int, int))                                     \
	X(void, lua_rawgeti, (struct lua_State *, int, int))                                     \
	X(int, luaL_ref, (struct lua_State *, int))

#define LUA_TSTRING   4
#define LUA_TTABLE    5
#define LUA_TFUNCTION 6

struct luaapi {
	void *library;
	bool is_51; /* LuaJIT */
#define LUAAPI_MEMBER(result, name, arguments) result(*name) arguments;
	LUAAPI_FUNCTIONS(LUAAPI_MEMBER)
#undef LUAAPI_MEMBER
	/* 5.1 */
	int (*lua_pcall)(struct lua_State *, int, int, int);
	int (*luaL_loadfile)(struct lua_State *, const char *);
	/* later */
	int (*lua_pcallk)(struct lua_State *, int, int, int, intptr_t, void *);
	int (*luaL_loadfilex)(struct lua_State *, const char *, const char *);
	int (*lua_getglobal)(struct lua_State *, const char *);
	void (*lua_setglobal)(struct lua_State *, const char *);
	void (*lua_rawseti_53)(struct lua_State *, int, long long);
	int (*lua_rawgeti_53)(struct lua_State *, int, long long);
};

/* -ENOENT with a message: no Lua is installed. It is never unloaded. */
int luaapi_load(struct luaapi *api, struct errmsg *err);

int luaapi_registry(const struct luaapi *api);
int luaapi_call(const struct luaapi *api, struct lua_State *L, int n_args);
int luaapi_load_file(const struct luaapi *api, struct lua_State *L, const char *path);
void luaapi_get_global(const struct luaapi *api, struct lua_State *L, const char *name);
void luaapi_set_global(const struct luaapi *api, struct lua_State *L, const char *name);
/* Pushes the table of all globals. */
void luaapi_push_globals(const struct luaapi *api, struct lua_State *L);

#endif
