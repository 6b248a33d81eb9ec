/* The scripted runs of test_scenarios, as data. */
#ifndef SIM_SCENARIOS_H
#define SIM_SCENARIOS_H

#include "sim.h"

struct scenario_step {
	rn_time at; /* time since the start of the run */
	unsigned node;
	struct sim_op op;
};

struct scenario {
	const char *name;
	void (*tune)(struct sim_spec *spec);
	struct scenario_step steps[12]; /* in order of time; ended by a step of kind 0 */
	struct {
		/* The link loses the nth frame (from 1) of node `from`. nth 0 ends the array. */
		unsigned from, nth;
	} lost[6];
	rn_time until; /* length of the run; 0 = 30 s */
	const char *transcript;
	const char *completions;
};

extern const struct scenario scenarios[];
extern const unsigned scenario_count;

#endif
