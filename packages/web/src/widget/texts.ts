import type { CallErrorCode } from '../call/call-error.ts';

export type Texts = {
  talk: string;
  title: string;
  connecting: string;
  listening: string;
  speaking: string;
  muted: string;
  writing: string;
  reconnecting: string;
  ended: string;
  inCall: string;
  mute: string;
  unmute: string;
  end: string;
  minimize: string;
  close: string;
  write: string;
  send: string;
  retry: string;
  writeInstead: string;
  again: string;
  onlyText: string;
  transcript: string;
  you: string;
  assistant: string;
  usesTool: string;
  errors: Record<CallErrorCode, string>;
};

const en: Texts = {
  talk: 'Talk to us',
  title: 'Assistant',
  connecting: 'Connecting …',
  listening: 'Listening',
  speaking: 'Speaking',
  muted: 'You are muted',
  writing: 'Connected',
  reconnecting: 'Connection lost, reconnecting …',
  ended: 'The call has ended',
  inCall: 'In a call',
  mute: 'Mute',
  unmute: 'Unmute',
  end: 'End call',
  minimize: 'Minimize',
  close: 'Close',
  write: 'Write a message',
  send: 'Send',
  retry: 'Try again',
  writeInstead: 'Write instead',
  again: 'Call again',
  onlyText: 'The assistant answers in writing here.',
  transcript: 'Conversation',
  you: 'You',
  assistant: 'Assistant',
  usesTool: 'One moment …',
  errors: {
    no_microphone: 'No microphone was found, or another program is using it.',
    microphone_denied: 'The microphone is not allowed. Allow it in the address bar of your browser.',
    microphone_blocked: 'This page may not use the microphone.',
    not_allowed: 'Calls are not available on this page.',
    busy: 'All lines are busy. Please try again in a moment.',
    unavailable: 'The assistant is not available right now.',
    network: 'There is no connection. Please check your network.',
    over: 'The call is over.',
    not_sent: 'The message was not sent. Wait for the assistant and try again.',
  },
};

const de: Texts = {
  talk: 'Sprechen Sie mit uns',
  title: 'Assistent',
  connecting: 'Verbinden …',
  listening: 'Hört zu',
  speaking: 'Spricht',
  muted: 'Sie sind stumm',
  writing: 'Verbunden',
  reconnecting: 'Verbindung unterbrochen, wird wiederhergestellt …',
  ended: 'Das Gespräch ist beendet',
  inCall: 'Im Gespräch',
  mute: 'Stummschalten',
  unmute: 'Stummschaltung aufheben',
  end: 'Auflegen',
  minimize: 'Verkleinern',
  close: 'Schließen',
  write: 'Nachricht schreiben',
  send: 'Senden',
  retry: 'Noch einmal versuchen',
  writeInstead: 'Stattdessen schreiben',
  again: 'Erneut anrufen',
  onlyText: 'Der Assistent antwortet hier schriftlich.',
  transcript: 'Gespräch',
  you: 'Sie',
  assistant: 'Assistent',
  usesTool: 'Einen Moment …',
  errors: {
    no_microphone: 'Es wurde kein Mikrofon gefunden, oder ein anderes Programm verwendet es.',
    microphone_denied: 'Das Mikrofon ist nicht erlaubt. Erlauben Sie es in der Adressleiste Ihres Browsers.',
    microphone_blocked: 'Diese Seite darf das Mikrofon nicht verwenden.',
    not_allowed: 'Anrufe sind auf dieser Seite nicht verfügbar.',
    busy: 'Alle Leitungen sind belegt. Bitte versuchen Sie es gleich noch einmal.',
    unavailable: 'Der Assistent ist gerade nicht erreichbar.',
    network: 'Keine Verbindung. Bitte prüfen Sie Ihr Netzwerk.',
    over: 'Das Gespräch ist beendet.',
    not_sent:
      'Die Nachricht wurde nicht gesendet. Warten Sie auf den Assistenten und versuchen Sie es noch einmal.',
  },
};

const fr: Texts = {
  talk: 'Parlez-nous',
  title: 'Assistant',
  connecting: 'Connexion …',
  listening: 'À l’écoute',
  speaking: 'Parle',
  muted: 'Votre micro est coupé',
  writing: 'Connecté',
  reconnecting: 'Connexion perdue, reconnexion …',
  ended: 'L’appel est terminé',
  inCall: 'En communication',
  mute: 'Couper le micro',
  unmute: 'Rétablir le micro',
  end: 'Raccrocher',
  minimize: 'Réduire',
  close: 'Fermer',
  write: 'Écrire un message',
  send: 'Envoyer',
  retry: 'Réessayer',
  writeInstead: 'Écrire à la place',
  again: 'Rappeler',
  onlyText: 'Ici, l’assistant répond par écrit.',
  transcript: 'Conversation',
  you: 'Vous',
  assistant: 'Assistant',
  usesTool: 'Un instant …',
  errors: {
    no_microphone: 'Aucun micro n’a été trouvé, ou un autre programme l’utilise.',
    microphone_denied: 'Le micro n’est pas autorisé. Autorisez-le dans la barre d’adresse du navigateur.',
    microphone_blocked: 'Cette page ne peut pas utiliser le micro.',
    not_allowed: 'Les appels ne sont pas disponibles sur cette page.',
    busy: 'Toutes les lignes sont occupées. Réessayez dans un instant.',
    unavailable: 'L’assistant n’est pas disponible pour le moment.',
    network: 'Pas de connexion. Vérifiez votre réseau.',
    over: 'L’appel est terminé.',
    not_sent: 'Le message n’a pas été envoyé. Attendez l’assistant, puis réessayez.',
  },
};

const es: Texts = {
  talk: 'Hable con nosotros',
  title: 'Asistente',
  connecting: 'Conectando …',
  listening: 'Escuchando',
  speaking: 'Hablando',
  muted: 'Su micrófono está silenciado',
  writing: 'Conectado',
  reconnecting: 'Conexión perdida, reconectando …',
  ended: 'La llamada ha terminado',
  inCall: 'En llamada',
  mute: 'Silenciar',
  unmute: 'Activar micrófono',
  end: 'Colgar',
  minimize: 'Minimizar',
  close: 'Cerrar',
  write: 'Escriba un mensaje',
  send: 'Enviar',
  retry: 'Intentar de nuevo',
  writeInstead: 'Escribir en su lugar',
  again: 'Llamar de nuevo',
  onlyText: 'Aquí el asistente responde por escrito.',
  transcript: 'Conversación',
  you: 'Usted',
  assistant: 'Asistente',
  usesTool: 'Un momento …',
  errors: {
    no_microphone: 'No se encontró ningún micrófono, o lo usa otro programa.',
    microphone_denied: 'El micrófono no está permitido. Permítalo en la barra de direcciones del navegador.',
    microphone_blocked: 'Esta página no puede usar el micrófono.',
    not_allowed: 'Las llamadas no están disponibles en esta página.',
    busy: 'Todas las líneas están ocupadas. Inténtelo de nuevo en un momento.',
    unavailable: 'El asistente no está disponible ahora.',
    network: 'No hay conexión. Compruebe su red.',
    over: 'La llamada ha terminado.',
    not_sent: 'El mensaje no se ha enviado. Espere al asistente y vuelva a intentarlo.',
  },
};

const it: Texts = {
  talk: 'Parla con noi',
  title: 'Assistente',
  connecting: 'Connessione …',
  listening: 'In ascolto',
  speaking: 'Sta parlando',
  muted: 'Il microfono è disattivato',
  writing: 'Connesso',
  reconnecting: 'Connessione persa, riconnessione …',
  ended: 'La chiamata è terminata',
  inCall: 'In chiamata',
  mute: 'Disattiva microfono',
  unmute: 'Attiva microfono',
  end: 'Riaggancia',
  minimize: 'Riduci',
  close: 'Chiudi',
  write: 'Scrivi un messaggio',
  send: 'Invia',
  retry: 'Riprova',
  writeInstead: 'Scrivi invece',
  again: 'Richiama',
  onlyText: 'Qui l’assistente risponde per iscritto.',
  transcript: 'Conversazione',
  you: 'Tu',
  assistant: 'Assistente',
  usesTool: 'Un momento …',
  errors: {
    no_microphone: 'Nessun microfono trovato, oppure lo usa un altro programma.',
    microphone_denied: 'Il microfono non è consentito. Consentilo nella barra degli indirizzi del browser.',
    microphone_blocked: 'Questa pagina non può usare il microfono.',
    not_allowed: 'Le chiamate non sono disponibili in questa pagina.',
    busy: 'Tutte le linee sono occupate. Riprova tra un momento.',
    unavailable: 'L’assistente non è disponibile al momento.',
    network: 'Nessuna connessione. Controlla la rete.',
    over: 'La chiamata è terminata.',
    not_sent: 'Il messaggio non è stato inviato. Attendi l’assistente e riprova.',
  },
};

export const TEXTS: Readonly<Record<string, Texts>> = { en, de, fr, es, it };

/** The texts of the first known language; English otherwise. */
export function textsFor(languages: readonly string[]): { language: string; texts: Texts } {
  for (const tag of languages) {
    const [language = ''] = tag.toLowerCase().split('-');
    const texts = TEXTS[language];
    if (texts) return { language, texts };
  }
  return { language: 'en', texts: en };
}
