// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * namematch.c - matches the expressions of `sonde list`, for a file and for the running kernel.
 *
 * An expression without a colon may match the name of a system, which stands for all its events, or
 * the name of an event. With a colon the first half is for systems and the second, if there is one,
 * for the events in them. This is trace-cmd's rule.
 */
#include "decode/namematch.h"

#include "base/errmsg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compile(regex_t *re, const char *text, struct errmsg *err)
{
	return regcomp(re, text, REG_ICASE | REG_NOSUB)
		       ? errmsg_set(err, -EINVAL, "list: '%s' is not a regular expression", text)
		       : 0;
}

int event_match_init(struct event_match *m, const char *text, struct errmsg *err)
{
	const char *colon = text ? strchr(text, ':') : NULL;
	char *system;
	int r;

	memset(m, 0, sizeof(*m));
	m->all = !text || !*text;
	if (m->all)
		return 0;
	system = colon ? strndup(text, colon - text) : strdup(text);
	if (!system)
		return -ENOMEM;
	m->has_event = colon && colon[1];
	m->only_systems = colon && !colon[1];
	r = compile(&m->system, system, err);
	free(system);
	if (!r && m->has_event && compile(&m->event, colon + 1, err) < 0) {
		regfree(&m->system);
		r = -EINVAL;
	}
	return r;
}

void event_match_release(struct event_match *m)
{
	if (!m->all)
		regfree(&m->system);
	if (m->has_event)
		regfree(&m->event);
}

bool event_match_test(const struct event_match *m, const char *system, const char *event)
{
	bool found;

	if (m->all)
		return true;
	found = !regexec(&m->system, system, 0, NULL, 0);
	if (m->has_event)
		return found && !regexec(&m->event, event, 0, NULL, 0);
	return found || (!m->only_systems && !regexec(&m->system, event, 0, NULL, 0));
}

int name_match_init(struct name_match *m, const char *text, struct errmsg *err)
{
	m->all = !text || !*text;
	return m->all ? 0 : compile(&m->re, text, err);
}

void name_match_release(struct name_match *m)
{
	if (!m->all)
		regfree(&m->re);
}

bool name_match_test(const struct name_match *m, const char *name)
{
	return m->all || !regexec(&m->re, name, 0, NULL, 0);
}

int list_refuse_none(const char *thing, const char *text, const char *input, struct errmsg *err)
{
	return errmsg_set(err, -ENOENT, "list: no %s of %s matches '%s'", thing,
			  input ? input : "this kernel", text);
}
