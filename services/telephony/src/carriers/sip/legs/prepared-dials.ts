import type { OriginateRequest } from '../../call-control.ts';
import type { DialRequest, OpenRoute } from './open-route.ts';

type PreparedDial = { request: DialRequest; opened: OpenRoute };

type PreparedDials = {
  /** False: there is no way to the trunk. */
  prepare(request: OriginateRequest): Promise<boolean>;
  /** Once: the flow belongs to the caller. */
  take(request: OriginateRequest): Promise<PreparedDial>;
};

/** A dial that was too late for its slot comes again. Real time. */
const KEEP_MS = 10_000;

/** Connections to trunks, open before the slots of their dials [campaigns.10]. */
export function createPreparedDials(
  open: (request: OriginateRequest) => Promise<PreparedDial>,
): PreparedDials {
  const dials = new Map<string, Promise<PreparedDial>>();

  const forget = async (reference: string, dial: Promise<PreparedDial>): Promise<void> => {
    if (dials.get(reference) !== dial) return;
    dials.delete(reference);
    const { opened } = await dial;
    if ('flow' in opened) opened.flow.close();
  };

  const begin = (request: OriginateRequest): Promise<PreparedDial> => {
    const { reference } = request;
    const dial = open(request);
    dials.set(reference, dial);
    dial.then(
      () => setTimeout(() => void forget(reference, dial), KEEP_MS).unref(),
      () => dials.delete(reference),
    );
    return dial;
  };

  return {
    prepare: async (request) => {
      const { opened } = await (dials.get(request.reference) ?? begin(request));
      return 'flow' in opened;
    },
    take: (request) => {
      const dial = dials.get(request.reference) ?? open(request);
      dials.delete(request.reference);
      return dial;
    },
  };
}
