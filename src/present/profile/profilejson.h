/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profilejson.h - prints a profile as JSON: one object per line, first one for the trace, then one
 * for each task.
 */
#ifndef SONDE_PRESENT_PROFILE_PROFILEJSON_H
#define SONDE_PRESENT_PROFILE_PROFILEJSON_H

#include "analyse/profile/profile.h"
#include "base/textbuf.h"
#include "present/profile/profiletext.h"

void profilejson_fmt_head(const struct profile *p, const struct profile_style *style,
			  struct textbuf *tb);
void profilejson_fmt_task(const struct profile *p, const struct profile_task *t,
			  const struct profile_style *style, struct textbuf *tb);

#endif
