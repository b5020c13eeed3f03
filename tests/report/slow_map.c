/* The map of slow requests: each where it was logged, coloured by how slow, or nothing. */
#include "report/slow_map.h"

#include <string.h>

#include "report/html.h"
#include "report/markup.h"
#include "unit.h"

struct map {
	struct arena arena;
	struct slowest slowest;
	struct str out;
};

static void map_init(struct map *map, unsigned most)
{
	*map = (struct map){0};
	arena_init(&map->arena);
	slowest_init(&map->slowest, &map->arena, most);
}

static void map_done(struct map *map)
{
	str_done(&map->out);
	arena_done(&map->arena);
}

static void add(struct map *map, double time_s, uint64_t latency_us, uint64_t offset)
{
	const struct slow_request one = {.time_ns = (uint64_t)(time_s * 1e9),
					 .latency_ns = latency_us * NS_PER_US,
					 .bytes = 4096,
					 .offset = offset,
					 .has_offset = offset != UINT64_MAX};

	slowest_add(&map->slowest, &one);
}

static void render(struct map *map, void (*init)(struct document *doc, struct str *out))
{
	const struct qos_ranges ranges = {.end_s = 10};
	const struct qos_graphs graphs = {.ranges = &ranges, .prefix = "log2-"};
	struct document doc;

	slowest_sort(&map->slowest);
	init(&doc, &map->out);
	slow_map(&doc, &graphs, &map->slowest);
	document_done(&doc);
}

static void init_html(struct document *doc, struct str *out)
{
	document_init_html(doc, out, &(struct html_head){.title = "a log"});
}

static void init_text(struct document *doc, struct str *out)
{
	document_init_text(doc, out, &(struct page_style){.utf8 = true});
}

static void check_has(const struct map *map, const char *what)
{
	if (!strstr(str_text(&map->out), what))
		print_error("missing: %s\nin: %s\n", what, str_text(&map->out));
	assert_non_null(strstr(str_text(&map->out), what));
}

/* The columns: the time in seconds, the offset in GB, in the order of time, the classes apart; of
 * two at one time both are there. */
static void points_are_where_they_were_logged(void **state)
{
	struct map map;

	(void)state;
	map_init(&map, 5);
	add(&map, 9, 100, 7000000000);
	add(&map, 7.5, 250000, 4096000000);
	add(&map, 2.25, 200000, 1000000000); /* 200 ms is not above 200 ms */
	add(&map, 2.25, 6000, 3000000000);
	add(&map, 1, 5000, 2000000000);
	add(&map, 0.5, 4000, 1500000000);
	render(&map, document_init_csv);
	check_has(&map, "\n0.5,1.5\n1,2\n");
	check_has(&map, "\n2.25,1\n2.25,3\n");
	check_has(&map, "\n7.5,4.096\n");
	assert_null(strstr(map.out.text, "\n9,7\n"));
	render(&map, document_init_markdown);
	check_has(&map, "The 5 slowest of 6 requests");
	check_has(&map, "longer than 4 ms");
	map_done(&map);
}

static void each_point_is_in_the_picture_and_in_the_data(void **state)
{
	struct map map;

	(void)state;
	map_init(&map, SLOWEST_MAX);
	for (unsigned i = 0; i < SLOWEST_MAX; i++)
		add(&map, i % 10, 100, 4096 * (uint64_t)i);
	render(&map, init_html);
	check_has(&map, "<figure id=\"log2-slow-map\"");
	check_has(&map, "All 2,000 requests of the log");
	assert_true(count_of(map.out.text, "width=\"3\" height=\"3\"") >= SLOWEST_MAX);
	without_script(&map.out);
	assert_balanced(map.out.text);
	map_done(&map);
}

/* Intervals that are cut short are in no other figure, and their requests are in this one. */
static void the_time_axis_reaches_the_last_request(void **state)
{
	struct map map;

	(void)state;
	map_init(&map, 3);
	add(&map, 2, 100, 4096);
	add(&map, 12, 100, 8192);
	render(&map, init_text);
	check_has(&map, " 12 s\n");
	map_done(&map);
}

static void without_offsets_there_is_no_map(void **state)
{
	struct map map;

	(void)state;
	map_init(&map, 3);
	add(&map, 1, 100, UINT64_MAX);
	render(&map, document_init_csv);
	assert_int_equal(map.out.length, 0);
	map_done(&map);
	map_init(&map, 3);
	render(&map, document_init_csv);
	assert_int_equal(map.out.length, 0);
	map_done(&map);
}

static void those_without_offset_are_counted(void **state)
{
	struct map map;

	(void)state;
	map_init(&map, 3);
	add(&map, 1, 100, UINT64_MAX);
	add(&map, 2, 100, 4096);
	render(&map, document_init_markdown);
	check_has(&map, "All 2 requests of the log, by their completion. Of 1 of them");
	map_done(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_where_they_were_logged),
		cmocka_unit_test(each_point_is_in_the_picture_and_in_the_data),
		cmocka_unit_test(the_time_axis_reaches_the_last_request),
		cmocka_unit_test(without_offsets_there_is_no_map),
		cmocka_unit_test(those_without_offset_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
