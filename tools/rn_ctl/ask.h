/* Requests to softrnicd (rn/daemon.h) of a process that is not a client. One thread. */
#ifndef RN_CTL_ASK_H
#define RN_CTL_ASK_H

#include <jansson.h>

#include "rn/daemon.h"

/* Connects to the daemon at `path`. Returns a descriptor, or -1 after a message on stderr. The
 * caller closes the descriptor. */
int ask_connect(const char *path);
/* Asks for the attributes of the port. Returns false after a message on stderr. */
bool ask_port(int fd, struct rn_daemon_port *port);
/* Asks for the whole report: an object with "port" and "clients", which the caller releases.
 * Returns NULL after a message on stderr. */
json_t *ask_report(int fd);

#endif
