/* Which devices of the machine are none of our business? Owns nothing; any thread. */
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
	/* Without any on its list EAL would take all there are. */
	if (n == 0)
		snprintf(arg[n++], RN_ALLOW_LEN, "--no-pci");
	return n;
}
