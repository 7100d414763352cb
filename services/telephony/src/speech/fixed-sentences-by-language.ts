// The languages of the voices that the platform lists, and of the dashboard's list of languages.

export type FixedSentences = {
  silence: string;
  apology: string;
  repeat: string;
  /** The text before and after the number of the caller. */
  consultation: readonly [before: string, after: string];
  yes: readonly string[];
  no: readonly string[];
};

export const ENGLISH: FixedSentences = {
  silence: 'Are you still there?',
  apology: 'I am sorry, I am having trouble with the line. Please try again later. Goodbye.',
  repeat: 'I am sorry, I am having trouble with my line right now. Could you say that again, please?',
  consultation: [
    'There is a call for you from',
    'Press 1 or say yes to take it, press 2 or say no to decline.',
  ],
  yes: ['yes', 'yeah', 'sure', 'okay', 'ok', 'accept'],
  no: ['no', 'nope', 'decline', 'not now'],
};

// cspell:disable
export const FIXED_SENTENCES: Readonly<Record<string, FixedSentences>> = {
  en: ENGLISH,
  de: {
    silence: 'Sind Sie noch da?',
    apology:
      'Es tut mir leid, ich habe Probleme mit der Verbindung. Bitte versuchen Sie es später noch einmal. Auf Wiederhören.',
    repeat:
      'Es tut mir leid, ich habe gerade Probleme mit der Verbindung. Könnten Sie das bitte noch einmal sagen?',
    consultation: [
      'Ein Anruf für Sie von',
      'Drücken Sie die 1 oder sagen Sie ja, um ihn anzunehmen, sonst die 2 oder nein.',
    ],
    yes: ['ja', 'gern', 'gerne', 'okay', 'ok'],
    no: ['nein', 'nicht'],
  },
  es: {
    silence: '¿Sigue usted ahí?',
    apology: 'Lo siento, tengo problemas con la línea. Por favor, inténtelo más tarde. Adiós.',
    repeat: 'Lo siento, ahora mismo tengo problemas con la línea. ¿Podría repetirlo, por favor?',
    consultation: ['Tiene una llamada de', 'Pulse 1 o diga sí para aceptarla, 2 o no para rechazarla.'],
    yes: ['sí', 'si', 'vale', 'claro', 'ok'],
    no: ['no'],
  },
  fr: {
    silence: 'Vous êtes toujours là ?',
    apology: "Je suis désolé, j'ai un problème avec la ligne. Veuillez réessayer plus tard. Au revoir.",
    repeat:
      "Je suis désolé, j'ai un problème avec la ligne en ce moment. Pourriez-vous répéter, s'il vous plaît ?",
    consultation: [
      'Vous avez un appel de',
      'Appuyez sur 1 ou dites oui pour le prendre, sur 2 ou dites non pour le refuser.',
    ],
    yes: ['oui', 'accord', 'ok'],
    no: ['non'],
  },
  it: {
    silence: 'È ancora in linea?',
    apology: 'Mi dispiace, ho problemi con la linea. La prego di riprovare più tardi. Arrivederci.',
    repeat: 'Mi dispiace, in questo momento ho problemi con la linea. Potrebbe ripetere, per favore?',
    consultation: ["C'è una chiamata per lei da", 'Prema 1 o dica sì per accettarla, 2 o no per rifiutarla.'],
    yes: ['sì', 'si', 'certo', 'va bene', 'ok'],
    no: ['no'],
  },
  pt: {
    silence: 'Ainda está aí?',
    apology: 'Lamento, estou com problemas na linha. Por favor, tente novamente mais tarde. Até logo.',
    repeat: 'Lamento, estou com problemas na linha neste momento. Poderia repetir, por favor?',
    consultation: ['Tem uma chamada de', 'Pressione 1 ou diga sim para atender, 2 ou não para recusar.'],
    yes: ['sim', 'claro', 'ok'],
    no: ['não', 'nao'],
  },
  nl: {
    silence: 'Bent u er nog?',
    apology: 'Het spijt me, ik heb problemen met de verbinding. Probeer het later nog eens. Tot ziens.',
    repeat: 'Het spijt me, ik heb nu problemen met de verbinding. Kunt u dat nog een keer zeggen?',
    consultation: [
      'Er is een oproep voor u van',
      'Druk op 1 of zeg ja om op te nemen, op 2 of zeg nee om te weigeren.',
    ],
    yes: ['ja', 'goed', 'oké', 'ok'],
    no: ['nee', 'niet'],
  },
  pl: {
    silence: 'Czy nadal tam Pan lub Pani jest?',
    apology: 'Przepraszam, mam problemy z połączeniem. Proszę spróbować później. Do widzenia.',
    repeat: 'Przepraszam, mam teraz problemy z połączeniem. Czy można prosić o powtórzenie?',
    consultation: [
      'Połączenie od numeru',
      'Aby je przyjąć, proszę nacisnąć 1 lub powiedzieć tak, a aby odrzucić, 2 lub nie.',
    ],
    yes: ['tak', 'dobrze', 'ok'],
    no: ['nie'],
  },
  sv: {
    silence: 'Är du kvar?',
    apology: 'Jag är ledsen, jag har problem med linjen. Försök igen senare. Hej då.',
    repeat: 'Jag är ledsen, jag har problem med linjen just nu. Kan du säga det igen, tack?',
    consultation: [
      'Du har ett samtal från',
      'Tryck 1 eller säg ja för att svara, 2 eller nej för att avvisa.',
    ],
    yes: ['ja', 'okej', 'ok'],
    no: ['nej', 'inte'],
  },
  da: {
    silence: 'Er du der stadig?',
    apology: 'Undskyld, jeg har problemer med forbindelsen. Prøv igen senere. Farvel.',
    repeat: 'Undskyld, jeg har problemer med forbindelsen lige nu. Kan du sige det igen?',
    consultation: ['Du har et opkald fra', 'Tryk 1 eller sig ja for at tage det, 2 eller nej for at afvise.'],
    yes: ['ja', 'okay', 'ok'],
    no: ['nej', 'ikke'],
  },
  nb: {
    silence: 'Er du der fortsatt?',
    apology: 'Beklager, jeg har problemer med forbindelsen. Prøv igjen senere. Ha det bra.',
    repeat: 'Beklager, jeg har problemer med forbindelsen akkurat nå. Kan du si det en gang til?',
    consultation: ['Du har en samtale fra', 'Trykk 1 eller si ja for å svare, 2 eller nei for å avvise.'],
    yes: ['ja', 'ok'],
    no: ['nei', 'ikke'],
  },
  fi: {
    silence: 'Oletteko vielä siellä?',
    apology: 'Pahoittelen, yhteydessä on ongelmia. Yrittäkää myöhemmin uudelleen. Näkemiin.',
    repeat: 'Pahoittelen, yhteydessä on juuri nyt ongelmia. Voisitteko toistaa?',
    consultation: [
      'Teille on puhelu numerosta',
      'Ottakaa se painamalla 1 tai sanomalla kyllä, hylätkää se painamalla 2 tai sanomalla ei.',
    ],
    yes: ['kyllä', 'joo', 'ok'],
    no: ['ei', 'en'],
  },
  cs: {
    silence: 'Jste tam ještě?',
    apology: 'Omlouvám se, mám potíže se spojením. Zkuste to prosím později. Na shledanou.',
    repeat: 'Omlouvám se, mám teď potíže se spojením. Můžete to prosím zopakovat?',
    consultation: [
      'Máte hovor z čísla',
      'Stisknutím 1 nebo slovem ano ho přijmete, stisknutím 2 nebo slovem ne odmítnete.',
    ],
    yes: ['ano', 'jo', 'dobře', 'ok'],
    no: ['ne'],
  },
  tr: {
    silence: 'Hâlâ orada mısınız?',
    apology: 'Özür dilerim, hatta bir sorun var. Lütfen daha sonra tekrar deneyin. Hoşça kalın.',
    repeat: 'Özür dilerim, şu anda hatta bir sorun var. Tekrar eder misiniz, lütfen?',
    consultation: [
      'Size bir arama var, numara',
      'Kabul etmek için 1 tuşuna basın veya evet deyin, reddetmek için 2 tuşuna basın veya hayır deyin.',
    ],
    yes: ['evet', 'tamam', 'olur'],
    no: ['hayır', 'hayir', 'olmaz'],
  },
  uk: {
    silence: 'Ви ще тут?',
    apology: "Вибачте, у мене проблеми зі зв'язком. Будь ласка, спробуйте пізніше. До побачення.",
    repeat: "Вибачте, у мене зараз проблеми зі зв'язком. Повторіть, будь ласка.",
    consultation: [
      'Вам телефонують з номера',
      'Щоб прийняти, натисніть 1 або скажіть так, щоб відхилити, 2 або ні.',
    ],
    yes: ['так', 'добре', 'гаразд'],
    no: ['ні', 'не'],
  },
  ru: {
    silence: 'Вы ещё здесь?',
    apology: 'Извините, у меня проблемы со связью. Пожалуйста, попробуйте позже. До свидания.',
    repeat: 'Извините, у меня сейчас проблемы со связью. Повторите, пожалуйста.',
    consultation: [
      'Вам звонят с номера',
      'Чтобы принять, нажмите 1 или скажите да, чтобы отклонить, 2 или нет.',
    ],
    yes: ['да', 'хорошо', 'ладно'],
    no: ['нет', 'не'],
  },
  ar: {
    silence: 'هل ما زلت معي؟',
    apology: 'عذرًا، لدي مشكلة في الخط. يرجى المحاولة لاحقًا. مع السلامة.',
    repeat: 'عذرًا، لدي مشكلة في الخط الآن. هل يمكن إعادة ذلك من فضلك؟',
    consultation: ['لديك مكالمة من', 'للقبول اضغط 1 أو قل نعم، وللرفض اضغط 2 أو قل لا.'],
    yes: ['نعم', 'أجل', 'موافق'],
    no: ['لا'],
  },
  he: {
    silence: 'האם עדיין יש מישהו על הקו?',
    apology: 'סליחה, יש בעיה בקו. נא לנסות שוב מאוחר יותר. להתראות.',
    repeat: 'סליחה, יש כרגע בעיה בקו. אפשר לחזור על זה, בבקשה?',
    consultation: ['יש שיחה ממספר', 'לקבלה יש להקיש 1 או לומר כן, לדחייה יש להקיש 2 או לומר לא.'],
    yes: ['כן', 'בסדר'],
    no: ['לא'],
  },
  hi: {
    silence: 'क्या आप अभी भी लाइन पर हैं?',
    apology: 'क्षमा करें, लाइन में समस्या है। कृपया बाद में फिर प्रयास करें। नमस्ते।',
    repeat: 'क्षमा करें, अभी लाइन में समस्या है। कृपया फिर से कहिए।',
    consultation: [
      'आपके लिए इस नंबर से कॉल है',
      'स्वीकार करने के लिए 1 दबाएँ या हाँ कहें, मना करने के लिए 2 दबाएँ या नहीं कहें।',
    ],
    yes: ['हाँ', 'हां', 'जी', 'ठीक है'],
    no: ['नहीं', 'ना'],
  },
  ja: {
    silence: 'もしもし、聞こえますか。',
    apology: '申し訳ありません、回線に問題があります。後ほどおかけ直しください。失礼いたします。',
    repeat: '申し訳ありません、ただいま回線に問題があります。もう一度お願いできますか。',
    consultation: [
      'お電話が入っています。番号は',
      'お受けになる場合は1を押すか「はい」、お断りの場合は2を押すか「いいえ」とお答えください。',
    ],
    yes: ['はい', 'お願いします'],
    no: ['いいえ', 'いえ', '断り', 'お断り', '断って', '拒否', '結構'],
  },
  ko: {
    silence: '아직 듣고 계신가요?',
    apology: '죄송합니다. 회선에 문제가 있습니다. 나중에 다시 걸어 주세요. 안녕히 계세요.',
    repeat: '죄송합니다. 지금 회선에 문제가 있습니다. 다시 한 번 말씀해 주시겠어요?',
    consultation: [
      '전화가 왔습니다. 번호는',
      '받으시려면 1번을 누르거나 네, 거절하시려면 2번을 누르거나 아니요라고 말씀해 주세요.',
    ],
    yes: ['네', '예', '좋아요'],
    no: ['아니요', '아니오', '아뇨', '거절', '거절해 주세요'],
  },
  zh: {
    silence: '请问您还在吗？',
    apology: '很抱歉，线路出现了问题。请稍后再试。再见。',
    repeat: '很抱歉，线路现在有些问题。请您再说一遍，好吗？',
    consultation: ['您有一个来电，号码是', '接听请按1或说好，拒接请按2或说不。'],
    yes: ['好', '好的', '好吧', '好啊', '可以'],
    no: ['不', '不要', '不行', '不用', '不是', '不好', '不太好', '不能', '不想', '拒绝', '拒絕', '拒接'],
  },
};
// cspell:enable
