/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* query.c - runqueue latency by task, asked in SQL. */
#include <sonde/sonde.h>
#include <stdio.h>

static int show(void *ctx, const struct sonde_cell *cells, size_t n)
{
	printf("%-16s %7lld %12.3f us\n", cells[0].text, (long long)cells[1].integer, cells[2].real);
	return 0;
}

int main(int argc, char **argv)
{
	struct sonde_rows rows = {sizeof(rows), .row = show};
	struct sonde_trace *trace;
	struct sonde_error err;

	if (sonde_open(&trace, argv[1], &err) ||
	    sonde_sql(trace, "SELECT name, tid, sum(dur) / 1e3 FROM thread_state JOIN thread USING (utid) "
			     "WHERE state IN ('R', 'R+') GROUP BY utid ORDER BY tid", &rows, &err))
		return fprintf(stderr, "%s\n", err.text), 1;
	sonde_close(trace);
}
