/*
 * Tests of Interlocked operations. Each ROW applies an operation to the value 12 and checks the
 * result and the new value. Here the operations are C macros; test_interlocked_cpp.cc tests the C++
 * functions.
 */
#include "testing.h"

#define ROW(call, answered, remains)               \
	do {                                       \
		v = 12;                            \
		assert_true((call) == (answered)); \
		assert_true(v == (remains));       \
	} while (0)

/* The operations that exist for every width of integers. */
#define ROWS(type, width)                                                  \
	do {                                                               \
		volatile type v;                                           \
		ROW(InterlockedIncrement##width(&v), 13, 13);              \
		ROW(InterlockedDecrement##width(&v), 11, 11);              \
		ROW(InterlockedExchange##width(&v, 7), 12, 7);             \
		ROW(InterlockedAnd##width(&v, 6), 12, 4);                  \
		ROW(InterlockedOr##width(&v, 3), 12, 15);                  \
		ROW(InterlockedXor##width(&v, 5), 12, 9);                  \
		ROW(InterlockedCompareExchange##width(&v, 1, 12), 12, 1);  \
		ROW(InterlockedCompareExchange##width(&v, 1, 13), 12, 12); \
	} while (0)

#define ADDING_ROWS(type, width)                                            \
	do {                                                                \
		volatile type v;                                            \
		ROW(InterlockedAdd##width(&v, -2), 10, 10);                 \
		ROW(InterlockedExchangeAdd##width(&v, 3), 12, 15);          \
		ROW(InterlockedExchangeAdd##width##Acquire(&v, 3), 12, 15); \
		ROW(InterlockedIncrement##width##Release(&v), 13, 13);      \
		ROW(InterlockedDecrement##width##NoFence(&v), 11, 11);      \
		ROW(InterlockedOr##width##Acquire(&v, 3), 12, 15);          \
	} while (0)

static void integers(void **state)
{
	ROWS(LONG, );
	ROWS(long, );
	ROWS(ULONG, );
	ROWS(int, );
	ROWS(LONG64, 64);
	ROWS(SHORT, 16);
	ADDING_ROWS(LONG, );
	ADDING_ROWS(long, );
	ADDING_ROWS(LONG64, 64);
}

static void bytes(void **state)
{
	volatile char v;

	ROW(InterlockedExchange8(&v, 7), 12, 7);
	ROW(InterlockedAnd8(&v, 6), 12, 4);
	ROW(InterlockedOr8(&v, 3), 12, 15);
	ROW(InterlockedXor8(&v, 5), 12, 9);
}

/* An operation wraps around at the width of its value and does not change neighbouring bytes. */
static void widths(void **state)
{
	volatile LONG pair[2] = {-1, 7};
	volatile LONG64 large = 0xFFFFFFFF;

	assert_true(InterlockedIncrement(&pair[0]) == 0);
	assert_true(pair[1] == 7);
	assert_true(InterlockedIncrement64(&large) == 0x100000000);
	assert_true(InterlockedCompareExchange64(&large, 1, 0) == 0x100000000);
}

static void pointers(void **state)
{
	int a, b;
	PVOID p = &a;
	int *volatile typed = &a;

	assert_true(InterlockedExchangePointer(&p, &b) == &a);
	assert_true(InterlockedExchangePointer(&p, NULL) == &b);
	assert_true(InterlockedCompareExchangePointer(&p, &a, NULL) == NULL);
	assert_true(InterlockedCompareExchangePointer(&p, &b, NULL) == &a);
	assert_true(p == &a);
	assert_true(InterlockedCompareExchangePointer(&typed, &b, &a) == &a);
	assert_true(typed == &b);
	WritePointerRelease(&p, &b);
	assert_true(ReadPointerAcquire(&p) == &b);
}

static void bits(void **state)
{
	LONG v = 0;

	assert_true(!InterlockedBitTestAndSet(&v, 31));
	assert_true(InterlockedBitTestAndSet(&v, 31));
	assert_true(v == (LONG)0x80000000);
	assert_true(InterlockedBitTestAndReset(&v, 31));
	assert_true(!InterlockedBitTestAndReset(&v, 31));
	assert_true(v == 0);
}

static void the_compilers_names(void **state)
{
	LONG v;

	ROW(_InterlockedIncrement(&v), 13, 13);
	ROW(_InterlockedCompareExchange(&v, 1, 12), 12, 1);
	WriteRelease(&v, 4);
	assert_true(ReadNoFence(&v) == 4 && ReadAcquire(&v) == 4);
	MemoryBarrier();
	_ReadWriteBarrier();
	YieldProcessor();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers), cmocka_unit_test(bytes),
		cmocka_unit_test(widths),   cmocka_unit_test(pointers),
		cmocka_unit_test(bits),	    cmocka_unit_test(the_compilers_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
