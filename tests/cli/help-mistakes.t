# a command or option that does not exist is named, with the one that may have been meant

$ sonde repotr
sonde: there is no command 'repotr'; did you mean 'report'?
[2]
$ sonde dmp
sonde: there is no command 'dmp'; did you mean 'dump'?
[2]
$ sonde rep
sonde: there is no command 'rep'; did you mean 'report'?
[2]
$ sonde xyzzy
sonde: there is no command 'xyzzy'; 'sonde help' lists them
[2]
$ sonde help reprot
sonde: there is no command 'reprot'; did you mean 'report'?
[2]
$ sonde --verison
sonde: unknown option '--verison'; a command comes first, and 'sonde help' lists them
[2]
$ sonde report --jsno x.dat
sonde: report: unknown option --jsno; did you mean --json?
[2]
$ sonde report --json-lines x.dat
sonde: report: unknown option --json-lines; did you mean --json?
[2]
$ sonde report --xyzzy x.dat
sonde: report: unknown option --xyzzy; --help lists them
[2]
$ sonde report -Z x.dat
sonde: report: unknown option -Z; --help lists them
[2]
$ sonde report --ts x.dat
sonde: report: --ts is the beginning of several options: --ts-diff, --ts-check, --ts-offset, --ts2secs
[2]
$ sonde report --json=1 x.dat
sonde: report: --json takes no value
[2]
$ sonde report --cpu
sonde: report: --cpu needs a value: LIST
[2]
$ sonde report -F
sonde: report: -F needs a value: FILTER
[2]
$ sonde help report options
sonde: 'report' has no sub-command 'options'
[2]
$ sonde help --man
sonde: help: which command's options?
[2]
