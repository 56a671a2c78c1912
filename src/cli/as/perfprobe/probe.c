// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * probe.c - `perf probe`: translates perf's options into sonde's probes.
 *
 *	perf probe -x ./prog -a 'work a b' -x ./lib.so -a 'load'     each definition uses the -x
 *	                                                             before it
 *	perf probe -x ./prog work a b                                without -a all words are one
 *	                                                             definition
 *	perf probe /bin/prog work                                    the first may be the program's
 *	                                                             path
 *	perf probe -d 'probe_prog:*'   -l   -L work   -V work   -F
 *
 * The options are those of perf 6.1, with its texts and exit statuses (an error is 256 - errno). As
 * in perf, messages go to stderr and requested lists (-l, -L, -V, -F, -D) to stdout; with -q
 * nothing is printed. Probes stay until they are deleted.
 *
 * Differences from perf: if one of several definitions is wrong, none is defined; BTF replaces the
 * kernel's debug information; there is no cache of probes, because static probes (SDT) are found in
 * the program itself.
 */
#include "cli/as/perfprobe/perfprobe.h"

#include "base/array.h"
#include "base/options.h"
#include "base/scope.h"
#include "cli/as/perf.h"
#include "cli/as/perf_filter.h"
#include "cli/as/perf_words.h"
#include "probe/findprogram.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXTS_MAX    65536
#define VARS_FILTER  "!__k???tab_* & !__crc_*"
#define FUNCS_FILTER "!_* & !*@plt"

#define PROBEDEF     "[EVENT=]FUNC[@SRC][+OFF|%return|:RL|;PT]|SRC:AL|SRC;PT [[NAME=]ARG ...]"

/* --- shared ----------------------------------------------------------------------------------- */

void perf_probe_say(const struct perf_probe_options *o, const char *fmt, ...)
{
	va_list ap;

	if (o->quiet)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
}

int perf_probe_fail(const struct perf_probe_options *o, const char *sentence, int code,
		    const struct errmsg *why)
{
	perf_probe_say(o, "  Error: %s\n", sentence);
	if (why && why->code)
		perf_probe_say(o, "%s\n", why->text);
	return (unsigned char)code;
}

const char *perf_probe_keep(struct perf_probe_options *o, const char *text)
{
	if (!ARRAY_ONE_MORE(o->texts, o->n_texts, TEXTS_MAX))
		return NULL;
	o->texts[o->n_texts] = strdup(text);
	return o->texts[o->n_texts] ? o->texts[o->n_texts++] : NULL;
}

void perf_probe_where(const struct perf_probe_options *o, const struct perf_probe_target *target,
		      char path[PATH_MAX], struct probe_target *ret)
{
	*ret = (struct probe_target){.program = target->program,
				     .module = target->module,
				     .vmlinux = o->vmlinux,
				     .source_dir = o->source_dir};
	if (o->symfs && target->program) {
		snprintf(path, PATH_MAX, "%s%s", o->symfs, target->program);
		ret->program = path;
	}
}

/*
 * Enters another mount namespace, which shows other files. The settings of the kernel and of this
 * process stay.
 */
int perf_probe_enter(const struct perf_probe_options *o)
{
	struct stat own, other;
	char path[64];
	int fd, self = -1;

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", o->ns_pid);
	if (!o->ns_pid || stat(path, &other) < 0 || stat("/proc/self/ns/mnt", &own) < 0 ||
	    own.st_ino == other.st_ino)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		self = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (self >= 0 && setns(fd, CLONE_NEWNS) < 0) {
		close(self);
		self = -1;
	}
	if (fd >= 0)
		close(fd);
	return self;
}

void perf_probe_leave(int own)
{
	if (own < 0)
		return;
	if (setns(own, CLONE_NEWNS) < 0)
		fputs("cannot return from the target's mounts\n", stderr);
	close(own);
}

/* --- values ----------------------------------------------------------------------------------- */

static int refuse(struct perf_probe_options *o, char letter, int code)
{
	o->refused = letter;
	o->is_told = true;
	return code;
}

static int take_definition(struct perf_probe_options *o, const char *text, struct errmsg *err)
{
	struct perf_probe_definition *to = &o->definitions[o->n_definitions];
	int r;

	if (o->n_definitions + 1 >= PERF_PROBE_MAX)
		return errmsg_set(err, -1, "Too many probes (> %d) were specified.",
				  PERF_PROBE_MAX);
	if (o->verbose)
		perf_probe_say(o, "probe-definition(%zu): %s\n", o->n_definitions, text);
	r = definition_parse(&to->d, text, err);
	TRY(r);
	if (o->target.program && to->d->form == DEFINITION_PLACE && to->d->target) {
		r = definition_refuse_as(
			DEFINITION_REASON_LINE, text, to->d->target_span, err, -EINVAL,
			"this is no number of a line: behind FUNCTION: comes one, and "
			"the program is named by -x");
		definition_free(to->d);
		return r;
	}
	to->target = o->target;
	o->target_used = true;
	o->n_definitions++;
	return 0;
}

/*
 * Applies a definition of an option. It prints the error itself, because perf's message differs
 * from sonde's.
 */
static int apply_definition(void *opts, char letter, const char *text, struct errmsg *err)
{
	struct perf_probe_options *o = opts;
	int r = take_definition(o, text, err);

	o->command = letter;
	if (r >= 0)
		return 0;
	perf_probe_say_semantic(o, text, err);
	return refuse(o, letter, r);
}

static int apply_add(void *opts, const char *value, struct errmsg *err)
{
	return apply_definition(opts, 'a', value, err);
}

static int apply_show(void *opts, const char *value, struct errmsg *err)
{
	return apply_definition(opts, 'D', value, err);
}

static int apply_vars(void *opts, const char *value, struct errmsg *err)
{
	struct perf_probe_options *o = opts;
	int r = apply_definition(opts, 'V', value, err);

	if (r >= 0 && o->definitions[o->n_definitions - 1].d->n_args) {
		fputs("  Error: '--vars' doesn't accept arguments.\n", stderr);
		return refuse(o, 'V', errmsg_set(err, -EINVAL, "arguments"));
	}
	return r;
}

static int apply_lines(void *opts, const char *value, struct errmsg *err)
{
	struct perf_probe_options *o = opts;
	struct perf_line_range range;
	int r;

	if (o->command == 'L') {
		fputs("Warning: more than one --line options are detected. Only the first one is "
		      "valid.\n",
		      stderr);
		return 0;
	}
	o->command = 'L';
	o->lines = value;
	r = perf_probe_parse_lines(value, &range, err);
	if (r < 0)
		fprintf(stderr, "Semantic error :%s\n", err->text);
	return r < 0 ? refuse(o, 'L', r) : 0;
}

static int add_filter(struct perf_probe_options *o, char letter, const char *value,
		      struct errmsg *err)
{
	const char *wrong = perf_filter_check(value);
	char *joined = NULL;

	if (wrong) {
		fprintf(stderr, "Filter parse error at %td.\nSource: \"%s\"\n         %*c\n",
			wrong - value + 1, value, (int)(wrong - value + 1), '^');
		return refuse(o, letter, errmsg_set(err, -EINVAL, "filter"));
	}
	if (asprintf(&joined, "%s%s%s", o->filter ? o->filter : "", o->filter ? "|" : "", value) <
	    0)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the filter");
	free(o->filter);
	o->filter = joined;
	return 0;
}

static int apply_list(void *opts, const char *value, struct errmsg *err)
{
	((struct perf_probe_options *)opts)->command = 'l';
	return add_filter(opts, 'l', value ? value : "*", err);
}

static int apply_del(void *opts, const char *value, struct errmsg *err)
{
	((struct perf_probe_options *)opts)->command = 'd';
	return add_filter(opts, 'd', value, err);
}

static int apply_funcs(void *opts, const char *value, struct errmsg *err)
{
	((struct perf_probe_options *)opts)->command = 'F';
	return add_filter(opts, 'F', value ? value : FUNCS_FILTER, err);
}

static int apply_filter(void *opts, const char *value, struct errmsg *err)
{
	return add_filter(opts, 0, value, err);
}

static int set_target(struct perf_probe_options *o, const char *program, const char *module,
		      struct errmsg *err)
{
	const char *kept = perf_probe_keep(o, program ? program : module);

	if (!kept)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the target");
	o->target = (struct perf_probe_target){program ? kept : NULL, program ? NULL : kept};
	o->target_used = false;
	return 0;
}

/* Finds a file, or a name in $PATH or of a library. With --symfs it may exist only there. */
static int find_target(const struct perf_probe_options *o, const char *name, char path[PATH_MAX])
{
	int own = perf_probe_enter(o), r = 0;
	char found[PATH_MAX];

	if (findprogram(name, true, found))
		r = findprogram_real(found, path) ? 0 : -errno;
	else if (!realpath(name, path))
		r = -errno;
	perf_probe_leave(own);
	if (r < 0 && o->symfs && *name == '/') {
		snprintf(path, PATH_MAX, "%s", name);
		r = 0;
	}
	return r;
}

static int apply_exec(void *opts, const char *value, struct errmsg *err)
{
	struct perf_probe_options *o = opts;
	char path[PATH_MAX];
	int r = find_target(o, value, path);

	if (r >= 0)
		return set_target(o, path, NULL, err);
	perf_probe_say(o, "Failed to get the absolute path of %s: %s\n", value, strerror(-r));
	return refuse(o, 'x', errmsg_set(err, r, "path"));
}

static int apply_module(void *opts, const char *value, struct errmsg *err)
{
	struct perf_probe_options *o = opts;
	char path[PATH_MAX];

	if (!strchr(value, '/'))
		return set_target(o, NULL, value, err);
	if (realpath(value, path))
		return set_target(o, NULL, path, err);
	perf_probe_say(o, "Failed to get the absolute path of %s: %s\n", value, strerror(errno));
	return refuse(o, 'm', errmsg_set(err, -ENOENT, "path"));
}

static int apply_namespace(void *opts, const char *value, struct errmsg *err)
{
	struct perf_probe_options *o = opts;
	char *end;
	long pid = strtol(value, &end, 10);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/ns/mnt", pid);
	if (end == value || *end || pid <= 0 || access(path, F_OK)) {
		perf_probe_say(o, "Failed to parse %s as a pid: %s\n", value,
			       pid > 0 ? "there is no such process" : strerror(EINVAL));
		return refuse(o, 0, errmsg_set(err, -EINVAL, "pid"));
	}
	o->ns_pid = pid;
	return 0;
}

static int apply_verbose(void *opts, const char *value, struct errmsg *err)
{
	((struct perf_probe_options *)opts)->verbose++;
	return 0;
}

/* --- rows ------------------------------------------------------------------------------------- */

#define AT(field) offsetof(struct perf_probe_options, field)

static const struct option_row rows[] = {
	ROW_CALL('a', "add", PROBEDEF,
		 "probe point definition, where\n\t\tGROUP:\tGroup name "
		 "(optional)\n\t\tEVENT:\tEvent name\n\t\tFUNC:\tFunction name\n\t\tOFF:\tOffset "
		 "from function entry (in byte)\n\t\t%return:\tPut the probe at function "
		 "return\n\t\tSRC:\tSource code path\n\t\tRL:\tRelative line number from function "
		 "entry.\n\t\tAL:\tAbsolute line number in file.\n\t\tPT:\tLazy expression of line "
		 "code.\n\t\tARG:\tProbe argument (local variable name or\n\t\t\tkprobe-tracer "
		 "argument format.)\n",
		 apply_add),
	ROW_CALL('D', "definition", PROBEDEF,
		 "Show trace event definition of given traceevent for k/uprobe_events.",
		 apply_show),
	ROW_CALL('d', "del", "[GROUP:]EVENT", "delete a probe event.", apply_del),
	ROW_FLAG('f', "force", "forcibly add events with existing name", AT(force)),
	ROW_CALL('F', "funcs", "[FILTER]", "Show potential probe-able functions.", apply_funcs,
		 .arg_optional = true),
	ROW_STRING('k', "vmlinux", "file", "vmlinux pathname", AT(vmlinux)),
	ROW_CALL('L', "line", "FUNC[:RLN[+NUM|-RLN2]]|SRC:ALN[+NUM|-ALN2]",
		 "Show source code lines.", apply_lines),
	ROW_CALL('l', "list", "[GROUP:]EVENT", "list up probe events", apply_list,
		 .arg_optional = true),
	ROW_CALL('m', "module", "modname|path",
		 "target module name (for online) or path (for offline)", apply_module),
	ROW_FLAG('n', "dry-run", "dry run", AT(dry_run)),
	ROW_FLAG('q', "quiet", "be quiet (do not show any warnings or messages)", AT(quiet)),
	ROW_STRING('s', "source", "directory", "path to kernel source", AT(source_dir)),
	ROW_CALL('V', "vars", "FUNC[@SRC][+OFF|%return|:RL|;PT]|SRC:AL|SRC;PT",
		 "Show accessible variables on PROBEDEF", apply_vars),
	ROW_CALL('v', "verbose", NULL, "be more verbose (show parsed arguments, etc)",
		 apply_verbose),
	ROW_CALL('x', "exec", "executable|path", "target executable name or path", apply_exec),
	ROW_FLAG(0, "bootconfig", "Output probe definition with bootconfig format", AT(bootconfig)),
	ROW_FLAG(0, "cache", "Manipulate probe cache", AT(cache)),
	ROW_FLAG(0, "demangle", "Enable symbol demangling", AT(demangle)),
	ROW_FLAG(0, "demangle-kernel", "Enable kernel symbol demangling", AT(demangle_kernel)),
	ROW_FLAG(0, "externs", "Show external variables too (with --vars only)", AT(externs)),
	ROW_CALL(0, "filter", "[!]FILTER",
		 "Set a filter (with --vars/funcs only)\n\t\t\t(default: \"" VARS_FILTER
		 "\" for --vars,\n\t\t\t \"" FUNCS_FILTER "\" for --funcs)",
		 apply_filter),
	ROW_NUMBER(0, "max-probes", "n", "Set how many probe points can be found for a probe.",
		   AT(max_probes)),
	ROW_FLAG(0, "no-demangle", "", AT(no_demangle), .hidden = true),
	ROW_FLAG(0, "no-inlines", "Don't search inlined functions", AT(no_inlines)),
	ROW_FLAG(0, "range", "Show variables location range in scope (with --vars only)",
		 AT(range)),
	ROW_STRING(0, "symfs", "directory",
		   "Look for files with symbols relative to this directory", AT(symfs)),
	ROW_CALL(0, "target-ns", "pid", "target pid for namespace contexts", apply_namespace),
	ROW_END,
};

static const char *const usage_lines[] = {
	"perf probe [<options>] 'PROBEDEF' ['PROBEDEF' ...]",
	"perf probe [<options>] --add 'PROBEDEF' [--add 'PROBEDEF' ...]",
	"perf probe [<options>] --del '[GROUP:]EVENT' ...",
	"perf probe --list [GROUP:]EVENT ...",
	"perf probe [<options>] --line 'LINEDESC'",
	"perf probe [<options>] --vars 'PROBEPOINT'",
	"perf probe [<options>] --funcs",
	NULL,
};

static const struct perf_usage usage = {usage_lines, rows, "adDlLVF"};

/* --- arguments -------------------------------------------------------------------------------- */

static int print_usage(const char *letters, int status)
{
	perf_usage_print(&usage, letters, stderr);
	return status;
}

static int join_words(char **words, int n, char **ret_text)
{
	size_t len = 0;
	char *text, *at;

	for (int i = 0; i < n; i++)
		len += strlen(words[i]) + 1;
	at = text = malloc(len + 1);
	if (!text)
		return -ENOMEM;
	*text = 0;
	for (int i = 0; i < n; i++)
		at += snprintf(at, text + len + 1 - at, "%s%s", i ? " " : "", words[i]);
	*ret_text = text;
	return 0;
}

/* Takes [/PATH] DEFINITION: all words together. */
static int take_arguments(struct perf_probe_options *o, char **words, int n)
{
	struct errmsg err = {0};
	char *text = NULL;
	int r = 0, code;

	if (!o->target.program && !o->target.module && words[0][0] == '/') {
		size_t len = strlen(words[0]);
		bool is_module = len > 3 && !strcmp(words[0] + len - 3, ".ko");

		r = set_target(o, is_module ? NULL : words[0], is_module ? words[0] : NULL, &err);
		words++;
		n--;
	}
	if (r >= 0 && n)
		r = join_words(words, n, &text);
	if (r >= 0 && n)
		r = take_definition(o, text, &err);
	if (r < 0) {
		code = perf_probe_say_semantic(o, text ? text : "", &err);
		free(text);
		return perf_probe_fail(
			o, code == -ENOENT ? "Failed to add events." : "Command Parse Error.", code,
			NULL);
	}
	free(text);
	o->command = 'a';
	return 0;
}

static int check_arguments(struct perf_probe_options *o, char **words, int n)
{
	if (!n)
		return 0;
	if (!strcmp(words[0], "-")) {
		fputs("  Error: '-' is not supported.\n\n", stderr);
		return print_usage(NULL, PERF_USAGE);
	}
	if (o->command && o->command != 'a') {
		fputs("  Error: another command except --add is set.\n\n", stderr);
		return print_usage(NULL, PERF_USAGE);
	}
	return take_arguments(o, words, n);
}

/* --- which command ---------------------------------------------------------------------------- */

static int check_options(const struct perf_probe_options *o)
{
	if (o->quiet && o->verbose) {
		fputs("  Error: -v and -q are exclusive.\n", stderr);
		return PERF_INVALID;
	}
	if (o->cache) {
		perf_probe_say(o, "  Error: --cache is not offered: probes are looked up anew each "
				  "time, and marks of a program's author (SDT) are found in the "
				  "program: -x PROGRAM %%PROVIDER:NAME\n");
		return PERF_INVALID;
	}
	if (o->max_probes < 0 || o->max_probes > 4096) {
		perf_probe_say(o, "  Error: --max-probes takes a number up to 4096.\n");
		return PERF_INVALID;
	}
	return 0;
}

static int run_list(const struct perf_probe_options *o)
{
	if (!o->target.program)
		return perf_probe_list(o);
	fputs("  Error: Don't use --list with --exec.\n", stderr);
	return print_usage("lx", PERF_INVALID);
}

static int run_add(struct perf_probe_options *o)
{
	if ((!o->target.program && !o->target.module) || o->target_used)
		return perf_probe_add(o);
	fputs("  Error: -x/-m must follow the probe definitions.\n", stderr);
	return print_usage("mx", PERF_INVALID);
}

static int run(struct perf_probe_options *o)
{
	int r = check_options(o);

	if (r)
		return r;
	switch (o->command) {
	case 'a':
	case 'D':
		return run_add(o);
	case 'd':
		return perf_probe_del(o);
	case 'l':
		return run_list(o);
	case 'F':
		return perf_probe_funcs(o);
	case 'L':
		return perf_probe_lines(o);
	case 'V':
		if (!o->filter && !(o->filter = strdup(VARS_FILTER)))
			return PERF_FAILED;
		return perf_probe_vars(o);
	default:
		return print_usage(NULL, PERF_USAGE);
	}
}

static int parse_and_run(struct perf_probe_options *o, struct perf_words *words)
{
	struct errmsg err = {0};
	bool help = false;
	int n = options_parse(rows, o, words->argc, words->argv, OPTIONS_STOP_AT_ARGUMENT, &help,
			      &err),
	    r;

	if (n < 0) {
		if (!o->is_told)
			fprintf(stderr, "  Error: %s\n", err.text);
		return print_usage((const char[2]){o->refused}, PERF_USAGE);
	}
	r = check_arguments(o, words->argv + 1, n);
	return r ? r : run(o);
}

int perf_probe(int argc, char **argv, struct errmsg *err)
{
	SCOPED(scope_free) struct perf_probe_options *o = NULL;
	struct perf_words words;
	int r = PERF_USAGE;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		perf_usage_print(&usage, NULL, stdout);
		return 0;
	}
	o = calloc(1, sizeof(*o));
	if (!o)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the options");
	if (perf_words_take(&words, &usage, argc, argv))
		r = words.wants_help ? print_usage(NULL, PERF_USAGE) : parse_and_run(o, &words);
	fflush(stdout);
	perf_words_release(&words);
	for (size_t i = 0; i < o->n_definitions; i++)
		definition_free(o->definitions[i].d);
	for (size_t i = 0; i < o->n_texts; i++)
		free(o->texts[i]);
	free(o->texts);
	free(o->filter);
	return r;
}
