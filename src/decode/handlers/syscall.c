// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * syscall.c - system calls that sonde recorded, with their arguments.
 *
 *	openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3 <0.000004>
 *
 * decode/syscalls makes the text. A record of another byte order, or one that is too long, is
 * printed by the print format, which shows numbers. Records of any thread come here, in any order;
 * so descriptors have no paths: `sonde trace -i FILE -y` shows those.
 */
#include "base/textbuf.h"
#include "decode/handlers/handler_int.h"
#include "decode/syscalls/syscalltext.h"
#include "store/events/syscallevents.h"

#include <inttypes.h>
#include <string.h>

#define RECORD_MAX_BYTES 4096

int handle_syscall(struct printer *p, const struct event *ev, const struct record *rec)
{
	static const struct syscalltext_options options = {0};
	union {
		uint64_t words[RECORD_MAX_BYTES / 8];
		struct syscallevents_call call;
	} copy; /* records are aligned to 4 bytes only */
	struct syscalltext_parts parts;
	uint64_t ns;

	if (p->swap || rec->size < sizeof(copy.call) || rec->size > sizeof(copy) ||
	    (!p->calls && syscalltext_new(&p->calls, &options) < 0))
		return 1;
	memcpy(&copy, rec->data, rec->size);
	if (copy.call.type < SYSCALLEVENTS_CALL || copy.call.type > SYSCALLEVENTS_EXIT)
		return 1;
	syscalltext_fmt(p->calls, &copy.call, rec->size, p->out, &parts);
	ns = copy.call.duration;
	if (copy.call.type == SYSCALLEVENTS_OPEN)
		textbuf_add_str(p->out, " <unfinished ...>");
	else if (copy.call.type == SYSCALLEVENTS_CALL)
		textbuf_addf(p->out, " <%" PRIu64 ".%06" PRIu64 ">", ns / 1000000000,
			     ns / 1000 % 1000000);
	return 0;
}
