/* The driver: origins and hosts that were not asked for long. */
#ifndef FRESHET_RUN_FORGET_H
#define FRESHET_RUN_FORGET_H

#include "crawler/crawl/run_base.h"

/*
 * forget_some(run): when there are twice as many origins as were needed the
 * last time, those are forgotten that nobody has been at for a while, with
 * their hosts; what the store knows of them is asked of it again.  Failing
 * hosts and those that asked to be left alone are kept until that is over.
 */
void forget_some(struct run *);

#endif
