/*
 * Which threads made by CreateThread run, and how did they end? This file owns a record of each
 * thread until the thread has ended and its handle is closed. The end of a thread sets the event of
 * its handle. The functions run on the caller's thread; run() is the first function of each new
 * thread.
 */
#include "thread.h"
#include "last_error.h"
#include "object.h"

#include <errno.h>
#include <process.h>
#include <processthreadsapi.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Settings of a thread. This file stores them, because Linux does not store them in the form that
 * Windows returns.
 */
struct wishes {
	int priority;
	DWORD ideal; /* ideal processor + 1; 0 if none was set */
};

struct thread {
	struct compat_object object;
	LPTHREAD_START_ROUTINE start;
	_beginthread_proc_type start_without_code; /* set only if _beginthread made this thread */
	LPVOID parameter;
	pthread_cond_t changed;
	DWORD id; /* thread id; 0 until the thread has started */
	DWORD suspended;
	DWORD code;
	bool over;
	struct wishes wishes;
};

static const struct compat_kind kind = {0};

static __thread struct thread *self; /* NULL in a thread that CreateThread did not start */
static __thread struct wishes own_settings;
static __thread DWORD own_id;

DWORD GetCurrentThreadId(void)
{
	if (!own_id)
		own_id = (DWORD)syscall(SYS_gettid);
	return own_id;
}

HANDLE GetCurrentThread(void)
{
	return (HANDLE)(LONG_PTR)-2;
}

static void end(void *argument)
{
	struct thread *thread = argument;
	HANDLE handle = thread->object.handle;

	compat_slots_end();
	pthread_mutex_lock(&thread->object.lock);
	thread->over = true;
	pthread_mutex_unlock(&thread->object.lock);
	NdsEventSet(handle);
	if (thread->start_without_code)
		CloseHandle(handle);
	self = NULL;
	compat_object_put(&thread->object);
}

static void begin(struct thread *thread)
{
	self = thread;
	pthread_mutex_lock(&thread->object.lock);
	thread->id = GetCurrentThreadId();
	pthread_cond_broadcast(&thread->changed);
	while (thread->suspended)
		pthread_cond_wait(&thread->changed, &thread->object.lock);
	pthread_mutex_unlock(&thread->object.lock);
}

static void *run(void *argument)
{
	struct thread *thread = argument;

	pthread_cleanup_push(end, thread);
	begin(thread);
	if (thread->start_without_code)
		thread->start_without_code(thread->parameter);
	else
		thread->code = thread->start(thread->parameter);
	pthread_cleanup_pop(1);
	return NULL;
}

static int start_detached(struct thread *thread, SIZE_T stack)
{
	pthread_attr_t attributes;
	pthread_t id;
	size_t usual;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (!pthread_attr_getstacksize(&attributes, &usual) && stack > usual)
		pthread_attr_setstacksize(&attributes, (stack + 0xFFFF) & ~(SIZE_T)0xFFFF);
	error = pthread_create(&id, &attributes, run, thread);
	pthread_attr_destroy(&attributes);
	return error;
}

/*
 * Starts the thread that the record describes and returns its handle. On failure frees the record.
 */
static HANDLE launch(struct thread *thread, SIZE_T stack, DWORD flags, LPDWORD id)
{
	HANDLE handle;

	pthread_cond_init(&thread->changed, NULL);
	thread->suspended = !!(flags & CREATE_SUSPENDED);
	thread->code = STILL_ACTIVE;
	handle = compat_object_open(&thread->object, TRUE, FALSE);
	if (!handle)
		return NULL;
	compat_object_ref(&thread->object); /* reference that the new thread holds until end() */
	/* launch() holds this reference until launch() has read the thread id. */
	compat_object_ref(&thread->object);
	if (start_detached(thread, stack)) {
		CloseHandle(handle);
		compat_object_put(&thread->object);
		compat_object_put(&thread->object);
		compat_fail(ERROR_NOT_ENOUGH_MEMORY);
		return NULL;
	}
	pthread_mutex_lock(&thread->object.lock);
	while (!thread->id)
		pthread_cond_wait(&thread->changed, &thread->object.lock);
	pthread_mutex_unlock(&thread->object.lock);
	if (id)
		*id = thread->id;
	compat_object_put(&thread->object);
	return handle;
}

HANDLE CreateThread(LPSECURITY_ATTRIBUTES attributes, SIZE_T stack, LPTHREAD_START_ROUTINE start,
		    LPVOID parameter, DWORD flags, LPDWORD id)
{
	struct thread *thread;

	if (!start || flags & ~(DWORD)(CREATE_SUSPENDED | STACK_SIZE_PARAM_IS_A_RESERVATION)) {
		compat_fail(ERROR_INVALID_PARAMETER);
		return NULL;
	}
	thread = compat_object_new(sizeof(*thread), &kind);
	if (!thread)
		return NULL;
	thread->start = start;
	thread->parameter = parameter;
	return launch(thread, stack, flags, id);
}

uintptr_t _beginthreadex(void *attributes, unsigned stack, _beginthreadex_proc_type start,
			 void *parameter, unsigned flags, unsigned *id)
{
	HANDLE handle = CreateThread(attributes, stack, start, parameter, flags, id);

	if (!handle)
		errno = GetLastError() == ERROR_INVALID_PARAMETER ? EINVAL : EAGAIN;
	return (uintptr_t)handle;
}

uintptr_t _beginthread(_beginthread_proc_type start, unsigned stack, void *parameter)
{
	struct thread *thread = start ? compat_object_new(sizeof(*thread), &kind) : NULL;
	HANDLE handle = NULL;

	if (thread) {
		thread->start_without_code = start;
		thread->parameter = parameter;
		handle = launch(thread, stack, 0, NULL);
	}
	if (!handle)
		errno = start ? EAGAIN : EINVAL;
	return handle ? (uintptr_t)handle : (uintptr_t)-1;
}

void ExitThread(DWORD code)
{
	if (self)
		self->code = code;
	pthread_exit(NULL);
}

void _endthreadex(unsigned code)
{
	ExitThread(code);
}

void _endthread(void)
{
	ExitThread(0);
}

/* ---- Functions that take the handle of a thread --------------------------------------------- */

/*
 * The thread that a function acts on. For another thread than the caller, this struct holds the
 * lock of the thread's record and a reference to the record. The lock keeps the thread from ending,
 * so its id stays valid.
 */
struct subject {
	struct thread *thread; /* the record; NULL for the calling thread */
	DWORD id;
	struct wishes *wishes;
};

static struct subject fail_no_thread(struct thread *thread)
{
	if (thread)
		compat_object_put(&thread->object);
	compat_fail(ERROR_INVALID_HANDLE);
	return (struct subject){0};
}

/*
 * Finds the thread of a handle. Locks the thread's object unless the handle is GetCurrentThread().
 * The caller must call leave() afterwards. If the thread has ended or does not exist, sets the last
 * error and returns a subject with id 0.
 */
static struct subject enter(HANDLE handle)
{
	struct thread *thread;

	if (handle == GetCurrentThread())
		return (struct subject){NULL, GetCurrentThreadId(),
					self ? &self->wishes : &own_settings};
	thread = (struct thread *)compat_object_get(handle, &kind);
	if (!thread)
		return fail_no_thread(NULL);
	pthread_mutex_lock(&thread->object.lock);
	if (!thread->over)
		return (struct subject){thread, thread->id, &thread->wishes};
	pthread_mutex_unlock(&thread->object.lock);
	return fail_no_thread(thread);
}

static void leave(struct subject subject)
{
	if (!subject.thread)
		return;
	pthread_mutex_unlock(&subject.thread->object.lock);
	compat_object_put(&subject.thread->object);
}

BOOL GetExitCodeThread(HANDLE handle, LPDWORD code)
{
	struct thread *thread = (struct thread *)compat_object_get(handle, &kind);

	if (!thread && handle == GetCurrentThread()) {
		*code = STILL_ACTIVE;
		return TRUE;
	}
	if (!thread)
		return compat_fail(ERROR_INVALID_HANDLE);
	pthread_mutex_lock(&thread->object.lock);
	*code = thread->over ? thread->code : STILL_ACTIVE;
	pthread_mutex_unlock(&thread->object.lock);
	compat_object_put(&thread->object);
	return TRUE;
}

DWORD ResumeThread(HANDLE handle)
{
	struct subject subject = enter(handle);
	DWORD count = 0;

	if (!subject.id)
		return (DWORD)-1;
	if (subject.thread) {
		count = subject.thread->suspended;
		subject.thread->suspended = 0;
		pthread_cond_broadcast(&subject.thread->changed);
	}
	leave(subject);
	return count;
}

DWORD GetThreadId(HANDLE handle)
{
	struct thread *thread = (struct thread *)compat_object_get(handle, &kind);
	DWORD id = 0;

	if (thread) {
		id = thread->id;
		compat_object_put(&thread->object);
	} else if (handle == GetCurrentThread()) {
		id = GetCurrentThreadId();
	} else {
		compat_fail(ERROR_INVALID_HANDLE);
	}
	return id;
}

static DWORD_PTR mask_of(const cpu_set_t *set)
{
	DWORD_PTR mask = 0;

	for (unsigned int cpu = 0; cpu < 64; cpu++)
		if (CPU_ISSET(cpu, set))
			mask |= (DWORD_PTR)1 << cpu;
	return mask;
}

static cpu_set_t set_of(DWORD_PTR mask)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned int cpu = 0; cpu < 64; cpu++)
		if (mask >> cpu & 1)
			CPU_SET(cpu, &set);
	return set;
}

DWORD_PTR SetThreadAffinityMask(HANDLE handle, DWORD_PTR mask)
{
	struct subject subject = enter(handle);
	cpu_set_t former, wanted = set_of(mask);
	bool done;

	if (!subject.id)
		return 0;
	done = !sched_getaffinity((pid_t)subject.id, sizeof(former), &former) &&
	       !sched_setaffinity((pid_t)subject.id, sizeof(wanted), &wanted);
	leave(subject);
	if (!done)
		compat_fail(ERROR_INVALID_PARAMETER);
	return done ? mask_of(&former) : 0;
}

BOOL SetThreadGroupAffinity(HANDLE handle, const GROUP_AFFINITY *affinity, PGROUP_AFFINITY former)
{
	DWORD_PTR mask;

	if (affinity->Group)
		return compat_fail(ERROR_INVALID_PARAMETER);
	mask = SetThreadAffinityMask(handle, affinity->Mask);
	if (mask && former)
		*former = (GROUP_AFFINITY){.Mask = mask};
	return mask != 0;
}

DWORD SetThreadIdealProcessor(HANDLE handle, DWORD processor)
{
	struct subject subject = enter(handle);
	DWORD former;

	if (!subject.id)
		return (DWORD)-1;
	former = subject.wishes->ideal ? subject.wishes->ideal - 1 : MAXIMUM_PROCESSORS;
	/* MAXIMUM_PROCESSORS asks for the ideal processor without changing it. */
	if (processor < MAXIMUM_PROCESSORS)
		subject.wishes->ideal = processor + 1;
	leave(subject);
	if (processor <= MAXIMUM_PROCESSORS)
		return former;
	compat_fail(ERROR_INVALID_PARAMETER);
	return (DWORD)-1;
}

BOOL SetThreadIdealProcessorEx(HANDLE handle, PPROCESSOR_NUMBER ideal, PPROCESSOR_NUMBER former)
{
	DWORD number =
		ideal->Group || ideal->Number >= MAXIMUM_PROCESSORS ? (DWORD)-2 : ideal->Number;

	number = SetThreadIdealProcessor(handle, number);
	if (number != (DWORD)-1 && former)
		*former = (PROCESSOR_NUMBER){
			.Number = (BYTE)(number < MAXIMUM_PROCESSORS ? number : 0)};
	return number != (DWORD)-1;
}

static const struct {
	int priority, nice;
} priorities[] = {
	{THREAD_PRIORITY_IDLE, 19},	      {THREAD_PRIORITY_LOWEST, 10},
	{THREAD_PRIORITY_BELOW_NORMAL, 5},    {THREAD_PRIORITY_NORMAL, 0},
	{THREAD_PRIORITY_ABOVE_NORMAL, -5},   {THREAD_PRIORITY_HIGHEST, -10},
	{THREAD_PRIORITY_TIME_CRITICAL, -15},
};

BOOL SetThreadPriority(HANDLE handle, int priority)
{
	struct subject subject;
	size_t row = 0;

	while (row < ARRAYSIZE(priorities) && priorities[row].priority != priority)
		row++;
	if (row == ARRAYSIZE(priorities))
		return compat_fail(ERROR_INVALID_PARAMETER);
	subject = enter(handle);
	if (!subject.id)
		return FALSE;
	/*
	 * setpriority() fails without the privilege to raise a priority. The failure is ignored:
	 * the program then works with ordinary priority.
	 */
	setpriority(PRIO_PROCESS, subject.id, priorities[row].nice);
	subject.wishes->priority = priority;
	leave(subject);
	return TRUE;
}

int GetThreadPriority(HANDLE handle)
{
	struct subject subject = enter(handle);
	int priority;

	if (!subject.id)
		return THREAD_PRIORITY_ERROR_RETURN;
	priority = subject.wishes->priority;
	leave(subject);
	return priority;
}

HRESULT SetThreadDescription(HANDLE handle, PCWSTR description)
{
	struct subject subject = enter(handle);
	char path[64], name[16] = "";
	FILE *file;

	if (!subject.id)
		return HRESULT_FROM_WIN32(ERROR_INVALID_HANDLE);
	for (size_t i = 0; i < sizeof(name) - 1 && description[i]; i++)
		name[i] = description[i] < 0x80 ? (char)description[i] : '?';
	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", subject.id);
	file = fopen(path, "w");
	if (file) {
		fputs(name, file);
		fclose(file);
	}
	leave(subject);
	return S_OK;
}

DWORD GetCurrentProcessorNumber(void)
{
	int cpu = sched_getcpu();

	return cpu < 0 ? 0 : (DWORD)cpu;
}

void GetCurrentProcessorNumberEx(PPROCESSOR_NUMBER number)
{
	*number = (PROCESSOR_NUMBER){.Number = (BYTE)GetCurrentProcessorNumber()};
}
