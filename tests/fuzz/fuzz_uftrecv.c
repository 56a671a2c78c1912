// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_uftrecv.c - any bytes as what a sender says to `as uftrace recv`.
 *
 * The sender is a socket that holds the input and then ends, so nothing waits. Whatever it says,
 * its files are in one directory below ours, and none is hidden or elsewhere.
 */
#include "base/errmsg.h"
#include "wire/uftrace/uftreceive.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct receiving {
	int stop[2];
	int n_ends; /* of senders, well or not */
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void end(struct receiving *r)
{
	r->n_ends++;
	check(write(r->stop[1], "", 1) == 1);
}

static void done(void *ctx, const char *path)
{
	end(ctx);
}

static void fail(void *ctx, const char *sentence)
{
	end(ctx);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	const char *name = path + where->base;

	check(where->level <= 2 && (!where->level || name[0] != '.'));
	check(where->level == 2 ? type == FTW_F : type == FTW_DP);
	return remove(path);
}

static int count(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	check(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* A listening socket, with a sender that has said everything. */
static int listen_to(const uint8_t *input, size_t n, int *ret_sender)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(address);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	*ret_sender = socket(AF_UNIX, SOCK_STREAM, 0);
	check(listener >= 0 && *ret_sender >= 0);
	/* without a name the kernel chooses one */
	check(!bind(listener, (struct sockaddr *)&address, sizeof(address.sun_family)));
	check(!listen(listener, 1) && !getsockname(listener, (struct sockaddr *)&address, &len));
	check(!connect(*ret_sender, (struct sockaddr *)&address, len));
	check(send(*ret_sender, input, n, MSG_DONTWAIT) == (ssize_t)n);
	shutdown(*ret_sender, SHUT_WR);
	return listener;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	char dir[] = "/tmp/fuzz-uftrecv-XXXXXX";
	struct receiving r = {.n_ends = 0};
	struct errmsg err = {0};
	struct uftreceive_config config = {
		.dir = dir, .n_fds = 1, .ctx = &r, .done = done, .fail = fail};
	int sender, listener = listen_to(input, n, &sender);

	check(mkdtemp(dir) && !pipe(r.stop));
	config.fds = &listener;
	config.stop = r.stop[0];
	check(!uftreceive_run(&config, &err) && r.n_ends == 1);
	check(count(dir) <= 1);
	check(!nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS));
	close(sender);
	close(listener);
	close(r.stop[0]);
	close(r.stop[1]);
	return 0;
}
