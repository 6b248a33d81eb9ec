/* Datagrams (UD): one packet per message, to whom each request says, never answered (docs/spec/rocev2.md 5.1, 5.2). Shard thread. */
#ifndef RN_UD_H
#define RN_UD_H

#include "base/types.h"
#include "ground/txbuf.h"
#include "rn/abi.h"
#include "wire/pkt.h"
#include "wire/verdict.h"

struct rn_qp;

/* The next datagram of the send queue, ICRC included, and the completions of all requests up to it: a request is done when
 * its packet is built. 0: nothing may be sent. buf->loop: to a group with members here. */
unsigned rn_ud_tx(struct rn_qp *qp, struct rn_txbuf *buf, rn_time now);

/* A datagram for this queue pair, which is in a state to receive. Whoever sends too much to it, with the wrong Q_Key or more
 * than a receive holds, costs it nothing: no receive, no state. Only a receive that the application itself spoilt, by its
 * keys or its form, completes in error and takes the queue pair with it. */
enum rn_verdict rn_ud_rx(struct rn_qp *qp, const struct rn_pkt *pkt, rn_time now);

/* What goes in front of the payload: the IPv6 header, or 20 zero bytes and the IPv4 header. */
void rn_ud_grh(const struct rn_pkt *pkt, uint8_t grh[RN_UD_GRH_BYTES]);

#endif
