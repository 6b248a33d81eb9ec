/* Makes the EAL arguments that limit EAL to the PCI devices in the configuration. */
#ifndef RN_NIC_ALLOW_H
#define RN_NIC_ALLOW_H

#include "config/config.h"

/* size in bytes of one argument: "--allow=", a full PCI address, and the device options of the
 * configuration key `pci` */
#define RN_ALLOW_LEN 280

/* Writes one "--allow=" argument per adapter whose port is a PCI device. If there is no such
 * adapter, writes "--no-pci" and that DPDK shall use virtual addresses. Returns the number of
 * arguments, at least 1. */
unsigned rn_allow_arguments(const struct rn_config *cfg,
			    char arg[RN_CONFIG_MAX_ADAPTERS][RN_ALLOW_LEN]);

#endif
