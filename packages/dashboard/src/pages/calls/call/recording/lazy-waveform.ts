import { lazyComponent } from '../../../../components/lazy-component.tsx';

/** Loaded with what it shows. */
export const Waveform = lazyComponent(() => import('./waveform.tsx'), 'Waveform');
