# usage: git log --format='%H%n%B%x00' | awk -f tools/commits.awk
# Each message: "folder: what changes" without a full stop, an empty line, a body. 72 columns are the
# aim; 80 are held, but for a line that cannot be broken (one long word).
function bad(msg) {
	print substr(hash, 1, 12) ": " msg ": " $0
	failed = 1
}
BEGIN { RS = "\0" }
{
	n = split($0, line, "\n")
	first = line[1] == "" ? 2 : 1 # git puts a newline between records
	hash = line[first]
	$0 = line[first + 1]
	if ($0 == "") next
	if ($0 !~ /^[a-z.][A-Za-z0-9_.\/-]*(, [a-z.\/]+)*: [^ ]/) bad("not \"folder: what changes\"")
	if (length($0) > 80) bad(length($0) " columns in the subject (80 at most)")
	if ($0 ~ /\.$/) bad("a full stop ends the subject")
	if (first + 2 <= n && line[first + 2] != "") bad("no empty line after the subject")
	for (i = first + 3; i <= n; i++) {
		if (length(line[i]) > 80 && line[i] ~ /[^ ] +[^ ]/) {
			$0 = line[i]
			bad(length($0) " columns in the body (80 at most)")
		}
	}
}
END { exit failed }
