/* Numbers and layouts of NetworkDirect, as tables. The tests in C and in C++ check each entry at
 * compile time. */
#ifndef ND2_NUMBERS_H
#define ND2_NUMBERS_H

/* clang-format off */
/* Columns: name of the status, value. */
#define ND2_STATUSES(N) \
	N(ND_SUCCESS,                         0x00000000) \
	N(ND_TIMEOUT,                         0x00000102) \
	N(ND_CANCELED,                        0xC0000120) \
	N(ND_PENDING,                         0x00000103) \
	N(ND_REMOTE_ERROR,                    0xC000013D) \
	N(ND_BUFFER_OVERFLOW,                 0x80000005) \
	N(ND_INVALID_ADDRESS,                 0xC0000141) \
	N(ND_DEVICE_BUSY,                     0x80000011) \
	N(ND_INVALID_DEVICE_STATE,            0xC0000184) \
	N(ND_NO_MORE_ENTRIES,                 0x8000001A) \
	N(ND_INVALID_BUFFER_SIZE,             0xC0000206) \
	N(ND_UNSUCCESSFUL,                    0xC0000001) \
	N(ND_TOO_MANY_ADDRESSES,              0xC0000209) \
	N(ND_ACCESS_VIOLATION,                0xC0000005) \
	N(ND_ADDRESS_ALREADY_EXISTS,          0xC000020A) \
	N(ND_INVALID_HANDLE,                  0xC0000008) \
	N(ND_CONNECTION_REFUSED,              0xC0000236) \
	N(ND_INVALID_PARAMETER,               0xC000000D) \
	N(ND_CONNECTION_INVALID,              0xC000023A) \
	N(ND_INVALID_DEVICE_REQUEST,          0xC0000010) \
	N(ND_CONNECTION_ACTIVE,               0xC000023B) \
	N(ND_NO_MEMORY,                       0xC0000017) \
	N(ND_NETWORK_UNREACHABLE,             0xC000023C) \
	N(ND_INVALID_PARAMETER_MIX,           0xC0000030) \
	N(ND_HOST_UNREACHABLE,                0xC000023D) \
	N(ND_DATA_OVERRUN,                    0xC000003C) \
	N(ND_CONNECTION_ABORTED,              0xC0000241) \
	N(ND_SHARING_VIOLATION,               0xC0000043) \
	N(ND_DEVICE_REMOVED,                  0xC00002B6) \
	N(ND_INSUFFICIENT_RESOURCES,          0xC000009A) \
	N(ND_IO_TIMEOUT,                      0xC00000B5) \
	N(ND_DEVICE_NOT_READY,                0xC00000A3) \
	N(ND_NOT_SUPPORTED,                   0xC00000BB) \
	N(ND_INTERNAL_ERROR,                  0xC00000E5) \
	N(STATUS_ADDRESS_ALREADY_ASSOCIATED,  0xC0000238) \
	N(STATUS_ADDRESS_NOT_ASSOCIATED,      0xC0000239) \
	N(STATUS_BAD_NETWORK_NAME,            0xC00000CC) \
	N(STATUS_DATA_ERROR,                  0xC000003E) \
	N(STATUS_CONNECTION_DISCONNECTED,     0xC000020C) \
	N(STATUS_REQUEST_ABORTED,             0xC0000240) \
	N(STATUS_BUFFER_TOO_SMALL,            0xC0000023) \
	N(ND_INVALID_PARAMETER_1,             0xC00000EF) \
	N(ND_INVALID_PARAMETER_2,             0xC00000F0) \
	N(ND_INVALID_PARAMETER_3,             0xC00000F1) \
	N(ND_INVALID_PARAMETER_4,             0xC00000F2) \
	N(ND_INVALID_PARAMETER_5,             0xC00000F3) \
	N(ND_INVALID_PARAMETER_6,             0xC00000F4) \
	N(ND_INVALID_PARAMETER_7,             0xC00000F5) \
	N(ND_INVALID_PARAMETER_8,             0xC00000F6) \
	N(ND_INVALID_PARAMETER_9,             0xC00000F7) \
	N(ND_INVALID_PARAMETER_10,            0xC00000F8) \
	N(E_NOINTERFACE,                      0x80004002) \
	N(E_POINTER,                          0x80004003) \
	N(E_NOTIMPL,                          0x80004001) \
	N(E_OUTOFMEMORY,                      0x8007000E) \
	N(CLASS_E_NOAGGREGATION,              0x80040110) \
	N(CLASS_E_CLASSNOTAVAILABLE,          0x80040111) \
	N(ND_LOCAL_LENGTH,                    0xC000003C) \
	N(ND_INVALIDATION_ERROR,              0xC0000010) \
	N(S_OK,                               0x00000000) \
	N(S_FALSE,                            0x00000001)

/* Columns: name of the constant, value. */
#define ND2_FLAGS(N) \
	N(ND_ADAPTER_FLAG_IN_ORDER_DMA_SUPPORTED,             0x00000001) \
	N(ND_ADAPTER_FLAG_CQ_INTERRUPT_MODERATION_SUPPORTED,  0x00000004) \
	N(ND_ADAPTER_FLAG_MULTI_ENGINE_SUPPORTED,             0x00000008) \
	N(ND_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED,                0x00000100) \
	N(ND_ADAPTER_FLAG_LOOPBACK_CONNECTIONS_SUPPORTED,     0x00010000) \
	N(ND_MR_FLAG_ALLOW_LOCAL_WRITE,                       0x00000001) \
	N(ND_MR_FLAG_ALLOW_REMOTE_READ,                       0x00000002) \
	N(ND_MR_FLAG_ALLOW_REMOTE_WRITE,                      0x00000005) \
	N(ND_MR_FLAG_RDMA_READ_SINK,                          0x00000008) \
	N(ND_MR_FLAG_DO_NOT_SECURE_VM,                        0x80000000) \
	N(ND_OP_FLAG_SILENT_SUCCESS,                          0x00000001) \
	N(ND_OP_FLAG_READ_FENCE,                              0x00000002) \
	N(ND_OP_FLAG_SEND_AND_SOLICIT_EVENT,                  0x00000004) \
	N(ND_OP_FLAG_ALLOW_READ,                              0x00000008) \
	N(ND_OP_FLAG_ALLOW_WRITE,                             0x00000010) \
	N(ND_OP_FLAG_INLINE,                                  0x00000020) \
	N(ND_CQ_NOTIFY_ERRORS,                                0) \
	N(ND_CQ_NOTIFY_ANY,                                   1) \
	N(ND_CQ_NOTIFY_SOLICITED,                             2) \
	N(ND_VERSION_1,                                       0x1) \
	N(ND_VERSION_2,                                       0x20000) \
	N(NDVER,                                              0x20000) \
	N(ND_QUERY_EXCLUDE_EMULATOR_ADDRESSES,                1) \
	N(ND_QUERY_EXCLUDE_NDv1_ADDRESSES,                    2) \
	N(ND_QUERY_EXCLUDE_NDv2_ADDRESSES,                    4) \
	N(Nd2RequestTypeReceive,                              0) \
	N(Nd2RequestTypeSend,                                 1) \
	N(Nd2RequestTypeBind,                                 2) \
	N(Nd2RequestTypeInvalidate,                           3) \
	N(Nd2RequestTypeRead,                                 4) \
	N(Nd2RequestTypeWrite,                                5)

/* Columns: structure, size in bytes. */
#define ND2_SIZES(Z) \
	Z(HRESULT,                4) \
	Z(ULONG,                  4) \
	Z(DWORD,                  4) \
	Z(LONG,                   4) \
	Z(BOOL,                   4) \
	Z(USHORT,                 2) \
	Z(WORD,                   2) \
	Z(BYTE,                   1) \
	Z(UINT8,                  1) \
	Z(UINT16,                 2) \
	Z(UINT32,                 4) \
	Z(UINT64,                 8) \
	Z(ULONGLONG,              8) \
	Z(SIZE_T,                 8) \
	Z(ULONG_PTR,              8) \
	Z(DWORD_PTR,              8) \
	Z(KAFFINITY,              8) \
	Z(HANDLE,                 8) \
	Z(PVOID,                  8) \
	Z(ADDRESS_FAMILY,         2) \
	Z(INT,                    4) \
	Z(GUID,                   16) \
	Z(OVERLAPPED,             32) \
	Z(SOCKET_ADDRESS,         16) \
	Z(SOCKET_ADDRESS_LIST,    24) \
	Z(NDS_PORT_ENTRY,         32) \
	Z(ND2_ADAPTER_INFO,       96) \
	Z(ND2_ADAPTER_INFO32,     88) \
	Z(ND2_SGE,                16) \
	Z(ND2_RESULT,             32) \
	Z(ND2_REQUEST_TYPE,       4)

/* Columns: structure, offset in bytes, field. */
#define ND2_OFFSETS(O) \
	O(ND2_ADAPTER_INFO,       0,  InfoVersion) \
	O(ND2_ADAPTER_INFO,       4,  VendorId) \
	O(ND2_ADAPTER_INFO,       6,  DeviceId) \
	O(ND2_ADAPTER_INFO,       8,  AdapterId) \
	O(ND2_ADAPTER_INFO,       16, MaxRegistrationSize) \
	O(ND2_ADAPTER_INFO,       24, MaxWindowSize) \
	O(ND2_ADAPTER_INFO,       32, MaxInitiatorSge) \
	O(ND2_ADAPTER_INFO,       36, MaxReceiveSge) \
	O(ND2_ADAPTER_INFO,       40, MaxReadSge) \
	O(ND2_ADAPTER_INFO,       44, MaxTransferLength) \
	O(ND2_ADAPTER_INFO,       48, MaxInlineDataSize) \
	O(ND2_ADAPTER_INFO,       52, MaxInboundReadLimit) \
	O(ND2_ADAPTER_INFO,       56, MaxOutboundReadLimit) \
	O(ND2_ADAPTER_INFO,       60, MaxReceiveQueueDepth) \
	O(ND2_ADAPTER_INFO,       64, MaxInitiatorQueueDepth) \
	O(ND2_ADAPTER_INFO,       68, MaxSharedReceiveQueueDepth) \
	O(ND2_ADAPTER_INFO,       72, MaxCompletionQueueDepth) \
	O(ND2_ADAPTER_INFO,       76, InlineRequestThreshold) \
	O(ND2_ADAPTER_INFO,       80, LargeRequestThreshold) \
	O(ND2_ADAPTER_INFO,       84, MaxCallerData) \
	O(ND2_ADAPTER_INFO,       88, MaxCalleeData) \
	O(ND2_ADAPTER_INFO,       92, AdapterFlags) \
	O(ND2_ADAPTER_INFO32,     0,  InfoVersion) \
	O(ND2_ADAPTER_INFO32,     4,  VendorId) \
	O(ND2_ADAPTER_INFO32,     6,  DeviceId) \
	O(ND2_ADAPTER_INFO32,     8,  AdapterId) \
	O(ND2_ADAPTER_INFO32,     16, MaxRegistrationSize) \
	O(ND2_ADAPTER_INFO32,     20, MaxWindowSize) \
	O(ND2_ADAPTER_INFO32,     24, MaxInitiatorSge) \
	O(ND2_ADAPTER_INFO32,     28, MaxReceiveSge) \
	O(ND2_ADAPTER_INFO32,     32, MaxReadSge) \
	O(ND2_ADAPTER_INFO32,     36, MaxTransferLength) \
	O(ND2_ADAPTER_INFO32,     40, MaxInlineDataSize) \
	O(ND2_ADAPTER_INFO32,     44, MaxInboundReadLimit) \
	O(ND2_ADAPTER_INFO32,     48, MaxOutboundReadLimit) \
	O(ND2_ADAPTER_INFO32,     52, MaxReceiveQueueDepth) \
	O(ND2_ADAPTER_INFO32,     56, MaxInitiatorQueueDepth) \
	O(ND2_ADAPTER_INFO32,     60, MaxSharedReceiveQueueDepth) \
	O(ND2_ADAPTER_INFO32,     64, MaxCompletionQueueDepth) \
	O(ND2_ADAPTER_INFO32,     68, InlineRequestThreshold) \
	O(ND2_ADAPTER_INFO32,     72, LargeRequestThreshold) \
	O(ND2_ADAPTER_INFO32,     76, MaxCallerData) \
	O(ND2_ADAPTER_INFO32,     80, MaxCalleeData) \
	O(ND2_ADAPTER_INFO32,     84, AdapterFlags) \
	O(GUID,                   0,  Data1) \
	O(GUID,                   4,  Data2) \
	O(GUID,                   6,  Data3) \
	O(GUID,                   8,  Data4) \
	O(OVERLAPPED,             0,  Internal) \
	O(OVERLAPPED,             8,  InternalHigh) \
	O(OVERLAPPED,             16, Offset) \
	O(OVERLAPPED,             20, OffsetHigh) \
	O(OVERLAPPED,             16, Pointer) \
	O(OVERLAPPED,             24, hEvent) \
	O(SOCKET_ADDRESS,         0,  lpSockaddr) \
	O(SOCKET_ADDRESS,         8,  iSockaddrLength) \
	O(SOCKET_ADDRESS_LIST,    0,  iAddressCount) \
	O(SOCKET_ADDRESS_LIST,    8,  Address) \
	O(NDS_PORT_ENTRY,         0,  lpCompletionKey) \
	O(NDS_PORT_ENTRY,         8,  lpOverlapped) \
	O(NDS_PORT_ENTRY,         16, Internal) \
	O(NDS_PORT_ENTRY,         24, dwNumberOfBytesTransferred) \
	O(ND2_SGE,                0,  Buffer) \
	O(ND2_SGE,                8,  BufferLength) \
	O(ND2_SGE,                12, MemoryRegionToken) \
	O(ND2_RESULT,             0,  Status) \
	O(ND2_RESULT,             4,  BytesTransferred) \
	O(ND2_RESULT,             8,  QueuePairContext) \
	O(ND2_RESULT,             16, RequestContext) \
	O(ND2_RESULT,             24, RequestType)
/* clang-format on */

#endif
