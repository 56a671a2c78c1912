/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The script inside the page of `sonde flame --heatmap` (src/present/samples/heatpage.c). It is no part
 * of the viewer's page.
 *
 *	heat map      a column is a second, a cell 20 ms of it; drag over cells to choose a range
 *	flame graph   of the chosen range; a click zooms, the field above searches
 */
"use strict";
(function () {
	const data = JSON.parse(document.getElementById("data").textContent);
	const CELL_WIDTH = Math.max(4, Math.min(16, Math.floor(1100 / data.columns)));
	const CELL_HEIGHT = 6;
	const BOX_HEIGHT = 16;
	const CHAR_PIXELS = 6.7;
	const LEFT = 60;
	const SVG = "http://www.w3.org/2000/svg";
	const n_cells = data.columns * data.rows;
	const counts = new Uint32Array(n_cells);

	for (let i = 0; i < data.entries.length; i += 4)
		counts[data.entries[i]] += data.entries[i + 2];
	const most = counts.reduce((a, b) => Math.max(a, b), 1);

	function make(tag, attributes, parent) {
		const e = document.createElement(tag);
		Object.assign(e, attributes);
		parent.append(e);
		return e;
	}

	function drawn(tag, attributes, parent) {
		const e = document.createElementNS(SVG, tag);
		for (const key in attributes)
			e.setAttribute(key, attributes[key]);
		parent.append(e);
		return e;
	}

	make("style", {textContent: `
		body { font: 13px sans-serif; margin: 12px; background: #fafafa; color: #111 }
		h1 { font-size: 16px } canvas { cursor: crosshair; touch-action: none }
		svg text { font: 11px monospace; pointer-events: none }
		svg rect { stroke: #fafafa; stroke-width: .5; cursor: pointer }
		svg rect:hover { stroke: #000 } #note { min-height: 1.4em } input { width: 18em }
		button { margin-left: .5em }`}, document.head);
	make("h1", {textContent: `${data.title}: ${data.event}`}, document.body);
	const canvas = make("canvas", {
		id: "heat", width: LEFT + data.columns * CELL_WIDTH + 10,
		height: data.rows * CELL_HEIGHT + 24, tabIndex: 0,
	}, document.body);
	canvas.setAttribute("aria-label", "heat map: drag to choose a range");
	const note = make("p", {id: "note"}, document.body);
	const tools = make("p", {}, document.body);
	const search = make("input", {id: "search", placeholder: "search (regular expression)"}, tools);
	const reset = make("button", {id: "reset", textContent: "reset zoom"}, tools);
	const all = make("button", {id: "all", textContent: "whole trace"}, tools);
	const flame = drawn("svg", {id: "flame", width: 1200, height: 10}, document.body);

	/* --- heat map --- */

	let range = [0, n_cells - 1];

	const timeOf = (cell) => data.start + Math.floor(cell / data.rows) + cell % data.rows / data.rows;

	function drawHeat() {
		const g = canvas.getContext("2d");
		g.clearRect(0, 0, canvas.width, canvas.height);
		for (let cell = 0; cell < n_cells; cell++) {
			const column = Math.floor(cell / data.rows), row = cell % data.rows;
			const fade = Math.round(235 - 235 * counts[cell] / most);
			const isIn = cell >= range[0] && cell <= range[1];
			g.globalAlpha = isIn ? 1 : 0.35;
			g.fillStyle = counts[cell] ? `rgb(255,${fade},${fade})` : "#eee";
			g.fillRect(LEFT + column * CELL_WIDTH, (data.rows - 1 - row) * CELL_HEIGHT,
				   CELL_WIDTH - 1, CELL_HEIGHT - 1);
		}
		g.globalAlpha = 1;
		g.fillStyle = "#111";
		g.font = "11px monospace";
		for (let ms = 0; ms < 1000; ms += 200)
			g.fillText(`${ms} ms`, 2, (data.rows - ms / 20) * CELL_HEIGHT);
		const every = Math.max(1, Math.ceil(50 / CELL_WIDTH));
		for (let c = 0; c < data.columns; c += every)
			g.fillText(`${c} s`, LEFT + c * CELL_WIDTH, canvas.height - 8);
	}

	function cellAt(event) {
		const box = canvas.getBoundingClientRect();
		const column = Math.floor((event.clientX - box.left - LEFT) / CELL_WIDTH);
		const row = data.rows - 1 - Math.floor((event.clientY - box.top) / CELL_HEIGHT);
		const clamp = (v, max) => Math.max(0, Math.min(max, v));
		return clamp(column, data.columns - 1) * data.rows + clamp(row, data.rows - 1);
	}

	let from = -1;
	canvas.addEventListener("pointerdown", (e) => {
		from = cellAt(e);
		canvas.setPointerCapture(e.pointerId);
		choose(from, from);
	});
	canvas.addEventListener("pointermove", (e) => {
		if (from >= 0)
			choose(from, cellAt(e));
	});
	canvas.addEventListener("pointerup", (e) => {
		choose(from, cellAt(e));
		from = -1;
		drawFlame();
	});
	all.addEventListener("click", () => {
		choose(0, n_cells - 1);
		drawFlame();
	});

	function choose(a, b) {
		range = [Math.min(a, b), Math.max(a, b)];
		drawHeat();
		note.textContent = `${timeOf(range[0]).toFixed(2)} s to ${timeOf(range[1] + 1).toFixed(2)} s`;
	}

	/* --- flame graph --- */

	let root, zoomed;

	/* Weights go from each stack to all stacks below it: parents come first in the list. */
	function tree() {
		const n = data.stacks.length / 2;
		const total = new Float64Array(n + 1), hits = new Float64Array(n + 1);
		for (let i = 0; i < data.entries.length; i += 4) {
			if (data.entries[i] < range[0] || data.entries[i] > range[1])
				continue;
			hits[data.entries[i + 1]] += data.entries[i + 2];
			total[data.entries[i + 1]] += data.entries[i + 3];
		}
		for (let k = n; k >= 1; k--) {
			total[data.stacks[2 * k - 2]] += total[k];
			hits[data.stacks[2 * k - 2]] += hits[k];
		}
		const nodes = Array.from({length: n + 1}, (_, k) => ({
			name: k ? data.functions[data.stacks[2 * k - 1]] : data.event,
			kind: k ? data.kinds[data.stacks[2 * k - 1]] : "t",
			total: total[k], hits: hits[k], children: [], parent: null,
		}));
		for (let k = 1; k <= n; k++) {
			if (!total[k])
				continue;
			nodes[k].parent = nodes[data.stacks[2 * k - 2]];
			nodes[k].parent.children.push(nodes[k]);
		}
		for (const node of nodes)
			node.children.sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
		return nodes[0];
	}

	function amount(v) {
		if (!data.inTime)
			return String(v);
		return v >= 1e9 ? `${(v / 1e9).toFixed(3)} s` : v >= 1e6 ? `${(v / 1e6).toFixed(3)} ms`
			: `${(v / 1e3).toFixed(3)} us`;
	}

	function colour(node) {
		let h = 0;
		for (const c of node.name)
			h = (h * 31 + c.charCodeAt(0)) % 64;
		if (node.kind === "t")
			return "#d8d8d8";
		return node.kind === "k" ? `rgb(${100 + h},${160 + h},${255 - (h >> 1)})`
			: `rgb(${255 - (h >> 2)},${130 + h},${60 + (h >> 1)})`;
	}

	function pattern() {
		try {
			return search.value ? new RegExp(search.value) : null;
		} catch {
			return null;
		}
	}

	function drawFlame() {
		root = tree();
		zoomed = root;
		layout();
	}

	function layout() {
		const width = Number(flame.getAttribute("width"));
		const scale = zoomed.total ? width / zoomed.total : 0;
		const found = pattern();
		const boxes = [];
		let depth = 0, matched = 0;

		const way = [];
		for (let n = zoomed; n; n = n.parent)
			way.unshift(n);
		way.slice(0, -1).forEach((n, level) => boxes.push({n, level, x: 0, width, faded: true}));
		const waiting = [{n: zoomed, level: way.length - 1, x: 0, inside: false}];
		while (waiting.length) {
			const at = waiting.pop();
			const w = at.n.total * scale;
			if (w < 0.3)
				continue;
			const is = found && found.test(at.n.name);
			if (is && !at.inside)
				matched += at.n.total;
			boxes.push({n: at.n, level: at.level, x: at.x, width: w, found: is});
			let x = at.x;
			for (const child of at.n.children) {
				waiting.push({n: child, level: at.level + 1, x, inside: at.inside || is});
				x += child.total * scale;
			}
		}
		for (const b of boxes)
			depth = Math.max(depth, b.level);
		flame.replaceChildren();
		flame.setAttribute("height", (depth + 1) * BOX_HEIGHT);
		for (const b of boxes)
			drawBox(b, depth);
		if (found)
			note.textContent = `${(100 * matched / (zoomed.total || 1)).toFixed(2)} % match`;
	}

	function drawBox(b, depth) {
		const y = (depth - b.level) * BOX_HEIGHT;
		const rect = drawn("rect", {
			x: b.x, y, width: b.width, height: BOX_HEIGHT - 1,
			fill: b.found ? "#e600e6" : colour(b.n), opacity: b.faded ? 0.5 : 1,
		}, flame);
		const share = (100 * b.n.total / (root.total || 1)).toFixed(2);
		drawn("title", {}, rect).textContent =
			`${b.n.name}${b.n.kind === "k" ? " [kernel]" : b.n.kind === "i" ? " (inlined)" : ""}: ` +
			`${amount(b.n.total)}, ${share} %, ${b.n.hits} samples`;
		rect.addEventListener("click", () => {
			zoomed = b.n;
			layout();
		});
		const room = Math.floor((b.width - 6) / CHAR_PIXELS);
		if (room >= 3)
			drawn("text", {x: b.x + 3, y: y + 12}, flame).textContent =
				b.n.name.length <= room ? b.n.name : b.n.name.slice(0, room - 2) + "..";
	}

	search.addEventListener("input", layout);
	reset.addEventListener("click", () => {
		zoomed = root;
		layout();
	});
	choose(0, n_cells - 1);
	drawFlame();
})();
