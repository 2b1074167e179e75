/** What a store measures of its own work. */
export type StoreMeasurement =
  /** How long a write took until it was durable, with everything that went into the same transaction. */
  | { kind: 'write'; durationMs: number }
  /** Bytes of JSON that were added to the logs of runs. */
  | { kind: 'log'; bytes: number }

/** What the runtime measures beside its events. */
export type Measurement =
  | StoreMeasurement
  /** How long a plugin took to answer a hook, also where it failed. */
  | { kind: 'tap'; hook: string; plugin: string; durationMs: number }
