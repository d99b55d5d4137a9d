/* The scheduler under a million operations in random order: what it promises,
 * checked against what is too simple to be wrong. */
#include "tests/unit/fixture.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/random.h"
#include "sched/scheduler.h"
#include "sched/scheduler_tell.h"

#define HOSTS 40
#define TAGS 3
#define SITES 60
#define DOCUMENTS 120
#define PAGES 3000
#define OPERATIONS 1000000
#define HOUR 3600
#define FLOOR_S 1800
#define CEILING_S (20 * 86400)
#define READING_FLOOR_S 600
#define ALL_PER_HOUR 900
#define TAG_PER_HOUR 400
#define HOST_PER_HOUR 120

/* Requests in the hour that began at begin_s: of any hour, those in two
 * neighbours of them are an upper bound that is easy to keep. */
struct meter {
	int64_t *times; /* owned; a ring of the last `most` requests */
	size_t most, count;
};

struct model {
	struct scheduler *s;
	struct random random;
	int64_t now_s, latest_s;
	struct meter all, tags[TAGS], hosts[HOSTS];
	int64_t host_last_s[HOSTS];
	uint32_t site_host[SITES], site_tag[SITES], document_site[DOCUMENTS];
	uint32_t page_document[PAGES];
	int64_t fetched_s[PAGES], read_s[DOCUMENTS];
	bool is_page_out[PAGES], is_read_out[DOCUMENTS];
	struct scheduler_choice *out; /* owned */
	size_t out_count, out_cap;
	uint64_t digest; /* of all choices */
	size_t pages, ceilings, asked, changed_hands;
};

static void
meter_init(struct meter *meter, double per_hour)
{
	/* A tick's worth may come at once, and one more. */
	meter->most = (size_t)(per_hour * (1 + 60.0 / HOUR)) + 2;
	meter->times = mem_zero(meter->most * sizeof(*meter->times));
}

static void
meter_count(struct meter *meter, int64_t now_s)
{
	size_t place = meter->count % meter->most;

	if (meter->count >= meter->most)
		assert_true(now_s - meter->times[place] >= HOUR - 60);
	meter->times[place] = now_s;
	meter->count++;
}

static void
add_sites(struct model *m)
{
	for (uint32_t i = 0; i < SITES; i++) {
		struct scheduler_site site = scheduler_site_default();

		m->site_host[i] = site.host = random_below(&m->random, HOSTS);
		m->site_tag[i] = site.tag = site.host % TAGS;
		site.page_floor_s = FLOOR_S;
		site.page_ceiling_s = CEILING_S;
		site.reading_floor_s = READING_FLOOR_S;
		site.reading_ceiling_s = CEILING_S;
		(void)scheduler_add_site(m->s, &site);
	}
}

static void
model_open(struct model *m, uint64_t seed)
{
	struct scheduler_options options = scheduler_options_default();

	*m = (struct model){.now_s = 1000000000, .latest_s = 1000000000};
	random_init(&m->random, seed, 1);
	options.requests_per_hour = ALL_PER_HOUR;
	m->s = scheduler_new(&options);
	meter_init(&m->all, ALL_PER_HOUR);
	for (int i = 0; i < TAGS; i++) {
		meter_init(&m->tags[i], TAG_PER_HOUR);
		(void)scheduler_add_tag(m->s, TAG_PER_HOUR);
	}
	for (int i = 0; i < HOSTS; i++) {
		struct scheduler_host host = {
		    .delay_ms = 5000, .requests_per_hour = HOST_PER_HOUR};

		meter_init(&m->hosts[i], HOST_PER_HOUR);
		m->host_last_s[i] = INT64_MIN / 2;
		(void)scheduler_add_host(m->s, &host);
	}
	add_sites(m);
	for (uint32_t i = 0; i < DOCUMENTS; i++) {
		bool is_child = i >= DOCUMENTS / 2;
		struct scheduler_document document = {.site = is_child
			? m->document_site[i - DOCUMENTS / 2]
			: random_below(&m->random, SITES),
		    .parent = is_child ? i - DOCUMENTS / 2 : SCHEDULER_NONE,
		    .is_index = !is_child,
		    .name = slice_of(i % 2 == 0 ? "/a-2001-09-09.xml" : "/b")};

		m->document_site[i] = document.site;
		m->read_s[i] = SCHEDULER_NEVER;
		(void)scheduler_add_document(m->s, &document, m->now_s);
	}
}

static void
model_close(struct model *m)
{
	scheduler_free(m->s);
	free(m->all.times);
	for (int i = 0; i < TAGS; i++)
		free(m->tags[i].times);
	for (int i = 0; i < HOSTS; i++)
		free(m->hosts[i].times);
	free(m->out);
}

static void
add_page(struct model *m, uint32_t document, bool is_out)
{
	struct scheduler_page page = {.document = document,
	    .weight = (float)random_exponential(&m->random),
	    .lastmod_s = random_below(&m->random, 2) == 0
		? SCHEDULER_NO_DATE
		: m->now_s - random_below(&m->random, 1000000),
	    .fetched_s = SCHEDULER_NEVER,
	    .is_out = is_out};

	if (m->pages == PAGES)
		return;
	m->page_document[m->pages] = document;
	m->fetched_s[m->pages] = SCHEDULER_NEVER;
	m->is_page_out[m->pages] = is_out;
	assert_int_equal(scheduler_add_page(m->s, &page, m->now_s), m->pages);
	m->pages++;
}

static void
check_page(struct model *m, const struct scheduler_choice *choice)
{
	uint32_t page = choice->number;

	assert_in_range(page, 0, m->pages - 1);
	assert_false(m->is_page_out[page]);
	m->is_page_out[page] = true;
	if (m->fetched_s[page] == SCHEDULER_NEVER)
		return;
	if (choice->reason != REASON_REMOVED)
		assert_true(m->latest_s - m->fetched_s[page] >= FLOOR_S);
	if (choice->reason == REASON_CEILING)
		assert_true(m->latest_s - m->fetched_s[page] >= CEILING_S);
}

static void
check_document(struct model *m, const struct scheduler_choice *choice)
{
	uint32_t document = choice->number;

	assert_in_range(document, 0, DOCUMENTS - 1);
	assert_false(m->is_read_out[document]);
	m->is_read_out[document] = true;
	if (m->read_s[document] != SCHEDULER_NEVER)
		assert_true(
		    m->latest_s - m->read_s[document] >= READING_FLOOR_S);
}

static void
ask(struct model *m)
{
	struct scheduler_choice choice;
	uint32_t document, site;

	if (!scheduler_next(m->s, m->now_s, &choice))
		return;
	assert_false(isnan(choice.value) || isnan(choice.price));
	assert_true(choice.value >= 0);
	if (choice.kind == SCHEDULER_PAGE)
		check_page(m, &choice);
	if (choice.kind == SCHEDULER_DOCUMENT)
		check_document(m, &choice);
	document = choice.kind == SCHEDULER_PAGE
	    ? m->page_document[choice.number]
	    : choice.number;
	site = m->document_site[document];
	meter_count(&m->all, m->latest_s);
	meter_count(&m->tags[m->site_tag[site]], m->latest_s);
	meter_count(&m->hosts[m->site_host[site]], m->latest_s);
	assert_true(m->latest_s - m->host_last_s[m->site_host[site]] >= 5);
	m->host_last_s[m->site_host[site]] = m->latest_s;
	m->asked++;
	m->ceilings += choice.reason == REASON_CEILING;
	m->digest = (m->digest ^ choice.number ^ (uint64_t)choice.kind << 32) *
	    0x9e3779b97f4a7c15U;
	m->out = mem_grow(
	    m->out, &m->out_cap, m->out_count + 1, sizeof(*m->out));
	m->out[m->out_count++] = choice;
}

static void
tell_reading(struct model *m, uint32_t document)
{
	struct scheduler_reading reading = {.now_s = m->now_s,
	    .listed = random_below(&m->random, 50),
	    .added = random_below(&m->random, 3),
	    .bytes = random_below(&m->random, 1000000),
	    .is_unchanged = random_below(&m->random, 3) == 0,
	    .is_bulk = random_below(&m->random, 30) == 0,
	    .is_partial = random_below(&m->random, 20) == 0,
	    .is_failed = random_below(&m->random, 10) == 0,
	    .is_gone = random_below(&m->random, 2) == 0};

	reading.dated = reading.moved = random_below(
	    &m->random, reading.listed + 1);
	m->is_read_out[document] = false;
	if (!reading.is_failed)
		m->read_s[document] = m->latest_s;
	scheduler_reading(m->s, document, &reading);
	if (document >= DOCUMENTS / 2 && random_below(&m->random, 4) == 0)
		scheduler_listed(m->s, document, random_below(&m->random, 5));
}

static void
tell_page(struct model *m, uint32_t page)
{
	struct scheduler_outcome outcome = {.now_s = m->now_s,
	    .kind = random_below(&m->random, OUTCOME_MOVED_AWAY + 1),
	    .bytes = random_below(&m->random, 100000),
	    .hold_s = random_below(&m->random, 50) == 0 ? 900 : 0};

	m->is_page_out[page] = false;
	if (outcome.kind != OUTCOME_FAILED)
		m->fetched_s[page] = m->latest_s;
	scheduler_outcome(m->s, page, &outcome);
}

static void
finish_one(struct model *m)
{
	struct scheduler_choice choice;
	size_t which;

	if (m->out_count == 0)
		return;
	which = random_below(&m->random, (uint32_t)m->out_count);
	choice = m->out[which];
	m->out[which] = m->out[--m->out_count];
	if (random_below(&m->random, 20) == 0) {
		scheduler_give_back(m->s, m->now_s, &choice);
		if (choice.kind == SCHEDULER_PAGE)
			m->is_page_out[choice.number] = false;
		if (choice.kind == SCHEDULER_DOCUMENT)
			m->is_read_out[choice.number] = false;
	} else if (choice.kind == SCHEDULER_PAGE) {
		tell_page(m, choice.number);
	} else if (choice.kind == SCHEDULER_DOCUMENT) {
		tell_reading(m, choice.number);
	} else {
		add_page(m, choice.number, false);
	}
}

static void
signal_one(struct model *m)
{
	struct scheduler_signal signal = {
	    .kind = random_below(&m->random, SIGNAL_RETURNED + 1),
	    .lastmod_s = m->latest_s + 100000 -
		(int64_t)random_below(&m->random, 2000000),
	    .is_day = random_below(&m->random, 2) == 0};

	if (random_below(&m->random, 20) == 0)
		signal.lastmod_s = SCHEDULER_NO_DATE;
	if (random_below(&m->random, 10) == 0)
		scheduler_child_signal(m->s,
		    DOCUMENTS / 2 + random_below(&m->random, DOCUMENTS / 2),
		    &signal);
	else if (m->pages > 0)
		scheduler_page_signal(m->s,
		    random_below(&m->random, (uint32_t)m->pages), &signal);
}

static void
pass_time(struct model *m)
{
	switch (random_below(&m->random, 400)) {
	case 0: /* the clock is put back */
		m->now_s -= random_below(&m->random, 100000);
		break;
	case 1: /* or forth */
		m->now_s = m->latest_s + random_below(&m->random, 300000);
		break;
	default:
		m->now_s += random_below(&m->random, 20);
		break;
	}
	if (m->now_s < m->latest_s - 50000)
		m->now_s = m->latest_s;
	if (m->now_s > m->latest_s)
		m->latest_s = m->now_s;
	assert_true(scheduler_due_s(m->s, m->now_s) >= m->latest_s);
}

static void
run(struct model *m, size_t operations)
{
	for (size_t i = 0; i < operations; i++) {
		uint32_t what = random_below(&m->random, 100);

		if (what < 40)
			ask(m);
		else if (what < 70)
			finish_one(m);
		else if (what < 80)
			signal_one(m);
		else if (what < 82)
			add_page(m,
			    DOCUMENTS / 2 +
				random_below(&m->random, DOCUMENTS / 2),
			    false);
		else
			pass_time(m);
	}
}

static void
test_promises(void **state)
{
	struct model m;

	(void)state;
	model_open(&m, 1);
	run(&m, OPERATIONS);
	assert_true(m.asked > OPERATIONS / 50);
	assert_true(m.pages > PAGES / 2);
	/* SPEC R-118: ceilings take a tenth, or what is left over. */
	print_message("%zu asked, %zu for ceilings, %zu pages\n", m.asked,
	    m.ceilings, m.pages);
	model_close(&m);
}

/* The same operations, the same choices. */
static void
test_same(void **state)
{
	uint64_t digest = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct model m;

		model_open(&m, 2);
		run(&m, OPERATIONS / 20);
		if (i == 0)
			digest = m.digest;
		else
			assert_true(digest == m.digest);
		model_close(&m);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_promises),
	    cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
