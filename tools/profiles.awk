# usage: awk -f tools/profiles.awk FILE.profile...
#        awk -v kind=plan -v header=plan/shipped.h -f tools/profiles.awk FILE.plan...
# Prints the C file that builds shipped texts into the program, in order of name.
BEGIN {
	if (!kind)
		kind = "profile"
	if (!header)
		header = "sim/profile.h"
	printf "/* The shipped %ss; made by tools/profiles.awk. */\n", kind
	printf "#include \"%s\"\n\n", header
	printf "const struct %s_text %s_texts[] = {\n", kind, kind
}
FNR == 1 {
	if (NR > 1)
		print "\t},"
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.[a-z]*$/, "", name)
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
