// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module.c - a kernel module to probe (built as probed.ko in the lab). Writing N to
 * /sys/module/probed/parameters/number makes it work N times; it says in the kernel's log what its variables were.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

struct inner {
	long value;
	char label[8];
};

enum colour { RED, GREEN = 5, BLUE };

struct job {
	int id;
	struct inner in;
	struct job *next;
	enum colour colour;
	unsigned low : 3, high : 5;
	int (*fn)(int number);
};

int probed_total;

noinline int probed_twice(int number)
{
	return number * 2;
}

static inline __attribute__((always_inline)) int weigh(int weight)
{
	int doubled = probed_twice(weight);

	probed_total += doubled;
	pr_info("probed weigh weight=%d doubled=%d\n", weight, doubled);
	return doubled;
}

static noinline int probed_work(struct job *job, int round)
{
	int sum = job->id;
	struct job *next = job->next;

	for (int i = 0; i < round; i++)
		sum += weigh(i + job->id);
	pr_info("probed work sum=%d value=%ld id=%d round=%d\n", sum, next->in.value, next->id,
		round);
	return sum;
}

static int set_number(const char *text, const struct kernel_param *kp)
{
	struct job second = {.id = 20,
			     .in = {.value = -7, .label = "second"},
			     .colour = GREEN,
			     .low = 6,
			     .high = 17,
			     .fn = probed_twice};
	struct job first = {.id = 10, .in = {.value = 5, .label = "first"}, .next = &second};
	int n, r = kstrtoint(text, 10, &n);

	for (int i = 1; !r && i <= n && i <= 100; i++) {
		second.in.value = -100L * i;
		if (probed_work(&first, i) < 0)
			r = -EINVAL;
	}
	return r;
}

static const struct kernel_param_ops number_ops = {.set = set_number};

module_param_cb(number, &number_ops, NULL, 0200);
MODULE_DESCRIPTION("a module to probe");
MODULE_LICENSE("GPL");
