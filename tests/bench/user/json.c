// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json.c - a small parser of JSON, written with many small functions, as programs are: prints how
 * many calls it made of functions of its own, and the CPU time for one of them, in ns.
 *
 *	json ROUNDS
 *
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART  __attribute__((noinline))
#define CALL() (n_calls++)

struct value {
	enum { NUL, TRUE, FALSE, NUMBER, TEXT, ARRAY, OBJECT } kind;
	double number;
	char text[24];
	struct value *first, *next;
};

struct parser {
	const char *at, *end;
	struct value *values;
	size_t n;
	int depth, failed;
};

static long n_calls;

static const char document[] = "{\"name\": \"sonde\", \"cpus\": [0, 1, 2, 3], \"rate\": 1250.75, "
			       "\"live\": true, \"none\": null,"
			       " \"events\": [{\"id\": 1, \"text\": \"sched_switch\", \"on\": "
			       "false}, {\"id\": 2, \"text\": \"irq\","
			       " \"on\": true}, {\"id\": 3, \"text\": \"a\\\"b\\\\c\", \"on\": "
			       "true}], \"deep\": [[[[1, [2, [3]]]]]]}";

APART static void skip_space(struct parser *p)
{
	CALL();
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t'))
		p->at++;
}

APART static int peek(const struct parser *p)
{
	CALL();
	return p->at < p->end ? *p->at : -1;
}

APART static int accept(struct parser *p, char c)
{
	CALL();
	skip_space(p);
	if (peek(p) != c)
		return 0;
	p->at++;
	return 1;
}

APART static struct value *value_new(struct parser *p, int kind)
{
	struct value *v = &p->values[p->n++];

	CALL();
	v->kind = kind;
	v->first = v->next = NULL;
	return v;
}

APART static int is_digit(int c)
{
	CALL();
	return c >= '0' && c <= '9';
}

APART static struct value *parse_number(struct parser *p)
{
	struct value *v = value_new(p, NUMBER);
	double scale = 1;

	CALL();
	v->number = 0;
	while (is_digit(peek(p)))
		v->number = v->number * 10 + (*p->at++ - '0');
	if (peek(p) == '.') {
		p->at++;
		while (is_digit(peek(p)))
			v->number += (*p->at++ - '0') * (scale /= 10);
	}
	return v;
}

APART static char unescape(struct parser *p)
{
	CALL();
	if (*p->at == '\\')
		p->at++;
	return *p->at++;
}

APART static struct value *parse_text(struct parser *p)
{
	struct value *v = value_new(p, TEXT);
	size_t n = 0;

	CALL();
	p->at++;
	while (p->at < p->end && *p->at != '"' && n < sizeof(v->text) - 1)
		v->text[n++] = unescape(p);
	v->text[n] = 0;
	p->at++;
	return v;
}

APART static struct value *parse(struct parser *p);

APART static void append(struct value *list, struct value **last, struct value *v)
{
	CALL();
	if (*last)
		(*last)->next = v;
	else
		list->first = v;
	*last = v;
}

APART static struct value *parse_list(struct parser *p, int kind, char end)
{
	struct value *list = value_new(p, kind), *last = NULL;

	CALL();
	p->at++;
	while (!accept(p, end) && !p->failed) {
		append(list, &last, parse(p));
		if (kind == OBJECT && accept(p, ':'))
			append(list, &last, parse(p));
		accept(p, ',');
	}
	return list;
}

APART static struct value *parse_word(struct parser *p, const char *word, int kind)
{
	size_t n = strlen(word);

	CALL();
	p->failed |= (size_t)(p->end - p->at) < n || strncmp(p->at, word, n);
	p->at += n;
	return value_new(p, kind);
}

APART static struct value *parse(struct parser *p)
{
	CALL();
	skip_space(p);
	switch (peek(p)) {
	case '{':
		return parse_list(p, OBJECT, '}');
	case '[':
		return parse_list(p, ARRAY, ']');
	case '"':
		return parse_text(p);
	case 't':
		return parse_word(p, "true", TRUE);
	case 'f':
		return parse_word(p, "false", FALSE);
	case 'n':
		return parse_word(p, "null", NUL);
	default:
		return parse_number(p);
	}
}

APART static double sum(const struct value *v)
{
	double total = v->kind == NUMBER ? v->number
		       : v->kind == TEXT ? (double)strlen(v->text)
					 : 1;

	CALL();
	for (const struct value *c = v->first; c; c = c->next)
		total += sum(c);
	return total;
}

static double cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

int main(int argc, char **argv)
{
	static struct value values[256];
	int n_rounds = argc > 1 ? atoi(argv[1]) : 2000;
	double total = 0, start = cpu_ns();

	for (int i = 0; i < n_rounds; i++) {
		struct parser p = {document, document + sizeof(document) - 1, values, 0, 0, 0};

		total += sum(parse(&p));
	}
	printf("%ld %.3f %g\n", n_calls, (cpu_ns() - start) / (double)n_calls, total);
	return 0;
}
