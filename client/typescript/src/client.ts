import { Agent } from "node:http";

import { isGuarded } from "./addresses.js";
import { newAgent } from "./agent.js";
import type { Attachment, FileType } from "./attachment.js";
import { Body } from "./body.js";
import { make, pause, type Answer, type CallOptions, type Line } from "./call.js";
import type { CheckpointQuery, CheckpointStore, SignedCheckpoint } from "./checkpoint.js";
import type { ErrorCode } from "./codes.js";
import { ServiceError, type Problem } from "./errors.js";
import type { Checkpoint, LogVerifier } from "./log.js";
import type { Signer } from "./signer.js";
import { Tokens, type Caller } from "./tokens.js";

/** RFC 3339. The service writes UTC. */
export type Instant = string;

/** The caller of a call (§5.3). */
export type Mode = "application-restricted" | "user-restricted";

/** The person or organisation behind a call of the application itself (§2.7). Auditors see it. */
export interface Act {
  practitioner: { name: string; email: string; gmc_number?: string };
  organisation: { name: string; ods_code?: string };
  /** In which they act, such as "General practitioner". */
  role?: string;
  /** For which the call is made, such as "TREAT". */
  purpose?: string;
}

/** A request that is submitted on behalf of a patient (§2.1). */
export interface PatientRequest {
  patientId: string;
  requestType: RequestType;
  requester: Requester;
  /** At least one. Of a "medical" request, healthConcern or recentContact; of an "admin" one, requestDetails. */
  response: ResponseItem[];
  isHighPriority?: boolean | null;
  /** Required if requester is "proxy". */
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

/** How a request ended. The other members are null unless its status is completed. */
export interface RequestOutcome {
  patientRequestId: string;
  /** open or completed. */
  status: string;
  /** replied, appointment-booked, signposted or no-action-needed. */
  outcome: string | null;
  completedAt: Instant | null;
  /** To the patient, as plain text; null if there is none. */
  answer: string | null;
}

/** All types of requests, and whether one would be accepted now. */
export interface RequestTypes {
  requestTypes: {
    requestType: RequestType;
    status: "open" | "request-type-disabled" | "request-type-paused" | "request-type-closed";
    /** null if the type is open, or the time is unknown. */
    nextOpening: Instant | null;
  }[];
}

/** A new note in a patient's care record. */
export interface Note {
  patientId: string;
  /** Its text; not blank. */
  note: string;
}

export interface CreatedNote {
  noteId: string;
}

/** A patient's care record, newest entries first. */
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
  /** null when the author cannot be determined. */
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

/** How a patient can be reached, and their NHS number. Null is stored as unknown. */
export interface ContactDetails {
  patientId: string;
  telephone: string | null;
  email: string | null;
  /** 10 digits. Spaces and hyphens are ignored. */
  nhsNumber: string | null;
}

export interface SetDetails {
  patientId: string;
}

export interface OpenedRecord {
  patientId: string;
}

/** A new appointment of a patient at a site. */
export interface Booking {
  patientId: string;
  siteId: string;
  at: Instant | Date;
}

export interface Appointment {
  appointmentId: string;
}

/** A call-in of an appointment's patient. */
export interface CallIn {
  appointmentId: string;
  /** A room of the appointment's site; without it, none is assigned. */
  roomId?: string | null;
}

/** A new consultation with a patient. */
export interface Consultation {
  patientId: string;
  /** Of the patient. */
  appointmentId?: string | null;
}

export interface StartedConsultation {
  consultationId: string;
}

/** The caller as the service sees it. */
export interface Pong {
  tenantId: string;
  applicationId: string;
  mode: Mode;
  /** Of a user-restricted call. */
  username: string | null;
  authorisedUntil: Instant | null;
}

/** This application's rights at this practice. */
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
  /** Counts of staff who let the application act for them. */
  authorisations: { standing: number; patientScoped: number };
}

/** The service's copy of the application's key set. */
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
  /** Only the newest calls with this key. */
  idempotencyKey?: string;
  /** Of a page, 1 to 200. */
  limit?: number;
}

/** A patient who is called in, as the webhook of the call-in has it. */
export interface CalledIn {
  appointmentId: string;
  patientName: string;
  siteId: string;
  siteName: string;
  roomId: string | null;
  roomName: string | null;
  calledInAt: Instant;
}

export interface CalledInList {
  /** The newest first. */
  calledIn: CalledIn[];
}

/** A site of the practice, and its rooms. */
export interface Site {
  siteId: string;
  name: string;
  rooms: { roomId: string; name: string }[];
}

export interface SiteList {
  /** By name. */
  sites: Site[];
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
  /** All of the answer. */
  errors: Problem[];
  /** Name and version of the program that called. */
  userAgent: string | null;
  /** Whether the answer was that of an earlier call with the same key. */
  replayed: boolean;
  /** Equal refusals in the minute before it that are not listed. */
  repeats: number;
  durationMs: number | null;
  /** Whether anyone may have made it. */
  unproven: boolean;
}

/** The state of a webhook, or its end. All except the first two are final. */
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
  /** As it was then. It and the next members are null once they are deleted. */
  url: string | null;
  outcome: Outcome;
  reason: string | null;
  description: string | null;
  happenedAt: Instant;
  sentAt: Instant | null;
  finishedAt: Instant | null;
  durationMs: number | null;
  /** The receiver's answer. */
  status: number | null;
}

/** The ping that will be sent. */
export interface TestedWebhook {
  jti: string;
  event: string;
  url: string;
}

/** The service that a `Client` calls, the caller, and the limits. */
export interface ClientOptions {
  /** The practice's {base_url}, such as https://elm-street.api.example. */
  baseURL: string;
  /** The application's identifier, a UUID. */
  application: string;
  /** Holds the application's keys. Required without `token`. */
  signer?: Signer;
  /** Returns a token that was signed elsewhere. It names the caller, so asUser and withAct are refused. */
  token?: () => string | Promise<string>;
  /**
   * Carries the calls, such as one of `newAgent` with a proxy or certificates of its own. Several clients may share one,
   * and its owner closes it.
   */
  agent?: Agent;
  /** Limits the attempts at a call: 5 by default. */
  attempts?: number;
  /** Milliseconds for a call and all its attempts: 2 minutes, or 15 with attachments. */
  timeout?: number;
  /** The longest Retry-After that a call waits for, in milliseconds: 20 seconds. A longer one is in `ServiceError.retryAfter`. */
  longestWait?: number;
  /** Called after each attempt. By default, names that the service does not know are warnings of the process. */
  onAnswer?: (answer: Answer) => void;
  /** The time, in milliseconds: Date.now. */
  now?: () => number;
  /** Waits between attempts. */
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Calls the Transactional API of one practice: for the application itself, or for the caller of asUser and withAct. */
export class Client {
  readonly #options: ClientOptions;
  readonly #line: Line;
  readonly #caller: Caller;

  /** Calls for the application itself. The parameters after the options are for this class. */
  constructor(options: ClientOptions, caller: Caller = {}, line: Line = lineOf(options)) {
    this.#options = options;
    this.#caller = caller;
    this.#line = line;
  }

  /**
   * A client that calls on behalf of a member of staff, who has authorised the application (§5.4). Throws a TypeError
   * without a username: calls never fall back to the application itself.
   */
  asUser(username: string): Client {
    if (typeof username !== "string" || username === "" || username === this.#options.application) {
      throw new TypeError("asUser must be given the username of a member of staff");
    }
    return new Client(this.#options, { username }, this.#line);
  }

  /**
   * A client that calls for the application itself, and names the person or organisation behind the calls (§2.7). The
   * service accepts no act for a user, so it ends asUser.
   */
  withAct(act: Act): Client {
    return new Client(this.#options, { act }, this.#line);
  }

  /** Closes the idle connections of this client and of the clients of its asUser and withAct, unless they are those of a given agent. */
  close(): void {
    if (!this.#options.agent) this.#line.agent.destroy();
  }

  /**
   * Submits a request on behalf of a patient (§4.1). If the practice does not accept such a request now, the code is
   * request-type-disabled, request-type-paused or request-type-closed, and the call is not retried.
   */
  createPatientRequest({ attachments, ...request }: PatientRequest, options?: CallOptions) {
    return this.#post<CreatedPatientRequest>("create-patient-request", new Body(request, attachments ?? []), options);
  }

  /**
   * Returns how a request ended that the application has sent. If it has sent no such request, or may no longer see it,
   * the code is patient-request-not-found.
   */
  requestOutcome(patientRequestId: string, options?: CallOptions) {
    return this.#get<RequestOutcome>("request-outcome", { patientRequestId }, options);
  }

  /** Returns the types of request that the practice accepts now. */
  requestTypeAvailability(options?: CallOptions) {
    return this.#get<RequestTypes>("request-type-availability", {}, options);
  }

  /** Adds a note to a patient's care record. */
  createNote(note: Note, options?: CallOptions) {
    return this.#send<CreatedNote>("create-note", note, options);
  }

  /** Reads a patient's care record, which counts as an opening. */
  retrieveCareRecord(patientId: string, options?: CallOptions) {
    return this.#get<CareRecord>("retrieve-care-record", { patientId }, options);
  }

  /** Records that a patient's care record is opened by other means. */
  openCareRecord(patientId: string, options?: CallOptions) {
    return this.#send<OpenedRecord>("open-care-record", { patientId }, options);
  }

  /** Replaces all of a patient's contact details. */
  setContactDetails(details: ContactDetails, options?: CallOptions) {
    return this.#send<SetDetails>("set-contact-details", details, options);
  }

  /** Books an appointment of a patient at a site. */
  bookAppointment(booking: Booking, options?: CallOptions) {
    return this.#send<Appointment>("book-appointment", booking, options);
  }

  /** Calls an appointment's patient in. */
  callInPatient(callIn: CallIn, options?: CallOptions) {
    return this.#send<Appointment>("call-in-patient", callIn, options);
  }

  /** Clears a call-in by hand. */
  clearCallIn(appointmentId: string, options?: CallOptions) {
    return this.#send<Appointment>("clear-call-in", { appointmentId }, options);
  }

  /** Returns the patients who are called in now, at one site or at all. Webhooks may be lost: this list is complete. */
  calledIn(query: { siteId?: string } = {}, options?: CallOptions) {
    return this.#get<CalledInList>("called-in", query, options);
  }

  /** Returns the practice's sites and rooms. */
  sites(options?: CallOptions) {
    return this.#get<SiteList>("sites", {}, options);
  }

  /** Records that an appointment's patient did not attend. */
  markDidNotAttend(appointmentId: string, options?: CallOptions) {
    return this.#send<Appointment>("mark-did-not-attend", { appointmentId }, options);
  }

  /** Starts a consultation with a patient. */
  startConsultation(consultation: Consultation, options?: CallOptions) {
    return this.#send<StartedConsultation>("start-consultation", consultation, options);
  }

  /** Returns the caller as the service sees it. */
  ping(options?: CallOptions) {
    return this.#get<Pong>("ping", {}, options);
  }

  /** Returns this application's rights at this practice. */
  application(options?: CallOptions) {
    return this.#get<Application>("application", {}, options);
  }

  /** Returns the service's copy of the application's key set. */
  keySet(options?: CallOptions) {
    return this.#get<KeySet>("application/key-set", {}, options);
  }

  /** Makes the service fetch the application's key set now, at most once a minute. */
  rereadKeySet(options?: CallOptions) {
    return this.#send<KeySet>("application/key-set", {}, options);
  }

  /** The application's calls at this practice, newest first. Pages are fetched on demand. */
  calls(query: CallsQuery = {}, options?: CallOptions) {
    return this.#pages<JudgedCall, "calls">("application/calls", "calls", { ...query }, options);
  }

  /** The application's webhooks from this practice, newest first, fetched like calls. */
  deliveries(query: DeliveriesQuery = {}, options?: CallOptions) {
    return this.#pages<Delivery, "deliveries">("application/deliveries", "deliveries", { ...query }, options);
  }

  /** Makes the service send a ping to the event's address, at most once a minute. */
  testWebhook(event: string, options?: CallOptions) {
    return this.#send<TestedWebhook>("application/webhooks/test", { event }, options);
  }

  /**
   * The newest checkpoint of the practice's log. The practice must have enabled the application. The code is
   * no-checkpoint if nothing is signed yet.
   */
  checkpoint(query: CheckpointQuery = {}, options?: CallOptions) {
    return this.#get<SignedCheckpoint>("application/checkpoint", { ...query }, options);
  }

  /**
   * Fetches the newest checkpoint, verifies that the log begins with the one in the store, and only then replaces it. A
   * `CheckpointError` means that it does not, or that the checkpoint is not of this log: the store then holds the
   * evidence.
   */
  async keepCheckpoint(log: LogVerifier, store: CheckpointStore, options?: CallOptions): Promise<Checkpoint> {
    const kept = (await store.get()) ?? "";
    const signed = await this.#checkpointAfter(log, kept, options);
    const newest = log.check(kept, signed.checkpoint, signed.consistency);
    await store.put(signed.checkpoint);
    return newest;
  }

  /** The newest checkpoint, with the proof for a kept one unless the log is shorter. */
  async #checkpointAfter(log: LogVerifier, kept: string, options?: CallOptions): Promise<SignedCheckpoint> {
    if (!kept) return this.checkpoint({}, options);
    try {
      return await this.checkpoint({ from: log.open(kept).size }, options);
    } catch (error) {
      if (error instanceof ServiceError && error.code === "invalid-query") return this.checkpoint({}, options);
      throw error;
    }
  }

  #get<T>(endpoint: string, query: object, options: CallOptions = {}): Promise<T> {
    return make<T>(this.#line, { endpoint, method: "GET", query: searchOf(query), caller: this.#caller, options });
  }

  #send<T>(endpoint: string, value: object, options?: CallOptions): Promise<T> {
    return this.#post<T>(endpoint, new Body(value, []), options);
  }

  #post<T>(endpoint: string, body: Body, options: CallOptions = {}): Promise<T> {
    return make<T>(this.#line, { endpoint, method: "POST", body, caller: this.#caller, options });
  }

  async *#pages<T, Member extends string>(endpoint: string, member: Member, query: object, options?: CallOptions): AsyncGenerator<T, void, undefined> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: { [member in Member]: T[] } & { next: string | null } = await this.#get(endpoint, { ...query, cursor }, options);
      yield* page[member];
      cursor = page.next || null;
    }
  }
}

function lineOf({ baseURL, application, signer, token, ...o }: ClientOptions): Line {
  if (!application || !(signer || token)) throw new TypeError("options must name the application and its signer");
  if (!isGuarded(baseURL)) {
    throw new TypeError(`baseURL ${baseURL} must begin with https://, because anyone who reads a token can use it`);
  }
  const agent = o.agent ?? (new URL(baseURL).protocol === "https:" ? newAgent() : new Agent({ keepAlive: true }));
  const base = baseURL.replace(/\/$/, "") + "/transactional-api/";
  const tokens = new Tokens(application, signer, token, o.now ?? Date.now);
  const { attempts = 5, timeout, longestWait = 20_000, onAnswer = warn } = o;
  return { base, agent, tokens, attempts, timeout, longestWait, onAnswer, pause: o.pause ?? pause };
}

function warn({ endpoint, unknownFields, requestId }: Answer): void {
  if (unknownFields.length === 0) return;
  process.emitWarning(`${endpoint}: the service does not know ${unknownFields.join(", ")} (request ${requestId})`, "FrontdeskWarning");
}

function searchOf(query: object): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, value instanceof Date ? value.toISOString() : String(value));
  }
  return search;
}
