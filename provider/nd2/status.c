/* Translates the NIC's completion statuses and errnos into NetworkDirect statuses, with the tables
 * of status.h. */
#include "nd2/status.h"

#include <errno.h>

HRESULT nd_status_of_completion(uint8_t wqe_kind, uint8_t rn_status)
{
	static const HRESULT map[] = {
#define X(name, nd) [RN_STATUS_##name] = nd,
		ND_COMPLETION_ROWS(X)
#undef X
	};

	/* The NIC reports MW_BIND_ERR in two cases: a BIND that the region does not allow, and an
	 * INVALIDATE of a window that is not bound to this queue pair. */
	if (wqe_kind == RN_WQE_INVALIDATE && rn_status == RN_STATUS_MW_BIND_ERR)
		return ND_INVALID_DEVICE_REQUEST;
	return rn_status < sizeof(map) / sizeof(map[0]) ? map[rn_status] : ND_INTERNAL_ERROR;
}

HRESULT nd_status_of_errno(int negative_errno)
{
	static const struct {
		int number;
		HRESULT nd;
	} map[] = {
#define X(number, nd) {number, nd},
		ND_ERRNO_ROWS(X)
#undef X
	};

	if (negative_errno == 0)
		return ND_SUCCESS;
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (map[i].number == -negative_errno)
			return map[i].nd;
	return ND_UNSUCCESSFUL;
}

HRESULT nd_status_short(int negative_errno)
{
	return negative_errno == -ENOMEM ? ND_INSUFFICIENT_RESOURCES
					 : nd_status_of_errno(negative_errno);
}

ND2_REQUEST_TYPE nd_request_type(uint8_t wqe_kind)
{
	switch (wqe_kind) {
	case RN_WQE_RECV:
		return Nd2RequestTypeReceive;
	case RN_WQE_READ:
		return Nd2RequestTypeRead;
	case RN_WQE_WRITE:
	case RN_WQE_WRITE_IMM:
		return Nd2RequestTypeWrite;
	case RN_WQE_BIND:
		return Nd2RequestTypeBind;
	case RN_WQE_INVALIDATE:
		return Nd2RequestTypeInvalidate;
	default:
		return Nd2RequestTypeSend;
	}
}
