// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marks.js - moments that the user marked: any number, with the times between them.
 *
 * A mark snaps to a nearby edge of a span or event (snap()), to the nanosecond. Tiles are rounded
 * to the pixel, so the page asks the program for the edge. With Ctrl there is no snapping. One mark
 * is active: keys move it, and differences to it are shown, too.
 *
 *	A  12.345 678 s
 *	B  12.345 714 s    +36.123 µs to A
 */
import * as api from './api.js';
import { clock, duration, exact, absolute } from './units.js';
import { table, cell, button } from './table.js';

const CEILING = 200, NEAR = 10;	/* distance in pixels */

function letters(n) {
	return n < 26 ? String.fromCharCode(65 + n) : letters(Math.floor(n / 26) - 1) + String.fromCharCode(65 + n % 26);
}

export class Marks {
	constructor(app) {
		this.app = app;
		this.list = [];		/* {name, t, active} */
	}

	changed() {
		this.app.emit('marks');
		this.app.redraw();
	}

	free_name() {
		for (let i = 0; ; i++)
			if (!this.list.some((mark) => mark.name === letters(i)))
				return letters(i);
	}

	/* Moves the mark of that name; without a name, adds a mark. */
	set(t, name) {
		let mark = name && this.list.find((m) => m.name === name);
		if (!mark) {
			if (this.list.length >= CEILING) {
				this.app.hint(`There are ${CEILING} marks already; remove some first.`);
				return null;
			}
			mark = { name: name || this.free_name(), t: 0, active: false };
			this.list.push(mark);
		}
		mark.t = Math.max(0, Math.round(t));
		this.activate(mark);
		return mark;
	}

	activate(mark) {
		for (const m of this.list)
			m.active = m === mark;
		this.changed();
	}

	get active() {
		return this.list.find((mark) => mark.active);
	}

	remove(mark) {
		this.list = this.list.filter((m) => m !== mark);
		if (this.list.length && !this.active)
			this.list[this.list.length - 1].active = true;
		this.changed();
	}

	clear() {
		this.list = [];
		this.changed();
	}

	/* Returns the mark at a position of the ruler. */
	at(x) {
		const { view } = this.app;
		return this.list.find((mark) => Math.abs(view.x(mark.t) - x) < 9);
	}

	/* Returns the time of the edge nearest to t on a lane, if the edge is close enough. */
	async snap(lane, row, t) {
		const { view, app } = { view: this.app.view, app: this.app };
		if (!lane)
			return t;
		try {
			const span = await app.span(lane, t, row, 'nearest');
			const spans = [span, await app.span(lane, t, row, 'at')].filter(Boolean);
			let best = t, far = NEAR * view.nsPerPx;
			for (const s of spans)
				for (const edge of [s.start, s.end])
					if (Math.abs(edge - t) <= far) {
						best = edge;
						far = Math.abs(edge - t);
					}
			return best;
		} catch (error) {
			api.quiet(error);
			return t;
		}
	}

	text() {
		return this.list.map((mark) => `${mark.name}:${mark.t}`).join(',');
	}

	parse(text) {
		this.list = [];
		for (const word of text.split(',').slice(0, CEILING)) {
			const [, name, t] = word.match(/^(?:([A-Z]{1,3}):)?(\d+)$/) || [];
			if (t !== undefined)
				this.list.push({ name: name || this.free_name(), t: Number(t), active: false });
		}
		if (this.list.length)
			this.list[0].active = true;
		this.changed();
	}

	/* --- the panel --- */

	panel(box) {
		const { app } = this, marks = [...this.list].sort((a, b) => a.t - b.t), { active } = this;
		if (!marks.length) {
			const p = document.createElement('p');
			p.className = 'empty';
			p.textContent = 'No marks yet. Double click sets mark A, Shift+double click mark B; M marks the selection. They snap to events; hold Ctrl to place one freely.';
			box.replaceChildren(p);
			return;
		}
		const rows = marks.map((mark, i) => {
			const before = marks[i - 1], tools = document.createElement('span');
			tools.append(button('Go', () => app.view.reveal(mark.t)), button('Remove', () => this.remove(mark)));
			return { mark, cells: [cell(mark.name, 'strong'), cell(clock(mark.t), 'num'), cell(absolute(mark.t, app.info.origin), 'num dim'),
				cell(before ? duration(mark.t - before.t) : '–', 'num'),
				cell(before ? exact(mark.t - before.t) : '', 'num dim'),
				cell(active && mark !== active ? duration(mark.t - active.t) : '–', 'num'), cell(tools)] };
		});
		const view = table(['Mark', 'Time', 'On the trace\'s clock', 'Since the one before', '', `Since ${active ? active.name : '–'}`, ''], rows.map((r) => r.cells));
		view.querySelectorAll('tbody tr').forEach((tr, i) => {
			tr.classList.toggle('on', rows[i].mark === active);
			tr.addEventListener('click', () => this.activate(rows[i].mark));
		});
		box.replaceChildren(view);
	}
}
