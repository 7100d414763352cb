import { describe, expect, it } from '@jest/globals';
import { idsInPath } from './ids-in-path.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('idsInPath', () => {
  it('names what a path is about', () => {
    expect(idsInPath('/v2/call/:id/stop', [ID])).toEqual({ callId: ID });
    expect(idsInPath('/v1/campaigns/:id', [ID])).toEqual({ campaignId: ID });
    expect(idsInPath('/v1/phone-number/:id', [ID])).toEqual({ phoneNumberId: ID });
    expect(idsInPath('/v1/knowledge-base/:id/documents/:docId', [ID, ID])).toEqual({
      knowledgeBaseId: ID,
      documentId: ID,
    });
    expect(idsInPath('/v1/voice', [])).toEqual({});
  });

  it('says nothing of what is no id', () => {
    expect(idsInPath('/recordings/:key', ['a-signed-link'])).toEqual({});
    expect(idsInPath('/v1/do-not-call/:phone_number', ['+15550100200'])).toEqual({});
  });
});
