// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_protocol.c - any bytes as the other end of a network connection.
 *
 *	input:  u8 role, then what the other end says
 *	role 0  messages, each taken as every kind
 *	     1  we listen        2  we listen and want a key
 *	     3  we record        4  we record, protocol 1      5  we record and have a key
 *	     6  a session's metadata, pages and late data: u16 length and that much of each
 *	     7  we are a guest whose clock is compared: u8 protocol, then messages
 *	     8  we are a host that compares clocks by ptp
 *
 * The other end is a socket that holds the input and then ends, so nothing waits. What is parsed is
 * made again and parsed once more: it must come out the same.
 */
#include "base/errmsg.h"
#include "wire/agree.h"
#include "wire/collect.h"
#include "wire/sync/timesync_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* --- messages ---------------------------------------------------------------------------------- */

static struct message parse_again(const struct message_out *out)
{
	struct errmsg err = {0};
	struct message m;

	check(!out->overflow);
	check(message_parse((struct piece){out->bytes, out->len}, &m, &err) == (int)out->len);
	return m;
}

static void try_ports(const struct message *m)
{
	static struct message_ports a, b;
	struct message_out out;
	struct errmsg err = {0};
	struct message again;

	if (message_take_rinit(m, &a, &err) < 0)
		return;
	message_make_rinit(&out, &a);
	if (out.overflow)
		return; /* ports with leading zeros get shorter, others longer: "sonde" is added */
	again = parse_again(&out);
	check(!message_take_rinit(&again, &b, &err));
	check(a.n_cpus == b.n_cpus && !memcmp(a.ports, b.ports, a.n_cpus * sizeof(*a.ports)));
}

static void try_request(const struct message *m)
{
	static struct message_request a, b;
	struct message_out out;
	struct errmsg err = {0};
	struct message again;

	if (message_take_request(m, &a, &err) < 0)
		return;
	message_make_request(&out, &a);
	if (out.overflow)
		return;
	again = parse_again(&out);
	check(!message_take_request(&again, &b, &err));
	check(a.n_args == b.n_args && a.n_protos == b.n_protos && a.trace_id == b.trace_id);
	check(a.sonde == b.sonde && a.fifos == b.fifos);
	for (uint32_t i = 0; i < a.n_args; i++)
		check(!strcmp(a.args[i], b.args[i]));
	for (uint32_t i = 0; i < a.n_protos; i++)
		check(!strcmp(a.protos[i], b.protos[i]));
}

static void try_response(const struct message *m)
{
	static struct message_response a, b;
	struct message_out out;
	struct errmsg err = {0};
	struct message again;

	if (message_take_response(m, &a, &err) < 0)
		return;
	message_make_response(&out, &a);
	if (out.overflow)
		return;
	again = parse_again(&out);
	check(!message_take_response(&again, &b, &err));
	check(a.trace_id == b.trace_id && a.sync_port == b.sync_port && !strcmp(a.proto, b.proto));
}

static void try_messages(struct piece in)
{
	while (in.len) {
		struct errmsg err = {0};
		struct message_tinit t;
		struct message_sync s;
		struct message m;
		char why[100];
		int n = message_parse(in, &m, &err);

		check(n <= (int)in.len && n <= MESSAGE_MAX_BYTES);
		if (n <= 0)
			return;
		message_take_tinit(&m, &t, &err);
		message_take_sync(&m, &s, &err);
		message_take_refusal(&m, why, sizeof(why));
		check(strlen(why) < sizeof(why));
		try_ports(&m);
		try_request(&m);
		try_response(&m);
		in.data += n;
		in.len -= n;
	}
}

/* --- roles ------------------------------------------------------------------------------------- */

/* A connection on which `in` comes and then the end. */
static int connection(struct piece in, int *ret_other)
{
	int fds[2], bytes = 1 << 20;

	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	check(send(fds[1], in.data, in.len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)in.len);
	shutdown(fds[1], SHUT_WR);
	*ret_other = fds[1];
	return fds[0];
}

static void try_agreement(int role, struct piece in)
{
	static struct agreement a;
	struct netkey key = {{1, 2, 3}};
	struct errmsg err = {0};
	struct channel c;
	struct message msg;
	int other, r;

	channel_init(&c, connection(in, &other), -1);
	a = (struct agreement){.protocol = role == 4 ? 1 : 3, .init = {2, 4096, role == 4}};
	if (role <= 2)
		r = agree_as_listener(&c, role == 2 ? &key : NULL, &a, &err);
	else
		r = agree_as_recorder(&c, role == 5 ? &key : NULL, "it", &a, &err);
	check(r <= 0 && (!r || *err.text));
	while (!r)
		r = channel_read_message(&c, &msg, 0, &err);
	channel_release(&c);
	close(other);
}

static struct piece take(struct piece *in)
{
	struct piece p = {in->data, 0};

	if (in->len < 2)
		return p;
	p.data += 2;
	p.len = in->data[0] | in->data[1] << 8;
	p.len = p.len < in->len - 2 ? p.len : in->len - 2;
	in->data = p.data + p.len;
	in->len -= p.len + 2;
	return p;
}

static void try_session(struct piece in)
{
	struct piece head = take(&in), pages = take(&in), late = take(&in);
	struct collector_result sum;
	struct errmsg err = {0};
	struct collector *c;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/fuzz-protocol-%d.dat", (int)getpid());
	unlink(path);
	check(!collector_open(&c, &(struct collector_config){path, 2, 4096, 1 << 20}, &err));
	collector_add_head(c, head, &err);
	if (!collector_start(c, &err)) {
		collector_add_bytes(c, 0, pages, false);
		collector_add_bytes(c, 1, pages, true);
		collector_add_bytes(c, 1, in, true);
		collector_add_late(c, late, &err);
		collector_flush_cpu(c, 0);
		collector_flush(c, &err);
	}
	err = (struct errmsg){0};
	collector_finish(c, &sum, &err);
	unlink(path);
	for (const char *const *s = (const char *const[]){"head", "cpu0", "cpu1", NULL}; *s; s++) {
		char part[80];

		snprintf(part, sizeof(part), "%s.%s", path, *s);
		unlink(part);
	}
}

/* --- clocks ------------------------------------------------------------------------------------ */

#define MARK_BYTES 16

/* A trace buffer that keeps marks. */
struct marks {
	uint8_t data[1024][MARK_BYTES];
	size_t n;
};

static int marks_clear(void *ctx)
{
	((struct marks *)ctx)->n = 0;
	return 0;
}

static int marks_add(void *ctx, const void *data, size_t n)
{
	struct marks *m = ctx;

	if (m->n < 1024) {
		memset(m->data[m->n], 0, MARK_BYTES);
		memcpy(m->data[m->n++], data, n < MARK_BYTES ? n : MARK_BYTES);
	}
	return 0;
}

static int marks_read(void *ctx, void (*take_mark)(void *arg, uint64_t ts, struct piece data),
		      void *arg)
{
	struct marks *m = ctx;

	for (size_t i = 0; i < m->n; i++)
		take_mark(arg, 1000 + i, (struct piece){m->data[i], MARK_BYTES});
	return 0;
}

static void try_clocks(bool is_guest, struct piece in)
{
	static struct marks marks;
	struct sync_clock clock = {&marks, marks_clear, marks_add, marks_read};
	struct sync_sample sample = {0};
	struct errmsg err = {0};
	struct channel c;
	int other, r = 0;

	if (!in.len)
		return;
	channel_init(&c, connection((struct piece){in.data + is_guest, in.len - is_guest}, &other),
		     -1);
	c.timeout_ms = 0; /* nobody reads what we say */
	if (is_guest)
		timesync_answer(&c, in.data[0] & 1 ? "kvm" : "ptp", &clock, &err);
	while (!is_guest && !r) {
		r = ptp_answer(&c, &clock, &sample, &err);
		check(r <= 0 && (!r || *err.text));
	}
	channel_release(&c);
	close(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct piece in = {input + 1, n - 1};

	if (!n)
		return 0;
	if (input[0] % 9 == 0)
		try_messages(in);
	else if (input[0] % 9 < 6)
		try_agreement(input[0] % 9, in);
	else if (input[0] % 9 == 6)
		try_session(in);
	else
		try_clocks(input[0] % 9 == 7, in);
	return 0;
}
