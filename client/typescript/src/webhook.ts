import type { Instant } from "./client.js";

/** The patient of an event, and its author. */
export interface PatientData {
  patientId: string;
  /** null when the author cannot be determined. */
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

export interface RequestRepliedData {
  patientRequestId: string;
}

/** The members of every webhook. */
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
 * A webhook that the service has sent. It is a hint: fetch fresh data. "ping" is a test that the application has
 * requested with `Client.testWebhook`; "unrecognised" is an event that is newer than this package.
 */
export type Webhook = Envelope &
  (
    | { event: "record.opened" | "consultation.started"; data: PatientData }
    | { event: "callin.notification.shown"; data: CallInShownData }
    | { event: "callin.notification.removed"; data: CallInRemovedData }
    | { event: "request.replied"; data: RequestRepliedData }
    | { event: "ping"; data: Record<string, never> }
    | { event: "unrecognised"; name: string; data: unknown }
  );

const text = (value: unknown) => typeof value === "string" && value !== "";
const textOrNull = (value: unknown) => value === null || typeof value === "string";

/** The members of each event's data. */
const forms: Record<string, Record<string, (value: unknown) => boolean>> = {
  "record.opened": { patientId: text, userName: textOrNull, userEmail: textOrNull },
  "consultation.started": { patientId: text, userName: textOrNull, userEmail: textOrNull },
  "callin.notification.shown": {
    appointmentId: text, patientName: text, roomName: textOrNull, siteId: text, siteName: text, calledInAt: text,
  },
  "callin.notification.removed": { appointmentId: text, siteId: text, removedAt: text },
  "request.replied": { patientRequestId: text },
  ping: {},
};

/** Parses an event; undefined if its data has another form. */
export function readEvent(envelope: Envelope, name: string, data: Record<string, unknown>): Webhook | undefined {
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (!form) return { ...envelope, event: "unrecognised", name, data };
  const right = Object.entries(form).every(([member, isRight]) => isRight(data[member]));
  return right ? ({ ...envelope, event: name, data } as unknown as Webhook) : undefined;
}
