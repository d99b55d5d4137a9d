/* The checks of `freshet doctor`: libraries, the system, the store. */
#ifndef FRESHET_DOCTOR_CHECKS_H
#define FRESHET_DOCTOR_CHECKS_H

#include "crawler/commands/doctor_report.h"

/* The groups of checks; none of them asks the network. */
void doctor_libraries(struct doctor *); /* doctor_libraries.c */
void doctor_sandbox(struct doctor *); /* doctor_system.c; first of all */
void doctor_system(struct doctor *);
void doctor_network(struct doctor *);
void doctor_store(struct doctor *); /* doctor_store.c */

#endif
