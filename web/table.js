// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.js - small tables for panels: real <table> elements, sortable, to be copied as CSV.
 *
 *	table(titles, rows, {sort, numbers, csv})   rows: arrays of cells
 *	cell(text or node, class)                   {node, class, text, value}
 *	bar(share, colour)                          a thin bar, as a cell's content
 *
 * sort: the column to sort by at first, descending; a click on a title sorts by it.
 */
const MOST = 1000;	/* rows that are shown; the rest is counted */

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
	return [titles, ...rows.map((row) => row.map((c) => String(c.value)))]
		.map((row) => row.map((text) => quote(String(text))).join(',')).join('\n') + '\n';
}

export async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {	/* no permission: the old way */
		const area = el('textarea', 'offscreen');
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand('copy');
		area.remove();
	}
}

function compare(a, b) {
	return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
}

export function table(titles, rows, options = {}) {
	const view = el('table', 'data'), head = el('thead', ''), body = el('tbody', ''), line = el('tr', '');
	let by = options.sort, down = true;
	const fill = () => {
		const order = rows.map((row, i) => i);
		if (by !== undefined)
			order.sort((a, b) => (down ? -1 : 1) * compare(rows[a][by].value, rows[b][by].value));
		body.replaceChildren(...order.slice(0, MOST).map((i) => {
			const tr = el('tr', '');
			for (const c of rows[i]) {
				const td = el('td', c.cls);
				td.append(c.content);
				tr.append(td);
			}
			if (options.click) {
				tr.tabIndex = 0;
				tr.classList.add('act');
				tr.addEventListener('click', () => options.click(i));
				tr.addEventListener('keydown', (event) => event.key === 'Enter' && options.click(i));
			}
			return tr;
		}));
		if (rows.length > MOST)
			body.append(el('tr', '', el('td', 'dim', `and ${rows.length - MOST} more`)));
		[...line.children].forEach((th, i) =>
			th.setAttribute('aria-sort', i !== by ? 'none' : down ? 'descending' : 'ascending'));
	};
	titles.forEach((title, i) => {
		const th = el('th', rows[0]?.[i]?.cls.includes('num') ? 'num' : '', title);
		th.scope = 'col';
		if (options.sort !== undefined) {
			th.tabIndex = 0;
			const sort = () => {
				down = by === i ? !down : true;
				by = i;
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
