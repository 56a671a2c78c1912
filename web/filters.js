// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filters.js - which events the list shows and which lanes are left: by CPU, task, event, expression.
 *
 * A filter is the body of api/select, kept in the address as JSON. In the list only what passes is
 * shown; on the timeline lanes of CPUs and tasks that are filtered out disappear, and what passes is
 * a lane of its own (found:ID). Every part of the filter is a chip above the picture, to be taken off.
 */
import * as api from './api.js';
import { count } from './units.js';
import { el, button } from './table.js';

const MOST = 300;	/* entries of a list in the box; the rest is found by typing */

export class Filters {
	constructor(app) {
		this.app = app;
		this.want = {};		/* {kinds: [], tasks: [], cpus: [], expression: ''} */
		this.sel = undefined;
		this.count = 0;
		this.lane = null;
		this.whole = true;
		this.box = document.getElementById('filter-box');
		this.chips = document.getElementById('chips');
		document.getElementById('do-filter').addEventListener('click', () => this.open());
		app.lanes.hidden = (lane) => this.hides(lane);
		app.on('names', () => this.show_chips());
		app.on('info', () => {	/* what was looked through was not all yet */
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
		if (tasks && ['task', 'calls', 'sys'].includes(lane.type)) {
			const task = this.app.task_of(lane.machine, Number(lane.id));
			return task ? !tasks.includes(task.n) : false;
		}
		return false;
	}

	/* Takes over a filter; false (and a note) if the program does not understand it. */
	async set(want) {
		const { app } = this, clean = {};
		for (const key of ['kinds', 'tasks', 'cpus'])
			if (want[key]?.length)
				clean[key] = want[key];
		if (want.expression)
			clean.expression = want.expression;
		let answer = { id: undefined, count: 0 };
		if (Object.keys(clean).length)
			try {
				answer = await api.post('select', clean, 'filter');
			} catch (error) {
				if (!error.gone)
					app.note(error.message);
				this.problem = error;
				return false;
			}
		this.want = clean;
		this.sel = answer.id;
		this.count = answer.count;
		this.whole = answer.whole !== false;
		this.show();
		return true;
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
				lane.note = `${count(this.count)} events`;
			}
		}
		document.getElementById('do-filter').classList.toggle('on', this.on);
		this.show_chips();
		app.emit('filter');
		app.lanes.changed();
		app.redraw();
	}

	/* One more value of a part, or only this one. */
	add(part, value) {
		const list = this.want[part] || [];
		return this.set({ ...this.want, [part]: [...new Set([...list, value])] });
	}

	only(part, value) {
		return this.set({ ...this.want, [part]: [value] });
	}

	name(part, value) {
		if (part === 'tasks')
			return this.app.task_name(value);
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
			this.chips.replaceChildren(el('span', '', `${count(this.count)} events pass`), ...chips, button('Clear', () => this.set({})));
	}

	/* --- the box --- */

	choices() {
		const { app } = this, machines = app.info.machines;
		return {
			cpus: machines.flatMap((m) => m.cpus.map((c) => [`${m.n}:${c}`, machines.length > 1 ? `${m.name} CPU ${c}` : `CPU ${c}`, ''])),
			tasks: app.tasks.filter(Boolean).sort((a, b) => b.events - a.events)
				.map((t) => [t.n, `${t.comm} ${t.pid}`, count(t.events)]),
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
		expression.placeholder = 'sched/sched_switch: prev_pid == 0 && next_prio < 100';
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
			const good = await this.set({ kinds: [...draft.kinds], tasks: [...draft.tasks], cpus: [...draft.cpus], expression: expression.value.trim() });
			if (good)
				this.box.close();
			else
				wrong.textContent = this.problem?.message || '';
		});
		this.box.replaceChildren(form);
		this.box.showModal();
	}

	text() {
		return this.on ? JSON.stringify(this.want) : '';
	}

	async parse(text) {
		try {
			const want = JSON.parse(text);
			if (want && typeof want === 'object' && text !== this.text())
				await this.set(want);
		} catch {
			this.app.note('The filter in the address is not understood; it is left out.');
		}
	}
}
