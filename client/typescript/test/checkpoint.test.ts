import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { CheckpointError, checkpointFile, LogVerifier, ServiceError } from "../src/index.js";
import { calling, refuses, says } from "./service.js";

const vectorsFile = process.env.FRONTDESK_VECTORS ?? new URL("../../../../docs/vectors.json", import.meta.url);

interface Vector {
  name: string;
  kept: string;
  newest: string;
  consistency: string[];
  accepted: boolean;
  reason?: string;
}

async function vectors() {
  const { logKey, checkpoints } = JSON.parse(await readFile(vectorsFile, "utf8")) as { logKey: string; checkpoints: Vector[] };
  const named = (name: string) => checkpoints.find((vector) => vector.name === name) ?? assert.fail(name);
  return { logKey, checkpoints, log: new LogVerifier(logKey), named };
}

const reasonOf = (error: unknown) => (error instanceof CheckpointError ? error.reason : undefined);

const answers = ({ newest, consistency }: Vector) => says(200, JSON.stringify({ checkpoint: newest, epoch: 1, size: 1, consistency }));

test("the verdicts on checkpoints are those of the vectors (D140)", async () => {
  const { logKey, checkpoints, log } = await vectors();
  assert(checkpoints.length >= 40);
  for (const { name, kept, newest, consistency, accepted, reason } of checkpoints) {
    const judge = () => log.check(kept, newest, consistency);
    if (accepted) assert.equal(judge().note, newest, name);
    else assert.throws(judge, (error) => reasonOf(error) === reason, name);
  }
  for (const key of ["", "api.example", logKey.replace(/\+[0-9a-f]{8}\+/, "+00000000+"), "other" + logKey, logKey + "\n", logKey.slice(0, -1)]) {
    assert.throws(() => new LogVerifier(key), TypeError, key);
  }
});

test("a kept checkpoint is replaced by one whose log begins with it (D140)", async () => {
  const { log, named } = await vectors();
  const [first, next] = [named("grown from 6 to 7"), named("grown from 7")];
  const cases: [string, Parameters<typeof calling>[1][], string[], string | undefined, string][] = [
    ["grown", [answers(next)], ["?from=7"], undefined, next.newest],
    ["changed", [answers(named("an event was changed"))], ["?from=7"], "changed", next.kept],
    ["without a proof", [answers(named("no proof"))], ["?from=7"], "changed", next.kept],
    ["signed by others", [answers(named("signed by another key of that name"))], ["?from=7"], "unsigned", next.kept],
    ["shorter than before", [refuses(400, "invalid-query"), answers({ ...first, newest: first.kept })], ["?from=7", ""], "rolled-back", next.kept],
    ["not signed any more", [refuses(404, "no-checkpoint")], ["?from=7"], undefined, next.kept],
  ];
  const folder = await mkdtemp(join(tmpdir(), "kept-"));
  for (const [name, replies, asked, reason, kept] of cases) {
    const store = checkpointFile(join(folder, name));
    const { client, sent } = await calling({}, answers(first), ...replies);
    assert.equal((await client.keepCheckpoint(log, store)).size, 7, name);
    const error = await client.keepCheckpoint(log, store).then(() => undefined, (why) => why);
    assert.equal(reasonOf(error), reason, name);
    assert.equal(error === undefined, kept === next.newest, name);
    if (error instanceof CheckpointError) assert.equal(error.kept, next.kept, name);
    else if (error) assert(error instanceof ServiceError, name);
    assert.deepEqual(sent.slice(1).map(({ url }) => new URL(url, "http://x").search), asked, name);
    assert.equal(await store.get(), kept, name);
  }
  await rm(folder, { recursive: true });
});

test("a store that fails is reported, and a stranger's note is refused before a call (D140)", async () => {
  const { log, named } = await vectors();
  const { client, sent } = await calling({}, answers(named("grown from 6 to 7")));
  await assert.rejects(client.keepCheckpoint(log, checkpointFile(join(tmpdir(), "no-folder", "kept.note"))), { code: "ENOENT" });
  const stranger = { get: () => named("kept from another key of that name").kept, put: () => assert.fail("it is kept") };
  await assert.rejects(client.keepCheckpoint(log, stranger), { reason: "unsigned" });
  assert.equal(sent.length, 1);
});
