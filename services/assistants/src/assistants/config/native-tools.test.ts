import { describe, expect, it } from '@jest/globals';
import { mergeNativeEntries, NATIVE_DEFAULTS, type NativeEntries } from './native-entries.ts';
import { reconcileToolIds } from './prepare-config.ts';

const entries = (on: Partial<Record<keyof NativeEntries, boolean>>): NativeEntries => ({
  end_call: { enabled: on.end_call ?? false },
  transfer_call: { ...NATIVE_DEFAULTS.transfer_call, enabled: on.transfer_call ?? false },
  send_sms: { ...NATIVE_DEFAULTS.send_sms, enabled: on.send_sms ?? false },
});

describe('nativeTools of a PATCH', () => {
  const stored: NativeEntries = {
    ...NATIVE_DEFAULTS,
    send_sms: { enabled: true, smsContentType: 'static', smsStaticMessage: 'Hello' },
  };

  it('does not change a tool that is not mentioned', () => {
    expect(mergeNativeEntries(stored, undefined)).toEqual(stored);
    expect(mergeNativeEntries(stored, { end_call: null })).toEqual({
      ...stored,
      end_call: { enabled: false },
    });
  });

  it('changes only the settings that are sent', () => {
    expect(mergeNativeEntries(stored, { send_sms: { smsStaticMessage: '' } })).toMatchObject({
      send_sms: { enabled: true, smsContentType: 'static', smsStaticMessage: '' },
    });
  });

  it.each([null, { enabled: null }, { enabled: false }])(
    'switches off with %j and keeps the settings',
    (off) => {
      expect(mergeNativeEntries(stored, { send_sms: off })).toMatchObject({
        send_sms: { enabled: false, smsContentType: 'static', smsStaticMessage: 'Hello' },
      });
    },
  );

  it('switches all three off with null', () => {
    expect(mergeNativeEntries(stored, null)).toMatchObject({
      end_call: { enabled: false },
      transfer_call: { enabled: false },
      send_sms: { enabled: false, smsStaticMessage: 'Hello' },
    });
  });
});

describe('toolIds after nativeTools are applied', () => {
  const endCall = { id: 'e', toolName: 'end_call', isNative: true };
  const sms = { id: 's', toolName: 'send_sms', isNative: true };
  const custom = { id: 'c', toolName: 'book', isNative: false };
  const tools = [endCall, sms, custom];

  it("keeps only the assistant's own tools, in their order, each once", () => {
    expect(reconcileToolIds(['x', 'C', 'e', 'c'], tools, entries({ end_call: true }))).toEqual(['c', 'e']);
  });

  it('removes disabled native tools', () => {
    expect(reconcileToolIds(['e', 's', 'c'], tools, entries({ send_sms: true }))).toEqual(['s', 'c']);
  });

  it('appends missing enabled native tools', () => {
    expect(reconcileToolIds(['c'], tools, entries({ end_call: true, send_sms: true }))).toEqual([
      'c',
      'e',
      's',
    ]);
  });

  it('removes custom tools that are not listed', () => {
    expect(reconcileToolIds([], tools, entries({}))).toEqual([]);
  });
});
