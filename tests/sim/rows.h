/* Test scripts for rows of docs/spec/rocev2.md. A script gives the input of one NIC (the node
 * under test) and all output of this NIC.
 *
 * The unindented lines of a script are commands. The indented lines below a command are the
 * required outcome of this command. rows_run() executes the commands and writes the script again
 * with the actual outcomes. The test passes if the two texts are equal. No shard runs for the peer:
 * the script builds each packet of the peer field by field (craft.h). Commands:
 *
 * set KEY=N ...   set the options of the run; must come before all other commands. Keys: mtu rd
 *                 retry rnr_retry timeout rnr_timer access msn window rtr srq credits ipv6 keep
 *                 type (2 RC, 3 UC, 4 UD). srq=N: a shared receive queue of depth N takes all
 *                 receives. keep=N: the NIC keeps up to N packets that arrive ahead of a lost one;
 *                 0: it drops them. Without keep=, the script holds for both
 * recv ID LEN [lkey=KEY]         post a receive into the receive area of that id
 * send|write|read ID LEN         post a work request. Options: [silent] (unsignaled), [fence],
 *                                [se] (solicited event), [lkey=KEY], [later] (the NIC does not
 *                                send yet)
 * send_imm|write_imm|send_inv ID LEN imm=N   post a work request with immediate data, or (send_inv)
 *                                with a key to invalidate; the options of send apply
 * cmp_swap|fetch_add ID 8        post an atomic. Options: [va=], [cmp=], [arg=] (value to swap in
 *                                or to add)
 * > OPCODE PSN [n=] [A] [SE] [va=|addr=] [len=] [rkey=] [syn=] [msn=] [imm=] [inv=KEY] [fill=]
 *          [from=other] [pkey=] [M=0] [port=] [arg=] [cmp=] [orig=] [tclass=]
 *          [times=N, PSNs counting up] [qp=unknown] [bad_icrc]
 *          [qkey=] [src=QPN] [qpn=] [group] [GROUP-AT-OUR-MAC]
 *                 a packet of the peer arrives, and then the NIC sends. The PSN of a request counts
 *                 from the first PSN of the peer's requests. The PSN of a response counts from the
 *                 first PSN of the NIC's requests. n: payload bytes; A: AckReq; fill: value of each
 *                 payload byte; syn: AETH syndrome; port: UDP source port; orig: result of an
 *                 atomic; va: offset in area v; addr: whole address. OPCODE may be CNP
 *                 (congestion notification packet): then PSN is the value in the packet, [becn=]
 *                 can be given too, and the other fields have the values that adapters send
 * >> ...          a packet arrives as with >, but the NIC does not send afterwards
 * speak N         the NIC sends at most N frames
 * wait N          N microseconds pass
 * mem AREA OFF LEN               print memory as runs of equal bytes: value and length of each run.
 *                                AREA: v (target of the peer's requests), r (target of the NIC's
 *                                READs), or the id of a receive
 * touch AREA OFF LEN BYTE        set LEN bytes of memory to BYTE
 * brief           from now on only frames with AckReq are written
 * fault           from now on every access to area v fails
 * rate            print the QP's rate in thousandths of the line rate
 * arm any|solicited              arm the CQ
 * dereg KEY       deregister a memory region
 * invalidate KEY  invalidate a memory window, as a completed INVALIDATE does
 * rts | error     move the QP to RTS or to the error state
 * sqd [notify]    move the QP to SQD (send queue drained)
 * join | leave    join or leave the multicast group. On UD, the command `send` with the option
 *                 `group` sends to the group. A packet (>) with `group` has the IP address and the
 *                 MAC address of the group as destination. With GROUP-AT-OUR-MAC the destination
 *                 is the group's IP address, but the NIC's own MAC address
 *
 * Outcomes: `= VERDICT`, `< frame` (with @us after wait), completions, events, states.
 * Keys: k (64 KiB at v, all rights), ro (remote read), wo (remote write), lo (no rights), pd2
 * (another PD), tiny (100 bytes at v), or any number. Memory windows over 4096 bytes of k: win
 * (all rights), winro (remote read), astray (bound on another QP).
 */
#ifndef SIM_ROWS_H
#define SIM_ROWS_H

#include <stdint.h>

/* Runs a script. Returns the script with the actual outcomes; the caller frees this text.
 * `first_psn` is the first PSN of the peer's requests. `verdicts` is an array of RN_V_COUNT
 * counters: each counter grows by the number of times that the NIC gave this verdict. */
char *rows_run(const char *script, uint32_t first_psn, uint32_t *verdicts);

#endif
