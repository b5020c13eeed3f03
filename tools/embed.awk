# usage: awk -f tools/embed.awk policies/*.policy > policy_texts_priv.h
# Text files as a table of C strings, by name without folder and ending: what policy.c looks up.
function finish() {
	if (open)
		print "\t},"
}
BEGIN {
	print "/* Made by tools/embed.awk from the files of policies/. */"
	print "#pragma once\n"
	print "static const struct {\n\tconst char *name, *text;\n} policy_texts[] = {"
}
FNR == 1 {
	finish()
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\..*/, "", name)
	printf "\t{\n\t\t\"%s\",\n", name
	open = 1
}
{
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	printf "\t\t\"%s\\n\"\n", $0
}
END {
	finish()
	print "};"
}
