// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * commands.c - calls whose further arguments depend on a command: fcntl, keyctl, quotactl, kcmp …
 *
 * The command decides how many arguments there are and what they are. A printer of an optional
 * argument writes the comma itself, or takes back the comma before it. Some commands also explain
 * the result: it goes into the note behind it, = 0x8002 (flags O_RDWR|O_LARGEFILE).
 */
#include "decode/syscalls/text_int.h"

#include "base/array.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <inttypes.h>

SYSXLAT_DECLARE(fd_flags);
SYSXLAT_DECLARE(lock_types);
SYSXLAT_DECLARE(whence);
SYSXLAT_DECLARE(owner_types);
SYSXLAT_DECLARE(seal_flags);
SYSXLAT_DECLARE(notify_flags);

static void fmt_lock(struct printing *p, uint64_t v, bool get)
{
	const uint8_t *b;

	if (get) {
		entry_ends(p);
		p->when = wrote(p) ? SYSCALLEVENTS_AT_EXIT : SYSCALLEVENTS_AT_ENTRY;
	}
	b = v ? peek(p, v, 32) : NULL;
	if (!b) {
		fmt_addr(p, v);
		return;
	}
	add(p, "{l_type=");
	fmt_enum(p, SYSXLAT(lock_types), load16(b));
	add(p, ", l_whence=");
	fmt_enum(p, SYSXLAT(whence), load16(b + 2));
	textbuf_addf(p->tb, ", l_start=%" PRId64 ", l_len=%" PRId64, (int64_t)load64(b + 8),
		     (int64_t)load64(b + 16));
	if (get)
		textbuf_addf(p->tb, ", l_pid=%d", (int)load32(b + 24));
	add(p, "}");
}

static void fmt_owner(struct printing *p, uint64_t v, bool get)
{
	if (get) {
		entry_ends(p);
		p->when = SYSCALLEVENTS_AT_EXIT;
	}
	if (get && !wrote(p))
		fmt_addr(p, v);
	else
		fmt_struct_or_addr(p, &struct_f_owner_ex, v);
}

static void note_open_flags(struct printing *p)
{
	size_t start = textbuf_len(p->tb);

	if (!wrote(p))
		return;
	p->result = SYSRESULT_hex;
	add(p, "flags ");
	fmt_open_flags(p, (uint64_t)p->call->ret);
	fmt_note(p, start);
}

static void note_names(struct printing *p, const struct sysxlat *x, const char *before, bool flags)
{
	size_t start = textbuf_len(p->tb);

	if (!wrote(p))
		return;
	p->result = SYSRESULT_hex;
	add(p, before);
	if (flags)
		fmt_flags(p, x, (uint64_t)p->call->ret);
	else
		fmt_enum(p, x, (uint64_t)p->call->ret);
	fmt_note(p, start);
}

/* Commands without an argument; what their result means. */
static bool fmt_fcntl_result(struct printing *p, uint32_t command)
{
	switch (command) {
	case 1: /* F_GETFD */
		if (wrote(p) && p->call->ret)
			note_names(p, SYSXLAT(fd_flags), "flags ", true);
		return true;
	case 3: /* F_GETFL */
		note_open_flags(p);
		return true;
	case 1025: /* F_GETLEASE */
		note_names(p, SYSXLAT(lock_types), "", false);
		return true;
	case 1034: /* F_GET_SEALS */
		if (wrote(p))
			note_names(p, SYSXLAT(seal_flags), "seals ", true);
		return true;
	case 11: /* F_GETSIG */
		if (wrote(p) && p->call->ret) {
			size_t start = textbuf_len(p->tb);

			fmt_signal(p, (int)p->call->ret);
			fmt_note(p, start);
		}
		return true;
	case 9:	   /* F_GETOWN */
	case 1032: /* F_GETPIPE_SZ */
		return true;
	default:
		return false;
	}
}

void sysfmt_fcntlarg(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t command = (uint32_t)arg_of(p, 1);

	if (fmt_fcntl_result(p, command))
		return;
	add(p, ", ");
	switch (command) {
	case 0:
	case 1030: /* F_DUPFD */
		p->result = SYSRESULT_fd;
		textbuf_add_signed(p->tb, (int)v);
		break;
	case 8:	   /* F_SETOWN */
	case 1031: /* F_SETPIPE_SZ */
		textbuf_add_signed(p->tb, (int)v);
		break;
	case 2:
		fmt_flags(p, SYSXLAT(fd_flags), (uint32_t)v);
		break;
	case 4:
		fmt_open_flags(p, (uint32_t)v);
		break;
	case 10:
		fmt_signal(p, (int)v);
		break;
	case 5:
	case 36: /* F_GETLK, F_OFD_GETLK */
		fmt_lock(p, v, true);
		break;
	case 6:
	case 7:
	case 37:
	case 38:
		fmt_lock(p, v, false);
		break;
	case 15:
	case 16:
		fmt_owner(p, v, command == 16);
		break;
	case 1024:
		fmt_enum(p, SYSXLAT(lock_types), (uint32_t)v);
		break;
	case 1026:
		fmt_flags(p, SYSXLAT(notify_flags), (uint32_t)v);
		break;
	case 1033:
		fmt_flags(p, SYSXLAT(seal_flags), (uint32_t)v);
		break;
	default:
		fmt_hex(p, v);
	}
}

SYSXLAT_DECLARE(syslog_actions);

/* syslog(3 / * SYSLOG_ACTION_READ_ALL * /, "…", 10) */
void sysfmt_syslogbuf(struct printing *p, const struct systype *t, uint64_t v)
{
	const char *name = xlat_find(p, SYSXLAT(syslog_actions), (uint32_t)v);

	textbuf_addf(p->tb, "%d", (int)v);
	if (p->o->constants != SYSCALLTEXT_RAW)
		textbuf_addf(p->tb, " /* %s */",
			     name ? name
				  : "SYSLOG_ACTION_?"
				    "??");
	p->last = true;
	if (v >= 2 && v <= 4) {
		add(p, ", ");
		entry_ends(p);
		p->when = SYSCALLEVENTS_AT_EXIT;
		if (wrote(p))
			fmt_bytes(p, arg_of(p, 1), p->call->ret);
		else
			fmt_addr(p, arg_of(p, 1));
		textbuf_addf(p->tb, ", %d", (int)arg_of(p, 2));
	} else if (v == 8) {
		textbuf_addf(p->tb, ", ");
		fmt_addr(p, arg_of(p, 1));
		textbuf_addf(p->tb, ", %d", (int)arg_of(p, 2));
	}
}

SYSXLAT_DECLARE(personalities);
SYSXLAT_DECLARE(personality_flags);

void sysfmt_personality(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t flags = (uint32_t)v & ~0xffu;

	if ((uint32_t)v == UINT32_MAX) {
		add(p, "0xffffffff");
		return;
	}
	fmt_enum(p, SYSXLAT(personalities), v & 0xff);
	if (flags) {
		add(p, "|");
		fmt_flags(p, SYSXLAT(personality_flags), flags);
	}
}

void sysfmt_rebootarg(struct printing *p, const struct systype *t, uint64_t v)
{
	if ((uint32_t)arg_of(p, 2) != 0xa1b2c3d4) /* LINUX_REBOOT_CMD_RESTART2 */
		return;
	add(p, ", ");
	fmt_string(p, v, true);
}

SYSXLAT_DECLARE(quota_cmds);
SYSXLAT_DECLARE(quota_types);
SYSXLAT_DECLARE(quota_formats);

void sysfmt_quotacmd(struct printing *p, const struct systype *t, uint64_t v)
{
	add(p, "QCMD(");
	fmt_enum(p, SYSXLAT(quota_cmds), (uint32_t)v >> 8);
	add(p, ", ");
	fmt_enum(p, SYSXLAT(quota_types), v & 0xff);
	add(p, ")");
}

/* The id, and what the command points to; Q_SYNC and Q_QUOTAOFF have neither. */
void sysfmt_quotaid(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t command = (uint32_t)arg_of(p, p->type->n == 4 && p->arg == 2 ? 0 : 1) >> 8;

	if (command == 0x800001 || command == 0x800003 || command == 0x5807) {
		if (!p->tb->overflow)
			p->tb->pos -= 2;
		p->last = true;
		return;
	}
	if (command == 0x800002)
		fmt_enum(p, SYSXLAT(quota_formats), (uint32_t)v);
	else
		textbuf_add_dec(p->tb, (uint32_t)v);
}

void sysfmt_quotaaddr(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t command =
		(uint32_t)arg_of(p, p->arg == 3 && p->type->args[0].kind == SYSKIND_quotacmd ? 0
											     : 1) >>
		8;

	if (command == 0x800002)
		fmt_string(p, v, false);
	else
		fmt_addr(p, v);
}

SYSXLAT_DECLARE(kexec_flags);
SYSXLAT_DECLARE(kexec_archs);
void sysfmt_kexecflags(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_enum(p, SYSXLAT(kexec_archs), v & 0xffff0000);
	if (v & ~(uint64_t)0xffff0000) {
		add(p, "|");
		fmt_flags(p, SYSXLAT(kexec_flags), v & ~(uint64_t)0xffff0000);
	}
}

/* P_PIDFD means a descriptor. */
void sysfmt_waitid(struct printing *p, const struct systype *t, uint64_t v)
{
	if (arg_of(p, 0) == 3)
		fmt_fd(p, (int)v);
	else
		textbuf_add_signed(p->tb, (int)v);
}

SYSXLAT_DECLARE(key_spec);
void sysfmt_keyserial(struct printing *p, const struct systype *t, uint64_t v)
{
	const char *name = xlat_find(p, SYSXLAT(key_spec), (uint32_t)v);

	if (name && p->o->constants == SYSCALLTEXT_ABBREV)
		add(p, name);
	else
		textbuf_add_signed(p->tb, (int)v);
}

void sysfmt_keyctlargs(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t command = (uint32_t)arg_of(p, 0);

	p->last = true;
	switch (command) {
	case 0: /* GET_KEYRING_ID */
		sysfmt_keyserial(p, t, v);
		textbuf_addf(p->tb, ", %d", (int)arg_of(p, 2));
		break;
	case 1: /* JOIN_SESSION_KEYRING */
		fmt_string(p, v, true);
		break;
	case 3:	 /* REVOKE */
	case 7:	 /* CLEAR */
	case 21: /* INVALIDATE */
		sysfmt_keyserial(p, t, v);
		break;
	case 8:
	case 9: /* LINK, UNLINK */
		sysfmt_keyserial(p, t, v);
		add(p, ", ");
		sysfmt_keyserial(p, t, arg_of(p, 2));
		break;
	case 2:	 /* UPDATE */
	case 6:	 /* DESCRIBE */
	case 11: /* READ */
		sysfmt_keyserial(p, t, v);
		add(p, ", ");
		fmt_addr(p, arg_of(p, 2));
		textbuf_addf(p->tb, ", %" PRIu64, arg_of(p, 3));
		break;
	default:
		fmt_hex(p, v);
		for (unsigned i = 2; i < 5; i++) {
			add(p, ", ");
			fmt_hex(p, arg_of(p, i));
		}
	}
}

SYSXLAT_DECLARE(ioprio_class);
void sysfmt_ioprio(struct printing *p, const struct systype *t, uint64_t v)
{
	add(p, "IOPRIO_PRIO_VALUE(");
	fmt_enum(p, SYSXLAT(ioprio_class), (uint32_t)v >> 13);
	textbuf_addf(p->tb, ", %u)", (unsigned)(v & 0x1fff));
}

SYSXLAT_DECLARE(fan_class);
SYSXLAT_DECLARE(fan_init_flags);
void sysfmt_fanflags(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t flags = (uint32_t)v & ~0xcu;

	fmt_enum(p, SYSXLAT(fan_class), v & 0xc);
	if (flags) {
		add(p, "|");
		fmt_flags(p, SYSXLAT(fan_init_flags), flags);
	}
}

void sysfmt_fandirfd(struct printing *p, const struct systype *t, uint64_t v)
{
	if ((int)v == -1)
		add(p, "FAN_NOFD");
	else
		sysfmt_dirfd(p, t, v);
}

/* The last two are descriptors for KCMP_FILE, an address for KCMP_EPOLL_TFD. */
void sysfmt_kcmpargs(struct printing *p, const struct systype *t, uint64_t v)
{
	switch ((uint32_t)arg_of(p, 2)) {
	case 0:
		fmt_fd(p, (int)v);
		add(p, ", ");
		fmt_fd(p, (int)arg_of(p, 4));
		return;
	case 7:
		fmt_fd(p, (int)v);
		add(p, ", ");
		fmt_addr(p, arg_of(p, 4));
		return;
	default:
		if ((uint32_t)arg_of(p, 2) > 7) {
			fmt_hex(p, v);
			add(p, ", ");
			fmt_hex(p, arg_of(p, 4));
		} else if (!p->tb->overflow) {
			p->tb->pos -= 2;
		}
	}
}

SYSXLAT_DECLARE(membarrier_query);
void sysfmt_membarriercpu(struct printing *p, const struct systype *t, uint64_t v)
{
	if (arg_of(p, 1) & 1 || arg_of(p, 1) > 1)
		textbuf_addf(p->tb, ", %d", (int)v);
	if (!arg_of(p, 0) && wrote(p) && p->call->ret)
		note_names(p, SYSXLAT(membarrier_query), "", true);
}

void sysfmt_fsconfigargs(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t command = (uint32_t)arg_of(p, 1);
	uint64_t value = arg_of(p, 3);

	if (command < 6)
		fmt_string(p, v, true);
	else
		fmt_addr(p, v);
	add(p, ", ");
	switch (command) {
	case 1:
		fmt_string(p, value, true);
		break;
	case 2: {
		struct syscalltext_options hex = *p->o;
		const struct syscalltext_options *o = p->o;

		hex.hex_strings = 2;
		p->o = &hex;
		fmt_bytes(p, value, (uint32_t)arg_of(p, 4));
		p->o = o;
		break;
	}
	case 3:
	case 4:
		fmt_string(p, value, false);
		break;
	default:
		fmt_addr(p, value);
	}
	add(p, ", ");
	if (command == 3 || command == 4)
		sysfmt_dirfd(p, t, arg_of(p, 4));
	else if (command == 5)
		fmt_fd(p, (int)arg_of(p, 4));
	else
		textbuf_add_signed(p->tb, (int)arg_of(p, 4));
	p->last = true;
}

SYSXLAT_DECLARE(landlock_access);
void sysfmt_landlockattr(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = v && arg_of(p, 1) >= 8 ? peek(p, v, 8) : NULL;

	if (arg_of(p, 2) != 1)
		p->result = SYSRESULT_fd;
	if (!b) {
		fmt_addr(p, v);
		return;
	}
	add(p, "{handled_access_fs=");
	fmt_flags(p, SYSXLAT(landlock_access), load64(b));
	add(p, arg_of(p, 1) > 8 ? ", ...}" : "}");
}

void sysfmt_landlockrule(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = v && arg_of(p, 1) == 1 ? peek(p, v, 12) : NULL;

	if (!b) {
		fmt_addr(p, v);
		return;
	}
	add(p, "{allowed_access=");
	fmt_flags(p, SYSXLAT(landlock_access), load64(b));
	add(p, ", parent_fd=");
	fmt_fd(p, (int)load32(b + 8));
	add(p, "}");
}
