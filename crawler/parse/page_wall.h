/*
 * Challenge pages of bot walls, recognised by their markup, as their makers
 * serve them.
 *
 * Only tags and the beginnings of scripts and titles are looked at, so that a
 * page whose text is about bot walls is no challenge. What normal pages behind
 * a wall contain as well, such as widgets of forms, is only a hint, and one
 * hint is not enough.
 */
#ifndef FRESHET_PAGE_WALL_H
#define FRESHET_PAGE_WALL_H

#include <stdbool.h>

#include "base/slice.h"
#include "base/wall.h"

struct html_tag;

/* What was seen in one page so far; zeroed at the beginning. */
struct page_wall {
	/* number of the wall whose own sign was seen; 0: none */
	unsigned owner;
	/* number of the wall of which a hint was seen; 0: none */
	unsigned hinted;
	bool has_title; /* the title is that of a challenge */
	unsigned links; /* number of <a href>; a challenge has few */
	bool is_script; /* the current script runs, and is not data */
};

/* page_wall_tag(wall, tag): look at a tag and its attributes.
 * page_wall_raw(wall, element, text): look at the beginning of a script, or of
 * a title; text has at most HTML_MAX_RAW bytes. */
void page_wall_tag(struct page_wall *, const struct html_tag *);
void page_wall_raw(struct page_wall *, struct slice element, struct slice text);

/* page_wall_whose(wall): the number of the wall whose challenge this page is;
 * 0: it is none. page_wall_name(number): the name of a bot wall, static; NULL:
 * there is no such number. */
unsigned page_wall_whose(const struct page_wall *);
const char *page_wall_name(unsigned number);

/* With the name behind it: what a finding says of the page of a bot wall. */
#define PAGE_OF_WALL "a page of " WALL_OF_BOTS

#endif
