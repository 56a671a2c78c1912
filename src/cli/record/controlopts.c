// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * controlopts.c - parses the options that choose among calls while they are recorded.
 *
 * They fill the request (live/request.h). Each value is checked here, with a sentence that names
 * the option; what options need of each other is checked when all are known.
 */
#include "cli/record/controlopts.h"

#include "base/errmsg.h"
#include "capture/steer/userswitch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int controlopts_min_size(void *opts, const char *value, struct errmsg *err)
{
	struct live_request *o = opts;
	char *end;
	long long n = strtoll(value, &end, 0);

	if (end == value || *end || n <= 0)
		return errmsg_set(err, -EINVAL,
				  "--user-min-size takes a number of bytes above 0, not '%s'",
				  value);
	o->user_choice.min_bytes = (uint64_t)n;
	return 0;
}

int controlopts_depth(void *opts, const char *value, struct errmsg *err)
{
	struct live_request *o = opts;
	char *end;
	long long n = strtoll(value, &end, 10);

	if (end == value || *end || n <= 0 || n > INT_MAX)
		return errmsg_set(err, -EINVAL,
				  "--user-depth takes a number of calls above 0, not '%s'", value);
	o->user_calls.depth = (uint32_t)n;
	return 0;
}

int controlopts_min_time(void *opts, const char *value, struct errmsg *err)
{
	struct live_request *o = opts;

	return callrules_set_min_time(&o->user_calls, "--user-min-time", value, err);
}

int controlopts_inside(void *opts, const char *value, struct errmsg *err)
{
	return callrules_add_only(&((struct live_request *)opts)->user_calls, value, err);
}

int controlopts_not_inside(void *opts, const char *value, struct errmsg *err)
{
	return callrules_add_never(&((struct live_request *)opts)->user_calls, value, err);
}

int controlopts_leading_to(void *opts, const char *value, struct errmsg *err)
{
	return callrules_add_target(&((struct live_request *)opts)->user_calls, value, err);
}

int controlopts_at(void *opts, const char *value, struct errmsg *err)
{
	return callrules_add(&((struct live_request *)opts)->user_calls, value, err);
}

int controlopts_signal(void *opts, const char *value, struct errmsg *err)
{
	return callrules_add_signal(&((struct live_request *)opts)->user_calls, value, err);
}

int controlopts_begin(void *opts, const char *value, struct errmsg *err)
{
	struct live_request *o = opts;

	if (strcmp(value, "on") && strcmp(value, "off"))
		return errmsg_set(err, -EINVAL, "--user-begin is on or off, not '%s'", value);
	o->user_calls.begin = strcmp(value, "on") ? CALLRULES_BEGIN_OFF : CALLRULES_BEGIN_ON;
	return 0;
}

/* "5%" or "5". */
int controlopts_budget(void *opts, const char *value, struct errmsg *err)
{
	struct live_request *o = opts;
	char *end;

	o->user_budget = strtod(value, &end);
	if (*end == '%')
		end++;
	if (end == value || *end || !(o->user_budget > 0) || o->user_budget > 10000)
		return errmsg_set(err, -EINVAL,
				  "--budget is a part of the CPU time, such as 5%%, not '%s'",
				  value);
	return 0;
}

int controlopts_check(const struct live_request *o, struct errmsg *err)
{
	if (o->user_budget > 0 && !userswitch_is_possible())
		return errmsg_set(err, -EINVAL,
				  "--budget switches functions off, which works only on x86-64");
	if (o->user_choice.min_bytes && !o->has_user)
		return errmsg_set(err, -EINVAL, "--user-min-size is for user functions; give -u");
	if (!callrules_are_empty(&o->user_calls) && !o->has_user)
		return errmsg_set(err, -EINVAL,
				  "--user-depth, --user-min-time, --inside, --not-inside, "
				  "--leading-to, --at, --signal and --user-begin are for user "
				  "functions; give -u");
	if (o->user_budget > 0 && !o->has_user)
		return errmsg_set(err, -EINVAL, "--budget is for user functions; give -u");
	return 0;
}
