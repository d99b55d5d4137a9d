/* What keepers, routers and commands ask PostgreSQL. */
#include "store/depot/members.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/depot/pg.h"
#include "store/schema.h"

#define PATIENCE_MS 5000 /* for an answer */

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

/* pg_ask(), but a server that does not answer is left.  A connection that broke
 * since the last call is no failure: every statement bears repetition. */
static struct pg_result *
members_ask(struct members *members, const char *sql, int count,
    const char *const parameters[], struct buf *why)
{
	bool is_old = members->conn != NULL;
	struct pg_result *result = NULL, *more;
	bool is_good = members_dial(members, why) &&
	    pq.send_query_params(members->conn, sql, count, NULL, parameters,
		NULL, NULL, 0) == 1;
	int status;

	if (members->conn == NULL)
		return NULL;
	while (is_good && pq.is_busy(members->conn)) {
		struct pollfd fd = {
		    .fd = pq.socket(members->conn), .events = POLLIN};

		if (poll(&fd, 1, PATIENCE_MS) == 0) {
			(void)buf_print(why, "PostgreSQL does not answer");
			members_hang_up(members);
			return NULL;
		}
		is_good = pq.consume_input(members->conn) == 1;
	}
	if (is_good) {
		result = pq.get_result(members->conn);
		while ((more = pq.get_result(members->conn)) != NULL)
			pq.clear(more);
	}
	status = pq.result_status(result);
	if (status == PG_TUPLES_OK || status == PG_COMMAND_OK)
		return result;
	pq.clear(result);
	is_good = pq.status(members->conn) == PG_CONNECTION_OK;
	if (is_good || !is_old)
		pg_put_message(why, pq.error_message(members->conn));
	members_hang_up(members);
	return is_good || !is_old
	    ? NULL
	    : members_ask(members, sql, count, parameters, why);
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
	char number[16];
	const char *const parameters[] = {number};
	struct pg_result *result;
	bool is_held;

	(void)snprintf(number, sizeof(number), "%u", shard);
	result = members_ask(members,
	    "SELECT coalesce(nullif(m.place, ''), s.owner) FROM freshet.shard s"
	    " LEFT JOIN freshet.member m ON m.member = s.owner"
	    " WHERE s.shard = $1::integer AND s.owner IS NOT NULL"
	    " AND s.until > clock_timestamp()",
	    1, parameters, out);
	is_held = result != NULL && pq.ntuples(result) > 0;
	if (is_held)
		(void)buf_print(out, "%s", pq.getvalue(result, 0, 0));
	pq.clear(result);
	return is_held;
}

bool
members_post(struct members *members, unsigned shard, struct slice lines,
    struct buf *why)
{
	char number[16];
	char *text = slice_dup(lines);
	const char *const parameters[] = {number, text};
	struct pg_result *result;

	(void)snprintf(number, sizeof(number), "%u", shard);
	/* one statement is one transaction; who listens hears of its COMMIT */
	result = members_ask(members,
	    "WITH post AS (INSERT INTO freshet.mail (shard, lines)"
	    " VALUES ($1::integer, $2) RETURNING shard)"
	    " SELECT pg_notify('freshet_' || shard, '') FROM post",
	    2, parameters, why);
	free(text);
	pq.clear(result);
	return result != NULL;
}

bool
members_pulse(
    struct members *members, const struct machine *member, struct buf *why)
{
	char schema[16], capacity[16], lease_ms[24];
	const char *const parameters[] = {member->name, member->place,
	    member->program, schema, capacity, member->leaves ? "t" : "f",
	    lease_ms};
	struct pg_result *result;

	/* the lease is known with a connection only */
	if (!members_dial(members, why))
		return false;
	(void)snprintf(schema, sizeof(schema), "%d", SCHEMA_VERSION);
	(void)snprintf(capacity, sizeof(capacity), "%u", member->capacity);
	(void)snprintf(
	    lease_ms, sizeof(lease_ms), "%" PRId64, members->cluster.lease_ms);
	result = members_ask(members,
	    "INSERT INTO freshet.member (member, place, program, schema,"
	    " capacity, leaves, until) VALUES ($1, $2, $3, $4::integer,"
	    " $5::integer, $6::boolean,"
	    " clock_timestamp() + $7::float8 * interval '1 ms')"
	    " ON CONFLICT (member) DO UPDATE SET place = excluded.place,"
	    " program = excluded.program, schema = excluded.schema,"
	    " capacity = excluded.capacity, leaves = excluded.leaves,"
	    " until = excluded.until",
	    7, parameters, why);
	pq.clear(result);
	/* slots and lease may have changed; the server has just answered */
	if (result != NULL && !pg_look(members->conn, &members->cluster, why)) {
		members_hang_up(members);
		return false;
	}
	return result != NULL;
}

/* A number in a row. */
static int64_t
members_number(const struct pg_result *result, int row, int column)
{
	return strtoll(pq.getvalue(result, row, column), NULL, 10);
}

#define LEFT_MS                                              \
	"CASE WHEN isfinite(until) THEN (extract(epoch FROM" \
	" until - clock_timestamp()) * 1000)::bigint ELSE -1 END"

bool
members_each(struct members *members, members_shard_fn *on_shard,
    members_machine_fn *on_machine, void *arg, struct buf *why)
{
	struct pg_result *shards, *all = NULL;

	shards = members_ask(members,
	    "SELECT shard, coalesce(owner, ''), coalesce((SELECT"
	    " m.place FROM freshet.member m WHERE m.member = s.owner), owner,"
	    " ''), term,"
	    " version, " LEFT_MS ", is_open, coalesce(sites, 0),"
	    " coalesce(pages, 0), (SELECT count(*) FROM freshet.mail m"
	    " WHERE m.shard = s.shard) FROM freshet.shard s ORDER BY shard",
	    0, NULL, why);
	if (shards != NULL)
		all = members_ask(members,
		    "SELECT member, place, program, capacity, leaves, " LEFT_MS
		    " FROM freshet.member WHERE until > clock_timestamp()"
		    " - interval '1 day' ORDER BY member COLLATE \"C\"",
		    0, NULL, why);
	for (int i = 0; all != NULL && i < pq.ntuples(shards); i++)
		on_shard(arg,
		    &(struct member_shard){
			.shard = (unsigned)members_number(shards, i, 0),
			.owner = pq.getvalue(shards, i, 1),
			.place = pq.getvalue(shards, i, 2),
			.term = (uint64_t)members_number(shards, i, 3),
			.version = (uint64_t)members_number(shards, i, 4),
			.left_ms = members_number(shards, i, 5),
			.is_open = pq.getvalue(shards, i, 6)[0] == 't',
			.sites = members_number(shards, i, 7),
			.pages = members_number(shards, i, 8),
			.mail = members_number(shards, i, 9)});
	for (int i = 0; all != NULL && i < pq.ntuples(all); i++)
		on_machine(arg,
		    &(struct machine){.name = pq.getvalue(all, i, 0),
			.place = pq.getvalue(all, i, 1),
			.program = pq.getvalue(all, i, 2),
			.capacity = (unsigned)members_number(all, i, 3),
			.leaves = pq.getvalue(all, i, 4)[0] == 't',
			.left_ms = members_number(all, i, 5)});
	pq.clear(shards);
	pq.clear(all);
	return all != NULL;
}

/* The shard gets an owner that nobody is, until the time has passed. */
bool
members_set_aside(struct members *members, unsigned shard, const char *owner,
    int64_t ms, struct buf *why)
{
	char number[16], time_ms[24];
	const char *const parameters[] = {number, owner, time_ms};
	struct pg_result *result;

	(void)snprintf(number, sizeof(number), "%u", shard);
	(void)snprintf(time_ms, sizeof(time_ms), "%" PRId64, ms);
	result = members_ask(members,
	    "UPDATE freshet.shard SET owner = 'set aside', term = term + 1,"
	    " until = clock_timestamp() + $3::float8 * interval '1 ms'"
	    " WHERE shard = $1::integer AND owner = $2",
	    3, parameters, why);
	pq.clear(result);
	return result != NULL;
}

int
members_name(const char *machine, char name[MEMBER_NAME_BYTES])
{
	uint64_t random[2];
	char host[65] = "";
	struct buf path;
	ssize_t n;
	int fd;

	buf_init(&path, SIZE_MAX);
	(void)buf_print(&path, "%s.owner", machine);
	fd = open(
	    buf_str(&path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	buf_release(&path);
	n = fd < 0 ? -1 : read(fd, name, MEMBER_NAME_BYTES - 1);
	if (n == 0 && getrandom(random, sizeof(random), 0) == sizeof(random)) {
		(void)gethostname(host, sizeof(host) - 1);
		(void)snprintf(name, MEMBER_NAME_BYTES,
		    "%s %016" PRIx64 "%016" PRIx64, host, random[0], random[1]);
		n = write(fd, name, strlen(name));
	}
	name[n < 0 ? 0 : n] = '\0';
	if (n > 32)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}
