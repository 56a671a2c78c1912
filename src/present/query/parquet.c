// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parquet.c - writes a Parquet file.
 *
 *	"PAR1"  [page of column 0] [page of column 1] …      a row group: 65536 rows
 *	        [page of column 0] …
 *	        FileMetaData  its length, 4 bytes  "PAR1"
 *
 *	page    PageHeader  zstd( length of levels, 4 bytes; levels; values )
 *	levels  which rows are not NULL: bits, in one bit-packed run
 *	values  those rows: 8 bytes each, or a length of 4 bytes and the text; little endian
 *
 * The metadata is Thrift's compact protocol: a field is a byte (difference of its number to the one
 * before, type), numbers are zigzag varints. https://parquet.apache.org/docs/file-format has the
 * structures; the numbers of their fields are below. A library for it exists in C++ only, and would
 * be twice as large as sonde.
 *
 * Each column has one page in each row group and no dictionary: zstd finds what repeats.
 *
 * Memory: the values of a row group, at most GROUP_MAX_BYTES, and 40 bytes for each page written.
 */
#include "present/query/parquet.h"

#include "base/array.h"
#include "base/scope.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define GROUP_MAX_BYTES	 (256u << 20)
#define GROUP_FULL_BYTES (64u << 20)
#define META_MAX_BYTES	 (256u << 20)
#define COLUMNS_MAX	 4096
#define CHUNKS_MAX	 (1u << 24)
#define LEVEL		 1 /* of zstd */

enum { TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTES = 6 }; /* Parquet's numbers */
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, CODEC_ZSTD = 6 };
enum { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12 };

struct parquet_cell { /* of the present row group; texts are in column.texts */
	enum cell_kind kind;
	uint32_t len;
	union {
		int64_t integer;
		double real;
		size_t at;
	};
};

struct parquet_column {
	char *name;
	int type; /* 0: not known before the first row group is written */
	struct parquet_cell *cells;
	struct textbuf texts;
};

struct parquet_chunk {
	uint64_t at;
	uint32_t n_plain, n_packed, n_header, n_rows;
};

void parquet_init(struct parquet *p, int (*write)(void *ctx, const char *s, size_t len), void *ctx)
{
	*p = (struct parquet){.write = write, .ctx = ctx};
}

void parquet_release(struct parquet *p)
{
	for (size_t i = 0; i < p->n_columns; i++) {
		free(p->columns[i].name);
		free(p->columns[i].cells);
		textbuf_release(&p->columns[i].texts);
	}
	free(p->columns);
	free(p->chunks);
	p->columns = NULL;
	p->chunks = NULL;
	p->n_columns = p->n_chunks = 0;
}

static int put(struct parquet *p, const void *bytes, size_t len)
{
	p->n_bytes += len;
	return p->write(p->ctx, bytes, len);
}

/* --- Thrift ----------------------------------------------------------------------------------- */

struct thrift {
	struct textbuf *tb;
	int field; /* the last one of this structure */
};

static void add_varint(struct textbuf *tb, uint64_t v)
{
	for (; v > 127; v >>= 7)
		textbuf_add_char(tb, (char)(v | 128));
	textbuf_add_char(tb, (char)v);
}

/* Begins a field. Their numbers ascend, with gaps below 16. */
static void begin_field(struct thrift *t, int field, int type)
{
	textbuf_add_char(t->tb, (char)((field - t->field) << 4 | type));
	t->field = field;
}

static void add_number(struct thrift *t, int field, int type, uint64_t v)
{
	begin_field(t, field, type);
	add_varint(t->tb, v << 1); /* zigzag of a number that is not negative */
}

static void add_text(struct textbuf *tb, const char *s)
{
	add_varint(tb, strlen(s));
	textbuf_add_str(tb, s);
}

static void begin_list(struct thrift *t, int field, int type, size_t n)
{
	begin_field(t, field, THRIFT_LIST);
	textbuf_add_char(t->tb, (char)((n < 15 ? n : 15) << 4 | (size_t)type));
	if (n >= 15)
		add_varint(t->tb, n);
}

static void end_struct(struct thrift *t)
{
	textbuf_add_char(t->tb, 0);
}

/* --- pages ------------------------------------------------------------------------------------ */

static int find_type(const struct parquet *p, const struct parquet_column *c)
{
	bool any_integer = false, any_real = false;

	for (size_t i = 0; i < p->n_rows; i++) {
		any_integer |= c->cells[i].kind == CELL_INTEGER;
		any_real |= c->cells[i].kind == CELL_REAL;
		if (c->cells[i].kind == CELL_TEXT || c->cells[i].kind == CELL_BLOB)
			return TYPE_BYTES;
	}
	return any_real ? TYPE_DOUBLE : any_integer ? TYPE_INT64 : TYPE_BYTES;
}

static void add_le64(struct textbuf *tb, uint64_t v)
{
	v = htole64(v);
	textbuf_add(tb, (const char *)&v, sizeof(v));
}

static void add_le32(struct textbuf *tb, uint32_t v)
{
	v = htole32(v);
	textbuf_add(tb, (const char *)&v, sizeof(v));
}

static void add_bytes_value(struct textbuf *tb, const struct parquet_column *c,
			    const struct parquet_cell *cell)
{
	char text[40];

	if (cell->kind == CELL_TEXT || cell->kind == CELL_BLOB) {
		add_le32(tb, cell->len);
		textbuf_add(tb, c->texts.start + cell->at, cell->len);
		return;
	}
	if (cell->kind == CELL_INTEGER)
		snprintf(text, sizeof(text), "%lld", (long long)cell->integer);
	else
		snprintf(text, sizeof(text), "%.17g", cell->real);
	add_le32(tb, (uint32_t)strlen(text));
	textbuf_add_str(tb, text);
}

static int add_value(struct parquet *p, struct textbuf *tb, const struct parquet_column *c,
		     const struct parquet_cell *cell)
{
	uint64_t bits;
	double real;

	if (c->type == TYPE_BYTES) {
		add_bytes_value(tb, c, cell);
		return 0;
	}
	if (cell->kind == CELL_TEXT || cell->kind == CELL_BLOB ||
	    (c->type == TYPE_INT64 && cell->kind == CELL_REAL))
		return errmsg_set(
			&p->why, -EINVAL,
			"the column '%s' has numbers in its first %d rows and another type "
			"later; use CAST(… AS %s)",
			c->name, PARQUET_ROWS, cell->kind == CELL_REAL ? "REAL" : "TEXT");
	if (c->type == TYPE_INT64) {
		add_le64(tb, (uint64_t)cell->integer);
		return 0;
	}
	real = cell->kind == CELL_REAL ? cell->real : (double)cell->integer;
	memcpy(&bits, &real, sizeof(bits));
	add_le64(tb, bits);
	return 0;
}

/* Which rows are not NULL: one bit-packed run of groups of eight. */
static void add_levels(const struct parquet *p, const struct parquet_column *c, struct textbuf *tb)
{
	TEXTBUF(run, GROUP_MAX_BYTES);

	add_varint(&run, (p->n_rows + 7) / 8 << 1 | 1);
	for (size_t i = 0; i < p->n_rows; i += 8) {
		unsigned bits = 0;

		for (size_t k = i; k < i + 8 && k < p->n_rows; k++)
			bits |= (c->cells[k].kind != CELL_NULL) << (k - i);
		textbuf_add_char(&run, (char)bits);
	}
	add_le32(tb, (uint32_t)textbuf_len(&run));
	textbuf_add(tb, textbuf_text(&run), textbuf_len(&run));
}

static void add_page_header(const struct parquet *p, struct textbuf *tb, size_t n_plain,
			    size_t n_packed)
{
	struct thrift page = {.tb = tb}, data = {.tb = tb};

	add_number(&page, 1, THRIFT_I32, 0); /* a data page */
	add_number(&page, 2, THRIFT_I32, n_plain);
	add_number(&page, 3, THRIFT_I32, n_packed);
	begin_field(&page, 5, THRIFT_STRUCT);
	add_number(&data, 1, THRIFT_I32, p->n_rows);
	add_number(&data, 2, THRIFT_I32, ENCODING_PLAIN);
	add_number(&data, 3, THRIFT_I32, ENCODING_RLE); /* levels of NULL */
	add_number(&data, 4, THRIFT_I32, ENCODING_RLE); /* levels of repetition: none */
	end_struct(&data);
	end_struct(&page);
}

static int write_page(struct parquet *p, const struct textbuf *plain)
{
	size_t n = textbuf_len(plain), cap = ZSTD_compressBound(n);
	SCOPED(scope_free) void *packed = malloc(cap);
	TEXTBUF(header, 4096);
	struct parquet_chunk *chunk;

	if (!packed || !ARRAY_ONE_MORE(p->chunks, p->n_chunks, CHUNKS_MAX))
		return -ENOMEM;
	cap = ZSTD_compress(packed, cap, plain->start, n, LEVEL);
	if (ZSTD_isError(cap))
		return -ENOMEM;
	add_page_header(p, &header, n, cap);
	chunk = &p->chunks[p->n_chunks++];
	*chunk = (struct parquet_chunk){.at = p->n_bytes,
					.n_plain = (uint32_t)n,
					.n_packed = (uint32_t)cap,
					.n_header = (uint32_t)textbuf_len(&header),
					.n_rows = (uint32_t)p->n_rows};
	TRY(put(p, header.start, textbuf_len(&header)));
	return put(p, packed, cap);
}

static int write_column(struct parquet *p, struct parquet_column *c)
{
	TEXTBUF(plain, 2 * GROUP_MAX_BYTES);

	if (!c->type)
		c->type = find_type(p, c);
	add_levels(p, c, &plain);
	for (size_t i = 0; i < p->n_rows; i++)
		if (c->cells[i].kind != CELL_NULL)
			TRY(add_value(p, &plain, c, &c->cells[i]));
	if (plain.overflow || c->texts.overflow)
		return -EFBIG;
	TRY(write_page(p, &plain));
	textbuf_clear(&c->texts);
	return 0;
}

static int write_group(struct parquet *p)
{
	for (size_t i = 0; i < p->n_columns; i++)
		TRY(write_column(p, &p->columns[i]));
	p->n_rows = 0;
	return 0;
}

/* --- the end of the file ---------------------------------------------------------------------- */

static void add_schema(const struct parquet *p, struct thrift *file)
{
	struct thrift root = {.tb = file->tb};

	begin_list(file, 2, THRIFT_STRUCT, p->n_columns + 1);
	begin_field(&root, 4, THRIFT_BINARY);
	add_text(file->tb, "rows");
	add_number(&root, 5, THRIFT_I32, p->n_columns);
	end_struct(&root);
	for (size_t i = 0; i < p->n_columns; i++) {
		int type = p->columns[i].type ? p->columns[i].type : TYPE_BYTES;
		struct thrift t = {.tb = file->tb};

		add_number(&t, 1, THRIFT_I32, (unsigned)type);
		add_number(&t, 3, THRIFT_I32, 1); /* optional */
		begin_field(&t, 4, THRIFT_BINARY);
		add_text(file->tb, p->columns[i].name);
		if (type == TYPE_BYTES)
			add_number(&t, 6, THRIFT_I32, 0); /* UTF-8 */
		end_struct(&t);
	}
}

static void add_chunk(const struct parquet_column *c, const struct parquet_chunk *chunk,
		      struct textbuf *tb)
{
	struct thrift outer = {.tb = tb}, t = {.tb = tb};

	add_number(&outer, 2, THRIFT_I64, chunk->at);
	begin_field(&outer, 3, THRIFT_STRUCT);
	add_number(&t, 1, THRIFT_I32, (unsigned)c->type);
	begin_list(&t, 2, THRIFT_I32, 2);
	add_varint(tb, ENCODING_PLAIN << 1);
	add_varint(tb, ENCODING_RLE << 1);
	begin_list(&t, 3, THRIFT_BINARY, 1);
	add_text(tb, c->name);
	add_number(&t, 4, THRIFT_I32, CODEC_ZSTD);
	add_number(&t, 5, THRIFT_I64, chunk->n_rows);
	add_number(&t, 6, THRIFT_I64, (uint64_t)chunk->n_plain + chunk->n_header);
	add_number(&t, 7, THRIFT_I64, (uint64_t)chunk->n_packed + chunk->n_header);
	add_number(&t, 9, THRIFT_I64, chunk->at);
	end_struct(&t);
	end_struct(&outer);
}

static void add_groups(const struct parquet *p, struct thrift *file)
{
	size_t n = p->n_columns ? p->n_chunks / p->n_columns : 0;

	begin_list(file, 4, THRIFT_STRUCT, n);
	for (size_t g = 0; g < n; g++) {
		const struct parquet_chunk *chunks = &p->chunks[g * p->n_columns];
		struct thrift t = {.tb = file->tb};
		uint64_t n_bytes = 0;

		begin_list(&t, 1, THRIFT_STRUCT, p->n_columns);
		for (size_t i = 0; i < p->n_columns; i++) {
			add_chunk(&p->columns[i], &chunks[i], file->tb);
			n_bytes += chunks[i].n_plain;
		}
		add_number(&t, 2, THRIFT_I64, n_bytes);
		add_number(&t, 3, THRIFT_I64, chunks[0].n_rows);
		end_struct(&t);
	}
}

static int write_end(struct parquet *p)
{
	TEXTBUF(tb, META_MAX_BYTES);
	struct thrift file = {.tb = &tb};

	add_number(&file, 1, THRIFT_I32, 1); /* version */
	add_schema(p, &file);
	add_number(&file, 3, THRIFT_I64, p->n_all);
	add_groups(p, &file);
	begin_field(&file, 6, THRIFT_BINARY);
	add_text(&tb, "sonde");
	end_struct(&file);
	add_le32(&tb, (uint32_t)textbuf_len(&tb));
	textbuf_add_str(&tb, "PAR1");
	return tb.overflow ? -EFBIG : put(p, tb.start, textbuf_len(&tb));
}

/* --- the sink --------------------------------------------------------------------------------- */

/* Columns need names of their own: a second "count(*)" becomes "count(*)_2". */
static char *unique_name(const struct parquet *p, const char *name)
{
	char *copy = strdup(name);

	for (int n = 2; copy && ARRAY_ANY(p->n_columns, i, !strcmp(p->columns[i].name, copy));
	     n++) {
		free(copy);
		if (asprintf(&copy, "%s_%d", name, n) < 0)
			copy = NULL;
	}
	return copy;
}

static int begin(void *ctx, const char *const *names, size_t n)
{
	struct parquet *p = ctx;

	if (p->n_statements++)
		return errmsg_set(&p->why, -EINVAL,
				  "a Parquet file has the rows of one statement; run the others by "
				  "themselves");
	if (n > COLUMNS_MAX)
		return -E2BIG;
	p->columns = calloc(n + 1, sizeof(*p->columns));
	if (!p->columns)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct parquet_column *c = &p->columns[i];

		c->name = unique_name(p, names[i]);
		c->cells = calloc(PARQUET_ROWS, sizeof(*c->cells));
		textbuf_init(&c->texts, GROUP_MAX_BYTES);
		p->n_columns++;
		if (!c->name || !c->cells)
			return -ENOMEM;
	}
	return put(p, "PAR1", 4);
}

static int add_row(void *ctx, const struct query_cell *cells, size_t n)
{
	struct parquet *p = ctx;
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		struct parquet_column *c = &p->columns[i];
		struct parquet_cell *to = &c->cells[p->n_rows];

		to->kind = cells[i].kind;
		if (to->kind == CELL_INTEGER) {
			to->integer = cells[i].integer;
		} else if (to->kind == CELL_REAL) {
			to->real = cells[i].real;
		} else if (to->kind != CELL_NULL) {
			to->at = textbuf_len(&c->texts);
			to->len = (uint32_t)cells[i].len;
			textbuf_add(&c->texts, cells[i].text, cells[i].len);
		}
		most = textbuf_len(&c->texts) > most ? textbuf_len(&c->texts) : most;
	}
	p->n_rows++;
	p->n_all++;
	return p->n_rows == PARQUET_ROWS || most >= GROUP_FULL_BYTES ? write_group(p) : 0;
}

static int end(void *ctx)
{
	struct parquet *p = ctx;

	if (p->why.code)
		return p->why.code;
	if (p->n_rows)
		TRY(write_group(p));
	return write_end(p);
}

struct query_sink parquet_sink(struct parquet *p)
{
	return (struct query_sink){.ctx = p, .columns = begin, .row = add_row, .end = end};
}
