/*
 * Tests of critical sections and SRW locks: which threads may acquire a lock, and that the lock
 * excludes the other threads.
 */
#include "threading.h"

static void *try_section(void *section)
{
	BOOL entered = TryEnterCriticalSection(section);

	if (entered)
		LeaveCriticalSection(section);
	return (void *)(uintptr_t)entered;
}

static bool is_free(CRITICAL_SECTION *section)
{
	return run_elsewhere(try_section, section) != NULL;
}

static void works(CRITICAL_SECTION *section)
{
	assert_true(is_free(section));
	EnterCriticalSection(section);
	EnterCriticalSection(section);
	assert_true(TryEnterCriticalSection(section));
	for (int i = 0; i < 3; i++) {
		assert_false(is_free(section));
		LeaveCriticalSection(section);
	}
	assert_true(is_free(section));
	DeleteCriticalSection(section);
}

static void test_InitializeCriticalSection(void **state)
{
	CRITICAL_SECTION section;

	InitializeCriticalSection(&section);
	works(&section);
}

static void test_InitializeCriticalSectionAndSpinCount(void **state)
{
	CRITICAL_SECTION section;

	assert_true(InitializeCriticalSectionAndSpinCount(&section, 4000));
	works(&section);
}

static void test_InitializeCriticalSectionEx(void **state)
{
	CRITICAL_SECTION section;

	assert_true(InitializeCriticalSectionEx(&section, 4000, CRITICAL_SECTION_NO_DEBUG_INFO));
	works(&section);
}

static void test_SetCriticalSectionSpinCount(void **state)
{
	CRITICAL_SECTION section;

	InitializeCriticalSection(&section);
	assert_int_equal(SetCriticalSectionSpinCount(&section, 100), 0);
	works(&section);
}

struct counter {
	CRITICAL_SECTION section;
	int value;
};

static void *count(void *argument)
{
	struct counter *counter = argument;

	for (int i = 0; i < 2000; i++) {
		EnterCriticalSection(&counter->section);
		counter->value++;
		LeaveCriticalSection(&counter->section);
	}
	return NULL;
}

static void test_EnterCriticalSection(void **state)
{
	struct counter counter = {.value = 0};
	pthread_t other;

	InitializeCriticalSection(&counter.section);
	other = run_beside(count, &counter);
	count(&counter);
	pthread_join(other, NULL);
	assert_int_equal(counter.value, 4000);
	DeleteCriticalSection(&counter.section);
}

static void test_TryEnterCriticalSection(void **state)
{
	CRITICAL_SECTION section;

	InitializeCriticalSection(&section);
	assert_true(TryEnterCriticalSection(&section));
	assert_false(is_free(&section));
	LeaveCriticalSection(&section);
	assert_true(is_free(&section));
	DeleteCriticalSection(&section);
}

static inline void *leave(void *section)
{
	LeaveCriticalSection(section);
	return NULL;
}

static void test_LeaveCriticalSection(void **state)
{
	CRITICAL_SECTION section;

	InitializeCriticalSection(&section);
	EnterCriticalSection(&section);
#ifndef __SANITIZE_THREAD__ /* ThreadSanitizer would report that a non-owner leaves the section */
	run_elsewhere(leave, &section);
#endif
	assert_false(is_free(&section));
	LeaveCriticalSection(&section);
	assert_true(is_free(&section));
	DeleteCriticalSection(&section);
}

static void test_DeleteCriticalSection(void **state)
{
	CRITICAL_SECTION section;

	/* A deleted section may be initialized again in the same memory. */
	for (int i = 0; i < 3; i++) {
		InitializeCriticalSection(&section);
		EnterCriticalSection(&section);
		LeaveCriticalSection(&section);
		DeleteCriticalSection(&section);
	}
}

static void *try_write(void *lock)
{
	BOOLEAN got = TryAcquireSRWLockExclusive(lock);

	if (got)
		ReleaseSRWLockExclusive(lock);
	return (void *)(uintptr_t)got;
}

static void *try_read(void *lock)
{
	BOOLEAN got = TryAcquireSRWLockShared(lock);

	if (got)
		ReleaseSRWLockShared(lock);
	return (void *)(uintptr_t)got;
}

/*
 * Checks that another thread can acquire the lock for reading exactly if `read` is true, and for
 * writing exactly if `write` is true.
 */
static void assert_others(SRWLOCK *lock, bool read, bool write)
{
	assert_int_equal(run_elsewhere(try_read, lock) != NULL, read);
	assert_int_equal(run_elsewhere(try_write, lock) != NULL, write);
}

static SRWLOCK zeroed;

static void test_InitializeSRWLock(void **state)
{
	SRWLOCK lock, constant = SRWLOCK_INIT;

	memset(&lock, 0xFF, sizeof(lock));
	InitializeSRWLock(&lock);
	assert_others(&lock, true, true);
	assert_others(&constant, true, true);
	assert_others(&zeroed, true, true);
}

static void test_AcquireSRWLockExclusive(void **state)
{
	SRWLOCK lock = SRWLOCK_INIT;

	AcquireSRWLockExclusive(&lock);
	assert_others(&lock, false, false);
	ReleaseSRWLockExclusive(&lock);
}

static void test_AcquireSRWLockShared(void **state)
{
	SRWLOCK lock = SRWLOCK_INIT;

	AcquireSRWLockShared(&lock);
	assert_others(&lock, true, false);
	ReleaseSRWLockShared(&lock);
}

static void test_TryAcquireSRWLockExclusive(void **state)
{
	SRWLOCK lock = SRWLOCK_INIT;

	assert_true(TryAcquireSRWLockExclusive(&lock));
	assert_others(&lock, false, false);
	ReleaseSRWLockExclusive(&lock);
}

static void test_TryAcquireSRWLockShared(void **state)
{
	SRWLOCK lock = SRWLOCK_INIT;

	assert_true(TryAcquireSRWLockShared(&lock));
	assert_others(&lock, true, false);
	ReleaseSRWLockShared(&lock);
}

static void test_ReleaseSRWLockExclusive(void **state)
{
	SRWLOCK lock = SRWLOCK_INIT;

	AcquireSRWLockExclusive(&lock);
	ReleaseSRWLockExclusive(&lock);
	assert_others(&lock, true, true);
}

static void test_ReleaseSRWLockShared(void **state)
{
	SRWLOCK lock = SRWLOCK_INIT;

	AcquireSRWLockShared(&lock);
	AcquireSRWLockShared(&lock);
	ReleaseSRWLockShared(&lock);
	assert_others(&lock, true, false);
	ReleaseSRWLockShared(&lock);
	assert_others(&lock, true, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_InitializeCriticalSection),
		cmocka_unit_test(test_InitializeCriticalSectionAndSpinCount),
		cmocka_unit_test(test_InitializeCriticalSectionEx),
		cmocka_unit_test(test_SetCriticalSectionSpinCount),
		cmocka_unit_test(test_EnterCriticalSection),
		cmocka_unit_test(test_TryEnterCriticalSection),
		cmocka_unit_test(test_LeaveCriticalSection),
		cmocka_unit_test(test_DeleteCriticalSection),
		cmocka_unit_test(test_InitializeSRWLock),
		cmocka_unit_test(test_AcquireSRWLockExclusive),
		cmocka_unit_test(test_AcquireSRWLockShared),
		cmocka_unit_test(test_TryAcquireSRWLockExclusive),
		cmocka_unit_test(test_TryAcquireSRWLockShared),
		cmocka_unit_test(test_ReleaseSRWLockExclusive),
		cmocka_unit_test(test_ReleaseSRWLockShared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
