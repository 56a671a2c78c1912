-- When did soft interrupts come in storms? The 20 busiest periods of 10 ms of a CPU.
SELECT ts / 10000000 * 10000000 AS ts, cpu, name, count(*) AS runs, sum(dur) AS total,
       max(dur) AS longest
FROM slice_with_task
WHERE category = 'softirq'
GROUP BY 1, cpu, name
ORDER BY total DESC
LIMIT 20;
