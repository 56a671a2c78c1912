// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * message.c - parses and makes the fields of each message, in network byte order.
 *
 *	0 CLOSE  4 FIN_DATA  5 NOT_SUPP  8 CLOSE_RESP  11 CONT     no fields
 *	1 TINIT       be32 cpus, page size, options; body: that many cstrs: "tcp", "vsock"
 *	2 RINIT       be32 cpus; body: that many ports, decimal, each a cstr
 *	3 SEND_DATA   body: the next bytes of the metadata
 *	6 TRACE_REQ   be32 flags (1: fifos), be32 unused, be64 trace id; body: parameters
 *	              (be32 id, be32 len, value): 0: be32 n, n cstrs, the arguments of record
 *	                                          1: cstrs and a NUL, names of time sync protocols
 *	7 TRACE_RESP  be32 flags, cpus, page size, be64 trace id, char[16] protocol, be32 its port;
 *	              body: ports as in RINIT
 *	9 TIME_SYNC   char[16] protocol, be32 step; body: its payload
 *	10 TRACE_PROXY  as TRACE_REQ, then be32 cpus, siblings
 *
 * sonde identifies itself by an additional cstr, "sonde", among the options of TINIT and after the
 * ports of RINIT: trace-cmd logs the first and ignores the second. In TRACE_REQ it is an additional
 * parameter without a value, which trace-cmd skips; in NOT_SUPP the body is the reason.
 *
 * A peer's numbers are never used before they are compared with the available bytes. trace-cmd
 * reads as many bytes as the size of the fixed part says into a buffer of 8 KB; here the size of
 * the message limits that size, and MESSAGE_MAX_BYTES limits the message.
 */
#include "wire/message.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FLAG_FIFOS   1
#define PARAM_ARGS   0
#define PARAM_PROTOS 1
#define PARAM_SONDE  0x736f6e64

static const struct {
	const char *name;
	uint32_t fixed_bytes;
} kinds[MESSAGE_COMMANDS] = {
	[MESSAGE_CLOSE] = {"CLOSE", 0},
	[MESSAGE_TINIT] = {"TINIT", 12},
	[MESSAGE_RINIT] = {"RINIT", 4},
	[MESSAGE_SEND_DATA] = {"SEND_DATA", 0},
	[MESSAGE_FIN_DATA] = {"FIN_DATA", 0},
	[MESSAGE_NOT_SUPP] = {"NOT_SUPP", 0},
	[MESSAGE_TRACE_REQ] = {"TRACE_REQ", 16},
	[MESSAGE_TRACE_RESP] = {"TRACE_RESP", 40},
	[MESSAGE_CLOSE_RESP] = {"CLOSE_RESP", 0},
	[MESSAGE_TIME_SYNC] = {"TIME_SYNC", 20},
	[MESSAGE_TRACE_PROXY] = {"TRACE_PROXY", 24},
	[MESSAGE_CONT] = {"CONT", 0},
};

const char *message_name(uint32_t cmd)
{
	return cmd < MESSAGE_COMMANDS ? kinds[cmd].name : "?";
}

/*
 * --- parsing -----------------------------------------------------------------------------------
 */

static struct byte_reader reader_of(struct piece p)
{
	return (struct byte_reader){p.data, p.data + p.len, !bytes_host_is_big(), false};
}

int message_parse(struct piece bytes, struct message *ret_msg, struct errmsg *err)
{
	struct byte_reader r = reader_of(bytes);
	uint32_t size, cmd, fixed;

	if (bytes.len < MESSAGE_HEAD_BYTES)
		return 0;
	size = byte_reader_take_number(&r, 4);
	cmd = byte_reader_take_number(&r, 4);
	fixed = byte_reader_take_number(&r, 4);
	if (size < MESSAGE_HEAD_BYTES || size > MESSAGE_MAX_BYTES)
		return errmsg_set(err, -EBADMSG,
				  "received a message with an invalid size of "
				  "%u bytes",
				  size);
	if (cmd >= MESSAGE_COMMANDS)
		return errmsg_set(err, -EBADMSG, "received a message of the unknown kind %u", cmd);
	if (fixed > size - MESSAGE_HEAD_BYTES || fixed < kinds[cmd].fixed_bytes)
		return errmsg_set(err, -EBADMSG,
				  "received a %s message with %u bytes and an invalid fixed "
				  "part of %u",
				  kinds[cmd].name, size, fixed);
	if (bytes.len < size)
		return 0;
	ret_msg->cmd = cmd;
	ret_msg->fixed = byte_reader_take_piece(&r, fixed);
	ret_msg->body = byte_reader_take_piece(&r, size - MESSAGE_HEAD_BYTES - fixed);
	return size;
}

static int refuse(const struct message *m, const char *what, struct errmsg *err)
{
	return errmsg_set(err, -EBADMSG, "received an invalid %s message: %s", message_name(m->cmd),
			  what);
}

static int check_kind(const struct message *m, uint32_t cmd, struct errmsg *err)
{
	if (m->cmd == cmd)
		return 0;
	return errmsg_set(err, -EBADMSG, "received a %s message instead of %s",
			  message_name(m->cmd), message_name(cmd));
}

int message_take_tinit(const struct message *m, struct message_tinit *ret, struct errmsg *err)
{
	struct byte_reader f = reader_of(m->fixed), b = reader_of(m->body);
	struct message_tinit t = {0};
	uint32_t n_options;

	TRY(check_kind(m, MESSAGE_TINIT, err));
	t.n_cpus = byte_reader_take_number(&f, 4);
	t.page_size = byte_reader_take_number(&f, 4);
	n_options = byte_reader_take_number(&f, 4);
	if (f.failed || !t.n_cpus || t.n_cpus > MESSAGE_CPUS_MAX)
		return refuse(m, "the number of CPUs is invalid", err);
	if (t.page_size < MESSAGE_PAGE_MIN || t.page_size > MESSAGE_PAGE_MAX)
		return refuse(m, "the page size is invalid", err);
	for (uint32_t i = 0; i < n_options && byte_reader_left(&b); i++) {
		const char *word = byte_reader_take_string(&b);

		if (b.failed)
			return refuse(m, "its options are truncated", err);
		t.tcp |= !strcmp(word, "tcp");
		t.vsock |= !strcmp(word, "vsock");
		t.sonde |= !strcmp(word, "sonde");
	}
	*ret = t;
	return 0;
}

static bool parse_port(const char *word, uint32_t *ret)
{
	uint64_t v = 0;

	if (!*word)
		return false;
	for (; *word; word++) {
		if (*word < '0' || *word > '9' || v > UINT32_MAX / 10)
			return false;
		v = v * 10 + (*word - '0');
	}
	*ret = v;
	return v <= UINT32_MAX;
}

static int take_ports(const struct message *m, uint32_t n_cpus, struct message_ports *ret,
		      struct errmsg *err)
{
	struct byte_reader b = reader_of(m->body);

	if (!n_cpus || n_cpus > MESSAGE_CPUS_MAX)
		return refuse(m, "the number of CPUs is invalid", err);
	for (uint32_t i = 0; i < n_cpus; i++)
		if (!parse_port(byte_reader_take_string(&b), &ret->ports[i]) || b.failed)
			return refuse(m, "its list of ports is invalid", err);
	ret->n_cpus = n_cpus;
	ret->sonde = byte_reader_left(&b) && !strcmp(byte_reader_take_string(&b), "sonde");
	return 0;
}

int message_take_rinit(const struct message *m, struct message_ports *ret, struct errmsg *err)
{
	int r = check_kind(m, MESSAGE_RINIT, err);
	struct byte_reader f = reader_of(m->fixed);

	return r < 0 ? r : take_ports(m, byte_reader_take_number(&f, 4), ret, err);
}

static int take_args(const struct message *m, struct piece value, struct message_request *q,
		     struct errmsg *err)
{
	struct byte_reader r = reader_of(value);
	uint32_t n = byte_reader_take_number(&r, 4);

	if (n > MESSAGE_ARGS_MAX)
		return refuse(m, "it has too many arguments", err);
	for (uint32_t i = 0; i < n; i++)
		q->args[i] = byte_reader_take_string(&r);
	if (r.failed)
		return refuse(m, "its arguments are truncated", err);
	q->n_args = n;
	return 0;
}

static int take_protos(const struct message *m, struct piece value, struct message_request *q,
		       struct errmsg *err)
{
	struct byte_reader r = reader_of(value);

	q->n_protos = 0;
	while (byte_reader_left(&r)) {
		const char *name = byte_reader_take_string(&r);

		if (r.failed)
			return refuse(m, "its time sync protocols are truncated", err);
		if (!*name)
			break;
		if (strlen(name) <= MESSAGE_PROTO_BYTES && q->n_protos < MESSAGE_PROTOS_MAX)
			q->protos[q->n_protos++] = name;
	}
	return 0;
}

int message_take_request(const struct message *m, struct message_request *ret, struct errmsg *err)
{
	struct byte_reader f = reader_of(m->fixed), b = reader_of(m->body);
	int r = m->cmd == MESSAGE_TRACE_PROXY ? 0 : check_kind(m, MESSAGE_TRACE_REQ, err);

	TRY(r);
	memset(ret, 0, sizeof(*ret));
	ret->fifos = byte_reader_take_number(&f, 4) & FLAG_FIFOS;
	byte_reader_take_number(&f, 4);
	ret->trace_id = byte_reader_take_number(&f, 8);
	if (m->cmd == MESSAGE_TRACE_PROXY) {
		ret->n_cpus = byte_reader_take_number(&f, 4);
		ret->n_siblings = byte_reader_take_number(&f, 4);
	}
	while (!r && byte_reader_left(&b)) {
		uint32_t id = byte_reader_take_number(&b, 4);
		struct piece value = byte_reader_take_piece(&b, byte_reader_take_number(&b, 4));

		if (b.failed)
			return refuse(m, "its parameters are truncated", err);
		if (id == PARAM_ARGS)
			r = take_args(m, value, ret, err);
		else if (id == PARAM_PROTOS)
			r = take_protos(m, value, ret, err);
		else if (id == PARAM_SONDE)
			ret->sonde = true;
	}
	return r;
}

static void take_proto(struct byte_reader *r, char proto[MESSAGE_PROTO_BYTES + 1])
{
	const uint8_t *p = byte_reader_take(r, MESSAGE_PROTO_BYTES);

	memset(proto, 0, MESSAGE_PROTO_BYTES + 1);
	if (p)
		memcpy(proto, p, strnlen((const char *)p, MESSAGE_PROTO_BYTES));
}

int message_take_response(const struct message *m, struct message_response *ret, struct errmsg *err)
{
	struct byte_reader f = reader_of(m->fixed);
	uint32_t n_cpus;

	TRY(check_kind(m, MESSAGE_TRACE_RESP, err));
	ret->fifos = byte_reader_take_number(&f, 4) & FLAG_FIFOS;
	n_cpus = byte_reader_take_number(&f, 4);
	ret->page_size = byte_reader_take_number(&f, 4);
	ret->trace_id = byte_reader_take_number(&f, 8);
	take_proto(&f, ret->proto);
	ret->sync_port = byte_reader_take_number(&f, 4);
	if (ret->page_size < MESSAGE_PAGE_MIN || ret->page_size > MESSAGE_PAGE_MAX)
		return refuse(m, "the page size is invalid", err);
	return take_ports(m, n_cpus, &ret->ports, err);
}

int message_take_sync(const struct message *m, struct message_sync *ret, struct errmsg *err)
{
	struct byte_reader f = reader_of(m->fixed);

	TRY(check_kind(m, MESSAGE_TIME_SYNC, err));
	take_proto(&f, ret->proto);
	ret->id = byte_reader_take_number(&f, 4);
	ret->payload = m->body;
	return 0;
}

void message_take_refusal(const struct message *m, char *text, size_t n_bytes)
{
	size_t n = m->cmd == MESSAGE_NOT_SUPP ? m->body.len : 0;

	n = n < n_bytes - 1 ? n : n_bytes - 1;
	for (size_t i = 0; i < n; i++) {
		uint8_t c = m->body.data[i];

		text[i] = c < ' ' || c > '~' ? '?' : c;
	}
	text[n] = 0;
}

/*
 * --- making ------------------------------------------------------------------------------------
 */

static void add(struct message_out *out, const void *data, size_t len)
{
	if (len > sizeof(out->bytes) - out->len) {
		out->overflow = true;
		return;
	}
	memcpy(out->bytes + out->len, data, len);
	out->len += len;
}

static void put32(uint8_t *to, uint32_t v)
{
	v = bytes_host_is_big() ? v : __builtin_bswap32(v);
	memcpy(to, &v, 4);
}

static void add32(struct message_out *out, uint32_t v)
{
	uint8_t bytes[4];

	put32(bytes, v);
	add(out, bytes, 4);
}

static void add64(struct message_out *out, uint64_t v)
{
	add32(out, v >> 32);
	add32(out, v);
}

static void add_str(struct message_out *out, const char *s)
{
	add(out, s, strlen(s) + 1);
}

/* Begins a message. finish() sets its size. */
static void begin(struct message_out *out, enum message_cmd cmd)
{
	out->len = 0;
	out->overflow = false;
	add32(out, MESSAGE_HEAD_BYTES);
	add32(out, cmd);
	add32(out, kinds[cmd].fixed_bytes);
}

static void finish(struct message_out *out)
{
	put32(out->bytes, out->len);
}

void message_make(struct message_out *out, enum message_cmd cmd)
{
	begin(out, cmd);
}

void message_make_refusal(struct message_out *out, const char *why)
{
	begin(out, MESSAGE_NOT_SUPP);
	add(out, why, strlen(why));
	finish(out);
}

void message_make_data(struct message_out *out, struct piece data)
{
	begin(out, MESSAGE_SEND_DATA);
	add(out, data.data, data.len);
	finish(out);
}

void message_make_tinit(struct message_out *out, const struct message_tinit *t)
{
	begin(out, MESSAGE_TINIT);
	add32(out, t->n_cpus);
	add32(out, t->page_size);
	add32(out, t->tcp + t->vsock + t->sonde);
	if (t->tcp)
		add_str(out, "tcp");
	if (t->vsock)
		add_str(out, "vsock");
	if (t->sonde)
		add_str(out, "sonde");
	finish(out);
}

static void add_ports(struct message_out *out, const struct message_ports *p)
{
	char number[16];

	for (uint32_t i = 0; i < p->n_cpus; i++) {
		snprintf(number, sizeof(number), "%u", p->ports[i]);
		add_str(out, number);
	}
	if (p->sonde)
		add_str(out, "sonde");
}

void message_make_rinit(struct message_out *out, const struct message_ports *p)
{
	begin(out, MESSAGE_RINIT);
	add32(out, p->n_cpus);
	add_ports(out, p);
	finish(out);
}

void message_make_request(struct message_out *out, const struct message_request *q)
{
	size_t len_at;

	begin(out, MESSAGE_TRACE_REQ);
	add32(out, q->fifos ? FLAG_FIFOS : 0);
	add32(out, 0);
	add64(out, q->trace_id);
	add32(out, PARAM_ARGS);
	len_at = out->len;
	add32(out, 0);
	add32(out, q->n_args);
	for (uint32_t i = 0; i < q->n_args; i++)
		add_str(out, q->args[i]);
	if (!out->overflow)
		put32(out->bytes + len_at, out->len - len_at - 4);
	if (q->n_protos) {
		add32(out, PARAM_PROTOS);
		len_at = out->len;
		add32(out, 0);
		for (uint32_t i = 0; i < q->n_protos; i++)
			add_str(out, q->protos[i]);
		add_str(out, "");
		if (!out->overflow)
			put32(out->bytes + len_at, out->len - len_at - 4);
	}
	if (q->sonde) {
		add32(out, PARAM_SONDE);
		add32(out, 0);
	}
	finish(out);
}

static void add_proto(struct message_out *out, const char *proto)
{
	char name[MESSAGE_PROTO_BYTES] = {0};

	memcpy(name, proto, strnlen(proto, sizeof(name)));
	add(out, name, sizeof(name));
}

void message_make_response(struct message_out *out, const struct message_response *p)
{
	begin(out, MESSAGE_TRACE_RESP);
	add32(out, p->fifos ? FLAG_FIFOS : 0);
	add32(out, p->ports.n_cpus);
	add32(out, p->page_size);
	add64(out, p->trace_id);
	add_proto(out, p->proto);
	add32(out, p->sync_port);
	add_ports(out, &p->ports);
	finish(out);
}

void message_make_sync(struct message_out *out, const char *proto, uint32_t id,
		       struct piece payload)
{
	begin(out, MESSAGE_TIME_SYNC);
	add_proto(out, proto);
	add32(out, id);
	add(out, payload.data, payload.len);
	finish(out);
}
