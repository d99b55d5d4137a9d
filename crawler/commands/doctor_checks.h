/* The checks of `freshet doctor`: libraries, the system, the store. */
#ifndef FRESHET_DOCTOR_CHECKS_H
#define FRESHET_DOCTOR_CHECKS_H

#include "crawler/commands/doctor_report.h"

/* Each adds a group of checks; none of them sends anything over the network. */
void doctor_libraries(struct doctor *);
void doctor_sandbox(struct doctor *); /* before any library starts a thread */
void doctor_system(struct doctor *);
void doctor_network(struct doctor *);
void doctor_store(struct doctor *);

#endif
