/* Exports the interface ids of ndspi.h and of COM, for programs whose own headers only declare the
 * ids. The installed headers define each id as a static constant. This file therefore renames the
 * constants and exports aliases of them. */
#define IID_IUnknown		   header_IID_IUnknown
#define IID_IClassFactory	   header_IID_IClassFactory
#define IID_IND2Overlapped	   header_IID_IND2Overlapped
#define IID_IND2Provider	   header_IID_IND2Provider
#define IID_IND2Adapter		   header_IID_IND2Adapter
#define IID_IND2CompletionQueue	   header_IID_IND2CompletionQueue
#define IID_IND2SharedReceiveQueue header_IID_IND2SharedReceiveQueue
#define IID_IND2MemoryRegion	   header_IID_IND2MemoryRegion
#define IID_IND2MemoryWindow	   header_IID_IND2MemoryWindow
#define IID_IND2QueuePair	   header_IID_IND2QueuePair
#define IID_IND2Connector	   header_IID_IND2Connector
#define IID_IND2Listener	   header_IID_IND2Listener
#include "ndspi.h"
#undef IID_IUnknown
#undef IID_IClassFactory
#undef IID_IND2Overlapped
#undef IID_IND2Provider
#undef IID_IND2Adapter
#undef IID_IND2CompletionQueue
#undef IID_IND2SharedReceiveQueue
#undef IID_IND2MemoryRegion
#undef IID_IND2MemoryWindow
#undef IID_IND2QueuePair
#undef IID_IND2Connector
#undef IID_IND2Listener

#define EXPORT(name) \
	extern const GUID name __attribute__((visibility("default"), alias("header_" #name)))

EXPORT(IID_IUnknown);
EXPORT(IID_IClassFactory);
EXPORT(IID_IND2Overlapped);
EXPORT(IID_IND2Provider);
EXPORT(IID_IND2Adapter);
EXPORT(IID_IND2CompletionQueue);
EXPORT(IID_IND2SharedReceiveQueue);
EXPORT(IID_IND2MemoryRegion);
EXPORT(IID_IND2MemoryWindow);
EXPORT(IID_IND2QueuePair);
EXPORT(IID_IND2Connector);
EXPORT(IID_IND2Listener);
