/* The numbers of libpq that pg.h repeats, and which shard a host belongs to. */
#include "store/depot/pg.h"

#include <libpq-fe.h>
#include <string.h>

#include "tests/fixtures/fixture.h"

static void
numbers_are_those_of_libpq(void **state)
{
	(void)state;
	assert_int_equal(PG_CONNECTION_OK, CONNECTION_OK);
	assert_int_equal(PG_CONNECTION_BAD, CONNECTION_BAD);
	assert_int_equal(PG_POLL_FAILED, PGRES_POLLING_FAILED);
	assert_int_equal(PG_POLL_READING, PGRES_POLLING_READING);
	assert_int_equal(PG_POLL_WRITING, PGRES_POLLING_WRITING);
	assert_int_equal(PG_POLL_OK, PGRES_POLLING_OK);
	assert_int_equal(PG_COMMAND_OK, PGRES_COMMAND_OK);
	assert_int_equal(PG_TUPLES_OK, PGRES_TUPLES_OK);
	assert_int_equal(PG_COPY_OUT, PGRES_COPY_OUT);
	assert_int_equal(PG_COPY_IN, PGRES_COPY_IN);
	assert_int_equal(PG_FATAL_ERROR, PGRES_FATAL_ERROR);
	assert_int_equal(PG_PIPELINE_SYNC, PGRES_PIPELINE_SYNC);
	assert_int_equal(sizeof(struct pg_option), sizeof(PQconninfoOption));
	assert_int_equal(
	    offsetof(struct pg_option, val), offsetof(PQconninfoOption, val));
	assert_int_equal(
	    offsetof(struct pg_notify, extra), offsetof(PGnotify, extra));
}

static void
www_is_at_home_with_its_host(void **state)
{
	static struct pg_cluster cluster;

	(void)state;
	for (int i = 0; i < PG_SLOTS; i++)
		cluster.slots[i] = (uint16_t)i;
	assert_int_equal(pg_home(&cluster, slice_of("www.example.org")),
	    pg_home(&cluster, slice_of("example.org")));
	assert_int_not_equal(pg_home(&cluster, slice_of("example.net")),
	    pg_home(&cluster, slice_of("example.org")));
}

UNIT_TESTS(pg, cmocka_unit_test(numbers_are_those_of_libpq),
    cmocka_unit_test(www_is_at_home_with_its_host));
