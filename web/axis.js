// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * axis.js - the ruler above the lanes: ticks at round times, flags of marks, the selected range.
 *
 * The distance of ticks is 1, 2 or 5 times a power of ten, so that a label has room. Labels are
 * offsets from a base in the left corner, because a time in a long trace, to the nanosecond, does
 * not fit between two ticks:
 *
 *	base 1.234 s      │      +10 µs      │      +20 µs
 */
import { bare, clock, duration } from './units.js';

const FLAG = 8;		/* half of a flag's width */
const APART = 110;	/* minimum pixels between labelled ticks */

export function ticks(view) {
	const least = view.nsPerPx * APART, power = 10 ** Math.floor(Math.log10(least));
	const step = Math.max(1, [1, 2, 5, 10].map((k) => k * power).find((s) => s >= least));
	const out = [];
	for (let i = Math.ceil(view.from / step); i * step <= view.to; i++)
		out.push(i * step);
	/* the base: a round time left of the picture, so that offsets stay short */
	const big = 10 ** Math.floor(Math.log10(view.span) + 1e-9);
	const base = Math.max(0, Math.floor(Math.max(0, view.from) / big) * big);
	return { step, at: out, base };
}

export class Axis {
	constructor(app) {
		this.app = app;
		this.canvas = document.getElementById('ruler-canvas');
		this.corner = document.getElementById('ruler-label');
		this.said = '';
	}

	draw(view, marks, range, theme) {
		const { canvas } = this, ratio = devicePixelRatio || 1;
		const width = canvas.clientWidth, height = canvas.clientHeight, ctx = canvas.getContext('2d');
		if (!width || !height)
			return;
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
		}
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.clearRect(0, 0, width, height);
		this.range(ctx, view, range, marks, theme, height);
		this.scale(ctx, view, theme, height);
		this.outside(ctx, view, theme, height);
		this.flags(ctx, view, marks, theme);
	}

	scale(ctx, view, theme, height) {
		const { step, at, base } = ticks(view);
		ctx.font = `11px ${theme.font}`;
		ctx.textBaseline = 'alphabetic';
		ctx.textAlign = 'left';
		for (const t of at) {
			const x = Math.round(view.x(t)) + .5;
			ctx.strokeStyle = theme.line2;
			ctx.beginPath();
			ctx.moveTo(x, height - 9);
			ctx.lineTo(x, height);
			for (let i = 1; i < 5; i++) {
				const minor = Math.round(view.x(t + step * i / 5)) + .5;
				ctx.moveTo(minor, height - 4);
				ctx.lineTo(minor, height);
			}
			ctx.stroke();
			ctx.fillStyle = theme.text2;
			const text = bare(duration(t - base)).replace(/(\.\d*?)0+(?=\D)/, '$1').replace(/\.(?=\D)/, '');
			ctx.fillText(t === base ? (base ? '+0' : '0') : (base ? '+' : '') + text, x + 4, height - 6);
		}
		const words = base ? `${clock(base).replace(/(\u202f000)+(?=\u202fs)/, '')} +` : 'since the start';
		const said = `${duration(view.span)}|${words}`;
		if (said === this.said)
			return;
		this.said = said;
		const b = document.createElement('b'), rest = document.createElement('span');
		b.textContent = `${duration(view.span)} wide`;
		rest.textContent = words;
		this.corner.replaceChildren(b, rest);
	}

	outside(ctx, view, theme, height) {
		ctx.fillStyle = theme.shade;
		const left = view.x(0), right = view.x(view.end);
		if (left > 0)
			ctx.fillRect(0, 0, left, height);
		if (right < view.width)
			ctx.fillRect(right, 0, view.width - right, height);
	}

	range(ctx, view, range, marks, theme, height) {
		if (!range)
			return;
		const a = view.x(range.from), b = view.x(range.to);
		ctx.fillStyle = theme.range;
		ctx.fillRect(a, 0, b - a, height);
		const label = duration(range.to - range.from);
		ctx.font = `600 11px ${theme.font}`;
		const half = ctx.measureText(label).width / 2 + 4;
		let x = Math.max(half, Math.min((a + b) / 2, view.width - half));
		for (const flag of marks.map((mark) => view.x(mark.t)).sort((m, n) => m - n))
			if (Math.abs(flag - x) < half + FLAG)
				x = flag + half + FLAG;		/* draw beside the flag, not below it */
		ctx.textAlign = 'center';
		ctx.fillStyle = theme.accent;
		if (b > 0 && a < view.width)
			ctx.fillText(label, x, 11);
	}

	flags(ctx, view, marks, theme) {
		ctx.font = `600 10px ${theme.font}`;
		ctx.textAlign = 'center';
		ctx.textBaseline = 'middle';
		for (const mark of marks) {
			const x = view.x(mark.t);
			if (x < -20 || x > view.width + 20)
				continue;
			ctx.fillStyle = mark.active ? theme.accent : theme.text2;
			ctx.beginPath();
			ctx.roundRect(x - FLAG, 1, 2 * FLAG, 13, 3);
			ctx.fill();
			ctx.fillRect(Math.round(x) - .5, 13, 1, 40);
			ctx.fillStyle = theme.bg;
			ctx.fillText(mark.name, x, 8);
		}
		ctx.textBaseline = 'alphabetic';
	}
}
