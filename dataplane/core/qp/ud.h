/* Datagrams (UD): each message is one packet to the address that its request names, and is never
 * acknowledged (docs/spec/rocev2.md 5.1, 5.2). Runs on the shard's thread. */
#ifndef RN_UD_H
#define RN_UD_H

#include "base/types.h"
#include "ground/txbuf.h"
#include "rn/abi.h"
#include "wire/pkt.h"
#include "wire/verdict.h"

struct rn_qp;

/* Builds the next datagram of the send queue, ICRC included, and completes its request. Also
 * completes the requests before it that send no packet: NOPs, and datagrams longer than the MTU.
 * Returns the length; 0: nothing may be sent, or the oldest request failed. Sets buf->loop if the
 * datagram goes to a group with members on this NIC. */
unsigned rn_ud_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);

/* Processes a received datagram; the QP is in a state that permits receiving. A datagram with the
 * wrong Q_Key, or longer than the receive, is dropped without using a receive. Only a receive whose
 * memory is not accessible, or that is malformed, completes in error, and takes the QP into the
 * error state. */
enum rn_verdict rn_ud_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);

/* Writes the 40 bytes that precede the payload in the receive: the IPv6 header, or 20 zero bytes
 * and the IPv4 header. */
void rn_ud_grh(const struct rn_pkt *pkt, uint8_t grh[RN_UD_GRH_BYTES]);

#endif
