// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * draw_2d.js - boxes of all lanes with a plain canvas, where WebGL2 is not to be had.
 *
 * Same form as draw_gl.js: draw(scene, colours). Boxes are gathered by colour first, because
 * changing the colour of a canvas costs more than a rectangle; each colour is then one path.
 * Patterns (runnable, lost events) are made once and used as a colour.
 */
import { STATE_ROW, SPAN_ROW, THING_ROW, THING, label_slot } from './colours.js';

const SHARE = [.3, 1, .72, .72, .14, 1, .5, .14, .06];	/* of the lane's height, by state */

export class FlatPainter {
	constructor(canvas) {
		this.name = 'Canvas';
		this.canvas = canvas;
		this.ctx = canvas.getContext('2d');
		this.patterns = new Map();
		this.version = -1;
		this.uploads = 0;
	}

	pattern(css, key) {
		if (!this.patterns.has(key)) {
			const tile = document.createElement('canvas');
			tile.width = tile.height = 6;
			const c = tile.getContext('2d');
			c.fillStyle = css;
			for (let y = 0; y < 6; y++)
				for (let x = 0; x < 6; x++) {
					c.globalAlpha = (x + y) % 6 < 3 ? 1 : .35;
					c.fillRect(x, y, 1, 1);
				}
			this.patterns.set(key, this.ctx.createPattern(tile, 'repeat'));
		}
		return this.patterns.get(key);
	}

	bin(key, style, alpha) {
		let bin = this.bins.get(key);
		if (!bin)
			this.bins.set(key, bin = { style, alpha, path: new Path2D(), rim: null });
		return bin;
	}

	counter(piece, f, i, x0, x1, colours) {
		const { low, high } = piece.tile, y1 = piece.y + piece.row;
		const range = Math.max(high - low, 1e-30);
		const a = y1 - piece.row * (f[i * 4 + 3] - low) / range, b = y1 - piece.row * (f[i * 4 + 2] - low) / range;
		const css = colours.css(THING_ROW, THING.counter);
		this.bin('counter-low', css, .22).path.rect(x0, a, x1 - x0, y1 - a);
		this.bin('counter', css, 1).path.rect(x0, Math.min(a, y1 - 1.5), x1 - x0, Math.max(1.5, b - a));
	}

	/* Which bin a record belongs to, and how much of the height it takes. */
	choose(kind, value, flags, colours, hot) {
		if (flags & 2 && kind === 4)
			return [this.bin('missed', this.pattern(colours.css(THING_ROW, THING.missed), 'missed'), 1), 1];
		if (kind === 1) {
			const dim = hot >= 0 && hot !== value;
			return [this.bin(`t${value}${dim ? 'd' : ''}`, colours.task(value), dim ? .38 : 1), 1];
		}
		if (kind === 2) {
			const s = Math.min(value, 8), css = colours.css(STATE_ROW, s);
			const bin = this.bin(`s${s}`, s === 2 || s === 3 ? this.pattern(css, `s${s}`) : css, s === 5 ? .3 : 1);
			if (s === 5)
				bin.rim = css;
			return [bin, SHARE[s]];
		}
		if (kind === 3)
			return [this.bin(`l${label_slot(value)}`, colours.css(SPAN_ROW, label_slot(value)), 1), 1];
		if (kind === 6)
			return [this.bin('density', colours.css(THING_ROW, THING.density), 1), 1];
		const step = Math.min(6, Math.floor(Math.log2(1 + value)));
		const found = flags & 4 ? 'found' : 'tick';
		return [this.bin(found + step, colours.css(THING_ROW, THING[found]), .4 + step * .1), 1];
	}

	piece(piece, scene, colours) {
		const { tile } = piece, f = new Float32Array(tile.data), u32 = new Uint32Array(tile.data);
		for (let i = 0; i < tile.n; i++) {
			const a = f[i * 4], b = f[i * 4 + 1];
			if (a >= piece.c1 || b < piece.c0)
				continue;
			const x0 = Math.round(piece.x + Math.max(a, piece.c0) * piece.scale);
			const x1 = Math.max(x0 + 1, Math.round(piece.x + Math.min(b, piece.c1) * piece.scale));
			if (x1 < 0 || x0 > scene.width)
				continue;
			if (tile.kind === 5) {
				this.counter(piece, f, i, x0, x1, colours);
				continue;
			}
			const packed = u32[i * 4 + 3], flags = packed >>> 24, row = packed >>> 16 & 255;
			const [bin, share] = this.choose(tile.kind, u32[i * 4 + 2], flags, colours, scene.hot);
			const whole = (flags & 1) || tile.kind === 4 || (tile.kind === 2 && share < .3);
			const gap = tile.kind === 3 ? 1 : 0;
			const piled = tile.kind === 2 && !whole;	/* tiles.js: the row is where it begins */
			const h = (piece.row - gap) * (piled ? 1 : share) * (whole ? 1 : (packed & 65535) / 65535);
			const bottom = piece.y + piece.row * ((tile.kind === 3 ? row : 0) + 1 - (piled ? row / 255 : 0)) - gap;
			const top = Math.max(bottom - h, piece.top);
			const seam = (flags & 1) && x1 - x0 > 3 && a > piece.c0 && (tile.kind === 1 || tile.kind === 3) ? 1 : 0;
			if (bottom > top)
				bin.path.rect(x0 + seam, top, x1 - x0 - seam, bottom - top);
		}
	}

	draw(scene, colours) {
		const { ctx } = this;
		if (this.version !== colours.version) {
			this.patterns.clear();
			this.version = colours.version;
		}
		this.canvas.width = scene.width;
		this.canvas.height = scene.height;
		this.bins = new Map();
		for (const piece of scene.pieces)
			this.piece(piece, scene, colours);
		for (const bin of this.bins.values()) {
			ctx.globalAlpha = bin.alpha;
			ctx.fillStyle = bin.style;
			ctx.fill(bin.path);
			if (bin.rim) {
				ctx.globalAlpha = 1;
				ctx.strokeStyle = bin.rim;
				ctx.stroke(bin.path);
			}
		}
		ctx.globalAlpha = 1;
	}
}
