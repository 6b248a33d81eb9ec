/* The address of a PCI device, such as "0000:04:00.0": domain, bus, device and function, each in
 * hexadecimal digits. Pure functions, which any thread may call. */
#ifndef RN_PCI_ADDR_H
#define RN_PCI_ADDR_H

#include <stdbool.h>
#include <stdint.h>

#define RN_PCI_ADDR_LEN 32 /* size of a buffer for any address as text */

struct rn_pci_addr {
	uint32_t domain;
	uint8_t bus, device, function;
};

/* Parses the address with which the text begins. The text must end behind the address, or go on
 * with a comma, behind which DPDK expects driver options. The domain may be missing and is then 0.
 * Returns false, and leaves *addr as it is, if the text begins with no address. */
bool rn_pci_addr_parse(const char *text, struct rn_pci_addr *addr);

/* Writes the address with its domain, as Linux and DPDK write it, to `text`, which has
 * RN_PCI_ADDR_LEN bytes. */
void rn_pci_addr_print(const struct rn_pci_addr *addr, char *text);

#endif
