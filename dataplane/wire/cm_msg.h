/* Connection management (CM) messages: 256-byte MADs of class 0x07, and the RDMA-CM private-data
 * header (docs/spec/rocev2.md 5.4, 6.1 to 6.5, 6.9). Pure functions, which any thread may call.
 *
 * Each message has a struct with values in host order. Every bit of a message is part of a struct
 * member, or is reserved: zero when built, ignored when parsed. cm_msg.c holds one layout table per
 * message for both parsing and building. */
#ifndef RN_CM_MSG_H
#define RN_CM_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/pkt.h"
#include "rn/abi.h"

#define RN_MAD_HDR_BYTES 24
/* length of the RDMA-CM header, which begins the private data of REQ and SIDR_REQ */
#define RN_CMA_HDR_BYTES  36
#define RN_CM_REQ_PRIVATE 92
#define RN_CM_ARI_BYTES	  72

/* clang-format off */
#define RN_CM_ATTR_ROWS(X) /* columns: name, attribute id */ \
	X(REQ,      0x0010) \
	X(MRA,      0x0011) \
	X(REJ,      0x0012) \
	X(REP,      0x0013) \
	X(RTU,      0x0014) \
	X(DREQ,     0x0015) \
	X(DREP,     0x0016) \
	X(SIDR_REQ, 0x0017) \
	X(SIDR_REP, 0x0018) \
	X(LAP,      0x0019) \
	X(APR,      0x001A)

/* Columns: name, code, text, when softrnic sends a REJ with this code. An empty last column means
 * that softrnic itself never sends the code, but a client may. */
#define RN_CM_REJ_ROWS(X) \
	X(NO_QP,            1, "no QP available", "") \
	X(NO_EEC,           2, "no EE context available", "") \
	X(NO_RESOURCES,     3, "no resources available", "REQ: the listener's backlog is full, or the listener's or the peer's share of `limits.max_cm_requests`, or the whole table (`limits.max_cm`)") \
	X(TIMEOUT,          4, "timeout", "no reply to a REQ or REP through all its retries, or the client cancelled its REQ. ARI: the CA GUID") \
	X(UNSUPPORTED,      5, "unsupported request", "REQ: its QPN is 0, 1 or the multicast QPN") \
	X(BAD_COMM_ID,      6, "invalid communication id", "REP: no connection waits for it") \
	X(BAD_COMM_INSTANCE,7, "invalid communication instance", "") \
	X(NO_SERVICE,       8, "invalid service id: no listener", "REQ: no listener; or the version of the RDMA-CM header is unknown, its destination is not an address of this port, or its source is no host address") \
	X(BAD_TRANSPORT,    9, "invalid transport type", "REQ: the listener's queue pairs are of another type") \
	X(STALE,           10, "stale connection", "REQ for a connection in timewait; REQ or REP naming a queue pair that another connection uses") \
	X(NO_RDC,          11, "RDC does not exist", "") \
	X(BAD_GID,         12, "invalid GID", "REQ: the path does not lead to this port, or its source is no host address, not reachable, of another address family, or not where the REQ came from. ARI: the GID the REQ was sent to") \
	X(BAD_LID,         13, "invalid LID", "") \
	X(BAD_SL,          14, "invalid service level", "") \
	X(BAD_TCLASS,      15, "invalid traffic class", "") \
	X(BAD_HOP_LIMIT,   16, "invalid hop limit", "") \
	X(BAD_RATE,        17, "invalid packet rate", "") \
	X(BAD_ALT_GID,     18, "invalid alternate GID", "") \
	X(BAD_ALT_LID,     19, "invalid alternate LID", "") \
	X(BAD_ALT_SL,      20, "invalid alternate service level", "") \
	X(BAD_ALT_TCLASS,  21, "invalid alternate traffic class", "") \
	X(BAD_ALT_HOP_LIMIT, 22, "invalid alternate hop limit", "") \
	X(BAD_ALT_RATE,    23, "invalid alternate packet rate", "") \
	X(PORT_CM_REDIRECT, 24, "port and CM redirected", "") \
	X(PORT_REDIRECT,   25, "port redirected", "") \
	X(BAD_MTU,         26, "invalid path MTU", "REQ: path MTU 0, or larger than the port's. ARI: the largest MTU code of the port") \
	X(FEW_RESOURCES,   27, "insufficient responder resources", "") \
	X(CONSUMER,        28, "rejected by the consumer", "REQ or REP: the client rejects it or disconnects, or its listener is closed") \
	X(BAD_RNR_RETRY,   29, "invalid RNR retry count", "") \
	X(DUP_COMM_ID,     30, "duplicate local communication id", "") \
	X(BAD_CLASS,       31, "invalid class version", "") \
	X(BAD_FLOW_LABEL,  32, "invalid flow label", "") \
	X(BAD_ALT_FLOW_LABEL, 33, "invalid alternate flow label", "") \
	X(VENDOR_OPTION,   35, "vendor option not supported", "")
/* clang-format on */

enum rn_cm_attr {
#define X(name, number) RN_CM_##name = number,
	RN_CM_ATTR_ROWS(X)
#undef X
};

enum rn_cm_rej_reason {
#define X(name, number, text, when) RN_CM_REJ_##name = number,
	RN_CM_REJ_ROWS(X)
#undef X
};

/* The message that a REJ or MRA answers. */
enum rn_cm_about { RN_CM_ABOUT_REQ, RN_CM_ABOUT_REP, RN_CM_ABOUT_OTHER };

/* value of rn_cm_rep.failover if the alternate path of the REQ is not used */
#define RN_CM_FAILOVER_UNSUPPORTED 1

enum rn_cm_transport { RN_CM_T_RC, RN_CM_T_UC, RN_CM_T_RD, RN_CM_T_EXTENDED };

struct rn_cm_req {
	uint32_t local_id;
	uint32_t vendor_id;
	uint64_t service_id;
	uint64_t guid;
	uint32_t qkey;
	uint32_t qpn;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint32_t local_eecn, remote_eecn;
	uint8_t remote_response_timeout; /* n means 4.096 us * 2^n, as in all CM time fields */
	uint8_t transport;		 /* enum rn_cm_transport */
	uint8_t flow_control;
	uint32_t psn;
	uint8_t local_response_timeout;
	uint8_t retry_cnt;
	uint16_t pkey;
	uint8_t path_mtu;
	uint8_t rdc_exists;
	uint8_t rnr_retry;
	uint8_t max_cm_retries;
	uint8_t srq;
	uint8_t extended_transport;
	uint16_t local_lid, remote_lid;
	struct rn_gid local_gid, remote_gid;
	uint32_t flow_label;
	uint8_t packet_rate;
	uint8_t tclass;
	uint8_t hop_limit;
	uint8_t sl;
	uint8_t subnet_local;
	uint8_t ack_timeout;
	uint8_t alternate[44]; /* the alternate path, undecoded */
	uint8_t data[RN_CM_REQ_PRIVATE];
};

struct rn_cm_mra {
	uint32_t local_id, remote_id;
	uint8_t about; /* enum rn_cm_about */
	uint8_t service_timeout;
	uint8_t data[222];
};

struct rn_cm_rej {
	uint32_t local_id, remote_id;
	uint8_t about; /* enum rn_cm_about */
	uint8_t ari_len;
	uint16_t reason; /* enum rn_cm_rej_reason */
	uint8_t ari[RN_CM_ARI_BYTES];
	uint8_t data[RN_CM_REJ_DATA];
};

struct rn_cm_rep {
	uint32_t local_id, remote_id;
	uint32_t qkey;
	uint32_t qpn;
	uint32_t eecn;
	uint32_t psn;
	uint8_t vendor_hi, vendor_mid, vendor_lo;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t target_ack_delay;
	uint8_t failover;
	uint8_t flow_control;
	uint8_t rnr_retry;
	uint8_t srq;
	uint64_t guid;
	uint8_t data[RN_CM_REP_DATA];
};

struct rn_cm_rtu {
	uint32_t local_id, remote_id;
	uint8_t data[224];
};

struct rn_cm_dreq {
	uint32_t local_id, remote_id;
	uint32_t remote_qpn; /* the QPN that the receiver of the DREQ uses */
	uint8_t data[220];
};

struct rn_cm_drep {
	uint32_t local_id, remote_id;
	uint8_t data[224];
};

struct rn_cm_sidr_req {
	uint32_t request_id;
	uint16_t pkey;
	uint64_t service_id;
	uint8_t data[216];
};

/* clang-format off */
#define RN_CM_SIDR_ROWS(X) /* columns: name, code, text, when softrnic sends it */ \
	X(VALID,       0, "valid", "the client accepts") \
	X(NO_SERVICE,  1, "service id not supported: no listener", "no listener for datagrams; or the version of the RDMA-CM header is unknown, its destination is not an address of this port, or its source is no host address") \
	X(REJECTED,    2, "rejected by the service provider", "the client rejects the request or disconnects, or its listener is closed") \
	X(NO_QP,       3, "no QP available", "the listener's backlog is full, or the listener's or the peer's share of `limits.max_cm_requests`, or the whole table (`limits.max_cm`)") \
	X(REDIRECT,    4, "redirected", "") \
	X(BAD_VERSION, 5, "unsupported version", "")
/* clang-format on */

enum rn_cm_sidr_status {
#define X(name, number, text, when) RN_CM_SIDR_##name = number,
	RN_CM_SIDR_ROWS(X)
#undef X
};

struct rn_cm_sidr_rep {
	uint32_t request_id;
	uint8_t status; /* enum rn_cm_sidr_status */
	uint8_t ari_len;
	uint16_t vendor_hi;
	uint32_t qpn;
	uint8_t vendor_lo;
	uint64_t service_id;
	uint32_t qkey;
	uint8_t ari[RN_CM_ARI_BYTES];
	uint8_t data[136];
};

struct rn_cm_msg {
	uint16_t attr; /* enum rn_cm_attr: selects the union's member; none for LAP, APR */
	uint16_t status;
	uint16_t class_specific;
	uint32_t attr_mod;
	uint64_t tid;
	union {
		struct rn_cm_req req;
		struct rn_cm_mra mra;
		struct rn_cm_rej rej;
		struct rn_cm_rep rep;
		struct rn_cm_rtu rtu;
		struct rn_cm_dreq dreq;
		struct rn_cm_drep drep;
		struct rn_cm_sidr_req sidr_req;
		struct rn_cm_sidr_rep sidr_rep;
	};
};

/* Parses a CM message. Returns false, with *msg untouched, if `mad` is not a CM message: its length
 * is not 256 bytes, or its base version, class, class version, method or attribute is wrong. The
 * contents of the fields are not checked. */
bool rn_cm_msg_parse(const uint8_t *mad, size_t len, struct rn_cm_msg *msg);
/* Writes the whole MAD. msg->attr is one of RN_CM_ATTR_ROWS. For LAP and APR only the header is
 * written. A value wider than its field loses its high bits. */
void rn_cm_msg_build(const struct rn_cm_msg *msg, uint8_t mad[RN_MAD_BYTES]);

/* The RDMA-CM header: 36 bytes in front of the user's private data in REQ and SIDR_REQ. */
struct rn_cma_hdr {
	uint16_t port; /* port number of the sender, in host order */
	bool ipv4;
	struct rn_gid src, dst; /* IPv4 addresses in mapped form, ::ffff:a.b.c.d */
};

/* Parses an RDMA-CM header. Returns false if the major version is not 0, or the IP version is
 * neither 4 nor 6. */
bool rn_cma_hdr_parse(const uint8_t buf[RN_CMA_HDR_BYTES], struct rn_cma_hdr *hdr);
void rn_cma_hdr_build(const struct rn_cma_hdr *hdr, uint8_t buf[RN_CMA_HDR_BYTES]);

/* Returns a service id of the RDMA IP CM: the port space in the bits above the 16-bit port
 * number. */
static inline uint64_t rn_cm_service_id(uint32_t port_space, uint16_t port)
{
	return (uint64_t)port_space << 16 | port;
}

/* These functions return a constant string, or "?" for a number that has no row above. */
const char *rn_cm_attr_name(uint16_t attr);
const char *rn_cm_rej_text(uint16_t reason);

#endif
