// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_stack.c - `sonde stack PID`: the stacks of a process now (stackpid.c). `sonde stack`: the
 * kernel's stack tracer, which keeps the deepest stack it has seen.
 *
 *	        Depth    Size   Location    (3 entries)
 *	        -----    ----   --------
 *	  0)     4112      32   __mod_node_page_state+0x12/0x90
 *	  1)     4080     160   …                                bytes in use here, bytes of this
 *	                                                         frame
 *
 * The stack tracer uses the function tracer: at each call of a function it measures how much of the
 * task's stack is in use. It measures only the task's stack. Interrupts have their own stacks on
 * most machines (16 KB for each CPU on x86-64), which it does not measure. The kernel's
 * documentation does not mention this, so the command does.
 */
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/tracefs/tracefs.h"
#include "cli/command.h"
#include "cli/kernel/stackpid.h"

#include <errno.h>
#include <stdio.h>

#define ENABLED_FILE	"/proc/sys/kernel/stack_tracer_enabled"
#define TABLE_MAX_BYTES (1u << 20)

struct stack_options {
	bool start, stop, reset, verbose;
	bool no_kernel, no_user, is_json;
};

static int apply_verbose(void *opts, const char *value, struct errmsg *err)
{
	struct stack_options *o = opts;

	o->verbose = true;
	return 0;
}

#define AT(member) offsetof(struct stack_options, member)

static const struct option_row rows[] = {
	ROW_HEADING("stacks of processes now"),
	ROW_FLAG('U', "no-kernel", "show only user stacks", AT(no_kernel)),
	ROW_FLAG('K', "no-user", "show only kernel stacks, without stopping the threads",
		 AT(no_user)),
	ROW_FLAG(0, "json", "print JSON, one object per thread", AT(is_json)),
	ROW_HEADING("the kernel's stack tracer"),
	ROW_FLAG(0, "start", "start the stack tracer", offsetof(struct stack_options, start)),
	ROW_FLAG(0, "stop", "stop the stack tracer", offsetof(struct stack_options, stop)),
	ROW_FLAG(0, "reset", "discard the deepest stack found so far",
		 offsetof(struct stack_options, reset)),
	ROW_CALL(0, "verbose", "LEVEL", "print the names of the files that are read and written",
		 apply_verbose, .arg_optional = true),
	ROW_END,
};

static int set(const struct tracefs *t, const struct stack_options *o, const char *file,
	       const char *text, struct errmsg *err)
{
	char path[TRACEFS_PATH_MAX];

	if (o->verbose)
		fprintf(stderr, "sonde: writing %s to %s\n", text,
			tracefs_fmt_path(t, "", file, path));
	return tracefs_write(t, "", file, text, TRACEFS_SET, err);
}

/* Prints the table without the kernel's comments, which explain how to switch it on with echo. */
static void print_table(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (*text != '#')
			printf("%.*s\n", (int)len, text);
		text += len + !!text[len];
	}
}

static void print_limits(void)
{
	puts("\n"
	     "Only stacks of tasks are seen. Interrupts run on stacks of their own, which this\n"
	     "tracer never looks at. For the calls made there: sonde record -p function_graph\n"
	     "-g handle_irq_event; for the bytes that each function takes: scripts/checkstack.pl\n"
	     "in the kernel's source.");
}

static int show(const struct tracefs *t, const struct stack_options *o, struct errmsg *err)
{
	long long on = tracefs_read_number(t, "", ENABLED_FILE);
	long long deepest = tracefs_read_number(t, "", "stack_max_size");
	TEXTBUF(text, TABLE_MAX_BYTES);

	if (o->verbose)
		fprintf(stderr, "sonde: reading %s, %s/stack_max_size, %s/stack_trace\n",
			ENABLED_FILE, t->root, t->root);
	if (tracefs_read_text(t, "", "stack_trace", &text, err) < 0)
		return errmsg_code(err);
	printf("The stack tracer is %s.", on > 0 ? "on" : "off");
	if (deepest > 0) {
		printf(" The deepest stack so far took %lld bytes:\n\n", deepest);
		print_table(text.start);
	} else {
		printf(" It has seen no stack yet%s\n",
		       on > 0 ? "." : ": start it with 'sonde stack --start'.");
	}
	print_limits();
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct stack_options o = {0};
	struct tracefs t;
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n);
	if (n)
		return stackpid_show(n, argv + 1,
				     &(struct stackpid_choice){.no_kernel = o.no_kernel,
							       .no_user = o.no_user,
							       .is_json = o.is_json},
				     err);
	if (o.start && o.stop)
		return errmsg_set(err, -EINVAL, "stack: --start and --stop exclude each other");
	if (tracefs_open(&t, err) < 0)
		return errmsg_code(err);
	if (!tracefs_exists(&t, "", "stack_max_size"))
		return errmsg_set(err, -ENOENT,
				  "this kernel has no stack tracer (CONFIG_STACK_TRACER)");
	if (!o.start && !o.stop && !o.reset)
		return show(&t, &o, err);
	if ((o.stop && set(&t, &o, ENABLED_FILE, "0", err) < 0) ||
	    (o.reset && set(&t, &o, "stack_max_size", "0", err) < 0) ||
	    (o.start && set(&t, &o, ENABLED_FILE, "1", err) < 0))
		return errmsg_code(err);
	return 0;
}

const struct command cmd_stack = {
	.name = "stack",
	.summary = "show the stacks of a process, or the deepest kernel stack",
	.usage = "[options] [PID…]",
	.options = rows,
	.run = run,
};
