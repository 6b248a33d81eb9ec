/* Changes payload for a test so that the ICRC does not reveal the change. The function is pure. Any
 * thread may call this function. */
#include "wire/tamper.h"

#include "wire/frame.h"

bool rn_tamper_frame(uint8_t *frame, size_t len, uint64_t bit)
{
	struct rn_pkt pkt;

	if (rn_frame_parse(frame, len, &pkt) != RN_V_OK || pkt.kind != RN_PKT_IB ||
	    !pkt.op->has_payload || pkt.op->family == RN_F_CNP || pkt.payload_len == 0 ||
	    pkt.dest_qpn <= RN_GSI_QPN)
		return false;
	bit %= (uint64_t)pkt.payload_len * 8;
	frame[(size_t)(pkt.payload - frame) + bit / 8] ^= (uint8_t)(1u << bit % 8);
	/* rn_frame_finish() requires that the UDP checksum field is 0. rn_frame_put_headers() sets
	 * this field to 0 and leaves the other headers unchanged. */
	rn_frame_put_headers(&pkt, frame);
	rn_frame_finish(&pkt, frame);
	return true;
}
