import type { RealtimeClientEvent, RealtimeSessionCreateRequest } from 'openai/resources/realtime/realtime';
import { clamp, DEFAULT_LIMITS, primaryLanguage } from '../providers/limits.ts';
import { bytesOf, createPcmReader, type PcmReader } from '../providers/pcm.ts';
import { keepNewest } from './keep-newest.ts';
import type { LiveAccount, LiveConnection, LiveEvent, LiveModel, LiveOpening } from './live-model.ts';
import { type LiveSocket, openLiveSocket } from './live-socket.ts';
import {
  createItem,
  failureIn,
  isFatal,
  type OutputItem,
  outputOf,
  readArguments,
  readServerEvent,
  type ServerEvent,
  toItems,
  toolItems,
} from './openai-messages.ts';

/** The only supported PCM rate. */
const RATE = 24_000;
const DEFAULT_MODEL = 'gpt-realtime';
const TRANSCRIPTION_MODEL = 'gpt-4o-mini-transcribe';

/** An answer has one or two items. */
const MAX_READERS = 10;

const ALREADY_RESPONDING = 'conversation_already_has_active_response';
const IN_BACKGROUND =
  'A tool that you have started runs in the background. Say so in a few words, and go on with the conversation.';

/** OpenAI's Realtime API: https://platform.openai.com/docs/api-reference/realtime */
export function createOpenAiRealtime(account: LiveAccount): LiveModel {
  return {
    name: account.name,
    hearingRate: RATE,
    speakingRate: RATE,
    connect: async (opening, listener, signal) => {
      const { name: provider, apiKey: key, limits = DEFAULT_LIMITS } = account;
      const url = new URL(`${account.baseUrl.replace(/^http/, 'ws')}/realtime`);
      url.searchParams.set('model', opening.model ?? account.model ?? DEFAULT_MODEL);
      let isReady = false;
      const dialogue = createDialogue(opening, account, listener.onEvent);
      const socket = await openLiveSocket({
        provider,
        url,
        headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
        key,
        connectMs: limits.connectMs,
        signal,
        greet: (send) => send({ type: 'session.update', session: sessionOf(opening) }),
        read: (given) => {
          const event = readServerEvent(given);
          if (!event) return false;
          if (event.type === 'error' && (!isReady || isFatal(event.error)))
            throw failureIn(event.error, account);
          isReady ||= event.type === 'session.updated';
          dialogue.read(event);
          return isReady;
        },
        onFailure: listener.onFailure,
      });
      for (const turn of opening.history) for (const each of toItems(turn)) socket.send(createItem(each));
      return dialogue.connection(socket);
    },
  };
}

function sessionOf(opening: LiveOpening): RealtimeSessionCreateRequest {
  const { instructions, voiceId, speed = 1, language, tools } = opening;
  const format = { type: 'audio/pcm', rate: RATE } as const;
  return {
    type: 'realtime',
    instructions,
    output_modalities: ['audio'],
    audio: {
      input: {
        format,
        transcription: { model: TRANSCRIPTION_MODEL, language: primaryLanguage(language) },
        turn_detection: turnDetection(opening, true),
      },
      output: {
        format,
        ...(voiceId !== undefined && { voice: voiceId }),
        ...(speed !== 1 && { speed: clamp(speed, 0.25, 1.5) }),
      },
    },
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description,
      parameters: { type: 'object', properties: {}, ...parameters },
    })),
    tool_choice: 'auto',
  };
}

/** `answers`: false while a blocking tool runs. */
function turnDetection({ silenceMs, isInterruptible }: LiveOpening, answers: boolean) {
  return {
    type: 'server_vad' as const,
    create_response: answers,
    interrupt_response: isInterruptible,
    ...(silenceMs !== undefined && { silence_duration_ms: silenceMs }),
  };
}

/** The provider allows one response at a time, and the client decides when results are spoken. */
function createDialogue(opening: LiveOpening, account: LiveAccount, onEvent: (event: LiveEvent) => void) {
  const blocking = new Set(
    opening.tools.flatMap(({ name, behavior }) => (behavior === 'blocking' ? [name] : [])),
  );
  const readers = new Map<string, PcmReader>();
  const waitedFor = new Set<string>();
  let socket: LiveSocket | undefined;
  let isResponding = false;
  let hasSpoken = false;
  let hasBegunInBackground = false;
  /** Pending responses: after the current one, and when both sides are silent. */
  let next: { instruction?: string } | undefined;
  let isWaitingForIdle = false;
  let isCancelled = false;

  const send = (event: RealtimeClientEvent | object): void => socket?.send(event);
  const begin = (): void => {
    isResponding = true;
    isCancelled = false;
    hasSpoken = false;
    hasBegunInBackground = false;
  };
  const create = (instruction?: string, more = {}): void => {
    if (isResponding) {
      next = instruction === undefined ? (next ?? {}) : { instruction };
      return;
    }
    begin();
    // Instructions of a response replace those of the session.
    const instructions = instruction && `${opening.instructions}\n\n${instruction}`;
    send({ type: 'response.create', ...(instructions && { response: { instructions, ...more } }) });
  };
  const setAutoResponse = (isOn: boolean): void => {
    const turn_detection = turnDetection(opening, isOn);
    send({ type: 'session.update', session: { type: 'realtime', audio: { input: { turn_detection } } } });
  };
  const beginTool = (call: OutputItem): void => {
    const { call_id: id, name, arguments: args = '' } = call;
    // The call belongs to an interrupted response.
    if (id === undefined || name === undefined || (call.status ?? 'completed') !== 'completed') return;
    if (blocking.has(name)) {
      if (waitedFor.size === 0) setAutoResponse(false);
      waitedFor.add(id);
    } else hasBegunInBackground = true;
    onEvent({ type: 'tool', id, name, args: readArguments(args) });
  };

  const connection = (opened: LiveSocket): LiveConnection => {
    socket = opened;
    return {
      hear: (samples) =>
        send({ type: 'input_audio_buffer.append', audio: bytesOf(samples).toString('base64') }),
      sendText: (text) => {
        for (const each of toItems({ role: 'user', content: text })) send(createItem(each));
        create();
      },
      respond: (instruction) => create(instruction),
      answerTool: (tool, answer, use) => {
        const items = tool.isKnown ? [outputOf(tool.id, answer)] : toolItems(tool, answer);
        for (const each of items) send(createItem(each));
        if (waitedFor.delete(tool.id) && waitedFor.size === 0) setAutoResponse(true);
        if (use === 'when_idle') isWaitingForIdle = true;
        else if (use === 'now' && waitedFor.size === 0) create();
      },
      cutOff: (answer, playedMs) => {
        if (isResponding && !isCancelled) {
          isCancelled = true;
          send({ type: 'response.cancel' });
        }
        const audio_end_ms = Math.floor(playedMs);
        send({ type: 'conversation.item.truncate', item_id: answer, content_index: 0, audio_end_ms });
      },
      idle: () => {
        if (!isWaitingForIdle || isResponding || waitedFor.size > 0) return;
        isWaitingForIdle = false;
        create();
      },
      close: opened.close,
    };
  };

  const read = (event: ServerEvent): void => {
    switch (event.type) {
      case 'input_audio_buffer.speech_started':
        if (opening.isInterruptible) {
          // The server cancels the response by itself.
          isCancelled = true;
          onEvent({ type: 'interrupted' });
        }
        return;
      case 'input_audio_buffer.committed':
        onEvent({ type: 'turn_ended', turn: event.item_id });
        return;
      case 'conversation.item.input_audio_transcription.completed':
        onEvent({ type: 'heard', turn: event.item_id, text: event.transcript.trim(), isFinal: true });
        return;
      case 'conversation.item.input_audio_transcription.failed':
        onEvent({ type: 'heard', turn: event.item_id, text: '', isFinal: true });
        return;
      case 'error':
        if (event.error.code === ALREADY_RESPONDING) next ??= {};
        return;
      case 'response.created':
        begin();
        return;
      case 'response.output_audio.delta': {
        hasSpoken = true;
        const reader = readers.get(event.item_id) ?? createPcmReader(account.name, RATE);
        readers.set(event.item_id, reader);
        keepNewest(readers, MAX_READERS);
        const samples = reader.read(Buffer.from(event.delta, 'base64'));
        if (samples.length > 0) onEvent({ type: 'audio', answer: event.item_id, samples });
        return;
      }
      case 'response.output_audio_transcript.delta':
        onEvent({ type: 'said', answer: event.item_id, text: event.delta });
        return;
      case 'response.output_item.done':
        if (event.item.type === 'function_call') beginTool(event.item);
        else if (event.item.id !== undefined) {
          readers.delete(event.item.id);
          onEvent({ type: 'answer_ended', answer: event.item.id });
        }
        return;
      case 'response.done':
        endResponse(event.response);
    }
  };

  const endResponse = ({
    status,
    status_details,
  }: Extract<ServerEvent, { type: 'response.done' }>['response']): void => {
    isResponding = false;
    for (const id of readers.keys()) onEvent({ type: 'answer_ended', answer: id });
    readers.clear();
    if (status === 'failed') throw failureIn(status_details?.error ?? {}, account);
    onEvent({ type: 'done' });
    const due = next;
    next = undefined;
    if (due) create(due.instruction);
    // Otherwise the human would hear nothing until the result arrives.
    else if (hasBegunInBackground && !hasSpoken && waitedFor.size === 0)
      create(IN_BACKGROUND, { tool_choice: 'none' });
  };

  return { connection, read };
}
