/* The network cards of this machine, as the kernel shows them in sysfs: which driver has a card,
 * and what is missing before DPDK can use it. Any thread may call the functions. */
#ifndef RN_PCI_DEVICE_H
#define RN_PCI_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pci_addr.h"

#define RN_PCI_WORD_LEN 32 /* size of the buffers for the names of drivers and interfaces */

/* What is missing before DPDK can use a card; pci_device.c has a sentence for each. */
enum rn_pci_state {
	RN_PCI_READY,
	RN_PCI_ABSENT,	  /* there is no such device */
	RN_PCI_UNBOUND,	  /* the device has no driver */
	RN_PCI_KERNEL,	  /* the device is bound to a kernel driver */
	RN_PCI_NO_IOMMU,  /* the device is bound to vfio-pci, but there is no IOMMU */
	RN_PCI_GROUP,	  /* another device of the IOMMU group is bound to a kernel driver */
	RN_PCI_FORBIDDEN, /* this user may not open the IOMMU group */
	RN_PCI_BUSY,	  /* another process has opened the IOMMU group */
	RN_PCI_LOCKED,	  /* this user may lock little memory */
	RN_PCI_STATES,
};

struct rn_pci_device {
	char address[RN_PCI_ADDR_LEN];
	enum rn_pci_state state;
	uint16_t vendor, product;
	int numa_node;		      /* -1: the machine has none, or does not say */
	int group;		      /* IOMMU group; -1: none */
	bool noiommu;		      /* VFIO's no-IOMMU mode: the group has no IOMMU */
	char driver[RN_PCI_WORD_LEN]; /* "": none */
	/* name of the card's kernel interface, and its state ("up", "down"); both "" if there is
	 * no interface */
	char interface[RN_PCI_WORD_LEN], link[RN_PCI_WORD_LEN];
	char other[RN_PCI_ADDR_LEN]; /* GROUP: the other device */
};

/* Where to look: "/sys" and "/dev", or folders of a test. */
struct rn_pci_roots {
	const char *sys, *dev;
};
extern const struct rn_pci_roots rn_pci_machine;

/* Looks at one device. `address` is as rn_pci_addr_print() writes it. `open` is for a card that
 * DPDK could not use: also finds out whether another process has the card, by opening its IOMMU
 * group for a moment, and whether the limit of locked memory may be the reason. */
void rn_pci_look(const struct rn_pci_roots *roots, const char *address, bool open,
		 struct rn_pci_device *d);

/* Finds out whether this process may lock `bytes` of memory, for a device that rn_pci_look() has
 * looked at: VFIO locks all memory that DPDK has. Returns true if so, or if VFIO does not have the
 * device. Else sets the state to RN_PCI_LOCKED and returns false. */
bool rn_pci_may_lock(struct rn_pci_device *d, uint64_t bytes);

/* Calls fn() for each network card, in the order of their addresses. Returns their number. */
unsigned rn_pci_list(const struct rn_pci_roots *roots,
		     void (*fn)(void *arg, const struct rn_pci_device *d), void *arg);

/* Writes a sentence that says what is missing, with the command that mends it. Returns the errno of
 * the state, negative, or 0 if nothing is missing. */
int rn_pci_explain(const struct rn_pci_device *d, char *text, size_t len);

#endif
