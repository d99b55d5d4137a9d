/* Dates counted by the hour. */
#include "crawler/parse/uniform.h"

#define HOUR_S 3600
#define WINDOW 24
#define LEAST 20

void
uniform_init(struct uniform *uniform, const int64_t times_s[UNIFORM_TIMES])
{
	*uniform = (struct uniform){0};
	for (int i = 0; i < UNIFORM_TIMES; i++)
		uniform->times_s[i] = times_s[i];
}

void
uniform_add(struct uniform *uniform, const struct date *date)
{
	uniform->dated++;
	for (int i = 0; i < UNIFORM_TIMES; i++) {
		int64_t first_s = uniform->times_s[i] - WINDOW * HOUR_S;
		int64_t after_s = date->epoch_s - first_s;

		if (uniform->times_s[i] != 0 && after_s >= 0 &&
		    after_s <= (int64_t)UNIFORM_HOURS * HOUR_S) {
			int64_t hour = after_s / HOUR_S;

			/* exactly 24 h later still counts */
			if (hour == UNIFORM_HOURS)
				hour--;
			uniform->hours[i][hour]++;
		}
	}
}

static uint64_t
densest(const uint32_t hours[UNIFORM_HOURS])
{
	uint64_t sum = 0;
	uint64_t most = 0;

	for (int i = 0; i < UNIFORM_HOURS; i++) {
		sum += hours[i];
		if (i >= WINDOW)
			sum -= hours[i - WINDOW];
		if (sum > most)
			most = sum;
	}
	return most;
}

bool
uniform_found(const struct uniform *uniform)
{
	if (uniform->dated < LEAST)
		return false;
	for (int i = 0; i < UNIFORM_TIMES; i++)
		if (densest(uniform->hours[i]) * 100 >= uniform->dated * 95)
			return true;
	return false;
}
