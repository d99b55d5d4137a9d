/* What libevent has to say: see loop_log.h. */
#include "crawler/event/loop_log.h"

#include <event2/event.h>
#include <unistd.h>

#include "crawler/event/exit.h"

/* It would end the process itself, with 1. */
static void
on_message(int severity, const char *message)
{
	static const char text[] =
	    "freshet: no descriptor is left for the event loop\n";

	(void)message;
	if (severity != EVENT_LOG_ERR)
		return;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(EXIT_RESOURCES);
}

void
loop_log(void)
{
	event_set_log_callback(on_message);
}
