/*
 * The part of markup before the root element: this scanner tells web pages from
 * XML (SPEC R-05) and finds a document type before any parser does (SPEC R-04).
 */
#ifndef FRESHET_PROLOG_H
#define FRESHET_PROLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"

struct prolog;

struct prolog_options {
	bool is_doctype_skipped;
	/* takes the bytes that are passed on; false stops */
	bool (*out)(void *arg, struct slice utf8);
	/* HTML_NOT_SITEMAP or DOCTYPE_PRESENT, at most once */
	void (*finding)(
	    void *arg, enum diag_code, uint32_t line, struct slice text);
	void *arg;
};

/* prolog_new(options, line): line is the number of the first line. */
struct prolog *prolog_new(const struct prolog_options *, uint32_t line);
void prolog_free(struct prolog *);

/*
 * prolog_feed(prolog, utf8), prolog_finish(prolog): pass the markup on; of a
 * skipped document type only its line ends are passed on. False when no more
 * bytes are wanted, because out said so, or because prolog_failure is
 * HTML_NOT_SITEMAP or DOCTYPE_PRESENT.
 */
bool prolog_feed(struct prolog *, struct slice utf8);
bool prolog_finish(struct prolog *);
enum diag_code prolog_failure(const struct prolog *);

#endif
