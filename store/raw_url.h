/* URLs as segments and samples of findings hold them. */
#ifndef FRESHET_RAW_URL_H
#define FRESHET_RAW_URL_H

#include <stdbool.h>

#include "base/url.h"

/* raw_url_parse(url, text, base): parse a normalised URL, or the raw text of an
 * entry, as leniently as possible.  Returns what url_parse returns; relative
 * URLs are refused if base is NULL. */
enum diag_code raw_url_parse(
    struct url *, struct slice text, const struct url *base);

/* raw_url_is(text, base, wanted, *code): does the text of a sample, which
 * findings may have cut, mean the normalised URL `wanted`?  *code is that of
 * raw_url_parse. */
bool raw_url_is(struct slice text, const struct url *base, struct slice wanted,
    enum diag_code *code);

#endif
