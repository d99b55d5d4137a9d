/* One `run` at work; shared by the files of cmd_run. */
#ifndef FRESHET_CMD_RUN_PARTS_H
#define FRESHET_CMD_RUN_PARTS_H

#include "crawler/control/crawler.h"
#include "crawler/daemon/daemon.h"
#include "crawler/daemon/daemon_log.h"
#include "crawler/event/log.h"
#include "crawler/event/notify.h"
#include "crawler/frontier/frontier.h"

struct service {
	struct options *options; /* those that hold; the first are main's */
	struct options *next; /* owned: those to come; NULL: none */
	bool is_renewed; /* options are owned */
	struct forkserver *forkserver;
	struct crawler crawl; /* store, loop, driver, frontier, socket */
	struct daemon *daemon; /* owned */
	struct log log;
	struct notify notify;
	struct loop_signal *hangup;
	struct loop_timer *drain, *watchdog, *minute; /* owned */
	struct daemon_counts past; /* read before the configuration was anew */
	struct frontier_counts handed; /* until the minute before */
	int64_t drain_end_ms;
	int64_t watchdog_ms; /* 0: nobody watches */
	bool is_draining;
	bool has_terminal; /* it was begun in one */
	bool was_ready; /* it has said so before */
};

/* service_counts(service): since it began, over all configurations. */
struct daemon_counts service_counts(const struct service *);

/* service_log(service, event, text): with the counts so far; text: why, or
 * empty. */
void service_log(struct service *, const char *event, struct slice text);

/* service_warn(service): of what the operator should know. */
void service_warn(struct service *);

/* service_open_manager(service): the socket that the environment names, and
 * what is due to it; service_ready: begun, or begun anew. */
void service_open_manager(struct service *);
void service_ready(struct service *);

/* service_free_options(options): of mem_alloc. */
void service_free_options(struct options *);

/* service_close(service): all of it. */
void service_close(struct service *);

#endif
