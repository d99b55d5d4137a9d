/* The year: checks of all that happened. */
#include <inttypes.h>
#include <malloc.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "store/fsck/fsck.h"
#include "tests/scenario/fake.h"
#include "tests/scenario/year.h"

#define DAY_S 86400
#define ROOM (1 << 18) /* bytes that may come and go */

void
proof_begin(struct proof *proof)
{
	proof->digester = digester_new();
	asked_begin(&proof->asked);
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
proof_drain(struct proof *proof)
{
	struct buf *log = fake_log();
	const char *line = buf_str(log);
	const char *end;

	digester_feed(proof->digester, buf_text(log));
	for (; (end = strchr(line, '\n')) != NULL; line = end + 1)
		asked_line(proof, line);
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
}

static void
on_finding(void *arg, const struct fsck_finding *finding)
{
	char what[160];

	(void)snprintf(what, sizeof(what), "J%u: %.*s", finding->invariant,
	    (int)finding->what.len, finding->what.p);
	proof_fail(arg, what, finding->where);
}

void
proof_life(struct year *year)
{
	struct proof *proof = &year->proof;
	struct fsck_options options = {.found = on_finding, .arg = proof};
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
	asked_end(proof);
	proof_life(year);
	if (proof->used[1] > proof->used[0] + ROOM)
		proof_fail(proof, "grows", slice_of("memory"));
	if (fake_overlaps() > 0)
		proof_fail(
		    proof, "were asked twice at once", slice_of("hosts"));
	if (proof->readings == 0 || proof->acked.count == 0 || proof->own == 0)
		proof_fail(proof, "happened", slice_of("nothing"));
	digest = digester_value(proof->digester);
	(void)printf("%" PRIu64 " requests, %" PRIu64 " readings, %" PRIu64
		     " pages out, %" PRIu64 " acknowledged, %" PRIu64
		     " by itself, %" PRIu64 " lives, %" PRIu64
		     " jumps; %" PRId64
		     " s behind a ceiling, %.1f of a budget at once; grown by "
		     "%" PRId64 " bytes; log ",
	    proof->requests, proof->readings, proof->takes, proof->acked.count,
	    proof->own, proof->lives, proof->jumps, proof->asked.late_s,
	    proof->asked.spent, (int64_t)(proof->used[1] - proof->used[0]));
	for (unsigned i = 0; i < 8; i++)
		(void)printf("%02x", digest.bytes[i]);
	(void)printf(
	    "\n%d passed, %d failed\n", proof->faults == 0, proof->faults != 0);
	digester_free(proof->digester);
}
