// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libcalls.cc - a program that calls libraries in every awkward way: setjmp and longjmp, exceptions
 * that are thrown again, threads, callbacks, fork and exec. It ends with status 3.
 */
#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static jmp_buf place;

struct Guard {
	~Guard() { std::puts("guard"); }
};

__attribute__((noinline)) void thrower(int n)
{
	Guard guard;

	if (!n)
		throw std::runtime_error("thrown");
	thrower(n - 1);
}

__attribute__((noinline)) void jumper()
{
	longjmp(place, 7);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void format(int n)
{
	char text[99];

	for (int i = 0; i < 1000; i++) {
		std::snprintf(text, sizeof(text), "%d %s", n, "a text");
		if (!std::strlen(text))
			std::abort();
	}
}

static void rethrow(int i)
{
	try {
		try {
			thrower(3);
		} catch (...) {
			throw;
		}
	} catch (std::exception &e) {
		std::printf("caught %s %g\n", e.what(), std::pow(2.0, i));
	}
}

int main()
{
	int numbers[] = {3, 1, 2, 0}, status;
	std::vector<std::thread> threads;
	volatile int jumped = setjmp(place);

	if (!jumped)
		jumper();
	std::printf("jumped %d\n", jumped);
	for (int i = 0; i < 3; i++)
		rethrow(i);
	for (int i = 0; i < 4; i++)
		threads.emplace_back(format, i);
	for (auto &t : threads)
		t.join();
	qsort(numbers, 4, sizeof(int), compare);
	std::printf("%d %d\n", numbers[0], numbers[3]);
	std::fflush(stdout);
	if (!fork()) {
		execl("/bin/echo", "echo", "from exec", (char *)0);
		_exit(1);
	}
	wait(&status);
	std::printf("%s\n", std::string(100, 'x').c_str());
	return 3;
}
