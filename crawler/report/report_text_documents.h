/* The documents in the textual report. */
#ifndef FRESHET_REPORT_TEXT_DOCUMENTS_H
#define FRESHET_REPORT_TEXT_DOCUMENTS_H

#include "crawler/report/report_text_parts.h"

/* text_documents(text): robots.txt, each index with its sitemaps, the rest. */
void text_documents(struct text_report *);

#endif
