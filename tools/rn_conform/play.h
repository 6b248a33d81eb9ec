/* Tests a NIC (the peer) from outside: one test for each requirement (row) of docs/spec/rocev2.md.
 * A test sends packets to the peer and checks the packets that come back. A play is the state of
 * one running test. Used by one thread.
 *
 * The test of a row is a script with one command on each line. A PSN is counted from the first PSN
 * of its direction. MS is a number of milliseconds, US a number of microseconds. "Lent" memory is
 * the memory whose address and key the peer sent by rping's protocol.
 *
 *	set psn=N
 *		first line only: the PSN of the peer's first request, which this tool chooses
 *	> OPCODE PSN [n=] [A] [va=|addr=] [len=] [rkey=] [imm=] [fill=] [syn=] [msn=] [arg=] [cmp=]
 *	  [count=] [adv=] [pkey=] [M=] [port=] [qp=] [from=other] [to=other] [ttl=] [tos=] [fecn]
 *	  [resv] [sum] [edit=] [flip=]
 *		sends a packet to the peer. n: bytes of payload; A: AckReq; va: offset in the lent
 *		memory, addr: an absolute address; count: number of packets, with successive PSNs;
 *		adv: number of bytes of this tool's memory that a Send of 16 bytes announces; edit:
 *		changes a header and computes a new ICRC; flip: changes bytes and keeps the ICRC
 *	< KIND[|KIND] PSN [kept=PSN] [n=] [msn=] [fill=] [orig=]
 *		expects the peer's next answer: ACK NAK_SEQ NAK_INV NAK_ACC NAK_OP RNR, the name of
 *		a response, or none. kept: the other PSN that is right, that of a peer which keeps
 *		packets that arrive ahead of a lost one
 *	until ACK PSN
 *		expects the ACK with this PSN; ACKs of other PSNs may come before
 *	silent [MS]
 *		expects no answer for MS
 *	request PSN [OPCODE] [same] [after=US] [within=MS] [va=] [len=] [part=]
 *		expects the peer's next request. same: equal to the peer's previous request;
 *		after: least time since this tool's last packet; within: longest wait for the
 *		request; va: the request's address, counted from the address of the first request;
 *		part: the other length that is right, that of a peer which requests the missing
 *		responses alone
 *	norequest MS
 *		expects no request for MS, except one repetition
 *	alive PSN [kept=PSN] | dead PSN
 *		sends a Write of 0 bytes, which any working queue pair acknowledges. Expects the
 *		ACK (alive), or no answer (dead). kept: as above
 *	atomics
 *		sends a FETCH_ADD with PSN 0; the row applies only if the lent memory takes atomics
 *	short
 *		expects NAK_INV for a Send of 1024 bytes with PSN 0; the row applies only if the
 *		peer's receives are shorter
 *	for-ever
 *		the row applies only if the peer repeats without limit after RNR NAKs
 *		(rnr_retry 7) */
#ifndef RN_CONFORM_PLAY_H
#define RN_CONFORM_PLAY_H

#include "conn.h"

enum outcome { PASSED, DEVIATES, NOT_APPLICABLE };

struct play {
	struct conn *c;
	/* seconds to wait for a connection, enough for a peer that is restarted for each row */
	unsigned patience;
	char *word[24]; /* words of the current script line, then empty strings */
	unsigned nwords;
	/* asked_hash: hash of the peer's last request. asked_va: address in the peer's first
	 * request. */
	uint64_t asked_hash, asked_va;
	bool asked, asked_read;
	char why[200];
};

struct row {
	const char *id;
	char side;     /* the side that must connect: 'c' this tool, 's' the peer, 'b' either */
	uint32_t lent; /* bytes of memory that the peer must advertise as rping does; 0: none */
	/* true: the tool does not answer the peer's requests by itself; the script's commands
	 * answer */
	bool manual_answers;
	const char *script;
	/* function that tests the row if there is no script; the function opens its own
	 * connection */
	enum outcome (*run)(struct play *p);
};

extern const struct row rows[];
extern const unsigned row_count;

/* Runs a script. Stores in p->why how the peer deviates, or why the row does not apply. */
enum outcome play_script(struct play *p, const char *script);
/* Runs one line of a script. Stores in p->why how the peer deviates, or why the row does not
 * apply. */
enum outcome play_line(struct play *p, const char *line);

#endif
