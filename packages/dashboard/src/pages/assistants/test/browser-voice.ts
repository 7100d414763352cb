import { useCallback, useEffect, useRef, useState } from 'react';

// The Web Speech API, which TypeScript's DOM library does not have as a whole.

type RecognitionResult = { isFinal: boolean; 0: { transcript: string } };
type RecognitionEvent = { resultIndex: number; results: ArrayLike<RecognitionResult> };
type Recognition = {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onresult: ((event: RecognitionEvent) => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  abort(): void;
};
type Speech = { SpeechRecognition?: new () => Recognition; webkitSpeechRecognition?: new () => Recognition };

function recognitionClass(): (new () => Recognition) | undefined {
  const { SpeechRecognition, webkitSpeechRecognition } = window as unknown as Speech;
  return SpeechRecognition ?? webkitSpeechRecognition;
}

export const canRecognize = (): boolean => recognitionClass() !== undefined;
/** Some browsers have the interface and no voice, and then never say that they are done. */
const canSpeak = (): boolean => 'speechSynthesis' in window && window.speechSynthesis.getVoices().length > 0;

const WHY: Readonly<Record<string, string>> = {
  'not-allowed': 'The browser may not use the microphone: allow it in the address bar',
  'service-not-allowed': 'This browser does not allow speech recognition here',
  network: 'The speech recognition of this browser needs the internet, and cannot reach it',
  'audio-capture': 'No microphone was found',
  'language-not-supported': 'This browser does not recognize the assistant’s language',
};

type Options = {
  language: string;
  /** It is the human's turn. */
  isTurn: boolean;
  onHeard(text: string): void;
};

/**
 * The browser's own recognition and synthesis around a text conversation: listens while it is on and it is the human's turn, and
 * speaks what `speak` gets.
 */
export function useBrowserVoice({ language, isTurn, onHeard }: Options) {
  const [isOn, setOn] = useState(false);
  const [isSpeaking, setSpeaking] = useState(false);
  const [interim, setInterim] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isMute, setMute] = useState(false);
  const heard = useRef(onHeard);
  heard.current = onHeard;

  useEffect(() => {
    const Class = recognitionClass();
    if (!isOn || isSpeaking || !isTurn || !Class) return;
    const recognition = new Class();
    let isWanted = true;
    recognition.lang = language;
    recognition.continuous = false;
    recognition.interimResults = true;
    recognition.onresult = ({ results, resultIndex }) => {
      const found = Array.from(results).slice(resultIndex);
      const said = found.filter(({ isFinal }) => isFinal).map((result) => result[0].transcript);
      setInterim(
        found
          .filter(({ isFinal }) => !isFinal)
          .map((result) => result[0].transcript)
          .join(' '),
      );
      const text = said.join(' ').trim();
      if (text !== '') heard.current(text);
    };
    recognition.onerror = ({ error }) => {
      if (error === 'no-speech' || error === 'aborted') return;
      isWanted = false;
      setProblem(WHY[error] ?? `Speech recognition failed (${error})`);
      setOn(false);
    };
    // It stops by itself after each sentence and each silence.
    recognition.onend = () => {
      setInterim('');
      if (isWanted) recognition.start();
    };
    recognition.start();
    return () => {
      isWanted = false;
      recognition.abort();
    };
  }, [isOn, isSpeaking, isTurn, language]);

  useEffect(() => {
    // Chrome loads its voices when it is first asked for them.
    window.speechSynthesis?.getVoices();
    return () => window.speechSynthesis?.cancel();
  }, []);

  const speak = useCallback(
    (text: string) => {
      setMute(!canSpeak());
      if (!canSpeak()) return;
      const utterance = new SpeechSynthesisUtterance(text);
      utterance.lang = language;
      utterance.onend = () => setSpeaking(false);
      utterance.onerror = () => setSpeaking(false);
      window.speechSynthesis.cancel();
      setSpeaking(true);
      window.speechSynthesis.speak(utterance);
    },
    [language],
  );
  return {
    isOn,
    isSpeaking,
    isTurn,
    isMute,
    interim,
    problem,
    speak,
    start: useCallback(() => {
      setProblem(undefined);
      setOn(true);
    }, []),
    stop: useCallback(() => {
      setOn(false);
      setSpeaking(false);
      window.speechSynthesis?.cancel();
    }, []),
  };
}
