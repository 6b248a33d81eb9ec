/* Translation of the NIC's completion statuses and errnos into NetworkDirect statuses. The
 * documentation and the tests use the tables too. Pure functions. */
#ifndef ND_STATUS_MAP_H
#define ND_STATUS_MAP_H

#include "ndspi.h"
#include "rn/abi.h"

/* Statuses of completions.
 * - The sender of a message that is longer than the peer's receive buffer gets "remote invalid
 *   request" on RoCE. NetworkDirect clients expect STATUS_DATA_ERROR.
 * - Local and remote protection errors both become ND_ACCESS_VIOLATION.
 * - The row of MW_BIND_ERR is for BIND. An INVALIDATE with MW_BIND_ERR gets
 *   ND_INVALID_DEVICE_REQUEST. */
/* clang-format off */
#define ND_COMPLETION_ROWS(X) /* each row: enum rn_status, status that GetResults reports */ \
	X(SUCCESS,            ND_SUCCESS) \
	X(LOC_LEN_ERR,        ND_DATA_OVERRUN) \
	X(LOC_QP_OP_ERR,      ND_INTERNAL_ERROR) \
	X(LOC_EEC_OP_ERR,     ND_INTERNAL_ERROR) \
	X(LOC_PROT_ERR,       ND_ACCESS_VIOLATION) \
	X(WR_FLUSH_ERR,       ND_CANCELED) \
	X(MW_BIND_ERR,        ND_ACCESS_VIOLATION) \
	X(BAD_RESP_ERR,       STATUS_DATA_ERROR) \
	X(LOC_ACCESS_ERR,     ND_ACCESS_VIOLATION) \
	X(REM_INV_REQ_ERR,    STATUS_DATA_ERROR) \
	X(REM_ACCESS_ERR,     ND_ACCESS_VIOLATION) \
	X(REM_OP_ERR,         STATUS_DATA_ERROR) \
	X(RETRY_EXC_ERR,      ND_IO_TIMEOUT) \
	X(RNR_RETRY_EXC_ERR,  ND_IO_TIMEOUT) \
	X(LOC_RDD_VIOL_ERR,   ND_INTERNAL_ERROR) \
	X(REM_INV_RD_REQ_ERR, ND_INTERNAL_ERROR) \
	X(REM_ABORT_ERR,      STATUS_REQUEST_ABORTED) \
	X(INV_EECN_ERR,       ND_INTERNAL_ERROR) \
	X(INV_EEC_STATE_ERR,  ND_INTERNAL_ERROR) \
	X(FATAL_ERR,          ND_INTERNAL_ERROR) \
	X(RESP_TIMEOUT_ERR,   ND_IO_TIMEOUT) \
	X(GENERAL_ERR,        ND_INTERNAL_ERROR)

/* Each row: errno (a command or event returns the negated errno), status that the method
 * returns. */
#define ND_ERRNO_ROWS(X) \
	X(ENOMEM,         ND_NO_MEMORY) \
	X(ENOSPC,         ND_INSUFFICIENT_RESOURCES) \
	X(EAGAIN,         ND_INSUFFICIENT_RESOURCES) \
	X(EMFILE,         ND_INSUFFICIENT_RESOURCES) \
	X(ENFILE,         ND_INSUFFICIENT_RESOURCES) \
	X(EINVAL,         ND_INVALID_PARAMETER) \
	X(ENODEV,         ND_DEVICE_REMOVED) \
	X(EBUSY,          ND_DEVICE_BUSY) \
	X(EADDRINUSE,     ND_SHARING_VIOLATION) \
	X(EISCONN,        ND_ADDRESS_ALREADY_EXISTS) \
	X(EADDRNOTAVAIL,  ND_INVALID_ADDRESS) \
	X(EAFNOSUPPORT,   ND_INVALID_ADDRESS) \
	X(EDESTADDRREQ,   STATUS_BAD_NETWORK_NAME) \
	X(EALREADY,       ND_CONNECTION_ACTIVE) \
	X(ETIMEDOUT,      ND_IO_TIMEOUT) \
	X(ECONNREFUSED,   ND_CONNECTION_REFUSED) \
	X(ECONNABORTED,   ND_CONNECTION_ABORTED) \
	X(ENOTCONN,       ND_CONNECTION_ABORTED) \
	X(ENOENT,         ND_CONNECTION_ABORTED) \
	X(ENETUNREACH,    ND_NETWORK_UNREACHABLE) \
	X(EHOSTUNREACH,   ND_HOST_UNREACHABLE) \
	X(EFAULT,         ND_ACCESS_VIOLATION) \
	X(E2BIG,          ND_DATA_OVERRUN) \
	X(EMSGSIZE,       ND_BUFFER_OVERFLOW) \
	X(EOVERFLOW,      ND_BUFFER_OVERFLOW) \
	X(EOPNOTSUPP,     ND_NOT_SUPPORTED)
/* clang-format on */

/* An rn_status without a row becomes ND_INTERNAL_ERROR. An errno without a row becomes
 * ND_UNSUCCESSFUL. */
HRESULT nd_status_of_completion(uint8_t wqe_kind, uint8_t rn_status);
HRESULT nd_status_of_errno(int negative_errno);
/* Translates an errno for methods whose documentation does not list ND_NO_MEMORY. -ENOMEM becomes
 * ND_INSUFFICIENT_RESOURCES; all other errnos are as in nd_status_of_errno(). */
HRESULT nd_status_short(int negative_errno);
/* Translates enum rn_wqe_kind into the request type of a result. */
ND2_REQUEST_TYPE nd_request_type(uint8_t wqe_kind);

#endif
