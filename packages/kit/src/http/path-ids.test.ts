import { describe, expect, it } from '@jest/globals';
import { pathIds } from './path-ids.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('pathIds', () => {
  it('returns the ids in a path by type', () => {
    expect(pathIds('/v2/call/:id/stop', [ID])).toEqual({ callId: ID });
    expect(pathIds('/v1/campaigns/:id', [ID])).toEqual({ campaignId: ID });
    expect(pathIds('/v1/phone-number/:id', [ID])).toEqual({ phoneNumberId: ID });
    expect(pathIds('/v1/knowledge-base/:id/documents/:docId', [ID, ID])).toEqual({
      knowledgeBaseId: ID,
      documentId: ID,
    });
    expect(pathIds('/v1/voice', [])).toEqual({});
  });

  it('ignores malformed ids', () => {
    expect(pathIds('/recordings/:key', ['a-signed-link'])).toEqual({});
    expect(pathIds('/v1/do-not-call/:phone_number', ['+15550100200'])).toEqual({});
  });
});
