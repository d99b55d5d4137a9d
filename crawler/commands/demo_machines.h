/* freshet demo machines: three machines with one store, and one that dies. */
#ifndef FRESHET_DEMO_MACHINES_H
#define FRESHET_DEMO_MACHINES_H

#include "crawler/cli/options.h"

/* demo_machines(options): run it, in a folder that is removed at the end;
 * returns the exit status, after a line that says what was seen. */
int demo_machines(const struct options *);

#endif
