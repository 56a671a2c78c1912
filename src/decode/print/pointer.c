// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pointer.c - the kernel's %p conversions.
 *
 *	S s F f   symbol (S and F with +0xoffset)       M m     MAC address, F with -, R reversed
 *	I4 i4     IPv4, then h n b l: byte order        I6 i6   IPv6, c compressed
 *	ISpc ISs  socket address, p with port           U       UUID, L l B b
 *	h         bytes in hex, C D N: delimiter        else    the address as printf("%p") has it
 *
 * Addresses and UUIDs are read from the record, so their argument must be a field; otherwise the
 * text names the kind, in the words that trace-cmd users know.
 */
#include "base/textbuf.h"
#include "decode/print/print_int.h"
#include "format/bytes.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static const struct arg *skip_casts(const struct arg *a)
{
	while (a->kind == ARG_CAST)
		a = a->cast.item;
	return a;
}

/*
 * Returns the field's bytes if the argument is a field of exactly that size. Else prints what is
 * wrong.
 */
static const uint8_t *field_exact(struct printer *p, const struct arg *a, uint32_t size,
				  const char *invalid)
{
	const struct field *f;

	a = skip_casts(a);
	if (a->kind != ARG_FIELD) {
		textbuf_addf(p->out, "ARG TYPE NOT FIELD BUT %d", a->kind);
		return NULL;
	}
	f = a->field.field;
	if (!f)
		return NULL;
	if (f->size != size || (uint64_t)f->offset + size > p->size) {
		textbuf_add_str(p->out, invalid);
		return NULL;
	}
	return p->data + f->offset;
}

static void print_function_name(struct printer *p, char letter, const struct arg *a)
{
	uint64_t addr = arg_eval(p, a);
	bool offset = letter == 'F' || letter == 'S';

	if (offset ? printer_add_symbol(p, addr) : printer_add_symbol_name(p, addr))
		return;
	textbuf_add(p->out, "0x", 2);
	textbuf_add_hex(p->out, addr);
}

static void print_mac(struct printer *p, const char *letters, const struct arg *a)
{
	const uint8_t *b = field_exact(p, a, 6, "INVALIDMAC");
	bool reverse = letters[1] == 'R';
	char delim = letters[0] == 'm' ? 0 : letters[1] == 'F' ? '-' : ':';

	for (int i = 0; b && i < 6; i++) {
		if (i && delim)
			textbuf_add_char(p->out, delim);
		textbuf_add(p->out, number_hex_pairs + b[reverse ? 5 - i : i] * 2, 2);
	}
}

static void emit_ip4(struct printer *p, char i, bool reverse, const uint8_t *b)
{
	for (int n = 0; n < 4; n++) {
		uint8_t v = b[reverse ? 3 - n : n];

		if (n)
			textbuf_add_char(p->out, '.');
		if (i == 'i')
			textbuf_addf(p->out, "%03d", v);
		else
			textbuf_add_dec(p->out, v);
	}
}

static bool ip4_is_reversed(const struct printer *p, char letter)
{
	return letter == 'l' || (letter == 'h' && !p->formats->big_endian);
}

/* Finds the longest run of zero words and its length. A length of 1 is not shortened. */
static int longest_zeros(const uint8_t *b, int words, int *ret_len)
{
	int best = -1, best_len = 1;

	for (int i = 0; i < words; i++) {
		int n = 0;

		while (i + n < words && !b[(i + n) * 2] && !b[(i + n) * 2 + 1])
			n++;
		if (n > best_len) {
			best_len = n;
			best = i;
		}
	}
	*ret_len = best_len;
	return best;
}

static void emit_ip6_short(struct printer *p, const uint8_t *b)
{
	static const uint8_t zeros[8];
	bool v4 = (!memcmp(b, zeros, 8) && !memcmp(b + 8, "\0\0\xff\xff", 4)) ||
		  ((b[8] | 2) == 2 && !memcmp(b + 9, "\0\x5e\xfe", 3));
	int words = v4 ? 6 : 8, run, start = longest_zeros(b, words, &run);
	bool colon = false;

	for (int i = 0; i < words; i++) {
		if (i == start) {
			textbuf_add_str(p->out, colon || !i ? "::" : ":");
			colon = false;
			i += run - 1;
			continue;
		}
		if (colon)
			textbuf_add_char(p->out, ':');
		textbuf_add_hex(p->out, b[i * 2] << 8 | b[i * 2 + 1]);
		colon = true;
	}
	if (!v4)
		return;
	if (colon)
		textbuf_add_char(p->out, ':');
	emit_ip4(p, 'I', false, b + 12);
}

static void emit_ip6(struct printer *p, char i, bool compressed, const uint8_t *b)
{
	if (compressed) {
		emit_ip6_short(p, b);
		return;
	}
	for (int j = 0; j < 16; j += 2) {
		textbuf_add(p->out, number_hex_pairs + b[j] * 2, 2);
		textbuf_add(p->out, number_hex_pairs + b[j + 1] * 2, 2);
		if (i == 'I' && j < 14)
			textbuf_add_char(p->out, ':');
	}
}

/* Prints %pIS…, a struct sockaddr in the record. */
static void print_sockaddr(struct printer *p, char i, const char *letters, const struct arg *a)
{
	bool port = i == 'I' && *letters == 'p', compressed;
	uint32_t offset, len;
	const uint8_t *sa;
	uint16_t family;

	letters += port;
	compressed = i == 'I' && *letters == 'c';
	letters += compressed;
	a = skip_casts(a);
	if (a->kind == ARG_FIELD) {
		if (!a->field.field)
			return;
		offset = a->field.field->offset;
		len = a->field.field->size;
	} else if (a->kind == ARG_DYNAMIC_ARRAY) {
		dynamic_place(p, a->field.field, &offset, &len);
	} else {
		textbuf_addf(p->out, "ARG NOT FIELD NOR DYNAMIC ARRAY BUT TYPE %d", a->kind);
		return;
	}
	if (offset > p->size || p->size - offset < 2)
		return;
	if (len > p->size - offset)
		len = p->size - offset;
	sa = p->data + offset;
	family = bytes_get16(sa, p->swap);
	if (family == AF_INET) {
		if (len < sizeof(struct sockaddr_in)) {
			textbuf_add_str(p->out, "INVALIDIPv4");
			return;
		}
		emit_ip4(p, i, ip4_is_reversed(p, *letters), sa + 4);
		if (port)
			textbuf_addf(p->out, ":%d", sa[2] << 8 | sa[3]);
	} else if (family == AF_INET6) {
		if (len < sizeof(struct sockaddr_in6)) {
			textbuf_add_str(p->out, "INVALIDIPv6");
			return;
		}
		if (port)
			textbuf_add_char(p->out, '[');
		emit_ip6(p, i, compressed, sa + 8);
		if (port)
			textbuf_addf(p->out, "]:%d", sa[2] << 8 | sa[3]);
	}
}

static void print_ip(struct printer *p, const char *letters, const struct arg *a)
{
	const uint8_t *b;

	if (letters[1] == '4') {
		b = field_exact(p, a, 4, "INVALIDIPv4");
		if (b)
			emit_ip4(p, letters[0], ip4_is_reversed(p, letters[2]), b);
	} else if (letters[1] == '6') {
		b = field_exact(p, a, 16, "INVALIDIPv6");
		if (b)
			emit_ip6(p, letters[0], letters[0] == 'I' && letters[2] == 'c', b);
	} else if (letters[1] == 'S') {
		print_sockaddr(p, letters[0], letters + 2, a);
	}
}

static void print_uuid(struct printer *p, char letter, const struct arg *a)
{
	static const uint8_t little[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	const uint8_t *b = field_exact(p, a, 16, "INVALIDUUID");

	for (int i = 0; b && i < 16; i++) {
		uint8_t v = b[letter == 'L' || letter == 'l' ? little[i] : i];

		textbuf_addf(p->out, letter == 'L' || letter == 'B' ? "%02X" : "%02x", v);
		if (i == 3 || i == 5 || i == 7 || i == 9)
			textbuf_add_char(p->out, '-');
	}
}

static void print_bytes(struct printer *p, char letter, int n, const struct arg *a)
{
	const char *delim = letter == 'C' ? ":" : letter == 'D' ? "-" : letter == 'N' ? "" : " ";
	uint32_t offset, len;

	if (a->kind != ARG_DYNAMIC_ARRAY) {
		textbuf_addf(p->out, "ARG TYPE NOT FIELD BUT %d", a->kind);
		return;
	}
	dynamic_place(p, a->field.field, &offset, &len);
	/* compare as unsigned: a negative count means all bytes */
	if (len < (uint32_t)n)
		n = len;
	for (int i = 0; i < n; i++) {
		if (i)
			textbuf_add_str(p->out, delim);
		textbuf_add(p->out, number_hex_pairs + p->data[offset + i] * 2, 2);
	}
}

void print_pointer(struct printer *p, const char *letters, int n_bytes, const struct arg *a)
{
	uint64_t v;

	if (a->kind == ARG_BSTRING) {
		textbuf_add_str(p->out, a->atom.text);
		return;
	}
	if (a->kind == ARG_FUNC && letters[0] && strchr("MmIiUh", letters[0])) {
		function_call(p, a);
		return;
	}
	switch (letters[0]) {
	case 'F':
	case 'f':
	case 'S':
	case 's':
		print_function_name(p, letters[0], a);
		return;
	case 'M':
	case 'm':
		print_mac(p, letters, a);
		return;
	case 'I':
	case 'i':
		print_ip(p, letters, a);
		return;
	case 'U':
		print_uuid(p, letters[1], a);
		return;
	case 'h':
		print_bytes(p, letters[1], n_bytes, a);
		return;
	}
	v = arg_eval(p, a);
	if (!v) {
		textbuf_add(p->out, "(nil)", 5);
		return;
	}
	textbuf_add(p->out, "0x", 2);
	textbuf_add_hex(p->out, v);
}
