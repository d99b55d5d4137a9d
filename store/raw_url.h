/* URLs as the store and its samples have them. */
#ifndef FRESHET_RAW_URL_H
#define FRESHET_RAW_URL_H

#include <stdbool.h>

#include "base/url.h"

/* raw_url_parse(url, text, base): a normalised URL, or the raw text of an
 * entry read as leniently as can be.  DIAG_OK, or what url_parse says;
 * RELATIVE_URL when base is NULL. */
enum diag_code raw_url_parse(
    struct url *, struct slice text, const struct url *base);

/* raw_url_is(text, base, wanted, *code): does the text of a sample, cut as
 * findings cut it, mean that normalised URL?  code: what raw_url_parse said. */
bool raw_url_is(struct slice text, const struct url *base, struct slice wanted,
    enum diag_code *code);

#endif
