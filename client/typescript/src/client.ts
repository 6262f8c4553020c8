import { Agent as HTTPAgent } from "node:http";
import { Agent as HTTPSAgent } from "node:https";

import { isGuarded } from "./addresses.js";
import type { Attachment, FileType } from "./attachment.js";
import { Body } from "./body.js";
import { make, pause, type Answer, type CallOptions, type Line } from "./call.js";
import type { ErrorCode } from "./codes.js";
import type { Signer } from "./signer.js";
import { Tokens, type Caller } from "./tokens.js";

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

/** The caller as the service sees it. */
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

/** Which service a `Client` calls, who calls, and how. */
export interface ClientOptions {
  /** The practice's {base_url}, such as https://elm-street.api.example. */
  baseURL: string;
  /** The application's identifier, a UUID. */
  application: string;
  /** Holds the application's keys. */
  signer: Signer;
  /** How often a call is sent at most: 5. */
  attempts?: number;
  /** Milliseconds for a call and all its attempts: 2 minutes, or 15 with attachments. */
  timeout?: number;
  /** The longest Retry-After that a call waits for, in milliseconds: 20 seconds. A longer one is for the caller. */
  longestWait?: number;
  /** Is told of each attempt. Without it, names that the service did not know are told as warnings of the process. */
  onAnswer?: (answer: Answer) => void;
  /** The time, in milliseconds: Date.now. */
  now?: () => number;
  /** Waits between attempts. */
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Calls the Transactional API of one practice: for the application itself, or for whom asUser and withAct say. */
export class Client {
  readonly #options: ClientOptions;
  readonly #line: Line;
  readonly #caller: Caller;

  /** Calls for the application itself. What comes after the options is for this class. */
  constructor(options: ClientOptions, caller: Caller = {}, line: Line = lineOf(options)) {
    this.#options = options;
    this.#caller = caller;
    this.#line = line;
  }

  /**
   * A client that calls on behalf of a member of staff, who has authorised the application (§5.4). Throws a TypeError
   * without a username: nothing is called for the application instead.
   */
  asUser(username: string): Client {
    if (typeof username !== "string" || username === "" || username === this.#options.application) {
      throw new TypeError("asUser must be given the username of a member of staff");
    }
    return new Client(this.#options, { username }, this.#line);
  }

  /**
   * A client that calls for the application itself, and says who is behind the calls (§2.7). The service takes no act
   * for a user, so it ends asUser.
   */
  withAct(act: Act): Client {
    return new Client(this.#options, { act }, this.#line);
  }

  /** Closes connections that are kept open, of this client and of those that asUser and withAct have made of it. */
  close(): void {
    this.#line.agent.destroy();
  }

  /**
   * Submits a request on behalf of a patient (§4.1). Where the practice takes no such request now, the code is
   * request-type-disabled, request-type-paused or request-type-closed, and the call is not sent again.
   */
  createPatientRequest({ attachments, ...request }: PatientRequest, options?: CallOptions) {
    return this.#post<CreatedPatientRequest>("create-patient-request", new Body(request, attachments ?? []), options);
  }

  /** Asks which types of request the practice takes at present. */
  requestTypeAvailability(options?: CallOptions) {
    return this.#get<RequestTypes>("request-type-availability", {}, options);
  }

  /** Adds a note to a patient's care record. */
  createNote(note: Note, options?: CallOptions) {
    return this.#send<CreatedNote>("create-note", note, options);
  }

  /** Reads a patient's care record, and so opens it. */
  retrieveCareRecord(patientId: string, options?: CallOptions) {
    return this.#get<CareRecord>("retrieve-care-record", { patientId }, options);
  }

  /** Says that a patient's care record is opened by other means. */
  openCareRecord(patientId: string, options?: CallOptions) {
    return this.#send<OpenedRecord>("open-care-record", { patientId }, options);
  }

  /** Expects a patient at a site. */
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

  /** Says that an appointment's patient did not attend. */
  markDidNotAttend(appointmentId: string, options?: CallOptions) {
    return this.#send<Appointment>("mark-did-not-attend", { appointmentId }, options);
  }

  /** Begins a consultation with a patient. */
  startConsultation(consultation: Consultation, options?: CallOptions) {
    return this.#send<StartedConsultation>("start-consultation", consultation, options);
  }

  /** Asks how the service sees the caller. */
  ping(options?: CallOptions) {
    return this.#get<Pong>("ping", {}, options);
  }

  /** Asks what this application may do at this practice. */
  application(options?: CallOptions) {
    return this.#get<Application>("application", {}, options);
  }

  /** Asks what the service holds of the application's key set. */
  keySet(options?: CallOptions) {
    return this.#get<KeySet>("application/key-set", {}, options);
  }

  /** Has the service read the application's key set now, at most once a minute. */
  rereadKeySet(options?: CallOptions) {
    return this.#send<KeySet>("application/key-set", {}, options);
  }

  /** The application's calls at this practice, newest first. Pages are fetched as they are needed. */
  calls(query: CallsQuery = {}, options?: CallOptions) {
    return this.#pages<JudgedCall, "calls">("application/calls", "calls", { ...query }, options);
  }

  /** The application's webhooks from this practice, newest first, as calls. */
  deliveries(query: DeliveriesQuery = {}, options?: CallOptions) {
    return this.#pages<Delivery, "deliveries">("application/deliveries", "deliveries", { ...query }, options);
  }

  /** Has the service send a ping to where the event's webhooks go, at most once a minute. */
  testWebhook(event: string, options?: CallOptions) {
    return this.#send<TestedWebhook>("application/webhooks/test", { event }, options);
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

function lineOf({ baseURL, application, signer, ...o }: ClientOptions): Line {
  if (!application || !signer) throw new TypeError("options must name the application and its signer");
  if (!isGuarded(baseURL)) {
    throw new TypeError(`baseURL ${baseURL} must begin with https://, because a token is good for whoever reads it`);
  }
  const agent = new (new URL(baseURL).protocol === "https:" ? HTTPSAgent : HTTPAgent)({ keepAlive: true });
  const base = baseURL.replace(/\/$/, "") + "/transactional-api/";
  const tokens = new Tokens(application, signer, o.now ?? Date.now);
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
