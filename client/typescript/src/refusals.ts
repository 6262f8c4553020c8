import type { Reason, WebhookError } from "./verify.js";

const warnAgainAfter = 60_000; // milliseconds

/** Warns of refusals, for each reason once a minute: anyone can send webhooks that are refused. */
export class Warnings {
  #last = new Map<Reason, { at: number; since: number }>(); // of the last warning, and the refusals since then

  constructor(private readonly now: () => number) {}

  /** Shows only the beginning of the text, because a stranger may have written it. */
  readonly warn = (why: WebhookError): void => {
    const since = this.#due(why.reason);
    if (since === undefined) return;
    const more = since > 0 ? ` (and ${since} more since the last warning)` : "";
    process.emitWarning(why.message.slice(0, 300) + more, "FrontdeskWarning");
  };

  /** How many refusals had no warning; undefined if this one has none, either. */
  #due(reason: Reason): number | undefined {
    const last = this.#last.get(reason);
    const passed = this.now() - (last?.at ?? -Infinity);
    if (last && passed >= 0 && passed < warnAgainAfter) {
      last.since++; // the clock may be set back
      return undefined;
    }
    this.#last.set(reason, { at: this.now(), since: 0 });
    return last?.since ?? 0;
  }
}
