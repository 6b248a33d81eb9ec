/* Stubs of the connection manager and of the neighbour state machine (ARP and ND), for tests of QPs
 * alone. */
#include "cm/cm.h"
#include "net/neigh.h"

static char cm_object, neigh_object;
unsigned fake_comm_est; /* number of calls of rn_cm_comm_est() */
unsigned fake_mads;	/* number of calls of rn_cm_rx() */
uint32_t fake_waits;	/* the QPN that rn_cm_qpn_waits() reports as held by a timewait record */

struct rn_cm *rn_cm_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
			   struct rn_neigh *neigh, rn_time now)
{
	return (struct rn_cm *)&cm_object;
}

void rn_cm_destroy(struct rn_cm *cm)
{
}

void rn_cm_exec(struct rn_cm *cm, const struct rn_cmd *cmd, struct rn_rsp *rsp, rn_time now)
{
}

enum rn_verdict rn_cm_rx(struct rn_cm *cm, const struct rn_pkt *pkt, rn_time now)
{
	fake_mads++;
	return RN_V_OK;
}

void rn_cm_comm_est(struct rn_cm *cm, uint32_t qpn, rn_time now)
{
	fake_comm_est++;
}

bool rn_cm_tx(struct rn_cm *cm, struct rn_pkt *out, rn_time now)
{
	return false;
}

bool rn_cm_wants_tx(const struct rn_cm *cm)
{
	return false;
}

bool rn_cm_event(struct rn_cm *cm, struct rn_event *ev)
{
	return false;
}

bool rn_cm_news(struct rn_cm *cm, struct rn_news *news)
{
	return false;
}

bool rn_cm_silent(const struct rn_cm *cm)
{
	return true;
}

rn_time rn_cm_next(const struct rn_cm *cm)
{
	return RN_TIME_NEVER;
}

void rn_cm_tick(struct rn_cm *cm, rn_time now)
{
}

unsigned rn_cm_live(const struct rn_cm *cm)
{
	return 0;
}

unsigned rn_cm_timewait(const struct rn_cm *cm)
{
	return 0;
}

bool rn_cm_qpn_waits(const struct rn_cm *cm, uint32_t qpn)
{
	return qpn == fake_waits;
}

struct rn_neigh *rn_neigh_create(const struct rn_core_cfg *cfg, const struct rn_port_attr *port,
				 rn_time now)
{
	return (struct rn_neigh *)&neigh_object;
}

void rn_neigh_destroy(struct rn_neigh *n)
{
}

void rn_neigh_port(struct rn_neigh *n, const struct rn_port_attr *port, rn_time now)
{
}

enum rn_neigh_state rn_neigh_resolve(struct rn_neigh *n, const struct rn_gid *src,
				     const struct rn_gid *dst, uint8_t mac[6], rn_time now)
{
	return RN_NEIGH_FAILED;
}

unsigned fake_probes;
struct rn_gid fake_probed;

void rn_neigh_probe(struct rn_neigh *n, const struct rn_gid *dst, rn_time now)
{
	fake_probes++;
	fake_probed = *dst;
}

enum rn_verdict rn_neigh_rx(struct rn_neigh *n, const struct rn_pkt *pkt, rn_time now)
{
	return RN_V_OK;
}

unsigned rn_neigh_tx(struct rn_neigh *n, uint8_t *buf, size_t cap, rn_time now)
{
	return 0;
}

bool rn_neigh_wants_tx(const struct rn_neigh *n)
{
	return false;
}

bool rn_neigh_changed(struct rn_neigh *n, struct rn_gid *addr, uint8_t mac[6],
		      enum rn_neigh_state *state)
{
	return false;
}

rn_time rn_neigh_next(const struct rn_neigh *n)
{
	return RN_TIME_NEVER;
}

void rn_neigh_tick(struct rn_neigh *n, rn_time now)
{
}

uint64_t rn_cm_dropped(const struct rn_cm *cm)
{
	return 0;
}

uint64_t rn_neigh_dropped(const struct rn_neigh *n)
{
	return 0;
}

void rn_neigh_announce(struct rn_neigh *n)
{
}

uint64_t rn_neigh_full(const struct rn_neigh *n)
{
	return 0;
}

uint64_t rn_neigh_conflicts(const struct rn_neigh *n)
{
	return 0;
}
