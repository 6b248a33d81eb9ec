/* Fuzz target: parses arbitrary bytes as a management datagram (MAD).
 *
 * If the parser accepts the bytes, a MAD is built from the result and parsed again. The second
 * result must have the same attribute and transaction ID as the first. A MAD built from the second
 * result must have the same bytes. So the parser loses no field that the builder writes. */
#include <string.h>

#include "wire/cm_msg.h"
#include "fuzz.h"

static void check_private_data(const uint8_t *data)
{
	struct rn_cma_hdr hdr, again;
	uint8_t buf[RN_CMA_HDR_BYTES], buf2[RN_CMA_HDR_BYTES];

	if (!rn_cma_hdr_parse(data, &hdr))
		return;
	rn_cma_hdr_build(&hdr, buf);
	CHECK(rn_cma_hdr_parse(buf, &again));
	rn_cma_hdr_build(&again, buf2);
	CHECK(memcmp(buf, buf2, sizeof(buf)) == 0);
	CHECK(hdr.port == again.port && hdr.ipv4 == again.ipv4);
}

static void check_mad(const uint8_t *mad, size_t len)
{
	struct rn_cm_msg msg, again;
	uint8_t once[RN_MAD_BYTES], twice[RN_MAD_BYTES];

	if (!rn_cm_msg_parse(mad, len, &msg))
		return;
	CHECK(len == RN_MAD_BYTES);
	rn_cm_msg_build(&msg, once);
	CHECK(rn_cm_msg_parse(once, sizeof(once), &again));
	CHECK(again.attr == msg.attr && again.tid == msg.tid);
	rn_cm_msg_build(&again, twice);
	CHECK(memcmp(once, twice, sizeof(once)) == 0);
	if (msg.attr == RN_CM_REQ)
		check_private_data(msg.req.data);
	if (msg.attr == RN_CM_SIDR_REQ)
		check_private_data(msg.sidr_req.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (len == 0)
		return 0;
	uint8_t *mad = malloc(len);
	CHECK(mad);
	memcpy(mad, data, len);
	check_mad(mad, len);
	free(mad);
	return 0;
}
