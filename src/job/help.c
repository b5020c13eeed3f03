/* What the option table says to people: help of one option, the list of all, the man page. */
#include <ctype.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/str.h"
#include "base/unit.h"
#include "job/options_priv.h"

#define HELP_COLUMNS 80
#define NAME_COLUMNS 28

/* The next piece that a line is not broken in: a word, or a wide sign with the marks after it. */
static size_t piece_bytes(const char *text)
{
	static const char *const marks[] = {"，", "。", "；", "：", "、", "）", "”", "」"};
	size_t bytes = str_is_wide(text) ? 3 : 0;

	while (text[bytes] && text[bytes] != ' ') {
		bool clings = false;

		for (unsigned i = 0; i < ARRAY_SIZE(marks); i++)
			clings |= str_starts(text + bytes, marks[i]);
		if (!clings && (str_is_wide(text) || str_is_wide(text + bytes)))
			break;
		bytes += clings ? 3 : 1;
	}
	return bytes;
}

/* Pieces of `text` with line breaks; the first line starts at column `at`, the others are
 * indented by `indent`. */
static void wrap(const char *text, unsigned at, unsigned indent, struct str *out)
{
	unsigned gap = 1;

	while (*text) {
		autostr piece = {0};
		unsigned columns;

		str_add_bytes(&piece, text, piece_bytes(text));
		columns = str_columns(str_text(&piece));
		if (at > indent && at + gap + columns > HELP_COLUMNS) {
			str_add_char(out, '\n');
			str_add_left(out, "", indent);
			at = indent;
		} else if (at > indent && gap) {
			str_add_char(out, ' ');
			at++;
		}
		str_add(out, str_text(&piece));
		at += columns;
		text += piece.length;
		gap = *text == ' ';
		text += strspn(text, " ");
	}
	str_add_char(out, '\n');
}

/* Kinds that fio calls integers. */
static bool is_number_kind(enum opt_kind kind)
{
	return kind != OPT_AMOUNT && kind != OPT_SIZE_RANGE &&
	       str_equal(opt_kinds[kind].fio, opt_kinds[OPT_COUNT].fio);
}

static bool has_bounds(const struct opt *opt)
{
	return opt->min || opt->max;
}

/* "1 to 1g", "at least 1s", "at most 100". */
static void bounds_text(enum lang lang, const struct opt *opt, struct str *out)
{
	autostr min = {0}, max = {0};

	if (opt->min)
		opt_format_bound(opt, opt->min, &min);
	if (opt->max)
		opt_format_bound(opt, opt->max, &max);
	if (opt->min && opt->max)
		lang_printf(lang, out, " Allowed: %s to %s.", str_text(&min), str_text(&max));
	else if (opt->min)
		lang_printf(lang, out, " Allowed: at least %s.", str_text(&min));
	else
		lang_printf(lang, out, " Allowed: at most %s.", str_text(&max));
}

/* What the option does here when it has no effect; NULL when it has. */
static const char *deed_text(const struct opt *opt)
{
	switch (opt->deed) {
	case OPT_ACTS:
		return NULL;
	case OPT_HINT:
		return N_("Accepted, no effect");
	case OPT_NOT:
		return opt->def || opt->off ? N_("Refused unless at its default")
					    : N_("Refused");
	case OPT_FOREIGN:
		return N_("Refused: its engine is not built in");
	}
	return NULL;
}

/* --- native --- */

static void help_words(const struct opt *opt, struct str *out)
{
	for (const struct opt_word *word = opt->words; word && word->text; word++) {
		str_add(out, "      ");
		str_add_left(out, word->text, 14);
		str_printf(out, " %s\n", word->help ? lang_here(word->help) : "");
		while (out->length > 1 && out->text[out->length - 2] == ' ') {
			out->text[--out->length] = '\0';
			out->text[out->length - 1] = '\n';
		}
	}
}

/* " Allowed: .... Default: .... Engines: ...." */
static void facts_text(enum lang lang, const struct opt *opt, struct str *out)
{
	if (has_bounds(opt))
		bounds_text(lang, opt, out);
	if (opt->def || opt->native_def)
		lang_printf(lang, out, " Default: %s.",
			    opt->native_def ? opt->native_def : opt->def);
	if (opt->native_def && opt->def)
		lang_printf(lang, out, " In the fio face: %s.", opt->def);
	if (opt->engines) {
		autostr engines = {0};

		opt_format_engines(opt, &engines);
		lang_printf(lang, out, " Engines: %s.", str_text(&engines));
	}
}

static void help_facts(const struct opt *opt, struct str *out)
{
	autostr text = {0}, note = {0};

	lang_say(lang_of_messages(), opt_kinds[opt->kind].note, &note);
	lang_add(&text, "Value: %s.", str_text(&note));
	facts_text(lang_of_messages(), opt, &text);
	if (opt_is_cli(opt))
		str_add(&text, lang_here(" Of the command line only."));
	str_add(out, "    ");
	wrap(str_text(&text), 4, 4, out);
}

static void help_native(const struct opt *opt, struct str *out)
{
	const char *deed = deed_text(opt);
	autostr text = {0};

	str_printf(out, "%s%s=%s", opt_is_cli(opt) ? "--" : "", opt->name,
		   opt_kinds[opt->kind].form);
	if (opt->alias)
		lang_add(out, "   (also %s)", opt->alias);
	str_add(out, "\n    ");
	wrap(lang_here(opt->help), 4, 4, out);
	help_facts(opt, out);
	help_words(opt, out);
	if (!deed)
		return;
	str_printf(&text, "%s%s%s.", lang_here(deed), opt->why ? ": " : "",
		   opt->why ? lang_here(opt->why) : "");
	str_add(out, "    ");
	wrap(str_text(&text), 4, 4, out);
}

static void help_all_native(struct str *out)
{
	const char *group = "";

	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		autostr name = {0};

		if (opt->deed == OPT_FOREIGN || opt->flags & OPT_FIO)
			continue;
		if (!str_equal(group, opt_group(opt))) {
			str_printf(out, "%s%s\n", *group ? "\n" : "",
				   lang_here(opt_group(opt)));
			group = opt_group(opt);
		}
		str_printf(&name, "  %s%s", opt_is_cli(opt) ? "--" : "", opt->name);
		if (opt->deed == OPT_HINT || opt->deed == OPT_NOT)
			str_add(&name, lang_here(opt->deed == OPT_HINT ? N_(" (no effect)")
								       : N_(" (refused)")));
		str_add_left(out, str_text(&name), NAME_COLUMNS);
		if (str_columns(str_text(&name)) >= NAME_COLUMNS) {
			str_add_char(out, '\n');
			str_add_left(out, "", NAME_COLUMNS);
		}
		wrap(lang_here(opt->help), NAME_COLUMNS, NAME_COLUMNS, out);
	}
}

/* --- fio's --cmdhelp --- */

/* A default as fio prints it: sizes and plain numbers without unit. */
static void fio_default(const struct opt *opt, struct str *out)
{
	uint64_t value = 0;

	if (!opt->def || opt->kind == OPT_FLAG)
		str_add(out, "no default");
	else if (is_number_kind(opt->kind) && !unit_parse_size(opt->def, &value, NULL))
		str_printf(out, "%llu", (unsigned long long)value);
	else if (opt->flags & OPT_FIO_INT && !unit_parse_time(opt->def, "s", &value, NULL))
		str_printf(out, "%llu", (unsigned long long)(value / NS_PER_MS));
	else
		str_add(out, opt->def);
}

static void fio_line(const char *label, const char *text, struct str *out)
{
	str_printf(out, "%20s: %s\n", label, text);
}

static void help_fio(const struct opt *opt, struct str *out)
{
	const char *type = opt_kinds[opt->kind].fio;
	bool boolean = opt->kind == OPT_BOOL || opt->kind == OPT_BOOL_INVERSE;
	autostr text = {0};

	fio_line(opt->name, opt->help, out);
	if (opt->alias)
		fio_line("alias", opt->alias, out);
	fio_line("type", opt->flags & OPT_FIO_INT ? opt_kinds[OPT_COUNT].fio : type, out);
	fio_default(opt, &text);
	fio_line("default", str_text(&text), out);
	if (boolean)
		fio_line("range", "min=0, max=1", out);
	else if (is_number_kind(opt->kind) && opt->kind != OPT_CPUMASK && !opt->engines)
		str_printf(out, "%20s: min=%lld, max=%lld\n", "range", (long long)opt->min,
			   opt->max ? (long long)opt->max : -1LL);
	for (const struct opt_word *word = opt->words; word && word->text; word++)
		str_printf(out, "%20s: %-10s%s%s\n", word == opt->words ? "valid values" : "",
			   word->text, word->help ? " " : "", word->help ? word->help : "");
	if (deed_text(opt))
		str_printf(out, "%20s: %s%s%s\n", "here", deed_text(opt), opt->why ? ": " : "",
			   opt->why ? opt->why : "");
	str_add_char(out, '\n');
}

bool job_help_option(const char *key, enum face face, struct str *out, const char **ret_near)
{
	const struct opt *opt = opt_find_face(key, face);

	if (!opt) {
		*ret_near = opt_nearest(key, face);
		return false;
	}
	if (face == FACE_FIO)
		help_fio(opt, out);
	else
		help_native(opt, out);
	return true;
}

void job_help_all(enum face face, struct str *out)
{
	if (face == FACE_NATIVE) {
		help_all_native(out);
		return;
	}
	/* fio lists the options of jobs here, and neither its command line's nor the engines'. */
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt))
		if (!opt_is_cli(opt) && !opt->engines && opt->deed != OPT_FOREIGN &&
		    !(opt->flags & OPT_NATIVE))
			str_printf(out, "%-24s: %s\n", opt->name, opt->help);
}

void job_help_command_line(struct str *out)
{
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		autostr name = {0};

		if (!opt_is_cli(opt) || opt->flags & OPT_NATIVE || deed_text(opt))
			continue;
		str_printf(&name, "  --%s", opt->name);
		if (opt->kind != OPT_FLAG)
			str_printf(&name, "=%s", opt_kinds[opt->kind].form);
		str_printf(out, "%-30s %s\n", str_text(&name), opt->help);
	}
}

static void help_engine_options(const char *engine, struct str *out)
{
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt))
		if (opt->engines && opt_fits_engine(opt, engine))
			str_printf(out, "%-24s: %s\n", opt->name, opt->help);
}

static bool is_engine(const char *name, size_t bytes)
{
	for (unsigned i = 0; job_engine_names[i]; i++)
		if (strlen(job_engine_names[i]) == bytes &&
		    memcmp(job_engine_names[i], name, bytes) == 0)
			return true;
	return false;
}

bool job_help_engine(const char *which, struct str *out)
{
	const char *comma = strchrnul(which, ',');
	const struct opt *opt = *comma ? opt_find_face(comma + 1, FACE_FIO) : NULL;
	char engine[32];

	if (!*which) {
		str_add(out, "Available IO engines:\n");
		for (unsigned i = 0; job_engine_names[i]; i++)
			str_printf(out, "\t%s\n", job_engine_names[i]);
		return true;
	}
	if (!is_engine(which, (size_t)(comma - which)))
		return false;
	memcpy(engine, which, (size_t)(comma - which)); /* a known name: short */
	engine[comma - which] = '\0';
	if (!*comma)
		help_engine_options(engine, out);
	else if (opt && opt->engines && opt_fits_engine(opt, engine))
		help_fio(opt, out);
	else
		return false;
	return true;
}

/* --- the man page --- */

static void roff_text(const char *text, struct str *out)
{
	bool line_start = true;

	for (; *text; text++) {
		if (line_start && (*text == '.' || *text == '\''))
			str_add(out, "\\&");
		if (*text == '\\')
			str_add(out, "\\e");
		else if (*text == '-')
			str_add(out, "\\-");
		else
			str_add_char(out, *text);
		line_start = *text == '\n';
	}
}

static void man_words(const struct opt *opt, struct str *out)
{
	str_add(out, ".RS\n");
	for (const struct opt_word *word = opt->words; word->text; word++) {
		str_add(out, ".TP\n.B ");
		roff_text(word->text, out);
		str_add_char(out, '\n');
		roff_text(word->help ? word->help : N_("as it says"), out);
		str_add_char(out, '\n');
	}
	str_add(out, ".RE\n");
}

static void man_option(const struct opt *opt, struct str *out)
{
	const char *deed = deed_text(opt);
	autostr text = {0};

	str_add(out, ".TP\n\\fB");
	roff_text(opt_is_cli(opt) ? "--" : "", out);
	roff_text(opt->name, out);
	str_add(out, "\\fR=\\fI");
	roff_text(opt_kinds[opt->kind].form, out);
	str_add(out, "\\fR");
	if (opt->alias) {
		str_add(out, ", \\fB");
		roff_text(opt->alias, out);
		str_add(out, "\\fR");
	}
	str_printf(&text, "\n%s", opt->help);
	facts_text(LANG_EN, opt, &text);
	if (deed)
		str_printf(&text, " %s%s%s.", deed, opt->why ? ": " : "",
			   opt->why ? opt->why : "");
	roff_text(str_text(&text), out);
	str_add_char(out, '\n');
	if (opt->words && !deed)
		man_words(opt, out);
}

void job_man_options(struct str *out)
{
	const char *group = "";

	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		if (opt->deed == OPT_FOREIGN)
			continue;
		if (!str_equal(group, opt_group(opt))) {
			str_add(out, ".SS \"");
			roff_text(opt_group(opt), out);
			str_add(out, "\"\n");
			group = opt_group(opt);
		}
		man_option(opt, out);
	}
}
