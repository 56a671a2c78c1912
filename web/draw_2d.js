// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * draw_2d.js - draws the boxes of all lanes pixel by pixel, if there is no graphics card.
 *
 * WebGL emulated by the CPU takes half a second for a frame of 30 000 boxes; writing the same
 * pixels here takes some milliseconds. This file has the interface of draw_gl.js, draw(scene,
 * colours), and gives the same picture: place() and STYLES do the work of the two shaders.
 *
 * A pixel is one number, ABGR in memory order; the alpha is not premultiplied.
 */
import { SHARE, STATE_ROW, SPAN_ROW, THING_ROW, THING, WIDTH, label_slot } from './colours.js';

const SOLID = 255;
const PLAIN = 0, HATCHED = 1, RIMMED = 2, FLAT = 3, CURVE = 4, MISSED = 5, UNENDED = 6;
const FAINT = Math.round(255 * .4);	/* alpha of time that was not recorded */
const LEAST = 4;	/* minimum height of a sum of spans, in pixels */
const RED = 26 << 16 | 31 << 8 | 191;	/* stripes of spans that are unknown or have no end */

function mix(rgb, shade, share) {
	let mixed = 0;
	for (let bits = 0; bits < 24; bits += 8)
		mixed |= Math.round((rgb >> bits & 255) * (1 - share) + shade * share) << bits;
	return mixed;
}

/* Blends a colour over another; both have an alpha. */
function over(below, rgb, alpha) {
	const a = below >>> 24, rest = a * (255 - alpha) / 255, sum = alpha + rest;
	let pixel = Math.round(sum) << 24;
	for (let bits = 0; bits < 24; bits += 8)
		pixel |= Math.round(((rgb >> bits & 255) * alpha + (below >> bits & 255) * rest) / sum) << bits;
	return pixel >>> 0;
}

/*
 * Functions that return the alpha of a pixel, for boxes in which it varies. x, y: the middle of the
 * pixel.
 */
const STYLES = {
	[HATCHED]: (b, x, y, dot) => ((x + y) % (6 * dot) < 3 * dot || (b.edge && x - b.x0 < dot) ? 1 : .35),
	[RIMMED]: (b, x, y, dot) => ((b.edge && x - b.x0 < dot) || (b.end && b.x1 - x < dot) ||
		y - b.y0 < dot * 1.5 || b.y1 - y < dot * 1.5 ? 1 : .3),
	[CURVE]: (b, x, y) => (y >= b.line0 - .5 && y <= b.line1 + .5 ? 1 : .22),
	[MISSED]: (b, x, y, dot) => ((x - y + 65535 * 5 * dot) % (5 * dot) < 2 * dot || b.x1 - b.x0 <= 3 * dot ? .95 : .2),
};

export class FlatPainter {
	constructor(canvas) {
		this.name = 'Canvas';
		this.canvas = canvas;
		this.ctx = canvas.getContext('2d', { willReadFrequently: true });	/* the canvas keeps its pixels in memory */
		this.box = {	/* the current box; line0, line1: ends of a curve's line */
			x0: 0, x1: 0, y0: 0, y1: 0, rgb: 0, alpha: SOLID, style: PLAIN,
			exact: false, edge: false, end: false, line0: 0, line1: 0,
		};
		this.uploads = 0;
		this.n = 0;
	}

	colour(row, i) {
		const c = this.table[row * WIDTH + i];
		this.box.rgb = c & 0xffffff;
		this.box.alpha = c >>> 24;
	}

	put(at, rgb, alpha) {
		if (alpha >= SOLID)
			this.pixels[at] = (rgb | 0xff000000) >>> 0;
		else if (alpha > 0)
			this.pixels[at] = this.pixels[at] ? over(this.pixels[at], rgb, alpha) : (rgb | alpha << 24) >>> 0;
	}

	/* Draws one pixel row of a uniform box. */
	row(from, to, rgb, alpha) {
		if (alpha >= SOLID && to - from > 8)
			this.pixels.fill((rgb | 0xff000000) >>> 0, from, to);
		else
			for (let at = from; at < to; at++)
				this.put(at, rgb, alpha);
	}

	fill(top) {
		const b = this.box, { dot, width } = this, style = STYLES[b.style];
		const left = Math.max(0, b.x0), right = Math.min(width, b.x1);
		const first = Math.max(0, top, Math.floor(b.y0)), last = Math.min(this.height, Math.ceil(b.y1));
		const rim = b.style === PLAIN && b.edge && b.exact ? Math.max(left, b.x0 + dot) : left;
		const shaded = rim > left ? mix(b.rgb, this.shade, .3) : 0;
		for (let y = first; y < last; y++) {
			const part = b.style === CURVE || b.style === MISSED ? 1 : Math.min(1, y + 1 - b.y0);
			const alpha = part < 1 ? Math.round(b.alpha * part) : b.alpha, at = y * width;
			if (!style && b.style !== UNENDED) {
				if (shaded)
					this.row(at + left, at + rim, shaded, alpha);
				this.row(at + rim, at + right, b.rgb, alpha);
				continue;
			}
			for (let x = left; x < right; x++)
				if (style)
					this.put(at + x, b.rgb, Math.round(alpha * style(b, x + .5, y + .5, dot)));
				else
					this.put(at + x, (x - y + 65532 * dot) % (12 * dot) < 2 * dot ? (b.lost ? RED : this.grey) : b.rgb, alpha);
		}
	}

	/*
	 * Places a box of a state lane. Several boxes in one column are stacked: the row byte is
	 * the height at which a box begins (tiles.js).
	 */
	state(piece, value, row, weight, thin) {
		const b = this.box, s = Math.min(value, 8);
		this.colour(STATE_ROW, s);
		b.style = s === 2 || s === 3 ? HATCHED : s === 5 ? RIMMED : s === 0 ? UNENDED : PLAIN;
		if (s === 0)
			b.alpha = b.lost ? SOLID : FAINT;
		if (b.exact || SHARE[s] < .5)
			b.y0 = b.y1 - piece.row * SHARE[s];
		else {
			b.y1 -= piece.row * row / 255 * thin;
			b.y0 = b.y1 - Math.max(this.dot, piece.row * weight);	/* never invisible */
		}
	}

	tick(piece, value, flags) {
		const b = this.box;
		this.colour(THING_ROW, flags & 4 ? THING.found : THING.tick);
		b.alpha = Math.round(255 * (.4 + .6 * Math.min(1, Math.log2(1 + value) / 7)));
		b.style = FLAT;
		b.y0 = piece.y;
		if (!(flags & 2))
			return;
		this.colour(THING_ROW, THING.missed);
		b.style = MISSED;
		b.y1 = b.y0 + Math.max(piece.row, piece.height);
	}

	counter(piece, low, high) {
		const b = this.box, { row } = piece, { dot } = this;
		const range = Math.max(piece.high - piece.low, 1e-30), share = (v) => Math.max(0, Math.min(1, (v - piece.low) / range));
		const top = b.y1 - row * share(high), bottom = b.y1 - row * share(low);
		this.colour(THING_ROW, THING.counter);
		b.style = CURVE;
		b.y0 = b.line0 = Math.min(top, b.y1 - dot * 1.5);
		b.line1 = Math.max(bottom, top + dot * 1.5);
		if (piece.high > piece.low)
			return;
		b.y0 = b.line0 = (piece.y + b.y1) / 2;
		b.line1 = b.y0 + dot * 1.5;
	}

	/* Sets colour, style and height of a record. */
	place(piece, value, packed, hot, wide) {
		const b = this.box, flags = packed >>> 24, row = packed >>> 16 & 255;
		b.exact = Boolean(flags & 1);
		b.lost = Boolean(flags & 2);
		/*
		 * a sum narrower than a pixel is drawn one pixel wide, and lower, to keep its area
		 */
		const thin = b.exact || piece.tile.kind > 2 ? 1 : Math.min(1, wide / this.dot);
		const weight = (packed & 65535) / 65535 * thin;
		b.style = PLAIN;
		b.y1 = piece.y + piece.row;
		switch (piece.tile.kind) {
		case 1:
			this.colour(value >> 8 & 255, value & 255);
			if (hot >= 0 && hot !== value)
				b.alpha = Math.round(b.alpha * .38);
			b.y0 = b.y1 - piece.row * (b.exact || value === 65535 ? 1 : weight);
			if (value === 65535) {	/* unknown task */
				b.style = UNENDED;
				b.alpha = b.lost ? SOLID : FAINT;
			}
			break;
		case 2:
			this.state(piece, value, row, weight, thin);
			break;
		case 3:
			this.colour(SPAN_ROW, label_slot(value));
			b.y1 = piece.y + piece.row * (row + 1) - this.dot;
			b.y0 = b.y1 - (piece.row - this.dot) * (b.exact ? 1 : weight);
			if (b.y1 - b.y0 < this.dot * LEAST) {	/* short spans at a low zoom: small, but visible */
				b.y0 = b.y1 - this.dot * LEAST;
				b.rgb = mix(b.rgb, this.strong, .4);
			}
			break;
		case 4:
			this.tick(piece, value, flags);
			return;
		default:
			this.colour(THING_ROW, THING.density);
			b.style = FLAT;
			b.y0 = b.y1 - piece.row * weight;
		}
		if (flags & 2 && b.exact)
			b.style = UNENDED;
	}

	piece(piece, scene) {
		const { tile, c0, c1 } = piece, b = this.box, { dot } = this;
		const f = new Float32Array(tile.data), u32 = new Uint32Array(tile.data);
		for (let i = 0; i < tile.n * 4; i += 4) {
			const from = f[i], to = f[i + 1];
			if (from >= c1 || to < c0 || (to === c0 && from < c0))
				continue;
			const begin = Math.max(from, c0), end = Math.max(begin, Math.min(to, c1));
			b.x0 = Math.floor(piece.x + begin * piece.scale + .5);
			b.x1 = Math.max(b.x0 + dot, Math.floor(piece.x + end * piece.scale + .5));
			if (b.x1 <= 0 || b.x0 >= scene.width)
				continue;
			if (tile.kind === 5) {
				b.y1 = piece.y + piece.row;
				this.counter(piece, f[i + 2], f[i + 3]);
			} else {
				this.place(piece, u32[i + 2], u32[i + 3], scene.hot, (end - begin) * piece.scale);
			}
			const wide = b.x1 - b.x0 > 3 * dot;
			b.edge = wide && from > c0;
			b.end = wide && to < c1;
			if (b.alpha)
				this.fill(piece.top);
			this.n++;
		}
	}

	resize(scene) {
		if (this.image?.width === scene.width && this.image.height === scene.height) {
			this.pixels.fill(0);
			return;
		}
		this.canvas.width = this.width = scene.width;
		this.canvas.height = this.height = scene.height;
		this.image = new ImageData(scene.width, scene.height);
		this.pixels = new Uint32Array(this.image.data.buffer);
	}

	draw(scene, colours) {
		this.resize(scene);
		this.dot = Math.max(1, Math.round(scene.ratio));
		this.shade = colours.dark ? 13 : 38;
		this.strong = colours.dark ? 255 : 0;
		this.grey = (colours.dark ? 0x88 : 0xa0) * 0x010101;	/* stripes of unrecorded time; lost data has red stripes */
		this.table = new Uint32Array(colours.table.buffer);
		this.n = 0;
		for (const piece of scene.pieces)
			this.piece(piece, scene);
		this.ctx.putImageData(this.image, 0, 0);
	}
}
