import type { ModelInfo, ProviderError, Quirks } from '@svc/core'
import { findModel } from '../discovery/models.ts'
import type { Json } from '../format/json.ts'
import type { Change, Shape } from '../format/shape.ts'
import { findLesson } from './refusals.ts'

/** What was learnt of one model. */
interface Learnt {
  readonly quirks: Quirks
  readonly model: Omit<Partial<ModelInfo>, 'id'>
  readonly lines: ReadonlySet<string>
  readonly isNative: boolean
}

const NOTHING: Learnt = { quirks: {}, model: {}, lines: new Set(), isNative: false }

/** Models that something is kept of; who names many models cannot fill the memory. */
const MOST_MODELS = 1_000

/** By address and model, as long as the process lives: a provider that is made again knows what the one before learnt. */
const learntOf = new Map<string, Learnt>()

/** Failures that say nothing of the shape of a request. */
const OTHER_CAUSES: ReadonlySet<string> = new Set([
  'provider_auth',
  'provider_rate_limited',
  'provider_timeout',
  'content_filtered',
])

/** What a provider finds out about its models while it is used: what a server refuses is asked otherwise from then on. */
export class LearntQuirks {
  readonly #place: string
  readonly #quirks: Quirks

  /** @param place what tells the provider from others: its id and address */
  constructor(place: string, quirks: Quirks) {
    this.#place = place
    this.#quirks = quirks
  }

  shapeOf(model: ModelInfo): Shape {
    const learnt = this.#of(model)
    const { lines, isNative } = learnt
    if (lines.size === 0) return { quirks: this.#quirks, model, learnt: lines, isNative }
    return { quirks: merge(this.#quirks, learnt.quirks), model: { ...model, ...learnt.model }, learnt: lines, isNative }
  }

  /** What is known of models with what was learnt of them, and then those of which something was learnt alone. */
  addTo(models: readonly ModelInfo[]): ModelInfo[] {
    const start = `${this.#place} `
    const listed = models.map((model) => ({ ...model, ...this.#of(model).model }))
    const others = [...learntOf].flatMap(([key, { model }]) => {
      const id = key.slice(start.length)
      const isOther = key.startsWith(start) && findModel(models, id) === undefined && Object.keys(model).length > 0
      return isOther ? [{ id, ...model }] : []
    })
    return [...listed, ...others]
  }

  /** The model calls tools as the format says: what looks like a call in its text is none. */
  noteNative(model: ModelInfo): void {
    const learnt = this.#of(model)
    if (!learnt.isNative) this.#keep(model, { ...learnt, isNative: true })
  }

  /**
   * Learns from a refusal.
   *
   * @param body what was refused
   * @returns what is done otherwise from now on; undefined where the request would stay as it was
   */
  learnFrom(error: ProviderError, body: Json, shape: Shape): readonly string[] | undefined {
    if (OTHER_CAUSES.has(error.code)) return undefined
    const change = findLesson(error.message, body, shape)
    if (change === undefined) return undefined
    // The gateway leaves out what a model cannot see: it sent it, so it has not heard of the lesson.
    const isNews = change.model?.vision !== undefined || change.model?.pdf !== undefined
    return this.learn(change, isNews ? { ...shape, learnt: new Set() } : shape)
  }

  /** @returns the lesson as lines of config; undefined where the request was made by it already */
  learn(change: Change, { learnt: known, model }: Shape): readonly string[] | undefined {
    const lines = toConfigLines(model.id, change)
    if (lines.every((line) => known.has(line))) return undefined
    const before = this.#of(model)
    this.#keep(model, {
      ...before,
      quirks: merge(before.quirks, change.quirks ?? {}),
      model: { ...before.model, ...change.model },
      lines: new Set([...before.lines, ...lines]),
    })
    return lines
  }

  #of({ id }: ModelInfo): Learnt {
    return learntOf.get(`${this.#place} ${id}`) ?? NOTHING
  }

  #keep({ id }: ModelInfo, learnt: Learnt): void {
    const [oldest] = learntOf.keys()
    if (learntOf.size >= MOST_MODELS && oldest !== undefined) learntOf.delete(oldest)
    learntOf.set(`${this.#place} ${id}`, learnt)
  }
}

function merge(first: Quirks, second: Quirks): Quirks {
  const stripParams = [...new Set([...(first.stripParams ?? []), ...(second.stripParams ?? [])])]
  return { ...first, ...second, ...(stripParams.length > 0 ? { stripParams } : {}) }
}

/** `quirks.noStreamUsage: true`, `models.llama3.maxOutput: 4096`: fields of a provider's config. */
function toConfigLines(model: string, { quirks = {}, model: facts = {} }: Change): string[] {
  const line =
    (path: string) =>
    ([field, value]: [string, unknown]) =>
      `${path}.${field}: ${JSON.stringify(value)}`
  return [...Object.entries(quirks).map(line('quirks')), ...Object.entries(facts).map(line(`models.${model}`))]
}
