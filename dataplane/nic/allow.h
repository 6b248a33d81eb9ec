/* Which PCI devices EAL may take: those that the configuration names, and no other of the machine.
 */
#ifndef RN_NIC_ALLOW_H
#define RN_NIC_ALLOW_H

#include "config/config.h"

#define RN_ALLOW_LEN 280 /* "--allow=", the address in full, and whatever follows it in the key vdev */

/* The arguments of EAL that say so. Returns how many, at least one. */
unsigned rn_allow_arguments(const struct rn_config *cfg,
			    char arg[RN_CONFIG_MAX_ADAPTERS][RN_ALLOW_LEN]);

#endif
