import { Tabs } from '@mantine/core';
import { CodeBlock } from './code-block.tsx';

type Props = {
  /** What the code does, for screen readers. */
  label: string;
  samples: readonly { language: string; code: string }[];
};

/** The same in several languages. */
export function CodeTabs({ label, samples }: Props) {
  return (
    <Tabs defaultValue={samples[0]?.language} keepMounted={false}>
      <Tabs.List mb="sm" aria-label={`${label}: language`}>
        {samples.map(({ language }) => (
          <Tabs.Tab key={language} value={language}>
            {language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ language, code }) => (
        <Tabs.Panel key={language} value={language}>
          <CodeBlock code={code} label={`${label} in ${language}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
