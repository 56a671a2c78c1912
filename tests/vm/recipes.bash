# What the tests of recipes share: they source it.

cd "$TMPDIR" || exit

recipe() {	# NAME ARGUMENTS…: runs it; what it printed is in "said"
	echo "== recipe $*"
	timeout 500 sonde recipe "$@" > said 2>&1 || { cat said; fail "recipe $1 failed"; }
	head -n 60 said
}
has() {	# REGEX: a line of what was printed
	grep -Eq -- "$1" said || fail "nothing like '$1'"
}
