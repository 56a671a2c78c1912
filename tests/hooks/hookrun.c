// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hookrun.c - runs a program with hooks in its functions, for the suite: a recorder that records
 * nothing but counts.
 *
 *	hookrun [-o FILE] [-i RULE]… [-e RULE]… RUNTIME PROGRAM ARGUMENT…
 *
 * RUNTIME is libsonde-rt.so. Every program that is started below gets hooks. Rings are never read, so
 * each thread records the first 262 000 entries and returns, and counts the rest. Exits with the program's
 * status; writes to FILE what happened.
 */
#include "base/errmsg.h"
#include "capture/user/area.h"
#include "capture/user/choice.h"
#include "capture/user/image.h"
#include "runtime/snrt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define IMAGES_MAX 64
#define PAGE	   4096ull
#define MAPS_MAX   (4u << 20)

struct run {
	struct userchoice choice;
	const char *runtime;
	int listener, rings_fd;
	struct snrt_shared *shared;
	unsigned n_programs, n_failed;
	size_t n_hooks;
	FILE *out;
};

struct target {
	char path[4096];
	uint64_t low; /* address of its first mapping */
	struct userimage *img;
	struct userimage_place place;
};

static char *read_maps(pid_t pid, size_t *ret_bytes)
{
	char path[64], *text = malloc(MAPS_MAX);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	*ret_bytes = f && text ? fread(text, 1, MAPS_MAX - 1, f) : 0;
	if (f)
		fclose(f);
	if (text)
		text[*ret_bytes] = 0;
	return text;
}

/* The files that are mapped, with their first addresses; the first is the program. */
static size_t find_files(const char *maps, struct target *targets)
{
	size_t n = 0;

	for (const char *p = maps; *p && n < IMAGES_MAX;) {
		const char *slash = strchr(p, '/'), *end = strchr(p, '\n');
		size_t len, i;

		if (!end)
			break;
		if (slash && slash < end) {
			len = end - slash;
			for (i = 0; i < n; i++)
				if (!strncmp(targets[i].path, slash, len) && !targets[i].path[len])
					break;
			if (i == n && len < sizeof(targets[i].path)) {
				memcpy(targets[n].path, slash, len);
				targets[n].path[len] = 0;
				targets[n++].low = strtoull(p, NULL, 16);
			}
		}
		p = end + 1;
	}
	return n;
}

static uint64_t page_end(uint64_t n)
{
	return (n + PAGE - 1) & ~(PAGE - 1);
}

/* Opens what is chosen, and finds places for it. */
static size_t plan_images(struct run *r, pid_t pid, struct target *kept)
{
	static struct target found[IMAGES_MAX];
	struct userarea taken[IMAGES_MAX];
	char exe[64], program[4096];
	size_t maps_bytes, n_found, n = 0;
	char *maps = read_maps(pid, &maps_bytes);
	uint32_t id = 1;
	ssize_t len;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", pid);
	len = readlink(exe, program, sizeof(program) - 1);
	program[len > 0 ? len : 0] = 0;
	n_found = maps ? find_files(maps, found) : 0;
	for (size_t i = 0; i < n_found; i++) {
		struct target *t = &found[i];
		struct errmsg err = {0};
		uint64_t low, high;

		r->choice.is_program = !strcmp(t->path, program);
		if (!userchoice_wants(&r->choice, t->path) || strstr(t->path, "ld-linux") ||
		    strstr(t->path, "libsonde-rt") ||
		    userimage_open(&t->img, t->path, -1, &r->choice, &err) < 0)
			continue;
		userimage_span(t->img, &low, &high);
		t->place.bias = t->low - (low & ~(PAGE - 1));
		t->place.first_id = id;
		if (userarea_find(maps, maps_bytes, low + t->place.bias, high + t->place.bias,
				  userimage_area_bytes(t->img), taken, n, &t->place.area) < 0) {
			fprintf(r->out, "no place for %s\n", t->path);
			userimage_close(t->img);
			continue;
		}
		taken[n] = (struct userarea){t->place.area,
					     t->place.area + userimage_area_bytes(t->img)};
		id += userimage_n_hooks(t->img);
		kept[n++] = *t;
	}
	free(maps);
	return n;
}

/* The plan's file. */
static int make_plan(struct run *r, struct target *targets, size_t n)
{
	uint64_t at = page_end(n * sizeof(struct snrt_image)), total = at;
	int fd = memfd_create("plan", 0);
	uint8_t *file;

	for (size_t i = 0; i < n; i++)
		total += page_end(userimage_n_patches(targets[i].img) * sizeof(struct snrt_patch)) +
			 userimage_area_bytes(targets[i].img);
	if (fd < 0 || ftruncate(fd, total) < 0)
		return -1;
	file = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct snrt_image *im = (struct snrt_image *)file + i;
		const struct target *t = &targets[i];

		userimage_text(t->img, &im->text, &im->text_bytes);
		im->text += t->place.bias;
		im->area = t->place.area;
		im->area_bytes = userimage_area_bytes(t->img);
		im->n_patches = userimage_n_patches(t->img);
		im->n_thunks = userimage_n_hooks(t->img);
		im->patches_at = at;
		at += page_end(im->n_patches * sizeof(struct snrt_patch));
		im->area_at = at;
		at += im->area_bytes;
		if (userimage_build(t->img, &t->place, file + im->area_at,
				    (struct snrt_patch *)(file + im->patches_at)) < 0)
			return -1;
		r->n_hooks += im->n_thunks;
	}
	munmap(file, total);
	return fd;
}

static void send_answer(int client, const struct snrt_answer *answer, const int *fds)
{
	struct iovec iov = {(void *)answer, sizeof(*answer)};
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = {0};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(c), fds, 2 * sizeof(int));
	sendmsg(client, &msg, MSG_NOSIGNAL);
}

static void serve(struct run *r, int client)
{
	static struct target targets[IMAGES_MAX];
	struct snrt_answer answer = {.magic = SNRT_MAGIC, .version = SNRT_VERSION};
	struct snrt_hello hello;
	struct ucred peer;
	socklen_t len = sizeof(peer);
	int fds[2] = {r->rings_fd, -1};

	if (recv(client, &hello, sizeof(hello), 0) != sizeof(hello) ||
	    getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return;
	answer.n_images = plan_images(r, peer.pid, targets);
	fds[1] = make_plan(r, targets, answer.n_images);
	answer.plan = ++r->n_programs;
	if (fds[1] < 0)
		r->n_failed++;
	else
		send_answer(client, &answer, fds);
	for (size_t i = 0; i < answer.n_images; i++)
		userimage_close(targets[i].img);
	if (fds[1] >= 0)
		close(fds[1]);
}

static bool open_rings(struct run *r)
{
	r->rings_fd = memfd_create("rings", 0);
	if (r->rings_fd < 0 ||
	    ftruncate(r->rings_fd, SNRT_SLOTS_AT + (off_t)SNRT_SLOTS * SNRT_SLOT_BYTES) < 0)
		return false;
	r->shared = mmap(NULL, SNRT_SLOTS_AT, PROT_READ | PROT_WRITE, MAP_SHARED, r->rings_fd, 0);
	if (r->shared == MAP_FAILED)
		return false;
	r->shared->magic = SNRT_MAGIC;
	r->shared->version = SNRT_VERSION;
	r->shared->n_slots = SNRT_SLOTS;
	r->shared->when_full = SNRT_DROP;
	r->shared->recorder_pid = getpid();
	r->shared->rings_fd = r->rings_fd;
	r->shared->enabled = 1;
	return true;
}

/* What the threads have left in their rings. */
static void report(struct run *r)
{
	static bool is_seen[SNRT_FUNC_MAX + 1];
	uint64_t n_entries = 0, n_exits = 0, n_lost = 0;
	size_t n_seen = 0;

	for (size_t i = 0; i < SNRT_SLOTS; i++) {
		uint8_t *slot;
		const struct snrt_thread *t;

		if (r->shared->state[i] == SNRT_FREE)
			continue;
		slot = mmap(NULL, SNRT_SLOT_BYTES, PROT_READ, MAP_SHARED, r->rings_fd,
			    SNRT_SLOTS_AT + (off_t)i * SNRT_SLOT_BYTES);
		if (slot == MAP_FAILED)
			continue;
		t = (const struct snrt_thread *)slot;
		n_lost += t->n_lost;
		for (uint64_t at = 0; at < t->head && at < SNRT_RING_BYTES; at += 8) {
			uint64_t word;
			uint32_t what;

			memcpy(&word, slot + SNRT_RING_AT + at, sizeof(word));
			what = word & SNRT_WHAT_MASK;
			if (what >= SNRT_LONG)
				at += 8; /* its value follows */
			if (!what || what > SNRT_FUNC_MAX)
				continue;
			n_entries += !(word & SNRT_EXIT);
			n_exits += !!(word & SNRT_EXIT);
			n_seen += !is_seen[what];
			is_seen[what] = true;
		}
		munmap(slot, SNRT_SLOT_BYTES);
	}
	fprintf(r->out,
		"programs %u\nhooks %zu\nentries %llu\nexits %llu\nlost %llu\nseen %zu\nfailures "
		"%u\n",
		r->n_programs, r->n_hooks, (unsigned long long)n_entries,
		(unsigned long long)n_exits, (unsigned long long)n_lost, n_seen,
		r->shared->failures + r->n_failed);
}

static int run(struct run *r, char **argv)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	char name[64];
	sigset_t child;
	pid_t pid;
	int status = 0, ended;

	snprintf(name, sizeof(name), "hookrun-%d", getpid());
	memcpy(addr.sun_path + 1, name, strlen(name));
	r->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (bind(r->listener, (struct sockaddr *)&addr,
		 offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name)) ||
	    listen(r->listener, 64) || !open_rings(r))
		return 127;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	ended = signalfd(-1, &child, SFD_CLOEXEC);
	pid = fork();
	if (!pid) {
		sigprocmask(SIG_UNBLOCK, &child, NULL);
		setenv("LD_PRELOAD", r->runtime, 1);
		setenv(SNRT_ENV, name, 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		struct pollfd polls[] = {{r->listener, POLLIN}, {ended, POLLIN}};
		struct signalfd_siginfo info;

		poll(polls, 2, -1);
		if (polls[1].revents && read(ended, &info, sizeof(info)) < 0)
			break;
		if (polls[0].revents & POLLIN) {
			int client = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC);

			serve(r, client);
			close(client);
		}
	}
	report(r);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct run r = {.out = stderr};
	struct errmsg err = {0};
	int c;

	while ((c = getopt(argc, argv, "+o:i:e:")) != -1) {
		if (c == 'o')
			r.out = fopen(optarg, "w");
		if ((c == 'i' || c == 'e') &&
		    userchoice_add(&r.choice, optarg, c == 'e', &err) < 0) {
			fprintf(stderr, "hookrun: %s\n", err.text);
			return 127;
		}
	}
	if (argc - optind < 2 || !r.out)
		return 127;
	r.runtime = argv[optind];
	c = run(&r, argv + optind + 1);
	userchoice_release(&r.choice);
	if (r.out != stderr)
		fclose(r.out);
	return c;
}
