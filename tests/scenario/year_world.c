/* The year: sites whose pages change, and which fail now and then. */
#include "tests/scenario/year_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/w3cdate.h"
#include "tests/scenario/fake.h"
#include "tests/scenario/year.h"

#define HOUR_S 3600
#define CLOSED "/2/9" /* the path that robots.txt forbids */
#define BLOCK_S (6 * HOUR_S) /* how long a trouble lasts */

enum trouble { FINE, SILENT, BUSY, BROKEN, LOST, CUT, TROUBLES };

static struct {
	uint64_t seed;
	int64_t span_s;
} world;

void
world_begin(uint64_t seed, int64_t span_s)
{
	world.seed = seed;
	world.span_s = span_s;
}

/* A number that depends on the seed and on a, b and c. */
static uint64_t
dice(uint64_t a, uint64_t b, uint64_t c)
{
	struct random random;

	random_init(&random, world.seed + a * 1000003, b * 8191 + c);
	return random_next(&random);
}

bool
world_is_slow(unsigned site)
{
	return site % 4 == 1;
}

bool
world_is_liar(unsigned site)
{
	return site % 6 == 5;
}

bool
world_is_poor(unsigned site)
{
	return site % 3 == 0;
}

double
world_per_hour(unsigned site)
{
	return world_is_poor(site) ? 4 : 60;
}

static enum trouble
trouble_of(unsigned site, int64_t now_s)
{
	uint64_t drawn = dice(1 + site, (uint64_t)(now_s / BLOCK_S), 0);

	if (site == DEAD ||
	    (site == MISSING && now_s > world.span_s / 4 &&
		now_s < world.span_s / 3))
		return SILENT;
	return drawn % 16 != 0 ? FINE : 1 + drawn / 16 % (TROUBLES - 1);
}

int64_t
world_trouble_s(unsigned site, int64_t from_s, int64_t to_s, bool *is_lost)
{
	int64_t first_s = from_s > 0 ? from_s / BLOCK_S * BLOCK_S : 0;
	int64_t sum_s = 0;

	*is_lost = false;
	for (int64_t s = first_s; s <= to_s; s += BLOCK_S) {
		enum trouble trouble = trouble_of(site, s);

		if (trouble != FINE)
			sum_s += BLOCK_S;
		*is_lost |= trouble == LOST;
	}
	return sum_s;
}

/* How often the page has changed until now. */
static int64_t
version(unsigned site, unsigned map, unsigned page, int64_t *since_s)
{
	int64_t now_s = fake_elapsed_s();
	uint64_t drawn = dice(100 + site, map, page);
	int64_t every_s = (int64_t)(6 * HOUR_S) << drawn % 8;
	int64_t phase_s = (int64_t)(drawn / 8 % (uint64_t)every_s);

	*since_s = (now_s + phase_s) / every_s * every_s - phase_s;
	return (now_s + phase_s) / every_s;
}

static bool
is_listed(int64_t version)
{
	return version % 16 != 15;
}

int
world_page(struct slice url, char text[32])
{
	unsigned site, map, page;
	int64_t since_s, number;
	char room[96];

	(void)snprintf(room, sizeof(room), "%.*s", (int)url.len, url.p);
	if (sscanf(room, "https://s%u.example/%u/%u", &site, &map, &page) != 3)
		return 0;
	number = version(site, map, page, &since_s);
	(void)snprintf(text, 32, "v%" PRId64, number);
	if (trouble_of(site, fake_elapsed_s()) != FINE)
		return trouble_of(site, fake_elapsed_s()) == SILENT ? 0 : 503;
	return is_listed(number) ? 200 : 404;
}

static void
put_lastmod(struct buf *out, unsigned site, int64_t since_s)
{
	struct date date = {.precision = DATE_SECOND, .zone = ZONE_EXPLICIT};

	if (site % 6 == 4)
		return;
	date.epoch_s = BEGIN_S +
	    (world_is_liar(site) ? fake_elapsed_s() : since_s);
	(void)buf_print(out, "<lastmod>");
	date_print(out, &date);
	(void)buf_print(out, "</lastmod>");
}

static void
put_map(struct buf *out, unsigned site, unsigned map, uint64_t *tag)
{
	*tag = 0;
	(void)buf_print(out,
	    "<urlset xmlns=\"http://www.sitemaps.org/schemas/"
	    "sitemap/0.9\">\n");
	for (unsigned page = 0; page < PAGES; page++) {
		int64_t since_s;
		int64_t number = version(site, map, page, &since_s);

		*tag = *tag * 31 + (uint64_t)number;
		if (!is_listed(number))
			continue;
		(void)buf_print(out,
		    "<url><loc>https://s%u.example/%u/%u</loc>", site, map,
		    page);
		put_lastmod(out, site, since_s);
		(void)buf_print(out, "</url>\n");
	}
	(void)buf_print(out, "</urlset>\n");
}

static void
put_index(struct buf *out, unsigned site)
{
	(void)buf_print(out,
	    "<sitemapindex xmlns=\"http://www.sitemaps.org/"
	    "schemas/sitemap/0.9\">\n");
	for (unsigned map = 0; map < MAPS; map++)
		(void)buf_print(out,
		    "<sitemap><loc>https://s%u.example/m%u.xml</loc>"
		    "</sitemap>\n",
		    site, map);
	(void)buf_print(out, "</sitemapindex>\n");
}

/* A page says which version of it this is. */
static void
put_page(struct fake_answer *answer, const char *url)
{
	char text[32] = "";

	answer->status = world_page(slice_of(url), text);
	if (answer->status != 200)
		answer->status = 404;
	(void)buf_print(
	    &answer->body, "<title>%s</title><p>version %s", text, text);
}

static void
put_robots(struct buf *out, unsigned site)
{
	(void)buf_print(out,
	    "User-agent: *\nCrawl-delay: %d\nDisallow: " CLOSED "\n"
	    "Sitemap: https://s%u.example/sitemap.xml\n",
	    world_is_slow(site) ? SLOW_MS / 1000 : 0, site);
}

bool
world_is_closed(const char *path)
{
	return strncmp(path, CLOSED, strlen(CLOSED)) == 0;
}

static void
trouble(struct fake_answer *answer, enum trouble trouble)
{
	if (trouble == SILENT) {
		answer->failures = 1;
		answer->ms = 300000;
	} else if (trouble == BUSY) {
		answer->status = 429;
		answer->retry_after_s = HOUR_S;
	} else if (trouble == BROKEN) {
		answer->status = 503;
	} else if (trouble == LOST) {
		answer->status = 404;
	} else if (trouble == CUT) {
		answer->is_truncated = true;
		answer->body.len /= 2;
		answer->etag = NULL;
	}
}

struct fake_answer *
world_answer(const char *url)
{
	static struct fake_answer one;
	static char etag[32];
	unsigned site = year_site(slice_of(url));
	unsigned map;
	uint64_t tag = 1;
	enum trouble state = FINE;

	buf_release(&one.body);
	one = (struct fake_answer){
	    .status = 200, .retry_after_s = -1, .ms = 400, .etag = etag};
	buf_init(&one.body, SIZE_MAX);
	if (site == SITES)
		return NULL;
	state = trouble_of(site, fake_elapsed_s());
	if (strstr(url, "/robots.txt") != NULL)
		put_robots(&one.body, site);
	else if (strstr(url, "/sitemap.xml") != NULL)
		put_index(&one.body, site);
	else if (sscanf(strrchr(url, '/'), "/m%u.xml", &map) == 1 && map < MAPS)
		put_map(&one.body, site, map, &tag);
	else
		put_page(&one, url);
	(void)snprintf(etag, sizeof(etag), "\"%" PRIx64 "\"", tag);
	if (world_is_liar(site))
		one.etag = NULL;
	/* A site whose robots.txt cannot be had asks for no delay. */
	if (strstr(url, "/robots.txt") == NULL || state < LOST)
		trouble(&one, state);
	return &one;
}
