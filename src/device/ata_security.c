#include "device/ata_security.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/program.h"
#include "base/str.h"
#include "device/sysfs_priv.h"

#define ASK_LIMIT_NS   (60 * NS_PER_S)
#define ERASE_AT_LEAST (60 * NS_PER_MINUTE)
#define ERASE_PATIENCE 4ULL /* times the drive's own estimate: they are often short */
#define NS_PER_MINUTE  (60 * NS_PER_S)

static int hdparm(const struct device *device, const struct device_roots *roots,
		  const char *const *options, uint64_t limit_ns, struct program_end *ret_end,
		  struct err *err)
{
	const char *argv[8] = {"hdparm"};
	unsigned n = 1;
	char path[200];
	int rc;

	TEXT_SET(path, "%s/%s", roots->dev, device->name);
	while (*options)
		argv[n++] = *options++;
	argv[n++] = path;
	argv[n] = NULL;
	rc = program_run(argv, limit_ns, ret_end, err);
	if (rc == -ENOENT)
		err_context(err, "ATA security commands (package hdparm)");
	return rc;
}

/* "2min for SECURITY ERASE UNIT. 8min for ENHANCED SECURITY ERASE UNIT." */
static uint64_t minutes_before(const char *line, const char *words)
{
	const char *at = strstr(line, words);

	if (!at)
		return 0;
	while (at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return strtoull(at, NULL, 10) * NS_PER_MINUTE;
}

static void parse_line(const char *line, struct ata_security *security)
{
	bool no = str_starts(line, "not");
	const char *word = no ? line + strlen("not") : line;

	word += strspn(word, " \t");
	if (str_equal(word, "supported"))
		security->supported = !no;
	else if (str_equal(word, "enabled"))
		security->enabled = !no;
	else if (str_equal(word, "locked"))
		security->locked = !no;
	else if (str_equal(word, "frozen"))
		security->frozen = !no;
	else if (str_equal(word, "supported: enhanced erase"))
		security->enhanced = !no;
	if (strstr(line, "SECURITY ERASE UNIT")) {
		security->erase_ns = minutes_before(line, "min for SECURITY ERASE UNIT");
		security->enhanced_ns =
			minutes_before(line, "min for ENHANCED SECURITY ERASE UNIT");
	}
}

/* The section "Security:" up to the next line that does not begin with a blank. */
void ata_security_parse(const char *text, struct ata_security *ret_security)
{
	const char *line = strstr(text, "\nSecurity:");

	*ret_security = (struct ata_security){.supported = false};
	line = line ? strchr(line + 1, '\n') : NULL;
	while (line && (line[1] == '\t' || line[1] == ' ')) {
		char words[200];

		TEXT_SET(words, "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
		text_trim(words);
		parse_line(words, ret_security);
		line = strchr(line + 1, '\n');
	}
}

int ata_security_read(const struct device *device, const struct device_roots *roots,
		      struct ata_security *ret_security, struct err *err)
{
	static const char *const ask[] = {"-I", NULL};
	autoprogram end = {0};
	char said[120];
	int rc = hdparm(device, roots, ask, ASK_LIMIT_NS, &end, err);

	if (rc < 0)
		return rc;
	if (end.status)
		return err_env(err, -EIO, "hdparm -I %s: %s", device->path,
			       program_complaint(&end, said, sizeof(said)));
	ata_security_parse(str_text(&end.out), ret_security);
	return 0;
}

static int command(const struct device *device, const struct device_roots *roots,
		   const char *option, const char *password, uint64_t limit_ns, struct err *err)
{
	const char *const options[] = {"--user-master", "u", option, password, NULL};
	autoprogram end = {0};
	char said[120];
	int rc = hdparm(device, roots, options, limit_ns, &end, err);

	if (rc < 0)
		return rc;
	if (end.status)
		return err_env(err, -EIO, "hdparm %s %s: %s", option, device->path,
			       program_complaint(&end, said, sizeof(said)));
	return 0;
}

int ata_security_clear(const struct device *device, const char *password,
		       const struct device_roots *roots, struct err *err)
{
	struct ata_security now = {.supported = false};
	int rc = ata_security_read(device, roots, &now, err);

	if (rc < 0 || !now.enabled)
		return rc;
	if (now.locked)
		rc = command(device, roots, "--security-unlock", password, ASK_LIMIT_NS, err);
	if (rc == 0)
		rc = command(device, roots, "--security-disable", password, ASK_LIMIT_NS, err);
	if (rc == 0)
		rc = ata_security_read(device, roots, &now, err);
	if (rc == 0 && !now.enabled)
		return 0;
	if (rc == 0)
		rc = err_env(err, -EIO, "the drive still has its password");
	err_context(err,
		    "%s is protected by the password \"%s\" (clear it by `hdparm "
		    "--security-unlock %s %s`, then `hdparm --security-disable %s %s`; after "
		    "five wrong tries it wants its power cut first)",
		    device->path, password, password, device->path, password, device->path);
	return rc;
}

static uint64_t erase_limit(const struct ata_security *security, bool enhanced)
{
	uint64_t said = enhanced ? security->enhanced_ns : security->erase_ns;

	return max_u64(ERASE_PATIENCE * said, ERASE_AT_LEAST);
}

/* hdparm's exit status is not to be relied on: what the drive says afterwards is. */
static int must_be(const struct device *device, bool enabled, const struct device_roots *roots,
		   const char *otherwise, struct err *err)
{
	struct ata_security now = {.supported = false};
	int rc = ata_security_read(device, roots, &now, err);

	if (rc == 0 && now.enabled != enabled)
		rc = err_env(err, -EIO, "%s: %s", device->path, otherwise);
	return rc;
}

int ata_security_erase(const struct device *device, const struct ata_security *security,
		       bool enhanced, const struct device_roots *roots, struct err *err)
{
	const char *erase = enhanced ? "--security-erase-enhanced" : "--security-erase";
	struct err more = {0};
	int rc = command(device, roots, "--security-set-pass", ATA_SECURITY_PASSWORD,
			 ASK_LIMIT_NS, err);
	int cleared;

	if (rc == 0)
		rc = must_be(device, true, roots, N_("the drive took no password"), err);
	if (rc == 0)
		rc = command(device, roots, erase, ATA_SECURITY_PASSWORD,
			     erase_limit(security, enhanced), err);
	/* A finished erase takes the password off by itself. */
	if (rc == 0)
		rc = must_be(device, false, roots,
			     N_("the drive did not finish its secure erase"), err);
	cleared = ata_security_clear(device, ATA_SECURITY_PASSWORD, roots, rc ? &more : err);
	if (rc < 0 && cleared < 0)
		err_context(err, "%s; besides", more.text);
	return rc < 0 ? rc : cleared;
}
