/* What requests pass - a host, a tag, or all of them together - and whether
 * they keep to its rate in any window of time. */
#ifndef FRESHET_SCHEDULER_GATE_H
#define FRESHET_SCHEDULER_GATE_H

#include <stddef.h>
#include <stdint.h>

#include "fixture.h"

enum { GATE_SENT = 400 }; /* times kept */

struct gate {
	int64_t delay_ms;
	double per_hour; /* 0: no limit */
	int64_t tick_s; /* what it brings may come at once; 0: 60 */
	int64_t sent_s[GATE_SENT]; /* the latest, at sent % GATE_SENT */
	size_t sent;
};

/* One more, at that time: looks at all windows that end with it. */
static inline void
gate_pass(struct gate *gate, int64_t now_s)
{
	double per_s = gate->per_hour / 3600;
	int64_t tick_s = gate->tick_s > 0 ? gate->tick_s : 60;

	gate->sent_s[gate->sent++ % GATE_SENT] = now_s;
	for (size_t back = 1; back < GATE_SENT && back < gate->sent; back++) {
		int64_t since_s = now_s -
		    gate->sent_s[(gate->sent - 1 - back) % GATE_SENT];

		assert_true(since_s * 1000 >= gate->delay_ms * (int64_t)back);
		if (per_s > 0)
			assert_true((double)back + 1 <=
			    per_s * (double)(since_s + tick_s) + 1.001);
	}
}

#endif
