import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";

/** The types of attachments that the service accepts (§2.4). */
export type FileType =
  | "image/jpeg"
  | "image/png"
  | "application/msword"
  | "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/**
 * A file of at most 10 MiB. It is read and encoded while it is sent, so it takes no memory, and opened again if the call
 * is retried. A `Blob` is opened by `() => blob.stream()`.
 */
export interface Attachment {
  fileName: string;
  contentType: FileType;
  /** In bytes, if it is known. */
  size?: number;
  open(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const extensions: Record<string, FileType> = {
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".doc": "application/msword",
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
};

/** An attachment from a file; the extension defines its type. */
export async function attachFile(path: string): Promise<Attachment> {
  const contentType = extensions[extname(path).toLowerCase()];
  if (!contentType) throw new TypeError(`${path} must end with .jpg, .jpeg, .png, .doc or .docx`);
  const { size } = await stat(path);
  return { fileName: basename(path), contentType, size, open: () => createReadStream(path) };
}

/** An attachment from memory. */
export function attachBytes(fileName: string, contentType: FileType, data: Uint8Array): Attachment {
  return { fileName, contentType, size: data.byteLength, open: () => [data] };
}
