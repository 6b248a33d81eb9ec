/* The states of a connection in the eyes of a switch (dataplane/switch), which follows the CM
 * messages of its clients. A client names such a state when it announces a connection to a switch
 * that has restarted. RN_TRACK_ROWS (switch/track_table.h) says what each state means. */
#ifndef RN_TRACK_STATE_H
#define RN_TRACK_STATE_H

enum rn_track_state {
	RN_TRACK_FREE,
	RN_TRACK_REQ_SENT,
	RN_TRACK_REP_RCVD,
	RN_TRACK_REQ_RCVD,
	RN_TRACK_REP_SENT,
	RN_TRACK_UP,
	RN_TRACK_DREQ_SENT,
	RN_TRACK_DREQ_RCVD,
	RN_TRACK_SIDR_SENT,
	RN_TRACK_SIDR_RCVD,
	RN_TRACK_PAIR,
	RN_TRACK_STATES /* number of states */
};

#endif
