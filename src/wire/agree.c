// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * agree.c - the first messages on a connection between a recorder (▶) and a listener (◀).
 *
 *	◀ the key, if it requires one, see netkey.h       ◀ "tracecmd"
 *	protocol 3   ▶ "-1V3\0"   ◀ "V3\0"   ▶ "766679\0\0"   ◀ "OK"   ▶ TINIT   ◀ RINIT
 *	protocol 1   ▶ cpus\0 page size\0 options\0 (size\0 option)…     ◀ port,port,…\0
 *
 * A recorder that requests another version ("-1V9") gets the answer "V3" once and may try again. A
 * listener that supports only protocol 1 reads "-1V3" as a number of CPUs, finds it negative and
 * closes the connection.
 *
 * A key is never skipped: a recorder with a key disconnects if the listener does not ask for it.
 */
#include "wire/agree.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define HELLO	    "tracecmd"
#define HELLO_BYTES 8
#define WORD_BYTES  64
#define OPTION_MAX  4096
#define OPTIONS_MAX 16
#define VERSION_3   "-1V3"
#define MAGIC_3	    "766679\0" /* with the NUL of the string, 8 bytes */

/*
 * --- the listener ------------------------------------------------------------------------------
 */

static int read_word(struct channel *c, char word[WORD_BYTES], struct errmsg *err)
{
	int r = channel_read_string(c, word, WORD_BYTES);

	if (r == -EMSGSIZE)
		return errmsg_set(err, -EBADMSG, "this is not a trace-cmd client");
	return r < 0 ? channel_refuse(r, "negotiate", err) : 0;
}

static int parse_count(const char *word, uint32_t min, uint32_t max, uint32_t *ret,
		       struct errmsg *err)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(word, &end, 10);
	if (errno || *end || *word < '0' || *word > '9' || v < min || v > max)
		return errmsg_set(err, -EBADMSG,
				  "this is not a trace-cmd client, or a broken "
				  "one");
	*ret = v;
	return 0;
}

static int read_count(struct channel *c, uint32_t min, uint32_t max, uint32_t *ret,
		      struct errmsg *err)
{
	char word[WORD_BYTES];

	TRY(read_word(c, word, err));
	return parse_count(word, min, max, ret, err);
}

static int hear_1(struct channel *c, const char *cpus, struct agreement *a, struct errmsg *err)
{
	uint32_t n_options = 0, size;
	char option[OPTION_MAX];

	a->protocol = 1;
	TRY(parse_count(cpus, 1, MESSAGE_CPUS_MAX, &a->init.n_cpus, err));
	TRY(read_count(c, MESSAGE_PAGE_MIN, MESSAGE_PAGE_MAX, &a->init.page_size, err));
	TRY(read_count(c, 0, OPTIONS_MAX, &n_options, err));
	while (n_options--) {
		int r;

		TRY(read_count(c, 1, sizeof(option), &size, err));
		r = channel_read(c, option, size);
		if (r < 0)
			return channel_refuse(r, "negotiate", err);
		if (size != 4 || memcmp(option, "TCP", 4))
			return errmsg_set(err, -EBADMSG, "it requests an unknown option");
		a->init.tcp = true;
	}
	return 0;
}

static int greet_3(struct channel *c, struct errmsg *err)
{
	char magic[sizeof(MAGIC_3)];

	TRY(channel_write(c, "V3", 3));
	TRY(channel_read(c, magic, sizeof(magic)));
	if (memcmp(magic, MAGIC_3, sizeof(magic)))
		return errmsg_set(err, -EBADMSG, "this is not a trace-cmd client");
	return channel_write(c, "OK", 2);
}

static int hear_3(struct channel *c, struct agreement *a, struct errmsg *err)
{
	struct message msg;
	int r;

	a->protocol = 3;
	r = greet_3(c, err);
	if (r < 0)
		return channel_refuse(r, "negotiate", err);
	TRY(channel_read_message(c, &msg, c->timeout_ms, err));
	return message_take_tinit(&msg, &a->init, err);
}

int agree_as_listener(struct channel *c, const struct netkey *key, struct agreement *ret,
		      struct errmsg *err)
{
	char word[WORD_BYTES];
	int r = key ? netkey_ask(key, c, &ret->key, err) : 0, tries = 0;

	TRY(r);
	r = channel_write(c, HELLO, HELLO_BYTES);
	if (r < 0)
		return channel_refuse(r, "negotiate", err);
	for (;;) {
		TRY(read_word(c, word, err));
		if (!strcmp(word, VERSION_3))
			return hear_3(c, ret, err);
		if (strncmp(word, "-1V", 3))
			return hear_1(c, word, ret, err);
		if (tries++)
			return errmsg_set(err, -EPROTONOSUPPORT,
					  "it supports only another version of the protocol");
		r = channel_write(c, "V3", 3);
		if (r < 0)
			return channel_refuse(r, "negotiate", err);
	}
}

/*
 * --- the recorder ------------------------------------------------------------------------------
 */

static int refuse_hello(const char *name, struct errmsg *err)
{
	return errmsg_set(err, -EPROTO, "%s is not a listener for traces", name);
}

static int take_hello(struct channel *c, const struct netkey *key, const char *name,
		      struct agreement *a, char hello[HELLO_BYTES], struct errmsg *err)
{
	char version;

	TRY(channel_read(c, hello, HELLO_BYTES));
	if (memcmp(hello, NETKEY_HELLO, HELLO_BYTES))
		return !key ? 0
			    : errmsg_set(err, -EACCES,
					 "%s does not ask for a key; omit --key if you trust it",
					 name);
	if (!key)
		return errmsg_set(err, -EACCES, "%s requires a key: give it with --key FILE", name);
	TRY(channel_read(c, &version, 1));
	if (version != NETKEY_HELLO[HELLO_BYTES])
		return refuse_hello(name, err);
	TRY(netkey_answer(key, c, &a->key, err));
	return channel_read(c, hello, HELLO_BYTES);
}

/* Reads the listener's first message, which identifies it and shows whether it requires a key. */
static int read_hello(struct channel *c, const struct netkey *key, const char *name,
		      struct agreement *a, struct errmsg *err)
{
	char hello[HELLO_BYTES];
	int r = take_hello(c, key, name, a, hello, err);

	if (r < 0)
		return channel_refuse(r, "hear from the listener", err);
	return memcmp(hello, HELLO, sizeof(hello)) ? refuse_hello(name, err) : 0;
}

static int show_magic(struct channel *c)
{
	char ok[2];

	TRY(channel_write(c, MAGIC_3, sizeof(MAGIC_3)));
	TRY(channel_read(c, ok, sizeof(ok)));
	return memcmp(ok, "OK", 2) ? -EPROTO : 0;
}

static int offer_3(struct channel *c, struct errmsg *err)
{
	char answer[WORD_BYTES];
	int r = channel_write(c, VERSION_3, sizeof(VERSION_3));

	r = r < 0 ? r : channel_read_string(c, answer, sizeof(answer));
	if (r == -ENOTCONN || r == -ECONNRESET || r == -EPIPE || r == -EMSGSIZE ||
	    (!r && strcmp(answer, "V3")))
		return errmsg_set(err, -EPROTONOSUPPORT, "the listener is too old");
	r = r < 0 ? r : show_magic(c);
	return r < 0 ? channel_refuse(r, "agree with the listener", err) : 0;
}

static int tell_3(struct channel *c, struct agreement *a, struct errmsg *err)
{
	struct message_out out;
	struct message msg;

	TRY(offer_3(c, err));
	message_make_tinit(&out, &a->init);
	TRY(channel_write_message(c, &out, err));
	TRY(channel_read_message(c, &msg, c->timeout_ms, err));
	return message_take_rinit(&msg, &a->ports, err);
}

static int parse_ports(char *text, struct agreement *a)
{
	for (uint32_t i = 0; i < a->init.n_cpus; i++) {
		char *end;
		unsigned long port = strtoul(text, &end, 10);

		if (end == text || !port || port > 65535 ||
		    *end != (i + 1 < a->init.n_cpus ? ',' : 0))
			return -EPROTO;
		a->ports.ports[i] = port;
		text = end + 1;
	}
	a->ports.n_cpus = a->init.n_cpus;
	return 0;
}

static int tell_1(struct channel *c, const char *name, struct agreement *a, struct errmsg *err)
{
	char text[MESSAGE_CPUS_MAX * 6 + 2]; /* ports of five digits and a comma */
	int n = snprintf(text, sizeof(text), "%u%c%u%c%d%c", a->init.n_cpus, 0, a->init.page_size,
			 0, a->init.tcp, 0);
	int r;

	if (a->init.tcp) {
		memcpy(text + n, "4\0TCP", 6);
		n += 6;
	}
	r = channel_write(c, text, n);
	r = r < 0 ? r : channel_read_string(c, text, sizeof(text));
	if (r < 0)
		return channel_refuse(r, "agree with the listener", err);
	return parse_ports(text, a) < 0 ? refuse_hello(name, err) : 0;
}

int agree_as_recorder(struct channel *c, const struct netkey *key, const char *name,
		      struct agreement *agreed, struct errmsg *err)
{
	TRY(read_hello(c, key, name, agreed, err));
	return agreed->protocol == 3 ? tell_3(c, agreed, err) : tell_1(c, name, agreed, err);
}
