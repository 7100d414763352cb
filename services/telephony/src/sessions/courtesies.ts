// Fixed sentences of the assistant in spoken calls, by language; English by default.

type Courtesies = {
  silence: string;
  apology: string;
  /** The text before and after the number of the caller. */
  consultation: readonly [before: string, after: string];
  yes: RegExp;
  no: RegExp;
};

const ENGLISH: Courtesies = {
  silence: 'Are you still there?',
  apology: 'I am sorry, I am having trouble with the line. Please try again later. Goodbye.',
  consultation: [
    'There is a call for you from',
    'Press 1 or say yes to take it, press 2 or say no to decline.',
  ],
  yes: /\b(?:yes|yeah|sure|okay|ok|accept)\b/i,
  no: /\b(?:no|nope|decline|not now)\b/i,
};
// cspell:disable
const OTHERS: Readonly<Record<string, Courtesies>> = {
  de: {
    silence: 'Sind Sie noch da?',
    apology:
      'Es tut mir leid, ich habe Probleme mit der Verbindung. Bitte versuchen Sie es später noch einmal. Auf Wiederhören.',
    consultation: [
      'Ein Anruf für Sie von',
      'Drücken Sie die 1 oder sagen Sie ja, um ihn anzunehmen, sonst die 2 oder nein.',
    ],
    yes: /\b(?:ja|gern|okay)\b/i,
    no: /\b(?:nein|nicht)\b/i,
  },
  es: {
    silence: '¿Sigue usted ahí?',
    apology: 'Lo siento, tengo problemas con la línea. Por favor, inténtelo más tarde. Adiós.',
    consultation: ['Tiene una llamada de', 'Pulse 1 o diga sí para aceptarla, 2 o no para rechazarla.'],
    yes: /(?:^|\s)(?:sí|si|vale|claro)(?=\W|$)/i,
    no: /\bno\b/i,
  },
  fr: {
    silence: 'Vous êtes toujours là ?',
    apology: "Je suis désolé, j'ai un problème avec la ligne. Veuillez réessayer plus tard. Au revoir.",
    consultation: [
      'Vous avez un appel de',
      'Appuyez sur 1 ou dites oui pour le prendre, sur 2 ou dites non pour le refuser.',
    ],
    yes: /\b(?:oui|accord)\b/i,
    no: /\bnon\b/i,
  },
};
// cspell:enable

const courtesiesIn = (language: string): Courtesies => OTHERS[language.slice(0, 2).toLowerCase()] ?? ENGLISH;

/** The question asked once in a long silence [calls.26]. */
export const silencePromptIn = (language: string): string => courtesiesIn(language).silence;

/** The apology before a call ends because its speech providers failed [calls.20]. */
export const apologyIn = (language: string): string => courtesiesIn(language).apology;

/** The announcement to the target of a warm transfer [sip.16]. The digits of the number are spoken one by one. */
export const consultationIn = (language: string, caller: string): string => {
  const [before, after] = courtesiesIn(language).consultation;
  return `${before} ${caller.replace(/\D/g, '').split('').join(' ')}. ${after}`;
};

/** Whether the words accept or decline; undefined: neither. */
export const verdictIn = (language: string, words: string): boolean | undefined => {
  const { yes, no } = courtesiesIn(language);
  if (no.test(words)) return false;
  return yes.test(words) ? true : undefined;
};
