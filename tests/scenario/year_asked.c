/* The year: checks of each request. */
#include "tests/scenario/year_asked.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/scenario/fake.h"
#include "tests/scenario/year.h"
#include "tests/scenario/year_world.h"

#define HOUR_S 3600
#define DAY_S 86400
#define NEVER (-1)
#define EARLY_S 120 /* pages may renew a robots.txt by so much */
/* A delay behind the ceiling that nothing explains: the document waited for
 * its robots.txt. */
#define SLACK_S 900
/* A second reading that is owed does not come sooner (SPEC R-120). */
#define OWED_S 1790
/* After a trouble, a host may be left alone for so long. */
#define PATIENCE_S DAY_S
/* The ceiling is larger for a source whose dates deceive, or that was
 * reported gone (SPEC R-121). */
#define FURTHER 3
/* Beside the burst of a budget, two kinds may come: pages that were chosen
 * within the burst and waited in the ready queue of their host; and readings,
 * which count when they are committed. */
#define WAITING 8
#define LATE_COUNTS 4

static void
fail(struct proof *proof, unsigned site, unsigned document, const char *what)
{
	char where[48];

	(void)snprintf(
	    where, sizeof(where), "s%u, document %u", site, document);
	proof_fail(proof, what, slice_of(where));
}

void
asked_begin(struct asked *asked)
{
	asked->ahead_s = asked->back_s = NEVER;
	for (unsigned i = 0; i < SITES; i++) {
		struct asked_site *site = &asked->sites[i];

		site->asked_ms = site->handed_s = INT64_MIN / 2;
		for (unsigned k = 0; k < DOCUMENTS; k++)
			site->tried_s[k] = site->good_s[k] = site->far_s[k] =
			    site->owed_s[k] = site->owed_before_s[k] = NEVER;
	}
}

/*
 * The number of the document by its path; DOCUMENTS: the path is not checked.
 */
static unsigned
document_of(const char *path)
{
	unsigned map;

	if (strcmp(path, "/robots.txt") == 0)
		return ROBOTS;
	if (strcmp(path, "/sitemap.xml") == 0)
		return MAPS;
	if (sscanf(path, "/m%u.xml", &map) == 1 && map < MAPS)
		return map;
	return DOCUMENTS;
}

/* The time until the budget of the site has room for a document: all
 * documents are due at the same time, and pages use every other request. */
static int64_t
turn_s(unsigned site)
{
	return (int64_t)(2 * DOCUMENTS * HOUR_S / world_per_hour(site));
}

/* The ceiling of a document.  A document whose dates are believed again is
 * due at once. */
static int64_t
ceiling_s(const struct asked_site *asked, unsigned document)
{
	int64_t far_s = asked->far_s[document] - asked->tried_s[document];

	if (far_s < MOST_S)
		return MOST_S;
	return far_s < FURTHER * MOST_S ? far_s : FURTHER * MOST_S;
}

/* The longest time that the document may have waited: a reading made when the
 * clock was ahead counts from when the clock was put back. */
static int64_t
longest_s(
    const struct asked *asked, unsigned site, unsigned document, int64_t now_s)
{
	int64_t from_s = asked->sites[site].tried_s[document];
	bool is_lost;
	int64_t trouble_s = world_trouble_s(
	    site, from_s - PATIENCE_S, now_s, &is_lost);
	int64_t most_s = ceiling_s(&asked->sites[site], document) +
	    turn_s(site) + asked->slept_s -
	    asked->sites[site].slept_s[document];

	if (is_lost)
		most_s += (FURTHER - 1) * MOST_S;
	if (trouble_s > 0)
		most_s += trouble_s + PATIENCE_S;
	if (asked->back_s > from_s)
		most_s += asked->back_s - from_s;
	return most_s;
}

/* The delay is judged later, when more is known. */
static void
note_age(struct proof *proof, unsigned site, unsigned document, int64_t now_s)
{
	struct asked_site *asked = &proof->asked.sites[site];
	int64_t late_s;

	if (asked->tried_s[document] == NEVER || document == ROBOTS)
		return;
	late_s = now_s - asked->tried_s[document] -
	    longest_s(&proof->asked, site, document, now_s);
	if (late_s > asked->late_s[document])
		asked->late_s[document] = late_s;
}

static void
judge_age(struct proof *proof, unsigned site, unsigned document)
{
	struct asked *asked = &proof->asked;
	int64_t *late_s = &asked->sites[site].late_s[document];

	if (*late_s > asked->late_s)
		asked->late_s = *late_s;
	if (*late_s > SLACK_S)
		fail(proof, site, document, "was read behind its ceiling");
	*late_s = 0;
}

int64_t
asked_late(const struct asked *asked, unsigned number, unsigned document)
{
	const struct asked_site *site = &asked->sites[number];
	int64_t tried_s = site->tried_s[document];

	if (document == ROBOTS || tried_s == NEVER ||
	    fake_elapsed_s() - tried_s < MOST_S)
		return 0;
	return site->ids[document];
}

void
asked_far(struct asked *asked, unsigned site, unsigned document)
{
	asked->sites[site].far_s[document] = fake_elapsed_s();
}

/* A document that was read well is not asked for again before its interval
 * has passed; except after the clock was put forward, and when its site is
 * crawled as a whole. */
static void
note_floor(struct proof *proof, unsigned site, unsigned document, int64_t now_s)
{
	const struct asked *asked = &proof->asked;
	int64_t good_s = asked->sites[site].good_s[document];
	int64_t least_s = document == ROBOTS ? DAY_S - EARLY_S : LEAST_S;

	if (good_s != NEVER && !asked->sites[site].has_failed[document] &&
	    asked->ahead_s < good_s && now_s - good_s < least_s - 1)
		proof->asked.sites[site].is_early[document] = true;
}

/* A reading that is owed may come within the interval: once a day for a
 * question of its own, and once for one of a sibling. */
static void
judge_owed(struct proof *proof, unsigned site, unsigned document)
{
	struct asked *asked = &proof->asked;
	int64_t *owed_s = &asked->sites[site].owed_s[document];
	int64_t *before_s = &asked->sites[site].owed_before_s[document];
	int64_t now_s = fake_elapsed_s();

	if (now_s - asked->sites[site].good_s[document] < OWED_S)
		fail(proof, site, document, "was read again too soon");
	if (*before_s != NEVER && asked->ahead_s < *before_s &&
	    now_s - *before_s < DAY_S - HOUR_S)
		fail(proof, site, document, "was owed three times in a day");
	*before_s = *owed_s;
	*owed_s = now_s;
}

/*
 * A robots.txt in use is a day old at most, if it could be had.
 * After the clock was put back, time goes on from the latest time in the
 * store, by the monotonic clock, which stands still while the machine is
 * suspended.
 */
static void
check_robots(struct proof *proof, unsigned site, int64_t now_s)
{
	const struct asked *asked = &proof->asked;
	int64_t good_s = asked->sites[site].good_s[ROBOTS];
	int64_t since_s = good_s > asked->back_s ? good_s : asked->back_s;
	bool is_lost;

	if (good_s == NEVER)
		fail(proof, site, ROBOTS, "was not read before the others");
	else if (now_s - since_s > DAY_S + HOUR_S &&
	    (asked->back_s == NEVER ||
		asked->sites[site].slept_s[ROBOTS] == asked->slept_s) &&
	    world_trouble_s(site, since_s, now_s, &is_lost) == 0)
		fail(proof, site, ROBOTS, "was believed for too long");
}

void
asked_line(struct proof *proof, const char *line)
{
	struct asked_site *asked;
	unsigned site, document, map, page;
	int64_t ms, delay_ms;
	bool is_page, is_lost;
	double at;
	char path[96];

	if (sscanf(line, "GET %lf https://s%u.example%80s", &at, &site, path) !=
		3 ||
	    site >= SITES)
		return;
	asked = &proof->asked.sites[site];
	ms = (int64_t)(at * 1000 + 0.5);
	proof->requests++;
	/* Before the first robots.txt nobody knows that the host asks for
	 * more. */
	delay_ms = world_is_slow(site) && asked->good_s[ROBOTS] != NEVER
	    ? SLOW_MS
	    : DELAY_MS;
	if (ms - asked->asked_ms < delay_ms)
		proof_fail(proof, "was asked too soon", slice_of(path));
	asked->asked_ms = ms;
	document = document_of(path);
	if (world_is_closed(path))
		proof_fail(proof, "is forbidden by robots.txt", slice_of(path));
	/* a page that the process fetches itself */
	is_page = sscanf(path, "/%u/%u", &map, &page) == 2;
	if (is_page || (document != ROBOTS && document != DOCUMENTS))
		check_robots(proof, site, ms / 1000);
	if (is_page)
		asked_spend(proof, site);
	if (document == DOCUMENTS)
		return;
	note_age(proof, site, document, ms / 1000);
	note_floor(proof, site, document, ms / 1000);
	/* not every reading of a robots.txt is reported: pages need some */
	if (document == ROBOTS &&
	    world_trouble_s(site, ms / 1000, ms / 1000, &is_lost) == 0)
		asked->good_s[ROBOTS] = ms / 1000;
	asked->tried_s[document] = ms / 1000;
	asked->slept_s[document] = proof->asked.slept_s;
}

void
asked_heard(struct proof *proof, struct slice url, const struct heard *heard)
{
	unsigned site, document;
	char room[96], path[96];
	struct asked_site *asked;

	(void)snprintf(room, sizeof(room), "%.*s", (int)url.len, url.p);
	if (sscanf(room, "https://s%u.example%80s", &site, path) != 2 ||
	    site >= SITES)
		return;
	document = document_of(path);
	if (document == DOCUMENTS)
		return;
	asked = &proof->asked.sites[site];
	asked->ids[document] = heard->document_id;
	judge_age(proof, site, document);
	if (asked->is_early[document] && heard->is_owed)
		judge_owed(proof, site, document);
	else if (asked->is_early[document] && !heard->is_whole)
		fail(proof, site, document, "was read below its interval");
	asked->is_early[document] = false;
	asked->has_failed[document] = !heard->is_good;
	if (heard->is_good)
		asked->good_s[document] = fake_elapsed_s();
}

void
asked_handed(struct proof *proof, unsigned site, bool is_spaced)
{
	struct asked_site *asked;
	int64_t delay_s;

	if (site >= SITES)
		return;
	asked = &proof->asked.sites[site];
	delay_s = (world_is_slow(site) ? SLOW_MS : DELAY_MS) / 1000;
	if (is_spaced && fake_elapsed_s() - asked->handed_s < delay_s)
		fail(proof, site, DOCUMENTS, "was handed out too soon");
	asked->handed_s = fake_elapsed_s();
	asked_spend(proof, site);
}

void
asked_spend(struct proof *proof, unsigned number)
{
	int64_t now_s = fake_elapsed_s();
	double per_hour = world_per_hour(number);
	double burst = per_hour * BURST_MS / 1000 / HOUR_S;
	struct asked_site *site;

	if (number >= SITES)
		return;
	site = &proof->asked.sites[number];
	site->spent -= per_hour * (double)(now_s - site->spent_s) / HOUR_S;
	if (site->spent < 0)
		site->spent = 0;
	site->spent_s = now_s;
	site->spent += 1;
	if (site->spent > proof->asked.spent)
		proof->asked.spent = site->spent;
	if (site->spent > (burst > 1 ? burst : 1) + WAITING + LATE_COUNTS)
		fail(proof, number, DOCUMENTS, "is over its budget");
}

void
asked_clock(struct proof *proof, int64_t by_s)
{
	struct asked *asked = &proof->asked;

	if (by_s > 0)
		asked->ahead_s = fake_elapsed_s();
	if (by_s < 0)
		asked->back_s = fake_elapsed_s();
	for (unsigned i = 0; i < SITES; i++)
		asked->sites[i].spent = 0;
	/* Reports that the life before had not sent yet are lost. */
	for (unsigned i = 0; by_s == 0 && i < SITES; i++)
		for (unsigned k = 0; k < DOCUMENTS; k++) {
			asked->sites[i].late_s[k] = 0;
			asked->sites[i].is_early[k] = false;
		}
}

void
asked_end(struct proof *proof)
{
	for (unsigned i = 0; i < SITES; i++)
		for (unsigned k = 0; k < DOCUMENTS; k++) {
			note_age(proof, i, k, fake_elapsed_s());
			judge_age(proof, i, k);
		}
}
