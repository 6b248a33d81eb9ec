/* Sets up the DPDK ports of the pump: EAL, pool, net_ring or net_memif. The main thread calls these
 * functions once. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include "pump.h"

static void give_up(const char *what)
{
	fprintf(stderr, "bench_pump: %s\n", what);
	exit(EXIT_FAILURE);
}

void rn_pump_eal(const struct rn_pump_options *o, const char *cpus, const char *name)
{
	char lcores[32], prefix[64], memory[32];
	char *argv[16];
	int n = 0;

	snprintf(lcores, sizeof(lcores), "%s", cpus);
	snprintf(prefix, sizeof(prefix), "--file-prefix=pump%d%s", getpid(), name);
	snprintf(memory, sizeof(memory), "%u",
		 96 + (unsigned)(((size_t)o->mbufs * (o->mbuf_size + 256) + 2 * o->buffer) >> 20));
	argv[n++] = "bench_pump";
	argv[n++] = "--no-pci";
	argv[n++] = "--no-telemetry";
	argv[n++] = "--log-level=4";
	argv[n++] = "-l";
	argv[n++] = lcores;
	argv[n++] = prefix;
	if (o->no_huge) {
		argv[n++] = "--no-huge";
		argv[n++] = "--no-shconf";
		argv[n++] = "-m";
		argv[n++] = memory;
	} else {
		argv[n++] = "--in-memory";
	}
	argv[n] = NULL;
	if (rte_eal_init(n, argv) < 0)
		give_up("EAL does not start");
	rmdir(rte_eal_get_runtime_dir()); /* EAL leaves its empty runtime directory behind */
}

static void end_prepare(const struct rn_pump_options *o, struct rn_pump_end *e, const char *name)
{
	e->pool = rte_pktmbuf_pool_create_by_ops(name, o->mbufs - 1, 256, 0,
						 (uint16_t)(o->mbuf_size + RTE_PKTMBUF_HEADROOM), 0,
						 o->stack ? "lf_stack" : NULL);
	e->source = rte_zmalloc(NULL, o->buffer, 64);
	e->sink = rte_zmalloc(NULL, o->buffer, 64);
	if (e->pool == NULL || e->source == NULL || e->sink == NULL)
		give_up("no memory for mbufs and buffers");
	for (size_t i = 0; i < o->buffer; i++)
		e->source[i] = (uint8_t)(i * 131 >> 5);
}

static void port_start(struct rn_pump_end *e, unsigned depth)
{
	struct rte_eth_conf conf = {0};

	if (rte_eth_dev_configure(e->port, 1, 1, &conf) != 0 ||
	    rte_eth_rx_queue_setup(e->port, 0, (uint16_t)depth, 0, NULL, e->pool) != 0 ||
	    rte_eth_tx_queue_setup(e->port, 0, (uint16_t)depth, 0, NULL) != 0 ||
	    rte_eth_dev_start(e->port) != 0)
		give_up("the port does not start");
}

void rn_pump_open_rings(const struct rn_pump_options *o, struct rn_pump_end *a,
			struct rn_pump_end *b)
{
	unsigned flags = RING_F_SP_ENQ | RING_F_SC_DEQ;
	struct rte_ring *ab = rte_ring_create("ab", o->ring, 0, flags);
	struct rte_ring *ba = rte_ring_create("ba", o->ring, 0, flags);
	int pa, pb;

	if (ab == NULL || ba == NULL)
		give_up("no rings: is --ring a power of two?");
	pa = rte_eth_from_rings("pump_a", &ba, 1, &ab, 1, 0);
	pb = rte_eth_from_rings("pump_b", &ab, 1, &ba, 1, 0);
	if (pa < 0 || pb < 0)
		give_up("no net_ring ports");
	a->port = (uint16_t)pa;
	b->port = (uint16_t)pb;
	end_prepare(o, a, "mbufs_a");
	end_prepare(o, b, "mbufs_b");
	port_start(a, o->ring);
	port_start(b, o->ring);
}

void rn_pump_open_memif(const struct rn_pump_options *o, struct rn_pump_end *e, bool server,
			const char *socket)
{
	char args[256];
	const char *name = server ? "net_memif1" : "net_memif0";

	snprintf(args, sizeof(args), "role=%s,socket=%s,socket-abstract=no,bsize=%u,rsize=%u",
		 server ? "server" : "client", socket, o->bsize, o->rsize);
	end_prepare(o, e, server ? "mbufs_b" : "mbufs_a");
	if (rte_vdev_init(name, args) != 0 || rte_eth_dev_get_port_by_name(name, &e->port) != 0)
		give_up("no net_memif port");
	port_start(e, 1u << o->rsize);
}

bool rn_pump_wait_link(uint16_t port, unsigned ms)
{
	struct rte_eth_link link = {0};

	for (unsigned i = 0; i <= ms; i++) {
		if (rte_eth_link_get_nowait(port, &link) == 0 && link.link_status)
			return true;
		usleep(1000);
	}
	return false;
}
