import { describe, expect, it } from '@jest/globals';
import type { AssistantSnapshot, SnapshotTool } from '@parley/contracts';
import { prepareAssistant } from './prepare-prompt.ts';

const sms = {
  tool_name: 'send_sms',
  is_native: true,
  native: {
    sms_content_type: 'static',
    sms_static_message: 'Dear {{contact_name}}, {{in_sms}}see you on {{ day }}.',
  },
} as SnapshotTool;

function snapshot(tools: SnapshotTool[]): AssistantSnapshot {
  const config = {
    systemPrompt: 'You call {{contact_name}} about {{day}}{{in_prompt}}.',
    firstMessage: 'Hello {{contact_name}}{{in_first}}!',
    settings: {
      voicemail: {
        detection: true,
        action: 'leave_message',
        message: '{{contact_name}}, {{day}}{{in_voicemail}}.',
      },
    },
  };
  return {
    ...{ agent_id: 'a', agent_name: 'Ada', version: 1, webhook_url: null, agent_type: 'Single Prompt' },
    ...{ config, tools },
  };
}

describe('prepareAssistant', () => {
  it('fills systemPrompt, firstMessage, the voicemail message and a static SMS; unknown placeholders become empty and are listed [campaigns.4]', () => {
    const variables = { contact_name: 'Grace', day: 5 };
    expect(prepareAssistant(snapshot([sms]), variables)).toMatchObject({
      systemPrompt: 'You call Grace about 5.',
      firstMessage: 'Hello Grace!',
      voicemailMessage: 'Grace, 5.',
      smsMessage: 'Dear Grace, see you on 5.',
      unresolved: ['in_prompt', 'in_first', 'in_voicemail', 'in_sms'],
    });
  });

  it('an SMS that the model writes has no static text', () => {
    const prompt = { ...sms, native: { ...sms.native, sms_content_type: 'prompt' } } as SnapshotTool;
    expect(prepareAssistant(snapshot([prompt]), {})).toMatchObject({ smsMessage: '' });
  });

  it('ends at its maximum, whatever a variable repeats, and however often [trust.29]', () => {
    const many = snapshot([]);
    many.config.systemPrompt = '{{a}}'.repeat(20_000);
    let reads = 0;
    const counted = {
      get a() {
        reads += 1;
        return ['x'.repeat(16_000)];
      },
    };
    const { systemPrompt, isTooLong } = prepareAssistant(many, counted);
    expect({ systemPrompt, isTooLong }).toEqual({ systemPrompt: '', isTooLong: true });
    // With the 16th there are more than 250,000 characters.
    expect(reads).toBe(16);
    expect(prepareAssistant(many, { a: 'x'.repeat(12) })).toMatchObject({ isTooLong: false });
    // Its texts count together.
    many.config.firstMessage = '{{a}}';
    expect(prepareAssistant(many, { a: 'x'.repeat(13) }).isTooLong).toBe(true);
  });

  it('lists at most 100 unknown placeholders, with at most 100 characters of each [trust.29]', () => {
    const many = snapshot([]);
    const names = Array.from({ length: 200 }, (_, i) => `${i}${'n'.repeat(200)}`);
    many.config.systemPrompt = names.map((name) => `{{${name}}}`).join('');
    const { unresolved } = prepareAssistant(many, {});
    expect(unresolved).toEqual(names.slice(0, 100).map((name) => name.slice(0, 100)));
  });
});
