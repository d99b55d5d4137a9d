/* What keepers and commands ask PostgreSQL. */
#include "store/depot/members.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vis.h"
#include "store/depot/pg.h"
#include "store/schema.h"

#include "store/depot/pulse.inc"
#include "store/depot/show.inc"
#include "store/depot/turns.inc"

struct members {
	char *url; /* owned */
	struct pg_conn *conn; /* owned; NULL: none */
	struct pg_cluster cluster;
};

static void
members_hang_up(struct members *members)
{
	if (members->conn != NULL)
		pq.finish(members->conn);
	members->conn = NULL;
}

static bool
members_dial(struct members *members, struct buf *why)
{
	if (members->conn != NULL)
		return true;
	members->conn = pg_dial(members->url, why);
	if (members->conn != NULL &&
	    !pg_look(members->conn, &members->cluster, why))
		members_hang_up(members);
	return members->conn != NULL;
}

/* A connection that broke since the last call is no failure: each statement
 * bears repetition. */
static struct pg_result *
members_ask(struct members *members, const char *sql, int count,
    const char *const parameters[], struct buf *why)
{
	bool is_old = members->conn != NULL;
	struct pg_result *result = NULL;
	size_t len = why->len;

	if (members_dial(members, why))
		result = pg_ask(members->conn, sql, count, parameters, why);
	if (result != NULL || members->conn == NULL)
		return result;
	is_old = is_old && pq.status(members->conn) != PG_CONNECTION_OK;
	members_hang_up(members);
	if (!is_old)
		return NULL;
	why->len = len;
	return members_ask(members, sql, count, parameters, why);
}

/* Ask with the number of a shard as $1, and a text as $2, unless it is NULL. */
static struct pg_result *
members_ask_of(struct members *members, const char *sql, unsigned shard,
    const char *text, struct buf *why)
{
	char number[16];
	const char *const parameters[] = {number, text};

	(void)snprintf(number, sizeof(number), "%u", shard);
	return members_ask(members, sql, text == NULL ? 1 : 2, parameters, why);
}

enum diag_code
members_open(const char *url, struct members **out, struct buf *why)
{
	struct members *members = mem_zero(sizeof(*members));

	members->url = mem_copy(url);
	if (members_dial(members, why)) {
		*out = members;
		return DIAG_OK;
	}
	members_free(members);
	return DIAG_STORE_UNUSABLE;
}

void
members_free(struct members *members)
{
	if (members == NULL)
		return;
	members_hang_up(members);
	free(members->url);
	free(members);
}

unsigned
members_shards(const struct members *members)
{
	return members->cluster.shards;
}

int64_t
members_lease_ms(const struct members *members)
{
	return members->cluster.lease_ms;
}

unsigned
members_home(const struct members *members, struct slice host)
{
	return pg_home(&members->cluster, host);
}

bool
members_put_place(struct members *members, unsigned shard, struct buf *out)
{
	struct pg_result *result = members_ask_of(members,
	    "SELECT coalesce(nullif(m.place, ''), s.owner) FROM freshet.shard s"
	    " LEFT JOIN freshet.member m ON m.member = s.owner"
	    " WHERE s.shard = $1::integer AND s.owner <> 'set aside'"
	    " AND s.until > clock_timestamp()",
	    shard, NULL, out);
	bool is_held = result != NULL && pq.ntuples(result) > 0;

	if (is_held)
		(void)buf_print(out, "%s", pq.getvalue(result, 0, 0));
	pq.clear(result);
	return is_held;
}

bool
members_post(struct members *members, unsigned shard, struct slice lines,
    struct buf *why)
{
	char *text = slice_dup(lines);
	/* one statement is one transaction; who listens hears of its COMMIT */
	struct pg_result *result = members_ask_of(members,
	    "WITH post AS (INSERT INTO freshet.mail (shard, lines)"
	    " VALUES ($1::integer, $2) RETURNING shard)"
	    " SELECT pg_notify('freshet_' || shard, '') FROM post",
	    shard, text, why);

	free(text);
	pq.clear(result);
	return result != NULL;
}

bool
members_pulse(struct members *members, const struct machine *machine,
    members_turn_fn *fn, void *arg, struct buf *why)
{
	char schema[16], capacity[16];
	const char *const parameters[] = {machine->name, machine->place,
	    machine->program, schema, capacity, machine->leaves ? "t" : "f"};
	const char *const turns[] = {
	    machine->name, machine->is_hasty ? "t" : "f"};
	struct pg_result *result;

	(void)snprintf(schema, sizeof(schema), "%d", schema_current.count);
	(void)snprintf(capacity, sizeof(capacity), "%u", machine->capacity);
	result = members_ask(members, pulse_sql, 6, parameters, why);
	pq.clear(result);
	if (result != NULL)
		result = members_ask(members, turns_sql, 2, turns, why);
	for (int i = 0; result != NULL && i < pq.ntuples(result); i++)
		fn(arg,
		    &(struct member_turn){
			.shard = (unsigned)strtoul(
			    pq.getvalue(result, i, 0), NULL, 10),
			.part = (unsigned)strtoul(
			    pq.getvalue(result, i, 1), NULL, 10),
			.may_start = pq.getvalue(result, i, 2)[0] == 't',
			.is_newer = pq.getvalue(result, i, 3)[0] == 't'});
	pq.clear(result);
	return result != NULL;
}

bool
members_show(
    struct members *members, bool is_json, struct buf *lines, struct buf *why)
{
	struct pg_result *result = members_ask(members, show_sql, 0, NULL, why);

	if (!is_json)
		(void)buf_print(lines, "%5s  %-24s%6s%8s%12s%6s  STATE\n",
		    "SHARD", "MACHINE", "TERM", "SITES", "PAGES", "MAIL");
	for (int i = 0; result != NULL && i < pq.ntuples(result); i++) {
		vis_put(
		    lines, slice_of(pq.getvalue(result, i, is_json)), SIZE_MAX);
		(void)buf_put_char(lines, '\n');
	}
	pq.clear(result);
	return result != NULL;
}

/* The shard gets an owner that nobody is, until the time has passed. */
bool
members_set_aside(
    struct members *members, unsigned shard, const char *owner, struct buf *why)
{
	struct pg_result *result = members_ask_of(members,
	    "UPDATE freshet.shard SET owner = 'set aside', term = term + 1,"
	    " until = clock_timestamp() + interval '10 minutes'"
	    " WHERE shard = $1::integer AND owner = $2",
	    shard, owner, why);

	pq.clear(result);
	return result != NULL;
}

int
members_name(const char *machine, char name[MEMBER_NAME_BYTES])
{
	uint64_t random[2];
	char host[65] = "";
	struct buf path = BUF_UP_TO(SIZE_MAX);
	ssize_t n;
	int fd;

	(void)buf_print(&path, "%s.owner", machine);
	fd = open(
	    buf_str(&path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	buf_release(&path);
	n = fd < 0 ? -1 : read(fd, name, MEMBER_NAME_BYTES - 1);
	name[n < 0 ? 0 : n] = '\0';
	(void)gethostname(host, sizeof(host) - 1);
	/* a copy of this machine is another one */
	if (n >= 0 &&
	    (n <= 32 || strncmp(name, host, strlen(host)) != 0 ||
		name[strlen(host)] != ' ') &&
	    ftruncate(fd, 0) == 0 &&
	    getrandom(random, sizeof(random), 0) == sizeof(random)) {
		(void)snprintf(name, MEMBER_NAME_BYTES,
		    "%s %016" PRIx64 "%016" PRIx64, host, random[0], random[1]);
		n = pwrite(fd, name, strlen(name), 0);
	}
	if (n > 32)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}
