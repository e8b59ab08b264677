//===- c_names.c - names that a program in C or C++ may declare -----------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words that C or C++ keep, names that <stdint.h> or the C library declares, and names that
// compilers keep. A name that is none of these, and has letters of C only, can be declared in a
// header.
//
//===----------------------------------------------------------------------===//

#include "ir/c_names.h"

#include "ir/support.h"

#include <ctype.h>
#include <string.h>

// Words that C11 or C++17 keep for themselves, and `main`. Of each table a word stands between
// spaces.
static const char KEYWORDS[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
    "char32_t class compl const const_cast constexpr continue decltype default delete do double "
    "dynamic_cast else enum explicit export extern false float for friend goto if inline int long "
    "main mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected "
    "public register reinterpret_cast restrict return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid typename "
    "union unsigned using virtual void volatile wchar_t while xor xor_eq ";

// Macros of <stdint.h> that do not follow its rule.
static const char LIMITS[] =
    " PTRDIFF_MAX PTRDIFF_MIN SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIZE_MAX WCHAR_MAX WCHAR_MIN WINT_MAX "
    "WINT_MIN ";

// Functions that compilers know, so that no other prototype may be given to them...
static const char LIBRARY[] =
    " abort abs aligned_alloc atexit bsearch calloc clock exit fclose feclearexcept fegetenv "
    "fegetexceptflag fegetround feholdexcept feraiseexcept fesetenv fesetexceptflag fesetround "
    "fetestexcept feupdateenv fopen fprintf fputc fputs fread free fscanf fwrite getenv imaxabs "
    "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper "
    "iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace "
    "iswupper iswxdigit isxdigit labs llabs longjmp malloc memchr memcmp memcpy memmove memset "
    "printf putc putchar puts qsort rand realloc remove rename scanf setjmp signal snprintf "
    "sprintf srand sscanf strcat strchr strcmp strcpy strcspn strftime strlen strncat strncmp "
    "strncpy strpbrk strrchr strspn strstr system time tolower toupper towlower towupper vfprintf "
    "vfscanf vprintf vscanf vsnprintf vsprintf vsscanf ";

// ... and those that end in f for float, and in l for long double, with what LLVM calls beside C11.
static const char LIBRARY_OF_REALS[] =
    " acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan catanh "
    "cbrt ccos ccosh ceil cexp cimag clog conj copysign cos cosh cpow cproj creal csin csinh "
    "csqrt ctan ctanh erf erfc exp exp10 exp2 expm1 fabs fdim floor fma fmax fmaximum_num fmin "
    "fminimum_num fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb "
    "lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint round "
    "roundeven scalbln scalbn sin sincos sinh sqrt tan tanh tgamma trunc ";

static bool is_among(const char *words, const char *name, size_t length) {
  char *word = stow_ir_format(" %.*s ", (int)length, name);
  const bool found = strstr(words, word) != NULL;
  free(word);
  return found;
}

static bool is_between(const char *begin, const char *name, const char *end) {
  const size_t size = strlen(name), first = strlen(begin), last = strlen(end);
  return size >= first + last && strncmp(name, begin, first) == 0 &&
         strcmp(name + size - last, end) == 0;
}

// What <stdint.h> may declare, by the names that C keeps for it.
static bool is_of_stdint(const char *name) {
  static const char *const ends[] = {"_MAX", "_MIN", "_C"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i)
    if (is_between("INT", name, ends[i]) || is_between("UINT", name, ends[i]))
      return true;
  return is_between("int", name, "_t") || is_between("uint", name, "_t") ||
         is_among(LIMITS, name, strlen(name));
}

// Names that C keeps for compilers, `_Bool` among them.
static bool is_of_compilers(const char *name) {
  return name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
}

char *stow_ir_c_name(const char *name, bool upper) {
  char *copy = stow_ir_format("%s%s", isdigit((unsigned char)*name) ? "_" : "", name);
  for (char *c = copy; *c; ++c)
    *c = (char)(!isalnum((unsigned char)*c) ? '_' : upper ? toupper((unsigned char)*c) : *c);
  return copy;
}

bool stow_ir_has_c_letters(const char *name) {
  char *legal = stow_ir_c_name(name, false);
  const bool same = strcmp(legal, name) == 0;
  free(legal);
  return same;
}

bool stow_ir_is_c_name(const char *name) {
  return stow_ir_has_c_letters(name) && !is_of_compilers(name) && !is_of_stdint(name) &&
         !is_among(KEYWORDS, name, strlen(name));
}

bool stow_ir_is_c_function(const char *name) {
  const size_t size = strlen(name);
  const bool suffixed = size > 1 && strchr("fl", name[size - 1]);
  return is_among(LIBRARY, name, size) || is_among(LIBRARY_OF_REALS, name, size) ||
         (suffixed && is_among(LIBRARY_OF_REALS, name, size - 1));
}

bool stow_ir_is_runtime_function(const char *name) {
  return stow_ir_is_c_function(name) || is_of_compilers(name);
}
