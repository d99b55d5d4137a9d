/* What the text of a listed URL gives away. */
#ifndef FRESHET_REPORT_URL_FORM_H
#define FRESHET_REPORT_URL_FORM_H

#include "base/diag.h"
#include "base/slice.h"

/* report_url_form(url): URL_NOT_A_PAGE: a normalised URL is that of robots.txt,
 * or its file name ends in ".xml" or ".xml.gz" and has the word sitemap in it;
 * URL_HAS_SESSION_ID: a parameter has the name of a session, and a value of 16
 * letters or more; else DIAG_OK. */
enum diag_code report_url_form(struct slice url);

#endif
