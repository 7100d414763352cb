import type {
  ActivityHandling,
  Behavior,
  FunctionDeclaration,
  FunctionResponse,
  FunctionResponseScheduling,
  LiveClientMessage,
  Modality,
} from '@google/genai';
import { DEFAULT_LIMITS } from '../providers/limits.ts';
import { bytesOf, createPcmReader } from '../providers/pcm.ts';
import { readServerMessage, type ServerMessage } from './gemini-messages.ts';
import type {
  LiveAccount,
  LiveConnection,
  LiveModel,
  LiveOpening,
  LiveTool,
  LiveToolResult,
  LiveTurn,
  ResultUse,
} from './live-model.ts';
import { type LiveSocket, openLiveSocket } from './live-socket.ts';

const HEARING_RATE = 16_000;
const SPEAKING_RATE = 24_000;
const API_VERSION = 'v1beta';
const DEFAULT_MODEL = 'gemini-3.8-live';

/**
 * Gemini's Live API: https://ai.google.dev/api/live. The provider ends turns, interrupts and schedules results itself; it keeps what it
 * sent before an interruption in its memory, also what was not played.
 */
export function createGeminiLive(account: LiveAccount): LiveModel {
  return {
    name: account.name,
    hearingRate: HEARING_RATE,
    speakingRate: SPEAKING_RATE,
    connect: async (opening, listener, signal) => {
      const reader = createReader(account.name, listener.onEvent);
      const { name: provider, apiKey: key, limits = DEFAULT_LIMITS } = account;
      const socket = await openLiveSocket({
        provider,
        url: new URL(
          `${account.baseUrl.replace(/^http/, 'ws')}/ws/google.ai.generativelanguage.${API_VERSION}.GenerativeService.BidiGenerateContent`,
        ),
        // Not in the URL, which proxies log.
        headers: key === undefined ? {} : { 'x-goog-api-key': key },
        key,
        connectMs: limits.connectMs,
        signal,
        greet: (send) => send(setupOf(opening, account)),
        read: (given) => {
          const message = readServerMessage(given, account);
          reader(message);
          return message.setupComplete !== undefined;
        },
        onFailure: listener.onFailure,
      });
      if (isReplayed(opening)) sendHistory(socket, opening.history);
      return toConnection(socket);
    },
  };
}

const isReplayed = ({ handle, history }: LiveOpening): boolean => handle === null && history.length > 0;

/** The first message of a connection. */
export function setupOf(opening: LiveOpening, { model }: Pick<LiveAccount, 'model'>): LiveClientMessage {
  const { voiceId, temperature, silenceMs, isInterruptible, tools, handle } = opening;
  const name = opening.model ?? model ?? DEFAULT_MODEL;
  return {
    setup: {
      model: name.includes('/') ? name : `models/${name}`,
      generationConfig: {
        responseModalities: ['AUDIO' as Modality],
        ...(temperature !== undefined && { temperature }),
        ...(voiceId !== undefined && {
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voiceId } } },
        }),
      },
      systemInstruction: { parts: [{ text: opening.instructions }] },
      ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(toDeclaration) }] }),
      realtimeInputConfig: {
        ...(silenceMs !== undefined && { automaticActivityDetection: { silenceDurationMs: silenceMs } }),
        ...(!isInterruptible && { activityHandling: 'NO_INTERRUPTION' as ActivityHandling }),
      },
      inputAudioTranscription: {},
      outputAudioTranscription: {},
      // Sessions are longer than the context: without it they end after 15 minutes.
      contextWindowCompression: { slidingWindow: {} },
      sessionResumption: handle === null ? {} : { handle },
      ...(isReplayed(opening) && { historyConfig: { initialHistoryInClientContent: true } }),
    },
  } as LiveClientMessage;
}

/** Newer models don't block by default, so each tool declares its behavior. */
function toDeclaration({ name, description, parameters, behavior }: LiveTool): FunctionDeclaration {
  return {
    name,
    description,
    ...(parameters && { parametersJsonSchema: { type: 'object', properties: {}, ...parameters } }),
    behavior: (behavior === 'non_blocking' ? 'NON_BLOCKING' : 'BLOCKING') as Behavior,
  };
}

function sendHistory(socket: LiveSocket, history: readonly LiveTurn[]): void {
  const turns = history.map((turn) =>
    turn.role === 'tool'
      ? { role: 'user', parts: [{ text: toolNote(turn.name, turn.args, turn) }] }
      : { role: turn.role === 'user' ? 'user' : 'model', parts: [{ text: turn.content }] },
  );
  socket.send({ clientContent: { turns, turnComplete: true } });
}

function toolNote(name: string, args: unknown, answer: LiveToolResult): string {
  return `[You used the tool ${name} with ${JSON.stringify(args ?? {})}. Its result: ${JSON.stringify(toResponse(answer))}]`;
}

function toResponse({ result, error }: LiveToolResult): Record<string, unknown> {
  return error === null ? { output: result ?? null } : { error };
}

function toConnection(socket: LiveSocket): LiveConnection {
  const sendText = (text: string): void => socket.send({ realtimeInput: { text } });
  return {
    hear: (samples) => {
      const data = bytesOf(samples).toString('base64');
      socket.send({ realtimeInput: { audio: { data, mimeType: `audio/pcm;rate=${HEARING_RATE}` } } });
    },
    sendText,
    respond: (instruction) => sendText(`[${instruction}]`),
    answerTool: ({ id, name, args, isKnown }, answer, use) => {
      if (isKnown) {
        const functionResponses = [toFunctionResponse(id, name, answer, use)];
        socket.send({ toolResponse: { functionResponses } });
      } else if (use === 'silent') {
        const turns = [{ role: 'user', parts: [{ text: toolNote(name, args, answer) }] }];
        socket.send({ clientContent: { turns, turnComplete: false } });
      } else sendText(toolNote(name, args, answer));
    },
    cutOff: () => {},
    idle: () => {},
    close: socket.close,
  };
}

const SCHEDULING = { when_idle: 'WHEN_IDLE', silent: 'SILENT' } as const;

function toFunctionResponse(
  id: string,
  name: string,
  answer: LiveToolResult,
  use: ResultUse,
): Pick<FunctionResponse, 'id' | 'name' | 'response' | 'scheduling'> {
  const response = toResponse(answer);
  if (use === 'now') return { id, name, response };
  return { id, name, response, scheduling: SCHEDULING[use] as FunctionResponseScheduling };
}

/** The provider gives no ids to answers and turns. */
function createReader(provider: string, onEvent: Parameters<LiveModel['connect']>[1]['onEvent']) {
  let answers = 0;
  let isAnswering = false;
  let turns = 0;
  let words = '';
  /** Words of the human belong to a new turn once the model has answered the last one. */
  let isTurnOver = true;
  /** `turn_ended` was sent for the current turn. */
  let hasEnded = false;
  let hasOutput = false;
  let pcm = createPcmReader(provider, SPEAKING_RATE);

  const answerId = (): string => {
    if (!isAnswering) {
      isAnswering = true;
      answers += 1;
      pcm = createPcmReader(provider, SPEAKING_RATE);
    }
    return `answer-${answers}`;
  };
  const endAnswer = (): void => {
    if (!isAnswering) return;
    onEvent({ type: 'answer_ended', answer: `answer-${answers}` });
    isAnswering = false;
  };
  const hear = (text: string, isFinished: boolean): void => {
    if (isTurnOver && text !== '') {
      isTurnOver = false;
      hasEnded = false;
      turns += 1;
      words = '';
    }
    words += text;
    if (words.trim() === '') return;
    if (isFinished && !isTurnOver && !hasOutput) endTurn();
    else
      onEvent({
        type: 'heard',
        turn: `turn-${turns}`,
        text: words.trim(),
        isFinal: isFinished || isAnswering,
      });
  };
  /** The model's output ends the human's turn, or the provider says so. */
  const endTurn = (): void => {
    if (isTurnOver || isAnswering || words.trim() === '') return;
    const turn = `turn-${turns}`;
    if (!hasEnded) onEvent({ type: 'turn_ended', turn });
    hasEnded = true;
    onEvent({ type: 'heard', turn, text: words.trim(), isFinal: true });
  };
  const beginOutput = (): void => {
    endTurn();
    hasOutput = true;
  };

  return ({
    serverContent,
    toolCall,
    toolCallCancellation,
    goAway,
    sessionResumptionUpdate,
  }: ServerMessage): void => {
    if (serverContent) {
      const { inputTranscription, outputTranscription, modelTurn, interrupted } = serverContent;
      const { generationComplete, turnComplete } = serverContent;
      if (interrupted) {
        endAnswer();
        isTurnOver = true;
        hasOutput = false;
        onEvent({ type: 'interrupted' });
      }
      if (inputTranscription) hear(inputTranscription.text ?? '', inputTranscription.finished ?? false);
      for (const { inlineData } of modelTurn?.parts ?? []) {
        if (!inlineData?.data) continue;
        beginOutput();
        const answer = answerId();
        const samples = pcm.read(Buffer.from(inlineData.data, 'base64'));
        if (samples.length > 0) onEvent({ type: 'audio', answer, samples });
      }
      // The last words of an interrupted answer follow the interruption.
      if (outputTranscription?.text && !interrupted) {
        beginOutput();
        onEvent({ type: 'said', answer: answerId(), text: outputTranscription.text });
      }
      if (generationComplete) endAnswer();
      if (turnComplete) {
        endAnswer();
        isTurnOver = true;
        hasOutput = false;
        onEvent({ type: 'done' });
      }
    }
    if (toolCall) {
      beginOutput();
      endAnswer();
      for (const { id, name, args } of toolCall.functionCalls)
        onEvent({ type: 'tool', id, name, args: args ?? {} });
    }
    if (toolCallCancellation) onEvent({ type: 'tools_cancelled', ids: toolCallCancellation.ids });
    if (sessionResumptionUpdate?.resumable && sessionResumptionUpdate.newHandle)
      onEvent({ type: 'resumable', handle: sessionResumptionUpdate.newHandle });
    if (goAway !== undefined) onEvent({ type: 'leaving' });
  };
}
