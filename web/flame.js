// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flame.js - a flame graph of the range: time on the CPU, or off it; samples; or stacks of events.
 *
 * Width is time, or the number of stacks. Stacks of events are not samples of the CPU, so the user
 * can choose the event. A row is called by the row below it. A click makes a frame fill the width;
 * Escape or a click on its callers goes back. Off the CPU every task has a column; the user can
 * merge the columns. Frames narrower than half a pixel are omitted. The rows are elements, so Tab
 * can walk them, and the browser can search and print them.
 */
import * as api from './api.js';
import { hash } from './colours.js';
import { button, copy, el } from './table.js';
import { count, duration, share } from './units.js';

const ROW = 18, DEEP = 200, MOST = 4000;

function amount(value, unit) {
	return unit === 'ns' ? duration(value) : `${count(value)} ${unit}`;
}

function folded(node, path, out) {
	const mine = [...path, node.name], below = (node.children || []).reduce((sum, c) => sum + c.value, 0);
	if (node.value > below && path.length)
		out.push(`${mine.slice(1).join(';')} ${Math.round(node.value - below)}`);
	for (const child of node.children || [])
		folded(child, mine, out);
	return out;
}

/*
 * Removes the first row, which has the tasks of a graph of time off the CPU, and merges equal
 * stacks of several tasks.
 */
export function merged(root) {
	const join = (nodes) => {
		const by_name = new Map();
		for (const node of nodes) {
			const same = by_name.get(node.name);
			by_name.set(node.name, same ? { name: node.name, value: same.value + node.value, parts: [...same.parts, ...(node.children || [])] }
				: { name: node.name, value: node.value, parts: node.children || [] });
		}
		return [...by_name.values()].map(({ name, value, parts }) => ({ name, value, children: join(parts) }));
	};
	return { ...root, children: join((root.children || []).flatMap((task) => task.children || [])) };
}

class Flame {
	constructor(app, box, answer, words) {
		this.app = app;
		this.unit = answer.unit;
		this.root = answer.root;
		this.graph = el('div', 'flame');
		this.said = el('span', 'said', '');
		this.path = [this.root];
		this.whole = button('Whole', () => this.go([this.root]));
		this.whole.disabled = true;
		box.replaceChildren(el('div', 'panel-head', el('span', '', words), this.said,
			this.whole,
			button('Copy as folded stacks', () => copy(folded(this.root, [], []).join('\n') + '\n'))), this.graph);
		new ResizeObserver(() => this.draw()).observe(this.graph);
		this.graph.addEventListener('keydown', (event) => {
			if (event.key !== 'Escape' || this.path.length < 2)
				return;
			event.stopPropagation();
			this.go(this.path.slice(0, -1));
		});
	}

	go(path) {
		this.whole.disabled = path.length < 2;
		this.path = path;
		this.draw();
	}

	frame(node, x, width, depth, path) {
		const b = el('button', 'frame', width > 28 ? node.name : '');
		b.style.left = `${x}px`;
		b.style.width = `${Math.max(1, width - 1)}px`;
		b.style.top = `${depth * ROW}px`;
		if (width <= 28)
			b.style.padding = '0';
		const h = hash(node.name);
		b.style.backgroundColor = `hsl(${18 + h % 36} ${this.app.theme.dark ? '38% 38%' : '72% 74%'})`;
		const text = `${node.name}: ${amount(node.value, this.unit)}, ${share(node.value, this.root.value)}`;
		b.title = text;
		b.setAttribute('aria-label', text);
		b.addEventListener('click', () => this.go(path));
		b.addEventListener('pointerenter', () => {
			this.said.textContent = text;
		});
		return b;
	}

	draw() {
		const width = this.graph.clientWidth, frames = [];
		if (!width)
			return;
		let deepest = 0;
		const put = (node, x, w, depth, path) => {
			if (w < .5 || depth > DEEP || frames.length > MOST)
				return;
			deepest = Math.max(deepest, depth);
			frames.push(this.frame(node, x, w, depth, path));
			let at = x;
			const below = (node.children || []).reduce((sum, child) => sum + child.value, 0);
			for (const child of [...(node.children || [])].sort((a, b) => b.value - a.value)) {
				/* times are rounded, so limit a frame to the width of its parent */
				const part = w * child.value / Math.max(1, node.value, below);
				put(child, at, part, depth + 1, [...path, child]);
				at += part;
			}
		};
		this.path.slice(0, -1).forEach((node, depth) => {
			const f = this.frame(node, 0, width, depth, this.path.slice(0, depth + 1));
			f.classList.add('above');
			frames.push(f);
		});
		put(this.path[this.path.length - 1], 0, width, this.path.length - 1, this.path);
		this.graph.replaceChildren(...frames);
		this.graph.style.height = `${(deepest + 1) * ROW + 6}px`;
	}
}

/* Explains what the graph shows and what it does not mean. */
function words_for(what, answer, all, who) {
	const value = answer.unit === 'ns' ? duration(answer.root.value) : count(answer.root.value);
	if (what === 'offcpu')
		return `Off the CPU, ${who}: ${value}`;
	if (answer.by.startsWith('samples/'))
		return `Samples of ${answer.by.slice(8)}, ${who}: ${value}${answer.unit === 'ns' ? '' : ' events'}`;
	if (answer.unit !== 'ns')
		return `Stacks of ${answer.by === 'stacks' ? 'events' : answer.by}, ${who}: ${value}`;
	if (answer.clock === 'wall')
		return `In functions, ${who}: ${value}; the trace has no switches of tasks, so the time they slept is in it`;
	return `On the CPU, ${all ? 'all tasks but idle' : who}: ${value}`;
}

/* Lets the user choose functions, all stacks, or the stacks of one event. */
function chooser(app, answer) {
	const select = el('select', 'small');
	select.setAttribute('aria-label', 'What the graph is made of');
	for (const { by, n } of answer.choices) {
		const words = by === 'functions' ? 'Functions' : by.startsWith('samples/') ? `Samples of ${by.slice(8)}` : by === 'stacks' ? 'Stacks of all events' : `Stacks of ${by}`;
		const option = el('option', '', n ? `${words}, ${count(n)}` : words);
		option.value = by;
		option.selected = by === answer.by;
		select.append(option);
	}
	if (!answer.choices.some((c) => c.by === answer.by)) {	/* the event is not in this range */
		const option = el('option', '', `Stacks of ${answer.by}, none`);
		option.value = answer.by;
		option.selected = true;
		select.append(option);
	}
	select.addEventListener('change', () => {
		app.flame_by = select.value;
		app.emit('flame');
	});
	return select;
}

export async function flame_panel(app, box, what) {
	const { from, to } = app.scope(), task = app.hot >= 0 && app.tasks[app.hot]?.pid ? app.hot : undefined;
	const answer = await api.get('stats', { what, from, to, task, by: what === 'flame' ? app.flame_by : undefined }, 'flame');
	if (!answer.root || !answer.root.value) {
		box.replaceChildren(el('p', 'empty', answer.why_empty || 'Nothing was recorded here that could be shown.'));
		if (what === 'flame' && app.flame_by)
			box.append(chooser(app, answer));
		return;
	}
	const who = task === undefined ? 'all tasks' : app.task_name(task), can_merge = what === 'offcpu' && (answer.root.children?.length || 0) > 1;
	if (can_merge && app.flame_merged)
		answer.root = merged(answer.root);
	new Flame(app, box, answer, words_for(what, answer, task === undefined, who));
	if (what === 'flame' && answer.choices.length > 1)
		box.firstChild.prepend(chooser(app, answer));
	if (can_merge)
		box.firstChild.prepend(button(app.flame_merged ? 'By task' : 'All tasks together', () => {
			app.flame_merged = !app.flame_merged;
			app.emit('flame');
		}, app.flame_merged ? 'A column for each task' : 'Equal stacks of several tasks as one'));
}
