// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * graphlines.c - the kernel's function events from their text.
 *
 *	+ 13.635 us  |  mutex_unlock();     funcgraph_entry and, 13.635 us later, funcgraph_exit
 *	             |  do_exit() {         funcgraph_entry
 *	  7.848 us   |  }                   funcgraph_exit; its function is the one that is open at
 *	                                    this depth
 *	vfs_read <-- ksys_read              function
 *	=> ttwu_do_wakeup (ffffffff820df7)  kernel_stack
 *
 * The depth is half of the blanks before the name. Reports round the duration to nanoseconds and the
 * time to microseconds, so an end that was computed could come after the next event: it is put
 * before it.
 */
#include "inputs/foreign/graphlines.h"

#include "base/array.h"
#include "base/scope.h"
#include "inputs/foreign/ftraceline.h"
#include "inputs/foreign/maker.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define DEPTH_MAX  256
#define FRAMES_MAX 256
#define TASKS_MAX  (1u << 16)
#define CPUS_MAX   65536
#define INDENT	   3 /* blanks for each level of the tracer function */

enum { FUNCTION_ID = 1, STACK_ID = 4, EXIT_ID = 10, ENTRY_ID = 11 }; /* as in Linux 6.1 */

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char *const formats[] = {
	"name: function\nID: 1\n" COMMON
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip\n",
	"name: kernel_stack\nID: 4\n" COMMON "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
	"print fmt: \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], "
	"(void *)REC->caller[1], (void *)REC->caller[2]\n",
	"name: funcgraph_exit\nID: 10\n" COMMON
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"<-- %ps (%d) (start: %llx  end: %llx) over: %d\", (void *)REC->func, "
	"REC->depth, REC->calltime, REC->rettime, REC->depth\n",
	"name: funcgraph_entry\nID: 11\n" COMMON
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n",
};

struct function_record {
	struct maker_head head;
	uint64_t ip, parent_ip;
};

struct entry_record {
	struct maker_head head;
	uint64_t func;
	int32_t depth;
} __attribute__((packed));

struct exit_record {
	struct maker_head head;
	uint64_t func;
	int32_t depth;
	uint32_t overrun;
	uint64_t calltime, rettime;
};

struct stack_record {
	struct maker_head head;
	int32_t size;
	uint32_t pad;
	uint64_t caller[FRAMES_MAX];
};

struct open_calls {
	uint64_t func[DEPTH_MAX];
};

void graphlines_init(struct graphlines *g, struct maker *m)
{
	*g = (struct graphlines){.maker = m};
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		maker_add_ftrace(m, formats[i]);
}

void graphlines_release(struct graphlines *g)
{
	map_release(&g->cpus);
	map_release(&g->tasks); /* the values are in the maker's arena */
}

static struct maker_head head_of(const struct ftraceline *l, uint16_t type)
{
	return (struct maker_head){type, l->flags, l->preempt_count, l->pid};
}

static struct piece trim(const char *from, const char *to)
{
	while (from < to && *from == ' ')
		from++;
	while (to > from && strchr(" \r", to[-1]))
		to--;
	return (struct piece){(const uint8_t *)from, (size_t)(to - from)};
}

static uint64_t function_of(struct graphlines *g, struct piece name)
{
	return name.len ? maker_function(g->maker, (const char *)name.data, name.len) : 0;
}

/*
 * A report without parents shows by the indentation which of the functions before it is the parent:
 * it is as many places from the bottom of the CPU's stack. The function at the bottom is unknown.
 */
static uint64_t parent_at(struct graphlines *g, const struct ftraceline *l, size_t depth,
			  uint64_t func)
{
	void **slot = map_take(&g->cpus, l->cpu, CPUS_MAX);
	struct open_calls *calls;

	if (slot && !*slot)
		*slot = arena_alloc(&g->maker->arena, sizeof(*calls));
	calls = slot ? *slot : NULL;
	if (!calls || depth + 1 >= DEPTH_MAX)
		return 0;
	if (!depth || !calls->func[depth])
		calls->func[depth] = maker_function(g->maker, "unknown", 7);
	calls->func[depth + 1] = func;
	return calls->func[depth];
}

int graphlines_add_function(struct graphlines *g, const struct ftraceline *l)
{
	const char *start = (const char *)l->text.data, *end = start + l->text.len;
	const char *arrow = memmem(start, l->text.len, "<-", 2);
	struct piece name = trim(start, arrow ? arrow : end);
	struct function_record rec = {.head = head_of(l, FUNCTION_ID)};
	size_t n_blanks = (size_t)((const char *)name.data - start);

	rec.ip = function_of(g, name);
	if (arrow) {
		arrow += 2;
		if (arrow < end && *arrow == '-')
			arrow++;
		rec.parent_ip = function_of(g, trim(arrow, end));
	} else {
		rec.parent_ip = parent_at(g, l, n_blanks / INDENT, rec.ip);
	}
	return maker_add(g->maker, l->cpu, l->time_ns, &rec, sizeof(rec));
}

/*
 * --- function_graph ----------------------------------------------------------------------------
 */

static struct open_calls *calls_of(struct graphlines *g, int pid)
{
	void **slot = map_take(&g->tasks, (uint32_t)pid, TASKS_MAX);

	if (slot && !*slot)
		*slot = arena_alloc(&g->maker->arena, sizeof(struct open_calls));
	return slot ? *slot : NULL;
}

static int add_entry(struct graphlines *g, const struct ftraceline *l, uint64_t func, int depth)
{
	struct entry_record rec = {.head = head_of(l, ENTRY_ID), .func = func, .depth = depth};
	struct open_calls *calls = calls_of(g, l->pid);

	if (calls && depth < DEPTH_MAX)
		calls->func[depth] = func;
	return maker_add(g->maker, l->cpu, l->time_ns, &rec, sizeof(rec));
}

static int add_exit(struct graphlines *g, const struct ftraceline *l, uint64_t func, int depth,
		    uint64_t time_ns, uint64_t duration_ns)
{
	struct exit_record rec = {.head = head_of(l, EXIT_ID),
				  .func = func,
				  .depth = depth,
				  .calltime = time_ns - duration_ns,
				  .rettime = time_ns};
	struct open_calls *calls = calls_of(g, l->pid);

	if (calls && depth < DEPTH_MAX) {
		if (!rec.func)
			rec.func = calls->func[depth];
		calls->func[depth] = 0;
	}
	g->n_unnamed += !rec.func;
	return maker_add(g->maker, l->cpu, time_ns, &rec, sizeof(rec));
}

/* The name in a comment after the brace; comments with values are not names. */
static struct piece closing_name(const char *at, const char *end)
{
	const char *open = memmem(at, (size_t)(end - at), "/* ", 3), *stop;

	if (!open)
		return PIECE_EMPTY;
	for (stop = open += 3; stop < end && *stop != ' '; stop++)
		if (*stop == '=' || *stop == '<')
			return PIECE_EMPTY;
	return trim(open, stop);
}

int graphlines_add_call(struct graphlines *g, const struct ftraceline *l, uint64_t next_ns)
{
	const char *start, *end, *at, *bracket;
	uint64_t duration_ns, func, end_ns;
	struct piece text;
	bool has_duration;
	int depth;

	if (!ftraceline_parse_duration(l->text, &has_duration, &duration_ns, &text))
		return -EINVAL;
	start = at = (const char *)text.data;
	end = start + text.len;
	while (at < end && *at == ' ')
		at++;
	depth = at - start > 2 ? (int)((at - start - 2) / 2) : 0;
	if (at < end && *at == '}')
		return add_exit(g, l, function_of(g, closing_name(at, end)), depth, l->time_ns,
				duration_ns < l->time_ns ? duration_ns : l->time_ns);
	bracket = memchr(at, '(', (size_t)(end - at));
	if (!bracket || bracket == at)
		return -EINVAL;
	func = function_of(g, trim(at, bracket));
	TRY(add_entry(g, l, func, depth));
	while (end > at && strchr(" \r", end[-1]))
		end--;
	if (end[-1] == '{')
		return 0;
	end_ns = l->time_ns + duration_ns;
	if (next_ns > l->time_ns && end_ns >= next_ns)
		end_ns = next_ns - 1;
	return add_exit(g, l, func, depth, end_ns, duration_ns < end_ns ? duration_ns : end_ns);
}

/*
 * --- stacks ------------------------------------------------------------------------------------
 */

/* "name (ffffffff820df706)", "name+0x12/0x80", "name" */
static uint64_t place_of(struct graphlines *g, struct piece frame)
{
	const char *start = (const char *)frame.data, *end = start + frame.len;
	struct piece all = trim(start, end);
	const char *open = memmem(all.data, all.len, " (", 2), *p;
	uint64_t address = 0;

	for (p = open ? open + 2 : end; p < end && isxdigit((unsigned char)*p); p++)
		address = address << 4 |
			  (uint64_t)(isdigit((unsigned char)*p) ? *p - '0' : (*p | 32) - 'a' + 10);
	if (!open || p == open + 2 || p >= end || *p != ')')
		return function_of(g, all);
	maker_add_symbol(g->maker, address, (const char *)all.data,
			 (size_t)(open - (const char *)all.data));
	return address;
}

int graphlines_add_stack(struct graphlines *g, const struct ftraceline *l,
			 const struct piece *frames, size_t n)
{
	struct stack_record rec = {.head = head_of(l, STACK_ID)};

	if (n > FRAMES_MAX)
		n = FRAMES_MAX;
	rec.size = (int32_t)n;
	for (size_t i = 0; i < n; i++)
		rec.caller[i] = place_of(g, frames[i]);
	return maker_add(g->maker, l->cpu, l->time_ns, &rec,
			 (uint32_t)(offsetof(struct stack_record, caller) + 8 * n));
}
