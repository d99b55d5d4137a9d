/* The rows of a query as a table, csv, tsv or NDJSON. */
#ifndef FRESHET_SQL_PRINT_H
#define FRESHET_SQL_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "store/sql/sql.h"

/* The first rows wait in memory to set the widths of a table; a longer value of
 * a later row shifts the rest of its line. */
struct sql_printer {
	enum sql_format format;
	const struct sql *sql; /* borrowed */
	struct out *out; /* borrowed */
	size_t columns;
	struct sql_column *widths; /* owned; for a table */
	/* cells of the rows that wait, each ended by a NUL; for csv those of
	 * the row at hand */
	struct buf cells;
	size_t waiting; /* rows that wait */
	bool is_flowing; /* the widths are set */
	bool is_too_long; /* a row was too long and is not printed */
};

/* sql_print_init(printer, sql, format, out): returns false after one line on
 * stderr if two columns of NDJSON have the same name. Call sql_print_release()
 * in any case. */
bool sql_print_init(
    struct sql_printer *, const struct sql *, enum sql_format, struct out *);
void sql_print_release(struct sql_printer *);

/* sql_print_row(printer): print the row at hand. Returns false if nothing can
 * be written any more, or the row is longer than about 20 MB.
 * sql_print_end(printer): print the rows that still wait, after the last
 * row. */
bool sql_print_row(struct sql_printer *);
void sql_print_end(struct sql_printer *);

#endif
