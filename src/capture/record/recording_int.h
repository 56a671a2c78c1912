/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording_int.h - declarations that recording.c and recording_options.c share. */
#ifndef SONDE_CAPTURE_RECORD_RECORDING_INT_H
#define SONDE_CAPTURE_RECORD_RECORDING_INT_H

#include "capture/record/recording.h"
#include "format/bytes.h"

/* Passes every option that is known at the start to put(). */
int recording_options(struct session *s, const struct recording_config *config,
		      int (*put)(void *ctx, uint16_t id, struct piece data, struct errmsg *err),
		      void *ctx, struct errmsg *err);

/* Passes the processes that the census has found so far to put(). */
int recording_processes(struct session *s,
			int (*put)(void *ctx, uint16_t id, struct piece data, struct errmsg *err),
			void *ctx, struct errmsg *err);

#endif
