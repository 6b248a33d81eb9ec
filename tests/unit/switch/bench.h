/* Bench for tests of the switch: one switch with the addresses 192.0.2.1 and 2001:db8::1, and
 * frames as hosts and clients would send them. Host n has the address 192.0.2.n and the MAC
 * 02:00:00:00:00:0n; host 1 is the port of the switch. */
#ifndef BENCH_H
#define BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "switch/switch.h"
#include "wire/cm_msg.h"
#include "wire/frame.h"

#define OWN	1u	    /* host number of the switch's port */
#define PEER	7u	    /* host number of another host */
#define SERVICE 0x01060FA0u /* RDMA-CM port space TCP, port 4000 */

struct bench {
	struct rn_switch_cfg cfg;
	struct rn_switch *sw;
	rn_time now; /* 30 s after the start: the time for clients to come back is over */
	struct rn_switch_way way; /* of the last frame */
	uint8_t frame[2048];
	unsigned len;
};

struct rn_gid host_gid(unsigned host, bool ipv6);
/* The n-th communication id and QPN of a client; client 0: those of another host. */
uint32_t id_of(unsigned client, unsigned n);
uint32_t qpn_of(unsigned client, unsigned n);

void bench_start(struct bench *b);
/* Replaces the switch by one with the configuration b->cfg. Both functions take the
 * announcements of the port's addresses, which a switch sends first. */
void bench_again(struct bench *b);
void bench_stop(struct bench *b);
/* Attaches a client with this number, as one that came back in time. */
void bench_attach(struct bench *b, unsigned number);
/* Lets a client listen to SERVICE at the IPv4 wildcard. */
void bench_listen(struct bench *b, unsigned client);

/* A packet from one host to another with all header fields set; the test may change them. */
struct rn_pkt packet(unsigned from, unsigned to, uint8_t opcode, uint32_t dest_qpn);
/* Builds the packet and gives it to the switch. `from`: RN_SWITCH_WIRE or a client. */
enum rn_outcome give(struct bench *b, unsigned from, const struct rn_pkt *pkt);
/* The packet of a CM message between two hosts, built in `mad`. */
struct rn_pkt cm_packet(const struct bench *b, unsigned src, unsigned dst,
			const struct rn_cm_msg *msg, uint8_t mad[RN_MAD_BYTES]);
/* Gives the switch such a packet. What a REQ and a SIDR_REQ say about their sender is filled in. */
enum rn_outcome give_cm(struct bench *b, unsigned from, unsigned src, unsigned dst,
			const struct rn_cm_msg *msg);
enum rn_outcome give_bytes(struct bench *b, unsigned from, const uint8_t *frame, unsigned len);
/* CM messages with the usual fields. */
struct rn_cm_msg req(uint32_t local_id, uint32_t qpn);
struct rn_cm_msg rep(uint32_t local_id, uint32_t remote_id, uint32_t qpn);
struct rn_cm_msg rtu(uint32_t local_id, uint32_t remote_id);
struct rn_cm_msg dreq(uint32_t local_id, uint32_t remote_id, uint32_t remote_qpn);
struct rn_cm_msg drep(uint32_t local_id, uint32_t remote_id);
struct rn_cm_msg rej(uint32_t local_id, uint32_t remote_id, uint8_t about, uint16_t reason);
/* A connection between the client and host PEER, made by messages. The ids and QPNs are the n-th of
 * the client and of the peer. */
void connect_out(struct bench *b, unsigned client, unsigned n);
void connect_in(struct bench *b, unsigned client, unsigned n);

/* Takes the next frame that the switch sends. Returns false if there is none. If it is a CM
 * message, *msg is the message, otherwise msg->attr is 0. */
bool take(struct bench *b, struct rn_pkt *pkt, struct rn_cm_msg *msg);
#define expect_nothing(b)                              \
	do {                                           \
		struct rn_pkt pkt_;                    \
		struct rn_cm_msg msg_;                 \
		assert_false(take((b), &pkt_, &msg_)); \
	} while (0)

#endif
