/* The configuration changes between ResolveAddress and OpenAdapter. The resolved adapter id then
 * belongs to another adapter. The linker's --wrap replaces rn_link_list() by a function that
 * exchanges the two adapters when `swapped` is true. */
#include "fixture.h"

#include "rn/link.h"

int __real_rn_link_list(const char *path, struct rn_link_info *info, unsigned n, char *err,
			size_t errlen);
int __wrap_rn_link_list(const char *path, struct rn_link_info *info, unsigned n, char *err,
			size_t errlen);

HRESULT DllGetClassObject(REFCLSID rclsid, REFIID riid, void **ppv);

static bool swapped;

int __wrap_rn_link_list(const char *path, struct rn_link_info *info, unsigned n, char *err,
			size_t errlen)
{
	int rc = __real_rn_link_list(path, info, n, err, errlen);

	if (swapped && rc == 2) {
		struct rn_link_info first = info[0];

		info[0] = info[1];
		info[1] = first;
	}
	return rc;
}

static void nd2_own_another_adapter_is_not_opened_by_mistake(void **state)
{
	struct sockaddr_in sin = address_of(0, 0);
	static const GUID any;
	IND2Provider *p;
	IND2Adapter *a;
	UINT64 id;

	HR(DllGetClassObject(&any, &IID_IND2Provider, (void **)&p), S_OK);
	HR(CALL(p, ResolveAddress, SA(&sin), sizeof(sin), &id), ND_SUCCESS);
	swapped = true;
	a = (void *)p;
	HR(CALL(p, OpenAdapter, &IID_IND2Adapter, id, (void **)&a), ND_INVALID_PARAMETER);
	assert_null(a);
	nothing_lives();
	swapped = false;
	HR(CALL(p, OpenAdapter, &IID_IND2Adapter, id, (void **)&a), ND_SUCCESS);
	RELEASE(a);
	RELEASE(p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(nd2_own_another_adapter_is_not_opened_by_mistake),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
