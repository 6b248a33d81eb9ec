/* The provider's tables and pure functions: statuses, connector states, address lists, limits,
 * GUIDs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/catalogue.h"
#include "nd2/connector_state.h"
#include "nd2/nd2.h"
#include "nd2/status.h"

#include <errno.h>
#include <stdlib.h>

static void every_completion_status_has_a_name(void **state)
{
	unsigned rows = 0;

#define X(name, number, text)                                                  \
	assert_int_not_equal(nd_status_of_completion(RN_WQE_SEND, number), 1); \
	rows++;
	RN_STATUS_ROWS(X)
#undef X
#define X(name, nd) rows--;
	ND_COMPLETION_ROWS(X)
#undef X
	assert_int_equal(rows, 0);
	assert_int_equal(nd_status_of_completion(RN_WQE_SEND, RN_STATUS_SUCCESS), ND_SUCCESS);
	assert_int_equal(nd_status_of_completion(RN_WQE_SEND, RN_STATUS_REM_ACCESS_ERR),
			 ND_ACCESS_VIOLATION);
	assert_int_equal(nd_status_of_completion(RN_WQE_SEND, RN_STATUS_REM_INV_REQ_ERR),
			 STATUS_DATA_ERROR);
	assert_int_equal(nd_status_of_completion(RN_WQE_SEND, 200), ND_INTERNAL_ERROR);
	assert_int_equal(nd_status_of_completion(RN_WQE_BIND, RN_STATUS_MW_BIND_ERR),
			 ND_ACCESS_VIOLATION);
	assert_int_equal(nd_status_of_completion(RN_WQE_INVALIDATE, RN_STATUS_MW_BIND_ERR),
			 ND_INVALID_DEVICE_REQUEST);
	assert_int_equal(nd_status_of_completion(RN_WQE_INVALIDATE, RN_STATUS_WR_FLUSH_ERR),
			 ND_CANCELED);
}

static void errno_statuses(void **state)
{
	assert_int_equal(nd_status_of_errno(0), ND_SUCCESS);
	assert_int_equal(nd_status_of_errno(-ENODEV), ND_DEVICE_REMOVED);
	assert_int_equal(nd_status_of_errno(-EISCONN), ND_ADDRESS_ALREADY_EXISTS);
	assert_int_equal(nd_status_of_errno(-ENOTTY), ND_UNSUCCESSFUL);
}

/* Checks general rules that the table of connector states must obey. */
static void connector_table(void **state)
{
	for (int s = 0; s < ND_CN_STATES; s++) {
		print_message("%-26s", nd_connector_state_text(s));
		for (int m = 0; m < ND_CM_METHODS; m++)
			print_message(" %08x", (unsigned)nd_connector_may(s, m));
		print_message("\n");
		assert_true(FAILED(nd_connector_may(s, ND_CM_BIND)) == (s != ND_CN_IDLE));
		assert_true(SUCCEEDED(nd_connector_may(s, ND_CM_CONNECT)) == (s == ND_CN_BOUND));
		assert_true(SUCCEEDED(nd_connector_may(s, ND_CM_COMPLETE)) ==
			    (s == ND_CN_REP_RECEIVED));
		assert_true(SUCCEEDED(nd_connector_may(s, ND_CM_ACCEPT)) ==
			    (s == ND_CN_REQ_RECEIVED));
		/* Each entry is ND_SUCCESS or an error. No entry is another success code such as
		 * ND_PENDING. */
		for (int m = 0; m < ND_CM_METHODS; m++)
			assert_true(nd_connector_may(s, m) <= 0);
	}
	assert_int_equal(nd_connector_may(ND_CN_IDLE, ND_CM_CONNECT),
			 STATUS_ADDRESS_NOT_ASSOCIATED);
	assert_int_equal(nd_connector_may(ND_CN_PEER_GONE, ND_CM_DISCONNECT), ND_SUCCESS);
}

static void address_list_of_nothing(void **state)
{
	SOCKET_ADDRESS_LIST list = {.iAddressCount = 99};
	ULONG cb = 0;

	assert_int_equal(nd_return_address_list(NULL, 0, NULL, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, 24);
	assert_int_equal(nd_return_address_list(NULL, 0, &list, &cb), ND_SUCCESS);
	assert_int_equal(list.iAddressCount, 0);
	cb = 23;
	assert_int_equal(nd_return_address_list(NULL, 0, &list, &cb), ND_BUFFER_OVERFLOW);
}

/* nd_adapter_limits reports at most what the NIC has, and avoids numbers with which known clients
 * fail. */
static void limits_follow_the_nic(void **state)
{
	struct rn_link_info nic = {
		.shards = 2,
		.max_rd_atomic = 4,
		.max_queue_depth = 100,
		.max_cqe = 300,
		.max_sge = 6,
		.max_inline = 60,
		.max_msg = 1u << 20,
		.max_mr_bytes = 1 << 30,
	};
	ND2_ADAPTER_INFO info;

	nd_adapter_limits(&nic, 42, &info);
	assert_int_equal(info.AdapterId, 42);
	assert_int_equal(info.MaxInitiatorSge, 6);
	assert_int_equal(info.MaxInlineDataSize, 60);
	assert_int_equal(info.InlineRequestThreshold, 60);
	assert_int_equal(info.MaxReceiveQueueDepth, 100);
	assert_int_equal(info.MaxTransferLength, 1u << 20);
	assert_int_equal(info.MaxInboundReadLimit, 4);
	assert_true(info.AdapterFlags & ND_ADAPTER_FLAG_MULTI_ENGINE_SUPPORTED);
	nic.shards = 1;
	nic.max_msg = RN_MSG_MAX;
	nd_adapter_limits(&nic, 42, &info);
	assert_int_equal(info.MaxTransferLength, ND_MAX_TRANSFER);
	assert_false(info.AdapterFlags & ND_ADAPTER_FLAG_MULTI_ENGINE_SUPPORTED);
}

static void guids(void **state)
{
	static const GUID want = {
		0x01234567, 0x89ab, 0xcdef, {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}};
	GUID got;

	assert_true(util_guid_parse("{01234567-89ab-cdef-0123-456789abcdef}", &got));
	assert_true(IsEqualGUID(&got, &want));
	assert_true(util_guid_parse("01234567-89AB-CDEF-0123-456789ABCDEF", &got));
	assert_true(IsEqualGUID(&got, &want));
	assert_false(util_guid_parse("01234567-89AB-CDEF-0123-456789ABCD", &got));
	assert_false(util_guid_parse("", &got));
	assert_false(util_guid_parse("{}", &got));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_completion_status_has_a_name),
		cmocka_unit_test(errno_statuses),
		cmocka_unit_test(connector_table),
		cmocka_unit_test(address_list_of_nothing),
		cmocka_unit_test(limits_follow_the_nic),
		cmocka_unit_test(guids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
