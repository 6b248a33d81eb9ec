/* The NetworkDirect headers as a C client sees them: slots, sizes, offsets, numbers, IIDs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "nd2_numbers.h"
#include "nd2_recorder.h"
#include "nd2_slots.h"
#include "ndspi.h"
#include "ndsupport.h"

#define S(name, slot, method) \
	_Static_assert(offsetof(name##Vtbl, method) == (slot) * sizeof(void *), #name "." #method);
ND2_SLOTS(S)
#define I(name, base, slots, iid)                                                                \
	_Static_assert(sizeof(name##Vtbl) == (slots) * sizeof(void *), #name " has more slots"); \
	_Static_assert(offsetof(name, lpVtbl) == 0, #name);
ND2_INTERFACES(I)
#undef I
#define N(name, value) _Static_assert((uint32_t)(name) == (value), #name);
ND2_STATUSES(N)
ND2_FLAGS(N)
#define Z(type, size) _Static_assert(sizeof(type) == (size), #type);
ND2_SIZES(Z)
#define O(type, offset, field) _Static_assert(offsetof(type, field) == (offset), #type "." #field);
ND2_OFFSETS(O)

static void print_guid(const GUID *g, char text[37])
{
	snprintf(text, 37, "%08X-%04X-%04X-%02X%02X-%02X%02X%02X%02X%02X%02X", g->Data1, g->Data2,
		 g->Data3, g->Data4[0], g->Data4[1], g->Data4[2], g->Data4[3], g->Data4[4],
		 g->Data4[5], g->Data4[6], g->Data4[7]);
}

static void iids_have_their_published_values(void **state)
{
	static const struct {
		const GUID *iid;
		const char *text;
	} rows[] = {
#define I(name, base, slots, iid) {&IID_##name, iid},
		ND2_INTERFACES(I)
#undef I
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[37];

		print_guid(rows[i].iid, text);
		assert_string_equal(text, rows[i].text);
	}
}

static void severity_is_in_the_sign(void **state)
{
	assert_true(SUCCEEDED(ND_PENDING));
	assert_true(SUCCEEDED(ND_TIMEOUT));
	assert_true(FAILED(ND_BUFFER_OVERFLOW));
	assert_true(FAILED(ND_CANCELED));
}

static void c_clients_call_through_lpvtbl(void **state)
{
	IND2QueuePair *qp = nd2_queue_pair;
	ND2_SGE sge = {0};

	assert_int_equal(qp->lpVtbl->Write(qp, qp, &sge, 1, UINT64_C(0x123456789A), 0xABCDEF01,
					   ND_OP_FLAG_INLINE),
			 nd2_answer(9));
	assert_ptr_equal(nd2_last_call.self, qp);
	assert_int_equal(nd2_last_call.arg[3], UINT64_C(0x123456789A));
	assert_int_equal(nd2_last_call.arg[4], 0xABCDEF01);
}

/* The ND headers define TRUE and FALSE without any Windows header. */
_Static_assert(TRUE == 1 && FALSE == 0, "BOOL");

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iids_have_their_published_values),
		cmocka_unit_test(severity_is_in_the_sign),
		cmocka_unit_test(c_clients_call_through_lpvtbl),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
