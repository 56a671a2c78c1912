// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sockets.c - what sockets are, for -yy: TCP:[127.0.0.1:4000->127.0.0.1:80].
 *
 *	TCP:[12345]                            neither bound nor connected: the number of its inode
 *	TCP:[127.0.0.1:80]                     bound
 *	UNIX-STREAM:[12345->12346,"/run/x"]    the inodes of both ends, and the path
 *	NETLINK:[ROUTE:8244]
 *
 * The calls that create, bind and connect sockets say what the kernel knows of them
 * (SYSCALLEVENTS_OF_FILE). It is kept by inode: descriptors are copied and inherited, and all mean
 * the same socket.
 */
#include "base/array.h"
#include "base/map.h"
#include "decode/syscalls/text_int.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/un.h>

#define SOCKETS_MAX    65536
#define NAME_MAX_BYTES sizeof(((struct sockaddr_un *)0)->sun_path)
#define SUN_PATH       offsetof(struct sockaddr_un, sun_path)

SYSXLAT_DECLARE(netlink_protocols);

struct socket {
	struct syscallevents_file file;
	uint8_t n_name;
	uint8_t name[NAME_MAX_BYTES]; /* of a UNIX socket; one that begins with NUL is no file */
};

struct syscallsockets {
	struct map by_inode; /* struct socket */
};

struct syscallsockets *syscallsockets_new(void)
{
	return calloc(1, sizeof(struct syscallsockets));
}

void syscallsockets_free(struct syscallsockets *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->by_inode.n_slots; i++)
		free(s->by_inode.slots[i].value);
	map_release(&s->by_inode);
	free(s);
}

/* --- learning --------------------------------------------------------------------------------- */

static struct socket *take(struct syscallsockets *s, uint64_t inode)
{
	void **slot = map_take(&s->by_inode, inode, SOCKETS_MAX);

	if (slot && !*slot)
		*slot = calloc(1, sizeof(struct socket));
	return slot ? *slot : NULL;
}

/* bind() says the name. */
static void learn_name(struct printing *p, struct socket *socket)
{
	size_t n = (uint32_t)arg_of(p, 2), len;
	uint8_t when = p->when;
	const uint8_t *b;

	if (n <= SUN_PATH || n > SUN_PATH + NAME_MAX_BYTES)
		return;
	p->when = SYSCALLEVENTS_AT_ENTRY;
	b = peek(p, arg_of(p, 1), n);
	p->when = when;
	if (!b)
		return;
	n -= SUN_PATH;
	b += SUN_PATH;
	len = *b ? strnlen((const char *)b, n) : n;
	memcpy(socket->name, b, len);
	socket->n_name = (uint8_t)len;
}

/* A connection has the name of the socket that accepted it. */
static void copy_name(struct syscallsockets *s, struct socket *socket, uint64_t listener)
{
	const struct socket *from = listener ? map_find(&s->by_inode, listener) : NULL;

	if (!from)
		return;
	memcpy(socket->name, from->name, from->n_name);
	socket->n_name = from->n_name;
}

void syscallsockets_learn(struct syscallsockets *s, struct printing *p,
			  const struct syscallevents_file *file, uint64_t listener)
{
	struct socket *socket = take(s, file->inode), *peer;
	uint64_t known_peer;

	if (!socket)
		return;
	known_peer = socket->file.peer;
	socket->file = *file;
	if (!file->peer)
		socket->file.peer = known_peer;
	if (file->family != AF_UNIX)
		return;
	/* when connect() returns, the other end is nobody's yet */
	peer = file->peer ? map_find(&s->by_inode, file->peer) : NULL;
	if (peer && !peer->file.peer)
		peer->file.peer = file->inode;
	if (!strcmp(p->type->name, "bind") && !p->failed)
		learn_name(p, socket);
	else
		copy_name(s, socket, listener);
}

/* --- texts ------------------------------------------------------------------------------------ */

/* The names of the kernel's protocols, which strace shows; NULL: another family. */
static const char *protocol_of(const struct syscallevents_file *f)
{
	static const struct {
		uint16_t type, protocol;
		const char *name;
	} rows[] = {
		{SOCK_STREAM, IPPROTO_TCP, "TCP"},
		{SOCK_STREAM, IPPROTO_SCTP, "SCTP"},
		{SOCK_STREAM, 262, "MPTCP"},
		{SOCK_DGRAM, IPPROTO_UDP, "UDP"},
		{SOCK_DGRAM, IPPROTO_ICMP, "PING"},
		{SOCK_DGRAM, IPPROTO_ICMPV6, "PING"},
		{SOCK_DGRAM, IPPROTO_UDPLITE, "UDP-Lite"},
		{SOCK_DCCP, IPPROTO_DCCP, "DCCP"},
		{SOCK_SEQPACKET, IPPROTO_SCTP, "SCTP"},
	};

	if (f->family == AF_UNIX)
		return f->type == SOCK_STREAM ? "UNIX-STREAM" : "UNIX";
	if (f->family == AF_NETLINK)
		return "NETLINK";
	if (f->family != AF_INET && f->family != AF_INET6)
		return NULL;
	if (f->type == SOCK_RAW)
		return "RAW";
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].type == f->type && rows[i].protocol == f->protocol)
			return rows[i].name;
	return NULL;
}

static void add_address(struct printing *p, const struct syscallevents_file *f, bool remote)
{
	bool is_6 = f->family == AF_INET6;
	const uint8_t *b = is_6 ? remote ? f->remote6 : f->local6 : remote ? f->remote4 : f->local4;
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(f->family, b, text, sizeof(text));
	textbuf_addf(p->tb, is_6 ? "[%s]:%u" : "%s:%u", text,
		     remote ? ntohs(f->remote_port) : f->local_port);
}

static void add_unix(struct printing *p, const struct socket *socket)
{
	bool is_abstract = socket->n_name && !*socket->name;

	textbuf_addf(p->tb, "%" PRIu64, socket->file.inode);
	if (socket->file.peer)
		textbuf_addf(p->tb, "->%" PRIu64, socket->file.peer);
	if (!socket->n_name)
		return;
	add(p, is_abstract ? ",@" : ",");
	fmt_quoted(p, socket->name + is_abstract, socket->n_name - is_abstract);
}

static void add_netlink(struct printing *p, const struct syscallevents_file *f)
{
	const char *name = xlat_find(p, SYSXLAT(netlink_protocols), f->protocol);

	if (name && !strncmp(name, "NETLINK_", 8))
		textbuf_addf(p->tb, "%s:%u", name + 8, f->netlink_port);
	else
		textbuf_addf(p->tb, "%u:%u", f->protocol, f->netlink_port);
}

static void add_ends(struct printing *p, const struct syscallevents_file *f)
{
	add_address(p, f, false);
	if (f->remote_port) {
		add(p, "->");
		add_address(p, f, true);
	}
}

bool syscallsockets_fmt(struct syscallsockets *s, struct printing *p, uint64_t inode)
{
	const struct socket *socket = map_find(&s->by_inode, inode);
	const struct syscallevents_file *f = socket ? &socket->file : NULL;
	const char *name = f ? protocol_of(f) : NULL;

	if (!name)
		return false;
	textbuf_addf(p->tb, "%s%s:[", name, f->family == AF_INET6 ? "v6" : "");
	if (f->family == AF_UNIX)
		add_unix(p, socket);
	else if (f->family == AF_NETLINK && f->netlink_port)
		add_netlink(p, f);
	else if (f->family != AF_NETLINK && f->type != SOCK_RAW && f->local_port)
		add_ends(p, f);
	else
		textbuf_addf(p->tb, "%" PRIu64, inode);
	textbuf_add_char(p->tb, ']');
	return true;
}
