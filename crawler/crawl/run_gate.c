/*
 * The driver: visits whose hosts have names that are to be looked up first.
 *
 * A name that does not exist, or never comes, costs time and one of a few
 * threads; there may be 100,000 of them.  Those that wait for a thread are in
 * rows by who registered their names, which take turns: so many names of one
 * owner are in nobody's way, and whose address is known passes all of them.
 */
#include "crawler/crawl/run_gate.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/run_visit.h"
#include "crawler/fetch/fetch_names.h"
#include "sched/politeness.h"

#define ROWS 512

/* Entries are linked by their number + 1; 0: none. */
struct gate_entry {
	uint64_t owner;
	uint32_t visit;
	uint32_t next;
};

struct gate_row {
	uint32_t first, last;
};

struct gate {
	struct gate_entry *entries; /* owned */
	size_t used, cap, count;
	uint32_t free;
	unsigned turn;
	struct gate_row rows[ROWS];
};

struct gate *
gate_new(void)
{
	return mem_zero(sizeof(struct gate));
}

void
gate_free(struct gate *gate)
{
	if (gate == NULL)
		return;
	free(gate->entries);
	free(gate);
}

static void
append(struct gate *gate, uint64_t owner, uint32_t visit)
{
	struct gate_row *row = &gate->rows[owner % ROWS];
	uint32_t link = gate->free;

	if (link == 0) {
		gate->entries = mem_grow(gate->entries, &gate->cap,
		    gate->used + 1, sizeof(*gate->entries));
		link = (uint32_t)++gate->used;
	} else {
		gate->free = gate->entries[link - 1].next;
	}
	gate->entries[link - 1] = (struct gate_entry){
	    .owner = owner, .visit = visit};
	if (row->first == 0)
		row->first = link;
	else
		gate->entries[row->last - 1].next = link;
	row->last = link;
	gate->count++;
}

/* take(gate, row): its first one. */
static uint32_t
take(struct gate *gate, struct gate_row *row)
{
	uint32_t link = row->first;
	struct gate_entry *entry = &gate->entries[link - 1];

	row->first = entry->next;
	entry->next = gate->free;
	gate->free = link;
	gate->count--;
	return entry->visit;
}

bool
gate_is_empty(const struct run *run)
{
	return run->gate->count == 0;
}

bool
gate_holds(struct run *run, uint32_t number)
{
	struct journey *journey = visit_journey(run, number);
	uint64_t owner;

	if (visit_is_file(run, &journey->current))
		return false;
	owner = fetch_owner(run->options.fetcher, &journey->current);
	if (owner == 0)
		return false;
	host_queue_set_aside(
	    run->host_queue, run_host(run, url_host(&journey->current)));
	append(run->gate, owner, number);
	visit_rest(run, number);
	return true;
}

/* bring_back(run, number): as the frontier gave it. */
static void
bring_back(struct run *run, uint32_t number)
{
	struct journey *journey = visit_journey(run, number);

	host_queue_bring_back(run->host_queue,
	    run_host(run, url_host(&journey->current)),
	    loop_now_ms(run->options.loop));
}

bool
gate_next(struct run *run, uint32_t *visit)
{
	struct gate *gate = run->gate;

	for (unsigned i = 0; i < ROWS && gate->count > 0; i++) {
		struct gate_row *row = &gate->rows[gate->turn++ % ROWS];

		if (row->first == 0 ||
		    !fetch_may_look_up(run->options.fetcher,
			gate->entries[row->first - 1].owner))
			continue;
		*visit = take(gate, row);
		bring_back(run, *visit);
		return true;
	}
	return false;
}

void
gate_open(struct run *run)
{
	struct gate *gate = run->gate;

	for (unsigned i = 0; i < ROWS; i++)
		while (gate->rows[i].first != 0) {
			uint32_t visit = take(gate, &gate->rows[i]);
			uint32_t host;

			bring_back(run, visit);
			host = run_host(run,
			    url_host(&run_visit(run, visit)->journey->current));
			host_queue_return(run->host_queue, host);
			visit_put_back(run, visit, host);
		}
}
