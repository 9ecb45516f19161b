/*
 * Prints what Unicode's security data (UTS #39) say of the characters that a person's name may have, as the library ICU has
 * them: `security-tables table` is src/base/text/unicode-security.ts, `security-tables look-alikes` is the list that the tests
 * try. make-tables.sh compiles it. It knows nothing of sshawl but which kinds of characters a name has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/uset.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>

#define LINE 104 /* characters, within what the formatter leaves alone */

static UErrorCode status = U_ZERO_ERROR;
static const UNormalizer2 *nfd;
static USpoofChecker *spoof;

static void must_work(void) {
  if (U_SUCCESS(status)) return;
  fprintf(stderr, "ICU: %s\n", u_errorName(status));
  exit(1);
}

/* Letters, marks and numbers of Identifier_Type=Recommended, and the three signs that a name may have. */
static USet *allowed(void) {
  USet *set = uset_cloneAsThawed(uspoof_getRecommendedSet(&status)), *kinds = uset_openEmpty();
  uset_applyIntPropertyValue(kinds, UCHAR_GENERAL_CATEGORY_MASK, U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK, &status);
  uset_retainAll(set, kinds);
  uset_add(set, '_');
  uset_add(set, '.');
  uset_add(set, '-');
  must_work();
  return set;
}

static int text_of(UChar32 c, UChar *text) {
  int length = 0;
  U16_APPEND_UNSAFE(text, length, c);
  return length;
}

/* What the characters of `set` consist of, which is what skeletons are made from. */
static USet *parts_of(const USet *set) {
  USet *parts = uset_openEmpty();
  UChar one[4], whole[64];
  for (UChar32 c = 0; c <= 0x10FFFF; c++) {
    if (!uset_contains(set, c)) continue;
    int length = unorm2_normalize(nfd, one, text_of(c, one), whole, 64, &status);
    UChar32 part;
    for (int i = 0; i < length; uset_add(parts, part)) U16_NEXT(whole, i, length, part);
  }
  must_work();
  return parts;
}

/* The length of what `c` looks like, and 0 if it looks like itself alone. */
static int prototype(UChar32 c, UChar *like) {
  UChar one[4];
  int length = text_of(c, one), found = uspoof_getSkeleton(spoof, 0, one, length, like, 64, &status);
  must_work();
  return found == length && !u_memcmp(one, like, length) ? 0 : found;
}

static int column;

static void word(const char *text) {
  if (column + (int)strlen(text) + 1 > LINE) column = 0, printf("\n");
  column += printf(column == 0 ? "%s" : " %s", text);
}

static void print_ranges(const USet *set) {
  for (int i = 0; i < uset_getRangeCount(set); i++) {
    UChar32 from, to;
    char text[32];
    uset_getItem(set, i, &from, &to, NULL, 0, &status);
    snprintf(text, sizeof text, from == to ? "%X" : "%X-%X", from, to);
    word(text);
  }
}

static void print_prototypes(const USet *set) {
  for (UChar32 c = 0; c <= 0x10FFFF; c++) {
    UChar like[64];
    char text[256];
    int length = uset_contains(set, c) ? prototype(c, like) : 0;
    if (length == 0) continue;
    int end = snprintf(text, sizeof text, "%X", c);
    UChar32 part;
    for (int i = 0; i < length;) {
      U16_NEXT(like, i, length, part);
      end += snprintf(text + end, sizeof text - end, ":%X", part);
    }
    word(text);
  }
}

/* Scripts of recommended use; codes for a mixture, such as Jpan, have no characters of their own. */
static void print_scripts(void) {
  USet *of = uset_openEmpty();
  for (int script = USCRIPT_ARABIC; script <= u_getIntPropertyMaxValue(UCHAR_SCRIPT); script++) {
    uset_applyIntPropertyValue(of, UCHAR_SCRIPT, script, &status);
    if (uscript_getUsage(script) == USCRIPT_USAGE_RECOMMENDED && !uset_isEmpty(of)) word(uscript_getName(script));
  }
}

static void constant(const char *comment, const char *name) {
  printf("\n/** %s */\nexport const %s = `\n", comment, name);
  column = 0;
}

static void print_table(void) {
  UVersionInfo unicode;
  u_getUnicodeVersion(unicode);
  USet *names = allowed();
  printf("// Made by `npm run unicode` from ICU %s, Unicode %d.%d; see docs/decisions/026-names.md. Not edited by hand.\n\n",
         U_ICU_VERSION, unicode[0], unicode[1]);
  printf("/** The version of Unicode that the tables are of. */\nexport const UNICODE_SECURITY_VERSION = '%d.%d'\n",
         unicode[0], unicode[1]);
  constant("Recommended scripts (https://www.unicode.org/reports/tr31/#Table_Recommended_Scripts).", "RECOMMENDED_SCRIPTS");
  print_scripts();
  printf("`\n");
  constant("Letters, marks and numbers of Identifier_Type=Recommended, and `_ . -`: ranges in hex.", "ALLOWED_IN_NAMES");
  print_ranges(names);
  printf("`\n");
  constant("What a character looks like (confusables.txt), in hex, for all that names consist of.", "PROTOTYPES");
  print_prototypes(parts_of(names));
  printf("`\n");
}

/* Each letter and digit of ASCII, and all single characters that look like it, whether or not a name may have them. */
static void print_look_alikes(void) {
  for (const char *p = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"; *p; p++) {
    UChar like[64], of[64];
    UChar one = (UChar)*p;
    int length = uspoof_getSkeleton(spoof, 0, &one, 1, of, 64, &status);
    printf("%c", *p);
    for (UChar32 c = 0x80; c <= 0x10FFFF; c++)
      if (!U_IS_SURROGATE(c) && prototype(c, like) == length && !u_memcmp(like, of, length)) printf(" %X", c);
    printf("\n");
  }
}

int main(int count, char **words) {
  spoof = uspoof_open(&status);
  nfd = unorm2_getNFDInstance(&status);
  must_work();
  if (count == 2 && !strcmp(words[1], "table")) print_table();
  else if (count == 2 && !strcmp(words[1], "look-alikes")) print_look_alikes();
  else return fprintf(stderr, "usage: security-tables table|look-alikes\n"), 2;
  return 0;
}
