/* A TARGET of the command line (SPEC 15.5, 15.6). */
#ifndef FRESHET_TARGET_H
#define FRESHET_TARGET_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/slice.h"
#include "base/url.h"

enum target_kind { TARGET_SITE, TARGET_ROBOTS, TARGET_DOCUMENT };

struct target {
	enum target_kind kind;
	/* of the root of the site, its robots.txt, or the document */
	struct url url;
	bool has_no_scheme; /* a bare host: try https, then http */
};

/* target_parse(target, text): read a host ("example.org", "example.org:8080"),
 * the URL of a site (its path is empty or "/"), of a robots.txt, or of a
 * document. Returns DIAG_OK or a code of url_parse. Call url_release for its
 * url in any case. */
enum diag_code target_parse(struct target *, struct slice text);

/* target_is_path(text): does text look like a file name, though it could be
 * read as a host: "public/sitemap.xml", "sitemap.xml", "./a"? Then a mistyped
 * file name causes no request to the network. A user who means a host writes
 * https://. */
bool target_is_path(struct slice text);

/* target_text(target): the text that is stored for the target: its URL, or its
 * host and port as long as the scheme is unknown. Borrowed from the target.
 * target_parse of the text gives the same target. */
struct slice target_text(const struct target *);

/* The places where a sitemap is looked for, in this order, if robots.txt names
 * none (SPEC 15.6). The first ones are usual, and the only ones below a target;
 * of the others some are chosen. */
#define TARGET_PLACES 8
#define TARGET_PLACES_USUAL 2
extern const char *const target_places[TARGET_PLACES];

/* target_places_for(generator): the bits of at most three places besides the
 * usual ones, for a site whose start page names that generator; empty: it names
 * none. */
unsigned target_places_for(struct slice generator);

#endif
