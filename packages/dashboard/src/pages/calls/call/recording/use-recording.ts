import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { Call } from '../call-queries.ts';
import { type LoadedPeaks, loadPeaks } from './load-peaks.ts';
import { createPlayback, type Playback } from './playback.ts';

export type Recording = {
  playback: Playback;
  seconds: number;
  url: string;
  peaks: LoadedPeaks | 'error' | undefined;
};

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
  readAgain: () => void,
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
  useRenewal(playback, latest, readAgain);

  const peaks = useQuery({
    queryKey: ['recording', recording_sid],
    queryFn: ({ signal }) => loadPeaks(latest ?? '', signal),
    enabled: hasRecording,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  if (!playback || latest === undefined) return undefined;
  const measured = typeof peaks.data === 'object' ? peaks.data.seconds : undefined;
  return {
    playback,
    seconds: Math.max(1, measured ?? storedSeconds ?? duration ?? 1),
    url: latest,
    peaks: peaks.isError ? 'error' : peaks.data,
  };
}

/** After an error, the call is read once more: its link may only have expired. */
function useRenewal(playback: Playback | undefined, latest: string | undefined, readAgain: () => void): void {
  const failedUrl = useRef<string>(undefined);
  useEffect(() => {
    if (!playback) return;
    const onError = () => {
      const { pathname, search } = new URL(playback.audio.src);
      if (failedUrl.current !== undefined) return;
      failedUrl.current = pathname + search;
      readAgain();
    };
    playback.audio.addEventListener('error', onError);
    return () => playback.audio.removeEventListener('error', onError);
  }, [playback, readAgain]);
  useEffect(() => {
    if (!playback || !latest || failedUrl.current === undefined || failedUrl.current === latest) return;
    const at = playback.audio.currentTime;
    playback.audio.src = latest;
    playback.audio.currentTime = at;
  }, [playback, latest]);
}
