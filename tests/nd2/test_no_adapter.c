/* A provider without any address: row 9 of docs/spec/nd2.md. An adapter always has an address. So
 * the test uses an invalid configuration, which yields no adapter. */
#include "fixture.h"

HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);

static void nd2_row_009_no_address_at_all(void **state)
{
	SOCKET_ADDRESS_LIST list = {.iAddressCount = 99};
	struct sockaddr_in sin = address_of(0, 0);
	static const GUID any;
	ULONG cb = 0, need;
	IND2Provider *p;
	void *adapter = &sin;
	UINT64 id;

	HR(DllGetClassObject(&any, &IID_IND2Provider, (void **)&p), S_OK);
	HR(CALL(p, QueryAddressList, NULL, &cb), ND_BUFFER_OVERFLOW);
	need = cb;
	assert_int_equal(need, sizeof(list));
	cb = need - 1;
	HR(CALL(p, QueryAddressList, &list, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(cb, need);
	assert_int_equal(list.iAddressCount, 99);
	HR(CALL(p, QueryAddressList, &list, &cb), ND_SUCCESS);
	assert_int_equal(cb, need);
	assert_int_equal(list.iAddressCount, 0);
	HR(CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id), ND_INVALID_ADDRESS);
	HR(CALL(p, OpenAdapter, &IID_IND2Adapter, 1, &adapter), ND_INVALID_PARAMETER);
	assert_null(adapter);
	RELEASE(p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_009_no_address_at_all),
};

int main(void)
{
	use_config("adapters = ( { name = \"a\"; port = \"null\"; } );\n");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
