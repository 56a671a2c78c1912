// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * instances.c - selects parts of the tracing directory, and runs an action on each part.
 *
 * Sonde checks all names before the first action, so that a wrong second name does not leave the
 * first instance changed. If an action fails, the actions on the other parts still run, and the
 * message is that of the first failure.
 */
#include "capture/tracefs/instances.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <stdio.h>
#include <string.h>

static int add_all(struct name_list *to, const struct name_list *from)
{
	int r = 0;

	for (size_t i = 0; !r && i < from->n; i++)
		r = name_list_add(to, from->names[i], strlen(from->names[i]));
	return r;
}

int instances_take(const struct tracefs *t, const struct instance_args *args,
		   struct name_list *ret_list, struct errmsg *err)
{
	struct name_list list = {0}, all = {0};
	int r = 0;

	if (args->top || (!args->all && !args->names.n))
		r = name_list_add(&list, "", 0);
	for (size_t i = 0; r >= 0 && i < args->names.n; i++)
		r = tracefs_find_instance(t, args->names.names[i], err);
	if (r >= 0 && args->all && tracefs_instances(t, &all) >= 0)
		r = add_all(&list, &all);
	else if (r >= 0)
		r = add_all(&list, &args->names);
	name_list_release(&all);
	if (r < 0)
		name_list_release(&list);
	else
		*ret_list = list;
	return r;
}

int instances_write(const struct instance_args *args, const char *file, const char *text,
		    struct errmsg *err)
{
	SCOPED(name_list_release) struct name_list list = {0};
	struct tracefs t;
	int r = 0;

	TRY(tracefs_open(&t, err));
	TRY(instances_take(&t, args, &list, err));
	for (size_t i = 0; i < list.n; i++) {
		int r2 = tracefs_write(&t, list.names[i], file, text, TRACEFS_SET, err);

		r = r2 < 0 && r >= 0 ? r2 : r;
	}
	return r;
}

const char *instances_fmt(const char *instance, char *buf, size_t n_bytes)
{
	if (*instance)
		snprintf(buf, n_bytes, "the instance %s", instance);
	else
		snprintf(buf, n_bytes, "the top level");
	return buf;
}
