// What the assistant says in spoken calls on its own account, by language; English where there is no other.

type Courtesies = { silence: string; apology: string };

const ENGLISH: Courtesies = {
  silence: 'Are you still there?',
  apology: 'I am sorry, I am having trouble with the line. Please try again later. Goodbye.',
};
// cspell:disable
const OTHERS: Readonly<Record<string, Courtesies>> = {
  de: {
    silence: 'Sind Sie noch da?',
    apology:
      'Es tut mir leid, ich habe Probleme mit der Verbindung. Bitte versuchen Sie es später noch einmal. Auf Wiederhören.',
  },
  es: {
    silence: '¿Sigue usted ahí?',
    apology: 'Lo siento, tengo problemas con la línea. Por favor, inténtelo más tarde. Adiós.',
  },
  fr: {
    silence: 'Vous êtes toujours là ?',
    apology: "Je suis désolé, j'ai un problème avec la ligne. Veuillez réessayer plus tard. Au revoir.",
  },
};
// cspell:enable

const courtesiesIn = (language: string): Courtesies => OTHERS[language.slice(0, 2).toLowerCase()] ?? ENGLISH;

/** Asked once in a long silence [calls.26]. */
export const silencePromptIn = (language: string): string => courtesiesIn(language).silence;

/** Said before a call ends whose providers of speech have failed [calls.20]. */
export const apologyIn = (language: string): string => courtesiesIn(language).apology;
