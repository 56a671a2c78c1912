// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * receive.c - listens, and starts a process for each client.
 *
 *	listening sockets ─▶ accept ─▶ fork ─▶ session_run() in the child
 *	             stop_fd ─▶ stop: notifies the children and waits for them
 *
 * The children read a pipe whose other end the parent holds. The pipe ends when the parent ends,
 * even if it is killed. pidfds report the end of a child, so no signal handler is needed here.
 * Clients beyond the limit are refused at once.
 */
#include "wire/receive.h"

#include "base/errmsg.h"
#include "wire/reception_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS_MAX 256

struct client {
	pid_t pid;
	int fd; /* becomes readable when the child ends */
};

struct receiver {
	const struct receive_config *config;
	int fds[NETADDR_LISTEN_MAX];
	int n_fds;
	int end_pipe[2];
	struct client clients[CLIENTS_MAX];
	unsigned n_clients;
	bool served;		    /* at least one client was served */
	enum session_result result; /* result of the last client */
	bool is_child;		    /* this is the process of a client */
};

void receiver_free(struct receiver *r)
{
	if (!r)
		return;
	for (int i = 0; i < r->n_fds; i++)
		close(r->fds[i]);
	for (int i = 0; i < 2; i++)
		if (r->end_pipe[i] >= 0)
			close(r->end_pipe[i]);
	free(r);
}

int receiver_open(struct receiver **ret_receiver, const struct receive_config *config,
		  struct errmsg *err)
{
	struct receiver *r = calloc(1, sizeof(*r));
	int n;

	if (!r)
		return errmsg_set_errno(err, -ENOMEM, "cannot listen");
	r->config = config;
	r->end_pipe[0] = r->end_pipe[1] = -1;
	n = pipe2(r->end_pipe, O_CLOEXEC) < 0
		    ? errmsg_set_errno(err, -errno, "cannot listen")
		    : netaddr_listen_either(config->vsock, config->bind, config->port, r->fds, err);
	if (n < 0) {
		receiver_free(r);
		return n;
	}
	r->n_fds = n;
	*ret_receiver = r;
	return 0;
}

bool receiver_address(const struct receiver *r, int index, struct netaddr *ret)
{
	return index < r->n_fds && !netaddr_of_socket(r->fds[index], ret);
}

/*
 * --- clients -----------------------------------------------------------------------------------
 */

static void say(const struct receiver *r, enum receive_level level, const char *text)
{
	r->config->log(r->config->log_ctx, level, text);
}

static void serve_here(struct receiver *r, int fd)
{
	r->result = session_run(r->config, fd, r->config->stop_fd);
	r->served = true;
}

static void serve_in_child(struct receiver *r, int fd)
{
	pid_t pid = fork();

	if (pid < 0) {
		say(r, RECEIVE_ERROR, "cannot start a process for a client; refused it");
		close(fd);
		return;
	}
	if (!pid) {
		r->is_child = true;
		r->n_clients = 0;
		close(r->end_pipe[1]);
		r->end_pipe[1] = -1;
		while (r->n_fds)
			close(r->fds[--r->n_fds]);
		r->result = session_run(r->config, fd, r->end_pipe[0]);
		return;
	}
	close(fd);
	r->clients[r->n_clients++] = (struct client){pid, pidfd_open(pid, 0)};
}

static void take_client(struct receiver *r, int listen_fd)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (r->n_clients >= r->config->max_clients || r->n_clients >= CLIENTS_MAX) {
		say(r, RECEIVE_ERROR, "too many clients at once: refused one");
		close(fd);
		return;
	}
	if (r->config->serial)
		serve_here(r, fd);
	else
		serve_in_child(r, fd);
}

static void reap(struct receiver *r, unsigned index)
{
	struct client *c = &r->clients[index];
	int status = 0;

	if (waitpid(c->pid, &status, 0) == c->pid) {
		r->served = true;
		r->result = WIFEXITED(status) ? WEXITSTATUS(status) : SESSION_NONE;
		if (WIFSIGNALED(status))
			say(r, RECEIVE_ERROR,
			    "the process of a client died; the received data is in files named "
			    ".head and .cpuN, for 'sonde restore'");
	}
	if (c->fd >= 0)
		close(c->fd);
	*c = r->clients[--r->n_clients];
}

static void wait_for_clients(struct receiver *r)
{
	close(r->end_pipe[1]);
	r->end_pipe[1] = -1;
	while (r->n_clients)
		reap(r, r->n_clients - 1);
}

/* Returns 1 to continue, 0 at the end, or a negative errno if it cannot continue. */
static int step(struct receiver *r)
{
	struct pollfd fds[1 + NETADDR_LISTEN_MAX + CLIENTS_MAX] = {{r->config->stop_fd, POLLIN, 0}};
	struct pollfd *sockets = fds + 1, *clients = sockets + r->n_fds;

	/* with `once`, a second client has to wait for the next receiver */
	for (int i = 0; i < r->n_fds; i++)
		sockets[i] = (struct pollfd){r->config->once && r->n_clients ? -1 : r->fds[i],
					     POLLIN, 0};
	for (unsigned i = 0; i < r->n_clients; i++)
		clients[i] = (struct pollfd){r->clients[i].fd, POLLIN, 0};
	if (poll(fds, 1 + r->n_fds + r->n_clients, -1) < 0)
		return errno == EINTR ? 1 : -errno;
	if (fds[0].revents)
		return 0;
	for (unsigned i = r->n_clients; i-- > 0;)
		if (clients[i].revents)
			reap(r, i);
	if (r->config->once && r->served && !r->n_clients)
		return 0;
	for (int i = 0; i < r->n_fds; i++)
		if (sockets[i].revents && !r->is_child && !(r->config->once && r->n_clients))
			take_client(r, r->fds[i]);
	return !r->is_child;
}

int receiver_run(struct receiver *r, struct errmsg *err)
{
	int more;

	do
		more = r->config->once && r->config->serial && r->served ? 0 : step(r);
	while (more > 0);
	if (r->is_child)
		return r->result;
	wait_for_clients(r);
	if (more < 0)
		return errmsg_set_errno(err, more, "cannot wait for clients");
	if (!r->config->once || !r->served || r->result == SESSION_WHOLE)
		return 0;
	return errmsg_set(err, -EIO, "the client's trace %s",
			  r->result == SESSION_CUT ? "is incomplete" : "was not kept");
}
