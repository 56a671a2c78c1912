-- Which system calls took the most time? In ns.
SELECT name, count(*) AS calls, sum(dur) AS total, CAST(avg(dur) AS INTEGER) AS mean,
       max(dur) AS longest
FROM slice
WHERE category = 'syscall' AND NOT is_open
GROUP BY name
ORDER BY total DESC
LIMIT 20;
