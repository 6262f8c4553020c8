// Receives webhooks with Fastify 5.
import { env } from "node:process";

import Fastify from "fastify";
import { Receiver } from "frontdesk-client";

const receiver = new Receiver({ jwksURL: env.FRONTDESK_JWKS, tenants: [env.FRONTDESK_TENANT] });
const handler = receiver.handler((webhook) => {
  if (webhook.event === "record.opened") console.log(webhook.data.patientId, "is opened");
});
const app = Fastify();
app.addContentTypeParser("application/jwt", (_request, _body, done) => done(null)); // the receiver reads it
app.post("/webhooks", (request, reply) => {
  reply.hijack();
  handler(request.raw, reply.raw);
});
await app.listen({ host: "127.0.0.1", port: Number(env.PORT) });
