import type { JsonObject } from '../json-object.ts';

/** Settings of native tools; null if they do not apply. */
export type NativeSettings = {
  smsContentType: 'prompt' | 'static' | null;
  smsStaticMessage: string | null;
  transferCallMode: 'static' | 'dynamic' | null;
  transferCallDestination: string | null;
  transferCallType: 'cold' | 'warm' | null;
};

export type Tool = NativeSettings & {
  id: string;
  workspaceId: string;
  /** The assistant that owns it; cannot be changed. */
  agentId: string;
  toolName: string;
  description: string | null;
  isNative: boolean;
  endpointUrl: string;
  httpMethod: 'GET' | 'POST';
  /** Null if there are none. */
  sealedHeaders: string | null;
  headerNames: string[];
  /** Null: the workspace secret signs its requests. */
  sealedWebhookSecret: string | null;
  /** Null for native tools: see `nativeParameters`. */
  parameters: JsonObject | null;
  timeoutSeconds: number;
  toolBehavior: 'blocking' | 'non_blocking' | null;
  resultScheduling: 'when_idle' | 'silent' | null;
  sealedTelcoCredentials: string | null;
  telcoFromNumber: string | null;
  createdAt: Date;
  updatedAt: Date;
};
