// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * single.js - the single spans of one name, with their lengths: all runs of an interrupt, all calls
 * of a function, all times in which a task was blocked.
 *
 * The list is a page of the panel Spans, opened from the details of a span, from a row of Spans or
 * Functions, or with K. The program counts all spans and lists the first thousand in the wanted
 * order (api/stats what=list): by length or by start, ascending or descending. app.single describes
 * the list:
 *
 *	lane         a lane with such spans; the same kind on all CPUs or of all tasks is listed
 *	name, value  of interrupts, calls … the name; of CPUs the task number, of tasks the state number
 *	range        used if the user has no range: that of the previous table, or all; null: visible time
 *	order        longest, shortest, first, last
 */
import * as api from './api.js';
import { split } from './lanes.js';
import { STATE_NAMES } from './colours.js';
import { empty, go_to_span, put } from './stats.js';
import { bar, button, cell } from './table.js';
import { clock, count, duration, some } from './units.js';
import { call_text } from './values.js';

const MOST = 256;	/* maximum number of lanes per request */
const ORDERS = { longest: [1, true], shortest: [1, false], first: [0, false], last: [0, true] };	/* column, descending */
const NAMED = ['irq', 'softirq', 'sys', 'calls', 'cpucalls', 'vcpu', 'pair'];

/* Returns what can be listed for a span; null: nothing for this kind. */
export function single_of(app, span) {
	if (!span?.lane)
		return null;
	const { type } = split(span.lane);
	if (NAMED.includes(type))
		return span.label ? { lane: span.lane, name: span.label } : null;
	return type === 'cpu' || type === 'task' ? { lane: span.lane, value: span.value } : null;
}

/*
 * Shows the list. range: the range of the table that leads to the list; otherwise the whole trace.
 */
export function show_single(app, what, range = null) {
	if (!what)
		return app.note('Select a span of an interrupt, a call, a CPU or a task first: then all of its name are listed.', true);
	app.single = { order: 'longest', range: range || { from: 0, to: app.view.end }, ...what };
	app.panels.show('spans');
	app.emit('spans');
}

/* Makes the button that lists the single spans of a row. */
export function list_button(app, what, range) {
	const b = button('List', () => show_single(app, what, range), 'The single spans of this name, with their lengths (K)');
	b.tabIndex = -1;	/* K does the same */
	b.classList.add('lists');
	return b;
}

/*
 * Returns the lanes with spans of this name: the same kind of lane on all CPUs or of all tasks. If
 * there are too many, returns the busiest lanes.
 */
function lanes_of(app, lane) {
	const { type, machine } = split(lane), cpus = app.info.machines.find((m) => m.n === machine)?.cpus || [];
	if (['cpu', 'irq', 'softirq', 'cpucalls'].includes(type))
		return cpus.map((cpu) => `${type}:${machine}:${cpu}`);
	if (type === 'sys' || type === 'calls') {
		const tasks = app.tasks.filter((t) => t && t.pid > 0 && t.machine === machine).sort((a, b) => b.events - a.events);
		return [...new Set([lane, ...tasks.map((t) => `${type}:${machine}:${t.pid}`)])].slice(0, MOST);
	}
	return [lane];
}

function title(app, { lane, name, value }) {
	const { type, id, machine } = split(lane);
	if (name !== undefined)
		return name;
	return type === 'cpu' ? `${app.task_name(value)}, on a CPU` : `${app.task_name(app.task_of(machine, Number(id))?.n)}, ${STATE_NAMES[value] || 'unknown'}`;
}

function track(app, spec) {
	const lane = { spec, ...split(spec) };
	return app.lanes.name(lane).filter(Boolean).join(' ');
}

function words(app, stats, order, lanes) {
	const out = [`${some(stats.n, 'span')} of this name in the range`, stats.n > stats.cut ? `${duration(stats.total)} together` : ''];
	if (stats.cut)
		out.push(`${count(stats.cut)} without begin or end`);
	if (stats.n > stats.rows.length)
		out.push(`the ${count(stats.rows.length)} ${order} are listed`);
	if (lanes.length === MOST)
		out.push(`of the ${MOST} tasks with the most events`);
	if (stats.refused.length)
		out.push(`${some(stats.refused.length, 'track')} cannot be had: ${stats.refused[0].why}`);
	return out.filter(Boolean).join('; ');
}

/* Fills the panel Spans with the list, instead of the table by name. */
export async function single_panel(app, box) {
	const { single } = app, { lane, name, value, order } = single, lanes = lanes_of(app, lane), range = app.range ? null : single.range, { from, to } = range || app.scope();
	const stats = await api.get('stats', { what: 'list', lanes: lanes.join(','), name, value, order, from, to }, 'stats');
	if (app.single !== single)
		return;
	const back = button('‹ All names', () => {
		app.single = null;
		app.emit('spans');
	}, 'Back to the table by name');
	const { rows } = stats, most = Math.max(1, ...rows.map((r) => r.end - r.start)), [column, down] = ORDERS[order];
	const valued = rows.some((r) => r.args !== undefined || r.ret !== undefined);
	if (!rows.length) {
		empty(box, `No span of ${title(app, single)} touches this range.`);
		box.prepend(back);
	} else {
		put(box, words(app, stats, order, lanes), ['Start', 'Duration', '', ...(valued ? ['Call'] : []), 'Track'], rows.map((r) => [cell(clock(r.start), 'num', r.start),
			cell(`${r.cut ? '≥ ' : ''}${duration(r.end - r.start)}`, 'num strong', r.end - r.start), cell(bar((r.end - r.start) / most), 'wide', r.end - r.start),
			...(valued ? [cell(call_text(name, r), 'code')] : []), cell(track(app, r.lane))]), {
			name: 'single', sort: column, down, sortable: [0, 1],
			key: (i) => `${rows[i].lane} ${rows[i].row} ${rows[i].start}`,
			click: (i) => go_to_span(app, rows[i].lane, rows[i].start, rows[i].row),
			resort: (i, is_down) => {
				single.order = Object.keys(ORDERS).find((id) => ORDERS[id][0] === i && ORDERS[id][1] === is_down);
				app.emit('spans');
			},
		});
		const said = document.createElement('b');
		said.textContent = title(app, single);
		said.className = 'code';
		box.firstChild.prepend(back, said);
	}
	if (range)
		app.panels.hold(range);
}

/* Formats the list for the address: lane@name, lane@=value. */
export function single_text(app) {
	const s = app.single;
	return s ? `${s.lane}@${s.name ?? `=${s.value}`}` : '';
}

export function single_parse(app, text) {
	const at = text.indexOf('@'), rest = text.slice(at + 1), value = rest.match(/^=(\d+)$/);
	app.single = at < 1 || !rest ? null
		: { lane: text.slice(0, at), order: 'longest', range: { from: 0, to: app.view.end }, ...(value ? { value: Number(value[1]) } : { name: rest }) };
}
