/* What a command that asked for a crawl hears of it. */
#ifndef FRESHET_TELLER_H
#define FRESHET_TELLER_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/profile.h"
#include "base/slice.h"
#include "crawler/crawl/run.h"
#include "store/segment/reading.h"

struct crawl_output;

enum stream { STREAM_OUT = 1, STREAM_ERR = 2 };

struct crawl_output_options {
	bool is_json; /* one object a line, else a summary at the end */
	bool is_quiet; /* neither problems nor the summary */
	const char *sandbox; /* as crawler_sandbox says; for JSON */

	/* say: whole lines for stdout or stderr; text is borrowed. */
	void (*say)(void *arg, enum stream, struct slice text);
	void *arg;
};

struct crawl_output *crawl_output_new(const struct crawl_output_options *);
void crawl_output_free(struct crawl_output *);

/* crawl_output_document, crawl_output_problem: as crawl_options wants them; arg
 * is the teller. */
void crawl_output_document(void *arg, struct slice url, const struct reading *,
    const struct profile *);
void crawl_output_problem(
    void *arg, enum diag_code, struct slice url, struct slice text);

/* crawl_output_end(teller, totals, spent_ms, status): the end of it, and what
 * to do next. */
void crawl_output_end(struct crawl_output *, const struct run_totals *,
    int64_t spent_ms, int status);

#endif
