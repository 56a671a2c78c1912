// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timesync.c - runs the protocols: decides when to measure which CPU, and stores the samples.
 *
 * Messages with protocol "none": 1 PROBE (u16 CPU, in the byte order of the machine, which both
 * share), 2 STOP. Between them are the messages of the protocol itself. "kvm" has two: the guest
 * sends the time of a mark (1), the host answers with the clock parameters of that virtual CPU (2);
 * four s64, again in the machine's byte order.
 *
 * The host's thread owns the connection, the clock and the samples until timesync_finish() has
 * joined it.
 */
#include "wire/sync/timesync_int.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONTROL	       "none"
#define CONTROL_PROBE  1
#define CONTROL_STOP   2
#define KVM_REQUEST    1
#define KVM_RESPONSE   2
#define KVM_MARK       "kvm sync event"
#define KVM_CLOCK      "x86-tsc"
#define KVM_MARK_BYTES sizeof(KVM_MARK)

/*
 * --- messages ----------------------------------------------------------------------------------
 */

int sync_write(struct channel *c, const char *proto, uint32_t id, struct piece payload,
	       struct errmsg *err)
{
	struct message_out out;

	message_make_sync(&out, proto, id, payload);
	return channel_write_message(c, &out, err);
}

int sync_read(struct channel *c, const char *proto, struct message_sync *ret, struct errmsg *err)
{
	struct message msg;

	TRY(channel_read_message(c, &msg, c->timeout_ms, err));
	TRY(message_take_sync(&msg, ret, err));
	if (strcmp(ret->proto, proto))
		return errmsg_set(err, -EPROTO, "time sync continues with '%s' instead of '%s'",
				  ret->proto, proto);
	return 0;
}

/*
 * --- the guest ---------------------------------------------------------------------------------
 */

const char *timesync_choose(const char *const *offered, uint32_t n_offered)
{
	static const char *const known[] = {"kvm", "ptp"};

	for (size_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < n_offered; i++)
			if (!strcmp(offered[i], known[k]))
				return known[k];
	return NULL;
}

static void take_kvm_mark(void *arg, uint64_t ts, struct piece data)
{
	if (data.len >= KVM_MARK_BYTES && !memcmp(data.data, KVM_MARK, KVM_MARK_BYTES))
		*(uint64_t *)arg = ts;
}

static int read_kvm_mark(const struct sync_clock *clock, uint64_t *ts)
{
	TRY(clock->clear(clock->ctx));
	TRY(clock->mark(clock->ctx, KVM_MARK, KVM_MARK_BYTES));
	return clock->read(clock->ctx, take_kvm_mark, ts);
}

static int kvm_ask(struct channel *c, const struct sync_clock *clock, struct errmsg *err)
{
	int64_t packet[4] = {0};
	struct message_sync m;
	uint64_t ts = 0;
	int r = read_kvm_mark(clock, &ts);

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot mark the trace for time sync");
	packet[0] = ts;
	TRY(sync_write(c, "kvm", KVM_REQUEST, (struct piece){(uint8_t *)packet, sizeof(packet)},
		       err));
	return sync_read(c, "kvm", &m, err);
}

/* Moves the thread to a CPU, because clocks may differ between CPUs. */
static void run_on(uint32_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu < CPU_SETSIZE) {
		CPU_SET(cpu, &set);
		/* only this thread; a failure is ignored */
		sched_setaffinity(0, sizeof(set), &set);
	}
}

int timesync_answer(struct channel *c, const char *proto, const struct sync_clock *clock,
		    struct errmsg *err)
{
	bool kvm = !strcmp(proto, "kvm");
	cpu_set_t all;
	int r = 0;

	sched_getaffinity(0, sizeof(all), &all);
	for (uint32_t series = 1; !r; series++) {
		struct message_sync m;
		struct message msg;
		uint16_t cpu = 0;

		TRY(channel_read_message(c, &msg, -1, err));
		TRY(message_take_sync(&msg, &m, err));
		if (strcmp(m.proto, CONTROL) || m.id != CONTROL_PROBE)
			return 0;
		if (m.payload.len >= 2)
			memcpy(&cpu, m.payload.data, 2);
		run_on(cpu);
		r = kvm ? kvm_ask(c, clock, err) : ptp_ask(c, clock, series, err);
		sched_setaffinity(0, sizeof(all), &all);
	}
	return r;
}

/*
 * --- the host ----------------------------------------------------------------------------------
 */

struct timesync {
	struct timesync_config config;
	struct channel c;
	bool kvm;
	struct sync_cpu *cpus;
	pthread_t thread;
	bool is_running;
	int wake_fd;
	struct errmsg why;
	int result;
};

uint32_t timesync_offer(const char *clock_name, int guest_pid, const char *protos[2])
{
	struct sync_sample ignored;
	uint32_t n = 0;

	if (guest_pid > 0 && clock_name && !strcmp(clock_name, KVM_CLOCK) &&
	    !timesync_read_kvm(NULL, guest_pid, 0, &ignored))
		protos[n++] = "kvm";
	protos[n++] = "ptp";
	return n;
}

static int kvm_answer(struct timesync *s, uint32_t cpu, struct sync_sample *ret, struct errmsg *err)
{
	struct message_sync m;
	int64_t packet[4] = {0};
	int r;

	TRY(sync_read(&s->c, "kvm", &m, err));
	if (m.id != KVM_REQUEST || m.payload.len < sizeof(packet[0]))
		return errmsg_set(err, -EPROTO, "the guest sends an unknown kvm request");
	memcpy(packet, m.payload.data, sizeof(packet[0]));
	r = timesync_read_kvm(NULL, s->config.guest_pid, cpu, ret);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read the clock of virtual CPU %u", cpu);
	ret->time = packet[0];
	packet[1] = ret->offset;
	packet[2] = ret->scaling;
	packet[3] = ret->fraction;
	return sync_write(&s->c, "kvm", KVM_RESPONSE,
			  (struct piece){(uint8_t *)packet, sizeof(packet)}, err);
}

static int keep_sample(struct sync_cpu *c, const struct sync_sample *sample)
{
	if (!sample->time || !sample->offset || !sample->scaling || c->n >= TIMESYNC_SAMPLES_MAX)
		return 0;
	if (!ARRAY_ONE_MORE(c->samples, c->n, TIMESYNC_SAMPLES_MAX))
		return -ENOMEM;
	c->samples[c->n++] = *sample;
	return 0;
}

static int take_samples(struct timesync *s, struct errmsg *err)
{
	for (uint32_t i = 0; i < s->config.n_cpus; i++) {
		struct sync_sample sample = {0};
		uint16_t cpu = i;

		TRY(sync_write(&s->c, CONTROL, CONTROL_PROBE, (struct piece){(uint8_t *)&cpu, 2},
			       err));
		TRY(s->kvm ? kvm_answer(s, i, &sample, err)
			   : ptp_answer(&s->c, s->config.clock, &sample, err));
		TRY(keep_sample(&s->cpus[i], &sample));
	}
	return 0;
}

/* Takes the samples. After it was woken, it also takes the last ones. */
static void *run(void *arg)
{
	struct timesync *s = arg;
	int wait_ms = s->config.interval_ms > 0 ? s->config.interval_ms : -1, n, r;

	do {
		struct pollfd p = {s->wake_fd, POLLIN, 0};

		do
			n = poll(&p, 1, wait_ms);
		while (n < 0 && errno == EINTR);
		r = take_samples(s, &s->why);
	} while (!n && !r);
	s->result = r < 0 ? r : sync_write(&s->c, CONTROL, CONTROL_STOP, PIECE_EMPTY, &s->why);
	return NULL;
}

int timesync_open(struct timesync **ret_sync, const struct timesync_config *config,
		  struct errmsg *err)
{
	SCOPED(timesync_free_scoped) struct timesync *s = calloc(1, sizeof(*s));
	int r;

	if (!s) {
		close(config->fd);
		return errmsg_set_errno(err, -ENOMEM, "no time sync");
	}
	s->config = *config;
	channel_init(&s->c, config->fd, config->stop_fd);
	s->c.timeout_ms = TIMESYNC_STEP_MS;
	s->kvm = !strcmp(config->proto, "kvm");
	s->wake_fd = eventfd(0, EFD_CLOEXEC);
	s->cpus = calloc(config->n_cpus + 1, sizeof(*s->cpus));
	if (!s->cpus || s->wake_fd < 0)
		return errmsg_set_errno(err, -ENOMEM, "no time sync");
	if (!s->kvm && (strcmp(config->proto, "ptp") || !config->clock))
		return errmsg_set(err, -EPROTONOSUPPORT, "the guest requests the time sync '%s'",
				  config->proto);
	TRY(take_samples(s, err));
	s->c.stop_fd = -1; /* from now on the end is announced */
	s->c.timeout_ms = SYNC_LATER_MS;
	r = -pthread_create(&s->thread, NULL, run, s);
	if (r < 0)
		return errmsg_set_errno(err, r, "no time sync");
	s->is_running = true;
	*ret_sync = TAKE(s);
	return 0;
}

int timesync_finish(struct timesync *s, bool is_gone, struct errmsg *err)
{
	uint64_t one = 1;

	if (!s->is_running)
		return s->result;
	if (is_gone)
		shutdown(s->c.fd, SHUT_RDWR);
	if (write(s->wake_fd, &one, sizeof(one)) != sizeof(one))
		return errmsg_set_errno(err, -errno, "time sync does not end");
	pthread_join(s->thread, NULL);
	s->is_running = false;
	if (s->result < 0 && !err->code)
		*err = s->why;
	return s->result;
}

const struct sync_cpu *timesync_samples(const struct timesync *s, uint32_t *ret_n,
					uint32_t *ret_flags)
{
	uint32_t n = 0;

	while (n < s->config.n_cpus && s->cpus[n].n)
		n++;
	*ret_n = n;
	*ret_flags = s->kvm ? 0 : GUESTOPTS_INTERPOLATE;
	return s->cpus;
}

void timesync_free(struct timesync *s)
{
	struct errmsg ignored = {0};

	if (!s)
		return;
	timesync_finish(s, true, &ignored);
	for (uint32_t i = 0; s->cpus && i < s->config.n_cpus; i++)
		free(s->cpus[i].samples);
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	channel_release(&s->c);
	free(s->cpus);
	free(s);
}
