/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * definition.h - parses a probe as the user writes it.
 *
 *	vfs_read(file->f_path.dentry->d_name.name, count)        the short form
 *	slow=vfs_read%return($retval, count) if $retval > 4096
 *	bash:readline%return($retval:ustring)                    TARGET:FUNC: a program, library or
 *	                                                         module
 *	prog.c:25(number)
 *	prog:ns::Box::put(int)(n)                                parameters select one of several
 *	                                                         functions
 *	sched:sched_switch(next_comm)                            an event's fields (eprobe)
 *	my:ev=vfs_read@fs/read_write.c:3 file count              perf probe's grammar
 *	irqfd_inject+36 work:x64 kvm->arch.max_vcpus:x64
 *	%libc:setjmp $arg1                                       a mark in the program (USDT)
 *	p:my/ev vfs_read+0x10 count=%dx:u64                      the kernel's grammar, passed
 *	                                                         through
 *
 * No names are looked up here: a definition is structured text, and every part has its position, so
 * that a later error can point to it.
 */
#ifndef SONDE_PROBE_DEFINITION_DEFINITION_H
#define SONDE_PROBE_DEFINITION_DEFINITION_H

#include "base/scope.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;

#define DEFINITION_MAX_BYTES 4096
#define DEFINITION_MAX_ARGS  128
#define EXPRESSION_MAX_DEPTH 32

/* A part of the text. */
struct span {
	uint32_t at, len;
};

enum expression_kind {
	EXPRESSION_NAME,       /* a variable, a parameter, a field: text */
	EXPRESSION_REGISTER,   /* %di: text without % */
	EXPRESSION_RESULT,     /* $retval */
	EXPRESSION_COMM,       /* $comm */
	EXPRESSION_STACK,      /* $stack: number -1; $stackN */
	EXPRESSION_ARGUMENT,   /* $argN, counted from 1 */
	EXPRESSION_DURATION,   /* $duration of the call that returns */
	EXPRESSION_SYMBOL,     /* @name+offset: text, number */
	EXPRESSION_ADDRESS,    /* @0x1234; number */
	EXPRESSION_FILE_AT,    /* @+0x1234: an offset into the program's file */
	EXPRESSION_NUMBER,     /* 42 (as an index), \42 */
	EXPRESSION_TEXT,       /* \"text" */
	EXPRESSION_MEMBER,     /* left . text */
	EXPRESSION_ARROW,      /* left -> text */
	EXPRESSION_INDEX,      /* left [number] */
	EXPRESSION_DEREF,      /* *left */
	EXPRESSION_ADDRESS_OF, /* &left */
	EXPRESSION_LOAD,       /* +number(left), with is_user +u number(left) */
	EXPRESSION_CAST,       /* (text) left */
	EXPRESSION_CONTAINER,  /* container_of(left, text, member) */
	EXPRESSION_VARS,       /* $vars: all visible variables */
	EXPRESSION_PARAMS,     /* $params, $arg*: all parameters */
};

struct expression {
	enum expression_kind kind;
	struct span span;   /* the whole expression */
	struct span word;   /* the name itself, to which a caret points */
	const char *text;   /* ended by NUL; a type for casts */
	const char *member; /* only for EXPRESSION_CONTAINER */
	struct span member_span;
	int64_t number;
	bool is_user;
	struct expression *left;
};

struct definition_arg {
	const char *name; /* NULL: the name is derived from the expression */
	struct expression *value;
	const char *
		/* NULL: from the debug information; else "x64", "string", "u8[4]", "b3@2/32" */
		type;
	struct span span, type_span;
	bool is_user; /* @user */
};

enum definition_form {
	DEFINITION_PLACE, /* function, line, offset, return */
	DEFINITION_MARK,  /* %provider:name */
	DEFINITION_RAW,	  /* the kernel's own grammar: text is passed through */
};

struct definition {
	enum definition_form form;
	char *text;		   /* as it was written */
	const char *group, *event; /* NULL: not given */
	/* word before ':' : program, library, module, event system; NULL: none */
	const char *target;
	const char *function, *file, *pattern; /* function: may have parameters, "put(int)" */
	/*
	 * "put(Mode)" may select a function or record a variable. It is parsed as a variable; if it
	 * selects a function, this is the function's name. NULL: unambiguous.
	 */
	const char *chosen;
	struct span chosen_span;
	const char *provider; /* provider of a mark, whose name is `function` */
	unsigned mark_kind;   /* %PROVIDER:NAME@2: only places of the second kind; 0: all */
	struct span target_span, function_span, file_span, line_span, offset_span, event_span;
	struct span return_span; /* "%return" */
	uint64_t address;	 /* used if function is NULL and the place is "0xffff…" */
	unsigned line;
	bool has_line, has_address;
	uint64_t offset;
	bool is_return;
	unsigned max_active; /* r16:, %return@16; 0: the kernel's default */
	struct definition_arg *args;
	size_t n_args;
	const char *filter; /* text after " if "; NULL: none */
	struct span filter_span;
	/*
	 * DEFINITION_RAW: 'p', 'r', 'f', 'e' or 't', and everything after the first word. function
	 * is the place; is_return and max_active are set; the arguments are not parsed.
	 */
	char letter;
	const char *rest;
	struct span rest_span;
	void *memory; /* owner of all of the above */
};

/* Parses a definition. On failure err points to the position with a caret. */
int definition_parse(struct definition **ret_definition, const char *text, struct errmsg *err);
void definition_free(struct definition *d);
SCOPED_POINTER(struct definition, definition_free)

/*
 * Returns true if a word in place of an event can only be a definition, because it is more than a
 * name.
 */
bool definition_is_one(const char *word);

/* errmsg.reason of the errors that callers distinguish. */
enum definition_reason {
	DEFINITION_REASON_NONE,
	DEFINITION_REASON_NAME = 100, /* not a valid name of an event or a group */
	DEFINITION_REASON_LINE,	      /* not a line number */
	DEFINITION_REASON_OFFSET,     /* not an offset */
	DEFINITION_REASON_ADDRESS,    /* not an address */
	DEFINITION_REASON_SUFFIX,     /* FUNC%… that is not %return */
	DEFINITION_REASON_FILE_TWICE, /* FUNC@SRC@SRC */
	DEFINITION_REASON_FILE_ALONE, /* a source file without a line */
	DEFINITION_REASON_LINE_AND_PATTERN,
	DEFINITION_REASON_LINE_AND_OFFSET,
	DEFINITION_REASON_OFFSET_ALONE,	 /* an offset without a function */
	DEFINITION_REASON_RETURN_INSIDE, /* %return with a line, a pattern or an offset */
};

/*
 * Sets err to a message, followed by the text with a caret under the span:
 *
 *	there is no member 'f_pth' in struct file; the nearest is f_path
 *	  vfs_read(file->f_pth.dentry)
 *	                 ^~~~~
 */
int definition_refuse_as(enum definition_reason reason, const char *text, struct span span,
			 struct errmsg *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
#define definition_refuse(text, span, err, code, ...) \
	definition_refuse_as(DEFINITION_REASON_NONE, text, span, err, code, __VA_ARGS__)

#endif
