/* Datagrams (UD): each message is one packet to the address in its work request. Datagrams are
 * never acknowledged (docs/spec/rocev2.md 5.1, 5.2). Runs on the shard's thread. */
#ifndef RN_UD_H
#define RN_UD_H

#include "base/types.h"
#include "ground/txbuf.h"
#include "rn/abi.h"
#include "wire/pkt.h"
#include "wire/verdict.h"

struct rn_qp;

/* Builds the next datagram of the send queue with its ICRC, and completes the work request. Earlier
 * work requests that send no packet (NOPs, and datagrams longer than the MTU) are completed too.
 * Sets buf->loop if the datagram goes to a multicast group with members on this NIC.
 * Returns the length of the frame. Returns 0 if nothing may be sent, or if the oldest work request
 * failed. */
unsigned rn_ud_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);

/* Processes a datagram that arrived for a QP. The state of the QP permits receiving. Returns the
 * verdict.
 * - A datagram with the wrong Q_Key, or too long for the buffers of the receive, is dropped. It
 *   uses no receive.
 * - A malformed receive, or a receive into memory that is not accessible, completes in error. The
 *   QP then enters the error state. */
enum rn_verdict rn_ud_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);

/* Writes the 40 bytes that precede the payload in the buffers of the receive. These are the IPv6
 * header, or 20 zero bytes and the IPv4 header. */
void rn_ud_grh(const struct rn_pkt *pkt, uint8_t grh[RN_UD_GRH_BYTES]);

#endif
