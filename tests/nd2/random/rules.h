/* Tables of the calls that the random driver may make, and of their results. The random driver is
 * the program in this folder, which calls random methods. An act is a method with one class of
 * arguments (valid, wrong length, no pointer and so on).
 *
 * For each act, the tables list the statuses that the act may return in each state of its object.
 * rules.c reads the tables. */
#ifndef RANDOM_RULES_H
#define RANDOM_RULES_H

#include "ndstatus.h"

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
#define STATUS_ROWS(X) \
	X(SUCCESS, ND_SUCCESS) X(PENDING, ND_PENDING) X(OVERFLOW, ND_BUFFER_OVERFLOW) X(BUSY, ND_DEVICE_BUSY) \
	X(FULL, ND_NO_MORE_ENTRIES) X(VIOLATION, ND_ACCESS_VIOLATION) X(HANDLE, ND_INVALID_HANDLE) \
	X(PARAMETER, ND_INVALID_PARAMETER) X(REQUEST, ND_INVALID_DEVICE_REQUEST) X(OVERRUN, ND_DATA_OVERRUN) \
	X(SHARING, ND_SHARING_VIOLATION) X(RESOURCES, ND_INSUFFICIENT_RESOURCES) X(TIMED_OUT, ND_IO_TIMEOUT) \
	X(UNSUPPORTED, ND_NOT_SUPPORTED) X(P1, ND_INVALID_PARAMETER_1) X(P2, ND_INVALID_PARAMETER_2) \
	X(P3, ND_INVALID_PARAMETER_3) X(P4, ND_INVALID_PARAMETER_4) X(P5, ND_INVALID_PARAMETER_5) \
	X(P6, ND_INVALID_PARAMETER_6) X(P7, ND_INVALID_PARAMETER_7) X(P8, ND_INVALID_PARAMETER_8) \
	X(P9, ND_INVALID_PARAMETER_9) X(CANCELED, ND_CANCELED) X(ADDRESS, ND_INVALID_ADDRESS) \
	X(STATE, ND_INVALID_DEVICE_STATE) X(SIZE, ND_INVALID_BUFFER_SIZE) X(EXISTS, ND_ADDRESS_ALREADY_EXISTS) \
	X(REFUSED, ND_CONNECTION_REFUSED) X(INVALID, ND_CONNECTION_INVALID) X(ACTIVE, ND_CONNECTION_ACTIVE) \
	X(NO_NETWORK, ND_NETWORK_UNREACHABLE) X(NO_HOST, ND_HOST_UNREACHABLE) X(ABORTED, ND_CONNECTION_ABORTED) \
	X(ASSOCIATED, STATUS_ADDRESS_ALREADY_ASSOCIATED) X(UNBOUND, STATUS_ADDRESS_NOT_ASSOCIATED) \
	X(NO_NAME, STATUS_BAD_NETWORK_NAME) X(OVER, STATUS_CONNECTION_DISCONNECTED) X(DATA, STATUS_DATA_ERROR) \
	X(NO_INTERFACE, E_NOINTERFACE) X(NO_POINTER, E_POINTER)

/* Kinds of objects. The state numbers of each kind start at 0. */
#define KIND_ROWS(X) X(ADAPTER) X(REGION) X(CQ) X(QP) X(CONNECTOR) X(LISTENER) X(WINDOW) X(SRQ)

#define CONNECTOR_STATES(X) \
	X(IDLE) X(BOUND) X(QUEUED) X(REQ_SENT) X(REP_RECEIVED) X(REQ_RECEIVED) X(REP_SENT) X(CONNECTED) X(PEER_GONE) \
	X(DISCONNECTING) X(DISCONNECTED)
/* clang-format on */

enum status {
#define X(name, value) R_##name,
	STATUS_ROWS(X)
#undef X
		STATUSES
};

enum kind {
#define X(name) K_##name,
	KIND_ROWS(X)
#undef X
		KINDS
};

enum connector_state {
#define X(name) CN_##name,
	CONNECTOR_STATES(X)
#undef X
		CN_STATES
};

enum plain_state {
	ONLY,		 /* for kinds of objects with only one state */
	REGION_FREE = 0, /* not registered */
	REGION_REGISTERED,
	LISTENER_IDLE = 0,
	LISTENER_BOUND,
	LISTENER_LISTENING,
};

typedef uint64_t set_t; /* a set of statuses; status s is bit 1 << s (enum status) */
#define S(name)	 (UINT64_C(1) << R_##name)
#define IN(name) (1u << (name))
#define EVERY	 0xffffffffu

/* clang-format off */
/* Columns: act; kind of object; states in which the rule applies; statuses that the call may
 * return; statuses with which its request may end; state after success (0 if unchanged). */
#define PLAIN_RULES(X) \
	X(QUERY_INTERFACE,      ADAPTER, EVERY, S(SUCCESS), 0, 0) \
	X(QUERY_NO_INTERFACE,   ADAPTER, EVERY, S(NO_INTERFACE), 0, 0) \
	X(QUERY_NO_POINTER,     ADAPTER, EVERY, S(NO_POINTER), 0, 0) \
	X(QUERY,                ADAPTER, EVERY, S(SUCCESS), 0, 0) \
	X(QUERY_SHORT,          ADAPTER, EVERY, S(OVERFLOW), 0, 0) \
	X(ADDRESSES,            ADAPTER, EVERY, S(SUCCESS), 0, 0) \
	X(ADDRESSES_SHORT,      ADAPTER, EVERY, S(OVERFLOW), 0, 0) \
	X(RESOLVE,              ADAPTER, EVERY, S(SUCCESS), 0, 0) \
	X(RESOLVE_FOREIGN,      ADAPTER, EVERY, S(ADDRESS), 0, 0) \
	X(OPEN,                 ADAPTER, EVERY, S(SUCCESS), 0, 0) \
	X(OPEN_UNKNOWN,         ADAPTER, EVERY, S(PARAMETER), 0, 0) \
	X(CREATE_FILE,          ADAPTER, EVERY, S(SUCCESS), 0, 0) \
	X(CREATE,               ADAPTER, EVERY, S(SUCCESS), 0, 0) \
	X(CREATE_NO_INTERFACE,  ADAPTER, EVERY, S(NO_INTERFACE), 0, 0) \
	X(CREATE_NO_FILE,       ADAPTER, EVERY, S(HANDLE), 0, 0) \
	X(CREATE_CQ_DEPTH,      ADAPTER, EVERY, S(P3), 0, 0) \
	X(CREATE_QP_QUEUE,      ADAPTER, EVERY, S(P2), 0, 0) \
	X(CREATE_QP_QUEUE2,     ADAPTER, EVERY, S(P3), 0, 0) \
	X(CREATE_QP_DEPTH,      ADAPTER, EVERY, S(P5), 0, 0) \
	X(CREATE_QP_DEPTH2,     ADAPTER, EVERY, S(P6), 0, 0) \
	X(CREATE_QP_SGE,        ADAPTER, EVERY, S(P7), 0, 0) \
	X(CREATE_QP_SGE2,       ADAPTER, EVERY, S(P8), 0, 0) \
	X(CREATE_QP_INLINE,     ADAPTER, EVERY, S(P9), 0, 0) \
	\
	X(REGISTER,          REGION, IN(REGION_FREE),       S(PENDING),   S(SUCCESS), IN(REGION_REGISTERED)) \
	X(REGISTER_NULL,     REGION, EVERY,                 S(PARAMETER), 0, 0) \
	X(REGISTER_EMPTY,    REGION, EVERY,                 S(SIZE),      0, 0) \
	X(REGISTER_HUGE,     REGION, EVERY,                 S(PARAMETER), 0, 0) \
	X(REGISTER_WRAPS,    REGION, EVERY,                 S(VIOLATION), 0, 0) \
	X(REGISTER_FLAGS,    REGION, EVERY,                 S(P3),        0, 0) \
	X(DEREGISTER,        REGION, IN(REGION_REGISTERED), S(PENDING) | S(BUSY), S(SUCCESS), IN(REGION_FREE)) \
	X(REGION_CANCEL,     REGION, EVERY,                 S(SUCCESS),   0, 0) \
	\
	X(NOTIFY,            CQ, EVERY, S(PENDING), S(SUCCESS) | S(CANCELED), 0) \
	X(NOTIFY_ERRORS,     CQ, EVERY, S(PENDING), S(CANCELED), 0) \
	X(NOTIFY_UNKNOWN,    CQ, EVERY, S(P1),      0, 0) \
	X(AFFINITY,          CQ, EVERY, S(SUCCESS), 0, 0) \
	X(AFFINITY_NULL,     CQ, EVERY, S(PARAMETER), 0, 0) \
	X(RESIZE,            CQ, EVERY, S(SUCCESS), 0, 0) \
	X(RESIZE_BAD,        CQ, EVERY, S(PARAMETER), 0, 0) \
	X(CQ_CANCEL,         CQ, EVERY, S(SUCCESS), 0, 0) \
	\
	X(FLUSH,             QP, EVERY, S(SUCCESS), 0, 0) \
	X(RECEIVE,           QP, EVERY, S(SUCCESS) | S(FULL), 0, 0) \
	X(RECEIVE_NO_LIST,   QP, EVERY, S(P2), 0, 0) \
	X(RECEIVE_MANY,      QP, EVERY, S(OVERRUN), 0, 0) \
	X(RECEIVE_LONG,      QP, EVERY, S(OVERFLOW), 0, 0) \
	X(POST,              QP, EVERY, S(SUCCESS) | S(FULL) | S(INVALID), 0, 0) \
	X(POST_READ,         QP, EVERY, S(SUCCESS) | S(FULL) | S(INVALID) | S(REQUEST), 0, 0) \
	X(POST_FRESH,        QP, EVERY, S(INVALID), 0, 0) \
	X(POST_FLAG4,        QP, EVERY, S(P4), 0, 0) \
	X(POST_FLAG6,        QP, EVERY, S(P6), 0, 0) \
	X(POST_MANY,         QP, EVERY, S(OVERRUN) | S(INVALID), 0, 0) \
	X(POST_LONG,         QP, EVERY, S(OVERFLOW) | S(INVALID), 0, 0) \
	X(POST_INLINE_LONG,  QP, EVERY, S(OVERFLOW) | S(INVALID), 0, 0) \
	X(POST_NO_LIST,      QP, EVERY, S(P2) | S(INVALID), 0, 0) \
	\
	X(BIND_WINDOW,       QP, EVERY, S(SUCCESS) | S(FULL) | S(INVALID) | S(STATE) | S(VIOLATION), 0, 0) \
	X(INVALIDATE_WINDOW, QP, EVERY, S(SUCCESS) | S(FULL) | S(INVALID), 0, 0) \
	X(BIND_FLAGS,        QP, EVERY, S(P6), 0, 0) \
	X(BIND_NO_REGION,    QP, EVERY, S(P2) | S(INVALID), 0, 0) \
	X(BIND_NO_WINDOW,    QP, EVERY, S(P3) | S(INVALID), 0, 0) \
	X(INVALIDATE_FLAGS,  QP, EVERY, S(P3), 0, 0) \
	X(INVALIDATE_NOTHING, QP, EVERY, S(P2) | S(INVALID), 0, 0) \
	\
	X(SRQ_RECEIVE,       SRQ, EVERY, S(SUCCESS) | S(FULL), 0, 0) \
	X(SRQ_NO_LIST,       SRQ, EVERY, S(P2), 0, 0) \
	X(SRQ_MANY,          SRQ, EVERY, S(OVERRUN), 0, 0) \
	X(SRQ_LONG,          SRQ, EVERY, S(OVERFLOW), 0, 0) \
	X(SRQ_NOTIFY,        SRQ, EVERY, S(PENDING), S(SUCCESS) | S(CANCELED), 0) \
	X(SRQ_MODIFY,        SRQ, EVERY, S(SUCCESS) | S(OVERFLOW), 0, 0) \
	X(SRQ_MODIFY_BAD,    SRQ, EVERY, S(PARAMETER), 0, 0) \
	X(SRQ_AFFINITY,      SRQ, EVERY, S(SUCCESS), 0, 0) \
	X(SRQ_AFFINITY_NULL, SRQ, EVERY, S(PARAMETER), 0, 0) \
	X(SRQ_CANCEL,        SRQ, EVERY, S(SUCCESS), 0, 0) \
	X(CREATE_SRQ_DEPTH,  ADAPTER, EVERY, S(P3), 0, 0) \
	X(CREATE_SRQ_SGE,    ADAPTER, EVERY, S(P4), 0, 0) \
	X(CREATE_QP_SRQ,     ADAPTER, EVERY, S(P4), 0, 0) \
	\
	X(LISTENER_BIND,     LISTENER, IN(LISTENER_IDLE), S(SUCCESS), 0, IN(LISTENER_BOUND)) \
	X(LISTENER_BIND_PORT, LISTENER, IN(LISTENER_IDLE), S(SUCCESS) | S(SHARING), 0, IN(LISTENER_BOUND)) \
	X(LISTENER_BIND_BAD, LISTENER, EVERY, S(ADDRESS), 0, 0) \
	X(LISTEN,            LISTENER, IN(LISTENER_BOUND), S(SUCCESS), 0, IN(LISTENER_LISTENING)) \
	X(LISTENER_ADDRESS,  LISTENER, IN(LISTENER_BOUND) | IN(LISTENER_LISTENING), S(SUCCESS), 0, 0) \
	X(LISTENER_ADDRESS_SHORT, LISTENER, IN(LISTENER_BOUND) | IN(LISTENER_LISTENING), S(OVERFLOW), 0, 0) \
	X(ASK,               LISTENER, IN(LISTENER_LISTENING), S(PENDING) | S(ACTIVE), S(SUCCESS) | S(CANCELED), 0) \
	X(ASK_IDLE,          LISTENER, IN(LISTENER_LISTENING), S(PENDING), S(SUCCESS) | S(CANCELED), 0) \
	X(ASK_NOTHING,       LISTENER, EVERY, S(P1), 0, 0) \
	X(LISTENER_CANCEL,   LISTENER, EVERY, S(SUCCESS), 0, 0)

/* Acts that are refused in some states. Columns: act; states in which the act is refused; statuses
 * returned. */
#define REFUSALS(X) \
	X(REGISTER,           IN(REGION_REGISTERED), S(STATE)) \
	X(DEREGISTER,         IN(REGION_FREE),       S(STATE)) \
	X(LISTENER_BIND,      IN(LISTENER_BOUND) | IN(LISTENER_LISTENING), S(ASSOCIATED)) \
	X(LISTENER_BIND_PORT, IN(LISTENER_BOUND) | IN(LISTENER_LISTENING), S(ASSOCIATED)) \
	X(LISTENER_BIND_BAD,  IN(LISTENER_BOUND) | IN(LISTENER_LISTENING), S(ASSOCIATED)) \
	X(LISTEN,             IN(LISTENER_IDLE) | IN(LISTENER_LISTENING), S(STATE)) \
	X(LISTENER_ADDRESS,   IN(LISTENER_IDLE), S(STATE)) \
	X(LISTENER_ADDRESS_SHORT, IN(LISTENER_IDLE), S(STATE)) \
	X(ASK,                IN(LISTENER_IDLE) | IN(LISTENER_BOUND), S(STATE)) \
	X(ASK_IDLE,           IN(LISTENER_IDLE) | IN(LISTENER_BOUND), S(STATE))

/* The status that each step of a connector returns in each state. OK means that the step is
 * allowed; its row of CONNECTOR_RULES has the statuses. */
#define OK 0
#define CONNECTOR_MATRIX(X) \
/*	  state          Bind           Connect     Complete    Accept      Reject      Limits      Data     Notify      Disconnect */ \
	X(IDLE,          OK,            S(UNBOUND), S(INVALID), S(ACTIVE),  S(STATE),   S(INVALID), S(INVALID), S(INVALID), S(INVALID)) \
	X(BOUND,         S(ASSOCIATED), OK,         S(INVALID), S(ACTIVE),  S(STATE),   S(INVALID), OK,         S(INVALID), S(INVALID)) \
	X(QUEUED,        S(ASSOCIATED), S(STATE),   S(INVALID), S(ACTIVE),  S(STATE),   S(INVALID), S(INVALID), S(INVALID), S(INVALID)) \
	X(REQ_SENT,      S(ASSOCIATED), S(ACTIVE),  S(INVALID), S(ACTIVE),  S(STATE),   S(INVALID), S(INVALID), S(INVALID), S(INVALID)) \
	X(REP_RECEIVED,  S(ASSOCIATED), S(ACTIVE),  OK,         S(ACTIVE),  OK,         OK,         OK,         S(INVALID), S(INVALID)) \
	X(REQ_RECEIVED,  S(ASSOCIATED), S(STATE),   S(INVALID), OK,         OK,         OK,         OK,         S(INVALID), S(INVALID)) \
	X(REP_SENT,      S(ASSOCIATED), S(ACTIVE),  S(INVALID), S(ACTIVE),  S(STATE),   OK,         OK,         S(INVALID), S(INVALID)) \
	X(CONNECTED,     S(ASSOCIATED), S(ACTIVE),  S(INVALID), S(ACTIVE),  S(STATE),   OK,         OK,         OK,         OK) \
	X(PEER_GONE,     S(ASSOCIATED), S(STATE),   S(ABORTED), S(ABORTED), S(ABORTED), S(INVALID), OK,         OK,         OK) \
	X(DISCONNECTING, S(ASSOCIATED), S(STATE),   S(INVALID), S(ABORTED), S(INVALID), S(INVALID), OK,         S(OVER),    S(STATE)) \
	X(DISCONNECTED,  S(ASSOCIATED), S(STATE),   S(ABORTED), S(ABORTED), S(ABORTED), S(INVALID), OK,         S(OVER),    S(INVALID))

enum step { ST_BIND, ST_CONNECT, ST_COMPLETE, ST_ACCEPT, ST_REJECT, ST_LIMITS, ST_DATA, ST_NOTIFY, ST_DISCONNECT, STEPS };

/* CONNECT_ENDS and ACCEPT_ENDS: statuses with which a pending Connect or Accept may end. Columns of
 * CONNECTOR_RULES: act; step; statuses for bad arguments; statuses where CONNECTOR_MATRIX has OK;
 * statuses of the request; state after success. */
#define CONNECT_ENDS (S(SUCCESS) | S(REFUSED) | S(TIMED_OUT) | S(NO_HOST) | S(ABORTED) | S(CANCELED) | S(EXISTS))
#define ACCEPT_ENDS  (S(SUCCESS) | S(REFUSED) | S(TIMED_OUT) | S(ABORTED) | S(CANCELED))
#define CONNECTOR_RULES(X) \
	X(BIND,             ST_BIND,       0,            S(SUCCESS), 0, IN(CN_BOUND)) \
	X(BIND_BAD,         ST_BIND,       S(ADDRESS),   0, 0, 0) \
	X(CONNECT,          ST_CONNECT,    0,            S(PENDING) | S(ACTIVE) | S(EXISTS), CONNECT_ENDS, IN(CN_REQ_SENT)) \
	X(CONNECT_FRESH,    ST_CONNECT,    0,            S(PENDING) | S(EXISTS), CONNECT_ENDS, IN(CN_REQ_SENT)) \
	X(CONNECT_NOWHERE,  ST_CONNECT,    0,            S(NO_NAME), 0, 0) \
	X(CONNECT_ADDRESS,  ST_CONNECT,    S(ADDRESS),   0, 0, 0) \
	X(CONNECT_NO_QP,    ST_CONNECT,    S(P1),        0, 0, 0) \
	X(CONNECT_LONG,     ST_CONNECT,    S(SIZE),      0, 0, 0) \
	X(CONNECT_NO_DATA,  ST_CONNECT,    S(VIOLATION), 0, 0, 0) \
	X(COMPLETE,         ST_COMPLETE,   0,            S(PENDING), S(SUCCESS) | S(ABORTED), IN(CN_CONNECTED)) \
	X(ACCEPT,           ST_ACCEPT,     0,            S(PENDING) | S(ACTIVE), ACCEPT_ENDS, IN(CN_REP_SENT)) \
	X(ACCEPT_NO_QP,     ST_ACCEPT,     S(P1),        0, 0, 0) \
	X(ACCEPT_LONG,      ST_ACCEPT,     S(SIZE),      0, 0, 0) \
	X(REJECT,           ST_REJECT,     0,            S(SUCCESS) | S(ABORTED), 0, IN(CN_DISCONNECTED)) \
	X(REJECT_LONG,      ST_REJECT,     S(SIZE),      0, 0, 0) \
	X(LIMITS,           ST_LIMITS,     0,            S(SUCCESS), 0, 0) \
	X(DATA,             ST_DATA,       0,            S(SUCCESS) | S(INVALID), 0, 0) \
	X(DATA_SIZE,        ST_DATA,       0,            S(OVERFLOW) | S(INVALID), 0, 0) \
	X(NOTIFY_END,       ST_NOTIFY,     0,            S(PENDING), S(SUCCESS) | S(OVER) | S(CANCELED), 0) \
	X(DISCONNECT,       ST_DISCONNECT, 0,            S(PENDING), S(SUCCESS) | S(CANCELED), IN(CN_DISCONNECTING))

/* Acts of a connector that are not in enum step: the methods that return an address, and the method
 * that cancels requests.
 * - HAS_LOCAL: states in which the local address is known
 * - HAS_PEER: states in which the peer's address is known
 * - GETTER_RULES: has the columns of PLAIN_RULES
 * - GETTER_REFUSALS: has the columns of REFUSALS */
#define HAS_LOCAL (EVERY & ~(IN(CN_IDLE) | IN(CN_QUEUED)))
#define HAS_PEER  (IN(CN_REP_RECEIVED) | IN(CN_REQ_RECEIVED) | IN(CN_REP_SENT) | IN(CN_CONNECTED) | IN(CN_PEER_GONE) | \
		   IN(CN_DISCONNECTING))
#define GETTER_RULES(X) \
	X(LOCAL,            CONNECTOR, HAS_LOCAL,  S(SUCCESS),  0, 0) \
	X(LOCAL_SHORT,      CONNECTOR, HAS_LOCAL,  S(OVERFLOW), 0, 0) \
	X(PEER,             CONNECTOR, HAS_PEER,   S(SUCCESS),  0, 0) \
	X(PEER_SHORT,       CONNECTOR, HAS_PEER,   S(OVERFLOW), 0, 0) \
	X(CONNECTOR_CANCEL, CONNECTOR, EVERY,      S(SUCCESS),  0, 0)
#define GETTER_REFUSALS(X) \
	X(LOCAL,            ~HAS_LOCAL, S(INVALID)) \
	X(LOCAL_SHORT,      ~HAS_LOCAL, S(INVALID)) \
	X(PEER,             ~HAS_PEER,  S(INVALID)) \
	X(PEER_SHORT,       ~HAS_PEER,  S(INVALID))
/* clang-format on */

enum act {
#define X(name, ...) A_##name,
	PLAIN_RULES(X) GETTER_RULES(X) CONNECTOR_RULES(X)
#undef X
		ACTS
};

enum status status_of(HRESULT); /* returns STATUSES if STATUS_ROWS lacks the HRESULT */
const char *status_name(HRESULT);
const char *act_name(enum act);
enum kind act_kind(enum act);

/* rule_call() returns the statuses that the act may return in one of these states. rule_end()
 * returns the statuses with which the request of the act may end. */
set_t rule_call(enum act, uint32_t states);
set_t rule_end(enum act, uint32_t states);
/* Returns the states that are possible after the act has returned this status. Returns 0 if no rule
 * allows the status. */
uint32_t rule_next(enum act, uint32_t states, HRESULT answer);
/* True if the act may change the state of its object. */
bool rule_moves(enum act);
/* Returns the given states and all states that can follow from them without a call of the object's
 * methods. */
uint32_t rule_drift(enum kind, uint32_t states);
/* rule_first() returns the possible states of a new object of this kind. rule_all() returns all
 * states of this kind. */
uint32_t rule_first(enum kind);
uint32_t rule_all(enum kind);

#endif
