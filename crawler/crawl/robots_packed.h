/* A robots.txt that cannot be read as text. */
#ifndef FRESHET_ROBOTS_PACKED_H
#define FRESHET_ROBOTS_PACKED_H

#include <stdbool.h>

#include "base/slice.h"

#define ROBOTS_PACKED "it is packed, though no coding was offered"

/*
 * robots_is_packed(body, content_encoding): does a content coding hide the
 * rules?  The header says one (else NULL), or the bytes show one.
 *
 * freshet offers no coding for robots.txt, since decoders run in a sandbox,
 * which is not worth it for this file.  A file that is packed all the same
 * may forbid everything, so it counts as one that cannot be had (SPEC R-102).
 * A coding that is said, but not there, does no harm: the file is text.
 */
bool robots_is_packed(struct slice body, const char *content_encoding);

#endif
