-- Which tasks moved between CPUs most often?
SELECT t.name AS task, t.tid, count(*) AS turns, sum(cpu != before) AS migrations,
       count(DISTINCT cpu) AS cpus
FROM (SELECT utid, cpu, lag(cpu) OVER (PARTITION BY utid ORDER BY ts) AS before FROM sched)
     JOIN thread t USING (utid)
GROUP BY utid
HAVING migrations
ORDER BY migrations DESC
LIMIT 20;
