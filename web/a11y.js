// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * a11y.js - the content of the canvas as elements: the list of tracks, and a line for screen
 * readers.
 *
 * Canvases are opaque to screen readers. So the names on the left are a tree (role=tree) in which
 * one element at a time has the focus; the arrow keys walk through it, and through time:
 *
 *	up, down       track above, below
 *	left, right    on a track: previous, next span or event; on a heading: close, open
 *	Enter          moves the picture to the selection
 *	Home, End      first, last track
 *
 * #spoken (aria-live) describes the selection in one sentence. The list of events is a real table
 * (list.js), every panel is made of tables, and all actions are in the palette.
 */
import { split } from './lanes.js';
import { clock, duration } from './units.js';
import { STATE_NAMES, unknown_why } from './colours.js';
import { call_text } from './values.js';

export class Tree {
	constructor(app) {
		this.app = app;
		this.root = document.getElementById('tree');
		this.focused = null;	/* spec of the row with the focus, or head of its section */
		this.root.addEventListener('keydown', (event) => this.key(event));
		this.root.addEventListener('click', (event) => this.click(event));
		this.root.addEventListener('contextmenu', (event) => {
			const spec = event.target.closest('.lane')?.dataset.id;
			if (!spec)
				return;
			event.preventDefault();
			this.app.pointer.lane_menu(spec, event.clientX, event.clientY);
		});
		this.root.addEventListener('focusin', (event) => {
			const row = event.target.closest('[role=treeitem]');
			if (row)
				this.take(row.dataset.id, false);
		});
		this.drag();
		app.on('lanes', () => this.render());
		app.on('selection', () => this.mark());
	}

	render() {
		const { lanes } = this.app, had = this.root.contains(document.activeElement);
		const pinned = document.createElement('div');
		pinned.id = 'pinned-labels';
		const items = [pinned];
		for (const row of lanes.rows) {
			const item = row.lane ? this.lane(row) : this.head(row);
			item.style.top = `${row.y}px`;
			item.style.height = `${row.height}px`;
			if (row.pinned)
				pinned.append(item);
			else
				items.push(item);
		}
		this.root.replaceChildren(...items);
		this.root.style.height = `${lanes.height + 8}px`;
		const ids = this.items().map((item) => item.dataset.id);
		this.take(ids.includes(this.focused) ? this.focused : ids[0], had);
		this.mark();
	}

	head(row) {
		const item = document.createElement('div');
		item.className = `head${row.machine ? ' machine' : ''}`;
		item.setAttribute('role', 'treeitem');
		item.setAttribute('aria-expanded', String(row.open));
		item.setAttribute('aria-level', String(row.depth + 1));
		item.dataset.id = row.head;
		item.tabIndex = -1;
		const turn = document.createElement('span'), name = document.createElement('span'), n = document.createElement('span');
		turn.className = 'turn';
		turn.textContent = '▶';
		turn.setAttribute('aria-hidden', 'true');
		name.textContent = row.title;
		n.className = 'n';
		n.textContent = row.n ? String(row.n) : row.machine?.guest_of >= 0 ? 'guest' : '';
		item.append(turn, name, n);
		item.style.paddingLeft = `${6 + row.depth * 10}px`;
		return item;
	}

	lane(row) {
		const { lane } = row, { lanes, colours } = this.app, [name, sub] = lanes.name(lane);
		const item = document.createElement('div');
		item.className = `lane${row.height > 60 ? ' tall' : ''}${lane.pinned ? ' pinned' : ''}${lane.type === 'pair' ? ' pair' : ''}${lane.refused ? ' refused' : ''}`;
		item.setAttribute('role', 'treeitem');
		item.setAttribute('aria-level', String((row.depth || 0) + 1));
		item.setAttribute('aria-label', `${lanes.full_name(lane)}${lane.refused ? ': ' + lane.refused : ''}`);
		item.dataset.id = lane.spec;
		item.tabIndex = -1;
		item.title = lane.refused || lanes.full_name(lane);
		item.draggable = true;
		const title = document.createElement('span'), more = document.createElement('span');
		if (['task', 'calls', 'sys'].includes(lane.type)) {
			const swatch = document.createElement('span'), task = this.app.task_of(lane.machine, Number(lane.id));
			swatch.className = 'swatch';
			swatch.style.background = task ? colours.task(task.n) : 'transparent';
			item.append(swatch);
		}
		title.className = 'name';
		title.textContent = name;
		more.className = 'sub';
		more.textContent = sub;
		item.append(title, more, this.buttons(lane));
		item.style.paddingLeft = `${10 + (row.depth || 0) * 8}px`;
		return item;
	}

	buttons(lane) {
		const acts = document.createElement('span');
		acts.className = 'acts';
		const add = (text, title, act, cls) => {
			const b = document.createElement('button');
			b.textContent = text;
			b.title = title;
			b.setAttribute('aria-label', title);
			b.tabIndex = -1;
			b.dataset.act = act;
			if (cls)
				b.className = cls;
			acts.append(b);
		};
		if (lane.n_rows > 1)
			add(lane.flat ? '▤' : '▁', lane.flat ? 'Show all depths' : 'Show one depth', 'flat');
		add('▲', 'Up', 'up');
		add('▼', 'Down', 'down');
		add('⌃', lane.pinned ? 'Let it scroll' : 'Keep at the top', 'pinned', 'pin');
		add('✕', 'Remove the track', 'remove');
		return acts;
	}

	items() {
		return [...this.root.querySelectorAll('[role=treeitem]')];
	}

	item(id) {
		return this.items().find((item) => item.dataset.id === id);
	}

	/* Moves the roving tabindex: the Tab key reaches only this row. */
	take(id, focus) {
		this.focused = id;
		for (const item of this.items()) {
			const mine = item.dataset.id === id;
			item.tabIndex = mine ? 0 : -1;
			if (mine && focus)
				item.focus({ preventScroll: false });
		}
	}

	mark() {
		const { selection } = this.app;
		for (const item of this.items()) {
			const on = Boolean(selection && selection.lane === item.dataset.id);
			item.classList.toggle('on', on);
			item.setAttribute('aria-selected', String(on));
		}
	}

	act(spec, what) {
		const { lanes } = this.app;
		const acts = {
			flat: () => lanes.toggle(spec, 'flat'),
			pinned: () => lanes.toggle(spec, 'pinned'),
			up: () => lanes.shift(spec, -1),
			down: () => lanes.shift(spec, 1),
			remove: () => lanes.remove(spec),
		};
		acts[what]?.();
	}

	click(event) {
		const item = event.target.closest('[role=treeitem]');
		if (!item)
			return;
		const what = event.target.closest('button')?.dataset.act;
		if (what)
			return this.act(item.dataset.id, what);
		if (item.classList.contains('head'))
			return this.app.lanes.fold(item.dataset.id);
		this.take(item.dataset.id, true);
		this.app.emit('lane-clicked', item.dataset.id);
	}

	key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		const items = this.items(), at = items.findIndex((item) => item.dataset.id === this.focused);
		const item = items[at];
		if (!item)
			return;
		const id = item.dataset.id, head = item.classList.contains('head');
		const to = (i) => items[i] && this.take(items[i].dataset.id, true);
		const open = item.getAttribute('aria-expanded') === 'true';
		const keys = {
			ArrowDown: () => event.shiftKey && !head ? this.act(id, 'down') : to(at + 1),
			ArrowUp: () => event.shiftKey && !head ? this.act(id, 'up') : to(at - 1),
			Home: () => to(0),
			End: () => to(items.length - 1),
			ArrowRight: () => head ? !open && this.app.lanes.fold(id) : this.app.step(id, 'next'),
			ArrowLeft: () => head ? open && this.app.lanes.fold(id) : this.app.step(id, 'previous'),
			Enter: () => head ? this.app.lanes.fold(id) : this.app.show_selection(),
			Delete: () => !head && this.act(id, 'remove'),
		};
		if (!keys[event.key])
			return;
		event.preventDefault();
		event.stopPropagation();
		keys[event.key]();
	}

	/* The mouse can reorder tracks, too. */
	drag() {
		let dragged = null;
		this.root.addEventListener('dragstart', (event) => {
			dragged = event.target.closest?.('.lane')?.dataset.id;
			event.dataTransfer.effectAllowed = 'move';
			event.dataTransfer.setData('text/plain', dragged || '');
		});
		this.root.addEventListener('dragover', (event) => {
			const over = event.target.closest?.('.lane');
			this.items().forEach((item) => item.classList.toggle('drop', item === over));
			if (over && dragged)
				event.preventDefault();
		});
		this.root.addEventListener('drop', (event) => {
			const over = event.target.closest?.('.lane');
			event.preventDefault();
			if (over && dragged)
				this.app.lanes.move(dragged, over.dataset.id);
			dragged = null;
		});
		this.root.addEventListener('dragend', () =>
			this.items().forEach((item) => item.classList.remove('drop')));
	}
}

/* Formats the waker of a task: "bash 12", or "interrupt 27 (eth0), on idle CPU 1". */
export function waker_words(app, { irq, waker, waker_in_irq }) {
	if (!irq)
		return `${app.task_name(waker)}${waker_in_irq ? ', in an interrupt' : ''}`;
	return `${irq.name}, ${app.tasks[irq.task]?.pid === 0 ? `on idle CPU ${irq.cpu}` : `interrupting ${app.task_name(irq.task)}`}`;
}

/* Returns a sentence about the selection. */
export function sentence(app, s) {
	if (!s)
		return '';
	if (s.event)
		return `${s.event.event} on CPU ${s.event.cpu}, ${s.event.comm} ${s.event.pid}, at ${clock(s.event.ts)}: ${s.event.info || ''}`;
	const lane = app.lanes.find(s.lane), [name, sub] = lane ? app.lanes.name(lane) : [s.lane, ''];
	const parts = split(s.lane);
	const what = parts.type === 'cpu' ? app.task_name(s.value)
		: parts.type === 'task' ? STATE_NAMES[s.value] || 'unknown' : call_text(s.label || '', s);
	const waker = s.waker >= 0 ? `, woken by ${waker_words(app, s)}` : s.irq ? `, ${s.irq.name}, interrupts ${app.task_name(s.irq.task)}` : '';
	const place = parts.type === 'task' && s.cpu >= 0 ? `${s.value === 1 ? '' : ', last'} on CPU ${s.cpu},` : '';
	const number = s.number !== undefined && parts.type === 'field' ? ` ${s.number}` : '';
	const long = s.end > s.start ? ` for ${duration(s.end - s.start)}` : '';
	const why = unknown_why(parts.type, s.value, s.flags);
	return `${name} ${sub}: ${what}${number}${place}${long} from ${clock(s.start)}${waker}${why ? '. ' + why : ''}`;
}
