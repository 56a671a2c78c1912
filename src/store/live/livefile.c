// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * livefile.c - a trace file during its recording: its parts, start, flushes and end.
 *
 *	livefile.c          this file
 *	layout.c   the layout; the directory and the marker
 *	region.c   data in a region: written, spliced, compressed, dropped when old
 *	name.c     keeps the complete file if its name changed during the recording
 *	close.c    the holes, the tail, the final directory
 *	repair.c   the file of a recorder that died
 *
 * Texts, options, strings and sections are written by writer.c (with `is_live`), as in all other
 * files. The differences are here: the file has its name from the start, many threads write to it,
 * and its directory comes before the data and is written repeatedly.
 *
 * Threads: a region belongs to one thread. This thread shares two locks with the flusher: `lock`
 * of the region (start, end, number of chunks) and `dir_lock` (the directory, in memory and in the
 * file), which is taken first. A flush writes the counts of chunks after their data, and the
 * directory last, so that the directory never names data that a reader cannot find. The flusher
 * holds no lock of a region while it writes: a write can take long on a busy disk, and the thread
 * of the region must continue. Finally the flusher starts the write-back of the data to the disk,
 * without waiting for it. The data must be on the disk when holes are closed at the end, and an
 * early write-back makes that step faster. Because a busy disk may block even the start of a
 * write-back, the flusher stops after WRITE_OUT_NS. The threads that receive data never start one.
 *
 * The process that started a file holds a lock on it (fcntl), which ends with the process, so
 * nobody repairs a file that is still being recorded.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "format/bytes.h"
#include "format/tracedat.h"
#include "store/live/livefile_int.h"

#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WRITE_OUT_BYTES	  ((uint64_t)8 << 20) /* bytes of one write-back call */
#define WRITE_OUT_NS	  200000000	      /* time limit of one flush */
#define CMDLINES_MAX	  ((size_t)256 << 20)
#define LATE_SECTIONS_MAX 4096
#define LATE_SYMBOLS_MAX  ((size_t)256 << 20)
#define FOLLOWER_MS	  1000 /* time limit for waiting until readers stop */

/*
 * --- input -------------------------------------------------------------------------------------
 */

struct livefile *livefile_new(const struct livefile_config *config)
{
	struct livefile *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->fd = -1;
	f->temp = OUTPLACE_NONE;
	f->page_size = config->page_size;
	pthread_mutex_init(&f->dir_lock, NULL);
	textbuf_init(&f->dir, LIVEFILE_DIR_MAX_BYTES);
	textbuf_init(&f->cmdlines, CMDLINES_MAX);
	f->path = strdup(config->path);
	f->temp_dir = config->temp_dir ? strdup(config->temp_dir) : NULL;
	if (!f->path || (config->temp_dir && !f->temp_dir)) {
		livefile_free(f);
		return NULL;
	}
	return f;
}

int livefile_open(struct livefile **ret_file, const struct livefile_config *config,
		  struct errmsg *err)
{
	struct livefile *f;
	struct writer_config wc = {.version = config->version,
				   .compression = config->compression,
				   .plain_data = config->plain_data,
				   .big_endian = bytes_host_is_big(),
				   .long_size = config->long_size,
				   .page_size = config->page_size,
				   .n_threads = 1};
	int r;

	TRY(livefile_check_free(config->path, err));
	f = livefile_new(config);
	if (!f)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", config->path);
	wc.path = f->path;
	if (config->version == 6)
		wc.compression = COMPRESSION_NONE;
	r = writer_open(&f->w, &wc, err);
	if (r < 0) {
		livefile_free(f);
		return r;
	}
	f->w->is_live = true;
	f->fd = outfile_fd(f->w->out);
	writer_set_cpu_count(f->w, config->n_cpus);
	*ret_file = f;
	return 0;
}

static int keep_cmdlines(struct livefile *f, struct piece text, struct errmsg *err)
{
	textbuf_clear(&f->cmdlines);
	writer_add_bytes(&f->cmdlines, text.data, text.len);
	f->has_late_cmdlines = f->is_started;
	return f->cmdlines.overflow
		       ? errmsg_set_errno(err, -ENOMEM, "cannot store the names of tasks of %s",
					  f->path)
		       : 0;
}

/* Adds a second section of symbols. Readers use the section that the last option names. */
static int add_late_symbols(struct livefile *f, struct piece text, struct errmsg *err)
{
	TEXTBUF(body, LATE_SYMBOLS_MAX);

	writer_add_number(f->w, &body, text.len, 4);
	writer_add_bytes(&body, text.data, text.len);
	return body.overflow
		       ? errmsg_set_errno(err, -ENOMEM, "cannot store the symbols of %s", f->path)
		       : livefile_add_section(
				 f, SNF_OPTION_KALLSYMS, "kallsyms",
				 (struct piece){(uint8_t *)body.start, textbuf_len(&body)}, err);
}

int livefile_add_text(struct livefile *f, enum tracefile_text_kind kind, struct piece text,
		      struct errmsg *err)
{
	int r = kind == TRACEFILE_CMDLINES ? keep_cmdlines(f, text, err) : 0;

	if (r < 0 || (f->is_started && kind == TRACEFILE_CMDLINES))
		return r;
	if (f->is_started && kind == TRACEFILE_KALLSYMS && f->w->config.version == 7)
		return add_late_symbols(f, text, err);
	if (f->is_started)
		return errmsg_set(err, -EINVAL,
				  "%s does not accept more metadata: it is being "
				  "recorded",
				  f->path);
	return writer_add_text(f->w, kind, text, err);
}

int livefile_add_option(struct livefile *f, uint16_t id, struct piece data, struct errmsg *err)
{
	return writer_add_option(f->w, id, data, err);
}

int livefile_add_stopped(struct livefile *f, int code, struct errmsg *err)
{
	const char *why = strerror(-code);

	if (f->w->config.version == 6)
		return 0;
	return livefile_add_option(f, SNF_OPTION_STOPPED,
				   (struct piece){(const uint8_t *)why, strlen(why) + 1}, err);
}

int livefile_add_section(struct livefile *f, uint16_t id, const char *description,
			 struct piece body, struct errmsg *err)
{
	struct latesection *s;

	if (!f->is_started || f->w->config.version == 6)
		return writer_add_section(f->w, id, description, body, err);
	if (!ARRAY_ONE_MORE(f->late, f->n_late, LATE_SECTIONS_MAX))
		return errmsg_set_errno(err, -ENOMEM, "cannot store a part of %s", f->path);
	s = &f->late[f->n_late];
	*s = (struct latesection){id, strdup(description), malloc(body.len + 1), body.len};
	f->n_late++;
	if (!s->description || !s->data)
		return errmsg_set_errno(err, -ENOMEM, "cannot store a part of %s", f->path);
	memcpy(s->data, body.data, body.len);
	return 0;
}

static int too_many(struct errmsg *err)
{
	return errmsg_set(err, -E2BIG,
			  "cannot record more than %u buffers of CPUs; record fewer instances",
			  LIVEFILE_REGIONS_MAX);
}

int livefile_add_buffer(struct livefile *f, const struct livefile_buffer *buffer,
			struct errmsg *err)
{
	struct writer_buffer wb = {buffer->name, buffer->clock, buffer->page_size};
	struct livebuffer *b;
	int r;

	if (strchr(buffer->name, '/'))
		return errmsg_set(err, -EINVAL,
				  "'%s' cannot be the name of a buffer: it "
				  "contains a '/'",
				  buffer->name);
	if (f->n_regions + (uint64_t)buffer->n_cpus > LIVEFILE_REGIONS_MAX)
		return too_many(err);
	if (!ARRAY_ONE_MORE(f->buffers, f->n_buffers, ARRAY_NO_MAX))
		return errmsg_set_errno(err, -ENOMEM, "cannot store the buffers of %s", f->path);
	b = &f->buffers[f->n_buffers];
	*b = (struct livebuffer){.n_cpus = buffer->n_cpus,
				 .max_bytes = buffer->max_bytes,
				 .is_joint = buffer->joint};
	b->is_packed = writer_data_compression(f->w) != COMPRESSION_NONE ||
		       (buffer->packed && f->w->config.compression != COMPRESSION_NONE);
	r = writer_add_buffer(f->w, &wb, err);
	TRY(r);
	if (buffer->n_cpus > f->w->cpu_count)
		writer_set_cpu_count(f->w, buffer->n_cpus);
	f->n_regions += buffer->n_cpus;
	f->n_buffers++;
	return r;
}

/*
 * --- the start ---------------------------------------------------------------------------------
 */

char *livefile_temp_name(const struct livefile *f, const char *name, uint32_t cpu)
{
	const char *slash = strrchr(f->path, '/');
	char *temp;
	int n = asprintf(&temp, "%s.cpu%u%s%s", slash ? slash + 1 : f->path, cpu, *name ? "." : "",
			 name);

	return n < 0 ? NULL : temp;
}

/*
 * --- locks -------------------------------------------------------------------------------------
 */

/*
 *	byte 0   locked by the recorder while it lives
 *	byte 1   by the recorder, until it begins to move data
 *	byte 2   by followers while they read (shared), by the recorder before it moves data
 */
enum { BYTE_LIVES, BYTE_STAYS, BYTE_READ };

static bool set_lock(int fd, int how, short type, off_t start, off_t len)
{
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len};

	return fcntl(fd, how, &lock) == 0;
}

bool livefile_lock(int fd)
{
	/* if the file system does not support locks, continue without one */
	return set_lock(fd, F_SETLK, F_WRLCK, BYTE_LIVES, 2) ||
	       (errno != EACCES && errno != EAGAIN);
}

/* Announces that data will move, and waits until followers have stopped reading. */
static void settle_followers(int fd)
{
	set_lock(fd, F_SETLK, F_UNLCK, BYTE_STAYS, 1);
	for (int ms = 0; ms < FOLLOWER_MS; ms += 5) {
		if (set_lock(fd, F_SETLK, F_WRLCK, BYTE_READ, 1) ||
		    (errno != EACCES && errno != EAGAIN))
			return;
		usleep(5000);
	}
}

static bool is_locked(int fd, off_t byte)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

	return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK;
}

enum livefile_stage livefile_ask(int fd)
{
	if (!is_locked(fd, BYTE_LIVES))
		return LIVEFILE_DONE;
	return is_locked(fd, BYTE_STAYS) ? LIVEFILE_GROWS : LIVEFILE_MOVES;
}

/* Opens a regular file to query its locks. Opening a device could have side effects. */
static int open_ordinary(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC), again = -1;
	char self[64];
	struct stat st;

	if (fd < 0)
		return -1;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		again = open(self, O_RDONLY | O_CLOEXEC);
	close(fd);
	return again;
}

int livefile_check_free(const char *path, struct errmsg *err)
{
	int fd = open_ordinary(path);
	enum livefile_stage stage;

	if (fd < 0)
		return 0;
	stage = livefile_ask(fd);
	close(fd);
	return stage == LIVEFILE_DONE
		       ? 0
		       : errmsg_set(err, -EBUSY,
				    "another recording is writing %s; end that one first, or "
				    "use another file (-o)",
				    path);
}

bool livefile_hold(int fd)
{
	/*
	 * the lock belongs to the open file: a lock of the process would end whenever the process
	 * closes another descriptor of the file
	 */
	return set_lock(fd, F_OFD_SETLK, F_RDLCK, BYTE_READ, 1) &&
	       livefile_ask(fd) != LIVEFILE_MOVES;
}

void livefile_let_go(int fd)
{
	set_lock(fd, F_OFD_SETLK, F_UNLCK, BYTE_READ, 1);
}

/*
 * --- the order ---------------------------------------------------------------------------------
 */

/*
 * Puts the top buffer first: version 6 has it at a fixed place, and trace-cmd writes it first in
 * version 7.
 */
static void settle_order(struct livefile *f)
{
	uint32_t rank = 0;

	for (int top = 1; top >= 0; top--)
		for (size_t i = 0; i < f->n_buffers; i++)
			if ((*f->w->buffers[i].name == 0) == top) {
				f->buffers[i].rank = rank;
				f->order[rank++] = i;
			}
}

static int init_regions(struct livefile *f, uint32_t buffer, uint32_t *number)
{
	struct livebuffer *b = &f->buffers[buffer];

	b->regions = calloc(b->n_cpus + 1, sizeof(*b->regions));
	if (!b->regions)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < b->n_cpus; cpu++) {
		struct liveregion *region = &b->regions[cpu];

		region->file = f;
		region->number = *number;
		region->buffer = buffer;
		region->cpu = cpu;
		region->fd = -1;
		region->page_size = f->w->buffers[buffer].page_size;
		region->max_bytes = b->max_bytes;
		pthread_mutex_init(&region->lock, NULL);
		f->regions[(*number)++] = region;
	}
	return 0;
}

int livefile_make_regions(struct livefile *f, struct errmsg *err)
{
	uint32_t number = 0;
	int r = 0;

	f->order = calloc(f->n_buffers + 1, sizeof(*f->order));
	f->regions = calloc(f->n_regions + 1, sizeof(*f->regions));
	if (!f->order || !f->regions)
		return errmsg_set_errno(err, -ENOMEM, "cannot write %s", f->path);
	settle_order(f);
	for (uint32_t rank = 0; rank < f->n_buffers && !r; rank++)
		r = init_regions(f, f->order[rank], &number);
	return r < 0 ? errmsg_set_errno(err, r, "cannot write %s", f->path) : 0;
}

/* Adds an empty top buffer, from which readers take the clock of the file. */
static int add_missing_top(struct livefile *f, struct errmsg *err)
{
	struct livefile_buffer top = {.name = "",
				      .clock = f->n_buffers ? f->w->buffers[0].clock : NULL,
				      .page_size = f->page_size};
	int r;

	for (size_t i = 0; i < f->n_buffers; i++)
		if (!*f->w->buffers[i].name)
			return 0;
	r = livefile_add_buffer(f, &top, err);
	return r < 0 ? r : 0;
}

/* Adds the missing regions: a table of version 6 has a row for every CPU of the machine. */
static int fill_tables(struct livefile *f, struct errmsg *err)
{
	if (f->n_buffers * (uint64_t)f->w->cpu_count > LIVEFILE_REGIONS_MAX)
		return too_many(err);
	f->n_regions = 0;
	for (size_t i = 0; i < f->n_buffers; i++) {
		f->buffers[i].n_cpus = f->w->cpu_count;
		f->n_regions += f->w->cpu_count;
	}
	return 0;
}

static void describe(struct livefile *f)
{
	f->options_description = writer_describe_v7(f->w, "options");
	for (size_t i = 0; i < f->n_buffers; i++)
		f->buffers[i].description = writer_describe_buffer_v7(f->w, f->w->buffers[i].name);
}

/*
 * Writes the texts and the options that point to them; in version 6, everything up to the tables.
 */
static int write_head(struct livefile *f, struct errmsg *err)
{
	struct writer *w = f->w;

	if (w->config.version == 6) {
		w->cmdlines_room = 2 * (uint64_t)textbuf_len(&f->cmdlines);
		if (w->cmdlines_room < LIVEFILE_CMDLINES_V6_MIN)
			w->cmdlines_room = LIVEFILE_CMDLINES_V6_MIN;
	}
	TRY(writer_metadata(w, err));
	f->dir_at = outfile_pos(w->out);
	if (w->config.version == 7) {
		writer_patch_number(w, w->link_at, f->dir_at, 8);
		w->link_at = 0;
		describe(f);
	}
	return outfile_flush(w->out);
}

/* Sets, in version 6, the option of each instance to the position of its table. */
static void link_tables(struct livefile *f)
{
	for (size_t i = 0; i < f->n_buffers; i++)
		if (*f->w->buffers[i].name)
			writer_patch_number(f->w, f->w->options_at + f->w->buffers[i].option_at,
					    f->buffers[i].header_at, 8);
}

/* Reserves the place of the names of tasks, which are written last. */
static int reserve_cmdlines(struct livefile *f)
{
	const struct writer *w = f->w;

	if (w->config.version == 7 ||
	    fallocate(f->fd, FALLOC_FL_KEEP_SIZE, w->cmdlines_at, w->cmdlines_room) == 0)
		return 0;
	return errno == EOPNOTSUPP ? 0 : -errno;
}

static int write_start(struct livefile *f, struct errmsg *err)
{
	TRY(add_missing_top(f, err));
	if (f->w->config.version == 6)
		TRY(fill_tables(f, err));
	TRY(livefile_make_regions(f, err));
	TRY(write_head(f, err));
	TRY(livefile_place(f, err));
	TRY(livefile_write_live_tail(f, err));
	TRY(livefile_write_directory(f));
	return reserve_cmdlines(f);
}

int livefile_start(struct livefile *f, struct errmsg *err)
{
	int r = write_start(f, err);

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot write %s", f->path);
	if (f->w->config.version == 6)
		link_tables(f);
	livefile_lock(f->fd);
	/* another recording may have started since livefile_open() */
	TRY(livefile_check_free(f->path, err));
	TRY(outfile_publish(f->w->out, err));
	f->is_started = true;
	return 0;
}

struct liveregion *livefile_region(struct livefile *f, int buffer, uint32_t cpu)
{
	return &f->buffers[buffer].regions[cpu];
}

/*
 * --- while it grows ----------------------------------------------------------------------------
 */

static int flush_directory(struct livefile *f)
{
	int r = 0;

	for (uint32_t i = 0; i < f->n_regions && !r; i++)
		r = liveregion_write_count(f->regions[i]);
	return r < 0 ? r : livefile_write_directory(f);
}

static void write_out(struct livefile *f)
{
	uint64_t start = clock_now_ns();

	for (uint32_t i = 0; i < f->n_regions; i++) {
		struct liveregion *r = f->regions[i];
		uint64_t end, n;

		pthread_mutex_lock(&r->lock);
		end = r->end;
		pthread_mutex_unlock(&r->lock);
		for (; r->flushed < end; r->flushed += n) {
			n = end - r->flushed < WRITE_OUT_BYTES ? end - r->flushed : WRITE_OUT_BYTES;
			if (clock_now_ns() - start > WRITE_OUT_NS)
				return;
			sync_file_range(r->fd, r->flushed, n, SYNC_FILE_RANGE_WRITE);
		}
	}
}

int livefile_flush(struct livefile *f, struct errmsg *err)
{
	int r;

	pthread_mutex_lock(&f->dir_lock);
	r = flush_directory(f);
	pthread_mutex_unlock(&f->dir_lock);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot write %s", f->path);
	write_out(f);
	return 0;
}

int livefile_write_names(struct livefile *f, struct piece text, struct errmsg *err)
{
	int r;

	TRY(keep_cmdlines(f, text, err));
	pthread_mutex_lock(&f->dir_lock);
	r = f->w->config.version == 7 ? livefile_write_live_names(f) : 0;
	pthread_mutex_unlock(&f->dir_lock);
	return r < 0 ? errmsg_set_errno(err, r, "cannot write %s", f->path) : 0;
}

int livefile_write_symbols(struct livefile *f, struct piece text, struct errmsg *err)
{
	int r;

	pthread_mutex_lock(&f->dir_lock);
	r = f->w->config.version == 7 ? livefile_write_live_symbols(f, text) : 0;
	pthread_mutex_unlock(&f->dir_lock);
	return r < 0 ? errmsg_set_errno(err, r, "cannot write %s", f->path) : 0;
}

uint64_t livefile_bytes(const struct livefile *f)
{
	uint64_t n = f->dir_at + f->dir_bytes;

	for (uint32_t i = 0; i < f->n_regions; i++) {
		struct liveregion *r = f->regions[i];

		pthread_mutex_lock(&r->lock);
		n += r->end - r->start;
		pthread_mutex_unlock(&r->lock);
	}
	return n;
}

/*
 * --- the end -----------------------------------------------------------------------------------
 */

int livefile_finish(struct livefile *f, struct errmsg *err)
{
	int r, r2 = 0;

	settle_followers(f->fd);
	r = livefile_close(f, err);
	if (f->is_started)
		r2 = livefile_check_name(f, err);
	livefile_free(f);
	return r < 0 ? r : r2;
}

static void free_regions(struct livefile *f)
{
	for (uint32_t i = 0; i < f->n_regions && f->regions; i++) {
		struct liveregion *r = f->regions[i];

		if (!r)
			continue;
		if (r->temp_name && r->fd >= 0)
			close(r->fd);
		if (r->temp_name && !f->is_started)
			outplace_unlink_in(&f->temp, r->temp_name);
		free(r->temp_name);
		liveregion_release(r);
		pthread_mutex_destroy(&r->lock);
	}
	for (size_t i = 0; i < f->n_buffers; i++) {
		free(f->buffers[i].regions);
		free(f->buffers[i].cuts);
	}
	free(f->regions);
	free(f->buffers);
	free(f->order);
}

void livefile_free(struct livefile *f)
{
	if (!f)
		return;
	free_regions(f);
	outplace_close(&f->temp);
	for (size_t i = 0; i < f->n_late; i++) {
		free(f->late[i].description);
		free(f->late[i].data);
	}
	free(f->late);
	writer_free(f->w);
	textbuf_release(&f->dir);
	textbuf_release(&f->cmdlines);
	pthread_mutex_destroy(&f->dir_lock);
	free(f->path);
	free(f->temp_dir);
	free(f);
}
