/* A report as text, NDJSON, JUnit, GitHub annotations, SARIF or a page. */
#ifndef FRESHET_REPORT_FORMAT_H
#define FRESHET_REPORT_FORMAT_H

struct out;
struct report;

/*
 * Each writes all of the report to out, which the caller inits and finishes.
 * What came from sites or from the command line is escaped for its place:
 * nothing in it is markup, a control character or a workflow command.
 *
 * report_text: for people; 80 columns where data allows, long paths cut in
 * the middle, at most 40 rows of each index, colours as out says.
 * report_json: one object a line with "v":1 and "record": "document" for each
 * document, with the names of the Search Console API where it has one, then
 * "finding" for each code, then one "summary".
 * report_junit: one testsuite a target, one testcase a document, which fails
 * on findings from report.fail_on up.
 * report_github: one workflow command a code, then a closing line.
 * report_sarif: SARIF 2.1.0; one result for each code of each document.
 * report_html: one page that needs nothing else; no script; 1,000 rows.
 */
void report_text(const struct report *, struct out *);
void report_json(const struct report *, struct out *);
void report_junit(const struct report *, struct out *);
void report_github(const struct report *, struct out *);
void report_sarif(const struct report *, struct out *);
void report_html(const struct report *, struct out *);

#endif
