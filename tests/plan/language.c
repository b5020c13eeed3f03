/* What is a plan, and what is wrong with one: every bad plan is one error with file and line. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "job/options.h"
#include "plan/plan_priv.h"
#include "plan/shipped.h"

static void read_good(struct plan *plan, const char *text)
{
	struct err err = {0};

	if (plan_read_text(plan, "x.plan", text, NULL, &err))
		fail_msg("%s", err.text);
}

static void assert_bad(const char *text, const char *part)
{
	struct err err = {0};
	struct plan plan;

	if (!plan_read_text(&plan, "x.plan", text, NULL, &err))
		fail_msg("was taken: %s", text);
	assert_int_equal(err.kind, ERR_INPUT);
	if (!strstr(err.text, part))
		fail_msg("\"%s\" lacks \"%s\"", err.text, part);
	assert_ptr_equal(plan.arena.blocks, NULL);
}

static void a_bad_plan_is_one_error_with_its_line(void **state)
{
	static const struct {
		const char *text, *part;
	} bad[] = {
		{"", "no step"},
		{"[a]\n", "x.plan:1: [a]: say what it does"},
		{"[a]\nstep=jump\n", "x.plan:2: step=jump: one of run, sweep"},
		{"[a]\nstep=run\nbx=4k\n", "x.plan:3: unknown option \"bx\""},
		{"[a]\nstep=run\nrepaet=2\n", "x.plan:3: unknown key \"repaet\": did you mean "
					      "\"repeat\"?"},
		{"[a]\nstep=run\nbs=4q\n", "x.plan:3: bs:"},
		{"[a]\nstep=run\nbs=4k\nbs=8k\n", "x.plan:4: bs: was set at x.plan:3"},
		{"[a]\nstep=run\nfilename=/dev/sda\n", "x.plan:3: filename: a plan's target"},
		{"[a]\nstep=run\ndestroy=x\n",
		 "x.plan:3: destroy: belongs on the command line"},
		{"[a]\nstep=purge\nbs=4k\n", "x.plan:3: bs: means nothing to step=purge"},
		{"[a]\nstep=purge\nsweep=bs=4k\n",
		 "x.plan:3: sweep: means nothing to step=purge; it belongs to step=sweep, "
		 "step=rounds"},
		{"[a]\nstep=sweep\nsweep=rw=read x filename=/dev/sda,/dev/sdb\n",
		 "x.plan:3: filename: a plan's target is named"},
		{"[a]\nstep=sweep\nsweep=directory=/tmp,/var\n",
		 "x.plan:3: directory: a plan's target is named"},
		{"[a]\nstep=run\n[a]\nstep=run\n", "x.plan:3: [a]: a step of this name is at"},
		{"[a b]\nstep=run\n", "x.plan:1: [a b]: a step's name"},
		{"[a]\nstep=run\nneeds=b\n", "x.plan:3: needs: there is no step \"b\""},
		{"[a]\nstep=run\nneeds=b\n[b]\nstep=run\nneeds=a\n",
		 "x.plan:3: needs: [a] waits "
		 "for itself: a cycle"},
		{"[a]\nstep=run\nneeds=a\n", "x.plan:3: needs: [a] waits for itself"},
		{"[a]\nstep=sweep\n", "x.plan:1: [a]: step=sweep needs sweep="},
		{"[a]\nstep=sweep\nsweep= x\n", "x.plan:3: sweep: nothing varies"},
		{"[a]\nstep=sweep\nsweep=bs=4k,\n", "x.plan:3: bs: an empty value"},
		{"[a]\nstep=sweep\nsweep=bs=4k,4096\n", "x.plan:3: bs: \"4096\" stands there "
							"twice"},
		{"[a]\nstep=sweep\nsweep=bs=4k,zwei\n", "x.plan:3: bs:"},
		{"[a]\nstep=sweep\nsweep=bs=4k bs=8k\n", "x.plan:3: bs stands there twice"},
		{"[a]\nstep=sweep\nsweep=colour=red\n", "x.plan:3: unknown option \"colour\""},
		{"[a]\nstep=sweep\nsweep=bs=4k,8k\nskip=bs=4k,8k\n", "x.plan:4: skip leaves no "
								     "cell"},
		{"[a]\nstep=sweep\nsweep=bs=4k,8k\nskip=bs=16k\n", "x.plan:4: [a] has no cell "
								   "with bs=16k"},
		{"[a]\nstep=sweep\nsweep=bs=4k,8k\nskip=numjobs=1\n",
		 "[a] does not vary numjobs"},
		{"[a]\nstep=rounds\n", "x.plan:1: [a]: step=rounds needs until="},
		{"[a]\nstep=rounds\nuntil=steady(iops, window=1)\n",
		 "x.plan:3: until: window=1: "
		 "one round is always"},
		{"[a]\nstep=rounds\nuntil=steady(speed)\n", "x.plan:3: until: \"speed\" is no "
							    "figure"},
		{"[a]\nstep=rounds\nuntil=steady(window=5)\n", "until: no figure is tracked"},
		{"[a]\nstep=rounds\nuntil=soon\n", "x.plan:3: until: \"soon\": write steady("},
		{"[a]\nstep=rounds\nsweep=bs=4k,8k\nuntil=steady(iops)\n", "names 2 cells of a "
									   "round"},
		{"[a]\nstep=rounds\nuntil=steady(iops, window=9)\nmax_rounds=5\n",
		 "a window of 9 rounds never fits into max_rounds=5"},
		{"[a]\nstep=rounds\nuntil=steady(iops, stride=7)\nmax_rounds=28\n",
		 "a window of 29 rounds never fits into max_rounds=28"},
		{"[a]\nstep=rounds\nuntil=steady(iops, stride=0)\n", "until: stride=0: from 1"},
		{"[a]\nstep=rounds\nuntil=steady(iops, stride=x)\n", "x.plan:3: until: stride"},
		{"[a]\nstep=find\nby=rate\n", "x.plan:1: [a]: step=find needs find="},
		{"[a]\nstep=find\nfind=p99 < 1ms\n", "step=find needs by="},
		{"[a]\nstep=find\nfind=p99 < 1ms\nby=iodepth\niodepth=4\n", "is what it looks "
									    "for"},
		{"[a]\nstep=find\nfind=p99 < 5\nby=iodepth\n", "x.plan:3: find: check"},
		{"[a]\nstep=find\nfind=p99 < 1ms\nby=iodepth\nfrom=9\nto=3\n",
		 "from=9 is above"},
		{"[a]\nstep=idle\n", "x.plan:1: [a]: step=idle needs for="},
		{"[a]\nstep=idle\nfor=0\n", "x.plan:3: for=0: no time at all"},
		{"[a]\nstep=soak\nfor=10m\nevery=1h\n", "longer than for="},
		{"[a]\nstep=check\n", "x.plan:1: [a]: step=check needs check="},
		{"[a]\nstep=run\nrw=randread\ncheck=write.iops > 5\n", "[a] does not write"},
		{"[a]\nstep=run\ncheck=speed > 5\n",
		 "x.plan:3: check \"speed > 5\", at column 1: "
		 "\"speed\" is no figure"},
		{"[a]\nstep=run\ncheck=iops > 5ms\n", "a number is compared with a time"},
		{"[a]\nstep=run\ncheck=rounds > 5\n", "\"rounds\" is no figure"},
		{"[v]\nstep=check\ncheck=iops > 5\n", "of which step? write STEP.iops"},
		{"[v]\nstep=check\ncheck=a.iops > 5\n[a]\nstep=run\n", "[a] comes after this "
								       "step: say needs=a"},
		{"[p]\nstep=purge\n[v]\nstep=check\ncheck=p.iops > 5\n",
		 "[p] yields no figures"},
		{"[a]\nstep=sweep\nsweep=bs=4k,8k\n[v]\nstep=check\ncheck=a.iops > 5\n",
		 "x.plan:6: check \"a.iops > 5\", at column 1: [a] has 2 cells: say which"},
		{"[a]\nstep=run\nrepeat=2\ndiscard=2\n", "discard=2 leaves none"},
		{"[a]\nstep=run\nrepeat=0\n", "x.plan:3: repeat=0: from 1"},
		{"[a]\nstep=run\nrange=0%\n", "x.plan:3: range=0% leaves nothing"},
		{"[a]\nstep=run\nwrite_cache=maybe\n", "x.plan:3: write_cache=maybe: one of"},
		{"[a]\nstep=run\ntime_based\n",
		 "x.plan:3: [a]: time_based: has no meaning without a time"},
		{"[a]\nstep=run\nneeds\n", "x.plan:3: needs: a value is missing"},
		{"[a]\nstep=run\nfilesystem=ntfs\n",
		 "x.plan:3: filesystem: \"ntfs\" is none of ext4, xfs, btrfs"},
		{"[a]\nstep=run\nfilesystem=xfs\n",
		 "x.plan:1: [a]: filesystem: say with size= how large"},
		{"[a]\nstep=fill\nfilesystem=xfs\n", "filesystem"},
		{"[a]\nstep=run\nentitled=iops\n", "x.plan:3: entitled: write FIGURE of"},
		{"[a]\nstep=run\ndelivered=iops\n", "x.plan:3: delivered: write FIGURE of"},
		{"[a]\nstep=run\nagainst=b\n[b]\nstep=run\n",
		 "x.plan:3: against: there is no step \"b\" before [a]"},
		{"[b]\nstep=run\n[a]\nstep=sweep\nsweep=bs=4k,8k\nagainst=b\n",
		 "x.plan:6: against: [b] and [a] have no cell in common"},
		{"[a]\nstep=run\njudged_by=none\n",
		 "x.plan:3: judged_by: \"none\" is none of act,"},
		{"[a]\nstep=run\ncheck=worst_share_over(5ms) < 1%\n",
		 "takes nothing in brackets"},
		{"[a]\nstep=run\ncheck=share_over(5) < 1ppm\n", "as in share_over(200ms)"},
		{"[a]\nstep=fill\nsize=1g\n", "x.plan:3: size: step=fill settles it"},
		{"[a]\nstep=fill\nrw=read\n", "a fill that does not write"},
		{"[a]\nstep=run\nbs=${nothing}\n", "x.plan:3: bs: ${nothing}: no variable"},
		{"[plan]\ncolour=red\n", "x.plan:2: colour: [plan] has title="},
		{"[variables]\na=1\na=2\n", "x.plan:3: a: has a value at x.plan:2"},
		{"[a]\nwhen=b=1\nstep=run\n", "x.plan:2: when: \"b\": no variable of that"},
		{"[a]\nwhen=b\nstep=run\n", "x.plan:2: when: \"b\": write when=VARIABLE="},
		{"[a]\nwhen= \nstep=run\n", "x.plan:2: when: write when=VARIABLE="},
		{"[variables]\nb=1\n[global]\nwhen=b=1\n",
		 "x.plan:4: when: stands in steps and in [variables]"},
		{"[variables]\nb=1\n[a]\nwhen=b=2\nstep=run\n", "no step"},
		{"[a]\nstep=run\nmkfs_options=-b 1024\n",
		 "x.plan:3: mkfs_options: there is no file system: write filesystem="},
		{"[a]\nstep=run\nmount_options=ro\n", "x.plan:3: mount_options: there is no"},
		{"[a]\nstep=run\nmatrix=\n", "x.plan:3: matrix: no figure is named"},
		{"[a]\nstep=run\nmatrix=speed\n", "x.plan:3: matrix: \"speed\" is no figure"},
		{"[a]\nstep=precondition\nmethod=one-pass\npasses=2\n", "is one pass: leave"},
		{"[a]\nstep=purge\nmethod=fire\n", "x.plan:3: method=fire: one of auto"},
		{"[a]\nstep=find\nfind=p99 < 1ms\nby=rate\nloads=0%\n",
		 "loads: 0 % is no load"},
		{"[a]\nstep=run\ninclude gone.ini\n",
		 "x.plan:3: include gone.ini: no such file"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
		assert_bad(bad[i].text, bad[i].part);
}

static void no_key_of_plans_is_an_option_of_jobs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < plan_nkeys; i++)
		if (opt_find(plan_keys[i].name))
			fail_msg("%s is both", plan_keys[i].name);
}

static void the_first_option_of_a_sweep_varies_slowest(void **state)
{
	static const char *const names[] = {"bs=4k numjobs=1", "bs=4k numjobs=4",
					    "bs=8k numjobs=1", "bs=8k numjobs=4",
					    "bs=32k numjobs=1"};
	struct plan plan;

	(void)state;
	read_good(&plan, "[a]\nstep=sweep\nsweep=bs=4k,8k,32k x numjobs=1,4\n"
			 "skip=bs=32768 numjobs=4\n");
	assert_int_equal(plan.steps[0].ncells, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_string_equal(plan.steps[0].cells[i].name, names[i]);
	plan_done(&plan);
}

static void quotes_keep_a_value_together(void **state)
{
	struct plan plan;

	(void)state;
	read_good(&plan, "[a]\nstep=sweep\nrw=randrw\nsweep=bs='4k,64k',8k\n");
	assert_int_equal(plan.steps[0].ncells, 2);
	assert_string_equal(plan.steps[0].sweep.axis[0].values[0], "4k,64k");
	plan_done(&plan);
}

static void steps_run_in_the_order_of_their_needs(void **state)
{
	struct plan plan;

	(void)state;
	read_good(&plan, "[c]\nstep=run\nneeds=b\n[a]\nstep=run\n[b]\nstep=run\nneeds=a\n"
			 "[d]\nstep=run\n");
	assert_string_equal(plan.steps[0].name, "a");
	assert_string_equal(plan.steps[1].name, "b");
	assert_string_equal(plan.steps[2].name, "c");
	assert_string_equal(plan.steps[3].name, "d");
	assert_int_equal(plan.steps[2].nneeds, 1);
	assert_int_equal(plan.steps[2].needs[0], 1);
	plan_done(&plan);
}

/* The steps of `text` with --set profile=VALUE, a letter each; "" where it is refused. */
static void steps_when(const char *text, const char *set, struct str *ret_names)
{
	const struct plan_wish wish = {.set = &set, .nset = set ? 1 : 0};
	struct err err = {0};
	struct plan plan;

	str_clear(ret_names);
	if (plan_read_text(&plan, "x.plan", text, &wish, &err)) {
		str_add(ret_names, err.text);
		return;
	}
	for (unsigned i = 0; i < plan.nsteps; i++)
		str_printf(ret_names, "%s:%u ", plan.steps[i].name, plan.steps[i].repeat);
	plan_done(&plan);
}

static void a_variable_chooses_steps_and_other_variables(void **state)
{
	static const char text[] = "[variables]\nprofile=small\nmix=no\n"
				   "[variables]\nwhen=profile=small\ntimes=2\n"
				   "[variables]\nwhen=profile=big,huge\ntimes=9\n"
				   "[a]\nstep=run\nrepeat=${times}\n"
				   "[b]\nwhen=profile=small\nstep=run\nrepeat=3\n"
				   "[b]\nwhen=profile=big\nstep=run\nrepeat=4\n"
				   "[c]\nwhen=profile=big,huge mix=yes\nstep=run\n"
				   "[d]\nwhen=profile=huge\nstep=run\nbs=${unknown}\n";
	autostr names = {0};

	(void)state;
	steps_when(text, NULL, &names);
	assert_string_equal(str_text(&names), "a:2 b:3 ");
	steps_when(text, "profile=big", &names);
	assert_string_equal(str_text(&names), "a:9 b:4 ");
	steps_when(text, "profile=huge", &names);
	assert_non_null(strstr(str_text(&names), "x.plan:27: bs: ${unknown}: no variable"));
	steps_when(text, "times=7", &names);
	assert_string_equal(str_text(&names), "a:7 b:3 ");
	steps_when("[variables]\np=a\n[s]\nwhen=p=b,c\nstep=run\n[t]\nstep=run\n", "p=d",
		   &names);
	assert_string_equal(str_text(&names), "--set p=d: one of a,b,c");
	steps_when(text, "mix=maybe", &names);
	assert_string_equal(str_text(&names), "--set mix=maybe: one of no,yes");
}

static const char *option_of(const struct plan_step *step, const char *key)
{
	const char *value = NULL;

	for (unsigned i = 0; i < step->noptions; i++)
		if (str_equal(step->options[i].key, key))
			value = step->options[i].value;
	return value;
}

static void a_fill_ends_with_its_range_and_not_with_a_time(void **state)
{
	struct plan plan;

	(void)state;
	read_good(&plan, "[global]\nruntime=5s\ntime_based\nrw=randread\nioengine=libaio\n"
			 "[f]\nstep=fill\npasses=2\n[p]\nstep=precondition\nbs=128k\n");
	assert_null(option_of(&plan.steps[0], "runtime"));
	assert_string_equal(option_of(&plan.steps[0], "ioengine"), "libaio");
	assert_string_equal(option_of(&plan.steps[0], "rw"), "write");
	assert_string_equal(option_of(&plan.steps[1], "rw"), "randwrite");
	assert_string_equal(option_of(&plan.steps[1], "bs"), "128k");
	assert_int_equal(plan.steps[0].passes, 2);
	assert_true(plan_step_writes(&plan.steps[0]));
	plan_done(&plan);
}

static void a_variable_has_a_default_and_the_command_line_wins(void **state)
{
	static const char text[] = "[variables]\ntime=60s\nbs=4k\n[a]\nstep=run\n"
				   "runtime=${time}\nbs=${bs}\n";
	const char *set[] = {"time=5s"}, *wrong[] = {"tim=5s"};
	const struct plan_wish wish = {.set = set, .nset = 1}, typo = {.set = wrong, .nset = 1};
	struct err err = {0};
	struct plan plan;

	(void)state;
	read_good(&plan, text);
	assert_string_equal(option_of(&plan.steps[0], "runtime"), "60s");
	plan_done(&plan);
	assert_int_equal(plan_read_text(&plan, "x.plan", text, &wish, &err), 0);
	assert_string_equal(option_of(&plan.steps[0], "runtime"), "5s");
	plan_done(&plan);
	assert_int_equal(plan_read_text(&plan, "x.plan", text, &typo, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no such variable; it has: time, bs"));
}

static void what_is_kept_reads_back_to_the_same(void **state)
{
	(void)state;
	for (const struct plan_text *p = plan_texts; p->name; p++) {
		autostr first = {0}, second = {0};
		struct plan plan;

		read_good(&plan, p->text);
		plan_format(&plan, &first);
		plan_done(&plan);
		read_good(&plan, str_text(&first));
		plan_format(&plan, &second);
		plan_done(&plan);
		assert_string_equal(str_text(&first), str_text(&second));
	}
}

static void a_datasheet_is_numbers_with_units(void **state)
{
	char path[] = "/tmp/assay-spec-XX"
		      "XX"
		      "XX";
	struct plan_spec spec;
	struct err err = {0};
	int fd = mkstemp(path);
	static const char text[] = "# sold as\niops = 90000\nread.bw=2GB/s ; sequential\n\n"
				   "p99 = 5ms\n";

	(void)state;
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	assert_int_equal(plan_spec_read(&spec, path, &err), 0);
	assert_int_equal(spec.count, 3);
	assert_true(plan_spec_find(&spec, "iops")->value == 90000);
	assert_int_equal(plan_spec_find(&spec, "read.bw")->unit, CHECK_BYTES_PER_S);
	assert_null(plan_spec_find(&spec, "bw"));
	plan_spec_done(&spec);
	fd = open(path, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, "iops = many\n", 12), 12);
	close(fd);
	assert_int_equal(plan_spec_read(&spec, path, &err), -EINVAL);
	assert_non_null(strstr(err.text, ":1: "));
	unlink(path);
}

static void a_check_may_ask_for_the_datasheet(void **state)
{
	static const char text[] = "[a]\nstep=run\ncheck=iops >= 90% of spec.iops\n";
	struct plan_spec spec = {.path = "sheet", .count = 0};
	const struct plan_wish wish = {.spec = &spec};
	struct err err = {0};
	struct plan plan;

	(void)state;
	read_good(&plan, text); /* without one it cannot be told, later */
	plan_done(&plan);
	assert_int_equal(plan_read_text(&plan, "x.plan", text, &wish, &err), -EINVAL);
	assert_non_null(strstr(err.text, "\"spec.iops\" is not in the datasheet"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bad_plan_is_one_error_with_its_line),
		cmocka_unit_test(no_key_of_plans_is_an_option_of_jobs),
		cmocka_unit_test(a_variable_chooses_steps_and_other_variables),
		cmocka_unit_test(the_first_option_of_a_sweep_varies_slowest),
		cmocka_unit_test(quotes_keep_a_value_together),
		cmocka_unit_test(steps_run_in_the_order_of_their_needs),
		cmocka_unit_test(a_fill_ends_with_its_range_and_not_with_a_time),
		cmocka_unit_test(a_variable_has_a_default_and_the_command_line_wins),
		cmocka_unit_test(what_is_kept_reads_back_to_the_same),
		cmocka_unit_test(a_datasheet_is_numbers_with_units),
		cmocka_unit_test(a_check_may_ask_for_the_datasheet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
