import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import styles from './home.module.css';
import { useFirstSteps } from './use-home.ts';

type Step = {
  title: string;
  text: string;
  to: NonNullable<LinkProps['to']>;
  action: string;
  isDone: boolean;
};

/** What to do first in a workspace without calls. */
export function FirstSteps() {
  const { data } = useFirstSteps(true);
  const steps: Step[] = [
    {
      title: 'Create an assistant',
      text: 'Say in plain words what it does and how it greets, and choose a voice.',
      to: '/assistants',
      action: 'Create an assistant',
      isDone: (data?.assistants ?? 0) > 0,
    },
    {
      title: 'Talk to it',
      text: 'Beside the editor, by text or by voice. It costs nothing and calls nobody.',
      to: '/assistants',
      action: 'Test it',
      isDone: false,
    },
    {
      title: 'Connect a phone number',
      text: 'By SIP trunk or from an account at a carrier; then it answers and places calls.',
      to: '/numbers',
      action: 'Connect a number',
      isDone: (data?.numbers ?? 0) > 0,
    },
    {
      title: 'Call from your software',
      text: 'Create an API key, and copy a request that places the first call.',
      to: '/developers',
      action: 'Create an API key',
      isDone: false,
    },
  ];
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <section className={`card ${styles.steps}`} aria-label="First steps">
      <h2>First steps</h2>
      <ol>
        {steps.map(({ title, text, to, action, isDone }, i) => (
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
                <Button component={Link} to={to} size="xs" variant={i === next ? 'filled' : 'default'}>
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
