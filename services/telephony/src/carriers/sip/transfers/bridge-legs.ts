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

/** Keys that wait until those before are sent; more are ignored, since each is sent for a tenth of a second. */
const MAX_WAITING = 200;

/** Exported for its test. */
export function passKeys(from: SipLeg, to: SipLeg): void {
  let last = Promise.resolve();
  let waiting = 0;
  const pass = (key: string): void => {
    if (waiting >= MAX_WAITING) return;
    waiting += 1;
    last = last
      .then(() => sendKeys(to, key))
      // The far end does not support keys, or has hung up.
      .catch(() => {})
      .finally(() => {
        waiting -= 1;
      });
  };
  from.body.media.session()?.onDigit(pass);
  from.body.onInfoKey(pass);
}
