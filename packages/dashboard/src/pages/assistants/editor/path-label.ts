const LABELS: Readonly<Record<string, string>> = {
  agent_name: 'Name',
  agent_type: 'Prompt style',
  webhook_secret: 'Webhook secret',
  'config.systemPrompt': 'Prompt',
  'config.firstMessage': 'First message',
  'config.language': 'Language',
  'config.voice.voiceId': 'Voice',
  'config.voice.provider': 'Provider of the voice',
  'config.voice.speed': 'Speed of the voice',
  'config.model.provider': 'Provider of the model',
  'config.model.name': 'Model',
  'config.model.temperature': 'Temperature',
  'config.transcriber.provider': 'Speech recognition',
  'config.transcriber.model': 'Model of speech recognition',
  'config.transcriber.keywords': 'Words that are likely to be said',
  'config.settings.webhookUrl': 'Webhook URL',
  'config.settings.maxCallDuration': 'Longest call',
  'config.settings.silenceTimeout': 'Silence until the assistant hangs up',
  'config.settings.ringTimeout': 'How long to let it ring',
  'config.settings.endpointing.silenceMs': 'Silence that ends a turn',
  'config.settings.interruption.enabled': 'The human can interrupt',
  'config.settings.interruption.minSpeechMs': 'Speech that interrupts',
  'config.settings.recording.enabled': 'Record calls',
  'config.settings.voicemail.detection': 'Recognize answering machines',
  'config.settings.voicemail.action': 'What to do with an answering machine',
  'config.settings.voicemail.message': 'Message for answering machines',
  'config.settings.postCallAnalysis.enabled': 'Analyze calls',
  'config.settings.postCallAnalysis.fields': 'Analysis fields',
  'config.toolIds': 'Tools in use',
  'config.kbStoreIds': 'Knowledge bases',
};

/** A path of the API in the words of the editor; unknown ones stay as they are. */
export function pathLabel(path: string): string {
  const known = LABELS[path];
  if (known) return known;
  const parent = Object.keys(LABELS).find((key) => path.startsWith(`${key}.`));
  return parent ? `${LABELS[parent]} (${path.slice(parent.length + 1)})` : path;
}
