// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sql.js - the panel SQL: a query, and its rows as a table, a chart or a track.
 *
 *	table   a time in it is a link to the timeline
 *	chart   rows with a time: a value over time; others: a bar for each row
 *	track   rows with a time, below each other by name or task, over the visible part of the timeline
 *
 * The program answers api/sql (doc/VIEWER.md). Times in SQL are those of the trace's clock; the page
 * counts from the start of the trace. A click on a time, a point, a bar or a box with a time goes
 * there: to the event, if there is one at that time.
 */
import * as api from './api.js';
import { go_to_time } from './moments.js';
import { button, cell, copy, csv, el, table } from './table.js';
import { clock, count, duration, some } from './units.js';

const ROWS = 1000;		/* rows that are fetched; more only for who exports */
const BARS = 60;
const STRIPS = 24;
const SVG = 'http://www.w3.org/2000/svg';
const FIRST = 'SELECT name, count(*) AS n FROM event GROUP BY name ORDER BY n DESC';
const TIMES = /^(ts|first_ts|last_ts|start|.*_ts)$/;

const drawn = (tag, attributes, ...children) => {
	const node = document.createElementNS(SVG, tag);
	for (const [key, value] of Object.entries(attributes))
		node.setAttribute(key, value);
	node.append(...children);
	return node;
};

/* --- what the columns are ----------------------------------------------------------------------- */

const is_number = (value) => typeof value === 'number';

/* The columns of an answer by their use: times, a length, numbers, names. */
function uses(answer) {
	const { columns, rows } = answer, all = columns.map((name, i) => i);
	const numeric = (i) => rows.some((row) => row[i] !== null) && rows.every((row) => row[i] === null || is_number(row[i]) || /^-?\d+$/.test(row[i]));
	const times = all.filter((i) => TIMES.test(columns[i]) && numeric(i));
	const length = all.find((i) => /^(dur|.*_dur)$/.test(columns[i]) && numeric(i));
	const ids = /^(id|.*_id|utid|upid|tid|pid|cpu)$/;
	const numbers = all.filter((i) => numeric(i) && !times.includes(i));
	return {
		times, length,
		value: numbers.filter((i) => !ids.test(columns[i])).pop() ?? numbers.find((i) => i !== 0),
		name: all.find((i) => !times.includes(i) && !numeric(i)) ?? all.find((i) => ids.test(columns[i])) ?? 0,
	};
}

/* A time of the trace's clock, since the start of the trace; null: it is outside. */
function since_start(app, value) {
	if (value === null || value === undefined)
		return null;
	const t = Number(BigInt(value) - BigInt(app.info.origin || 0));
	return t >= 0 && t <= app.info.duration ? t : null;
}

/* --- going there -------------------------------------------------------------------------------- */

/* A row with a length becomes the range; without, the event at its time is selected. */
function go(app, t, length = 0) {
	if (length > 0) {
		app.set_range(t, t + length);
		app.view.show(t, t + length, .5);
		return null;
	}
	return go_to_time(app, { t, slack: 0 }).catch(api.quiet);
}

const length_of = (use, row) => use.length === undefined ? 0 : Number(row[use.length]) || 0;

/* --- the rows as a table ------------------------------------------------------------------------ */

function time_cell(app, use, row, i) {
	const t = since_start(app, row[i]);
	if (t === null)
		return cell(String(row[i] ?? ''), 'num', Number(row[i] ?? 0));
	const link = el('button', 'time', clock(t));
	link.type = 'button';
	link.title = 'Show this time in the timeline';
	link.addEventListener('click', () => go(app, t, length_of(use, row)));
	return { content: link, cls: 'num', text: String(row[i]), value: Number(row[i]) };
}

function any_cell(app, answer, use, row, i) {
	const value = row[i];
	if (use.times.includes(i))
		return time_cell(app, use, row, i);
	if (value === null)
		return cell('', 'num', -Infinity);
	if (i === use.length || /^(dur|.*_dur)$/.test(answer.columns[i]))
		return { ...cell(duration(Number(value)), 'num', Number(value)), text: String(value) };
	return is_number(value) ? cell(Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(9))), 'num', value) : cell(String(value));
}

function as_table(app, answer, use) {
	const rows = answer.rows.map((row) => row.map((value, i) => any_cell(app, answer, use, row, i)));
	return table(answer.columns, rows, { sort: -1, kept: {} });
}

/* --- the rows as a chart ------------------------------------------------------------------------ */

/* Makes a shape act on a click and on Enter. */
function act(node, label, what) {
	node.append(drawn('title', {}, label));
	node.setAttribute('tabindex', '0');
	node.setAttribute('role', 'button');
	node.setAttribute('aria-label', label);
	node.classList.add('act');
	node.addEventListener('click', what);
	node.addEventListener('keydown', (event) => event.key === 'Enter' && what());
	return node;
}

function bars(app, answer, use) {
	const rows = answer.rows.slice(0, BARS), high = 18, left = 220, wide = 760;
	const most = Math.max(...rows.map((row) => Math.abs(Number(row[use.value]))), 0) || 1;
	const svg = drawn('svg', { width: left + wide + 120, height: rows.length * high + 4, class: 'chart', role: 'group', 'aria-label': `${answer.columns[use.value]} by ${answer.columns[use.name]}` });
	rows.forEach((row, i) => {
		const value = Number(row[use.value]), name = String(row[use.name] ?? ''), y = i * high + 2;
		const text = use.value === use.length ? duration(value) : count(value) === '–' ? '' : String(row[use.value]);
		const bar = drawn('rect', { x: left, y, width: Math.max(1, Math.abs(value) / most * wide), height: high - 4 });
		const t = use.times.length ? since_start(app, row[use.times[0]]) : null;
		svg.append(drawn('text', { x: left - 8, y: y + 11, 'text-anchor': 'end' }, name.length > 34 ? `${name.slice(0, 33)}…` : name),
			t === null ? bar : act(bar, `${name}: ${text}, at ${clock(t)}`, () => go(app, t, length_of(use, row))),
			drawn('text', { x: left + 8 + Math.max(1, Math.abs(value) / most * wide), y: y + 11 }, text));
	});
	return [svg, rows.length < answer.rows.length ? el('p', 'empty', `The chart shows the first ${BARS} rows.`) : ''];
}

function points(app, answer, use) {
	const wide = 1000, high = 180, left = 90, bottom = 20;
	const list = answer.rows.map((row) => ({ row, t: since_start(app, row[use.times[0]]), v: Number(row[use.value]) }))
		.filter(({ t, row }) => t !== null && row[use.value] !== null);
	if (!list.length)
		return [el('p', 'empty', 'No row has a time within the trace.')];
	const from = Math.min(...list.map((p) => p.t)), to = Math.max(...list.map((p) => p.t), from + 1);
	const low = Math.min(0, ...list.map((p) => p.v)), top = Math.max(...list.map((p) => p.v), low + 1);
	const show = (v) => use.value === use.length ? duration(v) : String(v);
	const svg = drawn('svg', { width: left + wide + 20, height: high + bottom + 10, class: 'chart', role: 'group', 'aria-label': `${answer.columns[use.value]} over time` });
	for (const v of [low, top])
		svg.append(drawn('text', { x: left - 8, y: 8 + (top - v) / (top - low) * high, 'text-anchor': 'end' }, show(v)));
	svg.append(drawn('line', { x1: left, x2: left + wide, y1: high + 4, y2: high + 4 }),
		drawn('text', { x: left, y: high + bottom }, clock(from)), drawn('text', { x: left + wide, y: high + bottom, 'text-anchor': 'end' }, clock(to)));
	for (const { row, t, v } of list)
		svg.append(act(drawn('circle', { cx: left + (t - from) / (to - from) * wide, cy: 4 + (top - v) / (top - low) * high, r: 3 }),
			`${row[use.name] ?? ''} ${show(v)}, at ${clock(t)}`, () => go(app, t, length_of(use, row))));
	return [svg];
}

function as_chart(app, answer, use) {
	if (use.value === undefined)
		return [el('p', 'empty', 'A chart needs a column of numbers.')];
	return use.times.length && use.value !== use.times[0] ? points(app, answer, use) : bars(app, answer, use);
}

/* --- the rows as a track ------------------------------------------------------------------------ */

/* Boxes of the rows in strips by name, over the time that the timeline shows. */
function as_track(app, answer, use) {
	if (!use.times.length)
		return [el('p', 'empty', 'A track needs a column ts; a column dur gives its rows a length.')];
	const strips = new Map(), high = 18, left = document.getElementById('labels').offsetWidth, wide = document.getElementById('paint').offsetWidth;
	for (const row of answer.rows) {
		const name = String(row[use.name] ?? ''), t = since_start(app, row[use.times[0]]);
		if (t === null || (!strips.has(name) && strips.size === STRIPS))
			continue;
		if (!strips.has(name))
			strips.set(name, []);
		strips.get(name).push({ row, t });
	}
	const svg = drawn('svg', { width: left + wide, height: strips.size * high + 4, class: 'chart track', role: 'group', 'aria-label': 'rows over the visible time' });
	let y = 2;
	for (const [name, list] of strips) {
		svg.append(drawn('text', { x: 8, y: y + 12 }, name));
		for (const { row, t } of list) {
			const length = length_of(use, row), x0 = app.view.x(t), x1 = app.view.x(t + length);
			if (x1 < 0 || x0 > wide)
				continue;
			const x = Math.max(0, x0);
			svg.append(act(drawn('rect', { x: left + x, y, width: Math.max(2, Math.min(wide, x1) - x), height: high - 4 }),
				`${name}${length ? ` for ${duration(length)}` : ''}, at ${clock(t)}`, () => go(app, t, length)));
		}
		y += high;
	}
	return [svg];
}

/* --- the panel ---------------------------------------------------------------------------------- */

const VIEWS = [['table', 'Table', (app, answer, use) => [as_table(app, answer, use)]], ['chart', 'Chart', as_chart], ['track', 'Track', as_track]];

class Page {
	constructor(app, box) {
		this.app = app;
		this.view = 'table';
		this.answer = null;
		this.input = el('textarea', 'code');
		this.input.id = 'sql-query';
		this.input.rows = 4;
		this.input.spellcheck = false;
		this.input.value = FIRST;
		this.input.setAttribute('aria-label', 'SQL query');
		this.input.addEventListener('keydown', (event) => this.key(event));
		this.ready = el('select', 'small', el('option', '', 'Ready-made queries…'));
		this.ready.setAttribute('aria-label', 'Ready-made queries');
		this.ready.addEventListener('change', () => this.choose());
		this.switches = VIEWS.map(([id, title]) => {
			const b = button(title, () => this.show(id));
			b.id = `sql-as-${id}`;
			return b;
		});
		this.run_button = button('Run', () => this.run(), 'Run the query (Ctrl+Enter)');
		this.run_button.id = 'sql-run';
		this.note = el('p', 'note');
		this.note.id = 'sql-note';
		this.note.setAttribute('role', 'status');
		this.result = el('div', 'result');
		this.result.id = 'sql-result';
		const which = el('span', 'which', ...this.switches);
		box.replaceChildren(el('div', 'sql', this.input, el('div', 'row', this.run_button, this.ready, which,
			button('Copy as CSV', () => this.copy()))), this.note, this.result);
		app.on('view', () => this.view === 'track' && app.panels.current === 'sql' && this.draw());
		this.load();
		this.show(this.view);
	}

	async load() {
		try {
			this.list = await api.get('queries', {}, 'queries');
			this.ready.append(...this.list.map(({ name, summary }) => {
				const option = el('option', '', `${name}: ${summary}`);
				option.value = name;
				return option;
			}));
		} catch (error) {
			api.quiet(error);
		}
	}

	key(event) {
		event.stopPropagation();	/* letters are no commands here */
		if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
			event.preventDefault();
			this.run();
		} else if (event.key === 'Escape') {
			this.run_button.focus();
		}
	}

	choose() {
		const found = this.list?.find(({ name }) => name === this.ready.value);
		if (found) {
			this.input.value = found.sql.trim();
			this.run();
		}
		this.ready.selectedIndex = 0;
	}

	async run() {
		this.note.textContent = 'The query runs …';
		this.note.className = 'note';
		try {
			this.answer = await api.post('sql', { query: this.input.value, rows: ROWS }, 'sql');
			this.draw();
			this.say();
		} catch (error) {
			if (error.gone)
				return;
			this.note.className = 'note bad';
			this.note.textContent = error.message;
		}
		this.result.dataset.runs = String(Number(this.result.dataset.runs || 0) + 1);
	}

	/* The number of rows, or what is wrong, with the place marked. */
	say() {
		const { error, at, length, rows, more } = this.answer;
		this.note.className = error ? 'note bad' : 'note';
		if (error) {
			this.note.textContent = /[.?]$/.test(error) ? error : `${error}.`;
			if (at !== undefined) {
				/* the program counts bytes */
				const before = new TextDecoder().decode(new TextEncoder().encode(this.input.value).slice(0, at)).length;
				this.input.focus();
				this.input.setSelectionRange(before, before + Math.max(1, length));
			}
			return;
		}
		this.note.textContent = !rows ? 'The query has no rows.' : more ? `The first ${some(rows.length, 'row')}; sonde sql prints all.` : `${some(rows.length, 'row')}.`;
	}

	show(id) {
		this.view = id;
		VIEWS.forEach(([other], i) => this.switches[i].setAttribute('aria-pressed', String(other === id)));
		this.draw();
	}

	draw() {
		if (!this.answer?.rows)
			return this.result.replaceChildren();
		const [, , make] = VIEWS.find(([id]) => id === this.view);
		this.result.replaceChildren(...make(this.app, this.answer, uses(this.answer)));
	}

	copy() {
		if (this.answer?.rows)
			copy(csv(this.answer.columns, this.answer.rows.map((row) => row.map((value) => cell(String(value ?? ''), '', value ?? '')))));
		else
			this.app.hint('There are no rows to copy. Run a query first.');
	}
}

export function sql_panel(app, box) {
	app.sql ||= new Page(app, box);
}
