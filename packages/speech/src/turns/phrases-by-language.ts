// Backchannels and words with which a sentence goes on, by language: those of the voices that the platform lists. All in lower case.

export type Phrases = { backchannels: readonly string[]; continuing: readonly string[] };

/** Of all languages. */
export const HESITATIONS: readonly string[] =
  'uh,um,uhm,er,erm,hm,hmm,mm,mhm,mmhm,mm-hmm,ah,oh,aha,ok,okay'.split(',');

const phrases = (backchannels: string, continuing: string): Phrases => ({
  backchannels: backchannels.split(/,\s*/),
  continuing: continuing.split(/,\s*/),
});

// cspell:disable
export const ENGLISH = phrases(
  `yes,yeah,yep,yup,right,sure,uh-huh,uh huh,huh,i see,got it,alright,all right,good,great,fine,cool,exactly,i understand,
  go on,of course`,
  `and,or,but,because,so,if,when,with,for,to,the,a,an,my,your,of,at,in,on,from,that,which,who,is,are,was,about,then,like,also,
  i,it's,maybe,um,uh,uhm,er,erm,hmm`,
);

export const PHRASES: Readonly<Record<string, Phrases>> = {
  en: ENGLISH,
  de: phrases(
    'ja,jaja,jo,gut,genau,klar,richtig,stimmt,achso,ach so,verstehe,ich verstehe,in ordnung,alles klar,gerne',
    `und,oder,aber,weil,denn,dass,wenn,mit,für,der,die,das,den,dem,ein,eine,einen,mein,meine,von,bei,in,an,auf,zu,zum,zur,ist,
    also,äh,ähm,ich,dann`,
  ),
  es: phrases(
    'sí,si,vale,claro,bueno,bien,ya,ajá,entiendo,de acuerdo,exacto,perfecto',
    'y,o,pero,porque,que,si,con,para,el,la,los,las,un,una,mi,de,en,a,es,eh,este',
  ),
  fr: phrases(
    "oui,ouais,d'accord,bien,très bien,bien sûr,je vois,voilà,exactement,entendu,parfait",
    'et,ou,mais,parce,que,si,avec,pour,le,la,les,un,une,mon,ma,de,du,des,à,en,est,euh',
  ),
  it: phrases(
    "sì,si,certo,va bene,bene,benissimo,d'accordo,esatto,giusto,capito,ho capito,capisco,perfetto,già,ecco,certamente,ottimo,chiaro",
    'e,o,ma,perché,che,se,con,per,il,lo,la,i,gli,le,un,uno,una,mio,mia,di,del,della,a,al,in,è,allora,quindi,ehm',
  ),
  pt: phrases(
    `sim,claro,certo,tá,tá bom,tá bem,está bem,está bom,tudo bem,bem,bom,pois,pois é,entendi,entendo,percebi,percebo,compreendo,exato,
    exatamente,perfeito,com certeza,isso,beleza,ótimo,aham,uhum`,
    'e,ou,mas,porque,que,se,com,para,pra,o,a,os,as,um,uma,meu,minha,de,do,da,em,no,na,é,então,hum',
  ),
  nl: phrases(
    `ja,jawel,oké,goed,prima,precies,juist,klopt,snap ik,ik snap het,ik begrijp het,begrepen,natuurlijk,zeker,inderdaad,fijn,
    in orde,is goed`,
    'en,of,maar,omdat,want,dat,als,met,voor,de,het,een,mijn,van,bij,in,aan,op,te,naar,is,dus,ik,dan,eh,ehm',
  ),
  pl: phrases(
    `tak,no,no tak,dobrze,dobra,okej,jasne,rozumiem,oczywiście,dokładnie,właśnie,zgadza się,świetnie,pewnie,w porządku,
    super`,
    'i,a,lub,albo,ale,bo,ponieważ,że,jeśli,gdy,z,ze,dla,na,w,we,do,od,o,mój,moja,jest,więc,czyli,yyy,eee',
  ),
  sv: phrases(
    'ja,jo,japp,jaha,okej,precis,just det,visst,javisst,bra,fint,jag förstår,förstår,absolut,självklart,det stämmer,jag är med',
    'och,eller,men,eftersom,för,att,om,när,med,en,ett,den,det,min,mitt,av,på,i,till,från,är,så,jag,eh,öh',
  ),
  da: phrases(
    'ja,jo,jep,jaja,præcis,nemlig,fint,godt,klart,selvfølgelig,jeg forstår,forstået,javel,nå,rigtigt,det er fint',
    'og,eller,men,fordi,for,at,hvis,når,med,en,et,den,det,min,mit,af,på,i,til,fra,er,så,jeg,øh,øhm',
  ),
  nb: phrases(
    'ja,jo,jepp,greit,fint,bra,nettopp,akkurat,riktig,selvfølgelig,skjønner,jeg skjønner,jeg forstår,den er grei,absolutt',
    'og,eller,men,fordi,for,at,hvis,når,med,en,ei,et,den,det,min,mitt,av,på,i,til,fra,er,så,jeg,eh,øh',
  ),
  fi: phrases(
    'joo,juu,jep,kyllä,niin,niin niin,aivan,okei,selvä,selvä juttu,hyvä,ymmärrän,just,totta,tietysti,tottakai,no niin,just niin',
    'ja,tai,mutta,koska,että,jos,kun,sekä,eli,siis,minun,se,on,joka,öö,ööh,tota,niinku',
  ),
  cs: phrases(
    'ano,jo,jasně,jasné,dobře,dobrá,rozumím,chápu,přesně,přesně tak,samozřejmě,určitě,no,no jo,výborně,v pořádku,správně',
    'a,nebo,ale,protože,že,když,jestli,s,se,pro,na,v,ve,do,od,z,o,můj,moje,je,takže,tedy,ehm',
  ),
  tr: phrases(
    'evet,tamam,tamamdır,olur,peki,tabii,tabi,tabii ki,anladım,anlıyorum,doğru,güzel,iyi,aynen,hı hı,hıhı,elbette,pekala',
    've,veya,da,ama,fakat,çünkü,eğer,ile,için,bir,benim,bu,şu,o,yani,ki,şey,ıı,eee',
  ),
  uk: phrases(
    'так,так-так,ага,угу,добре,гаразд,ясно,зрозуміло,розумію,звичайно,звісно,точно,авжеж,окей,ок,гм,хм,правильно,чудово',
    'і,й,та,або,чи,але,бо,що,якщо,коли,з,із,для,на,в,у,до,від,про,мій,моя,це,отже,тобто,ну,е',
  ),
  ru: phrases(
    `да,да-да,ага,угу,хорошо,ладно,понятно,понял,поняла,понимаю,ясно,конечно,точно,верно,так,окей,ок,отлично,м,мм,хм,правильно,
    всё понятно,все понятно`,
    'и,а,или,но,что,если,когда,с,со,для,на,в,во,к,от,о,мой,моя,это,значит,ну,э,ээ',
  ),
  ar: phrases(
    'نعم,أجل,ايوه,أيوه,أيوة,ايوة,حسنا,حسنًا,طيب,تمام,فهمت,مفهوم,صحيح,بالتأكيد,أكيد,اكيد,طبعا,طبعًا,جيد,أها,ماشي,أوكي,اوكي',
    'و,أو,او,لكن,لأن,لان,أن,ان,إذا,اذا,عندما,مع,من,في,على,إلى,الى,عن,هذا,هذه,يعني',
  ),
  he: phrases(
    'כן,בסדר,בסדר גמור,נכון,אוקיי,אוקי,הבנתי,מבין,מבינה,בטח,ברור,טוב,יופי,מעולה,אהה,בדיוק,אה,אהם',
    'או,אבל,כי,אם,כאשר,עם,בשביל,של,את,על,אל,מן,זה,אני,אז,כלומר,אמ',
  ),
  hi: phrases(
    'हाँ,हां,जी,जी हाँ,जी हां,ठीक है,ठीक,अच्छा,सही,सही है,बिल्कुल,समझ गया,समझ गई,समझा,ओके,हम्म,हूँ,बढ़िया',
    'और,या,लेकिन,मगर,क्योंकि,कि,अगर,जब,के,का,की,को,में,से,पर,एक,मेरा,मेरी,यह,तो,मतलब',
  ),
  ja: phrases(
    `はい,ええ,うん,うんうん,そう,そうです,そうですね,そうですか,そうなんですね,なるほど,なるほどね,わかりました,分かりました,了解,了解です,
    承知しました,オーケー,もちろん,ああ,あー,へえ,ふーん,ふん,いいですよ`,
    'と,で,けど,けれど,から,ので,それで,でも,あと,または,もし,えっと,えーと,ええと,あの,その,が,を,に,は,の',
  ),
  ko: phrases(
    '네,네네,예,예예,응,음,아,어,그래요,그렇군요,그렇죠,알겠습니다,알겠어요,알았어요,맞아요,맞습니다,좋아요,좋습니다,물론이죠,오케이',
    '그리고,또는,하지만,그런데,왜냐하면,만약,그래서,그러면,근데,저,제,그,이,음,어,저기',
  ),
  zh: phrases(
    '嗯,哦,噢,喔,啊,哎,对,对的,對,對的,好,好的,好吧,好啊,是,是的,是啊,行,可以,明白,明白了,知道了,了解,没错,沒錯,当然,當然',
    '和,或者,但是,可是,因为,因為,所以,如果,那,那么,那個,那个,就是,我,我的,在,的,跟,还有,還有,然后,然後,呃',
  ),
};
// cspell:enable
