/* What a device, its port and its GID table are like, in the terms of verbs. Any thread may call
 * these functions. The values are those of the running adapter; nothing here is made up, except
 * where a comment says so. */
#include "verbs/ndev.h"
#include "verbs/private.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

/* A locally administered OUI, which belongs to no vendor: by the OUI programs decide whether to run
 * code for the cards of one vendor. */
#define VENDOR_ID	       0x02524e
#define VENDOR_PART	       1
#define MAX_RD_ATOMIC_REPORTED 16
/* ibv_port_attr: what the kernel calls RDMA_CORE_CAP flags, in the numbers of InfiniBand. */
#define CAP_CM		  (1u << 16)
#define CAP_IP_BASED_GIDS (1u << 26)

#define CAP_FLAGS                                                                               \
	(IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SYS_IMAGE_GUID | \
	 IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_SRQ_RESIZE | IBV_DEVICE_MEM_WINDOW |         \
	 IBV_DEVICE_MEM_WINDOW_TYPE_2B | IBV_DEVICE_MEM_MGT_EXTENSIONS)

static int at_most(uint64_t value)
{
	return value > INT32_MAX ? INT32_MAX : (int)value;
}

static void fill_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	const struct rn_link_info *info = vb_info_of(context);

	memset(attr, 0, sizeof(*attr));
	snprintf(attr->fw_ver, sizeof(attr->fw_ver), "%s", SOFTRNIC_VERSION);
	attr->node_guid = attr->sys_image_guid = htobe64(info->guid);
	attr->max_mr_size = info->max_mr_bytes;
	attr->page_size_cap = UINT64_MAX & ~UINT64_C(0xfff); /* memory is not cut into pages */
	attr->vendor_id = VENDOR_ID;
	attr->vendor_part_id = VENDOR_PART;
	attr->max_qp = at_most(info->max_qp);
	attr->max_qp_wr = at_most(info->max_queue_depth);
	attr->device_cap_flags = CAP_FLAGS;
	attr->max_sge = at_most(info->max_sge);
	attr->max_sge_rd = at_most(info->max_sge);
	attr->max_cq = at_most(info->max_cq);
	attr->max_cqe = at_most(info->max_cqe);
	attr->max_mr = at_most(info->max_mr);
	attr->max_mw = at_most(info->max_mr); /* regions and windows together */
	attr->max_pd = at_most(info->max_pd);
	attr->max_qp_rd_atom = info->max_rd_atomic < MAX_RD_ATOMIC_REPORTED
				       ? info->max_rd_atomic
				       : MAX_RD_ATOMIC_REPORTED;
	attr->max_qp_init_rd_atom = attr->max_qp_rd_atom;
	attr->max_res_rd_atom = at_most((uint64_t)info->max_qp * attr->max_qp_rd_atom);
	attr->atomic_cap = IBV_ATOMIC_HCA;
	attr->max_srq = at_most(info->max_srq);
	attr->max_srq_wr = at_most(info->max_queue_depth);
	attr->max_srq_sge = at_most(info->max_sge);
	attr->max_ah = INT32_MAX; /* handles are memory of the program */
	attr->max_mcast_grp = RN_GROUPS;
	attr->max_mcast_qp_attach = RN_GROUP_MEMBERS;
	attr->max_total_mcast_qp_attach = RN_GROUPS * RN_GROUP_MEMBERS;
	attr->max_pkeys = 1;
	attr->phys_port_cnt = 1;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	fill_device(context, attr);
	return 0;
}

/* `size` is that of the caller's struct, which may be older or newer than this one. */
int vb_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
		       struct ibv_device_attr_ex *attr, size_t size)
{
	struct ibv_device_attr_ex all = {0};

	if (input != NULL && input->comp_mask != 0)
		return EINVAL;
	if (size < sizeof(all.orig_attr))
		return EINVAL;
	fill_device(context, &all.orig_attr);
	all.device_cap_flags_ex = all.orig_attr.device_cap_flags;
	all.phys_port_cnt_ex = 1;
	all.completion_timestamp_mask = UINT64_MAX; /* nanoseconds, rn_cqe.time_ns */
	all.hca_core_clock = 1000000;		    /* kHz */
	memset(attr, 0, size);
	memcpy(attr, &all, size < sizeof(all) ? size : sizeof(all));
	return 0;
}

/* ---- the port ---- */

/* Does the port have a link only while another process runs? Programs look at the port before they
 * wait for their peer: so such a port counts as active while the peer has not come yet. */
static bool waits_for_process(const struct rn_link_info *info)
{
	return strcmp(info->port, "memif") == 0 || strcmp(info->port, "vhost") == 0;
}

/* An adapter behind softrnicd that does not run yet has a link if softrnicd answers. */
static bool is_up(struct ibv_context *context)
{
	const struct vb_nic *nic = vb_nic_of(context);

	if (nic == NULL)
		return vb_device_answers(vb_context_of(context)->device);
	return !vb_engine.gone(nic->client) &&
	       (atomic_load(&nic->link_up) || waits_for_process(&nic->info));
}

int vb_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
		  size_t size)
{
	const struct rn_link_info *info = vb_info_of(context);
	bool up = is_up(context);
	struct ibv_port_attr all = {
		.state = up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = (enum ibv_mtu)info->max_path_mtu,
		.gid_tbl_len = info->ngids,
		.port_cap_flags = CAP_CM | CAP_IP_BASED_GIDS,
		.max_msg_sz = info->max_msg,
		.pkey_tbl_len = 1,
		.max_vl_num = 1,
		/* 4 lanes of 25 Gbit/s: a software port has no speed, but programs ask for one. */
		.active_width = 2,
		.active_speed = 32,
		.phys_state = up ? 5 : 3, /* LinkUp : Disabled */
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.flags = IBV_QPF_GRH_REQUIRED, /* as for every RoCE port */
	};

	if (port != VB_PORT)
		return EINVAL;
	memset(attr, 0, size);
	memcpy(attr, &all, size < sizeof(all) ? size : sizeof(all));
	return 0;
}

/* The form of programs built before the struct had its last member. */
int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	return vb_query_port(context, port, (struct ibv_port_attr *)attr,
			     offsetof(struct ibv_port_attr, port_cap_flags2));
}

int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
	if (port != VB_PORT || index != 0) {
		errno = EINVAL;
		return -1;
	}
	*pkey = htobe16(0xffff);
	return 0;
}

int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
	if (port == VB_PORT && pkey == htobe16(0xffff))
		return 0;
	errno = ENOENT;
	return -1;
}

/* ---- GIDs: all are of the type RoCE v2 ---- */

static const struct rn_gid *gid_at(struct ibv_context *context, uint32_t port, uint32_t index)
{
	const struct rn_link_info *info = vb_info_of(context);

	return port == VB_PORT && index < info->ngids ? &info->gids[index] : NULL;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	const struct rn_gid *found = gid_at(context, port, (uint32_t)index);

	if (found == NULL) {
		errno = EINVAL;
		return -1;
	}
	memcpy(gid, found, sizeof(*gid));
	return 0;
}

static void fill_entry(const struct rn_gid *gid, uint32_t index, struct ibv_gid_entry *entry)
{
	char interface[IF_NAMESIZE];

	memset(entry, 0, sizeof(*entry));
	if (vb_ndev_of(gid, interface))
		entry->ndev_ifindex = if_nametoindex(interface);
	memcpy(&entry->gid, gid, sizeof(entry->gid));
	entry->gid_index = index;
	entry->port_num = VB_PORT;
	entry->gid_type = IBV_GID_TYPE_ROCE_V2;
}

static void copy_entry(void *to, size_t size, const struct ibv_gid_entry *entry)
{
	memset(to, 0, size);
	memcpy(to, entry, size < sizeof(*entry) ? size : sizeof(*entry));
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index,
		      struct ibv_gid_entry *entry, uint32_t flags, size_t entry_size)
{
	const struct rn_gid *gid = gid_at(context, port, index);
	struct ibv_gid_entry full;

	if (flags != 0 || gid == NULL)
		return EINVAL;
	fill_entry(gid, index, &full);
	copy_entry(entry, entry_size, &full);
	return 0;
}

/* Unlike other functions, returns negative errnos. */
ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries,
			     size_t max_entries, uint32_t flags, size_t entry_size)
{
	const struct rn_link_info *info = vb_info_of(context);
	struct ibv_gid_entry full;

	if (flags != 0 || max_entries < info->ngids)
		return -EINVAL;
	for (uint32_t i = 0; i < info->ngids; i++) {
		fill_entry(&info->gids[i], i, &full);
		copy_entry((char *)entries + i * entry_size, entry_size, &full);
	}
	return info->ngids;
}

/* The numbers of this call are not those of struct ibv_gid_entry: 1 is RoCE v2. */
int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index,
		       unsigned int *type)
{
	if (gid_at(context, port, index) == NULL) {
		errno = EINVAL;
		return -1;
	}
	*type = 1;
	return 0;
}

/* Writes the MAC to which packets to attr->grh.dgid go, and sets *vid to 0xffff: no VLAN. */
int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, struct ibv_ah_attr *attr,
				uint8_t eth_mac[ETHERNET_LL_SIZE], uint16_t *vid)
{
	struct rn_gid dgid;
	struct rn_av av;
	int rc;

	OS_REFUSE_CHILD(EIO);
	memcpy(&dgid, &attr->grh.dgid, sizeof(dgid));
	rc = vb_context_start(context);
	if (rc == 0)
		rc = vb_nic_resolve(vb_nic_of(context), attr->grh.sgid_index, &dgid, &av);
	if (rc != 0) {
		errno = rc;
		return -1;
	}
	memcpy(eth_mac, av.dmac, ETHERNET_LL_SIZE);
	*vid = 0xffff;
	return 0;
}
