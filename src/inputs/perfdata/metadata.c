// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * metadata.c - opens the feature TRACING_DATA of a perf.data as a trace file without events.
 *
 * perf calls the version 0.6 what trace-cmd calls 6; the bytes behind it are the same: the texts of
 * header_page, formats, symbols. A file of another byte order is not read.
 */
#include "inputs/perfdata/metadata.h"

#include "base/errmsg.h"
#include "format/bytes.h"
#include "inputs/perfdata/session.h"

#include <string.h>

#define BYTES_MAX (256u << 20)

void perfmetadata_open(struct perfmetadata *m, struct perfsession *s)
{
	static const char theirs[] = "\027\010\104tracing0.6", ours[] = "\027\010\104tracing6";
	struct perfdata *pd = perfsession_data(s);
	struct piece p = pd->features[SNF_PERF_FEAT_TRACING_DATA];
	struct errmsg ignored = {0};

	textbuf_init(&m->bytes, BYTES_MAX);
	m->file = NULL;
	if (!p.data || p.len < sizeof(theirs) || memcmp(p.data, theirs, sizeof(theirs)))
		return;
	textbuf_add(&m->bytes, ours, sizeof(ours));
	textbuf_add(&m->bytes, (const char *)p.data + sizeof(theirs), p.len - sizeof(theirs));
	if (m->bytes.overflow ||
	    tracefile_open_memory(&m->file, pd->path, PIECE_OF_TEXT(&m->bytes), &ignored) < 0) {
		m->file = NULL;
		return;
	}
	if (m->file->swap || m->file->version != 6) {
		tracefile_close(m->file);
		m->file = NULL;
	}
}

void perfmetadata_close(struct perfmetadata *m)
{
	if (m->file)
		tracefile_close(m->file);
	textbuf_release(&m->bytes);
	m->file = NULL;
}
