/* robots.txt that cannot be read as text. */
#ifndef FRESHET_ROBOTS_PACKED_H
#define FRESHET_ROBOTS_PACKED_H

#include <stdbool.h>

#include "base/slice.h"

#define ROBOTS_PACKED "it is packed, though no coding was offered"

/*
 * robots_is_packed(body, content_encoding): are its rules hidden from us by a
 * content coding, which is said (or NULL) or shows?  None is offered for
 * robots.txt, since what undoes them runs in a sandbox that this file is not
 * worth; what is sent so all the same may forbid everything, so that it counts
 * as one that cannot be had (SPEC R-102).  What is said and is none is text.
 */
bool robots_is_packed(struct slice body, const char *content_encoding);

#endif
