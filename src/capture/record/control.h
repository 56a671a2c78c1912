/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - a running recording answers questions and takes orders (sonde ctl).
 *
 *	recorder                         sonde ctl
 *	control_open                     control_list     recordings of this user
 *	    handle() in a thread  ◀────  control_ask      words in, a text out
 *	control_close
 *
 * Only the user that records, and root, are answered.
 */
#ifndef SONDE_CAPTURE_RECORD_CONTROL_H
#define SONDE_CAPTURE_RECORD_CONTROL_H

#include <stddef.h>
#include <sys/types.h>

struct control;
struct errmsg;
struct textbuf;

#define CONTROL_WORDS_MAX	 1024
#define CONTROL_MAX_BYTES	 65536 /* of a request */
#define CONTROL_ANSWER_MAX_BYTES (64u << 20)

struct control_config {
	void *ctx;
	/*
	 * Runs in the control's own thread. words ends with NULL; there is at least one. The answer
	 * goes to out; a failure is a negative errno with a sentence in err.
	 */
	int (*handle)(void *ctx, char **words, size_t n, struct textbuf *out, struct errmsg *err);
};

/* Call it when signals are blocked (endsignals.h): a thread starts. */
int control_open(struct control **ret, const struct control_config *config, struct errmsg *err);
/* c may be NULL. handle() does not run any more afterwards. */
void control_close(struct control *c);

struct control_peer {
	pid_t pid;
	char name[64]; /* of its socket */
};

/* Running recordings that may answer us; the caller frees *ret. Returns their number, or -errno. */
int control_list(struct control_peer **ret, struct errmsg *err);
/* err has the recording's sentence if it refuses. -ESRCH: it has ended meanwhile. */
int control_ask(const struct control_peer *peer, char *const *words, size_t n, struct textbuf *out,
		struct errmsg *err);

#endif
