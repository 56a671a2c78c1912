// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sampleinfo.c - parses the text about samples.
 *
 *	E 0 cpu-clock
 *	F 1 6e1f… /usr/bin/make
 *	J 2 4711 /tmp/perf-4711.map
 *	L 12
 *
 * The text may be hostile: numbers of events and files have ceilings, and lines of another form,
 * such as those of a later version, are skipped.
 */
#include "decode/samples/sampleinfo.h"

#include "base/scope.h"
#include "base/textbuf.h"
#include "format/tracedat.h"
#include "store/packedtext.h"
#include "store/events/sampleevents.h"
#include "store/tracefile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES	(64u << 20)
#define ARENA_MAX_BYTES (128u << 20)
#define EVENTS_MAX	4096u

/* The next word of a line, up to a blank; the rest stays in *line. */
static struct piece next_word(struct piece *line)
{
	const uint8_t *blank = memchr(line->data, ' ', line->len);
	size_t len = blank ? (size_t)(blank - line->data) : line->len;
	struct piece word = {line->data, len};

	line->data += len + (blank != NULL);
	line->len -= len + (blank != NULL);
	return word;
}

static bool read_number(struct piece word, int base, uint64_t *ret)
{
	char text[24], *end;

	if (!word.len || word.len >= sizeof(text))
		return false;
	memcpy(text, word.data, word.len);
	text[word.len] = '\0';
	*ret = strtoull(text, &end, base);
	return !*end;
}

static const char *copy(struct sampleinfo *info, struct piece p)
{
	return arena_strndup(&info->arena, (const char *)p.data, p.len);
}

static int add_event(struct sampleinfo *info, struct piece line)
{
	uint64_t number;

	if (!read_number(next_word(&line), 10, &number) || number >= EVENTS_MAX)
		return 0;
	if (number >= info->n_events) {
		size_t n = (size_t)number + 1;
		const char **more = realloc(info->events, n * sizeof(const char *));

		if (!more)
			return -ENOMEM;
		memset(more + info->n_events, 0, (n - info->n_events) * sizeof(const char *));
		info->events = more;
		info->n_events = n;
	}
	info->events[number] = copy(info, line);
	return info->events[number] ? 0 : -ENOMEM;
}

static int add_file(struct sampleinfo *info, struct piece line, bool is_code)
{
	struct sample_file *file;
	uint64_t number, pid = 0;
	struct piece word;
	void **slot;

	if (!read_number(next_word(&line), 16, &number) || !number ||
	    number > SAMPLEEVENTS_FILES_MAX)
		return 0;
	word = next_word(&line);
	if (is_code && !read_number(word, 10, &pid))
		return 0;
	slot = map_take(&info->by_number, number, SAMPLEEVENTS_FILES_MAX);
	if (!slot)
		return -ENOMEM;
	file = *slot ? *slot : arena_alloc(&info->arena, sizeof(*file));
	if (!file)
		return -ENOMEM;
	*slot = file;
	*file = (struct sample_file){
		.number = (uint32_t)number,
		.pid = is_code ? (int)pid : -1,
		.build_id = is_code || (word.len == 1 && *word.data == '-') ? "" : copy(info, word),
		.path = line.len == 1 && *line.data == '-' ? "" : copy(info, line)};
	if (!file->build_id || !file->path)
		return -ENOMEM;
	file->name = strrchr(file->path, '/');
	file->name = file->name && file->name[1] ? file->name + 1 : file->path;
	if (is_code) /* no file has this code; the path is where its names may be */
		file->name = "[JIT]";
	info->n_files++;
	return 0;
}

/* "counters NUMBER cpus": they come after the lines E. */
static void add_about(struct sampleinfo *info, struct piece line)
{
	struct piece key = next_word(&line);
	uint64_t first;

	if (key.len != strlen("counters") || memcmp(key.data, "counters", key.len) != 0 ||
	    !read_number(next_word(&line), 10, &first) || first > info->n_events)
		return;
	info->n_counters = info->n_events - (size_t)first;
	info->counters_of_cpus = line.len == 4 && memcmp(line.data, "cpus", 4) == 0;
}

static int parse_line(struct sampleinfo *info, struct piece line)
{
	struct piece kind = next_word(&line);

	if (kind.len != 1)
		return 0;
	switch (*kind.data) {
	case 'E':
		return add_event(info, line);
	case 'F':
	case 'J':
		return add_file(info, line, *kind.data == 'J');
	case 'C':
		add_about(info, line);
		return 0;
	case 'L':
		read_number(line, 10, &info->n_lost);
		return 0;
	default:
		return 0;
	}
}

int sampleinfo_parse(struct sampleinfo *ret, struct piece text)
{
	struct sampleinfo info = {0};
	int r = 0;

	arena_init(&info.arena, ARENA_MAX_BYTES);
	while (text.len && r >= 0) {
		const uint8_t *end = memchr(text.data, '\n', text.len);
		size_t len = end ? (size_t)(end - text.data) : text.len;

		r = parse_line(&info, (struct piece){text.data, len});
		text.data += len + (end != NULL);
		text.len -= len + (end != NULL);
	}
	if (r < 0)
		sampleinfo_release(&info);
	else
		*ret = info;
	return r;
}

int sampleinfo_read(struct sampleinfo *ret, const struct tracefile *tf)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_SAMPLES);
	struct piece text = {0};
	TEXTBUF(plain, TEXT_MAX_BYTES);

	if (o)
		TRY(packedtext_read(o->data, &plain, &text));
	return sampleinfo_parse(ret, text);
}

void sampleinfo_release(struct sampleinfo *info)
{
	free(info->events);
	map_release(&info->by_number);
	arena_release(&info->arena);
	*info = (struct sampleinfo){0};
}

const struct sample_file *sampleinfo_find_file(const struct sampleinfo *info, uint32_t number)
{
	return number ? map_find(&info->by_number, number) : NULL;
}

const char *sampleinfo_event_name(const struct sampleinfo *info, uint32_t number)
{
	const char *name = number < info->n_events ? info->events[number] : NULL;

	return name ? name : "event";
}

int sampleinfo_find_event(const struct sampleinfo *info, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < info->n_events; i++)
		if (info->events[i] && !strcmp(info->events[i], name))
			return (int)i;
	for (size_t i = 0; i < info->n_events; i++)
		if (info->events[i] && !strncmp(info->events[i], name, len) &&
		    (info->events[i][len] == ':' || info->events[i][len] == '/'))
			return (int)i;
	return -1;
}
