/* What the store knows becomes the desk's. */
#ifndef FRESHET_DESK_LOAD_H
#define FRESHET_DESK_LOAD_H

struct desk;

/* desk_load(desk): sites, documents and pages, of all or of those that its
 * options name, with what was learned of them; a new desk, once. */
void desk_load(struct desk *);

#endif
