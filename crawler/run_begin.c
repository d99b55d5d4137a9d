/*
 * The driver: visits that begin by and by.  A robots.txt may have 2,000 rules
 * of stars: a millisecond for a long URL, of which an index may list 50,000.
 */
#include "crawler/run_begin.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/run_visit.h"

#define BEGIN_MS 10 /* of one round of the loop */

struct begins {
	uint32_t *visits; /* owned */
	size_t first, count, cap;
};

struct begins *
begins_new(void)
{
	return mem_zero(sizeof(struct begins));
}

void
begins_free(struct begins *begins)
{
	if (begins == NULL)
		return;
	free(begins->visits);
	free(begins);
}

void
begin_later(struct run *run, uint32_t number)
{
	struct begins *begins = run->begins;

	begins->visits = mem_grow(begins->visits, &begins->cap,
	    begins->count + 1, sizeof(*begins->visits));
	begins->visits[begins->count++] = number;
	run_kick(run);
}

void
begin_forget_free(struct run *run)
{
	struct begins *begins = run->begins;
	size_t kept = 0;

	for (size_t i = begins->first; i < begins->count; i++)
		if (run_visit(run, begins->visits[i])->site != NONE)
			begins->visits[kept++] = begins->visits[i];
	begins->first = 0;
	begins->count = kept;
}

void
begin_some(struct run *run)
{
	struct begins *begins = run->begins;
	int64_t end_ms = loop_now_ms(run->options.loop) + BEGIN_MS;

	while (begins->first < begins->count &&
	    loop_now_ms(run->options.loop) < end_ms)
		visit_begin(run, begins->visits[begins->first++]);
	if (begins->first < begins->count)
		run_kick(run);
	else
		begins->first = begins->count = 0;
}
