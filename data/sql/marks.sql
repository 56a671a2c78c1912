-- What took longest between two marks of a task (trace_marker, sonde mark)? In ns.
SELECT comm AS task, tid, ts, dur, mark, next
FROM (SELECT comm, tid, ts, trim(text) AS mark,
             lead(ts) OVER w - ts AS dur, trim(lead(text) OVER w) AS next
      FROM event
      WHERE name IN ('print', 'bprint')
      WINDOW w AS (PARTITION BY utid ORDER BY ts))
WHERE dur IS NOT NULL
ORDER BY dur DESC
LIMIT 20;
