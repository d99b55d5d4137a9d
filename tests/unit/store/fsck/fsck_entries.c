/* Fsck: what may be wrong with entries, and with bytes. */
#include "tests/fixtures/fixture.h"

#include "base/mem.h"
#include "store/location.h"
#include "tests/fixtures/fsck_fixture.h"

#define SITEMAP "http://h.test/d/s.xml"
#define PAGE "http://h.test/d/x"

/* Entries that no reader of ours would have sent. */

static void
keep_block(void *list, const struct block *block)
{
	block_list_add(list, block);
}

/* submit_entry(store, fingerprint, entry): a sitemap that lists it alone. */
static void
submit_entry(
    struct store *store, uint64_t fingerprint, const struct entry *entry)
{
	int64_t id = document_make(store, "h.test", SITEMAP);
	struct reading *reading = reading_make(store, id, DAY_0, COMPLETE, "");
	struct block_writer *writer = block_writer_new(
	    keep_block, &reading->content.segment);

	block_writer_add(writer, entry);
	merge_count(&reading->content.merge, entry, DAY_0);
	block_writer_finish(writer);
	block_writer_free(writer);
	reading->content.seen = reading->content.accepted = 1;
	reading->fingerprint = fingerprint;
	reading->http.final_url = mem_copy(SITEMAP);
	(void)submit(store, reading);
}

/* examine(world, heard): close the store, and have it checked. */
static struct fsck_totals
examine(struct world *world, struct heard *heard)
{
	store_close(world->store);
	world->store = NULL;
	return fsck_run(world->path, false, heard);
}

static const struct {
	const char *url;
	struct entry rest;
	const char *found;
} cases[] = {
    {PAGE, {.missed = 0}, ""},
    {"http://h.test/d/", {.first_seen_s = DAY_0}, ""},
    {"https://o.test/", {.redated_s = DAY_0}, ""},
    {PAGE, {.lastmod = {.epoch_s = DAY_0, .precision = DATE_DAY}}, ""},
    {PAGE, {.first_seen_s = -1}, "J9 "},
    {PAGE, {.first_seen_s = DAY_0 + 1}, "J9 "},
    {PAGE, {.redated_s = DAY_0 + 1}, "J9 "},
    {"http://H.test/d/x", {.missed = 0}, "J10 "},
    {"ftp://h.test/d/x", {.missed = 0}, "J10 "},
    {"http://h.test/d/../x", {.missed = 0}, "J10 "},
    {"/d/x", {.missed = 0}, "J10 "},
    {"http://127.0.0.1/d/x", {.missed = 0}, "J4 "},
    {PAGE, {.hints = 0xb7, .extensions = 31}, ""},
    {PAGE, {.hints = 8}, "J14 "},
    {PAGE, {.hints = 0xc0}, "J14 "},
    {PAGE, {.extensions = 32}, "J14 "},
    {PAGE, {.lastmod = {.epoch_s = INT64_C(1) << 39, .precision = DATE_DAY}},
	"J15 "},
};

static void
test_entries(void **state)
{
	struct heard heard = {0};

	(void)state;
	buf_init(&heard.text, SIZE_MAX);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct entry entry = cases[i].rest;
		struct fsck_totals totals;
		struct world world;

		entry.url = slice_of(cases[i].url);
		world_open(&world);
		submit_entry(world.store, 5, &entry);
		totals = examine(&world, &heard);
		assert_string_equal(buf_str(&heard.text), cases[i].found);
		assert_int_equal(totals.judged_exactly, 0);
		assert_int_equal(totals.judged_generally, 1);
		world_close(&world);
	}
	buf_release(&heard.text);
}

/* vouch(store, scope): robots.txt of o.test names the sitemap. */
static void
vouch(struct store *store, struct location_scope *scope)
{
	struct slice named = slice_of(SITEMAP);
	uint32_t line = 1;
	struct robots_fact fact = {
	    .origin = slice_of("http://o.test"),
	    .fetched_s = DAY_0,
	    .sitemaps = &named,
	    .lines = &line,
	    .sitemap_count = 1,
	};

	store_robots(store, &fact);
	string_set_add(&scope->proof_origins, fact.origin);
}

static void
scope_make(struct location_scope *scope, enum profile_name name)
{
	const struct profile profile = profile_default(name);

	location_scope_init(scope, &profile);
	scope->has_location = true;
	assert_int_equal(url_parse(&scope->requested, slice_of(SITEMAP), NULL,
			     &profile, (struct diag_sink){0}),
	    DIAG_OK);
	url_copy(&scope->final, &scope->requested);
}

/* J4: a scope that can be made again is held against every entry. */
static void
test_rules(void **state)
{
	static const struct {
		enum profile_name profile;
		bool is_vouched_for;
		const char *url;
		const char *found;
	} rules[] = {
	    {PROFILE_GOOGLE, false, "http://h.test/d/x", ""},
	    {PROFILE_GOOGLE, false, "http://h.test/x", "J4 "},
	    {PROFILE_GOOGLE, false, "http://o.test/x", "J4 "},
	    {PROFILE_GOOGLE, true, "http://o.test/x", ""},
	    {PROFILE_STRICT, false, "http://h.test/x", "J4 "},
	    {PROFILE_LENIENT, false, "http://h.test/x", ""},
	    {PROFILE_LENIENT, false, "http://o.test/x", "J4 "},
	};
	struct heard heard = {0};

	(void)state;
	buf_init(&heard.text, SIZE_MAX);
	for (size_t i = 0; i < COUNT(rules); i++) {
		struct entry entry = {.url = slice_of(rules[i].url)};
		struct location_scope scope;
		struct world world;

		world_open(&world);
		scope_make(&scope, rules[i].profile);
		if (rules[i].is_vouched_for)
			vouch(world.store, &scope);
		submit_entry(world.store,
		    location_fingerprint(&scope, FSCK_READER_VERSION), &entry);
		assert_int_equal(examine(&world, &heard).judged_exactly, 1);
		assert_string_equal(buf_str(&heard.text), rules[i].found);
		location_scope_release(&scope);
		world_close(&world);
	}
	buf_release(&heard.text);
}

/* S9: bytes flipped at random: never a crash, never an endless loop. */

/* survive(patient, bytes, repairs): is the damage seen? */
static bool
survive(struct patient *patient, const struct buf *bytes, bool repairs)
{
	struct store_options options = {
	    .path = patient->world.path, .is_read_only = !repairs};
	struct fsck_options how = {.repairs = repairs,
	    .found = fsck_hear,
	    .arg = &patient->heard,
	    .max_depth = 4};
	struct fsck_totals totals = {0};
	struct store *store;
	struct buf why;

	patient_write(patient, buf_text(bytes));
	buf_init(&why, SIZE_MAX);
	buf_clear(&patient->heard.text);
	if (store_open(&options, &store, &why) == DIAG_OK)
		assert_int_equal(store_fsck(store, &how, &totals), DIAG_OK);
	else
		assert_null(store);
	buf_release(&why);
	bool is_seen = store == NULL || totals.violations > 0;
	store_close(store);
	return is_seen;
}

static void
test_flips(void **state)
{
	struct patient patient;
	struct buf bytes;
	uint32_t random = 1;
	unsigned seen = 0;

	(void)state;
	patient_open(&patient);
	buf_init(&bytes, SIZE_MAX);
	for (int i = 0; i < 300; i++) {
		buf_clear(&bytes);
		(void)buf_put_slice(&bytes, buf_text(&patient.whole));
		for (int k = 0; k < 1 + i % 8; k++) {
			random = random * 1664525 + 1013904223;
			bytes.p[(random >> 8) % bytes.len] ^= (char)(random |
			    1);
		}
		seen += survive(&patient, &bytes, i % 4 == 0);
	}
	assert_true(seen > 50);
	buf_release(&bytes);
	patient_close(&patient);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_entries),
	    cmocka_unit_test(test_rules),
	    cmocka_unit_test(test_flips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
