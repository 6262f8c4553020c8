import { open, readFile, rename, rm } from "node:fs/promises";

/** The newest checkpoint of the practice's log, as the service gives it. A `LogVerifier` tells whether to trust it. */
export interface SignedCheckpoint {
  /** The signed text. */
  checkpoint: string;
  epoch: number;
  /** How many events it covers. */
  size: number;
  /** With `from`: the proof that the log begins with its first `from` events, in base64. */
  consistency?: string[];
}

export interface CheckpointQuery {
  /** The size of a kept checkpoint. The code is invalid-query if the newest one covers fewer events. */
  from?: number;
}

/** Keeps the last checkpoint of one practice's log: a file, or a store of your own. */
export interface CheckpointStore {
  /** The kept note; "" or undefined if there is none. */
  get(): Promise<string | undefined> | string | undefined;
  put(note: string): Promise<void> | void;
}

/** Keeps a checkpoint in a file, which is replaced as a whole. */
export function checkpointFile(path: string): CheckpointStore {
  return {
    get: () => readFile(path, "utf8").catch((error) => (error.code === "ENOENT" ? undefined : Promise.reject(error))),
    async put(note) {
      const written = `${path}.${process.pid}.tmp`;
      try {
        const file = await open(written, "w", 0o600);
        try {
          await file.writeFile(note);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(written, path);
      } finally {
        await rm(written, { force: true });
      }
    },
  };
}
