# tui needs a terminal, and says so before it opens the file; tests/tui looks at its screens
# covers: U01

$ sonde tui $GOLDEN/tour.dat < /dev/null
sonde: sonde tui needs a terminal for input and output; sonde report and sonde states print text
[1]
$ sonde tui --no-cache --cache-dir . $GOLDEN/tour.dat
sonde: --no-cache and --cache-dir exclude each other
[2]
$ sonde tui --help | grep cache
      --cache-dir DIR         keep the index here (default: $XDG_CACHE_HOME/sonde or ~/.cache/sonde)
      --no-cache              do not keep the index
