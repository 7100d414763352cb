import { Text } from '@mantine/core';
import { CodeTabs } from '../../components/code/code-tabs.tsx';
import { Section } from '../../components/section.tsx';

const TYPESCRIPT = `import { createServer } from 'node:http';
import { verifyWebhook } from '@parley/client';

createServer(async (req, res) => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  // The bytes as received: parsing and serializing again would change them.
  const body = Buffer.concat(chunks);
  if (!verifyWebhook(body, req.headers, process.env.WEBHOOK_SECRET ?? '')) {
    res.writeHead(401).end();
    return;
  }
  const { event, call_id } = JSON.parse(body.toString());
  console.log(event, call_id);
  res.writeHead(204).end();
}).listen(3000);`;

const PYTHON = `# pip install standardwebhooks flask
import os
from flask import Flask, request
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

app = Flask(__name__)
webhook = Webhook(os.environ["WEBHOOK_SECRET"])

@app.post("/parley")
def receive():
    try:
        # The bytes as received, not a parsed body.
        event = webhook.verify(request.get_data(), request.headers)
    except WebhookVerificationError:
        return "", 401
    print(event["event"], event["call_id"])
    return "", 204`;

const GO = `// go get github.com/standard-webhooks/standard-webhooks/libraries
package main

import (
	"io"
	"log"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/parley", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := webhook.Verify(body, r.Header); err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		log.Printf("%s", body)
		w.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe(":3000", nil))
}`;

const SAMPLES = [
  { language: 'TypeScript', code: TYPESCRIPT },
  { language: 'Python', code: PYTHON },
  { language: 'Go', code: GO },
];

export function VerifyGuide() {
  return (
    <Section
      title="Verify a signature"
      description="Requests follow Standard Webhooks. Verify them, so that nobody can forge an event; answer with any 2xx within 12 seconds."
    >
      <CodeTabs label="Verify a signature" samples={SAMPLES} />
      <Text size="sm" c="dimmed" mt="sm">
        An event keeps its <code>webhook-id</code> in every attempt and resend: use it to recognize
        repetitions. Failed attempts are repeated up to 12 times, from 2 minutes to 6 hours apart.
      </Text>
    </Section>
  );
}
