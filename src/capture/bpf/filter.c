// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter.c - parses a filter as the kernel does, and generates its tests in a program.
 *
 *	any     := all { "||" all }
 *	all     := term { "&&" term }
 *	term    := { "!" } ( "(" any ")" | test )
 *	test    := FIELD [ ".ustring" ] ( "==" | "!=" | "<=" | "<" | ">=" | ">" | "&" ) NUMBER
 *	         | FIELD [ ".ustring" ] ( "==" | "!=" | "~" ) ( "TEXT" | 'TEXT' )
 *
 * The filter of an event does not stop BPF programs attached to that event, so the program has to
 * test it. The test must accept exactly the records that the kernel accepts. Some of the kernel's
 * rules are surprising (kernel/trace/trace_events_filter.c, 4.10 to 6.18):
 *
 *	numbers   are converted to the size of the field, and compared with its sign. CPU & 1 is
 *	          never true
 *	"x*"      the text begins with x; "*x*" contains x; "*x" ends with x. In an array x must
 *	          stand just before the last byte, so comm ~ "*sh" is true only for names of 15
 *	          letters
 *	"1*"      a pattern that begins with a digit is not a pattern: the text is 1*
 *	"!x"      a ! after ~ negates, too
 *
 * One difference: bytes behind the NUL of an array are ignored. The kernel searches these old bytes
 * for "*x*".
 *
 * The parser refuses a filter that it does not understand. Then sonde counts by another method, and
 * the kernel reports what is wrong.
 *
 *	a && b    a fails ──▶ out; b fails ──▶ out          "not" inverts tests, and turns && into
 *	                                                    ||
 *	a || b    a fails ──▶ b fails ──▶ out; a is true ──▶ skip b
 */
#include "base/array.h"
#include "base/scope.h"
#include "capture/bpf/filter_int.h"

#include "base/errmsg.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_AT	   (BPFPROGRAM_STACK - 264)
#define DEPTH_MAX  32
#define DIGITS_MAX 23

enum { R0, R1, R2, R9 = 9, STACK };
#define NUMBER BPFPROGRAM_NUMBER

/*
 * --- reading -----------------------------------------------------------------------------------
 */

struct reader {
	struct bpffilter *f;
	const char *text, *p;
	bpffilter_find find;
	void *ctx;
	unsigned depth;
	struct errmsg *err;
};

static int refuse(const struct reader *r, const char *at)
{
	return errmsg_set(r->err, -ENOTSUP,
			  "a BPF program cannot evaluate the filter '%.200s' at '%.60s'", r->text,
			  at);
}

static void skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->p))
		r->p++;
}

static bool take(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	skip_blanks(r);
	if (strncmp(r->p, word, len) != 0)
		return false;
	r->p += len;
	return true;
}

static int new_node(struct reader *r, int kind, int left, int right)
{
	struct bpffilter *f = r->f;

	if (f->n_nodes == BPFFILTER_NODES_MAX)
		return errmsg_set(r->err, -ENOTSUP, "the filter is too long for a BPF program");
	f->nodes[f->n_nodes].kind = kind;
	f->nodes[f->n_nodes].left = (uint16_t)left;
	f->nodes[f->n_nodes].right = (uint16_t)right;
	f->nodes[f->n_nodes].masks.fd = -1;
	return (int)f->n_nodes++;
}

/* Converts the number to the sign and size of the field. */
static uint64_t cut(uint64_t number, const struct bpffilter_field *field)
{
	unsigned left = 64 - 8 * field->n_bytes;

	return field->is_signed ? (uint64_t)((int64_t)(number << left) >> left)
				: number << left >> left;
}

static int read_number(struct reader *r, struct bpffilter_node *n)
{
	const char *from = r->p;
	char digits[DIGITS_MAX + 1], *end;
	size_t len = *from == '-';

	while (isalnum((unsigned char)from[len]))
		len++;
	if (len > DIGITS_MAX || n->op == FILTER_GLOB || n->field.kind > BPFFILTER_CPU ||
	    (*from == '-' && !n->field.is_signed))
		return refuse(r, from);
	memcpy(digits, from, len);
	digits[len] = 0;
	errno = 0;
	n->number =
		n->field.is_signed ? (uint64_t)strtoll(digits, &end, 0) : strtoull(digits, &end, 0);
	if (errno || *end || end == digits)
		return refuse(r, from);
	n->number = cut(n->number, &n->field);
	r->p += len;
	return 0;
}

/* Interprets the pattern after ~ as the kernel does. */
static int read_pattern(struct reader *r, struct bpffilter_node *n)
{
	char *p = n->pattern;
	bool star_before, star_behind;
	size_t special;

	if (*p == '!') {
		n->is_not = true;
		memmove(p, p + 1, n->len--);
	}
	n->match = MATCH_FULL;
	if (isdigit((unsigned char)*p))
		return 0;
	star_before = *p == '*';
	special = star_before + strcspn(p + star_before, "*[?\\");
	star_behind = special && special + 1 == n->len && p[special] == '*';
	if (special < n->len && !star_behind) {
		n->match = MATCH_GLOB;
		return bpffilter_glob(n, false, false, false, r->err);
	}
	if (!star_before && !star_behind)
		return 0;
	n->len -= (size_t)star_before + star_behind;
	memmove(p, p + star_before, n->len);
	p[n->len] = 0;
	if (!star_before)
		n->match = MATCH_FRONT;
	else if (!n->len)
		n->match = MATCH_ALL;
	else if (!star_behind && n->field.kind == BPFFILTER_ARRAY)
		n->match = MATCH_BEFORE_LAST;
	else
		n->match = MATCH_GLOB;
	return n->match == MATCH_GLOB ? bpffilter_glob(n, true, true, star_behind, r->err) : 0;
}

/*
 * Returns true if the text that replaces an unreadable one matches. The kernel finds the guard
 * (guard.c) in place of such a text, with length 0, so a pattern cannot match the end of the text.
 */
static bool has_instead(const struct bpffilter_node *n, bool is_pattern)
{
	const char *text = n->field.instead, *p = n->pattern + (is_pattern && *n->pattern == '!');
	size_t len = strlen(p);

	if (!text)
		return false;
	if (is_pattern && *p == '*' && strcspn(p + 1, "*[?\\") == len - 1)
		return false;
	return is_pattern && !isdigit((unsigned char)*p) ? !fnmatch(p, text, 0) : !strcmp(p, text);
}

static int read_text(struct reader *r, struct bpffilter_node *n)
{
	const char *from = r->p + 1, *end = strchr(from, *r->p);

	if (!end || n->field.kind <= BPFFILTER_CPU ||
	    (n->op != FILTER_EQ && n->op != FILTER_NE && n->op != FILTER_GLOB))
		return refuse(r, r->p);
	n->len = (size_t)(end - from);
	if (n->len > BPFFILTER_PATTERN_MAX)
		return errmsg_set(r->err, -ENOTSUP, "the filter is too long for a BPF program");
	memcpy(n->pattern, from, n->len);
	n->pattern[n->len] = 0;
	n->is_not = n->op == FILTER_NE;
	n->has_instead = has_instead(n, n->op == FILTER_GLOB);
	r->p = end + 1;
	if (n->op == FILTER_GLOB)
		return read_pattern(r, n);
	n->match = MATCH_FULL;
	return 0;
}

/* Reads an operator. Tries "<=" before "<". */
static int read_op(struct reader *r)
{
	static const struct {
		const char *word;
		enum bpffilter_op op;
	} ops[] = {{"~", FILTER_GLOB}, {"!=", FILTER_NE}, {"==", FILTER_EQ}, {"<=", FILTER_LE},
		   {"<", FILTER_LT},   {">=", FILTER_GE}, {">", FILTER_GT},  {"&", FILTER_AND}};

	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		if (take(r, ops[i].word))
			return (int)ops[i].op;
	return -ENOTSUP;
}

static int read_test(struct reader *r)
{
	const char *from = r->p;
	struct bpffilter_node *n;
	char name[128];
	size_t len = 0;
	int i = new_node(r, NODE_TEST, 0, 0), op, ret;

	while (isalnum((unsigned char)from[len]) || from[len] == '_')
		len++;
	TRY(i);
	if (len && !strncmp(from + len, ".ustring", 8))
		len += 8;
	if (!len || len >= sizeof(name))
		return refuse(r, from);
	memcpy(name, from, len);
	name[len] = 0;
	r->p += len;
	op = read_op(r);
	if (op < 0)
		return refuse(r, r->p);
	n = &r->f->nodes[i];
	n->op = (enum bpffilter_op)op;
	if (!r->find(r->ctx, name, &n->field))
		return errmsg_set(r->err, -ENOTSUP,
				  "a BPF program cannot read %s of the filter '%.200s'", name,
				  r->text);
	skip_blanks(r);
	ret = *r->p == '"' || *r->p == '\''		      ? read_text(r, n)
	      : isdigit((unsigned char)*r->p) || *r->p == '-' ? read_number(r, n)
							      : refuse(r, r->p);
	return ret < 0 ? ret : i;
}

static int read_any(struct reader *r);

static int read_term(struct reader *r)
{
	int i;

	skip_blanks(r);
	if (++r->depth > DEPTH_MAX)
		return errmsg_set(r->err, -ENOTSUP,
				  "the filter has too many levels for a BPF "
				  "program");
	if (*r->p == '!') {
		r->p++;
		i = read_term(r);
		i = i < 0 ? i : new_node(r, NODE_NOT, i, 0);
	} else if (*r->p == '(') {
		r->p++;
		i = read_any(r);
		if (i >= 0 && !take(r, ")"))
			i = refuse(r, r->p);
	} else {
		i = read_test(r);
	}
	r->depth--;
	return i;
}

static int read_all(struct reader *r)
{
	int i = read_term(r), k;

	while (i >= 0 && take(r, "&&")) {
		k = read_term(r);
		i = k < 0 ? k : new_node(r, NODE_ALL, i, k);
	}
	return i;
}

static int read_any(struct reader *r)
{
	int i = read_all(r), k;

	while (i >= 0 && take(r, "||")) {
		k = read_all(r);
		i = k < 0 ? k : new_node(r, NODE_ANY, i, k);
	}
	return i;
}

int bpffilter_new(struct bpffilter **ret, const char *text, bpffilter_find find, void *ctx,
		  struct errmsg *err)
{
	struct reader r = {.text = text, .p = text, .find = find, .ctx = ctx, .err = err};
	int i;

	r.f = calloc(1, sizeof(*r.f));
	if (!r.f)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the filter");
	i = read_any(&r);
	skip_blanks(&r);
	if (i >= 0 && *r.p)
		i = refuse(&r, r.p);
	if (i < 0) {
		bpffilter_free(r.f);
		return i;
	}
	r.f->root = (uint16_t)i;
	*ret = r.f;
	return 0;
}

void bpffilter_free(struct bpffilter *f)
{
	for (size_t i = 0; f && i < f->n_nodes; i++)
		if (f->nodes[i].masks.fd >= 0)
			close(f->nodes[i].masks.fd);
	free(f);
}

/*
 * --- numbers -----------------------------------------------------------------------------------
 */

/* The jumps that are taken if the test is true: unsigned, and signed. */
static const struct {
	int plain, with_sign;
	enum bpffilter_op opposite;
} jumps[] = {
	[FILTER_EQ] = {BPF_JEQ, BPF_JEQ, FILTER_NE},  [FILTER_NE] = {BPF_JNE, BPF_JNE, FILTER_EQ},
	[FILTER_LE] = {BPF_JLE, BPF_JSLE, FILTER_GT}, [FILTER_LT] = {BPF_JLT, BPF_JSLT, FILTER_GE},
	[FILTER_GE] = {BPF_JGE, BPF_JSGE, FILTER_LT}, [FILTER_GT] = {BPF_JGT, BPF_JSGT, FILTER_LE},
};

static void jump_if(struct bpfcode *c, int op, uint64_t number, unsigned label)
{
	if ((uint64_t)(int32_t)number == number)
		return bpfcode_jump_if(c, op, NUMBER, (int32_t)number, label);
	bpfcode_set_wide(c, R1, number);
	bpfcode_jump_if_reg(c, op, NUMBER, R1, label);
}

/*
 * Emits a jump that is always or never taken. It is needed because the kernel refuses programs with
 * unreachable instructions.
 */
static void emit_known(struct bpfcode *c, bool is_taken, unsigned label)
{
	bpfcode_set(c, R1, is_taken);
	bpfcode_jump_if(c, BPF_JNE, R1, 0, label);
}

static void emit_number(struct bpfcode *c, const struct bpffilter_node *n, bool is_not,
			unsigned out)
{
	const struct bpffilter_field *field = &n->field;
	enum bpffilter_op op = n->op;
	unsigned holds = bpfcode_label(c);

	if (op == FILTER_AND && field->kind == BPFFILTER_CPU) {
		emit_known(c, !is_not, out);
	} else if (op == FILTER_AND) {
		bpfprogram_read_number(c, &field->source);
		jump_if(c, BPF_JSET, n->number, is_not ? out : holds);
		if (!is_not)
			bpfcode_jump(c, out);
	} else {
		op = is_not ? op : jumps[op].opposite;
		bpfprogram_read_number(c, &field->source);
		jump_if(c, field->is_signed ? jumps[op].with_sign : jumps[op].plain, n->number,
			out);
	}
	bpfcode_place(c, holds);
}

/*
 * --- texts -------------------------------------------------------------------------------------
 */

/* Compares bytes of the text, from the given offset on, 8 at a time as they are on the stack. */
static void emit_bytes(struct bpfcode *c, const char *bytes, size_t from, size_t len, unsigned miss)
{
	for (size_t word = from / 8 * 8; word < from + len; word += 8) {
		uint8_t mask[8] = {0}, want[8] = {0};
		uint64_t m, w;

		for (size_t i = 0; i < 8; i++)
			if (word + i >= from && word + i < from + len) {
				mask[i] = 0xff;
				want[i] = (uint8_t)bytes[word + i - from];
			}
		memcpy(&m, mask, 8);
		memcpy(&w, want, 8);
		bpfcode_load(c, BPF_DW, R1, STACK, TEXT_AT + (int)word);
		if (m != UINT64_MAX) {
			bpfcode_set_wide(c, R2, m);
			bpfcode_alu(c, BPF_AND, R1, R2);
		}
		bpfcode_set_wide(c, R2, w);
		bpfcode_jump_if_reg(c, BPF_JNE, R1, R2, miss);
	}
}

/* Emits a test that jumps to miss, or falls through. */
static void emit_match(struct bpfcode *c, const struct bpffilter_node *n, unsigned miss)
{
	const struct bpfsource *s = &n->field.source;
	size_t n_bytes = s->kind == BPFSOURCE_COMM ? BPFPROGRAM_COMM_BYTES : s->n_bytes;

	if (n->match == MATCH_GLOB)
		bpfcode_jump_if(c, BPF_JEQ, R9, 0, miss);
	else if (n->match == MATCH_ALL)
		emit_known(c, false, miss);
	else if (n->len >= n_bytes)
		emit_known(c, true, miss);
	else if (n->match == MATCH_BEFORE_LAST)
		emit_bytes(c, n->pattern, n_bytes - 1 - n->len, n->len, miss);
	else
		emit_bytes(c, n->pattern, 0, n->len + (n->match == MATCH_FULL), miss);
}

static bool may_fault(const struct bpffilter_node *n)
{
	return n->field.kind == BPFFILTER_FAR || n->field.kind == BPFFILTER_PROBED;
}

static void emit_text(struct bpfcode *c, const struct bpffilter_node *n, bool is_not, unsigned out)
{
	unsigned miss = bpfcode_label(c), fault = bpfcode_label(c), holds = bpfcode_label(c);

	if (n->match == MATCH_GLOB)
		bpffilter_emit_glob(c, n, TEXT_AT, fault);
	else
		bpfprogram_put_source(c, &n->field.source, TEXT_AT);
	if (n->match != MATCH_GLOB && may_fault(n))
		bpffilter_emit_fault(c, TEXT_AT, fault);
	emit_match(c, n, miss);
	bpfcode_jump(c, n->is_not == is_not ? holds : out);
	bpfcode_place(c, miss);
	bpfcode_jump(c, n->is_not == is_not ? out : holds);
	bpfcode_place(c, fault);
	if (n->field.kind == BPFFILTER_PROBED ? (n->has_instead != n->is_not) == is_not
					      : n->field.kind == BPFFILTER_FAR && !is_not)
		bpfcode_jump(c, out);
	bpfcode_place(c, holds);
}

/*
 * --- the whole ---------------------------------------------------------------------------------
 */

/* Emits code that falls through if the node is true, or, with is_not, if it is false. */
static void emit(struct bpfcode *c, const struct bpffilter *f, unsigned i, bool is_not,
		 unsigned out)
{
	const struct bpffilter_node *n = &f->nodes[i];
	unsigned other, holds;

	if (n->kind == NODE_TEST)
		return n->field.kind <= BPFFILTER_CPU ? emit_number(c, n, is_not, out)
						      : emit_text(c, n, is_not, out);
	if (n->kind == NODE_NOT)
		return emit(c, f, n->left, !is_not, out);
	if ((n->kind == NODE_ALL) != is_not) {
		emit(c, f, n->left, is_not, out);
		return emit(c, f, n->right, is_not, out);
	}
	other = bpfcode_label(c);
	holds = bpfcode_label(c);
	emit(c, f, n->left, is_not, other);
	bpfcode_jump(c, holds);
	bpfcode_place(c, other);
	emit(c, f, n->right, is_not, out);
	bpfcode_place(c, holds);
}

bool bpffilter_needs_task(const struct bpffilter *f)
{
	bool needs = false;

	for (size_t i = 0; i < f->n_nodes; i++)
		needs |= f->nodes[i].kind == NODE_TEST &&
			 bpfsource_needs_task(&f->nodes[i].field.source);
	return needs;
}

void bpffilter_emit(struct bpfcode *c, const struct bpffilter *f, unsigned out)
{
	emit(c, f, f->root, false, out);
}
