import type { MaybePromise } from './maybe-promise.ts'

/** Large values beside the log. */
export interface Payloads {
  /** Large values under their SHA-256; removed with the last run that refers to them. */
  readonly payloads: {
    put(runId: string, bytes: Uint8Array): MaybePromise<string>
    get(ref: string): MaybePromise<Uint8Array | undefined>
  }
}
