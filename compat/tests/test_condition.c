/* Tests of waiting on condition variables and on addresses, and of running a function once. */
#include "threading.h"

enum { SLEEPERS = 3 };

struct shop {
	CRITICAL_SECTION section;
	SRWLOCK lock;
	CONDITION_VARIABLE variable;
	ULONG flags;
	int goods;    /* goods in stock; protected by `section` or `lock`, whichever is used */
	int sleeping; /* threads that wait for goods; protected like `goods` */
	LONG served;
};

static void init_shop(struct shop *shop)
{
	*shop = (struct shop){.lock = SRWLOCK_INIT};
	InitializeCriticalSection(&shop->section);
	InitializeConditionVariable(&shop->variable);
}

static void *buy(void *argument)
{
	struct shop *shop = argument;

	EnterCriticalSection(&shop->section);
	shop->sleeping++;
	while (!shop->goods)
		if (!SleepConditionVariableCS(&shop->variable, &shop->section, 20000))
			break;
	shop->goods--;
	shop->sleeping--;
	LeaveCriticalSection(&shop->section);
	InterlockedIncrement(&shop->served);
	return NULL;
}

static void wait_until_asleep(struct shop *shop, int n)
{
	int asleep = -1;

	for (int i = 0; i < 10000 && asleep != n; i++) {
		Sleep(1);
		EnterCriticalSection(&shop->section);
		asleep = shop->sleeping;
		LeaveCriticalSection(&shop->section);
	}
	assert_int_equal(asleep, n);
}

static void put_goods(struct shop *shop, int n)
{
	EnterCriticalSection(&shop->section);
	shop->goods += n;
	LeaveCriticalSection(&shop->section);
}

static void test_InitializeConditionVariable(void **state)
{
	CONDITION_VARIABLE variable, constant = CONDITION_VARIABLE_INIT;

	InitializeConditionVariable(&variable);
	assert_memory_equal(&variable, &constant, sizeof(variable));
}

static void test_SleepConditionVariableCS(void **state)
{
	struct shop shop;

	init_shop(&shop);
	EnterCriticalSection(&shop.section);
	assert_takes(20, assert_fails(SleepConditionVariableCS(&shop.variable, &shop.section, 20),
				      ERROR_TIMEOUT));
	LeaveCriticalSection(&shop.section);
	DeleteCriticalSection(&shop.section);
}

static void test_WakeConditionVariable(void **state)
{
	pthread_t threads[SLEEPERS];
	struct shop shop;

	init_shop(&shop);
	/*
	 * A wake changes the condition variable. A thread that read the variable before the wake
	 * therefore does not fall asleep.
	 */
	WakeConditionVariable(&shop.variable);
	assert_non_null(shop.variable.Ptr);
	for (int i = 0; i < SLEEPERS; i++)
		threads[i] = run_beside(buy, &shop);
	wait_until_asleep(&shop, SLEEPERS);
	for (int left = SLEEPERS; left; left--) {
		put_goods(&shop, 1);
		WakeConditionVariable(&shop.variable);
		wait_until_asleep(&shop, left - 1);
	}
	for (int i = 0; i < SLEEPERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(shop.goods, 0);
	DeleteCriticalSection(&shop.section);
}

static void test_WakeAllConditionVariable(void **state)
{
	pthread_t threads[SLEEPERS];
	struct shop shop;

	init_shop(&shop);
	for (int i = 0; i < SLEEPERS; i++)
		threads[i] = run_beside(buy, &shop);
	wait_until_asleep(&shop, SLEEPERS);
	put_goods(&shop, SLEEPERS);
	WakeAllConditionVariable(&shop.variable);
	for (int i = 0; i < SLEEPERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(shop.served, SLEEPERS);
	DeleteCriticalSection(&shop.section);
}

static void *deliver(void *argument)
{
	struct shop *shop = argument;

	Sleep(20);
	AcquireSRWLockExclusive(&shop->lock);
	shop->goods = 1;
	ReleaseSRWLockExclusive(&shop->lock);
	WakeAllConditionVariable(&shop->variable);
	return NULL;
}

static void test_SleepConditionVariableSRW(void **state)
{
	for (ULONG flags = 0; flags < 2; flags++) {
		struct shop shop = {.lock = SRWLOCK_INIT};
		BOOL shared = flags == CONDITION_VARIABLE_LOCKMODE_SHARED;
		pthread_t other = run_beside(deliver, &shop);

		if (shared)
			AcquireSRWLockShared(&shop.lock);
		else
			AcquireSRWLockExclusive(&shop.lock);
		while (!shop.goods)
			assert_true(SleepConditionVariableSRW(&shop.variable, &shop.lock, 20000,
							      flags));
		assert_fails(SleepConditionVariableSRW(&shop.variable, &shop.lock, 0, flags),
			     ERROR_TIMEOUT);
		if (shared)
			ReleaseSRWLockShared(&shop.lock);
		else
			ReleaseSRWLockExclusive(&shop.lock);
		pthread_join(other, NULL);
	}
}

static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
static LONG runs;

static BOOL first_fails(PINIT_ONCE which, PVOID parameter, PVOID *context)
{
	Sleep(10);
	*context = parameter;
	return InterlockedIncrement(&runs) > 1;
}

static void *run_once(void *unused)
{
	PVOID context = NULL;

	while (!InitOnceExecuteOnce(&once, first_fails, &runs, &context))
		;
	return context;
}

static void test_InitOnceExecuteOnce(void **state)
{
	pthread_t threads[4];
	void *context;

	for (size_t i = 0; i < _countof(threads); i++)
		threads[i] = run_beside(run_once, NULL);
	for (size_t i = 0; i < _countof(threads); i++) {
		pthread_join(threads[i], &context);
		assert_ptr_equal(context, &runs);
	}
	assert_int_equal(runs, 2);
	assert_true(InitOnceExecuteOnce(&once, first_fails, NULL, NULL));
	assert_int_equal(runs, 2);
}

static void test_InitOnceInitialize(void **state)
{
	INIT_ONCE fresh;

	memset(&fresh, 0xFF, sizeof(fresh));
	InitOnceInitialize(&fresh);
	runs = 1;
	assert_true(InitOnceExecuteOnce(&fresh, first_fails, NULL, NULL));
	assert_int_equal(runs, 2);
}

/* ---- Waiting on addresses ------------------------------------------------------------------- */

static LONG word, waiting, gone;

static void *wait_while_zero(void *unused)
{
	LONG zero = 0;

	InterlockedIncrement(&waiting);
	while (!ReadAcquire(&word))
		if (!WaitOnAddress(&word, &zero, sizeof(word), 20000))
			return &word;
	InterlockedIncrement(&gone);
	return NULL;
}

static void test_WaitOnAddress(void **state)
{
	uint64_t value = 0x0102030405060708, same = value, other = 0;

	for (SIZE_T bytes = 1; bytes <= 8; bytes *= 2) {
		assert_takes(5,
			     assert_fails(WaitOnAddress(&value, &same, bytes, 5), ERROR_TIMEOUT));
		assert_true(WaitOnAddress(&value, &other, bytes, INFINITE));
	}
	/* With a size of 1, WaitOnAddress compares only the lowest bytes of `value` and `other`.
	 * Both bytes are 0x08, so the call waits and times out. */
	other = 0x08;
	assert_fails(WaitOnAddress(&value, &other, 1, 0), ERROR_TIMEOUT);
	assert_fails(WaitOnAddress(&value, &same, 3, 0), ERROR_INVALID_PARAMETER);
}

static void test_WakeByAddressAll(void **state)
{
	pthread_t threads[4];
	void *failed;

	word = waiting = gone = 0;
	for (size_t i = 0; i < _countof(threads); i++)
		threads[i] = run_beside(wait_while_zero, NULL);
	while (ReadAcquire(&waiting) < 4)
		Sleep(1);
	Sleep(20);
	InterlockedExchange(&word, 1);
	WakeByAddressAll(&word);
	for (size_t i = 0; i < _countof(threads); i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(gone, 4);
}

static LONG tokens;

static void *take_tokens(void *unused)
{
	for (int i = 0; i < 200;) {
		LONG seen = ReadAcquire(&tokens);
		LONG zero = 0;

		if (!seen && !WaitOnAddress(&tokens, &zero, sizeof(tokens), 20000))
			return &tokens;
		if (seen && InterlockedCompareExchange(&tokens, seen - 1, seen) == seen)
			i++;
	}
	return NULL;
}

/* Stores the number of the thread at `tid`, and waits. */
static void *wait_once(void *tid)
{
	LONG zero = 0;

	*(pid_t *)tid = gettid();
	InterlockedIncrement(&waiting);
	WaitOnAddress(&word, &zero, sizeof(word), 20000);
	InterlockedIncrement(&gone);
	return NULL;
}

/* Does the kernel list this thread of the process as sleeping? */
static bool sleeps(pid_t tid)
{
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
	fclose(f);
	return state == 'S';
}

/* Each WakeByAddressSingle wakes one thread. Wakes of other addresses wake no thread. */
static void wake_single_wakes_one_thread(void **state)
{
	static LONG others[1000];
	pthread_t threads[3];
	pid_t tids[3];

	word = waiting = gone = 0;
	for (size_t i = 0; i < _countof(threads); i++)
		threads[i] = run_beside(wait_once, &tids[i]);
	while (ReadAcquire(&waiting) < 3)
		Sleep(1);
	Sleep(10);
	/* A thread that has not begun to wait would miss the wakes. */
	for (size_t i = 0; i < _countof(tids); i++) {
		for (int ms = 0; ms < 10000 && !sleeps(tids[i]); ms++)
			Sleep(1);
		assert_true(sleeps(tids[i]));
	}
	for (size_t i = 0; i < _countof(others); i++)
		WakeByAddressAll(&others[i]);
	for (LONG woken = 0; woken <= 3; woken++) {
		for (int i = 0; i < 10000 && ReadAcquire(&gone) < woken; i++)
			Sleep(1);
		Sleep(20);
		assert_int_equal(ReadAcquire(&gone), woken);
		WakeByAddressSingle(&word);
	}
	for (size_t i = 0; i < _countof(threads); i++)
		pthread_join(threads[i], NULL);
}

/*
 * The test adds 400 tokens and calls WakeByAddressSingle after each. The threads take all tokens,
 * and no thread sleeps for ever.
 */
static void test_WakeByAddressSingle(void **state)
{
	pthread_t threads[2];
	void *failed;

	tokens = 0;
	for (size_t i = 0; i < _countof(threads); i++)
		threads[i] = run_beside(take_tokens, NULL);
	for (int i = 0; i < 400; i++) {
		InterlockedIncrement(&tokens);
		WakeByAddressSingle(&tokens);
	}
	for (size_t i = 0; i < _countof(threads); i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(tokens, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_InitializeConditionVariable),
		cmocka_unit_test(test_SleepConditionVariableCS),
		cmocka_unit_test(test_WakeConditionVariable),
		cmocka_unit_test(test_WakeAllConditionVariable),
		cmocka_unit_test(test_SleepConditionVariableSRW),
		cmocka_unit_test(test_InitOnceExecuteOnce),
		cmocka_unit_test(test_InitOnceInitialize),
		cmocka_unit_test(test_WaitOnAddress),
		cmocka_unit_test(test_WakeByAddressAll),
		cmocka_unit_test(wake_single_wakes_one_thread),
		cmocka_unit_test(test_WakeByAddressSingle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
