// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lineedit.c - loads readline or libedit, and reads lines with it.
 *
 *	ppoll(stdin) ─▶ rl_callback_read_char ─▶ … ─▶ take_line
 *	     ╰ EINTR: Ctrl-C drops the line
 *
 * Both libraries have these functions, and both know only global state: their callbacks have no
 * context. So `current` is the one lineedit that reads. They must not catch signals, because Ctrl-C
 * means the query or the line, not the program; so the loop is ours, and they get characters.
 *
 * The library is not linked: sonde needs it only here, and works without it.
 */
#include "cli/sql/lineedit.h"

#include "base/array.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HISTORY_LINES 1000

typedef char *generator(const char *text, int state);

struct library {
	void *handle;
	void (*rl_callback_handler_install)(const char *prompt, void (*take)(char *line));
	void (*rl_callback_read_char)(void);
	void (*rl_callback_handler_remove)(void);
	char **(*rl_completion_matches)(const char *text, generator *next);
	void (*using_history)(void);
	void (*stifle_history)(int n);
	int (*read_history)(const char *path);
	int (*write_history)(const char *path);
	int (*add_history)(const char *line);
	/* variables */
	char **(**rl_attempted_completion_function)(const char *text, int start, int end);
	int *rl_attempted_completion_over, *rl_catch_signals;
	const char **rl_completer_word_break_characters, **rl_readline_name;
};

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
#define SYMBOL(name)                                  \
	{                                             \
#name, offsetof(struct library, name) \
	}
	SYMBOL(rl_callback_handler_install),
	SYMBOL(rl_callback_read_char),
	SYMBOL(rl_callback_handler_remove),
	SYMBOL(rl_completion_matches),
	SYMBOL(using_history),
	SYMBOL(stifle_history),
	SYMBOL(read_history),
	SYMBOL(write_history),
	SYMBOL(add_history),
	SYMBOL(rl_attempted_completion_function),
	SYMBOL(rl_attempted_completion_over),
	SYMBOL(rl_catch_signals),
	SYMBOL(rl_completer_word_break_characters),
	SYMBOL(rl_readline_name),
#undef SYMBOL
};

struct lineedit {
	struct library lib; /* handle NULL: none is installed */
	struct lineedit_config config;
	char *line;
	bool has_line;
	size_t next_word;
};

static struct lineedit *current;

/* --- the library ------------------------------------------------------------------------------ */

static void load(struct library *lib)
{
	static const char *const names[] = {"libreadline.so.8", "libedit.so.2", "libreadline.so.7"};

	for (size_t i = 0; i < ARRAY_LEN(names) && !lib->handle; i++)
		lib->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; lib->handle && i < ARRAY_LEN(symbols); i++) {
		void *symbol = dlsym(lib->handle, symbols[i].name);

		if (!symbol) {
			dlclose(lib->handle);
			*lib = (struct library){0};
			return;
		}
		memcpy((char *)lib + symbols[i].offset, &symbol, sizeof(symbol));
	}
}

/* --- completion ------------------------------------------------------------------------------- */

/* Returns the next word with this beginning, as the library wants it, or NULL. */
static char *next_match(const char *text, int state)
{
	const char *dot = strrchr(text, '.');
	size_t before = dot && dot != text ? (size_t)(dot + 1 - text) : 0, len;
	const char *word;
	char *match;

	if (!state)
		current->next_word = 0;
	text += before; /* "t.na": a column of t */
	len = strlen(text);
	while ((word = current->config.word(current->config.ctx, current->next_word++)))
		if (!strncasecmp(word, text, len)) {
			/* the library frees it */
			return asprintf(&match, "%.*s%s", (int)before, text - before, word) < 0
				       ? NULL
				       : match;
		}
	return NULL;
}

static char **complete(const char *text, int start, int end)
{
	*current->lib.rl_attempted_completion_over = 1; /* no names of files */
	return current->lib.rl_completion_matches(text, next_match);
}

/* --- lines ------------------------------------------------------------------------------------ */

int lineedit_new(struct lineedit **ret, const struct lineedit_config *config)
{
	struct lineedit *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->config = *config;
	load(&e->lib);
	*ret = current = e;
	if (!e->lib.handle)
		return 0;
	*e->lib.rl_readline_name = "sonde";
	*e->lib.rl_catch_signals = 0;
	*e->lib.rl_attempted_completion_function = complete;
	*e->lib.rl_completer_word_break_characters = " \t\n\"'(),;=<>|+-*/";
	e->lib.using_history();
	e->lib.stifle_history(HISTORY_LINES);
	if (config->history)
		e->lib.read_history(config->history);
	return 0;
}

void lineedit_free(struct lineedit *e)
{
	if (!e)
		return;
	if (e->lib.handle && e->config.history)
		e->lib.write_history(e->config.history);
	current = NULL;
	free(e->line); /* the library stays: readline cannot be unloaded while it has a history */
	free(e);
}

void lineedit_keep(struct lineedit *e, const char *line)
{
	if (e->lib.handle && *line)
		e->lib.add_history(line);
}

/* Takes ownership of the line; NULL at the end of the input. */
static void take_line(char *line)
{
	current->line = line;
	current->has_line = true;
	current->lib.rl_callback_handler_remove(); /* or it would show the prompt again */
}

/* Waits for input, and only here for Ctrl-C. Returns 1, -EINTR or another negative errno. */
static int wait_input(const sigset_t *signals)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	return ppoll(&in, 1, NULL, signals) < 0 ? -errno : 1;
}

static int read_edited(struct lineedit *e, const char *prompt, char **ret)
{
	sigset_t interrupt, before;
	int r = 1;

	/* a signal between the last look and ppoll() would wait for the next key */
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &before);
	e->has_line = false;
	e->lib.rl_callback_handler_install(prompt, take_line);
	while (r > 0 && !e->has_line) {
		r = wait_input(&before);
		if (r > 0)
			e->lib.rl_callback_read_char();
		else if (r == -EINTR && !e->config.is_interrupted(e->config.ctx))
			r = 1; /* another signal */
	}
	if (!e->has_line)
		e->lib.rl_callback_handler_remove();
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (r < 0)
		return r;
	*ret = TAKE(e->line);
	return *ret != NULL;
}

static int read_plain(struct lineedit *e, const char *prompt, char **ret)
{
	size_t cap = 0;
	ssize_t n;
	char *line = NULL;

	fputs(prompt, stdout);
	fflush(stdout);
	errno = 0;
	n = getline(&line, &cap, stdin);
	if (n < 0) {
		int r = errno == EINTR || e->config.is_interrupted(e->config.ctx) ? -EINTR : 0;

		clearerr(stdin);
		free(line);
		return r;
	}
	line[strcspn(line, "\n")] = '\0';
	*ret = line;
	return 1;
}

int lineedit_read(struct lineedit *e, const char *prompt, char **ret)
{
	return e->lib.handle ? read_edited(e, prompt, ret) : read_plain(e, prompt, ret);
}
