# info --json has every number of the text, one object a file
# covers: T08

$ cp $GOLDEN/tour.dat $GOLDEN/made-missed.dat $GOLDEN/made-clock-counter-v7.dat .
$ sonde info --json -n 1 tour.dat | python3 -m json.tool --indent 2
{
  "path": "tour.dat",
  "size": 28288,
  "version": 7,
  "byte_order": "little",
  "long_bits": 64,
  "page_size": 4096,
  "compression": "zstd",
  "compression_version": "1.5.4",
  "data_bytes": 81920,
  "stored_bytes": 19509,
  "ratio": 4.199,
  "machine": "Linux (none) 6.1.0-54-amd64 x86_64",
  "recorded_by": "trace-cmd 3.1.6 not-a-git-repo",
  "clock": "local",
  "clocks": "[local]",
  "trace_id": "0xf31106f284d94c36",
  "guests": [],
  "hooks": [],
  "mappings": [],
  "recorded": [
    "tracepoints",
    "function calls (tracer function_graph)",
    "kernel stacks"
  ],
  "describes": {
    "events": 29,
    "systems": 5,
    "symbols": null,
    "symbol_bytes": 8534,
    "printk_formats": 165,
    "task_names": 104
  },
  "machine_cpus": 2,
  "in_time": true,
  "first": 151609943181,
  "last": 151768909220,
  "seconds": 0.158966039,
  "counted": true,
  "events": 2222,
  "kinds": 14,
  "tasks": 6,
  "per_second": 13977.828,
  "lost": {
    "gaps": 0,
    "gaps_of_unknown_size": 0,
    "missed": 0,
    "overrun": 0,
    "commit_overrun": 0,
    "dropped": 0,
    "entries": 653,
    "read": 15809
  },
  "buffers": [
    {
      "name": "",
      "clock": "local",
      "text": false,
      "page_size": 4096,
      "bytes": 81920,
      "events": 2222,
      "per_second": 13977.828,
      "first": 151609943181,
      "last": 151768909220,
      "seconds": 0.158966039,
      "lost": {
        "gaps": 0,
        "gaps_of_unknown_size": 0,
        "missed": 0,
        "overrun": 0,
        "commit_overrun": 0,
        "dropped": 0,
        "entries": 653,
        "read": 15809
      },
      "cpus": [
        {
          "cpu": 0,
          "bytes": 24576,
          "events": 571,
          "per_second": 3591.962,
          "first": 151626493587,
          "last": 151768909220,
          "seconds": 0.142415633,
          "lost": {
            "gaps": 0,
            "gaps_of_unknown_size": 0,
            "missed": 0,
            "overrun": 0,
            "commit_overrun": 0,
            "dropped": 0,
            "entries": 653,
            "read": 8747
          }
        },
        {
          "cpu": 1,
          "bytes": 57344,
          "events": 1651,
          "per_second": 10385.866,
          "first": 151609943181,
          "last": 151732951569,
          "seconds": 0.123008388,
          "lost": {
            "gaps": 0,
            "gaps_of_unknown_size": 0,
            "missed": 0,
            "overrun": 0,
            "commit_overrun": 0,
            "dropped": 0,
            "entries": 0,
            "read": 7062
          }
        }
      ]
    }
  ],
  "by_event": [
    {
      "system": "ftrace",
      "name": "funcgraph_entry",
      "id": 11,
      "events": 790,
      "bytes": 15800,
      "percent": 35.554,
      "per_second": 4969.615
    }
  ],
  "by_task": [
    {
      "pid": 234,
      "comm": "sleep",
      "events": 1620,
      "percent": 72.907
    }
  ],
  "damage": []
}

# Sums agree
$ cat >sums <<'END'
> import json, sys
> for line in sys.stdin:
>     i = json.loads(line)
>     cpus = [c for b in i["buffers"] for c in b["cpus"]]
>     print(i["path"], i["events"], sum(e["events"] for e in i["by_event"]),
>           sum(t["events"] for t in i["by_task"]), sum(c["events"] for c in cpus),
>           sum(c["lost"]["missed"] for c in cpus) - i["lost"]["missed"],
>           i["seconds"], i["lost"]["gaps_of_unknown_size"], len(i["damage"]))
> END
$ sonde info --json tour.dat made-missed.dat made-clock-counter-v7.dat | python3 sums
tour.dat 2222 2222 2222 2222 0 0.158966039 0 0
made-missed.dat 24 24 24 24 0 5.000000019 2 0
made-clock-counter-v7.dat 20 20 20 20 0 None 0 0
