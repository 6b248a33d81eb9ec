/* Tests which addresses are listed after the configuration has gained or lost addresses. The lists
 * are those of the provider, of an open adapter, and of the helper library. The argument is the
 * folder of the provider catalogue. */
#include "fixture.h"

#include <arpa/inet.h>
#include <stdio.h>

HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);

#define CONFIG(a4, a6, more)                                                                  \
	"adapters = (\n"                                                                      \
	"{ name = \"a\"; port = \"ring\"; peer = \"b\"; ipv4 = [ " a4 " ]; ipv6 = [ " a6      \
	" ]; },\n"                                                                            \
	"{ name = \"b\"; port = \"ring\"; peer = \"a\"; ipv4 = [ \"192.0.2.2/24\" ]; } " more \
	");\n"                                                                                \
	"eal = { hugepages = \"no\"; };\n"

static const char usual[] = CONFIG("\"192.0.2.1/24\"", "\"2001:db8::1/64\"", "");
static const char more[] =
	CONFIG("\"192.0.2.1/24\", \"192.0.2.7/24\"", "\"2001:db8::1/64\", \"2001:db8::7/64\"", "");
static const char moved[] = CONFIG("\"192.0.2.7/24\"", "\"2001:db8::1/64\"", "");

static void rewrite(const char *text)
{
	FILE *f = fopen(getenv("SOFTRNIC_CONFIG"), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static IND2Provider *provider(void)
{
	static const GUID any;
	IND2Provider *p;

	HR(DllGetClassObject(&any, &IID_IND2Provider, (void **)&p), S_OK);
	return p;
}

/* Returns the address list as text, with a blank after each address. */
static const char *text_of(const SOCKET_ADDRESS_LIST *list)
{
	static char text[1024];

	text[0] = '\0';
	for (INT i = 0; i < list->iAddressCount; i++) {
		const struct sockaddr *sa = list->Address[i].lpSockaddr;
		const void *ip = sa->sa_family == AF_INET
					 ? (const void *)&((const struct sockaddr_in *)sa)->sin_addr
					 : &((const struct sockaddr_in6 *)sa)->sin6_addr;

		assert_int_equal(list->Address[i].iSockaddrLength,
				 sa->sa_family == AF_INET ? sizeof(struct sockaddr_in)
							  : sizeof(struct sockaddr_in6));
		inet_ntop(sa->sa_family, ip, text + strlen(text), INET6_ADDRSTRLEN);
		strcat(text, " ");
	}
	return text;
}

static _Alignas(8) uint8_t buf[2048];

static void provider_lists(const char *expected)
{
	IND2Provider *p = provider();
	ULONG cb = sizeof(buf);

	HR(CALL(p, QueryAddressList, (SOCKET_ADDRESS_LIST *)buf, &cb), ND_SUCCESS);
	assert_string_equal(text_of((SOCKET_ADDRESS_LIST *)buf), expected);
	RELEASE(p);
}

static void adapter_lists(IND2Adapter *a, const char *expected)
{
	ULONG cb = sizeof(buf);

	HR(CALL(a, QueryAddressList, (SOCKET_ADDRESS_LIST *)buf, &cb), ND_SUCCESS);
	assert_string_equal(text_of((SOCKET_ADDRESS_LIST *)buf), expected);
}

static void helper_lists(const char *expected)
{
	SIZE_T cb = sizeof(buf);

	HR(NdQueryAddressList(0, (SOCKET_ADDRESS_LIST *)buf, &cb), ND_SUCCESS);
	assert_string_equal(text_of((SOCKET_ADDRESS_LIST *)buf), expected);
}

/* Returns the adapter id of this address, or 0 if the provider does not have the address. */
static UINT64 id_at(const char *ip)
{
	struct sockaddr_in sin = {.sin_family = AF_INET};
	IND2Provider *p = provider();
	UINT64 id = 0;
	HRESULT hr;

	inet_pton(AF_INET, ip, &sin.sin_addr);
	hr = CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id);
	if (FAILED(hr))
		HR(hr, ND_INVALID_ADDRESS);
	RELEASE(p);
	return SUCCEEDED(hr) ? id : 0;
}

static IND2Adapter *open_at(const char *ip)
{
	IND2Provider *p = provider();
	IND2Adapter *a;

	HR(CALL(p, OpenAdapter, &IID_IND2Adapter, id_at(ip), (void **)&a), ND_SUCCESS);
	RELEASE(p);
	return a;
}

static void nd2_own_the_list_follows_the_configuration(void **state)
{
	UINT64 id;

	rewrite(usual);
	provider_lists("192.0.2.1 2001:db8::1 192.0.2.2 ");
	id = id_at("192.0.2.1");
	assert_true(id != 0);
	assert_true(id_at("192.0.2.2") != id);
	assert_true(id_at("192.0.2.7") == 0);
	rewrite(more);
	provider_lists("192.0.2.1 192.0.2.7 2001:db8::1 2001:db8::7 192.0.2.2 ");
	helper_lists("192.0.2.1 192.0.2.7 2001:db8::1 2001:db8::7 192.0.2.2 ");
	assert_true(id_at("192.0.2.1") == id && id_at("192.0.2.7") == id);
	rewrite(moved);
	provider_lists("192.0.2.7 2001:db8::1 192.0.2.2 ");
	helper_lists("192.0.2.7 2001:db8::1 192.0.2.2 ");
	assert_true(id_at("192.0.2.1") == 0 && id_at("192.0.2.7") == id);
}

static void nd2_own_a_broken_configuration_has_no_addresses_until_it_is_mended(void **state)
{
	struct sockaddr_in sin = address_of(0, 0);

	rewrite("adapters = (\n");
	provider_lists("");
	HR(NdCheckAddress(SA(&sin), sizeof(sin)), ND_INVALID_ADDRESS);
	rewrite(usual);
	provider_lists("192.0.2.1 2001:db8::1 192.0.2.2 ");
	HR(NdCheckAddress(SA(&sin), sizeof(sin)), ND_SUCCESS);
}

static void nd2_own_an_open_adapter_keeps_its_addresses(void **state)
{
	IND2Adapter *a, *again;

	rewrite(usual);
	a = open_at("192.0.2.1");
	adapter_lists(a, "192.0.2.1 2001:db8::1 ");
	rewrite(moved);
	adapter_lists(a, "192.0.2.1 2001:db8::1 ");
	/* The configuration now gives 192.0.2.7 to the open adapter. The provider still lists the
	 * adapter's old addresses. The new address cannot be opened before the adapter is closed,
	 * so it is not listed. */
	provider_lists("192.0.2.1 2001:db8::1 192.0.2.2 ");
	helper_lists("192.0.2.1 2001:db8::1 192.0.2.2 ");
	assert_true(id_at("192.0.2.7") == 0);
	setenv("SOFTRNIC_CONFIG_BEFORE", getenv("SOFTRNIC_CONFIG"), 1);
	setenv("SOFTRNIC_CONFIG", "/nowhere", 1);
	provider_lists("192.0.2.1 2001:db8::1 192.0.2.2 ");
	again = open_at("192.0.2.2");
	adapter_lists(again, "192.0.2.2 ");
	setenv("SOFTRNIC_CONFIG", getenv("SOFTRNIC_CONFIG_BEFORE"), 1);
	RELEASE(again);
	RELEASE(a);
	provider_lists("192.0.2.7 2001:db8::1 192.0.2.2 ");
	a = open_at("192.0.2.7");
	adapter_lists(a, "192.0.2.7 2001:db8::1 ");
	RELEASE(a);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_the_list_follows_the_configuration),
	cmocka_unit_test(nd2_own_a_broken_configuration_has_no_addresses_until_it_is_mended),
	cmocka_unit_test(nd2_own_an_open_adapter_keeps_its_addresses),
};

static const char *catalogue;

static int start_helper(void **state)
{
	setenv("SOFTRNIC_ND_CATALOG", catalogue, 1);
	HR(NdStartup(), S_OK);
	return 0;
}

static int stop_helper(void **state)
{
	HR(NdCleanup(), S_OK);
	return 0;
}

int main(int argc, char **argv)
{
	catalogue = argc > 1 ? argv[1] : "";
	use_config(usual);
	return cmocka_run_group_tests(tests, start_helper, stop_helper);
}
