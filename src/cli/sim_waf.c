/* assay sim waf: write amplification, measured and from theory. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/json.h"
#include "base/lang.h"
#include "base/unit.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/sim_priv.h"
#include "sim/waf.h"

/* Hundredths of a percent to parts per million. */
#define PPM_PER_X100 100

static int read_percent(const char *text, uint32_t *ret_ppm, struct err *err)
{
	uint32_t x100;
	int rc = unit_parse_percent(text, &x100, err);

	if (!rc)
		*ret_ppm = x100 * PPM_PER_X100;
	return rc;
}

static int read_u32(const char *text, uint32_t *ret_count, struct err *err)
{
	uint64_t count;
	int rc = unit_parse_count(text, &count, err);

	if (!rc && count > UINT32_MAX)
		rc = err_input(err, "\"%s\" is too large", text);
	if (!rc)
		*ret_count = (uint32_t)count;
	return rc;
}

static int read_gc(const char *text, struct waf_setup *setup, struct err *err)
{
	if (str_equal(text, "greedy")) {
		setup->policy = GC_GREEDY;
		return 0;
	}
	if (str_equal(text, "fifo")) {
		setup->policy = GC_FIFO;
		return 0;
	}
	if (str_starts(text, "d:")) {
		setup->policy = GC_CHOICES;
		return read_u32(text + 2, &setup->choices, err);
	}
	return err_input(err, "\"%s\" is no policy; give greedy, fifo or d:N", text);
}

/* "R/F", both percent with or without the sign. */
static int read_hot(const char *text, struct waf_setup *setup, struct err *err)
{
	const char *slash = strchr(text, '/');
	autostr writes = {0}, space = {0};

	if (!slash)
		return err_input(err,
				 "\"%s\" is not R/F: 80/20 is 80 %% of the writes to 20 %% "
				 "of the space",
				 text);
	str_add_bytes(&writes, text, (size_t)(slash - text));
	str_add(&space, slash + 1);
	if (!str_ends(str_text(&writes), "%"))
		str_add_char(&writes, '%');
	if (!str_ends(str_text(&space), "%"))
		str_add_char(&space, '%');
	if (read_percent(str_text(&writes), &setup->hot_writes_ppm, err))
		return err->code;
	return read_percent(str_text(&space), &setup->hot_space_ppm, err);
}

static int read_option(const char *arg, struct waf_setup *setup, struct err *err)
{
	const char *value;
	int rc = 0;

	if ((value = sim_value(arg, "op")))
		rc = read_percent(value, &setup->op_ppm, err);
	else if ((value = sim_value(arg, "pages-per-block")))
		rc = read_u32(value, &setup->pages_per_block, err);
	else if ((value = sim_value(arg, N_("blocks"))))
		rc = read_u32(value, &setup->blocks, err);
	else if ((value = sim_value(arg, "turns")))
		rc = read_u32(value, &setup->turns, err);
	else if ((value = sim_value(arg, "gc")))
		rc = read_gc(value, setup, err);
	else if ((value = sim_value(arg, "trim")))
		rc = read_percent(value, &setup->trim_ppm, err);
	else if ((value = sim_value(arg, N_("hot"))))
		rc = read_hot(value, setup, err);
	else if ((value = sim_value(arg, N_("seed"))))
		rc = unit_parse_count(value, &setup->seed, err);
	else
		return err_input(err, "\"%s\" is no option; assay help sim", arg);
	if (rc)
		err_context(err, "%.*s", (int)strcspn(arg, "="), arg);
	return rc;
}

static void format_gc(const struct waf_setup *setup, struct str *out)
{
	if (setup->policy == GC_CHOICES)
		str_printf(out, "d:%u", setup->choices);
	else
		str_add(out, setup->policy == GC_GREEDY ? "greedy" : "fifo");
}

static double difference_percent(const struct waf_result *result)
{
	return 100 * (result->measured / result->theory - 1);
}

static void waf_json(const struct waf_setup *setup, const struct waf_result *result,
		     struct str *out)
{
	struct json json;
	autostr gc = {0};

	format_gc(setup, &gc);
	json_init(&json, out);
	json_open_object(&json, NULL);
	json_add_u64(&json, "schema_version", 1);
	json_add_bool(&json, "simulated", true);
	json_add_double(&json, "waf_measured", result->measured);
	json_add_double(&json, "waf_theory", result->theory); /* null where none is known */
	json_add_double(&json, "difference_percent", difference_percent(result));
	if (result->theory_name)
		json_add_string(&json, "theory", result->theory_name);
	else
		json_add_null(&json, "theory");
	json_add_double(&json, "waf_last_two_turns", result->last);
	json_add_double(&json, "waf_two_turns_before", result->before);
	json_add_double(&json, "waf_sequential", result->sequential);
	json_add_double(&json, "op", setup->op_ppm / 1e6);
	json_add_u64(&json, "pages_per_block", setup->pages_per_block);
	json_add_u64(&json, "blocks", setup->blocks);
	json_add_string(&json, "gc", str_text(&gc));
	json_add_double(&json, "trim", setup->trim_ppm / 1e6);
	json_add_double(&json, "hot_writes", setup->hot_writes_ppm / 1e6);
	json_add_double(&json, "hot_space", setup->hot_space_ppm / 1e6);
	json_add_u64(&json, "turns", setup->turns);
	json_add_u64(&json, "measured_pages", result->host_pages);
	json_add_u64(&json, "least_erases", result->least_erases);
	json_add_u64(&json, "most_erases", result->most_erases);
	json_add_u64(&json, "seed", setup->seed);
	json_close_object(&json);
	str_add_char(out, '\n');
}

static void waf_text(const struct waf_setup *setup, const struct waf_result *result,
		     bool to_file, struct str *out)
{
	struct page_style style;
	struct document doc;
	autostr gc = {0}, trim = {0}, hot = {0}, theory = {0}, difference = {0};

	format_gc(setup, &gc);
	if (setup->trim_ppm)
		str_printf(&trim, N_("%g %% of the space"), setup->trim_ppm / 1e4);
	if (setup->hot_writes_ppm)
		str_printf(&hot, N_("%g %% of the writes to %g %% of the space"),
			   setup->hot_writes_ppm / 1e4, setup->hot_space_ppm / 1e4);
	if (result->theory_name) {
		str_printf(&theory, "%.4f (%s)", result->theory, result->theory_name);
		str_printf(&difference, "%+.2f %%", difference_percent(result));
	} else {
		str_add(&theory, N_("none is known for hot data with this collection"));
	}
	emit_style(&style, to_file);
	document_init_text(&doc, out, &style);
	document_heading(&doc, 1, "Write amplification, simulated");
	struct fact facts[] = {
		{"measured", document_text(&doc, "%.4f", result->measured)},
		{N_("theory"), str_text(&theory)},
		{N_("difference"), difference.length ? difference.text : NULL},
		{N_("last two turns"), document_text(&doc, "%.4f", result->last)},
		{N_("two turns before"), document_text(&doc, "%.4f", result->before)},
		{N_("sequential"), document_text(&doc, "%.4f", result->sequential)},
		{N_("over-provisioning"), document_text(&doc, "%g %%", setup->op_ppm / 1e4)},
		{N_("pages per block"), document_text(&doc, "%u", setup->pages_per_block)},
		{N_("blocks"), document_text(&doc, "%u", setup->blocks)},
		{N_("collection"), str_text(&gc)},
		{N_("trimmed"), trim.length ? trim.text : NULL},
		{N_("hot"), hot.length ? hot.text : NULL},
		{N_("overwrites"),
		 document_text(&doc, "%u of the space, the first half not counted",
			       setup->turns)},
		{N_("erases of a block"),
		 document_text(&doc, "%llu to %llu", (unsigned long long)result->least_erases,
			       (unsigned long long)result->most_erases)},
		{N_("seed"), document_text(&doc, "%llu", (unsigned long long)setup->seed)},
	};
	document_facts(&doc, facts, ARRAY_SIZE(facts));
	document_done(&doc);
}

int sim_waf(int argc, char **argv)
{
	struct sim_output output = {0};
	struct waf_setup setup;
	struct waf_result result;
	struct err err = {0};
	autostr out = {0};

	waf_setup_init(&setup);
	for (int i = 1; i < argc && !err.code; i++)
		if (!sim_read_output(argc, argv, &i, &output))
			(void)read_option(argv[i], &setup, &err);
	if (err.code || emit_check_place(output.path, argc, argv, &err) ||
	    waf_run(&setup, &result, &err)) {
		err_context(&err, "sim waf");
		return emit_error(&err);
	}
	if (output.json)
		waf_json(&setup, &result, &out);
	else
		waf_text(&setup, &result, output.path != NULL, &out);
	return emit_text(output.path, &out, &err) ? emit_error(&err) : 0;
}
