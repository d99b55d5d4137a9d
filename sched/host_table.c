/* Hosts, and when they may be asked. */
#include "sched/host_table.h"

#include <stdlib.h>

#include "base/addr.h"
#include "base/civil.h"
#include "base/mem.h"

/* A consumer that streams pages asks again within a second. */
#define STREAM_MS 2000
/* While a fetcher has a page of a host freshet does not ask it, for a minute;
 * if it has several, for the time that they take and a minute. */
#define ALONE_MS 60000
/* A request that would begin later than this after its time reserves anew. */
#define LATE_MS 200
/* From its time until it is sent, a request looks a name up and connects. */
#define SEND_MS 30000
#define AGAIN_MS 1000 /* until a time is asked for again */
#define SOON_MS 500

struct host_table *
host_table_new(site_rules_fn *rules, void *rules_arg, uint64_t hash_key)
{
	struct host_table *table = mem_zero(sizeof(*table));

	table->names = (struct names){.key = hash_key};
	table->rules = rules;
	table->rules_arg = rules_arg;
	table->streamed_ms = HOST_NEVER;
	return table;
}

void
host_table_free(struct host_table *table)
{
	if (table == NULL)
		return;
	for (uint32_t i = 0; i < table->count; i++)
		if (table->items[i] != NULL)
			host_forget(table, i);
	free(table->items);
	names_release(&table->names);
	free(table);
}

int64_t
host_table_now_ms(const struct host_table *table)
{
	return table->clock_ms == NULL ? table->now_s * SECOND_MS
				       : table->clock_ms(table->clock);
}

void
host_table_set_clock(
    struct host_table *table, int64_t (*clock_ms)(void *), void *clock)
{
	int64_t was_ms = host_table_now_ms(table);
	int64_t by_ms;

	table->clock_ms = clock_ms;
	table->clock = clock;
	by_ms = host_table_now_ms(table) - was_ms;
	for (size_t i = 0; i < table->count; i++) {
		struct host *host = table->items[i];

		if (host == NULL)
			continue;
		int64_t *times[] = {&host->asked_ms, &host->before_ms,
		    &host->lent_until_ms, &host->held_ms};

		for (size_t k = 0; k < LENGTH(times); k++)
			if (*times[k] != HOST_NEVER)
				*times[k] += by_ms;
	}
}

uint32_t
host_put(struct host_table *table, struct slice name)
{
	uint32_t number = names_put(&table->names, name);
	struct host *host;

	if (number < table->count && table->items[number] != NULL)
		return number;
	host = mem_zero(sizeof(*host));
	*host = (struct host){.number = number,
	    .asked_ms = HOST_NEVER,
	    .before_ms = HOST_NEVER,
	    .lent_until_ms = HOST_NEVER,
	    .held_ms = HOST_NEVER,
	    .held_s = {HOST_NEVER, HOST_NEVER},
	    .turn = HOST_SIDES,
	    .limit = HOST_NONE};
	if (number == table->count) {
		table->items = mem_grow(table->items, &table->cap,
		    table->count + 1, sizeof(struct host *));
		table->count++;
	}
	table->items[number] = host;
	if (table->others != NULL)
		host->is_shared = table->others->has(table->others->arg, name);
	host_set_delay(table, host);
	return number;
}

/* Ask for a time. */
static void
host_ask_for_time(struct host_table *table, struct host *host)
{
	table->reserving += host->reserved == RESERVED_NOT;
	host->reserved = RESERVED_ASKED;
	table->others->ask(table->others->arg,
	    slice_of(names_text(&table->names, host->number)), host->delay_ms);
}

/* What is reserved is not needed any more. */
static void
host_give_back(struct host_table *table, struct host *host)
{
	if (host->reserved == RESERVED_NOT)
		return;
	host->reserved = RESERVED_NOT;
	table->reserving--;
	table->others->ask(table->others->arg,
	    slice_of(names_text(&table->names, host->number)), -1);
}

void
host_forget(struct host_table *table, uint32_t number)
{
	struct host *host = table->items[number];

	/* Fetchers that have pages go on when this table is gone. */
	if (host->leases == 0 || host->is_busy ||
	    host->reserved != RESERVED_USED)
		host_give_back(table, host);
	free(table->items[number]->ready.items);
	free(table->items[number]);
	table->items[number] = NULL;
	names_remove(&table->names, number);
}

/* When a host may be asked. */

static void
host_changed(const struct host_table *table, struct host *host)
{
	for (int side = 0; side < HOST_SIDES; side++)
		if (table->followers[side].changed != NULL)
			table->followers[side].changed(
			    table->followers[side].arg, host);
}

int64_t
host_delay_ms(
    const struct site_rules *rules, struct slice host, uint32_t crawl_delay_ms)
{
	int64_t delay_ms = HOST_DELAY_MS;

	if (rules->has_delay)
		delay_ms = rules->delay_ms;
	else if (addr_host_reach(host) == ADDR_LOOPBACK)
		delay_ms = 0;
	return crawl_delay_ms > delay_ms ? crawl_delay_ms : delay_ms;
}

void
host_set_delay(struct host_table *table, struct host *host)
{
	struct slice name = slice_of(names_text(&table->names, host->number));
	uint32_t most_ms = 0;

	for (int side = 0; side < HOST_SIDES; side++)
		if (host->crawl_delay_ms[side] > most_ms)
			most_ms = host->crawl_delay_ms[side];
	if (table->rules != NULL)
		host->rules = table->rules(table->rules_arg, name);
	host->delay_ms = host->is_file ? 0
	    : host->rules == NULL      ? HOST_DELAY_MS
				  : host_delay_ms(host->rules, name, most_ms);
	host_changed(table, host);
}

/* Say when the time is later than what was found so far, and why. */
static void
host_waits_for(
    int64_t at_ms, enum host_why what, int64_t *ready_ms, enum host_why *why)
{
	if (at_ms <= *ready_ms)
		return;
	*ready_ms = at_ms;
	*why = what;
}

int64_t
host_ready_ms(const struct host_table *table, const struct host *host,
    enum host_side side, enum host_why *why)
{
	int64_t ready_ms = HOST_NEVER;
	enum host_why what = HOST_FREE;

	/* The time of the last request may have been rounded up to a
	 * millisecond that has not come yet. Without a delay the next request
	 * must not wait for that millisecond. */
	if (host->asked_ms != HOST_NEVER)
		host_waits_for(
		    host->asked_ms + (host->delay_ms > 0 ? host->delay_ms : -1),
		    HOST_DELAY, &ready_ms, &what);
	/* The other side waits, too, and this side was the last one. */
	if (host->turn != HOST_SIDES && host->turn != side &&
	    host->asked_ms != HOST_NEVER)
		host_waits_for(host->asked_ms + 2 * host->delay_ms, HOST_TURN,
		    &ready_ms, &what);
	if (side == HOST_DOCUMENTS)
		host_waits_for(
		    host->lent_until_ms, HOST_LENT, &ready_ms, &what);
	/* A request under way ends at a time that nobody knows. */
	if (host->is_busy && (host->delay_ms > 0 || host->is_shared))
		host_waits_for(INT64_MAX, HOST_BUSY, &ready_ms, &what);
	if (host->is_shared &&
	    (host->reserved == RESERVED_NOT || host->reserved == RESERVED_TIME))
		host_waits_for(host->reserved_ms, HOST_BUSY, &ready_ms, &what);
	else if (host->reserved == RESERVED_ASKED ||
	    (host->reserved == RESERVED_USED && side == HOST_DOCUMENTS))
		host_waits_for(INT64_MAX, HOST_BUSY, &ready_ms, &what);
	host_waits_for(host->held_ms, HOST_HELD, &ready_ms, &what);
	if (why != NULL)
		*why = ready_ms > host_table_now_ms(table) ? what : HOST_FREE;
	return ready_ms;
}

/* The side has asked the host, so the other one comes next if it has something
 * to ask for.  Pages that nobody wants wait for ever, and have no turn; nor
 * have those of a host that the driver fetches pages of, since no other fetcher
 * gets one meanwhile. */
static void
host_give_turn(
    const struct host_table *table, struct host *host, enum host_side side)
{
	enum host_side other = side == HOST_PAGES ? HOST_DOCUMENTS : HOST_PAGES;
	int64_t now_ms = host_table_now_ms(table);
	bool waits = host->waiting[other] > 0 &&
	    (other == HOST_DOCUMENTS ||
		(host->owned == 0 && table->streamed_ms <= now_ms &&
		    table->streamed_ms >= now_ms - STREAM_MS));

	host->turn = (uint8_t)(waits ? other : HOST_SIDES);
}

void
host_asks(struct host_table *table, struct host *host, int64_t now_ms)
{
	host->before_ms = host->asked_ms;
	host->asked_ms = now_ms;
	host->is_busy = true;
	if (host->reserved == RESERVED_TIME)
		host->reserved = RESERVED_USED;
	host_give_turn(table, host, HOST_DOCUMENTS);
}

void
host_unasked(struct host_table *table, struct host *host)
{
	host->asked_ms = host->before_ms;
	host->is_busy = false;
	host->turn = HOST_SIDES;
	host_give_back(table, host);
}

void
host_answered(struct host_table *table, struct host *host, int64_t at_ms)
{
	int64_t turn_ms = host_table_now_ms(table) - host->delay_ms;

	if (at_ms > host->asked_ms)
		host->asked_ms = at_ms;
	host->is_busy = false;
	host_give_back(table, host);
	host_give_turn(table, host, HOST_DOCUMENTS);
	/* After a long answer two delays may be over before a fetcher could
	 * come: its turn begins now. */
	if (host->turn == HOST_PAGES && host->asked_ms < turn_ms)
		host->asked_ms = turn_ms;
}

void
host_note(struct host *host, int64_t at_ms)
{
	if (at_ms > host->asked_ms)
		host->asked_ms = at_ms;
	if (at_ms > host->before_ms)
		host->before_ms = at_ms;
}

void
host_lend(
    struct host_table *table, struct host *host, bool is_asked, bool is_alone)
{
	int64_t wait_ms = host->delay_ms > ALONE_MS ? host->delay_ms : ALONE_MS;

	if (host->delay_ms <= 0 && !host->is_shared)
		return;
	if (is_asked) {
		host_note(host, host_table_now_ms(table));
		host_give_turn(table, host, HOST_PAGES);
		if (host->reserved == RESERVED_TIME)
			host->reserved = RESERVED_USED;
	} else if (host->is_shared && host->reserved == RESERVED_NOT) {
		host_ask_for_time(table, host);
	}
	host->lent_until_ms = HOST_NEVER;
	/* The fetcher asks for one page after the other, and the first one may
	 * take long. */
	if ((is_alone || host->is_shared) && host->leases > 0)
		host->lent_until_ms = host_table_now_ms(table) + wait_ms +
		    (host->leases - 1) * host->delay_ms;
	host_changed(table, host);
}

void
host_returned(struct host_table *table, struct host *host)
{
	bool is_spaced = host->delay_ms > 0 && host->asked_ms != HOST_NEVER;

	if (!host->is_busy && host->reserved == RESERVED_USED)
		host_give_back(table, host);
	else if (!is_spaced)
		return;
	host->lent_until_ms = HOST_NEVER;
	if (is_spaced)
		host_give_turn(table, host, HOST_PAGES);
	host_changed(table, host);
}

/* Hosts that others ask, too. */

/* Do fetchers have pages of the host, and ask for them now? */
static bool
host_is_lent(const struct host_table *table, const struct host *host)
{
	return host->leases > 0 &&
	    host->lent_until_ms > host_table_now_ms(table);
}

bool
host_reserve(struct host_table *table, struct host *host, enum host_side side)
{
	int64_t now_ms = host_table_now_ms(table);

	if (!host_may_ask(table))
		return false;
	if (!host->is_shared)
		return true;
	if (host->reserved == RESERVED_USED)
		return side == HOST_PAGES && !host->is_busy &&
		    host->reserved_ms != HOST_NEVER;
	if (host->reserved == RESERVED_ASKED || now_ms < host->reserved_ms)
		return false;
	if (host->reserved == RESERVED_TIME &&
	    now_ms <= host->reserved_ms + LATE_MS)
		return true;
	if (side == HOST_PAGES) {
		/* documents, which look at once, do not take the time first */
		host->turn = HOST_PAGES;
		table->soon_ms = now_ms + SOON_MS;
	}
	host_ask_for_time(table, host);
	return false;
}

bool
host_may_send(const struct host_table *table, const struct host *host)
{
	/* Without a time it began before others wanted the host. */
	return host_may_ask(table) &&
	    (host->reserved != RESERVED_USED ||
		host_table_now_ms(table) <= host->reserved_ms + SEND_MS);
}

void
host_reserved(struct host_table *table, struct slice name, int64_t wait_ms)
{
	uint32_t number = names_find(&table->names, name);
	int64_t now_ms = host_table_now_ms(table);
	struct host *host;

	if (number == NAMES_NONE ||
	    table->items[number]->reserved != RESERVED_ASKED)
		return; /* it has been given back */
	host = table->items[number];
	host->reserved = RESERVED_TIME;
	host->reserved_ms = now_ms + (wait_ms < 0 ? AGAIN_MS : wait_ms);
	/* Pages were lent before others wanted the host, or by the process
	 * before this one. */
	if (wait_ms >= 0 && host_is_lent(table, host))
		host->reserved = RESERVED_USED;
	else if (wait_ms < 0 ||
	    (host->waiting[HOST_DOCUMENTS] == 0 &&
		host->waiting[HOST_PAGES] == 0))
		host_give_back(table, host);
	host_changed(table, host);
}

void
host_share(struct host_table *table, struct slice name)
{
	struct host *host = table->items[host_put(table, name)];

	host->is_shared = true;
	if (host->reserved != RESERVED_NOT)
		return;
	host->reserved = RESERVED_USED;
	host->reserved_ms = host_table_now_ms(table);
	table->reserving++;
	if (!host->is_busy && !host_is_lent(table, host))
		host_give_back(table, host);
	host_changed(table, host);
}

void
host_tidy(struct host_table *table, bool is_lost)
{
	for (size_t i = 0; table->reserving > 0 && i < table->count; i++) {
		struct host *host = table->items[i];

		if (host == NULL || host->reserved == RESERVED_NOT)
			continue;
		if (is_lost)
			host->reserved_ms = HOST_NEVER;
		if (host->reserved == RESERVED_USED
			? host->is_busy || host_is_lent(table, host)
			: host->reserved == RESERVED_ASKED ||
			    host_table_now_ms(table) <=
				host->reserved_ms + AGAIN_MS)
			continue;
		host_give_back(table, host);
		host_changed(table, host);
	}
}

int64_t
host_age_ms(int64_t at_s, int64_t now_s)
{
	/* Stored times are cut to whole seconds, and the clock may have been
	 * set back. */
	return now_s <= at_s ? 0 : (now_s - at_s - 1) * SECOND_MS;
}

void
host_recall(struct host_table *table, struct host *host, int64_t last_s,
    int64_t now_s, int64_t delay_ms)
{
	host->is_recalled = true;
	if (last_s != 0)
		host_note(host,
		    host_table_now_ms(table) - host_age_ms(last_s, now_s));
	if (host->asked_ms != HOST_NEVER && host->delay_ms > 0 &&
	    delay_ms > host->delay_ms &&
	    host->asked_ms + delay_ms > host->lent_until_ms)
		host->lent_until_ms = host->asked_ms + delay_ms;
	host_changed(table, host);
}

void
host_hold(struct host_table *table, struct host *host, enum held_kind kind,
    int64_t until_s, int64_t now_s, const char *why)
{
	host->held_s[kind] = until_s;
	if (kind == HELD_ALL)
		host->held_ms = until_s <= now_s
		    ? HOST_NEVER
		    : host_table_now_ms(table) + (until_s - now_s) * SECOND_MS;
	for (int side = 0; side < HOST_SIDES; side++)
		if (table->followers[side].held != NULL)
			table->followers[side].held(
			    table->followers[side].arg, host, kind, why);
}
