/* Which PCI devices of the machine may EAL probe? Makes the EAL arguments that exclude all other
 * PCI devices. Owns nothing. Any thread may call the function. */
#include "nic/allow.h"

#include <stdio.h>
#include <string.h>

#include "port/vdev.h"

unsigned rn_allow_arguments(const struct rn_config *cfg,
			    char arg[RN_CONFIG_MAX_ADAPTERS][RN_ALLOW_LEN])
{
	char name[RN_VDEV_PCI_LEN];
	unsigned n = 0;

	for (unsigned i = 0; i < cfg->nadapters; i++) {
		const struct rn_config_adapter *a = &cfg->adapter[i];
		if (a->port == RN_CONFIG_PORT_VDEV && rn_vdev_pci(a->vdev, name, sizeof(name)))
			snprintf(arg[n++], RN_ALLOW_LEN, "--allow=%s%s", name,
				 a->vdev + strcspn(a->vdev, ","));
	}
	/* Without an allow list EAL would probe every PCI device it finds. */
	if (n == 0)
		snprintf(arg[n++], RN_ALLOW_LEN, "--no-pci");
	return n;
}
