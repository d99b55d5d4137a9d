/* Notes that people keep about days of a site. */
#ifndef FRESHET_NOTE_H
#define FRESHET_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct store;

#define NOTE_MOST 1000 /* of a site */
#define NOTE_BYTES 500 /* of a text */

enum note_change { NOTE_ADDED, NOTE_SAME, NOTE_FULL };

/*
 * store_note_add(store, site_id, at_s, text): keep a note; the same text at the
 * same time is one note.
 * store_note_remove(store, site_id, at_s): remove all notes of that time;
 * returns whether there were any.  Both become durable with the next commit.
 * store_each_note(store, site_id, fn, arg): the notes of a site in order of
 * time; borrowed.  fn may not use the store.
 */
enum note_change store_note_add(
    struct store *, int64_t site_id, int64_t at_s, struct slice text);
bool store_note_remove(struct store *, int64_t site_id, int64_t at_s);
typedef void store_note_fn(void *arg, int64_t at_s, struct slice text);
void store_each_note(
    struct store *, int64_t site_id, store_note_fn *, void *arg);

#endif
