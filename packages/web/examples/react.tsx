// Talk to an assistant with the React hook and an interface of your own.
import { useCall } from '@parley/web/react';

type Props = { baseUrl: string; publicKey: string; agentId: string };

export function Assistant(props: Props) {
  const { state, transcript, volume, muted, error, start, hangUp, mute, sendText } = useCall({
    ...props,
    variables: { page: 'pricing' },
  });
  if (state === 'idle' || state === 'ended') {
    return (
      <section>
        {error && <p role="alert">{error.message}</p>}
        <button type="button" onClick={() => start()}>
          Talk to Ada
        </button>
        <button type="button" onClick={() => start({ mode: 'text' })}>
          Write to Ada
        </button>
      </section>
    );
  }
  return (
    <section aria-label="Call with Ada">
      <p role="status">{state}</p>
      <meter aria-label="Volume of Ada" value={volume.output} />
      <ol>
        {transcript.map(({ seq, role, text }) => (
          <li key={seq}>
            {role === 'user' ? 'You' : 'Ada'}: {text}
          </li>
        ))}
      </ol>
      <form
        action={(form) => {
          void sendText(String(form.get('text')));
        }}
      >
        <input name="text" aria-label="Message" required />
        <button type="submit">Send</button>
      </form>
      <button type="button" aria-pressed={muted} onClick={() => mute(!muted)}>
        Mute
      </button>
      <button type="button" onClick={() => hangUp()}>
        End call
      </button>
    </section>
  );
}
