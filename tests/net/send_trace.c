// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send_trace.c - plays a recorder: sends the pages of a trace to a listener, as `record -N` does.
 *
 *	send_trace [-t] [-V] [-1] [-k KEY] [-c] [-x PAGES] [-w SECONDS] [-l SECONDS] HOST:PORT TRACE
 *
 *	-t  over TCP, -V over vsock, else UDP    -1  protocol 1    -c  let the other end compress
 *	-x  die without goodbye after so many pages of each CPU    -w  wait before the goodbye
 *
 *	-l  send CPU 0 over and over, until the listener is unreachable for so long; says how long it took
 *
 * The names of tasks are sent in the end, where the listener is sonde.
 */
#include "base/errmsg.h"
#include "base/textbuf.h"
#include "wire/message.h"
#include "wire/metadata.h"
#include "wire/netkey.h"
#include "wire/send.h"
#include "store/pagestream.h"
#include "store/unpack.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct options {
	struct sender_config config;
	struct netkey key;
	bool compress;
	long max_pages;
	unsigned wait_s, loss_s;
};

static struct errmsg err;

static void check(int r)
{
	if (r >= 0)
		return;
	fprintf(stderr, "send_trace: %s\n", err.text);
	exit(1);
}

static void send_head(struct sender *s, struct tracefile *tf, const struct options *o)
{
	struct metadata m = {.protocol = sender_protocol(s),
			     .compression = o->compress ? COMPRESSION_ZSTD : COMPRESSION_NONE,
			     .long_size = tf->writer_long_size,
			     .page_size = tf->page_size,
			     .n_cpus = o->config.n_cpus};
	struct tracefile_option *options = calloc(tf->n_options + 1, sizeof(*options));
	struct textbuf out;

	textbuf_init(&out, 256 << 20);
	for (int i = 0; i < TRACEFILE_TEXT_KINDS; i++)
		m.texts[i] = tracefile_text(tf, i);
	if (sender_peer_is_sonde(s) && o->max_pages < 0)
		m.texts[TRACEFILE_CMDLINES] = PIECE_EMPTY;
	for (size_t i = 0; i < tf->n_options; i++)
		if (metadata_is_portable(tf, &tf->options[i]))
			options[m.n_options++] = tf->options[i];
	m.options = options;
	metadata_fmt(&m, &out);
	check(sender_head(s, (struct piece){(uint8_t *)out.start, textbuf_len(&out)}, &err));
	textbuf_release(&out);
	free(options);
}

static void send_cpu(struct sender *s, struct tracefile *tf, size_t index, const struct options *o)
{
	const struct tracefile_buffer *b = &tf->buffers[0];
	struct unpacker *u = unpacker_new(0, 1);
	struct pagestream *ps = pagestream_new(tf, b, index, u);
	struct page page;

	for (long n = 0; pagestream_next(ps, &page) > 0 && n != o->max_pages; n++)
		if (sender_write(s, b->cpus[index].cpu, (struct piece){page.data, page.len}) < 0) {
			fprintf(stderr, "send_trace: the listener takes no more\n");
			exit(1);
		}
	pagestream_free(ps);
	unpacker_free(u);
}

static void send_late(struct sender *s, struct tracefile *tf)
{
	struct textbuf out;

	textbuf_init(&out, 16 << 20);
	metadata_fmt_late(SNF_OPTION_CMDLINES, tracefile_text(tf, TRACEFILE_CMDLINES), &out);
	check(sender_add_late(s, (struct piece){(uint8_t *)out.start, textbuf_len(&out)}, &err));
	textbuf_release(&out);
}

/* --- until it is gone --------------------------------------------------------------------------- */

struct flood {
	struct sender *s;
	struct piece page;
};

/* As a recorder's thread does it: it waits where the socket waits. */
static void *flood(void *arg)
{
	struct flood *f = arg;

	while (sender_write(f->s, 0, f->page) >= 0)
		usleep(1000);
	return NULL;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void send_until_gone(struct sender *s, struct tracefile *tf)
{
	struct unpacker *u = unpacker_new(0, 1);
	struct pagestream *ps = pagestream_new(tf, &tf->buffers[0], 0, u);
	struct flood f = {.s = s};
	struct page page;
	pthread_t thread;
	double start;

	if (pagestream_next(ps, &page) <= 0)
		exit(2);
	f.page = (struct piece){page.data, page.len};
	pthread_create(&thread, NULL, flood, &f);
	start = now();
	while (sender_check(s, &err) >= 0)
		usleep(100000);
	printf("noticed after %.1f s: %s\n", now() - start, err.text);
	pthread_join(thread, NULL);
	printf("ended after %.1f s\n", now() - start);
	sender_free(s);
	pagestream_free(ps);
	unpacker_free(u);
}

static void parse(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "tV1ck:x:w:l:")) != -1)
		switch (c) {
		case 't':
			o->config.transport = TRANSPORT_TCP;
			break;
		case 'V':
			o->config.transport = TRANSPORT_VSOCK;
			break;
		case '1':
			o->config.protocol = 1;
			break;
		case 'c':
			o->compress = true;
			break;
		case 'k':
			check(netkey_open(&o->key, optarg, &err));
			o->config.key = &o->key;
			break;
		case 'x':
			o->max_pages = atol(optarg);
			break;
		case 'w':
			o->wait_s = atoi(optarg);
			break;
		case 'l':
			o->loss_s = o->config.timeout_s = atoi(optarg);
			break;
		default:
			exit(2);
		}
	if (argc - optind != 2)
		exit(2);
}

int main(int argc, char **argv)
{
	struct options o = {.config = {.transport = TRANSPORT_UDP}, .max_pages = -1};
	char host[256], port[32];
	struct tracefile *tf;
	struct sender *s;

	parse(&o, argc, argv);
	check(netaddr_split(argv[optind], host, sizeof(host), port, sizeof(port), &err));
	check(tracefile_open(&tf, argv[optind + 1], &err));
	o.config.host = host;
	o.config.port = port;
	o.config.page_size = tf->page_size;
	o.config.n_cpus = tf->n_buffers ? tf->buffers[0].max_cpus : 1;
	check(sender_open(&s, &o.config, &err));
	printf("protocol %d%s\n", sender_protocol(s), sender_peer_is_sonde(s) ? ", sonde" : "");
	send_head(s, tf, &o);
	fflush(stdout);
	if (o.loss_s) {
		send_until_gone(s, tf);
		tracefile_close(tf);
		return 0;
	}
	for (size_t i = 0; tf->n_buffers && i < tf->buffers[0].n_cpus; i++)
		send_cpu(s, tf, i, &o);
	puts("sent");
	fflush(stdout);
	sleep(o.wait_s);
	if (o.max_pages >= 0)
		_exit(0);
	send_late(s, tf);
	check(sender_close(s, &err));
	tracefile_close(tf);
	return 0;
}
