// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * saved.js - the script of a saved page, which needs no server: it zooms the picture and fills the
 * tables.
 *
 * It is not part of the viewer's page; src/view/picture/html.c puts it into the file unchanged,
 * next to the picture (svg.c) and the numbers (an element with JSON). The picture's right side is a
 * nested svg; zooming changes its viewBox, so boxes grow and names on the left do not. The zoom
 * would stretch text: --k, picture pixels per screen pixel, undoes this. Names appear as soon as
 * they have room.
 */
const box = document.getElementById('pic'), svg = box.querySelector('svg'), plot = svg.querySelector('.plot');
const names = Number(svg.dataset.names), from = Number(svg.dataset.from), to = Number(svg.dataset.to);
const full = plot.viewBox.baseVal.width, height = plot.viewBox.baseVal.height;
const ticks = plot.querySelector('.ticks'), top_px = Number(ticks.dataset.top);
const words = [...plot.querySelectorAll('text.in')].map((text) => ({
	text, name: text.dataset.n, cut: text.dataset.cut !== undefined, room: Number(text.dataset.w), x: Number(text.getAttribute('x')),
}));
const ruler = document.createElement('canvas').getContext('2d'), widths = new Map();
const view = { x: 0, w: full, px: full };

function width_of(name) {
	if (!widths.has(name)) {
		ruler.font = `11px ${getComputedStyle(document.body).fontFamily}`;
		widths.set(name, ruler.measureText(name).width);
	}
	return widths.get(name);
}

const data = JSON.parse(document.getElementById('data').textContent);

/* n: units of the trace's clock, which may not be nanoseconds */
function duration(n) {
	const ns = n * data.unit_ns;
	if (!data.unit_ns)
		return `${Math.round(n)} ${data.counted}`;
	for (const [size, unit] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']])
		if (ns >= size)
			return `${Number((Math.round(ns) / size).toPrecision(10))} ${unit}`;
	return ns ? `${Math.round(ns)} ns` : '0 s';
}

function element(name, attributes, text = '') {
	const e = document.createElementNS('http://www.w3.org/2000/svg', name);
	for (const [key, value] of Object.entries(attributes))
		e.setAttribute(key, value);
	e.textContent = text;
	return e;
}

/* Draws lines at round times, at least 110 pixels apart, as on the viewer's ruler. */
function draw_ticks(k) {
	const ns = (to - from) / full, least = 110 * k * ns, power = 10 ** Math.floor(Math.log10(least)), out = [];
	const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((s) => s >= least));
	const start = from + view.x * ns, end = start + view.w * ns;
	for (let i = Math.ceil(start / step); i * step <= end; i++) {
		const x = (i * step - from) / ns, label = duration(i * step);
		const last = (x - view.x) / k + 4 + width_of(label) > view.px;
		out.push(element('line', { x1: x, x2: x, y1: top_px, y2: height, class: 'grid' }),
			element('line', { x1: x, x2: x, y1: top_px - 9, y2: top_px, class: 'tickline' }),
			element('text', { transform: `translate(${x + (last ? -4 : 4) * k} ${top_px - 7}) scale(${k} 1)`, class: 'axis',
				'text-anchor': last ? 'end' : 'start' }, label));
	}
	ticks.replaceChildren(...out);
}

function fit({ name, cut }, room) {
	if (width_of(name) <= room || !cut)
		return width_of(name) <= room ? name : '';
	const keep = Math.floor(name.length * room / width_of(name)) - 1;
	return keep >= 2 ? `${name.slice(0, keep)}…` : '';
}

function draw() {
	const k = view.w / view.px;
	plot.setAttribute('viewBox', `${view.x} 0 ${view.w} ${height}`);
	svg.style.setProperty('--k', k);
	for (const pattern of plot.querySelectorAll('pattern'))
		pattern.setAttribute('patternTransform', `scale(${k} 1)`);
	for (const w of words) {
		const room = w.room / k, seen = w.x + w.room / 2 >= view.x && w.x - w.room / 2 <= view.x + view.w;
		const text = seen && room >= 26 ? fit(w, room - 8) : '';
		if (w.text.textContent !== text)
			w.text.textContent = text;
	}
	for (const mark of plot.querySelectorAll('.mark'))
		mark.setAttribute('transform', `translate(${mark.dataset.x} 0) scale(${k} 1)`);
	draw_ticks(k);
}

function go(x, w) {
	view.w = Math.min(full, Math.max(full / 1e6, w));
	view.x = Math.max(0, Math.min(full - view.w, x));
	draw();
}

function zoom(factor, at = view.px / 2) {
	const k = view.w / view.px, w = Math.min(full, view.w * factor);
	go(view.x + at * k - at * w / view.px, w);
}

function resize() {
	view.px = Math.max(200, box.clientWidth - names);
	svg.removeAttribute('viewBox');
	svg.setAttribute('width', names + view.px);
	plot.setAttribute('width', view.px);
	draw();
}

function listen() {
	let drag = null;
	const at = (e) => e.clientX - box.getBoundingClientRect().left - names;
	svg.addEventListener('wheel', (e) => {		/* the plot gets events only where something is drawn */
		if (at(e) < 0)
			return;
		e.preventDefault();
		zoom(e.deltaY > 0 ? 1.25 : .8, at(e));
	}, { passive: false });
	svg.addEventListener('pointerdown', (e) => {
		if (at(e) < 0)
			return;
		drag = [e.clientX, view.x];
		svg.setPointerCapture(e.pointerId);
	});
	svg.addEventListener('pointermove', (e) => drag && go(drag[1] - (e.clientX - drag[0]) * view.w / view.px, view.w));
	svg.addEventListener('pointerup', () => {
		drag = null;
	});
	svg.addEventListener('dblclick', () => go(0, full));
	const keys = {
		'+': () => zoom(.5), '-': () => zoom(2), 0: () => go(0, full),
		ArrowLeft: () => go(view.x - view.w / 8, view.w), ArrowRight: () => go(view.x + view.w / 8, view.w),
	};
	box.addEventListener('keydown', (e) => {
		if (!keys[e.key] || e.ctrlKey || e.altKey || e.metaKey)
			return;
		e.preventDefault();
		keys[e.key]();
	});
	addEventListener('resize', resize);
}

/* --- tables --- */

function table(id, titles, rows) {
	const t = document.createElement('table'), head = t.createTHead().insertRow(), body = t.createTBody();
	for (const title of titles) {
		const th = document.createElement('th');
		th.textContent = title;
		head.append(th);
	}
	for (const row of rows) {
		const line = body.insertRow();
		row.forEach((value, i) => {
			const cell = line.insertCell();
			cell.textContent = value;
			cell.className = typeof value === 'number' ? 'n' : titles[i] === 'info' ? 'info' : '';
		});
	}
	document.getElementById(id).append(t);
}

/* The columns of the page's "Time by task" (stats.js): those after the fifth only if not empty. */
const STATES = [[1, 'running'], [2, 'runnable'], [3, 'preempted'], [5, 'blocked'], [4, 'sleeping'], [7, 'idle'], [6, 'stopped'], [8, 'dead'], [0, 'unknown']];

function fill() {
	const us = (n) => data.unit_ns ? Math.round(n * data.unit_ns) / 1000 : n, word = data.unit_ns ? 'µs' : data.counted;
	const many = data.machines.length > 1, on = (machine) => (many ? [data.machines[machine]] : []);
	const ran = data.tasks.tasks.filter((t) => t.states[1]).sort((a, b) => b.states[1] - a.states[1]).slice(0, 50);
	const of_guest = ran.some((t) => t.stolen !== undefined), stolen = (t) => (t.stolen_unknown ? `≥ ${us(t.stolen)}` : t.stolen === undefined ? '' : us(t.stolen));
	const states = STATES.filter(([n], i) => i < 5 || ran.some((t) => t.states[n])), counts = [['switches', 'switches'], ['wakeups', 'woken'], ['migrations', 'moved'], ['preemptions', 'preemptions']];
	table('tasks', ['task', ...(many ? ['machine'] : []), ...states.map(([, name]) => `${name} ${word}`), ...(of_guest ? [`stolen ${word}`] : []), ...counts.map(([, name]) => name), `longest wait ${word}`],
		ran.map((t) => [data.names[t.task][0], ...on(data.names[t.task][1]), ...states.map(([n]) => us(t.states[n])), ...(of_guest ? [stolen(t)] : []),
			...counts.map(([key]) => t[key]), t.max_wait_more ? `> ${us(t.max_wait)}` : us(t.max_wait)]));
	table('kinds', ['event', ...(many ? ['machine'] : []), 'count'], data.events.kinds.filter((k) => k[1]).sort((a, b) => b[1] - a[1])
		.map((k) => [data.kinds[k[0]][0], ...on(data.kinds[k[0]][1]), k[1]]));
	table('rows', [`time ${word}`, ...(many ? ['machine'] : []), 'CPU', 'task', 'event', 'info'],
		data.rows.map((r) => [us(r[0]), ...on(r[5]), r[1], r[2], r[3], r[4]]));
}

const root = document.documentElement;
root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
document.getElementById('theme').addEventListener('click', () => {
	root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
});
listen();
resize();
fill();
