/* The year: what must hold of all that happened. */
#include <inttypes.h>
#include <malloc.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "crawler/scope.h"
#include "store/fsck.h"
#include "tests/scenario/fake.h"
#include "tests/scenario/year.h"
#include "tests/scenario/year_world.h"

#define DAY_S 86400
#define SLACK_S (3 * DAY_S) /* of a reading behind its ceiling */
#define ROOM (1 << 20) /* bytes that may come and go */
#define MAX_DEPTH 4

void
proof_begin(struct proof *proof)
{
	proof->digester = digester_new();
	for (unsigned i = 0; i < SITES; i++) {
		proof->asked_ms[i] = INT64_MIN / 2;
		for (unsigned k = 0; k < DOCUMENTS; k++)
			proof->read_s[i][k] = -1;
	}
}

void
proof_fail(struct proof *proof, const char *what, struct slice where)
{
	if (proof->faults++ < 20)
		(void)printf("day %.3f: %.*s %s\n",
		    (double)fake_elapsed_s() / DAY_S, (int)where.len, where.p,
		    what);
}

void
proof_spend(struct proof *proof, unsigned site)
{
	if (site < SITES)
		proof->spent[site]++;
}

/* check_age(proof, site, document, now_s): its reading must not have waited;
 * of a site that was in trouble, it may. */
static void
check_age(struct proof *proof, unsigned site, unsigned document, int64_t now_s)
{
	int64_t before_s = proof->read_s[site][document];
	char where[32];

	if (before_s < 0 || now_s - before_s <= MOST_S + SLACK_S ||
	    !world_is_well(site, before_s - DAY_S, now_s))
		return;
	(void)snprintf(
	    where, sizeof(where), "s%u, document %u", site, document);
	proof_fail(proof, "was read behind its ceiling", slice_of(where));
}

/* look(proof, line): "GET SECONDS.MS URL ...". */
static void
look(struct proof *proof, const char *line)
{
	unsigned site, map, document = DOCUMENTS;
	int64_t ms;
	double at;
	char url[96];

	if (sscanf(line, "GET %lf https://s%u.example%80s", &at, &site, url) !=
		3 ||
	    site >= SITES)
		return;
	ms = (int64_t)(at * 1000 + 0.5);
	proof->requests++;
	if (ms - proof->asked_ms[site] <
	    (world_is_slow(site) ? SLOW_MS : DELAY_MS) -
		(proof->asked_ms[site] < 0 ? DELAY_MS : 0))
		proof_fail(proof, "was asked too soon", slice_of(url));
	proof->asked_ms[site] = ms;
	if (strcmp(url, "/sitemap.xml") == 0)
		document = MAPS;
	else if (sscanf(url, "/m%u.xml", &map) == 1 && map < MAPS)
		document = map;
	if (document == DOCUMENTS)
		return;
	check_age(proof, site, document, ms / 1000);
	proof->read_s[site][document] = ms / 1000;
}

void
proof_drain(struct proof *proof)
{
	struct buf *log = fake_log();
	const char *line = buf_str(log);
	const char *end;

	digester_feed(proof->digester, buf_text(log));
	for (; (end = strchr(line, '\n')) != NULL; line = end + 1)
		look(proof, line);
	buf_clear(log);
}

static uint64_t
used(void)
{
	return mallinfo2().uordblks - (uint64_t)sqlite3_memory_used();
}

void
proof_day(struct year *year)
{
	struct proof *proof = &year->proof;
	uint64_t bytes = used();
	int64_t fifth = fake_elapsed_s() * 5 / year->span_s;

	if (fifth == 1 && bytes > proof->used[0])
		proof->used[0] = bytes;
	if (fifth == 4 && bytes > proof->used[1])
		proof->used[1] = bytes;
	for (unsigned i = 0; i < SITES; i++) {
		/* A clock that was put forward by an hour brings one more. */
		if (proof->spent[i] > 25 * world_per_hour(i) + 4)
			proof_fail(proof, "has spent too much",
			    slice_of(world_is_poor(i) ? "a poor site"
						      : "a rich site"));
		proof->spent[i] = 0;
	}
}

static void
on_finding(void *arg, const struct fsck_finding *finding)
{
	char what[160];

	if (finding->is_note)
		return;
	(void)snprintf(what, sizeof(what), "J%u: %.*s", finding->invariant,
	    (int)finding->what.len, finding->what.p);
	proof_fail(arg, what, finding->where);
}

static void
check_store(struct year *year)
{
	struct proof *proof = &year->proof;
	struct fsck_options options = {.reader_version = READER_VERSION,
	    .max_depth = MAX_DEPTH,
	    .found = on_finding,
	    .arg = proof};
	struct fsck_totals totals;
	struct outcomes found = {0};

	outcomes_sum(year->options.store, &found);
	if (found.sum != proof->acked.sum || found.count != proof->acked.count)
		proof_fail(proof, "what was acknowledged is not what is there",
		    slice_of("outcomes:"));
	if (store_fsck(year->options.store, &options, &totals) != DIAG_OK)
		proof_fail(
		    proof, "cannot be looked through", slice_of("the store"));
}

void
proof_end(struct year *year)
{
	struct proof *proof = &year->proof;
	struct digest digest;

	proof_drain(proof);
	for (unsigned i = 0; i < SITES; i++)
		for (unsigned k = 0; k < DOCUMENTS; k++)
			check_age(proof, i, k, fake_elapsed_s());
	check_store(year);
	if (proof->used[1] > proof->used[0] + ROOM)
		proof_fail(proof, "grows", slice_of("memory"));
	if (proof->readings == 0 || proof->acked.count == 0)
		proof_fail(proof, "happened", slice_of("nothing"));
	digest = digester_value(proof->digester);
	(void)printf("%" PRIu64 " requests, %" PRIu64 " readings, %" PRIu64
		     " pages out, %" PRIu64 " acknowledged, %" PRIu64
		     " lives, %" PRIu64 " jumps; grown by %" PRId64
		     " bytes; log ",
	    proof->requests, proof->readings, proof->takes, proof->acked.count,
	    proof->lives, proof->jumps,
	    (int64_t)(proof->used[1] - proof->used[0]));
	for (unsigned i = 0; i < 8; i++)
		(void)printf("%02x", digest.bytes[i]);
	(void)printf(
	    "\n%d passed, %d failed\n", proof->faults == 0, proof->faults != 0);
	digester_free(proof->digester);
}
