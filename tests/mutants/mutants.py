"""The list of faults. Mutant(name, file, text, instead, suite): `text` occurs in `file` once; with
`instead` in its place the suite must fail."""
from collections import namedtuple

Mutant = namedtuple("Mutant", "name file text instead suite")

# suite: (build target, arguments); {sim} stands for the folder tests/sim
SIM_ROWS = ["{sim}/responder.rows", "{sim}/order.rows", "{sim}/read.rows", "{sim}/requester.rows", "{sim}/window.rows",
            "{sim}/atomic.rows", "{sim}/state.rows", "{sim}/uc.rows", "{sim}/credit.rows", "{sim}/congestion.rows"]
SUITES = {
    "rows": ("tests/sim/test_rows", SIM_ROWS),
    "random": ("tests/sim_random", ["--seed", "1", "--count", "200", "--quiet"]),
    "scenarios": ("tests/sim/test_scenarios", []),
    "memory": ("tests/sim/test_memory", []),
    "hostile": ("tests/sim/sim_hostile", ["--count", "40"]),
    "share": ("tests/sim/sim_share", ["--count", "60"]),
    "connect": ("tests/sim/sim_connect", ["--count", "100"]),
    "fairness": ("tests/sim/test_fairness", []),
    "uc": ("tests/sim/sim_uc", ["--count", "60"]),
    "lend": ("tests/sim/sim_lend", ["--count", "40"]),
    "windows": ("tests/unit/core/qp/test_mw_queue", []),
    "window": ("tests/unit/core/memory/test_mw", []),
    "region": ("tests/unit/core/memory/test_mr", []),
    "stale": ("tests/sim/test_stale", []),
    "performance": ("tests/sim/test_performance", []),
    "congestion": ("tests/sim/test_congestion", []),
    "cc": ("tests/unit/core/flow/test_cc", []),
    "pace": ("tests/unit/core/qp/test_pace", []),
    "short": ("tests/sim/test_short_way", []),
    "short-rx": ("tests/unit/core/qp/test_short_rx", []),
    "short-tx": ("tests/unit/core/qp/test_short_tx", []),
    "window-acks": ("tests/unit/core/flow/test_window", []),
    "short-read": ("tests/unit/core/qp/test_short_read", []),
    "match": ("tests/unit/core/net/test_match", []),
    "port-mem": ("tests/unit/port/test_mem", []),
}

RESPONDER = "dataplane/core/qp/responder.c"
COMMIT = "dataplane/core/qp/responder.h"
REQUESTER = "dataplane/core/qp/requester.c"
RETRY = "dataplane/core/flow/retry.c"
WINDOW = "dataplane/core/flow/window.c"
WINDOW_H = "dataplane/core/flow/window.h"
QP = "dataplane/core/qp/qp.c"
COMPLETE = "dataplane/core/qp/complete.h"
MR = "dataplane/core/memory/mr.c"
MR_CHECK = "dataplane/core/memory/mr_check.h"
MATCH = "dataplane/core/net/match.h"
SHORT_RX = "dataplane/core/qp/short_rx.c"
SHORT_TX = "dataplane/core/qp/short_tx.c"
SHORT_READ = "dataplane/core/qp/short_read.c"
SHARD = "dataplane/core/shard/shard_turn.c"
SRQ = "dataplane/core/queue/srq.c"
UC = "dataplane/core/qp/uc.c"
CREDIT = "dataplane/core/flow/credit.c"
CC = "dataplane/core/flow/cc.c"
CNP = "dataplane/core/shard/cnp.c"
DISPATCH = "dataplane/core/qp/qp_dispatch.c"
PACE = "dataplane/core/qp/pace.c"
TMPL = "dataplane/core/net/tmpl.c"
TMPL_H = "dataplane/core/net/tmpl.h"
SQ = "dataplane/core/queue/sq.c"
RQ = "dataplane/core/queue/rq.c"

MUTANTS = [
    # congestion
    Mutant("a notification per mark", CNP, "now >= qp->cnp_after && rn_list", "rn_list", "rows"),
    Mutant("ACKs are notified", CNP, "pkt->op->family != RN_F_ACK &&", "true &&", "rows"),
    Mutant("notifications from anybody", CNP, "!rn_gid_equal(&pkt->src, &qp->peer) && sh->lane.port.check_source", "false", "rows"),
    Mutant("notification not marked as one", TMPL, "bth[RN_BTH_ECN] = RN_BTH_BECN;", "", "rows"),
    Mutant("notification with the class of data", TMPL, "\tip[RN_IPV4_TOS] = tclass;\n", "", "rows"),
    Mutant("every notification cuts", CC, "else if (now - cc->cut_at < p->monitor_period)", "else if (false)", "rows"),
    Mutant("alpha never decays", CC, "for (; n && left; n >>= 1) {", "for (; n && left && n < 2; n >>= 1) {", "cc"),
    Mutant("no floor", CC, "RN_MAX(RN_MIN(rate, p->line_rate), p->min_rate)", "RN_MAX(RN_MIN(rate, p->line_rate), 1)", "cc"),
    Mutant("bytes raise nothing", CC, "\tcc->byte_stage++;\n", "", "cc"),
    Mutant("credit for idleness", CC, "\tcc->waiting = false;\n", "", "cc"),
    Mutant("rate without effect", DISPATCH, "if (at > now) {", "if (false) {", "pace"),
    Mutant("nobody wakes who waits", DISPATCH, "\trn_timer_arm(&qp->lane->pace, &qp->pace, when);\n", "", "pace"),
    Mutant("a limit outlives the connection", PACE, "\trn_cc_reset(&qp->cc);\n", "", "pace"),
    Mutant("limited senders ask too seldom", REQUESTER, "limit = (qp->cc.rate / 8 * ASK_NS / RN_S(1)) >> qp->mtu_shift;",
           "limit = UINT32_MAX;", "congestion"),
    # shared receive queues
    Mutant("shared receive used twice", SRQ, "copy_out(ring, n, srq->max_sge, e);",
           "copy_out(ring, n - (n % 8 == 7), srq->max_sge, e);", "share"),
    Mutant("shared receive for each packet", RESPONDER, "if (rn_likely(e || !qp->srq))", "if (rn_likely(!qp->srq))", "share"),
    Mutant("limit told over and over", SRQ, "limit &&\n\t       atomic_exchange(&srq->shared.limit, 0);", "limit;", "share"),
    Mutant("limit never told", SRQ, "*low = went_low(srq, n + 1);", "*low = false;", "share"),
    Mutant("larger ring too early", SRQ, "&&\n\t       number >= next->base)", ")", "share"),
    # unreliable connections
    Mutant("UC goes on behind a hole", UC, "return pkt->psn == rx->epsn ? RN_V_OK : RN_V_REQ_GAP;", "return RN_V_OK;", "uc"),
    Mutant("UC keeps a broken message open", UC, "\tqp->rx.message = RN_RX_IDLE;\n", "", "rows"),
    # credits
    Mutant("none beyond the credits", CREDIT, "rn_psn_diff(next, c->lsn) > 1", "rn_psn_diff(next, c->lsn) > 0", "rows"),
    Mutant("stopped for good by a count", CREDIT, "needs && !idle &&", "needs &&", "rows"),
    # responder
    Mutant("SEND length unchecked", RESPONDER,
           "\tif (!length_fits(qp, pkt))\n\t\treturn RN_V_REQ_LENGTH;\n\te = receive_for", "\te = receive_for", "rows"),
    Mutant("SEND overflows the receive", RESPONDER, "if (pkt->payload_len > e->length - off)",
           "if (pkt->payload_len > e->length)", "rows"),
    Mutant("ack one PSN too far", RESPONDER, "owe_ack(qp, pkt->psn);", "owe_ack(qp, rn_psn_add(pkt->psn, 1));", "rows"),
    Mutant("NAK twice per gap", RESPONDER, "\tif (rx->nak_sent)\n", "\tif (false)\n", "rows"),
    Mutant("gap state survives progress", COMMIT, "\trx->nak_sent = false;\n", "", "rows"),
    Mutant("MSN counts packets", COMMIT, "rn_psn_add(rx->msn, message_done)", "rn_psn_add(rx->msn, 1)", "rows"),
    Mutant("READ takes one PSN", RESPONDER, "commit(rx, npkts, true);", "commit(rx, 1, true);", "rows"),
    Mutant("READ beyond the agreed depth", COMMIT, "return RN_V_REQ_READ_LIMIT;", "goto allowed;\nallowed:", "rows"),
    Mutant("replay at any address", RESPONDER,
           "pkt->va != rec->va + ((uint64_t)skip << qp->mtu_shift)", "false", "rows"),
    Mutant("replay starts over", RESPONDER, "rec->start = rec->next = skip;", "rec->start = rec->next = 0;", "rows"),
    Mutant("ack passes a lost READ answer", RESPONDER,
           "if (is_current(rx, &rx->rec[i]) && rn_psn_before(psn, rx->rec[i].first_psn) &&", "if (false &&", "rows"),
    Mutant("any atomic repeats another", RESPONDER, "!rec || rec->op != pkt->opcode - RN_T_RC", "!rec", "rows"),
    Mutant("atomic beside its alignment", "dataplane/core/memory/mr.c", "(addr | (uintptr_t)ptr) % RN_ATOMIC_BYTES", "false", "rows"),
    Mutant("swap though unequal", "dataplane/core/memory/mr.c",
           "mem->cmp_swap(ptr, operands->compare,", "mem->cmp_swap(ptr, *(uint64_t *)ptr,", "rows"),
    Mutant("duplicate executed", RESPONDER, "if (rn_likely(pkt->psn == qp->rx.epsn)) {",
           "if (rn_likely(rn_psn_diff(pkt->psn, qp->rx.epsn) <= 0)) {", "random"),
    Mutant("WRITE without the QP's leave", RESPONDER, "if (!(qp->access & RN_ACCESS_REMOTE_WRITE))", "if (false)", "rows"),
    Mutant("empty WRITE needs a key", RESPONDER, "\tif (!pkt->dma_len)\n\t\treturn RN_V_OK;\n", "", "rows"),
    Mutant("solicited bit dropped", RESPONDER, "pkt->se ? RN_CQE_SOLICITED : 0", "0", "random"),
    Mutant("no RNR NAK after a gap's NAK", RESPONDER, "qp->rx.nak_sent = qp->rx.nak_rnr = true;", "", "rows"),
    # memory
    Mutant("rkey bounds unchecked", MR_CHECK, "if (addr < r->iova || off > r->length || len > r->length - off)", "if (false)",
           "rows"),
    Mutant("rkey bounds off by one", MR_CHECK, "len > r->length - off)", "len > r->length - off + 1)", "rows"),
    Mutant("rkey of any PD", MR_CHECK, "return r->pd == via.pd ?", "return true ?", "rows"),
    Mutant("any rkey", MR_CHECK, " && atomic_load_explicit(&r->key, memory_order_acquire) == key", "", "region"),
    Mutant("rights unchecked", MR_CHECK, "if ((r->access & need) != need)", "if (false)", "rows"),
    Mutant("region stays published", MR, "atomic_store_explicit(&r->key, 0, memory_order_relaxed);", "", "region"),
    Mutant("fault on placing ignored", MR, "return mem->place(ptr, src, len) ? RN_V_OK : RN_V_REQ_FAULT;",
           "return mem->place(ptr, src, len), RN_V_OK;", "memory"),
    Mutant("last bytes not last", "dataplane/port/mem.c",
           "\tif (body > 0 && !rn_mem_copy(ptr, src, body))\n\t\treturn false;\n",
           "\tmemcpy(ptr, src, n);\n\treturn true;\n", "port-mem"),
    # windows
    Mutant("window open to every QP", MR_CHECK, "return owner == via.qpn ? rn_mr_window_allows", "return owner ? rn_mr_window_allows", "lend"),
    Mutant("invalidated key works on", MR, "\tatomic_store_explicit(&w->key, 0, memory_order_relaxed);\n\treturn true;",
           "\treturn true;", "lend"),
    Mutant("bound again after a loss", REQUESTER, "\tif (e->ran)\n\t\treturn true;\n", "", "lend"),
    Mutant("end of a binding untold", QP, "if (e->kind == RN_WQE_INVALIDATE && status == RN_STATUS_SUCCESS)", "if (false)",
           "lend"),
    Mutant("windows outlive their QP", QP, "\trn_qp_end_limit(qp);\n\trn_mw_unbind_all(qp->lane->mrs, &qp->bound);\n",
           "\trn_qp_end_limit(qp);\n", "windows"),
    Mutant("failed binding passed over", WINDOW, "if (e->status || rn_psn_steps(", "if (rn_psn_steps(", "windows"),
    Mutant("failed binding passed over on the way on", WINDOW, "if (e->status || part < e->npkts)", "if (part < e->npkts)",
           "windows"),
    # requester
    Mutant("resend from the wrong PSN", WINDOW, "\tw->cur = psn;\n", "\tw->cur = rn_psn_add(psn, 1);\n", "rows"),
    Mutant("a completion lost", COMPLETE, "if (!(e->flags & RN_WQE_SIGNALED))",
           "if (!(e->flags & RN_WQE_SIGNALED && e->length))", "random"),
    Mutant("flush out of order", QP,
           "const struct rn_sqe *e = rn_sq_at(&qp->sq, qp->sq.head);",
           "const struct rn_sqe *e = rn_sq_at(&qp->sq, status == RN_STATUS_WR_FLUSH_ERR ? qp->sq.tail - 1 : qp->sq.head);",
           "rows"),
    Mutant("READ done by a plain ACK", REQUESTER,
           "if (rn_unlikely(rn_window_read(&qp->win, &qp->sq, &expect) &&", "if (rn_unlikely(false &&", "rows"),
    Mutant("RNR wait shortened by a NAK", REQUESTER, "\tif (qp->retry.rnr_wait || qp->retry.acted)\n",
           "\tqp->retry.rnr_wait = false;\n\tif (qp->retry.acted)\n", "rows"),
    Mutant("echo of a NAK acted on", REQUESTER, "if (qp->retry.rnr_wait || qp->retry.acted)", "if (qp->retry.rnr_wait)",
           "rows"),
    Mutant("fence ignored", REQUESTER, "if (e->flags & RN_WQE_FENCE && qp->win.nreads)", "if (false)", "rows"),
    Mutant("READ depth ignored", REQUESTER, "qp->win.nreads >= qp->attr.max_rd_atomic)",
           "qp->win.nreads >= qp->attr.max_rd_atomic + 1u)", "rows"),
    Mutant("answer to what was never sent", REQUESTER, "if (rn_unlikely(!rn_window_in_flight(&qp->win, pkt->psn)))",
           "if (rn_unlikely(rn_psn_before(pkt->psn, qp->win.una)))", "rows"),
    Mutant("READ answer of any length", REQUESTER, "pkt->payload_len == want && ", "", "rows"),
    Mutant("any old READ response is a sign of life", RETRY, "if (!r->stale_left)", "if (false)", "stale"),
    Mutant("signs of life for ever", RETRY, "|| now - r->since > PATIENCE * r->full)", ")", "stale"),
    Mutant("NAK spends no retry", RETRY, "\tif (!r->left)\n\t\treturn false;\n\tr->left--;\n", "", "rows"),
    Mutant("RNR code 0 is no wait", RETRY, ": 65536 * (rn_time)10000;", ": 0;", "rows"),
    Mutant("RNR budget spent by for ever", RETRY, "if (r->rnr_cnt != 7) {", "if (true) {", "rows"),
    Mutant("no adaptive timeout", RETRY, "rn_time step = RN_MIN(now + r->rto, r->base + r->full);",
           "rn_time step = r->base + r->full;", "performance"),
    Mutant("window never shrinks", WINDOW, "\tw->size = RN_MIN(w->size, w->knee);\n", "", "performance"),
    Mutant("asks only at the end", "dataplane/core/flow/window.h", "return RN_MAX(RN_MIN(half, 64u), 1u);",
           "return half + (1u << 20);", "rows"),
    Mutant("PSNs compared as numbers", "dataplane/wire/psn.h", "return (int32_t)((a - b) << 8) >> 8;",
           "return (int32_t)a - (int32_t)b;", "rows"),
    # the short way
    Mutant("short way takes any PSN", SHORT_RX, "return b->psn == qp->rx.epsn && ", "return ", "rows"),
    Mutant("short way within another message", SHORT_RX, " && qp->rx.message == message;", ";", "rows"),
    Mutant("short way without ICRC", SHORT_RX, "if (rn_unlikely(icrc != rn_icrc_packet(b.ip, (size_t)(b.end - b.ip))))", "if (false)", "random"),
    Mutant("short way in any state", SHORT_RX, "qp->state != RN_QPS_RTS ||", "", "rows"),
    Mutant("short way ignores rights", SHORT_RX, "!(qp->access & RN_ACCESS_REMOTE_WRITE) || ", "", "short-rx"),
    Mutant("short WRITE of any length", SHORT_RX, "(ends ? n != length - done || n > mtu", "(ends ? false", "rows"),
    Mutant("short SEND of any length", SHORT_RX, " || n > e->length || n > rn_qp_mtu(qp)", "", "short-rx"),
    Mutant("short ACK of PSNs never sent", SHORT_RX, "n > rn_psn_steps(w->una, w->cur)", "false", "rows"),
    Mutant("short ACK takes NAKs", SHORT_RX, " || b->ext[0] >> 5", "", "rows"),
    Mutant("short ACK completes READs", SHORT_RX, " || w->nreads", "", "short"),
    Mutant("short way forgets the ACK", SHORT_RX, "if (b->ack_req)", "if (false)", "rows"),
    Mutant("short way counts no message", SHORT_RX, "rn_responder_commit(&qp->rx, 1, done);", "rn_responder_commit(&qp->rx, 1, false);", "rows"),
    Mutant("short way takes marked packets", MATCH, "ecn == RN_ECN_CE || ", "", "rows"),
    Mutant("short way takes bad checksums", MATCH, "if (ipv4 && rn_unlikely(!rn_ipv4_checksum_right(ip)))", "if (false)", "match"),
    Mutant("short way takes any address", MATCH, "!rn_match_bytes(m, f, ipv4) || ", "", "match"),
    Mutant("short run beyond the window", SHORT_TX, "return RN_MIN(qp->quota, w->size - in_flight);", "return qp->quota;", "short-tx"),
    Mutant("short run while resending", SHORT_TX, " || w->cur != w->next ||", " ||", "random"),
    Mutant("short run takes fenced requests", SHORT_TX, "!(e->flags & ~(unsigned)ORDINARY_FLAGS) && ", "", "short-tx"),
    Mutant("short run ahead of replies", SHORT_TX, "|| qp->rx.nowed ||", "||", "short-tx"),
    Mutant("short run sealed with the CRC of another length", TMPL_H, "if (rn_unlikely(n + RN_UDP_BYTES + RN_ICRC_BYTES != t->icrc_len))",
           "if (!t->icrc_len)", "random"),
    Mutant("short read takes any PSN", SHORT_READ, "b->psn != rx->epsn || ", "", "rows"),
    Mutant("short read within another message", SHORT_READ, " || rx->message != RN_RX_IDLE ||", " ||", "rows"),
    Mutant("short read ignores rights", SHORT_READ, "rn_responder_may_fetch(qp, RN_ACCESS_REMOTE_READ) != RN_V_OK", "false", "rows"),
    Mutant("short read takes payload", SHORT_READ, "b->end - b->ext != RN_RETH_BYTES", "false", "short-read"),
    Mutant("short read of several packets", SHORT_READ, "!length || length > rn_qp_mtu(qp) ||", "!length ||", "short-read"),
    Mutant("short read ignores keys", SHORT_READ, "rn_mr_look_remote(qp->lane->mrs, rkey, rn_qp_via(qp), va, length,\n\t\t\t\t\t  RN_ACCESS_REMOTE_READ, &from) != RN_V_OK", "(from = NULL) != NULL || va < rkey", "short-read"),
    Mutant("short read answers an ACK", SHORT_READ, "o->kind != RN_OWE_READ || ", "", "short-read"),
    Mutant("short read answers one of many", SHORT_READ, "rec->npkts != 1 ||", "", "short"),
    Mutant("short read ahead of requests", SHORT_READ, "qp->rx.nowed_reads && qp->sq.send == qp->sq.tail", "qp->rx.nowed_reads", "short-read"),
    Mutant("short read keeps the turn", SHORT_READ, "qp->own_turn = true;", ";", "short-read"),
    Mutant("short read stays owed", SHORT_READ, "rn_responder_answered(rx, k);", "rn_responder_answered(rx, 1);", "short-read"),
    Mutant("short read beyond the depth", SHORT_READ, "return RN_MIN(fits, (uint32_t)qp->attr.max_rd_atomic - w->nreads);", "return fits;", "short-read"),
    Mutant("short read beyond the window", SHORT_READ, "fits = RN_MIN(fits, w->size - w->responses);", ";", "short-read"),
    Mutant("short read while resending", SHORT_READ, " || w->cur != w->next ||", " ||", "short-read"),
    Mutant("short read ignores the fence", SHORT_READ, "!(e->flags & RN_WQE_FENCE) && ", "", "short-read"),
    Mutant("short read expects no response", SHORT_READ, "w->responses += k;", "", "short"),
    Mutant("short read takes any response", SHORT_READ, "expect != b->psn || ", "", "short-read"),
    Mutant("short read takes an early response", SHORT_READ, "!rn_window_in_flight(w, expect) ||", "", "short-read"),
    Mutant("short read of any length", SHORT_READ, "ext != aeth + want + rn_brief_pad(b) || ", "", "short-read"),
    Mutant("short read takes NAKs", SHORT_READ, " || (aeth && b->ext[0] >> 5)", "", "short-read"),
    Mutant("short read ends anywhere", SHORT_READ, "ends != (left == want || rn_window_ends_piece(w, off >> qp->mtu_shift))", "false", "short-read"),
    Mutant("short read into one SGE of many", SHORT_READ, " || e->num_sge != 1", "", "short-read"),
    Mutant("short read in a small window", WINDOW_H, "|| w->size != w->max ||", "||", "window-acks"),
    Mutant("short read after a timeout", WINDOW_H, "w->maybe_spurious || w->cur == w->una", "w->cur == w->una", "window-acks"),
    Mutant("short read while it is sent again", WINDOW_H, " || w->cur == w->una || !w->responses", "", "window-acks"),
    Mutant("short read skips earlier requests", SHORT_READ, "rn_requester_advance(qp, expect, now);", "", "short-read"),
    # raw requests
    Mutant("own key of any PD", MR_CHECK, "|| rn_mr_owner(r) != RN_MR_REGION || r->pd != pd)", "|| rn_mr_owner(r) != RN_MR_REGION)", "hostile"),
    Mutant("window of any PD", MR, "\tif (w->pd == via.pd)\n\t\treturn w;\n", "\tif (w)\n\t\treturn w;\n", "hostile"),
    Mutant("window bounds unchecked", MR, "if (addr < w->iova || off > w->length || len > w->length - off)", "if (false)",
           "window"),
    Mutant("window rights unchecked", MR, "if ((w->access & need) != need)", "if (false)", "hostile"),
    Mutant("any number of SGEs sent", SQ, "if (w->num_sge > sq->max_sge || w->slots != rn_wqe_slots_sge(w->num_sge) + extra)",
           "if (false)", "hostile"),
    Mutant("SGEs shorter than the request", SQ, "return sum == w->length ? RN_STATUS_SUCCESS : RN_STATUS_LOC_LEN_ERR;",
           "return RN_STATUS_SUCCESS;", "hostile"),
    Mutant("any number of SGEs received", RQ, "e->bad = w->num_sge > rq->max_sge ||", "e->bad = false &&", "hostile"),
    Mutant("silent errors", QP, "\t\twrite_error(qp, qp->send_cq,", "\t\tif (e->flags & RN_WQE_SIGNALED)\n\t\t\twrite_error(qp, qp->send_cq,", "hostile"),
    Mutant("silent errors of what is asked to be told", QP, "\t\twrite_error(qp, qp->send_cq,",
           "\t\tif (!(e->flags & RN_WQE_SIGNALED))\n\t\t\twrite_error(qp, qp->send_cq,", "hostile"),
    Mutant("requests of an earlier QP", SHARD, "return rn_likely(qp && qp->gen == wqe->qp_gen) ? qp : NULL;", "return qp;", "hostile"),
    Mutant("own receives beside the shared", DISPATCH, "return rn_likely(!qp->srq) && rn_qp_states", "return rn_qp_states", "hostile"),
    # shard and frames
    Mutant("one QP takes all", SHARD, "\tif (qp->quota)\n\t\treturn;\n", "\tif (true)\n\t\treturn;\n", "fairness"),
    Mutant("packets from anybody", SHARD, "\t\tif (sh->lane.port.check_source && qp->type != RN_QPT_UD)\n\t\t\treturn RN_V_QP_ADDRESS;\n", "",
           "rows"),
    Mutant("any P_Key", SHARD, "return (pkey & 0x7FFF) == 0x7FFF;", "return pkey || true;", "rows"),
    Mutant("refused frame uncounted", SHARD, "\tsh->lane.stats.rx_packets++;\n\tsh->lane.stats.verdict[v]++;\n", "", "hostile"),
    Mutant("bad ICRC accepted", "dataplane/wire/frame.c",
           "if (rn_unlikely(icrc != rn_icrc_packet(pkt->ip, (size_t)(end - pkt->ip))))", "if (false)", "random"),
    # connections
    Mutant("RTU not repeated", "dataplane/core/cm/cm.c", "X(ESTABLISHED, REP_AGAIN,  repeat, ",
           "X(ESTABLISHED, REP_AGAIN,  nothing, ", "connect"),
    Mutant("DREQ not repeated", "dataplane/core/cm/cm.c", "X(DREQ_SENT,   TIMER,      resend, ",
           "X(DREQ_SENT,   TIMER,      nothing, ", "connect"),
    Mutant("timewait lasts for ever", "dataplane/core/cm/cm_id.c",
           "now + rn_cm_time_of(RN_MIN(c->timeout_code, RN_CM_TIMEWAIT_CODE))", "now + RN_S(1000000)", "connect"),
    Mutant("MRA of the REQ stops nothing", "dataplane/core/cm/cm.c", "X(REQ_SENT,    MRA_REQ,    wait_longer, ",
           "X(REQ_SENT,    MRA_REQ,    nothing, ", "connect"),
    Mutant("SIDR_REQ not repeated", "dataplane/core/cm/cm.c", "X(SIDR_SENT,   TIMER,      resend, ",
           "X(SIDR_SENT,   TIMER,      nothing, ", "connect"),
    Mutant("Q_Key of services ignored", "dataplane/core/cm/cm_sidr.c", "param->qkey ? param->qkey : RN_UDP_QKEY", "RN_UDP_QKEY",
           "connect"),
]
