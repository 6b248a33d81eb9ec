/* Which PCI devices of the machine may EAL probe? Makes the EAL arguments that exclude all other
 * PCI devices. Owns nothing. Any thread may call the function. */
#include "nic/allow.h"

#include <stdio.h>
#include <string.h>

#include "base/pci_addr.h"

unsigned rn_allow_arguments(const struct rn_config *cfg,
			    char arg[RN_CONFIG_MAX_ADAPTERS][RN_ALLOW_LEN])
{
	struct rn_pci_addr addr;
	char name[RN_PCI_ADDR_LEN];
	unsigned n = 0;

	for (unsigned i = 0; i < cfg->nadapters; i++) {
		const struct rn_config_adapter *a = &cfg->adapter[i];
		if (a->port != RN_CONFIG_PORT_PCI || !rn_pci_addr_parse(a->pci, &addr))
			continue;
		rn_pci_addr_print(&addr, name);
		snprintf(arg[n++], RN_ALLOW_LEN, "--allow=%s%s", name,
			 a->pci + strcspn(a->pci, ","));
	}
	if (n > 0)
		return n;
	/* Without an allow list EAL would probe every PCI device it finds. A card without an IOMMU
	 * needs physical addresses; without cards virtual addresses do. */
	snprintf(arg[n++], RN_ALLOW_LEN, "--no-pci");
	snprintf(arg[n++], RN_ALLOW_LEN, "--iova-mode=va");
	return n;
}
