// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_serve.c - digests, messages, addresses and the comparison of clocks of the network protocol.
 * Whole sessions are in tests/net/suite.
 *
 * covers: T15
 */
#include "base/errmsg.h"
#include "base/sha256.h"
#include "wire/message.h"
#include "wire/netaddr.h"
#include "wire/sync/timesync_int.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>

#include <cmocka.h>

static void assert_digest(const uint8_t digest[SHA256_BYTES], const char *hex)
{
	char text[2 * SHA256_BYTES + 1];

	for (int i = 0; i < SHA256_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	assert_string_equal(text, hex);
}

/* FIPS 180-4 and its examples. */
static void sha256_vectors(void **state)
{
	static const struct {
		const char *text, *hex;
	} rows[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};
	uint8_t digest[SHA256_BYTES];
	struct sha256 s;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		sha256_init(&s);
		sha256_add(&s, rows[i].text, strlen(rows[i].text));
		sha256_finish(&s, digest);
		assert_digest(digest, rows[i].hex);
	}
	sha256_init(&s);
	for (int i = 0; i < 1000000; i++)
		sha256_add(&s, "a", 1);
	sha256_finish(&s, digest);
	assert_digest(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* RFC 4231, cases 2 and 6: a short key, and one longer than a block. */
static void hmac_vectors(void **state)
{
	static const char *text = "Test Using Larger Than Block-Size Key - Hash Key First";
	uint8_t digest[SHA256_BYTES], other[SHA256_BYTES], key[131];
	struct hmac h;

	hmac_init(&h, "Jefe", 4);
	hmac_add(&h, "what do ya want ", 16);
	hmac_add(&h, "for nothing?", 12);
	hmac_finish(&h, digest);
	assert_digest(digest, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof(key));
	hmac_init(&h, key, sizeof(key));
	hmac_add(&h, text, strlen(text));
	hmac_finish(&h, digest);
	assert_digest(digest, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
	memcpy(other, digest, sizeof(other));
	assert_true(digest_is_same(digest, other));
	other[31] ^= 1;
	assert_false(digest_is_same(digest, other));
}

/* The bytes of a TINIT as trace-cmd 3.1.6 sends it. */
static const uint8_t tinit[] = {0, 0, 0, 28, 0,	 0, 0, 1, 0, 0, 0,   12,  0,   0,
				0, 2, 0, 0,  16, 0, 0, 0, 0, 1, 't', 'c', 'p', 0};

static void message_from_trace_cmd(void **state)
{
	struct errmsg err = {0};
	struct message_tinit t;
	struct message_out out;
	struct message m;

	assert_int_equal(message_parse((struct piece){tinit, sizeof(tinit)}, &m, &err), 28);
	assert_int_equal(message_take_tinit(&m, &t, &err), 0);
	assert_int_equal(t.n_cpus, 2);
	assert_int_equal(t.page_size, 4096);
	assert_true(t.tcp && !t.vsock && !t.sonde);
	message_make_tinit(&out, &t);
	assert_int_equal(out.len, sizeof(tinit));
	assert_memory_equal(out.bytes, tinit, sizeof(tinit));
}

static void message_in_pieces(void **state)
{
	struct errmsg err = {0};
	struct message m;

	for (size_t n = 0; n < sizeof(tinit); n++)
		assert_int_equal(message_parse((struct piece){tinit, n}, &m, &err), 0);
}

static void message_lies(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
	} rows[] = {
		{0, 1},	   /* longer than a message can be */
		{3, 11},   /* shorter than its head */
		{7, 12},   /* of an unknown kind */
		{11, 17},  /* a fixed part longer than the message: trace-cmd's hole */
		{8, 0xff}, /* much longer */
		{11, 11},  /* a fixed part that is too short */
	};
	struct message m;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint8_t bytes[sizeof(tinit)];
		struct errmsg err = {0};

		memcpy(bytes, tinit, sizeof(bytes));
		bytes[rows[i].at] = rows[i].value;
		assert_int_equal(message_parse((struct piece){bytes, sizeof(bytes)}, &m, &err),
				 -EBADMSG);
		assert_true(*err.text);
	}
}

static void message_request_and_back(void **state)
{
	struct message_request q = {.fifos = true,
				    .trace_id = 0x1122334455667788,
				    .n_args = 3,
				    .args = {"-e", "sched", ""},
				    .n_protos = 2,
				    .protos = {"kvm", "ptp"}},
			       got;
	struct errmsg err = {0};
	struct message_out out;
	struct message m;

	message_make_request(&out, &q);
	assert_false(out.overflow);
	assert_int_equal(message_parse((struct piece){out.bytes, out.len}, &m, &err), out.len);
	assert_int_equal(message_take_request(&m, &got, &err), 0);
	assert_true(got.fifos && got.trace_id == q.trace_id && got.n_args == 3);
	assert_string_equal(got.args[1], "sched");
	assert_string_equal(got.args[2], "");
	assert_int_equal(got.n_protos, 2);
	assert_string_equal(got.protos[1], "ptp");
	/* an argument that has no end */
	out.bytes[out.len - 10] = 'x';
	out.bytes[44 + 3] = 200;
	assert_true(message_parse((struct piece){out.bytes, out.len}, &m, &err) > 0);
	assert_int_equal(message_take_request(&m, &got, &err), -EBADMSG);
}

static void message_too_long(void **state)
{
	static char word[MESSAGE_MAX_BYTES];
	struct message_request q = {.n_args = 1, .args = {word}};
	struct message_out out;

	memset(word, 'x', sizeof(word) - 1);
	message_make_request(&out, &q);
	assert_true(out.overflow);
}

static void address_words(void **state)
{
	char host[32], port[8];
	struct errmsg err = {0};

	assert_int_equal(netaddr_split("a.b:12", host, 32, port, 8, &err), 0);
	assert_string_equal(host, "a.b");
	assert_string_equal(port, "12");
	assert_int_equal(netaddr_split("[::1]:12", host, 32, port, 8, &err), 0);
	assert_string_equal(host, "::1");
	assert_int_equal(netaddr_split("12", host, 32, port, 8, &err), 0);
	assert_string_equal(host, "localhost");
	assert_int_equal(netaddr_split(":12", host, 32, port, 8, &err), -EINVAL);
	err = (struct errmsg){0};
	assert_int_equal(netaddr_split("a:", host, 32, port, 8, &err), -EINVAL);
	err = (struct errmsg){0};
	assert_int_equal(netaddr_split("a:123456789", host, 32, port, 8, &err), -EINVAL);
}

static struct netaddr make_address(int family, const char *text)
{
	struct netaddr a = {0};

	a.addr.ss_family = family;
	a.len = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	inet_pton(family, text,
		  family == AF_INET ? (void *)&((struct sockaddr_in *)&a.addr)->sin_addr
				    : (void *)&((struct sockaddr_in6 *)&a.addr)->sin6_addr);
	return a;
}

static void addresses_compared(void **state)
{
	struct netaddr four = make_address(AF_INET, "127.0.0.1"),
		       wrapped = make_address(AF_INET6, "::ffff:127.0.0.1"),
		       six = make_address(AF_INET6, "::1"),
		       far = make_address(AF_INET, "192.0.2.1");
	char text[NETADDR_TEXT_BYTES];

	assert_true(netaddr_same_host(&four, &wrapped));
	assert_false(netaddr_same_host(&four, &six));
	assert_false(netaddr_same_host(&four, &far));
	assert_true(netaddr_is_loopback(&four) && netaddr_is_loopback(&wrapped));
	assert_true(netaddr_is_loopback(&six));
	assert_false(netaddr_is_loopback(&far));
	netaddr_fmt(&six, text);
	assert_string_equal(text, "[::1]:0");
	netaddr_fmt_name(&six, text);
	assert_string_equal(text, "::1:0");
	netaddr_fmt(&wrapped, text);
	assert_string_equal(text, "127.0.0.1:0");
}

/*
 * Two clocks for one comparison. Each mark takes a millisecond. The guest has to wait for a CPU
 * before it notes the first answer.
 */
struct fake_clock {
	struct sync_clock clock;
	struct channel ch;
	_Atomic uint64_t *now_ns;
	uint64_t wait_ns, rate; /* ticks per nanosecond */
	size_t n_marks;
	uint64_t times[1000];
	uint8_t marks[1000][12];
};

static int fake_clear(void *ctx)
{
	((struct fake_clock *)ctx)->n_marks = 0;
	return 0;
}

static int fake_mark(void *ctx, const void *data, size_t n)
{
	struct fake_clock *f = ctx;

	*f->now_ns += 1000000 + (f->n_marks == 1 ? f->wait_ns : 0);
	f->times[f->n_marks] = *f->now_ns * f->rate;
	memcpy(f->marks[f->n_marks++], data, sizeof(*f->marks));
	return 0;
}

static int fake_read(void *ctx, void (*take)(void *arg, uint64_t ts, struct piece data), void *arg)
{
	struct fake_clock *f = ctx;

	for (size_t i = 0; i < f->n_marks; i++)
		take(arg, f->times[i], (struct piece){f->marks[i], sizeof(*f->marks)});
	return 0;
}

static void *fake_guest(void *arg)
{
	static struct errmsg err;
	struct fake_clock *guest = arg;

	err = (struct errmsg){0};
	return ptp_ask(&guest->ch, &guest->clock, 1, &err) < 0 || err.code ? &err : NULL;
}

/* Returns the guest's error code, or 0. */
static int compare_clocks(uint64_t wait_ns, uint64_t host_rate, struct sync_sample *ret)
{
	static struct fake_clock both[2];
	_Atomic uint64_t now_ns = 1;
	struct errmsg err = {0};
	pthread_t thread;
	void *result;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	for (int i = 0; i < 2; i++) {
		both[i] = (struct fake_clock){.clock = {&both[i], fake_clear, fake_mark, fake_read},
					      .now_ns = &now_ns,
					      .rate = i ? host_rate : 1,
					      .wait_ns = i ? 0 : wait_ns};
		channel_init(&both[i].ch, fds[i], -1);
		both[i].ch.timeout_ms = 60000;
	}
	assert_int_equal(pthread_create(&thread, NULL, fake_guest, &both[0]), 0);
	assert_int_equal(ptp_answer(&both[1].ch, &both[1].clock, ret, &err), 0);
	pthread_join(thread, &result);
	for (int i = 0; i < 2; i++)
		channel_release(&both[i].ch);
	return result ? ((struct errmsg *)result)->code : 0;
}

static void clocks_compared(void **state)
{
	struct sync_sample sample;

	assert_int_equal(compare_clocks(0, 1, &sample), 0);
	assert_int_equal(sample.offset, 0);
	assert_int_equal(compare_clocks(5000000000, 1, &sample), 0);
	assert_true(sample.time);
	assert_int_equal(compare_clocks(0, 3, &sample), -EDOM);
	assert_false(sample.time);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_vectors),
		cmocka_unit_test(hmac_vectors),
		cmocka_unit_test(message_from_trace_cmd),
		cmocka_unit_test(message_in_pieces),
		cmocka_unit_test(message_lies),
		cmocka_unit_test(message_request_and_back),
		cmocka_unit_test(message_too_long),
		cmocka_unit_test(address_words),
		cmocka_unit_test(addresses_compared),
		cmocka_unit_test(clocks_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
