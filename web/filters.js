// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filters.js - which events the list shows and which lanes remain: by CPU, task, event, expression.
 *
 * A filter is the body of api/select. The list shows only events that pass it. On the timeline,
 * lanes of excluded CPUs and tasks disappear; tasks of the filter without a lane get one while the
 * filter exists; other tasks are pale on the lanes of CPUs; and the events that pass have their own
 * lane (found:ID). Every part of the filter is a chip above the picture, which can be removed. In
 * the address it is text:
 *
 *	tasks:127,1:131;events:sched/sched_switch;cpus:0-3,1:0;where:prev_pid == 0
 *
 * Tasks are PIDs and CPUs numbers, both of the first machine unless the prefix N: names another
 * one, so that another viewer shows the same for the same trace. The expression is the last part:
 * it may contain any character.
 */
import * as api from './api.js';
import { count } from './units.js';
import { el, button } from './table.js';
import { field_trouble, whole_expression, plain_words } from './search.js';

const LANES = 20;	/* maximum number of task lanes that a filter adds */
const MOST = 300;	/* entries of a list in the box; typing finds the rest */
const PARTS = { tasks: 'tasks', kinds: 'events', cpus: 'cpus' };	/* name in the filter → name in the address */
const NUMBERS = 4096;	/* maximum size of a range of CPUs in an address */

/* Convert ["0:0", "0:1", "0:2", "1:0"] to "0-2,1:0" and back. */
export function numbers_text(list) {
	const out = [], sorted = list.map((v) => v.split(':').map(Number)).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
	for (let i = 0, to; i < sorted.length; i = to + 1) {
		const [machine, first] = sorted[i];
		for (to = i; sorted[to + 1] && sorted[to + 1][0] === machine && sorted[to + 1][1] === sorted[to][1] + 1; to++)
			;
		const last = sorted[to][1];
		out.push(`${machine ? `${machine}:` : ''}${first}${last > first ? `-${last}` : ''}`);
	}
	return out.join(',');
}

export function numbers_list(text) {
	const out = [];
	for (const word of text.split(',')) {
		const [, machine, first, last] = word.match(/^(?:(\d+):)?(\d+)(?:-(\d+))?$/) || [];
		if (first === undefined)
			throw new Error(word);
		for (let n = Number(first); n <= Number(last ?? first) && out.length < NUMBERS; n++)
			out.push(`${machine || 0}:${n}`);
	}
	return out;
}

export class Filters {
	constructor(app) {
		this.app = app;
		this.want = {};		/* {kinds: [], tasks: [], cpus: [], expression: ''} */
		this.sel = undefined;
		this.count = 0;
		this.lane = null;
		this.added = [];	/* task lanes that exist only for the filter */
		this.whole = true;
		this.box = document.getElementById('filter-box');
		this.chips = document.getElementById('chips');
		document.getElementById('do-filter').addEventListener('click', () => this.open());
		app.lanes.hidden = (lane) => this.hides(lane);
		app.on('names', () => this.show_chips());
		app.on('info', () => {	/* the index was not complete when the program made this selection */
			if (app.info.progress >= 1 && !app.info.live && this.sel !== undefined && !this.whole)
				this.set(this.want);
		});
	}

	get on() {
		return Object.keys(this.want).length > 0;
	}

	hides(lane) {
		const { tasks, cpus } = this.want;
		if (cpus && ['cpu', 'irq', 'softirq', 'cpucalls', 'all'].includes(lane.type))
			return !cpus.includes(`${lane.machine}:${lane.id}`);
		if (tasks && ['task', 'calls', 'sys'].includes(lane.type))
			return !tasks.includes(`${lane.machine}:${lane.id}`);
		return false;
	}

	/* Returns true if tables about tasks contain the task with this number. */
	keeps(n) {
		const { tasks } = this.want, task = this.app.tasks[n];
		return !tasks || Boolean(task && tasks.includes(`${task.machine}:${task.pid}`));
	}

	/* Returns the tasks of the tables as text. */
	get whose() {
		const { tasks } = this.want;
		if (!tasks)
			return 'all tasks';
		const one = tasks.length === 1 && this.app.task_of(...tasks[0].split(':'));
		return one ? this.app.task_name(one.n) : `the ${tasks.length} tasks of the filter`;
	}

	ask(want, slot) {
		return api.post('select', { ...want, expression: whole_expression(want.expression || '') }, slot);
	}

	/*
	 * Sets a filter. Returns false if the program rejects it. The reason is in problem, and above
	 * the picture unless the caller reports it (quiet).
	 */
	async set(want, quiet = false) {
		const { app } = this, clean = {};
		for (const key of ['kinds', 'tasks', 'cpus'])
			if (want[key]?.length)
				clean[key] = want[key];
		if (want.expression)
			clean.expression = want.expression.trim();
		this.problem = field_trouble(clean.expression || '', app.kinds);
		if (this.problem) {
			if (!quiet)
				app.note(this.problem);
			return false;
		}
		let answer = { id: undefined, count: 0 };
		if (Object.keys(clean).length)
			try {
				answer = await this.ask(clean, 'filter');
			} catch (error) {
				this.problem = plain_words(error.message);
				if (!error.gone && !quiet)
					app.note(this.problem);
				return false;
			}
		app.jump();
		const same = JSON.stringify(this.want.tasks) === JSON.stringify(clean.tasks);
		this.want = clean;
		this.sel = answer.id;
		this.count = answer.count;
		this.whole = answer.whole !== false;
		if (!same)
			this.show_tasks();
		this.show();
		return true;
	}

	/* Gives every task of the filter a track; new tracks disappear with the filter. */
	show_tasks() {
		const { app } = this, { tasks = [] } = this.want;
		this.added.filter((spec) => !tasks.includes(spec.slice(5))).forEach((spec) => app.lanes.find(spec)?.by_filter && app.lanes.remove(spec));
		this.added = this.added.filter((spec) => tasks.includes(spec.slice(5)));
		for (const id of tasks.slice(0, LANES)) {
			const task = app.task_of(...id.split(':'));
			if (!task?.pid || app.lanes.find(`task:${id}`))
				continue;
			app.lanes.add(`task:${id}`, { by_filter: true });
			this.added.push(`task:${id}`);
		}
		app.recolour();
	}

	show() {
		const { app } = this;
		if (this.lane && this.lane !== app.search.lane)
			app.lanes.remove(this.lane);
		this.lane = null;
		if (this.sel !== undefined) {
			this.lane = `found:${this.sel}`;
			const lane = app.lanes.add(this.lane);
			if (lane) {
				lane.title = 'Filter';
				lane.note = `${count(this.count)} event${this.count === 1 ? '' : 's'}`;
			}
		}
		document.getElementById('do-filter').classList.toggle('on', this.on);
		this.show_chips();
		app.emit('filter');
		app.lanes.changed();
		app.redraw();
	}

	/* Adds a value to a part of the filter, or makes it the only value of that part. */
	add(part, value) {
		const list = this.want[part] || [];
		return this.set({ ...this.want, [part]: [...new Set([...list, value])] });
	}

	only(part, value) {
		return this.set({ ...this.want, [part]: [value] });
	}

	name(part, value) {
		if (part === 'tasks') {
			const task = this.app.task_of(...value.split(':'));
			return task ? this.app.task_name(task.n) : `task ${value.replace(/^0:/, '')}`;
		}
		if (part === 'cpus')
			return `CPU ${this.app.info.machines.length > 1 ? value : value.split(':')[1]}`;
		return value.split('/').pop();
	}

	show_chips() {
		const chips = [];
		const chip = (text, remove) => {
			const b = button('✕', remove);
			b.setAttribute('aria-label', `Take off ${text}`);
			chips.push(el('span', 'chip', el('span', '', text), b));
		};
		for (const part of ['cpus', 'tasks', 'kinds'])
			for (const value of (this.want[part] || []).slice(0, 12))
				chip(this.name(part, value), () => this.set({ ...this.want, [part]: this.want[part].filter((v) => v !== value) }));
		for (const part of ['cpus', 'tasks', 'kinds'])
			if (this.want[part]?.length > 12)
				chip(`${this.want[part].length - 12} more`, () => this.set({ ...this.want, [part]: [] }));
		if (this.want.expression)
			chip(this.want.expression, () => this.set({ ...this.want, expression: '' }));
		this.chips.hidden = !chips.length;
		if (chips.length)
			this.chips.replaceChildren(el('span', '', this.count === 1 ? '1 event passes' : `${count(this.count)} events pass`), ...chips, button('Clear', () => this.set({})));
	}

	/* --- the box --- */

	choices() {
		const { app } = this, machines = app.info.machines;
		return {
			cpus: machines.flatMap((m) => m.cpus.map((c) => [`${m.n}:${c}`, machines.length > 1 ? `${m.name} CPU ${c}` : `CPU ${c}`, ''])),
			tasks: app.tasks.filter(Boolean).sort((a, b) => b.events - a.events)
				.map((t) => [`${t.machine}:${t.pid}`, `${t.comm} ${t.pid}${machines.length > 1 ? ` of ${app.machine_name(t.machine)}` : ''}`, count(t.events)]),
			kinds: app.kinds.filter((k) => k && k.events).sort((a, b) => b.events - a.events)
				.map((k) => [`${k.system}/${k.name}`, `${k.system}/${k.name}`, count(k.events)]),
		};
	}

	column(title, part, choices, draft) {
		const find = el('input', ''), list = el('div', 'choices');
		find.type = 'search';
		find.placeholder = `Find among ${choices.length}`;
		find.setAttribute('aria-label', `Find ${title.toLowerCase()}`);
		const fill = () => {
			const word = find.value.toLowerCase();
			const found = choices.filter(([, text]) => text.toLowerCase().includes(word)).slice(0, MOST);
			list.replaceChildren(...found.map(([value, text, n]) => {
				const box = el('input', '');
				box.type = 'checkbox';
				box.checked = draft[part].has(value);
				box.addEventListener('change', () => box.checked ? draft[part].add(value) : draft[part].delete(value));
				return el('label', '', box, el('span', 'name', text), el('span', 'dim', n));
			}));
		};
		find.addEventListener('input', fill);
		fill();
		return el('fieldset', '', el('legend', '', title), find, list);
	}

	open() {
		const draft = {}, choices = this.choices(), form = el('form', '');
		for (const part of ['cpus', 'tasks', 'kinds'])
			draft[part] = new Set(this.want[part] || []);
		const expression = el('input', '');
		expression.value = this.want.expression || '';
		expression.placeholder = 'prev_pid == 0 && next_prio < 100';
		expression.title = 'Fields of events: == != < > <= >= with numbers and "texts", =~ "regex", && || !. An event\'s name and a colon in front: of that event only. More: ?';
		expression.spellcheck = false;
		expression.id = 'filter-expression';
		const wrong = el('p', 'bad'), apply = el('button', 'main', 'Apply');
		const label = el('label', 'wide', 'Expression', expression);
		form.append(el('h2', '', 'Show only'), el('div', 'columns', this.column('CPUs', 'cpus', choices.cpus, draft),
			this.column('Tasks', 'tasks', choices.tasks, draft), this.column('Events', 'kinds', choices.kinds, draft)),
		label, wrong, el('div', 'row', apply,
			button('Clear', () => this.set({}).then(() => this.box.close())), button('Cancel', () => this.box.close())));
		form.addEventListener('submit', async (event) => {
			event.preventDefault();
			const good = await this.set({ kinds: [...draft.kinds], tasks: [...draft.tasks], cpus: [...draft.cpus], expression: expression.value.trim() }, true);
			if (good)
				this.box.close();
			else
				wrong.textContent = this.problem || '';
		});
		this.box.replaceChildren(form);
		this.box.showModal();
	}

	text() {
		const { want } = this, parts = [];
		for (const [part, word] of Object.entries(PARTS))
			if (want[part])
				parts.push(`${word}:${part === 'kinds' ? want.kinds.join(',') : numbers_text(want[part])}`);
		if (want.expression)
			parts.push(`where:${want.expression}`);
		return parts.join(';');
	}

	async parse(text) {
		if (text === this.text())
			return;
		const want = {}, where = text.match(/(?:^|;)where:(.*)$/s);
		if (where)
			want.expression = where[1];
		try {
			for (const word of (where ? text.slice(0, where.index) : text).split(';').filter(Boolean)) {
				const at = word.indexOf(':'), part = Object.keys(PARTS).find((p) => PARTS[p] === word.slice(0, at));
				if (!part)
					throw new Error(word);
				want[part] = part === 'kinds' ? word.slice(at + 1).split(',') : numbers_list(word.slice(at + 1));
			}
		} catch {
			this.app.note('The filter in the address is invalid and was ignored.');
			return;
		}
		await this.set(want);
	}
}
