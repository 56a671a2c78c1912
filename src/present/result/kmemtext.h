/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kmemtext.h - prints kernel memory by function as a table, as trace-cmd mem does, or as JSON. */
#ifndef SONDE_PRESENT_RESULT_KMEMTEXT_H
#define SONDE_PRESENT_RESULT_KMEMTEXT_H

#include "analyse/kmem.h"
#include "base/textbuf.h"

void kmemtext_fmt_head(struct textbuf *tb);
void kmemtext_fmt_row(const struct kmem_row *row, struct textbuf *tb);
/* Prints one object on one line. */
void kmemtext_fmt_json(const struct kmem_row *row, struct textbuf *tb);

#endif
