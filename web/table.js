// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.js - small tables for panels: real <table> elements that can be sorted and copied as CSV.
 *
 *	table(titles, rows, {sort, click, key, kept})   rows: arrays of cells
 *	cell(text or node, class)                       {node, class, text, value}
 *	bar(share, colour)                              a thin bar, as a cell's content
 *
 * sort: the column to sort by at first, descending; -1: the rows are in order; a click on a title
 * sorts by it. click(i): a row was chosen, with the mouse or with Enter; the arrow keys go from row
 * to row. key(i): identifies a row. kept: an object of the caller that outlives the table: it stores the order and the chosen
 * row, so that a refilled table looks the same. resort(column, down): the program sorts the rows,
 * for the columns in sortable; sort and down are the present order.
 */
const MOST = 1000;	/* maximum number of rows; further rows are only counted */

export function el(tag, cls, ...children) {
	const node = document.createElement(tag);
	if (cls)
		node.className = cls;
	node.append(...children);
	return node;
}

export function button(text, act, title) {
	const b = el('button', 'small', text);
	b.type = 'button';
	if (title)
		b.title = title;
	b.addEventListener('click', (event) => {
		event.stopPropagation();
		act(event);
	});
	return b;
}

export function cell(content, cls = '', value = undefined) {
	const text = typeof content === 'string' ? content : content.textContent;
	return { content, cls, text, value: value === undefined ? text : value };
}

export function bar(share, colour) {
	const outer = el('span', 'bar'), inner = el('span', '');
	inner.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
	if (colour)
		inner.style.background = colour;
	outer.append(inner);
	return outer;
}

export function csv(titles, rows) {
	const quote = (text) => /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
	const told = titles.map((title, i) => title || rows.some((row) => row[i].value !== ''));	/* not columns of buttons */
	return [titles, ...rows.map((row) => row.map((c) => String(c.value)))]
		.map((row) => row.filter((text, i) => told[i])).map((row) => row.map((text) => quote(String(text))).join(',')).join('\n') + '\n';
}

/* Reports on the page whether the copy succeeded. */
function told(done) {
	document.dispatchEvent(new CustomEvent('copied', { detail: done }));
}

/* False: the browser forbids it. */
export async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		told(true);
		return true;
	} catch {	/* no permission: the old way */
		const area = el('textarea', 'offscreen');
		area.value = text;
		document.body.append(area);
		area.select();
		const done = document.execCommand('copy');
		area.remove();
		told(done);
		return done;
	}
}

function compare(a, b) {
	return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
}

/* Arrow keys move from row to row. */
function walk(event) {
	const row = event.target, rows = row.parentElement ? [...row.parentElement.querySelectorAll(':scope > tr.act')] : [], at = rows.indexOf(row);
	const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
	if (at < 0 || to === undefined || event.ctrlKey || event.altKey || event.metaKey)
		return;
	event.preventDefault();
	event.stopPropagation();
	rows[Math.max(0, Math.min(rows.length - 1, to))].focus();
}

/* A row that can be chosen. Tab reaches one of them; from there the arrow keys move on. */
function make_active(tr, key, kept, choose) {
	tr.tabIndex = -1;
	tr.classList.add('act');
	tr.dataset.key = key;
	const act = () => {
		kept.on = key;
		for (const other of tr.parentElement.querySelectorAll(':scope > tr.act'))
			mark(other, other === tr);
		choose();
	};
	tr.addEventListener('click', act);
	tr.addEventListener('keydown', (event) => event.key === 'Enter' && event.target === tr ? act() : walk(event));
	tr.addEventListener('focus', () => {
		for (const other of tr.parentElement.querySelectorAll(':scope > tr[tabindex="0"]'))
			other.tabIndex = -1;
		tr.tabIndex = 0;
	});
}

function mark(tr, is_on) {
	tr.classList.toggle('on', is_on);
	tr.setAttribute('aria-selected', String(is_on));
}

export function table(titles, rows, options = {}) {
	const view = el('table', 'data'), head = el('thead', ''), body = el('tbody', ''), line = el('tr', ''), kept = options.kept || {};
	const again = kept.title === undefined ? -1 : titles[kept.by] === kept.title ? kept.by : titles.indexOf(kept.title);	/* columns come and go */
	let by = again >= 0 ? again : options.sort, down = again >= 0 ? kept.down : options.down ?? true;
	const fill = () => {
		const order = rows.map((row, i) => i);
		if (by >= 0 && !options.resort)
			order.sort((a, b) => (down ? -1 : 1) * compare(rows[a][by].value, rows[b][by].value));
		body.replaceChildren(...order.slice(0, MOST).map((i) => {
			const tr = el('tr', '');
			for (const c of rows[i]) {
				const td = el('td', c.cls);
				td.append(c.content);
				tr.append(td);
			}
			if (options.click) {
				const key = String(options.key ? options.key(i) : i);
				make_active(tr, key, kept, () => options.click(i));
				mark(tr, key === kept.on);
			}
			return tr;
		}));
		const first = body.querySelector('tr.act.on') || body.querySelector('tr.act');
		if (first)
			first.tabIndex = 0;
		if (rows.length > MOST)
			body.append(el('tr', '', el('td', 'dim', `and ${rows.length - MOST} more`)));
		[...line.children].forEach((th, i) => (!options.sortable || options.sortable.includes(i)) &&
			th.setAttribute('aria-sort', i !== by ? 'none' : down ? 'descending' : 'ascending'));
	};
	titles.forEach((title, i) => {
		const th = el('th', rows[0]?.[i]?.cls.includes('num') ? 'num' : '', title);
		th.scope = 'col';
		if (options.sort !== undefined && (!options.sortable || options.sortable.includes(i))) {
			th.tabIndex = 0;
			const sort = () => {
				down = by === i ? !down : true;
				by = i;
				if (options.resort)
					return options.resort(by, down);
				Object.assign(kept, { by, down, title });
				fill();
			};
			th.addEventListener('click', sort);
			th.addEventListener('keydown', (event) => event.key === 'Enter' && sort());
		}
		line.append(th);
	});
	head.append(line);
	view.append(head, body);
	fill();
	return view;
}
