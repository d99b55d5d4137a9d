/*
 * Challenge pages of bot walls, told by what they are made of.
 *
 * Only tags, and the beginnings of scripts and titles, are looked at: a page
 * that speaks of walls does so in its text.  What normal pages behind a wall
 * carry too, or widgets of forms, is a hint at most: one hint is none.
 */
#ifndef FRESHET_PAGE_WALL_H
#define FRESHET_PAGE_WALL_H

#include <stdbool.h>

#include "crawler/parse/html.h"

/* What was seen of one page; zeroed before. */
struct page_wall {
	unsigned owner; /* from 1: its own sign was seen; 0: none */
	unsigned hinted; /* from 1: a thing of its was seen; 0: none */
	bool has_title; /* one that pages for people do not have */
	unsigned links; /* <a href>: a challenge leads nowhere */
	bool is_script; /* the script at hand is one, not data */
};

/* page_wall_tag, page_wall_raw: of html's events. */
void page_wall_tag(struct page_wall *, const struct html_tag *);
void page_wall_raw(struct page_wall *, struct slice element, struct slice text);

/* page_wall_found(wall): its number, from 1; 0: a page like others. */
unsigned page_wall_found(const struct page_wall *);

/* page_wall_name(number): static; NULL: there is none of that number. */
const char *page_wall_name(unsigned number);

#endif
