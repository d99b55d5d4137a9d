/* What an owner accepts: codes that are ignored, severities that are changed,
 * and the findings of an earlier report. */
#ifndef FRESHET_REPORT_ACCEPT_H
#define FRESHET_REPORT_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"

struct report;
struct report_accept;
struct report_builder;

/* report_accept_new(hash_key): the key is random. */
struct report_accept *report_accept_new(uint64_t hash_key);
void report_accept_free(struct report_accept *);

/* report_accept_ignore(accept, code, pattern): drop findings of that code. With
 * a pattern (borrowed; '*' and '?' as in a shell, '*' matches '/', too; NULL:
 * none) only those of documents whose URL, path or file it matches. */
void report_accept_ignore(
    struct report_accept *, enum diag_code, const char *pattern);

/* report_accept_severity(accept, code, severity): findings of that code have
 * this severity in every profile. */
void report_accept_severity(
    struct report_accept *, enum diag_code, enum severity);

/*
 * report_accept_baseline(accept, line): take a line of an earlier report in the
 * format json: its findings are known. Returns false if the text is no such
 * line. report_accept_has_summary(accept): whether the last line of a report
 * was among them, so that nothing is missing.
 *
 * A finding is known by its document, its code, and, if it concerns an entry,
 * by the URL of the entry and the text: lines may shift. A report keeps eight
 * places of a code in a document; of more, only the number is compared.
 */
bool report_accept_baseline(struct report_accept *, struct slice line);
bool report_accept_has_summary(const struct report_accept *);

/* report_accept_apply(accept, builder): change the findings of all parts and
 * count in the report what was ignored, known and gone. Call when all findings
 * are there. */
void report_accept_apply(struct report_accept *, struct report_builder *);

/* report_accept_ignores(accept, code, url, file): whether such a finding about
 * the URL, or the file that will be there, is dropped. */
bool report_accept_ignores(const struct report_accept *, enum diag_code,
    const char *url, const char *file);

/* report_accept_pages(report): change the listed pages likewise, when the
 * documents are in their places. */
void report_accept_pages(struct report *);

#endif
