/*
 * Tests of GUIDs in both modes of DEFINE_GUID, and of interfaces declared with the macros of COM.
 * test_com_cpp.cc compiles the same tests as C++.
 */
#include "testing.h"

#ifdef DEFINE_GUIDS_A_SECOND_TIME
#include <initguid.h>
#endif
#include "guid_names.h"

#ifdef __cplusplus
#define REF(guid) guid
#define CALL(object, name)  (object)->name(
#define CALL0(object, name) (object)->name()
#else
#define REF(guid) (&(guid))
#define CALL(object, name)  (object)->lpVtbl->name((object),
#define CALL0(object, name) (object)->lpVtbl->name(object)
#endif

static void guids(void **state)
{
	GUID same = IID_ICounter;

	assert_true(IID_ICounter.Data1 == 0x11223344 && IID_IDoubleCounter.Data4[7] == 1);
	assert_true(IsEqualGUID(REF(same), REF(IID_ICounter)));
	assert_true(InlineIsEqualGUID(REF(same), REF(IID_ICounter)));
	assert_false(IsEqualIID(REF(same), REF(IID_IDoubleCounter)));
	assert_false(IsEqualCLSID(REF(same), REF(GUID_NULL)));
	assert_true(IsEqualIUnknown(REF(IID_IUnknown)));
	assert_false(IsEqualIUnknown(REF(IID_NULL)));
}

static void interfaces(void **state)
{
	ICounter *counter = new_counter();
	LPUNKNOWN unknown = NULL;
	ULONG sum = 0;
	HRESULT hr;

	hr = CALL(counter, Add) 3, NULL);
	assert_int_equal(hr, S_OK);
	hr = CALL(counter, Add) 4, &sum);
	assert_int_equal(hr, S_OK);
	assert_int_equal(sum, 7);
	hr = CALL(counter, QueryInterface) REF(IID_IDoubleCounter), (void **)&unknown);
	assert_int_equal(hr, E_NOINTERFACE);
	hr = CALL(counter, QueryInterface) REF(IID_IUnknown), (void **)&unknown);
	assert_int_equal(hr, S_OK);
#ifdef __cplusplus
	assert_int_equal(unknown->Release(), 1);
#else
	assert_int_equal(IUnknown_AddRef(unknown), 3);
	assert_int_equal(IUnknown_Release(unknown), 2);
	assert_int_equal(IUnknown_Release(unknown), 1);
#endif
	assert_int_equal(CALL0(counter, Release), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guids),
		cmocka_unit_test(interfaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
