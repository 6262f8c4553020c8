// Does what a test tells it, with the package: a line of JSON for each call comes in, and a line for what came of it goes
// out (client/go/internal/driver).

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { argv, env, stdin } from "node:process";
import { createInterface } from "node:readline";

import { attachFile, checkpointFile, Client, LogVerifier, newAgent, Receiver, ServiceError, Signer, type Act, type Answer } from "../src/index.js";

interface Order {
  do: string;
  as?: string;
  act?: Act;
  files?: string[];
  key?: string;
  input?: any;
}

const say = (line: unknown) => console.log(JSON.stringify(line));

const endpoints: Record<string, (client: Client, order: Order) => Promise<unknown>> = {
  "create-patient-request": async (client, { files = [], input, key }) =>
    client.createPatientRequest({ ...input, attachments: await Promise.all(files.map(attachFile)) }, { idempotencyKey: key }),
  "request-type-availability": (client) => client.requestTypeAvailability(),
  "request-outcome": (client, { input }) => client.requestOutcome(input.patientRequestId),
  "create-note": (client, { input, key }) => client.createNote(input, { idempotencyKey: key }),
  "retrieve-care-record": (client, { input }) => client.retrieveCareRecord(input.patientId),
  "open-care-record": (client, { input }) => client.openCareRecord(input.patientId),
  "set-contact-details": (client, { input }) => client.setContactDetails(input),
  "book-appointment": (client, { input }) => client.bookAppointment({ ...input, at: new Date(input.at) }),
  "call-in-patient": (client, { input }) => client.callInPatient(input),
  "clear-call-in": (client, { input }) => client.clearCallIn(input.appointmentId),
  "mark-did-not-attend": (client, { input }) => client.markDidNotAttend(input.appointmentId),
  "called-in": (client, { input }) => client.calledIn(input),
  sites: (client) => client.sites(),
  "start-consultation": (client, { input }) => client.startConsultation(input),
  ping: (client) => client.ping(),
  application: (client) => client.application(),
  "application/key-set": (client) => client.keySet(),
  "reread-key-set": (client) => client.rereadKeySet(),
  "application/checkpoint": (client, { input }) => client.checkpoint(input),
  "keep-checkpoint": async (client, { input }) => ({ size: (await client.keepCheckpoint(new LogVerifier(input.key), checkpointFile(input.file))).size }),
  "application/calls": (client, { input }) => some(client.calls(input)),
  "application/deliveries": (client, { input }) => some(client.deliveries(input)),
  "application/webhooks/test": (client, { input }) => client.testWebhook(input.event),
};

/** The first five. */
async function some<T>(all: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of all) if (list.push(one) === 5) break;
  return list;
}

/** Adds the key of a file, or uses or removes one. */
async function rotate(signer: Signer, { add, file, use, remove }: Record<string, string>) {
  if (add) signer.add({ kid: add, privateKey: await readFile(file!, "utf8") });
  if (use) signer.use(use);
  if (remove) signer.remove(remove);
  return signer.keySet();
}

async function call() {
  const signer = new Signer({ kid: env.FRONTDESK_KID!, privateKey: await readFile(env.FRONTDESK_KEY!, "utf8") });
  const told: { answer?: Answer } = {};
  const onAnswer = (answer: Answer) => void (told.answer = answer);
  const { FRONTDESK_CA: ca, FRONTDESK_PROXY: proxy } = env;
  const agent = ca || proxy ? newAgent({ proxy, ca: ca && (await readFile(ca)) }) : undefined;
  const own = new Client({ baseURL: env.FRONTDESK_API!, application: env.FRONTDESK_APPLICATION!, signer, onAnswer, agent });
  for await (const line of createInterface({ input: stdin })) {
    const order: Order = JSON.parse(line);
    delete told.answer;
    let client = own;
    if (order.as) client = client.asUser(order.as);
    if (order.act) client = client.withAct(order.act);
    const work = order.do === "rotate" ? rotate(signer, order.input) : endpoints[order.do]!(client, order);
    const outcome = await work.then((ok) => ({ ok }), (error) => ({ error: faultOf(error) }));
    const { attempt = 0, replayed = false, unknownFields } = told.answer ?? ({} as Partial<Answer>);
    say({ ...outcome, tries: attempt, replayed, unknownFields });
  }
  own.close();
  agent?.destroy();
}

function faultOf(error: Error) {
  if (!(error instanceof ServiceError)) return { message: error.message };
  const { code, status, requestId, retryAfter, message } = error;
  return { code, status, requestId, retryAfter, message };
}

async function listen() {
  const receiver = new Receiver({ jwksURL: env.FRONTDESK_JWKS!, tenants: [env.FRONTDESK_TENANT!] });
  const server = createServer(
    receiver.handler((webhook) => {
      const { jti, tenantId, data } = webhook;
      say({ jti, tenantId, event: webhook.event === "unrecognised" ? webhook.name : webhook.event, data });
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  say({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
  for await (const _ of stdin); // until the test has gone
  server.closeAllConnections();
  server.close();
}

await (argv[2] === "listen" ? listen() : call());
