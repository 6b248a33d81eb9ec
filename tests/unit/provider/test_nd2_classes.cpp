/* A C++ client calls objects written in C. Each call must reach the right slot of the right object
 * with every argument intact. The client must get the return value of the C method. */
extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
}
#include "nd2_recorder.h"
#include "nd2_numbers.h"
#include "nd2_slots.h"
#include "ndsupport.h"

#include <initializer_list>
#include <type_traits>

#define N(name, value) static_assert(static_cast<uint32_t>(name) == value, #name);
ND2_STATUSES(N)
ND2_FLAGS(N)
#define Z(type, size) static_assert(sizeof(type) == size, #type);
ND2_SIZES(Z)
#define O(type, offset, field) static_assert(offsetof(type, field) == offset, #type "." #field);
ND2_OFFSETS(O)
#define I(name, base, slots, iid)                                                \
	static_assert(sizeof(name) == sizeof(void *), #name);                    \
	static_assert(std::is_base_of<base, name>::value, #name " is a " #base); \
	static_assert(!std::has_virtual_destructor<name>::value, #name);
ND2_INTERFACES(I)

/* Returns a test value for the n-th argument of a call. All bytes of the value differ, so a
 * truncated or displaced argument is noticed. */
template <class T> static T nth(unsigned int n)
{
	const uint64_t v = UINT64_C(0xF1E2D3C4B5A69700) + n;

	if constexpr (std::is_pointer<T>::value)
		return reinterpret_cast<T>(static_cast<uintptr_t>(v));
	else
		return static_cast<T>(v);
}

static void arrived(const void *self, unsigned int slot, int64_t answer,
		    std::initializer_list<uint64_t> args)
{
	unsigned int i = 0;

	assert_ptr_equal(nd2_last_call.self, self);
	assert_int_equal(nd2_last_call.slot, slot);
	assert_int_equal(static_cast<int32_t>(answer), nd2_answer(slot));
	assert_int_equal(nd2_last_call.n_args, args.size());
	for (uint64_t arg : args)
		assert_int_equal(nd2_last_call.arg[i++], arg);
}

template <class T> static uint64_t seen(unsigned int n)
{
	if constexpr (std::is_pointer<T>::value)
		return reinterpret_cast<uintptr_t>(nth<T>(n));
	else
		return static_cast<uint64_t>(nth<T>(n));
}

static uint64_t address_of(REFIID iid)
{
	return reinterpret_cast<uintptr_t>(&iid);
}

static void class_factory_methods(void **state)
{
	IClassFactory *const p = nd2_class_factory;

	arrived(p, 0, p->QueryInterface(IID_IClassFactory, nth<void **>(1)),
		{address_of(IID_IClassFactory), seen<void **>(1)});
	arrived(p, 1, p->AddRef(), {});
	arrived(p, 2, p->Release(), {});
	arrived(p, 3, p->CreateInstance(nth<IUnknown *>(0), IID_IClassFactory, nth<void **>(2)),
		{seen<IUnknown *>(0), address_of(IID_IClassFactory), seen<void **>(2)});
	arrived(p, 4, p->LockServer(nth<BOOL>(0)), {seen<BOOL>(0)});
}

static void overlapped_methods(void **state)
{
	IND2Overlapped *const p = nd2_overlapped;

	arrived(p, 0, p->QueryInterface(IID_IND2Overlapped, nth<void **>(1)),
		{address_of(IID_IND2Overlapped), seen<void **>(1)});
	arrived(p, 1, p->AddRef(), {});
	arrived(p, 2, p->Release(), {});
	arrived(p, 3, p->CancelOverlappedRequests(), {});
	arrived(p, 4, p->GetOverlappedResult(nth<OVERLAPPED *>(0), nth<BOOL>(1)),
		{seen<OVERLAPPED *>(0), seen<BOOL>(1)});
}

static void provider_methods(void **state)
{
	IND2Provider *const p = nd2_provider;

	arrived(p, 0, p->QueryInterface(IID_IND2Provider, nth<void **>(1)),
		{address_of(IID_IND2Provider), seen<void **>(1)});
	arrived(p, 1, p->AddRef(), {});
	arrived(p, 2, p->Release(), {});
	arrived(p, 3, p->QueryAddressList(nth<SOCKET_ADDRESS_LIST *>(0), nth<ULONG *>(1)),
		{seen<SOCKET_ADDRESS_LIST *>(0), seen<ULONG *>(1)});
	arrived(p, 4,
		p->ResolveAddress(nth<const struct sockaddr *>(0), nth<ULONG>(1), nth<UINT64 *>(2)),
		{seen<const struct sockaddr *>(0), seen<ULONG>(1), seen<UINT64 *>(2)});
	arrived(p, 5, p->OpenAdapter(IID_IND2Provider, nth<UINT64>(1), nth<void **>(2)),
		{address_of(IID_IND2Provider), seen<UINT64>(1), seen<void **>(2)});
}

static void adapter_methods(void **state)
{
	IND2Adapter *const p = nd2_adapter;

	arrived(p, 0, p->QueryInterface(IID_IND2Adapter, nth<void **>(1)),
		{address_of(IID_IND2Adapter), seen<void **>(1)});
	arrived(p, 1, p->AddRef(), {});
	arrived(p, 2, p->Release(), {});
	arrived(p, 3, p->CreateOverlappedFile(nth<HANDLE *>(0)), {seen<HANDLE *>(0)});
	arrived(p, 4, p->Query(nth<ND2_ADAPTER_INFO *>(0), nth<ULONG *>(1)),
		{seen<ND2_ADAPTER_INFO *>(0), seen<ULONG *>(1)});
	arrived(p, 5, p->QueryAddressList(nth<SOCKET_ADDRESS_LIST *>(0), nth<ULONG *>(1)),
		{seen<SOCKET_ADDRESS_LIST *>(0), seen<ULONG *>(1)});
	arrived(p, 6,
		p->CreateCompletionQueue(IID_IND2Adapter, nth<HANDLE>(1), nth<ULONG>(2),
					 nth<USHORT>(3), nth<KAFFINITY>(4), nth<void **>(5)),
		{address_of(IID_IND2Adapter), seen<HANDLE>(1), seen<ULONG>(2), seen<USHORT>(3),
		 seen<KAFFINITY>(4), seen<void **>(5)});
	arrived(p, 7, p->CreateMemoryRegion(IID_IND2Adapter, nth<HANDLE>(1), nth<void **>(2)),
		{address_of(IID_IND2Adapter), seen<HANDLE>(1), seen<void **>(2)});
	arrived(p, 8, p->CreateMemoryWindow(IID_IND2Adapter, nth<void **>(1)),
		{address_of(IID_IND2Adapter), seen<void **>(1)});
	arrived(p, 9,
		p->CreateSharedReceiveQueue(IID_IND2Adapter, nth<HANDLE>(1), nth<ULONG>(2),
					    nth<ULONG>(3), nth<ULONG>(4), nth<USHORT>(5),
					    nth<KAFFINITY>(6), nth<void **>(7)),
		{address_of(IID_IND2Adapter), seen<HANDLE>(1), seen<ULONG>(2), seen<ULONG>(3),
		 seen<ULONG>(4), seen<USHORT>(5), seen<KAFFINITY>(6), seen<void **>(7)});
	arrived(p, 10,
		p->CreateQueuePair(IID_IND2Adapter, nth<IUnknown *>(1), nth<IUnknown *>(2),
				   nth<void *>(3), nth<ULONG>(4), nth<ULONG>(5), nth<ULONG>(6),
				   nth<ULONG>(7), nth<ULONG>(8), nth<void **>(9)),
		{address_of(IID_IND2Adapter), seen<IUnknown *>(1), seen<IUnknown *>(2),
		 seen<void *>(3), seen<ULONG>(4), seen<ULONG>(5), seen<ULONG>(6), seen<ULONG>(7),
		 seen<ULONG>(8), seen<void **>(9)});
	arrived(p, 11,
		p->CreateQueuePairWithSrq(IID_IND2Adapter, nth<IUnknown *>(1), nth<IUnknown *>(2),
					  nth<IUnknown *>(3), nth<void *>(4), nth<ULONG>(5),
					  nth<ULONG>(6), nth<ULONG>(7), nth<void **>(8)),
		{address_of(IID_IND2Adapter), seen<IUnknown *>(1), seen<IUnknown *>(2),
		 seen<IUnknown *>(3), seen<void *>(4), seen<ULONG>(5), seen<ULONG>(6),
		 seen<ULONG>(7), seen<void **>(8)});
	arrived(p, 12, p->CreateConnector(IID_IND2Adapter, nth<HANDLE>(1), nth<void **>(2)),
		{address_of(IID_IND2Adapter), seen<HANDLE>(1), seen<void **>(2)});
	arrived(p, 13, p->CreateListener(IID_IND2Adapter, nth<HANDLE>(1), nth<void **>(2)),
		{address_of(IID_IND2Adapter), seen<HANDLE>(1), seen<void **>(2)});
}

static void completion_queue_methods(void **state)
{
	IND2CompletionQueue *const p = nd2_completion_queue;

	arrived(p, 0, p->QueryInterface(IID_IND2CompletionQueue, nth<void **>(1)),
		{address_of(IID_IND2CompletionQueue), seen<void **>(1)});
	arrived(p, 1, p->AddRef(), {});
	arrived(p, 2, p->Release(), {});
	arrived(p, 3, p->CancelOverlappedRequests(), {});
	arrived(p, 4, p->GetOverlappedResult(nth<OVERLAPPED *>(0), nth<BOOL>(1)),
		{seen<OVERLAPPED *>(0), seen<BOOL>(1)});
	arrived(p, 5, p->GetNotifyAffinity(nth<USHORT *>(0), nth<KAFFINITY *>(1)),
		{seen<USHORT *>(0), seen<KAFFINITY *>(1)});
	arrived(p, 6, p->Resize(nth<ULONG>(0)), {seen<ULONG>(0)});
	arrived(p, 7, p->Notify(nth<ULONG>(0), nth<OVERLAPPED *>(1)),
		{seen<ULONG>(0), seen<OVERLAPPED *>(1)});
	arrived(p, 8, p->GetResults(nth<ND2_RESULT *>(0), nth<ULONG>(1)),
		{seen<ND2_RESULT *>(0), seen<ULONG>(1)});
}

static void shared_receive_queue_methods(void **state)
{
	IND2SharedReceiveQueue *const p = nd2_shared_receive_queue;

	arrived(p, 0, p->QueryInterface(IID_IND2SharedReceiveQueue, nth<void **>(1)),
		{address_of(IID_IND2SharedReceiveQueue), seen<void **>(1)});
	arrived(p, 1, p->AddRef(), {});
	arrived(p, 2, p->Release(), {});
	arrived(p, 3, p->CancelOverlappedRequests(), {});
	arrived(p, 4, p->GetOverlappedResult(nth<OVERLAPPED *>(0), nth<BOOL>(1)),
		{seen<OVERLAPPED *>(0), seen<BOOL>(1)});
	arrived(p, 5, p->GetNotifyAffinity(nth<USHORT *>(0), nth<KAFFINITY *>(1)),
		{seen<USHORT *>(0), seen<KAFFINITY *>(1)});
	arrived(p, 6, p->Modify(nth<ULONG>(0), nth<ULONG>(1)), {seen<ULONG>(0), seen<ULONG>(1)});
	arrived(p, 7, p->Notify(nth<OVERLAPPED *>(0)), {seen<OVERLAPPED *>(0)});
	arrived(p, 8, p->Receive(nth<void *>(0), nth<const ND2_SGE *>(1), nth<ULONG>(2)),
		{seen<void *>(0), seen<const ND2_SGE *>(1), seen<ULONG>(2)});
}

static void memory_region_methods(void **state)
{
	IND2MemoryRegion *const p = nd2_memory_region;

	arrived(p, 0, p->QueryInterface(IID_IND2MemoryRegion, nth<void **>(1)),
		{address_of(IID_IND2MemoryRegion), seen<void **>(1)});
	arrived(p, 1, p->AddRef(), {});
	arrived(p, 2, p->Release(), {});
	arrived(p, 3, p->CancelOverlappedRequests(), {});
	arrived(p, 4, p->GetOverlappedResult(nth<OVERLAPPED *>(0), nth<BOOL>(1)),
		{seen<OVERLAPPED *>(0), seen<BOOL>(1)});
	arrived(p, 5,
		p->Register(nth<const void *>(0), nth<SIZE_T>(1), nth<ULONG>(2),
			    nth<OVERLAPPED *>(3)),
		{seen<const void *>(0), seen<SIZE_T>(1), seen<ULONG>(2), seen<OVERLAPPED *>(3)});
	arrived(p, 6, p->Deregister(nth<OVERLAPPED *>(0)), {seen<OVERLAPPED *>(0)});
	arrived(p, 7, p->GetLocalToken(), {});
	arrived(p, 8, p->GetRemoteToken(), {});
}

static void memory_window_methods(void **state)
{
	IND2MemoryWindow *const p = nd2_memory_window;

	arrived(p, 0, p->QueryInterface(IID_IND2MemoryWindow, nth<void **>(1)),
		{address_of(IID_IND2MemoryWindow), seen<void **>(1)});
	arrived(p, 1, p->AddRef(), {});
	arrived(p, 2, p->Release(), {});
	arrived(p, 3, p->GetRemoteToken(), {});
}

static void queue_pair_methods(void **state)
{
	IND2QueuePair *const p = nd2_queue_pair;

	arrived(p, 0, p->QueryInterface(IID_IND2QueuePair, nth<void **>(1)),
		{address_of(IID_IND2QueuePair), seen<void **>(1)});
	arrived(p, 1, p->AddRef(), {});
	arrived(p, 2, p->Release(), {});
	arrived(p, 3, p->Flush(), {});
	arrived(p, 4,
		p->Send(nth<void *>(0), nth<const ND2_SGE *>(1), nth<ULONG>(2), nth<ULONG>(3)),
		{seen<void *>(0), seen<const ND2_SGE *>(1), seen<ULONG>(2), seen<ULONG>(3)});
	arrived(p, 5, p->Receive(nth<void *>(0), nth<const ND2_SGE *>(1), nth<ULONG>(2)),
		{seen<void *>(0), seen<const ND2_SGE *>(1), seen<ULONG>(2)});
	arrived(p, 6,
		p->Bind(nth<void *>(0), nth<IUnknown *>(1), nth<IUnknown *>(2),
			nth<const void *>(3), nth<SIZE_T>(4), nth<ULONG>(5)),
		{seen<void *>(0), seen<IUnknown *>(1), seen<IUnknown *>(2), seen<const void *>(3),
		 seen<SIZE_T>(4), seen<ULONG>(5)});
	arrived(p, 7, p->Invalidate(nth<void *>(0), nth<IUnknown *>(1), nth<ULONG>(2)),
		{seen<void *>(0), seen<IUnknown *>(1), seen<ULONG>(2)});
	arrived(p, 8,
		p->Read(nth<void *>(0), nth<const ND2_SGE *>(1), nth<ULONG>(2), nth<UINT64>(3),
			nth<UINT32>(4), nth<ULONG>(5)),
		{seen<void *>(0), seen<const ND2_SGE *>(1), seen<ULONG>(2), seen<UINT64>(3),
		 seen<UINT32>(4), seen<ULONG>(5)});
	arrived(p, 9,
		p->Write(nth<void *>(0), nth<const ND2_SGE *>(1), nth<ULONG>(2), nth<UINT64>(3),
			 nth<UINT32>(4), nth<ULONG>(5)),
		{seen<void *>(0), seen<const ND2_SGE *>(1), seen<ULONG>(2), seen<UINT64>(3),
		 seen<UINT32>(4), seen<ULONG>(5)});
}

static void connector_methods(void **state)
{
	IND2Connector *const p = nd2_connector;

	arrived(p, 0, p->QueryInterface(IID_IND2Connector, nth<void **>(1)),
		{address_of(IID_IND2Connector), seen<void **>(1)});
	arrived(p, 1, p->AddRef(), {});
	arrived(p, 2, p->Release(), {});
	arrived(p, 3, p->CancelOverlappedRequests(), {});
	arrived(p, 4, p->GetOverlappedResult(nth<OVERLAPPED *>(0), nth<BOOL>(1)),
		{seen<OVERLAPPED *>(0), seen<BOOL>(1)});
	arrived(p, 5, p->Bind(nth<const struct sockaddr *>(0), nth<ULONG>(1)),
		{seen<const struct sockaddr *>(0), seen<ULONG>(1)});
	arrived(p, 6,
		p->Connect(nth<IUnknown *>(0), nth<const struct sockaddr *>(1), nth<ULONG>(2),
			   nth<ULONG>(3), nth<ULONG>(4), nth<const void *>(5), nth<ULONG>(6),
			   nth<OVERLAPPED *>(7)),
		{seen<IUnknown *>(0), seen<const struct sockaddr *>(1), seen<ULONG>(2),
		 seen<ULONG>(3), seen<ULONG>(4), seen<const void *>(5), seen<ULONG>(6),
		 seen<OVERLAPPED *>(7)});
	arrived(p, 7, p->CompleteConnect(nth<OVERLAPPED *>(0)), {seen<OVERLAPPED *>(0)});
	arrived(p, 8,
		p->Accept(nth<IUnknown *>(0), nth<ULONG>(1), nth<ULONG>(2), nth<const void *>(3),
			  nth<ULONG>(4), nth<OVERLAPPED *>(5)),
		{seen<IUnknown *>(0), seen<ULONG>(1), seen<ULONG>(2), seen<const void *>(3),
		 seen<ULONG>(4), seen<OVERLAPPED *>(5)});
	arrived(p, 9, p->Reject(nth<const void *>(0), nth<ULONG>(1)),
		{seen<const void *>(0), seen<ULONG>(1)});
	arrived(p, 10, p->GetReadLimits(nth<ULONG *>(0), nth<ULONG *>(1)),
		{seen<ULONG *>(0), seen<ULONG *>(1)});
	arrived(p, 11, p->GetPrivateData(nth<void *>(0), nth<ULONG *>(1)),
		{seen<void *>(0), seen<ULONG *>(1)});
	arrived(p, 12, p->GetLocalAddress(nth<struct sockaddr *>(0), nth<ULONG *>(1)),
		{seen<struct sockaddr *>(0), seen<ULONG *>(1)});
	arrived(p, 13, p->GetPeerAddress(nth<struct sockaddr *>(0), nth<ULONG *>(1)),
		{seen<struct sockaddr *>(0), seen<ULONG *>(1)});
	arrived(p, 14, p->NotifyDisconnect(nth<OVERLAPPED *>(0)), {seen<OVERLAPPED *>(0)});
	arrived(p, 15, p->Disconnect(nth<OVERLAPPED *>(0)), {seen<OVERLAPPED *>(0)});
}

static void listener_methods(void **state)
{
	IND2Listener *const p = nd2_listener;

	arrived(p, 0, p->QueryInterface(IID_IND2Listener, nth<void **>(1)),
		{address_of(IID_IND2Listener), seen<void **>(1)});
	arrived(p, 1, p->AddRef(), {});
	arrived(p, 2, p->Release(), {});
	arrived(p, 3, p->CancelOverlappedRequests(), {});
	arrived(p, 4, p->GetOverlappedResult(nth<OVERLAPPED *>(0), nth<BOOL>(1)),
		{seen<OVERLAPPED *>(0), seen<BOOL>(1)});
	arrived(p, 5, p->Bind(nth<const struct sockaddr *>(0), nth<ULONG>(1)),
		{seen<const struct sockaddr *>(0), seen<ULONG>(1)});
	arrived(p, 6, p->Listen(nth<ULONG>(0)), {seen<ULONG>(0)});
	arrived(p, 7, p->GetLocalAddress(nth<struct sockaddr *>(0), nth<ULONG *>(1)),
		{seen<struct sockaddr *>(0), seen<ULONG *>(1)});
	arrived(p, 8, p->GetConnectionRequest(nth<IUnknown *>(0), nth<OVERLAPPED *>(1)),
		{seen<IUnknown *>(0), seen<OVERLAPPED *>(1)});
}

/* A derived interface can also be called through a pointer to each base interface. Such a call
 * reaches the same slot of the same object. */
static void bases_reach_the_same_slots(void **state)
{
	IND2Overlapped *overlapped = nd2_connector;
	IUnknown *unknown = nd2_connector;

	arrived(overlapped, 4, overlapped->GetOverlappedResult(nth<OVERLAPPED *>(0), 1),
		{seen<OVERLAPPED *>(0), 1});
	arrived(unknown, 2, unknown->Release(), {});
	assert_ptr_equal(dynamic_cast<void *>(unknown), nd2_connector);
}

static void guids_compare_by_value(void **state)
{
	GUID copy = IID_IND2Adapter;

	assert_true(copy == IID_IND2Adapter);
	assert_true(copy != IID_IND2Provider);
	copy.Data4[7] ^= 1;
	assert_false(IsEqualGUID(copy, IID_IND2Adapter));
}

int main()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(class_factory_methods),
		cmocka_unit_test(overlapped_methods),
		cmocka_unit_test(provider_methods),
		cmocka_unit_test(adapter_methods),
		cmocka_unit_test(completion_queue_methods),
		cmocka_unit_test(shared_receive_queue_methods),
		cmocka_unit_test(memory_region_methods),
		cmocka_unit_test(memory_window_methods),
		cmocka_unit_test(queue_pair_methods),
		cmocka_unit_test(connector_methods),
		cmocka_unit_test(listener_methods),
		cmocka_unit_test(bases_reach_the_same_slots),
		cmocka_unit_test(guids_compare_by_value),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
