/* Base64 (RFC 4648). */
#ifndef FRESHET_BASE64_H
#define FRESHET_BASE64_H

#include "buf.h"

/* base64_put(out, bytes, count, is_url): append them with '=' at the end; with
 * is_url in the alphabet of URLs, without '='. */
void base64_put(
    struct buf *out, const unsigned char *bytes, size_t count, bool is_url);

#endif
