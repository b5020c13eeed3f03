# usage: awk -f tools/layers.awk src/LAYERS $(git ls-files 'src/*.[ch]')
# Fails on any #include that is not an arrow of src/LAYERS, on another folder's private header, on an
# outside header away from its home, and on an include without its folder. Names arrows nobody uses.
function bad(msg) {
	print FILENAME ":" FNR ": " msg
	failed = 1
}
FILENAME == ARGV[1] {
	sub(/#.*/, "")
	if (!NF)
		next
	name = $1
	sub(/:$/, "", name)
	first = ($1 ~ /:$/) ? 2 : 3
	if (name ~ /^</) {
		guarded[name]
		for (i = first; i <= NF; i++)
			home[name, $i]
		next
	}
	for (i = first; i <= NF; i++) {
		if (!($i in known))
			bad(name " names " $i ", which is not above it")
		may[name, $i]
	}
	known[name]
	next
}
FNR == 1 {
	split(FILENAME, part, "/")
	from = part[2]
	if (!(from in known))
		bad("folder " from " is not in LAYERS")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	n = split(quoted[2], path, "/")
	to = path[1]
	if (n < 2) {
		bad("write the folder too: \"" from "/" quoted[2] "\"")
		next
	}
	if (to == from)
		next
	if (!((from, to) in may))
		bad(from " may not include " to)
	if (quoted[2] ~ /_priv\.h$/)
		bad(quoted[2] " is private to " to)
	used[from, to]
}
/^[ \t]*#[ \t]*include[ \t]*</ {
	match($0, /<[^>]*>/)
	header = substr($0, RSTART, RLENGTH)
	if ((header in guarded) && !((header, from) in home))
		bad(header " does not belong in " from)
}
END {
	for (pair in may)
		if (!(pair in used)) {
			split(pair, x, SUBSEP)
			idle = idle " " x[1] "->" x[2]
		}
	if (idle)
		print "note: arrows nobody uses:" idle
	exit failed
}
