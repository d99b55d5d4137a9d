/*
 * Challenge pages of bot walls, recognised by their markup.
 *
 * Only tags and the beginnings of scripts and titles are looked at, so that a
 * page whose text is about bot walls is no challenge. What normal pages behind
 * a wall contain as well, such as widgets of forms, is only a hint, and one
 * hint is not enough.
 */
#ifndef FRESHET_PAGE_WALL_H
#define FRESHET_PAGE_WALL_H

#include <stdbool.h>

#include "crawler/parse/html.h"

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

/* page_wall_tag, page_wall_raw: take the events of html.h. */
void page_wall_tag(struct page_wall *, const struct html_tag *);
void page_wall_raw(struct page_wall *, struct slice element, struct slice text);

/* page_wall_found(wall): the number of the bot wall, from 1; 0: the page is no
 * challenge. */
unsigned page_wall_found(const struct page_wall *);

/* page_wall_name(number): the name, static; NULL: there is no such number. */
const char *page_wall_name(unsigned number);

#endif
