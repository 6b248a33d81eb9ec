/* The network interface of the host that stands for a GID. A RoCE device of the kernel has one;
 * softrnic needs none, so there is one only if the host has an address of the adapter too. Owns
 * nothing; any thread may call. */
#ifndef VERBS_NDEV_H
#define VERBS_NDEV_H

#include "rn/link.h"

#include <net/if.h>
#include <stdbool.h>

/* Finds the interface with the address of the GID, and stores its name. Returns false if there is
 * none. Loopback interfaces do not count: no RoCE device of the kernel stands on one, and programs
 * would take 127.0.0.1 for an address of the device. */
bool vb_ndev_of(const struct rn_gid *gid, char name[IF_NAMESIZE]);

#endif
