/* What the switch did with a frame. Every frame is counted under exactly one outcome, separately
 * for the wire and for each client that sent it. Columns:
 * - the name
 * - FORWARD: the frame goes to the wire or to clients; ANSWER: the switch answers the frame itself;
 *   DROP: no one gets the frame
 * - the text of the counter */
#ifndef RN_OUTCOME_H
#define RN_OUTCOME_H

/* clang-format off */
#define RN_OUTCOME_ROWS(X) \
	X(TO_WIRE,          FORWARD, "to the wire") \
	X(TO_QP,            FORWARD, "to the client whose number is in the destination QPN") \
	X(TO_SERVICE,       FORWARD, "REQ or SIDR_REQ to the client that listens to the service id") \
	X(TO_ID,            FORWARD, "CM message to the client whose number is in the receiver's communication id") \
	X(TO_GROUP,         FORWARD, "multicast to the members of the group") \
	X(TO_ALL,           FORWARD, "ARP reply, neighbour advertisement or announcement to all clients") \
	X(NEIGHBOUR,        ANSWER,  "ARP, neighbour discovery or echo message that the switch itself takes") \
	X(NO_SERVICE,       ANSWER,  "REQ or SIDR_REQ for a service id to which no client listens") \
	X(NO_CONNECTION,    ANSWER,  "CM message for a communication id of no client") \
	X(TOO_EARLY,        DROP,    "CM message for no client, while clients may still come back after a restart") \
	/* drops of frames from the wire and from clients */ \
	X(MALFORMED,        DROP,    "malformed frame, or neither RoCEv2 nor a message of a neighbour") \
	X(NOT_OURS,         DROP,    "destination MAC, VLAN or IP address is not the port's") \
	X(NO_QP,            DROP,    "destination QPN of no client") \
	X(NO_MEMBER,        DROP,    "multicast group without members") \
	X(TRACK_FULL,       ANSWER,  "the client has its full number of connections") \
	/* drops of frames from clients */ \
	X(CLIENT_MAC,       DROP,    "source MAC of a client's frame is not the port's") \
	X(CLIENT_VLAN,      DROP,    "VLAN of a client's frame is not the port's") \
	X(CLIENT_ADDRESS,   DROP,    "source address of a client's frame is not the port's") \
	X(CLIENT_QPN,       DROP,    "source QPN of a client's frame is not the client's") \
	X(CLIENT_ID,        DROP,    "CM message with a communication id that is not the client's, or that answers nothing the client has received") \
	X(CLIENT_BODY,      DROP,    "REQ or SIDR_REQ of a client that gives another address or GUID than the port's") \
	X(CLIENT_PAIR,      DROP,    "strict: not a datagram, and no connection of the client leads to this address and QPN") \
	X(CLIENT_KIND,      DROP,    "message of a client that only the switch may send")
/* clang-format on */

enum rn_outcome {
#define X(name, kind, text) RN_OUT_##name,
	RN_OUTCOME_ROWS(X)
#undef X
		RN_OUTCOMES
};

enum rn_outcome_kind { RN_OUTCOME_FORWARD, RN_OUTCOME_ANSWER, RN_OUTCOME_DROP };

struct rn_outcome_row {
	const char *name;
	enum rn_outcome_kind kind;
	const char *text;
};

extern const struct rn_outcome_row rn_outcomes[RN_OUTCOMES];

#endif
