// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * network.c - sockets: addresses, messages, vectors of buffers.
 *
 *	{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}
 *
 * A message is a struct msghdr: the address, the buffers and the control data are elsewhere, and
 * each is shown only if it was copied, too.
 */
#include "decode/syscalls/text_int.h"

#include "base/array.h"
#include "store/events/syscallevents.h"
#include "symbols/syscalls/structs.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <net/if.h>

SYSXLAT_DECLARE(addrfams);
SYSXLAT_DECLARE(socktypes);
SYSXLAT_DECLARE(sock_flags);
SYSXLAT_DECLARE(inet_protocols);
SYSXLAT_DECLARE(netlink_protocols);
SYSXLAT_DECLARE(eth_protocols);
SYSXLAT_DECLARE(arphrd);
SYSXLAT_DECLARE(packet_types);
SYSXLAT_DECLARE(vsock_cids);
SYSXLAT_DECLARE(msg_flags);
SYSXLAT_DECLARE(socketlayers);
SYSXLAT_DECLARE(scm_types);

#define SOCKADDR_MAX 128

static uint16_t big16(const uint8_t *b)
{
	return (uint16_t)(b[0] << 8 | b[1]);
}

static uint32_t big32(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

void sysfmt_ifindex(struct printing *p, const struct systype *t, uint64_t v)
{
	char name[IF_NAMESIZE];

	if ((uint32_t)v && if_indextoname((unsigned)v, name)) {
		add(p, "if_nametoindex(");
		fmt_quoted(p, (const uint8_t *)name, strlen(name));
		add(p, ")");
	} else {
		textbuf_add_dec(p->tb, (uint32_t)v);
	}
}

static void fmt_in6(struct printing *p, const uint8_t *b, const char *field)
{
	char text[INET6_ADDRSTRLEN];

	if (inet_ntop(AF_INET6, b, text, sizeof(text)))
		textbuf_addf(p->tb, "inet_pton(AF_INET6, \"%s\", &%s)", text, field);
}

static void fmt_in4(struct printing *p, const uint8_t *b)
{
	textbuf_addf(p->tb, "inet_addr(\"%u.%u.%u.%u\")", b[0], b[1], b[2], b[3]);
}

void sysfmt_inaddr(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek(p, v, 4);

	if (b)
		fmt_in4(p, b);
	else
		fmt_addr(p, v);
}

void sysfmt_in6addr(struct printing *p, const struct systype *t, uint64_t v)
{
	const uint8_t *b = peek(p, v, 16);
	char text[INET6_ADDRSTRLEN];

	if (b && inet_ntop(AF_INET6, b, text, sizeof(text)))
		textbuf_addf(p->tb, "inet_pton(AF_INET6, \"%s\")", text);
	else
		fmt_addr(p, v);
}

static void fmt_unix(struct printing *p, const uint8_t *b, size_t n)
{
	size_t len = n - 2 > 108 ? 108 : n - 2;

	if (!len)
		return;
	add(p, ", sun_path=");
	if (!b[2]) {
		add(p, "@");
		fmt_quoted(p, b + 3, len - 1);
		return;
	}
	fmt_quoted(p, b + 2, strnlen((const char *)b + 2, len));
}

static void fmt_inet(struct printing *p, const uint8_t *b, size_t n)
{
	textbuf_addf(p->tb, ", sin_port=htons(%u), sin_addr=", big16(b + 2));
	fmt_in4(p, b + 4);
}

static void fmt_inet6(struct printing *p, const uint8_t *b, size_t n)
{
	uint32_t scope = n >= 28 ? load32(b + 24) : 0;

	textbuf_addf(p->tb, ", sin6_port=htons(%u), sin6_flowinfo=htonl(%u), ", big16(b + 2),
		     big32(b + 4));
	fmt_in6(p, b + 8, "sin6_addr");
	if (n < 28)
		return;
	add(p, ", sin6_scope_id=");
	/* only link-local addresses have an interface as their scope */
	if ((b[8] == 0xfe && (b[9] & 0xc0) == 0x80) || (b[8] == 0xff && (b[9] & 0xf) == 2))
		sysfmt_ifindex(p, NULL, scope);
	else
		textbuf_add_dec(p->tb, scope);
}

static void fmt_netlink(struct printing *p, const uint8_t *b, size_t n)
{
	textbuf_addf(p->tb, ", nl_pid=%u, nl_groups=", load32(b + 4));
	if (load32(b + 8))
		textbuf_addf(p->tb, "0x%06x", load32(b + 8));
	else
		add(p, "00000000");
}

static void fmt_packet(struct printing *p, const uint8_t *b, size_t n)
{
	unsigned len = b[11];

	add(p, ", sll_protocol=htons(");
	fmt_enum(p, SYSXLAT(eth_protocols), big16(b + 2));
	add(p, "), sll_ifindex=");
	sysfmt_ifindex(p, NULL, load32(b + 4));
	add(p, ", sll_hatype=");
	fmt_enum(p, SYSXLAT(arphrd), load16(b + 8));
	add(p, ", sll_pkttype=");
	fmt_enum(p, SYSXLAT(packet_types), b[10]);
	textbuf_addf(p->tb, ", sll_halen=%u", len);
	if (!len)
		return;
	add(p, ", sll_addr=[");
	for (unsigned i = 0; i < len && i < 8 && 12 + i < n; i++)
		textbuf_addf(p->tb, "%s%#02x", i ? ", " : "", b[12 + i]);
	add(p, "]");
}

static void fmt_vsock(struct printing *p, const uint8_t *b, size_t n)
{
	const char *cid = xlat_find(p, SYSXLAT(vsock_cids), load32(b + 8));

	add(p, ", svm_cid=");
	if (cid)
		add(p, cid);
	else
		fmt_hex(p, load32(b + 8));
	add(p, ", svm_port=");
	fmt_hex(p, load32(b + 4));
	textbuf_addf(p->tb, ", svm_flags=%s", n > 12 && b[12] ? "VMADDR_FLAG_TO_HOST" : "0");
}

static void fmt_alg(struct printing *p, const uint8_t *b, size_t n)
{
	add(p, ", salg_type=");
	fmt_quoted(p, b + 2, strnlen((const char *)b + 2, 14));
	textbuf_addf(p->tb, ", salg_feat=%#x, salg_mask=%#x, salg_name=", load32(b + 16),
		     load32(b + 20));
	fmt_quoted(p, b + 24, strnlen((const char *)b + 24, n - 24));
}

static const struct {
	uint16_t family, min;
	void (*fmt)(struct printing *p, const uint8_t *b, size_t n);
} families[] = {
	{1, 2, fmt_unix},     {2, 8, fmt_inet},	   {10, 24, fmt_inet6}, {16, 12, fmt_netlink},
	{17, 20, fmt_packet}, {40, 13, fmt_vsock}, {38, 25, fmt_alg},
};

void fmt_sockaddr(struct printing *p, uint64_t address, size_t n)
{
	const uint8_t *b;
	unsigned family;

	if (n > SOCKADDR_MAX)
		n = SOCKADDR_MAX;
	b = address && n >= 2 ? peek(p, address, n) : NULL;
	if (!b) {
		fmt_addr(p, address);
		return;
	}
	family = load16(b);
	add(p, "{sa_family=");
	fmt_enum(p, SYSXLAT(addrfams), family);
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		if (families[i].family != family || n < families[i].min)
			continue;
		families[i].fmt(p, b, n);
		add(p, "}");
		return;
	}
	if (n > 2) {
		add(p, ", sa_data=");
		fmt_quoted(p, b + 2, n - 2);
	}
	add(p, "}");
}

void sysfmt_sockaddr(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_sockaddr(p, v, (uint32_t)arg_of(p, t->arg));
}

/* The address that accept() and its family write; how long it is, is written, too. */
void sysfmt_outsockaddr(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t room = 0, n = 0;
	uint64_t len = arg_of(p, t->arg);

	entry_ends(p);
	p->when = SYSCALLEVENTS_AT_ENTRY;
	if (len)
		peek_u32(p, len, &room);
	p->when = SYSCALLEVENTS_AT_EXIT;
	if (!v || !wrote(p) || !len || !peek_u32(p, len, &n))
		fmt_addr(p, v);
	else
		fmt_sockaddr(p, v, room && room < n ? room : n);
}

void sysfmt_lenptr(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t before, after;

	entry_ends(p);
	if (!v || !peek_u32(p, v, &before)) {
		fmt_addr(p, v);
		return;
	}
	p->when = SYSCALLEVENTS_AT_EXIT;
	if (wrote(p) && peek_u32(p, v, &after) && after != before)
		textbuf_addf(p->tb, "[%d => %d]", (int)before, (int)after);
	else
		textbuf_addf(p->tb, "[%d]", (int)before);
}

void sysfmt_socktype(struct printing *p, const struct systype *t, uint64_t v)
{
	uint32_t type = v & 0xf, flags = (uint32_t)v & ~0xfu;
	const char *name = xlat_find(p, SYSXLAT(socktypes), type);

	if (p->o->constants != SYSCALLTEXT_ABBREV || !name) {
		fmt_flags(p, SYSXLAT(sock_flags), (uint32_t)v);
		return;
	}
	add(p, name);
	if (!flags)
		return;
	add(p, "|");
	fmt_flags(p, SYSXLAT(sock_flags), flags);
}

void sysfmt_sockproto(struct printing *p, const struct systype *t, uint64_t v)
{
	switch ((uint32_t)arg_of(p, 0)) {
	case 2:
	case 10:
		fmt_enum(p, SYSXLAT(inet_protocols), (uint32_t)v);
		break;
	case 16:
		fmt_enum(p, SYSXLAT(netlink_protocols), (uint32_t)v);
		break;
	case 17:
		add(p, "htons(");
		fmt_enum(p, SYSXLAT(eth_protocols), (uint16_t)((v & 0xff) << 8 | (v >> 8 & 0xff)));
		add(p, ")");
		break;
	default:
		textbuf_add_dec(p->tb, (uint32_t)v);
	}
}

/*
 * n vectors [{iov_base="…", iov_len=5}]. n_bytes: how many bytes the call moved altogether.
 * decode: show the bytes, not only where they are.
 */
void fmt_iovecs(struct printing *p, uint64_t address, uint64_t n, uint64_t n_bytes, bool decode)
{
	uint64_t shown = p->is_verbose || n < p->o->string_limit ? n : p->o->string_limit;

	if (!n) {
		add(p, address ? "[]" : "NULL");
		return;
	}
	if (!address || !peek(p, address, 16)) {
		fmt_addr(p, address);
		return;
	}
	add(p, "[");
	for (uint64_t i = 0; i < shown; i++) {
		const uint8_t *b = peek(p, address + 16 * i, 16);
		uint64_t len, here;

		if (i)
			add(p, ", ");
		if (!b) {
			textbuf_addf(p->tb, "... /* %#" PRIx64 " */", address + 16 * i);
			shown = n;
			break;
		}
		len = load64(b + 8);
		here = len < n_bytes ? len : n_bytes;
		add(p, "{iov_base=");
		if (decode)
			fmt_bytes(p, load64(b), here);
		else
			fmt_addr(p, load64(b));
		textbuf_addf(p->tb, ", iov_len=%" PRIu64 "}", len);
		n_bytes -= here;
	}
	add(p, shown < n ? ", ...]" : "]");
}

void sysfmt_iovec(struct printing *p, const struct systype *t, uint64_t v)
{
	bool out = p->when == SYSCALLEVENTS_AT_EXIT;

	fmt_iovecs(p, v, arg_of(p, t->arg), out ? (uint64_t)p->call->ret : UINT64_MAX, true);
}

/* what process_vm_readv fills: shown with its bytes if it did */
void sysfmt_iovecremote(struct printing *p, const struct systype *t, uint64_t v)
{
	entry_ends(p);
	if (!wrote(p)) {
		sysfmt_iovecaddr(p, t, v);
		return;
	}
	p->when = SYSCALLEVENTS_AT_EXIT;
	sysfmt_iovec(p, t, v);
}

void sysfmt_iovecaddr(struct printing *p, const struct systype *t, uint64_t v)
{
	fmt_iovecs(p, v, arg_of(p, t->arg), 0, false);
}

/* One control message at b, n bytes of data. */
static void fmt_control_data(struct printing *p, const uint8_t *b, size_t n, uint32_t level,
			     uint32_t type, uint64_t address)
{
	if (level == 1 && type == 1) { /* SCM_RIGHTS */
		add(p, "[");
		for (size_t i = 0; i + 4 <= n; i += 4) {
			if (i)
				add(p, ", ");
			fmt_fd(p, (int)load32(b + i));
		}
		add(p, "]");
	} else if (level == 1 && type == 2 && n == 12) {
		fmt_struct(p, &struct_ucred, address);
	} else if (level == 1 && (type == 29 || type == 63) && n == 16) {
		fmt_struct(p, &struct_timeval, address);
	} else if (level == 1 && (type == 35 || type == 64) && n == 16) {
		fmt_struct(p, &struct_timespec, address);
	} else if (n == 4) {
		textbuf_addf(p->tb, "[%d]", (int)load32(b));
	} else {
		fmt_quoted(p, b, n);
	}
}

SYSXLAT_DECLARE(ip_options);
SYSXLAT_DECLARE(ipv6_options);

static void fmt_control(struct printing *p, uint64_t address, size_t n)
{
	size_t pos = 0, len;
	const uint8_t *b;
	uint8_t flags;

	b = peek_some(p, address, n, &n, &flags);
	if (!b) {
		fmt_addr(p, address);
		return;
	}
	add(p, "[");
	for (; n - pos >= 16; pos += (len + 7) & ~(size_t)7) {
		uint32_t level = load32(b + pos + 8), type = load32(b + pos + 12);

		len = load64(b + pos);
		if (pos)
			add(p, ", ");
		textbuf_addf(p->tb, "{cmsg_len=%zu, cmsg_level=", len);
		fmt_enum(p, SYSXLAT(socketlayers), level);
		add(p, ", cmsg_type=");
		if (level == 1)
			fmt_enum(p, SYSXLAT(scm_types), type);
		else if (level == 0)
			fmt_enum(p, SYSXLAT(ip_options), type);
		else if (level == 41)
			fmt_enum(p, SYSXLAT(ipv6_options), type);
		else
			fmt_hex(p, type);
		if (len < 16 || len > n - pos) {
			add(p, "}");
			break;
		}
		if (len > 16) {
			add(p, ", cmsg_data=");
			fmt_control_data(p, b + pos + 16, len - 16, level, type,
					 address + pos + 16);
		}
		add(p, "}");
		if (((len + 7) & ~(size_t)7) > n - pos)
			break;
	}
	add(p, "]");
}

/* namelen: its value when the call began, or that of the message. */
static void fmt_message(struct printing *p, uint64_t address, uint64_t n_bytes, int64_t namelen)
{
	const uint8_t *b = peek_or_addr(p, address, 56);
	uint32_t len, control;

	if (!b)
		return;
	len = load32(b + 8);
	control = load64(b + 40) > UINT32_MAX ? UINT32_MAX : (uint32_t)load64(b + 40);
	add(p, "{msg_name=");
	if (load64(b) && len)
		fmt_sockaddr(p, load64(b), namelen >= 0 && namelen < len ? namelen : len);
	else
		fmt_addr(p, load64(b));
	if (namelen >= 0 && namelen != len)
		textbuf_addf(p->tb, ", msg_namelen=%d => %d", (int)namelen, (int)len);
	else
		textbuf_addf(p->tb, ", msg_namelen=%d", (int)len);
	add(p, ", msg_iov=");
	fmt_iovecs(p, load64(b + 16), load64(b + 24), n_bytes, true);
	textbuf_addf(p->tb, ", msg_iovlen=%" PRIu64, load64(b + 24));
	if (control) {
		add(p, ", msg_control=");
		if (load64(b + 32) && control >= 16)
			fmt_control(p, load64(b + 32), control);
		else
			fmt_addr(p, load64(b + 32));
	}
	textbuf_addf(p->tb, ", msg_controllen=%" PRIu64 ", msg_flags=", load64(b + 40));
	fmt_flags(p, SYSXLAT(msg_flags), load32(b + 48));
	add(p, "}");
}

void fmt_failed_message(struct printing *p, uint64_t address)
{
	uint32_t n;

	if (peek_u32(p, address + 8, &n))
		textbuf_addf(p->tb, "{msg_namelen=%d}", (int)n);
	else
		fmt_addr(p, address);
}

void sysfmt_msghdr(struct printing *p, const struct systype *t, uint64_t v)
{
	int64_t namelen = -1;
	const uint8_t *b;

	if (p->when == SYSCALLEVENTS_AT_EXIT) {
		for (size_t i = 0; i < p->n_chunks; i++)
			if (p->chunks[i].when == SYSCALLEVENTS_AT_ENTRY &&
			    p->chunks[i].address == v && p->chunks[i].n >= 12)
				namelen = load32(p->chunks[i].bytes + 8);
		fmt_message(p, v, (uint64_t)p->call->ret, namelen);
		return;
	}
	b = peek(p, v, 56);
	if (b)
		fmt_message(p, v, UINT64_MAX, -1);
	else
		fmt_addr(p, v);
}

static void fmt_mmessage(struct printing *p, uint64_t address)
{
	const uint8_t *b = peek(p, address, 64);
	bool out = p->when == SYSCALLEVENTS_AT_EXIT;

	if (!b)
		return;
	add(p, "{msg_hdr=");
	fmt_message(p, address, out ? load32(b + 56) : UINT64_MAX, -1);
	if (p->returned && !p->failed) {
		uint8_t when = p->when;
		uint32_t len;

		p->when = SYSCALLEVENTS_AT_EXIT;
		if (peek_u32(p, address + 56, &len))
			textbuf_addf(p->tb, ", msg_len=%u", len);
		p->when = when;
	}
	add(p, "}");
}

/* The kernel sends as many messages as it returns. */
void sysfmt_mmsghdr(struct printing *p, const struct systype *t, uint64_t v)
{
	uint64_t n = (uint32_t)arg_of(p, t->arg);

	if (wrote(p) && (uint64_t)p->call->ret < n)
		n = p->call->ret;
	fmt_elements(p, v, n, 64, fmt_mmessage);
}

void sysfmt_outmmsghdr(struct printing *p, const struct systype *t, uint64_t v)
{
	if (!begin_written(p, v))
		return;
	fmt_elements(p, v, p->call->ret, 64, fmt_mmessage);
}

void sysfmt_recvmmsgtime(struct printing *p, const struct systype *t, uint64_t v)
{
	size_t start;

	p->when = SYSCALLEVENTS_AT_ENTRY;
	fmt_struct_or_addr(p, &struct_timespec, v);
	if (!v || !wrote(p))
		return;
	start = textbuf_len(p->tb);
	p->when = SYSCALLEVENTS_AT_EXIT;
	if (!p->call->ret) {
		add(p, "Timeout");
	} else {
		add(p, "left ");
		fmt_struct_or_addr(p, &struct_timespec, v);
	}
	fmt_note(p, start);
}
