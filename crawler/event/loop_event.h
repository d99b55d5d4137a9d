/* What is behind the loop: its base for http_server.c alone, and libevent's
 * versions. */
#ifndef FRESHET_LOOP_EVENT_H
#define FRESHET_LOOP_EVENT_H

#include "base/library.h"
#include "crawler/event/loop.h"

struct event_base;

/* loop_event_base(loop): borrowed, as long as the loop lives. */
struct event_base *loop_event_base(struct loop *);

/* loop_library(library): libevent. */
void loop_library(struct library *);

#endif
