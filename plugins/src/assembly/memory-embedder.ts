import { ConfigError, type Embed, type ModelProvider, type Registry, type Warning } from '@svc/core'
import { nearest } from '@svc/core/text'

/** How long one request for vectors may take: shorter than the tool that recalls may. */
const LIMIT_MS = 4000
/** After a failure the provider is left alone for so long, so that not every query waits for it. */
const PAUSE_MS = 30_000

/** The parts of `memory.embedder`. @throws ConfigError `config_invalid` unless it is `provider/model` */
export function parseEmbedder(name: string): { provider: string; model: string } {
  const slash = name.indexOf('/')
  const [provider, model] = [name.slice(0, Math.max(0, slash)), name.slice(slash + 1)]
  if (provider !== '' && model !== '') return { provider, model }
  throw refuse(name, 'must be "provider/model", such as "openai/text-embedding-3-small"')
}

/** What is wrong with `memory.embedder`. */
export const refuse = (name: string, why: string): ConfigError =>
  new ConfigError('config_invalid', `memory.embedder: "${name}" ${why}`)

/**
 * Makes the memory's vectors with the model that `memory.embedder` names.
 *
 * After a failure memories are searched by words alone: the run is warned until vectors come again, and for half a minute
 * the provider is not asked.
 */
export class MemoryEmbedder {
  readonly #name: string
  readonly #id: string
  readonly #model: string
  readonly #clock: () => number
  #provider: ModelProvider | undefined
  #failure: { message: string; untilMs: number } | undefined

  /** @throws ConfigError `config_invalid` unless the name is `provider/model` */
  constructor(name: string, clock: () => number = Date.now) {
    const { provider, model } = parseEmbedder(name)
    this.#name = name
    this.#id = provider
    this.#model = model
    this.#clock = clock
  }

  /**
   * Finds the provider among those of the runtime. One that is described and cannot be used gives no vectors, as one that
   * does not answer.
   *
   * @param failures why providers cannot be used
   * @throws ConfigError `config_invalid` when it is not there, or makes no vectors
   */
  connect(providers: Pick<Registry<ModelProvider>, 'get' | 'ids'>, failures: ReadonlyMap<string, Error>): void {
    const provider = providers.get(this.#id)
    const failure = failures.get(this.#id)
    if (provider === undefined && failure !== undefined) {
      this.#provider = undefined
      this.#failure = { message: failure.message, untilMs: Number.POSITIVE_INFINITY }
      return
    }
    this.#failure = undefined
    const able = providers.ids().filter((id) => providers.get(id)?.embed !== undefined)
    const choice = able.length === 0 ? 'none of those set up does' : `those that do are ${able.join(', ')}`
    if (provider === undefined) {
      const near = nearest(this.#id, providers.ids())
      const hint = near === undefined ? '' : ` (did you mean "${near}"?)`
      throw refuse(this.#name, `names a provider that is not set up${hint}; it must be one that embeds: ${choice}`)
    }
    if (provider.embed === undefined) throw refuse(this.#name, `names a provider that does not embed: ${choice}`)
    this.#provider = provider
  }

  readonly embed: Embed = async (texts) => {
    if (this.#failure !== undefined && this.#clock() < this.#failure.untilMs) throw new Error(this.#failure.message)
    try {
      const vectors = await this.#ask([...texts])
      this.#failure = undefined
      return vectors
    } catch (thrown) {
      // The first reason stands until vectors come again: a run is warned once, whatever the later ones say.
      const message = this.#failure?.message ?? (thrown instanceof Error ? thrown.message : String(thrown))
      this.#failure = { message, untilMs: this.#clock() + PAUSE_MS }
      throw thrown
    }
  }

  /** What does not work at present. */
  warnings(): Warning[] {
    if (this.#failure === undefined) return []
    const message = `memory is searched by words alone, because "${this.#name}" gave no vectors: ${this.#failure.message}`
    return [{ code: 'memory_embedder_failed', message }]
  }

  async #ask(texts: string[]): Promise<number[][]> {
    if (this.#provider?.embed === undefined) throw new Error('no provider is connected')
    const signal = AbortSignal.timeout(LIMIT_MS)
    // A provider that ignores the signal is not waited for either.
    const late = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error(`nothing came within ${LIMIT_MS} ms`)), { once: true })
    })
    const { vectors } = await Promise.race([late, this.#provider.embed(texts, { signal, model: this.#model })])
    if (vectors.length === texts.length) return vectors
    throw new Error(`${vectors.length} vectors came for ${texts.length} texts`)
  }
}
