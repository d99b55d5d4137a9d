/* Which documents of a site are reachable, and what becomes of the others. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/proof.h"
#include "store/reach.h"
#include "store/siblings.h"
#include "store/site.h"
#include "tests/fixtures/store_fixture.h"

#define ORIGIN "http://h.test"
#define NAMES_MAX 4
#define BEGIN_S (DAY_0 + 100 * (int64_t)DAY_S)

struct village {
	struct world world;
	struct store *store;
	int64_t site_id, now_s;
	int64_t told_id; /* the last reading before the latest "site" */
	int64_t marked_s; /* the time of "mark" */
};

static int
village_setup(void **state)
{
	struct village *village = mem_zero(sizeof(*village));

	world_open(&village->world);
	village->now_s = BEGIN_S;
	village->store = village->world.store;
	village->site_id = store_site(village->store, slice_of(SITE));
	*state = village;
	return 0;
}

static int
village_teardown(void **state)
{
	struct village *village = *state;

	world_close(&village->world);
	free(village);
	return 0;
}

static int64_t
document(struct village *village, struct slice name)
{
	char url[64];

	(void)snprintf(
	    url, sizeof(url), HOST_TEXT "%.*s", (int)name.len, name.p);
	return document_make(village->store, SITE, url);
}

/* Cut a text at its blanks; returns the number of words. */
static uint32_t
words_of(const char *text, struct slice words[NAMES_MAX])
{
	uint32_t count = 0;

	for (; *text != '\0'; text += strspn(text, " ")) {
		size_t len = strcspn(text, " ");

		assert_true(count < NAMES_MAX);
		words[count++] = slice_make(text, len);
		text += len;
	}
	return count;
}

/* Read a whole robots.txt, a day later, that names these documents; they are
 * requested then.  Returns what reach_robots returns. */
static uint64_t
robots(struct village *village, const char *names)
{
	struct slice words[NAMES_MAX], urls[NAMES_MAX];
	const uint32_t lines[NAMES_MAX] = {1, 2, 3, 4};
	char texts[NAMES_MAX][64];
	uint32_t count = words_of(names, words);
	struct reading *reading;
	uint64_t lost;

	village->now_s += DAY_S;
	for (uint32_t i = 0; i < count; i++) {
		(void)snprintf(texts[i], sizeof(texts[i]), HOST_TEXT "%.*s",
		    (int)words[i].len, words[i].p);
		urls[i] = slice_of(texts[i]);
	}
	lost = store_robots(village->store,
	    &(struct robots_fact){.origin = slice_of(ORIGIN),
		.fetched_s = village->now_s,
		.expires_s = village->now_s + DAY_S,
		.status = 200,
		.sitemaps = urls,
		.lines = lines,
		.sitemap_count = count});
	for (uint32_t i = 0; i < count; i++)
		reach_root(village->store, village->site_id,
		    document(village, words[i]), ROOT_OF_LINE,
		    slice_of(ORIGIN));
	reading = reading_new(
	    document(village, slice_of("robots.txt")), village->now_s);
	reading->content.kind = KIND_ROBOTS;
	reading->content.is_complete = true;
	reading->outcome = OUTCOME_READ;
	(void)submit(village->store, reading);
	return lost;
}

/* The entries that were gone by the last reading that ended a document had
 * been absent since this time. */
static int64_t
ended_since_s(struct village *village)
{
	return sql_number(village->world.path,
	    "SELECT since_s FROM reading WHERE outcome = 'ended'"
	    " ORDER BY id DESC LIMIT 1");
}

/*
 * What happens to a site, step by step:
 *	target X, place X	it is a root, of the operator or a default one
 *	unroot X		the operator removes the target; "*": a host
 *	robots X Y, lost	robots.txt names these, or names no document
 *	read X a b, part X a	X lists these pages completely, or partly
 *	same X, fail X, 404 X, refuse X		it does not answer with pages
 *	index X Y Z		X is an index that lists Y and Z
 *	moved X Y a b		X is redirected to Y, which lists these pages
 *	wait N			N seconds pass
 * and what must be true then:
 *	led X, unled X		something leads to X, or nothing
 *	has X a b		these entries of X are stored
 *	site N ...		see site_told
 *	begun			the first crawl of the site is over
 *	mark, since		what ended is absent since the time of mark
 */
static bool
village_step(struct village *village, const char *step)
{
	static const struct {
		const char *verb;
		enum how how;
	} hows[] = {{"read", COMPLETE}, {"part", PARTIAL}, {"index", COMPLETE},
	    {"moved", COMPLETE}, {"same", UNCHANGED}, {"fail", FAILED},
	    {"404", ABSENT}, {"refuse", REFUSED}};
	struct slice children[NAMES_MAX];
	struct reading *reading;
	char verb[16], name[32] = "", url[64];
	int64_t id;
	size_t at;
	int used = 0;

	assert_true(sscanf(step, "%15s %n%31s", verb, &used, name) >= 1);
	if (strcmp(verb, "robots") == 0)
		return robots(village, step + used) == 0;
	if (strcmp(verb, "lost") == 0)
		return robots(village, "") == 1;
	if (strcmp(verb, "begun") == 0)
		return store_first_read(village->store, village->site_id);
	if (strcmp(verb, "site") == 0)
		return strcmp(site_told(village->store, village->site_id,
				  &village->told_id, &village->world.out),
			   step + used) == 0;
	if (strcmp(verb, "mark") == 0)
		village->marked_s = village->now_s;
	if (strcmp(verb, "since") == 0)
		return ended_since_s(village) == village->marked_s;
	if (strcmp(verb, "wait") == 0)
		village->now_s += atoll(name);
	if (strcmp(verb, "mark") == 0 || strcmp(verb, "wait") == 0)
		return true;

	id = name[0] == '*' ? 0 : document(village, slice_of(name));
	step += (size_t)used + strlen(name);
	step += strspn(step, " ");
	if (strcmp(verb, "led") == 0)
		return store_number(village->store, STORE_IS_LED, id, 0) != 0;
	if (strcmp(verb, "unled") == 0)
		return store_number(village->store, STORE_IS_LED, id, 0) == 0;
	if (strcmp(verb, "has") == 0) {
		assert_segment(village->store, id, step);
		return true;
	}
	if (strcmp(verb, "unroot") == 0) {
		reach_unroot(village->store, village->site_id,
		    &(struct unrooting){.document_id = id,
			.origin = slice_of(id == 0 ? ORIGIN : ""),
			.at_s = village->now_s});
		return store_flush(village->store) == DIAG_OK;
	}
	if (strcmp(verb, "target") == 0 || strcmp(verb, "place") == 0) {
		bool is_target = verb[0] == 't';

		reach_root(village->store, village->site_id, id,
		    is_target ? ROOT_OF_TARGET : ROOT_OF_PLACE,
		    slice_of(is_target ? "" : ORIGIN));
		return true;
	}

	for (at = 0; strcmp(verb, hows[at].verb) != 0; at++)
		assert_true(at + 1 < COUNT(hows));
	if (strcmp(verb, "moved") == 0) {
		assert_int_equal(sscanf(step, "%31s %n", name, &used), 1);
		step += used;
	}
	if (strcmp(verb, "index") == 0) {
		uint32_t count = words_of(step, children);

		link_set_of(village->store, id)->count = 0;
		for (uint32_t i = 0; i < count; i++)
			store_link(village->store, id,
			    document(village, children[i]), &(struct date){0});
	}
	reading = reading_make(
	    village->store, id, ++village->now_s, hows[at].how, step);
	if (strcmp(verb, "index") == 0)
		reading->content.kind = KIND_INDEX;
	(void)snprintf(url, sizeof(url), HOST_TEXT "%s", name);
	reading->http.final_url = mem_copy(url);
	(void)submit(village->store, reading);
	return true;
}

static void
village_tell(struct village *village, const char *const *steps)
{
	for (size_t i = 0; steps[i] != NULL; i++)
		if (!village_step(village, steps[i]))
			fail_msg("step %zu, '%s': %s", i, steps[i],
			    buf_str(&village->world.out));
}

#define TELL(village, ...) \
	village_tell(village, (const char *const[]){__VA_ARGS__, NULL})

/* A Sitemap line is replaced.  Pages that only the old document listed are
 * gone with the second robots.txt that lacks the line, since the time of the
 * first. */
static void
test_line_replaced(void **state)
{
	TELL(*state, "robots a.xml", "read a.xml p q", "begun",
	    "site 2 0 0 0 0", "robots b.xml", "mark", "read b.xml q r",
	    "led a.xml", "site 3 1 0 0 0", "robots b.xml", "unled a.xml",
	    "site 2 0 0 0 1", "since",
	    /* a document that is named again is a root again, and its pages are
	     * new */
	    "robots a.xml b.xml", "led a.xml", "site 2 0 0 0 0",
	    "read a.xml p q", "site 3 1 0 0 0");
}

/* The old document stays until the new one has been read completely. */
static void
test_line_unread(void **state)
{
	struct village *village = *state;

	TELL(village, "robots a.xml", "read a.xml p q", "begun");
	for (int i = 0; i < 4; i++)
		TELL(village, "robots b.xml",
		    i < 2 ? "fail b.xml" : "404 b.xml", "same a.xml");
	TELL(village, "part b.xml r", "led a.xml", "site 3 1 0 0 0",
	    "read b.xml r", "unled a.xml", "site 1 0 0 0 2");
}

/* If robots.txt names no document all roots stay, and reach_robots says so
 * each time. */
static void
test_line_lost(void **state)
{
	TELL(*state, "robots a.xml", "read a.xml p q", "begun", "lost", "lost",
	    "lost", "lost", "led a.xml", "site 2 0 0 0 0",
	    /* the line is back */
	    "robots a.xml",
	    /* another document is named, in two readings of robots.txt */
	    "robots b.xml", "read b.xml r", "led a.xml", "robots a.xml b.xml",
	    "robots b.xml", "read b.xml r", "led a.xml", "site 3 1 0 0 0");
}

/* A default location is a root until robots.txt names documents; a target is
 * a root whatever robots.txt names. */
static void
test_places(void **state)
{
	TELL(*state, "place sitemap.xml", "target t.xml", "robots",
	    "read sitemap.xml p", "read t.xml q", "begun", "site 2 0 0 0 0",
	    "robots", "robots", "robots", "led sitemap.xml", "robots b.xml",
	    "read b.xml r", "led sitemap.xml", "robots b.xml",
	    "unled sitemap.xml", "led t.xml", "site 2 1 0 0 1");
}

/* Pages of a target that the operator removed did not leave their site. */
static void
test_unroot(void **state)
{
	TELL(*state, "target a.xml", "target b.xml", "read a.xml p q",
	    "read b.xml q r", "begun", "site 3 0 0 0 0", "unroot a.xml",
	    "unled a.xml", "has a.xml", "site 2 0 0 0 0",
	    /* a target that is added again had its pages all the time; only
	     * later changes count */
	    "target a.xml", "read a.xml p q s", "led a.xml", "site 4 0 0 0 0",
	    "read a.xml p q s t", "site 5 1 0 0 0",
	    /* all that the robots.txt and the default locations of the origin
	     * lead to */
	    "robots c.xml", "place sitemap.xml", "read c.xml u",
	    "read sitemap.xml v", "site 7 2 0 0 0", "unroot *",
	    "site 5 0 0 0 0");
}

/* A document ends when it answers 404 for a week, and by no other failure. */
static void
test_absent(void **state)
{
	struct village *village = *state;

	TELL(village, "target a.xml", "read a.xml p q", "begun",
	    "site 2 0 0 0 0", "404 a.xml", "wait 518400", "404 a.xml",
	    "site 2 0 0 0 0",
	    /* something else, and then a second less than a week */
	    "fail a.xml", "wait 172800", "404 a.xml", "mark", "wait 604798",
	    "404 a.xml", "site 2 0 0 0 0", "404 a.xml", "site 0 0 0 0 2",
	    "since", "404 a.xml", "site 0 0 0 0 0",
	    /* the document is back, and only pages that it did not list before
	     * are new */
	    "read a.xml p", "site 1 1 0 0 0");
	/* other failures end no document, however long they last */
	for (int i = 0; i < 30; i++)
		TELL(village, "wait 86400", "fail a.xml", "wait 86400",
		    "refuse a.xml");
	TELL(village, "site 1 0 0 0 0");
}

static void
test_child(void **state)
{
	TELL(*state, "target i.xml", "target j.xml", "index i.xml x.xml y.xml",
	    "index j.xml y.xml", "read x.xml p q", "read y.xml q r", "begun",
	    "site 3 0 0 0 0", "index i.xml", "mark", "led x.xml",
	    "site 3 0 0 0 0", "index i.xml", "unled x.xml", "site 2 0 0 0 1",
	    "since",
	    /* the other index lists the child, and lists it again before it is
	     * missed twice */
	    "led y.xml", "index j.xml", "index j.xml y.xml", "index j.xml",
	    "led y.xml", "same j.xml", "unled y.xml", "site 0 0 0 0 2",
	    /* a child that is back, after more than a day */
	    "wait 172800", "index i.xml x.xml", "led x.xml", "read x.xml q",
	    "site 1 1 0 0 0");
}

/* When an index ends, its children and their children end, too, except those
 * that something else leads to. */
static void
test_index_ends(void **state)
{
	assert_int_equal(REACH_ABSENT_S, 604800);
	TELL(*state, "target i.xml", "target z.xml",
	    "index i.xml j.xml y.xml z.xml", "index j.xml x.xml i.xml",
	    "read x.xml p", "read y.xml q", "read z.xml r", "begun",
	    "site 3 0 0 0 0", "404 i.xml", "mark", "wait 604800", "404 i.xml",
	    "unled j.xml", "unled x.xml", "led z.xml", "site 1 0 0 0 2",
	    "since",
	    /* the children return with the index */
	    "index i.xml j.xml y.xml z.xml", "led y.xml", "led j.xml",
	    "read y.xml q", "site 2 1 0 0 0");
}

/* Two documents that redirect to one URL count once, whichever is requested
 * first. */
static void
test_alias(void **state)
{
	TELL(*state, "target a.xml", "read a.xml p q", "begun",
	    "site 2 0 0 0 0",
	    /* another document takes its place */
	    "moved a.xml b.xml p q", "site 2 0 0 0 0", "robots b.xml",
	    "read b.xml p q", "has a.xml", "site 2 0 0 0 0",
	    "moved a.xml b.xml p q", "has a.xml", "site 2 0 0 0 0",
	    /* the target leads to the document, even if nothing else does */
	    "unroot *", "led b.xml", "site 2 0 0 0 0",
	    /* the document is no alias any more, and lists what it listed */
	    "read a.xml p q", "has a.xml p q", "site 2 0 0 0 0");
}

/* An index that is redirected to a page list of the site ends with children
 * that are no pages. */
static void
test_index_becomes_alias(void **state)
{
	TELL(*state, "target a.xml", "target i.xml", "read a.xml p q",
	    "index i.xml c.xml d.xml", "begun", "site 2 0 0 0 0",
	    "moved i.xml a.xml p q", "site 2 0 0 0 0");
}

/* A large site is not settled at each commit that puts it in doubt, but
 * store_settle settles it. */
static void
test_many(void **state)
{
	struct village *village = *state;
	char name[32];

	TELL(village, "target i.xml");
	for (int i = 0; i <= SETTLE_MANY; i++) {
		(void)snprintf(name, sizeof(name), "more-%d.xml", i);
		(void)document(village, slice_of(name));
	}
	TELL(village, "index i.xml a.xml b.xml", "read a.xml p", "read b.xml q",
	    "begun", "site 2 0 0 0 0", "index i.xml a.xml", "read a.xml p",
	    "index i.xml a.xml", "unled b.xml", "index i.xml a.xml b.xml",
	    "unled b.xml");
	assert_true(
	    store_settle(village->store, village->site_id, village->now_s));
	assert_int_equal(store_flush(village->store), DIAG_OK);
	TELL(village, "led b.xml");
	assert_false(
	    store_settle(village->store, village->site_id, village->now_s));
	/* some time later a commit settles the site */
	TELL(village, "index i.xml a.xml", "read a.xml p", "wait 86400",
	    "index i.xml a.xml", "unled b.xml");
}

/* Which of all documents may list what a.xml lacks: those of its own index, and
 * of the index beside it, but not what an index of the site lists elsewhere. */
static void
test_siblings(void **state)
{
	static const char *const readings[] = {"index i.xml j.xml k.xml",
	    "index j.xml a.xml b.xml", "index k.xml c.xml", "read a.xml p",
	    "read b.xml p", "read c.xml p", "read d.xml p"};
	static const struct {
		size_t first; /* the reading that is made first */
		bool is_sibling;
	} rows[] = {{0, false}, {1, true}, {2, false}, {4, true}, {5, true},
	    {6, false}};
	struct village *village = *state;

	TELL(village, "target i.xml", "target d.xml");
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t first_s;

		TELL(village, readings[rows[i].first]);
		first_s = village->now_s;
		for (size_t k = 0; k < COUNT(readings); k++)
			if (k != rows[i].first)
				TELL(village, readings[k]);
		if ((siblings_open_s(village->store,
			 document(village, slice_of("a.xml")),
			 village->now_s) == first_s + 1) != rows[i].is_sibling)
			fail_msg("%s", readings[rows[i].first]);
	}
}

#define village_test(test) \
	cmocka_unit_test_setup_teardown(test, village_setup, village_teardown)

UNIT_TESTS(reach, village_test(test_line_replaced),
    village_test(test_line_unread), village_test(test_line_lost),
    village_test(test_places), village_test(test_unroot),
    village_test(test_siblings), village_test(test_absent),
    village_test(test_child), village_test(test_index_ends),
    village_test(test_alias), village_test(test_index_becomes_alias),
    village_test(test_many));
