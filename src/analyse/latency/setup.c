// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * setup.c - finds the events of a measurement, and their fields.
 *
 * Only names are compared, so that the formats of the other two thousand events need not be parsed.
 * Each group takes its value from one side, which is decided here: the side that the user names
 * ("B.vec"), or A if it has the field, or B. General words ($comm, $cpu) are taken from B.
 *
 *	-T vfs_read    ftrace:funcgraph_entry and _exit             func is an address of vfs_read
 *	-T FILE:work   user:user_entry, user_exit, user_call        the same, with or without FILE
 *	               any event with the fields of a probe         __probe_ip, __probe_func, or
 *	                                                            its name: vfs_read,
 *	                                                            vfs_read__return, p_vfs_read_0,
 *	                                                            r_vfs_read_0
 *	               synthetic:vfs_read__return                   by its field duration, or by the
 *	                                                            entry before it
 */
#include "analyse/latency/latency_int.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/hash.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "decode/callevent.h"
#include "decode/formats/event.h"
#include "symbols/kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#define ARENA_MAX_BYTES	  (64u << 20)
#define FIELDS_TEXT_BYTES 600
#define ENTRY_BYTES	  16 /* an entry probe may be after the tracer's call instruction */

/*
 * --- words -------------------------------------------------------------------------------------
 */

/*
 * Copies the next word up to a comma. Returns false at the end. *ret_fits is false if the word is
 * too long.
 */
static bool next_word(const char **text, char *word, size_t size, bool *ret_fits)
{
	size_t len = strcspn(*text, ",");

	if (!**text)
		return false;
	*ret_fits = len && len < size;
	snprintf(word, size, "%.*s", (int)(len < size ? len : size - 1), *text);
	*text += len + ((*text)[len] == ',');
	return true;
}

/* Splits "A.field": returns "field", and copies the part before the dot to side. */
static const char *split_side(const char *word, char *side, size_t size)
{
	const char *dot = strrchr(word, '.');

	snprintf(side, size, "%.*s", dot ? (int)(dot - word) : 0, word);
	return dot ? dot + 1 : word;
}

int latency_parse_fields(struct latency_config *c, const char *text, struct errmsg *err)
{
	const char *p = text;
	char word[KEY_WORD_MAX], side[KEY_WORD_MAX];
	bool fits;

	while (next_word(&p, word, sizeof(word), &fits)) {
		struct latency_pair *pair = &c->fields[c->n_fields];
		char *equal = strchr(word, '=');
		const char *to;

		if (c->n_fields == KEYS_MAX)
			return errmsg_set(err, -EINVAL, "--by-field takes up to %d fields",
					  KEYS_MAX);
		if (equal)
			*equal = 0;
		to = split_side(equal ? equal + 1 : word, side, sizeof(side));
		snprintf(pair->to, sizeof(pair->to), "%s", to);
		snprintf(pair->from, sizeof(pair->from), "%s",
			 split_side(word, side, sizeof(side)));
		if (!fits || !*pair->from || !*pair->to)
			return errmsg_set(err, -EINVAL,
					  "--by-field takes FIELD, or A.FIELD=B.FIELD if the "
					  "two events have different names for it, not '%s'",
					  text);
		c->n_fields++;
	}
	c->match = LATENCY_BY_FIELD;
	return 0;
}

int latency_parse_groups(struct latency_config *c, const char *text, struct errmsg *err)
{
	const char *p = text;
	char word[KEY_WORD_MAX], side[KEY_WORD_MAX];
	bool fits;

	if (!*text)
		return errmsg_set(err, -EINVAL,
				  "--by is empty; it takes fields, $comm, $pid, "
				  "$task and $cpu");
	while (next_word(&p, word, sizeof(word), &fits)) {
		struct latency_word *w = &c->groups[c->n_groups];
		const char *name;

		if (c->n_groups == KEYS_MAX)
			return errmsg_set(err, -EINVAL, "--by takes up to %d words", KEYS_MAX);
		name = split_side(word, side, sizeof(side));
		if (!fits || !*name)
			return errmsg_set(err, -EINVAL,
					  "--by takes fields, $comm, $pid, $task and $cpu, with "
					  "commas between, not '%s'",
					  text);
		snprintf(w->word, sizeof(w->word), "%s", name);
		key_take_argument(w->word);
		if (!strcmp(side, "B") || (c->to && key_event_matches(c->to, side, side)))
			w->side = LATENCY_TO;
		else if (*side)
			w->side = LATENCY_FROM;
		c->n_groups++;
	}
	return 0;
}

int latency_set_points(struct latency_config *c, char *const *events, size_t n, struct errmsg *err)
{
	if (c->function && n)
		return errmsg_set(err, -EINVAL, "latency measures events (-e) or a function (-T)");
	if (n > 2)
		return errmsg_set(err, -EINVAL,
				  "latency measures from one event to another (-e A -e B), not %zu",
				  n);
	if (!c->function && !n)
		return errmsg_set(
			err, -EINVAL,
			"latency needs to know what to measure: two events, -e A -e B, or "
			"a function, -T FUNCTION");
	if (n) {
		c->from = events[0];
		c->to = events[n - 1];
	}
	return 0;
}

int latency_set_worst(struct latency_config *c, long long n, struct errmsg *err)
{
	if (n < 0 || n > LATENCY_WORST_MAX)
		return errmsg_set(err, -EINVAL, "--worst takes a number up to %d",
				  LATENCY_WORST_MAX);
	c->n_worst = n;
	return 0;
}

/*
 * --- functions ---------------------------------------------------------------------------------
 */

/* Returns true if the first len letters name the file: "libz.so.1" or, for a library, "libz". */
static bool names_file(const char *text, size_t len, const struct ksym *sym)
{
	if (!sym->module || sym->module_len < len || memcmp(sym->module, text, len))
		return false;
	return sym->module_len == len ||
	       ((sym->module[len] == '.' || sym->module[len] == '-') &&
		memmem(sym->module + len, sym->module_len - len, ".so", 3));
}

/* Returns true if the pattern is "FILE:NAME". Two colons are part of a C++ name. */
static bool is_of_file(const char *pattern, const struct ksym *sym, const char *name)
{
	const char *colon = strchr(pattern, ':');
	size_t len = colon ? (size_t)(colon - pattern) : 0;

	return len && colon[1] != ':' && names_file(pattern, len, sym) &&
	       !fnmatch(colon + 1, name, 0);
}

static bool is_function(struct latency *l, uint64_t address, bool near)
{
	const struct ksym *sym = keyreader_symbol(&l->keys, address);
	char name[256];

	if (!sym || (near && address - sym->addr > ENTRY_BYTES))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)sym->name_len, sym->name);
	return !fnmatch(l->config->function, name, 0) || is_of_file(l->config->function, sym, name);
}

bool latency_is_function(struct latency *l, uint64_t address, bool near)
{
	struct is_function *k = &l->known[hash_number(l->seed, address, FUNCTIONS_KNOWN)];

	if (!k->state || k->address != address) {
		k->address = address;
		k->state = 1 + is_function(l, address, near);
	}
	return k->state == 2;
}

static bool is_named_without_prefix(const char *event, const char *function)
{
	static const char *const endings[] = {"__return", "_return", "return", "__exit",
					      "_exit",	  "_ret",    "ret"};
	char name[KEY_WORD_MAX];
	size_t len;

	if (!fnmatch(function, event, 0))
		return true;
	len = snprintf(name, sizeof(name), "%s", event);
	if (len >= sizeof(name))
		return false;
	while (len && isdigit((unsigned char)name[len - 1]))
		len--;
	if (len && name[len] && name[len - 1] == '_')
		name[len - 1] = 0;
	if (!fnmatch(function, name, 0))
		return true;
	len = strlen(name);
	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		size_t end = strlen(endings[i]);

		if (len > end && !strcmp(name + len - end, endings[i])) {
			name[len - end] = 0;
			return !fnmatch(function, name, 0);
		}
	}
	return false;
}

/*
 * Returns true if the event is named after the function: "p_vfs_read_0" and "vfs_read__return"
 * belong to vfs_read. A function can also be named p_read.
 */
static bool is_named_after(const char *event, const char *function)
{
	return is_named_without_prefix(event, function) ||
	       (event[0] && event[1] == '_' && strchr("prf", event[0]) &&
		is_named_without_prefix(event + 2, function));
}

static bool has_text(const struct event *ev, const char *text)
{
	return ev->text.len && memmem(ev->text.data, ev->text.len, text, strlen(text));
}

/*
 * Binds a return event that already contains its entry (record -e 'FUNCTION%return(count,
 * $duration)'). It has no address.
 */
static unsigned bind_joined(struct latency *l, struct event *ev, struct latency_event *le)
{
	if (!strstr(ev->name, "ret") || !is_named_after(ev->name, l->config->function))
		return 0;
	formats_find(l->f, ev->id);
	le->by_name = true;
	le->duration = event_find_field(ev, "duration");
	l->has_durations |= le->duration != NULL;
	return ROLE_RETURN;
}

/* Finds the role of the event for this function, and its fields. */
static unsigned bind_function(struct latency *l, struct event *ev, struct latency_event *le)
{
	enum call_step step = call_event_step(ev, &le->is_user);

	if (step != CALL_NOT) {
		formats_find(l->f, ev->id);
		le->address = event_find_field(ev, "func");
	}
	switch (step) {
	case CALL_ENTER:
		return ROLE_GRAPH_ENTRY;
	case CALL_WHOLE:
		le->duration = event_find_field(ev, "duration");
		return ROLE_WHOLE;
	case CALL_LEAVE:
		le->calltime = event_find_field(ev, "calltime");
		le->rettime = event_find_field(ev, "rettime");
		if (!le->is_user)
			l->has_whole_calls = le->calltime && le->rettime;
		return ROLE_GRAPH_EXIT;
	case CALL_NOT:
		break;
	}
	if (!strcmp(ev->system, "synthetic"))
		return bind_joined(l, ev, le);
	if (!strcmp(ev->system, "ftrace") || !has_text(ev, " __probe_"))
		return 0;
	formats_find(l->f, ev->id);
	le->by_name = is_named_after(ev->name, l->config->function);
	le->address = event_find_field(ev, "__probe_func");
	if (le->address)
		return ROLE_RETURN;
	le->address = event_find_field(ev, "__probe_ip");
	return le->address ? ROLE_ENTRY : 0;
}

/*
 * --- events ------------------------------------------------------------------------------------
 */

static unsigned find_call(struct latency *l, const struct event *ev, struct latency_event *le)
{
	const struct latency_config *c = l->config;

	for (le->call = 0; le->call < c->n_calls; le->call++) {
		if (key_event_matches(c->calls[le->call].from, ev->system, ev->name))
			return ROLE_FROM;
		if (key_event_matches(c->calls[le->call].to, ev->system, ev->name))
			return ROLE_TO;
	}
	return 0;
}

static bool is_among(const struct latency_events *events, const struct event *ev)
{
	return ARRAY_ANY(events->n, i, events->list[i]->id == ev->id);
}

static bool is_event(const char *pattern, const struct latency_events *events,
		     const struct event *ev)
{
	return events->list ? is_among(events, ev)
			    : key_event_matches(pattern, ev->system, ev->name);
}

/* A record of `sonde trace` describes a whole call, so it is measured by itself. */
static bool is_span(const struct latency_config *c, const struct event *ev,
		    struct latency_event *le)
{
	if (c->from != c->to || c->from_events.list || strcmp(ev->system, "syscall") != 0 ||
	    strcmp(ev->name, "syscall") != 0 || !key_event_matches(c->from, ev->system, ev->name))
		return false;
	le->duration = event_find_field(ev, "duration");
	return le->duration;
}

static unsigned find_roles(struct latency *l, struct event *ev, struct latency_event *le)
{
	unsigned roles = 0;

	if (l->config->function)
		return bind_function(l, ev, le);
	if (l->config->n_calls)
		return find_call(l, ev, le);
	if (is_span(l->config, ev, le))
		return ROLE_SPAN;
	if (is_event(l->config->from, &l->config->from_events, ev))
		roles |= ROLE_FROM;
	if (is_event(l->config->to, &l->config->to_events, ev))
		roles |= ROLE_TO;
	return roles;
}

static int need_field(const struct key_slot *slot, const struct event *ev, const char *word,
		      struct errmsg *err)
{
	char fields[FIELDS_TEXT_BYTES] = "";
	size_t len = 0;

	if (key_can_match(slot, word))
		return 0;
	/*
	 * list the fields: the message cannot name a command, because the probe no longer exists
	 * when the user runs it
	 */
	for (size_t i = 0; i < ev->n_fields && len < sizeof(fields); i++)
		len += snprintf(fields + len, sizeof(fields) - len, "%s%s", i ? ", " : "",
				ev->fields[i].name);
	return errmsg_set(
		err, -ENOENT,
		"the event %s:%s has no field '%s' to match it by; it has %s%s$pid and $cpu",
		ev->system, ev->name, word, fields, *fields ? ", and " : "");
}

static int bind_event(struct latency *l, struct event *ev, struct latency_event *le,
		      struct errmsg *err)
{
	const struct latency_config *c = l->config;
	int r = 0;

	formats_find(l->f, ev->id);
	for (size_t i = 0; i < c->n_fields && c->match == LATENCY_BY_FIELD && !c->function; i++) {
		le->from_keys[i] = key_bind(ev, c->fields[i].from);
		le->to_keys[i] = key_bind(ev, c->fields[i].to);
		if (le->roles & ROLE_FROM)
			r = need_field(&le->from_keys[i], ev, c->fields[i].from, err);
		if (r >= 0 && le->roles & ROLE_TO)
			r = need_field(&le->to_keys[i], ev, c->fields[i].to, err);
		TRY(r);
	}
	for (size_t i = 0; i < c->n_groups; i++)
		le->groups[i] = key_bind(ev, c->groups[i].word);
	return 0;
}

/* Returns the first event of that role, or NULL. */
static const struct latency_event *find_role(const struct latency *l, unsigned role, size_t *ret_id)
{
	for (size_t i = 0; i < l->n_events; i++)
		if (l->events[i] && l->events[i]->roles & role) {
			*ret_id = i;
			return l->events[i];
		}
	return NULL;
}

/* Checks that the two sides have the same kind of value: a number never equals a text. */
static int check_kinds(const struct latency *l, struct errmsg *err)
{
	const struct latency_config *c = l->config;
	size_t from_id = 0, to_id = 0;
	const struct latency_event *from = find_role(l, ROLE_FROM, &from_id),
				   *to = find_role(l, ROLE_TO, &to_id);

	if (!from || !to || c->match != LATENCY_BY_FIELD || c->function)
		return 0;
	for (size_t i = 0; i < c->n_fields; i++) {
		bool is_text = key_is_text(&from->from_keys[i]);

		if (is_text != key_is_text(&to->to_keys[i]))
			return errmsg_set(
				err, -EINVAL,
				"%s of %s is a %s and %s of %s a %s: they are never equal, so "
				"nothing would be measured (--by-field)",
				c->fields[i].from, l->f->table[from_id]->name,
				is_text ? "text" : "number", c->fields[i].to,
				l->f->table[to_id]->name, is_text ? "number" : "text");
	}
	return 0;
}

static bool is_side(const struct latency_event *le, enum latency_side side)
{
	unsigned from = ROLE_FROM | ROLE_ENTRY | ROLE_GRAPH_ENTRY | ROLE_GRAPH_EXIT | ROLE_SPAN;
	unsigned to = ROLE_TO | ROLE_RETURN | ROLE_GRAPH_EXIT | ROLE_SPAN;

	return le->roles & (side == LATENCY_FROM ? from : to);
}

/* Returns true if an event of that side has the field. With `general`, general words count, too. */
static bool side_has(const struct latency *l, size_t group, enum latency_side side, bool general)
{
	for (size_t i = 0; i < l->n_events; i++) {
		const struct latency_event *le = l->events[i];

		if (!le || !is_side(le, side) || le->groups[group].kind == KEY_ABSENT)
			continue;
		if (general || le->groups[group].field)
			return true;
	}
	return false;
}

static int refuse_group(const struct latency *l, const char *word, struct errmsg *err)
{
	struct spelling sp;

	spelling_init(&sp, word, strlen(word));
	for (size_t i = 0; i < l->n_events; i++)
		if (l->events[i])
			key_spell_field(&sp, formats_find(l->f, (int)i));
	return errmsg_set(err, -ENOENT,
			  "neither event has a field '%s' (--by)%s%s; $comm, $pid, $task and "
			  "$cpu work for all",
			  word, sp.nearest ? "; the nearest is " : "",
			  sp.nearest ? sp.nearest : "");
}

static int settle_groups(struct latency *l, struct errmsg *err)
{
	for (size_t i = 0; i < l->config->n_groups; i++) {
		const struct latency_word *w = &l->config->groups[i];

		l->sides[i] = w->side;
		if (w->side == LATENCY_EITHER)
			l->sides[i] =
				side_has(l, i, LATENCY_FROM, false) ? LATENCY_FROM : LATENCY_TO;
		if (!side_has(l, i, l->sides[i], true))
			return refuse_group(l, w->word, err);
	}
	return 0;
}

static int refuse_missing(const struct latency *l, unsigned roles, struct errmsg *err)
{
	const struct latency_config *c = l->config;

	if (c->from_events.list)
		return 0;
	if (c->function)
		return roles ? 0
			     : errmsg_set(err, -ENOENT,
					  "the trace has neither calls of functions (-u, "
					  "function_graph) nor probes, so -T %s cannot be "
					  "measured",
					  c->function);
	if (roles & ROLE_SPAN)
		return 0;
	if (!(roles & ROLE_FROM))
		return key_refuse_event(l->f, c->from, err);
	if (!(roles & ROLE_TO))
		return key_refuse_event(l->f, c->to, err);
	return 0;
}

/* Uses the frames that capture/setup/frames.c adds, if all events have one. */
static void settle_frames(struct latency *l)
{
	l->has_frames = l->config->is_call && l->config->match == LATENCY_BY_THREAD;
	for (size_t i = 0; i < l->n_events && l->has_frames; i++) {
		struct latency_event *le = l->events[i];

		if (!le)
			continue;
		le->frame = event_find_field(l->f->table[i], "sonde_frame");
		le->skip = event_find_field(l->f->table[i], "sonde_skip");
		l->has_frames = le->frame;
	}
	l->n_keys += l->has_frames;
}

static int find_events(struct latency *l, struct errmsg *err)
{
	unsigned all = 0;

	for (size_t i = 0; i < l->f->n_events; i++) {
		struct event *ev = l->f->by_id[i];
		struct latency_event found = {0}, *le;

		if ((size_t)ev->id >= l->n_events)
			continue;
		found.roles = find_roles(l, ev, &found);
		if (!found.roles)
			continue;
		le = arena_alloc(&l->arena, sizeof(*le));
		if (!le)
			return errmsg_set_errno(err, -ENOMEM, "cannot measure latencies");
		*le = found;
		l->events[ev->id] = le;
		l->wanted[ev->id] = 1;
		all |= le->roles;
		TRY(bind_event(l, ev, le, err));
	}
	TRY(refuse_missing(l, all, err));
	TRY(check_kinds(l, err));
	settle_frames(l);
	return settle_groups(l, err);
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

int latency_new(struct latency **ret, struct formats *f, const struct latency_config *config,
		struct errmsg *err)
{
	SCOPED(latency_free_scoped) struct latency *l = calloc(1, sizeof(*l));

	if (!l)
		return errmsg_set_errno(err, -ENOMEM, "cannot measure latencies");
	l->config = config;
	l->f = f;
	l->seed = hash_seed();
	l->n_keys = config->match == LATENCY_BY_FIELD && !config->function ? config->n_fields : 1;
	l->n_keys += config->n_calls > 0;
	l->n_events = f->n_table;
	arena_init(&l->arena, ARENA_MAX_BYTES);
	l->events = calloc(l->n_events + 1, sizeof(struct latency_event *));
	l->wanted = calloc(l->n_events + 1, 1);
	if (!l->events || !l->wanted || keyreader_init(&l->keys, f) < 0 ||
	    own_init(&l->own, f, config->with_own) < 0 ||
	    latencies_init(&l->result, &config->scale, config->n_groups, config->n_worst) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot measure latencies");
	TRY(find_events(l, err));
	*ret = TAKE(l);
	return 0;
}

void latency_free(struct latency *l)
{
	if (!l)
		return;
	latency_free_early(l);
	latencies_release(&l->result);
	keyreader_release(&l->keys);
	own_release(&l->own);
	arena_release(&l->arena);
	free(l->events);
	free(l->wanted);
	free(l->starts);
	free(l);
}
