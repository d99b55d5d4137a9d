/* Queries, and a small store to ask, for tests. */
#ifndef FRESHET_SQL_FIXTURE_H
#define FRESHET_SQL_FIXTURE_H

#include <stddef.h>

#include "base/buf.h"
#include "tests/store_fixture.h"

#define AT (DAY_0 + 100 * DAY_S) /* 2024-04-10 */

/* ask(path, query, out): "a|b\\n" for each row, NULL as "-"; "wrong: why". */
const char *ask(const char *path, const char *query, struct buf *out);

struct answer {
	const char *query;
	const char *rows;
};

void assert_answers(const char *path, const struct answer *, size_t count);

/* numbered(from, to): "p00001 p00002 ..."; owned. */
char *numbered(unsigned from, unsigned to);

/* fill(store): an index with a child that changes, and one of another site. */
void fill(struct store *);

#endif
