// Numbers below a million in English and in French words, as attnlib.data writes them.
const ENGLISH = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
  "sixteen seventeen eighteen nineteen"
).split(" ");
const ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const FRENCH = (
  "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize " +
  "dix-sept dix-huit dix-neuf"
).split(" ");
const FRENCH_TENS = "vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt".split(" ");

const rest = (n, words) => (n ? words(n) : []);

export function englishWords(n) {
  if (n < 20) return [ENGLISH[n]];
  if (n < 100) return [ENGLISH_TENS[Math.floor(n / 10) - 2], ...rest(n % 10, englishWords)];
  if (n < 1000) {
    const link = n % 100 ? ["and"] : [];
    return [ENGLISH[Math.floor(n / 100)], "hundred", ...link, ...rest(n % 100, englishWords)];
  }
  const after = n % 1000;
  const link = after > 0 && after < 100 ? ["and"] : [];
  return [...englishWords(Math.floor(n / 1000)), "thousand", ...link, ...rest(after, englishWords)];
}

// Without the s of a plural.
function frenchHundreds(n) {
  if (n >= 100) {
    const many = n < 200 ? [] : [FRENCH[Math.floor(n / 100)]];
    return [...many, "cent", ...rest(n % 100, frenchHundreds)];
  }
  if (n < 20) return FRENCH[n].split("-");
  const ten = Math.floor(n / 10);
  const left = (n % 10) + (ten === 7 || ten === 9 ? 10 : 0);
  const link = (left === 1 || left === 11) && ten < 8 ? ["et"] : [];
  return [...FRENCH_TENS[ten - 2].split("-"), ...link, ...rest(left, frenchHundreds)];
}

export function frenchWords(n) {
  if (n < 1000) {
    const words = frenchHundreds(n);
    const plural = n % 100 === 80 || (n >= 200 && n % 100 === 0);
    return plural ? [...words.slice(0, -1), `${words.at(-1)}s`] : words;
  }
  const thousands = n < 2000 ? [] : frenchHundreds(Math.floor(n / 1000));
  return [...thousands, "mille", ...rest(n % 1000, frenchWords)];
}

export const LONGEST = 15;
