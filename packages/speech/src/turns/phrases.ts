// Backchannels and signs of an unfinished sentence, by language. Other languages use the English lists,
// so their backchannels and unfinished sentences are usually not detected.

type Phrases = { backchannels: readonly string[]; continuing: readonly string[] };

const HESITATIONS = ['uh', 'um', 'uhm', 'er', 'erm', 'hm', 'hmm', 'mm', 'mhm', 'mmhm', 'mm-hmm', 'ah', 'oh'];

// cspell:disable
const PHRASES: Record<string, Phrases> = {
  en: {
    backchannels:
      `yes,yeah,yep,yup,ok,okay,right,sure,uh-huh,uh huh,huh,aha,i see,got it,alright,all right,good,great,fine,cool,exactly,
      i understand,go on,of course`.split(/,\s*/),
    continuing:
      `and,or,but,because,so,if,when,with,for,to,the,a,an,my,your,of,at,in,on,from,that,which,who,is,are,was,about,then,
      like,also,i,it's,maybe,um,uh,uhm,er,erm,hmm`.split(/,\s*/),
  },
  de: {
    backchannels:
      `ja,jaja,jo,okay,ok,gut,genau,klar,richtig,stimmt,aha,achso,ach so,verstehe,ich verstehe,in ordnung,alles klar,gerne`.split(
        /,\s*/,
      ),
    continuing:
      `und,oder,aber,weil,denn,dass,wenn,mit,für,der,die,das,den,dem,ein,eine,einen,mein,meine,von,bei,in,an,auf,zu,zum,zur,ist,
      also,äh,ähm,ich,dann`.split(/,\s*/),
  },
  es: {
    backchannels: 'sí,si,vale,claro,bueno,bien,ya,ajá,entiendo,de acuerdo,exacto,perfecto'.split(','),
    continuing: 'y,o,pero,porque,que,si,con,para,el,la,los,las,un,una,mi,de,en,a,es,eh,este'.split(','),
  },
  fr: {
    backchannels:
      "oui,ouais,d'accord,ok,okay,bien,très bien,bien sûr,je vois,voilà,exactement,entendu,parfait".split(
        ',',
      ),
    continuing: 'et,ou,mais,parce,que,si,avec,pour,le,la,les,un,une,mon,ma,de,du,des,à,en,est,euh'.split(','),
  },
};
// cspell:enable

/** Whether a text is only a backchannel: "mhm", "yes", "okay, right". An empty text is not. */
export function isBackchannel(text: string, language: string): boolean {
  const { backchannels } = phrasesOf(language);
  const known = [...backchannels, ...HESITATIONS].sort((a, b) => b.length - a.length);
  let rest = wordsOf(text).join(' ');
  if (rest === '') return false;
  while (rest !== '') {
    const phrase = known.find((candidate) => rest === candidate || rest.startsWith(`${candidate} `));
    if (phrase === undefined) return false;
    rest = rest.slice(phrase.length).trimStart();
  }
  return true;
}

/** Whether a text sounds unfinished: it ends with a comma, dash, ellipsis, conjunction, article or hesitation. */
export function isUnfinished(text: string, language: string): boolean {
  const trimmed = text.trimEnd();
  if (/(?:[,;:–—-]|\.\.\.|…)$/u.test(trimmed)) return true;
  if (/[.!?]$/u.test(trimmed)) return false;
  const words = wordsOf(trimmed);
  const last = words.at(-1);
  // A single word, such as "so" or "si", may be the whole answer.
  return words.length > 1 && last !== undefined && phrasesOf(language).continuing.includes(last);
}

function phrasesOf(language: string): Phrases {
  return PHRASES[language.slice(0, 2).toLowerCase()] ?? (PHRASES.en as Phrases);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
}
