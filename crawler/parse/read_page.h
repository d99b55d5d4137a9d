/* The reading of a listed page: what it says of itself, and nothing else. */
#ifndef FRESHET_READ_PAGE_H
#define FRESHET_READ_PAGE_H

#include "crawler/parse/read.h"

/*
 * read_page(job, content): as read_document; content->page is what
 * crawler/parse/page.h makes of the page's beginning.  Nothing is listed, no
 * finding is made.  Returns content->failure: DIAG_OK, also when the page was
 * cut; UNSUPPORTED_ENCODING; READER_KILLED: the body could not be read.
 */
enum diag_code read_page(const struct read_job *, struct content *);

/* read_page_fits(content): may that be the answer, as far as main can tell
 * without the page?  Blocks do not count here. */
bool read_page_fits(const struct content *);

#endif
