/* The scripted runs as data. */
#ifndef SIM_SCENARIOS_H
#define SIM_SCENARIOS_H

#include "sim.h"

struct scenario_step {
	rn_time at; /* time after the start */
	unsigned node;
	struct sim_op op;
};

struct scenario {
	const char *name;
	void (*tune)(struct sim_spec *spec);
	struct scenario_step steps[12]; /* in order of time; the end has kind 0 */
	struct {
		/* the nth frame (counted from 1) of node `from` is lost */
		unsigned from, nth;
	} lost[6];
	rn_time until; /* 0 = 30 s */
	const char *transcript;
	const char *completions;
};

extern const struct scenario scenarios[];
extern const unsigned scenario_count;

#endif
