import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import styles from './home.module.css';
import type { useFirstSteps } from './use-home.ts';

type Step = {
  title: string;
  text: string;
  link: LinkProps;
  action: string;
  isDone: boolean;
};

/** What to do first in a workspace without calls. */
export function FirstSteps({ progress }: { progress: ReturnType<typeof useFirstSteps> }) {
  const { agentId, hasNumber, hasTested, hasKey } = progress;
  const steps: Step[] = [
    {
      title: 'Create an assistant',
      text: 'Say in plain words what it does and how it greets, and choose a voice.',
      link: { to: '/assistants' },
      action: 'Create an assistant',
      isDone: agentId !== undefined,
    },
    {
      title: 'Talk to it',
      text: 'Beside the editor, by text or by voice. It costs nothing and calls nobody.',
      link: agentId ? { to: '/assistants/$id', params: { id: agentId } } : { to: '/assistants' },
      action: 'Test it',
      isDone: hasTested,
    },
    {
      title: 'Connect a phone number',
      text: 'By SIP trunk or from an account at a carrier; then it answers and places calls.',
      link: { to: '/numbers' },
      action: 'Connect a number',
      isDone: hasNumber,
    },
    {
      title: 'Call from your software',
      text: 'Create an API key, and copy a request that places the first call.',
      link: { to: '/developers' },
      action: 'Create an API key',
      isDone: hasKey,
    },
  ];
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <section className={`card ${styles.steps}`} aria-label="First steps">
      <h2>First steps</h2>
      <ol>
        {steps.map(({ title, text, link, action, isDone }, i) => (
          <li key={title} data-done={isDone || undefined}>
            <span className={styles.stepMark} aria-hidden="true">
              {isDone ? <IconCheck size={15} stroke={2.5} /> : i + 1}
            </span>
            <div>
              <h3>
                {title}
                {isDone ? <span className="visually-hidden"> (done)</span> : null}
              </h3>
              <p>{text}</p>
              {isDone ? null : (
                <Button
                  size="xs"
                  variant={i === next ? 'filled' : 'default'}
                  renderRoot={(props) => <Link {...link} {...props} />}
                >
                  {action}
                </Button>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
