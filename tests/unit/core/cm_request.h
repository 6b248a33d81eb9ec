/* The fields that all REQ messages built by the CM tests have in common. */
#ifndef CM_REQUEST_H
#define CM_REQUEST_H

#include "wire/cm_msg.h"
#include "wire/frame.h"

/* Returns a REQ from the address src to the address dst, for the service at port number `port` in
 * the TCP port space. The caller fills in communication id, GUID, QPN and timeouts. */
static inline struct rn_cm_msg cm_request(const struct rn_gid *src, const struct rn_gid *dst,
					  uint16_t port)
{
	struct rn_cma_hdr hdr = {
		.port = 30000, .ipv4 = rn_gid_is_ipv4(src), .src = *src, .dst = *dst};
	struct rn_cm_msg m = {.attr = RN_CM_REQ};

	m.req = (struct rn_cm_req){.service_id = rn_cm_service_id(RN_PS_TCP, port),
				   .pkey = 0xffff,
				   .path_mtu = 3,
				   .max_cm_retries = 15,
				   .local_gid = *src,
				   .remote_gid = *dst,
				   .hop_limit = 64};
	rn_cma_hdr_build(&hdr, m.req.data);
	return m;
}

#endif
