/* The listed pages of a report's page. */
#ifndef FRESHET_REPORT_HTML_PAGES_H
#define FRESHET_REPORT_HTML_PAGES_H

struct out;
struct report;

/* report_html_pages(report, out): a section of them, if there are any; 1,000
 * rows. */
void report_html_pages(const struct report *, struct out *);

#endif
