/* Computes from the configuration the limits, addresses and port settings of an adapter. Owns
 * nothing. Any thread may call these functions. */
#include "nic/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/htab.h"
#include "ground/client_number.h"
#include "port/log.h"
#include "wire/frame.h"

/* Entries of a ring that softrnic makes itself, if limits.port_ring is 0: its default. */
#define OWN_RING 1024u

void rn_settings_mac(const struct rn_config_adapter *a, uint8_t mac[6])
{
	uint64_t h = rn_hash_bytes(a->name, strlen(a->name), 0);

	if (a->mac.set) {
		memcpy(mac, a->mac.b, 6);
		return;
	}
	/* If no MAC is configured, the hash of the adapter's name gives the same MAC at every
	 * start. */
	for (unsigned i = 0; i < 6; i++)
		mac[i] = (uint8_t)(h >> (8 * i));
	mac[0] = (uint8_t)((mac[0] & 0xfc) | 0x02); /* locally administered, unicast */
}

/* Converts Mbit/s to bit/s. */
static uint64_t mbit(uint32_t mbps)
{
	return mbps * UINT64_C(1000000);
}

/* Copies the congestion control settings. The range check of each configuration key ensures that
 * each setting fits its field. line_rate may still be 0 or below min_rate; rn_settings_line()
 * corrects this. */
static void settings_cc(const struct rn_config_congestion *c, struct rn_cc_cfg *p)
{
	*p = (struct rn_cc_cfg){
		.algorithm = c->algorithm == RN_CONFIG_ALGORITHM_DCQCN ? RN_CC_DCQCN : RN_CC_NONE,
		.ecn = c->ecn,
		.clamp_tgt_rate = c->clamp_tgt_rate,
		.clamp_tgt_rate_after_time_inc = c->clamp_tgt_rate_after_time_inc,
		.cnp_dscp = (uint8_t)c->cnp_dscp,
		.cnp_prio = (uint8_t)c->cnp_802p_prio,
		.threshold = (uint8_t)c->rpg_threshold,
		.gd = (uint8_t)c->rpg_gd,
		.min_dec_fac = (uint8_t)c->rpg_min_dec_fac,
		.g = (uint16_t)c->dce_tcp_g,
		.initial_alpha = (uint16_t)c->initial_alpha_value,
		.byte_reset = c->rpg_byte_reset,
		.cnp_interval = RN_US(c->cnp_interval_us),
		.time_reset = RN_US(c->rpg_time_reset_us),
		.alpha_period = RN_US(c->dce_tcp_rtt_us),
		.monitor_period = RN_US(c->rate_reduce_monitor_us),
		.line_rate = mbit(c->rpg_max_rate),
		.min_rate = mbit(c->rpg_min_rate),
		.ai_rate = mbit(c->rpg_ai_rate),
		.hai_rate = mbit(c->rpg_hai_rate),
		.first_rate = mbit(c->rate_to_set_on_first_cnp),
	};
}

void rn_settings_line(struct rn_core_cfg *core, uint32_t mbps)
{
	if (core->cc.line_rate == 0)
		core->cc.line_rate = mbit(mbps);
	core->cc.line_rate = RN_MAX(core->cc.line_rate, core->cc.min_rate);
}

/* Copies limits, timers and protocol options to the core's configuration. Times in us, ms or s
 * become nanoseconds. ack_timeout, rnr_retry and min_rnr_timer stay IBTA codes. */
int rn_settings_secrets(const struct rn_config *cfg, unsigned index, struct rn_secrets *secrets)
{
	static_assert(sizeof(*secrets) <= 256, "as much as getentropy() gives in one call");
	if (cfg->protocol.seed == 0)
		return getentropy(secrets, sizeof(*secrets)) == 0 ? 0 : -errno;
	*secrets = rn_secrets_of_seed(cfg->protocol.seed + (uint64_t)index * 0x9e3779b97f4a7c15u);
	rn_log(SEED, cfg->adapter[index].name);
	return 0;
}

void rn_settings_core(const struct rn_config *cfg, unsigned index, const struct rn_secrets *secrets,
		      struct rn_core_cfg *core)
{
	const struct rn_config_limits *l = &cfg->limits;
	const struct rn_config_timers *t = &cfg->timers;

	rn_core_defaults(core);
	core->nshards = cfg->adapter[index].shards;
	core->max_qp = l->max_qp;
	core->max_cq = l->max_cq + 1; /* the tables are indexed by id, and ids start at 1 */
	core->max_srq = l->max_srq + 1;
	core->max_cm = rn_config_max_cm(cfg, index);
	core->max_cm_requests = l->max_cm_requests;
	core->max_timewait = l->max_timewait;
	core->max_neigh = l->max_neigh;
	core->window_packets = l->window_packets;
	core->quota_packets = l->quota_packets;
	core->keep_packets = l->keep_packets;
	core->lent_frames = true;
	core->ack_timeout = (uint8_t)t->ack_timeout;
	core->retry_cnt = (uint8_t)t->retry_cnt;
	core->rnr_retry = (uint8_t)t->rnr_retry;
	core->min_rnr_timer = (uint8_t)t->min_rnr_timer;
	core->rto_floor = RN_US(t->rto_floor_us);
	core->rto_initial = RN_US(t->rto_initial_us);
	core->cm_response_timeout = RN_MS(t->cm_response_ms);
	core->cm_wait_max = RN_S(t->cm_wait_max_s);
	core->cm_max_retries = (uint8_t)t->cm_retries;
	core->cm_patience = (uint8_t)t->cm_patience;
	core->neigh_retry = RN_MS(t->neigh_retry_ms);
	core->neigh_probes = (uint8_t)t->neigh_probes;
	core->neigh_reachable = RN_MS(t->neigh_reachable_ms);
	core->secrets = *secrets;
	core->credits = cfg->protocol.credits;
	settings_cc(&cfg->congestion, &core->cc);
}

void rn_settings_client(struct rn_core_cfg *core, const struct rn_daemon_port *p)
{
	core->client = p->number;
	if (p->max_qp > 0) /* for all shards together */
		core->max_qp = RN_MIN(core->max_qp, RN_MAX(p->max_qp / core->nshards, UINT32_C(1)));
}

int rn_settings_fit(const struct rn_core_cfg *core, char *err, size_t errlen)
{
	if (core->client == RN_CLIENT_NONE || core->max_qp <= rn_client_shard_qpns(core->nshards))
		return 0;
	snprintf(
		err, errlen,
		"limits.max_qp is %u, but a process that shares its port has room for %u queue pairs on each of %u shards",
		core->max_qp, rn_client_shard_qpns(core->nshards), core->nshards);
	return -EINVAL;
}

/* Appends the configured addresses `nets` to the addresses of the port. Ignores addresses beyond
 * RN_PORT_GIDS, the maximum number per port. */
static void add_nets(struct rn_port_attr *attr, const struct rn_config_nets *nets)
{
	for (unsigned i = 0; i < nets->n && attr->ngids < RN_PORT_GIDS; i++, attr->ngids++) {
		memcpy(attr->gids[attr->ngids].b, nets->net[i].ip.b, 16);
		attr->prefix_len[attr->ngids] = nets->net[i].prefix_len;
	}
}

/* Returns the link-local address of RFC 4291, appendix A: the MAC with ff:fe in the middle and the
 * universal/local bit inverted. */
static struct rn_gid link_local_of(const uint8_t m[6])
{
	return (struct rn_gid){
		{0xfe, 0x80, [8] = m[0] ^ 2, m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5]}};
}

/* Adds the link-local address. Does nothing if the address is configured already, or if the port
 * has no room for another address. */
static void add_link_local(struct rn_port_attr *attr, const uint8_t m[6])
{
	const struct rn_gid gid = link_local_of(m);

	if (attr->ngids == RN_PORT_GIDS || rn_port_own(attr, &gid) >= 0)
		return;
	attr->gids[attr->ngids] = gid;
	attr->prefix_len[attr->ngids++] = 64;
}

/* Returns the smallest path MTU code (1..5 for 256..4096 bytes) that covers `bytes`. */
static uint8_t mtu_code(uint32_t bytes)
{
	uint8_t code = 1;

	while (code < 5 && 256u << (code - 1) < bytes)
		code++;
	return code;
}

/* Returns the EUI-64 of the MAC: ff:fe in the middle, the universal/local bit inverted. */
static uint64_t guid_of(const uint8_t m[6])
{
	const uint8_t b[8] = {(uint8_t)(m[0] ^ 2), m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5]};
	uint64_t guid = 0;

	for (unsigned i = 0; i < 8; i++)
		guid = guid << 8 | b[i];
	return guid;
}

void rn_settings_port(const struct rn_config_adapter *a, const uint8_t mac[6],
		      const struct rn_config_protocol *p, struct rn_port_attr *attr)
{
	*attr = (struct rn_port_attr){
		.has_vlan = a->vlan_id != 0,
		.vlan_tci = (uint16_t)(a->vlan_prio << 13 | a->vlan_id),
		.mtu = (uint16_t)a->mtu,
		.guid = guid_of(mac),
		.check_source = p->check_source,
		.tclass = (uint8_t)(a->dscp << 2),
		.hop_limit = (uint8_t)a->hop_limit,
	};
	memcpy(attr->mac, mac, 6);
	add_nets(attr, &a->ipv4);
	add_nets(attr, &a->ipv6);
	if (a->link_local)
		add_link_local(attr, mac);
	memcpy(attr->gateway4.b, a->gateway4.b, 16);
	memcpy(attr->gateway6.b, a->gateway6.b, 16);
	/* The path MTU must fit into a frame of the port's MTU with the longest headers that the
	 * port can send. The path MTU must not exceed the configured maximum. */
	attr->max_path_mtu = RN_MIN(
		rn_port_path_mtu(attr->mtu, a->ipv6.n > 0 || a->link_local || attr->has_vlan),
		mtu_code(a->max_path_mtu));
}

/* Adds an address of the daemon's port to the list of its family. Returns false if there is no
 * room. */
static bool add_address(struct rn_config_adapter *a, const struct rn_gid *gid, uint8_t prefix_len)
{
	static const struct rn_gid mapped = {{[10] = 0xff, [11] = 0xff}};
	struct rn_config_nets *nets = memcmp(gid, &mapped, 12) == 0 ? &a->ipv4 : &a->ipv6;

	if (nets->n == RN_ARRAY_SIZE(nets->net))
		return false;
	memcpy(nets->net[nets->n].ip.b, gid->b, 16);
	nets->net[nets->n++].prefix_len = prefix_len;
	return true;
}

int rn_settings_daemon(struct rn_config_adapter *a, const struct rn_daemon_port *p)
{
	const struct rn_gid link_local = link_local_of(p->mac);

	a->mac.set = true;
	memcpy(a->mac.b, p->mac, 6);
	a->ipv4.n = a->ipv6.n = 0;
	a->link_local = false;
	for (unsigned i = 0; i < p->ngids; i++) {
		if (add_address(a, &p->gids[i], p->prefix_len[i]))
			continue;
		/* It is the last of the daemon's addresses, and will be the last here. */
		a->link_local = i == p->ngids - 1u && rn_gid_equal(&p->gids[i], &link_local);
		if (!a->link_local)
			return -EPROTO;
	}
	memcpy(a->gateway4.b, p->gateway4.b, 16);
	memcpy(a->gateway6.b, p->gateway6.b, 16);
	a->vlan_id = p->has_vlan ? p->vlan_tci & 0xfff : 0;
	a->vlan_prio = p->has_vlan ? p->vlan_tci >> 13 : 0;
	a->mtu = p->mtu;
	a->max_path_mtu = 128u << p->max_path_mtu;
	a->dscp = p->tclass >> 2;
	a->hop_limit = p->hop_limit;
	return 0;
}

uint32_t rn_settings_ring(const struct rn_config *cfg)
{
	return cfg->limits.port_ring != 0 ? cfg->limits.port_ring : OWN_RING;
}

void rn_settings_vdev(const struct rn_config *cfg, unsigned index, const uint8_t mac[6],
		      struct rn_vdev_spec *spec)
{
	/* translates enum rn_config_port to enum rn_vdev_kind */
	static const enum rn_vdev_kind kinds[] = {
		[RN_CONFIG_PORT_RING] = RN_VDEV_RING,
		[RN_CONFIG_PORT_MEMIF] = RN_VDEV_MEMIF,
		[RN_CONFIG_PORT_NULLDEV] = RN_VDEV_NULL,
		[RN_CONFIG_PORT_AF_PACKET] = RN_VDEV_AF_PACKET,
		[RN_CONFIG_PORT_PCAP] = RN_VDEV_PCAP,
		[RN_CONFIG_PORT_PCI] = RN_VDEV_PCI,
		[RN_CONFIG_PORT_VDEV] = RN_VDEV_OTHER,
		[RN_CONFIG_PORT_DAEMON] = RN_VDEV_DAEMON,
	};
	const struct rn_config_adapter *a = &cfg->adapter[index];

	*spec = (struct rn_vdev_spec){
		.kind = kinds[a->port],
		.number = index,
		.mtu = (uint16_t)a->mtu,
		.ring = rn_settings_ring(cfg),
		.queues = a->shards,
		.socket = a->socket,
		.server = a->role == RN_CONFIG_ROLE_SERVER,
		.id = a->id,
		.mac = mac,
		.iface = a->iface,
		.rx_pcap = a->rx_pcap,
		.tx_pcap = a->tx_pcap,
		.args = a->port == RN_CONFIG_PORT_PCI ? a->pci : a->vdev,
	};
}

/* Converts a percentage to parts per million, rounded. */
static uint32_t ppm(double percent)
{
	return (uint32_t)(percent * 10000.0 + 0.5);
}

void rn_settings_impair(const struct rn_config *cfg, struct rn_impair *rule)
{
	const struct rn_config_impair *i = &cfg->impair;

	*rule = (struct rn_impair){
		.loss_ppm = ppm(i->loss),
		.duplicate_ppm = ppm(i->dup),
		.reorder_ppm = ppm(i->reorder),
		.corrupt_ppm = ppm(i->corrupt),
		.tamper_ppm = ppm(i->tamper),
		/* the configured delay is fixed: both bounds are equal */
		.delay_min_ns = RN_US(i->delay_us),
		.delay_max_ns = RN_US(i->delay_us),
		/* Delay of a frame that is to be reordered. Sending a burst takes less time than
		 * this delay, so later frames of the burst overtake the delayed frame. */
		.reorder_ns = RN_US(50),
	};
}

struct rn_static_neigh *rn_settings_neigh(const struct rn_config_adapter *a, uint32_t *n)
{
	struct rn_static_neigh *all = NULL;

	*n = 0;
	if (a->neighbours.n > 0)
		all = calloc(a->neighbours.n, sizeof(*all));
	for (unsigned i = 0; all != NULL && i < a->neighbours.n; i++, ++*n) {
		memcpy(all[i].addr.b, a->neighbours.neigh[i].ip.b, 16);
		memcpy(all[i].mac, a->neighbours.neigh[i].mac.b, 6);
	}
	return all;
}

/* Is the address configured? An all-zero address means "not configured". */
static bool is_set(const struct rn_gid *gid)
{
	static const struct rn_gid none;

	return memcmp(gid, &none, sizeof(none)) != 0;
}

const char *rn_settings_policy_word(enum rn_config_policy policy)
{
	static const char *const words[] = {
#define X(name, word) [RN_CONFIG_POLICY_##name] = #word,
		RN_CONFIG_POLICY_WORDS(X)
#undef X
	};

	return words[policy];
}

void rn_settings_info(const struct rn_config *cfg, unsigned index, struct rn_link_info *info)
{
	const struct rn_config_adapter *a = &cfg->adapter[index];
	const struct rn_config_limits *l = &cfg->limits;
	struct rn_port_attr attr;
	uint8_t mac[6];

	rn_settings_mac(a, mac);
	rn_settings_port(a, mac, &cfg->protocol, &attr);
	*info = (struct rn_link_info){
		.abi_version = RN_ABI_VERSION,
		.shards = a->shards,
		.features = RN_LINK_CQ_RESIZE,
		.guid = attr.guid,
		.mtu = attr.mtu,
		.max_path_mtu = attr.max_path_mtu,
		.ngids = attr.ngids,
		.max_rd_atomic = RN_MAX_RD_ATOMIC,
		/* limits.max_qp is per shard */
		.max_qp = l->max_qp * a->shards,
		.max_cq = l->max_cq,
		.max_srq = l->max_srq,
		.max_mr = l->max_mr,
		.max_pd = l->max_pd,
		.max_cm = rn_config_max_cm(cfg, index),
		.max_queue_depth = l->max_depth,
		.max_cqe = RN_SETTINGS_MAX_CQE,
		.max_sge = RN_WQE_MAX_SGE,
		.max_inline = RN_WQE_MAX_INLINE,
		.max_msg = RN_MSG_MAX,
		.max_mr_bytes = UINT64_C(1) << 46,
	};
	memcpy(info->mac, mac, 6);
	memcpy(info->gids, attr.gids, sizeof(info->gids));
	memcpy(info->prefix_len, attr.prefix_len, sizeof(info->prefix_len));
	info->gateway4 = is_set(&attr.gateway4);
	info->gateway6 = is_set(&attr.gateway6);
	snprintf(info->name, sizeof(info->name), "%s", a->name);
	snprintf(info->port, sizeof(info->port), "%s", rn_config_port_word(a->port));
	snprintf(info->idle, sizeof(info->idle), "%s", rn_settings_policy_word(cfg->idle.policy));
}
