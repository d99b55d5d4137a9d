/*
 * The helper of libfreshet: the process that a caller of the library starts
 * instead of reading bytes itself.  It has the fork server and the readers of
 * crawler/sandbox; hostile documents are parsed there.  robots.txt, whose
 * parser is small and needs no library, is parsed here.
 */
#ifndef FRESHET_HELPER_H
#define FRESHET_HELPER_H

/*
 * helper_main(fd): serve the requests that come from the socket
 * (library_protocol.h) until it is closed; returns the exit status.  Memory
 * that runs out ends the process.
 */
int helper_main(int fd);

#endif
