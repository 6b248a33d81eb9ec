/* Rows of docs/spec/rocev2.md as seen from outside: what a peer is given, what has to come back.
 * One thread.
 *
 * A row is a script, a command on each line; PSNs count from the first one of that direction:
 *	set psn=N             the PSN of its first request, which is ours to say; before all else
 *	> OPCODE PSN [n=] [A] [va=|addr=] [len=] [rkey=] [imm=] [fill=] [syn=] [msn=] [arg=] [cmp=]
 *	[count=] [adv=] [pkey=]
 *	       [M=] [port=] [qp=] [from=other] [to=other] [ttl=] [tos=] [fecn] [resv] [sum] [edit=]
 *	       [flip=]
 *	                      a packet to the peer. va counts from the memory it lent; adv: a Send
 *	                      of 16 bytes tells of so much
 *	                      memory of ours; edit: a header is changed under a right ICRC, flip:
 *	                      without
 *	< KIND[|KIND] PSN [n=] [msn=] [fill=] [orig=]   its next answer: ACK NAK_SEQ NAK_INV NAK_ACC
 *	                                                NAK_OP RNR, a response's
 *	                      name, or none
 *	until ACK PSN         likewise, behind other ACKs
 *	silent [MS]           no answer
 *	request PSN [OPCODE] [same] [after=US] [within=MS] [va=] [len=] its next request: the same
 *	packet as the one before,
 *	                      so long after our last packet; va counts from what it asked for first
 *	norequest MS          none but one repeat
 *	alive PSN | dead PSN  it answers, or does not answer, a request that any queue pair in order
 *	                      grants
 *	atomics               the memory it lent takes atomics, else the row does not apply
 *	short                 a Send of 1024 bytes is too long for it, and refused as such; else the
 *	                      row does not apply
 *	for-ever              it comes again to an unready receiver without end, else the row does
 *	                      not apply
 */
#ifndef RN_CONFORM_PLAY_H
#define RN_CONFORM_PLAY_H

#include "conn.h"

enum outcome { PASSED, DEVIATES, NOT_APPLICABLE };

struct play {
	struct conn *c;
	unsigned patience; /* seconds; a peer that is restarted for each row is absent in between */
	char *word[24];	   /* of the current line; missing ones are empty */
	unsigned nwords;
	uint64_t asked_hash, asked_va; /* hash of the last request; address of the first one */
	bool asked, asked_read;
	char why[200];
};

struct row {
	const char *id;
	char side;     /* who connects: 'c' this tool, 's' the peer, 'b' either */
	uint32_t lent; /* bytes that the peer must lend; 0: none */
	bool indecent; /* the tool does not answer the peer's requests by itself */
	const char *script;
	/* used instead of a script; opens the connection itself */
	enum outcome (*run)(struct play *p);
};

extern const struct row rows[];
extern const unsigned row_count;

/* p->why gets the deviation, or the reason why the row does not apply. */
enum outcome play_script(struct play *p, const char *script);
/* One line of a script. */
enum outcome play_line(struct play *p, const char *line);

#endif
