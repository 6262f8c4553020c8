import { Agent as HTTPAgent } from "node:http";
import { Agent as HTTPSAgent } from "node:https";

import { isGuarded } from "./addresses.js";
import { Body } from "./body.js";
import { make, pause, type Answer, type CallOptions, type Line } from "./call.js";
import type * as shapes from "./shapes.js";
import type { Signer } from "./signer.js";
import { Tokens, type Caller } from "./tokens.js";

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
  withAct(act: shapes.Act): Client {
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
  createPatientRequest({ attachments, ...request }: shapes.PatientRequest, options?: CallOptions) {
    return this.#post<shapes.CreatedPatientRequest>("create-patient-request", new Body(request, attachments ?? []), options);
  }

  /** Asks which types of request the practice takes at present. */
  requestTypeAvailability(options?: CallOptions) {
    return this.#get<shapes.RequestTypes>("request-type-availability", {}, options);
  }

  /** Adds a note to a patient's care record. */
  createNote(note: shapes.Note, options?: CallOptions) {
    return this.#send<shapes.CreatedNote>("create-note", note, options);
  }

  /** Reads a patient's care record, and so opens it. */
  retrieveCareRecord(patientId: string, options?: CallOptions) {
    return this.#get<shapes.CareRecord>("retrieve-care-record", { patientId }, options);
  }

  /** Says that a patient's care record is opened by other means. */
  openCareRecord(patientId: string, options?: CallOptions) {
    return this.#send<shapes.OpenedRecord>("open-care-record", { patientId }, options);
  }

  /** Expects a patient at a site. */
  bookAppointment(booking: shapes.Booking, options?: CallOptions) {
    return this.#send<shapes.Appointment>("book-appointment", booking, options);
  }

  /** Calls an appointment's patient in. */
  callInPatient(callIn: shapes.CallIn, options?: CallOptions) {
    return this.#send<shapes.Appointment>("call-in-patient", callIn, options);
  }

  /** Clears a call-in by hand. */
  clearCallIn(appointmentId: string, options?: CallOptions) {
    return this.#send<shapes.Appointment>("clear-call-in", { appointmentId }, options);
  }

  /** Says that an appointment's patient did not attend. */
  markDidNotAttend(appointmentId: string, options?: CallOptions) {
    return this.#send<shapes.Appointment>("mark-did-not-attend", { appointmentId }, options);
  }

  /** Begins a consultation with a patient. */
  startConsultation(consultation: shapes.Consultation, options?: CallOptions) {
    return this.#send<shapes.StartedConsultation>("start-consultation", consultation, options);
  }

  /** Asks how the service sees the caller. */
  ping(options?: CallOptions) {
    return this.#get<shapes.Pong>("ping", {}, options);
  }

  /** Asks what this application may do at this practice. */
  application(options?: CallOptions) {
    return this.#get<shapes.Application>("application", {}, options);
  }

  /** Asks what the service holds of the application's key set. */
  keySet(options?: CallOptions) {
    return this.#get<shapes.KeySet>("application/key-set", {}, options);
  }

  /** Has the service read the application's key set now, at most once a minute. */
  rereadKeySet(options?: CallOptions) {
    return this.#send<shapes.KeySet>("application/key-set", {}, options);
  }

  /** The application's calls at this practice, newest first. Pages are fetched as they are needed. */
  calls(query: shapes.CallsQuery = {}, options?: CallOptions) {
    return this.#pages<shapes.JudgedCall, "calls">("application/calls", "calls", { ...query }, options);
  }

  /** The application's webhooks from this practice, newest first, as calls. */
  deliveries(query: shapes.DeliveriesQuery = {}, options?: CallOptions) {
    return this.#pages<shapes.Delivery, "deliveries">("application/deliveries", "deliveries", { ...query }, options);
  }

  /** Has the service send a ping to where the event's webhooks go, at most once a minute. */
  testWebhook(event: string, options?: CallOptions) {
    return this.#send<shapes.TestedWebhook>("application/webhooks/test", { event }, options);
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
