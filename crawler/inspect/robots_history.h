/* freshet robots --history: the former texts of robots.txt. */
#ifndef FRESHET_ROBOTS_HISTORY_H
#define FRESHET_ROBOTS_HISTORY_H

struct options;

/* robots_history(options): print what the robots.txt of each SITE said, and
 * what changed.  Returns an exit status, after one line on stderr unless it is
 * EXIT_DONE. */
int robots_history(const struct options *);

#endif
