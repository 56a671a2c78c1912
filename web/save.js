// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * save.js - save pictures and files.
 *
 *	PNG           the content of the screen: names, ruler and lanes, combined here
 *	SVG, HTML     made by the program (api/export): all shown tracks, with marks and range; SVG of the
 *	              visible time, HTML of the range if there is one; the HTML is one file that needs
 *	              nothing else
 *	CSV, JSON     events: of the range, of the visible time, or of the whole trace; those that pass
 *	              the filter, or all
 *	link, print   the address; the browser's own print, with a style sheet for paper
 */
import * as api from './api.js';
import { show_menu } from './pointer.js';
import { copy } from './table.js';
import { bytes, some } from './units.js';

function download(href, name) {
	const a = document.createElement('a');
	a.href = href;
	a.download = name;
	document.body.append(a);
	a.click();
	a.remove();
}

export class Save {
	constructor(app) {
		this.app = app;
		this.paper();
		const b = document.getElementById('do-save');
		b.addEventListener('click', () => {
			const rect = b.getBoundingClientRect();
			show_menu(document.getElementById('menu'), [
				['Picture (PNG)', () => this.png()],
				['Drawing (SVG)', () => this.file('svg')],
				['Page to send (HTML)', () => this.file('html')],
				...this.events('csv', 'CSV'),
				...this.events('json', 'JSON'),
				['Copy a link', () => this.link()],
				['Print', () => this.print()],
			], rect.left, rect.bottom + 4);
		});
	}

	/* Lists which events can be saved. Every entry names its events. */
	events(what, name) {
		const { app } = this, { from, to, chosen } = app.scope(), whole = from <= 0 && to >= app.view.end;
		const passing = app.filters.on ? ' that pass the filter' : '', out = [];
		if (!whole)
			out.push([`Events ${chosen ? 'of the range' : 'in sight'}${passing}, as ${name}`, () => this.file(what)]);
		if (passing)
			out.push([`All events${passing}, as ${name}`, () => this.file(what, false, true)]);
		out.push([`All events of the trace, as ${name}`, () => this.file(what, true, true)]);
		return out;
	}

	name(ending) {
		return `${this.app.info.title.replace(/\.dat( and |$)/, '$1').replace(/[^\w.-]+/g, '_') || 'trace'}.${ending}`;
	}

	/*
	 * Returns the space for names and ruler. During printing these have no layout, so the last
	 * values are used.
	 */
	margins() {
		const left = document.getElementById('labels').offsetWidth, top = document.getElementById('ruler-canvas').clientHeight;
		if (left && top)
			this.room = { left, top };
		return this.room || { left: 232, top: 31 };
	}

	/* Draws the whole picture on one canvas. */
	picture() {
		const { app } = this, ratio = devicePixelRatio || 1, { theme, stage } = app;
		const ruler = document.getElementById('ruler-canvas'), { left, top } = this.margins();
		const canvas = document.createElement('canvas'), ctx = canvas.getContext('2d');
		canvas.width = Math.round((left + app.view.width) * ratio);
		canvas.height = Math.round((top + stage.height) * ratio);
		stage.frame(performance.now(), true);		/* WebGL drops its picture after a frame: draw it now */
		const put = (image, x, y) => image.width && image.height && ctx.drawImage(image, x, y);
		ctx.fillStyle = theme.bg;
		ctx.fillRect(0, 0, canvas.width, canvas.height);
		put(ruler, left * ratio, 0);
		put(stage.painter.canvas, left * ratio, top * ratio);
		put(stage.words.canvas, left * ratio, top * ratio);
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.font = `600 12px ${theme.font}`;
		ctx.fillStyle = theme.text;
		ctx.fillText(app.info.title, 8, 20, left - 16);
		ctx.textBaseline = 'middle';
		for (const { row, top: y } of stage.last.rows) {
			const [name, sub] = row.lane ? app.lanes.name(row.lane) : [row.title, ''];
			if (y < app.lanes.pinned_height && !row.pinned)
				continue;
			ctx.font = `${row.lane ? 12 : '600 11'}px ${theme.font}`;
			ctx.fillStyle = row.lane ? theme.text : theme.text2;
			ctx.fillText(`${name} ${sub}`, row.lane ? 20 : 8, top + y + row.height / 2, left - 24);
			ctx.fillStyle = theme.line;
			ctx.fillRect(0, top + y + row.height - 1, left, 1);
		}
		return canvas;
	}

	png() {
		return new Promise((done, fail) => this.picture().toBlob((blob) => {
			if (!blob) {
				fail(new Error('the picture is too large for the browser'));
				return;
			}
			this.keep(blob, this.name('png'));
			this.app.hint(`${this.name('png')}: ${bytes(blob.size)} saved.`);
			done(blob.size);
		}));
	}

	/*
	 * Saves a drawing. Like the PNG, it shows the visible time, with marks and range. If the
	 * range is not visible, the drawing shows the range instead.
	 */
	in_sight() {
		const { app } = this, from = Math.max(0, Math.round(app.view.from)), to = Math.min(app.view.end, Math.round(app.view.to));
		return !app.range || (app.range.from < to && app.range.to > from) ? { from, to } : app.range;
	}

	/*
	 * Saves events. all: also events that do not pass the filter. whole: events of the whole
	 * trace.
	 */
	address(what, all = false, whole = false) {
		const { app } = this, { filters, range } = app, { from, to } = whole ? { from: 0, to: app.view.end } : what === 'svg' ? this.in_sight() : app.scope();
		const lanes = app.lanes.rows.filter((r) => r.lane && r.lane.type !== 'found').map((r) => r.lane.spec);
		return api.address('export', { what, from, to, lanes: lanes.join(','), width: app.view.width,
			sel: all || !filters.on ? undefined : filters.sel, marks: app.marks.text() || undefined, range: range ? `${range.from},${range.to}` : undefined });
	}

	/*
	 * Requests the selection again, because the program drops selections that were not used for
	 * long. The request is cheap if the selection still exists. The page fetches the file
	 * itself, because the browser's download shows no error if the program refuses.
	 */
	async file(what, all = false, whole = false) {
		const { app } = this, { filters } = app;
		if (!all && filters.on)
			filters.sel = (await filters.ask(filters.want)).id;
		const blob = await api.file(this.address(what, all, whole));
		this.keep(blob, this.name(what));
		const refused = ['svg', 'html'].includes(what) ? app.lanes.rows.filter((r) => r.lane?.refused).length : 0;
		app.hint(`${this.name(what)}: ${bytes(blob.size)} saved${refused ? `; ${some(refused, 'track')} cannot be drawn, the file says why` : ''}.`);
	}

	keep(blob, name) {
		const href = URL.createObjectURL(blob);
		download(href, name);
		setTimeout(() => URL.revokeObjectURL(href), 10000);
	}

	async link() {
		this.app.address.write();
		if (await copy(location.href))
			this.app.hint('The link is on the clipboard. It works while this viewer runs.');
		else
			this.app.hint('The browser does not allow to copy; the link is in the address bar.');
	}

	print() {
		window.print();
	}

	/* Paper gets its own picture, because canvases of other sizes would be stretched. */
	paper() {
		addEventListener('beforeprint', () => {
			const canvas = this.picture();
			canvas.id = 'paper';
			document.getElementById('bar').after(canvas);
		});
		addEventListener('afterprint', () => document.getElementById('paper')?.remove());
	}
}
