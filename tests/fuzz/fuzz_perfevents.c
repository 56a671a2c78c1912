// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_perfevents.c - any text as a list of perf events.
 *
 *	input:  the text; what follows a NUL is not looked at
 *
 * The machine has the PMUs of the host and no tracepoints. What is taken must have names and leaders
 * inside the list; what is refused must say why and leave the list as it was.
 */
#include "base/errmsg.h"
#include "capture/perf/events/perfevents.h"
#include "capture/tracefs/tracefs.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct tracefs nothing = {.root = "/nonexistent"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct perfevents_place place = {.tracefs = &nothing};
	struct perfevents list = {0};
	struct errmsg err = {0};
	char *text = strndup((const char *)data, len);
	int n = perfevents_parse_at(&place, text, &list, &err);

	if (n < 0 && (!err.text[0] || list.n))
		abort();
	if (n >= 0 && (size_t)n != list.n)
		abort();
	for (size_t i = 0; i < list.n; i++)
		if (!list.events[i].name || list.events[i].leader > i)
			abort();
	perfevents_release(&list);
	free(text);
	return 0;
}
