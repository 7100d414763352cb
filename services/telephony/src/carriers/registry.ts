import type { Clock } from '@parley/kit/time';
import type { Config } from '../config.ts';
import type { Provider } from '../numbers/phone-number.ts';
import type { Call } from '../sessions/call.ts';
import type { Carrier, MessageSender } from './carrier.ts';
import type { CarrierName } from './carrier-names.ts';
import { createNoCarrier, NO_CARRIER, NONE } from './no-carrier.ts';

/** The carriers that can dial from a provider's numbers, best first. */
const BY_PROVIDER: Readonly<Record<Provider, readonly CarrierName[]>> = {
  hosted_sip: ['sip', 'simulator'],
  telco: ['simulator'],
};

/** The name of the carrier that dials from each provider's numbers; `none`: no configured one can. */
export type CarrierChoice = Readonly<Record<Provider, CarrierName | typeof NONE>>;

export function chooseCarriers(configured: readonly CarrierName[]): CarrierChoice {
  const first = (provider: Provider) =>
    BY_PROVIDER[provider].find((name) => configured.includes(name)) ?? NONE;
  return { hosted_sip: first('hosted_sip'), telco: first('telco') };
}

/** The carriers of this process: production simulates calls only if configured to [running.10]. */
export function configuredCarriers({
  CARRIERS,
  NODE_ENV,
}: Pick<Config, 'CARRIERS' | 'NODE_ENV'>): readonly CarrierName[] {
  return CARRIERS ?? (NODE_ENV === 'production' ? [] : ['simulator']);
}

/** Whether a configured carrier carries audio. */
export function carriesAudio(config: Pick<Config, 'CARRIERS' | 'NODE_ENV' | 'SIMULATOR_MEDIA'>): boolean {
  const configured = configuredCarriers(config);
  return (
    configured.includes('sip') || (configured.includes('simulator') && config.SIMULATOR_MEDIA !== 'text')
  );
}

/** The carriers of a process. */
export type Carriers = {
  /** The carrier that the call was created with; one that refuses if this process doesn't have it [running.10]. */
  of(call: Pick<Call, 'carrier' | 'callType'>): Carrier;
  /** The carriers that deliver inbound calls. */
  all: readonly Carrier[];
};

export function createCarriers(configured: readonly Carrier[], web: Carrier, clock: Clock): Carriers {
  const noCarrier = createNoCarrier(clock);
  const byName = new Map([...configured, web].map((carrier) => [carrier.name, carrier]));
  return {
    all: configured,
    // Calls of the previous version have no carrier name.
    of: ({ carrier, callType }) =>
      byName.get(carrier ?? (callType === 'web' ? web.name : 'simulator')) ?? noCarrier,
  };
}

/** Web calls have no carrier of their own for text messages: the first configured one sends them. */
export function messageSender([first]: readonly Carrier[]): MessageSender['sendSms'] {
  return first?.sendSms ?? (async () => ({ refused: NO_CARRIER }));
}
