// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * plugin_options.c - the table of handlers' settings and how -O changes them.
 *
 *	-O parent            toggle ftrace:parent
 *	-O fgraph:depth=1    set; 0, 1, true and false are values
 *
 * As in trace-cmd, only the last request under a name is used: `-O parent` twice is the same as
 * once. But `parent` and `ftrace:parent` are two names. The name with the plugin is applied first,
 * so both together cancel each other. If two plugins have an option of the same name, both change.
 * trace-cmd toggles once for every input file, so with two files nothing happens; here the number
 * of files does not matter. trace-cmd also silently ignores unknown names and values.
 */
#include "decode/handlers/plugin_options.h"
#include "base/array.h"
#include "base/errmsg.h"

#include <errno.h>
#include <string.h>

#define MEMBER(name) offsetof(struct plugin_options, name)

static const struct plugin_option_row rows[PLUGIN_OPTIONS_N] = {
	{"ftrace", "parent", "Print parent of functions for function events",
	 .offset = MEMBER(ftrace_parent)},
	{"ftrace", "indent", "Try to show function call indents, based on parents", .is_set = true,
	 .is_inverted = true, .offset = MEMBER(ftrace_no_indent)},
	{"ftrace", "offset", "Show function names as well as their offsets",
	 .offset = MEMBER(ftrace_offset)},
	{"fgraph", "tailprint", "Print function name at function exit in function graph",
	 .offset = MEMBER(fgraph_tailprint)},
	{"fgraph", "depth", "Show the depth of each entry", .offset = MEMBER(fgraph_depth)},
};

/* The request under one name of an option, kept in plugin_options.asked. */
enum asked { ASKED_NOTHING, ASKED_SWITCH, ASKED_OFF, ASKED_ON };

const struct plugin_option_row *plugin_options_rows(size_t *ret_n)
{
	*ret_n = PLUGIN_OPTIONS_N;
	return rows;
}

static int parse_value(const char *text, enum asked *ret)
{
	static const struct {
		const char *text;
		enum asked asked;
	} values[] = {{"0", ASKED_OFF}, {"false", ASKED_OFF}, {"1", ASKED_ON}, {"true", ASKED_ON}};

	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		if (!strcmp(values[i].text, text)) {
			*ret = values[i].asked;
			return 0;
		}
	}
	return -EINVAL;
}

static bool value_after(bool before, enum asked asked)
{
	switch (asked) {
	case ASKED_SWITCH:
		return !before;
	case ASKED_OFF:
		return false;
	case ASKED_ON:
		return true;
	default:
		return before;
	}
}

static void settle(struct plugin_options *o, size_t i)
{
	bool set = value_after(value_after(rows[i].is_set, o->asked[i][1]), o->asked[i][0]);
	bool *member = (bool *)((char *)o + rows[i].offset);

	*member = set != rows[i].is_inverted;
}

int plugin_options_apply(struct plugin_options *o, const char *text, struct errmsg *err)
{
	const char *end = strchrnul(text, '='), *colon = memchr(text, ':', end - text);
	const char *name = colon ? colon + 1 : text;
	enum asked asked = ASKED_SWITCH;
	bool found = false;

	if (*end && parse_value(end + 1, &asked) < 0)
		return errmsg_set(err, -EINVAL,
				  "plugin option '%.*s' is 0, 1, true or false, not '%s'",
				  (int)(end - text), text, end + 1);
	for (size_t i = 0; i < PLUGIN_OPTIONS_N; i++) {
		const struct plugin_option_row *row = &rows[i];

		if (strlen(row->name) != (size_t)(end - name) ||
		    memcmp(row->name, name, end - name))
			continue;
		if (colon && (strlen(row->plugin) != (size_t)(colon - text) ||
			      memcmp(row->plugin, text, colon - text)))
			continue;
		o->asked[i][colon != NULL] = asked;
		settle(o, i);
		found = true;
	}
	if (!found)
		return errmsg_set(err, -EINVAL,
				  "there is no plugin option '%.*s'; 'sonde options' lists them",
				  (int)(end - text), text);
	return 0;
}
