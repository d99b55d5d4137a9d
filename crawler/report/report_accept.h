/* What an owner accepts: codes that are ignored, severities that are changed,
 * and the findings of an earlier report. */
#ifndef FRESHET_REPORT_ACCEPT_H
#define FRESHET_REPORT_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
#include "crawler/report/report.h"

struct report_builder;

/* Findings of the code are dropped.  With a pattern ('*' and '?' as in a shell,
 * '*' matches '/', too) only those of documents whose URL, path or file it
 * matches. */
struct report_ignore {
	enum diag_code code;
	const char *pattern; /* borrowed, or NULL */
};

/* What the earlier report says of one code in one document. */
struct report_known {
	char *path; /* owned: URL or file of the document */
	enum diag_code code;
	uint64_t count;
	uint64_t samples[REPORT_SAMPLES]; /* hashes of its places */
	size_t sample_count;
	bool is_met;
};

/* The caller zeroes it, fills in the first members, and frees what is owned. */
struct report_accept {
	uint64_t hash_key; /* random */
	struct report_ignore *ignores; /* owned */
	size_t ignore_count;
	/* what findings of a code have in every profile; NONE: unchanged */
	enum severity severities[DIAG_COUNT];
	struct report_known *known; /* owned */
	size_t known_count, known_cap;
	/* a line of an earlier report was taken; and its last one, so that
	 * nothing is missing */
	bool has_baseline, has_summary;
};

/*
 * report_accept_baseline(accept, line): take a line of an earlier report in the
 * format json: its findings are known. Returns false if the text is no such
 * line.
 *
 * A finding is known by its document, its code, and, if it concerns an entry,
 * by the URL of the entry and the text: lines may shift. A report keeps eight
 * places of a code in a document; of more, only the number is compared.
 */
bool report_accept_baseline(struct report_accept *, struct slice line);

/* report_accept_apply(accept, builder): change the findings of all parts and
 * count in the report what was ignored, known and gone. Call when all findings
 * are there. */
void report_accept_apply(struct report_accept *, struct report_builder *);

/* report_accept_ignores(accept, code, url, file): whether such a finding about
 * the URL, or the file that will be there, is dropped. */
bool report_accept_ignores(const struct report_accept *, enum diag_code,
    const char *url, const char *file);

/* report_accept_page(report, page): a page has the codes that its document
 * kept, and the worst severity of these. */
void report_accept_page(const struct report *, struct report_page *);

#endif
