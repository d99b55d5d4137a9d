/* The driver: what is where in its tables, see run_internal.h. */
#ifndef FRESHET_RUN_TABLES_H
#define FRESHET_RUN_TABLES_H

#include "crawler/run_internal.h"

/* Found by number; a pointer is valid until the next one is added. */
struct visit *run_visit(struct run *, uint32_t number);
uint32_t run_add_visit(struct run *, const struct visit *);
void run_reopen(struct run *, uint32_t visit); /* it is due once more */

/* Found by name, or made. */
uint32_t run_site(struct run *, struct slice host);
uint32_t run_origin(struct run *, const struct url *);
uint32_t run_host(struct run *, struct slice name); /* in the frontier */

struct peer *run_peer(struct run *, uint32_t host);
const struct site_rules *run_rules(struct run *, uint32_t visit);

#endif
