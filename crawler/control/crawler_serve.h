/* The requests of commands to the owner of the store. */
#ifndef FRESHET_CRAWLER_SERVE_H
#define FRESHET_CRAWLER_SERVE_H

struct crawler;

#define ALERT_CLAIM_S 600

/*
 * crawler_serve(crawler): serve commands from now on, those of other processes
 * through the socket beside the store.  If no socket can be made, other
 * processes wait for the store, and an owner with a driver says so on stderr.
 *
 * The first line of a command is its request, {"command":NAME,"version":V,...}:
 *
 *	due, done, import, hold, release	frontier_service.h
 *	add, rm, set, note, unnote		watch_change.h
 *	feed	"verb":"open", "ack" or "forget", "consumer":NAME, "tags":"A B"
 *		and "cursor":CURSOR: change a consumer of the feed
 *	alert	"alert":NAME, "sink", "begun", "until", "tries", "next":
 *		numbers, "why", "sites":["SITE_ID UNTIL",...] (none: as they
 *		are): what alerts have told.  Without a name: until then no
 *		other process tells anything, but for ALERT_CLAIM_S at most
 *	status, total-budget			status.h
 *	crawl	"json", "quiet", "archived", "force", "again", "bad": flags,
 *		"targets":[TARGET,...], "options":["NAME=VALUE",...].  The
 *		options must equal those of this process, for which they hold.
 *		"archived": this process must have --warc-sitemaps.  "again":
 *		the owner before did a part.  "bad": targets are missing.
 *		Answers: {"type":"said","stream":1 or 2,"text":TEXT}, and
 *		{"type":"progress"} with counts, when the crawl has begun and
 *		then each "progress_ms", unless that is 0.  A line {"stop":N}
 *		ends the crawl with the exit status N.
 *	fetch	"json", "quiet", "archived", "progress_ms", "options" and
 *		"stop": as of crawl; "sites", "tags" and "filter": as of due;
 *		"count", "at_once", "max_bytes": numbers; "follow", "text":
 *		flags; "warc", "texts", "exec": strings.  Answers: as of crawl,
 *		and as of due, "unknown" and, when nothing was due, "more"
 *	run, db	the process wants to own the store.  Answer: {"type":"wait"}
 *		if it will get it when this process ends
 *
 * The first line of an answer is {"type":"hello"}, and the last one
 * {"type":"end","exit":N,"text":WHY}.  After {"type":"bye"} the owner leaves
 * the store in order; the command asks the next owner, or becomes it.
 */
void crawler_serve(struct crawler *);

/* crawler_serve_failed(crawler): the driver has failed: end all that it
 * does for clients, and say why. */
void crawler_serve_failed(struct crawler *);

#endif
