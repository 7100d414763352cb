import {
  ATTENTION_SERVICES,
  type AttentionItem,
  type AttentionService,
  attentionOf,
  type getAttention as contract,
  type ResponseOf,
} from '@parley/contracts';
import type { CallContext, ServiceClient } from '@parley/kit/http';
import type { Log } from '@parley/kit/log';
import type { ExpiringKeys } from './expiring-keys.store.ts';

export type AttentionDeps = {
  /** Clients with a timeout of a few seconds. */
  attentionClients: Record<AttentionService, Pick<ServiceClient, 'call'>>;
  expiringKeys: ExpiringKeys;
  log: Log;
};

/** Collects what needs attention from all services. A service that doesn't respond is listed instead of failing the request
 * [analytics.11]. */
export async function getAttention(
  { attentionClients, expiringKeys, log }: AttentionDeps,
  context: CallContext,
): Promise<ResponseOf<typeof contract>> {
  const unknown: AttentionService[] = [];
  const ofService = async (service: AttentionService): Promise<AttentionItem[]> => {
    try {
      return (await attentionClients[service].call(attentionOf(service), {}, context)).items;
    } catch (err) {
      log.warn({ err, service }, 'a service did not report what needs attention');
      unknown.push(service);
      return [];
    }
  };
  const found = await Promise.all([expiringKeys(context.workspaceId), ...ATTENTION_SERVICES.map(ofService)]);
  const items = found.flat().sort((a, b) => (a.at < b.at ? 1 : -1));
  return { items, unknown_services: ATTENTION_SERVICES.filter((service) => unknown.includes(service)) };
}
