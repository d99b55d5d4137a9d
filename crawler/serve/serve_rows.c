/* The rows of a query. */
#include "crawler/serve/serve_rows.h"

#include <inttypes.h>

#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/event/exit.h"
#include "store/sql/sql.h"

#define WHY_MAX 4096

int
serve_rows(const struct serve_context *context, struct slice query,
    serve_row_fn *fn, void *arg)
{
	struct store *store = NULL;
	struct sql *sql = NULL;
	struct buf why;
	enum sql_result result;
	int status = selection_open(&context->options->store, &store);

	if (status != EXIT_DONE)
		return status;
	buf_init(&why, WHY_MAX);
	result = sql_begin(store, query, &sql, &why);
	if (result == SQL_IS_DONE)
		result = sql_step(sql, &why);
	while (result == SQL_IS_ROW) {
		fn(arg, sql);
		result = sql_step(sql, &why);
	}
	if (result != SQL_IS_DONE) {
		complain("%s", buf_str(&why));
		status = result == SQL_IS_FAILED
		    ? exit_of_store(sql_failure(sql))
		    : EXIT_BUG;
	}
	sql_end(sql);
	buf_release(&why);
	store_close(store);
	return status;
}

void
serve_rows_literal(struct buf *query, const char *text)
{
	(void)buf_put_char(query, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			(void)buf_put_char(query, '\'');
		(void)buf_put_char(query, *text);
	}
	(void)buf_put_char(query, '\'');
}

void
serve_rows_query(struct buf *query, const char *text, int64_t now_s)
{
	struct slice word = slice_of("freshet_now");
	struct slice rest = slice_of(text);

	while (rest.len > 0) {
		bool is_now = slice_starts(rest, word);

		if (is_now)
			(void)buf_print(query, "%" PRId64, now_s);
		else
			(void)buf_put_char(query, rest.p[0]);
		rest = slice_from(rest, is_now ? word.len : 1);
	}
}
