// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functions.c - selects the functions to trace: writes the lists of a plan to the kernel's files.
 *
 *	-l    set_ftrace_filter      with a ':' a filter command: vfs_read:traceoff:3
 *	-n    set_ftrace_notrace
 *	-g    set_graph_function     these and the functions that they call
 *	      set_graph_notrace
 *
 * All words of a list go through one open file: the kernel applies a list when it is closed, and
 * patches its code once. The kernel refuses a word without a match with "Invalid argument";
 * kernel/functions/functions.h finds the reason and a similar name.
 *
 * Any call of the function decreases the count of a command, recording or not, including our own
 * calls during the setup. So the command is set again at the end of the setup.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/kernel/functions/functions.h"
#include "capture/setup/setup_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORD_MAX 1024

static int refuse(struct setup *s, const char *file, const char *word, int code, struct errmsg *err)
{
	char name[512];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, ":"), word);
	if (*name && kfunctions_explain(&s->t, strstr(word, ":mod:") ? word : name, err) < 0)
		return code;
	if (strchr(word, ':') && !strstr(word, ":mod:"))
		return errmsg_set_errno(
			err, code,
			"the kernel refuses the function command '%s'; write "
			"FUNCTION:COMMAND[:COUNT] ('sonde help record' lists the commands)",
			word);
	return errmsg_set_errno(err, code, "the kernel refuses the function '%s' for %s", word,
				file);
}

/*
 * Writes a word for the kernel, for which a pattern that begins with a digit is the number of a
 * function (or module): 9p becomes [9]p.
 */
static void write_word(char text[WORD_MAX], const char *word)
{
	const char *module = strstr(word, ":mod:");
	int len = module ? (int)(module + 5 - word) : 0;

	if (module && module[5] >= '0' && module[5] <= '9')
		snprintf(text, WORD_MAX, "%.*s[%c]%s\n", len, word, module[5], module + 6);
	else
		snprintf(text, WORD_MAX, "%s\n", word);
}

/*
 * Writes a list with one write for each word. The file is opened for appending, to keep earlier
 * words.
 */
static int write_list(struct setup *s, const struct setup_buffer *b, const char *file,
		      const struct plan_words *words, const struct plan_words *modules,
		      struct errmsg *err)
{
	char word[WORD_MAX - 3], text[WORD_MAX];
	int fd, r = 0;

	if (!words->n)
		return 0;
	TRY(setup_need_file(s, b, file, "function tracer", err));
	TRY(setup_save(s, b->instance, file, err));
	fd = tracefs_open_file(&s->t, b->instance, file, O_WRONLY | O_APPEND);
	if (fd < 0)
		return errmsg_set_errno(err, fd, "cannot write to %s", file);
	for (size_t i = 0; i < words->n && r >= 0; i++)
		for (size_t m = 0; (m < modules->n || !m) && r >= 0; m++) {
			snprintf(word, sizeof(word), "%s%s%s", words->words[i],
				 modules->n ? ":mod:" : "", modules->n ? modules->words[m] : "");
			write_word(text, word);
			if (write(fd, text, strlen(text)) < 0)
				r = refuse(s, file, word, -errno, err);
		}
	if (close(fd) && r >= 0)
		r = errmsg_set_errno(err, -errno, "the kernel refuses the functions for %s", file);
	return r;
}

/* Returns true for a command with a count: "vfs_open:stacktrace:2". */
static bool is_counted(const char *word)
{
	const char *colon = strrchr(word, ':');

	return colon && colon != strchr(word, ':') && colon[1] &&
	       strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

int setup_rearm_functions(struct setup *s, const struct setup_buffer *b, int switch_fd,
			  struct errmsg *err)
{
	const struct plan_words *words = &b->plan->functions;
	SCOPED(scope_close) int fd = -1;

	for (size_t i = 0; i < words->n; i++) {
		char off[1024], on[1024];

		if (!is_counted(words->words[i]))
			continue;
		if (fd < 0)
			fd = tracefs_open_file(&s->t, b->instance, "set_ftrace_filter",
					       O_WRONLY | O_APPEND);
		/* the kernel keeps counted commands separately, so include the count */
		snprintf(off, sizeof(off), "!%s\n", words->words[i]);
		snprintf(on, sizeof(on), "%s\n", words->words[i]);
		if (fd < 0 || write(fd, off, strlen(off)) < 0 || write(fd, on, strlen(on)) < 0)
			return errmsg_set_errno(err, fd < 0 ? fd : -errno, "cannot set '%s' again",
						words->words[i]);
	}
	if (switch_fd >= 0 && write(switch_fd, "1", 1) < 0)
		return errmsg_set_errno(err, -errno, "cannot turn tracing on");
	return 0;
}

/* Refuses a stack for every function of the kernel: the machine would stop responding. */
static int check_stacks(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	const struct plan_buffer *p = b->plan;
	char text[64] = "#";

	if (!s->plan->func_stack || !setup_traces_functions(b) || p->modules.n)
		return 0;
	for (size_t i = 0; i < p->functions.n; i++)
		if (!strchr(p->functions.words[i], ':') || strstr(p->functions.words[i], ":mod:"))
			return 0;
	/* set: functions may have been selected before */
	if (s->plan->keep_before &&
	    tracefs_read_short(&s->t, b->instance, "set_ftrace_filter", text, sizeof(text)) > 0 &&
	    *text != '#')
		return 0;
	return errmsg_set(err, -EINVAL,
			  "--func-stack for all functions would make the machine unusable: "
			  "name some with -l");
}

int setup_functions(struct setup *s, const struct setup_buffer *b, struct errmsg *err)
{
	static const struct plan_words none;
	const struct plan_buffer *p = b->plan;
	struct plan_words all = {.words = (char *[]){(char *)"*"}, .n = 1};

	TRY(check_stacks(s, b, err));
	if (p->modules.n && !p->functions.n)
		TRY(write_list(s, b, "set_ftrace_filter", &all, &p->modules, err));
	TRY(write_list(s, b, "set_ftrace_filter", &p->functions, &p->modules, err));
	TRY(write_list(s, b, "set_ftrace_notrace", &p->no_functions, &none, err));
	TRY(write_list(s, b, "set_graph_function", &p->graph_functions, &none, err));
	return write_list(s, b, "set_graph_notrace", &p->no_graph_functions, &none, err);
}
