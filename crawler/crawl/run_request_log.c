/* The driver: what it asked of each host, noted for the store's ledger. */
#include "crawler/crawl/run_request_log.h"

#include "base/mem.h"
#include "crawler/crawl/run_tables.h"
#include "sched/host_queue.h"

#define MINUTE_S 60
#define SECOND_MS 1000

void
request_log_resume(struct run *run, uint32_t host, struct slice name)
{
	int64_t now_s = run_now_s(run);
	int64_t delay_ms;
	int64_t last_s = store_request_log_last(
	    run->options.store, name, &delay_ms);
	int64_t wait_ms;

	if (last_s == 0 || delay_ms == 0)
		return;
	/* Both are whole seconds, cut; and the clock may have been set back. */
	wait_ms = now_s < last_s ? delay_ms
				 : delay_ms - (now_s - last_s - 1) * SECOND_MS;
	if (wait_ms > 0)
		host_queue_hold(run->host_queue, host,
		    loop_now_ms(run->options.loop) + wait_ms);
}

static void
write_host_state(struct run *run, uint32_t host)
{
	struct host_state *host_state = run_host_state(run, host);

	if (host_state->noted.requests > 0)
		store_request_log_add(run->options.store,
		    host_queue_name(run->host_queue, host), &host_state->noted);
	host_state->noted.requests = 0;
}

/* begin_note(run, host, minute_s): the note of that minute. */
static struct request_log_note *
begin_note(struct run *run, uint32_t host, int64_t minute_s)
{
	struct host_state *host_state = run_host_state(run, host);

	if (host_state->noted.requests > 0 &&
	    host_state->noted.minute_s == minute_s)
		return &host_state->noted;
	if (host_state->noted.requests == 0) {
		run->noted = mem_grow(run->noted, &run->noted_cap,
		    run->noted_count + 1, sizeof(*run->noted));
		run->noted[run->noted_count++] = host;
	}
	write_host_state(run, host);
	host_state->noted = (struct request_log_note){
	    .minute_s = minute_s, .least_gap_ms = -1, .delay_ms = INT64_MAX};
	return &host_state->noted;
}

void
request_log_note(struct run *run, const struct attempt *attempt,
    const struct fetch_result *result)
{
	struct host_state *host_state = run_host_state(run, attempt->host);
	int64_t now_ms = loop_now_ms(run->options.loop);
	int64_t gap_ms = result->asked_ms - host_state->asked_ms;
	int64_t delay_ms = host_queue_delay(run->host_queue, attempt->host);
	int64_t asked_s = run_now_s(run) -
	    (now_ms - result->asked_ms) / SECOND_MS;
	struct request_log_note *note;

	if (result->asked_ms == 0)
		return; /* nobody was */
	note = begin_note(run, attempt->host, asked_s - asked_s % MINUTE_S);
	note->requests++;
	note->last_s = asked_s;
	if (delay_ms < note->delay_ms)
		note->delay_ms = delay_ms;
	if (host_state->asked_ms != 0) {
		if (note->least_gap_ms < 0 || gap_ms < note->least_gap_ms)
			note->least_gap_ms = gap_ms < 0 ? 0 : gap_ms;
		note->overlaps += result->asked_ms < host_state->ended_ms;
	}
	host_state->asked_ms = result->asked_ms;
	host_state->ended_ms = result->ended_ms;
}

void
request_log_write(struct run *run)
{
	for (size_t i = 0; i < run->noted_count; i++)
		write_host_state(run, run->noted[i]);
	run->noted_count = 0;
}
