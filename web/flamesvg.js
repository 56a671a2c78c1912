/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The script inside the SVG of `sonde flame` (src/present/calls/flamesvg.c): a click zooms, search
 * marks. It is no part of the viewer's page, and knows only what is drawn: the boxes, each a <g> with
 * <title>, <rect> and <text>.
 */
"use strict";
(function () {
	const CHAR_PIXELS = 7.2;
	const svg = document.documentElement;
	const byId = (id) => document.getElementById(id);
	const boxes = [];
	const left = () => boxes[0].x;
	const width = () => boxes[0].width;

	for (const g of byId("frames").children) {
		const rect = g.querySelector("rect");
		const title = g.querySelector("title").textContent;
		boxes.push({
			g, rect, title, text: g.querySelector("text"),
			name: title.replace(/( \[[^\]]*\])?: [^:]*$/, ""),
			x: Number(rect.getAttribute("x")), y: Number(rect.getAttribute("y")),
			width: Number(rect.getAttribute("width")),
		});
	}
	if (!boxes.length)
		return;

	function label(box, pixels) {
		const room = Math.floor((pixels - 6) / CHAR_PIXELS);
		if (room < 3)
			return "";
		return box.name.length <= room ? box.name : box.name.slice(0, room - 2) + "..";
	}

	function move(box, x, pixels) {
		box.rect.setAttribute("x", x);
		box.rect.setAttribute("width", pixels);
		box.text.setAttribute("x", x + 3);
		box.text.textContent = label(box, pixels);
	}

	/*
	 * Boxes above the chosen box fill the width. Boxes below it are as wide as it is, and
	 * faded.
	 */
	function zoom(chosen) {
		const scale = width() / chosen.width;
		const end = chosen.x + chosen.width + 0.05;

		for (const box of boxes) {
			const isCaller = box.y > chosen.y && box.x <= chosen.x + 0.05 &&
				box.x + box.width >= end - 0.1;
			const isInside = box.y <= chosen.y && box.x >= chosen.x - 0.05 &&
				box.x + box.width <= end;
			box.g.classList.toggle("hide", !isCaller && !isInside);
			box.g.classList.toggle("faded", isCaller);
			if (isCaller)
				move(box, left(), width());
			else if (isInside)
				move(box, left() + (box.x - chosen.x) * scale, box.width * scale);
		}
		byId("reset").classList.toggle("hide", chosen === boxes[0]);
	}

	function mark(pattern) {
		let wanted = null;
		const found = [];

		try {
			wanted = pattern ? new RegExp(pattern) : null;
		} catch {
			byId("matched").textContent = "not a regular expression: " + pattern;
			return;
		}
		for (const box of boxes) {
			const isFound = wanted !== null && wanted.test(box.name);
			box.g.classList.toggle("found", isFound);
			if (isFound)
				found.push(box);
		}
		/* boxes above a box that was found do not count again */
		const sum = found.filter((a) => !found.some((b) => b.y > a.y && b.x <= a.x &&
			b.x + b.width >= a.x + a.width)).reduce((n, box) => n + box.width, 0);
		byId("matched").textContent = wanted
			? "matched: " + (100 * sum / width()).toFixed(2) + "%" : " ";
		byId("search").textContent = wanted ? "clear search" : "search";
	}

	function ask() {
		if (byId("search").textContent === "clear search")
			mark("");
		else
			mark(window.prompt("Mark functions whose name matches this regular expression:", ""));
	}

	for (const box of boxes) {
		box.g.addEventListener("click", () => zoom(box));
		box.g.addEventListener("mouseenter", () => {
			byId("details").textContent = box.title;
		});
		box.g.addEventListener("mouseleave", () => {
			byId("details").textContent = " ";
		});
	}
	byId("reset").addEventListener("click", () => zoom(boxes[0]));
	byId("search").addEventListener("click", ask);
	svg.ownerDocument.addEventListener("keydown", (event) => {
		if (event.key === "Escape") {
			zoom(boxes[0]);
			mark("");
		} else if (event.key === "/" || (event.ctrlKey && event.key === "f")) {
			event.preventDefault();
			ask();
		}
	});
})();
