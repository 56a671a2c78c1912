// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stats.js - tables about the range: time by task and state, event counts, wakeup latencies,
 * functions.
 *
 * All numbers come from the program (api/stats); this file only lays them out. Every table can be
 * sorted and copied as CSV.
 */
import * as api from './api.js';
import { STATE_NAMES } from './colours.js';
import { files_of_event, has_files } from './files.js';
import { list_button } from './single.js';
import { waker_words } from './a11y.js';
import { bar, button, cell, copy, csv, el, table } from './table.js';
import { clock, count, duration, seconds, share, some } from './units.js';

const STATES = [1, 2, 3, 5, 4, 7, 6, 8, 0];	/* columns by importance; columns after the fifth are shown only if they are not empty */

export function ask(app, what, more = {}) {
	const { from, to } = app.scope();
	return api.get('stats', { what, from, to, ...more }, 'stats');
}

/* Returns the object in which a panel keeps the state of a table between updates. */
export function kept_of(box, name = '') {
	box.tables ||= new Map();
	if (!box.tables.has(name))
		box.tables.set(name, {});
	return box.tables.get(name);
}

/* Replaces the content; keeps the scroll position and the row with the focus. */
export function refill(box, ...content) {
	const { scrollTop, scrollLeft } = box, key = box.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
	box.replaceChildren(...content);
	box.scrollTop = scrollTop;
	box.scrollLeft = scrollLeft;
	if (key !== undefined)
		[...box.querySelectorAll('tr.act')].find((tr) => tr.dataset.key === key)?.focus({ preventScroll: true });
}

/* Fills a panel: text on top, a table, and the button that copies the table. */
export function put(box, words, titles, rows, options, ...extra) {
	const view = table(titles, rows, { kept: kept_of(box, options.name), ...options });
	const head = el('div', 'panel-head', el('span', '', words), button('Copy as CSV', () => copy(csv(titles, rows))));
	refill(box, head, ...extra, view);
}

/*
 * Makes the span of a chosen row visible and selects it. The table does not change. show: the time
 * to make visible, {start, end, margin}; otherwise the time of the span.
 */
export async function go_to_span(app, lane, t, row = 0, show = null) {
	app.panels.hold();
	app.show_lane(lane);
	if (show)
		app.view.show(show.start, show.end, show.margin);
	try {
		const span = await app.span(lane, t, row, 'at', 'chosen');
		if (!span)
			return;
		app.select(span);
		if (!show)
			app.view.show(span.start, Math.max(span.end, span.start + 100), .5);
	} catch (error) {
		api.quiet(error);
	}
}

export function empty(box, text) {
	box.replaceChildren(el('p', 'empty', text));
}

/* Makes a bar with all states of a task, in proportion. */
function states_bar(app, states, span) {
	const strip = el('span', 'strip');
	for (const s of STATES) {
		if (!states[s])
			continue;
		const part = el('span', s === 2 || s === 3 ? 'hatch' : s === 0 ? 'missing' : '');
		part.style.width = `${states[s] / span * 100}%`;
		part.style.backgroundColor = app.colours.state(s);
		part.title = `${STATE_NAMES[s]} ${duration(states[s])}`;
		strip.append(part);
	}
	return strip;
}

/*
 * Formats the stolen part of a guest's running time; with "at least" if the host's trace is
 * incomplete.
 */
function stolen_cell(t) {
	const words = t.stolen_unknown ? (t.stolen ? `≥ ${duration(t.stolen)}` : 'unknown') : t.stolen ? duration(t.stolen) : '';
	return cell(words, 'num', t.stolen || 0);
}

export async function tasks_panel(app, box) {
	const stats = await ask(app, 'tasks'), span = Math.max(1, stats.to - stats.from);
	const tasks = stats.tasks.filter((t) => app.tasks[t.task]?.pid !== 0 && app.filters.keeps(t.task));
	if (!tasks.length)
		return empty(box, app.info.machines.some((m) => m.sched) ? 'No task did anything here.'
			: 'The trace has no scheduling events; record with -e sched to see what tasks did.');
	const columns = STATES.filter((s, i) => i < 5 || tasks.some((t) => t.states[s]));
	const of_guest = tasks.some((t) => t.stolen !== undefined);
	const titles = ['Task', 'States', ...columns.map((s) => STATE_NAMES[s]), ...(of_guest ? ['stolen'] : []), 'Switches', 'Woken', 'Moved', 'Preemptions', 'Longest wait'];
	const rows = tasks.map((t) => [
		cell(app.task_name(t.task)), cell(states_bar(app, t.states, span), 'wide', t.states[1]),
		...columns.map((s) => cell(t.states[s] ? duration(t.states[s]) : '', 'num', t.states[s])),
		...(of_guest ? [stolen_cell(t)] : []),
		...['switches', 'wakeups', 'migrations', 'preemptions'].map((k) => cell(t[k] ? count(t[k]) : '', 'num', t[k] || 0)),
		cell(t.max_wait ? `${t.max_wait_more ? '> ' : ''}${duration(t.max_wait)}` : '', 'num', t.max_wait || 0)]);
	const cpus = el('div', 'cpus');
	for (const c of stats.cpus)
		cpus.append(el('span', 'cpu', `CPU ${c.cpu}`, bar(c.busy / span), share(c.busy, span), c.stolen ? ` · ${share(c.stolen, span)} stolen` : '',
			c.unknown ? ` · ${share(c.unknown, span)} unknown` : ''));
	put(box, `${some(tasks.length, 'task')} in ${duration(span)}`, titles, rows, {
		sort: 2,
		key: (i) => tasks[i].task,
		click: (i) => {
			const t = tasks[i], task = app.tasks[t.task], lane = task && `task:${task.machine}:${task.pid}`;
			if (!task)
				return;
			if (t.max_wait)
				return go_to_span(app, lane, t.max_wait_at, 0, { start: app.view.from, end: app.view.to, margin: 0 });
			app.panels.hold();
			app.show_lane(lane);
		},
	}, cpus);
}

export async function events_panel(app, box) {
	const stats = await ask(app, 'events', { sel: app.filters.sel });
	if (!stats.total)
		return empty(box, 'No events here.');
	const most = Math.max(...stats.kinds.map(([, n]) => n)), { from, to } = app.scope(), files = has_files(app), long = seconds(to - from);
	const rows = stats.kinds.map(([n, events]) => {
		const kind = app.kinds[n];
		return [cell(kind ? `${kind.system}/${kind.name}` : `event ${n}`), ...(files ? [cell(kind ? files_of_event(app, kind) : '')] : []), cell(bar(events / most), 'wide', events),
			cell(count(events), 'num', events), cell(share(events, stats.total), 'num', events / stats.total),
			...(long > 0 ? [cell(count(events / long), 'num', events / long)] : [])];
	});
	put(box, `${some(stats.total, 'event')} of ${some(stats.kinds.length, 'kind')}`, ['Event', ...(files ? ['File'] : []), '', 'Count', 'Share', ...(long > 0 ? ['Per second'] : [])], rows, {
		sort: files ? 3 : 2,
		key: (i) => stats.kinds[i][0],
		click: (i) => {
			app.panels.hold();
			const kind = app.kinds[stats.kinds[i][0]];
			if (kind)
				app.show_lane(`event:${kind.machine || 0}:${kind.system}/${kind.name}`);
		},
	});
}

/* Makes a histogram as SVG, so that it prints well. */
function histogram(buckets) {
	const svg = (tag, attributes, text) => {
		const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
		Object.entries(attributes).forEach(([k, v]) => node.setAttribute(k, v));
		if (text)
			node.textContent = text;
		return node;
	};
	const wide = 58, left = 26, height = 110, most = Math.max(1, ...buckets.map((b) => b[2]));
	const root = svg('svg', { width: buckets.length * wide + 2 * left, height: height + 34, class: 'histogram', role: 'img', 'aria-label': 'Wakeup latencies' });
	buckets.forEach(([from, to, n], i) => {
		const h = n ? Math.max(1, n / most * (height - 16)) : 0, x = i * wide + left;
		const column = svg('rect', { x, y: height - h, width: wide - 4, height: h, class: 'column' });
		column.append(svg('title', {}, `${duration(from)} to ${duration(to)}: ${n}`));
		root.append(column, svg('text', { x: x + wide / 2 - 2, y: height - h - 4, class: 'n' }, n ? count(n) : ''),
			/* the label between two columns is the lower bound of the right column */
			svg('text', { x: x - 2, y: height + 13, class: 'edge' }, duration(from)));
		if (i === buckets.length - 1)
			root.append(svg('text', { x: x + wide - 2, y: height + 13, class: 'edge' }, duration(to)));
	});
	return root;
}

export async function wakeups_panel(app, box) {
	const task = app.hot >= 0 && app.tasks[app.hot]?.pid ? app.hot : undefined;
	const s = await ask(app, 'wakeups', { task, sel: app.filters.sel });
	const unknown = s.unknown ? `${some(s.unknown, 'task')} more ${s.unknown === 1 ? 'was' : 'were'} woken, and when ${s.unknown === 1 ? 'it' : 'they'} ran is not known: data is missing` : '';
	if (!s.n)
		return empty(box, unknown || (s.since.length ? 'No task was woken and ran here.'
			: 'The trace has no wakeups, so the time that tasks wait for a CPU is part of their sleep; record with -e sched_waking, or all of -e sched.'));
	const facts = el('div', 'facts');
	for (const [name, value] of [['wakeups', count(s.n)], ['shortest', duration(s.min)], ['average', duration(s.avg)],
		['half below', duration(s.p50)], ['90 % below', duration(s.p90)], ['99 % below', duration(s.p99)], ['longest', duration(s.max)]])
		facts.append(el('span', 'fact', el('b', '', value), name));
	const chart = el('div', 'chart', histogram(s.buckets));
	const rows = s.worst.map((w) => [cell(duration(w.wait), 'num strong', w.wait), cell(app.task_name(w.task)), cell(w.waker >= 0 ? waker_words(app, w) : '–'),
		cell(clock(w.woken), 'num', w.woken), cell(clock(w.ran), 'num', w.ran), cell(String(w.cpu), 'num', w.cpu)]);
	const since = s.since.length ? `From ${s.since.join(' or ')} to the sched_switch that lets it run` : 'From being woken to running';
	put(box, `${since}, ${task === undefined ? app.filters.whose : app.task_name(task)}${unknown ? `. ${unknown}` : ''}`,
		['Wait', 'Task', 'Woken by', 'Woken at', 'Ran at', 'CPU'], rows, {
			sort: 0,
			key: (i) => `${s.worst[i].task} ${s.worst[i].woken}`,
			click: (i) => {
				const w = s.worst[i], t = app.tasks[w.task];
				/*
				 * go to the end of the wait: at its begin, a task that is woken on
				 * its way to sleep still runs
				 */
				return t && go_to_span(app, `task:${t.machine}:${t.pid}`, Math.max(w.woken, w.ran - 1), 0, { start: w.woken, end: w.ran, margin: .6 });
			},
		}, facts, chart);
}

export async function functions_panel(app, box) {
	const task = app.hot >= 0 && app.tasks[app.hot]?.pid ? app.hot : undefined;
	const { functions, clock } = await ask(app, 'functions', { task });
	if (!functions || !functions.length)
		return empty(box, 'No functions were recorded here; record with -u or -p function_graph, or with spans of a program.');
	const most = Math.max(...functions.map((f) => f.self)), on_cpu = clock === 'cpu', cuts = functions.some((f) => f.cut);
	const who = app.tasks[task] || app.tasks.filter((t) => t && t.pid > 0).sort((a, b) => b.events - a.events)[0], { from, to } = app.scope();
	const list = (f) => who ? list_button(app, { lane: `calls:${who.machine}:${who.pid}`, name: f.name }, app.range ? null : { from, to }) : '';
	const rows = functions.map((f) => [cell(f.name, 'code'), cell(bar(f.self / most), 'wide', f.self), cell(count(f.calls), 'num', f.calls),
		...['self', 'total', 'avg', 'max', ...(on_cpu ? ['off'] : [])].map((k) => cell(f.calls ? duration(f[k]) : '', 'num', f[k])),
		...(cuts ? [cell(f.cut ? count(f.cut) : '', 'num', f.cut)] : []), cell(list(f), '', '')]);
	const whose = `${some(functions.length, 'function')}${task === undefined ? '' : ` of ${app.task_name(task)}`}`;
	put(box, on_cpu ? `${whose}: time on the CPU` : `${whose}: the trace has no switches of tasks, so the time they slept is in it`,
		['Function', '', 'Calls', 'Self', 'Total', 'Average', 'Longest', ...(on_cpu ? ['Off the CPU'] : []), ...(cuts ? ['Begin or end missing'] : []), ''], rows, {
			sort: 3,
			key: (i) => functions[i].name,
			click: (i) => app.panels.hold() || app.view.show(functions[i].max_at, functions[i].max_at + functions[i].max, .5),
		});
}
