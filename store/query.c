/* Reading the store: segments, deltas, lists. */
#include "store/query.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "store/internal.h"
#include "store/schema.h"

/*
 * Blocks one after the other. Each is looked up by its row and copied, so
 * that nothing of SQLite stays open between two calls and commits may happen
 * in between.
 */
struct block_source {
	struct store *store;
	enum statement which;
	int64_t next_id;
	int64_t last_id;
	struct buf block;
};

static struct block_source *
source_new(struct store *store, enum statement which, int64_t owner)
{
	struct block_source *source = mem_zero(sizeof(*source));

	source->store = store;
	source->which = which;
	source->next_id = store_block_id(owner, 0);
	source->last_id = store_block_id(owner, (1u << BLOCK_BITS) - 1);
	buf_init(&source->block, SIZE_MAX);
	return source;
}

struct block_source *
block_source_segment(struct store *store, int64_t document_id)
{
	return source_new(store, SEGMENT_GET, document_id);
}

struct block_source *
block_source_delta(struct store *store, int64_t reading_id)
{
	return source_new(store, DELTA_GET, reading_id);
}

void
block_source_free(struct block_source *source)
{
	if (source == NULL)
		return;
	buf_release(&source->block);
	free(source);
}

struct slice
block_source_pull(void *arg)
{
	struct block_source *source = arg;
	sqlite3_stmt *statement = store_statement(source->store, source->which);

	buf_clear(&source->block);
	if (statement == NULL || source->next_id > source->last_id)
		return slice_make(NULL, 0);
	(void)sqlite3_bind_int64(statement, 1, source->next_id);
	(void)sqlite3_bind_int64(statement, 2, source->last_id);
	if (!store_step(source->store, statement)) {
		source->next_id = source->last_id + 1;
		return slice_make(NULL, 0);
	}
	source->next_id = sqlite3_column_int64(statement, 0) + 1;
	(void)buf_put_slice(&source->block, store_column_slice(statement, 1));
	(void)sqlite3_reset(statement);
	return buf_text(&source->block);
}

/* Lists. */

static enum outcome
outcome_of(struct slice name)
{
	for (int i = OUTCOME_READ; i <= OUTCOME_REFUSED; i++)
		if (slice_is(name, outcome_name((enum outcome)i)))
			return (enum outcome)i;
	return OUTCOME_FAILED;
}

static void
fill_row(sqlite3_stmt *statement, struct document_row *row)
{
	static const int changes[DELTA_KINDS] = {[DELTA_ADDED] = 38,
	    [DELTA_REMOVED] = 39,
	    [DELTA_RETURNED] = 40,
	    [DELTA_REDATED] = 41,
	    [DELTA_GONE] = 42};

	*row = (struct document_row){.site = store_column_slice(statement, 24),
	    .reading_id = sqlite3_column_int64(statement, 25),
	    .outcome = outcome_of(store_column_slice(statement, 26)),
	    .failure = store_column_slice(statement, 27),
	    .status = sqlite3_column_int(statement, 28),
	    .at_s = sqlite3_column_int64(statement, 29),
	    .dated = (uint64_t)sqlite3_column_int64(statement, 30),
	    .seen = (uint64_t)sqlite3_column_int64(statement, 34),
	    .refused = (uint64_t)sqlite3_column_int64(statement, 35),
	    .errors = (uint64_t)sqlite3_column_int64(statement, 36),
	    .warnings = (uint64_t)sqlite3_column_int64(statement, 37),
	    .first_parent_id = sqlite3_column_int64(statement, 43)};
	store_document_row(statement, &row->document);
	store_column_date(statement, 31, &row->newest);
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		row->changes[kind] = (uint64_t)sqlite3_column_int64(
		    statement, changes[kind]);
}

void
store_each_document(
    struct store *store, struct slice site, store_row_fn *fn, void *arg)
{
	sqlite3_stmt *statement = NULL;
	bool goes_on = true;

	/* A statement of its own: fn may list documents again. */
	if (store->failed != DIAG_OK ||
	    sqlite3_prepare_v2(store->db, statement_sql(DOCUMENT_EACH), -1,
		&statement, NULL) != SQLITE_OK)
		return;
	store_bind_slice(statement, 1, site);
	while (goes_on && store_step(store, statement)) {
		struct document_row row;

		fill_row(statement, &row);
		goes_on = fn(arg, &row);
		document_release(&row.document);
	}
	(void)sqlite3_finalize(statement);
}

void
store_each_finding(
    struct store *store, int64_t reading_id, store_finding_fn *fn, void *arg)
{
	sqlite3_stmt *statement = store_statement(store, FINDING_EACH);

	if (statement == NULL)
		return;
	(void)sqlite3_bind_int64(statement, 1, reading_id);
	while (store_step(store, statement)) {
		struct finding_row row = {
		    .code = store_column_slice(statement, 0),
		    .count = (uint64_t)sqlite3_column_int64(statement, 1),
		    .line = (uint32_t)sqlite3_column_int64(statement, 2),
		    .text = store_column_slice(statement, 3)};

		fn(arg, &row);
	}
}

bool
store_has_site(struct store *store, struct slice host)
{
	sqlite3_stmt *statement = store_statement(store, SITE_FIND);
	bool has;

	if (statement == NULL)
		return false;
	store_bind_slice(statement, 1, host);
	has = store_step(store, statement);
	(void)sqlite3_reset(statement);
	return has;
}

static uint64_t
file_bytes(const char *path, const char *end)
{
	struct stat st;
	struct buf name;
	bool is_there;

	buf_init(&name, SIZE_MAX);
	(void)buf_print(&name, "%s%s", path, end);
	is_there = stat(buf_str(&name), &st) == 0;
	buf_release(&name);
	return is_there ? (uint64_t)st.st_size : 0;
}

void
store_info(struct store *store, struct store_info *info)
{
	sqlite3_stmt *statement = store_statement(store, INFO);

	*info = (struct store_info){.file_bytes = file_bytes(store->path, "") +
		file_bytes(store->path, "-wal")};
	(void)schema_number(store->db, "user_version", &info->schema_version);
	if (statement == NULL || !store_step(store, statement))
		return;
	info->sites = (uint64_t)sqlite3_column_int64(statement, 0);
	info->documents = (uint64_t)sqlite3_column_int64(statement, 1);
	info->readings = (uint64_t)sqlite3_column_int64(statement, 2);
	info->findings = (uint64_t)sqlite3_column_int64(statement, 3);
	info->proofs = (uint64_t)sqlite3_column_int64(statement, 4);
	info->urls = (uint64_t)sqlite3_column_int64(statement, 5);
	info->segment_bytes = (uint64_t)sqlite3_column_int64(statement, 6);
	info->delta_bytes = (uint64_t)sqlite3_column_int64(statement, 7);
	info->first_reading_s = sqlite3_column_int64(statement, 8);
	info->last_reading_s = sqlite3_column_int64(statement, 9);
	(void)sqlite3_reset(statement);
}
