// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hookplan.c - prints how the functions of a program would be hooked, for the suite and for people.
 *
 *	hookplan [-c] [-r] [-x] [-m BYTES] [-i RULE]… [-e RULE]… FILE
 *
 *	-c	only numbers: functions, chosen, hooked, reasons, milliseconds of CPU time
 *	-r	only where the functions continue behind what was moved
 *	-x	with the bytes of thunk, body and patches, for a load at 0x10000000 and an area 0x1000000 behind it
 */
#include "base/errmsg.h"
#include "capture/user/choice.h"
#include "capture/user/image.h"
#include "capture/user/image_int.h"
#include "runtime/snrt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BIAS 0x10000000ull

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void print_bytes(const char *what, uint64_t address, const uint8_t *bytes, size_t n)
{
	printf("\t%s %llx:", what, (unsigned long long)address);
	for (size_t i = 0; i < n; i++)
		printf(" %02x", bytes[i]);
	printf("\n");
}

static void print_counts(const struct userimage *img, uint64_t open_ns, uint64_t build_ns)
{
	size_t why[USERIMAGE_N_WHY] = {0}, n_chosen = 0;

	for (size_t i = 0; i < userimage_n_functions(img); i++) {
		const struct userimage_function *f = userimage_function(img, i);

		n_chosen += f->is_chosen;
		if (f->is_chosen)
			why[f->why]++;
	}
	printf("functions %zu\nchosen %zu\nhooked %zu\npatches %zu\narea %zu\nopen_us "
	       "%llu\nbuild_us "
	       "%llu\n",
	       userimage_n_functions(img), n_chosen, userimage_n_hooks(img),
	       userimage_n_patches(img), userimage_area_bytes(img),
	       (unsigned long long)open_ns / 1000, (unsigned long long)build_ns / 1000);
	for (size_t i = 1; i < USERIMAGE_N_WHY; i++)
		if (why[i])
			printf("%zu: %s\n", why[i], userimage_reason(i));
}

static void print_resumed(const struct userimage *img)
{
	for (size_t i = 0; i < img->n_hooks; i++)
		printf("resume %llx\n", (unsigned long long)hook_resume(img, &img->hooks[i]));
}

/* The patches of a hook stand together, in the order of image.c and x86_64/arch.c. */
static void print_hook(const struct userimage *img, size_t hook,
		       const struct userimage_place *place, const uint8_t *area,
		       const struct snrt_patch *patches)
{
	const struct hook *h = &img->hooks[hook];
	size_t thunk = SNRT_HOOK_BYTES + hook * SNRT_THUNK_BYTES, first = h->first_fix + hook;
	size_t body = SNRT_HOOK_BYTES + img->n_hooks * SNRT_THUNK_BYTES + h->body_at;

	for (size_t i = 0; i < hook; i++)
		first += img->hooks[i].is_short;
	print_bytes("thunk", place->area + thunk, area + thunk, SNRT_THUNK_BYTES);
	print_bytes("body", place->area + body, area + body, h->body_bytes);
	for (size_t i = first; i < first + 1 + h->is_short + h->n_fixes; i++) {
		print_bytes("old", patches[i].addr, patches[i].old, patches[i].n_bytes);
		print_bytes("new", patches[i].addr, patches[i].new_, patches[i].n_bytes);
	}
}

static void print_functions(struct userimage *img, const struct userimage_place *place,
			    const uint8_t *area, const struct snrt_patch *patches, bool with_bytes)
{
	for (size_t i = 0; i < userimage_n_functions(img); i++) {
		const struct userimage_function *f = userimage_function(img, i);

		if (!f->is_chosen)
			continue;
		printf("%llx %u %s: %s\n", (unsigned long long)f->address, f->n_bytes,
		       userimage_name(img, i), userimage_reason(f->why));
		if (f->why == USERIMAGE_HOOKED && with_bytes)
			print_hook(img, f->hook, place, area, patches);
	}
}

int main(int argc, char **argv)
{
	struct userchoice choice = {.is_program = true};
	struct userimage_place place = {.bias = BIAS, .first_id = 1};
	struct userimage *img;
	struct errmsg err = {0};
	struct snrt_patch *patches;
	uint64_t low, high, start, open_ns, build_ns;
	uint8_t *area;
	bool only_counts = false, only_resumed = false, with_bytes = false;
	int c, r = 0;

	while ((c = getopt(argc, argv, "crxi:e:m:")) != -1) {
		only_counts |= c == 'c';
		only_resumed |= c == 'r';
		with_bytes |= c == 'x';
		if (c == 'm')
			choice.min_bytes = strtoull(optarg, NULL, 0);
		if (c == 'i' || c == 'e')
			r = userchoice_add(&choice, optarg, c == 'e', &err);
		if (r < 0 || c == '?')
			break;
	}
	if (r >= 0 && optind + 1 != argc)
		r = errmsg_set(&err, -1, "usage: hookplan [-c] [-x] [-i RULE] [-e RULE] FILE");
	start = cpu_ns();
	if (r >= 0)
		r = userimage_open(&img, argv[optind], -1, &choice, &err);
	if (r < 0) {
		fprintf(stderr, "hookplan: %s\n", err.text);
		return 1;
	}
	open_ns = cpu_ns() - start;
	userimage_span(img, &low, &high);
	place.area = ((high + BIAS) & ~4095ull) + 0x1000000;
	area = calloc(1, userimage_area_bytes(img));
	patches = calloc(userimage_n_patches(img) + 1, sizeof(*patches));
	if (!area || !patches)
		return 1;
	start = cpu_ns();
	r = userimage_build(img, &place, area, patches);
	build_ns = cpu_ns() - start;
	if (r < 0) {
		fprintf(stderr, "hookplan: cannot build: %s\n", strerror(-r));
		return 1;
	}
	if (only_counts)
		print_counts(img, open_ns, build_ns);
	else if (only_resumed)
		print_resumed(img);
	else
		print_functions(img, &place, area, patches, with_bytes);
	free(area);
	free(patches);
	userimage_close(img);
	userchoice_release(&choice);
	return 0;
}
