// Receives webhooks with Next.js 13 or newer: this is app/webhooks/route.js. Hono and others that answer a Request take the
// same function.
import { env } from "node:process";

import { Receiver } from "frontdesk-client";

const receiver = new Receiver({ jwksURL: env.FRONTDESK_JWKS, tenants: [env.FRONTDESK_TENANT] });

export const POST = receiver.route((webhook) => {
  if (webhook.event === "record.opened") console.log(webhook.data.patientId, "is opened");
});
