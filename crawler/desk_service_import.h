/* Of the service of the desk: what another crawler knows. */
#ifndef FRESHET_DESK_SERVICE_IMPORT_H
#define FRESHET_DESK_SERVICE_IMPORT_H

#include "base/slice.h"

struct desk_customer;

/* service_import(customer, text): a line of what it imports, which is taken
 * soon.  service_bite(service): the timer: some lines of each. */
void service_import(struct desk_customer *, struct slice text);
void service_bite(void *service);

#endif
