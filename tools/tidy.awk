# usage: awk -f tools/tidy.awk $(git ls-files 'src/*.[ch]' 'tests/*.[ch]' 'bench/*.c')
# The style that a machine can hold: width, length of functions and files, banned calls (each with
# its replacement), headers that begin with a comment, unfinished work named in the code.
function bad(msg) {
	print FILENAME ":" FNR ": " msg
	failed = 1
}
function check_length() {
	if (lines <= 800)
		return
	print last ": " lines " lines (800 at most): one concept a file"
	failed = 1
}
function width(line,    i, n, c) {
	n = 0
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		n = c == "\t" ? n + 8 - n % 8 : n + 1
	}
	return n
}
BEGIN {
	ban["sprintf"] = "snprintf or str_printf"
	ban["strcpy"] = "arena_strdup or snprintf"
	ban["strcat"] = "str_add"
	ban["strtok"] = "a loop with strcspn"
	ban["atoi"] = "unit_parse_*"
	ban["atol"] = "unit_parse_*"
	ban["atof"] = "unit_parse_*"
	ban["strtol"] = "unit_parse_*"
	ban["rand"] = "rng_next"
	ban["srand"] = "rng_seed"
	ban["gettimeofday"] = "clock_wall_ns"
	ban["exit"] = "return an error (cli/ ends the process)"
	ban["perror"] = "err_set"
	ban["sleep"] = "wait for the event"
	ban["usleep"] = "wait for the event"
	ban["alloca"] = "an arena"
}
FNR == 1 {
	check_length()
	is_test = FILENAME ~ /^(tests|bench)\//
	if (FILENAME ~ /\.h$/ && $0 !~ /^\/\*/)
		bad("a header begins with the comment that says what it is")
	start = 0
	table = 0
}
{
	lines = FNR
	last = FILENAME
	if (width($0) > 100 && !table)
		bad("line of " width($0) " columns (100 at most)")
	if ($0 ~ /[ \t]$/)
		bad("space at the end of the line")
	if ($0 ~ /clang-format off/)
		table = 1
	if ($0 ~ /clang-format on/)
		table = 0
	if ($0 ~ /(FIXME|TODO|XXX)/)
		bad("unfinished work: finish it or take it out")
}
/^{/ {
	start = FNR
}
/^}/ {
	if (start && FNR - start - 1 > 70 && !is_test)
		bad("a function of " FNR - start - 1 " lines (70 at most)")
	start = 0
}
!is_test {
	line = $0
	gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
	sub(/\/\*.*/, "", line)
	if (line ~ /^[ \t]*\*/)
		next
	while (match(line, /[A-Za-z_][A-Za-z0-9_]*\(/)) {
		call = substr(line, RSTART, RLENGTH - 1)
		if (call in ban)
			bad(call "() is banned: use " ban[call])
		line = substr(line, RSTART + RLENGTH)
	}
}
END {
	check_length()
	exit failed
}
