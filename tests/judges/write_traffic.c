/* Writes a capture of RC, UC and UD traffic, for the programs that check captures (judge.py).
 *
 * usage: write_traffic FILE.pcap
 *
 * Two simulated NICs exchange every kind of request over IPv4, IPv6 and VLAN, at every path MTU. On
 * RC connections, frames are dropped and receives are posted late. So the capture also has NAKs,
 * RNR NAKs, retransmitted packets and partial READ responses. */
#include <stdio.h>

#include "memory/mr.h"
#include "record.h"
#include "shard/shard.h"
#include "sim.h"
#include "base/types.h"

static const uint32_t lengths[] = {0, 1, 255, 4096, 9000};

struct tap {
	FILE *out;
	unsigned frames;
};

/* Drops every 29th frame. */
static bool lose_some(struct sim *sim, unsigned from, const struct rn_pkt *pkt, void *arg)
{
	struct tap *tap = arg;

	return ++tap->frames % 29 != 0;
}

static void post(struct sim *sim, enum rn_wqe_kind kind, uint32_t length, uint32_t imm)
{
	bool fetch = kind == RN_WQE_READ || kind == RN_WQE_CMP_SWAP || kind == RN_WQE_FETCH_ADD;
	const struct sim_op op = {.kind = kind,
				  .flags = RN_WQE_SIGNALED,
				  .length = length,
				  .imm = imm,
				  .local = fetch ? 3 << 20 : 0,
				  .remote = fetch ? 4 << 20 : 2 << 20};

	sim_post(sim, 0, 0, &op);
}

/* Posts requests of every kind that the transport has, with all lengths. Returns the number of
 * completions on both nodes together, receives included. */
static unsigned post_all(struct sim *sim)
{
	static const enum rn_wqe_kind kinds[] = {RN_WQE_SEND, RN_WQE_SEND_IMM, RN_WQE_WRITE,
						 RN_WQE_WRITE_IMM, RN_WQE_READ};
	static const unsigned of_type[] = {[RN_QPT_RC] = 5, [RN_QPT_UC] = 4, [RN_QPT_UD] = 2};
	uint8_t type = sim->spec.type;
	unsigned n = 0;

	for (unsigned k = 0; k < of_type[type]; k++)
		for (unsigned i = 0; i < RN_ARRAY_SIZE(lengths); i++) {
			bool arrives = kinds[k] != RN_WQE_WRITE && kinds[k] != RN_WQE_READ;

			if (type == RN_QPT_UD && lengths[i] > 4096)
				continue;
			post(sim, kinds[k], lengths[i], 0x01020304);
			n += 1 + arrives;
		}
	if (type != RN_QPT_RC)
		return n;
	post(sim, RN_WQE_CMP_SWAP, 8, 0);
	post(sim, RN_WQE_FETCH_ADD, 8, 0);
	return n + 2;
}

/* Binds two memory windows of node 1 and posts two SENDs that invalidate these windows. Returns the
 * number of completions of the SENDs, or 0 on failure. */
static unsigned post_invalidations(struct sim *sim, struct rn_mw_shared shared[2])
{
	struct sim_node *n = &sim->node[1];
	struct rn_bind bind = {4096, n->lkey, RN_ACCESS_REMOTE_READ};

	for (unsigned i = 0; i < 2; i++) {
		uint32_t key;

		if (rn_mw_add(n->mrs, SIM_PD, &shared[i], &key))
			return 0;
		key = (key & ~0xFFu) | ((key & 0xFF) % 255 + 1);
		if (!rn_mw_bind(n->mrs, key, (struct rn_mr_via){SIM_PD, n->qp[0].qpn},
				(uint64_t)(uintptr_t)n->arena, &bind,
				&rn_shard_qp(n->shard, n->qp[0].qpn)->bound))
			return 0;
		post(sim, RN_WQE_SEND_INVAL, i ? 9000 : 1, key);
	}
	return 4;
}

/* Posts n receives at node 1. On reliable connections, this function is called only after the first
 * SEND was answered by an RNR NAK. */
static void post_receives(struct sim *sim, unsigned n)
{
	for (uint64_t i = 0; i < n; i++) {
		const struct sim_op recv = {
			.kind = RN_WQE_RECV, .wr_id = i, .local = 1 << 20, .length = 20000};

		sim_post(sim, 1, 0, &recv);
	}
}

/* Runs one connection from its first request to its last completion. Returns false if a completion
 * is missing or failed. */
static bool converse(struct tap *tap, uint8_t type, bool ipv6, bool vlan, uint8_t path_mtu)
{
	static struct sim sim;
	struct rn_mw_shared shared[2] = {0};
	bool reliable = type == RN_QPT_RC;
	struct sim_spec spec;
	struct rn_cqe cqe;
	unsigned done = 0, expected;

	sim_spec_default(&spec);
	spec.type = type;
	spec.ipv6 = ipv6;
	spec.vlan = vlan;
	spec.path_mtu = path_mtu;
	sim_init(&sim, &spec);
	sim.pcap = tap->out;
	sim.filter = reliable ? lose_some : NULL;
	sim.filter_arg = tap;
	sim_connect(&sim, 0);
	if (!reliable)
		post_receives(&sim, 40);
	expected = post_all(&sim) + (reliable ? post_invalidations(&sim, shared) : 0);
	sim_run(&sim, sim.now + RN_MS(1));
	if (reliable)
		post_receives(&sim, 40);
	sim_run(&sim, sim.now + RN_S(30));
	while (sim_poll(&sim, 0, &cqe) || sim_poll(&sim, 1, &cqe))
		done += cqe.status == RN_STATUS_SUCCESS;
	sim_destroy_qp(&sim, 0, 0);
	sim_destroy_qp(&sim, 1, 0);
	sim_fini(&sim);
	if (done == expected)
		return true;
	fprintf(stderr, "type %u ipv6=%d vlan=%d path mtu %u: %u completions, not %u\n", type, ipv6,
		vlan, path_mtu, done, expected);
	return false;
}

int main(int argc, char **argv)
{
	struct tap tap = {.out = argc == 2 ? record_open(argv[1]) : NULL};
	bool good = true;

	if (!tap.out) {
		fprintf(stderr, "usage: write_traffic FILE.pcap\n");
		return 2;
	}
	for (unsigned way = 0; way < 3; way++) {
		for (uint8_t path_mtu = 1; path_mtu <= 5; path_mtu += way ? 2 : 1)
			good &= converse(&tap, RN_QPT_RC, way == 1, way == 2, path_mtu);
		good &= converse(&tap, RN_QPT_UC, way == 1, way == 2, 3);
		good &= converse(&tap, RN_QPT_UD, way == 1, way == 2, 5);
	}
	good &= !ferror(tap.out);
	return fclose(tap.out) || !good;
}
