/*
 * The driver: tasks whose host names must be looked up first.
 *
 * The look-up of a name that does not exist takes a while, there are few
 * threads for look-ups, and up to 100,000 such names may come. Tasks that wait
 * for a thread stand in rows, and the rows take turns. All names below one
 * registered domain (fetch_owner) stand in the same row, so that many names of
 * one owner do not delay the names of others. A task whose address is known
 * does not wait here.
 */
#include "crawler/crawl/run_dns_queue.h"

#include "base/mem.h"
#include "crawler/crawl/local.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/event/loop.h"
#include "crawler/fetch/fetch.h"
#include "sched/host_queue.h"

/* Remove the first entry of the row, and return the number of its task. */
static uint32_t
dns_queue_take(struct dns_queue *dns_queue, struct dns_queue_row *row)
{
	uint32_t link = row->first;
	struct dns_queue_entry *entry = &dns_queue->entries[link - 1];

	row->first = entry->next;
	entry->next = dns_queue->free;
	dns_queue->free = link;
	dns_queue->count--;
	return entry->task;
}

bool
dns_queue_holds(struct run *run, uint32_t number)
{
	struct dns_queue *dns_queue = &run->dns_queue;
	struct attempt *attempt = task_attempt(run, number);
	uint64_t owner;

	if (local_takes(run->options.local, &attempt->current))
		return false;
	owner = fetch_owner(run->options.fetcher, &attempt->current);
	if (owner == 0)
		return false;
	host_queue_set_aside(run->host_queue,
	    host_state_of(run->hosts, url_host(&attempt->current)));
	struct dns_queue_row *row = &dns_queue->rows[owner % DNS_QUEUE_ROWS];
	uint32_t link = dns_queue->free;

	if (link == 0) {
		dns_queue->entries = mem_grow(dns_queue->entries,
		    &dns_queue->cap, dns_queue->used + 1,
		    sizeof(*dns_queue->entries));
		link = (uint32_t)++dns_queue->used;
	} else {
		dns_queue->free = dns_queue->entries[link - 1].next;
	}
	dns_queue->entries[link - 1] = (struct dns_queue_entry){
	    .owner = owner, .task = number};
	if (row->first == 0)
		row->first = link;
	else
		dns_queue->entries[row->last - 1].next = link;
	row->last = link;
	dns_queue->count++;
	task_rest(run, number);
	return true;
}

/* Set the host back to the state in which the host queue gave the task out.
 * False: the host may not be asked now, so the task is QUEUED again. */
static bool
dns_queue_bring_back(struct run *run, uint32_t number)
{
	struct attempt *attempt = task_attempt(run, number);
	uint32_t host = host_state_of(run->hosts, url_host(&attempt->current));

	if (host_queue_bring_back(
		run->host_queue, host, loop_now_ms(run->options.loop)))
		return true;
	task_put_back(run, number, host);
	return false;
}

bool
dns_queue_next(struct run *run, uint32_t *task)
{
	struct dns_queue *dns_queue = &run->dns_queue;

	for (unsigned i = 0; i < DNS_QUEUE_ROWS && dns_queue->count > 0; i++) {
		struct dns_queue_row
		    *row = &dns_queue->rows[dns_queue->turn++ % DNS_QUEUE_ROWS];

		if (row->first == 0 ||
		    !fetch_may_look_up(run->options.fetcher,
			dns_queue->entries[row->first - 1].owner))
			continue;
		*task = dns_queue_take(dns_queue, row);
		if (dns_queue_bring_back(run, *task))
			return true;
	}
	return false;
}

void
dns_queue_open(struct run *run)
{
	struct dns_queue *dns_queue = &run->dns_queue;

	for (unsigned i = 0; i < DNS_QUEUE_ROWS; i++)
		while (dns_queue->rows[i].first != 0) {
			uint32_t task = dns_queue_take(
			    dns_queue, &dns_queue->rows[i]);
			uint32_t host;

			if (!dns_queue_bring_back(run, task))
				continue;
			host = host_state_of(run->hosts,
			    url_host(&run_task(run, task)->attempt->current));
			host_queue_return(run->host_queue, host);
			task_put_back(run, task, host);
		}
}
