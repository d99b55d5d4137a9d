/* What alerts have told and still have to tell. */
#include "crawler/alert/alert_state.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"

/* "frAL", so that another program's file is not taken for one of these. */
#define APPLICATION_ID 0x6672414c

enum query {
	EXCLUSIVELY,
	BEGIN_ALONE,
	IS_OURS,
	MARK,
	MAKE_ALERT,
	MAKE_MESSAGE,
	MAKE_HELD,
	MAKE_INDEX,
	BEGIN,
	COMMIT,
	ROLLBACK,
	SINCE,
	UNTIL,
	HELD,
	HOLD,
	LET_GO,
	ADD,
	WAITING,
	TOLD,
	SET_TOLD,
	PRUNE,
	SET_FAILED,
	DROP,
	QUERIES
};

#define OF " WHERE alert = ?1 AND sink = ?2 AND is_told = "
#define COLUMNS " id, known_s, made_s, tries, next_s, line, event, why"
#define TEXT_OF(number) #number
#define KEPT(number) TEXT_OF(number)

static const char *const queries[] = {
    /* nobody else can open the file before this process closes it */
    [EXCLUSIVELY] = "PRAGMA locking_mode = EXCLUSIVE",
    [BEGIN_ALONE] = "BEGIN EXCLUSIVE",
    [IS_OURS] = "SELECT application_id, (SELECT count(*) FROM sqlite_schema)"
		" FROM pragma_application_id",
    [MARK] = "PRAGMA application_id = 1718763852", /* APPLICATION_ID */
    [MAKE_ALERT] = "CREATE TABLE IF NOT EXISTS alert (name TEXT PRIMARY KEY,"
		   " until_s INTEGER NOT NULL) WITHOUT ROWID",
    [MAKE_MESSAGE] = "CREATE TABLE IF NOT EXISTS message"
		     " (id INTEGER PRIMARY KEY, alert TEXT NOT NULL,"
		     " sink INTEGER NOT NULL, is_told INTEGER NOT NULL,"
		     " known_s INTEGER NOT NULL, made_s INTEGER NOT NULL,"
		     " tries INTEGER NOT NULL, next_s INTEGER NOT NULL,"
		     " line TEXT NOT NULL, event TEXT NOT NULL, why TEXT)",
    /* sites whose events were written down up to another time */
    [MAKE_HELD] = "CREATE TABLE IF NOT EXISTS held (alert TEXT NOT NULL,"
		  " site_id INTEGER NOT NULL, until_s INTEGER NOT NULL,"
		  " PRIMARY KEY (alert, site_id)) WITHOUT ROWID",
    [MAKE_INDEX] = "CREATE INDEX IF NOT EXISTS message_of ON message"
		   " (alert, sink, is_told, id)",
    [BEGIN] = "BEGIN",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [SINCE] = "SELECT until_s FROM alert WHERE name = ?1",
    [UNTIL] = "INSERT INTO alert VALUES (?1, ?2)"
	      " ON CONFLICT DO UPDATE SET until_s = ?2",
    [HELD] = "SELECT until_s FROM held WHERE alert = ?1 AND site_id = ?2",
    [HOLD] = "INSERT INTO held VALUES (?1, ?2, ?3)"
	     " ON CONFLICT DO UPDATE SET until_s = ?3",
    [LET_GO] = "DELETE FROM held WHERE alert = ?1 AND site_id = ?2",
    [ADD] = "INSERT INTO message (alert, sink, is_told, known_s, made_s,"
	    " tries, next_s, line, event)"
	    " VALUES (?1, ?2, 0, ?3, ?4, 0, 0, ?5, ?6)",
    [WAITING] = "SELECT" COLUMNS " FROM message" OF "0 ORDER BY id",
    [TOLD] = "SELECT" COLUMNS " FROM message" OF "1 ORDER BY id DESC",
    [SET_TOLD] = "UPDATE message SET is_told = 1" OF "0 AND id = ?3",
    /* The latest ones, but of each site no more than its share while there are
     * others.  The text of a damaged file may be no JSON. */
    [PRUNE] =
	"DELETE FROM message" OF "1 AND id NOT IN (SELECT id FROM (SELECT id,"
	" row_number() OVER (PARTITION BY CASE WHEN json_valid(event) THEN"
	" json_extract(event, '$.site') END ORDER BY id DESC) AS number"
	" FROM message" OF "1) ORDER BY number > " KEPT(
	    ALERT_KEPT_OF_SITE) ", id DESC LIMIT " KEPT(ALERT_KEPT) ")",
    [SET_FAILED] = "UPDATE message SET tries = tries + 1, next_s = ?4,"
		   " why = ?5" OF "0 AND id <= ?3",
    [DROP] = "DELETE FROM message" OF "0 AND made_s < ?3",
};

struct alert_state {
	sqlite3 *db;
	sqlite3_stmt *statements[QUERIES]; /* each made at its first use */
	int code; /* of the first failure; SQLITE_OK: none */
};

const char *
alert_sink_name(enum alert_sink sink)
{
	static const char *const names[] = {"exec", "webhook", "atom"};

	return names[sink];
}

static void
note(struct alert_state *state, int code)
{
	if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE &&
	    state->code == SQLITE_OK)
		state->code = code;
}

/* A statement without values, or NULL after a failure. */
static sqlite3_stmt *
use(struct alert_state *state, enum query query)
{
	sqlite3_stmt **stmt = &state->statements[query];

	if (state->code != SQLITE_OK)
		return NULL;
	if (*stmt == NULL)
		note(state,
		    sqlite3_prepare_v2(
			state->db, queries[query], -1, stmt, NULL));
	if (*stmt == NULL)
		return NULL;
	(void)sqlite3_reset(*stmt);
	(void)sqlite3_clear_bindings(*stmt);
	return *stmt;
}

static bool
step(struct alert_state *state, sqlite3_stmt *stmt)
{
	int code;

	if (stmt == NULL || state->code != SQLITE_OK)
		return false;
	code = sqlite3_step(stmt);
	note(state, code);
	return code == SQLITE_ROW;
}

static void
done(sqlite3_stmt *stmt)
{
	if (stmt != NULL)
		(void)sqlite3_reset(stmt);
}

/* Run a statement that answers nothing. */
static void
finish(struct alert_state *state, sqlite3_stmt *stmt)
{
	(void)step(state, stmt);
	done(stmt);
}

static void
run(struct alert_state *state, enum query query)
{
	finish(state, use(state, query));
}

/* Is the file new, or one of these? */
static bool
is_ours(struct alert_state *state)
{
	sqlite3_stmt *stmt = use(state, IS_OURS);
	bool is_ours = step(state, stmt) &&
	    (sqlite3_column_int64(stmt, 1) == 0 ||
		sqlite3_column_int64(stmt, 0) == APPLICATION_ID);

	done(stmt);
	return is_ours;
}

static int
status_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
		return EXIT_DONE;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return EXIT_LOCKED;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return EXIT_DAMAGED;
	default:
		return EXIT_DISK;
	}
}

static int
complain_of(int code, const char *path)
{
	int status = status_of(code);

	if (status == EXIT_LOCKED)
		complain("another 'freshet alert' is at work on '%s'", path);
	else if (status == EXIT_DAMAGED)
		complain("'%s' is damaged, or no file of alerts; without it, "
			 "alerts begin anew",
		    path);
	else
		complain("'%s': %s", path, sqlite3_errstr(code));
	return status;
}

static void
state_free(struct alert_state *state)
{
	for (int i = 0; i < QUERIES; i++)
		(void)sqlite3_finalize(state->statements[i]);
	(void)sqlite3_close(state->db);
	free(state);
}

int
alert_state_open(const char *store_path, struct alert_state **out)
{
	struct alert_state *state = mem_zero(sizeof(*state));
	struct buf path;
	int status = EXIT_DONE;

	*out = NULL;
	buf_init(&path, SIZE_MAX);
	(void)buf_print(&path, "%s-alerts", store_path);
	note(state,
	    sqlite3_open_v2(buf_str(&path), &state->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL));
	run(state, EXCLUSIVELY);
	run(state, BEGIN_ALONE);
	if (state->code == SQLITE_OK && !is_ours(state))
		note(state, SQLITE_NOTADB);
	for (int i = MARK; i <= MAKE_INDEX; i++)
		run(state, (enum query)i);
	run(state, COMMIT);
	if (state->code != SQLITE_OK) {
		status = complain_of(state->code, buf_str(&path));
		state_free(state);
	} else {
		*out = state;
	}
	buf_release(&path);
	return status;
}

int
alert_state_close(struct alert_state *state, int status)
{
	if (state == NULL)
		return status;
	if (state->code != SQLITE_OK)
		status = complain_of(
		    state->code, sqlite3_db_filename(state->db, "main"));
	state_free(state);
	return status;
}

void
alert_state_begin(struct alert_state *state)
{
	run(state, BEGIN);
}

void
alert_state_commit(struct alert_state *state)
{
	run(state, COMMIT);
	if (state->code != SQLITE_OK)
		alert_state_rollback(state);
}

void
alert_state_rollback(struct alert_state *state)
{
	int code = state->code;

	state->code = SQLITE_OK;
	if (!sqlite3_get_autocommit(state->db))
		run(state, ROLLBACK);
	if (code != SQLITE_OK)
		state->code = code;
}

/* A statement about an alert. */
static sqlite3_stmt *
use_of(struct alert_state *state, enum query query, const char *alert)
{
	sqlite3_stmt *stmt = use(state, query);

	if (stmt != NULL)
		note(state,
		    sqlite3_bind_text(stmt, 1, alert, -1, SQLITE_TRANSIENT));
	return stmt;
}

static void
bind_int(struct alert_state *state, sqlite3_stmt *stmt, int i, int64_t value)
{
	if (stmt != NULL)
		note(state, sqlite3_bind_int64(stmt, i, value));
}

static void
bind_slice(
    struct alert_state *state, sqlite3_stmt *stmt, int i, struct slice value)
{
	if (stmt != NULL)
		note(state,
		    sqlite3_bind_text(
			stmt, i, value.p, (int)value.len, SQLITE_TRANSIENT));
}

/* A statement about what an alert tells a sink. */
static sqlite3_stmt *
use_of_sink(struct alert_state *state, enum query query, const char *alert,
    enum alert_sink sink)
{
	sqlite3_stmt *stmt = use_of(state, query, alert);

	bind_int(state, stmt, 2, sink);
	return stmt;
}

int64_t
alert_state_since(struct alert_state *state, const char *alert)
{
	sqlite3_stmt *stmt = use_of(state, SINCE, alert);
	int64_t since_s = 0;

	if (step(state, stmt))
		since_s = sqlite3_column_int64(stmt, 0);
	done(stmt);
	return since_s;
}

void
alert_state_until(struct alert_state *state, const char *alert, int64_t until_s)
{
	sqlite3_stmt *stmt = use_of(state, UNTIL, alert);

	bind_int(state, stmt, 2, until_s);
	finish(state, stmt);
}

/* A statement about an alert and a site. */
static sqlite3_stmt *
use_of_site(struct alert_state *state, enum query query, const char *alert,
    int64_t site_id)
{
	sqlite3_stmt *stmt = use_of(state, query, alert);

	bind_int(state, stmt, 2, site_id);
	return stmt;
}

int64_t
alert_state_held(struct alert_state *state, const char *alert, int64_t site_id)
{
	sqlite3_stmt *stmt = use_of_site(state, HELD, alert, site_id);
	int64_t until_s = 0;

	if (step(state, stmt))
		until_s = sqlite3_column_int64(stmt, 0);
	done(stmt);
	return until_s;
}

void
alert_state_hold(struct alert_state *state, const char *alert, int64_t site_id,
    int64_t until_s)
{
	sqlite3_stmt *stmt = use_of_site(
	    state, until_s == 0 ? LET_GO : HOLD, alert, site_id);

	if (until_s != 0)
		bind_int(state, stmt, 3, until_s);
	finish(state, stmt);
}

void
alert_state_add(struct alert_state *state, const char *alert,
    enum alert_sink sink, const struct alert_message *message)
{
	sqlite3_stmt *stmt = use_of_sink(state, ADD, alert, sink);

	bind_int(state, stmt, 3, message->known_s);
	bind_int(state, stmt, 4, message->made_s);
	bind_slice(state, stmt, 5, message->line);
	bind_slice(state, stmt, 6, message->event);
	finish(state, stmt);
}

static struct slice
text_of(sqlite3_stmt *stmt, int column)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);

	return slice_make((const char *)text,
	    text == NULL ? 0 : (size_t)sqlite3_column_bytes(stmt, column));
}

void
alert_state_each(struct alert_state *state, const char *alert,
    enum alert_sink sink, bool is_told, alert_message_fn *fn, void *arg)
{
	sqlite3_stmt *stmt = use_of_sink(
	    state, is_told ? TOLD : WAITING, alert, sink);

	while (step(state, stmt)) {
		struct alert_message message = {
		    .id = sqlite3_column_int64(stmt, 0),
		    .known_s = sqlite3_column_int64(stmt, 1),
		    .made_s = sqlite3_column_int64(stmt, 2),
		    .tries = sqlite3_column_int64(stmt, 3),
		    .next_s = sqlite3_column_int64(stmt, 4),
		    .line = text_of(stmt, 5),
		    .event = text_of(stmt, 6),
		    .why = text_of(stmt, 7)};

		fn(arg, &message);
	}
	done(stmt);
}

void
alert_state_told(struct alert_state *state, const char *alert,
    enum alert_sink sink, const int64_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sqlite3_stmt *stmt = use_of_sink(state, SET_TOLD, alert, sink);

		bind_int(state, stmt, 3, ids[i]);
		finish(state, stmt);
	}
	finish(state, use_of_sink(state, PRUNE, alert, sink));
}

void
alert_state_failed(struct alert_state *state, const char *alert,
    enum alert_sink sink, int64_t last_id, int64_t next_s, struct slice why)
{
	sqlite3_stmt *stmt = use_of_sink(state, SET_FAILED, alert, sink);

	bind_int(state, stmt, 3, last_id);
	bind_int(state, stmt, 4, next_s);
	bind_slice(state, stmt, 5, why);
	finish(state, stmt);
}

uint64_t
alert_state_drop(struct alert_state *state, const char *alert,
    enum alert_sink sink, int64_t before_s)
{
	sqlite3_stmt *stmt = use_of_sink(state, DROP, alert, sink);

	bind_int(state, stmt, 3, before_s);
	finish(state, stmt);
	return state->code == SQLITE_OK ? (uint64_t)sqlite3_changes64(state->db)
					: 0;
}
