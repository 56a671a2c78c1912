// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * user.c - questions about functions of programs (-u), for count, latency and functions.
 *
 * The calls of the program arrive while it runs, like events of the kernel (live/feed.c). No file
 * is written. The exit status is the program's, as it is after `sonde record -u`.
 */
#include "capture/plan.h"
#include "cli/ask/gather_int.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "live/request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gather_check_user(const struct gather_options *o, bool has_command, struct errmsg *err)
{
	const struct live_request *req = &o->record;
	const struct plan *plan = &req->plan;

	if (!req->has_user)
		return 0;
	if (o->input)
		return errmsg_set(err, -EINVAL,
				  "-u traces a program that runs now; leave it out to read %s",
				  o->input);
	if (o->how && strcmp(o->how, "program"))
		return errmsg_set(err, -EINVAL,
				  "sonde itself counts functions of programs (-u); leave out "
				  "--how %s",
				  o->how);
	if (!plan_does_something(plan) &&
	    (plan->only_command || (has_command && plan->buffers[0].pids.n)))
		return errmsg_set(err, -EINVAL,
				  "--only-command and, with a command, -P are for events of the "
				  "kernel, and -u alone traces none; leave them out");
	return 0;
}

/*
 * "./dir/prog:work" becomes the rule "work@prog"; *function then begins at "prog", as the trace
 * names files without their directory. Two colons are part of a C++ name.
 */
static int make_rule(const char **function, char **ret, struct errmsg *err)
{
	const char *colon = strchr(*function, ':'), *slash;
	int n;

	if (!colon || colon == *function || colon[1] == ':') {
		n = asprintf(ret, "%s", *function);
	} else {
		slash = memrchr(*function, '/', colon - *function);
		*function = slash ? slash + 1 : *function;
		n = asprintf(ret, "%s@%.*s", colon + 1, (int)(colon - *function), *function);
	}
	if (n < 0)
		*ret = NULL;
	return n < 0 ? errmsg_set_errno(err, -ENOMEM, "cannot keep the options") : 0;
}

int gather_choose_function(struct gather_options *o, const char **function, struct errmsg *err)
{
	SCOPED(scope_free) char *rule = NULL;
	struct userchoice *choice = &o->record.user_choice;

	TRY(make_rule(function, &rule, err));
	if (choice->n_rules)
		return 0;
	choice->has_program = false;
	return userchoice_add(choice, rule, false, err);
}
