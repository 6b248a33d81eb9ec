/* Which frames does a network card pass on? A card should drop, without work for a CPU, the frames
 * that its adapter would only drop later: those to MAC addresses of other hosts, which a switch
 * floods, and those of multicast groups that nobody here has joined. Drivers differ in what they
 * can be asked for, so a port goes down the steps of RN_FILTER_ROWS until its driver agrees.
 * Runs in control threads, under the control lock of the adapter once it has started. */
#ifndef RN_FILTER_H
#define RN_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "net/port_attr.h"
#include "qp/mcast.h"

struct rn_port;
struct rte_eth_conf;
struct rte_eth_dev_info;

/* X(NAME, text): the steps in the order in which they are tried, and what the card then receives.
 * UNSET: nothing was asked yet. DEAF: the driver has refused all others. */
/* clang-format off */
#define RN_FILTER_ROWS(X) \
	X(UNSET,     "nothing yet") \
	X(LIST,      "frames to its MAC address, broadcasts, and the multicasts that it needs") \
	X(MULTICAST, "frames to its MAC address, broadcasts, and all multicasts") \
	X(ALL,       "all frames") \
	X(DEAF,      "frames to its MAC address and broadcasts")
/* clang-format on */

enum rn_filter {
#define X(name, text) RN_FILTER_##name,
	RN_FILTER_ROWS(X)
#undef X
};

/* The most multicast MAC addresses that an adapter needs: all nodes, the solicited-node group of
 * each IPv6 address, and the groups that queue pairs have joined. */
#define RN_FILTER_GROUPS (1 + RN_PORT_GIDS + RN_GROUPS)
/* Instead of a number of addresses: any multicast, because there is no complete list. */
#define RN_FILTER_ANY (RN_FILTER_GROUPS + 1)

const char *rn_filter_text(enum rn_filter filter);

/* Requests the VLAN filter if the card would otherwise drop all frames of the port's VLAN. To be
 * called before the card is configured. */
void rn_filter_fit(const struct rn_port *port, const struct rte_eth_dev_info *info,
		   struct rte_eth_conf *conf);

/* Makes the started card receive the frames to `mac`, the MAC address that the configuration gives
 * to the adapter, or if `mac` is NULL, to the card's own. The frames may carry the tag of the
 * port's VLAN. Returns 0, or -errno with a sentence in err. */
int rn_filter_unicast(struct rn_port *port, const uint8_t *mac, char *err, size_t errlen);

/* Gives the started card its own address back if rn_filter_unicast() has changed it. Some cards
 * keep the address that was set last, and their next driver takes it for the card's own. Writes a
 * line to the log if the driver refuses. */
void rn_filter_restore(struct rn_port *port);

/* Makes the card receive the frames to n <= RN_FILTER_GROUPS multicast MAC addresses, which are the
 * complete list, or with RN_FILTER_ANY all multicasts. Writes to the log which step was taken when
 * that has changed. */
void rn_filter_groups(struct rn_port *port, const uint8_t (*mac)[6], unsigned n);

#endif
