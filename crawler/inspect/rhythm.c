/* When a site publishes: see rhythm.h. */
#include "crawler/inspect/rhythm.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/zone.h"

#define HOURS_MOST (3660 * 24) /* of a span: ten years */
#define LAGS_MOST 100000 /* more of them say nothing more */

enum { SEEN_HOUR = 1, SEEN_DAY = 2 };

/* New pages of one hour, or of a day whose hour is not known. */
struct batch {
	int64_t day; /* of base/zone.h */
	int hour; /* -1: not known */
	uint64_t pages;
	int64_t reading_id;
};

struct lag {
	int64_t lag_s, window_s;
};

struct batches {
	struct batch *items; /* owned */
	size_t count, cap;
};

struct rhythm {
	int64_t from_s, to_s; /* from_s is the beginning of an hour */
	uint8_t *seen; /* owned; SEEN_ bits of each hour of the span */
	size_t hours;
	struct batches pages;
	uint64_t placeless;
	uint64_t redatings;
	int64_t redated_day; /* the latest of these */
	struct lag *lags; /* owned */
	size_t lag_count, lag_cap;
};

struct rhythm *
rhythm_new(int64_t from_s, int64_t to_s)
{
	struct rhythm *rhythm = mem_zero(sizeof(*rhythm));
	struct civil civil = zone_civil(from_s);

	/* Hours of the zone begin where its clocks show a whole one, which is
	 * not a multiple of 3,600 s everywhere. */
	rhythm->from_s = from_s - civil.minute * 60 - civil.second;
	rhythm->to_s = to_s;
	if (to_s > rhythm->from_s)
		rhythm->hours = (size_t)((to_s - rhythm->from_s) / HOUR_S) + 1;
	if (rhythm->hours > HOURS_MOST)
		rhythm->hours = HOURS_MOST;
	rhythm->seen = mem_zero(rhythm->hours + 1);
	return rhythm;
}

void
rhythm_free(struct rhythm *rhythm)
{
	if (rhythm == NULL)
		return;
	free(rhythm->seen);
	free(rhythm->pages.items);
	free(rhythm->lags);
	free(rhythm);
}

/* A window without a beginning is endless: nobody knows since when the page had
 * been there. */
static int64_t
length_of(const struct rhythm_window *window)
{
	return window->after_s > 0 && window->after_s <= window->at_s
	    ? window->at_s - window->after_s
	    : INT64_MAX;
}

void
rhythm_look(struct rhythm *rhythm, const struct rhythm_window *window)
{
	int64_t length = length_of(window);
	int64_t from = (window->after_s - rhythm->from_s) / HOUR_S;
	int64_t to = (window->at_s - rhythm->from_s) / HOUR_S;

	/* Within a longer window nobody would have known the day. */
	if (length > RHYTHM_DAY_S || window->at_s < rhythm->from_s)
		return;
	if (window->after_s < rhythm->from_s)
		from = 0;
	for (int64_t i = from; i <= to && i < (int64_t)rhythm->hours; i++)
		rhythm->seen[i] |= length <= RHYTHM_HOUR_S
		    ? SEEN_HOUR | SEEN_DAY
		    : SEEN_DAY;
}

static bool
is_fitting(const struct date *date, const struct rhythm_window *window)
{
	int64_t end_s = date->epoch_s;

	if (date->precision == DATE_DAY)
		end_s += DAY_S;
	else if (date->precision < DATE_MINUTE)
		return false;
	/* A date long before the window is that of an old page which was
	 * listed late; one behind it, that of a clock that is wrong. */
	return window->after_s > 0 &&
	    end_s >= window->after_s - RHYTHM_LATE_S &&
	    date->epoch_s <= window->at_s + RHYTHM_CLOCK_S;
}

/* When did it happen?  False: the day is not known. */
static bool
rhythm_place(const struct rhythm_window *window, const struct date *date,
    struct batch *batch)
{
	int64_t length = length_of(window);
	int64_t at_s = window->at_s;
	bool has_date = is_fitting(date, window);

	batch->hour = -1;
	if (has_date && date->precision >= DATE_MINUTE) {
		at_s = date->epoch_s;
		batch->hour = zone_civil(at_s).hour;
	} else if (length <= RHYTHM_HOUR_S) {
		at_s = window->at_s - length / 2;
		batch->hour = zone_civil(at_s).hour;
	} else if (has_date) {
		/* a day has no zone: it is that of the site */
		batch->day = date->epoch_s / DAY_S;
		return true;
	} else if (length <= RHYTHM_DAY_S) {
		at_s = window->at_s - length / 2;
	} else {
		return false;
	}
	batch->day = zone_day(at_s);
	return true;
}

/* Pages of one reading are one batch, so that a reading of thousands of pages
 * takes one item. */
static void
add_batch(struct batches *batches, const struct batch *batch)
{
	/* changes of a reading come together, in the order of URLs */
	for (size_t i = batches->count; i > 0 && i + 24 > batches->count; i--) {
		struct batch *other = &batches->items[i - 1];

		if (other->day == batch->day && other->hour == batch->hour &&
		    other->reading_id == batch->reading_id) {
			other->pages += batch->pages;
			return;
		}
	}
	*MEM_PUSH(batches->items, batches->count, batches->cap) = *batch;
}

void
rhythm_page(struct rhythm *rhythm, const struct rhythm_window *window,
    int64_t reading_id, const struct date *date)
{
	struct batch batch = {.pages = 1, .reading_id = reading_id};

	if (!rhythm_place(window, date, &batch)) {
		rhythm->placeless++;
		return;
	}
	add_batch(&rhythm->pages, &batch);
	/* Only a date with an hour says how long a page waited to be found. */
	if (date->precision < DATE_MINUTE || !is_fitting(date, window) ||
	    rhythm->lag_count == LAGS_MOST)
		return;
	*MEM_PUSH(
	    rhythm->lags, rhythm->lag_count, rhythm->lag_cap) = (struct lag){
	    .lag_s = window->at_s > date->epoch_s ? window->at_s - date->epoch_s
						  : 0,
	    .window_s = length_of(window)};
}

void
rhythm_redated(struct rhythm *rhythm, int64_t at_s)
{
	int64_t day = zone_day(at_s);

	rhythm->redatings += rhythm->redatings == 0 ||
	    day != rhythm->redated_day;
	rhythm->redated_day = day;
}

static const struct sort_key rhythm_by_time[] = {
    {SORT_KEY(struct batch, day), false}, {SORT_KEY(struct batch, hour), false},
    {0}};

static const struct sort_key by_number[] = {{.type = SORT_INT64}, {0}};

/* The shortest time of the day in which most batches lie; nothing if it is
 * longer than RHYTHM_HOURS, or the hour of too many is not known. */
static void
judge_hours(
    const struct batches *batches, const bool is_usual[7], int *from, int *to)
{
	uint32_t hours[24] = {0};
	uint32_t all = 0;

	*from = *to = -1;
	for (size_t i = 0; i < batches->count; i++) {
		const struct batch *batch = &batches->items[i];

		if (!is_usual[zone_weekday(batch->day)] ||
		    (i > 0 && batch->day == batch[-1].day &&
			batch->hour == batch[-1].hour))
			continue;
		all++;
		if (batch->hour >= 0)
			hours[batch->hour]++;
	}
	/* The shortest time of the day that holds enough is said, and of
	 * several the one that holds most. */
	for (int length = 1; length <= RHYTHM_HOURS && *from < 0; length++) {
		uint32_t most = 0;

		for (int begin = 0; begin < 24; begin++) {
			uint32_t sum = 0;

			for (int i = 0; i < length; i++)
				sum += hours[(begin + i) % 24];
			if (sum * 100 < all * RHYTHM_SHARE || sum <= most)
				continue;
			most = sum;
			*from = begin;
			*to = (begin + length) % 24;
		}
	}
}

/* How many pages come on a usual day, if it is mostly the same number, give or
 * take a quarter. */
static void
judge_amount(const struct batches *batches, struct rhythm_facts *facts)
{
	int64_t *amounts = mem_alloc((batches->count + 1) * sizeof(*amounts));
	size_t count = 0, alike = 0, together = 0, end;

	for (size_t i = 0; i < batches->count; i = end) {
		bool is_together = true;

		end = i + 1;
		while (end < batches->count &&
		    batches->items[end].day == batches->items[i].day)
			end++;
		if (!facts->is_usual[zone_weekday(batches->items[i].day)])
			continue;
		amounts[count] = 0;
		for (size_t k = i; k < end; k++) {
			amounts[count] += (int64_t)batches->items[k].pages;
			is_together = is_together &&
			    batches->items[k].reading_id ==
				batches->items[i].reading_id;
		}
		together += is_together;
		count++;
	}
	if (count > 0) {
		int64_t middle;

		sort_rows(amounts, count, sizeof(*amounts), by_number);
		middle = amounts[count / 2];
		for (size_t i = 0; i < count; i++)
			alike += llabs(amounts[i] - middle) <= middle / 4;
		if (alike * 100 >= count * RHYTHM_SHARE)
			facts->at_once = (uint64_t)middle;
		facts->is_spread = together * 100 < count * RHYTHM_SHARE;
	}
	free(amounts);
}

/* Judge what is usual by days, not by pages: a thousand pages of one day are
 * one habit less than ten pages of ten days. */
static void
judge_pages(struct rhythm *rhythm, struct rhythm_facts *facts)
{
	const struct batches *batches = &rhythm->pages;
	int64_t last_day = INT64_MIN;

	facts->placeless = facts->all = rhythm->placeless;
	sort_rows(rhythm->pages.items, rhythm->pages.count,
	    sizeof(*rhythm->pages.items), rhythm_by_time);
	for (size_t i = 0; i < batches->count; i++) {
		const struct batch *batch = &batches->items[i];
		unsigned weekday = zone_weekday(batch->day);

		facts->all += batch->pages;
		if (batch->hour >= 0)
			facts->pages[weekday][batch->hour] += batch->pages;
		else
			facts->hourless[weekday] += batch->pages;
		if (batch->day != last_day)
			facts->days[weekday]++;
		last_day = batch->day;
	}
	if (batches->count > 0)
		facts->last_s = zone_day_s(last_day);
	uint32_t days = 0, usual = 0, seen = 0;

	for (int i = 0; i < 7; i++) {
		days += facts->days[i];
		seen += facts->seen_days[i];
		facts->is_usual[i] = facts->days[i] >= RHYTHM_TIMES &&
		    facts->days[i] * 2 >= facts->seen_days[i];
		if (facts->is_usual[i])
			usual += facts->days[i];
	}
	/* Three conditions: somebody looked long enough, pages came often
	 * enough, and nearly all on usual days. */
	facts->has_rhythm = seen >= RHYTHM_SEEN_DAYS &&
	    days >= RHYTHM_LEAST_DAYS && usual * 100 >= days * RHYTHM_SHARE;
	facts->hour_from = facts->hour_to = -1;
	if (!facts->has_rhythm)
		return;
	judge_hours(
	    batches, facts->is_usual, &facts->hour_from, &facts->hour_to);
	judge_amount(batches, facts);
}

static bool
is_quiet(const struct rhythm *rhythm, int64_t last_s)
{
	int64_t quiet_s = RHYTHM_QUIET_DAYS * DAY_S;
	size_t seen = 0, hours = 0;

	/* A site that never had new pages is not quiet: nothing is known of
	 * it. */
	if (last_s == 0 || rhythm->to_s - last_s <= quiet_s)
		return false;
	for (size_t i = 0; i < rhythm->hours; i++) {
		if (rhythm->from_s + (int64_t)i * HOUR_S <= last_s)
			continue;
		hours++;
		seen += (rhythm->seen[i] & SEEN_DAY) != 0;
	}
	return seen * 2 >= hours;
}

void
rhythm_judge(struct rhythm *rhythm, struct rhythm_facts *facts)
{
	size_t placed = 0;

	*facts = (struct rhythm_facts){0};
	for (size_t i = 0; i < rhythm->pages.count; i++)
		placed += rhythm->pages.items[i].pages;
	/* where dates have hours, a daily reading sees every hour */
	int64_t last_day = INT64_MIN;

	for (size_t i = 0; i < rhythm->hours; i++) {
		int64_t at_s = rhythm->from_s + (int64_t)i * HOUR_S;
		int64_t day = zone_day(at_s);
		unsigned weekday = zone_weekday(day);
		uint8_t wanted = (placed > 0 && rhythm->lag_count * 2 >= placed)
		    ? SEEN_DAY
		    : SEEN_HOUR;

		if ((rhythm->seen[i] & wanted) != 0)
			facts->seen[weekday][zone_civil(at_s).hour]++;
		if ((rhythm->seen[i] & SEEN_DAY) != 0 && day != last_day) {
			facts->seen_days[weekday]++;
			last_day = day;
		}
	}
	judge_pages(rhythm, facts);
	facts->is_quiet = is_quiet(rhythm, facts->last_s);
	size_t count = rhythm->lag_count;
	int64_t *numbers = mem_alloc((count + 1) * sizeof(*numbers));

	facts->dated = count;
	if (count > 0) {
		for (size_t i = 0; i < count; i++)
			numbers[i] = rhythm->lags[i].lag_s;
		sort_rows(numbers, count, sizeof(*numbers), by_number);
		facts->lag_s = numbers[count / 2];
		facts->most_lag_s = numbers[count * 9 / 10];
		for (size_t i = 0; i < count; i++)
			numbers[i] = rhythm->lags[i].window_s;
		sort_rows(numbers, count, sizeof(*numbers), by_number);
		facts->interval_s = numbers[count / 2];
	}
	free(numbers);
	facts->redatings = rhythm->redatings;
}

const char *const rhythm_weekdays[7] = {
    "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
static const char *const long_days[] = {"Monday", "Tuesday", "Wednesday",
    "Thursday", "Friday", "Saturday", "Sunday"};

/* "Mondays", "Mon to Fri", "Tue, Thu", "every day". */
static void
put_days(const bool is_usual[7], struct buf *out)
{
	int count = 0, first = 7, last = 0;

	for (int i = 0; i < 7; i++) {
		if (!is_usual[i])
			continue;
		count++;
		first = first < 7 ? first : i;
		last = i;
	}
	if (count == 7) {
		(void)buf_print(out, "every day");
	} else if (count == 1) {
		(void)buf_print(out, "%ss", long_days[first]);
	} else if (count > 2 && count == last - first + 1) {
		(void)buf_print(out, "%s to %s", rhythm_weekdays[first],
		    rhythm_weekdays[last]);
	} else {
		for (int i = first; i <= last; i++)
			if (is_usual[i])
				(void)buf_print(out, "%s%s",
				    i == first ? "" : ", ", rhythm_weekdays[i]);
	}
}

void
rhythm_words(const struct rhythm_facts *facts, struct buf *out)
{
	static const char *const words[] = {"no", "one", "two", "three", "four",
	    "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"};
	uint64_t seen = 0;

	for (int i = 0; i < 7; i++)
		seen += facts->seen_days[i];

	if (facts->all == 0) {
		(void)buf_print(out, "nothing new");
	} else if (facts->is_quiet) {
		(void)buf_print(out, "nothing since %s",
		    zone_text(facts->last_s, ZONE_DATE).text);
	} else if (seen < RHYTHM_SEEN_DAYS) {
		(void)buf_print(out,
		    "no rhythm yet, %" PRIu64 " of %d days read", seen,
		    RHYTHM_SEEN_DAYS);
	} else if (!facts->has_rhythm) {
		(void)buf_print(out, "no rhythm seen in %s",
		    human_of(facts->all, "page").text);
	} else {
		put_days(facts->is_usual, out);
		if (facts->hour_from >= 0)
			(void)buf_print(out, " %d to %d h", facts->hour_from,
			    facts->hour_to == 0 ? 24 : facts->hour_to);
		if (facts->at_once > 0)
			(void)buf_print(out, ", %s%s %s",
			    facts->is_spread ? "about " : "",
			    facts->at_once < sizeof(words) / sizeof(words[0])
				? words[facts->at_once]
				: human_of(facts->at_once, NULL).text,
			    facts->is_spread          ? "a day"
				: facts->at_once == 1 ? "page"
						      : "at once");
	}
}

void
rhythm_lag_words(const struct rhythm_facts *facts, struct buf *out)
{
	/* between two readings nothing can be found: a shorter lag is luck */
	int64_t floor_s = facts->interval_s;
	int64_t lag_s = facts->lag_s > floor_s ? facts->lag_s : floor_s;
	int64_t most_s = facts->most_lag_s > floor_s ? facts->most_lag_s
						     : floor_s;

	if (facts->dated == 0)
		(void)buf_print(out,
		    "not known: no new page has a date with "
		    "an hour that fits");
	else if (facts->dated < RHYTHM_LAG_PAGES)
		(void)buf_print(out, "only %s with a date that has an hour",
		    human_of(facts->dated, "new page").text);
	else
		(void)buf_print(out,
		    "half of %s within %s of their dates, 90 %% within %s; "
		    "readings are %s apart",
		    human_of(facts->dated, "page").text,
		    human_span((double)lag_s).text,
		    human_span((double)most_s).text,
		    human_span((double)floor_s).text);
}

void
rhythm_redated_words(const struct rhythm_facts *facts, struct buf *out)
{
	/* two such days may be chance */
	if (facts->redatings > 0)
		(void)buf_print(out, "re-dated everything on %s%s",
		    human_of(facts->redatings, "day").text,
		    facts->redatings >= RHYTHM_REDATINGS ? ": build dates"
							 : "");
}
