// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calling.c - a program whose calls the page shows: each call takes long enough to be seen.
 *
 *	calling [FILE]    without FILE eight rounds, otherwise until FILE exists
 *
 * Built and recorded by t_user.mjs.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void rest(long us)
{
	nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

__attribute__((noinline)) int read_word(const char *word, int n)
{
	rest(300);
	return n * 2 + (word[0] == 'w');
}

__attribute__((noinline)) double weigh(int n, double scale)
{
	volatile double sum = 0;

	for (int i = 0; i < n * 20000; i++)
		sum = sum + scale;
	return n * scale;
}

__attribute__((noinline)) int parse_line(const char *line, int number)
{
	int sum = read_word("word", number);

	sum += (int)weigh(number + 1, 0.5);
	rest(200);
	return sum;
}

static void *second_thread(void *arg)
{
	for (int i = 0; i < 4; i++)
		weigh(i + 3, 2);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pthread_create(&thread, NULL, second_thread, NULL);
	for (int i = 0; argc > 1 ? access(argv[1], F_OK) != 0 : i < 8; i++) {
		parse_line("first <line> & \"more\"", i % 8);
		if (argc > 1)
			rest(20000);
	}
	pthread_join(thread, NULL);
	return 0;
}
