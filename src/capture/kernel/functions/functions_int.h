/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions_int.h - declarations that functions.c, explain.c and btf.c share.
 */
#ifndef SONDE_CAPTURE_KERNEL_FUNCTIONS_FUNCTIONS_INT_H
#define SONDE_CAPTURE_KERNEL_FUNCTIONS_FUNCTIONS_INT_H

#include "base/arena.h"
#include "capture/kernel/functions/functions.h"
#include "format/bytes.h"

#include <stdint.h>

#define FUNCTION_NAME_MAX 512 /* the kernel's own limit */

struct kfunctions {
	const struct tracefs *t;
	struct kfunctions_paths paths;
	char modules_dir[TRACEFS_PATH_MAX];
	struct arena arena;	       /* substitutes that were returned */
	struct textbuf list;	       /* available_filter_functions, ended by NUL */
	struct textbuf symbols;	       /* kallsyms, ended by NUL */
	int list_state, symbols_state; /* 1: read; 0: not tried yet; negative: the error */
};

/*
 * A name and the module in brackets after it; neither ends with NUL. module NULL: the kernel
 * itself.
 */
struct function_line {
	const char *name, *module;
	uint32_t name_len, module_len;
};

struct function_pattern {
	char name[FUNCTION_NAME_MAX], module[FUNCTION_NAME_MAX]; /* module "": any module */
	bool is_glob;
};

/*
 * Parses the line at p: "name", "name [module]", "name\t[module]". Returns the next line, or NULL
 * at the end.
 */
const char *kfunctions_next_line(const char *p, struct function_line *ret);

bool kfunctions_match(const struct function_pattern *pattern, const struct function_line *line);

/* Reads the list of traceable functions, once. Returns a negative errno with a message. */
int kfunctions_read_list(struct kfunctions *f, struct errmsg *err);
/* Reads the symbols, once. Returns false if they cannot be read. */
bool kfunctions_read_symbols(struct kfunctions *f);
/*
 * Sets err to the reason why nothing matches. The list must have been read. Always returns -ENOENT.
 */
int kfunctions_refuse(struct kfunctions *f, const struct function_pattern *pattern,
		      struct errmsg *err);

/* btf.c: returns true if the BTF of that file describes a function of this name. */
bool kfunctions_in_btf(const char *path, const char *name);

/* Appends the file to *out, ended by NUL. Returns 0 or a negative errno. */
int kfunctions_read_file(const char *path, struct textbuf *out);

#endif
