/* The output of a command that asked for a crawl: a summary, or JSON lines. */
#ifndef FRESHET_CRAWL_OUTPUT_H
#define FRESHET_CRAWL_OUTPUT_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/profile.h"
#include "base/slice.h"
#include "crawler/crawl/run.h"
#include "store/segment/reading.h"

struct crawl_output;

enum stream { STREAM_OUT = 1, STREAM_ERR = 2 };

struct crawl_output_options {
	/* a JSON object for each document; else a summary at the end */
	bool is_json;
	bool is_quiet; /* no problems, and no summary */
	const char *sandbox; /* crawler_sandbox's word, for JSON */

	/* write: whole lines for stdout or stderr; text is borrowed. */
	void (*write)(void *arg, enum stream, struct slice text);
	void *arg;
};

struct crawl_output *crawl_output_new(const struct crawl_output_options *);
void crawl_output_free(struct crawl_output *);

/* crawl_output_document, crawl_output_problem: callbacks of struct
 * crawl_options; arg is the struct crawl_output. */
void crawl_output_document(void *arg, struct slice url, const struct reading *,
    const struct profile *);
void crawl_output_problem(
    void *arg, enum diag_code, struct slice url, struct slice text);

/* crawl_output_end(output, totals, spent_ms, status): write the summary, and
 * how to go on if a limit ended the crawl. */
void crawl_output_end(struct crawl_output *, const struct run_totals *,
    int64_t spent_ms, int status);

#endif
