// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_timeline_sidecar.c - the index in the user's cache: it is found again, and never believed blindly.
 *
 * covers: V02 B11
 *
 * A timeline from the sidecar must say what one says that was indexed. Whatever is done to the file, also
 * with sums that fit, opening it is safe and what is shown can be trusted.
 */
#include "../lib/timelines.h"
#include "timeline/index/sidecar_int.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

static char cache[] = "/tmp/sonde-sidecar-XXXXXX";

static void make_cache(void)
{
	memcpy(cache + sizeof(cache) - 7, "XXXXXX", 7);
	assert_non_null(mkdtemp(cache));
}

static const char *golden(const char *name)
{
	static char path[600];

	if (!getenv("GOLDEN"))
		skip();
	snprintf(path, sizeof(path), "%s/%s.dat", getenv("GOLDEN"), name);
	return path;
}

/* The only sidecar in the cache; false if there is none. */
static bool find_sidecar(char *path, size_t size)
{
	DIR *d = opendir(cache);
	struct dirent *e;
	bool found = false;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.') {
			assert_false(found);
			assert_non_null(strstr(e->d_name, ".index"));
			snprintf(path, size, "%s/%s", cache, e->d_name);
			found = true;
		}
	if (d)
		closedir(d);
	return found;
}

/* Anonymous memory of blobs tells whether it was indexed. */
static bool is_from_sidecar(const struct timeline *tl)
{
	for (uint32_t i = 0; i < tl->n_streams; i++)
		for (size_t k = 0; k < tl->streams[i]->n_segments; k++)
			if (tl->streams[i]->segments[k]->blob)
				return false;
	return true;
}

static void assert_equal_rows(struct timeline *a, struct timeline *b)
{
	event_ref ra[300], rb[300];
	uint64_t ta[300], tb[300];
	size_t n;

	assert_int_equal(timeline_n_events(a), timeline_n_events(b));
	for (uint64_t row = 0; row < timeline_n_events(a); row += n) {
		n = timeline_rows(a, NULL, row, ra, ta, 300);
		assert_int_equal(timeline_rows(b, NULL, row, rb, tb, 300), n);
		assert_true(n > 0);
		assert_memory_equal(ra, rb, n * sizeof(*ra));
		assert_memory_equal(ta, tb, n * sizeof(*ta));
	}
}

struct sums {
	struct timeline *tl;
	uint64_t kinds, tasks, switches, wakings;
};

static bool add_event(void *ctx, const struct walk_event *ev)
{
	struct sums *s = ctx;

	s->kinds = s->kinds * 31 + timeline_kind(s->tl, ev->kind)->id;
	s->tasks = s->tasks * 31 + timeline_task(s->tl, ev->task)->pid;
	return true;
}

static bool add_switch(void *ctx, const struct switch_entry *e)
{
	struct sums *s = ctx;

	s->switches = s->switches * 31 + e->ts + timeline_task(s->tl, e->next)->pid + e->prev_state;
	return true;
}

static bool add_waking(void *ctx, const struct waking_entry *e)
{
	struct sums *s = ctx;

	s->wakings = s->wakings * 31 + e->ts + timeline_task(s->tl, e->task)->pid + e->flags;
	return true;
}

static struct sums sums_of(struct timeline *tl)
{
	struct walk_wants wants = {.to = TIMELINE_TIME_MAX};
	struct sums s = {.tl = tl};

	for (size_t i = 0; i < timeline_n_streams(tl); i++) {
		timeline_walk(tl, i, &wants, add_event, &s, NULL);
		timeline_switches(tl, i, 0, TIMELINE_TIME_MAX, add_switch, &s);
		timeline_wakings(tl, i, 0, TIMELINE_TIME_MAX, add_waking, &s);
	}
	return s;
}

static void assert_equal(struct timeline *a, struct timeline *b)
{
	struct sums x = sums_of(a), y = sums_of(b);

	assert_equal_rows(a, b);
	assert_int_equal(x.kinds, y.kinds);
	assert_int_equal(x.tasks, y.tasks);
	assert_int_equal(x.switches, y.switches);
	assert_int_equal(x.wakings, y.wakings);
	assert_int_equal(timeline_duration(a), timeline_duration(b));
	for (size_t i = 0; i < timeline_n_tasks(a); i++) {
		const struct timeline_task *t = timeline_task(a, i), *u;

		u = timeline_task(b, timeline_find_task(b, t->machine, t->pid));
		assert_int_equal(t->n_events, u->n_events);
		assert_int_equal(t->running_ns, u->running_ns);
		assert_int_equal(t->tgid, u->tgid);
		assert_string_equal(t->comm, u->comm);
	}
}

static void check_reopening(const char *path, const char *name)
{
	struct reading r;
	struct timeline *first, *second;

	(void)name;
	if (!reading_open(&r, path))
		return;
	first = index_of(&r, 2, NULL);
	timeline_free(index_of(&r, 2, cache));
	second = index_of(&r, 2, cache);
	if (timeline_n_events(first))
		assert_true(is_from_sidecar(second));
	assert_equal(first, second);
	timeline_free(first);
	timeline_free(second);
	reading_close(&r);
}

static void what_is_found_again_is_the_same(void **state)
{
	make_cache();
	each_golden(check_reopening);
	remove_directory(cache);
}

/* --- stale ------------------------------------------------------------------------------------- */

static bool reopened_is_from_sidecar(const char *path)
{
	struct reading r;
	struct timeline *tl;
	bool yes;

	assert_true(reading_open(&r, path));
	tl = index_of(&r, 2, cache);
	yes = is_from_sidecar(tl);
	timeline_free(tl);
	reading_close(&r);
	return yes;
}

static void copy_file(const char *from, const char *to)
{
	char command[1400];

	snprintf(command, sizeof(command), "cp '%s' '%s'", from, to);
	assert_int_equal(system(command), 0);
}

static void another_file_is_indexed_anew(void **state)
{
	char trace[64], sidecar[600], elsewhere[64];
	struct timespec times[2] = {{1000, 0}, {1000, 0}};

	make_cache();
	snprintf(trace, sizeof(trace), "%s.dat", cache);
	copy_file(golden("stacks"), trace);
	assert_false(reopened_is_from_sidecar(trace));
	assert_true(reopened_is_from_sidecar(trace));
	utimensat(AT_FDCWD, trace, times, 0);
	assert_false(reopened_is_from_sidecar(trace));
	assert_true(reopened_is_from_sidecar(trace));
	/* one that others could have written is not taken */
	assert_true(find_sidecar(sidecar, sizeof(sidecar)));
	chmod(sidecar, 0666);
	assert_false(reopened_is_from_sidecar(trace));
	assert_true(reopened_is_from_sidecar(trace));
	/* nor one behind a link */
	snprintf(elsewhere, sizeof(elsewhere), "%s.elsewhere", cache);
	assert_int_equal(rename(sidecar, elsewhere), 0);
	assert_int_equal(symlink(elsewhere, sidecar), 0);
	assert_false(reopened_is_from_sidecar(trace));
	unlink(elsewhere);
	unlink(trace);
	remove_directory(cache);
}

/* --- hostile ------------------------------------------------------------------------------------- */

static uint64_t seed = 1;

static uint32_t some(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

/* Sums that fit to what stands there, as somebody would make them who means harm. */
static void fix_sums(uint8_t *data, size_t len)
{
	struct sidecar_head *head = (void *)data;
	struct piece map = {data, len};
	struct sidecar_segment *rows = (void *)sidecar_segments(map);

	if (head->tables_bytes > len || head->n_segments > 1000 ||
	    (uint8_t *)(rows + head->n_segments) > data + len)
		return;
	for (uint32_t i = 0; i < head->n_segments; i++) {
		size_t pages = sidecar_pages_bytes(rows[i].n_pages);

		if (rows[i].at > len || rows[i].n_bytes > len - rows[i].at ||
		    rows[i].pages_at > len || pages > len - rows[i].pages_at)
			continue;
		rows[i].sum = sidecar_sum(data + rows[i].at, rows[i].n_bytes) ^
			      sidecar_sum(data + rows[i].pages_at, pages);
	}
	head->sum = 0;
	head->sum = sidecar_sum(head, sizeof(*head)) ^
		    sidecar_sum(data + sizeof(*head), head->tables_bytes - sizeof(*head));
}

static void write_file(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

static void look_at_all(struct timeline *tl)
{
	float values[64];
	struct sums s = sums_of(tl);
	event_ref refs[64];

	for (size_t i = 0; i < timeline_n_streams(tl); i++)
		timeline_density(tl, i, 0, timeline_duration(tl) + 1, values, 64);
	for (uint64_t row = 0; row < timeline_n_events(tl); row += 1 + timeline_n_events(tl) / 7)
		timeline_rows(tl, NULL, row, refs, NULL, 64);
	assert_true(s.tl == tl);
}

static void damage_does_no_harm(void **state)
{
	char path[600];
	uint8_t *whole, *data;
	struct reading r;
	struct stat st;
	unsigned n_taken = 0;
	FILE *f;

	make_cache();
	assert_true(reading_open(&r, golden("tour")));
	timeline_free(index_of(&r, 2, cache));
	assert_true(find_sidecar(path, sizeof(path)));
	assert_int_equal(stat(path, &st), 0);
	whole = malloc(st.st_size);
	data = malloc(st.st_size);
	f = fopen(path, "rb");
	assert_int_equal(fread(whole, 1, st.st_size, f), st.st_size);
	fclose(f);
	for (unsigned i = 0; i < 300; i++) {
		size_t len = i % 7 ? (size_t)st.st_size : some(st.st_size);
		uint32_t area = i % 3 ? st.st_size : 4000;
		struct timeline *tl;

		memcpy(data, whole, st.st_size);
		for (unsigned k = 0; k <= some(3); k++)
			data[some(area)] = some(2) ? some(256) : some(4);
		if (i % 2)
			fix_sums(data, st.st_size);
		write_file(path, data, len);
		tl = index_of(&r, 2, cache);
		n_taken += is_from_sidecar(tl);
		look_at_all(tl);
		timeline_free(tl);
	}
	assert_true(n_taken > 10);
	free(whole);
	free(data);
	reading_close(&r);
	remove_directory(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_found_again_is_the_same),
		cmocka_unit_test(another_file_is_indexed_anew),
		cmocka_unit_test(damage_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
