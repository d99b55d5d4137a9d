/* freshet sql: run a query on the store. */
#include <unistd.h>

#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"
#include "crawler/inspect/sql_print.h"
#include "store/sql/sql.h"

#define QUERY_MAX_BYTES (64 << 10)
#define WHY_MAX_BYTES 4096

/* Read the query from the argument or from stdin. */
static int
read_query(const struct options_targets *targets, struct buf *query)
{
	char room[4096];
	ssize_t n = 0;
	bool has_room = true;

	if (!targets->has_stdin)
		has_room = buf_put_slice(
		    query, slice_of(targets->args.items[0]));
	else
		while (has_room &&
		    (n = read(STDIN_FILENO, room, sizeof(room))) > 0)
			has_room = buf_put(query, room, (size_t)n);
	if (n < 0 || !has_room) {
		complain(n < 0 ? "cannot read the query from stdin"
			       : "the query is longer than 64 KiB");
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

/* The exit status, after one line on stderr if the query failed. */
static int
sql_status_of(const struct sql *sql, enum sql_result result, struct buf *why)
{
	switch (result) {
	case SQL_IS_ROW:
	case SQL_IS_DONE:
		break;
	case SQL_IS_WRONG:
		complain("the query is wrong: %s", buf_str(why));
		return EXIT_USAGE;
	case SQL_IS_FAILED:
		complain("%s: %s", diag_name(sql_failure(sql)), buf_str(why));
		return exit_of_store(sql_failure(sql));
	}
	return EXIT_DONE;
}

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
	while (result == SQL_IS_ROW) {
		result = sql_step(sql, why);
		if (result == SQL_IS_ROW && !sql_print_row(&printer))
			break;
	}
	/* rows before a failure are right, so they are printed */
	sql_print_end(&printer);
	status = sql_status_of(sql, result, why);
	if (printer.is_too_long) {
		complain("a row is too long to print: take a part with "
			 "substr()");
		status = EXIT_USAGE;
	}

fail:
	written = out_finish(&out);
	sql_print_release(&printer);
	return status != EXIT_DONE ? status : written;
}

int
command_sql(struct options *options)
{
	struct store *store = NULL;
	struct sql *sql = NULL;
	struct buf query;
	struct buf why;
	enum sql_result result;
	int status;

	exit_on_signals();
	buf_init(&query, QUERY_MAX_BYTES);
	buf_init(&why, WHY_MAX_BYTES);
	status = read_query(&options->targets, &query);
	if (status == EXIT_DONE)
		status = selection_open(&options->store, &store);
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
