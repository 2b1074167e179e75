import type { ModelInfo, Quirks } from '@svc/core'

/** How a request differs from what the format says: what is configured of a model, and what was learnt of it. */
export interface Shape {
  readonly quirks: Quirks
  readonly model: ModelInfo
  /** The lessons that are in it, as lines of config. */
  readonly learnt: ReadonlySet<string>
  /** Whether the model has called a tool in the way of the format. */
  readonly isNative: boolean
}

/** What one lesson changes. */
export interface Change {
  readonly quirks?: Quirks
  readonly model?: Omit<Partial<ModelInfo>, 'id'>
}
