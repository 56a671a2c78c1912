# convert writes the same trace in another version and compression
# covers: T20

$ cp $GOLDEN/tour.dat . && sonde report tour.dat >tour.txt
> for version in 6 7; do for compression in none zstd zlib; do
> sonde convert -i tour.dat --file-version $version --compression $compression $version-$compression 2>&1
> [ -f $version-$compression ] && sonde report $version-$compression | cmp - tour.txt && echo $version $compression
> done; done
6 none
sonde: version 6 has no compression; omit --compression zstd
sonde: version 6 has no compression; omit --compression zlib
7 none
7 zstd
7 zlib

# What is not said stays as it is: the version is 7, the compression that of the source.
$ sonde convert -i 6-none -o a && sonde dump a | grep -E 'Version|Compression'
		7	[Version]
		none	[Compression algorithm]
			[Compression version]
$ sonde convert -i tour.dat b && sonde dump b | grep -E 'Version|Compression'
		7	[Version]
		zstd	[Compression algorithm]
		…	[Compression version]
$ sonde convert -i tour.dat --compression any c && sonde dump c | grep -E 'Compression'
		zstd	[Compression algorithm]
		…	[Compression version]
$ sonde convert -i tour.dat --compression any --file-version 6 d && sonde dump d | grep -E 'Version'
		6	[Version]

# The default source is trace.dat, and it may be the target.
$ cp tour.dat trace.dat && sonde convert --compression none trace.dat && sonde report | cmp - tour.txt
> sonde dump trace.dat | grep 'Compression algorithm'
		none	[Compression algorithm]

# 7 to 6 to 7 gives back the same bytes.
$ sonde convert -i tour.dat one && sonde convert -i one --file-version 6 two
> sonde convert -i two --compression zstd three && cmp one three
