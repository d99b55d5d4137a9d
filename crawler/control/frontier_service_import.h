/* Of the service of the frontier: what another crawler knows. */
#ifndef FRESHET_FRONTIER_SERVICE_IMPORT_H
#define FRESHET_FRONTIER_SERVICE_IMPORT_H

#include <stdbool.h>

#include "base/slice.h"

struct frontier_client;
struct frontier_service;
struct customer_import;

/* service_import_new(service, is_json): what a customer needs that imports. */
struct customer_import *service_import_new(
    struct frontier_service *, bool is_json);
void service_import_free(struct customer_import *);

/* service_import(customer, text): a line of what it imports, which is taken
 * soon.  service_bite(service): the timer: some lines of each. */
void service_import(struct frontier_client *, struct slice text);
void service_bite(void *service);

#endif
