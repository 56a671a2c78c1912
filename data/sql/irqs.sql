-- Which CPU handles which interrupts, and for how long? In ns.
SELECT category, name, cpu, count(*) AS runs, sum(dur) AS total, max(dur) AS longest
FROM slice_with_task
WHERE category IN ('irq', 'softirq')
GROUP BY category, name, cpu
ORDER BY category, total DESC;
