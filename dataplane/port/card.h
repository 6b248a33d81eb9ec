/* What a network card needs and a software port does not. The driver of a card must be given the
 * MTU, because the card itself drops longer frames. Cards also have receive interrupts, and the
 * kernel may take them away. Which frames a card passes on is in filter.h. Runs in the control
 * thread. */
#ifndef RN_CARD_H
#define RN_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rn_port;
struct rte_device;
struct rte_eth_conf;
struct rte_eth_dev_info;

/* Returns true if the device is a network card, real or emulated: a device on the PCI bus. */
bool rn_card_is(const struct rte_device *device);

/* Requests the MTU of the port, and if its frames may be longer than one of the card's own buffers,
 * receiving into several mbufs; also the VLAN filter where it is needed (filter.h). The card can
 * carry the MTU (rn_fit_card()). */
void rn_card_request(const struct rn_port *port, const struct rte_eth_dev_info *info,
		     struct rte_eth_conf *conf);

/* Does the card interrupt when its link goes up or down, and does this driver deliver it? */
bool rn_card_has_link_interrupts(const struct rte_eth_dev_info *info);

/* The receive interrupts of a network card. The software ports net_vhost and net_virtio_user have
 * signals of the peer in their place, which are used in the same way.
 *
 * rn_card_interrupt_fd() returns the descriptor that becomes readable with each interrupt of this
 * queue, or -1 if the driver has no such interrupts. DPDK owns it. */
int rn_card_interrupt_fd(const struct rn_port *port, unsigned queue);

/* Switches the receive interrupt of a queue on or off. `port` is the struct rn_port. Does nothing
 * while the port is quiet. To be called by the thread that polls the queue, online in RCU. */
void rn_card_interrupt(void *port, unsigned queue, bool on);

/* Begins or ends to watch for the removal of the card. The kernel announces it and waits until the
 * card is closed; `removed` and `quiet` of the port are then set, in EAL's interrupt thread.
 * Drivers of cards do not announce it by an event of the ethdev. */
void rn_card_watch(struct rn_port *port, bool watch);

#endif
