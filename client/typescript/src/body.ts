import type { Attachment } from "./attachment.js";

/** A file could not be read. The call is not retried. */
export class UnreadableError extends Error {
  override name = "UnreadableError";
}

/** The JSON of a call, built again for each attempt: texts, and files between them. */
export class Body {
  #head: Buffer;
  #leads: Buffer[]; // the text before each file

  constructor(
    value: object,
    private readonly attachments: readonly Attachment[],
  ) {
    const text = JSON.stringify(value);
    this.#head = Buffer.from(attachments.length === 0 ? text : text.slice(0, -1) + (text === "{}" ? "" : ",") + '"attachments":[');
    this.#leads = attachments.map(({ fileName, contentType }, i) =>
      Buffer.from((i > 0 ? '"},' : "") + JSON.stringify({ fileName, contentType }).slice(0, -1) + ',"data":"'),
    );
  }

  get hasFiles(): boolean {
    return this.attachments.length > 0;
  }

  get #tail(): Buffer {
    return Buffer.from(this.hasFiles ? '"}]}' : "");
  }

  /** In bytes; undefined if the size of a file is unknown. */
  get size(): number | undefined {
    let sum = this.#head.length + this.#tail.length;
    for (const [i, { size }] of this.attachments.entries()) {
      if (size === undefined) return undefined;
      sum += this.#leads[i]!.length + 4 * Math.ceil(size / 3);
    }
    return sum;
  }

  /** Reads the body once, with one file open at a time. */
  async *read(): AsyncGenerator<Buffer> {
    yield this.#head;
    for (const [i, attachment] of this.attachments.entries()) {
      yield this.#leads[i]!;
      try {
        yield* base64(attachment.open());
      } catch (cause) {
        throw new UnreadableError(`attachment ${attachment.fileName} cannot be read`, { cause });
      }
    }
    if (this.hasFiles) yield this.#tail;
  }
}

const piece = 3 << 14; // bytes that are encoded at a time

async function* base64(file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of file) {
    let have = Buffer.concat([rest, chunk.subarray(0, piece)]);
    for (let at = piece; ; at += piece) {
      const whole = have.length - (have.length % 3);
      yield Buffer.from(have.toString("base64", 0, whole), "latin1");
      rest = have.subarray(whole);
      if (at >= chunk.byteLength) break;
      have = Buffer.concat([rest, chunk.subarray(at, at + piece)]);
    }
  }
  yield Buffer.from(rest.toString("base64"), "latin1");
}
