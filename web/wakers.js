// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wakers.js - go from a span to the waker of its task, or to a task that its task woke.
 *
 * If the waker has a track, the span of that moment is selected there. The idle task has no track:
 * if it is the waker, an interrupt on an idle CPU woke the task. Then the page goes to the
 * interrupt if the trace has it, otherwise to the CPU, and selects the waking event.
 */
import * as api from './api.js';

function take(app, span) {
	app.select(span);
	app.view.reveal(span.start, span.end);
}

/* Goes to an idle CPU at t: [machine, cpu]; ref: the waking event, if it is known. */
async function go_to_idle(app, machine, cpu, t, ref) {
	for (const type of ['irq', 'softirq']) {
		const lane = `${type}:${machine}:${cpu}`, span = app.info.has[type] ? await app.span(lane, t, 0, 'at') : null;
		if (!span)
			continue;
		app.show_lane(lane);
		take(app, span);
		return;
	}
	app.show_lane(`cpu:${machine}:${cpu}`);
	if (ref !== undefined && ref >= 0 && ref < 2 ** 53)
		await app.select_event(ref);
	else
		app.view.reveal(t);
	app.hint(`CPU ${cpu} was idle then: an interrupt woke the task. The trace does not say which one.`);
}

async function go_to_task(app, task, t, step) {
	const lane = `task:${task.machine}:${task.pid}`, span = await app.span(lane, t, 0, step);
	app.show_lane(lane);
	if (span)
		take(app, span);
	else
		app.hint(`The state of ${app.task_name(task.n)} at that time is unknown.`);
}

/* Finds the waking of a task at t, or the last waking before t. */
async function waking_before(app, n, t) {
	const here = await api.get('arrows', { from: t, to: t, task: n, max: 100 });
	const of = (list) => list.filter((a) => a[3] === n && a[0] <= t).pop();
	return of(here.arrows) || of(app.arrows.list);
}

/* Goes to the waker of the task of a span. */
export async function go_to_waker(app, s, n = app.hot) {
	const arrow = await waking_before(app, n, s.start), known = s.waker >= 0 ? s.waker : arrow?.[1];
	const waker = app.tasks[known], t = s.waker >= 0 ? s.start : arrow?.[0];
	if (!waker)
		return app.hint('The waker is unknown: the trace has no wakeup before this.');
	if (waker.pid)
		return go_to_task(app, waker, t, 'nearest');
	const cpu = s.irq?.cpu ?? arrow?.[2];
	if (cpu === undefined || cpu < 0)
		return app.hint('An idle CPU woke it; which one is unknown.');
	return go_to_idle(app, waker.machine, cpu, t, s.waker >= 0 ? s.first : undefined);
}

/* Goes to the next task that the task of a span woke. */
async function go_to_woken(app, s) {
	const arrow = app.arrows.list.find((a) => a[1] === app.hot && a[0] >= s.start && a[3] !== app.hot), task = app.tasks[arrow?.[3]];
	if (!task?.pid)
		return app.hint(app.arrows.on ? 'It woke no task after this in the visible time.' : 'The arrows of wakeups are off (H), so wakers are unknown.');
	return go_to_task(app, task, arrow[4], 'at');
}

export function follow_wakeup(app, back) {
	const s = app.selection;
	if (!s || !s.lane || app.hot < 0)
		return app.hint('Select a span of a task first.');
	return back ? go_to_waker(app, s) : go_to_woken(app, s);
}
