/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choice.h - which functions of which image the user wants.
 *
 *	work*              a glob: functions of the program itself
 *	/^ns::.*get/       a regular expression, anywhere in the name
 *	inflate@libz*      … of an image, by its file name; @libz also means libz.so.1
 *	*@*                all functions of all images
 *	@libz              all functions of an image
 *	*@parse.c          … of a source file, by the end of its path; *@src/net/ of a directory
 *	*@libz@inflate.c   … of a source file of an image
 *
 * Names are those of the source, "ns::Box::get", or of the symbol. Of all rules that match, the
 * last one decides. A function without a matching rule is chosen if it is in the program itself,
 * and if no rule includes functions or has_program is set.
 */
#ifndef SONDE_CAPTURE_USER_CHOICE_H
#define SONDE_CAPTURE_USER_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct callrules;
struct errmsg;

struct userrule;

struct userchoice {
	struct userrule *rules;
	size_t n_rules, cap;
	uint64_t min_bytes; /* shorter functions are not chosen */
	bool has_program;   /* all of the program itself, beside what rules include */
	bool has_libcalls;  /* calls of the program into libraries, too */
	bool has_nested;    /* calls of libraries into others, too; not of the C library itself */
	bool only_counted;  /* only functions with a call of mcount or __fentry__ (-pg, -mfentry) */
	bool is_program;    /* the image is the program itself, not a library */
	bool is_probed;	    /* by the kernel's probes, without hooks */
	bool is_detour;	    /* sonde's own: also functions that nobody may trace */
	/* functions that these name get a hook, too, but are not recorded; NULL: there are none */
	const struct callrules *calls;
};

/* -EINVAL with a message if the rule is empty or a pattern is wrong. Start with a zeroed choice. */
int userchoice_add(struct userchoice *c, const char *text, bool is_exclude, struct errmsg *err);
void userchoice_release(struct userchoice *c);

/* Can the choice include any function of that file? Then the image need not be opened. */
bool userchoice_wants(const struct userchoice *c, const char *path);

/* Whether a function is chosen; symbol: as in the symbol table, file: the image's file name. */
bool userchoice_has(const struct userchoice *c, const char *file, const char *symbol,
		    uint64_t n_bytes);
/* The same for rules about source files; source: its path, or NULL. */
bool userchoice_has_from(const struct userchoice *c, const char *file, const char *symbol,
			 const char *source, uint64_t n_bytes);
/* Does a rule match? Rules without a file mean any image. */
bool userchoice_matches(const struct userchoice *c, const char *file, const char *symbol,
			const char *source);
bool userchoice_names_sources(const struct userchoice *c);
/* Are calls of the image into libraries chosen? */
bool userchoice_has_libcalls(const struct userchoice *c, const char *file);
/* The same of one library's function that it calls: yes, unless a rule excludes it. */
bool userchoice_has_libcall(const struct userchoice *c, const char *file, const char *symbol);

#endif
