// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * signals.c - signals that switch the recording on or off, or end it (--signal).
 *
 * The handler is set before the program starts. If the program sets a handler of its own for the
 * same signal, that one gets the signal, and the recording does not. If the signal is ignored when
 * the program starts, it stays ignored.
 */
#include "runtime/runtime_int.h"

#include <signal.h>

static void act(int number)
{
	if (number > 0 && number < (int)SNRT_SIGNALS_MAX)
		snrt_rules_act(snrt_process.shared->general.on_signal[number]);
}

void snrt_signals_take(void)
{
	for (int i = 1; i < (int)SNRT_SIGNALS_MAX; i++) {
		struct sigaction action = {.sa_handler = act, .sa_flags = SA_RESTART}, old;

		if (!snrt_process.shared->general.on_signal[i] || sigaction(i, NULL, &old) ||
		    old.sa_handler != SIG_DFL)
			continue;
		sigaction(i, &action, NULL);
	}
}
