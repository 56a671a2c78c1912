# report says so when a file is no trace or is not there
# covers: T08

$ echo hello >greeting
> sonde report greeting
sonde: …greeting…
[1]

$ sonde report nosuch.dat
sonde: …nosuch.dat…
[1]
