/* A DPDK port in a VLAN sends tagged frames. It accepts a tag in the frame, and a tag that the
 * driver has stripped and stored in the mbuf. Frames of another VLAN are counted and dropped. The
 * test uses IPv6 and jumbo frames, because these give the longest frames. */
#include "rig.h"

#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_mbuf.h>

#define LEN   100000u
#define DEPTH 16
#define ALL   (RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ)
#define TCI   (3 << 13 | 100)
/* The length of a WRITE_FIRST with path MTU 4096, in bytes: Ethernet, VLAN tag, IPv6, UDP, BTH,
 * RETH, payload, ICRC. */
#define LONGEST (14 + 4 + 40 + 8 + 12 + 16 + 4096 + 4)

enum deed { LEAVE, STRIP, STRIP_SOME, MOVE };

/* One element for each DPDK port. `deed` is the change that the test's RX callback makes to
 * received frames. The callback runs in the thread of the port's shard and counts in the remaining
 * members. */
static struct {
	enum deed deed;
	unsigned frames, untagged, longest, stripped;
} seen[RTE_MAX_ETHPORTS];

static bool has_tag(const struct rte_mbuf *m)
{
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, const struct rte_ether_hdr *);
	const struct rte_vlan_hdr *tag = (const void *)(eth + 1);

	return eth->ether_type == RTE_BE16(0x8100) && tag->vlan_tci == RTE_BE16(TCI);
}

static uint16_t on_rx(uint16_t port, uint16_t queue, struct rte_mbuf *m[], uint16_t n,
		      uint16_t room, void *arg)
{
	for (uint16_t i = 0; i < n; i++) {
		seen[port].frames++;
		seen[port].untagged += !has_tag(m[i]);
		seen[port].longest = RTE_MAX(seen[port].longest, m[i]->pkt_len);
		if (seen[port].deed == MOVE)
			rte_pktmbuf_mtod(m[i], uint8_t *)[15] ^= 1; /* changes VID 100 to 101 */
		if (seen[port].deed == STRIP ||
		    (seen[port].deed == STRIP_SOME && seen[port].frames % 3 == 0))
			seen[port].stripped += rte_vlan_strip(m[i]) == 0;
	}
	return n;
}

struct end {
	struct rn_link *link;
	struct rig_cq cq;
	struct rig_qp qp;
	uint8_t *buf;
	uint32_t pd, lkey, rkey;
};

static struct end e[2];
static const struct rte_eth_rxtx_callback *installed[RTE_MAX_ETHPORTS];

static void open_pair(enum deed deed)
{
	const char *path = rig_config(
		"adapters = (\n"
		"{ name = \"a\"; port = \"ring\"; peer = \"b\"; ipv6 = [ \"2001:db8::1/64\" ];\n"
		"  mac = \"02:00:00:00:00:01\"; link_local = true; mtu = 9000; vlan_id = 100; vlan_prio = 3; },\n"
		"{ name = \"b\"; port = \"ring\"; peer = \"a\"; ipv6 = [ \"2001:db8::2/64\" ];\n"
		"  mac = \"02:00:00:00:00:02\"; link_local = true; mtu = 9000; vlan_id = 100; vlan_prio = 3; });\n"
		"eal = { hugepages = \"no\"; };\n");
	uint16_t port;

	for (unsigned i = 0; i < 2; i++) {
		e[i] = (struct end){.link = rig_open(path, i)};
		e[i].pd = rig_pd(e[i].link);
		e[i].cq = rig_cq(e[i].link, DEPTH);
		e[i].qp = rig_qp(e[i].link, e[i].pd, &e[i].cq, &e[i].cq, DEPTH);
		e[i].buf = calloc(1, 2 * LEN);
		rig_reg(e[i].link, e[i].pd, e[i].buf, 2 * LEN, ALL, &e[i].lkey, &e[i].rkey);
	}
	memset(seen, 0, sizeof(seen));
	RTE_ETH_FOREACH_DEV(port)
	{
		seen[port].deed = deed;
		installed[port] = rte_eth_add_rx_callback(port, 0, on_rx, NULL);
		assert_non_null(installed[port]);
	}
	rig_connect(&e[0].qp, &e[1].qp, 0);
}

static void close_pair(void)
{
	uint16_t port;

	RTE_ETH_FOREACH_DEV(port)
	assert_int_equal(rte_eth_remove_rx_callback(port, 0, installed[port]), 0);
	for (unsigned i = 0; i < 2; i++) {
		struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {e[i].qp.qpn, e[i].qp.gen}};

		assert_int_equal(rig_exec(e[i].link, &cmd, NULL), 0);
		rn_link_close(e[i].link);
		free(e[i].buf);
	}
}

static void post_write(unsigned i)
{
	rig_post(&e[i].qp, RN_WQE_WRITE, 7, e[i].buf, LEN, e[i].lkey, (uintptr_t)e[!i].buf + LEN,
		 e[!i].rkey);
}

static void exchange(void)
{
	for (unsigned i = 0; i < 2; i++) {
		for (uint32_t k = 0; k < LEN; k++)
			e[i].buf[k] = (uint8_t)(k * 7 + i);
		post_write(i);
	}
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(rig_wait(&e[i].cq).status, RN_STATUS_SUCCESS);
	assert_memory_equal(e[0].buf, e[1].buf + LEN, LEN);
	assert_memory_equal(e[1].buf, e[0].buf + LEN, LEN);
}

static void carries_and_takes_tags(void **state)
{
	static const enum deed deeds[] = {LEAVE, STRIP, STRIP_SOME};

	for (unsigned d = 0; d < 3; d++) {
		uint16_t port;

		open_pair(deeds[d]);
		assert_int_equal(e[0].qp.info.ngids, 2); /* one GID is link-local */
		exchange();
		RTE_ETH_FOREACH_DEV(port)
		{
			assert_true(seen[port].frames > LEN / 4096);
			assert_int_equal(seen[port].untagged, 0);
			assert_int_equal(seen[port].longest, LONGEST);
			assert_true(seen[port].stripped > 0 || deeds[d] == LEAVE);
		}
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(rig_stat(e[i].link, "verdict_FRAME_VLAN"), 0);
		close_pair();
	}
}

static void drops_frames_of_another_vlan(void **state)
{
	open_pair(MOVE);
	post_write(0);
	assert_int_equal(rig_wait(&e[0].cq).status, RN_STATUS_RETRY_EXC_ERR);
	assert_true(rig_stat(e[1].link, "verdict_FRAME_VLAN") > 0);
	for (uint32_t k = 0; k < LEN; k++)
		assert_int_equal(e[1].buf[LEN + k], 0);
	close_pair();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(carries_and_takes_tags),
		cmocka_unit_test(drops_frames_of_another_vlan),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
