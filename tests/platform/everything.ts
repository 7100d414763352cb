import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICES } from '@parley/devstack';
import { exchangeName } from '@parley/kit/amqp';
import { amqpUrl, redisUrl } from '@parley/testkit';
import type { Platform } from '@parley/testkit/stage';
import { connect } from 'amqplib';
import { Redis } from 'ioredis';

/** A place and what is stored there, as text. */
export type Place = [place: string, text: string];

/** Every row of every table of every service. */
export async function everyRow(platform: Platform): Promise<Place[]> {
  const places: Place[] = [];
  for (const service of SERVICES) {
    const names = await platform.query<{ name: string }>(
      service,
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    for (const { name } of names) {
      const rows = await platform.query<{ row: string }>(service, `SELECT t::text AS row FROM ${name} t`);
      for (const { row } of rows) places.push([`${service}: ${name}`, row]);
    }
  }
  return places;
}

export async function everyRedisKey(platform: Platform): Promise<Place[]> {
  const redis = new Redis(redisUrl());
  try {
    const keys = await redis.keys(`${platform.inside.gateway.env.REDIS_PREFIX}*`);
    return await Promise.all(
      keys.map(async (key): Promise<Place> => [`redis: ${key}`, `${key} ${await redis.dump(key)}`]),
    );
  } finally {
    redis.disconnect();
  }
}

/** Every file under the folder of the recordings, with its name. */
export async function everyRecording(platform: Platform): Promise<Place[]> {
  const folder = platform.inside.telephony.env.RECORDINGS_DIR ?? '';
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry): Promise<Place> => {
        const path = join(entry.parentPath, entry.name);
        return [`file: ${path}`, `${path} ${await readFile(path, 'latin1')}`];
      }),
  );
}

/** The waiting messages and dead letters, which stay in their queues. */
export async function everyMessage(platform: Platform, queues: readonly string[]): Promise<Place[]> {
  const prefix = platform.inside.telephony.env.AMQP_PREFIX ?? '';
  const connection = await connect(amqpUrl());
  try {
    const channel = await connection.createChannel();
    await channel.checkExchange(exchangeName(prefix));
    const places: Place[] = [];
    for (const queue of queues) {
      for (;;) {
        const message = await channel.get(queue);
        if (!message) break;
        places.push([
          `queue: ${queue}`,
          JSON.stringify(message.properties) + message.content.toString('utf8'),
        ]);
      }
    }
    return places;
  } finally {
    // Unacknowledged messages return to their queue.
    await connection.close();
  }
}
