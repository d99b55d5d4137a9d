/* A desk over a store that is only read, to show what it believes. */
#ifndef FRESHET_WATCH_DESK_H
#define FRESHET_WATCH_DESK_H

#include <stdint.h>

#include "crawler/desk.h"
#include "crawler/watch_rules.h"

/* watch_desk(rules, now_s): of the store that the rules are of; desk_free it
 * before them. */
struct desk *watch_desk(struct watch_rules *, int64_t now_s);

#endif
