/* Rows of docs/spec/rocev2.md as text: what one NIC is given, and all that must come of it.
 *
 * A row is a script whose unindented lines are commands and whose indented lines are the required outcome of the command
 * above them; rows_run() executes the commands and writes the script anew with what really happened, so a row holds
 * when both texts are equal. The peer is made by hand (craft.h); its shard stays silent. Commands:
 *
 *	set KEY=N ...             before anything else: mtu rd retry rnr_retry timeout rnr_timer access msn window rtr srq credits ipv6
 *	                          type (2 RC, 3 UC, 4 UD); with srq, receives go to a shared queue that deep
 *	recv ID LEN [lkey=KEY]    post a receive into the receive area of that id
 *	send|write|read ID LEN    post a request: [silent] [fence] [se] [lkey=KEY]
 *	send_imm|write_imm|send_inv ID LEN imm=N  the same with immediate data, or a key to invalidate
 *	cmp_swap|fetch_add ID 8   likewise: [va=] [arg=] [cmp=]; arg is what is swapped in or added
 *	> OPCODE PSN [n=] [A] [SE] [va=|addr=] [len=] [rkey=] [syn=] [msn=] [imm=] [inv=KEY] [fill=] [from=other] [pkey=] [M=0] [port=]
 *	         [arg=] [cmp=] [orig=] [tclass=] [times=N, PSNs counting up] [qp=unknown] [bad_icrc]
 *	         [qkey=] [src=QPN] [qpn=] [group] [GROUP-AT-OUR-MAC]
 *	         OPCODE may be CNP, a congestion notification (then also [becn=]; defaults as adapters send it)
 *	                          a packet arrives; then the NIC speaks. PSNs count from the direction's first one
 *	>> ...                    the same, but the NIC does not get to speak yet
 *	speak N                   at most N frames
 *	wait N                    N microseconds pass
 *	mem AREA OFF LEN          run lengths of memory: area v (target of the peer), r (where READs land), or a receive id
 *	brief                     from now on only frames that ask for an ACK are written down
 *	fault                     area v faults when it is touched
 *	rate                      how fast it may send, in thousandths of the line's rate
 *	arm any|solicited         the CQ is armed
 *	invalidate KEY            a window's
 *	sqd [notify]              the send queue is to drain
 *	join | leave              the multicast group; for UD, as `group`, which is where send and > go then
 *	dereg KEY | rts | error | touch AREA OFF LEN BYTE
 *
 * Outcomes: `= VERDICT`, `< frame` (with @us when time passed), completions, events, states.
 * Keys: k (64 KiB at v, all rights), ro wo lo (remote read, remote write, neither), pd2 (another PD), tiny (100 bytes
 * at v), any number. Windows over 4096 bytes of k: win (all rights), winro (remote read), astray (of another QP).
 */
#ifndef SIM_ROWS_H
#define SIM_ROWS_H

#include <stdint.h>

/* The script as it really went, to be freed. first_psn: of the peer's requests. verdicts: RN_V_COUNT counters, added to. */
char *rows_run(const char *script, uint32_t first_psn, uint32_t *verdicts);

#endif
