// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * trace.c - libsonde: opened traces, the kinds of their events, and symbols.
 *
 * A struct sonde_trace is a thin shell around inputs/inputs.h. Everything that reads events opens
 * the files for itself (library_open()), so that several threads can read one trace: 2 ms for a
 * file, whose pages are shared. For the same reason a trace must be a file or a directory: a pipe
 * can be read only once.
 *
 * A struct sonde_kind is a struct event, and a struct sonde_field a struct field, under other
 * names: the program sees only pointers.
 */
#include "library/library_int.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "inputs/taskwalk.h"
#include "query/query.h"
#include "symbols/kallsyms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

PUBLIC const char *sonde_version(void)
{
	return SONDE_VERSION;
}

int library_fail(struct sonde_error *to, const struct errmsg *err, int r)
{
	_Static_assert(sizeof(to->text) >= sizeof(err->text), "a sentence fits");

	if (!to)
		return r;
	to->code = r;
	snprintf(to->text, sizeof(to->text), "%s", err->code ? err->text : "out of memory");
	return r;
}

/* --- opening ---------------------------------------------------------------------------------- */

static int check_path(const char *path, struct errmsg *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errmsg_set_errno(err, -errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return errmsg_set(err, -EINVAL,
				  "%s is not a file: the library reads a trace more than once; "
				  "save it first",
				  path);
	return 0;
}

static int copy_paths(struct sonde_trace *t, const char *const *paths, size_t n, struct errmsg *err)
{
	if (!n)
		return errmsg_set(err, -EINVAL, "no file is named");
	t->paths = calloc(n, sizeof(*t->paths));
	if (!t->paths)
		return -ENOMEM;
	for (; t->n_paths < n; t->n_paths++) {
		TRY(check_path(paths[t->n_paths], err));
		t->paths[t->n_paths].path = strdup(paths[t->n_paths]);
		if (!t->paths[t->n_paths].path)
			return -ENOMEM;
	}
	return 0;
}

int library_open(struct inputs *in, struct inputs_spec *spec, const struct sonde_trace *trace,
		 struct errmsg *err)
{
	spec->paths = trace->paths;
	spec->n_paths = trace->n_paths;
	return inputs_open(in, spec, err);
}

SCOPED_POINTER(struct sonde_trace, sonde_close)

PUBLIC int sonde_open_files(struct sonde_trace **ret, const char *const *paths, size_t n,
			    struct sonde_error *error)
{
	SCOPED(sonde_close_scoped) struct sonde_trace *t = calloc(1, sizeof(*t));
	struct errmsg err = {0};
	int r = t ? copy_paths(t, paths, n, &err) : -ENOMEM;

	if (r >= 0)
		r = library_open(&t->in, &t->spec, t, &err);
	if (r < 0)
		return library_fail(error, &err, r);
	textbuf_init(&t->symbol, LIBRARY_TEXT_MAX_BYTES);
	*ret = TAKE(t);
	return 0;
}

PUBLIC int sonde_open(struct sonde_trace **ret, const char *path, struct sonde_error *error)
{
	return sonde_open_files(ret, &path, 1, error);
}

PUBLIC void sonde_close(struct sonde_trace *t)
{
	if (!t)
		return;
	query_free(t->query);
	for (size_t i = 0; t->kinds && i < t->in.n_files; i++)
		free(t->kinds[i]);
	free(t->kinds);
	inputs_close(&t->in);
	for (size_t i = 0; i < t->n_paths; i++)
		free((char *)t->paths[i].path);
	free(t->paths);
	textbuf_release(&t->symbol);
	free(t);
}

/* --- facts ------------------------------------------------------------------------------------ */

PUBLIC size_t sonde_trace_n_files(const struct sonde_trace *t)
{
	return t->in.n_files;
}

PUBLIC const char *sonde_trace_path(const struct sonde_trace *t, size_t file)
{
	return file < t->in.n_files ? inputs_path(&t->in.files[file]) : NULL;
}

PUBLIC const char *sonde_trace_damage(const struct sonde_trace *t, size_t *pos)
{
	return inputs_next_damage(&t->in, pos);
}

static void find_range(struct sonde_trace *t)
{
	SCOPED(inputs_sources_release) struct inputs_sources src = {0};
	struct errmsg err = {0};

	if (t->has_range)
		return;
	t->has_range = true;
	t->is_ns = true;
	if (inputs_sources_list(&src, &t->in, &err) < 0)
		return;
	t->is_ns = inputs_sources_are_ns(&src);
	t->has_events = taskwalk_find_edges(&src, &t->first, &t->last);
}

PUBLIC int sonde_trace_range(struct sonde_trace *t, uint64_t *ret_first, uint64_t *ret_last)
{
	find_range(t);
	*ret_first = t->first;
	*ret_last = t->last;
	return t->has_events;
}

PUBLIC int sonde_trace_is_ns(const struct sonde_trace *t)
{
	find_range((struct sonde_trace *)t);
	return t->is_ns;
}

/* --- kinds ------------------------------------------------------------------------------------ */

static struct formats *formats_of(const struct sonde_trace *t, size_t file)
{
	return file < t->in.n_files ? t->in.files[file].formats : NULL;
}

PUBLIC size_t sonde_trace_n_kinds(struct sonde_trace *t, size_t file)
{
	const struct formats *f = formats_of(t, file);

	return f ? f->n_events : 0;
}

PUBLIC const struct sonde_kind *sonde_trace_kind(struct sonde_trace *t, size_t file, size_t i)
{
	struct formats *f = formats_of(t, file);

	if (!f || i >= f->n_events)
		return NULL;
	if (!t->kinds)
		t->kinds = calloc(t->in.n_files, sizeof(*t->kinds));
	if (t->kinds && !t->kinds[file])
		t->kinds[file] = formats_list(f);
	if (!t->kinds || !t->kinds[file])
		return NULL;
	formats_parse(f, t->kinds[file][i]);
	return library_kind(t->kinds[file][i]);
}

PUBLIC const struct sonde_kind *sonde_trace_find_kind(struct sonde_trace *t, size_t file,
						      const char *system, const char *name)
{
	struct formats *f = formats_of(t, file);

	return f ? library_kind(formats_find_name(f, system, name)) : NULL;
}

PUBLIC const char *sonde_trace_symbol(struct sonde_trace *t, size_t file, uint64_t address,
				      uint64_t *ret_offset)
{
	struct formats *f = formats_of(t, file);
	const struct ksym *sym = f ? kallsyms_find(formats_kallsyms(f), address) : NULL;

	if (!sym)
		return NULL;
	if (ret_offset)
		*ret_offset = address - sym->addr;
	textbuf_clear(&t->symbol);
	textbuf_add(&t->symbol, sym->name, sym->name_len);
	return textbuf_text(&t->symbol);
}

PUBLIC const char *sonde_kind_name(const struct sonde_kind *kind)
{
	return kind ? library_event(kind)->name : "";
}

PUBLIC const char *sonde_kind_system(const struct sonde_kind *kind)
{
	return kind ? library_event(kind)->system : "";
}

PUBLIC int sonde_kind_id(const struct sonde_kind *kind)
{
	return kind ? library_event(kind)->id : -1;
}

PUBLIC size_t sonde_kind_n_fields(const struct sonde_kind *kind)
{
	return kind ? library_event(kind)->n_fields : 0;
}

static const struct sonde_field *public_field(const struct field *f)
{
	return (const struct sonde_field *)(const void *)f;
}

PUBLIC const struct sonde_field *sonde_kind_field(const struct sonde_kind *kind, size_t i)
{
	return i < sonde_kind_n_fields(kind) ? public_field(&library_event(kind)->fields[i]) : NULL;
}

PUBLIC const struct sonde_field *sonde_kind_find(const struct sonde_kind *kind, const char *name)
{
	return kind ? public_field(event_find_any(library_event(kind), name)) : NULL;
}

PUBLIC const char *sonde_field_name(const struct sonde_field *field)
{
	return library_field(field)->name;
}

PUBLIC const char *sonde_field_type_name(const struct sonde_field *field)
{
	return library_field(field)->type;
}

PUBLIC enum sonde_type sonde_field_type(const struct sonde_field *field)
{
	const struct field *f = library_field(field);

	if (f->flags & FIELD_STRING)
		return SONDE_TEXT;
	if (f->flags & (FIELD_ARRAY | FIELD_DYNAMIC) ||
	    (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8))
		return SONDE_BYTES;
	if (f->flags & FIELD_REAL)
		return SONDE_REAL;
	return f->size == 8 && !(f->flags & FIELD_SIGNED) ? SONDE_UNSIGNED : SONDE_INTEGER;
}

PUBLIC int sonde_field_is_plain(const struct sonde_kind *kind, const struct sonde_field *field)
{
	const struct field *f = library_field(field);
	enum sonde_type type = sonde_field_type(field);

	if ((type != SONDE_INTEGER && type != SONDE_UNSIGNED) || f->n_signed_bits ||
	    f->flags & (FIELD_BIG_ENDIAN | FIELD_GAPS) || library_event(kind)->formats->swap)
		return 0;
	return f->flags & FIELD_SIGNED ? 2 : 1;
}

PUBLIC void sonde_field_place(const struct sonde_field *field, size_t *ret_offset, size_t *ret_size)
{
	*ret_offset = library_field(field)->offset;
	*ret_size = library_field(field)->size;
}
