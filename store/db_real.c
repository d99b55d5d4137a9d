/* Numbers with a fraction into statements. */
#include "store/db_real.h"

#include <assert.h>
#include <sqlite3.h>

#include "store/schema.h"

void
db_bind_real(struct sqlite3_stmt *stmt, int i, double value)
{
	int code = sqlite3_bind_double(stmt, i, value);

	assert(stmt == NULL || schema_code(code) == DIAG_OK);
}
