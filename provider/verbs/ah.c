/* Address handles: where datagrams go. A handle keeps the address vector that was resolved when the
 * handle was created; the NIC knows nothing of handles. Any thread may call these functions. */
#include "verbs/grh.h"
#include "verbs/private.h"

#include <stdlib.h>
#include <string.h>

struct vb_ah {
	struct ibv_ah ah;
	struct rn_av av;
};

int vb_ah_resolve(struct vb_nic *nic, const struct ibv_ah_attr *attr, struct rn_av *av)
{
	struct rn_gid dgid;
	int rc;

	if (!attr->is_global || attr->port_num != VB_PORT)
		return EINVAL;
	memcpy(&dgid, &attr->grh.dgid, sizeof(dgid));
	rc = vb_nic_resolve(nic, attr->grh.sgid_index, &dgid, av);
	if (rc != 0)
		return rc;
	av->flow_label = attr->grh.flow_label & 0xfffff;
	if (attr->grh.hop_limit > 1)
		av->hop_limit = attr->grh.hop_limit;
	if (attr->grh.traffic_class != 0)
		av->tclass = attr->grh.traffic_class;
	av->sl = attr->sl & 7;
	return 0;
}

bool vb_ud_of(const struct vb_qp *qp, const struct ibv_ah *ah, uint32_t qpn, uint32_t qkey,
	      struct rn_ud *ud)
{
	if (ah == NULL || ah->pd != qp->qp.pd)
		return false;
	ud->av = ((const struct vb_ah *)ah)->av;
	ud->qpn = qpn;
	ud->qkey = qkey;
	return true;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct vb_ah *ah;
	int rc;

	OS_REFUSE_CHILD(vb_fail(EIO));
	ah = calloc(1, sizeof(*ah));
	if (ah == NULL)
		return vb_fail(ENOMEM);
	rc = vb_ah_resolve(vb_nic_of(pd->context), attr, &ah->av);
	if (rc != 0) {
		free(ah);
		return vb_fail(vb_errno(-rc));
	}
	ah->ah.context = pd->context;
	ah->ah.pd = pd;
	atomic_fetch_add(&((struct vb_pd *)pd)->ahs, 1);
	return &ah->ah;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
	OS_REFUSE_CHILD(EIO);
	atomic_fetch_sub(&((struct vb_pd *)ah->pd)->ahs, 1);
	free(ah);
	return 0;
}

/* ---- the way back to the sender of a datagram ---- */

/* Ignores wc->sl: its value is the kind of IP header (vb_wc_sl()), not a service level. */
int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port_num, struct ibv_wc *wc,
			struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
	const struct rn_link_info *info = vb_info_of(context);
	int rc = 0;

	memset(attr, 0, sizeof(*attr));
	attr->port_num = port_num;
	if (wc->wc_flags & IBV_WC_GRH) {
		attr->is_global = 1;
		rc = port_num != VB_PORT ? EINVAL
					 : vb_grh_route(info->gids, info->ngids, grh, &attr->grh);
	}
	if (rc == 0)
		return 0;
	errno = rc;
	return -1;
}

struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh,
				     uint8_t port_num)
{
	struct ibv_ah_attr attr;

	OS_REFUSE_CHILD(vb_fail(EIO));
	if (ibv_init_ah_from_wc(pd->context, port_num, wc, grh, &attr) != 0)
		return NULL;
	return ibv_create_ah(pd, &attr);
}
