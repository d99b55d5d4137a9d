/* The tally of a site: its numbers, and which changes of its documents are
 * changes of the site, are compared with a count of all its entries. */
#include "tests/fixtures/fixture.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/changes.h"
#include "store/db.h"
#include "store/reach.h"
#include "store/site.h"
#include "store/site_tally.h"
#include "store/url_hashes.h"
#include "tests/fixtures/sql_fixture.h"
#include "tests/fixtures/store_fixture.h"

#define HOST "h.test"
#define DOCUMENTS 5
#define PAGES 16 /* named p00 and so on; children of indexes are named c00 */
#define CHILDREN 6
#define ROUNDS 30
#define SEEDS 12
#define BEGIN_S 1000000
#define LARGE_ENTRIES 200000 /* of each of two documents */
#define MANY_DOCUMENTS 8
#define MANY_ENTRIES 9000

/* How the documents of the site hold a page. */
struct presence {
	bool is_listed, is_accepted, is_missing;
};

struct truth {
	struct presence pages[PAGES];
};

struct city {
	struct world world;
	int64_t site_id, documents[DOCUMENTS];
	bool is_index[DOCUMENTS];
	int64_t now_s;
	uint64_t seed;
	int64_t tallied_id; /* the last reading that was tallied */
	struct truth then; /* what was true at that time */
};

static unsigned
draw(struct city *city, unsigned below)
{
	city->seed = city->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(city->seed >> 33) % below;
}

/* What is true, by all entries of all documents. */

static bool
note(void *arg, const struct entry *entry)
{
	struct truth *truth = arg;
	struct slice name = slice_from(entry->url, strlen(HOST_TEXT));
	struct presence *presence;

	if (name.p[0] != 'p')
		return true;
	presence = &truth->pages[(name.p[1] - '0') * 10 + name.p[2] - '0'];
	presence->is_missing |= entry->missed > 0;
	presence->is_listed |= entry->missed == 0;
	presence->is_accepted |= entry->missed == 0 &&
	    entry->verdict == VERDICT_ACCEPTED;
	return true;
}

static struct truth
look(struct city *city)
{
	struct truth truth = {0};

	for (size_t i = 0; i < DOCUMENTS; i++)
		store_each_entry(
		    city->world.store, city->documents[i], note, &truth);
	return truth;
}

static struct site_numbers
numbers_of(const struct truth *truth)
{
	struct site_numbers numbers = {0};

	for (size_t i = 0; i < PAGES; i++) {
		numbers.listed += truth->pages[i].is_listed;
		numbers.refused += truth->pages[i].is_listed &&
		    !truth->pages[i].is_accepted;
	}
	return numbers;
}

static uint64_t
known_of(const struct truth *truth)
{
	uint64_t known = 0;

	for (size_t i = 0; i < PAGES; i++)
		known += truth->pages[i].is_listed ||
		    truth->pages[i].is_missing;
	return known;
}

static void
assert_numbers(struct site_numbers numbers, const struct truth *truth)
{
	struct site_numbers expected = numbers_of(truth);

	assert_int_equal(numbers.listed, expected.listed);
	assert_int_equal(numbers.refused, expected.refused);
}

/* How many changes of each kind count as changes of the site, for one page. */
struct page_changes {
	unsigned count[DELTA_KINDS];
};

struct delta_walk {
	const unsigned char *elsewhere;
	size_t len, at;
	struct page_changes *pages; /* borrowed; PAGES of them */
	unsigned count[DELTA_KINDS];
};

static bool
count_change(void *arg, const struct change *change)
{
	struct delta_walk *walk = arg;
	struct slice name = slice_from(change->url, strlen(HOST_TEXT));
	size_t at = walk->at++;
	bool is_elsewhere = at / 8 < walk->len &&
	    (walk->elsewhere[at / 8] >> at % 8 & 1) != 0;

	if (is_elsewhere || change->kind == DELTA_REDATED)
		return true;
	/* a child of an index is no page of the site */
	assert_int_equal(name.p[0], 'p');
	walk->count[change->kind]++;
	walk->pages[(name.p[1] - '0') * 10 + name.p[2] - '0']
	    .count[change->kind]++;
	return true;
}

/* Count the changes of the site by all readings since the last tally, for each
 * page, and check that each reading's own counts agree. */
static void
check_readings(struct city *city, struct page_changes pages[PAGES])
{
	static const enum delta_kind kinds[] = {
	    DELTA_ADDED, DELTA_REMOVED, DELTA_RETURNED, DELTA_GONE};
	sqlite3_stmt *stmt;

	assert_int_equal(
	    sqlite3_prepare_v2(city->world.store->db,
		"SELECT id, elsewhere, site_new, site_removed, site_returned,"
		" site_gone FROM reading WHERE id > ?1 AND delta_blocks > 0"
		" AND pages > 0 ORDER BY id",
		-1, &stmt, NULL),
	    SQLITE_OK);
	assert_int_equal(
	    sqlite3_bind_int64(stmt, 1, city->tallied_id), SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		struct delta_walk walk = {
		    .elsewhere = sqlite3_column_blob(stmt, 1),
		    .len = (size_t)sqlite3_column_bytes(stmt, 1),
		    .pages = pages};

		store_each_change(city->world.store,
		    sqlite3_column_int64(stmt, 0), count_change, &walk);
		for (int i = 0; i < 4; i++)
			assert_int_equal(sqlite3_column_int64(stmt, 2 + i),
			    walk.count[kinds[i]]);
	}
	(void)sqlite3_finalize(stmt);
}

/* Each page that the site gained came by exactly one change; each page that the
 * site lost went by exactly one. */
static void
assert_changes(struct city *city, const struct truth *now)
{
	struct page_changes pages[PAGES] = {0};
	struct site_sum sum = {0};
	uint64_t known = known_of(now), then = known_of(&city->then);

	check_readings(city, pages);
	for (size_t i = 0; i < PAGES; i++) {
		struct presence was = city->then.pages[i], is = now->pages[i];
		bool was_known = was.is_listed || was.is_missing;
		bool is_known = is.is_listed || is.is_missing;

		assert_int_equal(
		    pages[i].count[DELTA_ADDED], !was_known && is_known);
		assert_int_equal(
		    pages[i].count[DELTA_GONE], was_known && !is_known);
		assert_true(pages[i].count[DELTA_RETURNED] <=
		    (was.is_missing && !was.is_listed && is.is_listed));
		assert_true(pages[i].count[DELTA_REMOVED] <=
		    ((was.is_listed || !was_known) && !is.is_listed &&
			is.is_missing));
	}
	store_site_sum(
	    city->world.store, city->site_id, city->tallied_id, &sum);
	assert_int_equal(
	    sum.changes[DELTA_ADDED] - sum.changes[DELTA_GONE], known - then);
}

/* Rounds of random changes. */

static int64_t
last_id(struct city *city)
{
	return store_number(city->world.store, STORE_LAST_READING, 0, 0);
}

/* Make the tally in steps of `work`, and store it. */
static void
count_all(struct city *city, uint64_t work)
{
	struct site_tally *tally = site_tally_new(
	    city->world.store, city->site_id);

	while (site_tally_some(tally, work))
		;
	assert_true(site_tally_state(tally) == TALLY_IS_DONE);
	site_tally_put(tally, city->world.store);
	assert_int_equal(store_flush(city->world.store), DIAG_OK);
	site_tally_free(tally);
	assert_false(store_number(city->world.store, STORE_UNTALLIED,
			 city->site_id - 1, 0) == city->site_id);
}

/* Append some names, each at most once. */
static void
put_listed(struct city *city, struct buf *out, bool is_index)
{
	unsigned names = is_index ? CHILDREN : PAGES;
	unsigned share = draw(city, 4);

	for (unsigned i = 0; i < names; i++)
		if (draw(city, 4) < share)
			(void)buf_print(out, "%s%c%02u:%u ",
			    draw(city, 4) == 0 ? "?" : "", is_index ? 'c' : 'p',
			    i, draw(city, 3));
}

static void
read_one(struct city *city, size_t number, enum how how)
{
	struct reading *reading;
	struct buf listed;

	buf_init(&listed, SIZE_MAX);
	if (how == COMPLETE || how == PARTIAL || how == HELD)
		put_listed(city, &listed, city->is_index[number]);
	/* a page that is back within a day was never away */
	city->now_s += 2 * DAY_S;
	reading = reading_make(city->world.store, city->documents[number],
	    city->now_s, how, buf_str(&listed));
	if (reading->outcome == OUTCOME_READ && city->is_index[number])
		reading->content.kind = KIND_INDEX;
	(void)submit(city->world.store, reading);
	buf_release(&listed);
}

static void
change_one(struct city *city, size_t number)
{
	unsigned what = draw(city, 100);

	if (what < 40) {
		read_one(city, number, COMPLETE);
	} else if (what < 48) {
		read_one(city, number, PARTIAL);
	} else if (what < 56) {
		read_one(city, number, HELD);
	} else if (what < 68) {
		read_one(city, number, UNCHANGED);
	} else if (what < 73) {
		read_one(city, number, FAILED);
	} else if (what < 83) {
		read_one(city, number, ABSENT);
		city->now_s += REACH_ABSENT_S + 1;
		read_one(city, number, ABSENT);
	} else if (what < 90) {
		city->is_index[number] = !city->is_index[number];
		read_one(city, number, COMPLETE);
	}
}

static int
usual_file(void)
{
	char path[] = "/tmp/freshet-hashes-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	return fd;
}

/* Half of the cities keep hashes of the first readings. */
static void
city_open(struct city *city, uint64_t seed)
{
	struct store *s;

	*city = (struct city){.seed = seed, .now_s = BEGIN_S};
	world_open(&city->world);
	s = city->world.store;
	if (seed % 2 == 1)
		store_keep_hashes(s, usual_file);
	city->site_id = store_site(s, slice_of(HOST));
	for (size_t i = 0; i < DOCUMENTS; i++) {
		char url[64];

		/* The last document comes after the first crawl, so that it is
		 * a new one. */
		if (i == DOCUMENTS - 1) {
			assert_int_equal(
			    store_number(s, STORE_UNTALLIED, 0, 0), 0);
			assert_true(store_first_read(s, city->site_id));
			assert_int_equal(store_number(s, STORE_UNTALLIED, 0, 0),
			    city->site_id);
		}
		(void)snprintf(url, sizeof(url), HOST_TEXT "%zu.xml", i);
		city->documents[i] = document_make(s, HOST, url);
		reach_root(s, city->site_id, city->documents[i], ROOT_OF_TARGET,
		    slice_make(NULL, 0));
		if (i < DOCUMENTS - 1)
			read_one(city, i, COMPLETE);
		/* A document that is read twice in the first crawl. */
		if (i < DOCUMENTS - 1 && draw(city, 4) == 0)
			change_one(city, i);
	}
}

static void
test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct city city;
		struct truth now;

		city_open(&city, seed);
		for (unsigned round = 0; round < ROUNDS; round++) {
			now = look(&city);
			assert_numbers(store_site_numbers(city.world.store,
					   city.site_id, false),
			    &now);
			if (round == 0 || draw(&city, 2) == 0) {
				count_all(&city,
				    draw(&city, 2) == 0 ? 1 : UINT64_MAX);
				struct site_sum sum = {0};

				store_site_sum(
				    city.world.store, city.site_id, 0, &sum);
				assert_numbers(sum.numbers, &now);
				if (round > 0)
					assert_changes(&city, &now);
				city.then = now;
				city.tallied_id = last_id(&city);
			}
			for (size_t i = 0; i < DOCUMENTS; i++)
				if (draw(&city, 3) == 0)
					change_one(&city, i);
		}
		world_close(&city.world);
	}
}

/* Chosen cases; names of pages are those of segment_fixture.h. */

struct hamlet {
	struct world world;
	struct store *store;
	int64_t site_id, a, b;
	int64_t now_s, tallied_id;
};

static void
read_as(struct hamlet *hamlet, int64_t document_id, enum document_kind kind,
    const char *listed)
{
	struct reading *reading = reading_make(
	    hamlet->store, document_id, ++hamlet->now_s, COMPLETE, listed);

	reading->content.kind = kind;
	(void)submit(hamlet->store, reading);
}

static void
hamlet_open(struct hamlet *hamlet, const char *a, const char *b)
{
	*hamlet = (struct hamlet){.now_s = BEGIN_S};
	world_open(&hamlet->world);
	hamlet->store = hamlet->world.store;
	hamlet->site_id = store_site(hamlet->store, slice_of(HOST));
	hamlet->a = document_make(hamlet->store, HOST, HOST_TEXT "a.xml");
	hamlet->b = document_make(hamlet->store, HOST, HOST_TEXT "b.xml");
	reach_root(hamlet->store, hamlet->site_id, hamlet->a, ROOT_OF_TARGET,
	    slice_make(NULL, 0));
	reach_root(hamlet->store, hamlet->site_id, hamlet->b, ROOT_OF_TARGET,
	    slice_make(NULL, 0));
	read_as(hamlet, hamlet->a, KIND_URLSET, a);
	read_as(hamlet, hamlet->b, KIND_URLSET, b);
	assert_true(store_first_read(hamlet->store, hamlet->site_id));
}

/* Make the tally: the site lists so many URLs, and so many changes since the
 * last tally are the site's: new, removed, returned, gone. */
static void
assert_tally(struct hamlet *hamlet, uint64_t listed, const char *expected)
{
	struct site_tally *tally = site_tally_new(
	    hamlet->store, hamlet->site_id);
	struct site_sum sum = {0};
	char text[64];

	while (site_tally_some(tally, UINT64_MAX))
		;
	site_tally_put(tally, hamlet->store);
	site_tally_free(tally);
	assert_int_equal(store_flush(hamlet->store), DIAG_OK);
	store_site_sum(
	    hamlet->store, hamlet->site_id, hamlet->tallied_id, &sum);
	assert_int_equal(sum.numbers.listed, listed);
	hamlet->tallied_id = store_number(
	    hamlet->store, STORE_LAST_READING, 0, 0);
	(void)snprintf(text, sizeof(text), "%u %u %u %u",
	    (unsigned)sum.changes[DELTA_ADDED],
	    (unsigned)sum.changes[DELTA_REMOVED],
	    (unsigned)sum.changes[DELTA_RETURNED],
	    (unsigned)sum.changes[DELTA_GONE]);
	assert_string_equal(text, expected);
}

/* A page that moves to another document is neither gone nor new. */
static void
test_moves(void **state)
{
	struct hamlet hamlet;

	(void)state;
	hamlet_open(&hamlet, "p q r", "r s");
	assert_tally(&hamlet, 4, "0 0 0 0");
	/* r leaves one of the two documents that list it */
	read_as(&hamlet, hamlet.a, KIND_URLSET, "p q");
	assert_tally(&hamlet, 4, "0 0 0 0");
	read_as(&hamlet, hamlet.a, KIND_URLSET, "p q");
	assert_tally(&hamlet, 4, "0 0 0 0");
	/* q moves from one document to the other */
	read_as(&hamlet, hamlet.a, KIND_URLSET, "p");
	read_as(&hamlet, hamlet.b, KIND_URLSET, "q r s");
	assert_tally(&hamlet, 4, "0 0 0 0");
	read_as(&hamlet, hamlet.a, KIND_URLSET, "p");
	assert_tally(&hamlet, 4, "0 0 0 0");
	/* q leaves the last document that lists it */
	read_as(&hamlet, hamlet.b, KIND_URLSET, "r s t");
	assert_tally(&hamlet, 4, "1 1 0 0");
	read_as(&hamlet, hamlet.b, KIND_URLSET, "r s t");
	assert_tally(&hamlet, 4, "0 0 0 1");
	/* SPEC 15.3: s is missed, and comes back in the other document: no
	 * change tells of it, then or when the first document lacks it again */
	read_as(&hamlet, hamlet.b, KIND_URLSET, "r t");
	assert_tally(&hamlet, 3, "0 1 0 0");
	read_as(&hamlet, hamlet.a, KIND_URLSET, "p s");
	assert_tally(&hamlet, 4, "0 0 0 0");
	read_as(&hamlet, hamlet.b, KIND_URLSET, "r t");
	assert_tally(&hamlet, 4, "0 0 0 0");
	world_close(&hamlet.world);
}

/* SPEC R-120: what is gone, and comes in another document within a day, was
 * never away. */
static void
test_back(void **state)
{
	static const struct {
		int64_t pause_s;
		bool is_same;
		const char *then; /* since the page was gone, all in all */
	} rows[] = {{DAY_S - 9, false, "0 0 0 0"},
	    {DAY_S + 9, false, "1 0 0 1"}, {DAY_S + 9, true, "0 0 0 0"},
	    {DAY_S / 2 * 3, true, "1 0 0 1"}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hamlet hamlet;
		int64_t begun_id;

		hamlet_open(&hamlet, "p q", "r");
		assert_tally(&hamlet, 3, "0 0 0 0");
		begun_id = hamlet.tallied_id;
		read_as(&hamlet, hamlet.a, KIND_URLSET, "p");
		read_as(&hamlet, hamlet.a, KIND_URLSET, "p");
		assert_tally(&hamlet, 2, "0 0 0 1");
		hamlet.now_s += rows[i].pause_s;
		if (rows[i].is_same)
			read_as(&hamlet, hamlet.a, KIND_URLSET, "p q");
		else
			read_as(&hamlet, hamlet.b, KIND_URLSET, "q r");
		assert_tally(
		    &hamlet, 3, rows[i].then[0] == '1' ? "1 0 0 0" : "0 0 0 0");
		hamlet.tallied_id = begun_id;
		assert_tally(&hamlet, 3, rows[i].then);
		world_close(&hamlet.world);
	}
}

/* Since when changes wait to be counted: first readings, and those that change
 * nothing, do not. */
static void
test_untallied(void **state)
{
	struct hamlet hamlet;

	(void)state;
	hamlet_open(&hamlet, "p q r", "r s");
	assert_int_equal(
	    store_number(hamlet.store, STORE_UNTALLIED_S, hamlet.site_id, 0),
	    0);
	assert_tally(&hamlet, 4, "0 0 0 0");
	read_as(&hamlet, hamlet.a, KIND_URLSET, "p q r");
	assert_int_equal(
	    store_number(hamlet.store, STORE_UNTALLIED_S, hamlet.site_id, 0),
	    0);
	read_as(&hamlet, hamlet.a, KIND_URLSET, "p q r t");
	read_as(&hamlet, hamlet.b, KIND_URLSET, "r s u");
	assert_int_equal(
	    store_number(hamlet.store, STORE_UNTALLIED_S, hamlet.site_id, 0),
	    hamlet.now_s - 1);
	assert_tally(&hamlet, 6, "2 0 0 0");
	assert_int_equal(
	    store_number(hamlet.store, STORE_UNTALLIED_S, hamlet.site_id, 0),
	    0);
	world_close(&hamlet.world);
}

/* A document becomes an index, so that its pages become children, and the other
 * way round. */
static void
test_other_class(void **state)
{
	struct hamlet hamlet;

	(void)state;
	hamlet_open(&hamlet, "p q", "s");
	assert_tally(&hamlet, 3, "0 0 0 0");
	read_as(&hamlet, hamlet.a, KIND_INDEX, "x y");
	assert_tally(&hamlet, 1, "0 2 0 0");
	read_as(&hamlet, hamlet.a, KIND_INDEX, "x y");
	assert_tally(&hamlet, 1, "0 0 0 2");
	hamlet.now_s += 2 * DAY_S;
	read_as(&hamlet, hamlet.a, KIND_URLSET, "p q");
	assert_tally(&hamlet, 3, "2 0 0 0");
	/* the children that the index had were no pages, so none is gone */
	read_as(&hamlet, hamlet.a, KIND_URLSET, "p q");
	assert_tally(&hamlet, 3, "0 0 0 0");
	/* a document and an index with the same URLs */
	read_as(&hamlet, hamlet.a, KIND_INDEX, "p q");
	assert_int_equal(
	    store_site_numbers(hamlet.store, hamlet.site_id, false).listed, 1);
	read_as(&hamlet, hamlet.a, KIND_URLSET, "p q");
	assert_int_equal(
	    store_site_numbers(hamlet.store, hamlet.site_id, false).listed, 3);
	world_close(&hamlet.world);
}

/* More changes than are kept in memory at once, half of them of pages that
 * another document has. */
static void
test_many(void **state)
{
	struct hamlet hamlet;
	char url[64];

	(void)state;
	hamlet_open(&hamlet, "p", "q");
	assert_tally(&hamlet, 2, "0 0 0 0");
	for (unsigned i = 0; i < MANY_DOCUMENTS; i++) {
		char *listed = numbered(
		    i / 2 * MANY_ENTRIES, (i / 2 + 1) * MANY_ENTRIES);

		(void)snprintf(url, sizeof(url), HOST_TEXT "%u.xml", i);
		read_as(&hamlet, document_make(hamlet.store, HOST, url),
		    KIND_URLSET, listed);
		free(listed);
	}
	assert_tally(
	    &hamlet, 2 + MANY_DOCUMENTS / 2 * MANY_ENTRIES, "36000 0 0 0");
	world_close(&hamlet.world);
}

/* Hashes of the URLs of first readings. */

static void
read_range(
    struct hamlet *hamlet, int64_t document_id, unsigned from, unsigned to)
{
	char *listed = numbered(from, to);

	read_as(hamlet, document_id, KIND_URLSET, listed);
	free(listed);
}

/* An index, and two documents that share half of their pages. */
static void
begin_two(struct hamlet *hamlet, int (*file)(void), unsigned entries)
{
	*hamlet = (struct hamlet){.now_s = BEGIN_S};
	world_open(&hamlet->world);
	hamlet->store = hamlet->world.store;
	store_keep_hashes(hamlet->store, file);
	hamlet->site_id = store_site(hamlet->store, slice_of(HOST));
	hamlet->a = document_make(hamlet->store, HOST, HOST_TEXT "a.xml");
	hamlet->b = document_make(hamlet->store, HOST, HOST_TEXT "b.xml");
	read_as(hamlet, document_make(hamlet->store, HOST, HOST_TEXT "i.xml"),
	    KIND_INDEX, "x y");
	read_range(hamlet, hamlet->a, 0, entries);
	read_range(hamlet, hamlet->b, entries / 2, entries / 2 + entries);
}

static void
read_two(struct hamlet *hamlet, int (*file)(void), unsigned entries)
{
	begin_two(hamlet, file, entries);
	assert_true(store_first_read(hamlet->store, hamlet->site_id));
}

/* More URLs than are counted at once, and a small document that lists two of
 * them alone: the store is not needed. */
static void
test_hashes(void **state)
{
	const unsigned urls = LARGE_ENTRIES * 3 / 2 + 2;
	struct hamlet hamlet;
	struct site_tally *tally;

	(void)state;
	begin_two(&hamlet, usual_file, LARGE_ENTRIES);
	read_range(&hamlet,
	    document_make(hamlet.store, HOST, HOST_TEXT "small.xml"),
	    urls - 102, urls);
	assert_true(store_first_read(hamlet.store, hamlet.site_id));
	tally = site_tally_new(hamlet.store, hamlet.site_id);
	assert_false(site_tally_state(tally) == TALLY_NEEDS_STORE);
	site_tally_free(tally);
	assert_tally(&hamlet, urls, "0 0 0 0");
	/* They are not kept any longer, nor for a known site. */
	assert_int_equal(
	    url_hashes_count(hamlet.store->url_hashes, hamlet.site_id), 0);
	read_as(&hamlet, document_make(hamlet.store, HOST, HOST_TEXT "c.xml"),
	    KIND_URLSET, "p q");
	assert_int_equal(
	    url_hashes_count(hamlet.store->url_hashes, hamlet.site_id), 0);
	assert_tally(&hamlet, urls + 2, "2 0 0 0");
	world_close(&hamlet.world);
}

/* A document that was read again leaves nothing wrong. */
static void
test_hashes_dropped(void **state)
{
	struct hamlet hamlet;
	struct site_tally *tally;

	(void)state;
	read_two(&hamlet, usual_file, 10);
	assert_int_equal(
	    url_hashes_count(hamlet.store->url_hashes, hamlet.site_id), 20);
	read_range(&hamlet, hamlet.a, 0, 4);
	assert_int_equal(
	    url_hashes_count(hamlet.store->url_hashes, hamlet.site_id), 0);
	tally = site_tally_new(hamlet.store, hamlet.site_id);
	assert_true(site_tally_state(tally) == TALLY_NEEDS_STORE);
	site_tally_free(tally);
	assert_int_equal(
	    store_site_numbers(hamlet.store, hamlet.site_id, false).listed, 14);
	world_close(&hamlet.world);
}

static int
no_file(void)
{
	return -1;
}

static int
full_file(void)
{
	return open("/dev/full", O_RDWR);
}

static int
unreadable_file(void)
{
	int fd = usual_file();
	char path[64];
	int other;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	other = open(path, O_WRONLY);
	assert_int_equal(close(fd), 0);
	assert_true(other >= 0);
	return other;
}

static void
test_hashes_fail(void **state)
{
	static int (*const files[])(void) = {
	    no_file, full_file, unreadable_file};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct hamlet hamlet;
		struct site_tally *tally;

		read_two(&hamlet, files[i], 10);
		if (files[i] == unreadable_file) {
			tally = site_tally_new(hamlet.store, hamlet.site_id);
			assert_false(
			    site_tally_state(tally) == TALLY_NEEDS_STORE);
			while (site_tally_some(tally, UINT64_MAX))
				;
			site_tally_put(tally, hamlet.store);
			site_tally_free(tally);
			assert_true(
			    store_number(hamlet.store, STORE_UNTALLIED,
				hamlet.site_id - 1, 0) == hamlet.site_id);
		}
		assert_tally(&hamlet, 15, "0 0 0 0");
		world_close(&hamlet.world);
	}
}

UNIT(site_tally)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random),
	    cmocka_unit_test(test_hashes),
	    cmocka_unit_test(test_hashes_dropped),
	    cmocka_unit_test(test_hashes_fail),
	    cmocka_unit_test(test_moves),
	    cmocka_unit_test(test_back),
	    cmocka_unit_test(test_untallied),
	    cmocka_unit_test(test_other_class),
	    cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
