// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text.c - what is known of the functions, as texts: symbols, the option of the trace
 * file, sentences.
 *
 * SNF_OPTION_USER_FUNCTIONS is a text (packedtext.h), one line each:
 *
 *	I PATH                        a file; the following lines are about its functions
 *	F FUNC ADDRESS BYTES NAME     a hooked function: its address in events, its address in the
 *	                              file, its length, all in hex; its name to the end of the line
 *	N ADDRESS BYTES WHY NAME      chosen, but not hooked; WHY is the number of a W line
 *	L FUNC LINE PATH              where a called function begins in its source
 *	                              (sources.c); LINE is decimal
 *	P FUNC                        the function before is a library's, called through a stub
 *	                              (PLT)
 *	M SYMBOL                      the mangled name of the function before, if it has one
 *	A FUNC SPEC                   its arguments were recorded in uftrace's forms:
 *	                              arg1/s,fparg1/64
 *	R FUNC SPEC                   so was its return value: retval/x
 *	E enum NAME {A,B=4}           an enum that a SPEC of the file names
 *	W NUMBER SENTENCE             a reason
 *	S FUNC ON NS CALLS WHY        a function was switched off (ON 0) or on (1) at this time (of
 *	                              the events, decimal) after this number of recorded calls; FUNC
 *	                              0: all functions; WHY: 0 a user, 1 the budget
 *
 * A line that begins otherwise is for later versions. Control characters in names are '?'.
 */
#include "base/textbuf.h"
#include "store/events/userevents.h"
#include "capture/calls/plans/plans_int.h"
#include "capture/steer/userswitch.h"
#include "capture/user/values.h"

#include <stdio.h>
#include <string.h>

void userplans_add_line(struct textbuf *tb, const char *text)
{
	for (; *text; text++)
		textbuf_add_char(tb, (unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
	textbuf_add_char(tb, '\n');
}

static const char *base_name(const struct userfile *f)
{
	const char *slash = f->path ? strrchr(f->path, '/') : NULL;

	return slash ? slash + 1 : f->path ? f->path : "?";
}

static bool has_no_hook(const struct userimage_function *fn)
{
	return fn->is_chosen && fn->why != USERIMAGE_HOOKED;
}

uint32_t userplans_n_functions(const struct userplans *p)
{
	return __atomic_load_n(&p->n_functions, __ATOMIC_ACQUIRE);
}

void userplans_visit(struct userplans *p,
		     void (*visit)(void *ctx, const struct userplans_function *f), void *ctx)
{
	pthread_mutex_lock(&p->files_lock);
	for (size_t i = 0; i < p->n_files; i++) {
		struct userfile *f = p->files[i];

		for (size_t k = 0; f->image && k < userimage_n_hooks(f->image); k++) {
			size_t function = userimage_hooked(f->image, k);

			visit(ctx,
			      &(struct userplans_function){
				      .number = f->first_number + k,
				      .n_bytes = userimage_function(f->image, function)->n_bytes,
				      .name = userimage_name(f->image, function),
				      .file = base_name(f),
			      });
		}
	}
	pthread_mutex_unlock(&p->files_lock);
}

void userplans_fmt_new_symbols(struct userplans *p, size_t *n_files, struct textbuf *tb)
{
	pthread_mutex_lock(&p->files_lock);
	for (; *n_files < p->n_files; (*n_files)++) {
		struct userfile *f = p->files[*n_files];

		for (size_t k = 0; f->image && k < userimage_n_hooks(f->image); k++)
			userevents_add_symbol(
				tb, f->first_number + k,
				userimage_name(f->image, userimage_hooked(f->image, k)),
				base_name(f));
	}
	pthread_mutex_unlock(&p->files_lock);
}

void userplans_fmt_symbols(struct userplans *p, struct textbuf *tb)
{
	size_t n = 0;

	userplans_fmt_new_symbols(p, &n, tb);
}

/* What is known of the values of a hooked function. */
static void add_forms(const struct userfile *f, size_t hook, struct textbuf *tb)
{
	const struct uservalues *v = uservalues_find(f->values, hook);
	struct uservalues_forms forms;

	if (!v)
		return;
	forms = uservalues_forms(v);
	if (forms.args)
		textbuf_addf(tb, "A %x %s\n", userevents_func(f->first_number + hook), forms.args);
	if (forms.ret)
		textbuf_addf(tb, "R %x %s\n", userevents_func(f->first_number + hook), forms.ret);
	if (forms.enums)
		textbuf_add_str(tb, forms.enums);
}

static void add_symbol(const struct userfile *f, size_t i, struct textbuf *tb)
{
	const char *symbol = userimage_symbol(f->image, i);

	if (!symbol || !strcmp(symbol, userimage_name(f->image, i)))
		return;
	textbuf_add_str(tb, "M ");
	userplans_add_line(tb, symbol);
}

static void add_file(struct userfile *f, struct textbuf *tb, bool *whys)
{
	textbuf_add_str(tb, "I ");
	userplans_add_line(tb, f->path ? f->path : "?");
	for (size_t i = 0; i < userimage_n_functions(f->image); i++) {
		const struct userimage_function *fn = userimage_function(f->image, i);

		if (!fn->is_chosen)
			continue;
		if (fn->why == USERIMAGE_HOOKED)
			textbuf_addf(tb, "F %x %llx %x ",
				     userevents_func(f->first_number + fn->hook),
				     (unsigned long long)fn->address, fn->n_bytes);
		else
			textbuf_addf(tb, "N %llx %x %u ", (unsigned long long)fn->address,
				     fn->n_bytes, fn->why);
		whys[fn->why] = true;
		userplans_add_line(tb, userimage_name(f->image, i));
		if (fn->why == USERIMAGE_HOOKED)
			add_symbol(f, i, tb);
		if (fn->is_stub && fn->why == USERIMAGE_HOOKED)
			textbuf_addf(tb, "P %x\n", userevents_func(f->first_number + fn->hook));
		if (fn->why == USERIMAGE_HOOKED)
			add_forms(f, fn->hook, tb);
	}
}

static void add_changes(const struct userplans *p, struct textbuf *tb)
{
	struct userswitch_change ch;

	for (size_t i = 0; p->switches && userswitch_changes(p->switches, i, &ch, 1); i++)
		textbuf_addf(tb, "S %x %d %llu %llu %d\n",
			     ch.number == USERSWITCH_ALL ? 0 : userevents_func(ch.number), ch.on,
			     (unsigned long long)ch.ns, (unsigned long long)ch.n_calls, ch.why);
}

void userplans_fmt_functions(struct userplans *p, struct textbuf *tb)
{
	bool whys[USERIMAGE_N_WHY] = {0};

	for (size_t i = 0; i < p->n_files; i++)
		if (p->files[i]->image)
			add_file(p->files[i], tb, whys);
	for (unsigned why = 0; why < USERIMAGE_N_WHY; why++)
		if (whys[why] && why != USERIMAGE_HOOKED) {
			textbuf_addf(tb, "W %u ", why);
			userplans_add_line(tb, userimage_reason(why));
		}
	add_changes(p, tb);
}

static void count_whys(const struct userplans *p, uint64_t counts[USERIMAGE_N_WHY])
{
	for (size_t i = 0; i < p->n_files; i++) {
		const struct userimage *image = p->files[i]->image;

		for (size_t k = 0; image && k < userimage_n_functions(image); k++)
			if (userimage_function(image, k)->is_chosen)
				counts[userimage_function(image, k)->why]++;
	}
}

void userplans_get_sum(struct userplans *p, struct userplans_sum *ret)
{
	uint64_t counts[USERIMAGE_N_WHY] = {0};
	unsigned worst = 0;

	*ret = (struct userplans_sum){.n_processes = p->n_plans, .n_failed = p->n_failed};
	snprintf(ret->why, sizeof(ret->why), "%s", p->why);
	for (size_t i = 0; i < p->n_files; i++)
		ret->n_files += p->files[i]->image && userimage_n_hooks(p->files[i]->image);
	count_whys(p, counts);
	ret->n_functions = counts[USERIMAGE_HOOKED];
	/* users do not expect hooks for these */
	counts[USERIMAGE_HOOKED] = counts[USERIMAGE_STARTUP] = counts[USERIMAGE_FRAGMENT] = 0;
	counts[USERIMAGE_UNCALLED] = 0;
	for (unsigned why = 0; why < USERIMAGE_N_WHY; why++) {
		ret->n_without += counts[why];
		worst = counts[why] > counts[worst] ? why : worst;
	}
	if (ret->n_without && counts[worst] == ret->n_without)
		snprintf(ret->worst, sizeof(ret->worst), "%s", userimage_reason(worst));
	else if (ret->n_without)
		snprintf(ret->worst, sizeof(ret->worst), "%llu of them: %s",
			 (unsigned long long)counts[worst], userimage_reason(worst));
	snprintf(ret->program, sizeof(ret->program), "%s", p->program);
	snprintf(ret->larger, sizeof(ret->larger), "%s", p->larger);
}

#define NAMES_SHOWN 8

static void tell_reason(struct userplans *p, unsigned why, uint64_t n,
			void (*tell)(const char *sentence))
{
	struct textbuf tb;
	unsigned shown = 0;

	textbuf_init(&tb, 1 << 16);
	textbuf_addf(&tb, "%llu function%s no hook: %s:", (unsigned long long)n,
		     n == 1 ? " has" : "s have", userimage_reason(why));
	for (size_t i = 0; i < p->n_files; i++) {
		struct userfile *f = p->files[i];

		for (size_t k = 0; f->image && k < userimage_n_functions(f->image); k++) {
			const struct userimage_function *fn = userimage_function(f->image, k);

			if (!has_no_hook(fn) || fn->why != why || shown++ >= NAMES_SHOWN)
				continue;
			textbuf_addf(&tb, " %s", userimage_name(f->image, k));
		}
	}
	if (shown > NAMES_SHOWN)
		textbuf_add_str(&tb, " …");
	tell(textbuf_text(&tb));
	textbuf_release(&tb);
}

void userplans_tell_reasons(struct userplans *p, void (*tell)(const char *sentence))
{
	uint64_t counts[USERIMAGE_N_WHY] = {0};

	count_whys(p, counts);
	for (unsigned why = USERIMAGE_HOOKED + 1; why < USERIMAGE_N_WHY; why++)
		if (counts[why])
			tell_reason(p, why, counts[why], tell);
}
