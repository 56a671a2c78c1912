// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guestwords.c - takes the guests (-A), and the options for their agents, out of a command line.
 *
 *	record -e sched -A web@3 -e irq -b 512 -B more -e timer sleep 1
 *	       └ host ┘          └── guest ──┘ └── host again ┘ └ command
 *
 * Which words belong together is known from the rows of the options. Options for the output, and
 * for reaching guests, belong to the host even after -A.
 */
#include "cli/record/guestwords.h"

#include "base/array.h"
#include "cli/record/recordopts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How many words an option takes; 0 if the row is not found. */
static int words_of(const struct option_row *rows, const char *word)
{
	size_t len = strcspn(word, "=");
	bool is_long = word[1] == '-';

	for (const char *p = word + 1; !is_long && *p; p++)
		for (const struct option_row *r = rows; r->kind != OPTION_END; r++)
			if (r->letter == *p && r->arg && !r->arg_optional)
				return p[1] ? 1 : 2;
	for (const struct option_row *r = rows; is_long && r->kind != OPTION_END; r++)
		if (r->name && !strncmp(r->name, word + 2, len - 2) && strlen(r->name) == len - 2)
			return r->arg && !r->arg_optional && !word[len] ? 2 : 1;
	return 1;
}

/* Is it an option for the output, or for reaching guests? These are not sent to the agent. */
static bool is_ours(const char *word)
{
	static const struct option_row ours[] = {
		RECORDOPTS_FILE,
		RECORDOPTS_NETWORK,
		ROW_FLAG(0, "daemonize", NULL, 0),
		ROW_END,
	};
	size_t len = strcspn(word, "=");
	bool is_long = word[1] == '-';

	for (const struct option_row *r = ours; r->kind != OPTION_END; r++)
		if (is_long ? r->name && strlen(r->name) == len - 2 &&
				      !strncmp(r->name, word + 2, len - 2)
			    : r->letter && r->letter == word[1])
			return true;
	return false;
}

static struct guest_words *add_guest(struct guest_list *list, const char *place)
{
	if (!ARRAY_ONE_MORE(list->guests, list->n, ARRAY_NO_MAX))
		return NULL;
	list->guests[list->n] = (struct guest_words){.place = place};
	return &list->guests[list->n++];
}

static int add_word(struct guest_words *g, char *word)
{
	if (!ARRAY_ONE_MORE(g->words, g->n_words, ARRAY_NO_MAX))
		return -ENOMEM;
	g->words[g->n_words++] = word;
	return 0;
}

int guest_list_take(struct guest_list *list, const struct option_row *rows, int *argc, char **argv,
		    struct errmsg *err)
{
	struct guest_words *g = NULL;
	int n = 1, i = 1, r = 0;

	*list = (struct guest_list){0};
	while (i < *argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") && !r) {
		int take = words_of(rows, argv[i]);

		if (i + take > *argc)
			take = *argc - i;
		if (!strncmp(argv[i], "-A", 2)) {
			g = take == 2 || argv[i][2]
				    ? add_guest(list, take == 2 ? argv[i + 1] : argv[i] + 2)
				    : NULL;
			r = g ? 0 : errmsg_set(err, -EINVAL, "-A needs the name of a guest");
		} else if (g && !strcmp(argv[i], "--name") && i + 1 < *argc) {
			g->name = argv[i + 1];
			take = 2;
		} else {
			if (!strncmp(argv[i], "-B", 2))
				g = NULL;
			for (int k = 0; k < take && !r; k++)
				if (g && !is_ours(argv[i]))
					r = add_word(g, argv[i + k]);
				else
					argv[n++] = argv[i + k];
		}
		i += take;
	}
	while (i < *argc)
		argv[n++] = argv[i++];
	*argc = n;
	argv[n] = NULL;
	return r;
}

void guest_list_release(struct guest_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->guests[i].words);
	free(list->guests);
}
