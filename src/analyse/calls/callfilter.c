// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * callfilter.c - matches patterns with the names of functions.
 *
 * A function is compared once, when it is first called, and callflow.c keeps the result. So
 * patterns may be slow, and all of them are tried. Each pattern notes whether it ever matched, so
 * that a misspelled name can be reported.
 */
#include "analyse/calls/callfilter.h"

#include "base/errmsg.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct pattern {
	char *name;
	const char *module; /* behind the @ in name; NULL: any */
	regex_t regex;
	bool has_regex, is_used;
};

struct callfilter {
	const struct callfilter_config *config;
	struct pattern *patterns; /* one for each word */
	unsigned kinds;
};

static int compile(struct pattern *p, const char *text, bool is_regex, struct errmsg *err)
{
	char *at;
	int r;

	p->name = strdup(text);
	if (!p->name)
		return errmsg_set_errno(err, -ENOMEM, "cannot filter functions");
	at = strrchr(p->name, '@');
	if (at && at > p->name && at[1]) {
		*at = '\0';
		p->module = at + 1;
	}
	if (!is_regex)
		return 0;
	r = regcomp(&p->regex, p->name, REG_EXTENDED | REG_NOSUB);
	if (r) {
		char why[128];

		regerror(r, &p->regex, why, sizeof(why));
		return errmsg_set(err, -EINVAL, "'%s' is not a regular expression: %s", text, why);
	}
	p->has_regex = true;
	return 0;
}

int callfilter_new(struct callfilter **ret, const struct callfilter_config *config,
		   struct errmsg *err)
{
	struct callfilter *cf = calloc(1, sizeof(*cf));
	int r = 0;

	if (cf)
		cf->patterns = calloc(config->n_words + 1, sizeof(*cf->patterns));
	if (!cf || !cf->patterns) {
		free(cf);
		return errmsg_set_errno(err, -ENOMEM, "cannot filter functions");
	}
	cf->config = config;
	for (size_t i = 0; i < config->n_words && r >= 0; i++) {
		cf->kinds |= config->words[i].what;
		r = compile(&cf->patterns[i], config->words[i].text, config->is_regex, err);
	}
	if (r < 0) {
		callfilter_free(cf);
		return r;
	}
	*ret = cf;
	return 0;
}

void callfilter_free(struct callfilter *cf)
{
	if (!cf)
		return;
	for (size_t i = 0; i < cf->config->n_words; i++) {
		if (cf->patterns[i].has_regex)
			regfree(&cf->patterns[i].regex);
		free(cf->patterns[i].name);
	}
	free(cf->patterns);
	free(cf);
}

const struct callfilter_config *callfilter_config(const struct callfilter *cf)
{
	return cf->config;
}

unsigned callfilter_kinds(const struct callfilter *cf)
{
	return cf->kinds;
}

/* The source is "src/parse.c:120"; a pattern means the last part of the path, or all of it. */
static bool is_source(const char *pattern, const char *source)
{
	char path[PATH_MAX];
	const char *colon = source ? strrchr(source, ':') : NULL, *slash;

	if (!colon || (size_t)(colon - source) >= sizeof(path))
		return false;
	memcpy(path, source, colon - source);
	path[colon - source] = '\0';
	slash = strrchr(path, '/');
	return !fnmatch(pattern, path, 0) || (slash && !fnmatch(pattern, slash + 1, 0));
}

static bool matches(const struct pattern *p, const char *name, const char *module,
		    const char *source, bool is_user)
{
	const char *home = module ? module : "kernel";

	if (p->module && fnmatch(p->module, home, 0) && !is_source(p->module, source) &&
	    (is_user || strcmp(p->module, "kernel") != 0))
		return false;
	return p->has_regex ? !regexec(&p->regex, name, 0, NULL, 0) : !fnmatch(p->name, name, 0);
}

unsigned callfilter_judge(const struct callfilter *cf, const char *name, const char *module,
			  const char *source, bool is_user)
{
	unsigned verdict = 0;

	for (size_t i = 0; i < cf->config->n_words; i++)
		if (matches(&cf->patterns[i], name, module, source, is_user)) {
			cf->patterns[i].is_used = true;
			verdict |= cf->config->words[i].what;
		}
	return verdict;
}

const char *callfilter_next_unused(const struct callfilter *cf, size_t *pos)
{
	while (*pos < cf->config->n_words)
		if (!cf->patterns[(*pos)++].is_used)
			return cf->config->words[*pos - 1].text;
	return NULL;
}
