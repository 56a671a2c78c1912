/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * language.h - what script.c needs of a language.
 *
 *	find("sonde_entry") ─▶ start ─▶ put… ─▶ call
 *
 * A function of a script has one argument, a table (dict): start() makes it, the put functions fill
 * it. open_table() and open_list() begin a value inside it, close() ends that. In a list the key is
 * NULL. Keys and names keep their addresses as long as the run lives: a language may remember them.
 *
 * A language may collect calls and make them together. Then a failure is the result of a later
 * call(), or of end().
 */
#ifndef SONDE_SCRIPT_LANGUAGE_H
#define SONDE_SCRIPT_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct script_spec;

#define LANGUAGE_NONE (-1)

struct language {
	const char *ending;  /* of file names, with the point */
	const char *example; /* a script to begin with */
	/* Runs the top level of the script. */
	int (*open)(void **ret, const struct script_spec *spec, struct errmsg *err);
	void (*shut)(void *run);
	/* The function's number, or LANGUAGE_NONE. */
	int (*find)(void *run, const char *name);
	/* Has it a function whose name has "__" in the middle: SYSTEM__EVENT? */
	bool (*has_event_functions)(void *run);
	/* Calls add for each text in a list of this name. */
	void (*each)(void *run, const char *name, void (*add)(void *ctx, const char *text),
		     void *ctx);
	/* n_keys: about so many follow. has_argument false: call() passes nothing. */
	void (*start)(void *run, int function, bool has_argument, int n_keys);
	void (*put_int)(void *run, const char *key, int64_t v);
	void (*put_uint)(void *run, const char *key, uint64_t v);
	void (*put_real)(void *run, const char *key, double v);
	void (*put_bool)(void *run, const char *key, bool v);
	void (*put_text)(void *run, const char *key, const char *text, size_t len);
	void (*put_name)(void *run, const char *key, const char *name, size_t len);
	void (*put_none)(void *run, const char *key);
	void (*open_table)(void *run, const char *key, int n_keys);
	void (*open_list)(void *run, const char *key, int n);
	/* A list that scripts only read: what print(...) % ctx["args"] takes in Python. */
	void (*open_tuple)(void *run, const char *key, int n);
	void (*close)(void *run);
	/* 0; 1: the script has ended by itself; negative with a message. */
	int (*call)(void *run, struct errmsg *err);
	/* Makes all calls that are still to be made. */
	int (*end)(void *run, int *ret_status, struct errmsg *err);
};

extern const struct language language_lua, language_python;

#endif
