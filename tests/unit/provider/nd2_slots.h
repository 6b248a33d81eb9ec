/* Every slot of every NetworkDirect vtable, inherited slots included. Columns: interface, slot,
 * method. */
#ifndef ND2_SLOTS_H
#define ND2_SLOTS_H

/* clang-format off */
#define ND2_SLOTS(S) \
	S(IClassFactory,          0,  QueryInterface) \
	S(IClassFactory,          1,  AddRef) \
	S(IClassFactory,          2,  Release) \
	S(IClassFactory,          3,  CreateInstance) \
	S(IClassFactory,          4,  LockServer) \
	S(IND2Overlapped,         0,  QueryInterface) \
	S(IND2Overlapped,         1,  AddRef) \
	S(IND2Overlapped,         2,  Release) \
	S(IND2Overlapped,         3,  CancelOverlappedRequests) \
	S(IND2Overlapped,         4,  GetOverlappedResult) \
	S(IND2Provider,           0,  QueryInterface) \
	S(IND2Provider,           1,  AddRef) \
	S(IND2Provider,           2,  Release) \
	S(IND2Provider,           3,  QueryAddressList) \
	S(IND2Provider,           4,  ResolveAddress) \
	S(IND2Provider,           5,  OpenAdapter) \
	S(IND2Adapter,            0,  QueryInterface) \
	S(IND2Adapter,            1,  AddRef) \
	S(IND2Adapter,            2,  Release) \
	S(IND2Adapter,            3,  CreateOverlappedFile) \
	S(IND2Adapter,            4,  Query) \
	S(IND2Adapter,            5,  QueryAddressList) \
	S(IND2Adapter,            6,  CreateCompletionQueue) \
	S(IND2Adapter,            7,  CreateMemoryRegion) \
	S(IND2Adapter,            8,  CreateMemoryWindow) \
	S(IND2Adapter,            9,  CreateSharedReceiveQueue) \
	S(IND2Adapter,            10, CreateQueuePair) \
	S(IND2Adapter,            11, CreateQueuePairWithSrq) \
	S(IND2Adapter,            12, CreateConnector) \
	S(IND2Adapter,            13, CreateListener) \
	S(IND2CompletionQueue,    0,  QueryInterface) \
	S(IND2CompletionQueue,    1,  AddRef) \
	S(IND2CompletionQueue,    2,  Release) \
	S(IND2CompletionQueue,    3,  CancelOverlappedRequests) \
	S(IND2CompletionQueue,    4,  GetOverlappedResult) \
	S(IND2CompletionQueue,    5,  GetNotifyAffinity) \
	S(IND2CompletionQueue,    6,  Resize) \
	S(IND2CompletionQueue,    7,  Notify) \
	S(IND2CompletionQueue,    8,  GetResults) \
	S(IND2SharedReceiveQueue, 0,  QueryInterface) \
	S(IND2SharedReceiveQueue, 1,  AddRef) \
	S(IND2SharedReceiveQueue, 2,  Release) \
	S(IND2SharedReceiveQueue, 3,  CancelOverlappedRequests) \
	S(IND2SharedReceiveQueue, 4,  GetOverlappedResult) \
	S(IND2SharedReceiveQueue, 5,  GetNotifyAffinity) \
	S(IND2SharedReceiveQueue, 6,  Modify) \
	S(IND2SharedReceiveQueue, 7,  Notify) \
	S(IND2SharedReceiveQueue, 8,  Receive) \
	S(IND2MemoryRegion,       0,  QueryInterface) \
	S(IND2MemoryRegion,       1,  AddRef) \
	S(IND2MemoryRegion,       2,  Release) \
	S(IND2MemoryRegion,       3,  CancelOverlappedRequests) \
	S(IND2MemoryRegion,       4,  GetOverlappedResult) \
	S(IND2MemoryRegion,       5,  Register) \
	S(IND2MemoryRegion,       6,  Deregister) \
	S(IND2MemoryRegion,       7,  GetLocalToken) \
	S(IND2MemoryRegion,       8,  GetRemoteToken) \
	S(IND2MemoryWindow,       0,  QueryInterface) \
	S(IND2MemoryWindow,       1,  AddRef) \
	S(IND2MemoryWindow,       2,  Release) \
	S(IND2MemoryWindow,       3,  GetRemoteToken) \
	S(IND2QueuePair,          0,  QueryInterface) \
	S(IND2QueuePair,          1,  AddRef) \
	S(IND2QueuePair,          2,  Release) \
	S(IND2QueuePair,          3,  Flush) \
	S(IND2QueuePair,          4,  Send) \
	S(IND2QueuePair,          5,  Receive) \
	S(IND2QueuePair,          6,  Bind) \
	S(IND2QueuePair,          7,  Invalidate) \
	S(IND2QueuePair,          8,  Read) \
	S(IND2QueuePair,          9,  Write) \
	S(IND2Connector,          0,  QueryInterface) \
	S(IND2Connector,          1,  AddRef) \
	S(IND2Connector,          2,  Release) \
	S(IND2Connector,          3,  CancelOverlappedRequests) \
	S(IND2Connector,          4,  GetOverlappedResult) \
	S(IND2Connector,          5,  Bind) \
	S(IND2Connector,          6,  Connect) \
	S(IND2Connector,          7,  CompleteConnect) \
	S(IND2Connector,          8,  Accept) \
	S(IND2Connector,          9,  Reject) \
	S(IND2Connector,          10, GetReadLimits) \
	S(IND2Connector,          11, GetPrivateData) \
	S(IND2Connector,          12, GetLocalAddress) \
	S(IND2Connector,          13, GetPeerAddress) \
	S(IND2Connector,          14, NotifyDisconnect) \
	S(IND2Connector,          15, Disconnect) \
	S(IND2Listener,           0,  QueryInterface) \
	S(IND2Listener,           1,  AddRef) \
	S(IND2Listener,           2,  Release) \
	S(IND2Listener,           3,  CancelOverlappedRequests) \
	S(IND2Listener,           4,  GetOverlappedResult) \
	S(IND2Listener,           5,  Bind) \
	S(IND2Listener,           6,  Listen) \
	S(IND2Listener,           7,  GetLocalAddress) \
	S(IND2Listener,           8,  GetConnectionRequest)
/* clang-format on */

/* Columns: interface, base, number of slots, IID as text. */
/* clang-format off */
#define ND2_INTERFACES(I) \
	I(IUnknown,               IUnknown,       3,  "00000000-0000-0000-C000-000000000046") \
	I(IClassFactory,          IUnknown,       5,  "00000001-0000-0000-C000-000000000046") \
	I(IND2Overlapped,         IUnknown,       5,  "ABF72719-B016-4A40-A6F7-622791A7044C") \
	I(IND2Provider,           IUnknown,       6,  "49EAE6C1-76C4-46D0-8003-5C2EAA2C9A8E") \
	I(IND2Adapter,            IUnknown,       14, "D89C798C-4823-4D69-846C-DFDCCFF9E5F3") \
	I(IND2CompletionQueue,    IND2Overlapped, 9,  "20CC445E-64A0-4CBB-AA75-F6A7251FDA9E") \
	I(IND2SharedReceiveQueue, IND2Overlapped, 9,  "AABD67DC-459A-4DB1-826B-56CFCC278883") \
	I(IND2MemoryRegion,       IND2Overlapped, 9,  "55DFEA2F-BC56-4982-8A45-0301BE46C413") \
	I(IND2MemoryWindow,       IUnknown,       4,  "070FE1F5-0AB5-4361-88DB-974BA704D4B9") \
	I(IND2QueuePair,          IUnknown,       10, "EEF2F332-B75D-4063-BCE3-3A0BAD2D02CE") \
	I(IND2Connector,          IND2Overlapped, 16, "7DD615C4-6B4C-4866-950C-F3B1D25A5302") \
	I(IND2Listener,           IND2Overlapped, 9,  "65D23D83-3A57-4E02-86A4-350165C2D130")
/* clang-format on */

#endif
