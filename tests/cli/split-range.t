# split takes a range as report does, and --to is not taken for --top

$ sonde split -i $GOLDEN/tour.dat -o by-option --from +50ms --to +60ms
$ sonde split -i $GOLDEN/tour.dat -o by-argument +50ms +60ms
$ cmp by-option.1 by-argument.1
$ sonde split -i $GOLDEN/tour.dat -o first --to +10ms
$ sonde report first.1 | grep -c ': '
85
$ sonde report --to +10ms $GOLDEN/tour.dat | grep -c ': '
85
