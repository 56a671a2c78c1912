// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * panels.js - the drawer below the picture: tabs, and which panel is in front.
 *
 * A panel is a row of PANELS: its name, the function that fills it, and the messages that make it
 * stale. Only the panel in front is filled; panels about a range wait a moment, so that moving does
 * not request more than the user sees.
 *
 * When the user chooses a row of a table, the picture goes there, and the panel is held: it does
 * not change while the picture moves and the selection changes, until the user chooses another
 * range, filter or panel, presses Update, or clears the selection.
 */
import { EventList } from './list.js';
import { tasks_panel, events_panel, wakeups_panel, functions_panel } from './stats.js';
import { flame_panel } from './flame.js';
import { heat_panel } from './heat.js';
import { spans_panel } from './spans.js';
import { sql_panel } from './sql.js';
import { why_panel } from './why.js';
import { el, button } from './table.js';
import { clock, duration } from './units.js';

const WAIT_MS = 250;
const NARROW = 1150;	/* width of the window in pixels; a narrower window has room only for the length */
const RANGE = ['range', 'view', 'names'];
const MOVES = ['view', 'names', 'selection', 'lanes'];	/* messages that a held panel ignores */

const PANELS = [	/* id, title, fill(app, box), stale on, about a range */
	['events', 'Events', null, []],
	['marks', 'Marks', (app, box) => app.marks.panel(box), ['marks']],
	['tasks', 'Time by task', tasks_panel, [...RANGE, 'filter']],
	['counts', 'Event counts', events_panel, [...RANGE, 'filter']],
	['wakeups', 'Wakeups', wakeups_panel, [...RANGE, 'selection', 'filter']],
	['spans', 'Spans', spans_panel, [...RANGE, 'lanes', 'selection', 'spans']],
	['functions', 'Functions', functions_panel, [...RANGE, 'selection']],
	['flame', 'Flame graph', (app, box) => flame_panel(app, box, 'flame'), [...RANGE, 'selection', 'flame']],
	['offcpu', 'Off-CPU flame', (app, box) => flame_panel(app, box, 'offcpu'), [...RANGE, 'selection', 'flame']],
	['heat', 'Heat map', heat_panel, ['view', 'names', 'selection', 'flame']],
	['why', 'Why', why_panel, [...RANGE, 'selection', 'why']],
	['sql', 'SQL', sql_panel, []],
];

class Panels {
	constructor(app) {
		this.app = app;
		this.current = 'events';
		this.timer = null;
		this.held = null;		/* the time of a held panel, as from scope() */
		this.tabs = document.getElementById('tabs');
		this.root = document.getElementById('panels');
		this.list = new EventList(app);
		this.boxes = new Map();
		for (const panel of PANELS)
			this.make(panel);
		const scope = el('span', '');
		scope.id = 'scope';
		this.update = button('Update', () => {
			if (app.single)
				app.single.range = null;
			this.show(this.current);
		}, 'The table has not changed since you chose a row; this updates it for the visible or selected time');
		this.update.id = 'update';
		this.update.hidden = true;
		this.tabs.append(scope, this.list.make_switch(), this.update, button('▾', () => this.toggle(), 'Close or open the panels (Q)'));
		this.tabs.addEventListener('keydown', (event) => this.key(event));
		app.on('view', () => this.say_scope());
		app.on('range', () => this.say_scope());
		app.on('selection', () => this.make_room());
		this.show('events');
	}

	make([id, title, , stale]) {
		const tab = el('button', 'tab', title), box = id === 'events' ? this.list.root : el('div', 'panel');
		tab.id = `tab-${id}`;
		tab.setAttribute('role', 'tab');
		tab.setAttribute('aria-controls', `panel-${id}`);
		tab.addEventListener('click', () => this.show(id));
		box.id = `panel-${id}`;
		box.setAttribute('role', 'tabpanel');
		box.setAttribute('aria-labelledby', tab.id);
		this.tabs.append(tab);
		this.root.append(box);
		this.boxes.set(id, box);
		for (const name of stale)
			this.app.on(name, () => this.current === id && this.stale(name));
	}

	/* Handles a message that may make the panel in front stale. */
	stale(name) {
		if (this.held && MOVES.includes(name) && !(name === 'selection' && !this.app.selection))
			return;
		this.release();
		this.later(name === 'marks' ? 0 : WAIT_MS);
	}

	/* Holds the panel in front, because the user chose one of its rows. */
	hold(scope = null) {
		clearTimeout(this.timer);
		this.held ||= scope || this.app.scope();
		this.update.hidden = false;
		this.say_scope();
	}

	release() {
		if (!this.held)
			return;
		this.held = null;
		this.update.hidden = true;
		this.say_scope();
	}

	key(event) {
		const ids = PANELS.map(([id]) => id), at = ids.indexOf(this.current);
		const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1 }[event.key];
		if (to === undefined)
			return;
		event.preventDefault();
		event.stopPropagation();
		this.show(ids[(to + ids.length) % ids.length]);
		document.getElementById(`tab-${this.current}`).focus();
	}

	show(id) {
		if (!this.boxes.has(id))
			return;
		this.current = id;
		this.release();
		document.body.classList.remove('no-drawer');
		for (const [name, box] of this.boxes) {
			const tab = document.getElementById(`tab-${name}`);
			box.hidden = name !== id;
			tab.setAttribute('aria-selected', String(name === id));
			tab.tabIndex = name === id ? 0 : -1;
		}
		this.make_room();
		this.app.emit('panel');
		if (this.app.info)
			this.fill();
		this.say_scope();
	}

	/*
	 * Gives the space of empty details to tables. A small window always does this (panels.css).
	 */
	make_room() {
		const box = document.getElementById('drawer'), { app } = this;
		box.classList.toggle('events', this.current === 'events');
		this.list.switch.hidden = this.current !== 'events';
		box.classList.toggle('alone', this.current !== 'events' && !app.selection);
	}

	toggle() {
		document.body.classList.toggle('no-drawer');
	}

	later(wait) {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.fill(), wait);
	}

	async fill() {
		const panel = PANELS.find(([id]) => id === this.current), box = this.boxes.get(this.current);
		if (!this.app.ready)
			return;
		if (!panel[2]) {
			this.list.refresh();
			return;
		}
		try {
			await panel[2](this.app, box);
			box.dataset.filled = String(Number(box.dataset.filled || 0) + 1);
		} catch (error) {
			if (!error.gone)
				box.replaceChildren(el('p', 'empty', error.message));
		}
	}

	say_scope() {
		const about = PANELS.find(([id]) => id === this.current)[3].includes('range');
		const scope = document.getElementById('scope');
		if (!about || !this.app.info) {
			scope.textContent = this.current === 'events' ? this.list.words() : '';
			scope.title = '';
			return;
		}
		const { from, to, chosen } = this.held || this.app.scope();
		const words = `${chosen ? 'Range' : this.held ? 'Table of' : 'In sight'}: ${duration(to - from)}`;
		scope.textContent = innerWidth < NARROW ? words : `${words} from ${clock(from)}`;
		scope.title = `${words} from ${clock(from)}`;
	}
}

export function init_panels(app) {
	const panels = new Panels(app);
	app.on('ready', () => panels.fill());
	return panels;
}
