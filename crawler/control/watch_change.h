/* Changes of the watch list, and of notes, made by the process that owns the
 * store. */
#ifndef FRESHET_WATCH_CHANGE_H
#define FRESHET_WATCH_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strings.h"

struct control_client;
struct control_peer;
struct crawler;
struct ndjson;

enum watch_verb { WATCH_ADD, WATCH_RM, WATCH_SET, WATCH_NOTE, WATCH_UNNOTE };

struct watch_request {
	enum watch_verb verb;
	/* owned: targets (ADD), hosts or targets (RM), hosts or tags (SET),
	 * hosts (NOTE, UNNOTE); see watch_item */
	struct strings items;
	struct strings settings; /* owned: checked KEY=VALUE texts */
	int64_t note_s; /* NOTE, UNNOTE: what the note is about */
	char *note; /* owned; NOTE: its text, see watch_note_check */
};

void watch_request_release(struct watch_request *);

/* The commands, by enum watch_verb. */
extern const char *const watch_verb_names[];

/* watch_item(text, verb, out): append the argument of a command in the form
 * that requests use; false when the argument is no host, no URL and, for SET,
 * no "@TAG". watch_is_tag(settings): are these settings that a tag may have?
 * A tag has only a budget. */
bool watch_item(const char *text, enum watch_verb, struct strings *out);
bool watch_is_tag(const struct strings *settings);

/* watch_note_check(text): may this be a note?  It has 1 to NOTE_BYTES bytes of
 * UTF-8 without control characters. */
bool watch_note_check(struct slice text);

enum watch_change {
	WATCH_ADDED,
	WATCH_CHANGED,
	WATCH_SAME, /* nothing had to be changed */
	WATCH_REMOVED,
	WATCH_NOTED, /* it is done where the site lives (shards.h) */
	WATCH_UNKNOWN, /* RM, SET: the site is not on the list; NOTE: not in
			* the store; UNNOTE: or there is no such note */
	WATCH_FULL, /* the site has WATCH_MAX_TARGETS, or NOTE_MOST, already */
	WATCH_BAD /* the item is no target; commands do not send such items */
};
#define WATCH_CHANGES (WATCH_BAD + 1)
#define WATCH_MAX_TARGETS 1000 /* of a site, requested at its pace */

extern const char *const watch_change_names[WATCH_CHANGES];

/*
 * watch_serve(crawler, peer, request): make the change, commit it, and end the
 * peer.  The command of the request is a verb; each item gets
 * one answer, in their order, after the COMMIT.
 *
 *	{"v":1,"command":"add","version":V,"targets":[...],
 *	    "settings":["every=1h..1d"]}
 *	{"v":1,"command":"note","version":V,"targets":[...],"settings":[],
 *	    "at_s":1795737600,"note":"Black Friday"}
 *	{"v":1,"type":"site","site":"www.example.org","change":"added"} ...
 */
struct control_client *watch_serve(
    struct crawler *, struct control_peer *, const struct ndjson *request);

#endif
