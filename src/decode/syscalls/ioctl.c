// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ioctl.c - requests of devices: names and arguments.
 *
 * ioctls.list has numbers, names and types. A request outside it is taken apart as its number says:
 * _IOC(_IOC_READ, 0x56, 0x78, 0x4).
 */
#include "decode/syscalls/text_int.h"

#include "base/array.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/types.h"

#include <inttypes.h>

#define IOC_DIRECTION(n) ((n) >> 30 & 3)
#define IOC_SIZE(n)	 ((n) >> 16 & 0x3fff)
#define IOC_TYPE(n)	 ((n) >> 8 & 0xff)
#define IOC_NUMBER(n)	 ((n)&0xff)

SYSXLAT_DECLARE(ev_types);

/* Requests that carry a number: EVIOCGNAME(10). */
static bool fmt_family(struct printing *p, uint32_t n)
{
	static const struct {
		uint8_t number;
		const char *name;
	} sized[] = {{6, "EVIOCGNAME"},	  {7, "EVIOCGPHYS"},   {8, "EVIOCGUNIQ"},
		     {9, "EVIOCGPROP"},	  {0x18, "EVIOCGKEY"}, {0x19, "EVIOCGLED"},
		     {0x1a, "EVIOCGSND"}, {0x1b, "EVIOCGSW"}};

	if (IOC_TYPE(n) != 'E' || IOC_DIRECTION(n) != 2)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(sized); i++) {
		if (sized[i].number == IOC_NUMBER(n)) {
			textbuf_addf(p->tb, "%s(%u)", sized[i].name, IOC_SIZE(n));
			return true;
		}
	}
	if (IOC_NUMBER(n) >= 0x20 && IOC_NUMBER(n) < 0x40) {
		add(p, "EVIOCGBIT(");
		fmt_enum(p, SYSXLAT(ev_types), IOC_NUMBER(n) - 0x20);
		textbuf_addf(p->tb, ", %u)", IOC_SIZE(n));
		return true;
	}
	return false;
}

static void fmt_name(struct printing *p, uint32_t n)
{
	static const char *const directions[] = {"_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
						 "_IOC_READ|_IOC_WRITE"};
	const struct sysioctl *i = sysioctl_find(n);

	if (i) {
		add(p, i->name);
		return;
	}
	if (fmt_family(p, n))
		return;
	textbuf_addf(p->tb, "_IOC(%s, %#x, %#x, %#x)", directions[IOC_DIRECTION(n)], IOC_TYPE(n),
		     IOC_NUMBER(n), IOC_SIZE(n));
}

void sysfmt_ioctlcmd(struct printing *p, const struct systype *t, uint64_t v)
{
	if (p->o->constants != SYSCALLTEXT_ABBREV) {
		fmt_hex(p, (uint32_t)v);
		if (p->o->constants == SYSCALLTEXT_RAW)
			return;
		add(p, " /* ");
	}
	fmt_name(p, (uint32_t)v);
	if (p->o->constants == SYSCALLTEXT_VERBOSE)
		add(p, " */");
}

void sysfmt_ioctlarg(struct printing *p, const struct systype *t, uint64_t v)
{
	const struct sysioctl *i = sysioctl_find((uint32_t)arg_of(p, 1));

	if (i && !i->has_arg)
		return;
	add(p, ", ");
	if (i && i->typed)
		fmt_value(p, &i->type, v);
	else if (!i && fmt_family(&(struct printing){.o = p->o, .tb = &(struct textbuf){0}},
				  (uint32_t)arg_of(p, 1)))
		fmt_addr(p, v);
	else if (IOC_DIRECTION(arg_of(p, 1)) && i && v > 4096)
		fmt_addr(p, v);
	else
		fmt_hex(p, v);
}

void sysfmt_ushortp(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek(p, v, 2);

	if (b)
		textbuf_addf(p->tb, "[%u]", load16(b));
	else
		fmt_addr(p, v);
}

void sysfmt_ttychar(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_bytes(p, v, 1);
}

void sysfmt_evversion(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t n;

	if (peek_u32(p, v, &n))
		textbuf_addf(p->tb, "[%u /* %u.%u.%u */]", n, n >> 16, n >> 8 & 0xff, n & 0xff);
	else
		fmt_addr(p, v);
}

SYSXLAT_DECLARE(fs_flags);
void sysfmt_fsflags(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t n;

	if (!peek_u32(p, v, &n)) {
		fmt_addr(p, v);
		return;
	}
	add(p, "[");
	fmt_flags(p, SYSXLAT(fs_flags), n);
	add(p, "]");
}

SYSXLAT_DECLARE(termios_iflag);
SYSXLAT_DECLARE(termios_oflag);
SYSXLAT_DECLARE(termios_cflag);
SYSXLAT_DECLARE(termios_lflag);
SYSXLAT_DECLARE(baud_rates);
SYSXLAT_DECLARE(csize);

/* Bits that are numbers come first: NL0|CR0|TAB0|BS0|VT0|FF0 */
static void fmt_oflag(struct printing *p, uint32_t v)
{
	uint32_t flags = v & 0xff;

	textbuf_addf(p->tb, "NL%u|CR%u|", v >> 8 & 1, v >> 9 & 3);
	if ((v >> 11 & 3) == 3)
		add(p, "XTABS");
	else
		textbuf_addf(p->tb, "TAB%u", v >> 11 & 3);
	textbuf_addf(p->tb, "|BS%u|VT%u|FF%u", v >> 13 & 1, v >> 14 & 1, v >> 15 & 1);
	if (flags) {
		add(p, "|");
		fmt_flags(p, SYSXLAT(termios_oflag), flags);
	}
}

#define CFLAG_BAUD 0x100fu
#define CFLAG_SIZE 0x30u

static void fmt_cflag(struct printing *p, uint32_t v)
{
	uint32_t flags = v & ~(CFLAG_BAUD | CFLAG_SIZE | 0x100f0000u);

	fmt_enum(p, SYSXLAT(baud_rates), v & CFLAG_BAUD);
	add(p, "|");
	fmt_enum(p, SYSXLAT(csize), v & CFLAG_SIZE);
	flags |= v & 0xc0000000;
	if (flags) {
		add(p, "|");
		fmt_flags(p, SYSXLAT(termios_cflag), flags);
	}
}

static void fmt_characters(struct printing *p, const uint8_t *b, unsigned n)
{
	static const char *const names[] = {
		"VINTR",    "VQUIT",	"VERASE",  "VKILL",  "VEOF",  "VTIME",
		"VMIN",	    "VSWTC",	"VSTART",  "VSTOP",  "VSUSP", "VEOL",
		"VREPRINT", "VDISCARD", "VWERASE", "VLNEXT", "VEOL2",
	};

	add(p, ", c_cc=[");
	for (unsigned i = 0; i < n; i++) {
		if (i < ARRAY_LEN(names))
			textbuf_addf(p->tb, "%s[%s]=", i ? ", " : "", names[i]);
		else
			textbuf_addf(p->tb, ", [%u]=", i);
		fmt_hex(p, b[i]);
	}
	add(p, "]");
}

static void fmt_termios(struct printing *p, const uint32_t flags[4], const uint8_t *line,
			unsigned n)
{
	add(p, "{c_iflag=");
	fmt_flags(p, SYSXLAT(termios_iflag), flags[0]);
	add(p, ", c_oflag=");
	fmt_oflag(p, flags[1]);
	add(p, ", c_cflag=");
	fmt_cflag(p, flags[2]);
	add(p, ", c_lflag=");
	fmt_flags(p, SYSXLAT(termios_lflag), flags[3]);
	if (p->is_verbose) {
		if (*line)
			textbuf_addf(p->tb, ", c_line=%#x", *line);
		else
			add(p, ", c_line=N_TTY");
		fmt_characters(p, line + 1, n);
	} else {
		add(p, ", ...");
	}
	add(p, "}");
}

void sysfmt_termios(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek_or_addr(p, v, 36);
	uint32_t flags[4];

	if (!b)
		return;
	memcpy(flags, b, sizeof(flags));
	fmt_termios(p, flags, b + 16, 19);
}

/* the older structure, with 16 bits for each word */
void sysfmt_termio(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek_or_addr(p, v, 18);
	uint32_t flags[4];

	if (!b)
		return;
	for (unsigned i = 0; i < 4; i++)
		flags[i] = load16(b + 2 * i);
	fmt_termios(p, flags, b + 8, 8);
}

SYSXLAT_DECLARE(if_flags);
SYSXLAT_DECLARE(arphrd);
#define IFNAME_BYTES 16

enum ifreq_kind { IF_ADDR, IF_HWADDR, IF_FLAGS, IF_NUMBER, IF_NAME };

/* Requests in pairs: the even ones of 0x8913 … get. field: of struct ifreq. */
static const struct ifreq_row {
	uint32_t get, set;
	const char *field;
	enum ifreq_kind kind;
} ifreqs[] = {
	{0x8913, 0x8914, "ifr_flags", IF_FLAGS},  {0x8915, 0x8916, "ifr_addr", IF_ADDR},
	{0x8917, 0x8918, "ifr_dstaddr", IF_ADDR}, {0x8919, 0x891a, "ifr_broadaddr", IF_ADDR},
	{0x891b, 0x891c, "ifr_netmask", IF_ADDR}, {0x891d, 0x891e, "ifr_metric", IF_NUMBER},
	{0x8921, 0x8922, "ifr_mtu", IF_NUMBER},	  {0x8927, 0x8924, "ifr_hwaddr", IF_HWADDR},
	{0x8933, 0, "ifr_ifindex", IF_NUMBER},	  {0x8942, 0x8943, "ifr_qlen", IF_NUMBER},
	{0, 0x8923, "ifr_newname", IF_NAME},	  {0x8929, 0x8930, "ifr_slave", IF_NAME},
};

static void fmt_ifreq_value(struct printing *p, const struct ifreq_row *row, const uint8_t *b,
			    uint64_t v)
{
	textbuf_addf(p->tb, ", %s=", row->field);
	switch (row->kind) {
	case IF_ADDR:
		fmt_sockaddr(p, v + IFNAME_BYTES, 16);
		break;
	case IF_HWADDR:
		add(p, "{sa_family=");
		fmt_enum(p, SYSXLAT(arphrd), load16(b + 16));
		textbuf_addf(p->tb, ", sa_data=%02x:%02x:%02x:%02x:%02x:%02x}", b[18], b[19], b[20],
			     b[21], b[22], b[23]);
		break;
	case IF_FLAGS:
		fmt_flags(p, SYSXLAT(if_flags), load16(b + 16));
		break;
	case IF_NUMBER:
		textbuf_add_signed(p->tb, (int)load32(b + 16));
		break;
	case IF_NAME:
		fmt_quoted(p, b + 16, strnlen((const char *)b + 16, IFNAME_BYTES));
		break;
	}
}

void sysfmt_ifreq(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t request = (uint32_t)arg_of(p, 1);
	const struct ifreq_row *row = NULL;
	const uint8_t *b = peek(p, v, 40);
	bool set;

	for (size_t i = 0; i < ARRAY_LEN(ifreqs); i++)
		if (request == ifreqs[i].get || request == ifreqs[i].set)
			row = &ifreqs[i];
	set = row && request == row->set;
	if (!b || !v || !row) {
		fmt_addr(p, v);
		return;
	}
	add(p, "{ifr_name=");
	fmt_quoted(p, b, strnlen((const char *)b, IFNAME_BYTES));
	if (!set) {
		entry_ends(p);
		p->when = SYSCALLEVENTS_AT_EXIT;
		b = wrote(p) ? peek(p, v, 40) : NULL;
	}
	if (b)
		fmt_ifreq_value(p, row, b, v);
	add(p, "}");
}

static void fmt_ifreq_size(struct printing *p, uint32_t n)
{
	textbuf_addf(p->tb, "%d", (int)n);
	if (n && n % 40 == 0)
		textbuf_addf(p->tb, " /* %u * sizeof(struct ifreq) */", n / 40);
}

static void fmt_ifreq_address(struct printing *p, uint64_t v)
{
	const uint8_t *b = peek(p, v, 40);

	if (!b)
		return;
	add(p, "{ifr_name=");
	fmt_quoted(p, b, strnlen((const char *)b, IFNAME_BYTES));
	add(p, ", ifr_addr=");
	fmt_sockaddr(p, v + IFNAME_BYTES, 16);
	add(p, "}");
}

void sysfmt_ifconf(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek(p, v, 16);
	uint32_t before, after;
	uint64_t list;

	if (!v || !b) {
		fmt_addr(p, v);
		return;
	}
	before = load32(b);
	entry_ends(p);
	p->when = SYSCALLEVENTS_AT_EXIT;
	b = wrote(p) ? peek(p, v, 16) : NULL;
	after = b ? load32(b) : before;
	list = b ? load64(b + 8) : 0;
	add(p, "{ifc_len=");
	if (list && after != before) {
		fmt_ifreq_size(p, before);
		add(p, " => ");
	}
	fmt_ifreq_size(p, after);
	add(p, ", ifc_buf=");
	if (!list)
		add(p, "NULL");
	else
		fmt_elements(p, list, after / 40, 40, fmt_ifreq_address);
	add(p, "}");
}
