/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agree.h - how a recorder and a listener find out who they are and what they can; both halves.
 */
#ifndef SONDE_WIRE_AGREE_H
#define SONDE_WIRE_AGREE_H

#include "wire/channel.h"
#include "wire/netkey.h"

struct agreement {
	int protocol; /* 1 or 3 */
	struct message_tinit init;
	struct message_ports ports; /* the recorder's half: where data goes */
	struct netkey_session key;  /* if there is one */
};

/* Up to what the recorder has to send. key may be NULL. */
int agree_as_listener(struct channel *c, const struct netkey *key, struct agreement *ret,
		      struct errmsg *err);

/*
 * All of it; init says what we have to send, protocol is 1 or 3. `name` is the listener in sentences.
 * -EPROTONOSUPPORT: it does not know protocol 3 and has hung up, connect once more for 1.
 */
int agree_as_recorder(struct channel *c, const struct netkey *key, const char *name,
		      struct agreement *agreed, struct errmsg *err);

#endif
