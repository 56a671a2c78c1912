-- Who waited for locks (futex) how long? In ns.
SELECT thread_name AS task, tid, count(*) AS calls, sum(dur) AS total, max(dur) AS longest
FROM thread_slice
WHERE category = 'syscall' AND name LIKE 'futex%'
GROUP BY utid
ORDER BY total DESC
LIMIT 20;
