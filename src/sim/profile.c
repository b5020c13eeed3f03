/* Reads, checks and writes profiles. */
#include "sim/profile.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/unit.h"
#include "sim/profile_priv.h"

const struct profile_key *profile_key_find(const char *name)
{
	for (const struct profile_key *key = profile_keys; key->name; key++)
		if (str_equal(key->name, name))
			return key;
	return NULL;
}

static uint64_t *field(struct profile *profile, const struct profile_key *key)
{
	return (uint64_t *)(void *)((char *)profile + key->offset);
}

static int parse_word(const struct profile_key *key, const char *text, uint64_t *ret_value,
		      struct err *err)
{
	for (uint64_t i = 0; key->words[i]; i++) {
		if (str_equal(key->words[i], text)) {
			*ret_value = i;
			return 0;
		}
	}
	return err_input(err, "\"%s\" is none of %s", text, key->help);
}

/* "d:8" is gc=choices,gc_choices=8, as `assay sim waf` writes it. */
static int parse_value(const struct profile_key *key, const char *text, uint64_t *ret_value,
		       struct err *err)
{
	uint32_t x100;
	double value;
	size_t length = strlen(text);
	autostr number = {0};

	switch (key->type) {
	case KEY_SIZE:
	case KEY_RATE:
		return unit_parse_size(text, ret_value, err);
	case KEY_TIME:
		return unit_parse_time(text, "us", ret_value, err);
	case KEY_COUNT:
	case KEY_FLAG:
		return unit_parse_count(text, ret_value, err);
	case KEY_PART:
		if (!unit_parse_percent(text, &x100, NULL)) {
			*ret_value = x100 * 100ULL;
			return 0;
		}
		/* More than all of it: over-provisioning may be. */
		if (!length || text[length - 1] != '%')
			return err_input(err, "\"%s\" is no share: write percent, as 12%%",
					 text);
		str_add_bytes(&number, text, length - 1);
		if (unit_parse_double(str_text(&number), &value, err))
			return err->code;
		if (value < 0 || value > 1e5)
			return err_input(err, "\"%s\" is no share: write percent, as 12%%",
					 text);
		*ret_value = (uint64_t)(value * 10000 + .5);
		return 0;
	case KEY_WORD:
		return parse_word(key, text, ret_value, err);
	}
	return 0;
}

static void format_value(const struct profile_key *key, uint64_t value, struct str *out)
{
	switch (key->type) {
	case KEY_SIZE:
	case KEY_RATE:
		unit_format_size(value, out);
		break;
	case KEY_TIME:
		unit_format_time(value, out);
		break;
	case KEY_COUNT:
	case KEY_FLAG:
		str_printf(out, "%llu", (unsigned long long)value);
		break;
	case KEY_PART:
		unit_format_double((double)value / 1e4, out);
		str_add_char(out, '%');
		break;
	case KEY_WORD:
		str_add(out, key->words[value]);
		break;
	}
}

static int out_of_bounds(const struct profile_key *key, const char *text, struct err *err)
{
	autostr min = {0}, max = {0};

	format_value(key, key->min, &min);
	format_value(key, key->max, &max);
	return err_input(err, "%s: \"%s\" is out of bounds: from %s to %s (%s)", key->name,
			 text, str_text(&min), str_text(&max), key->help);
}

static int set(struct profile *profile, const char *name, const char *text, struct err *err)
{
	const struct profile_key *key = profile_key_find(name), *near = NULL;
	struct err why = {0};
	unsigned best = str_near_limit(name);
	uint64_t value = 0;

	for (const struct profile_key *k = profile_keys; !key && k->name; k++) {
		if (str_distance(name, k->name) < best) {
			best = str_distance(name, k->name);
			near = k;
		}
	}
	if (!key)
		return near ? err_input(err, "there is no key \"%s\"; did you mean \"%s\"",
					name, near->name)
			    : err_input(err,
					"there is no key \"%s\"; `assay sim show` lists a "
					"profile's keys",
					name);
	if (parse_value(key, text, &value, &why)) {
		err_context(&why, "%s", name);
		return err_copy(err, &why);
	}
	if (value < key->min || value > key->max)
		return out_of_bounds(key, text, err);
	*field(profile, key) = value;
	return 0;
}

static void trim_text(char *text)
{
	size_t length = strlen(text), skip = strspn(text, " \t\r");

	memmove(text, text + skip, length - skip + 1);
	length -= skip;
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
}

static int parse_line(struct profile *profile, char *line, struct err *err)
{
	char *equals, *comment = strchr(line, '#');

	if (comment)
		*comment = '\0';
	trim_text(line);
	if (!*line)
		return 0;
	equals = strchr(line, '=');
	if (!equals)
		return err_input(err, "\"%s\" is not \"key = value\"", line);
	*equals = '\0';
	trim_text(line);
	trim_text(equals + 1);
	return set(profile, line, equals + 1, err);
}

static int parse_lines(struct profile *profile, const char *text, struct err *err)
{
	for (unsigned number = 1; *text; number++) {
		size_t length = strcspn(text, "\n");
		char line[256];

		if (length >= sizeof(line))
			return err_input(err, "line %u is longer than %zu bytes", number,
					 sizeof(line) - 1);
		memcpy(line, text, length);
		line[length] = '\0';
		if (parse_line(profile, line, err)) {
			err_context(err, "line %u", number);
			return -EINVAL;
		}
		text += length + (text[length] == '\n');
	}
	return 0;
}

static void set_defaults(struct profile *profile)
{
	for (const struct profile_key *key = profile_keys; key->name; key++)
		(void)set(profile, key->name, key->fallback, NULL);
}

static int check_ssd(const struct profile *profile, struct err *err)
{
	uint64_t die_page = profile->planes * profile->page_bytes;
	uint64_t dies = profile->channels * profile->dies;
	uint64_t raw = dies * profile->planes * profile->block_pages * profile->page_bytes;
	uint64_t need;

	if (profile->page_bytes % PROFILE_PAGE_BYTES)
		return err_input(err, "page_size is no multiple of 4k: give 4k, 8k or 16k");
	if (profile->unit_dies && dies % profile->unit_dies)
		return err_input(
			err,
			"unit_dies=%llu does not divide the %llu dies: give a divisor, or "
			"0 for all",
			(unsigned long long)profile->unit_dies, (unsigned long long)dies);
	need = profile->size_bytes +
	       muldiv_u64(profile->size_bytes, profile->op_ppm, PROFILE_PPM);
	need = (need + raw - 1) / raw;
	if (profile->blocks && profile->blocks < need)
		return err_input(err,
				 "the geometry does not multiply out: %llu blocks a plane hold "
				 "less than size and op, which need %llu; set blocks=0 to have "
				 "them computed",
				 (unsigned long long)profile->blocks, (unsigned long long)need);
	if (profile->slc_min_bytes > profile->slc_max_bytes)
		return err_input(err, "slc_min is more than slc_max: give both");
	if (profile->slc_max_bytes > profile->size_bytes)
		return err_input(err,
				 "slc_max is more than the drive's size: give slc_max=, or "
				 "scale= in place of a smaller size");
	if (profile->cache_bytes && profile->cache_bytes < die_page)
		return err_input(
			err,
			"cache is less than one page of all planes: give %llu bytes or "
			"more, or 0",
			(unsigned long long)die_page);
	return 0;
}

static int check_other(const struct profile *profile, struct err *err)
{
	if (profile->kind == PROFILE_HDD) {
		if (profile->inner_bytes_s > profile->outer_bytes_s)
			return err_input(err, "inner_rate is more than outer_rate: give both");
		if (profile->seek_track_ns > profile->seek_average_ns ||
		    profile->seek_average_ns > profile->seek_full_ns)
			return err_input(err, "seeks must rise: seek_track, seek_average, "
					      "seek_full");
		if (profile->stripe_bytes % PROFILE_PAGE_BYTES)
			return err_input(err, "stripe is no multiple of 4k: round it up");
		return 0;
	}
	if (profile->iops_burst && !profile->iops_credits)
		return err_input(err, "iops_burst without iops_credits: give both");
	if (profile->bytes_burst && !profile->bytes_credits)
		return err_input(err, "bytes_burst without bytes_credits: give both");
	return 0;
}

static int check(const struct profile *profile, struct err *err)
{
	if (profile->stall_every_ns && profile->stall_ns >= profile->stall_every_ns)
		return err_input(err, "stall is as long as stall_every: nothing would ever be "
				      "done; give a shorter stall");
	if (profile->size_bytes % PROFILE_PAGE_BYTES)
		return err_input(err, "size is no multiple of 4k: round it up");
	if (profile_scaled(profile, profile->size_bytes) < MiB)
		return err_input(err, "scale=%llu leaves less than 1 MiB: give a smaller one",
				 (unsigned long long)profile->scale);
	return profile->kind == PROFILE_SSD ? check_ssd(profile, err)
					    : check_other(profile, err);
}

/* "key=value,key=value" */
static int parse_overrides(struct profile *profile, const char *text, struct err *err)
{
	while (*text) {
		size_t length = strcspn(text, ",");
		char line[256];
		int rc;

		if (length >= sizeof(line))
			return err_input(err, "an override is longer than %zu bytes",
					 sizeof(line) - 1);
		memcpy(line, text, length);
		line[length] = '\0';
		rc = parse_line(profile, line, err);
		if (rc)
			return rc;
		text += length + (text[length] == ',');
	}
	return 0;
}

static int parse(const char *name, const char *text, const char *overrides,
		 struct profile *ret_profile, struct err *err)
{
	struct profile profile = {.scale = 1};
	int rc;

	set_defaults(&profile);
	(void)snprintf(profile.name, sizeof(profile.name), "%s", name);
	rc = parse_lines(&profile, text, err);
	if (!rc)
		rc = parse_overrides(&profile, overrides, err);
	if (!rc)
		rc = check(&profile, err);
	if (rc) {
		err_context(err, "simulated drive %s", name);
		return rc;
	}
	*ret_profile = profile;
	return 0;
}

int profile_parse_text(const char *name, const char *text, struct profile *ret_profile,
		       struct err *err)
{
	return parse(name, text, "", ret_profile, err);
}

const char *profile_find(const char *name)
{
	for (const struct profile_text *p = profile_texts; p->name; p++)
		if (str_equal(p->name, name))
			return p->text;
	return NULL;
}

static int unknown_profile(const char *name, struct err *err)
{
	autostr list = {0};

	for (const struct profile_text *p = profile_texts; p->name; p++)
		str_printf(&list, "%s%s", list.length ? " " : "", p->name);
	return err_input(err, "there is no simulated drive \"%s\"; there are: %s", name,
			 str_text(&list));
}

int profile_parse(const char *target, struct profile *ret_profile, struct err *err)
{
	size_t length = strcspn(target, ",");
	const char *text;
	autostr name = {0};

	str_add_bytes(&name, target, length);
	text = profile_find(str_text(&name));
	if (!text)
		return unknown_profile(str_text(&name), err);
	return parse(str_text(&name), text, target + length + (target[length] == ','),
		     ret_profile, err);
}

void profile_format(const struct profile *profile, struct str *out)
{
	for (const struct profile_key *key = profile_keys; key->name; key++) {
		autostr line = {0};
		uint64_t value;

		if (!(key->kinds & 1u << profile->kind))
			continue;
		memcpy(&value, (const char *)profile + key->offset, sizeof(value));
		str_printf(&line, "%s = ", key->name);
		format_value(key, value, &line);
		str_add_left(out, str_text(&line), 30);
		str_printf(out, " # %s\n", key->help);
	}
}

void profile_summary(const char *text, struct str *out)
{
	text += strspn(text, "# ");
	str_add_bytes(out, text, strcspn(text, "\n"));
}
