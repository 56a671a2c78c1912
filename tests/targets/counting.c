// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counting.c - what counting stumbles over: memory that nobody has touched yet, none at all, long texts.
 *
 * Each page of a file is mapped anew, and look() is called with it before anything reads it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE   4096
#define ROUNDS 6

struct cold {
	long number;
	short part;
	char text[64];
};
struct holder {
	struct cold *cold;
};

__attribute__((noinline)) int look(struct cold *cold, struct holder *holder, const char *crossing)
{
	__asm__ volatile("" ::"r"(holder), "r"(crossing) : "memory");
	return cold != NULL;
}

__attribute__((noinline)) int read_text(const char *text)
{
	__asm__ volatile("" ::: "memory");
	return text[0];
}

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	static char page[PAGE], text[1024], large[3000];
	const int lengths[] = {254, 255, 256, 300, 300};

	for (int i = 0; i < ROUNDS + 1; i++) {
		struct cold *cold = (struct cold *)page;

		memset(page, 0, sizeof(page));
		cold->number = 1000 + i;
		cold->part = (short)-i;
		snprintf(cold->text, sizeof(cold->text), "text %d", i);
		memcpy(page + PAGE - 4, "abcd", 4);
		if (write(fd, page, sizeof(page)) != sizeof(page))
			return 1;
	}
	for (int i = 0; i < ROUNDS; i++) {
		char *at = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, (off_t)i * PAGE);
		struct holder holder = {(struct cold *)at};

		if (at == MAP_FAILED)
			return 1;
		look(holder.cold, &holder, at + PAGE - 3);
	}
	look(NULL, &(struct holder){NULL}, NULL);
	for (int i = 0; i < 5; i++) {
		memset(text, 'x', (size_t)lengths[i]);
		text[lengths[i]] = 0;
		text[299] = text[299] ? (char)('0' + i) : 0;
		read_text(text);
	}
	memset(large, 'y', sizeof(large) - 1); /* twice, it fits into no event */
	read_text(large);
	return 0;
}
