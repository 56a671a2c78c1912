/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agree.h - how a recorder and a listener identify themselves and agree on their features; both
 * sides.
 */
#ifndef SONDE_WIRE_AGREE_H
#define SONDE_WIRE_AGREE_H

#include "wire/channel.h"
#include "wire/netkey.h"

struct agreement {
	int protocol; /* 1 or 3 */
	struct message_tinit init;
	struct message_ports ports; /* the recorder's side: where data goes */
	struct netkey_session key;  /* if there is one */
};

/* Up to what the recorder has to send. key may be NULL. */
int agree_as_listener(struct channel *c, const struct netkey *key, struct agreement *ret,
		      struct errmsg *err);

/*
 * The whole exchange; init says what we have to send, protocol is 1 or 3. `name` is the listener in
 * messages. -EPROTONOSUPPORT: it does not support protocol 3 and has closed the connection; connect
 * again for 1.
 */
int agree_as_recorder(struct channel *c, const struct netkey *key, const char *name,
		      struct agreement *agreed, struct errmsg *err);

#endif
