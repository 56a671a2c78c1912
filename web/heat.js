// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heat.js - a heat map of the samples in the visible time: a column is a second (or another round
 * time), a cell a fiftieth of it.
 *
 *	row 49 │ ░ ▓ ░ ░
 *	  …    │ ░ ░ ▓ ░        what happens at regular times makes lines and patterns
 *	row  0 │ ░ ░ ░ ▓
 *
 * The user drags from the first cell to the last of a time; it becomes the selected range, whose
 * flame graph the next panel has. Cells count up in a column, then go on at the bottom of the next,
 * so a range is all cells between two. With the keyboard, the arrow keys move over cells, Enter sets
 * the first and the last one.
 */
import * as api from './api.js';
import { button, el } from './table.js';
import { clock, count, duration } from './units.js';

const LEFT = 64, CELL_HEIGHT = 4, BOTTOM = 16;

class Heat {
	constructor(app, box, answer, who) {
		this.app = app;
		this.answer = answer;
		this.n_cells = answer.columns * answer.rows;
		this.counts = new Uint32Array(this.n_cells);
		for (let i = 0; i < answer.cells.length; i += 2)
			this.counts[answer.cells[i]] = answer.cells[i + 1];
		this.most = this.counts.reduce((a, b) => Math.max(a, b), 1);
		this.first = this.at = -1;
		this.canvas = el('canvas', 'heat');
		this.canvas.tabIndex = 0;
		this.canvas.setAttribute('role', 'application');
		this.canvas.setAttribute('aria-label', `Heat map of ${answer.event}; arrows move, Enter begins and ends a range`);
		this.said = el('span', 'said', '');
		box.replaceChildren(el('div', 'panel-head',
			el('span', '', `Samples of ${answer.event}, ${who}: ${count(answer.samples)}; a column is ${duration(answer.column)}. Drag to choose a range.`),
			this.said, button('Flame graph', () => app.panels.show('flame'), 'The flame graph of the selected range')), this.canvas);
		this.listen();
		new ResizeObserver(() => this.draw()).observe(box);
		this.draw();
	}

	listen() {
		const c = this.canvas;
		c.addEventListener('pointerdown', (event) => {
			this.first = this.at = this.cell(event);
			c.setPointerCapture(event.pointerId);
			this.draw();
		});
		c.addEventListener('pointermove', (event) => {
			this.at = this.cell(event);
			this.tell();
			if (this.first >= 0)
				this.draw();
		});
		c.addEventListener('pointerup', () => this.choose());
		c.addEventListener('keydown', (event) => {
			const step = { ArrowUp: 1, ArrowDown: -1, ArrowRight: this.answer.rows, ArrowLeft: -this.answer.rows }[event.key];
			if (event.key === 'Enter') {
				if (this.first >= 0)
					this.choose();
				else
					this.first = Math.max(0, this.at);
			} else if (step !== undefined) {
				this.at = Math.max(0, Math.min(this.n_cells - 1, this.at + step));
				this.tell();
			} else {
				return;
			}
			event.preventDefault();
			event.stopPropagation();
			this.draw();
		});
	}

	time(cell) {
		return this.answer.start + cell * this.answer.row;
	}

	tell() {
		this.said.textContent = `${clock(this.time(this.at))}: ${count(this.counts[this.at] || 0)}`;
	}

	cell(event) {
		const box = this.canvas.getBoundingClientRect(), { columns, rows } = this.answer;
		const clamp = (v, max) => Math.max(0, Math.min(max, v));
		const column = clamp(Math.floor((event.clientX - box.left - LEFT) / this.width), columns - 1);
		return column * rows + clamp(rows - 1 - Math.floor((event.clientY - box.top) / CELL_HEIGHT), rows - 1);
	}

	choose() {
		if (this.first < 0)
			return;
		const from = Math.min(this.first, this.at), to = Math.max(this.first, this.at);
		this.first = -1;
		this.app.panels.hold();
		this.app.set_range(this.time(from), this.time(to + 1));
		this.draw();
	}

	/* Cells that the range contains, or that are being chosen. */
	chosen() {
		if (this.first >= 0)
			return [Math.min(this.first, this.at), Math.max(this.first, this.at)];
		const { range } = this.app;
		if (!range)
			return [0, this.n_cells];
		return [(range.from - this.answer.start) / this.answer.row - .5, (range.to - this.answer.start) / this.answer.row - .5];
	}

	draw() {
		const { columns, rows } = this.answer, { theme } = this.app, scale = window.devicePixelRatio || 1;
		const room = (this.canvas.parentElement?.clientWidth || 0) - LEFT - 40;
		if (room <= 0)
			return;
		this.width = Math.max(2, Math.min(24, Math.floor(room / columns)));
		const w = LEFT + columns * this.width + 12, h = rows * CELL_HEIGHT + BOTTOM;
		this.canvas.width = w * scale;
		this.canvas.height = h * scale;
		this.canvas.style.width = `${w}px`;
		this.canvas.style.height = `${h}px`;
		const g = this.canvas.getContext('2d'), [from, to] = this.chosen();
		g.scale(scale, scale);
		for (let i = 0; i < this.n_cells; i++) {
			const share = this.counts[i] / this.most;
			g.globalAlpha = i >= from && i <= to ? 1 : .35;
			g.fillStyle = this.counts[i] ? `hsl(${12 + 30 * (1 - share)} 90% ${theme.dark ? 18 + 42 * share : 92 - 47 * share}%)` : theme.bg3;
			g.fillRect(LEFT + Math.floor(i / rows) * this.width, (rows - 1 - i % rows) * CELL_HEIGHT, this.width - 1, CELL_HEIGHT - 1);
		}
		g.globalAlpha = 1;
		g.fillStyle = theme.text2;
		g.font = `11px ${theme.font}`;
		for (let k = 0; k < rows; k += 10)
			g.fillText(duration(k * this.answer.row), 2, (rows - k) * CELL_HEIGHT);
		const every = Math.max(1, Math.ceil(80 / this.width));
		for (let c = 0; c < columns; c += every)
			g.fillText(duration(c * this.answer.column), LEFT + c * this.width, h - 4);
	}
}

/* It covers the visible time, not the range: a range is chosen here. */
export async function heat_panel(app, box) {
	const from = Math.max(0, Math.round(app.view.from)), to = Math.min(app.view.end, Math.round(app.view.to));
	const task = app.hot >= 0 && app.tasks[app.hot]?.pid ? app.hot : undefined;
	const answer = await api.get('stats', { what: 'heat', from, to, task, by: app.flame_by?.startsWith('samples/') ? app.flame_by : undefined }, 'heat');
	if (!answer.samples) {
		box.replaceChildren(el('p', 'empty', answer.why_empty || 'No samples are in the visible time.'));
		return;
	}
	new Heat(app, box, answer, task === undefined ? 'all tasks' : app.task_name(task));
}
