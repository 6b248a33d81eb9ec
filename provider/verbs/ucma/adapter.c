/* Which adapter has an address or reaches a peer, and starting it. Owns the table of adapters,
 * which only grows from empty to full once. The callers hold the lock. */
#include "ucma/ucma.h"

#include <string.h>

static struct ucma_adapter adapters[VB_MAX_DEVICES];
static unsigned number;

struct ucma_adapter *ucma_adapters(unsigned *n)
{
	struct ibv_device **list;
	int found = 0;

	if (number == 0) {
		list = ibv_get_device_list(&found);
		for (int i = 0; i < found; i++)
			adapters[i].device = vb_device_of(list[i]);
		number = (unsigned)found;
		if (list != NULL)
			ibv_free_device_list(list);
	}
	*n = number;
	return adapters;
}

int ucma_adapter_start(struct ucma_adapter *adapter)
{
	struct vb_nic *nic;
	int rc;

	if (adapter->ended)
		return ENODEV;
	if (adapter->nic != NULL)
		return vb_engine.gone(adapter->nic->client) ? ENODEV : 0;
	rc = vb_nic_get(adapter->device, &nic);
	if (rc != 0)
		return ENODEV;
	/* The adapter runs as long as the process; what is counted is only contexts. */
	vb_nic_put(nic);
	adapter->target.every_port_event = true;
	adapter->target.deliver = ucma_deliver;
	vb_nic_add_target(nic, &adapter->target);
	adapter->nic = nic;
	return 0;
}

void ucma_adapter_end(const struct vb_nic *nic)
{
	for (unsigned i = 0; i < number; i++)
		adapters[i].ended |= adapters[i].nic == nic;
}

int ucma_adapter_gid(const struct ucma_adapter *adapter, const struct rn_gid *gid)
{
	const struct rn_link_info *info = &adapter->device->info;

	for (unsigned i = 0; i < info->ngids; i++)
		if (memcmp(&info->gids[i], gid, sizeof(*gid)) == 0)
			return (int)i;
	return -1;
}

struct ucma_adapter *ucma_adapter_with(const struct rn_gid *own)
{
	unsigned n;
	struct ucma_adapter *all = ucma_adapters(&n);

	for (unsigned i = 0; i < n; i++)
		if (ucma_adapter_gid(&all[i], own) >= 0)
			return &all[i];
	return NULL;
}

static bool same_prefix(const struct rn_gid *a, const struct rn_gid *b, unsigned bits)
{
	unsigned bytes = bits / 8, rest = bits % 8;

	return memcmp(a->b, b->b, bytes) == 0 &&
	       (rest == 0 || ((a->b[bytes] ^ b->b[bytes]) & (0xff00 >> rest) & 0xff) == 0);
}

/* How well does the adapter reach the peer? 0: not at all, 1: through a gateway; else 2 plus the
 * length of the common subnet's prefix. */
static unsigned reach(const struct rn_link_info *info, const struct rn_gid *peer)
{
	bool v4 = vb_engine.gid_is_v4(peer);
	unsigned best = 0;

	for (unsigned i = 0; i < info->ngids; i++) {
		unsigned bits = info->prefix_len[i] + (v4 ? 96 : 0);
		unsigned rank = (v4 ? info->gateway4 : info->gateway6) ? 1 : 0;

		if (vb_engine.gid_is_v4(&info->gids[i]) != v4)
			continue;
		if (same_prefix(&info->gids[i], peer, bits))
			rank = 2 + bits;
		best = rank > best ? rank : best;
	}
	return best;
}

struct ucma_adapter *ucma_adapter_towards(const struct rn_gid *peer)
{
	unsigned n, best = 0;
	struct ucma_adapter *all = ucma_adapters(&n), *found = NULL;

	for (unsigned i = 0; i < n; i++) {
		unsigned rank = reach(&all[i].device->info, peer);

		if (ucma_adapter_gid(&all[i], peer) >= 0)
			rank = 200; /* an address of the adapter itself */
		if (rank > best) {
			best = rank;
			found = &all[i];
		}
	}
	return found;
}
