// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spans.js - how long interrupts, system calls, functions and pairs take in the range, by name.
 *
 * The numbers come from the program (api/stats what=spans), for whole spans: a span that the range
 * cuts counts with its full length. The user selects the tracks above the table: the shown ones,
 * the selected one, or all of a kind; also pairs that follow from the names of events (pairs.js). A
 * click on a row goes to its longest span. The button of a row opens the list of all spans with
 * that name (single.js).
 */
import { split } from './lanes.js';
import { known_pairs } from './pairs.js';
import { ask, empty, go_to_span, put } from './stats.js';
import { list_button, single_panel } from './single.js';
import { bar, cell, el } from './table.js';
import { count, duration, some } from './units.js';

const MOST = 256;	/* maximum number of lanes per request */

/* kind of lane: [its name, its name in info.has, true if the page can list all of them] */
const KINDS = {
	irq: ['Interrupts', 'irq', 'cpus'],
	softirq: ['Soft interrupts', 'softirq', 'cpus'],
	sys: ['System calls', 'syscalls', 'tasks'],
	calls: ['Functions', 'calls', 'tasks'],
	cpucalls: ['Functions on CPUs'],
	vcpu: ['Virtual CPUs'],
	pair: ['Between events'],
};

function all_of(app, kind) {
	if (KINDS[kind][2] === 'cpus')
		return app.info.machines.flatMap((m) => m.cpus.map((cpu) => `${kind}:${m.n}:${cpu}`));
	return app.tasks.filter((t) => t && t.pid > 0).sort((a, b) => b.events - a.events)
		.map((t) => `${kind}:${t.machine}:${t.pid}`);
}

/* Returns what can be counted: [id, words, lanes]. Empty choices are omitted. */
function choices(app) {
	const shown = app.lanes.list.filter((lane) => KINDS[lane.type] && !lane.refused && !app.lanes.hidden(lane)).map((lane) => lane.spec);
	const chosen = app.selection?.lane, out = [['shown', `Tracks that are shown (${shown.length})`, shown]];
	if (chosen && KINDS[split(chosen).type]) {
		const [name, more] = app.lanes.name({ spec: chosen, ...split(chosen) });
		out.push(['selected', `The selected one: ${name} ${more}`, [chosen]]);
	}
	for (const [kind, [words, has, all]] of Object.entries(KINDS))
		if (all && app.info.has[has])
			out.push([kind, `${words} of all ${all === 'cpus' ? 'CPUs' : 'tasks'}`, all_of(app, kind)]);
	const pairs = known_pairs(app.kinds).map(({ spec }) => spec);
	out.push(['pairs', `Pairs of events that are called so (${pairs.length})`, pairs]);
	return out.filter(([, , lanes]) => lanes.length);
}

/*
 * Returns "Interrupts" or "softirq_raise → softirq_entry", with the machine if there are several.
 */
function kind_name(app, spec) {
	const lane = { spec, ...split(spec) }, { machines } = app.info;
	const name = lane.type === 'pair' ? app.lanes.name(lane)[0] : KINDS[lane.type][0];
	return machines.length > 1 ? `${name}, ${machines.find((m) => m.n === lane.machine)?.name}` : name;
}

function row_of(app, row, most, cuts, range) {
	const time = (key) => cell(duration(row[key]), 'num', row[key] ?? 0), strong = row.name === undefined ? ' strong' : '';
	return [cell(kind_name(app, row.of), 'least'), cell(row.name ?? 'all', `code${strong}`), cell(bar((row.total || 0) / most), 'wide', row.total || 0),
		cell(count(row.n), 'num', row.n), ...['total', 'avg', 'min', 'p50', 'p95', 'p99'].map(time), cell(duration(row.max), `num${strong}`, row.max ?? 0),
		...(cuts ? [cell(row.cut ? count(row.cut) : '', 'num', row.cut)] : []),
		cell(row.name === undefined ? '' : list_button(app, { lane: row.max_lane || row.of, name: row.name }, range), '', '')];
}

function chooser(app, list, current) {
	const select = el('select', 'small');
	select.setAttribute('aria-label', 'Which tracks are counted');
	for (const [id, words] of list) {
		const option = el('option', '', words);
		option.value = id;
		option.selected = id === current;
		select.append(option);
	}
	select.addEventListener('change', () => {
		app.spans_of = select.value;
		app.emit('spans');
	});
	return select;
}

export async function spans_panel(app, box) {
	if (app.single)
		return single_panel(app, box);
	const list = choices(app);
	if (!list.length)
		return empty(box, 'The trace has no interrupts, system calls or functions; record with -e irq, -e raw_syscalls, -p function_graph or -u, or add a track of a pair of events.');
	const [id, , lanes] = list.find(([name]) => name === app.spans_of) || list[0];
	const stats = await ask(app, 'spans', { lanes: lanes.slice(0, MOST).join(',') });
	const n = stats.rows.filter((r) => r.name === undefined).reduce((sum, r) => sum + r.n, 0);
	const words = [`${some(n, 'span')} that ${n === 1 ? 'touches' : 'touch'} the range, with ${n === 1 ? 'its' : 'their'} whole length`];
	if (lanes.length > MOST)
		words.push(`of the ${MOST} tasks with the most events`);
	if (stats.too_many)
		words.push('too many for quantiles: zoom in');
	if (stats.more)
		words.push('only the names with the most time');
	if (stats.parts_of)
		words.push(`very many events: computed in parts of ${duration(stats.parts_of)}, a span that reaches far beyond its part counts as one whose begin or end is missing`);
	if (stats.refused.length)
		words.push(`${some(stats.refused.length, 'track')} cannot be had: ${stats.refused[0].why}`);
	const range = app.range ? null : { from: stats.from, to: stats.to };
	const rows = stats.rows.filter((r) => r.n || r.cut), cuts = rows.some((r) => r.cut), most = Math.max(1, ...rows.map((r) => r.total || 0));
	put(box, words.join('; '), ['Kind', 'Name', '', 'Count', 'Total', 'Average', 'Shortest', 'Half below', '95 % below', '99 % below', 'Longest',
		...(cuts ? ['Begin or end missing'] : []), ''], rows.map((r) => row_of(app, r, most, cuts, range)), {
			sort: 4,
			key: (i) => `${rows[i].of} ${rows[i].name ?? ''}`,
			click: (i) => {
				const r = rows[i];
				return r.n && go_to_span(app, r.max_lane, r.max_at, r.max_row, { start: r.max_at, end: r.max_at + r.max, margin: .5 });
			},
		});
	box.firstChild.prepend(chooser(app, list, id));
	if (!rows.length)
		box.append(el('p', 'empty', 'None of these tracks has a span here.'));
}
