// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * switchd.c - a packet switch in small, to be probed: a thread receives, completes what was sent before, and
 * sends, every few milliseconds, in functions that are named and shaped like those of Open vSwitch and DPDK.
 *
 *	switchd N          N rounds; prints the id of the thread first, and then what every variable was
 *
 * mlx5_tx_complete is inlined into both that use it, mlx5_tx_complete_m is not. Build it with -O2 -g -pthread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct rte_mbuf {
	uint32_t len;
};

struct mlx5_txq_data {
	uint16_t elts_tail, elts_n;
	uint64_t bytes;
};

static struct mlx5_txq_data queue = {.elts_tail = 65408, .elts_n = 32};
static struct rte_mbuf mbuf = {60};
static unsigned n_rounds, n_waits;

static inline __attribute__((always_inline)) void mlx5_tx_complete(struct mlx5_txq_data *txq)
{
	uint16_t elts_free = txq->elts_tail;
	uint16_t elts_tail = elts_free + txq->elts_n;

	while (elts_free != elts_tail) {
		txq->bytes += mbuf.len;
		elts_free++;
	}
	txq->elts_tail = elts_tail;
}

__attribute__((noinline)) void mlx5_tx_complete_m(struct mlx5_txq_data *txq, unsigned round)
{
	uint16_t elts_free = txq->elts_tail;
	uint16_t elts_tail = elts_free + txq->elts_n + round % 3 * 8;

	printf("complete elts_free=%u elts_tail=%u\n", elts_free, elts_tail);
	txq->elts_tail = elts_tail;
}

__attribute__((noinline)) uint16_t mlx5_tx_burst_mpw(void *dpdk_txq, struct rte_mbuf **pkts,
						     uint16_t pkts_n)
{
	struct mlx5_txq_data *txq = dpdk_txq;

	mlx5_tx_complete(txq);
	txq->bytes += pkts[0]->len * pkts_n;
	printf("burst pkts_n=%u\n", pkts_n);
	return pkts_n;
}

__attribute__((noinline)) uint16_t mlx5_tx_burst_empw(void *dpdk_txq, uint16_t pkts_n)
{
	mlx5_tx_complete(dpdk_txq);
	return pkts_n;
}

__attribute__((noinline)) int netdev_rxq_recv(int round)
{
	return 1 + round % 4;
}

__attribute__((noinline)) void netdev_send_wait(void)
{
	n_waits++;
}

__attribute__((noinline)) int netdev_send(int n)
{
	struct rte_mbuf *pkts[] = {&mbuf};
	int sent;

	usleep(2000);
	sent = mlx5_tx_burst_mpw(&queue, pkts, n);
	sent += mlx5_tx_burst_empw(&queue, 0);
	netdev_send_wait();
	return sent;
}

__attribute__((noinline)) void netdev_linux_tap_batch_send(int n)
{
	(void)!write(1, "", n < 0);
	__asm__ volatile("");
}

static void *pmd(void *arg)
{
	printf("tid %d\n", gettid());
	fflush(stdout);
	for (unsigned i = 0; i < n_rounds; i++) {
		int n = netdev_rxq_recv(i);

		mlx5_tx_complete_m(&queue, i);
		netdev_send(n);
		netdev_linux_tap_batch_send(n);
		usleep(5000);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	n_rounds = argc == 2 ? atoi(argv[1]) : 0;
	if (!n_rounds || pthread_create(&thread, NULL, pmd, NULL))
		return 2;
	pthread_join(thread, NULL);
	fprintf(stderr, "%u waits\n", n_waits);
	return 0;
}
