/* The documents in the report for people. */
#ifndef FRESHET_REPORT_TEXT_DOCUMENTS_H
#define FRESHET_REPORT_TEXT_DOCUMENTS_H

#include "crawler/report/report_text_parts.h"

/* text_documents(text): print robots.txt, each index with its sitemaps, and the
 * rest. */
void text_documents(struct text_report *);

#endif
