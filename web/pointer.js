// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pointer.js - mouse and pen on the lanes and the ruler.
 *
 *	move                 shows what is under the pointer, in a small box
 *	click                select the span (or the event) there
 *	double click         mark A; with Shift mark B
 *	drag                 choose a range (measure.js); with Alt: zoom into it
 *	Shift+drag, middle   move the picture
 *	wheel                tracks up and down; with Ctrl zoom, with Shift or sideways move
 *	right click          a menu of possible actions
 *	drag a mark's flag   move the mark
 */
import * as api from './api.js';
import { Measure } from './measure.js';
import { make_border } from './sizes.js';
import { split } from './lanes.js';
import { STATE_NAMES, unknown_why } from './colours.js';
import { waker_words } from './a11y.js';
import { clock, duration, value as number } from './units.js';
import { el } from './table.js';
import { call_text } from './values.js';

const STILL_MS = 70, DRAG = 4, COMMAND_MAX = 80;

export class Pointer {
	constructor(app) {
		this.app = app;
		this.paint = document.getElementById('paint');
		this.ruler = document.getElementById('ruler-canvas');
		this.tip = document.getElementById('tip');
		this.measure = new Measure(app, this);
		this.drag = null;
		this.x = null;		/* position of the pointer, or null */
		this.timer = null;
		this.lanes();
		this.flags();
		this.splitters();
	}

	/* Returns the position of a mouse event: {x, y, t, row, lane, depth}. */
	place(event) {
		const { app } = this, rect = this.paint.getBoundingClientRect();
		const x = event.clientX - rect.left, y = event.clientY - rect.top;
		const row = app.lanes.at(y, app.stage.box.scrollTop), lane = row?.lane;
		let depth = 0;
		if (lane && lane.kind === 3 && !lane.flat) {
			const inner = app.lanes.inner(lane, row.height);
			const top = row.pinned ? row.y : row.y - app.stage.box.scrollTop;
			depth = Math.max(0, Math.min(lane.n_rows - 1, Math.floor((y - top - inner.y) / inner.row)));
		}
		return { x, y, t: app.view.t(x), row, lane: lane?.spec, depth };
	}

	lanes() {
		const { app, paint } = this;
		paint.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
		paint.addEventListener('pointerdown', (event) => this.down(event));
		paint.addEventListener('pointermove', (event) => this.move(event));
		paint.addEventListener('pointerup', (event) => this.up(event));
		paint.addEventListener('pointercancel', () => this.cancel());
		paint.addEventListener('pointerleave', () => this.leave());
		paint.addEventListener('dblclick', (event) => this.double(event));
		paint.addEventListener('contextmenu', (event) => {
			event.preventDefault();
			this.menu(event, this.place(event));
		});
		app.on('view', () => {
			this.hide();
			app.say_where(this.x === null ? null : app.view.t(this.x));
		});
	}

	wheel(event) {
		const { app } = this, unit = event.deltaMode === 1 ? 16 : 1;
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			app.view.zoomAt(this.place(event).x, Math.exp(Math.max(-200, Math.min(200, event.deltaY * unit)) * .0025));
		} else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			event.preventDefault();
			app.view.pan((event.deltaX || event.deltaY) * unit);
		}
	}

	down(event) {
		if (event.button === 2)
			return;
		const at = this.place(event);
		this.paint.setPointerCapture(event.pointerId);
		const pan = event.button === 1 || event.shiftKey;
		this.drag = { pan, at, last: at.x, moved: false };
		event.preventDefault();
		if (document.activeElement && document.activeElement !== document.body)
			document.activeElement.blur();
		this.hide();
	}

	move(event) {
		const { app, drag } = this, at = this.place(event);
		this.x = at.x;
		app.pointer_y = at.y;
		app.say_where(at.t);
		if (!drag) {
			this.ask_tip(event, at);
			return;
		}
		if (!drag.moved && Math.abs(at.x - drag.at.x) < DRAG)
			return;
		drag.moved = true;
		if (drag.pan) {
			app.view.pan(drag.last - at.x);
			drag.last = at.x;
			this.paint.style.cursor = 'grabbing';
			return;
		}
		this.measure.drag(drag.at.t, at.t);
	}

	up(event) {
		const { drag } = this, at = this.place(event);
		this.drag = null;
		this.paint.style.cursor = '';
		if (!drag)
			return;
		if (drag.moved && !drag.pan)
			this.measure.finish(drag.at, at, event);
		else if (!drag.moved && event.button === 0)
			this.click(at, event);
	}

	cancel() {
		this.drag = null;
		this.app.dragging = null;
		this.app.redraw();
	}

	leave() {
		this.x = null;
		this.hide();
		this.app.say_where(null);
		if (this.app.hover) {
			this.app.hover = null;
			this.app.redraw();
		}
	}

	/* Returns the span under the pointer; among ticks, the nearest one if it is close. */
	async find(at, slot) {
		const { app } = this, lane = app.lanes.find(at.lane);
		if (!lane || lane.refused || at.t < 0 || at.t > app.view.end)
			return null;
		const ticks = lane.kind === 4;
		let span = await app.span(at.lane, at.t, at.depth, ticks ? 'nearest' : 'at', slot);
		const far = (s) => Math.min(Math.abs(s.start - at.t), Math.abs(s.end - at.t)) > 6 * app.view.nsPerPx;
		if (!span && !ticks) {
			span = await app.span(at.lane, at.t, at.depth, 'nearest', slot);
			if (span && far(span))
				span = null;
		}
		if (span && ticks && far(span))
			return null;
		return span;
	}

	async click(at) {
		const { app } = this;
		try {
			const span = at.lane ? await this.find(at, 'click') : null;
			if (!span) {
				if (app.range)
					app.set_range(null);
				app.select(null);
				return;
			}
			const kind = app.lanes.find(at.lane).kind;
			if (kind === 4 && span.first !== undefined && span.first !== null && span.first >= 0)
				await app.select_event(span.first, { still: true });
			else
				app.select(span);
		} catch (error) {
			api.quiet(error);
		}
	}

	async double(event) {
		const at = this.place(event), { app } = this;
		const t = event.ctrlKey ? at.t : await app.marks.snap(at.lane, at.depth, at.t);
		app.marks.set(t, event.shiftKey ? 'B' : 'A');
	}

	/* --- the box beside the pointer --- */

	ask_tip(event, at) {
		clearTimeout(this.timer);
		const { clientX, clientY } = event;
		this.timer = setTimeout(async () => {
			try {
				const span = at.lane ? await this.find(at, 'hover') : null;
				this.app.hover = span;
				this.app.redraw();
				if (span && this.x !== null && !this.drag)
					this.show(span, clientX, clientY);
				else
					this.tip.hidden = true;
			} catch (error) {
				api.quiet(error);
			}
		}, STILL_MS);
	}

	show(span, x, y) {
		const { app, tip } = this, parts = split(span.lane), lines = [];
		const lane = app.lanes.find(span.lane);
		const name = parts.type === 'cpu' ? app.task_name(span.value)
			: parts.type === 'task' ? STATE_NAMES[span.value] || 'unknown'
				: lane.kind === 5 ? number(span.number) : span.label || app.lanes.name(lane)[0];
		lines.push(el('div', '', el('b', '', call_text(name, span))));
		const command = parts.type === 'cpu' ? app.command_of(app.tasks[span.value], COMMAND_MAX) : '';
		if (command)
			lines.push(el('div', 'dim', command));
		if (span.end > span.start)
			lines.push(el('div', '', duration(span.end - span.start)));
		if (parts.type === 'task' && span.cpu >= 0)
			lines.push(el('div', 'dim', span.value === 1 ? `on CPU ${span.cpu}` : `last on CPU ${span.cpu}`));
		if (span.waker >= 0)
			lines.push(el('div', 'dim', `woken by ${waker_words(app, span)}`));
		else if (span.irq)
			lines.push(el('div', 'dim', `${span.irq.name}, interrupts ${app.task_name(span.irq.task)}`));
		if (unknown_why(parts.type, span.value, span.flags))
			lines.push(el('div', 'dim', span.flags & 2 ? 'data is missing' : 'not recorded'));
		lines.push(el('div', 'dim', `at ${clock(span.start)}`));
		tip.replaceChildren(...lines);
		tip.hidden = false;
		const w = tip.offsetWidth, h = tip.offsetHeight;
		tip.style.left = `${Math.min(x + 14, innerWidth - w - 8)}px`;
		tip.style.top = `${y + 18 + h > innerHeight ? y - h - 10 : y + 18}px`;
	}

	hide() {
		clearTimeout(this.timer);
		this.tip.hidden = true;
	}

	/* --- right click --- */

	async menu(event, at) {
		const { app } = this, box = document.getElementById('menu');
		const { clientX, clientY } = event;
		const span = await this.find(at, 'menu').catch(() => null);
		const entries = [];
		const add = (text, act) => entries.push([text, act]);
		if (span) {
			add('Zoom to this', () => app.view.show(span.start, span.end));
			add('Make it the range', () => app.set_range(span.start, span.end));
			add('Mark its start', () => app.marks.set(span.start));
			add('Mark its end', () => app.marks.set(span.end));
		}
		add('Mark here', () => app.marks.set(at.t));
		const n = span && split(at.lane).type === 'cpu' ? span.value : this.task_of_lane(at.lane);
		entries.push(...this.about_task(app.tasks[n], at.lane));
		if (at.lane)
			add('Remove this track', () => app.lanes.remove(at.lane));
		show_menu(box, entries, clientX, clientY);
	}

	/* here: the track of the menu, which the menu does not offer */
	about_task(task, here = '') {
		const { app } = this, out = [];
		if (!task || !task.pid)
			return out;
		const who = `${task.comm} ${task.pid}`, id = `${task.machine}:${task.pid}`;
		if (here !== `task:${id}`)
			out.push([`Show the states of ${who}`, () => app.show_lane(`task:${id}`)]);
		if (app.info.has.calls && here !== `calls:${id}`)
			out.push([`Show the functions of ${who}`, () => app.show_lane(`calls:${id}`)]);
		if (app.info.has.syscalls && here !== `sys:${id}`)
			out.push([`Show the system calls of ${who}`, () => app.show_lane(`sys:${id}`)]);
		out.push([`Only events of ${who}`, () => app.filters.only('tasks', id)],
			[`Why did ${who} wait?`, () => app.why(task.n)]);
		return out;
	}

	/* Opens the menu of a track's name. */
	lane_menu(spec, x, y) {
		const { app } = this, { lanes } = app, lane = lanes.find(spec), entries = [];
		if (!lane)
			return;
		if (['cpu', 'irq', 'softirq', 'cpucalls', 'all'].includes(lane.type))
			entries.push([`Only events of CPU ${lane.id}`, () => app.filters.only('cpus', `${lane.machine}:${lane.id}`)]);
		if (lane.type === 'event')
			entries.push([`Only events ${lane.parts[0]}`, () => app.filters.only('kinds', lane.parts[0])]);
		entries.push(...this.about_task(app.tasks[this.task_of_lane(spec)], spec),
			[lane.pinned ? 'Let it scroll' : 'Keep at the top', () => lanes.toggle(spec, 'pinned')],
			['Up', () => lanes.shift(spec, -1)], ['Down', () => lanes.shift(spec, 1)],
			['Remove this track', () => lanes.remove(spec)]);
		show_menu(document.getElementById('menu'), entries, x, y);
	}

	/* Opens the menu of a row of the list of events. */
	event_menu(row, x, y) {
		const { app } = this, kind = `${row.system}/${row.event}`, entries = [
			['Mark its time', () => app.marks.set(row.ts)],
			[`Only events ${row.event}`, () => app.filters.only('kinds', kind)],
			[`Only events of CPU ${row.cpu}`, () => app.filters.only('cpus', `${row.machine || 0}:${row.cpu}`)],
			[`Track of ${row.event}`, () => app.show_lane(`event:${row.machine || 0}:${kind}`)],
			...this.about_task(app.task_of(row.machine || 0, row.pid))];
		if (app.filters.on)
			entries.push(['Clear the filter', () => app.filters.set({})]);
		show_menu(document.getElementById('menu'), entries, x, y);
	}

	task_of_lane(lane) {
		if (!lane)
			return -1;
		const parts = split(lane);
		if (['task', 'calls', 'sys'].includes(parts.type))
			return this.app.task_of(parts.machine, Number(parts.id))?.n ?? -1;
		const thread = parts.type === 'vcpu' && this.app.lanes.thread_of(parts.machine, Number(parts.id));
		return thread ? this.app.task_of(thread.machine, thread.pid)?.n ?? -1 : -1;
	}

	/* --- flags of marks on the ruler --- */

	flags() {
		const { app, ruler } = this;
		let held = null;
		const x = (event) => event.clientX - ruler.getBoundingClientRect().left;
		ruler.addEventListener('pointerdown', (event) => {
			const mark = app.marks.at(x(event));
			ruler.setPointerCapture(event.pointerId);
			if (mark)
				app.marks.activate(mark);
			held = mark ? { mark } : { from: x(event), last: x(event) };
		});
		ruler.addEventListener('pointermove', (event) => {
			app.say_where(app.view.t(x(event)));
			ruler.style.cursor = app.marks.at(x(event)) ? 'grab' : 'ew-resize';
			if (!held)
				return;
			if (held.mark) {
				held.mark.t = Math.max(0, Math.round(app.view.t(x(event))));
				app.redraw();
			} else {
				app.view.pan(held.last - x(event));
				held.last = x(event);
			}
		});
		ruler.addEventListener('pointerup', async (event) => {
			const { mark } = held || {};
			held = null;
			if (!mark)
				return;
			const lane = app.selection?.lane || app.lanes.rows.find((r) => r.lane)?.lane.spec;
			if (!event.ctrlKey)
				mark.t = await app.marks.snap(lane, app.selection?.row || 0, mark.t);
			app.marks.changed();
		});
		ruler.addEventListener('dblclick', (event) => app.marks.set(app.view.t(x(event))));
		ruler.addEventListener('wheel', (event) => {
			event.preventDefault();
			app.view.zoomAt(x(event), Math.exp(event.deltaY * .0025));
		}, { passive: false });
	}

	/* --- borders that can be moved --- */

	splitters() {
		const root = document.documentElement.style, { app } = this, get = (id) => document.getElementById(id);
		const set = (name, px) => px === null ? root.removeProperty(name) : root.setProperty(name, `${px}px`);
		make_border(get('label-split'), {
			name: 'labels', least: 90, most: () => Math.max(90, innerWidth - 200), upright: true,
			now: () => get('labels').offsetWidth, from: (event) => event.clientX,
			apply: (px) => {
				set('--labels', px);
				app.stage.resize();
			},
		});
		make_border(get('split'), {
			name: 'drawer', least: 32, most: () => innerHeight - 260,
			now: () => get('drawer').offsetHeight, from: (event) => innerHeight - event.clientY,
			apply: (px) => {
				set('--drawer', px);
				document.body.classList.remove('no-drawer');
			},
		});
	}
}

/* Opens a menu of [text, act], which closes itself. */
export function show_menu(box, entries, x, y) {
	const close = () => {
		box.hidden = true;
		removeEventListener('pointerdown', outside, true);
	};
	const outside = (event) => !box.contains(event.target) && close();
	box.replaceChildren(...entries.map(([text, act]) => {
		const item = el('button', '', text);
		item.setAttribute('role', 'menuitem');
		item.addEventListener('click', () => {
			close();
			act();
		});
		return item;
	}));
	box.onkeydown = (event) => {
		const items = [...box.children], at = items.indexOf(document.activeElement);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
		if (event.key === 'Escape')
			close();
		else if (to !== undefined)
			items[(to + items.length) % items.length].focus();
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	};
	box.hidden = false;
	box.style.left = `${Math.min(x, innerWidth - box.offsetWidth - 8)}px`;
	box.style.top = `${Math.min(y, innerHeight - box.offsetHeight - 8)}px`;
	box.firstChild?.focus();
	addEventListener('pointerdown', outside, true);
}
