/* The year: on some days the process fetches pages itself. */
#include "tests/scenario/year_own.h"

#include <stdio.h>

#include "crawler/page_fetch/page_fetch.h"
#include "store/page.h"
#include "tests/scenario/fake.h"
#include "tests/scenario/year.h"

#define DAY_S 86400
#define HOSTS_AT_ONCE 8
#define GRACE_MS 5000

/* The outcome is durable. */
static void
on_page(void *arg, const struct page_fetched *page)
{
	struct year *year = arg;
	struct page_row row;

	(void)buf_print(fake_log(), "own %d %.*s\n", page->status,
	    (int)page->url.len, page->url.p);
	if (!store_page_get(year->options.store,
		store_page_find(year->options.store, page->url), &row)) {
		proof_fail(&year->proof, "is no page", page->url);
		return;
	}
	outcomes_add(&year->proof.acked, row.id, row.done);
	year->proof.own++;
}

static void
on_warn(void *arg, struct slice text)
{
	struct year *year = arg;

	proof_fail(&year->proof, "warns", text);
}

static void
on_over(void *arg)
{
	struct year *year = arg;

	year->own_is_over = true;
}

static void
own_begin(struct year *year)
{
	struct page_fetch_options how = {.loop = year->options.loop,
	    .store = year->options.store,
	    .run = year->run,
	    .frontier = year->frontier,
	    .policy = year->options.policy,
	    .at_once = HOSTS_AT_ONCE,
	    .is_endless = true,
	    .max_bytes = 1 << 20,
	    .page = on_page,
	    .warn = on_warn,
	    .over = on_over,
	    .arg = year};
	char why[256];

	year->own_is_over = false;
	year->own = page_fetch_new(&how, why);
	if (year->own == NULL)
		proof_fail(&year->proof, why, slice_of("fetching pages:"));
}

void
own_close(struct year *year)
{
	if (year->own != NULL)
		page_fetch_settle(year->own);
	page_fetch_free(year->own);
	year->own = NULL;
	year->own_is_over = false;
}

void
own_open(struct year *year)
{
	if (fake_elapsed_s() / DAY_S % 2 == 1)
		own_begin(year);
}

void
own_day(struct year *year)
{
	bool is_on = fake_elapsed_s() / DAY_S % 2 == 1;

	if (year->own_is_over) {
		page_fetch_free(year->own);
		year->own = NULL;
		year->own_is_over = false;
	}
	if (is_on && year->own == NULL)
		own_begin(year);
	else if (!is_on && year->own != NULL)
		page_fetch_stop(year->own, GRACE_MS);
}
