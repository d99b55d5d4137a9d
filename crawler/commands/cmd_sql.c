/*
 * freshet sql: run a query on the store, which is opened for reading.
 *
 * Rows are printed as they come, so that a query may have more of them than
 * memory has room for. What sites wrote is made harmless: for terminals in a
 * table, for spreadsheets in csv and tsv.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/textfile.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"
#include "store/sql/sql.h"

#define WAITING_ROWS 1000
#define WAITING_BYTES (1 << 20)
#define ROW_MAX_BYTES (128 << 20) /* of a row as it is printed */
#define ESCAPED 6 /* bytes of one byte that is escaped as \\u0001 */
#define GAP 2 /* columns between two columns of a table */

struct sql_column {
	size_t width;
	/* all values but NULL are numbers: aligned to the right */
	bool is_number;
};

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

/* Blobs are hashes for the most part, which people compare as hexadecimal
 * digits. */
static void
put_hex(struct buf *out, struct slice bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		(void)buf_print(out, "%02x", (unsigned char)bytes.p[i]);
}

/* Begin with the heading.  Returns false after one line on stderr if two
 * columns of NDJSON have the same name; the members are to be freed in any
 * case. */
static bool
sql_print_init(struct sql_printer *printer, const struct sql *sql,
    enum sql_format format, struct out *out)
{
	*printer = (struct sql_printer){.format = format,
	    .sql = sql,
	    .out = out,
	    .columns = (size_t)sql->columns};
	buf_init(&printer->cells, ROW_MAX_BYTES);
	out->text.max = ROW_MAX_BYTES;
	out->is_raw = format == SQL_CSV || format == SQL_TSV;
	/* the names of the columns become keys, and none may stand twice */
	if (format == SQL_JSON) {
		for (size_t i = 0; i < printer->columns; i++) {
			struct slice name = sql_name(printer->sql, (int)i);
			bool is_taken = slice_is(name, "v");

			for (size_t k = 0; k < i; k++)
				is_taken = is_taken ||
				    slice_equal(
					name, sql_name(printer->sql, (int)k));
			if (is_taken)
				return refuse(
				    "the name '%.*s' is taken: give the column "
				    "another with AS",
				    (int)name.len, name.p);
		}
		return true;
	}
	/* a column is at least as wide as its name */
	if (format == SQL_TABLE) {
		printer->widths = mem_zero(
		    printer->columns * sizeof(*printer->widths));
		for (size_t i = 0; i < printer->columns; i++)
			printer->widths[i] = (struct sql_column){
			    slice_chars(sql_name(sql, (int)i)), true};
		return true;
	}
	for (size_t i = 0; i < printer->columns; i++) {
		char separator = format == SQL_TSV ? '\t' : ',';

		if (i > 0)
			(void)buf_put_char(&out->text, separator);
		csv_put(&out->text, sql_name(sql, (int)i), separator);
	}
	(void)buf_put_char(&out->text, '\n');
	return true;
}

/* Append a value on one line, made harmless for terminals and spreadsheets. */
static void
put_safe(struct buf *out, const struct sql_value *value)
{
	switch (value->type) {
	case SQL_IS_NULL:
		break;
	case SQL_IS_NUMBER:
		(void)buf_put_slice(out, value->text);
		break;
	case SQL_IS_TEXT:
		vis_put(out, value->text, SIZE_MAX);
		break;
	case SQL_IS_BLOB:
		put_hex(out, value->text);
		break;
	}
}

/* A cell that a spreadsheet would run as a formula gets an apostrophe. */
static void
put_csv_row(struct sql_printer *printer, char separator)
{
	struct buf *out = &printer->out->text;
	struct buf *safe = &printer->cells;

	for (size_t i = 0; i < printer->columns; i++) {
		struct sql_value value = sql_value(printer->sql, (int)i);
		bool is_odd = value.type != SQL_IS_TEXT;

		/* Most texts are URLs, in which nothing has to be made safe; a
		 * loop without an early end looks at many bytes at once. */
		for (size_t k = 0; k < value.text.len; k++)
			is_odd |= (value.text.p[k] < ' ') |
			    (value.text.p[k] > '~');
		if (i > 0)
			(void)buf_put_char(out, separator);
		/* a negative number is no formula */
		if (value.type == SQL_IS_NUMBER) {
			(void)buf_put_slice(out, value.text);
		} else if (!is_odd) {
			csv_put(out, value.text, separator);
		} else {
			buf_clear(safe);
			put_safe(safe, &value);
			csv_put(out, buf_text(safe), separator);
		}
	}
	(void)buf_put_char(out, '\n');
}

/* The names of the columns are the keys, in the order of the query. */
static void
put_json_row(struct sql_printer *printer)
{
	struct buf *out = &printer->out->text;

	out_json_line(out, NULL);
	for (size_t i = 0; i < printer->columns; i++) {
		struct sql_value value = sql_value(printer->sql, (int)i);

		out_json_text(out, NULL, sql_name(printer->sql, (int)i));
		(void)buf_put_char(out, ':');
		switch (value.type) {
		case SQL_IS_NULL:
			(void)buf_put_slice(out, slice_of("null"));
			break;
		case SQL_IS_NUMBER: {
			/* SQLite may write a number as "Inf", which JSON does
			 * not have. */
			bool is_finite = value.text.len > 0 &&
			    memchr(value.text.p, 'n', value.text.len) == NULL;

			(void)buf_put_slice(
			    out, is_finite ? value.text : slice_of("null"));
		} break;
		case SQL_IS_TEXT:
			json_put(out, value.text);
			break;
		case SQL_IS_BLOB:
			(void)buf_put_char(out, '"');
			put_hex(out, value.text);
			(void)buf_put_char(out, '"');
			break;
		}
	}
	out_json_line_end(out);
}

/* Append one row of a table. Returns the cells behind those of the row. */
static struct slice
put_cells(struct sql_printer *printer, struct slice cells)
{
	struct buf *out = &printer->out->text;

	for (size_t i = 0; i < printer->columns; i++) {
		const struct sql_column *column = &printer->widths[i];
		struct slice cell = slice_of(cells.p);
		size_t width = slice_chars(cell);
		size_t lacks = column->width > width ? column->width - width
						     : 0;
		bool is_last = i + 1 == printer->columns;

		/* numbers stand to the right, so that their sizes can be
		 * compared */
		(void)buf_print(
		    out, "%*s", column->is_number ? (int)lacks : 0, "");
		(void)buf_put_slice(out, cell);
		if (!is_last)
			(void)buf_print(out, "%*s",
			    GAP + (column->is_number ? 0 : (int)lacks), "");
		cells = slice_from(cells, cell.len + 1);
	}
	(void)buf_put_char(out, '\n');
	return cells;
}

/* Print the heading and the rows that waited. */
static bool
flow(struct sql_printer *printer)
{
	struct buf names = BUF_UP_TO(ROW_MAX_BYTES);
	struct slice cells = buf_text(&printer->cells);
	bool is_open = true;

	printer->is_flowing = true;
	for (size_t i = 0; i < printer->columns; i++) {
		vis_put(&names, sql_name(printer->sql, (int)i), 256);
		(void)buf_put_char(&names, '\0');
	}
	(void)put_cells(printer, buf_text(&names));
	buf_release(&names);
	for (; is_open && printer->waiting > 0; printer->waiting--) {
		cells = put_cells(printer, cells);
		is_open = out_line(printer->out);
	}
	buf_clear(&printer->cells);
	return is_open;
}

/* The last cell is not padded, so that a line ends with its text. */
static bool
print_put_table_row(struct sql_printer *printer)
{
	struct buf *cells = &printer->cells;

	for (size_t i = 0; i < printer->columns; i++) {
		struct sql_value value = sql_value(printer->sql, (int)i);
		struct sql_column *column = &printer->widths[i];
		size_t from = cells->len;

		if (value.type == SQL_IS_NULL)
			(void)buf_put_char(cells, '-');
		else
			put_safe(cells, &value);
		size_t width = slice_chars(slice_from(buf_text(cells), from));
		(void)buf_put_char(cells, '\0');
		if (printer->is_flowing)
			continue;
		if (width > column->width)
			column->width = width;
		if (value.type == SQL_IS_TEXT || value.type == SQL_IS_BLOB)
			column->is_number = false;
	}
	if (printer->is_flowing) {
		(void)put_cells(printer, buf_text(cells));
		buf_clear(cells);
		return out_line(printer->out);
	}
	printer->waiting++;
	return (printer->waiting < WAITING_ROWS &&
		   cells->len < WAITING_BYTES) ||
	    flow(printer);
}

/* Print the row at hand.  Returns false if nothing can be written any more, or
 * the row is longer than about 20 MB. */
static bool
sql_print_row(struct sql_printer *printer)
{
	/* Is there memory for the current row, if all of its bytes are escaped,
	 * beside the rows that wait? A row of a table goes through two buffers.
	 */
	size_t bytes = printer->out->text.len + printer->cells.len;

	for (size_t i = 0; i < printer->columns; i++)
		bytes += 64 + sql_name(printer->sql, (int)i).len +
		    sql_value(printer->sql, (int)i).text.len;
	printer->is_too_long = !(bytes < ROW_MAX_BYTES / ESCAPED);
	if (printer->is_too_long)
		return false;
	switch (printer->format) {
	case SQL_TABLE:
		return print_put_table_row(printer);
	case SQL_CSV:
		put_csv_row(printer, ',');
		break;
	case SQL_TSV:
		put_csv_row(printer, '\t');
		break;
	case SQL_JSON:
		put_json_row(printer);
		break;
	}
	return out_line(printer->out);
}

#define QUERY_MAX_BYTES (64 << 10)
#define WHY_MAX_BYTES 4096

/* The exit status, after one line on stderr if the query failed. */
static int
sql_status_of(const struct sql *sql, enum sql_result result, struct buf *why)
{
	switch (result) {
	case SQL_IS_ROW:
	case SQL_IS_DONE:
		break;
	case SQL_IS_WRONG:
		return complain_with(
		    EXIT_USAGE, "the query is wrong: %s", buf_str(why));
	case SQL_IS_FAILED:
		complain("%s: %s", diag_name(sql->failure), buf_str(why));
		return exit_of_store(sql->failure);
	}
	return EXIT_DONE;
}

/* A table needs the widths of its first rows; all other formats print each row
 * as it comes. */
static int
print_rows(const struct options *options, struct sql *sql, struct buf *why)
{
	struct sql_printer printer;
	struct out out;
	enum sql_result result = SQL_IS_ROW;
	int status = EXIT_USAGE;
	int written;

	out_init(&out, &options->output);
	if (!sql_print_init(&printer, sql,
		options->output.is_json ? SQL_JSON : options->sql_format, &out))
		goto fail;
	/* a query may have millions of rows: each is printed before the next
	 * is made */
	while (result == SQL_IS_ROW) {
		result = sql_step(sql, why);
		if (result == SQL_IS_ROW && !sql_print_row(&printer))
			break;
	}
	/* rows before a failure are right, so they are printed */
	if (printer.format == SQL_TABLE && !printer.is_flowing)
		(void)flow(&printer);
	status = sql_status_of(sql, result, why);
	if (printer.is_too_long)
		status = complain_with(EXIT_USAGE,
		    "a row is too long to print: take a part with substr()");

fail:
	written = out_finish(&out);
	free(printer.widths);
	buf_release(&printer.cells);
	return status != EXIT_DONE ? status : written;
}

int
command_sql(struct options *options)
{
	struct store *store = NULL;
	struct sql *sql = NULL;
	struct buf query = BUF_UP_TO(QUERY_MAX_BYTES);
	struct buf why = BUF_UP_TO(WHY_MAX_BYTES);
	enum sql_result result;
	const struct options_targets *targets = &options->targets;
	bool is_read;
	int status = EXIT_USAGE;

	exit_on_signals();
	/* the query is the argument, or comes from stdin */
	errno = EFBIG;
	is_read = targets->has_stdin
	    ? textfile_read_fd(STDIN_FILENO, &query)
	    : buf_put_slice(&query, slice_of(targets->args.items[0]));
	if (is_read)
		status = EXIT_DONE;
	else
		complain(errno == EFBIG ? "the query is longer than 64 KiB"
					: "cannot read the query from stdin");
	if (status == EXIT_DONE)
		status = selection_open(options, &store);
	if (status == EXIT_DONE) {
		result = sql_begin(store, buf_text(&query), &sql, &why);
		status = sql_status_of(sql, result, &why);
	}
	if (status == EXIT_DONE)
		status = print_rows(options, sql, &why);
	sql_end(sql);
	store_close(store);
	buf_release(&query);
	buf_release(&why);
	return status;
}
