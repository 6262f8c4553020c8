import type { Instant } from "./client.js";

/** Whom an event is about, and who did it. */
export interface PatientData {
  patientId: string;
  /** null when who did it cannot be determined. */
  userName: string | null;
  userEmail: string | null;
}

export interface CallInShownData {
  appointmentId: string;
  patientName: string;
  /** null when no room is assigned. */
  roomName: string | null;
  siteId: string;
  siteName: string;
  calledInAt: Instant;
}

export interface CallInRemovedData {
  appointmentId: string;
  siteId: string;
  removedAt: Instant;
}

/** What every webhook says. */
export interface Envelope {
  /** Unique per event. */
  jti: string;
  tenantId: string;
  /** Unix time. */
  iat: number;
  /** Unix time. */
  exp: number;
}

/**
 * A webhook that the service has sent. It is a hint: fetch fresh data. "ping" is a test that the application has asked
 * for, by `Client.testWebhook`; "unrecognised" is an event that is newer than this package.
 */
export type Webhook = Envelope &
  (
    | { event: "record.opened" | "consultation.started"; data: PatientData }
    | { event: "callin.notification.shown"; data: CallInShownData }
    | { event: "callin.notification.removed"; data: CallInRemovedData }
    | { event: "ping"; data: Record<string, never> }
    | { event: "unrecognised"; name: string; data: unknown }
  );

const text = (value: unknown) => typeof value === "string" && value !== "";
const textOrNull = (value: unknown) => value === null || typeof value === "string";

/** What the data of each event holds. */
const forms: Record<string, Record<string, (value: unknown) => boolean>> = {
  "record.opened": { patientId: text, userName: textOrNull, userEmail: textOrNull },
  "consultation.started": { patientId: text, userName: textOrNull, userEmail: textOrNull },
  "callin.notification.shown": {
    appointmentId: text, patientName: text, roomName: textOrNull, siteId: text, siteName: text, calledInAt: text,
  },
  "callin.notification.removed": { appointmentId: text, siteId: text, removedAt: text },
  ping: {},
};

/** Reads an event; undefined if its data is of another form. */
export function readEvent(envelope: Envelope, name: string, data: Record<string, unknown>): Webhook | undefined {
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (!form) return { ...envelope, event: "unrecognised", name, data };
  const right = Object.entries(form).every(([member, isRight]) => isRight(data[member]));
  return right ? ({ ...envelope, event: name, data } as unknown as Webhook) : undefined;
}
