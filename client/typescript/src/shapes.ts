import type { Attachment, FileType } from "./attachment.js";
import type { ErrorCode } from "./codes.js";

/** RFC 3339. The service writes UTC. */
export type Instant = string;

/** For whom a call is made (§5.3). */
export type Mode = "application-restricted" | "user-restricted";

/** Who is behind a call of the application itself (§2.7). Auditors are shown it. */
export interface Act {
  practitioner: { name: string; email: string; gmc_number?: string };
  organisation: { name: string; ods_code?: string };
  /** In which they act, such as "General practitioner". */
  role?: string;
  /** For which the call is made, such as "TREAT". */
  purpose?: string;
}

/** Is submitted on behalf of a patient (§2.1). */
export interface PatientRequest {
  patientId: string;
  requestType: RequestType;
  requester: Requester;
  /** At least one. Of a "medical" request, healthConcern or recentContact; of an "admin" one, requestDetails. */
  response: ResponseItem[];
  isHighPriority?: boolean | null;
  /** Needed where requester is "proxy". */
  proxyDetails?: ProxyDetails | null;
  /** At most 5. */
  attachments?: Attachment[] | null;
}

export type RequestType = "medical" | "admin";
export type Requester = "patient" | "proxy";

export interface ResponseItem {
  question: "healthConcern" | "recentContact" | "requestDetails";
  answer: string;
}

export interface ProxyDetails {
  firstName: string;
  lastName: string;
  relationshipToPatient: string;
}

export interface CreatedPatientRequest {
  patientRequestId: string;
}

/** All types of requests, and whether one would be accepted now. */
export interface RequestTypes {
  requestTypes: {
    requestType: RequestType;
    status: "open" | "request-type-disabled" | "request-type-paused" | "request-type-closed";
    /** null when it is open, or nobody knows. */
    nextOpening: Instant | null;
  }[];
}

/** Is added to a patient's care record. */
export interface Note {
  patientId: string;
  /** Its text; not blank. */
  note: string;
}

export interface CreatedNote {
  noteId: string;
}

/** A patient's care record, everything newest first. */
export interface CareRecord {
  patient: { patientId: string; name: string; birthDate: string | null };
  notes: RecordNote[];
  patientRequests: RecordRequest[];
  consultations: RecordConsultation[];
  /** Whether there are older entries than these. */
  truncated?: true;
}

export interface RecordNote {
  noteId: string;
  note: string;
  /** null when who did it cannot be determined. */
  userName: string | null;
  createdAt: Instant;
  enteredInError?: EnteredInError;
}

export interface RecordRequest {
  patientRequestId: string;
  requestType: RequestType;
  requester: Requester;
  response: ResponseItem[];
  isHighPriority: boolean;
  proxyDetails: ProxyDetails | null;
  attachments: { fileName: string; contentType: FileType }[];
  submittedAt: Instant;
  enteredInError?: EnteredInError;
}

export interface RecordConsultation {
  consultationId: string;
  appointmentId: string | null;
  userName: string | null;
  startedAt: Instant;
}

/** Marks an entry that should not have been made, or not for this patient. Show it as struck out. */
export interface EnteredInError {
  reason: string;
  markedAt: Instant;
}

export interface OpenedRecord {
  patientId: string;
}

/** Expects a patient at a site. */
export interface Booking {
  patientId: string;
  siteId: string;
  at: Instant | Date;
}

export interface Appointment {
  appointmentId: string;
}

/** Calls an appointment's patient in. */
export interface CallIn {
  appointmentId: string;
  /** Of the appointment's site; without it, none is assigned. */
  roomId?: string | null;
}

/** Is begun with a patient. */
export interface Consultation {
  patientId: string;
  /** Of the patient. */
  appointmentId?: string | null;
}

export interface StartedConsultation {
  consultationId: string;
}

/** How the service sees the caller. */
export interface Pong {
  tenantId: string;
  applicationId: string;
  mode: Mode;
  /** Of a user-restricted call. */
  username: string | null;
  authorisedUntil: Instant | null;
}

/** What this application may do at this practice. */
export interface Application {
  applicationId: string;
  name: string;
  tenantId: string;
  /** By the practice. */
  enabled: boolean;
  grants: { endpoint: string; mode: Mode }[];
  callbacks: string[];
  patientScoped: boolean;
  keySetUrl: string;
  webhooks: { event: string; url: string }[];
  /** How many let the application act for them. */
  authorisations: { standing: number; patientScoped: number };
}

/** What the service holds of the application's key set. */
export interface KeySet {
  url: string;
  keys: { kid: string; since: Instant }[];
  fetchedAt: Instant | null;
  /** When it is fetched again. */
  until: Instant | null;
  lastFetch: {
    at: Instant;
    outcome: "read" | "unreachable" | "not-json" | "no-usable-key";
    description: string;
    keys: { kid: string; usable: boolean; why: string | null }[];
  } | null;
}

export interface CallsQuery {
  status?: "all" | "answered" | "refused" | "unproven";
  requestId?: string;
  /** Of a page, 1 to 200. */
  limit?: number;
}

/** A call that the service has judged. */
export interface JudgedCall {
  requestId: string;
  at: Instant;
  endpoint: string;
  mode: Mode | null;
  status: number;
  code: ErrorCode | null;
  description: string | null;
  rule: string | null;
  durationMs: number | null;
  /** Whether anybody could have made it. */
  unproven: boolean;
}

/** How a webhook stands, or has ended. Only the first two lead to another. */
export type Outcome = "pending" | "sending" | "delivered" | "failed" | "expired" | "withdrawn" | "unknown";

export interface DeliveriesQuery {
  jti?: string;
  from?: Instant | Date;
  until?: Instant | Date;
  outcome?: Outcome;
  /** Of a page, 1 to 200. */
  limit?: number;
}

/** A webhook that was sent, or should have been. */
export interface Delivery {
  jti: string;
  event: string;
  /** As it was then; null, as what follows, once that is forgotten. */
  url: string | null;
  outcome: Outcome;
  reason: string | null;
  description: string | null;
  happenedAt: Instant;
  sentAt: Instant | null;
  finishedAt: Instant | null;
  durationMs: number | null;
  /** That the receiver answered. */
  status: number | null;
}

/** The ping that is on its way. */
export interface TestedWebhook {
  jti: string;
  event: string;
  url: string;
}
