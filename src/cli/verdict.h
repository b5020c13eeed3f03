/* What judges logs, results and live runs alike: policies by name, and the page of a verdict. */
#pragma once

#include "report/document.h"
#include "report/judge_page.h"
#include "result/result.h"
#include "stat/policy.h"

/* A shipped policy, or a file. NULL is "default". Texts are in the arena. */
int verdict_policy(const char *name, const struct qos *specs, struct arena *arena,
		   struct policy *ret_policy, struct err *err);

/* A run by its rows. */
struct verdict_of_run {
	struct qos_run run;
	struct qos qos;
	struct verdict verdict;
};
int verdict_judge(const struct policy *policy, const struct result *result, struct arena *arena,
		  struct verdict_of_run *ret, struct err *err);
/* 0 pass, 1 fail, 2 cannot tell. */
int verdict_exit_code(enum outcome outcome);
