/* Messages to the service manager (sd_notify(3)): one datagram to the socket that the environment
 * names. A process without a service manager sends none. */
#ifndef RN_NOTIFY_H
#define RN_NOTIFY_H

#include "base/types.h"

/* Sends lines such as "READY=1". Errors are ignored: there is nobody to hear of them. */
void rn_notify(const char *lines);
/* Returns how often the service manager expects "WATCHDOG=1", or 0. */
rn_time rn_notify_watchdog(void);

#endif
