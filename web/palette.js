// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * palette.js - one box to find commands and tracks by typing a few letters.
 *
 *	> zoom          commands (Ctrl+Shift+P, or a > at the beginning)
 *	bash            tracks (Ctrl+P): tasks, CPUs, interrupts, functions, tracepoints, numeric fields
 *	a -> b field    a track of spans between two events (pairs.js)
 *	@ 12.5ms        a time to go to (moments.js); the @ is optional
 *
 * Letters may be omitted; those at the beginnings of words count more.
 */
import { COMMANDS, key_name } from './commands.js';
import { TIME_FORM, go_to_time, moment_words, parse_time } from './moments.js';
import { count, duration, some } from './units.js';
import { el } from './table.js';
import { PAIR_FORM, first_items, known_pairs, pair_items } from './pairs.js';
import { KERNEL } from './colours.js';
import { files_of_lane } from './files.js';
import { split } from './lanes.js';

const MOST = 60;

/* Returns how well a text matches; 0: not at all. */
export function score(text, word) {
	if (!word)
		return 1;
	const low = text.toLowerCase(), at = low.indexOf(word);
	if (at >= 0)
		return 100 - Math.min(50, at) - Math.min(40, text.length / 4) + (at === 0 || /\W/.test(low[at - 1]) ? 30 : 0);
	let i = 0, points = 0, last = -2;
	for (const c of word) {
		if (c === ' ')
			continue;
		const found = low.indexOf(c, i);
		if (found < 0)
			return 0;
		points += found === last + 1 ? 3 : found === 0 || /\W/.test(low[found - 1]) ? 2 : .5;
		last = found;
		i = found + 1;
	}
	return points / word.length * 8;
}

export class Palette {
	constructor(app) {
		this.app = app;
		this.box = document.getElementById('palette');
		this.input = el('input', '');
		this.list = el('div', 'found');
		this.at = 0;
		this.items = [];
		this.input.type = 'text';
		this.input.spellcheck = false;
		this.input.setAttribute('role', 'combobox');
		this.input.setAttribute('aria-expanded', 'true');
		this.input.setAttribute('aria-controls', 'palette-list');
		this.input.setAttribute('aria-label', 'Command or track');
		this.list.id = 'palette-list';
		this.list.setAttribute('role', 'listbox');
		this.box.append(this.input, this.list);
		this.input.addEventListener('input', () => this.fill());
		this.input.addEventListener('keydown', (event) => this.key(event));
		this.box.addEventListener('click', (event) => event.target === this.box && this.box.close());
		document.getElementById('do-command').addEventListener('click', () => this.open('commands'));
		document.getElementById('do-track').addEventListener('click', () => this.open('tracks'));
	}

	open(what) {
		this.input.value = { commands: '>', time: '@' }[what] || '';
		this.begin_pair(what === 'pair');
		this.tracks = null;
		if (!this.box.open)
			this.box.showModal();
		this.input.focus();
		this.fill();
	}

	/* Asks for the first event of a pair, then for the arrow and the second. */
	begin_pair(pair) {
		this.pair = pair;
		this.input.placeholder = pair ? 'The event that begins the spans; then  ->  and the event that ends them'
			: 'Track: a task, CPU, event, field, or event -> event   ( > for commands, @ for a time )';
	}

	commands() {
		return COMMANDS.map(([group, name, keys, act]) => ({
			text: name, note: group, keys: keys.slice(0, 2).map(key_name),
			act: () => act.hold ? this.app.view.zoomAt(this.app.view.width / 2, 1 - act.hold[1] * .3) || this.app.view.pan(act.hold[0] * 200) : act(this.app),
		}));
	}

	/* Returns all tracks that can be shown. */
	all_tracks() {
		const { app } = this, out = [], { has } = app.info, many = app.info.machines.length > 1;
		const note_of = (spec, note) => [note, files_of_lane(app, split(spec))].filter(Boolean).join(', ');
		const add = (spec, text, note) => out.push({ text, note: note_of(spec, note), spec, here: Boolean(app.lanes.find(spec)), act: () => app.show_lane(spec) });
		for (const m of app.info.machines) {
			const on = many ? ` of ${m.name}` : '';
			for (const cpu of m.cpus) {
				add(`cpu:${m.n}:${cpu}`, `CPU ${cpu}${on}`, 'what it ran');
				if (has.irq)
					add(`irq:${m.n}:${cpu}`, `CPU ${cpu}${on} interrupts`, 'spans');
				if (has.softirq)
					add(`softirq:${m.n}:${cpu}`, `CPU ${cpu}${on} soft interrupts`, 'spans');
				if (has.calls)
					add(`cpucalls:${m.n}:${cpu}`, `CPU ${cpu}${on} functions`, 'nested spans');
				add(`all:${m.n}:${cpu}`, `CPU ${cpu}${on} all events`, 'ticks');
			}
			for (const v of m.vcpus || [])
				add(`vcpu:${m.n}:${v.cpu}`, `vCPU ${v.cpu}${on}`, `host thread ${v.pid}`);
		}
		const tasks = app.tasks.filter((t) => t && t.pid !== 0);
		tasks.sort((a, b) => a.machine - b.machine || a.comm.localeCompare(b.comm) || a.pid - b.pid);
		for (const t of tasks) {
			const name = `${t.comm} ${t.pid}${many ? ` of ${app.machine_name(t.machine)}` : ''}`;
			add(`task:${t.machine}:${t.pid}`, name, t.running || app.info.machines.some((m) => m.sched) ? `states, ran ${duration(t.running)}` : some(t.events, 'event'));
			if (has.calls)
				add(`calls:${t.machine}:${t.pid}`, `${name} functions`, 'nested spans');
			if (has.syscalls && !KERNEL.test(t.comm))
				add(`sys:${t.machine}:${t.pid}`, `${name} system calls`, 'spans');
		}
		for (const { spec, text, note } of known_pairs(app.kinds))
			add(spec, text, note);
		const kinds = app.kinds.filter((k) => k && k.events);
		kinds.sort((a, b) => a.system.localeCompare(b.system) || a.name.localeCompare(b.name));
		const chosen = app.tasks[app.hot]?.pid ? app.tasks[app.hot] : null;
		for (const k of kinds) {
			const spec = `${k.machine || 0}:${k.system}/${k.name}`;
			add(`event:${spec}`, `${k.system}/${k.name}`, `${count(k.events)} events`);
			for (const f of k.fields || [])
				if (f.number) {
					add(`field:${spec}:${f.name}`, `${k.system}/${k.name} ${f.name}`, 'over time');
					if (chosen && chosen.machine === (k.machine || 0))
						add(`field:${spec}:${f.name}:${chosen.pid}`, `${k.system}/${k.name} ${f.name} of ${chosen.comm} ${chosen.pid}`, 'over time');
				}
		}
		out.push({ text: `Spans between two events: ${PAIR_FORM}`, note: 'a pair', pair: true });
		return out;
	}

	fill() {
		const text = this.input.value, command = text.startsWith('>');
		const word = (command ? text.slice(1) : text).trim().toLowerCase();
		if (!command && !this.tracks)
			this.tracks = this.all_tracks();
		const pairs = command ? null : this.pair && !text.startsWith('@') ? first_items(text, this.app.kinds, score) : pair_items(text, this.app.kinds, score);
		const all = command ? this.commands() : this.tracks;
		this.items = all.map((item) => ({ item, points: Math.max(score(item.text, word), score(item.note, word) * .5) }))
			.filter((x) => x.points > 0).sort((a, b) => b.points - a.points).slice(0, MOST).map((x) => x.item);
		if (pairs)
			this.items = pairs.map((item) => ({ ...item, here: item.spec && Boolean(this.app.lanes.find(item.spec)), act: () => this.app.show_lane(item.spec) }));
		const moment = this.moment(text);
		if (moment)
			this.items = text.startsWith('@') ? moment : [...moment, ...this.items];
		this.at = 0;
		this.show();
	}

	/* Returns the first item for a typed time; null if the text is not a time. */
	moment(text) {
		const { app } = this, moment = parse_time(text.replace(/^>/, ''), app.info);
		if (moment)
			return [{ text: `Go to ${moment_words(moment.t, app.info)}`, note: 'time', act: () => go_to_time(app, moment) }];
		const { origin, duration: length } = app.info, ends = `${moment_words(0, app.info).split(',')[0]} and ${moment_words(length, app.info).split(',')[0]}`;
		return text.startsWith('@') && origin !== undefined ? [{ text: `A time: ${TIME_FORM}; the trace lies between ${ends}`, note: '', fill: text }] : null;
	}

	show() {
		this.list.replaceChildren(...this.items.map((item, i) => {
			const row = el('div', 'item', el('span', 'name', item.text), el('span', 'dim', item.here ? `${item.note}, shown` : item.note));
			for (const key of item.keys || [])
				row.append(el('kbd', '', key));
			row.setAttribute('role', 'option');
			row.id = `palette-${i}`;
			row.setAttribute('aria-selected', String(i === this.at));
			row.addEventListener('click', () => this.run(i));
			return row;
		}));
		if (!this.items.length)
			this.list.replaceChildren(el('p', 'empty', `Nothing is called so. Spans between two events: ${PAIR_FORM}`));
		this.input.setAttribute('aria-activedescendant', `palette-${this.at}`);
		this.list.children[this.at]?.scrollIntoView?.({ block: 'nearest' });
	}

	run(i) {
		const item = this.items[i];
		if (item?.fill !== undefined || item?.pair) {		/* the item is only a part of a text: the user continues typing */
			this.input.value = item.fill ?? '';
			if (item.pair)
				this.begin_pair(true);
			this.input.focus();
			this.fill();
			return;
		}
		this.box.close();
		this.input.blur();
		if (item)
			this.app.attempt(item.act);
	}

	key(event) {
		const n = this.items.length, to = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, PageDown: this.at + 10, PageUp: this.at - 10 }[event.key];
		if (to !== undefined && n) {
			this.at = Math.abs(to - this.at) > 1 ? Math.max(0, Math.min(n - 1, to)) : (to + n) % n;
			this.show();
		} else if (event.key === 'Enter') {
			this.run(this.at);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}
}
