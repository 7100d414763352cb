import { bridge } from '@parley/media';
import { type SipLeg, sendKeys } from '../legs/sip-leg.ts';

/** Connects the audio of two legs and forwards key presses. False: one of them has no audio, or has ended. */
export function bridgeLegs(one: SipLeg, other: SipLeg): boolean {
  const [ours, theirs] = [one.body.media.session(), other.body.media.session()];
  if (!ours || !theirs || one.body.facts.isEnded || other.body.facts.isEnded) return false;
  bridge(ours, theirs);
  passKeys(one, other);
  passKeys(other, one);
  return true;
}

function passKeys(from: SipLeg, to: SipLeg): void {
  let last = Promise.resolve();
  const pass = (key: string): void => {
    // The far end does not support keys, or has hung up.
    last = last.then(() => sendKeys(to, key)).catch(() => {});
  };
  from.body.media.session()?.onDigit(pass);
  from.body.onInfoKey(pass);
}
