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
  const isMounted = useRef(false);
  latest.current = options;

  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
      void current.current?.end();
    };
  }, []);

  const start = useCallback(async (changes: Partial<StartCallOptions> = {}) => {
    if (current.current && current.current.state !== 'ended') return;
    setState('connecting');
    setError(null);
    setEnd(null);
    setTranscript([]);
    setMuted(false);
    try {
      const started = await startCall({ ...latest.current, ...changes });
      if (!isMounted.current) {
        await started.end();
        return;
      }
      current.current = started;
      setCall(started);
      started.on('state', setState);
      started.on('transcript', () => setTranscript(started.transcript));
      started.on('volume', setVolume);
      started.on('error', setError);
      started.on('end', (ended) => {
        setEnd(ended);
        setVolume(SILENCE);
      });
    } catch (err) {
      if (!(err instanceof CallError)) throw err;
      setError(err);
      setState('idle');
    }
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
    hangUp: useCallback(async () => current.current?.end(), []),
    mute: useCallback((on: boolean) => {
      current.current?.mute(on);
      setMuted(on);
    }, []),
    sendText: useCallback(async (text: string) => current.current?.sendText(text), []),
    sendDigits: useCallback((digits: string) => current.current?.sendDigits(digits), []),
  };
}
