/* Did this port send or receive pause frames? Every driver has its own counter names. This file
 * reports each counter whose name contains a word for flow control, such as "pause" or "xoff". Owns
 * nothing. Any thread may call rn_port_pause_stats(), but not while the thread polls a shard,
 * because the function allocates memory. */
#include "port/pause.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <string.h>

#include <rte_ethdev.h>

#include "port/sigpipe.h"

/* Is this the name of a flow control counter? Examples in DPDK 22.11: rx_prio3_pause,
 * rx_pause_ctrl_phy, rx_xon_packets, tx_priority3_xoff_packets, rx_pfc_frames,
 * mac_rx_ctrl_flow_control. */
static bool is_pause(const char *name)
{
	static const char *const words[] = {"pause", "pfc",	     "xon",
					    "xoff",  "flow_control", "flowctrl"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(name, words[i]) != NULL)
			return true;
	return false;
}

void rn_port_pause_stats(const struct rn_port *port,
			 void (*fn)(void *arg, const char *name, uint64_t value), void *arg)
{
	RN_NO_SIGPIPE;
	char name[sizeof("pause_") + RTE_ETH_XSTATS_NAME_SIZE];
	struct rte_eth_xstat_name *names = NULL;
	struct rte_eth_xstat *values = NULL;
	int n = atomic_load(&port->removed) ? 0 : rte_eth_xstats_get_names(port->id, NULL, 0);

	if (n > 0) {
		names = calloc((size_t)n, sizeof(*names));
		values = calloc((size_t)n, sizeof(*values));
	}
	if (names != NULL && values != NULL &&
	    rte_eth_xstats_get_names(port->id, names, (unsigned)n) == n &&
	    rte_eth_xstats_get(port->id, values, (unsigned)n) == n) {
		for (int i = 0; i < n; i++) {
			if (values[i].id >= (uint64_t)n || !is_pause(names[values[i].id].name))
				continue;
			snprintf(name, sizeof(name), "pause_%.*s", RTE_ETH_XSTATS_NAME_SIZE,
				 names[values[i].id].name);
			fn(arg, name, values[i].value);
		}
	}
	free(names);
	free(values);
}
