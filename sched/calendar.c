/*
 * The calendar queue: buckets of ticks, of 256 ticks, of 65,536 ticks ...
 *
 * A tick has four digits of 8 bits.  It lies in the bucket of the highest digit
 * in which it differs from the present tick.  So the buckets of a level are
 * ahead of the present, and within the present bucket of the level above.  When
 * the present enters a bucket, its numbers move to buckets of lower levels.
 *
 * The word of a number in `positions` says under which tick the number is.  A
 * number in a bucket is stale when its word names another tick; it is skipped,
 * so that taking a number out of the middle of a bucket costs nothing.  A
 * bucket counts its stale numbers, and is purged when they are an eighth.
 */
#include "sched/calendar.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/positions.h"

enum {
	DIGIT_BITS = 8,
	DIGITS = 1 << DIGIT_BITS,
	LEVELS = 4,
	DUE = LEVELS * DIGITS, /* the bucket of all numbers that are due */
	BUCKETS = DUE + 1,
	CHUNK = 126, /* numbers; 512 bytes */
	/* how many numbers ahead pop() fetches words into the cache */
	AHEAD = 12,
	PURGE_MIN = 64, /* fewer stale numbers are not worth a purge */
	PURGE_PART = 8,
};
#define NO_CHUNK UINT32_MAX
#define MAX_TICK_S 31622400

struct chunk {
	uint32_t next; /* or NO_CHUNK */
	uint32_t count;
	uint32_t numbers[CHUNK];
};

/* A list of chunks; numbers are added at its end and taken from its head. */
struct bucket {
	uint32_t head, tail; /* or NO_CHUNK */
	uint32_t count; /* how many numbers, with the stale ones */
	uint32_t stale;
};

struct calendar {
	struct positions *positions; /* borrowed */
	struct chunk *chunks; /* owned */
	size_t chunk_count, chunk_cap;
	uint32_t spare; /* list of unused chunks, or NO_CHUNK */
	int64_t begin_s, tick_s;
	/* the present tick; numbers of it and of earlier ticks are due */
	uint32_t now;
	struct bucket buckets[BUCKETS];
};

static void
bucket_clear(struct bucket *bucket)
{
	*bucket = (struct bucket){.head = NO_CHUNK, .tail = NO_CHUNK};
}

struct calendar *
calendar_new(struct positions *positions, int64_t tick_s, int64_t begin_s)
{
	struct calendar *calendar = mem_zero(sizeof(*calendar));

	assert(tick_s > 0 && tick_s <= MAX_TICK_S);
	calendar->positions = positions;
	calendar->spare = NO_CHUNK;
	calendar->begin_s = begin_s;
	calendar->tick_s = tick_s;
	for (size_t i = 0; i < BUCKETS; i++)
		bucket_clear(&calendar->buckets[i]);
	return calendar;
}

void
calendar_free(struct calendar *calendar)
{
	if (calendar == NULL)
		return;
	free(calendar->chunks);
	free(calendar);
}

/* tick_of(calendar, t_s, is_up): the tick in which t_s lies; with is_up, the
 * first tick that begins at t_s or later.  Always within the calendar's range.
 */
static uint32_t
tick_of(const struct calendar *calendar, int64_t t_s, bool is_up)
{
	uint64_t since, tick;

	if (t_s <= calendar->begin_s)
		return 0;
	/* Unsigned: the difference of any two times fits. */
	since = (uint64_t)t_s - (uint64_t)calendar->begin_s;
	tick = since / (uint64_t)calendar->tick_s;
	if (is_up && since % (uint64_t)calendar->tick_s != 0)
		tick++;
	return tick < POSITIONS_MAX_TICK ? (uint32_t)tick : POSITIONS_MAX_TICK;
}

static size_t
bucket_of(const struct calendar *calendar, uint32_t tick)
{
	uint32_t level, differs = tick ^ calendar->now;

	if (tick <= calendar->now)
		return DUE;
	level = (31 - (uint32_t)__builtin_clz(differs)) / DIGIT_BITS;
	return level * DIGITS + (tick >> level * DIGIT_BITS) % DIGITS;
}

static uint32_t
chunk_new(struct calendar *calendar)
{
	uint32_t at = calendar->spare;

	if (at != NO_CHUNK) {
		calendar->spare = calendar->chunks[at].next;
	} else {
		mem_limit(calendar->chunk_count, NO_CHUNK);
		calendar->chunks = mem_grow(calendar->chunks,
		    &calendar->chunk_cap, calendar->chunk_count + 1,
		    sizeof(*calendar->chunks));
		at = (uint32_t)calendar->chunk_count++;
	}
	calendar->chunks[at].next = NO_CHUNK;
	calendar->chunks[at].count = 0;
	return at;
}

static void
chunk_drop(struct calendar *calendar, uint32_t at)
{
	calendar->chunks[at].next = calendar->spare;
	calendar->spare = at;
}

static void
append(struct calendar *calendar, struct bucket *bucket, uint32_t number)
{
	struct chunk *chunk;

	if (bucket->tail == NO_CHUNK ||
	    calendar->chunks[bucket->tail].count == CHUNK) {
		uint32_t at = chunk_new(calendar);

		if (bucket->tail == NO_CHUNK)
			bucket->head = at;
		else
			calendar->chunks[bucket->tail].next = at;
		bucket->tail = at;
	}
	chunk = &calendar->chunks[bucket->tail];
	chunk->numbers[chunk->count++] = number;
	bucket->count++;
}

/* splice(calendar, to, from): move all numbers of `from` to the end of `to`. */
static void
splice(struct calendar *calendar, struct bucket *to, struct bucket *from)
{
	if (from->head == NO_CHUNK)
		return;
	if (to->tail == NO_CHUNK)
		to->head = from->head;
	else
		calendar->chunks[to->tail].next = from->head;
	to->tail = from->tail;
	to->count += from->count;
	to->stale += from->stale;
	bucket_clear(from);
}

/* pop(calendar, bucket, number): take any number of the first chunk, and fetch
 * the words of the numbers behind it into the cache. */
static bool
pop(struct calendar *calendar, struct bucket *bucket, uint32_t *number)
{
	const struct positions *positions = calendar->positions;
	struct chunk *chunk;

	if (bucket->head == NO_CHUNK)
		return false;
	chunk = &calendar->chunks[bucket->head];
	*number = chunk->numbers[--chunk->count];
	if (chunk->count >= AHEAD)
		__builtin_prefetch(
		    &positions->items[chunk->numbers[chunk->count - AHEAD]], 1);
	bucket->count--;
	if (chunk->count == 0) {
		uint32_t next = chunk->next;

		chunk_drop(calendar, bucket->head);
		bucket->head = next;
		if (next == NO_CHUNK)
			bucket->tail = NO_CHUNK;
	}
	return true;
}

/* is_waiting(word): does the word name a tick? */
static bool
is_waiting(uint32_t word)
{
	return word != POSITIONS_NOWHERE && word <= POSITIONS_MAX_TICK + 1;
}

/* is_live(calendar, bucket, word): does the word of a number say that the
 * number is in that bucket?  False for a word that purge() has marked, so that
 * a number is counted once. */
static bool
is_live(const struct calendar *calendar, size_t bucket, uint32_t word)
{
	return is_waiting(word) && bucket_of(calendar, word - 1) == bucket;
}

/* Drop the stale numbers of a bucket, and the second entry of a number that
 * left the bucket and came back. */
static void
purge(struct calendar *calendar, size_t at)
{
	struct bucket old = calendar->buckets[at];
	struct bucket *bucket = &calendar->buckets[at];
	uint32_t *words = calendar->positions->items;
	uint32_t number;

	bucket_clear(bucket);
	while (pop(calendar, &old, &number))
		if (is_live(calendar, at, words[number])) {
			words[number] |= POSITIONS_MARK;
			append(calendar, bucket, number);
		}
	for (uint32_t c = bucket->head; c != NO_CHUNK;
	     c = calendar->chunks[c].next)
		for (uint32_t i = 0; i < calendar->chunks[c].count; i++)
			words[calendar->chunks[c].numbers[i]] &=
			    ~POSITIONS_MARK;
}

/* leave(calendar, word): the number with that word leaves its bucket, where it
 * is stale from now on. */
static void
leave(struct calendar *calendar, uint32_t *word)
{
	size_t at = bucket_of(calendar, *word - 1);
	struct bucket *bucket = &calendar->buckets[at];

	*word = POSITIONS_NOWHERE;
	bucket->stale++;
	assert(bucket->stale <= bucket->count);
	if (bucket->stale >= PURGE_MIN &&
	    bucket->stale >= bucket->count / PURGE_PART)
		purge(calendar, at);
}

void
calendar_remove(struct calendar *calendar, uint32_t number)
{
	uint32_t word = positions_get(calendar->positions, number);

	if (is_waiting(word))
		leave(calendar, positions_at(calendar->positions, number));
}

void
calendar_put(struct calendar *calendar, uint32_t number, int64_t due_s)
{
	uint32_t *word = positions_at(calendar->positions, number);
	uint32_t tick = tick_of(calendar, due_s, true);

	/* the number waits in no other queue */
	assert(*word <= POSITIONS_MAX_TICK + 1);
	if (*word == tick + 1)
		return;
	if (*word != POSITIONS_NOWHERE)
		leave(calendar, word);
	*word = tick + 1;
	append(calendar, &calendar->buckets[bucket_of(calendar, tick)], number);
}

/* deal(calendar, at): the present has entered a bucket, which has no stale
 * numbers. Move its numbers to buckets of lower levels. */
static void
deal(struct calendar *calendar, size_t at)
{
	struct bucket old = calendar->buckets[at];
	uint32_t number;

	bucket_clear(&calendar->buckets[at]);
	while (pop(calendar, &old, &number)) {
		size_t to = bucket_of(
		    calendar, calendar->positions->items[number] - 1);

		append(calendar, &calendar->buckets[to], number);
	}
}

/* advance(calendar, tick): move the present on.  Buckets that lie behind it are
 * due as a whole, with their stale numbers. */
static void
advance(struct calendar *calendar, uint32_t tick)
{
	struct bucket *buckets = calendar->buckets;
	size_t level, first, last;

	if (tick <= calendar->now)
		return;
	last = bucket_of(calendar, tick);
	level = last / DIGITS;
	for (size_t i = 0; i < level * DIGITS; i++)
		splice(calendar, &buckets[DUE], &buckets[i]);
	first = level * DIGITS +
	    (calendar->now >> level * DIGIT_BITS) % DIGITS + 1;
	for (size_t i = first; i < last; i++)
		splice(calendar, &buckets[DUE], &buckets[i]);
	if (buckets[last].stale > 0)
		purge(calendar, last);
	calendar->now = tick;
	deal(calendar, last);
}

/* take(calendar, at, numbers, max): take up to max numbers from one bucket. */
static size_t
take(struct calendar *calendar, size_t at, uint32_t *numbers, size_t max)
{
	struct bucket *bucket = &calendar->buckets[at];
	uint32_t *words = calendar->positions->items;
	uint32_t number;
	size_t n = 0;

	while (n < max && pop(calendar, bucket, &number)) {
		if (!is_live(calendar, at, words[number])) {
			bucket->stale--;
			continue;
		}
		words[number] = POSITIONS_NOWHERE;
		numbers[n++] = number;
	}
	return n;
}

size_t
calendar_take(
    struct calendar *calendar, int64_t now_s, uint32_t *numbers, size_t max)
{
	advance(calendar, tick_of(calendar, now_s, false));
	return take(calendar, DUE, numbers, max);
}

/* first_of(calendar): the bucket of the number that will be due first;
 * BUCKETS: the calendar is empty. */
static size_t
first_of(const struct calendar *calendar)
{
	const struct bucket *buckets = calendar->buckets;

	if (buckets[DUE].count > buckets[DUE].stale)
		return DUE;
	for (size_t i = 0; i < DUE; i++)
		if (buckets[i].count > buckets[i].stale)
			return i;
	return BUCKETS;
}

void
calendar_rewind(struct calendar *calendar, int64_t now_s)
{
	uint32_t *words = calendar->positions->items;

	for (size_t b = 0; b < BUCKETS; b++)
		for (uint32_t c = calendar->buckets[b].head; c != NO_CHUNK;
		     c = calendar->chunks[c].next)
			for (uint32_t i = 0; i < calendar->chunks[c].count;
			     i++) {
				uint32_t number = calendar->chunks[c]
						      .numbers[i];

				if (is_waiting(words[number]))
					words[number] = 1;
			}
	for (size_t b = 0; b < DUE; b++)
		splice(
		    calendar, &calendar->buckets[DUE], &calendar->buckets[b]);
	calendar->begin_s = now_s;
	calendar->now = 0;
}

bool
calendar_is_far(const struct calendar *calendar, int64_t now_s)
{
	return tick_of(calendar, now_s, false) > POSITIONS_MAX_TICK / 4 * 3;
}

static int64_t
time_of(const struct calendar *calendar, uint32_t tick)
{
	int64_t t_s;

	if (__builtin_add_overflow(
		calendar->begin_s, (int64_t)tick * calendar->tick_s, &t_s))
		return INT64_MAX;
	return t_s;
}

bool
calendar_due_s(const struct calendar *calendar, uint32_t number, int64_t *due_s)
{
	uint32_t word = positions_get(calendar->positions, number);

	if (!is_waiting(word))
		return false;
	*due_s = time_of(calendar, word - 1);
	return true;
}

int64_t
calendar_next_s(const struct calendar *calendar)
{
	size_t at = first_of(calendar);
	uint32_t level, shift;

	if (at == BUCKETS)
		return INT64_MAX;
	if (at == DUE)
		return time_of(calendar, calendar->now);
	level = (uint32_t)(at / DIGITS);
	shift = level * DIGIT_BITS;
	/* The bucket's tick has the digits of the present above its own digit,
	 * and 0 below. */
	return time_of(calendar,
	    (uint32_t)((uint64_t)calendar->now >> (shift + DIGIT_BITS)
		    << (shift + DIGIT_BITS)) |
		(uint32_t)(at % DIGITS) << shift);
}

size_t
calendar_bytes(const struct calendar *calendar)
{
	return sizeof(*calendar) +
	    calendar->chunk_count * sizeof(*calendar->chunks);
}
