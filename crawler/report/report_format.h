/* The formats of a report: text, NDJSON, JUnit, GitHub annotations, SARIF,
 * HTML, Markdown. */
#ifndef FRESHET_REPORT_FORMAT_H
#define FRESHET_REPORT_FORMAT_H

struct out;
struct report;

/*
 * Each function appends the whole report to `out`, which the caller inits and
 * finishes. Text from sites or from the command line is escaped for its place:
 * it cannot be markup, a control character or a workflow command.
 *
 * report_text(): for people; 80 columns if the data allow it, long paths cut in
 * the middle, at most 40 rows of each index, colours if `out` has them.
 * report_json(): one object a line with "v":1. "record" is "document" for each
 * document, with the names of the Search Console API if it has one; then
 * "finding" for each code; then one "summary".
 * report_junit(): a testsuite for each target, a testcase for each document,
 * which fails if it has findings of report.fail_on or above.
 * report_github(): a workflow command for each code, and for its further places
 * up to ten of a severity; then a closing line.
 * report_sarif(): SARIF 2.1.0; one result for each code of each document.
 * report_html(): one page that loads nothing and has no script; 1,000 rows.
 * report_markdown(): tables in GitHub's Markdown, for a job summary; 200 rows.
 */
void report_text(const struct report *, struct out *);
void report_json(const struct report *, struct out *);
void report_junit(const struct report *, struct out *);
void report_github(const struct report *, struct out *);
void report_sarif(const struct report *, struct out *);
void report_html(const struct report *, struct out *);
void report_markdown(const struct report *, struct out *);

#endif
