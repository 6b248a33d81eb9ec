"""Deliberate faults of the provider. F(test, what, file, text, instead): `text` occurs once in
`file`; with `instead` in its place the test, which has the name of a row of docs/spec/nd2.md,
must fail."""
import os
import sys
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "conform")]
import conformance  # noqa: E402

Fault = namedtuple("Fault", "test what file text instead row")

ADAPTER = "provider/nd2/adapter.c"
ADDRESS = "provider/nd2/address.c"
COM = "provider/nd2/com.c"
CONNECTOR = "provider/nd2/connector.c"
CONNECTOR_EVENT = "provider/nd2/connector_event.c"
CONNECTOR_H = "provider/nd2/connector.h"
CONNECTOR_STATE = "provider/nd2/connector_state.h"
CQ = "provider/nd2/cq.c"
LISTENER = "provider/nd2/listener.c"
MR = "provider/nd2/mr.c"
MW = "provider/nd2/mw.c"
PROVIDER = "provider/nd2/provider.c"
QP = "provider/nd2/qp.c"
SRQ = "provider/nd2/srq.c"
STATUS = "provider/nd2/status.h"
CLIENT_CQ = "provider/client/cq.c"
CLIENT_MW = "provider/client/mw.c"
CLIENT_QP = "provider/client/qp.c"
CLIENT_SRQ = "provider/client/srq.c"
FILE = "provider/os/file.c"
HANDLE = "provider/os/handle.c"
PORT = "provider/os/port.c"
REQUEST = "provider/os/request.c"
SUPPORT = "provider/util/support.c"
FRAMEWORK = "provider/util/framework.c"


def F(test, what, file, text, instead):
    return Fault(test, what, file, text, instead, conformance.NAME.match(test).group(1))


LOADING = [
    F("nd2_row_001_provider_for_any_class_id", "one class id only", PROVIDER,
      "if (IsEqualGUID(riid, &IID_IND2Provider))", "if (IsEqualGUID(riid, &IID_IND2Provider) && rclsid->Data1 == 0)"),
    F("nd2_row_002_by_way_of_the_class_factory", "aggregates", PROVIDER, "if (pUnkOuter != NULL)", "if (false)"),
    F("nd2_row_003_unknown_interface", "wrong status", COM, "return E_NOINTERFACE;", "return ND_NOT_SUPPORTED;"),
    F("nd2_row_004_not_to_be_unloaded", "lets itself be unloaded", PROVIDER, "return S_FALSE;", "return S_OK;"),
    F("nd2_row_005_address_list_without_a_buffer", "success without a buffer", ADDRESS,
      "if (list == NULL || have < need)", "if (list == NULL)\n\t\treturn ND_SUCCESS;\n\tif (have < need)"),
    F("nd2_row_006_address_list_of_the_right_size", "addresses lie behind the buffer", ADDRESS,
      "(struct sockaddr *)((char *)list + at);", "(struct sockaddr *)((char *)list + at + need);"),
    F("nd2_row_007_address_list_into_a_short_buffer", "one byte too few will do", ADDRESS,
      "list == NULL || have < need", "list == NULL || have + 1 < need"),
    F("nd2_row_008_address_list_into_a_large_buffer", "size not reduced", ADDRESS,
      "*pcb = (ULONG)need;\n\tif (list", "*pcb = have > need ? have : (ULONG)need;\n\tif (list"),
    F("nd2_row_009_no_address_at_all", "a list without an entry is shorter", ADDRESS,
      "size_t need = array < sizeof(*list) ? sizeof(*list) : array;", "size_t need = array;"),
    F("nd2_row_010_port_and_size_do_not_matter", "the port matters", PROVIDER,
      "rn_client_addr_from_sockaddr(&addr, pAddress, cbAddress) != 0)",
      "rn_client_addr_from_sockaddr(&addr, pAddress, cbAddress) != 0 || addr.port != 0)"),
    F("nd2_row_011_foreign_address", "wrong status", PROVIDER,
      "return ND_SUCCESS;\n\t\t\t}\n\treturn ND_INVALID_ADDRESS;", "return ND_SUCCESS;\n\t\t\t}\n\treturn ND_HOST_UNREACHABLE;"),
    F("nd2_row_012_all_addresses_of_a_port_are_one_adapter", "an id per address", PROVIDER,
      "*pAdapterId = id_of(&info[i]);", "*pAdapterId = id_of(&info[i]) + g;"),
    F("nd2_row_013_unknown_adapter", "wrong status", PROVIDER,
      "ppAdapter);\n\treturn ND_INVALID_PARAMETER;", "ppAdapter);\n\treturn ND_INVALID_ADDRESS;"),
    F("nd2_row_014_unknown_interface_of_an_adapter", "interface id ignored", ADAPTER,
      "if (!nd_class_implements(&nd_adapter_class, iid))", "if (false)"),
    F("nd2_row_015_an_adapter_opened_twice", "opens twice only", ADAPTER, "rc = nd_device_get(index, &adapter->dev);",
      "rc = instances >= 2 ? -16 : nd_device_get(index, &adapter->dev);"),
    F("nd2_row_016_provider_released_before_the_adapter_is_used", "an adapter does not hold the provider", ADAPTER,
      "nd_provider_addref();", ""),
    F("nd2_row_017_check_address", "wrong status", SUPPORT,
      "if (cb < len)\n\t\treturn ND_INVALID_PARAMETER_2;", "if (cb < len)\n\t\treturn ND_INVALID_PARAMETER;"),
    F("nd2_row_018_query_address_list", "success without a buffer", SUPPORT,
      "if (list == NULL || have < need)\n\t\treturn ND_BUFFER_OVERFLOW;", "if (list == NULL || have < need)\n\t\treturn ND_SUCCESS;"),
    F("nd2_row_019_not_started", "needs no start", FRAMEWORK, "rc = UTIL_NOT_STARTED;", "rc = 0;"),
]

ADAPTERS = [
    F("nd2_row_020_query_without_a_buffer", "size not told", ADAPTER, "*pcbInfo = sizeof(*pInfo);", ""),
    F("nd2_row_021_query_ignores_the_version_given", "looks at the version", ADAPTER,
      "memcpy(pInfo, &adapter_of(This)->limits, sizeof(*pInfo));",
      "if (pInfo->InfoVersion == 1)\n\t\treturn ND_INVALID_PARAMETER;\n"
      "\tmemcpy(pInfo, &adapter_of(This)->limits, sizeof(*pInfo));"),
    F("nd2_row_022_query_into_a_short_buffer", "one byte too few will do", ADAPTER,
      "have < sizeof(*pInfo)", "have + 1 < sizeof(*pInfo)"),
    F("nd2_row_023_limits_make_sense", "too little private data", ADAPTER,
      ".MaxCallerData = ND_MAX_CALLER_DATA,", ".MaxCallerData = 39,"),
    F("nd2_row_024_deepest_completion_queue", "refuses the depth promised", CQ,
      "depth > adapter->limits.MaxCompletionQueueDepth", "depth >= adapter->limits.MaxCompletionQueueDepth"),
    F("nd2_row_025_completion_queue_depth_out_of_range", "wrong status", CQ,
      "return ND_INVALID_PARAMETER_3;", "return ND_INVALID_PARAMETER_4;"),
    F("nd2_row_026_impossible_affinity", "refused", CQ,
      "if (depth == 0 || depth > adapter", "if (affinity >> 32)\n\t\treturn ND_INVALID_PARAMETER;\n\tif (depth == 0 || depth > adapter"),
    F("nd2_row_027_all_maxima_at_once", "promises more than there is", ADAPTER, ".MaxReceiveSge = sge,", ".MaxReceiveSge = 999,"),
    F("nd2_row_028_receive_depth_over_the_limit", "wrong status", ADAPTER,
      "return ND_INVALID_PARAMETER_5;", "return ND_INVALID_PARAMETER;"),
    F("nd2_row_029_other_values_over_the_limit", "one too many will do", ADAPTER,
      "maxReceiveRequestSge > adapter->limits.MaxReceiveSge", "maxReceiveRequestSge > adapter->limits.MaxReceiveSge + 1"),
    F("nd2_row_030_something_else_for_a_queue", "any object will do", COM,
      "if (p == NULL || (const void *)p->lpVtbl != cls->vtbl)", "if (p == NULL)"),
    F("nd2_row_033_files_closed_before_their_objects", "few files", ADAPTER,
      "return os_file_create(adapter_of(This)->number, phOverlappedFile);",
      "static _Atomic unsigned n;\n\n\treturn atomic_fetch_add(&n, 1) >= 100\n\t\t       ? ND_INSUFFICIENT_RESOURCES\n"
      "\t\t       : os_file_create(adapter_of(This)->number, phOverlappedFile);"),
    F("nd2_row_034_query_interface", "no IND2Overlapped", COM, "(cls->base != NULL && IsEqualGUID(riid, cls->base));", "false;"),
    F("nd2_row_035_the_last_release_answers_0", "counts wrong", COM, "return left;", "return left + 1;"),
    F("nd2_row_036_queue_released_before_its_queue_pairs", "a queue pair does not hold its queue", QP,
      "nd_object_ref(&qp->recv_cq->obj);", ""),
]

OVERLAPPED = [
    F("nd2_row_037_event_alone", "an old signal stays", REQUEST, "os_event_reset(request->event);", "(void)0;"),
    F("nd2_row_038_low_bit_keeps_the_port_silent", "low bit ignored", REQUEST,
      "request->silent = h_event & LOW_BIT;", "request->silent = false;"),
    F("nd2_row_039_port_alone", "wrong key", FILE, "packet->key = file->key;", "packet->key = 0;"),
    F("nd2_row_040_event_and_port", "an event silences the port", REQUEST,
      "request->silent = h_event & LOW_BIT;", "request->silent = h_event != 0;"),
    F("nd2_row_041_neither_event_nor_port", "wrong final status", MR,
      "os_request_complete(request, status);", "os_request_complete(request, ND_CANCELED);"),
    F("nd2_row_042_result_of_a_pending_request", "the block does not say pending", REQUEST,
      "os_overlapped_store(request->packet.overlapped, ND_PENDING);", "os_overlapped_store(request->packet.overlapped, ND_SUCCESS);"),
    F("nd2_row_043_result_asked_of_another_object", "the object must be the one", CONNECTOR,
      "return nd_overlapped_result(pOverlapped, wait);", "return ND_INVALID_PARAMETER;"),
    F("nd2_row_044_result_asked_twice", "asking uses it up", REQUEST, "if (status != ND_PENDING || !wait)\n\t\treturn status;",
      "if (status != ND_PENDING || !wait) {\n\t\tif (status != ND_PENDING)\n\t\t\tos_overlapped_store(overlapped, ND_SUCCESS);\n"
      "\t\treturn status;\n\t}"),
    F("nd2_row_045_cancel_of_nothing", "wrong status", LISTENER,
      "end_locked(l, ND_CANCELED);\n\tpthread_mutex_unlock(&l->async.lock);\n\treturn ND_SUCCESS;",
      "end_locked(l, ND_CANCELED);\n\tpthread_mutex_unlock(&l->async.lock);\n\treturn ND_UNSUCCESSFUL;"),
    F("nd2_row_046_cancelled_in_the_order_of_issue", "the first packet and no more", REQUEST,
      "for (; (request = os_request_list_take(list)); n++)\n\t\tos_request_finish(request, status);",
      "if ((request = os_request_list_take(list)) && ++n)\n\t\tos_request_finish(request, status);"),
    F("nd2_row_047_cancelled_in_the_order_of_the_calls", "the newest packet first", PORT,
      "*port->end = packet;\n\t\t\tport->end = &packet->next;",
      "packet->next = port->first;\n\t\t\tif (!port->first)\n\t\t\t\tport->end = &packet->next;\n\t\t\tport->first = packet;"),
    F("nd2_row_048_cancel_leaves_a_connection_alone", "a connection is given up", CONNECTOR,
      "if (c->state == ND_CN_REQ_SENT || c->state == ND_CN_REP_SENT ||\n\t    c->state == ND_CN_DISCONNECTING)",
      "if (c->state != ND_CN_IDLE)"),
    F("nd2_row_049_cancel_under_a_lock_of_the_routine", "the routine runs inside Cancel", FILE, "os_pool_queue(packet);",
      "packet->routine(packet->status, packet->bytes, packet->overlapped);"),
    F("nd2_row_050_release_retires_what_is_pending", "stays pending", CQ, "cancel((struct nd_cq *)obj);", "(void)obj;"),
    F("nd2_row_051_one_block_for_two_requests", "a block in use is refused", REQUEST, "if (!overlapped)\n",
      "if (!overlapped || os_overlapped_status(overlapped) == ND_PENDING)\n"),
    F("nd2_row_052_close_of_an_event_with_its_low_bit", "the low bit makes another handle", HANDLE,
      "== state >> 32 && (state & OPEN);", "== state >> 32 && (state & OPEN) && !((uintptr_t)handle & 3);"),
]

MEMORY = [
    F("nd2_row_053_register_null", "wrong status", MR,
      "if (pBuffer == NULL)\n\t\treturn ND_INVALID_PARAMETER;", "if (pBuffer == NULL)\n\t\treturn ND_ACCESS_VIOLATION;"),
    F("nd2_row_054_register_nothing", "wrong status", MR, "return ND_INVALID_BUFFER_SIZE;", "return ND_INVALID_PARAMETER;"),
    F("nd2_row_055_register_more_than_the_limit", "wrong status", MR,
      "MaxRegistrationSize)\n\t\treturn ND_INVALID_PARAMETER;", "MaxRegistrationSize)\n\t\treturn ND_INSUFFICIENT_RESOURCES;"),
    F("nd2_row_056_register_twice", "registers again", MR,
      "if (mr->registered)\n\t\treturn ND_INVALID_DEVICE_STATE;", ""),
    F("nd2_row_057_ten_thousand_rounds", "once only", MR, "mr->registered = false;", ""),
    F("nd2_row_058_one_buffer_many_rights", "reading allows writing", MR,
      "access |= RN_ACCESS_REMOTE_READ;", "access |= RN_ACCESS_REMOTE_READ | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_LOCAL_WRITE;"),
    F("nd2_row_059_deregister_what_never_was", "wrong status", MR,
      "if (!mr->registered)\n\t\thr = ND_INVALID_DEVICE_STATE;", "if (!mr->registered)\n\t\thr = ND_INVALID_PARAMETER;"),
    F("nd2_row_063_release_of_a_registered_region", "stays registered", MR,
      "deregister_now(mr);\n\tos_request_list_cancel", "os_request_list_cancel"),
    F("nd2_row_064_remote_token_is_passed_on_unchanged", "host byte order", MR,
      "return htonl(mr_of(This)->rkey);", "return mr_of(This)->rkey;"),
    F("nd2_row_065_local_write_is_not_remote_write", "local rights are remote rights", MR,
      "access |= RN_ACCESS_LOCAL_WRITE;\n\tif", "access |= RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE;\n\tif"),
    F("nd2_row_066_remote_write_includes_local_write", "it does not", MR,
      "access |= RN_ACCESS_REMOTE_WRITE | RN_ACCESS_LOCAL_WRITE;", "access = (access & RN_ACCESS_REMOTE_READ) | RN_ACCESS_REMOTE_WRITE;"),
    F("nd2_row_067_read_sink_needs_local_write_alone", "READ_SINK is needed", MR,
      "if (flags & ND_MR_FLAG_ALLOW_LOCAL_WRITE)", "if ((flags & ND_MR_FLAG_ALLOW_LOCAL_WRITE) && (flags & ND_MR_FLAG_RDMA_READ_SINK))"),
]

WINDOWS = [
    F("nd2_row_060_deregister_while_a_window_is_bound", "wrong status", MR, "hr = ND_DEVICE_BUSY;", "hr = ND_INVALID_DEVICE_STATE;"),
    F("nd2_row_061_deregister_after_the_invalidation", "bound once, bound for ever", MW,
      "if (rn_client_mw_bound(mw->nic))", "if (true)"),
    F("nd2_row_062_deregister_after_the_window_is_released", "the token lives on", MW, "rn_client_mw_destroy(mw->nic);", ""),
    F("nd2_row_068_a_window_lends_what_the_region_does_not_have", "regions are not for windows", MR,
      "uint32_t access = RN_ACCESS_MW_BIND;", "uint32_t access = 0;"),
    F("nd2_row_069_writing_needs_local_write", "rights of the region ignored", MW,
      "if (bind->access & RN_ACCESS_REMOTE_WRITE && !(span->access & RN_ACCESS_LOCAL_WRITE))", "if (false)"),
    F("nd2_row_070_a_window_without_rights", "everybody may read", QP,
      "(flags & ND_OP_FLAG_ALLOW_READ ? RN_ACCESS_REMOTE_READ : 0)", "RN_ACCESS_REMOTE_READ"),
    F("nd2_row_071_the_token_is_good_when_it_arrives", "the token of the binding before", CLIENT_MW,
      "mw->qpn = qp->qpn;\n\t\tmw->key = wqe.rkey;", "mw->qpn = qp->qpn;"),
    F("nd2_row_072_outside_the_region", "the end may be anywhere", MW,
      "off > span->length ||\n\t    bind->length > span->length - off)", "off > span->length)"),
    F("nd2_row_073_bound_already", "wrong status", MW,
      "if (rc == -EBUSY)\n\t\treturn ND_INVALID_DEVICE_STATE;", ""),
    F("nd2_row_074_invalidate_then_read_or_write", "nothing is invalidated", CLIENT_MW,
      "request(qp, RN_WQE_INVALIDATE, wr_id, flags);", "request(qp, RN_WQE_WRITE, wr_id, flags);"),
    F("nd2_row_075_invalidate_what_is_not_bound", "wrong status", "provider/nd2/status.c",
      "return ND_INVALID_DEVICE_REQUEST;", "return ND_ACCESS_VIOLATION;"),
    F("nd2_row_076_over_another_connection", "good for every queue pair", "dataplane/core/memory/mr_check.h",
      "return owner == via.qpn ? rn_mr_window_allows", "return true ? rn_mr_window_allows"),
    F("nd2_row_093_the_window_forbids_it", "writing is always allowed", QP,
      "(flags & ND_OP_FLAG_ALLOW_WRITE ? RN_ACCESS_REMOTE_WRITE : 0)", "RN_ACCESS_REMOTE_WRITE"),
]

QUEUE_PAIRS = [
    F("nd2_row_077_receive_on_an_unconnected_queue_pair", "wants a connection", QP, "return post(qp_of(This), &wr);",
      "return atomic_load(&qp_of(This)->phase) != ND_QP_OPEN ? ND_CONNECTION_INVALID : post(qp_of(This), &wr);"),
    F("nd2_row_078_the_rest_wants_a_connection", "Send does not", QP,
      "return ND_INVALID_PARAMETER_4;\n\tif (atomic_load(&qp->phase) != ND_QP_OPEN)", "return ND_INVALID_PARAMETER_4;\n\tif (false)"),
    F("nd2_row_079_receives_up_to_the_depth", "one more than the depth", CLIENT_QP,
      "if (used >= q->depth || q->depth - used < fewest) {", "if (used > q->depth || q->depth - used + 1 < fewest) {"),
    F("nd2_row_080_sends_up_to_the_depth", "wrong status", QP,
      "return rc == -ENOMEM ? ND_NO_MORE_ENTRIES : nd_status_of_errno(rc);", "return nd_status_of_errno(rc);"),
    F("nd2_row_081_too_many_sges", "wrong status", CLIENT_QP, "return -E2BIG;", "return -EINVAL;"),
    F("nd2_row_082_two_sges_are_always_granted", "one means one", QP,
      ".sq_sge = init->sq_sge < ND_MIN_SGE ? ND_MIN_SGE : init->sq_sge,", ".sq_sge = init->sq_sge,"),
    F("nd2_row_083_inline_data_is_taken_at_once", "pieces are counted for inline data too", CLIENT_QP,
      "if (!is_inline && wr->num_sge > q->max_sge)", "if (wr->num_sge > q->max_sge)"),
    F("nd2_row_084_unknown_flag_of_send", "ignored", QP, "if (flags & ~(ULONG)SEND_FLAGS)", "if (false)"),
    F("nd2_row_085_unknown_flag_of_write", "takes flags of Send", QP,
      "if (flags & ~(ULONG)WRITE_FLAGS)", "if (flags & ~(ULONG)SEND_FLAGS)"),
    F("nd2_row_086_longer_than_the_adapter_sends", "wrong status", CLIENT_QP, "? -EMSGSIZE : 0;", "? -E2BIG : 0;"),
    F("nd2_row_086a_read_ignores_the_inline_flag", "refused", QP,
      "if (flags & ~(ULONG)(READ_FLAGS | ND_OP_FLAG_INLINE))", "if (flags & ~(ULONG)READ_FLAGS)"),
    F("nd2_row_087_empty_message", "refused", QP, "if (wr->sge == NULL && wr->num_sge != 0)", "if (wr->sge == NULL)"),
    F("nd2_row_088_empty_read_and_write", "refused", QP,
      "if (atomic_load(&qp->max_reads) == 0)", "if (atomic_load(&qp->max_reads) == 0 || nSge == 0)"),
    F("nd2_row_089_silent_success", "never silent", QP, "if (!(flags & ND_OP_FLAG_SILENT_SUCCESS))\n\t\tout", "out"),
    F("nd2_row_090_fence_behind_a_read", "no fence", QP, "out |= RN_WQE_FENCE;", "(void)0;"),
    F("nd2_row_091_bad_local_memory", "wrong status", STATUS,
      "X(LOC_PROT_ERR,       ND_ACCESS_VIOLATION)", "X(LOC_PROT_ERR,       ND_INVALID_PARAMETER)"),
    F("nd2_row_092_beyond_the_remote_memory", "wrong status", STATUS,
      "X(REM_ACCESS_ERR,     ND_ACCESS_VIOLATION)", "X(REM_ACCESS_ERR,     STATUS_DATA_ERROR)"),
    F("nd2_row_094_nothing_to_receive_it", "tries for ever", CONNECTOR_H,
      "#define ND_RNR_RETRY\t 6", "#define ND_RNR_RETRY     7"),
    F("nd2_row_095_receive_too_small", "wrong status", STATUS,
      "X(REM_INV_REQ_ERR,    STATUS_DATA_ERROR)", "X(REM_INV_REQ_ERR,    ND_DATA_OVERRUN)"),
    F("nd2_row_096_after_a_failure_the_rest_is_cancelled_in_order", "wrong status", STATUS,
      "X(WR_FLUSH_ERR,       ND_CANCELED)", "X(WR_FLUSH_ERR,       STATUS_REQUEST_ABORTED)"),
    F("nd2_row_097_more_reads_than_the_limit", "more Reads at once than agreed", CONNECTOR_EVENT,
      "attr.max_rd_atomic = c->outbound;", "attr.max_rd_atomic = 16;"),
    F("nd2_row_098_reads_one_at_a_time", "limits of Accept ignored", CONNECTOR, "if (call->outbound < c->outbound)", "if (false)"),
    F("nd2_row_099_flush_without_a_connection", "nothing is flushed", QP, "nd_qp_flush(qp);\n\treturn ND_SUCCESS;", "return ND_SUCCESS;"),
    F("nd2_row_100_flush_of_one_of_two", "released without a flush", QP,
      "to_error_locked(qp);\n\tif (qp->nic != NULL)", "if (qp->nic != NULL)"),
    F("nd2_row_101_the_last_byte_comes_last", "the last bytes alone", "dataplane/port/mem.c",
      "return rn_mem_copy(ptr, src, n);", "return rn_mem_copy((char *)ptr + n / 2, (const char *)src + n / 2, n - n / 2);"),
]

COMPLETION_QUEUES = [
    F("nd2_row_102_an_entry_since_the_last_look", "only looks ahead", CLIENT_CQ,
      "atomic_thread_fence(memory_order_seq_cst);\n\treturn look(cq);", "return false;"),
    F("nd2_row_103_entries_that_have_fired_do_not_fire_again", "they do", CLIENT_CQ,
      "cq->feed[s].fired = scan(cq, s, NULL);", "cq->feed[s].fired = cq->feed[s].consumed;"),
    F("nd2_row_104_one_event_ends_all_waiting", "one event ends one", CQ,
      "while ((request = os_request_list_take_kind(&cq->async.requests, WAITS_FOR_RESULTS)) !=\n\t       NULL)",
      "request = os_request_list_take_kind(&cq->async.requests, WAITS_FOR_RESULTS);\n\tif (request != NULL)"),
    F("nd2_row_105_solicited_waits_for_a_solicited_one", "anything will do", CQ,
      "type == ND_CQ_NOTIFY_SOLICITED ? RN_CQ_ARM_SOLICITED : RN_CQ_ARM_ANY", "RN_CQ_ARM_ANY"),
    F("nd2_row_106_solicited_includes_errors", "it does not", CLIENT_CQ, "(RN_CQE_SOLICITED | RN_CQE_ERROR)", "RN_CQE_SOLICITED"),
    F("nd2_row_107_any_absorbs_solicited", "the first request decides", CLIENT_CQ,
      "if (what > cq->armed)", "if (cq->armed == RN_CQ_ARM_NONE)"),
    F("nd2_row_108_errors_of_the_queue_alone", "any completion will do", CQ,
      "type == ND_CQ_NOTIFY_ERRORS ? WAITS_FOR_FAILURE : WAITS_FOR_RESULTS", "WAITS_FOR_RESULTS"),
    F("nd2_row_109_unknown_type", "wrong status", CQ, "return ND_INVALID_PARAMETER_1;", "return ND_INVALID_PARAMETER;"),
    F("nd2_row_110_resize_below_what_is_held", "never too small", CLIENT_CQ, "if (unread > depth)", "if (false)"),
    F("nd2_row_112_resize_under_traffic", "reads on from the old place", CLIENT_CQ, "feed->base = feed->consumed;", ""),
    F("nd2_row_113_results_of_several_queue_pairs", "wrong type", CQ,
      "cqe->flags & RN_CQE_RECV ? Nd2RequestTypeReceive : nd_request_type(cqe->kind)", "Nd2RequestTypeSend"),
    F("nd2_row_114_results_outlive_their_queue_pair", "context lost", QP, ".qp_ctx = (uintptr_t)init->context,", ""),
    F("nd2_row_115_affinity_is_reported", "another group", CQ, "return nd_notify_affinity(pGroup, pAffinity);",
      "HRESULT hr = nd_notify_affinity(pGroup, pAffinity);\n\n\tif (pGroup != NULL)\n\t\t*pGroup = 1;\n\treturn hr;"),
]

LISTENERS = [
    F("nd2_row_116_ephemeral_port_known_before_listen", "port not told", LISTENER, "l->local = local;", "l->local = *addr;"),
    F("nd2_row_117_address_of_another_listener", "wrong status", STATUS,
      "X(EADDRINUSE,     ND_SHARING_VIOLATION)", "X(EADDRINUSE,     ND_ADDRESS_ALREADY_EXISTS)"),
    F("nd2_row_118_bind_twice", "wrong status", LISTENER,
      "HRESULT hr = STATUS_ADDRESS_ALREADY_ASSOCIATED;", "HRESULT hr = ND_INVALID_DEVICE_STATE;"),
    F("nd2_row_119_listen_twice", "listens again", LISTENER, "if (l->phase == BOUND) {", "if (l->phase != IDLE) {"),
    F("nd2_row_120_two_callers_meet_two_connectors_in_order", "the last connector first", LISTENER,
      "os_request_list_add(&l->async.requests, request);",
      "struct os_request_list *q = &l->async.requests;\n\tos_request_list_add(q, request);\n\tif (q->first != request) {\n"
      "\t\tos_request_list_remove(q, request);\n\t\trequest->next = q->first;\n\t\tq->first->prev = request;\n"
      "\t\tq->first = request;\n\t}"),
    F("nd2_row_121_request_that_came_earlier", "forgotten", LISTENER,
      "a = take_arrival(l, 0);\n\tif (a != NULL) {\n\t\tif (!hand_over", "a = NULL;\n\tif (a != NULL) {\n\t\tif (!hand_over"),
    F("nd2_row_122_busy_connector", "wrong status", CONNECTOR,
      "HRESULT hr = ND_CONNECTION_ACTIVE;", "HRESULT hr = ND_INVALID_DEVICE_STATE;"),
    F("nd2_row_123_cancel_and_release_while_requests_wait", "the connector stays taken", LISTENER,
      "nd_connector_unqueue(request->cookie);", ""),
    F("nd2_row_124_nobody_listens_any_more", "who waits is not told", LISTENER,
      "refuse(l, a->ev.id, ND_REASON_CONSUMER);\n\t\tfree(a);", "free(a);"),
    F("nd2_row_125_backlog", "one more than the backlog", LISTENER, "l->narrived >= l->backlog", "l->narrived > l->backlog"),
]

CONNECTORS = [
    F("nd2_row_126_bind_twice_is_refused", "binds again", CONNECTOR_STATE,
      'X(BOUND,         "bound",                   ASSOCIATED,', 'X(BOUND,         "bound",                   OK,'),
    F("nd2_row_127_bind_to_the_port_of_a_listener", "the port is taken", CONNECTOR,
      "&c->local, false, (uintptr_t)c, &id)", "&c->local, true, (uintptr_t)c, &id)"),
    F("nd2_row_128_local_address_from_bind_on", "only later", CONNECTOR,
      "if (c->state != ND_CN_IDLE && c->state != ND_CN_QUEUED)", "if (c->state >= ND_CN_REP_RECEIVED)"),
    F("nd2_row_129_local_address_into_a_short_buffer", "one byte too few will do", ADDRESS,
      "if (out == NULL || have < need)", "if (out == NULL || have + 1 < need)"),
    F("nd2_row_130_private_data_of_connect_has_a_limit", "one byte too many will do", CONNECTOR,
      "if (len > max)", "if (len > max + 1)"),
    F("nd2_row_131_private_data_of_accept_has_a_limit", "the other limit", CONNECTOR,
      "limits.MaxCalleeData);\n\tif (FAILED(hr))\n\t\treturn hr;\n\thr = os_request_begin",
      "limits.MaxCallerData);\n\tif (FAILED(hr))\n\t\treturn hr;\n\thr = os_request_begin"),
    F("nd2_row_132_connect_to_no_address", "wrong status", CONNECTOR,
      "return STATUS_BAD_NETWORK_NAME;", "return ND_INVALID_ADDRESS;"),
    F("nd2_row_133_connect_to_nobody_then_to_somebody", "Bind is needed again", CONNECTOR_EVENT,
      "c->state = ND_CN_BOUND;\n\tnd_connector_end_step(c, status);", "c->state = ND_CN_IDLE;\n\tnd_connector_end_step(c, status);"),
    F("nd2_row_134_a_rejection_brings_its_data", "without its data", CONNECTOR_EVENT,
      "c->state == ND_CN_REQ_SENT || (c->state == ND_CN_REP_SENT &&", "(c->state == ND_CN_REP_SENT &&"),
    F("nd2_row_135_connect_while_a_reply_is_at_hand", "wrong status", CONNECTOR_STATE,
      'X(REP_RECEIVED,  "reply received",          ASSOCIATED, ACTIVE,', 'X(REP_RECEIVED,  "reply received",          ASSOCIATED, STATE,'),
    F("nd2_row_136_the_same_ends_twice", "wrong status", STATUS,
      "X(EISCONN,        ND_ADDRESS_ALREADY_EXISTS)", "X(EISCONN,        ND_SHARING_VIOLATION)"),
    F("nd2_row_137_private_data_size_by_a_probe", "a probe succeeds", CONNECTOR,
      "return out == NULL || n < c->data_len ?", "return out != NULL && n < c->data_len ?"),
    F("nd2_row_138_private_data_into_a_short_buffer", "all or nothing", CONNECTOR,
      "if (out != NULL)\n\t\tmemcpy(out, c->data, n);", "if (out != NULL && n == c->data_len)\n\t\tmemcpy(out, c->data, n);"),
    F("nd2_row_139_limits_that_the_server_sees", "the two changed over", CONNECTOR_EVENT,
      "c->inbound = least(c->inbound, peer->initiator_depth);\n\tc->outbound = least(c->outbound, peer->responder_resources);",
      "c->inbound = least(c->inbound, peer->responder_resources);\n\tc->outbound = least(c->outbound, peer->initiator_depth);"),
    F("nd2_row_140_limits_that_the_client_gets", "what it asked for", CONNECTOR_EVENT,
      "nd_connector_set_limits(c, &ev->param);", ""),
    F("nd2_row_141_complete_before_the_reply", "wrong status", CONNECTOR_STATE,
      'X(REQ_SENT,      "request sent",            ASSOCIATED, ACTIVE,  INVALID,',
      'X(REQ_SENT,      "request sent",            ASSOCIATED, ACTIVE,  STATE,'),
    F("nd2_row_142_the_active_side_rejects_the_reply", "wrong status", CONNECTOR_EVENT,
      "by_consumer ? ND_CONNECTION_REFUSED : ND_CONNECTION_ABORTED", "ND_CONNECTION_ABORTED"),
    F("nd2_row_143_the_active_side_goes_away_after_the_reply", "Accept does not end", CONNECTOR_EVENT,
      "nd_connector_end_step(c, accept_status);", ""),
    F("nd2_row_144_the_active_side_cancels_its_connect", "the peer is not told", CONNECTOR,
      "if (c->state == ND_CN_REQ_SENT || c->state == ND_CN_REP_SENT ||", "if (c->state == ND_CN_REP_SENT ||"),
    F("nd2_row_145_accept_with_a_busy_queue_pair", "wrong status", CONNECTOR,
      "return ND_CONNECTION_ACTIVE;\n\tif (call->inbound", "return ND_INVALID_DEVICE_STATE;\n\tif (call->inbound"),
    F("nd2_row_146_send_before_the_end_of_accept", "refused", CONNECTOR,
      "c->state = ND_CN_REP_SENT;", "c->state = ND_CN_REP_SENT;\n\t\tatomic_store(&c->qp->phase, ND_QP_IDLE);"),
    F("nd2_row_149_the_peer_disconnects", "nobody is told", CONNECTOR_EVENT,
      "nd_connector_end_notify(c, ND_SUCCESS);", ""),
    F("nd2_row_150_notify_after_the_peer_has_gone", "wrong status", CONNECTOR,
      "else\n\t\t\tos_request_complete(request, ND_SUCCESS);", "else\n\t\t\tos_request_complete(request, ND_CANCELED);"),
    F("nd2_row_151_notify_ends_with_ones_own_disconnect", "stays pending", CONNECTOR,
      "nd_connector_end_notify(c, STATUS_CONNECTION_DISCONNECTED);", ""),
    F("nd2_row_152_notify_without_a_connection", "wrong status", CONNECTOR_STATE,
      'X(BOUND,         "bound",                   ASSOCIATED, OK,      INVALID, ACTIVE,  STATE,   INVALID, OK,      INVALID, INVALID)',
      'X(BOUND,         "bound",                   ASSOCIATED, OK,      INVALID, ACTIVE,  STATE,   INVALID, OK,      STATE, INVALID)'),
    F("nd2_row_153_disconnect_cancels_what_is_posted", "nothing is flushed", CONNECTOR_EVENT,
      "\tcase ND_CN_DISCONNECTING:\n\t\tnd_connector_end_qp(c);", "\tcase ND_CN_DISCONNECTING:"),
    F("nd2_row_154_both_sides_disconnect", "who comes second is refused", CONNECTOR_STATE,
      'X(PEER_GONE,     "disconnected by the peer",ASSOCIATED, STATE,   ABORTED, ABORTED, ABORTED, INVALID, OK,      OK,      OK)',
      'X(PEER_GONE,     "disconnected by the peer",ASSOCIATED, STATE,   ABORTED, ABORTED, ABORTED, INVALID, OK,      OK,      INVALID)'),
    F("nd2_row_155_the_last_message_counts", "flushed while an acknowledgement may still come", CONNECTOR_EVENT,
      "c->draining = c->qp != NULL && nd_qp_drain(c->qp);", "c->draining = false;"),
    F("nd2_row_156_disconnect_without_a_connection", "wrong status", CONNECTOR_STATE,
      'X(BOUND,         "bound",                   ASSOCIATED, OK,      INVALID, ACTIVE,  STATE,   INVALID, OK,      INVALID, INVALID)',
      'X(BOUND,         "bound",                   ASSOCIATED, OK,      INVALID, ACTIVE,  STATE,   INVALID, OK,      INVALID, STATE)'),
    F("nd2_row_157_release_of_a_connected_queue_pair", "the peer is not told", QP,
      "nd_connector_qp_released(connector);", ""),
]

SHARED_RECEIVES = [
    F("nd2_row_031_what_a_queue_pair_on_a_queue_wants", "takes the queue of any adapter", ADAPTER,
      "if (init.srq == NULL || init.srq->async.adapter != adapter)", "if (init.srq == NULL)"),
    F("nd2_row_032_depth_and_sges_within_the_limits", "depth 0 is checked by the NIC", SRQ,
      "if (init->depth == 0 || init->depth >", "if (init->depth >"),
    F("nd2_row_158_receives_up_to_the_depth", "one more than the depth", CLIENT_SRQ,
      "rn_client_srq_level(srq) >= srq->depth", "rn_client_srq_level(srq) > srq->depth"),
    F("nd2_row_159_a_send_waits_for_a_receive", "the peer is told to give up", CONNECTOR,
      "c->qp->srq != NULL ? ND_RNR_UNLIMITED : ND_RNR_RETRY;", "ND_RNR_RETRY;"),
    F("nd2_row_160_notified_once_when_low", "one event for one request", SRQ,
      "if (rn_client_srq_fired(srq->srq))\n\t\tos_request_list_complete(&srq->async.requests, ND_SUCCESS);",
      "if (rn_client_srq_fired(srq->srq))\n\t\tos_request_complete(os_request_list_take(&srq->async.requests), ND_SUCCESS);"),
    F("nd2_row_161_notified_at_once_when_low_already", "waits for the next message", CLIENT_SRQ,
      "if (!fired && rn_client_srq_level(srq) >= limit)", "if (!fired)"),
    F("nd2_row_162_modify_nothing", "0 is a depth", SRQ, "depth != 0 ? rn_client_srq_resize(srq->srq, depth) : 0;",
      "rn_client_srq_resize(srq->srq, depth);"),
    F("nd2_row_163_modify_below_what_is_posted", "the threshold changes all the same", SRQ,
      "\tif (rc != 0)\n\t\treturn rc == -ENOMEM", "\tsrq->threshold = threshold != 0 ? threshold : srq->threshold;\n"
      "\tif (rc != 0)\n\t\treturn rc == -ENOMEM"),
    F("nd2_row_164_two_queue_pairs_on_one_queue", "no context", ADAPTER,
      ".context = context,\n\t\t.sq_depth = initiatorQueueDepth,", ".sq_depth = initiatorQueueDepth,"),
]

STRESS = [
    F("nd2_row_167_ping_over_a_tight_completion_queue", "rings do not grow", "dataplane/nic/control.c",
      "qp->sq_depth + (same ? room : 0)", "(uint64_t)0"),
    F("nd2_row_168_no_notification_is_lost", "arms and does not look", CLIENT_CQ,
      "atomic_thread_fence(memory_order_seq_cst);\n\treturn look(cq);", "return false;"),
]

FAULTS = LOADING + ADAPTERS + OVERLAPPED + MEMORY + WINDOWS + QUEUE_PAIRS + COMPLETION_QUEUES + LISTENERS + CONNECTORS + \
    SHARED_RECEIVES + STRESS


# Tests that find their fault in another run of their program only, by the name of that run.
ELSEWHERE = {"nd2_row_155_the_last_message_counts": "nd2_disconnect_lossy"}


def programs():
    """The meson name of the program that contains each test."""
    found = conformance.in_sources(os.path.join(os.path.dirname(HERE), "nd2"))
    known = {test: path.replace("test_", "nd2_", 1).removesuffix(".c") for _, path, test in found}
    return dict(known, **ELSEWHERE)
