// Receives webhooks with Express 5.
import { env } from "node:process";

import express from "express";
import { Receiver } from "frontdesk-client";

const receiver = new Receiver({ jwksURL: env.FRONTDESK_JWKS, tenants: [env.FRONTDESK_TENANT] });
const app = express();
app.post(
  "/webhooks",
  receiver.handler((webhook) => {
    if (webhook.event === "record.opened") console.log(webhook.data.patientId, "is opened");
  }),
);
app.listen(env.PORT, "127.0.0.1");
