/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mhd.h - libmicrohttpd, loaded on demand.
 */
#ifndef SONDE_VIEW_MHD_H
#define SONDE_VIEW_MHD_H

#include "base/errmsg.h"

#include <microhttpd.h>

/* The functions in use, without their prefix MHD_. */
#define MHD_FUNCTIONS(X)               \
	X(start_daemon)                \
	X(stop_daemon)                 \
	X(get_connection_info)         \
	X(get_connection_values)       \
	X(lookup_connection_value)     \
	X(create_response_from_buffer) \
	X(add_response_header)         \
	X(queue_response)              \
	X(destroy_response)

struct mhd {
	void *library;
#define MHD_MEMBER(name) __typeof__(MHD_##name) *name;
	MHD_FUNCTIONS(MHD_MEMBER)
#undef MHD_MEMBER
};

int mhd_load(struct mhd *m, struct errmsg *err);

#endif
