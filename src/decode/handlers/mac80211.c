// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * mac80211.c - drv_bss_info_changed: the changes of a wireless network, in four lines.
 *
 *	phy0 vif:wlan0(2)
 *	                             …  assoc:1 aid:3 cts:0 shortpre:0 shortslot:1 dtimper:2␠
 *	                             …  bcnint:100 assoc_cap:0x411 basic_rates:0xf enable_beacon:0
 *	                             …  ht_operation_mode:0
 *
 * The event has more fields than a handler's row can name and is rare, so the fields are looked up
 * by name for each record. For a missing field only the blank is printed. Newer kernels do not have
 * the event.
 */
#include "base/array.h"
#include "decode/handlers/handler_int.h"

#define INDENT 65 /* roughly where the INFO part of a line begins */

static const struct bss_row {
	const char *name;
	bool is_hex, no_blank, begins_line;
} rows[] = {
	{"assoc", .begins_line = true},
	{"aid"},
	{"cts"},
	{"shortpre"},
	{"shortslot"},
	{"dtimper"},
	{"bcnint", .begins_line = true},
	{"assoc_cap", .is_hex = true},
	{"basic_rates", .is_hex = true},
	{"enable_beacon", .no_blank = true},
	{"ht_operation_mode", .begins_line = true, .no_blank = true},
};

static void add_text(struct printer *p, const struct event *ev, const char *name)
{
	const struct field *f = event_find_field(ev, name);
	uint64_t offset, len, v;
	const char *s;

	if (!f) {
		textbuf_addf(p->out, "NOTFOUND:%s", name);
		return;
	}
	offset = f->offset;
	len = f->size;
	if (f->flags & FIELD_DYNAMIC && !(f->flags & FIELD_RELATIVE)) {
		if (!printer_number(p, f, &v)) {
			textbuf_add_str(p->out, "invalid_data_loc");
			return;
		}
		offset = v & 0xffff;
		len = v >> 16;
	}
	if (offset > p->size)
		return;
	s = (const char *)p->data + offset;
	textbuf_add(p->out, s, strnlen(s, len < p->size - offset ? len : p->size - offset));
}

static void add_row(struct printer *p, const struct event *ev, const struct bss_row *row)
{
	uint64_t v;

	if (row->begins_line) {
		textbuf_add_char(p->out, '\n');
		textbuf_add_fill(p->out, ' ', INDENT);
	}
	if (printer_number(p, event_find_field(ev, row->name), &v))
		textbuf_addf(p->out, row->is_hex ? "%s:%#x" : "%s:%d", row->name, (int)v);
	if (!row->no_blank)
		textbuf_add_char(p->out, ' ');
}

int handle_bss_info_changed(struct printer *p, const struct event *ev, const struct record *rec)
{
	uint64_t type;

	add_text(p, ev, "wiphy_name");
	textbuf_add_str(p->out, " vif:");
	add_text(p, ev, "vif_name");
	if (handler_optional(p, ev, 0, "vif_type", &type))
		textbuf_addf(p->out, "(%d)", (int)type);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		add_row(p, ev, &rows[i]);
	return 0;
}
