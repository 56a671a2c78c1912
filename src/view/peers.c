// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * peers.c - finds the user at the other end of a loopback connection.
 *
 * Both ends of a loopback connection are sockets of this network namespace. sock_diag finds the
 * client's socket by its addresses in one step, and needs no privileges. /proc/net/tcp has the same
 * data, but it lists all sockets of the machine, and must be read for each connection.
 *
 * For a socket that its process has closed, the kernel reports no inode and user 0. This does not
 * mean root. If there is no such socket, the kernel may answer with a listening socket of that
 * port.
 */
#include "view/peers.h"
#include "base/files/caller.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct question {
	struct nlmsghdr head;
	struct inet_diag_req_v2 req;
};

union reply {
	struct nlmsghdr head;
	char bytes[1024]; /* longer messages are truncated: the attributes are not used */
};

/*
 * Finds a socket. The kernel has answered when send() returns, so this never waits. Returns -ENOENT
 * if there is no such socket.
 */
static int find_socket(struct peers *ps, const struct sockaddr_in *from,
		       const struct sockaddr_in *to, struct inet_diag_msg *ret)
{
	struct question q = {
		.head = {.nlmsg_len = sizeof(q),
			 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			 .nlmsg_flags = NLM_F_REQUEST,
			 .nlmsg_seq = ++ps->seq},
		.req = {.sdiag_family = AF_INET,
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_states = ~0u},
	};
	const struct nlmsgerr *no;
	union reply a;
	ssize_t n;

	q.req.id = (struct inet_diag_sockid){.idiag_sport = from->sin_port,
					     .idiag_dport = to->sin_port,
					     .idiag_src = {from->sin_addr.s_addr},
					     .idiag_dst = {to->sin_addr.s_addr},
					     .idiag_cookie = {~0u, ~0u}};
	if (send(ps->fd, &q, sizeof(q), MSG_DONTWAIT) < 0)
		return -errno;
	do {
		n = recv(ps->fd, &a, sizeof(a), MSG_DONTWAIT);
		if (n < 0)
			return -errno;
	} while (n < (ssize_t)sizeof(a.head) || a.head.nlmsg_seq != ps->seq);
	if (a.head.nlmsg_type == NLMSG_ERROR && n >= (ssize_t)NLMSG_LENGTH(sizeof(*no))) {
		no = NLMSG_DATA(&a.head);
		return no->error < 0 ? no->error : -EPROTO;
	}
	if (a.head.nlmsg_type != SOCK_DIAG_BY_FAMILY || n < (ssize_t)NLMSG_LENGTH(sizeof(*ret)))
		return -EPROTO;
	memcpy(ret, NLMSG_DATA(&a.head), sizeof(*ret));
	return 0;
}

void peers_open(struct peers *ps, const struct sockaddr_in *server)
{
	/* connect to the kernel, so that no other process can put an answer into the queue */
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	struct inet_diag_msg found;
	struct caller c;

	*ps = (struct peers){.server = *server, .self = geteuid(), .caller = getuid()};
	if (caller_find(&c))
		ps->caller = c.uid;
	ps->fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (ps->fd < 0)
		return;
	/*
	 * check that the kernel finds the listening socket; otherwise a later "no such socket" has
	 * no meaning
	 */
	if (connect(ps->fd, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0 ||
	    find_socket(ps, server, &(struct sockaddr_in){0}, &found) < 0 ||
	    found.idiag_state != TCP_LISTEN)
		peers_close(ps);
}

void peers_close(struct peers *ps)
{
	if (ps->fd >= 0)
		close(ps->fd);
	ps->fd = -1;
}

bool peers_is_other(struct peers *ps, const struct sockaddr_in *client)
{
	struct inet_diag_msg found;
	int r;

	if (ps->fd < 0)
		return false;
	r = find_socket(ps, client, &ps->server, &found);
	if (r < 0)
		return r == -ENOENT;
	if (found.idiag_state == TCP_LISTEN || !found.idiag_inode)
		return true;
	return found.idiag_uid != 0 && found.idiag_uid != ps->self && found.idiag_uid != ps->caller;
}
