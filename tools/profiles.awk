# usage: awk -f tools/profiles.awk FILE.profile...
# Prints the C file that builds the shipped profiles into the program, in order of name.
BEGIN {
	print "/* The shipped profiles; made by tools/profiles.awk. */"
	print "#include \"sim/profile.h\"\n"
	print "const struct profile_text profile_texts[] = {"
}
FNR == 1 {
	if (NR > 1)
		print "\t},"
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.profile$/, "", name)
	printf "\t{\"%s\",\n", name
}
{
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	printf "\t \"%s\\n\"\n", $0
}
END {
	print "\t},"
	print "\t{NULL, NULL},"
	print "};"
}
