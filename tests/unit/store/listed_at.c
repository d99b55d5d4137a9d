/* What a document listed at a time in the past: the same as it was found to
 * list at that time. */
#include "tests/fixtures/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "store/changes.h"
#include "store/prune.h"
#include "tests/fixtures/store_fixture.h"

#define ROUNDS 12
#define READINGS 30

static bool
put_entry(void *arg, const struct entry *entry)
{
	struct buf *out = arg;

	if (entry->missed > 0)
		return true;
	if (entry->verdict != VERDICT_ACCEPTED)
		(void)buf_put_char(out, '?');
	put_name(out, entry->url);
	put_day(out, &entry->lastmod);
	(void)buf_put_char(out, ' ');
	return true;
}

/* A reading at random: letters in order, some dated, some refused. */
static void
put_listed(struct buf *out, uint32_t *random)
{
	buf_clear(out);
	for (char name = 'a'; name <= 'h'; name++) {
		uint32_t roll = (*random = *random * 1664525 + 1013904223) >> 8;

		if (roll % 3 == 0)
			continue;
		(void)buf_print(
		    out, "%s%c", roll / 3 % 5 == 0 ? "?" : "", name);
		if (roll / 15 % 2 == 0)
			(void)buf_print(out, ":%u", 1 + roll / 30 % 3);
		(void)buf_put_char(out, ' ');
	}
}

static void
check(struct store *store, int64_t document_id, int64_t at_s,
    const char *listed, struct buf *out)
{
	buf_clear(out);
	assert_true(
	    store_each_listed_at(store, document_id, at_s, put_entry, out));
	if (strcmp(buf_str(out), listed) != 0)
		fail_msg("at %lld: '%s', not '%s'", (long long)at_s,
		    buf_str(out), listed);
}

/* What was found to be listed at a time, less what turned out to be gone since
 * that time or before: a mass drop that was held, and confirmed later. */
struct known_later {
	struct store *store;
	int64_t at_s;
	char *listed;
	unsigned *held; /* how many such pages there were */
};

static bool
take_gone(void *arg, const struct change *change)
{
	struct known_later *later = arg;
	struct buf name;
	char *at;

	if (change->kind != DELTA_GONE)
		return true;
	buf_init(&name, SIZE_MAX);
	put_name(&name, change->url);
	at = strstr(later->listed, buf_str(&name));
	if (at != NULL) {
		at -= at > later->listed && at[-1] == '?';
		++*later->held;
		memmove(at, strchr(at, ' ') + 1, strlen(strchr(at, ' ')));
	}
	buf_release(&name);
	return true;
}

static bool
take_reading(void *arg, const struct reading_row *row)
{
	struct known_later *later = arg;

	if (row->at_s > later->at_s &&
	    delta_at_s(DELTA_GONE, row->at_s, row->since_s) <= later->at_s)
		store_each_change(later->store, row->id, take_gone, later);
	return true;
}

/* After each of many readings of all kinds, and at the end again for each of
 * their times, with what is known then. */
static void
test_random(void **state)
{
	static const enum how hows[] = {COMPLETE, COMPLETE, COMPLETE, PARTIAL,
	    HELD, UNCHANGED, FAILED, ABSENT};
	uint32_t random = 1;
	unsigned held = 0;
	struct buf listed, out;

	buf_init(&listed, SIZE_MAX);
	buf_init(&out, SIZE_MAX);
	for (int round = 0; round < ROUNDS; round++) {
		char *then[READINGS];
		struct world world;
		int64_t id;

		world_open(&world);
		id = document_make(world.store, "h.test", HOST_TEXT "s.xml");
		for (int i = 0; i < READINGS; i++) {
			enum how how = i == 0
			    ? COMPLETE
			    : hows[(random >> 16) % COUNT(hows)];

			put_listed(&listed, &random);
			(void)read_at(world.store, id, 1000 + 10 * i, how,
			    how == COMPLETE || how == PARTIAL || how == HELD
				? buf_str(&listed)
				: "");
			buf_clear(&out);
			store_each_entry(world.store, id, put_entry, &out);
			then[i] = slice_dup(buf_text(&out));
			check(world.store, id, 1000 + 10 * i, then[i], &out);
		}
		check(world.store, id, 999, "", &out);
		for (int i = 0; i < READINGS; i++) {
			struct known_later later = {
			    world.store, 1000 + 10 * i, then[i], &held};

			store_each_reading(world.store,
			    (struct reading_from){
				.by = READINGS_OF_DOCUMENT, .id = id},
			    take_reading, &later);
			check(world.store, id, 1000 + 10 * i, then[i], &out);
			check(world.store, id, 1009 + 10 * i, then[i], &out);
			free(then[i]);
		}
		world_close(&world);
	}
	assert_true(held > 10);
	buf_release(&listed);
	buf_release(&out);
}

static bool
refuse(void *arg, const struct entry *entry)
{
	fail();
	return false;
}

static bool
count_one(void *arg, const struct entry *entry)
{
	++*(int *)arg;
	return false;
}

/* Once readings were removed, the time before them is not known. */
static void
test_pruned(void **state)
{
	struct world *world = *state;
	struct buf *out = &world->out;
	struct prune_totals totals = {0};
	int64_t id;
	int count = 0;

	id = document_make(world->store, "h.test", HOST_TEXT "s.xml");
	assert_true(store_each_listed_at(world->store, id, 5, refuse, NULL));
	(void)read_at(world->store, id, 10, FAILED, "");
	(void)read_at(world->store, id, 20, COMPLETE, "a b");
	(void)read_at(world->store, id, 30, COMPLETE, "a b c");
	(void)read_at(world->store, id, 40, COMPLETE, "a c d");
	check(world->store, id, 15, "", out);
	check(world->store, id, 25, "a b ", out);
	assert_int_equal(store_prune(world->store, 25, &totals), DIAG_OK);
	assert_int_equal(totals.readings, 2);
	assert_false(store_each_listed_at(world->store, id, 25, refuse, NULL));
	check(world->store, id, 30, "a b c ", out);
	check(world->store, id, 40, "a c d ", out);
	assert_true(
	    store_each_listed_at(world->store, id, 40, count_one, &count));
	assert_int_equal(count, 1);
}

UNIT_TESTS(listed_at, cmocka_unit_test(test_random), world_test(test_pruned));
