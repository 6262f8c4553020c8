import { createHash, createPublicKey, verify as isSignedBy, type KeyObject } from "node:crypto";

/** Why a checkpoint is refused. */
export type CheckpointReason =
  | "malformed" // it is not in the form of a checkpoint, or of a proof
  | "unsigned" // the verifier key has not signed it
  | "another-log" // it belongs to another service, or to another practice
  | "rolled-back" // the log has lost events that were covered
  | "changed"; // the log does not begin with the covered events

/** Refuses a checkpoint. The two notes are evidence: keep them. */
export class CheckpointError extends Error {
  override name = "CheckpointError";
  /** The signed text of the kept checkpoint; "" if the error is not about it. */
  kept = "";
  /** The signed text of the newest checkpoint. */
  newest = "";

  constructor(
    readonly reason: CheckpointReason,
    more: string,
  ) {
    super(`checkpoint refused: ${reason}: ${more}`);
  }
}

/** The verified content of a signed note (c2sp.org/tlog-checkpoint). */
export interface Checkpoint {
  /** The signed text. */
  note: string;
  /** Identifies the log, with the service's name. */
  log: string;
  /** Of the log; another one begins after a restore or a loss. */
  epoch: number;
  /** How many events it covers. */
  size: number;
  root: Buffer;
}

interface Opened extends Checkpoint {
  left: Map<number, number>; // how many events of each earlier epoch the log has kept
}

const ed25519 = 1; // the kind of a signed note's key

/**
 * Verifies checkpoints of a service's logs, and that a log begins with an earlier checkpoint (RFC 6962). It trusts no
 * answer of the service, only the key.
 */
export class LogVerifier {
  readonly #name: string;
  readonly #hash: Buffer; // identifies the key among those of its name
  readonly #key: KeyObject;

  /**
   * Takes a verifier key, such as api.example+1b09aa22+AZsf…. Get it from the operator, and not from the service.
   * Throws a TypeError if it is none.
   */
  constructor(key: string) {
    const [, name, hash, encoded] = /^([^+\s]+)\+([0-9a-f]{8})\+(.+)$/.exec(key) ?? [];
    const bytes = decode(encoded ?? "");
    if (!name || !hash || bytes?.length !== 33 || bytes[0] !== ed25519 || !sha256(name, "\n", bytes).toString("hex").startsWith(hash)) {
      throw new TypeError(`${JSON.stringify(key)} is not a verifier key of a log`);
    }
    this.#name = name;
    this.#hash = Buffer.from(hash, "hex");
    this.#key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: bytes.subarray(1).toString("base64url") }, format: "jwk" });
  }

  /** The checkpoint of a note that the key has signed. */
  open(note: string): Checkpoint {
    return evidence({ newest: note }, () => this.#open(note));
  }

  /**
   * Verifies a newest checkpoint and, unless kept is empty, the proof that its log begins with the kept checkpoint. The
   * hashes are those of `SignedCheckpoint.consistency`.
   */
  check(kept: string, newest: string, consistency: readonly string[] = []): Checkpoint {
    return evidence({ kept, newest }, () => {
      const now = this.#open(newest);
      if (!kept) return now;
      const old = this.#open(kept);
      goesOn(old, now);
      const proof = consistency.map((text) => {
        const hash = decode(text);
        if (hash?.length !== 32) throw new CheckpointError("malformed", "the proof has a malformed hash");
        return hash;
      });
      if (!hasGrown(old, now, proof)) {
        throw new CheckpointError("changed", `the log does not begin with the ${old.size} events that the kept checkpoint covers`);
      }
      return now;
    });
  }

  #open(note: string): Opened {
    const end = note.lastIndexOf("\n\n");
    if (end < 0 || !note.endsWith("\n")) throw new CheckpointError("malformed", "it is not a signed note");
    const text = note.slice(0, end + 1);
    this.#verify(text, note.slice(end + 2));
    return this.#parse(note, text);
  }

  /** Checks the signatures of the key. Those of others, such as witnesses, are passed over. */
  #verify(text: string, signatures: string): void {
    let signed = false;
    for (const line of signatures.split("\n").slice(0, -1)) {
      const [, name, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? [];
      const signature = decode(encoded ?? "");
      if (!signature || signature.length < 5) throw new CheckpointError("malformed", "a line of signatures is malformed");
      if (name !== this.#name || !signature.subarray(0, 4).equals(this.#hash)) continue;
      if (!isSignedBy(null, Buffer.from(text), this.#key, signature.subarray(4))) {
        throw new CheckpointError("unsigned", `the signature of ${name} does not hold`);
      }
      signed = true;
    }
    if (!signed) throw new CheckpointError("unsigned", `the key of ${this.#name} has not signed it`);
  }

  /** Reads the first three lines, and which earlier epochs the others name. Other extension lines are passed over. */
  #parse(note: string, text: string): Opened {
    const [origin = "", size = "", encoded = "", ...extensions] = text.slice(0, -1).split("\n");
    const [, name, log, epoch] = /^(.+)\/log\/([^/]+)\/([1-9]\d{0,8})$/.exec(origin) ?? [];
    const root = decode(encoded);
    if (!name || !/^(0|[1-9]\d{0,14})$/.test(size) || root?.length !== 32) {
      throw new CheckpointError("malformed", "its origin, size or root is malformed");
    }
    if (name !== this.#name) throw new CheckpointError("another-log", `it is a log of ${name}, and the key is that of ${this.#name}`);
    const left = new Map<number, number>();
    for (const line of extensions) {
      const [, of, kept] = /^left ([1-9]\d{0,8}) (0|[1-9]\d{0,14}) \S+$/.exec(line) ?? [];
      if (of) left.set(Number(of), Number(kept));
    }
    return { note, log: `${name}/log/${log}`, epoch: Number(epoch), size: Number(size), root, left };
  }
}

/** Adds the notes to a refusal. */
function evidence<T>(notes: { kept?: string; newest?: string }, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CheckpointError ? Object.assign(error, notes) : error;
  }
}

/** Refuses a checkpoint that cannot be a later one of the kept log. */
function goesOn(kept: Opened, newest: Opened): void {
  const left = newest.left.get(kept.epoch);
  if (kept.log !== newest.log) throw new CheckpointError("another-log", `the kept one is of ${kept.log}, and this one of ${newest.log}`);
  if (newest.size < kept.size) throw new CheckpointError("rolled-back", `the log has ${newest.size} events, and had ${kept.size}`);
  if (newest.epoch < kept.epoch) throw new CheckpointError("rolled-back", `the log is in epoch ${newest.epoch}, and was in ${kept.epoch}`);
  if (left !== undefined && left < kept.size) {
    throw new CheckpointError("rolled-back", `the log kept ${left} events of epoch ${kept.epoch}, and had ${kept.size}`);
  }
}

/** Verifies a proof of consistency: RFC 9162, 2.1.4.2, which is that of RFC 6962. Sizes have more than 32 bits. */
function hasGrown(old: Checkpoint, newest: Checkpoint, proof: Buffer[]): boolean {
  if (old.size === newest.size) return proof.length === 0 && old.root.equals(newest.root);
  if (old.size === 0) return proof.length === 0 && old.root.equals(sha256());
  let fn = BigInt(old.size) - 1n;
  let sn = BigInt(newest.size) - 1n;
  const path = (fn & (fn + 1n)) === 0n ? [old.root, ...proof] : proof; // of a whole subtree, the proof leaves the root out
  const [first, ...rest] = path;
  if (proof.length === 0 || !first) return false;
  while (fn & 1n) [fn, sn] = [fn >> 1n, sn >> 1n];
  let [oldRoot, newRoot] = [first, first];
  for (const hash of rest) {
    if (sn === 0n) return false;
    if (fn & 1n || fn === sn) {
      [oldRoot, newRoot] = [node(hash, oldRoot), node(hash, newRoot)];
      while (!(fn & 1n) && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else {
      newRoot = node(newRoot, hash);
    }
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n && oldRoot.equals(old.root) && newRoot.equals(newest.root);
}

function node(left: Buffer, right: Buffer): Buffer {
  return sha256(Buffer.of(1), left, right);
}

function sha256(...parts: (string | Buffer)[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Accepts one encoding of each value. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return text && bytes.toString("base64") === text ? bytes : undefined;
}
