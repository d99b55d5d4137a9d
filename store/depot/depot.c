/*
 * A connection to PostgreSQL, and what goes through it.
 *
 *	DOWN -> CONNECTING -> SETTLING -> SERVING
 *	  ^         |            |           |
 *	  +---------+------------+-----------+      all of them -> LOST
 *
 * DOWN: no connection; the next attempt has its time (depot_step).
 * CONNECTING: libpq does it (depot_poll).
 * SETTLING: a PULSE is under way, whose answer says which version PostgreSQL
 *	has: COMMITs of which nobody knew are acknowledged, the others are sent
 *	again (depot_settled).
 * SERVING: COMMITs and requests are sent as they come, each as a pipeline of
 *	its own; the answers come in the same order (depot_take_result).  An
 *	error ends the connection: what has become of the COMMIT, settling will
 *	say (depot_failed).
 * LOST: another process has the shard, or PostgreSQL holds something else than
 *	what was written.  It never ends: the process does.
 *
 * What answers say to others waits in a list until depot_step: answers come
 * while store_await waits, too, where nobody expects to be called.
 */
#include "store/depot/depot.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/depot/arrays.h"
#include "store/depot/filler.h"
#include "store/depot/host_see.inc"
#include "store/depot/host_take.inc"
#include "store/depot/host_want.inc"
#include "store/depot/pg.h"
#include "store/depot/recorder.h"
#include "store/depot/share.inc"
#include "store/depot/term.h"

#define RETRY_MS 100 /* the first pause; each one after it is twice as long */
#define RETRY_MOST_MS 2000
#define CONNECT_MS 10000 /* for one attempt, as connect_timeout in pg.c */
#define GIVE_MS 3000
#define SETTLE_MS 60000
/* Without an answer for so long the connection counts as dead.  After that it
 * may take twice as long: a COMMIT may be large. */
#define ANSWER_MS 60000
#define HOST_MS 60000 /* a host stays reserved without a renewal */
#define SHARE_MS 30000 /* a share lives longer than the lease by so much */
#define MOST_REFUSALS 8
#define MOST_MAIL 64 /* requests by mail that are under way */
/* What may be under way: DESIGN section 7 says how large a COMMIT is. */
#define MOST_COMMITS 4
#define MOST_BYTES (32u << 20)

/* One COMMIT that PostgreSQL has not acknowledged. */
struct commit {
	struct arrays *items; /* owned */
	size_t count, cap;
	size_t bytes; /* of the items */
	size_t replaced; /* texts that PostgreSQL would refuse */
	uint64_t number; /* of the COMMIT of the store */
};

/* What a pipeline does. */
enum kind { SETUP, PULSE, NEWS, COMMIT, RESERVE, BACK, SHARE, GIVE };

struct depot_sent {
	enum kind kind;
	int64_t ms; /* when, before its first statement */
};

/* One that others ask for: RESERVE, BACK or SHARE. */
struct depot_request {
	enum kind kind;
	char *name; /* owned; of a host or a budget */
	double numbers[2]; /* delay; total and wanted */
};

/* Something to tell in depot_step. */
struct depot_event {
	enum { MAIL, SHARED, RESERVED, SHARED_OUT } what;
	char *text; /* owned */
	int64_t number; /* the mail's, or a wait */
	double rate;
};

struct depot_mail {
	int64_t id;
	bool is_done, is_deleted; /* deleted: that is under way */
};

enum depot_state { DOWN, CONNECTING, SETTLING, SERVING, LOST };

struct depot {
	struct store *store; /* borrowed */
	struct rows_schema *schema; /* owned */
	struct depot_options options; /* strings are the term's */
	struct term term;
	char host_ms[24], share_ms[24], sites[24], pages[24]; /* parameters */

	enum depot_state state;
	struct pg_conn *conn; /* owned; NULL: DOWN or LOST */
	int polling; /* while CONNECTING */
	int64_t retry_ms,
	    pause_ms; /* when, and after which pause, to connect */
	int64_t connect_ends_ms;
	/* since when nothing is known, or no COMMIT passes; 0: all is well */
	int64_t away_ms;
	int64_t answer_ms; /* patience */
	int refusals; /* of the first COMMIT, one after the other */
	/* Until when no other process can take the shard, as far as this one
	 * knows: 0.8 leases after what PostgreSQL has answered was sent. */
	int64_t valid_ms;

	char **prepared; /* owned; statements of the connection, by number */
	size_t prepared_count, prepared_cap;
	struct depot_sent
	    *sent; /* owned; pipelines without their last answer */
	size_t sent_count, sent_cap;
	size_t at; /* so many statements of the first one have ended */
	int64_t heard_ms; /* when the last answer came */
	int64_t answer, server_ms; /* of the first one, until it ends */
	double rate; /* likewise */

	uint64_t acked; /* PostgreSQL has this version */
	struct commit *commits; /* owned; each makes the next version */
	size_t count, cap;
	size_t commits_sent, requests_sent; /* so many of the first ones */
	size_t bytes; /* of these */

	int64_t pulsed_ms; /* when the last PULSE was sent */
	bool is_pulsing; /* PULSE or NEWS are not answered */
	bool wants_pulse; /* there is news */
	bool knows_hosts; /* those of the home, since this connection */
	bool is_giving;
	struct depot_request *requests; /* owned; those without an answer */
	size_t request_count, request_cap;
	struct depot_event *events; /* owned */
	size_t event_count, event_cap;
	struct depot_mail *mail; /* owned; told, and not deleted yet */
	size_t mail_count, mail_cap;
	struct buf why;
};

/* What waits to be told, and to be sent. */

/* The caller gives the text away. */
static void
depot_add_event(struct depot *depot, struct depot_event event)
{
	*MEM_PUSH(depot->events, depot->event_count, depot->event_cap) = event;
	depot->options.wake(depot->options.wake_arg);
}

static void
depot_add_request(struct depot *depot, enum kind kind, struct slice name,
    double first, double second)
{
	*MEM_PUSH(depot->requests, depot->request_count,
	    depot->request_cap) = (struct depot_request){
	    .kind = kind, .name = slice_dup(name), .numbers = {first, second}};
	depot->options.wake(depot->options.wake_arg);
}

static void
commit_release(struct commit *commit)
{
	for (size_t i = 0; i < commit->count; i++)
		arrays_release(&commit->items[i]);
	free(commit->items);
	*commit = (struct commit){0};
}

static void
depot_new_commit(struct depot *depot)
{
	*MEM_PUSH(depot->commits, depot->count, depot->cap) = (struct commit){
	    .number = store_commits(depot->store)};
}

static enum diag_code
depot_on_rows(void *arg, const struct rows *rows)
{
	struct depot *depot = arg;
	struct commit *commit = &depot->commits[depot->count - 1];
	struct arrays *item = MEM_PUSH(
	    commit->items, commit->count, commit->cap);

	commit->replaced += arrays_make(item, rows, depot->term.number);
	commit->bytes += item->bytes;
	depot->bytes += item->bytes;
	return DIAG_OK;
}

/* The connection. */

static void
depot_close_connection(struct depot *depot)
{
	depot->options.closes(depot->options.wake_arg);
	pq.finish(depot->conn);
	depot->conn = NULL;
	depot->is_pulsing = depot->knows_hosts = false;
	depot->at = depot->sent_count = 0;
	depot->commits_sent = depot->requests_sent = 0;
	while (depot->prepared_count > 0)
		free(depot->prepared[--depot->prepared_count]);
	for (size_t i = 0; i < depot->mail_count; i++)
		depot->mail[i].is_deleted = false;
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
	int64_t now_ms = term_clock_ms();

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

/* Remove so many items from the front; returns how many are left. */
static size_t
depot_shift(void *items, size_t count, size_t item_size, size_t gone)
{
	if (count > gone)
		memmove(items, (char *)items + gone * item_size,
		    (count - gone) * item_size);
	return count - gone;
}

/* PostgreSQL has this version: what came up to it is acknowledged. */
static void
depot_ack(struct depot *depot, uint64_t version)
{
	size_t n = (size_t)(version - depot->acked);

	for (size_t i = 0; i < n; i++) {
		depot->bytes -= depot->commits[i].bytes;
		commit_release(&depot->commits[i]);
	}
	depot->count = depot_shift(
	    depot->commits, depot->count, sizeof(*depot->commits), n);
	if (n > 0) {
		depot->refusals = 0;
		depot->away_ms = 0;
	}
	depot->acked = version;
	depot->pause_ms = 0;
	depot->answer_ms = ANSWER_MS;
}

/* Sending. */

static bool
depot_send(struct depot *depot, const char *sql, int count,
    const char *const parameters[])
{
	return pq.send_query_params(depot->conn, sql, count, NULL, parameters,
		   NULL, NULL, 0) == 1;
}

/* A statement that each connection has prepared under that name. */
static bool
depot_repeat(struct depot *depot, const char *name, int count,
    const char *const parameters[])
{
	return pq.send_query_prepared(
		   depot->conn, name, count, parameters, NULL, NULL, 0) == 1;
}

/* A pipeline ends, whose first statement was sent after that time. */
static bool
depot_end_pipeline(struct depot *depot, enum kind kind, int64_t ms)
{
	*MEM_PUSH(depot->sent, depot->sent_count,
	    depot->sent_cap) = (struct depot_sent){kind, ms};
	return pq.pipeline_sync(depot->conn) == 1;
}

/* The settings of a connection, which is new: rows are found by their keys, one
 * by one, whatever the planner thinks of a table that it has no figures of. */
static bool
depot_send_setup(struct depot *depot)
{
	static const char settings[] =
	    "SELECT set_config('lock_timeout', '2s', false),"
	    " set_config('idle_in_transaction_session_timeout', $1, false),"
	    " set_config('jit', 'off', false),"
	    " set_config('plan_cache_mode', 'force_generic_plan', false),"
	    " set_config('enable_seqscan', 'off', false),"
	    " set_config('enable_hashjoin', 'off', false),"
	    " set_config('enable_mergejoin', 'off', false),"
	    " CASE WHEN current_setting('synchronous_commit') = 'off' THEN"
	    " set_config('synchronous_commit', 'on', false) END";
	static const struct {
		const char *name, *sql;
	} repeated[] = {
	    {"pulse", TERM_PULSE},
	    {"hosts", host_see_sql},
	    {"renew",
		"UPDATE freshet.host SET until = greatest(until,"
		" clock_timestamp() + $3::float8 * interval '1 ms')"
		" WHERE holder = $1::integer AND holder_term = $2::bigint"},
	    {"mail",
		"WITH d AS (DELETE FROM freshet.mail WHERE shard = $1::integer"
		" AND id = ANY ($3::bigint[]))"
		" SELECT id, lines FROM freshet.mail WHERE shard = $1::integer"
		" AND id <> ALL ($2::bigint[]) ORDER BY id LIMIT $4::bigint"},
	    /* It divides by 0 where it does not hold, so that nothing behind
	     * it is done. */
	    {"fence",
		"WITH u AS (UPDATE freshet.shard SET version = version + 1,"
		" until = clock_timestamp() + $4::float8 * interval '1 ms'"
		" WHERE shard = $1::integer"
		" AND owner = $2 AND term = $3::bigint"
		" AND version = $5::bigint RETURNING 1)"
		" SELECT 1 / count(*) FROM u"},
	};
	const char *const parameters[] = {depot->term.lease_ms};
	int64_t now_ms = term_clock_ms();
	char listen[40];
	bool is_good;

	(void)snprintf(
	    listen, sizeof(listen), "LISTEN freshet_%u", depot->term.number);
	is_good = depot_send(depot, settings, 1, parameters) &&
	    depot_send(depot, listen, 0, NULL);
	for (size_t i = 0; is_good && i < LENGTH(repeated); i++)
		is_good = pq.send_prepare(depot->conn, repeated[i].name,
			      repeated[i].sql, 0, NULL) == 1;
	return is_good && depot_end_pipeline(depot, SETUP, now_ms);
}

/* Renew the hold, and ask for news: hosts that others want, and mail.  Hosts
 * are asked for in a transaction of their own, so that it sees all rows that
 * were there before the hold was renewed. */
static bool
depot_pulse(struct depot *depot)
{
	const char *const hold[] = {depot->term.shard, depot->term.owner,
	    depot->term.term, depot->term.lease_ms,
	    depot->sites[0] == '\0' ? NULL : depot->sites,
	    depot->sites[0] == '\0' ? NULL : depot->pages};
	const char *const hosts[] = {depot->term.shard, depot->term.term,
	    depot->host_ms, depot->knows_hosts ? "f" : "t"};
	const char *mail[4] = {depot->term.shard};
	int64_t now_ms = term_clock_ms();
	size_t most = depot->options.mail == NULL ? 0 : MOST_MAIL;
	struct buf done = BUF_UP_TO(SIZE_MAX), known = BUF_UP_TO(SIZE_MAX);
	char limit[24];
	bool is_good;

	mail[3] = limit;
	for (size_t i = 0; i < depot->mail_count; i++) {
		struct depot_mail *item = &depot->mail[i];

		item->is_deleted = item->is_done;
		(void)buf_print(
		    &known, "%c%" PRId64, known.len == 0 ? '{' : ',', item->id);
		most -= !item->is_done;
		if (item->is_done)
			(void)buf_print(&done, "%c%" PRId64,
			    done.len == 0 ? '{' : ',', item->id);
	}
	(void)buf_print(&done, done.len == 0 ? "{}" : "}");
	(void)buf_print(&known, known.len == 0 ? "{}" : "}");
	(void)snprintf(limit, sizeof(limit), "%zu", most);
	mail[1] = buf_str(&known);
	mail[2] = buf_str(&done);
	depot->pulsed_ms = now_ms;
	depot->is_pulsing = true;
	depot->wants_pulse = false;
	is_good = depot_repeat(depot, "pulse", 6, hold) &&
	    depot_end_pipeline(depot, PULSE, now_ms) &&
	    depot_repeat(depot, "hosts", 4, hosts) &&
	    depot_repeat(depot, "renew", 3, hosts) &&
	    depot_repeat(depot, "mail", 4, mail) &&
	    depot_end_pipeline(depot, NEWS, now_ms);
	buf_release(&done);
	buf_release(&known);
	return is_good;
}

/* The name of a statement that the connection has prepared by then. */
static bool
depot_prepare(struct depot *depot, const struct arrays *item, char name[24])
{
	size_t i = 0;

	while (i < depot->prepared_count &&
	    strcmp(depot->prepared[i], item->sql) != 0)
		i++;
	(void)snprintf(name, 24, "s%zu", i);
	if (i < depot->prepared_count)
		return true;
	*MEM_PUSH(depot->prepared, depot->prepared_count,
	    depot->prepared_cap) = mem_copy(item->sql);
	return pq.send_prepare(depot->conn, name, item->sql, item->count,
		   item->types) == 1 &&
	    depot_end_pipeline(depot, SETUP, term_clock_ms());
}

/* Send a COMMIT. */
static bool
depot_send_commit(struct depot *depot)
{
	const struct commit *commit = &depot->commits[depot->commits_sent];
	char version[24], name[24];
	const char *const parameters[] = {depot->term.shard, depot->term.owner,
	    depot->term.term, depot->term.lease_ms, version};
	int binary[ROWS_COLUMNS_MAX + 1];
	bool is_good = true;
	int64_t now_ms;

	(void)snprintf(version, sizeof(version), "%" PRIu64,
	    depot->acked + depot->commits_sent++);
	for (size_t i = 0; is_good && i < commit->count; i++)
		is_good = depot_prepare(depot, &commit->items[i], name);
	now_ms = term_clock_ms();
	is_good = is_good && depot_send(depot, "BEGIN", 0, NULL) &&
	    depot_repeat(depot, "fence", 5, parameters);
	for (int i = 0; i <= ROWS_COLUMNS_MAX; i++)
		binary[i] = 1;
	for (size_t i = 0; is_good && i < commit->count; i++) {
		const struct arrays *item = &commit->items[i];

		is_good = depot_prepare(depot, item, name) &&
		    pq.send_query_prepared(depot->conn, name, item->count,
			(const char *const *)item->values, item->lengths,
			binary, 0) == 1;
	}
	return is_good && depot_send(depot, "COMMIT", 0, NULL) &&
	    depot_end_pipeline(depot, COMMIT, now_ms);
}

static bool
depot_send_request(struct depot *depot)
{
	const struct depot_request
	    *request = &depot->requests[depot->requests_sent++];
	const char *shard = depot->term.shard, *term = depot->term.term;
	int64_t now_ms = term_clock_ms();
	char first[40], second[40];
	bool is_good = false;

	(void)snprintf(first, sizeof(first), "%.17g", request->numbers[0]);
	(void)snprintf(second, sizeof(second), "%.17g", request->numbers[1]);
	if (request->kind == RESERVE) {
		const char *take[] = {
		    shard, term, depot->host_ms, request->name, first};
		const char *want[] = {shard, term, request->name, second};

		is_good = depot_send(depot, host_take_sql, 5, take) &&
		    depot_send(depot, host_want_sql, 4, want);
	} else if (request->kind == BACK) {
		const char *back[] = {shard, term, request->name};

		is_good = depot_send(depot,
		    "UPDATE freshet.host SET holder = NULL,"
		    " free_at = clock_timestamp(), until = clock_timestamp()"
		    " WHERE holder = $1::integer AND holder_term = $2::bigint"
		    " AND host = $3",
		    3, back);
	} else if (request->kind == SHARE) {
		const char *share[] = {
		    request->name, shard, first, second, depot->share_ms};

		is_good = depot_send(depot,
			      "INSERT INTO freshet.share"
			      " VALUES ($1, -1, 0, 0, 0, 'infinity')"
			      " ON CONFLICT (name, shard)"
			      " DO UPDATE SET wanted = 0",
			      1, share) &&
		    depot_send(depot, share_sql, 5, share);
	}
	return is_good && depot_end_pipeline(depot, request->kind, now_ms);
}

/* Answers. */

/* PostgreSQL has told its version, and its time.  A COMMIT that was under way
 * when a connection broke is on a synchronous standby once the PULSE is. */
static void
depot_settled(struct depot *depot, int64_t asked_ms)
{
	uint64_t version = (uint64_t)depot->answer;
	struct buf why = BUF_UP_TO(SIZE_MAX);

	if (version < depot->acked || version > depot->acked + depot->count) {
		depot_lose(depot, DIAG_STORE_LOCKED,
		    "PostgreSQL has an older or another version of the shard "
		    "than what it acknowledged");
		return;
	}
	depot_ack(depot, version);
	depot->state = SERVING;
	if (depot->count == 0)
		depot->away_ms = 0;
	/* The process ends, and gives the shard back. */
	if (term_clock_differs(depot->server_ms, asked_ms, &why)) {
		buf_clear(&depot->why);
		(void)buf_put_slice(&depot->why, buf_text(&why));
		db_fail(depot->store, DIAG_STORE_UNUSABLE);
	}
	buf_release(&why);
}

/* A statement failed.  What a later attempt may do better is tried again, with
 * another connection; that includes a fence that does not hold, of which the
 * PULSE will say why.  A COMMIT that PostgreSQL refuses again and again will
 * not pass; where it is full or read only, it will. */
static void
depot_failed(struct depot *depot, const struct pg_result *result)
{
	/* classes of conditions, and conditions: chapter "Error Codes"; the
	 * first ones pass without our doing */
	static const char *const passing[] = {
	    "08", "25", "53", "55", "57P", "40", "57", "58", "22012", "XX000"};
	const size_t count = LENGTH(passing);
	const char *state = pq.result_field(result, PG_SQLSTATE);
	const char *message = pq.result_field(result, PG_MESSAGE);
	size_t i = 0;

	while (state != NULL && i < count &&
	    strncmp(state, passing[i], strlen(passing[i])) != 0)
		i++;
	depot->refusals += i >= 5 && depot->sent[0].kind == COMMIT;
	if (i < count && depot->refusals < MOST_REFUSALS)
		depot_down(depot, message);
	else
		depot_lose(depot, DIAG_STORE_DAMAGED,
		    message == NULL ? "an error" : message);
}

/* The first pipeline has ended well: it is committed. */
static void
depot_ended(struct depot *depot)
{
	struct depot_sent sent = depot->sent[0];
	int64_t valid_ms = sent.ms + depot->term.cluster.lease_ms * 8 / 10;
	size_t count = 0;

	depot->at = 0;
	depot->sent_count = depot_shift(
	    depot->sent, depot->sent_count, sizeof(*depot->sent), 1);
	switch (sent.kind) {
	case SETUP:
		break;
	case PULSE:
		depot_settled(depot, sent.ms);
		break;
	case NEWS:
		/* after a pause nothing is known of reserved hosts */
		if (depot->valid_ms != 0 && term_clock_ms() >= depot->valid_ms)
			depot_add_event(depot,
			    (struct depot_event){.what = RESERVED,
				.text = mem_copy(""),
				.number = -1});
		depot->valid_ms = valid_ms;
		depot->is_pulsing = false;
		depot->knows_hosts = true;
		for (size_t i = 0; i < depot->mail_count; i++)
			if (!depot->mail[i].is_deleted)
				depot->mail[count++] = depot->mail[i];
		depot->mail_count = count;
		break;
	case COMMIT:
		/* After a pause the hold may have been another's meanwhile,
		 * and hosts may have been reserved: news says it. */
		if (term_clock_ms() < depot->valid_ms &&
		    valid_ms > depot->valid_ms)
			depot->valid_ms = valid_ms;
		depot->commits_sent--;
		depot_ack(depot, depot->acked + 1);
		break;
	case RESERVE:
	case BACK:
	case SHARE:
		if (sent.kind == BACK)
			free(depot->requests[0].name);
		else
			depot_add_event(depot,
			    (struct depot_event){.what = sent.kind == RESERVE
				    ? RESERVED
				    : SHARED_OUT,
				.text = depot->requests[0].name,
				.number = depot->answer,
				.rate = depot->rate});
		depot->requests_sent--;
		depot->request_count = depot_shift(depot->requests,
		    depot->request_count, sizeof(*depot->requests), 1);
		break;
	case GIVE:
		depot->is_giving = false;
		break;
	}
}

/* Take one result of the first pipeline that has not ended; NULL: a statement
 * has ended. */
static void
depot_take_result(struct depot *depot, struct pg_result *result)
{
	const struct depot_sent *sent = depot->sent;
	const struct commit *commit = depot->commits;
	int status = result == NULL ? 0 : pq.result_status(result);

	if (result == NULL) {
		depot->at++;
	} else if (status == PG_FATAL_ERROR) {
		depot_failed(depot, result);
	} else if (status == PG_PIPELINE_SYNC) {
		depot_ended(depot);
	} else if (sent->kind == PULSE && pq.ntuples(result) != 1) {
		depot_lose(
		    depot, DIAG_STORE_LOCKED, "another machine took the shard");
	} else if (sent->kind == PULSE) {
		depot->answer = strtoll(pq.getvalue(result, 0, 0), NULL, 10);
		depot->server_ms = strtoll(pq.getvalue(result, 0, 1), NULL, 10);
	} else if (sent->kind == NEWS && depot->at != 1) {
		bool is_mail = depot->at != 0; /* or hosts that others want */

		for (int i = 0; i < pq.ntuples(result); i++) {
			char *text = mem_copy(
			    pq.getvalue(result, i, is_mail ? 1 : 0));
			int64_t id = !is_mail
			    ? 0
			    : strtoll(pq.getvalue(result, i, 0), NULL, 10);

			if (is_mail)
				*MEM_PUSH(depot->mail, depot->mail_count,
				    depot->mail_cap) = (struct depot_mail){
				    .id = id};
			depot_add_event(depot,
			    (struct depot_event){
				is_mail ? MAIL : SHARED, text, id, 0});
		}
	} else if (sent->kind == RESERVE && depot->at == 0) {
		depot->answer = pq.ntuples(result) != 1
		    ? -1
		    : strtoll(pq.getvalue(result, 0, 0), NULL, 10);
	} else if (sent->kind == SHARE && depot->at == 1) {
		depot->rate = strtod(pq.getvalue(result, 0, 0), NULL);
	} else if (sent->kind == COMMIT && depot->at >= 2 &&
	    depot->at - 2 < commit->count &&
	    strtoull(pq.cmd_tuples(result), NULL, 10) !=
		commit->items[depot->at - 2].rows) {
		depot_lose(depot, DIAG_STORE_DAMAGED,
		    "rows of the store were changed by somebody else: see "
		    "'freshet db fsck'");
	}
}

/* Is there something to send? */
static bool
depot_is_pulse_due(const struct depot *depot)
{
	return depot->state == SERVING && !depot->is_pulsing &&
	    !depot->is_giving &&
	    (depot->wants_pulse ||
		term_clock_ms() - depot->pulsed_ms >=
		    depot->term.cluster.lease_ms / 4);
}

static bool
depot_has_unsent(const struct depot *depot)
{
	return depot->state == SERVING &&
	    (depot->commits_sent < depot->count ||
		depot->requests_sent < depot->request_count);
}

/* When the first answer is too late. */
static int64_t
depot_late_ms(const struct depot *depot)
{
	int64_t sent_ms = depot->sent[0].ms;

	return (sent_ms > depot->heard_ms ? sent_ms : depot->heard_ms) +
	    depot->answer_ms;
}

static void
depot_serve(struct depot *depot)
{
	bool is_good = pq.consume_input(depot->conn) == 1;
	struct pg_notify *notify;

	while (is_good && depot->sent_count > 0 && !pq.is_busy(depot->conn)) {
		struct pg_result *result = pq.get_result(depot->conn);

		/* without a connection all ends without a result */
		if (pq.status(depot->conn) != PG_CONNECTION_OK)
			is_good = false;
		else
			depot_take_result(depot, result);
		depot->heard_ms = term_clock_ms();
		pq.clear(result);
		if (depot->conn == NULL)
			return;
	}
	while ((notify = pq.notifies(depot->conn)) != NULL) {
		depot->wants_pulse = true;
		pq.freemem(notify);
	}
	/* The pulse comes first: a COMMIT renews no host. */
	if (is_good && depot_is_pulse_due(depot))
		is_good = depot_pulse(depot);
	while (is_good && depot_has_unsent(depot))
		is_good = depot->commits_sent < depot->count
		    ? depot_send_commit(depot)
		    : depot_send_request(depot);
	if (is_good && depot->sent_count > 0 &&
	    term_clock_ms() >= depot_late_ms(depot)) {
		depot->answer_ms *= 2;
		depot_down(depot, "PostgreSQL does not answer");
		return;
	}
	if (is_good)
		is_good = pq.flush(depot->conn) >= 0;
	if (!is_good)
		depot_down(depot, NULL);
}

/* Begin with a connection that is there: it has to be set up, and the PULSE
 * settles. */
static void
depot_start(struct depot *depot)
{
	depot->state = SETTLING;
	depot->heard_ms = term_clock_ms();
	if (pq.set_nonblocking(depot->conn, 1) != 0 ||
	    pq.enter_pipeline(depot->conn) != 1 || !depot_send_setup(depot) ||
	    !depot_pulse(depot))
		depot_down(depot, NULL);
	else
		depot_serve(depot);
}

static void
depot_poll(struct depot *depot)
{
	struct pollfd fd = {.fd = pq.socket(depot->conn),
	    .events = depot->polling == PG_POLL_READING ? POLLIN : POLLOUT};

	if (term_clock_ms() >= depot->connect_ends_ms) {
		depot_down(depot, "PostgreSQL does not answer");
		return;
	}
	/* PQconnectPoll() may wait if it is called before that. */
	if (fd.fd >= 0 && poll(&fd, 1, 0) == 0)
		return;
	depot->options.closes(depot->options.wake_arg);
	depot->polling = pq.connect_poll(depot->conn);
	if (depot->polling == PG_POLL_FAILED)
		depot_down(depot, NULL);
	else if (depot->polling == PG_POLL_OK)
		depot_start(depot);
}

/* The states, one step each. */
static void
depot_advance(struct depot *depot)
{
	switch (depot->state) {
	case DOWN:
		if (term_clock_ms() < depot->retry_ms)
			break;
		depot->conn = pg_dial_start(depot->term.url);
		depot->state = CONNECTING;
		depot->polling = PG_POLL_WRITING;
		depot->connect_ends_ms = term_clock_ms() + CONNECT_MS;
		if (pq.status(depot->conn) == PG_CONNECTION_BAD)
			depot_down(depot, NULL);
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

/* Tell the others what came for them. */
static void
depot_tell_events(struct depot *depot)
{
	const struct depot_options *options = &depot->options;
	void *arg = options->events_arg;
	struct depot_event *events = depot->events;
	size_t count = depot->event_count;

	/* who is told may ask for more */
	depot->events = NULL;
	depot->event_count = depot->event_cap = 0;
	for (size_t i = 0; i < count; i++) {
		const struct depot_event *event = &events[i];
		struct slice text = slice_of(event->text);

		switch (event->what) {
		case MAIL:
			options->mail(arg, event->number, text);
			break;
		case SHARED:
			if (options->shared != NULL)
				options->shared(arg, text);
			else
				depot_back(depot, text);
			break;
		case RESERVED:
			if (options->reserved != NULL)
				options->reserved(arg, text, event->number);
			break;
		case SHARED_OUT:
			options->shared_out(arg, event->text, event->rate);
			break;
		}
		free(event->text);
	}
	free(events);
}

void
depot_step(struct depot *depot)
{
	depot_advance(depot);
	depot_tell(depot);
	depot_tell_events(depot);
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
	int64_t now_ms = term_clock_ms(), then_ms = INT64_MAX;

	if (depot->state == LOST)
		return INT64_MAX;
	/* also what came while answers were told */
	if (depot->event_count > 0 || depot_has_unsent(depot) ||
	    depot_is_pulse_due(depot))
		return 0;
	if (depot->state == DOWN)
		then_ms = depot->retry_ms;
	else if (depot->state == CONNECTING)
		then_ms = depot->connect_ends_ms;
	else if (!depot->is_pulsing)
		then_ms = depot->pulsed_ms + depot->term.cluster.lease_ms / 4;
	if (depot->sent_count > 0 && depot_late_ms(depot) < then_ms)
		then_ms = depot_late_ms(depot);
	return then_ms > now_ms ? then_ms - now_ms : 0;
}

bool
depot_is_waiting(const struct depot *depot)
{
	return depot->state != LOST &&
	    (depot->state != SERVING || depot->sent_count > 0 ||
		depot_has_unsent(depot) || depot->event_count > 0);
}

int64_t
depot_away_ms(const struct depot *depot)
{
	return depot->away_ms == 0 ? 0 : term_clock_ms() - depot->away_ms;
}

/* Wait until all is acknowledged, and given away if that is under way, or the
 * shard is lost; for so long at most. */
static void
depot_wait(struct depot *depot, int64_t most_ms)
{
	int64_t begin_ms = term_clock_ms();

	depot_advance(depot);
	while (depot->state != LOST && (depot->count > 0 || depot->is_giving) &&
	    term_clock_ms() - begin_ms < most_ms) {
		bool wants_write;
		struct pollfd fd = {.fd = depot_fd(depot, &wants_write)};
		int64_t wait_ms = depot_wait_ms(depot);

		fd.events = (short)(wants_write ? POLLIN | POLLOUT : POLLIN);
		if (depot->state == CONNECTING && wants_write)
			fd.events = POLLOUT;
		/* what is to be told waits */
		if (wait_ms > RETRY_MS || depot->event_count > 0)
			wait_ms = RETRY_MS;
		(void)poll(&fd, 1, (int)wait_ms);
		depot_advance(depot);
	}
}

/* The store has made a COMMIT. */
static void
depot_on_changed(void *arg, struct rows_list *list)
{
	struct depot *depot = arg;

	if (list->count > 0 && depot->state != LOST) {
		depot_new_commit(depot);
		for (size_t i = 0; i < list->count; i++)
			(void)depot_on_rows(depot, &list->items[i]);
		if (depot->commits[depot->count - 1].replaced > 0 &&
		    depot->options.warned != NULL)
			depot->options.warned(depot->options.events_arg,
			    "text had bytes that PostgreSQL does not take; it "
			    "has U+FFFD in their place");
	}
	rows_list_free(list);
	depot->options.wake(depot->options.wake_arg);
}

static void
depot_settle(void *arg)
{
	struct depot *depot = arg;

	/* a large COMMIT may take longer */
	do
		depot_wait(depot, SETTLE_MS);
	while (depot->state != LOST && depot->count > 0 &&
	    depot_away_ms(depot) < SETTLE_MS);
	if (depot->state != LOST && depot->count > 0)
		depot_lose(depot, DIAG_STORE_UNUSABLE,
		    "PostgreSQL did not answer for a minute");
	depot_tell(depot);
	depot->options.wake(depot->options.wake_arg);
}

static bool
depot_is_full(void *arg)
{
	const struct depot *depot = arg;

	/* Who does not know that the shard is still his asks no host. */
	return depot->count >= MOST_COMMITS || depot->bytes >= MOST_BYTES ||
	    term_clock_ms() >= depot->valid_ms;
}

/* For others. */

unsigned
depot_shard(const struct depot *depot)
{
	return depot->term.number;
}

unsigned
depot_shards(const struct depot *depot)
{
	return depot->term.cluster.shards;
}

unsigned
depot_home(const struct depot *depot, struct slice host)
{
	return pg_home(&depot->term.cluster, host);
}

/* Whoever has not been told of shared hosts yet asks none. */
bool
depot_may_ask(const struct depot *depot)
{
	return depot == NULL ||
	    (store_failed(depot->store) == DIAG_OK && depot->event_count == 0 &&
		term_clock_ms() < depot->valid_ms);
}

void
depot_load(struct depot *depot, int64_t sites, int64_t pages)
{
	(void)snprintf(depot->sites, sizeof(depot->sites), "%" PRId64, sites);
	(void)snprintf(depot->pages, sizeof(depot->pages), "%" PRId64, pages);
}

void
depot_mail_done(struct depot *depot, int64_t id)
{
	for (size_t i = 0; i < depot->mail_count; i++)
		depot->mail[i].is_done |= depot->mail[i].id == id;
	/* more may wait */
	depot->wants_pulse = true;
	depot->options.wake(depot->options.wake_arg);
}

void
depot_reserve(struct depot *depot, struct slice host, int64_t delay_ms)
{
	depot_add_request(depot, RESERVE, host, (double)delay_ms,
	    pg_home(&depot->term.cluster, host));
}

void
depot_back(struct depot *depot, struct slice host)
{
	depot_add_request(depot, BACK, host, 0, 0);
}

void
depot_share(struct depot *depot, const char *name, double total, double wanted)
{
	depot_add_request(depot, SHARE, slice_of(name), total, wanted);
}

/* Opening and closing. */

enum diag_code
depot_open(const struct depot_options *options, struct store *store,
    struct depot **out, struct buf *why)
{
	struct depot *depot = mem_zero(sizeof(*depot));
	enum diag_code code;

	*out = depot;
	depot->store = store;
	depot->schema = rows_schema_new();
	depot->options = *options;
	depot->term.url = mem_copy(options->url);
	depot->term.owner = mem_copy(options->owner);
	depot->term.number = options->shard;
	depot->answer_ms = ANSWER_MS;

	code = term_begin(
	    &depot->term, store, depot->schema, &depot->conn, why);
	if (code != DIAG_OK) {
		depot->state = LOST;
		return code;
	}
	depot->acked = depot->term.version;
	/* A hold outlives the time in which its shard may ask. */
	(void)snprintf(depot->host_ms, sizeof(depot->host_ms), "%" PRId64,
	    2 * depot->term.cluster.lease_ms > HOST_MS
		? 2 * depot->term.cluster.lease_ms
		: HOST_MS);
	(void)snprintf(depot->share_ms, sizeof(depot->share_ms), "%" PRId64,
	    depot->term.cluster.lease_ms + SHARE_MS);
	/* Whatever the log of requests says by the clock of the last owner,
	 * requests of his may have come until his term was over. */
	store->was_open = true;
	store->idle_s = depot->term.idle_s;
	recorder_new(store, depot->schema, depot_on_changed, depot);
	store->keeper = (struct commit_keeper){
	    depot_settle, depot_is_full, depot};
	/* the first COMMIT is what a new store has */
	if (depot->acked == 0) {
		depot_new_commit(depot);
		code = rows_each(
		    store->db, depot->schema, depot_on_rows, depot);
	}
	depot_start(depot);
	depot_wait(depot, INT64_MAX);
	if (depot->state == LOST) {
		code = DIAG_STORE_LOCKED;
		(void)buf_put_slice(why, buf_text(&depot->why));
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
	if (depot == NULL || depot->state == LOST)
		return;
	depot_wait(depot, GIVE_MS);
	/* Give the shard away.  Hosts that it still holds stay so for their
	 * time. */
	if (depot->state == SERVING && depot->count == 0) {
		const char *give[] = {
		    depot->term.shard, depot->term.owner, depot->term.term};

		depot->is_giving = true;
		if (depot_send(depot, TERM_GIVE, 3, give) &&
		    depot_end_pipeline(depot, GIVE, term_clock_ms()) &&
		    pq.flush(depot->conn) >= 0)
			depot_wait(depot, GIVE_MS);
	}
	depot_close_connection(depot);
	depot->state = LOST;
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
	for (size_t i = 0; i < depot->request_count; i++)
		free(depot->requests[i].name);
	for (size_t i = 0; i < depot->event_count; i++)
		free(depot->events[i].text);
	free(depot->commits);
	free(depot->requests);
	free(depot->events);
	free(depot->mail);
	free(depot->sent);
	free(depot->prepared);
	rows_schema_free(depot->schema);
	free(depot->term.url);
	free(depot->term.owner);
	buf_release(&depot->why);
	free(depot);
}
