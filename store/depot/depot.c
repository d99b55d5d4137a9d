/*
 * A connection to PostgreSQL, and the COMMITs that go through it.
 *
 *	DOWN -> CONNECTING -> SETTLING -> SERVING
 *	  ^         |            |           |
 *	  +---------+------------+-----------+      all of them -> LOST
 *
 * DOWN: no connection; the next attempt has its time (depot_step).
 * CONNECTING: libpq does it (depot_connect, depot_poll).
 * SETTLING: a PULSE is under way, whose answer says which version PostgreSQL
 *	has: COMMITs of which nobody knew are acknowledged, the others are sent
 *	again (depot_settled).
 * SERVING: COMMITs are sent as they come; one is a pipeline, from BEGIN and
 *	the fence to COMMIT.  An error ends the connection: what has become of
 *	the COMMIT, settling will say (depot_failed).
 * LOST: another process has the shard, or PostgreSQL holds something else than
 *	what was written.  It never ends: the process does.
 */
#include "store/depot/depot.h"

#include <assert.h>
#include <inttypes.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vis.h"
#include "store/db.h"
#include "store/depot/arrays.h"
#include "store/depot/filler.h"
#include "store/depot/pg.h"
#include "store/depot/recorder.h"
#include "store/schema.h"

#define RETRY_MS 100 /* the first pause; each one after it is twice as long */
#define RETRY_MOST_MS 2000
#define CONNECT_MS 10000 /* for one attempt, as connect_timeout below */
#define TAKE_STEP_MS 200
#define GIVE_MS 3000
#define SETTLE_MS 60000
#define ANSWER_MS 60000 /* then the connection counts as dead */
/* What may be under way: DESIGN section 7 says how large a COMMIT is. */
#define MOST_COMMITS 4
#define MOST_BYTES (32u << 20)

/* One COMMIT that PostgreSQL has not acknowledged. */
struct commit {
	uint64_t version;
	struct arrays *items; /* owned */
	size_t count, cap;
	size_t bytes; /* of the items */
	uint64_t number; /* of the COMMIT of the store */
	int64_t sent_ms;
	bool is_sent;
};

enum depot_state { DOWN, CONNECTING, SETTLING, SERVING, LOST };

struct depot {
	struct store *store; /* borrowed */
	struct rows_schema *schema; /* owned */
	char *url, *owner; /* owned */
	char shard[16], term[24]; /* as parameters */
	char lease_ms[24];
	uint32_t shard_number;
	struct pg_cluster cluster;
	int64_t (*clock_ms)(void *);
	void *clock_arg;
	void (*wake)(void *);
	void *wake_arg;

	enum depot_state state;
	struct pg_conn *conn; /* owned; NULL: DOWN or LOST */
	int polling; /* while CONNECTING */
	int64_t retry_ms,
	    pause_ms; /* when, and after which pause, to connect */
	int64_t connect_ends_ms;
	int64_t away_ms; /* since when nothing is known; 0: all is well */
	int64_t renewed_ms; /* when what renewed the hold last was sent */
	/* until when no other process can take the shard, as far as this one
	 * knows: 0.8 leases after what PostgreSQL has answered was sent */
	int64_t valid_ms;
	int64_t pulsed_ms; /* when the last PULSE was sent */

	uint64_t version; /* of the last COMMIT of the store */
	uint64_t acked; /* PostgreSQL has this version */
	struct commit *commits; /* owned; those after acked */
	size_t count, cap;
	size_t bytes; /* of these */
	bool is_pulsing; /* answers of a PULSE come before those of commits */
	size_t at; /* so many statements of the first pipeline have ended */
	uint64_t found; /* the version that the PULSE answered */
	struct buf why;
};

/* Taking a shard. */

/* Wait for the time of another owner to pass, then take the shard; *was_held:
 * its last owner did not give it. */
static enum diag_code
depot_take(struct depot *depot, bool *was_held, struct buf *why)
{
	static const char take[] =
	    "WITH old AS (SELECT shard, owner FROM freshet.shard"
	    " WHERE shard = $1::integer FOR UPDATE)"
	    " UPDATE freshet.shard s SET owner = $2, term = s.term + 1,"
	    " until = clock_timestamp() + $3::float8 * interval '1 ms'"
	    " FROM old WHERE s.shard = old.shard AND s.is_open"
	    " AND s.schema = $4::integer AND (s.owner IS NULL"
	    " OR s.until < clock_timestamp() OR s.owner = $2)"
	    " RETURNING s.term, s.version, old.owner IS NOT NULL";
	static const char look[] =
	    "SELECT owner, schema, is_open FROM freshet.shard"
	    " WHERE shard = $1::integer";
	char schema[16];
	const char *parameters[] = {
	    depot->shard, depot->owner, depot->lease_ms, schema};
	int64_t ends_ms = depot->clock_ms(depot->clock_arg) +
	    depot->cluster.lease_ms + 5 * TAKE_STEP_MS;
	struct pg_result *result;

	(void)snprintf(depot->lease_ms, sizeof(depot->lease_ms), "%" PRId64,
	    depot->cluster.lease_ms);
	(void)snprintf(schema, sizeof(schema), "%d", SCHEMA_VERSION);
	for (;;) {
		depot->renewed_ms = depot->clock_ms(depot->clock_arg);
		result = pg_ask(depot->conn, take, 4, parameters, why);
		if (result == NULL)
			return DIAG_STORE_UNUSABLE;
		if (pq.ntuples(result) == 1)
			break;
		pq.clear(result);
		if (depot->clock_ms(depot->clock_arg) >= ends_ms) {
			result = pg_ask(depot->conn, look, 1, parameters, why);
			if (result != NULL && pq.ntuples(result) == 0)
				(void)buf_print(
				    why, "there is no shard %s", depot->shard);
			else if (result != NULL) {
				(void)buf_print(
				    why, "another machine holds it: ");
				vis_put(why,
				    slice_of(pq.getvalue(result, 0, 0)), 200);
			}
			pq.clear(result);
			return DIAG_STORE_LOCKED;
		}
		(void)poll(NULL, 0, TAKE_STEP_MS);
	}
	(void)snprintf(
	    depot->term, sizeof(depot->term), "%s", pq.getvalue(result, 0, 0));
	depot->version = strtoull(pq.getvalue(result, 0, 1), NULL, 10);
	depot->acked = depot->version;
	*was_held = pq.getvalue(result, 0, 2)[0] == 't';
	pq.clear(result);
	return DIAG_OK;
}

#define PULSE                                                             \
	"UPDATE freshet.shard SET"                                        \
	" until = clock_timestamp() + $4::float8 * interval '1 ms'"       \
	" WHERE shard = $1::integer AND owner = $2 AND term = $3::bigint" \
	" RETURNING version"

/* Renew the hold, and wait for the answer; false: the shard has another owner,
 * or another version. */
static bool
depot_hold(struct depot *depot, struct buf *why)
{
	const char *parameters[] = {
	    depot->shard, depot->owner, depot->term, depot->lease_ms};
	int64_t now_ms = depot->clock_ms(depot->clock_arg);
	struct pg_result *result = pg_ask(
	    depot->conn, PULSE, 4, parameters, why);
	bool is_held = result != NULL && pq.ntuples(result) == 1 &&
	    strtoull(pq.getvalue(result, 0, 0), NULL, 10) == depot->version;

	if (result != NULL && !is_held)
		(void)buf_print(why, "another machine took the shard");
	pq.clear(result);
	depot->renewed_ms = now_ms;
	return is_held;
}

/* Filling the cache. */

static enum diag_code
depot_on_row(void *arg, const struct rows *row)
{
	return filler_put(arg, row);
}

static enum diag_code
depot_fill_table(struct depot *depot, struct filler *filler,
    const struct rows_table *table, struct buf *why)
{
	struct arrays_copy copy = {.table = table};
	enum diag_code code = DIAG_OK;
	struct pg_result *result;
	char *piece;
	struct buf sql;
	int n;

	buf_init(&sql, SIZE_MAX);
	arrays_copy_out(&sql, table, depot->shard_number);
	result = pq.exec(depot->conn, buf_str(&sql));
	buf_release(&sql);
	if (pq.result_status(result) != PG_COPY_OUT) {
		pg_put_message(why, pq.error_message(depot->conn));
		pq.clear(result);
		return DIAG_STORE_UNUSABLE;
	}
	pq.clear(result);
	while ((n = pq.get_copy_data(depot->conn, &piece, 0)) > 0) {
		if (code == DIAG_OK)
			code = arrays_copy_rows(&copy,
			    slice_make(piece, (size_t)n), depot_on_row, filler);
		pq.freemem(piece);
		/* a large table takes longer than a lease: another connection
		 * would be needed to renew it, but the fence is looked at
		 * again before anything is acknowledged */
	}
	if (n != -1)
		pg_put_message(why, pq.error_message(depot->conn));
	else if (code != DIAG_OK)
		(void)buf_print(
		    why, "table %s: %s", table->name, filler_why(filler));
	while ((result = pq.get_result(depot->conn)) != NULL) {
		if (pq.result_status(result) != PG_COMMAND_OK) {
			pg_put_message(why, pq.error_message(depot->conn));
			n = -2;
		}
		pq.clear(result);
	}
	return n != -1 ? DIAG_STORE_UNUSABLE : code;
}

/* Make the cache what PostgreSQL has; a shard that is new has a store as new.
 */
static enum diag_code
depot_fill(struct depot *depot, struct buf *why)
{
	struct sqlite3 *db = depot->store->db;
	struct filler *filler = filler_new(db, depot->schema);
	enum diag_code code = filler_begin(filler, true);

	/* All shards have one key, so that they can lie in one file. */
	if (depot->version == 0 && code == DIAG_OK) {
		char sql[96];

		(void)snprintf(sql, sizeof(sql),
		    "INSERT INTO meta (id, hash_key) VALUES (1, x'%s')",
		    depot->cluster.hash_key);
		code = schema_code(sqlite3_exec(db, sql, NULL, NULL, NULL));
	}
	for (size_t i = 0;
	     depot->version > 0 && code == DIAG_OK && i < depot->schema->count;
	     i++) {
		code = depot_fill_table(
		    depot, filler, &depot->schema->tables[i], why);
		if (code == DIAG_OK && !depot_hold(depot, why))
			code = DIAG_STORE_LOCKED;
	}
	if (code == DIAG_OK)
		code = filler_commit(filler);
	if (code != DIAG_OK && why->len == 0)
		(void)buf_print(
		    why, "cannot fill the cache: %s", filler_why(filler));
	filler_free(filler);
	return code;
}

/* COMMITs. */

static void
commit_release(struct commit *commit)
{
	for (size_t i = 0; i < commit->count; i++)
		arrays_release(&commit->items[i]);
	free(commit->items);
	*commit = (struct commit){0};
}

static struct commit *
depot_new_commit(struct depot *depot)
{
	depot->commits = mem_grow(depot->commits, &depot->cap, depot->count + 1,
	    sizeof(*depot->commits));
	depot->commits[depot->count] = (struct commit){
	    .version = ++depot->version, .number = store_commits(depot->store)};
	return &depot->commits[depot->count++];
}

static enum diag_code
depot_on_rows(void *arg, const struct rows *rows)
{
	struct depot *depot = arg;
	struct commit *commit = &depot->commits[depot->count - 1];

	commit->items = mem_grow(commit->items, &commit->cap, commit->count + 1,
	    sizeof(*commit->items));
	(void)arrays_make(
	    &commit->items[commit->count], rows, depot->shard_number);
	commit->bytes += commit->items[commit->count].bytes;
	depot->bytes += commit->items[commit->count++].bytes;
	return DIAG_OK;
}

static void
depot_close_connection(struct depot *depot)
{
	pq.finish(depot->conn);
	depot->conn = NULL;
	depot->is_pulsing = false;
	depot->at = 0;
	for (size_t i = 0; i < depot->count; i++)
		depot->commits[i].is_sent = false;
}

/* Nothing more is acknowledged. */
static void
depot_lose(struct depot *depot, enum diag_code code, const char *message)
{
	depot_close_connection(depot);
	depot->state = LOST;
	buf_clear(&depot->why);
	pg_put_message(&depot->why, message);
	db_fail(depot->store, code);
}

/* The connection is of no use any more; another is tried after a pause. */
static void
depot_down(struct depot *depot, const char *message)
{
	int64_t now_ms = depot->clock_ms(depot->clock_arg);

	if (depot->away_ms == 0)
		depot->away_ms = now_ms;
	buf_clear(&depot->why);
	pg_put_message(&depot->why,
	    message != NULL ? message : pq.error_message(depot->conn));
	depot_close_connection(depot);
	depot->state = DOWN;
	depot->pause_ms = depot->pause_ms == 0    ? RETRY_MS
	    : depot->pause_ms * 2 > RETRY_MOST_MS ? RETRY_MOST_MS
						  : depot->pause_ms * 2;
	depot->retry_ms = now_ms + depot->pause_ms;
}

/* PostgreSQL has this version: what came up to it is acknowledged. */
static void
depot_ack(struct depot *depot, uint64_t version)
{
	size_t n = 0;

	for (; n < depot->count && depot->commits[n].version <= version; n++) {
		depot->bytes -= depot->commits[n].bytes;
		commit_release(&depot->commits[n]);
	}
	depot->count -= n;
	if (depot->count > 0)
		memmove(depot->commits, depot->commits + n,
		    depot->count * sizeof(*depot->commits));
	depot->acked = version;
	depot->pause_ms = 0;
}

static bool
depot_send(struct depot *depot, const char *sql, int count,
    const char *const parameters[])
{
	return pq.send_query_params(depot->conn, sql, count, NULL, parameters,
		   NULL, NULL, 0) == 1;
}

/* Send a PULSE: first the settings of the connection, which may be new. */
static bool
depot_pulse(struct depot *depot)
{
	const char *const settings[] = {depot->lease_ms};
	const char *const parameters[] = {
	    depot->shard, depot->owner, depot->term, depot->lease_ms};

	depot->renewed_ms = depot->pulsed_ms = depot->clock_ms(
	    depot->clock_arg);
	depot->is_pulsing = true;
	depot->at = 0;
	return depot_send(depot,
		   "SELECT set_config('lock_timeout', '2s', false), "
		   "set_config('idle_in_transaction_session_timeout', $1, "
		   "false)",
		   1, settings) &&
	    depot_send(depot, PULSE, 4, parameters) &&
	    pq.pipeline_sync(depot->conn) == 1;
}

/* Send a COMMIT as one pipeline.  The fence divides by 0 where it does not
 * hold, so that nothing behind it is done. */
static bool
depot_send_commit(struct depot *depot, struct commit *commit)
{
	static const char fence[] =
	    "WITH u AS (UPDATE freshet.shard SET version = version + 1,"
	    " until = clock_timestamp() + $5::float8 * interval '1 ms'"
	    " WHERE shard = $1::integer AND owner = $2 AND term = $3::bigint"
	    " AND version = $4::bigint RETURNING 1)"
	    " SELECT 1 / count(*) FROM u";
	char version[24];
	const char *const parameters[] = {
	    depot->shard, depot->owner, depot->term, version, depot->lease_ms};
	int binary[ROWS_COLUMNS_MAX + 1];
	bool is_good;

	(void)snprintf(
	    version, sizeof(version), "%" PRIu64, commit->version - 1);
	is_good = depot_send(depot, "BEGIN", 0, NULL) &&
	    depot_send(depot, fence, 5, parameters);
	for (int i = 0; i <= ROWS_COLUMNS_MAX; i++)
		binary[i] = 1;
	for (size_t i = 0; is_good && i < commit->count; i++) {
		const struct arrays *item = &commit->items[i];

		is_good = pq.send_query_params(depot->conn, item->sql,
			      item->count, item->types,
			      (const char *const *)item->values, item->lengths,
			      binary, 0) == 1;
	}
	depot->renewed_ms = commit->sent_ms = depot->clock_ms(depot->clock_arg);
	commit->is_sent = true;
	return is_good && depot_send(depot, "COMMIT", 0, NULL) &&
	    pq.pipeline_sync(depot->conn) == 1;
}

/* PostgreSQL has told its version. */
static void
depot_settled(struct depot *depot)
{
	if (depot->found < depot->acked || depot->found > depot->version) {
		depot_lose(depot, DIAG_STORE_LOCKED,
		    "PostgreSQL has an older or another version of the shard "
		    "than what it acknowledged");
		return;
	}
	depot_ack(depot, depot->found);
	depot->state = SERVING;
	depot->away_ms = 0;
}

/* A statement failed.  What a later attempt may do better is tried again, with
 * another connection; that includes a fence that does not hold, of which the
 * PULSE will say why. */
static void
depot_failed(struct depot *depot, const struct pg_result *result)
{
	/* classes of conditions, and conditions: chapter "Error Codes" */
	static const char *const passing[] = {
	    "08", "25", "40", "53", "55", "57", "58", "22012", "XX000"};
	const char *state = pq.result_field(result, PG_SQLSTATE);
	const char *message = pq.result_field(result, PG_MESSAGE);

	for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
		if (state == NULL ||
		    strncmp(state, passing[i], strlen(passing[i])) == 0) {
			depot_down(depot, message);
			return;
		}
	depot_lose(
	    depot, DIAG_STORE_DAMAGED, message == NULL ? "an error" : message);
}

/* Take one result of the first pipeline that has not ended; NULL: a statement
 * has ended. */
static void
depot_take_result(struct depot *depot, struct pg_result *result)
{
	struct commit *commit = depot->is_pulsing ? NULL : &depot->commits[0];
	int status;

	if (result == NULL) {
		depot->at++;
		return;
	}
	status = pq.result_status(result);
	if (status == PG_FATAL_ERROR) {
		depot_failed(depot, result);
	} else if (status == PG_PIPELINE_SYNC) {
		depot->at = 0;
		depot->is_pulsing = false;
		depot->valid_ms = depot->cluster.lease_ms * 8 / 10 +
		    (commit != NULL ? commit->sent_ms : depot->pulsed_ms);
		if (commit != NULL)
			depot_ack(depot, commit->version);
		else
			depot_settled(depot);
	} else if (commit == NULL && depot->at == 1) {
		if (pq.ntuples(result) == 1)
			depot->found = strtoull(
			    pq.getvalue(result, 0, 0), NULL, 10);
		else
			depot_lose(depot, DIAG_STORE_LOCKED,
			    "another machine took the shard");
	} else if (commit != NULL && depot->at >= 2 &&
	    depot->at - 2 < commit->count &&
	    strtoull(pq.cmd_tuples(result), NULL, 10) !=
		commit->items[depot->at - 2].rows) {
		depot_lose(depot, DIAG_STORE_DAMAGED,
		    "rows of the store were changed by somebody else: see "
		    "'freshet db fsck'");
	}
}

/* Does an answer have to come? */
static bool
depot_awaits(const struct depot *depot)
{
	return depot->conn != NULL &&
	    (depot->is_pulsing ||
		(depot->count > 0 && depot->commits[0].is_sent));
}

static void
depot_serve(struct depot *depot)
{
	bool is_good = pq.consume_input(depot->conn) == 1;

	while (depot_awaits(depot) && !pq.is_busy(depot->conn)) {
		struct pg_result *result = pq.get_result(depot->conn);

		/* without a connection all ends without a result */
		if (pq.status(depot->conn) != PG_CONNECTION_OK)
			is_good = false;
		else
			depot_take_result(depot, result);
		pq.clear(result);
		if (!is_good)
			break;
	}
	for (size_t i = 0;
	     is_good && depot->state == SERVING && i < depot->count; i++)
		if (!depot->commits[i].is_sent)
			is_good = depot_send_commit(depot, &depot->commits[i]);
	if (depot_awaits(depot) &&
	    depot->clock_ms(depot->clock_arg) - depot->renewed_ms >= ANSWER_MS)
		is_good = false;
	if (is_good && depot->state == SERVING && !depot_awaits(depot) &&
	    depot->clock_ms(depot->clock_arg) - depot->renewed_ms >=
		depot->cluster.lease_ms / 4)
		is_good = depot_pulse(depot);
	if (is_good && depot->conn != NULL)
		is_good = pq.flush(depot->conn) >= 0;
	if (!is_good && depot->conn != NULL)
		depot_down(depot, NULL);
}

static void
depot_connect(struct depot *depot)
{
	depot->conn = pg_dial_start(depot->url);
	depot->state = CONNECTING;
	depot->polling = PG_POLL_WRITING;
	depot->connect_ends_ms = depot->clock_ms(depot->clock_arg) + CONNECT_MS;
	if (pq.status(depot->conn) == PG_CONNECTION_BAD)
		depot_down(depot, NULL);
}

static void
depot_poll(struct depot *depot)
{
	struct pollfd fd = {.fd = pq.socket(depot->conn),
	    .events = depot->polling == PG_POLL_READING ? POLLIN : POLLOUT};

	if (depot->clock_ms(depot->clock_arg) >= depot->connect_ends_ms) {
		depot_down(depot, NULL);
		return;
	}
	/* PQconnectPoll() may wait if it is called before that. */
	if (fd.fd >= 0 && poll(&fd, 1, 0) == 0)
		return;
	depot->polling = pq.connect_poll(depot->conn);
	if (depot->polling == PG_POLL_FAILED) {
		depot_down(depot, NULL);
		return;
	}
	if (depot->polling != PG_POLL_OK)
		return;
	depot->state = SETTLING;
	if (pq.set_nonblocking(depot->conn, 1) != 0 ||
	    pq.enter_pipeline(depot->conn) != 1 || !depot_pulse(depot))
		depot_down(depot, NULL);
	else
		depot_serve(depot);
}

/* Tell the store what is durable.  A COMMIT that changed nothing is, as soon as
 * those before it are. */
static void
depot_tell(struct depot *depot)
{
	uint64_t commit = depot->count > 0 ? depot->commits[0].number - 1
					   : store_commits(depot->store);

	if (depot->state != LOST && store_commits(depot->store) > 0 &&
	    !store_is_durable(depot->store, commit))
		store_acked(depot->store, commit);
}

/* The states, one step each. */
static void
depot_advance(struct depot *depot)
{
	switch (depot->state) {
	case DOWN:
		if (depot->clock_ms(depot->clock_arg) >= depot->retry_ms)
			depot_connect(depot);
		break;
	case CONNECTING:
		depot_poll(depot);
		break;
	case SETTLING:
	case SERVING:
		depot_serve(depot);
		break;
	case LOST:
		break;
	}
}

void
depot_step(struct depot *depot)
{
	depot_advance(depot);
	depot_tell(depot);
}

int
depot_fd(const struct depot *depot, bool *wants_write)
{
	*wants_write = false;
	if (depot->conn == NULL)
		return -1;
	*wants_write = depot->state == CONNECTING
	    ? depot->polling == PG_POLL_WRITING
	    : pq.flush(depot->conn) == 1;
	return pq.socket(depot->conn);
}

int64_t
depot_wait_ms(const struct depot *depot)
{
	int64_t now_ms = depot->clock_ms(depot->clock_arg);
	int64_t then_ms = depot->state == DOWN ? depot->retry_ms
	    : depot->state == CONNECTING
	    ? depot->connect_ends_ms
	    : depot->renewed_ms + depot->cluster.lease_ms / 4;

	if (depot->state == LOST)
		return INT64_MAX;
	/* COMMITs that came while answers were told */
	if (depot->state == SERVING && depot->count > 0 &&
	    !depot->commits[depot->count - 1].is_sent)
		return 0;
	/* an answer comes through the descriptor */
	if (depot_awaits(depot))
		then_ms = depot->renewed_ms + ANSWER_MS;
	return then_ms > now_ms ? then_ms - now_ms : 0;
}

int64_t
depot_away_ms(const struct depot *depot)
{
	return depot->away_ms == 0
	    ? 0
	    : depot->clock_ms(depot->clock_arg) - depot->away_ms;
}

/* Wait until all is acknowledged, or the shard is lost. */
static void
depot_wait(struct depot *depot, int64_t most_ms)
{
	int64_t ends_ms = most_ms == INT64_MAX
	    ? INT64_MAX
	    : depot->clock_ms(depot->clock_arg) + most_ms;

	depot_advance(depot);
	while (depot->state != LOST && depot->count > 0 &&
	    depot->clock_ms(depot->clock_arg) < ends_ms) {
		bool wants_write;
		struct pollfd fd = {.fd = depot_fd(depot, &wants_write)};
		int64_t wait_ms = depot_wait_ms(depot);

		fd.events = (short)(wants_write ? POLLIN | POLLOUT : POLLIN);
		if (depot->state == CONNECTING && wants_write)
			fd.events = POLLOUT;
		(void)poll(&fd, 1,
		    wait_ms > RETRY_MOST_MS ? RETRY_MOST_MS : (int)wait_ms);
		depot_advance(depot);
	}
}

/* The store has made a COMMIT. */
static void
depot_on_changed(void *arg, struct rows_list *list)
{
	struct depot *depot = arg;

	if (list->count > 0 && depot->state != LOST) {
		(void)depot_new_commit(depot);
		for (size_t i = 0; i < list->count; i++)
			(void)depot_on_rows(depot, &list->items[i]);
	}
	rows_list_free(list);
	depot->wake(depot->wake_arg);
}

static void
depot_settle(void *arg)
{
	struct depot *depot = arg;

	depot_wait(depot, SETTLE_MS);
	if (depot->state != LOST && depot->count > 0)
		depot_lose(depot, DIAG_STORE_UNUSABLE,
		    "PostgreSQL did not answer for a minute");
	depot_tell(depot);
}

static bool
depot_is_full(void *arg)
{
	const struct depot *depot = arg;

	/* Who does not know that the shard is still his asks no host. */
	return depot->count >= MOST_COMMITS || depot->bytes >= MOST_BYTES ||
	    depot->clock_ms(depot->clock_arg) >= depot->valid_ms;
}

static void
depot_on_closing(void *arg)
{
	(void)arg;
}

/* Opening and closing. */

enum diag_code
depot_open(const struct depot_options *options, struct store *store,
    struct depot **out, struct buf *why)
{
	struct depot *depot = mem_zero(sizeof(*depot));
	enum diag_code code = DIAG_STORE_UNUSABLE;
	struct recorder_events events = {.changed = depot_on_changed,
	    .closing = depot_on_closing,
	    .settle = depot_settle,
	    .is_full = depot_is_full,
	    .arg = depot};
	bool was_held = false;

	*out = depot;
	depot->store = store;
	depot->schema = rows_schema_new();
	depot->url = mem_copy(options->url);
	depot->owner = mem_copy(options->owner);
	depot->shard_number = options->shard;
	(void)snprintf(
	    depot->shard, sizeof(depot->shard), "%u", options->shard);
	depot->clock_ms = options->clock_ms;
	depot->clock_arg = options->clock_arg;
	depot->wake = options->wake;
	depot->wake_arg = options->wake_arg;
	buf_init(&depot->why, SIZE_MAX);

	depot->conn = pg_dial(depot->url, why);
	if (depot->conn != NULL && pg_look(depot->conn, &depot->cluster, why))
		code = depot_take(depot, &was_held, why);
	if (code == DIAG_OK)
		code = depot_fill(depot, why);
	if (code == DIAG_OK) {
		depot->state = SETTLING;
		store->was_open |= was_held;
		recorder_new(store, depot->schema, &events);
		if (pq.set_nonblocking(depot->conn, 1) != 0 ||
		    pq.enter_pipeline(depot->conn) != 1 || !depot_pulse(depot))
			depot_down(depot, NULL);
		/* the first COMMIT is what a new store has */
		if (depot->version == 0) {
			(void)depot_new_commit(depot);
			code = rows_each(
			    store->db, depot->schema, depot_on_rows, depot);
		}
		depot_wait(depot, INT64_MAX);
		if (depot->state == LOST) {
			code = DIAG_STORE_LOCKED;
			(void)buf_put_slice(why, buf_text(&depot->why));
		}
	} else {
		pq.finish(depot->conn);
		depot->conn = NULL;
		depot->state = LOST;
	}
	return code;
}

const char *
depot_why(struct depot *depot)
{
	return depot == NULL ? "" : buf_str(&depot->why);
}

/* What is not acknowledged by then is repeated by the next owner: nobody was
 * told of it. */
void
depot_close(struct depot *depot)
{
	struct buf why;

	if (depot == NULL || depot->state == LOST)
		return;
	depot_wait(depot, GIVE_MS);
	if (depot->state != SERVING)
		return;
	depot_close_connection(depot);
	depot->state = LOST;
	buf_init(&why, SIZE_MAX);
	if (depot->count == 0)
		depot->conn = pg_dial(depot->url, &why);
	if (depot->conn != NULL) {
		const char *parameters[] = {
		    depot->shard, depot->owner, depot->term};

		pq.clear(pg_ask(depot->conn,
		    "UPDATE freshet.shard SET owner = NULL,"
		    " until = clock_timestamp() WHERE shard = $1::integer"
		    " AND owner = $2 AND term = $3::bigint",
		    3, parameters, &why));
		pq.finish(depot->conn);
		depot->conn = NULL;
	}
	buf_release(&why);
}

void
depot_free(struct depot *depot)
{
	if (depot == NULL)
		return;
	if (depot->conn != NULL)
		pq.finish(depot->conn);
	for (size_t i = 0; i < depot->count; i++)
		commit_release(&depot->commits[i]);
	free(depot->commits);
	rows_schema_free(depot->schema);
	free(depot->url);
	free(depot->owner);
	buf_release(&depot->why);
	free(depot);
}
