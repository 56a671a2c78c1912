// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * why.js - what a task waited for: its critical path in the range.
 *
 * The program follows the task through its wakings (api/why): while the task slept, it waited for
 * its waker, which may have waited for its own waker. The path is drawn as a strip (each piece:
 * which task, in which state) and as a list, one sentence per piece.
 */
import * as api from './api.js';
import { go_to_span, kept_of, refill } from './stats.js';
import { STATE_NAMES } from './colours.js';
import { bar, button, cell, copy, csv, el, table } from './table.js';
import { clock, duration, share, some } from './units.js';

/* Makes a piece of the path visible and selects it; the path does not change. */
function go_to_piece(app, piece) {
	const t = app.tasks[piece.task], show = { start: piece.start, end: piece.end, margin: .4 };
	if (t && t.pid)
		return go_to_span(app, `task:${t.machine}:${t.pid}`, piece.start, 0, show);
	app.panels.hold();
	app.view.show(piece.start, piece.end, .4);
}

function strip(app, path, from, to) {
	const line = el('div', 'why-strip'), span = Math.max(1, to - from);
	for (const piece of path.slice(0, 3000)) {
		const b = el('button', piece.state === 2 || piece.state === 3 ? 'hatch' : piece.state === 5 ? 'rim' : piece.state === 0 ? 'missing' : '');
		b.style.left = `${(piece.start - from) / span * 100}%`;
		b.style.width = `${Math.max(.1, (piece.end - piece.start) / span * 100)}%`;
		b.style.backgroundColor = app.colours.state(piece.state);	/* the same colours as on the tracks */
		b.title = `${app.task_name(piece.task)}: ${piece.why} (${duration(piece.end - piece.start)})`;
		b.tabIndex = -1;
		b.addEventListener('click', () => go_to_piece(app, piece));
		line.append(b);
	}
	return line;
}

function sums_table(app, sums, span) {
	const rows = sums.map((s) => [cell(app.task_name(s.task)), cell(STATE_NAMES[s.state] || 'unknown'),
		cell(bar(s.ns / span, app.colours.state(s.state)), 'wide', s.ns),
		cell(duration(s.ns), 'num', s.ns), cell(share(s.ns, span), 'num', s.ns / span)]);
	return table(['Task', 'State', '', 'Time', 'Share'], rows, { sort: 3 });
}

/* Names the tasks that occupied the CPU for which the task waited, or that the host took. */
function had_table(app, had, span, words) {
	if (!had?.length)
		return '';
	const rows = had.slice(0, 200).map((h) => [cell(app.tasks[h.task]?.pid === 0 ? 'nobody (idle)' : app.task_name(h.task)),
		cell(bar(h.ns / span, app.colours.state(1)), 'wide', h.ns), cell(duration(h.ns), 'num', h.ns), cell(share(h.ns, span), 'num', h.ns / span)]);
	return el('div', '', el('p', 'dim', words), table(['Task', '', 'Time', 'Share'], rows, { sort: 2 }));
}

export async function why_panel(app, box) {
	const chosen = app.tasks[app.hot]?.pid ? app.hot : app.why_task;
	if (chosen < 0 || !app.tasks[chosen] || app.tasks[chosen].pid === 0) {
		box.replaceChildren(el('p', 'empty', 'Select a task (a span of it, on any track), and a range if you like: here is then what it waited for.'));
		return;
	}
	app.why_task = chosen;
	const { from, to } = app.scope(), answer = await api.get('why', { task: chosen, from, to }, 'why');
	const { path } = answer, span = Math.max(1, answer.to - answer.from);
	if (!path.length) {
		box.replaceChildren(el('p', 'empty', `${app.task_name(chosen)} did nothing here.`));
		return;
	}
	const titles = ['At', 'Time', 'Task', 'State', 'CPU', 'Why'];
	const rows = path.map((p) => {
		const who = el('span', '', app.task_name(p.task));
		who.style.paddingLeft = `${Math.min(8, p.depth || 0) * 14}px`;
		return [cell(clock(p.start), 'num', p.start), cell(duration(p.end - p.start), 'num strong', p.end - p.start), cell(who),
			cell(STATE_NAMES[p.state] || 'unknown'), cell(p.cpu >= 0 ? String(p.cpu) : '', 'num', p.cpu), cell(p.why || '')];
	});
	const list = table(titles, rows, { kept: kept_of(box), key: (i) => `${path[i].task} ${path[i].start}`, click: (i) => go_to_piece(app, path[i]) });
	const head = el('div', 'panel-head', el('span', '', `What ${app.task_name(chosen)} waited for: ${some(path.length, 'piece')}, ${duration(span)}`),
		button('Show all their tracks', () => {
			const before = app.lanes.list.length;
			[...new Set(path.map((p) => p.task))].slice(0, 30).map((n) => app.tasks[n]).filter((t) => t?.pid)
				.forEach((t) => app.lanes.add(`task:${t.machine}:${t.pid}`));
			const n = app.lanes.list.length - before;
			app.hint(n ? `${some(n, 'track')} added.` : 'All of them have a track already.');
		}), button('Copy as CSV', () => copy(csv(titles, rows))));
	refill(box, head, strip(app, path, answer.from, answer.to),
		el('div', 'two', el('div', '', list), el('div', '', sums_table(app, answer.sums || [], span), had_table(app, answer.had, span, 'Who had the CPUs that were waited for:'),
			had_table(app, answer.stolen_by, span, 'Who had the CPUs of the host while virtual ones were to run:'))));
}
