// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text.js - the canvas above the boxes: names in spans, grid, marks, selection, arrows.
 *
 * This file processes only spans that a tile lists as wide, so the cost does not grow with the
 * number of boxes. The parts of a span in several tiles are joined before its name is placed in the
 * middle of the visible part.
 */
import { STATE_ROW, SPAN_ROW, STATE_NAMES, label_slot } from './colours.js';
import { ticks } from './axis.js';
import { duration, rounded } from './units.js';
import { call_text } from './values.js';

const LEAST = 26;	/* pixels: narrower spans have no name */
const ROOM = 40;	/* pixels beside the name of a call from which on its arguments are shown */
const MOST = 400;	/* characters of a call with its arguments */
const CLOSE = 3;	/* minimum average distance of events in pixels for ticks */
const EXACT = 1, MISSED = 2;

export class Words {
	constructor(app) {
		this.app = app;
		this.canvas = document.getElementById('words');
		this.ctx = this.canvas.getContext('2d');
		this.widths = new Map();
		this.drawn = 0;
	}

	/* Draws the part of the trace that a live view has not read yet. */
	unread(scene, theme) {
		const { ctx } = this;
		ctx.fillStyle = theme.shade;
		for (const { x, width, top, height, pinned } of scene.unread)
			if (pinned === this.only)
				ctx.fillRect(x, top + 1, width, height - 2);
	}

	draw(scene, view, theme) {
		const { ctx, canvas } = this;
		if (canvas.width !== scene.width || canvas.height !== scene.height) {
			canvas.width = scene.width;
			canvas.height = scene.height;
		}
		const k = scene.ratio;
		ctx.setTransform(k, 0, 0, k, 0, 0);
		ctx.clearRect(0, 0, scene.width / k, scene.height / k);
		this.w = scene.width / k;
		this.h = scene.height / k;
		this.grid(scene, view, theme);
		this.clip(scene, () => this.unread(scene, theme));
		this.clip(scene, () => this.names(scene, view, theme));
		this.outside(view, theme);
		this.app.arrows?.draw(ctx, view, scene, theme);
		this.picked(scene, view, theme);
		this.range(view, theme);
		this.marks(view, theme);
	}

	/* Clips lanes that scroll below the pinned lanes. */
	clip(scene, draw) {
		const { ctx } = this, edge = this.app.lanes.pinned_height;
		for (const pinned of [false, true]) {
			ctx.save();
			ctx.beginPath();
			ctx.rect(0, pinned ? 0 : edge, this.w, pinned ? edge : this.h);
			ctx.clip();
			this.only = pinned;
			draw();
			ctx.restore();
		}
	}

	grid(scene, view, theme) {
		const { ctx } = this;
		ctx.strokeStyle = theme.grid;
		ctx.beginPath();
		for (const t of ticks(view).at) {
			const x = Math.round(view.x(t)) + .5;
			ctx.moveTo(x, 0);
			ctx.lineTo(x, this.h);
		}
		ctx.stroke();
		ctx.strokeStyle = theme.line;
		ctx.beginPath();
		for (const row of scene.rows) {
			const y = row.top + row.row.height - .5;
			if (y < this.app.lanes.pinned_height && !row.row.pinned)
				continue;
			if (row.row.head) {
				ctx.fillStyle = row.row.machine ? theme.bg3 : theme.bg2;
				ctx.fillRect(0, Math.max(row.top, this.app.lanes.pinned_height), this.w, row.row.height);
			}
			ctx.moveTo(0, y);
			ctx.lineTo(this.w, y);
		}
		ctx.stroke();
		const edge = this.app.lanes.pinned_height;
		if (edge) {
			ctx.fillStyle = theme.line2;
			ctx.fillRect(0, edge - 1, this.w, 2);
		}
	}

	outside(view, theme) {
		const { ctx } = this, left = view.x(0), right = view.x(view.end);
		ctx.fillStyle = theme.shade;
		if (left > 0)
			ctx.fillRect(0, 0, left, this.h);
		if (right < this.w)
			ctx.fillRect(right, 0, this.w - right, this.h);
	}

	/* Returns the spans with a name, joined over tiles: {x0, x1, y, row height, value}. */
	spans(scene) {
		const out = [], open = new Map(), k = scene.ratio;
		for (const piece of scene.pieces) {
			const { tile } = piece;
			if (!tile.wide || !tile.wide.length || piece.pinned !== this.only)
				continue;
			if (!tile.f32) {
				tile.f32 = new Float32Array(tile.data);
				tile.u32 = new Uint32Array(tile.data);
			}
			for (const i of tile.wide) {
				const a = tile.f32[i * 4], b = tile.f32[i * 4 + 1];
				if (b <= piece.c0 || a >= piece.c1)
					continue;
				const x0 = (piece.x + Math.max(a, piece.c0) * piece.scale) / k;
				const x1 = (piece.x + Math.min(b, piece.c1) * piece.scale) / k;
				const packed = tile.u32[i * 4 + 3], row = packed >>> 16 & 255, value = tile.u32[i * 4 + 2];
				const key = `${piece.lane.spec} ${row}`, before = open.get(key);
				if (before && before.value === value && a <= piece.c0 && Math.abs(before.x1 - x0) < 1) {
					before.x1 = x1;
					before.open = b >= piece.c1;
					continue;
				}
				const span = { x0, x1, value, row, piece, kind: tile.kind, lost: Boolean(packed >>> 24 & MISSED) };
				out.push(span);
				if (b >= piece.c1)
					open.set(key, span);
			}
		}
		return out;
	}

	names(scene, view, theme) {
		const { ctx, app } = this, k = scene.ratio;
		ctx.textBaseline = 'middle';
		ctx.textAlign = 'left';
		this.hot = scene.hot;
		this.drawn = 0;
		for (const s of this.spans(scene)) {
			const x0 = Math.max(0, s.x0), x1 = Math.min(this.w, s.x1), width = x1 - x0;
			if (width < LEAST)
				continue;
			const row = s.piece.row / k, top = s.piece.y / k + (s.kind === 3 ? s.row * row : 0);
			ctx.font = `${row < 16 ? 10.5 : 11}px ${theme.font}`;
			const [texts, ink] = this.label(s, s.piece.lane, theme, width);
			if (!texts[0])
				continue;
			const whole = texts.find((text) => this.width(text) <= width - 8), fits = whole || this.fit(texts[texts.length - 1], width - 8);
			if (!fits || (s.kind === 2 && !whole))
				continue;
			ctx.fillStyle = ink;
			const left = Math.max(x0 + 4, x0 + (width - this.width(fits)) / 2);
			const middle = top + row / 2 + (s.kind === 2 && s.value !== 1 ? row * .13 : 0);
			if (s.kind === 2 && s.value !== 1) {	/* stripes would make the text unreadable */
				ctx.strokeStyle = theme.bg;
				ctx.lineWidth = 3;
				ctx.lineJoin = 'round';
				ctx.strokeText(fits, left, middle);
				ctx.lineWidth = 1;
			}
			ctx.fillText(fits, left, middle);
			this.drawn++;
		}
		this.refusals(scene, theme);
		for (const piece of scene.scales || [])
			this.scale(piece, k, theme);
		for (const piece of [...scene.pieces, ...scene.flags])
			if (piece.tile.lost && piece.tile.lost.length && piece.pinned === this.only)
				this.lost(piece, k, theme);
		for (const piece of scene.flags)
			if (piece.pinned === this.only)
				this.events(piece, k, theme);
		app.names.flush();
		app.values.flush();
	}

	/* Shows why a track is empty, in its place. */
	refusals(scene, theme) {
		const { ctx } = this;
		ctx.font = `11px ${theme.font}`;
		ctx.fillStyle = theme.text2;
		for (const { row, top } of scene.rows)
			if (row.lane?.refused && Boolean(row.pinned) === this.only)
				ctx.fillText(this.fit(row.lane.refused, this.w - 16), 8, top + row.height / 2);
	}

	/*
	 * Returns [texts, colour]. The longest text comes first; the caller draws the first text
	 * that fits.
	 */
	label(span, lane, theme, width) {
		const { app } = this, { colours } = app;
		if (span.kind === 1) {
			const task = app.tasks[span.value];
			if (span.value === 65535)
				return [[span.lost ? 'unknown' : 'not recorded'], span.lost ? theme.text : theme.text3];
			if (!task || task.pid === 0)
				return [[], ''];
			const ink = this.hot >= 0 && this.hot !== span.value ? theme.text2 : colours.ink(span.value >> 8, span.value & 255);
			return [[`${task.comm}-${task.pid}`, task.comm], ink];
		}
		if (span.kind === 2) {
			if (span.value === 4 || span.value === 7 || span.value === 8)
				return [[], ''];
			return [[span.value === 0 && !span.lost ? 'not recorded' : STATE_NAMES[span.value] || ''], span.value === 1 ? colours.ink(STATE_ROW, 1) : theme.text];
		}
		return [this.call(span, lane, app.names.get(lane.spec, span.value), width), colours.ink(SPAN_ROW, label_slot(span.value))];
	}

	/* Returns the name of a call, before it with arguments and return value, if there is room. */
	call(span, lane, name, width) {
		const { app } = this, is_call = lane.type === 'calls' || lane.type === 'cpucalls';
		if (!is_call || !name || this.width(name) + ROOM > width)
			return [name];
		const values = app.values.get(lane.spec, span.row, app.view.t((Math.max(0, span.x0) + Math.min(this.w, span.x1)) / 2));
		if (!values || (values.args === undefined && values.ret === undefined))
			return [name];
		const whole = call_text(name, values), some = call_text(name, { args: values.args ?? '' });
		return [whole, some, this.fit(some.slice(0, MOST), width - 20), name].filter(Boolean);
	}

	/*
	 * Draws single events as small ticks at the upper edge of a CPU's lane, unless they are too
	 * close.
	 */
	events(piece, k, theme) {
		const { ctx } = this, { tile } = piece, seen = (piece.c1 - piece.c0) * piece.scale / k;
		if (tile.kind !== 4 || tile.n * CLOSE > seen)
			return;
		const f = new Float32Array(tile.data), flags = new Uint8Array(tile.data), top = piece.y / k - 2;
		ctx.fillStyle = theme.text2;
		for (let i = 0; i < tile.n; i++) {
			const x = (piece.x + f[i * 4] * piece.scale) / k;
			if (flags[i * 16 + 15] & EXACT && f[i * 4] >= piece.c0 && f[i * 4] < piece.c1 && x >= 0 && x <= this.w)
				ctx.fillRect(Math.round(x), top, 1, 5);
		}
	}

	/* Draws a flag where events were lost. The flag is visible at any zoom. */
	lost(piece, k, theme) {
		const { ctx } = this, { tile } = piece, f = new Float32Array(tile.data);
		const top = piece.y / k - 2, bottom = top + piece.height / k + 4;
		ctx.fillStyle = theme.warn;
		let last = -9;
		for (const i of tile.lost) {
			const x = (piece.x + f[i * 4] * piece.scale) / k;
			if (f[i * 4] < piece.c0 || f[i * 4] >= piece.c1 || x < -6 || x > this.w + 6 || x - last < 5)
				continue;
			last = x;
			ctx.fillRect(x - .75, top, 1.5, bottom - top);
			ctx.beginPath();
			ctx.moveTo(x - 5, top);
			ctx.lineTo(x + 5, top);
			ctx.lineTo(x, top + 7);
			ctx.fill();
		}
	}

	/* Draws the range of a counter at the right edge of its lane. */
	scale(piece, k, theme) {
		const { ctx } = this, { low, high } = piece;
		if (piece.pinned !== this.only)
			return;
		ctx.font = `10px ${theme.font}`;
		ctx.textAlign = 'right';
		ctx.strokeStyle = theme.bg;	/* an outline around the letters hides little of the curve */
		ctx.lineWidth = 3;
		ctx.lineJoin = 'round';
		ctx.fillStyle = theme.text2;
		for (const [text, y] of [[rounded(high), piece.y / k + 6], ...(low < high ? [[rounded(low), (piece.y + piece.row) / k - 5]] : [])]) {
			ctx.strokeText(text, this.w - 4, y);
			ctx.fillText(text, this.w - 4, y);
		}
		ctx.lineWidth = 1;
		ctx.textAlign = 'left';
	}

	width(text) {
		const key = this.ctx.font + text;
		let w = this.widths.get(key);
		if (w === undefined) {
			if (this.widths.size > 20000)
				this.widths.clear();
			w = this.ctx.measureText(text).width;
			this.widths.set(key, w);
		}
		return w;
	}

	fit(text, room) {
		if (this.width(text) <= room)
			return text;
		const keep = Math.floor(text.length * room / this.width(text)) - 1;
		return keep >= 2 ? text.slice(0, keep) + '…' : '';
	}

	/* Draws outlines around the selection and the span under the pointer. */
	picked(scene, view, theme) {
		const { app } = this;
		const box = (span, colour, thick) => {
			const place = scene.rows.find((r) => r.row.lane && r.row.lane.spec === span.lane);
			if (!place)
				return;
			const inner = app.lanes.inner(place.row.lane, place.row.height);
			const flat = place.row.lane.flat ? 0 : span.row || 0;
			const nested = place.row.lane.kind === 3;
			const y = place.top + (nested ? inner.y + flat * inner.row : inner.y - 1);
			const h = nested ? inner.row : inner.row + 2;
			const x0 = Math.max(-4, view.x(span.start)), x1 = Math.min(this.w + 4, view.x(Math.max(span.end, span.start)));
			this.ctx.strokeStyle = colour;
			this.ctx.lineWidth = thick;
			this.ctx.strokeRect(x0 - 1, y, Math.max(3, x1 - x0 + 2), h);
			this.ctx.lineWidth = 1;
		};
		if (app.hover && app.hover.lane)
			box(app.hover, theme.text3, 1);
		const s = app.selection;
		if (s && s.lane)
			box(s, theme.accent, 2);
		if (s && s.event) {
			const x = Math.round(view.x(s.event.ts)) + .5;
			this.ctx.strokeStyle = theme.accent;
			this.ctx.setLineDash([4, 3]);
			this.ctx.beginPath();
			this.ctx.moveTo(x, 0);
			this.ctx.lineTo(x, this.h);
			this.ctx.stroke();
			this.ctx.setLineDash([]);
		}
	}

	range(view, theme) {
		const { ctx, app } = this, r = app.dragging || app.range;
		if (!r)
			return;
		const a = view.x(r.from), b = view.x(r.to);
		ctx.fillStyle = theme.aside;		/* dims everything outside; colours inside stay true */
		ctx.fillRect(0, 0, Math.max(0, a), this.h);
		ctx.fillRect(b, 0, Math.max(0, this.w - b), this.h);
		ctx.strokeStyle = theme.accent;
		ctx.beginPath();
		for (const x of [a, b]) {
			ctx.moveTo(Math.round(x) + .5, 0);
			ctx.lineTo(Math.round(x) + .5, this.h);
		}
		ctx.stroke();
		if (!app.dragging)
			return;
		const text = duration(r.to - r.from);
		ctx.font = `600 12px ${theme.font}`;
		ctx.textAlign = 'center';
		const w = ctx.measureText(text).width + 14, x = Math.max(w / 2, Math.min((a + b) / 2, this.w - w / 2));
		const y = Math.max(14, Math.min((app.pointer_y || 40) - 22, this.h - 14));
		ctx.fillStyle = theme.accent;
		ctx.beginPath();
		ctx.roundRect(x - w / 2, y - 10, w, 20, 5);
		ctx.fill();
		ctx.fillStyle = theme.accent_text;
		ctx.textBaseline = 'middle';
		ctx.fillText(text, x, y + 1);
		ctx.textAlign = 'left';
	}

	marks(view, theme) {
		const { ctx } = this;
		for (const mark of this.app.marks.list) {
			const x = Math.round(view.x(mark.t)) + .5;
			if (x < 0 || x > this.w)
				continue;
			ctx.strokeStyle = mark.active ? theme.accent : theme.text2;
			ctx.lineWidth = 1;
			ctx.beginPath();
			ctx.moveTo(x, 0);
			ctx.lineTo(x, this.h);
			ctx.stroke();
		}
	}
}
