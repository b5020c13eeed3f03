#include "cli/verdict.h"

#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/str.h"
#include "result/result_qos.h"

#define POLICY_BYTES_MAX (64 * KiB)

int verdict_policy(const char *name, const struct qos *specs, struct arena *arena,
		   struct policy *ret_policy, struct err *err)
{
	const char *text;
	autostr file = {0};

	name = name ? name : "default";
	text = policy_text(name);
	if (!text) {
		int rc = file_read(name, POLICY_BYTES_MAX, &file);

		if (rc)
			return err_input(
				err,
				"policy \"%s\" is no file that can be read (%s), and none "
				"of default, act, consistency, etcd, ocp",
				name, err_name(rc));
		if (file.length != strlen(str_text(&file)))
			return err_input(err, "policy \"%s\" is not text", name);
		text = str_text(&file);
	}
	return policy_parse(name, text, specs, arena, ret_policy, err);
}

int verdict_judge(const struct policy *policy, const struct result *result, struct arena *arena,
		  struct verdict_of_run *ret, struct err *err)
{
	result_qos(result, arena, &ret->run);
	qos_init(&ret->qos, &ret->run, arena);
	return policy_judge(policy, &ret->qos, arena, &ret->verdict, err);
}

int verdict_exit_code(enum outcome outcome)
{
	static const int codes[] = {[OUTCOME_PASS] = 0,
				    [OUTCOME_FAIL] = 1,
				    [OUTCOME_CANNOT_TELL] = 2,
				    [OUTCOME_NOT_APPLICABLE] = 2};

	return codes[outcome];
}
