/* The event base behind the loop; for http_server.c alone. */
#ifndef FRESHET_LOOP_EVENT_H
#define FRESHET_LOOP_EVENT_H

#include "crawler/loop.h"

struct event_base;

/* loop_event_base(loop): borrowed, as long as the loop lives. */
struct event_base *loop_event_base(struct loop *);

#endif
