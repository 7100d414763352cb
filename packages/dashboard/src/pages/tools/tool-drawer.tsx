import { Tabs } from '@mantine/core';
import { useIsMutating } from '@tanstack/react-query';
import { Drawer } from '../../components/dialog.tsx';
import { useDraftKey } from '../../drafts/use-draft-key.ts';
import { sendsOf } from '../../drafts/use-send.ts';
import { NEW_TOOL, toolDraftName } from '../assistants/model/draft.ts';
import type { Tool } from '../assistants/queries.ts';
import { ToolDefinition } from './tool-definition.tsx';
import { TryTool } from './try-tool.tsx';

type Props = { agentId: string; tool: Tool | 'new'; onClose(): void };

/** Creates, changes and tries one custom tool. Loaded when it is opened. */
export function ToolDrawer({ agentId, tool, onClose }: Props) {
  const stored = tool === 'new' ? null : tool;
  const draftName = toolDraftName(agentId, stored?.id ?? NEW_TOOL);
  const isSaving = useIsMutating({ mutationKey: sendsOf(useDraftKey(draftName)) }) > 0;
  return (
    <Drawer
      opened
      onClose={onClose}
      isBusy={isSaving}
      position="right"
      size="xl"
      title={stored ? stored.tool_name : 'New tool'}
      closeOnClickOutside={false}
    >
      <Tabs defaultValue="definition" key={stored?.id ?? 'new'} keepMounted>
        {stored && (
          <Tabs.List mb="md">
            <Tabs.Tab value="definition">Definition</Tabs.Tab>
            <Tabs.Tab value="try">Try it</Tabs.Tab>
          </Tabs.List>
        )}
        <Tabs.Panel value="definition">
          <ToolDefinition agentId={agentId} stored={stored} draftName={draftName} onClose={onClose} />
        </Tabs.Panel>
        {stored && (
          <Tabs.Panel value="try">
            <TryTool tool={stored} />
          </Tabs.Panel>
        )}
      </Tabs>
    </Drawer>
  );
}
