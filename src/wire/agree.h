/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agree.h - lets a recorder and a listener identify themselves and agree on their features; both
 * sides.
 */
#ifndef SONDE_WIRE_AGREE_H
#define SONDE_WIRE_AGREE_H

#include "wire/channel.h"
#include "wire/netkey.h"

struct agreement {
	int protocol; /* 1 or 3 */
	struct message_tinit init;
	struct message_ports ports; /* the recorder's side: ports that receive data */
	struct netkey_session key;  /* valid if there is a key */
};

/* Runs the exchange up to the point where the recorder describes its data. key may be NULL. */
int agree_as_listener(struct channel *c, const struct netkey *key, struct agreement *ret,
		      struct errmsg *err);

/*
 * Runs the whole exchange. init describes our data, protocol is 1 or 3. `name` is the listener in
 * messages. Returns -EPROTONOSUPPORT if the listener does not support protocol 3 and has closed the
 * connection; then connect again for protocol 1.
 */
int agree_as_recorder(struct channel *c, const struct netkey *key, const char *name,
		      struct agreement *agreed, struct errmsg *err);

#endif
