/* The rows of a query as a table, csv, tsv or NDJSON. */
#ifndef FRESHET_SQL_PRINT_H
#define FRESHET_SQL_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "store/sql/sql.h"

/*
 * A table is as wide as its first rows need, which wait for it in memory;
 * a later row that needs more sticks out.
 */
struct sql_printer {
	enum sql_format format;
	const struct sql *sql; /* borrowed */
	struct out *out; /* borrowed */
	size_t columns;
	struct sql_column *widths; /* owned; of a table */
	struct buf cells; /* of the rows that wait, each ended by a NUL; of csv
			     the one at hand */
	size_t waiting; /* rows */
	bool is_flowing; /* the widths are known */
	bool is_too_long; /* a row was, and is not printed */
};

/*
 * sql_print_init(printer, sql, format, out): false after one line on stderr
 * when two columns of NDJSON have one name.  sql_print_release in any case.
 */
bool sql_print_init(
    struct sql_printer *, const struct sql *, enum sql_format, struct out *);
void sql_print_release(struct sql_printer *);

/* sql_print_row(printer): the row at hand; false when nothing can be written
 * any more, or it is longer than about 20 MB.  sql_print_end: all rows were
 * given. */
bool sql_print_row(struct sql_printer *);
void sql_print_end(struct sql_printer *);

#endif
