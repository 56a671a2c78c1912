/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histtable.h - prints the counts of a hist trigger as an aligned table with bars, or as JSON. */
#ifndef SONDE_PRESENT_RESULT_HISTTABLE_H
#define SONDE_PRESENT_RESULT_HISTTABLE_H

#include "base/textbuf.h"
#include "decode/kernelhist.h"

struct errmsg;

/* Prints one histogram. event is "sched:sched_switch". */
void histtable_fmt(const char *event, const struct kernelhist *h, struct textbuf *tb);
/* Prints one line of JSON. */
void histtable_fmt_json(const char *event, const struct kernelhist *h, struct textbuf *tb);
/*
 * Prints all histograms of an event, from the text of its file hist. json: one line of JSON for
 * each. Returns -ENOENT with a message if the event has none.
 */
int histtable_fmt_all(const char *event, const char *text, bool json, struct textbuf *out,
		      struct errmsg *err);

#endif
