import { useCallback, useEffect, useRef, useState } from 'react';
import type { Call, CallState, EndOfCall, Turn, Volume } from './call/call.ts';
import { CallError } from './call/call-error.ts';
import { type StartCallOptions, startCall } from './call/start-call.ts';

export type UseCall = {
  /** `idle` before the first call. */
  state: 'idle' | CallState;
  call: Call | null;
  transcript: readonly Turn[];
  volume: Volume;
  muted: boolean;
  error: CallError | null;
  end: EndOfCall | null;
  start(changes?: Partial<StartCallOptions>): Promise<void>;
  hangUp(): Promise<void>;
  mute(muted: boolean): void;
  sendText(text: string): Promise<void>;
  sendDigits(digits: string): void;
};

const SILENCE: Volume = { input: 0, output: 0 };

/** One call at a time, which ends with the component. */
export function useCall(options: StartCallOptions): UseCall {
  const [call, setCall] = useState<Call | null>(null);
  const [state, setState] = useState<UseCall['state']>('idle');
  const [transcript, setTranscript] = useState<readonly Turn[]>([]);
  const [volume, setVolume] = useState(SILENCE);
  const [muted, setMuted] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const [end, setEnd] = useState<EndOfCall | null>(null);
  const latest = useRef(options);
  const current = useRef<Call | null>(null);
  /** The call that is being started; `null` afterwards, and if it is no longer wanted. */
  const starting = useRef<object | null>(null);
  const isMounted = useRef(false);
  latest.current = options;

  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
      starting.current = null;
      void current.current?.end();
    };
  }, []);

  const start = useCallback(async (changes: Partial<StartCallOptions> = {}) => {
    if (starting.current || (current.current && current.current.state !== 'ended')) return;
    const attempt = {};
    starting.current = isMounted.current ? attempt : null;
    current.current = null;
    setCall(null);
    setState('connecting');
    setError(null);
    setEnd(null);
    setTranscript([]);
    setMuted(false);
    try {
      const started = await startCall({ ...latest.current, ...changes });
      if (starting.current !== attempt) {
        await started.end();
        return;
      }
      current.current = started;
      setCall(started);
      // Its end may be known when the next call has begun.
      const ifCurrent =
        <T>(set: (event: T) => void) =>
        (event: T) => {
          if (current.current === started) set(event);
        };
      started.on('state', ifCurrent(setState));
      started.on(
        'transcript',
        ifCurrent(() => setTranscript(started.transcript)),
      );
      started.on('volume', ifCurrent(setVolume));
      started.on('error', ifCurrent(setError));
      started.on(
        'end',
        ifCurrent((ended: EndOfCall) => {
          setEnd(ended);
          setVolume(SILENCE);
        }),
      );
    } catch (err) {
      if (starting.current !== attempt) return;
      setState('idle');
      if (!(err instanceof CallError)) throw err;
      setError(err);
    } finally {
      if (starting.current === attempt) starting.current = null;
    }
  }, []);
  const hangUp = useCallback(async () => {
    if (starting.current) setState('idle');
    starting.current = null;
    await current.current?.end();
  }, []);

  return {
    state,
    call,
    transcript,
    volume,
    muted,
    error,
    end,
    start,
    hangUp,
    mute: useCallback((on: boolean) => {
      if (!current.current) return;
      current.current.mute(on);
      setMuted(on);
    }, []),
    sendText: useCallback(async (text: string) => current.current?.sendText(text), []),
    sendDigits: useCallback((digits: string) => current.current?.sendDigits(digits), []),
  };
}
