import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Call } from '../call-queries.ts';
import { Waveform } from './lazy-waveform.ts';
import { type LoadedPeaks, loadPeaks } from './load-peaks.ts';
import { createPlayback, type Playback } from './playback.ts';

export type Recording = {
  playback: Playback;
  seconds: number;
  url: string;
  /** Undefined: they are loading. */
  peaks: LoadedPeaks | undefined;
  /** Of the recording, if it cannot be played, or of its waveform alone. */
  failure: { of: 'recording' | 'waveform'; isRetrying: boolean; retry: () => void } | undefined;
};

/** Reads the call again, whose link is signed again. */
type ReadAgain = () => Promise<{ isSuccess: boolean; data: Call | undefined }>;

/** The link on this page's own host: the platform may know itself by another name than this browser does. */
function localPath(link: string): string {
  const { pathname, search } = new URL(link, window.location.href);
  return pathname + search;
}

/**
 * The player of a call's recording; undefined while there is none. Each reading of a call signs a new link: the player keeps the first
 * one, until it has expired.
 */
export function useRecording(
  { recording_sid, recording_url, duration }: Call,
  storedSeconds: number | undefined,
  readAgain: ReadAgain,
): Recording | undefined {
  const latest = recording_url === null ? undefined : localPath(recording_url);
  const hasRecording = recording_sid !== null && latest !== undefined;
  const playback = useMemo(() => {
    if (!hasRecording) return undefined;
    const audio = new Audio();
    audio.preload = 'metadata';
    audio.src = latest;
    return createPlayback(audio);
  }, [recording_sid]);
  useEffect(() => () => playback?.audio.pause(), [playback]);
  const renewal = useRenewal(playback, latest, readAgain);
  const peaks = usePeaks(recording_sid, latest, readAgain);
  if (!playback || latest === undefined) return undefined;
  const retryAll = () => {
    renewal.retry();
    peaks.failure?.retry();
  };
  const measured = typeof peaks.data === 'object' ? peaks.data.seconds : undefined;
  return {
    playback,
    seconds: Math.max(1, measured ?? storedSeconds ?? duration ?? 1),
    url: latest,
    peaks: peaks.data,
    failure: renewal.isUnplayable
      ? { of: 'recording', isRetrying: false, retry: retryAll }
      : peaks.failure && { of: 'waveform', ...peaks.failure },
  };
}

/** The waveform, with what draws it. */
function usePeaks(recordingSid: string | null, latest: string | undefined, readAgain: ReadAgain) {
  const [isRenewing, setRenewing] = useState(false);
  const url = useRef(latest);
  url.current = latest;
  const { data, isError, isFetching, refetch } = useQuery({
    queryKey: ['recording', recordingSid],
    queryFn: async ({ signal }) => {
      const [peaks] = await Promise.all([loadPeaks(url.current ?? '', signal), Waveform.preload()]);
      return peaks;
    },
    enabled: recordingSid !== null && latest !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const retry = async () => {
    setRenewing(true);
    try {
      // The link may have expired.
      const { data: call } = await readAgain();
      if (call?.recording_url) url.current = localPath(call.recording_url);
      await refetch();
    } finally {
      setRenewing(false);
    }
  };
  return {
    data,
    failure: isError
      ? { isRetrying: isRenewing || isFetching, retry: () => void retry().catch(() => undefined) }
      : undefined,
  };
}

/**
 * After an error, the call is read once more: its link may only have expired. Another error means that the recording cannot be played,
 * until the person tries again.
 */
function useRenewal(playback: Playback | undefined, latest: string | undefined, readAgain: ReadAgain) {
  const failedUrl = useRef<string>(undefined);
  const [isUnplayable, setUnplayable] = useState(false);
  useEffect(() => {
    if (!playback) return;
    const { audio } = playback;
    const onError = async () => {
      if (failedUrl.current !== undefined) return setUnplayable(true);
      failedUrl.current = localPath(audio.src);
      const isRead = await readAgain().then(
        ({ isSuccess }) => isSuccess,
        () => false,
      );
      if (!isRead && failedUrl.current !== undefined) setUnplayable(true);
    };
    const onLoaded = () => {
      failedUrl.current = undefined;
      setUnplayable(false);
    };
    const listener = () => void onError();
    audio.addEventListener('error', listener);
    audio.addEventListener('loadeddata', onLoaded);
    return () => {
      audio.removeEventListener('error', listener);
      audio.removeEventListener('loadeddata', onLoaded);
    };
  }, [playback, readAgain]);
  const load = useCallback((from: Playback, url: string) => {
    const at = from.audio.currentTime;
    from.audio.src = url;
    from.audio.currentTime = at;
  }, []);
  useEffect(() => {
    if (!playback || !latest || failedUrl.current === undefined || failedUrl.current === latest) return;
    load(playback, latest);
  }, [playback, latest, load]);
  const retry = useCallback(() => {
    failedUrl.current = undefined;
    setUnplayable(false);
    if (playback && latest) load(playback, latest);
  }, [playback, latest, load]);
  return { isUnplayable, retry };
}
