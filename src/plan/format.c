/* A plan as text that reads back to the same plan: what is kept of it. */
#include "plan/plan_priv.h"

static void add_line(struct str *out, const char *key, const char *value)
{
	if (value)
		str_printf(out, "%s=%s\n", key, value);
	else
		str_printf(out, "%s\n", key);
}

void plan_format(const struct plan *plan, struct str *out)
{
	if (plan->title || plan->about)
		str_add(out, "[plan]\n");
	if (plan->title)
		add_line(out, "title", plan->title);
	if (plan->about)
		add_line(out, "about", plan->about);
	if (plan->nvariables)
		str_add(out, "[variables]\n");
	for (unsigned i = 0; i < plan->nvariables; i++)
		add_line(out, plan->variables[i].key, plan->variables[i].value);
	for (unsigned i = 0; i < plan->ndrafts; i++) {
		str_printf(out, "%s[%s]\n", out->length ? "\n" : "", plan->drafts[i].name);
		for (unsigned k = 0; k < plan->drafts[i].nsettings; k++)
			add_line(out, plan->drafts[i].settings[k].key,
				 plan->drafts[i].settings[k].value);
	}
}
