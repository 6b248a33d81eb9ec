/* Rows of docs/spec/rocev2.md as text: the input of one NIC, and its complete output.
 *
 * A row is a script. Its unindented lines are commands; the indented lines below a command are the
 * required outcome of that command. rows_run() executes the commands and writes the script again
 * with the actual outcomes; the test passes if both texts are equal. The packets of the peer are
 * built field by field (craft.h); the peer has no running shard. Commands:
 *
 * set KEY=N ...   before anything else: mtu rd retry rnr_retry timeout rnr_timer access msn window
 *                 rtr srq credits ipv6 type (2 RC, 3 UC, 4 UD); srq: depth of a shared receive
 *                 queue, to which receives are then posted
 * recv ID LEN [lkey=KEY]         post a receive into the receive area of that id
 * send|write|read ID LEN         post a request: [silent] [fence] [se] [lkey=KEY]
 * send_imm|write_imm|send_inv ID LEN imm=N   post a request with immediate data, or with a key to
 *                                invalidate; options as for send
 * cmp_swap|fetch_add ID 8        post an atomic: [va=] [arg=] [cmp=]; arg is swapped in or added
 * > OPCODE PSN [n=] [A] [SE] [va=|addr=] [len=] [rkey=] [syn=] [msn=] [imm=] [inv=KEY] [fill=]
 *          [from=other] [pkey=] [M=0] [port=] [arg=] [cmp=] [orig=] [tclass=]
 *          [times=N, PSNs counting up] [qp=unknown] [bad_icrc]
 *          [qkey=] [src=QPN] [qpn=] [group] [GROUP-AT-OUR-MAC]
 *                 a packet arrives, and then the NIC sends. PSN: counted from the first PSN of the
 *                 peer's requests, or for a response of the NIC's requests. OPCODE may be CNP, a
 *                 congestion notification packet: then also [becn=], and the defaults are those
 *                 that adapters send
 * >> ...          a packet arrives as with >, but the NIC does not send afterwards
 * speak N         the NIC sends at most N frames
 * wait N          N microseconds pass
 * mem AREA OFF LEN               print the run lengths of memory: area v (target of the peer),
 *                                r (target of own READs), or a receive id
 * brief           from now on only frames with AckReq are written
 * fault           from now on every access to area v fails
 * rate            print the QP's rate in thousandths of the line rate
 * arm any|solicited              arm the CQ
 * invalidate KEY  invalidate a window, as a completed INVALIDATE does
 * sqd [notify]    move the QP to SQD (send queue drained)
 * join | leave    the multicast group; on UD, `group` sends send and > to that group
 * dereg KEY | rts | error | touch AREA OFF LEN BYTE
 *
 * Outcomes: `= VERDICT`, `< frame` (with @us after wait), completions, events, states.
 * Keys: k (64 KiB at v, all rights), ro wo lo (remote read, remote write, neither), pd2 (another
 * PD), tiny (100 bytes at v), or any number. Windows over 4096 bytes of k: win (all rights), winro
 * (remote read), astray (bound on another QP).
 */
#ifndef SIM_ROWS_H
#define SIM_ROWS_H

#include <stdint.h>

/* Runs a script and returns it with the actual outcomes; the caller frees the text. first_psn:
 * first PSN of the peer's requests. verdicts: RN_V_COUNT counters, to which the verdicts of this
 * run are added. */
char *rows_run(const char *script, uint32_t first_psn, uint32_t *verdicts);

#endif
