import { createServer } from 'node:http';
import { verifyWebhook } from '@parley/client';

const secret = process.env.WEBHOOK_SECRET;
if (!secret) throw new Error('WEBHOOK_SECRET is not set');

createServer(async (req, res) => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  // The bytes as received: parsing and serializing again would change them.
  const body = Buffer.concat(chunks);
  if (!verifyWebhook(body, req.headers, secret)) {
    res.writeHead(401).end();
    return;
  }
  const { event, call_id } = JSON.parse(body.toString()) as { event: string; call_id: string };
  console.log(event, call_id);
  res.writeHead(204).end();
}).listen(Number(process.env.PORT ?? 3000), process.env.HOST ?? '127.0.0.1', () => console.log('listening'));
