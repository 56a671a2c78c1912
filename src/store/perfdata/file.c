// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * file.c - opens a perf.data: its head, the attributes of its events, its features.
 *
 *	"PERFILE2" 104 …   a file: attributes in front, features behind the data
 *	"PERFILE2" 16      a pipe: attributes and features are records (records.c)
 *
 * perf updates the head of a file at the end. A recorder that was killed leaves one that says 0
 * bytes of data: then the data reaches to the end, and there are no features. A file that was cut
 * has attributes and a part of its data. Both are read as far as possible.
 *
 * Only files in the byte order of this machine are read.
 */
#include "base/array.h"
#include "base/files/regular.h"
#include "base/scope.h"
#include "format/perfdata.h"
#include "store/perfdata/perfdata_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARENA_MAX_BYTES (512u << 20)
#define MISC_HAS_LENGTH (1u << 15) /* of a build id */

struct section {
	uint64_t offset, n_bytes;
};

void perfdata_add_damage(struct perfdata *pd, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < pd->n_damage; i++)
		if (!strcmp(pd->damage[i], text))
			return;
	if (pd->n_damage == PERFDATA_DAMAGE_MAX)
		return;
	pd->damage[pd->n_damage] = arena_strndup(&pd->arena, text, strlen(text));
	pd->n_damage += pd->damage[pd->n_damage] != NULL;
}

/* The part of a section that the file really has. */
static struct piece section_of(struct perfdata *pd, struct section s, const char *what)
{
	struct piece all = {pd->map.data, pd->map.n_bytes};
	uint64_t left = s.offset < all.len ? all.len - s.offset : 0;

	if (s.n_bytes > left)
		perfdata_add_damage(pd, "%s is truncated: %llu bytes of its %s are missing",
				    pd->path, (unsigned long long)(s.n_bytes - left), what);
	if (!left)
		return PIECE_EMPTY;
	return (struct piece){all.data + s.offset, s.n_bytes < left ? s.n_bytes : left};
}

static struct section take_section(struct byte_reader *r)
{
	struct section s;

	s.offset = byte_reader_take_number(r, 8);
	s.n_bytes = byte_reader_take_number(r, 8);
	return s;
}

/*
 * --- events ------------------------------------------------------------------------------------
 */

struct perfdata_event *perfdata_add_event(struct perfdata *pd, struct piece attr)
{
	struct perfdata_event *e;
	size_t n = attr.len < sizeof(e->attr) ? attr.len : sizeof(e->attr);

	if (attr.len < SNF_PERF_ATTR_MIN_BYTES ||
	    !ARRAY_ROOM(pd->events, pd->cap_events, pd->n_events + 1, PERFDATA_EVENTS_MAX))
		return NULL;
	e = &pd->events[pd->n_events++];
	*e = (struct perfdata_event){0};
	memcpy(&e->attr, attr.data, n);
	return e;
}

int perfdata_add_ids(struct perfdata *pd, struct perfdata_event *e, struct piece ids)
{
	size_t n = ids.len / 8;

	e->ids = arena_alloc_array(&pd->arena, n + 1, 8);
	if (!e->ids)
		return -ENOMEM;
	memcpy(e->ids, ids.data, n * 8);
	e->n_ids = n;
	for (size_t i = 0; i < n; i++) {
		void **slot = map_take(&pd->by_id, e->ids[i], PERFDATA_IDS_MAX);

		if (!slot)
			return -ENOMEM;
		*slot = (void *)(uintptr_t)(e - pd->events + 1);
	}
	return 0;
}

void perfdata_set_name(struct perfdata *pd, struct perfdata_event *e, const char *name, size_t len)
{
	char *copy = len && !e->name ? arena_strndup(&pd->arena, name, len) : NULL;

	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	if (copy)
		e->name = copy;
}

const struct perfdata_event *perfdata_event_of(const struct perfdata *pd, uint64_t id)
{
	size_t i = (uintptr_t)map_find(&pd->by_id, id);

	return i && i <= pd->n_events ? &pd->events[i - 1] : NULL;
}

/* u32 bytes, text; a truncated text ends where its bytes end. NULL: there is none. */
static const char *take_text(struct perfdata *pd, struct byte_reader *r)
{
	uint64_t n = byte_reader_take_number(r, 4);
	struct piece text = byte_reader_take_piece(r, n);

	if (r->failed)
		return NULL;
	return arena_strndup(&pd->arena, (const char *)text.data,
			     strnlen((const char *)text.data, text.len));
}

/* The feature EVENT_DESC: attribute, number of ids, name, ids, for each event. */
static void read_names(struct perfdata *pd)
{
	struct piece f = pd->features[SNF_PERF_FEAT_EVENT_DESC];
	struct byte_reader r = {f.data, f.data + f.len, false, false};
	uint64_t n, attr_bytes;

	if (!f.data)
		return;
	n = byte_reader_take_number(&r, 4);
	attr_bytes = byte_reader_take_number(&r, 4);
	for (size_t i = 0; i < n && i < pd->n_events && !r.failed; i++) {
		uint64_t n_ids;
		const char *name;

		byte_reader_take(&r, attr_bytes);
		n_ids = byte_reader_take_number(&r, 4);
		name = take_text(pd, &r);
		byte_reader_take(&r, n_ids * 8);
		if (name)
			perfdata_set_name(pd, &pd->events[i], name, strlen(name));
	}
}

/* The feature GROUP_DESC: name, number of the leader, number of events, for each group. */
size_t perfdata_group(struct perfdata *pd, size_t event, const char **ret_name)
{
	struct piece f = pd->features[SNF_PERF_FEAT_GROUP_DESC];
	struct byte_reader r = {f.data, f.data + f.len, false, false};
	uint64_t n = f.data ? byte_reader_take_number(&r, 4) : 0;

	for (uint64_t i = 0; i < n && !r.failed; i++) {
		const char *name = take_text(pd, &r);
		uint64_t leader = byte_reader_take_number(&r, 4);
		uint64_t n_events = byte_reader_take_number(&r, 4);

		if (r.failed || leader != event || n_events > pd->n_events ||
		    event > pd->n_events - n_events)
			continue;
		*ret_name = name && strcmp(name, "{anon_group}") ? name : NULL;
		return n_events;
	}
	return 0;
}

static void perfdata_name_events(struct perfdata *pd)
{
	static const char *const software[] = {
		"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
		"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches"};
	static const char *const hardware[] = {"cycles",
					       "instructions",
					       "cache-references",
					       "cache-misses",
					       "branches",
					       "branch-misses",
					       "bus-cycles",
					       "stalled-cycles-frontend",
					       "stalled-cycles-backend",
					       "ref-cycles"};

	read_names(pd);
	for (size_t i = 0; i < pd->n_events; i++) {
		struct perfdata_event *e = &pd->events[i];
		uint64_t config = e->attr.config;
		char name[64];

		if (e->name)
			continue;
		if (e->attr.type == PERF_TYPE_SOFTWARE && config < ARRAY_LEN(software))
			e->name = software[config];
		else if (e->attr.type == PERF_TYPE_HARDWARE && config < ARRAY_LEN(hardware))
			e->name = hardware[config];
		snprintf(name, sizeof(name), "%s:0x%llx",
			 e->attr.type == PERF_TYPE_TRACEPOINT ? "tracepoint" : "raw",
			 (unsigned long long)config);
		perfdata_set_name(pd, e, name, strlen(name));
		if (!e->name)
			e->name = "event";
	}
}

static int read_attributes(struct perfdata *pd, struct section where, uint64_t each)
{
	struct piece all = section_of(pd, where, "list of events");

	if (each < SNF_PERF_ATTR_MIN_BYTES + 16)
		return 0;
	for (size_t at = 0; each <= all.len - at && at <= all.len; at += each) {
		struct byte_reader r = {all.data + at + each - 16, all.data + at + each, false,
					false};
		struct section ids = take_section(&r);
		struct perfdata_event *e =
			perfdata_add_event(pd, (struct piece){all.data + at, each - 16});

		if (!e || perfdata_add_ids(pd, e, section_of(pd, ids, "ids of events")) < 0)
			return -ENOMEM;
	}
	return 0;
}

/*
 * --- features ----------------------------------------------------------------------------------
 */

static void read_features(struct perfdata *pd, const uint8_t *bits, uint64_t table)
{
	size_t n = 0;

	for (size_t i = 0; i < SNF_PERF_FEATURES_MAX; i++) {
		uint64_t at = table + 16 * n;
		struct byte_reader r;

		if (!(bits[i / 8] >> i % 8 & 1))
			continue;
		n++;
		if (at > pd->map.n_bytes || pd->map.n_bytes - at < 16) {
			perfdata_add_damage(pd, "%s is truncated: its list of features is missing",
					    pd->path);
			return;
		}
		r = (struct byte_reader){pd->map.data + at, pd->map.data + at + 16, false, false};
		pd->features[i] = section_of(pd, take_section(&r), "features");
	}
}

const char *perfdata_text(struct perfdata *pd, enum snf_perf_feature feature)
{
	struct piece f = pd->features[feature];
	struct byte_reader r = {f.data, f.data + f.len, false, false};

	return f.data ? take_text(pd, &r) : NULL;
}

/* u32 type, u16 misc, u16 bytes; s32 pid; 20 bytes of the id, u8 its length, 3 unused; the path */
static bool parse_build_id(struct perfdata *pd, struct piece from, struct perfdata_build_id *ret)
{
	enum { id_at = SNF_PERF_RECORD_HEAD + 4, path_at = id_at + 24 };
	size_t n_bytes;

	if (from.len < path_at)
		return false;
	n_bytes = bytes_get16(from.data + 6, false);
	if (n_bytes < path_at || n_bytes > from.len)
		return false;
	ret->misc = bytes_get16(from.data + 4, false);
	memcpy(ret->id, from.data + id_at, sizeof(ret->id));
	ret->n_bytes = ret->misc & MISC_HAS_LENGTH ? from.data[id_at + 20] : sizeof(ret->id);
	if (ret->n_bytes > sizeof(ret->id))
		ret->n_bytes = sizeof(ret->id);
	ret->n_record = n_bytes;
	ret->path = arena_strndup(&pd->arena, (const char *)from.data + path_at,
				  strnlen((const char *)from.data + path_at, n_bytes - path_at));
	return ret->path != NULL;
}

bool perfdata_next_build_id(struct perfdata *pd, size_t *pos, struct perfdata_build_id *ret)
{
	struct piece f = pd->features[SNF_PERF_FEAT_BUILD_ID];

	if (f.data && *pos < f.len) {
		if (parse_build_id(pd, (struct piece){f.data + *pos, f.len - *pos}, ret)) {
			*pos += ret->n_record;
			return true;
		}
		*pos = f.len;
	}
	while (*pos - f.len < pd->n_piped_ids)
		if (parse_build_id(pd, pd->piped_ids[(*pos)++ - f.len], ret))
			return true;
	return false;
}

/*
 * --- opening -----------------------------------------------------------------------------------
 */

static bool has_magic(struct piece head)
{
	return head.len >= 8 && (!memcmp(head.data, SNF_PERF_MAGIC, 8) ||
				 !memcmp(head.data, SNF_PERF_MAGIC_SWAPPED, 8) ||
				 !memcmp(head.data, SNF_PERF_MAGIC_OLD, 8));
}

bool perfdata_is_file(const char *path)
{
	uint8_t head[8];
	struct stat st;
	ssize_t n;
	int fd;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	fd = regular_open(path, INT64_MAX);
	if (fd < 0)
		return false;
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	return n == sizeof(head) && has_magic((struct piece){head, sizeof(head)});
}

static int check_head(const struct perfdata *pd, struct errmsg *err)
{
	struct piece all = {pd->map.data, pd->map.n_bytes};

	if (!has_magic(all))
		return errmsg_set(err, -EBADMSG, "%s is not a perf.data file", pd->path);
	if (!memcmp(all.data, SNF_PERF_MAGIC_OLD, 8))
		return errmsg_set(err, -ENOTSUP,
				  "%s is a perf.data of a kernel before 3.2, which sonde does not "
				  "read; record it again with a newer perf",
				  pd->path);
	if (!memcmp(all.data, bytes_host_is_big() ? SNF_PERF_MAGIC : SNF_PERF_MAGIC_SWAPPED, 8))
		return errmsg_set(err, -ENOTSUP,
				  "%s has the other byte order; convert it on a machine like the "
				  "one that recorded it",
				  pd->path);
	if (all.len < SNF_PERF_PIPE_HEAD_BYTES)
		return errmsg_set(err, -EBADMSG,
				  "%s is truncated within its head: there is nothing "
				  "to read",
				  pd->path);
	return 0;
}

static int read_head(struct perfdata *pd, struct errmsg *err)
{
	struct byte_reader r = {pd->map.data + 8, pd->map.data + pd->map.n_bytes, false, false};
	uint64_t head_bytes = byte_reader_take_number(&r, 8);
	uint64_t attr_bytes;
	struct section attrs, data;
	const uint8_t *bits;

	if (head_bytes == SNF_PERF_PIPE_HEAD_BYTES) {
		pd->is_pipe = true;
		pd->data_offset = head_bytes;
		pd->data_bytes = pd->map.n_bytes - head_bytes;
		return 0;
	}
	attr_bytes = byte_reader_take_number(&r, 8);
	attrs = take_section(&r);
	data = take_section(&r);
	take_section(&r);
	bits = byte_reader_take(&r, SNF_PERF_FEATURES_MAX / 8);
	if (!bits || head_bytes < SNF_PERF_HEAD_BYTES)
		return errmsg_set(err, -EBADMSG,
				  "%s is truncated within its head: there is nothing "
				  "to read",
				  pd->path);
	if (!data.n_bytes && data.offset < pd->map.n_bytes && pd->map.n_bytes != data.offset) {
		perfdata_add_damage(pd,
				    "%s was not completed by its recorder; sonde reads what it "
				    "has",
				    pd->path);
		data.n_bytes = pd->map.n_bytes - data.offset;
	} else {
		read_features(pd, bits, data.offset + data.n_bytes);
	}
	pd->data_offset = data.offset < pd->map.n_bytes ? data.offset : pd->map.n_bytes;
	pd->data_bytes = section_of(pd, data, "records").len;
	return read_attributes(pd, attrs, attr_bytes) < 0
		       ? errmsg_set_errno(err, -ENOMEM, "cannot read the events of %s", pd->path)
		       : 0;
}

static int read_all(struct perfdata *pd, struct errmsg *err)
{
	TRY(check_head(pd, err));
	TRY(read_head(pd, err));
	TRY(perfdata_read_records(pd, err));
	perfdata_name_events(pd);
	return 0;
}

static int read_or_close(struct perfdata *pd, struct errmsg *err)
{
	int r = read_all(pd, err);

	if (r < 0)
		perfdata_close(pd);
	return r;
}

int perfdata_open(struct perfdata *pd, const char *path, struct errmsg *err)
{
	*pd = (struct perfdata){.path = path};
	arena_init(&pd->arena, ARENA_MAX_BYTES);
	if (mapfile_open(&pd->map, path, err) < 0) {
		arena_release(&pd->arena);
		return errmsg_code(err);
	}
	return read_or_close(pd, err);
}

int perfdata_open_memory(struct perfdata *pd, const char *path, struct piece bytes,
			 struct errmsg *err)
{
	*pd = (struct perfdata){.path = path, .map = {.data = bytes.data, .n_bytes = bytes.len}};
	arena_init(&pd->arena, ARENA_MAX_BYTES);
	pd->is_borrowed = true;
	return read_or_close(pd, err);
}

void perfdata_close(struct perfdata *pd)
{
	free(pd->events);
	free(pd->records);
	perfdata_free_chunks(pd);
	free(pd->piped_ids);
	map_release(&pd->by_id);
	map_release(&pd->cpu_of_id);
	arena_release(&pd->arena);
	if (!pd->is_borrowed && pd->map.data)
		mapfile_release(&pd->map);
	*pd = (struct perfdata){0};
}
