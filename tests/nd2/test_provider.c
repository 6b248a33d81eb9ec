/* Tests of loading the provider and of its addresses: rows 1 to 16 of docs/spec/nd2.md. */
#include "fixture.h"

#include <arpa/inet.h>

HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);
HRESULT DllCanUnloadNow(void);

static const GUID any_class = {0x11111111, 0x2222, 0x3333, {1, 2, 3, 4, 5, 6, 7, 8}};

static IND2Provider *provider(void)
{
	void *p;

	HR(DllGetClassObject(&any_class, &IID_IND2Provider, &p), S_OK);
	return p;
}

static void nd2_row_001_provider_for_any_class_id(void **state)
{
	IND2Provider *p = provider();

	assert_non_null(p);
	RELEASE(p);
}

static void nd2_row_002_by_way_of_the_class_factory(void **state)
{
	IClassFactory *factory;
	IND2Provider *p;
	void *none = &p;

	HR(DllGetClassObject(&any_class, &IID_IClassFactory, (void **)&factory), S_OK);
	HR(CALL(factory, CreateInstance, (IUnknown *)factory, &IID_IND2Provider, &none),
	   CLASS_E_NOAGGREGATION);
	assert_null(none);
	HR(CALL(factory, CreateInstance, NULL, &IID_IND2Provider, (void **)&p), S_OK);
	assert_int_equal(CALL(factory, Release), 0);
	RELEASE(p);
}

static void nd2_row_003_unknown_interface(void **state)
{
	void *p = &p;

	HR(DllGetClassObject(&any_class, &IID_IND2Adapter, &p), E_NOINTERFACE);
	assert_null(p);
}

static void nd2_row_004_not_to_be_unloaded(void **state)
{
	assert_non_null(adapters[0]); /* the adapter is open, but its provider was released */
	assert_int_not_equal(DllCanUnloadNow(), S_OK);
}

static void nd2_row_005_address_list_without_a_buffer(void **state)
{
	IND2Provider *p = provider();
	ULONG cb = 0;

	HR(CALL(p, QueryAddressList, NULL, &cb), ND_BUFFER_OVERFLOW);
	assert_true(cb >= 24);
	RELEASE(p);
}

/* Returns the address list in a buffer that is `extra` bytes larger than needed. A negative `extra`
 * makes the buffer smaller. */
static SOCKET_ADDRESS_LIST *list_of(IND2Provider *p, int extra, ULONG *need, HRESULT expected)
{
	SOCKET_ADDRESS_LIST *list;
	ULONG cb = 0;

	CALL(p, QueryAddressList, NULL, &cb);
	*need = cb;
	list = malloc(cb + 200);
	memset(list, 0xee, cb + 200);
	cb = (ULONG)((int)cb + extra);
	HR(CALL(p, QueryAddressList, list, &cb), expected);
	assert_int_equal(cb, *need);
	return list;
}

static void nd2_row_006_address_list_of_the_right_size(void **state)
{
	IND2Provider *p = provider();
	SOCKET_ADDRESS_LIST *list;
	bool found = false;
	ULONG need;

	list = list_of(p, 0, &need, ND_SUCCESS);
	assert_true(list->iAddressCount >= 2);
	for (INT i = 0; i < list->iAddressCount; i++) {
		const struct sockaddr_in *sin = (const void *)list->Address[i].lpSockaddr;
		const char *at = (const char *)sin;

		assert_true(at > (const char *)list &&
			    at + list->Address[i].iSockaddrLength <= (const char *)list + need);
		found |= sin->sin_family == AF_INET &&
			 sin->sin_addr.s_addr == address_of(1, 0).sin_addr.s_addr;
	}
	assert_true(found);
	free(list);
	RELEASE(p);
}

static void nd2_row_007_address_list_into_a_short_buffer(void **state)
{
	IND2Provider *p = provider();
	uint8_t *list;
	ULONG need;

	list = (uint8_t *)list_of(p, -1, &need, ND_BUFFER_OVERFLOW);
	for (ULONG i = 0; i < need; i++)
		assert_int_equal(list[i], 0xee);
	free(list);
	RELEASE(p);
}

static void nd2_row_008_address_list_into_a_large_buffer(void **state)
{
	IND2Provider *p = provider();
	ULONG need;

	free(list_of(p, 100, &need, ND_SUCCESS));
	RELEASE(p);
}

static void nd2_row_010_port_and_size_do_not_matter(void **state)
{
	struct sockaddr_in6 wide = {0};
	struct sockaddr_in sin = address_of(0, 0);
	IND2Provider *p = provider();
	UINT64 id[2];

	HR(CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id[0]), ND_SUCCESS);
	sin.sin_port = htons(1234);
	memcpy(&wide, &sin, sizeof(sin));
	HR(CALL(p, ResolveAddress, SA(&wide), sizeof(wide), &id[1]), ND_SUCCESS);
	assert_true(id[0] == id[1]);
	RELEASE(p);
}

static void nd2_row_011_foreign_address(void **state)
{
	struct sockaddr_in sin = address_of(98, 0);
	IND2Provider *p = provider();
	UINT64 id;

	HR(CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id), ND_INVALID_ADDRESS);
	HR(CALL(p, ResolveAddress, SA(&sin), 8, &id), ND_INVALID_ADDRESS);
	sin.sin_family = AF_UNIX;
	HR(CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id), ND_INVALID_ADDRESS);
	RELEASE(p);
}

static void nd2_row_012_all_addresses_of_a_port_are_one_adapter(void **state)
{
	struct sockaddr_in sin = address_of(0, 0);
	struct sockaddr_in6 sin6 = {.sin6_family = AF_INET6};
	IND2Provider *p = provider();
	UINT64 id[3];

	inet_pton(AF_INET6, "2001:db8::1", &sin6.sin6_addr);
	HR(CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id[0]), ND_SUCCESS);
	HR(CALL(p, ResolveAddress, SA(&sin6), sizeof(sin6), &id[1]), ND_SUCCESS);
	assert_true(id[0] == id[1]);
	sin = address_of(1, 0);
	HR(CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id[2]), ND_SUCCESS);
	assert_true(id[0] != id[2]);
	RELEASE(p);
}

static void nd2_row_013_unknown_adapter(void **state)
{
	IND2Provider *p = provider();
	void *a = &a;

	HR(CALL(p, OpenAdapter, &IID_IND2Adapter, 0x123456789abcdef0, &a), ND_INVALID_PARAMETER);
	assert_null(a);
	RELEASE(p);
}

static void nd2_row_014_unknown_interface_of_an_adapter(void **state)
{
	struct sockaddr_in sin = address_of(0, 0);
	IND2Provider *p = provider();
	void *a = &a;
	UINT64 id;

	HR(CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id), ND_SUCCESS);
	HR(CALL(p, OpenAdapter, &IID_IND2Provider, id, &a), E_NOINTERFACE);
	assert_null(a);
	RELEASE(p);
}

static void nd2_row_015_an_adapter_opened_twice(void **state)
{
	struct sockaddr_in sin = address_of(0, 0);
	IND2Adapter *mine = adapters[0], *second;
	IND2Provider *p = provider();
	struct pair pair;
	UINT64 id;

	HR(CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id), ND_SUCCESS);
	HR(CALL(p, OpenAdapter, &IID_IND2Adapter, id, (void **)&second), ND_SUCCESS);
	assert_ptr_not_equal(second, mine);
	pair_open_connected(&pair, NULL);
	exchange(&pair.a, &pair.b);
	pair_close(&pair);
	adapters[0] = second;
	pair_open_connected(&pair, NULL);
	exchange(&pair.a, &pair.b);
	pair_close(&pair);
	adapters[0] = mine;
	RELEASE(second);
	RELEASE(p);
}

/* Some clients never release an adapter, but release the provider until its count is 0. */
static void nd2_row_016_provider_released_before_the_adapter_is_used(void **state)
{
	struct sockaddr_in sin = address_of(1, 0);
	IND2Provider *p = provider();
	IND2Adapter *a;
	UINT64 id;
	ULONG cb = 0, left;

	HR(CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id), ND_SUCCESS);
	HR(CALL(p, OpenAdapter, &IID_IND2Adapter, id, (void **)&a), ND_SUCCESS);
	left = CALL(p, Release);
	assert_int_equal(left, 3); /* references that `a` and the two open adapters hold */
	HR(CALL(a, Query, NULL, &cb), ND_BUFFER_OVERFLOW);
	while (left != 0)
		left = CALL(p, Release);
	HR(CALL(a, Query, NULL, &cb), ND_BUFFER_OVERFLOW);
	assert_int_equal(CALL(a, Release), 0);
	p = provider();
	RELEASE(p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_row_001_provider_for_any_class_id),
	cmocka_unit_test(nd2_row_002_by_way_of_the_class_factory),
	cmocka_unit_test(nd2_row_003_unknown_interface),
	cmocka_unit_test(nd2_row_004_not_to_be_unloaded),
	cmocka_unit_test(nd2_row_005_address_list_without_a_buffer),
	cmocka_unit_test(nd2_row_006_address_list_of_the_right_size),
	cmocka_unit_test(nd2_row_007_address_list_into_a_short_buffer),
	cmocka_unit_test(nd2_row_008_address_list_into_a_large_buffer),
	cmocka_unit_test(nd2_row_010_port_and_size_do_not_matter),
	cmocka_unit_test(nd2_row_011_foreign_address),
	cmocka_unit_test(nd2_row_012_all_addresses_of_a_port_are_one_adapter),
	cmocka_unit_test(nd2_row_013_unknown_adapter),
	cmocka_unit_test(nd2_row_014_unknown_interface_of_an_adapter),
	cmocka_unit_test(nd2_row_015_an_adapter_opened_twice),
	cmocka_unit_test(nd2_row_016_provider_released_before_the_adapter_is_used),
};

nd2_main(tests)
