// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c - the options of strace 6.1, translated for sonde's own.
 *
 * strace's letters mean something else in `sonde trace` now and then (-i, -a, -F), and its defaults
 * differ: children are followed only with -f, and the output is standard error. What changes the
 * traced program (-e inject, -e fault), and what sonde does not record (-i, -k, -e read), is an
 * error that says so.
 */
#include "capture/syscalls/sysprograms.h"
#include "cli/as/strace/strace_int.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "cli/record/recordopts.h"
#include "decode/syscalls/syscalltext.h"
#include "present/syscalls/calllines.h"
#include "symbols/syscalls/sets.h"
#include "symbols/syscalls/types.h"

#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum long_option {
	SEPARATELY = 256,
	TRACE,
	SIGNAL,
	STATUS,
	QUIET,
	TIMES,
	RELATIVE,
	DURATIONS,
	HEX,
	NOTHING,
	PIDS,
	KEYED
};

#define LETTERS "+:a:Ab:cCdDe:E:fFhiI:kno:O:p:P:qrs:S:tTu:U:vVwxX:yYzZ"

static const struct option words[] = {
	{"abbrev", required_argument, NULL, KEYED},
	{"absolute-timestamps", optional_argument, NULL, TIMES},
	{"attach", required_argument, NULL, 'p'},
	{"columns", required_argument, NULL, 'a'},
	{"const-print-style", required_argument, NULL, 'X'},
	{"daemonize", optional_argument, NULL, 'D'},
	{"debug", no_argument, NULL, 'd'},
	{"decode-fds", optional_argument, NULL, 'y'},
	{"decode-pids", required_argument, NULL, PIDS},
	{"detach-on", required_argument, NULL, 'b'},
	{"env", required_argument, NULL, 'E'},
	{"expr", required_argument, NULL, 'e'},
	{"fault", required_argument, NULL, KEYED},
	{"failed-only", no_argument, NULL, 'Z'},
	{"follow-forks", no_argument, NULL, 'f'},
	{"help", no_argument, NULL, 'h'},
	{"inject", required_argument, NULL, KEYED},
	{"instruction-pointer", no_argument, NULL, 'i'},
	{"interruptible", required_argument, NULL, 'I'},
	{"kvm", required_argument, NULL, KEYED},
	{"no-abbrev", no_argument, NULL, 'v'},
	{"output", required_argument, NULL, 'o'},
	{"output-append-mode", no_argument, NULL, 'A'},
	{"output-separately", no_argument, NULL, SEPARATELY},
	{"quiet", optional_argument, NULL, QUIET},
	{"raw", required_argument, NULL, KEYED},
	{"read", required_argument, NULL, KEYED},
	{"relative-timestamps", optional_argument, NULL, RELATIVE},
	{"seccomp-bpf", no_argument, NULL, NOTHING},
	{"silent", optional_argument, NULL, QUIET},
	{"signal", required_argument, NULL, SIGNAL},
	{"stack-traces", no_argument, NULL, 'k'},
	{"status", required_argument, NULL, STATUS},
	{"string-limit", required_argument, NULL, 's'},
	{"strings-in-hex", optional_argument, NULL, HEX},
	{"successful-only", no_argument, NULL, 'z'},
	{"summary-columns", required_argument, NULL, 'U'},
	{"summary-syscall-overhead", required_argument, NULL, 'O'},
	{"summary", no_argument, NULL, 'C'},
	{"summary-only", no_argument, NULL, 'c'},
	{"summary-sort-by", required_argument, NULL, 'S'},
	{"summary-wall-clock", no_argument, NULL, 'w'},
	{"syscall-number", no_argument, NULL, 'n'},
	{"syscall-times", optional_argument, NULL, DURATIONS},
	{"timestamps", optional_argument, NULL, TIMES},
	{"tips", optional_argument, NULL, NOTHING},
	{"trace", required_argument, NULL, TRACE},
	{"trace-path", required_argument, NULL, 'P'},
	{"user", required_argument, NULL, 'u'},
	{"verbose", required_argument, NULL, KEYED},
	{"version", no_argument, NULL, 'V'},
	{"write", required_argument, NULL, KEYED},
	{NULL, 0, NULL, 0},
};

/* What sonde does not do, and why. */
static const struct {
	int letter;
	const char *why;
} refused[] = {
	{'b', "-b: sonde does not stop the program, and cannot detach from it"},
	{'D', "-D: sonde is no parent of the program that matters to it; run it in the background"},
	{'i', "-i: sonde does not record the instruction pointer of system calls"},
	{'k', "-k: sonde does not record stacks of system calls; use sonde record --sample"},
};

/* strace names the call that it does not know. */
static int check_names(const char *value, struct errmsg *err)
{
	const char *p = strchr(value, '=') ? strchr(value, '=') + 1 : value;

	p += *p == '!';
	while (*p) {
		size_t n = strcspn(p, ",");
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)n, p);
		if (name[0] == '%' && syscallset_find(name + 1, strlen(name + 1)) == 0)
			return errmsg_set(err, -EINVAL, "invalid system call '%s'", name);
		if (name[0] && !strpbrk(name, "%/?*@[") && (name[0] < '0' || name[0] > '9') &&
		    strcmp(name, "all") && strcmp(name, "none") && strcmp(name, "file") &&
		    strcmp(name, "process") && strcmp(name, "network") && strcmp(name, "signal") &&
		    strcmp(name, "ipc") && strcmp(name, "desc") && strcmp(name, "memory") &&
		    !syscalltype_find(name))
			return errmsg_set(err, -EINVAL, "invalid system call '%s'", name);
		p += n + (p[n] == ',');
	}
	return 0;
}

static bool has_key(const char *value, const char *key, const char **ret_rest)
{
	size_t n = strlen(key);

	if (strncmp(value, key, n) || value[n] != '=')
		return false;
	*ret_rest = value + n + 1;
	return true;
}

/* -e raw=SET: these; -e abbrev=SET, -e verbose=SET: all others. */
static int choose_form(const char *value, uint64_t *calls, bool inverted, const uint64_t **ret,
		       struct errmsg *err)
{
	TRY(syscallchoice_parse(value, sysprograms_machine(0), false, calls, err));
	for (int i = 0; inverted && i < SYSCALLCHOICE_WORDS; i++)
		calls[i] = ~calls[i];
	*ret = calls;
	return 0;
}

static int choose(struct strace *s, const char *value, struct errmsg *err)
{
	static const char *const changes[] = {"fault", "inject"};
	static const char *const dumps[] = {"read", "reads", "r", "write", "writes", "w"};
	struct syscalltext_options *text = &s->o.lines.text;
	struct errmsg ignored = {0};
	const char *rest;

	for (size_t i = 0; i < ARRAY_LEN(changes); i++)
		if (has_key(value, changes[i], &rest))
			return errmsg_set(
				err, -EINVAL,
				"-e %s= changes what system calls do: sonde only watches; "
				"'sonde inject' makes them fail",
				changes[i]);
	if (has_key(value, "kvm", &rest))
		return errmsg_set(err, -EINVAL, "-e kvm= is not supported");
	for (size_t i = 0; i < ARRAY_LEN(dumps); i++)
		if (has_key(value, dumps[i], &rest))
			return traceopts_choose(&s->o, value, &ignored) < 0
				       ? errmsg_set(err, -EINVAL, "invalid descriptor '%s'", rest)
				       : 0;
	if (has_key(value, "raw", &rest) || has_key(value, "x", &rest))
		return choose_form(rest, s->raw, false, &text->raw, err);
	if (has_key(value, "abbrev", &rest) || has_key(value, "a", &rest))
		return choose_form(rest, s->unabbreviated, true, &text->unabbreviated, err);
	if (has_key(value, "verbose", &rest) || has_key(value, "v", &rest))
		return choose_form(rest, s->pointers, true, &text->pointers, err);
	if (has_key(value, "quiet", &rest) || has_key(value, "silent", &rest) ||
	    has_key(value, "q", &rest)) {
		s->quiet = true;
		s->o.lines.no_exits = strstr(rest, "exit") || !strcmp(rest, "all");
		return 0;
	}
	if (has_key(value, "decode-fds", &rest)) {
		s->o.lines.text.paths = !strcmp(rest, "none") ? 0 : !strcmp(rest, "path") ? 1 : 2;
		return 0;
	}
	if (!has_key(value, "signal", &rest) && !has_key(value, "signals", &rest) &&
	    !has_key(value, "s", &rest) && !has_key(value, "status", &rest))
		TRY(check_names(value, err));
	if (!has_key(value, "status", &rest))
		return traceopts_choose(&s->o, value, err);
	return traceopts_choose(&s->o, value, &ignored) < 0
		       ? errmsg_set(err, -EINVAL, "invalid status '%s'", rest)
		       : 0;
}

static int choose_key(struct strace *s, const char *key, const char *value, struct errmsg *err)
{
	char text[1024];

	if ((size_t)snprintf(text, sizeof(text), "%s=%s", key, value) >= sizeof(text))
		return errmsg_set(err, -E2BIG, "--%s is too long", key);
	return choose(s, text, err);
}

static int number(const char *letter, const char *value, long long *ret, struct errmsg *err)
{
	char *end;
	long long n = strtoll(value, &end, 0);

	if (end == value || *end || n < 0)
		return errmsg_set(err, -EINVAL, "invalid -%s argument: '%s'", letter, value);
	*ret = n;
	return 0;
}

static int constants(struct strace *s, const char *value, struct errmsg *err)
{
	static const char *const forms[] = {"abbrev", "raw", "verbose"};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (!strcmp(value, forms[i])) {
			s->o.lines.text.constants = i;
			return 0;
		}
	return errmsg_set(err, -EINVAL, "invalid -X argument: '%s'", value);
}

/* Options that have no argument; false: it is another. */
static bool take_flag(struct strace *s, int letter)
{
	struct calllines_spec *l = &s->o.lines;

	switch (letter) {
	case 'f':
	case 'F':
		s->separately |= s->follow && letter == 'f';
		s->follow = true;
		return true;
	case SEPARATELY:
		s->separately = true;
		return true;
	case 'A':
		s->append = true;
		return true;
	case 'c':
		s->o.counts = true;
		return true;
	case 'C':
		s->o.counts_too = true;
		return true;
	case 'q':
		l->no_exits |= s->quiet; /* -qq */
		s->quiet = true;
		return true;
	case 'r':
		l->relative = true;
		return true;
	case 'T':
		l->durations = true;
		return true;
	case 'v':
		l->text.verbose = true;
		return true;
	case 'z':
	case 'Z': /* the last one counts */
		l->only_ok = letter == 'z';
		l->only_failed = letter == 'Z';
		return true;
	case 'n':
		l->numbers = true;
		return true;
	case 't':
		return traceopts_time(&s->o, NULL, NULL) >= 0;
	case 'x':
		return traceopts_hex(&s->o, NULL, NULL) >= 0;
	case 'y':
		return traceopts_paths(&s->o, NULL, NULL) >= 0;
	case 'Y':
		return traceopts_comms(&s->o, NULL, NULL) >= 0;
	case 'd':
	case NOTHING: /* --seccomp-bpf: sonde never stops the program */
	case 'w':     /* sonde's times are always those of a clock */
		return true;
	default:
		return false;
	}
}

/* -p "12 34", as pidof prints them. */
static int add_pids(struct strace *s, const char *value, struct errmsg *err)
{
	SCOPED(scope_free) char *copy = strdup(value);
	char *rest = copy, *word;
	size_t n = 0;

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot read -p");
	while ((word = strsep(&rest, ", \n\t;"))) {
		if (!*word)
			continue;
		if (strspn(word, "0123456789") != strlen(word) || atoi(word) <= 0)
			return errmsg_set(err, -EINVAL, "Invalid process id: '%s'", word);
		TRY(recordopts_pid(&s->o.record, word, err));
		n++;
	}
	return n ? 0 : errmsg_set(err, -EINVAL, "Invalid process id: '%s'", value);
}

/* Returns false if the word is no precision. */
static bool take_precision(const char *word, enum calllines_precision *ret)
{
	static const char *const words_of[] = {[CALLLINES_S] = "s",
					       [CALLLINES_MS] = "ms",
					       [CALLLINES_US] = "us",
					       [CALLLINES_NS] = "ns"};

	word += strncmp(word, "precision:", 10) ? 0 : 10;
	for (size_t i = CALLLINES_S; i < ARRAY_LEN(words_of); i++)
		if (!strcmp(word, words_of[i])) {
			*ret = i;
			return true;
		}
	return false;
}

/*
 * --timestamps[=FORMAT,PRECISION]: none, time or unix, with whole seconds unless the precision is
 * given.
 */
static int choose_times(struct strace *s, const char *value, struct errmsg *err)
{
	static const struct {
		const char *word;
		enum calllines_time time;
	} formats[] = {{"none", CALLLINES_NO_TIME},
		       {"time", CALLLINES_SECONDS},
		       {"unix", CALLLINES_EPOCH}};
	SCOPED(scope_free) char *copy = strdup(value ? value : "");
	char *rest = copy, *word;

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot read --timestamps");
	s->o.lines.time = CALLLINES_SECONDS;
	s->o.lines.time_digits = CALLLINES_S;
	while ((word = strsep(&rest, ","))) {
		bool known = !*word || take_precision(word, &s->o.lines.time_digits);

		word += strncmp(word, "format:", 7) ? 0 : 7;
		for (size_t i = 0; i < ARRAY_LEN(formats); i++)
			if (!strcmp(word, formats[i].word)) {
				s->o.lines.time = formats[i].time;
				known = true;
			}
		if (!known)
			return errmsg_set(err, -EINVAL,
					  "invalid --absolute-timestamps argument: '%s'\nTry "
					  "'strace -h' for more information.",
					  value);
	}
	return 0;
}

static int choose_precision(const char *option, const char *value, enum calllines_precision *ret,
			    struct errmsg *err)
{
	if (value && !take_precision(value, ret))
		return errmsg_set(
			err, -EINVAL,
			"invalid --%s argument: '%s'\nTry 'strace -h' for more information.",
			option, value);
	return 0;
}

/* -I: a number or a word; sonde blocks no signals. */
static int interruptible(const char *value, struct errmsg *err)
{
	static const char *const known[] = {"1",	"2",	   "3",	    "4",
					    "anywhere", "waiting", "never", "never_tstp"};

	if (ARRAY_ANY(ARRAY_LEN(known), i, !strcmp(value, known[i])))
		return 0;
	return errmsg_set(err, -EINVAL,
			  "invalid -I argument: '%s'\nTry 'strace -h' for more information.",
			  value);
}

static int sort(struct strace *s, const char *value, struct errmsg *err)
{
	struct errmsg ignored = {0};

	if (traceopts_sort(&s->o, value, &ignored) >= 0)
		return 0;
	return errmsg_set(err, -EINVAL,
			  "invalid sortby: '%s'\nTry 'strace -h' for more information.", value);
}

static int user(struct strace *s, const char *value, struct errmsg *err)
{
	if (!getpwnam(value))
		return errmsg_set(err, -EINVAL, "Cannot find user '%s'", value);
	s->o.record.user = value;
	return 0;
}

/* --decode-pids=comm; pidns is not known here. */
static int choose_pids(struct strace *s, const char *value, struct errmsg *err)
{
	if (!strcmp(value, "pidns"))
		return errmsg_set(
			err, -EINVAL,
			"--decode-pids=pidns: sonde shows the numbers of processes as the "
			"initial namespace has them");
	if (strcmp(value, "comm") && strcmp(value, "none"))
		return errmsg_set(err, -EINVAL, "invalid --decode-pids argument: '%s'", value);
	s->o.lines.text.comms = !strcmp(value, "comm");
	return 0;
}

static int take_value(struct strace *s, int letter, const char *value, struct errmsg *err)
{
	long long n;

	switch (letter) {
	case 'a':
		TRY(number("a", value, &s->o.column, err));
		return 0;
	case 'e':
		return choose(s, value, err);
	case TRACE:
		return choose_key(s, "trace", value, err);
	case SIGNAL:
		return choose_key(s, "signal", value, err);
	case STATUS:
		return choose_key(s, "status", value, err);
	case 'E':
		return traceopts_env(&s->o, value, err);
	case 'I':
		return interruptible(value, err);
	case 'O':
		return number("O", value, &n, err);
	case 'U':
		return stracetable_choose(&s->columns, value, err);
	case 'o':
		s->output = value;
		return 0;
	case 'p':
		return add_pids(s, value, err);
	case 'P':
		return traceopts_path(&s->o, value, err);
	case 's':
		TRY(number("s", value, &s->o.string_max, err));
		if (s->o.string_max > TRACEOPTS_STRING_MAX) /* longer ones are cut: "..."... */
			s->o.string_max = TRACEOPTS_STRING_MAX;
		return 0;
	case PIDS:
		return choose_pids(s, value, err);
	case QUIET:
		return choose_key(s, "quiet", value ? value : "attach,personality", err);
	case TIMES:
		return choose_times(s, value, err);
	case HEX:
		s->o.lines.text.hex_strings = value && !strncmp(value, "non-ascii", 9) ? 1 : 2;
		return 0;
	case RELATIVE:
		s->o.lines.relative = true;
		return choose_precision("relative-timestamps", value, &s->o.lines.relative_digits,
					err);
	case DURATIONS:
		s->o.lines.durations = true;
		return choose_precision("syscall-times", value, &s->o.lines.duration_digits, err);
	case 'S':
		return sort(s, value, err);
	case 'u':
		return user(s, value, err);
	case 'X':
		return constants(s, value, err);
	default:
		break;
	}
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		if (refused[i].letter == letter)
			return errmsg_set(err, -ENOTSUP, "%s", refused[i].why);
	return errmsg_set(err, -EINVAL, "Try 'strace -h' for more information.");
}

/* A word that getopt_long() does not know. */
static int refuse_word(int letter, char **argv, struct errmsg *err)
{
	const char *word = argv[optind > 1 ? optind - 1 : 1];

	if (letter == ':')
		return errmsg_set(err, -EINVAL, "option requires an argument -- '%s'", word);
	if (!strncmp(word, "--", 2))
		return errmsg_set(err, -EINVAL,
				  "unrecognized option '%s'\nTry 'strace -h' for more information.",
				  word);
	return errmsg_set(err, -EINVAL,
			  "invalid option -- '%c'\nTry 'strace -h' for more information.", optopt);
}

static int usage(void)
{
	puts("Usage: strace [-ACdffhnqqrtttTvVwxxyyzZ] [-e EXPR]... [-a COLUMN] [-o FILE]\n"
	     "              [-s STRSIZE] [-X FORMAT] [-S SORTBY] [-U COLUMNS] [-P PATH]... [-p "
	     "PID]...\n"
	     "              { -p PID | [-E VAR=VAL]... [-u USERNAME] PROG [ARGS] }\n"
	     "   or: strace -c[dfwzZ] [-e EXPR]... [-S SORTBY] [-U COLUMNS] [-P PATH]... [-p "
	     "PID]...\n"
	     "              { -p PID | [-E VAR=VAL]... [-u USERNAME] PROG [ARGS] }\n\n"
	     "sonde records system calls with BPF and prints them as strace does; see "
	     "sonde-as(1).");
	return STRACE_DONE;
}

int strace_parse(struct strace *s, int argc, char **argv, struct errmsg *err)
{
	int letter, index = 0;

	optind = 0; /* getopt() begins anew */
	opterr = 0;
	while ((letter = getopt_long(argc, argv, LETTERS, words, &index)) != -1) {
		if (letter == 'h')
			return usage();
		if (letter == 'V') {
			printf("strace -- version sonde-%s\n", SONDE_VERSION);
			return STRACE_DONE;
		}
		if (letter == '?' || letter == ':')
			return refuse_word(letter, argv, err);
		if (letter == KEYED) {
			TRY(choose_key(s, words[index].name, optarg, err));
			continue;
		}
		if (!take_flag(s, letter))
			TRY(take_value(s, letter, optarg, err));
	}
	s->first_arg = optind;
	return 0;
}
