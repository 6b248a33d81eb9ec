/* One case per layout of CM messages. */
#include "switch/mad_names.h"

#include "wire/frame.h"
#include "wire/hdr.h"

struct rn_mad_names rn_mad_names(const struct rn_cm_msg *m, const uint8_t *mad)
{
	switch (m->attr) {
	case RN_CM_REQ:
		return (struct rn_mad_names){.sender = m->req.local_id,
					     .qpn = m->req.qpn,
					     .by_service = true,
					     .service_id = m->req.service_id};
	case RN_CM_SIDR_REQ:
		return (struct rn_mad_names){.sender = m->sidr_req.request_id,
					     .by_service = true,
					     .service_id = m->sidr_req.service_id};
	case RN_CM_REP:
		return (struct rn_mad_names){
			.sender = m->rep.local_id, .receiver = m->rep.remote_id, .qpn = m->rep.qpn};
	case RN_CM_SIDR_REP: /* names no id of the sender */
		return (struct rn_mad_names){
			.receiver = m->sidr_rep.request_id,
			.qpn = m->sidr_rep.status == RN_CM_SIDR_VALID ? m->sidr_rep.qpn : 0,
			.may_lack_sender = true};
	default: /* all others begin with the ids of sender and receiver */
		return (struct rn_mad_names){.sender = rn_load32(mad + RN_MAD_HDR_BYTES),
					     .receiver = rn_load32(mad + RN_MAD_HDR_BYTES + 4),
					     .may_lack_sender = m->attr == RN_CM_REJ};
	}
}

/* Service ids of the RDMA IP CM fit into 32 bits (docs/spec/rocev2.md 6.9); their private data
 * begin with the RDMA-CM header. */
static bool header_is_honest(uint64_t service_id, const uint8_t *data, const struct rn_gid *src)
{
	struct rn_cma_hdr hdr;

	return service_id >> 32 || !rn_cma_hdr_parse(data, &hdr) || rn_gid_equal(&hdr.src, src);
}

bool rn_mad_is_honest(const struct rn_cm_msg *m, const struct rn_gid *src, uint64_t guid)
{
	if (m->attr == RN_CM_REQ)
		return m->req.guid == guid && rn_gid_equal(&m->req.local_gid, src) &&
		       header_is_honest(m->req.service_id, m->req.data, src);
	return m->attr != RN_CM_SIDR_REQ ||
	       header_is_honest(m->sidr_req.service_id, m->sidr_req.data, src);
}
