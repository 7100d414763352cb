import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import WaveSurfer from 'wavesurfer.js';
import { cspNonce } from '../../../../app/csp-nonce.ts';
import type { Playback } from './playback.ts';
import styles from './recording-player.module.css';
import type { Peaks } from './wav-peaks.ts';

const CHANNEL_HEIGHT = 36;

type Props = { playback: Playback; peaks: Peaks };

/** The waveform of both channels, each on its own line. Loaded when a recording is opened. */
export function Waveform({ playback, peaks }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();

  useEffect(() => {
    if (!box.current) return;
    const style = getComputedStyle(box.current);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const lines = ['user', 'agent'].slice(0, peaks.channels.length);
    const nonce = cspNonce();
    const surfer = WaveSurfer.create({
      container: box.current,
      media: playback.audio,
      peaks: peaks.channels,
      duration: peaks.seconds,
      height: CHANNEL_HEIGHT,
      barWidth: 2,
      barGap: 1,
      barRadius: 2,
      cursorWidth: 2,
      ...(nonce === undefined ? {} : { cspNonce: nonce }),
      cursorColor: color('--wave-cursor'),
      // The slider around it moves the position.
      interact: false,
      dragToSeek: false,
      splitChannels: lines.map((line) => ({
        overlay: false,
        waveColor: color(`--wave-${line}-rest`),
        progressColor: color(`--wave-${line}`),
      })),
    });
    return () => surfer.destroy();
  }, [playback, peaks, scheme]);

  return <div ref={box} className={styles.wave} aria-hidden />;
}
