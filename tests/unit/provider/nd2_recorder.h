/* Objects written in C that record the calls made on them; see nd2_recorder.c. */
#ifndef ND2_RECORDER_H
#define ND2_RECORDER_H

#include "ndspi.h"

struct nd2_call {
	const void *self;
	unsigned int slot;
	unsigned int n_args;
	uint64_t arg[10];
};

/* Returns the value that the method in this slot returns. The value is negative, so that a wrong
 * sign extension is noticed. */
static inline int32_t nd2_answer(unsigned int slot)
{
	return (int32_t)(0xC0DE0000u + slot);
}

#ifdef __cplusplus
extern "C" {
#endif

extern struct nd2_call nd2_last_call;

/* These objects are declared as pointers, so that a C++ compiler must call through the vtable. If
 * the compiler knew the type of an object, it could call a method directly. */
extern IClassFactory *const nd2_class_factory;
extern IND2Overlapped *const nd2_overlapped;
extern IND2Provider *const nd2_provider;
extern IND2Adapter *const nd2_adapter;
extern IND2CompletionQueue *const nd2_completion_queue;
extern IND2SharedReceiveQueue *const nd2_shared_receive_queue;
extern IND2MemoryRegion *const nd2_memory_region;
extern IND2MemoryWindow *const nd2_memory_window;
extern IND2QueuePair *const nd2_queue_pair;
extern IND2Connector *const nd2_connector;
extern IND2Listener *const nd2_listener;

#ifdef __cplusplus
}
#endif

#endif
